//! Tests the Snakemake workflow, with Snakemake from PyPI in a virtual environment of its own.

use crate::Done;
use crate::steps::{cargo, root, run};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Runs workflow/test.sh; without a Python that can make virtual environments it is skipped, with a message.
pub fn test() -> Done {
    let home = root().join("target/workflow");
    if install(&home).is_err() {
        println!("workflow tests skipped: they need python3 with its venv module (Debian: python3-venv), and PyPI.");
        return Ok(());
    }
    cargo(&["build", "--package", "schedscope", "--bin", "schedscope"])?;
    let [schedscope, snakemake, folder] =
        ["target/debug/schedscope", "target/workflow/bin/snakemake", "target/workflow-test"].map(|path| root().join(path));
    run(Command::new("workflow/test.sh").args([schedscope, snakemake, folder]), ".")
}

/// The packages of workflow/requirements.txt, if they are not there already.
fn install(home: &Path) -> Done {
    let wanted = root().join("workflow/requirements.txt");
    let installed = home.join("requirements.txt");
    let text = |path: &Path| fs::read_to_string(path).ok();
    if text(&installed).is_some() && text(&installed) == text(&wanted) {
        return Ok(());
    }
    let venv = || run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(home), ".");
    venv().or_else(|_| {
        // On Debian, as root, the module can be had.
        run(Command::new("apt-get").args(["install", "--quiet", "--yes", "python3-venv"]), ".")?;
        venv()
    })?;
    run(Command::new(home.join("bin/pip")).args(["install", "--quiet", "--disable-pip-version-check", "--requirement"]).arg(&wanted), ".")?;
    fs::copy(&wanted, &installed).map(drop).map_err(|error| format!("cannot write {}: {error}", installed.display()))
}
