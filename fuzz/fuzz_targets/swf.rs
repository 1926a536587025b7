//! Anything as a trace: read, cleaned, simulated and measured, without a panic. `cargo +nightly fuzz run swf`.
//!
//! What the fuzzer keeps in `corpus/swf/` under a name of its own is replayed by the native tests.
#![no_main]

use libfuzzer_sys::fuzz_target;
use schedscope::experiment::Scenario;
use schedscope::trace::{BadLines, read};
use std::sync::Arc;

fuzz_target!(|bytes: &[u8]| {
    let bad_lines = if bytes.len() % 2 == 0 { BadLines::Stop } else { BadLines::Skip };
    let Ok(trace) = read("fuzzed", bytes, bad_lines) else { return };
    let trace = Arc::new(trace);
    for scenario in [Scenario::new("fcfs"), Scenario::new("easy").with("overrun", "continue").with("processors", 64.0)] {
        let run = scenario.resolve().and_then(|resolved| resolved.run(Arc::clone(&trace)));
        let Ok(mut run) = run else { continue };
        run.advance(u64::MAX);
        run.check_complete().expect("a policy starts every job in the end");
        let findings = schedscope::schedule::audit::audit(run.schedule(), 1);
        assert!(findings.is_empty(), "{findings:?}");
        run.measures();
    }
});
