//! The command line: the same experiments as on the page, from a terminal.

#[cfg(not(target_arch = "wasm32"))]
mod commands;
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

/// Parses the arguments; ends the program with help or an error if they are no command.
#[cfg(not(target_arch = "wasm32"))]
fn args() -> args::Args {
    use clap::Parser;
    args::Args::try_parse().unwrap_or_else(|error| {
        // Clap repeats what was typed as it is. It speaks for itself, in colours, unless a terminal
        // would obey what was typed.
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

/// The command line is a native program; in a browser there is the page.
#[cfg(target_arch = "wasm32")]
fn main() {}
