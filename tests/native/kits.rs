//! The kits for policies that are compiled to WebAssembly, in `examples/policies/`: each declares every
//! function of the engine, and its EASY makes the schedules of ours.

use super::support::{check, folder, root, schedscope, skipped, unpublished};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns a file of the kits.
fn kit(name: &str) -> PathBuf {
    root().join("examples/policies").join(name)
}

/// Returns the functions that a module may import, as `name(argument: type, ...) -> type`, in
/// alphabetical order.
fn wanted() -> Vec<String> {
    macro_rules! lines {
        ($($name:ident($($argument:ident: $type:ty),*) -> $result:ty = $absent:expr;)*) => {
            vec![$(line(
                stringify!($name),
                &[$((stringify!($argument), stringify!($type))),*],
                stringify!($result),
            )),*]
        };
    }
    let mut lines = schedscope::each_call!(lines);
    lines.push(line("setting", &[("index", "u32")], "f64"));
    lines.sort();
    lines
}

fn line(name: &str, arguments: &[(&str, &str)], result: &str) -> String {
    let arguments: Vec<String> = arguments
        .iter()
        .map(|(name, kind)| format!("{name}: {kind}"))
        .collect();
    format!("{name}({}) -> {result}", arguments.join(", "))
}

/// Returns the lines of a kit that `read` understands, in alphabetical order.
fn declared(file: &str, read: impl Fn(&str) -> Option<String>) -> Vec<String> {
    let text = fs::read_to_string(kit(file)).unwrap();
    let mut lines: Vec<String> = text.lines().filter_map(read).collect();
    lines.sort();
    lines
}

/// Returns `argument: type` of `type argument`, as C has it.
fn of_c(arguments: &str) -> Option<String> {
    if arguments == "void" {
        return Some(String::new());
    }
    let swapped: Option<Vec<String>> = arguments
        .split(", ")
        .map(|argument| {
            let (kind, name) = argument.split_once(' ')?;
            Some(format!("{name}: {kind}"))
        })
        .collect();
    Some(swapped?.join(", "))
}

#[test]
fn each_kit_declares_every_function_with_its_types() {
    let c = declared("c/schedscope.h", |line| {
        let call = line.strip_prefix("CALL(")?.strip_suffix(");")?;
        let (result, rest) = call.split_once(", ")?;
        let (name, arguments) = rest.split_once(", ")?;
        Some(format!("{name}({}) -> {result}", of_c(arguments)?))
    });
    assert_eq!(c, wanted());
    let assemblyscript = declared("assemblyscript/schedscope.ts", |line| {
        let import = line.strip_prefix("@external(\"schedscope\", \"")?;
        let (name, declared) = import.split_once("\") export declare function ")?;
        let (local, rest) = declared.strip_suffix(';')?.split_once('(')?;
        // The name `of` is a word of the language.
        let own = if name == "of" { "field_of" } else { name };
        assert_eq!(local, own);
        let (arguments, result) = rest.split_once("): ")?;
        Some(format!("{name}({arguments}) -> {result}"))
    });
    assert_eq!(assemblyscript, wanted());
    if unpublished("examples/policies/rust").is_none() {
        return;
    }
    let rust = declared("rust/src/lib.rs", |line| {
        let declared = line.trim_start().strip_prefix("pub safe fn ")?;
        Some(declared.strip_suffix(';')?.to_owned())
    });
    assert_eq!(rust, wanted());
}

/// Runs a compiler. If its program is missing, returns `None` and says so.
fn compiled(command: &mut Command, module: PathBuf) -> Option<PathBuf> {
    let program = command.get_program().to_string_lossy().into_owned();
    match command.output() {
        Ok(output) => {
            check(&output);
            Some(module)
        }
        Err(error) => {
            skipped(&format!("a kit, because {program} cannot run: {error}"));
            None
        }
    }
}

