//! Programs from PyPI, each in a virtual environment of its own, and the tests with them: the
//! Snakemake workflow, and evalys, which reads the jobs CSV.

use crate::Done;
use crate::count::Counts;
use crate::machine::install_debian;
use crate::steps::{cargo, root, run};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs workflow/test.sh; without a Python that can make virtual environments it is skipped, with a
/// message.
pub fn workflow(may_install: bool, counts: &mut Counts) -> Done {
    let Some([schedscope, bin, folder]) =
        prepare("workflow", "workflow/requirements.txt", may_install, counts)?
    else {
        return Ok(());
    };
    let done = run(
        Command::new("workflow/test.sh").args([schedscope, format!("{bin}/snakemake"), folder]),
        ".",
    );
    counts.single("workflow", done)
}

/// Runs tests/evalys/check.py; skipped like the workflow.
pub fn evalys(may_install: bool, counts: &mut Counts) -> Done {
    let Some([schedscope, bin, folder]) = prepare(
        "evalys",
        "tests/evalys/requirements.txt",
        may_install,
        counts,
    )?
    else {
        return Ok(());
    };
    let done = run(
        Command::new(format!("{bin}/python"))
            .arg("tests/evalys/check.py")
            .args([schedscope, folder]),
        ".",
    );
    counts.single("evalys", done)
}

/// The program, where the packages' programs are, and a folder for files.
fn prepare(
    name: &str,
    requirements: &str,
    may_install: bool,
    counts: &mut Counts,
) -> Result<Option<[String; 3]>, String> {
    if let Err(reason) = programs(name, requirements, may_install) {
        let why = format!("they need python3 with its venv module, and PyPI. {reason}");
        println!("{name} tests skipped: {why}");
        counts.skipped(name, &why);
        return Ok(None);
    }
    cargo(&["build", "--package", "schedscope", "--bin", "schedscope"])?;
    let paths = [
        "target/debug/schedscope".into(),
        format!("target/{name}/bin"),
        format!("target/{name}-test"),
    ];
    Ok(Some(
        paths.map(|path| root().join(path).display().to_string()),
    ))
}

/// The folder of the programs in packages from PyPI, which are installed if they are not there
/// already.
pub fn programs(name: &str, requirements: &str, may_install: bool) -> Result<PathBuf, String> {
    let home = root().join("target").join(name);
    let (installed, wanted) = (home.join("requirements.txt"), root().join(requirements));
    let bin = home.join("bin");
    let text = |path: &Path| fs::read_to_string(path).ok();
    if text(&installed).is_some() && text(&installed) == text(&wanted) {
        return Ok(bin);
    }
    let venv = || {
        run(
            Command::new("python3")
                .args(["-m", "venv", "--clear"])
                .arg(&home),
            ".",
        )
    };
    venv().or_else(|_| {
        install_debian(&["python3-venv"], may_install)?;
        venv()
    })?;
    run(
        Command::new(bin.join("pip"))
            .args([
                "install",
                "--quiet",
                "--disable-pip-version-check",
                "--requirement",
            ])
            .arg(&wanted),
        ".",
    )?;
    fs::copy(&wanted, &installed)
        .map_err(|error| format!("cannot write {}: {error}", installed.display()))?;
    Ok(bin)
}
