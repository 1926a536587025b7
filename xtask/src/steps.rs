//! The steps. Each runs one tool, or is skipped because its output is newer than its input.

use crate::{Done, machine};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Rust's name of the target of wasm builds.
pub const WASM: &str = "wasm32-unknown-unknown";

/// Returns the project's folder.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .canonicalize()
        .unwrap_or_else(|_| PathBuf::from("."))
}

/// Runs a command in a folder of the project. If it fails, the error names the command.
pub fn run(command: &mut Command, folder: &str) -> Done {
    let shown = format!("{command:?}");
    let status = command
        .current_dir(root().join(folder))
        .status()
        .map_err(|error| format!("cannot run {shown}: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("failed: {shown}"))
    }
}

/// Runs Cargo in the project's folder.
pub fn cargo(args: &[&str]) -> Done {
    run(Command::new("cargo").args(args), ".")
}

/// Checks that the fuzz targets compile. It does not link the fuzzer, so it needs neither the
/// fuzzer nor a C++ compiler.
pub fn check_fuzz() -> Done {
    let mut check = Command::new("cargo");
    check.args([
        "check",
        "--manifest-path",
        "fuzz/Cargo.toml",
        "--target-dir",
        "target/fuzz",
    ]);
    run(
        check
            .env("CUSTOM_LIBFUZZER_PATH", "not/linked.a")
            .env("CUSTOM_LIBFUZZER_STD_CXX", "none"),
        ".",
    )
}

/// Checks the format and the lints of the kit for policies in Rust, which is no member of the
/// workspace.
pub fn check_kit() -> Done {
    let kit = ["--manifest-path", "examples/policies/rust/Cargo.toml"];
    cargo(&[&["fmt"], &kit[..], &["--check"]].concat())?;
    let clippy = ["clippy", "--lib", "--examples", "--target", WASM];
    let rest = [
        "--target-dir",
        "target/policies",
        "--",
        "--deny",
        "warnings",
    ];
    cargo(&[&clippy[..], &kit, &rest].concat())
}

/// Runs a Node script of www/.
pub fn node(script: &str, args: &[String]) -> Done {
    run(Command::new("node").arg(script).args(args), "www")
}

/// Installs the page's packages, as package-lock.json pins them, if they are missing.
pub fn packages() -> Done {
    machine::node()?;
    let www = root().join("www");
    let installed =
        fs::metadata(www.join("node_modules/.package-lock.json")).and_then(|meta| meta.modified());
    let wanted = fs::metadata(www.join("package-lock.json")).and_then(|meta| meta.modified());
    match (installed, wanted) {
        (Ok(installed), Ok(wanted)) if installed >= wanted => Ok(()),
        _ => run(
            Command::new("npm").args(["ci", "--no-audit", "--no-fund"]),
            "www",
        ),
    }
}

/// Checks the page's format, its lints and the plan of its imports. The build checks the page's
/// types, because some of them come from Rust.
pub fn check_page() -> Done {
    packages()?;
    run(tool("biome").args(["check", "--error-on-warnings"]), "www")?;
    let plan = root().join("www/test/layers.test.mjs");
    run(&mut node_tests(&[plan]), "www")
}

/// Returns the command of the page's tests that need no browser.
pub fn unit_tests() -> Command {
    node_tests(&scripts("www/test"))
}

/// Returns Node with its test runner, which reads the page's sources directly.
fn node_tests(tests: &[PathBuf]) -> Command {
    let mut node = Command::new("node");
    node.args(["--import", "./test/typescript.mjs"])
        .args(["--test", "--test-reporter=spec"])
        .args(tests);
    node
}

/// Returns the test scripts of a folder, in order.
pub fn scripts(folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join(folder)).into_iter().flatten();
    let mut tests: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    tests.retain(|path| path.to_string_lossy().ends_with(".test.mjs"));
    tests.sort();
    tests
}

/// Returns a tool from the page's packages.
pub fn tool(name: &str) -> Command {
    Command::new(root().join("www/node_modules/.bin").join(name))
}

