//! The command line: the same experiments as on the page, from a terminal.

#[cfg(not(target_arch = "wasm32"))]
mod args;
#[cfg(not(target_arch = "wasm32"))]
mod commands;
#[cfg(not(target_arch = "wasm32"))]
mod input;
mod folder;
#[cfg(not(target_arch = "wasm32"))]
mod output;
#[cfg(not(target_arch = "wasm32"))]
mod save;
#[cfg(not(target_arch = "wasm32"))]
mod sweep;
#[cfg(not(target_arch = "wasm32"))]
mod table;

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

/// What was typed; ends the program with help or an error if it is no command.
#[cfg(not(target_arch = "wasm32"))]
fn args() -> args::Args {
    use clap::Parser;
    args::Args::try_parse().unwrap_or_else(|error| {
        let text = error.render().to_string();
        // Clap repeats what was typed as it is. Its own colours are kept where nothing was typed that a terminal would obey.
        if output::harmless(&text, "\n\t") == text {
            error.exit();
        }
        output::complain(text.trim_end());
        std::process::exit(error.exit_code());
    })
}

/// The command line is a native program; in a browser there is the page.
#[cfg(target_arch = "wasm32")]
fn main() {}