fn c_easy(folder: &Path) -> Option<PathBuf> {
    // clang without lld cannot link. The command is that of the docs.
    if Command::new("wasm-ld").arg("--version").output().is_err() {
        skipped("the kit for C, which needs clang and lld");
        return None;
    }
    let module = folder.join("c-easy.wasm");
    let mut clang = Command::new("clang");
    clang
        .args(["--target=wasm32", "-O2", "-mbulk-memory", "-nostdlib"])
        .args(["-Wall", "-Wextra", "-Werror", "-Wl,--no-entry", "-o"])
        .args([&module, &kit("c/easy.c")]);
    compiled(&mut clang, module)
}

fn rust_easy(folder: &Path) -> Option<PathBuf> {
    let kit = unpublished("examples/policies/rust")?;
    let target = "wasm32-unknown-unknown";
    let library = Command::new("rustc")
        .args(["--print", "target-libdir", "--target", target])
        .output();
    let is_there = library
        .is_ok_and(|library| Path::new(String::from_utf8_lossy(&library.stdout).trim()).exists());
    if !is_there {
        skipped(&format!(
            "the kit for Rust, which needs the target {target}"
        ));
        return None;
    }
    let built = folder.join("rust");
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .args(["build", "--release", "--locked", "--offline", "--examples"])
        .args(["--target", target, "--target-dir"])
        .args([built.as_os_str(), OsStr::new("--manifest-path")])
        .arg(kit.join("Cargo.toml"));
    let module = built.join(target).join("release/examples/easy.wasm");
    compiled(&mut cargo, module)
}

fn assemblyscript_easy(folder: &Path) -> Option<PathBuf> {
    let tool = unpublished("www")?.join("node_modules/assemblyscript/bin/asc.js");
    if !tool.exists() {
        skipped("the kit for AssemblyScript, which needs `npm ci` in www/");
        return None;
    }
    let module = folder.join("as-easy.wasm");
    let mut asc = Command::new("node");
    asc.args([&tool, &kit("assemblyscript/easy.ts")])
        .args([OsStr::new("--outFile"), module.as_os_str()])
        .args(["--optimize", "--runtime", "stub", "--use", "abort="]);
    compiled(&mut asc, module)
}

#[test]
fn the_easy_of_each_kit_makes_the_schedules_of_ours() {
    let folder = folder("kits");
    let easies: Vec<PathBuf> = [
        c_easy(&folder),
        rust_easy(&folder),
        assemblyscript_easy(&folder),
    ]
    .into_iter()
    .flatten()
    .collect();
    if easies.is_empty() {
        return;
    }
    let log = folder.join("log.swf");
    check(&schedscope(&[
        &"generate",
        &"lublin",
        &"--set",
        &"jobs=2000",
        &"--out",
        &log,
        &"--force",
    ]));
    let cases = fs::read_dir(root().join("tests/cases")).unwrap();
    let mut traces: Vec<PathBuf> = cases
        .map(|case| case.unwrap().path().join("trace.swf"))
        .filter(|trace| trace.exists())
        .collect();
    assert!(traces.len() >= 20, "{} cases", traces.len());
    traces.push(log);
    for trace in &traces {
        for ties in ["default", "per_event", "per_event_ends_first"] {
            let mut arguments: Vec<&dyn AsRef<OsStr>> =
                vec![&"run", trace, &"--policy", &"easy", &"--audit"];
            for easy in &easies {
                arguments.extend([&"--policy" as &dyn AsRef<OsStr>, easy]);
            }
            let (set, load) = (format!("ties={ties}"), "load=1.1");
            if ties != "default" {
                arguments.extend([&"--set" as &dyn AsRef<OsStr>, &set]);
            }
            if trace.ends_with("log.swf") {
                arguments.extend([&"--set" as &dyn AsRef<OsStr>, &load]);
            }
            let said = check(&schedscope(&arguments));
            let same = said.matches("easy has that of easy, job by job").count();
            assert_eq!(same, easies.len(), "{}, {ties}: {said}", trace.display());
        }
    }
    for easy in &easies {
        let said = check(&schedscope(&[&"check", easy]));
        assert!(said.ends_with("easy: conforms.\n"), "{said}");
    }
}