/// Builds the page into dist/: wasm, its JavaScript glue, the bundled page.
pub fn build_page() -> Done {
    machine::wasm_target()?;
    packages()?;
    let dist = root().join("dist");
    fs::create_dir_all(&dist).map_err(|error| format!("cannot make dist/: {error}"))?;
    // The page loads the others with the first file or plan that needs them. Most of a build is the
    // work of one core, and the whole engine has a folder of its own, so it is built beside them.
    std::thread::scope(|at_once| {
        let whole = at_once.spawn(|| build_wasm(WHOLE, &dist));
        build_wasm("schedscope", &dist)?;
        build_wasm("schedscope-unpack", &dist)?;
        whole
            .join()
            .unwrap_or_else(|_| Err("the build of the whole engine broke off".into()))
    })?;
    copy(&root().join("www/index.html"), &dist.join("index.html"))?;
    run(tool("tsc").args(["--project", "www"]), ".")?;
    node("build.mjs", &[dist.display().to_string()])
}

/// The engine with all its features. The other one is the same library without them.
const WHOLE: &str = "schedscope-whole";

/// Returns the folder of the JavaScript glue of a crate.
fn glue_of(package: &str) -> PathBuf {
    root().join("target/bindgen").join(package)
}

/// Builds the wasm of a crate and its JavaScript glue, and copies both to `dist`.
fn build_wasm(package: &str, dist: &Path) -> Done {
    let glue = &glue_of(package);
    // Both engines are builds of one library, which cargo keeps under one name: in one folder each
    // build would compile both anew.
    let target = root().join(if package == WHOLE {
        "target/whole"
    } else {
        "target"
    });
    cargo(&[
        "build",
        "--release",
        "--package",
        package,
        "--lib",
        "--no-default-features",
        "--target",
        WASM,
        "--target-dir",
        &target.display().to_string(),
    ])?;
    let stem = package.replace('-', "_");
    let wasm = target.join(WASM).join(format!("release/{stem}.wasm"));
    // The npm package has the glue of the whole engine under the engine's name.
    let name = if package == WHOLE {
        "schedscope"
    } else {
        &stem
    };
    let bound = format!("{name}_bg.wasm");
    bindgen(&wasm, glue, name)?;
    // The optimised wasm stays beside the glue, because Trunk writes to dist/ too, and glue and
    // wasm must come from one build.
    let optimised = glue.join("optimised.wasm");
    if !is_newer(&optimised, &glue.join(&bound)) {
        run(
            tool("wasm-opt")
                .args(WASM_OPT)
                .arg(glue.join(&bound))
                .arg("-o")
                .arg(&optimised),
            ".",
        )?;
    }
    copy(&optimised, &dist.join(format!("{stem}_bg.wasm")))?;
    copy(
        &glue.join(format!("{name}.js")),
        &dist.join(format!("{stem}.js")),
    )
}

fn copy(from: &Path, to: &Path) -> Done {
    fs::copy(from, to)
        .map(drop)
        .map_err(|error| format!("cannot copy {}: {error}", from.display()))
}

/// Options of wasm-opt. Three passes, because each finds what the one before uncovers. The compiler
/// has already inlined all that pays: more makes the file larger and nothing faster.
const WASM_OPT: [&str; 17] = [
    "-O2",
    "-O2",
    "-O2",
    "--always-inline-max-function-size",
    "0",
    "--flexible-inline-max-function-size",
    "0",
    "--one-caller-inline-max-function-size",
    "0",
    "--enable-bulk-memory",
    "--enable-nontrapping-float-to-int",
    "--enable-sign-ext",
    "--enable-mutable-globals",
    "--enable-reference-types",
    "--enable-multivalue",
    "--enable-simd",
    "--strip-producers",
];

/// Makes the JavaScript glue and its types for a wasm file, under a name.
fn bindgen(wasm: &Path, glue: &Path, name: &str) -> Done {
    if is_newer(&glue.join(format!("{name}_bg.wasm")), wasm) {
        return Ok(());
    }
    of_one_version(
        &fs::read_to_string(root().join("Cargo.lock"))
            .map_err(|error| format!("cannot read Cargo.lock: {error}"))?,
    )?;
    let args = [
        "wasm-bindgen",
        "--target",
        "web",
        "--out-name",
        name,
        "--out-dir",
    ];
    let paths = [glue.as_os_str().to_owned(), wasm.as_os_str().to_owned()];
    wasm_bindgen_cli::wasm_bindgen::run_cli_with_args(args.map(Into::into).into_iter().chain(paths))
        .map_err(|error| format!("wasm-bindgen: {error:?}"))
}

