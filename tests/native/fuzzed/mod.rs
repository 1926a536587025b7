//! The bodies of the fuzz targets: functions of bytes that panic if the program breaks a promise.
//!
//! The fuzzer's targets in `fuzz/` call them. `fuzzing.rs` also calls them, with the corpora and
//! with random bytes, so that they compile and run with the tests. Sizes and steps are bounded, and
//! an input that would run for long is skipped.

pub mod draw;
mod reader;
mod text;
mod whole;

use schedscope::experiment::{Run, Scenario};
use schedscope::import::{BadLines, read};
use schedscope::problem::Problem;
use schedscope::schedule::audit::audit;
use schedscope::trace::Trace;
use std::fmt::Write;
use std::sync::{Arc, LazyLock};

/// The outcome of an input.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The input was too large, or not text.
    Unused,
    /// The program refused the input with a problem.
    Refused,
    /// The target gave up a run that took too many steps.
    GivenUp,
    /// The program accepted the input, and kept all promises.
    Held,
}

/// A target: the name, which its corpus shares, and the function that takes the bytes.
pub type Target = (&'static str, fn(&[u8]) -> Outcome);

/// All targets. Each has a file of its name in `fuzz/fuzz_targets/` and a line in
/// `fuzz/Cargo.toml`.
pub const TARGETS: &[Target] = &[
    ("reader", reader::reader),
    ("swf", reader::swf),
    ("plan", text::plan),
    ("link", text::link),
    ("filter", text::filter),
    ("demands", text::demands),
    ("settings", text::settings),
    ("what_if", text::what_if),
    ("whole_run", whole::whole_run),
];

/// Returns the target with this name.
pub fn target(name: &str) -> Target {
    *TARGETS
        .iter()
        .find(|(known, _)| *known == name)
        .expect("the target exists")
}

/// The largest number of bytes that a target reads.
const LONGEST: usize = 1 << 16;

/// The number of slices after which a run is given up, and the arrivals and completions of each
/// slice.
const SLICES: u32 = 100;
const BUDGET: u64 = 8;

/// Checks that a refusal gives what happened, why and what to do, within a bounded length.
fn refused(problem: &Problem) -> Outcome {
    let Problem {
        what, why, next, ..
    } = problem;
    assert!(
        [what, why, next]
            .iter()
            .all(|part| !part.is_empty() && part.len() < 20_000),
        "{problem:?}"
    );
    Outcome::Refused
}

/// Runs to the end. Returns true if the run ended within its steps.
fn finish(run: &mut Run) -> bool {
    (0..SLICES).any(|_| run.advance(BUDGET).done)
}

/// Checks what must hold for a complete run.
fn check(run: &Run) {
    let findings = audit(run.schedule(), 3);
    assert!(findings.is_empty(), "{findings:?}");
    let figures = run.measures().figures;
    assert!(
        figures.values().all(|value| value.is_finite()),
        "{figures:?}"
    );
}

/// Runs a scenario on a trace, and checks the run.
fn run_and_check(scenario: &Scenario, trace: &Arc<Trace>) -> Outcome {
    let run = scenario.resolve().and_then(|resolved| {
        // A machine that determines its own size can be large.
        let is_small = resolved
            .capacity()
            .is_none_or(|processors| processors <= 512);
        if is_small {
            resolved.run(Arc::clone(trace)).map(Some)
        } else {
            Ok(None)
        }
    });
    let mut run = match run {
        Err(problem) => return refused(&problem),
        Ok(None) => return Outcome::Unused,
        Ok(Some(run)) => run,
    };
    if run.schedule().workload.processors > 4096 {
        return Outcome::Unused;
    }
    if !finish(&mut run) {
        return Outcome::GivenUp;
    }
    match run.check_complete() {
        Ok(()) => {
            check(&run);
            Outcome::Held
        }
        Err(problem) => {
            assert!(
                problem.what.starts_with("What if:") || problem.what.starts_with("On the machine"),
                "{problem}"
            );
            refused(&problem)
        }
    }
}

/// Twelve jobs on eight processors, for targets whose bytes describe something else than a trace.
static TRACE: LazyLock<Arc<Trace>> = LazyLock::new(|| {
    let jobs = [
        (0, 30, 5, 60),
        (0, 5, 8, 5),
        (1, 0, 1, 10),
        (2, 13, 2, 13),
        (2, 8, 3, 20),
        (5, 40, 4, 20),
        (7, 3, 8, 9),
        (9, 21, 1, 100),
        (9, 2, 6, 2),
        (30, 10, 7, 10),
        (31, 10, 2, 12),
        (90, 5, 3, 5),
    ];
    let mut text = "; MaxProcs: 8\n; UnixStartTime: 800000000\n".to_owned();
    for (number, (submit, runtime, size, estimate)) in (1..).zip(jobs) {
        let user = number % 3;
        let _ = writeln!(
            text,
            "{number} {submit} -1 {runtime} {size} -1 -1 {size} {estimate} -1 1 {user} 1 1 1 1 -1 \
                -1"
        );
    }
    Arc::new(read("fuzzed", text.as_bytes(), BadLines::Stop).expect("it is well formed"))
});
