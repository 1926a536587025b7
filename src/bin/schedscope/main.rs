//! The command line: the same experiments as on the page, from a terminal.

#[cfg(not(target_arch = "wasm32"))]
mod args;
#[cfg(not(target_arch = "wasm32"))]
mod commands;
#[cfg(not(target_arch = "wasm32"))]
mod input;
#[cfg(not(target_arch = "wasm32"))]
mod output;
#[cfg(not(target_arch = "wasm32"))]
mod sweep;
#[cfg(not(target_arch = "wasm32"))]
mod table;

#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    use clap::Parser;
    match commands::execute(args::Args::parse()) {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("error: {}\n  why:  {}\n  next: {}", problem.what, problem.why, problem.next);
            std::process::ExitCode::FAILURE
        }
    }
}

/// The command line is a native program; in a browser there is the page.
#[cfg(target_arch = "wasm32")]
fn main() {}
