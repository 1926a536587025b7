//! The project's two main commands, `cargo xtask serve` and `cargo xtask test`, and their steps.
//!
//! They need only rustup, Node and a Chromium (`machine.rs`). The command line of wasm-bindgen is a
//! library of this program, and everything else comes from npm's lock file.

mod audit;
mod bench;
mod browser;
mod commits;
mod count;
mod machine;
mod new;
mod prose;
mod python;
mod steps;

use std::path::Path;
use std::process::Command;
use std::process::ExitCode;

/// Result of a step: nothing, or a sentence on the failure.
type Done = Result<(), String>;

const HELP: &str = "\
cargo xtask serve [--open] [--port N]   build the page and serve it on this machine
cargo xtask test                        run every test (*)
cargo xtask build                       build the page into dist/
cargo xtask lint                        formatting, clippy, the page's lints, imports and types, prose
cargo xtask prose [--all] [PATH...]     check the prose; --all shows all faults, --bless lowers the counts of old ones
cargo xtask new KIND NAME [TITLE]       write a new policy, order, metric or machine from a template
cargo xtask commit-msg FILE             check the message of a commit, as a hook does
cargo xtask papers [--traces DIR] [CARD...] run the papers' cards, store what they show, write docs/papers/
cargo xtask papers --docs               write docs/papers/ from what is stored
cargo xtask audit                       licences, sources, duplicates, known weaknesses of dependencies (*)
cargo xtask pkg                         build the npm package into pkg/
cargo xtask workflow                    test the Snakemake workflow (*)
cargo xtask evalys                      test that evalys reads the jobs CSV (*)
cargo xtask tools                       link what Trunk and wasm-pack need from here into target/tools/
cargo xtask bench --against COMMIT      compare the speed with that of a commit, case by case
cargo xtask bench --report              measure how time and memory grow, write it to docs/performance.md
cargo xtask bench-web                   measure the page in a headless browser (*)

(*) With --yes, or where the variable CI is set, it installs the Debian packages that it lacks; else it names them.";

fn main() -> ExitCode {
    let mut args: Vec<String> = std::env::args().collect();
    // Under the name of wasm-bindgen, to which links for Trunk and wasm-pack lead, this program is
    // wasm-bindgen.
    let name = Path::new(&args[0])
        .file_stem()
        .map(|stem| stem.to_string_lossy().into_owned())
        .unwrap_or_default();
    if name == "xtask" {
        args.remove(0);
    } else {
        args[0] = name;
    }
    let command = args.first().cloned().unwrap_or_default();
    let options = args.get(1..).unwrap_or_default();
    let may_install = machine::may_install(options);
    let done = match command.as_str() {
        "serve" => steps::build_page().and_then(|()| steps::node("serve.mjs", options)),
        "test" => test(may_install),
        "build" => steps::build_page(),
        "lint" => lint(),
        "prose" => prose::check(options),
        "new" => new::run(options),
        "papers" => steps::papers(options),
        "commit-msg" => commits::check_file(options.first().map_or("", String::as_str)),
        "audit" => audit::everything(may_install),
        "pkg" => steps::pkg(),
        "tools" => steps::link_tools(),
        "workflow" => python::workflow(may_install, &mut count::Counts::default()),
        "evalys" => python::evalys(may_install, &mut count::Counts::default()),
        "bench" => bench::run(options),
        "bench-web" => bench_web(may_install),
        "wasm-bindgen" => return bindgen(wasm_bindgen_cli::wasm_bindgen::run_cli_with_args(&args)),
        "wasm-bindgen-test-runner" => {
            return bindgen(wasm_bindgen_cli::wasm_bindgen_test_runner::run_cli_with_args(&args));
        }
        _ => Err(HELP.into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(sentence) => {
            eprintln!("{sentence}");
            ExitCode::FAILURE
        }
    }
}

/// Runs every test, and ends with the count in any case.
fn test(may_install: bool) -> Done {
    let mut counts = count::Counts::default();
    let done = test_all(may_install, &mut counts);
    counts.tell();
    done
}

fn test_all(may_install: bool, counts: &mut count::Counts) -> Done {
    let browser = browser::find(may_install)?;
    machine::lint_components()?;
    steps::build_page()?;
    lint()?;
    prose::test(counts)?;
    commits::check(counts)?;
    audit::dependencies(may_install, counts)?;
    let cargo = |args: &[&str]| {
        let mut command = Command::new("cargo");
        command.arg("test").args(args);
        command
    };
    counts.run(
        "native",
        &mut cargo(&[
            "--package",
            "schedscope",
            "--lib",
            "--test",
            "native",
            "--test",
            "allocations",
        ]),
        ".",
    )?;
    // Uses the profile of this program, whose dependencies are already built.
    counts.run(
        "xtask",
        &mut cargo(&["--package", "xtask", "--profile", "dev"]),
        ".",
    )?;
    counts.run("page without a browser", &mut steps::unit_tests(), "www")?;
    python::workflow(may_install, counts)?;
    python::evalys(may_install, counts)?;
    browser.test_wasm(counts)?;
    steps::pkg()?;
    browser.test_page(counts)
}

fn lint() -> Done {
    machine::lint_components()?;
    machine::wasm_target()?;
    prose::check(&[])?;
    steps::cargo(&["fmt", "--all", "--check"])?;
    steps::cargo(&[
        "clippy",
        "--workspace",
        "--all-targets",
        "--",
        "--deny",
        "warnings",
    ])?;
    steps::check_fuzz()?;
    steps::check_kit()?;
    steps::check_page()?;
    steps::cargo(&[
        "clippy",
        "--package",
        "schedscope",
        "--lib",
        "--tests",
        "--target",
        steps::WASM,
        "--",
        "--deny",
        "warnings",
    ])
}

fn bench_web(may_install: bool) -> Done {
    let browser = browser::find(may_install)?;
    steps::build_page()?;
    browser.bench_page()
}

fn bindgen<E: std::fmt::Debug>(result: Result<(), E>) -> ExitCode {
    result.map_or_else(
        |error| {
            eprintln!("{error:?}");
            ExitCode::FAILURE
        },
        |()| ExitCode::SUCCESS,
    )
}
