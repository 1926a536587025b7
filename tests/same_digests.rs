//! Digests that native and wasm runs must both give: the same schedules, to the last processor, on both.

use schedscope::experiment::Scenario;
use schedscope::param::Settings;
use schedscope::workload::model::generate;
use std::sync::Arc;

/// The page's sample.
fn sample() -> Settings {
    Settings::default().with("jobs", 1500.0).with("seed", 1.0).with("users", 24.0).with("overestimate", 6.0)
}

fn large() -> Settings {
    Settings::default().with("jobs", 20_000.0).with("seed", 2.0).with("processors", 512.0).with("types", "typed").with("overestimate", 10.0)
}

/// SHA-256 of each generated trace.
const TRACES: [&str; 2] = [
    "8cee36069cbe6cc45bec4a59d7cc7ee9addb56a69098c2310c436e289649009a",
    "954465fd3b28e671a584ed0b55f7fbc36f9879aa878f77eba877538e1daffe3f",
];

/// Digests of the sample and of the 20,000 jobs, by scenario.
const DIGESTS: [(&str, u64, u64); 4] = [
    ("fcfs", 0x58f5_8ed3_64d5_fe98, 0x4fe1_6637_7efc_7b8c),
    ("easy", 0x1150_004e_43e8_d3bb, 0xca2d_7a43_f2ea_590c),
    ("easy, shortest predicted first, two reservations", 0xd271_f3fe_2815_810a, 0x30d9_917a_5106_ab08),
    ("easy, event by event", 0x9138_a4a8_79d5_fbfb, 0x8a53_6419_0b00_4f99),
];

fn scenario(index: usize) -> Scenario {
    let easy = Scenario::new("easy");
    match index {
        0 => Scenario::new("fcfs"),
        1 => easy,
        2 => easy.with("scan", "shortest").with("estimates", "predicted").with("depth", 2.0),
        _ => easy.with("ties", "per_event"),
    }
}

/// Runs everything in slices of `budget` and compares.
pub fn check(budget: u64) {
    let traces = [sample(), large()].map(|settings| Arc::new(generate("lublin", &settings).unwrap()));
    assert_eq!(traces.each_ref().map(|trace| trace.sha256.as_str()), TRACES);
    for (index, (name, of_sample, of_large)) in DIGESTS.into_iter().enumerate() {
        let digest = |trace: &Arc<_>| {
            let mut run = scenario(index).resolve().unwrap().run(Arc::clone(trace)).unwrap();
            while !run.advance(budget).done {}
            run.check_complete().unwrap();
            run.schedule().digest()
        };
        assert_eq!(
            [digest(&traces[0]), digest(&traces[1])].map(|d| format!("{d:016x}")),
            [of_sample, of_large].map(|d| format!("{d:016x}")),
            "{name}"
        );
    }
}
