//! Finds a Chromium for the tests, or installs Debian's if possible.

use crate::Done;
use crate::count::Counts;
use crate::machine::{install_debian, on_path};
use crate::steps::{WASM, run, scripts};
use std::env;
use std::path::PathBuf;
use std::process::Command;
use std::thread::available_parallelism;

/// A Chromium and its driver.
pub struct Browser {
    chromium: PathBuf,
    /// The Chromium that shows the page. One without windows takes a third less time, so it comes
    /// first if there is one.
    shell: PathBuf,
    chromedriver: PathBuf,
}

const CHROMIUMS: [&str; 5] = [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

const SHELL: &str = "chromium-headless-shell";

/// Page tests that measure run alone.
const ALONE: [&str; 1] = ["newcomer.test.mjs"];

/// Returns the Chromium on this machine. Installs one on Debian, for root, if there is none and the
/// user allows it.
pub fn find(may_install: bool) -> Result<Browser, String> {
    if let Some(browser) = present() {
        return Ok(browser);
    }
    let lack = "The tests need a Chromium or Chrome with its chromedriver, both on PATH or named \
        by CHROMIUM and CHROMEDRIVER (macOS: brew install --cask chromium chromedriver).";
    install_debian(&["chromium", "chromium-driver", SHELL], may_install)
        .map_err(|how| format!("{lack} {how}"))?;
    present().ok_or_else(|| lack.into())
}

fn present() -> Option<Browser> {
    let chromium = env::var_os("CHROMIUM")
        .map(PathBuf::from)
        .or_else(|| CHROMIUMS.iter().find_map(|name| on_path(name)))?;
    let chromedriver = env::var_os("CHROMEDRIVER")
        .map(PathBuf::from)
        .or_else(|| on_path("chromedriver"))?;
    let shell = match env::var_os("CHROMIUM") {
        Some(_) => None,
        None => on_path(SHELL),
    };
    Some(Browser {
        shell: shell.unwrap_or_else(|| chromium.clone()),
        chromium,
        chromedriver,
    })
}

impl Browser {
    /// Runs the wasm tests in headless Chromium, and in Firefox if it and its driver are installed.
    pub fn test_wasm(&self, counts: &mut Counts) -> Done {
        let test = || {
            let mut command = Command::new("cargo");
            command.args([
                "test",
                "--package",
                "schedscope",
                "--target",
                WASM,
                "--test",
                "web",
            ]);
            command
        };
        counts.run(
            "wasm in Chromium",
            test()
                .env("CHROMEDRIVER", &self.chromedriver)
                .env_remove("GECKODRIVER"),
            ".",
        )?;
        match (
            on_path("geckodriver"),
            on_path("firefox").or_else(|| on_path("firefox-esr")),
        ) {
            (Some(geckodriver), Some(_)) => counts.run(
                "wasm in Firefox",
                test()
                    .env("GECKODRIVER", geckodriver)
                    .env_remove("CHROMEDRIVER"),
                ".",
            ),
            _ => {
                counts.skipped("wasm in Firefox", "no firefox with geckodriver on PATH");
                Ok(())
            }
        }
    }

    /// Runs the tests of the built page.
    pub fn test_page(&self, counts: &mut Counts) -> Done {
        let test = |at_once: usize, files: &[PathBuf]| {
            let mut node = Command::new("node");
            node.arg("--test")
                .arg(format!("--test-concurrency={at_once}"))
                .arg("--test-reporter=spec")
                .args(files)
                .env("CHROMIUM", &self.shell);
            node
        };
        let (alone, others): (Vec<PathBuf>, Vec<PathBuf>) = scripts("www/e2e")
            .into_iter()
            .partition(|file| ALONE.iter().any(|name| file.ends_with(name)));
        counts.run("page, measured", &mut test(1, &alone), "www")?;
        // Each file has a browser of its own, which keeps about a processor busy.
        let at_once = available_parallelism().map_or(1, usize::from).min(4);
        counts.run("page", &mut test(at_once, &others), "www")
    }

    /// Runs the measurements of the built page.
    pub fn bench_page(&self) -> Done {
        let bench = |script| {
            run(
                Command::new("node")
                    .arg(script)
                    .env("CHROMIUM", &self.chromium),
                "www",
            )
        };
        bench("e2e/bench.mjs")?;
        bench("e2e/bench-sweep.mjs")
    }
}
