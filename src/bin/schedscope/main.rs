//! The command line, which runs the same experiments as the page.

#[cfg(not(target_arch = "wasm32"))]
mod commands;
#[cfg(not(target_arch = "wasm32"))]
mod own;
#[cfg(not(target_arch = "wasm32"))]
mod sweep;
#[cfg(not(target_arch = "wasm32"))]
mod terminal;

#[cfg(not(target_arch = "wasm32"))]
use terminal::{args, output};

#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    match commands::execute(args()) {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(problem) => {
            output::say_problem(&problem);
            std::process::ExitCode::FAILURE
        }
    }
}

/// Parses the arguments. Ends the program with help or an error if they are not a command.
#[cfg(not(target_arch = "wasm32"))]
fn args() -> args::Args {
    use clap::Parser;
    args::Args::try_parse().unwrap_or_else(|error| {
        // Clap repeats arguments unchanged. Its own message, in colours, is therefore only printed
        // if no argument has control characters that a terminal would obey.
        let is_plain = |typed: std::ffi::OsString| {
            typed
                .to_str()
                .is_some_and(|typed| output::harmless(typed, "") == typed)
        };
        if std::env::args_os().all(is_plain) {
            error.exit();
        }
        output::complain(error.render().to_string().trim_end());
        std::process::exit(error.exit_code());
    })
}

/// Does nothing, because the command line is a native program.
#[cfg(target_arch = "wasm32")]
fn main() {}