/// Checks that the wasm file and the program that reads it come from one version of wasm-bindgen,
/// because they must match.
fn of_one_version(lock: &str) -> Done {
    let locked = |name: &str| {
        lock.split_once(&format!("name = \"{name}\"\nversion = \""))?
            .1
            .split('"')
            .next()
    };
    match (locked("wasm-bindgen"), locked("wasm-bindgen-cli")) {
        (Some(library), Some(program)) if library == program => Ok(()),
        (library, program) => Err(format!(
            "Cargo.lock has wasm-bindgen {} and wasm-bindgen-cli {}: give xtask/Cargo.toml the \
                version of the first.",
            library.unwrap_or("nowhere"),
            program.unwrap_or("nowhere")
        )),
    }
}

fn is_newer(output: &Path, input: &Path) -> bool {
    let time = |path: &Path| fs::metadata(path).and_then(|meta| meta.modified());
    matches!((time(output), time(input)), (Ok(output), Ok(input)) if output >= input)
}

/// Builds the engine for the npm package into pkg/wasm/, as `wasm-pack build --target web --out-dir
/// pkg/wasm` does, and completes the package.
pub fn pkg() -> Done {
    build_page()?;
    let (glue, wasm) = (glue_of(WHOLE), root().join("pkg/wasm"));
    // Files of another build may have another version.
    let _ = fs::remove_dir_all(&wasm);
    fs::create_dir_all(&wasm).map_err(|error| format!("cannot make pkg/wasm/: {error}"))?;
    for (from, to) in [
        ("schedscope.js", "schedscope.js"),
        ("schedscope.d.ts", "schedscope.d.ts"),
        ("optimised.wasm", "schedscope_bg.wasm"),
    ] {
        copy(&glue.join(from), &wasm.join(to))?;
    }
    node("pkg.mjs", &[])
}

/// Runs the papers' cards in the terminal program, stores what they show, and writes docs/papers/.
/// With `--docs` alone it writes the docs from what is stored.
pub fn papers(options: &[String]) -> Done {
    packages()?;
    if options == ["--docs"] {
        return node("papers.mjs", &[]);
    }
    cargo(&["build", "--release", "--bin", "schedscope"])?;
    let program = root().join("target/release/schedscope");
    let mut args = vec!["--run".to_owned(), program.display().to_string()];
    // The script runs in another folder.
    let mut names_folder = false;
    for option in options {
        let path = std::path::absolute(option).map_err(|error| error.to_string())?;
        args.push(if names_folder {
            path.display().to_string()
        } else {
            option.clone()
        });
        names_folder = option == "--traces";
    }
    node("papers.mjs", &args)
}

/// Links the two programs of wasm-bindgen, which are this program under other names, and npm's
/// wasm-opt, into target/tools/.
pub fn link_tools() -> Done {
    packages()?;
    let tools = root().join("target/tools");
    let this = std::env::current_exe().map_err(|error| error.to_string())?;
    let wasm_opt = root().join("www/node_modules/.bin/wasm-opt");
    fs::create_dir_all(&tools).map_err(|error| error.to_string())?;
    for (name, target) in [
        ("wasm-bindgen", &this),
        ("wasm-bindgen-test-runner", &this),
        ("wasm-opt", &wasm_opt),
    ] {
        let link = tools.join(name);
        let _ = fs::remove_file(&link);
        symlink(target, &link)
            .map_err(|error| format!("cannot link {}: {error}", link.display()))?;
    }
    println!("Put this first on PATH: {}", tools.display());
    Ok(())
}

#[cfg(unix)]
use std::os::unix::fs::symlink;

/// Copies the program, on systems without links.
#[cfg(not(unix))]
fn symlink(target: &Path, link: &Path) -> std::io::Result<()> {
    fs::copy(target, link.with_extension("exe")).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wasm_bindgen_and_its_program_are_of_one_version() {
        let lock = fs::read_to_string(root().join("Cargo.lock")).unwrap();
        assert_eq!(of_one_version(&lock), Ok(()));
        let other = lock.replacen(
            "name = \"wasm-bindgen\"\nversion = \"0",
            "name = \"wasm-bindgen\"\nversion = \"9",
            1,
        );
        let sentence = of_one_version(&other).unwrap_err();
        assert!(
            sentence.starts_with("Cargo.lock has wasm-bindgen 9.") && !sentence.contains('\n'),
            "{sentence}"
        );
    }
}
