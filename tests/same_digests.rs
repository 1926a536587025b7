//! Digests that native and wasm runs must both give. Equal digests mean equal schedules, to the
//! last processor.

use schedscope::experiment::Scenario;
use schedscope::machines::bsp::BspRecord;
use schedscope::param::{Settings, Value};
use schedscope::plan::{Cell, CellResult, Plan, analyse, cells, measure_cell};
use schedscope::policy;
use schedscope::trace::Fingerprint;
use schedscope::workload::model::generate;
use std::sync::Arc;

/// Returns the settings of the page's sample.
fn sample() -> Settings {
    Settings::default()
        .with("jobs", 1500.0)
        .with("seed", 1.0)
        .with("users", 24.0)
        .with("overestimate", 6.0)
}

fn large() -> Settings {
    Settings::default()
        .with("jobs", 20_000.0)
        .with("seed", 2.0)
        .with("processors", 512.0)
        .with("types", "typed")
        .with("overestimate", 10.0)
}

/// SHA-256 of the trace of the sample and of the large trace.
const TRACES: [&str; 2] = [
    "8cee36069cbe6cc45bec4a59d7cc7ee9addb56a69098c2310c436e289649009a",
    "954465fd3b28e671a584ed0b55f7fbc36f9879aa878f77eba877538e1daffe3f",
];

/// Scenarios in words (a policy and its settings), each with the digests for the sample and for the
/// 20,000 jobs.
const DIGESTS: [(&str, u64, u64); 33] = [
    ("fcfs", 0x58f5_8ed3_64d5_fe98, 0x4fe1_6637_7efc_7b8c),
    ("easy", 0x1150_004e_43e8_d3bb, 0xca2d_7a43_f2ea_590c),
    (
        "easy scan=shortest estimates=predicted depth=2",
        0x8eca_7902_3900_e469,
        0x6470_1bdc_ef4c_3e1a,
    ),
    (
        "easy scan=shortest estimates=predicted depth=2 correction=added",
        0xd271_f3fe_2815_810a,
        0x30d9_917a_5106_ab08,
    ),
    (
        "easy ties=per_event",
        0x9138_a4a8_79d5_fbfb,
        0x8a53_6419_0b00_4f99,
    ),
    (
        "easy order=wfp3",
        0x6e82_c9e4_0abd_d1dd,
        0x8e09_eb7b_c7c5_6e8c,
    ),
    (
        "priority order=f1",
        0x62af_1ea3_25cb_c2e3,
        0xdd9b_961f_2d60_d7d7,
    ),
    ("conservative", 0x307b_1934_305e_1449, 0x9e1f_3e2a_7964_4210),
    (
        "conservative estimates=predicted order=unicef",
        0x67ac_8bb8_82fc_0231,
        0x1a17_3e12_8197_43b7,
    ),
    (
        "selective threshold_rule=adaptive",
        0x83fd_505a_2fb9_3150,
        0x2b11_3c65_a07b_ac09,
    ),
    (
        "maui weight_expansion=20 weight_passed=3 reservation_depth=3 backfill=greedy",
        0xe9ed_5ef1_a1a1_8cd5,
        0xf734_9d94_4059_9a12,
    ),
    ("flex", 0xb9e8_1744_5fe7_0642, 0x3dea_f9ce_ca25_26d1),
    (
        "flex cost=slowdown slack_measure=estimate slack=3 reconsidered=2 estimates=predicted",
        0xff71_e2fa_0043_18bc,
        0xc78a_6aa0_c7dc_8351,
    ),
    ("lookahead", 0x78e6_ee54_b7b5_cf02, 0x0218_7b12_33f6_c518),
    ("multiqueue", 0x1e43_a314_abc4_1648, 0xac9f_ce34_2030_ee9c),
    (
        "migration x=8 y=8 z=8 jobs=1500",
        0xc87d_efa0_edd4_0b17,
        0xfb67_fc65_100c_a4c7,
    ),
    (
        "bm x=8 y=8 z=8 fn_max=1 fn_tor=0 migration_cost=60 jobs=1500",
        0x1ee0_fc13_11b4_e31c,
        0x42eb_b6a6_249c_e3f9,
    ),
    (
        "fcfs machine=torus x=8 y=8 z=8 wrap_y=mesh placement=first_fit jobs=1500",
        0x84f0_98d4_79f9_e1e0,
        0xf5d4_bb7b_3668_920b,
    ),
    (
        "easy machine=torus x=8 y=8 z=8 jobs=1500",
        0xd6b9_2de3_0c21_08b7,
        0x4366_1a79_810e_31cd,
    ),
    (
        "pbas frame=43200 metric=response background=alone",
        0xc2a0_a241_6b30_e7ab,
        0x9064_6f22_1ba0_6fde,
    ),
    (
        "pbas candidates=easy+conservative+selective frame=3600 history=3 estimates=predicted \
            conservative.order=f1",
        0x72e8_0c61_49d1_682b,
        0x4bb5_5782_9718_5ab6,
    ),
    (
        "pbas frame=3600",
        0xe2bd_45aa_dbb8_390d,
        0xa580_bf8e_8e13_f4e6,
    ),
    (
        "wbas maf=50 frame=7200",
        0x1e25_0778_bab5_e33f,
        0xf746_8776_953b_3337,
    ),
    (
        "wbas machine=torus x=8 y=8 z=8 candidates=bm+easy maf=10 jobs=1500",
        0xe8cb_338b_a516_c617,
        0x1032_bbb7_9d50_7cac,
    ),
    (
        "easy machine=gang slots=4 quantum=7 switch_cost=0.25 jobs=1500",
        0xfb46_3892_5753_78fc,
        0x6c1f_0162_2ed2_91b3,
    ),
    (
        "lookahead machine=gang slots=3 packing=best_fit unify=on move_jobs=on jobs=1500",
        0xf25c_5968_71ff_f81a,
        0x05e2_7e3e_f223_1175,
    ),
    (
        "priority machine=gang order=arrival starvation=none packing=buddy alternate=on jobs=1500",
        0x1d58_d6bd_b4f8_3aec,
        0x374c_b045_e6cc_3a65,
    ),
    (
        "lomarc demands=m1 arrival_factor=3 jobs=1500",
        0x48ac_3bb2_a576_c13f,
        0x5cbd_6607_4345_4199,
    ),
    (
        "lomarc heuristic=gain1 backfilling=conservative cpu=standard demands=m2 arrival_factor=3 \
            jobs=1500",
        0x60e6_cfae_6462_2742,
        0x01c0_6e5e_66c2_08a2,
    ),
    (
        "lomarc heuristic=always order=wfp3 slowdowns=measured demands=m3 arrival_factor=3 \
            jobs=1500 estimates=predicted",
        0xd50d_6a71_1b0d_b30b,
        0xe33f_8306_5ee3_8e84,
    ),
    // The what-if of this scenario is below.
    (
        "easy what_if=closed",
        0x7a48_8ff3_3a56_5e37,
        0xb923_4f4f_35e4_932c,
    ),
    (
        "conservative what_if=switched",
        0xe09c_6b5a_8c98_12fd,
        0x9b42_cfcc_5734_9fdf,
    ),
    ("maui", 0x1150_004e_43e8_d3bb, 0xca2d_7a43_f2ea_590c),
];

const WHAT_IFS: [(&str, &str); 2] = [
    (
        "closed",
        r#"{"at": 400000, "closed": {"first": 10, "count": 60, "seconds": 90000}}"#,
    ),
    (
        "switched",
        r#"{"at": 300000.5, "policy": "flex", "settings": {"cost": "wait"}, "without_users": [2], "jobs": [{"number": 1200, "processors": 3, "estimate": 900}]}"#,
    ),
];

fn scenario(words: &str) -> Scenario {
    let mut words = words.split(' ');
    let plain = Scenario::new(words.next().unwrap());
    words.fold(plain, |scenario, word| {
        let (key, value) = word.split_once('=').unwrap();
        if key == "what_if" {
            let (_, text) = WHAT_IFS
                .into_iter()
                .find(|(name, _)| *name == value)
                .unwrap();
            return Scenario {
                what_if: Some(Box::new(serde_json::from_str(text).unwrap())),
                ..scenario
            };
        }
        if key == "machine" {
            return Scenario {
                machine: value.to_owned(),
                ..scenario
            };
        }
        scenario.with(key, Value::parse(value))
    })
}

/// Runs every scenario in slices of `budget`, and compares the digests.
pub fn check(budget: u64) {
    let traces =
        [sample(), large()].map(|settings| Arc::new(generate("lublin", &settings).unwrap()));
    assert_eq!(traces.each_ref().map(|trace| trace.sha256.as_str()), TRACES);
    for spec in policy::ALL {
        assert!(
            DIGESTS
                .iter()
                .any(|(words, _, _)| words.split(' ').next() == Some(spec.id)),
            "{} has no digest",
            spec.id
        );
    }
    let found = DIGESTS.map(|(words, ..)| {
        let digest = |trace: &Arc<_>| {
            let mut run = scenario(words)
                .resolve()
                .unwrap()
                .run(Arc::clone(trace))
                .unwrap();
            while !run.advance(budget).done {}
            run.check_complete().unwrap();
            run.schedule().digest()
        };
        format!(
            "{words}: {:016x} {:016x}",
            digest(&traces[0]),
            digest(&traces[1])
        )
    });
    let expected = DIGESTS
        .map(|(words, of_sample, of_large)| format!("{words}: {of_sample:016x} {of_large:016x}"));
    assert_eq!(found, expected);
}

/// A plan with all that its cells can be made of: models, resampling, loads and drawn estimates.
const PLAN: &str = r#"{
  "schedscope_plan": 1,
  "workloads": [
    {"label": "weeks", "model": {"id": "lublin", "settings": {"jobs": 1500, "overestimate": 4}}, "settings": {"resample": "weeks", "estimate_model": "uniform"}},
    {"label": "users", "model": {"id": "lublin", "settings": {"jobs": 1500}}, "settings": {"resample": "users", "processors": 160}},
    {"model": {"id": "random", "settings": {"jobs": 300, "estimates_drawn": "logarithmic"}}}
  ],
  "policies": [{"policy": "easy"}, {"policy": "conservative"}],
  "loads": {"by": "run_times", "offered": [0.6, 0.95]},
  "seeds": [1, 2, 3],
  "keep": ["months", "classes", "quantiles", "jobs"]
}"#;

/// SHA-256 of all results of the plan and of their analysis.
const RESULTS: &str = "f01f20f4de99516ec57328d46c66f56dead34e546aad6a7269d8c63bf8afa155";

/// Compares every figure of a plan, to the last bit.
pub fn check_plan() {
    let plan = Plan::parse(PLAN).unwrap();
    let cells = cells(&plan).unwrap();
    let result = |cell: &Cell| {
        let model = cell.source.model.as_ref().unwrap();
        let mut run = cell
            .scenario
            .resolve()
            .unwrap()
            .run(Arc::new(generate(&model.id, &model.settings).unwrap()))
            .unwrap();
        while !run.advance(1000).done {}
        // The engine and the checksum change with every build.
        CellResult {
            engine: String::new(),
            checksum: String::new(),
            ..measure_cell(&cell.key, &run, &plan.keep)
        }
    };
    let results: Vec<CellResult> = cells.iter().map(result).collect();
    let mut print = Fingerprint::default();
    print.push(
        serde_json::to_string(&results)
            .unwrap()
            .replace(r#""engine":"","#, "")
            .as_bytes(),
    );
    print.push(
        serde_json::to_string(&analyse(&plan, &cells, &results))
            .unwrap()
            .as_bytes(),
    );
    assert_eq!(print.finish(), RESULTS);
}

/// Coscheduling algorithms with two digests of the programs of section 3.3 of the coscheduling
/// paper on 16 processors: that of the schedule, and that of all classes and computing times.
const PROCESSES: [(&str, u64, u64); 3] = [
    ("gang", 0x0eb6_ca62_2076_3930, 0x333c_0e89_2eb2_5bad),
    ("spin_block", 0x8e24_45c8_1d69_51ae, 0x333c_0e89_2eb2_5bad),
    ("flexible", 0x12c5_2cf5_c553_172d, 0x5a99_f15e_c98d_1bc7),
];

/// The digest of a schedule of jobs that share hyperthreaded nodes.
const NODES: &str = "51fc0061b0f17f8f";

pub fn check_nodes() {
    let settings = Settings::default().with("jobs", 300.0).with("seed", 4.0);
    let trace = Arc::new(generate("lublin", &settings).unwrap());
    let scenario = Scenario {
        machine: "smt".into(),
        ..Scenario::new("easy")
    }
    .with("demands", "m1")
    .with("arrival_factor", 2.0);
    let mut run = scenario.resolve().unwrap().run(trace).unwrap();
    while !run.advance(1000).done {}
    assert_eq!(format!("{:016x}", run.schedule().digest()), NODES);
}

pub fn check_processes() {
    let mix = Settings::default()
        .with("mix", "complementing")
        .with("processors", 16.0);
    let trace = Arc::new(generate("programs", &mix).unwrap());
    let found: Vec<String> = PROCESSES
        .iter()
        .map(|(coscheduling, ..)| {
            let scenario = Scenario {
                machine: "bsp".into(),
                ..Scenario::new("fcfs")
            };
            let scenario = scenario
                .with("programs", "library")
                .with("coscheduling", *coscheduling)
                .with("runtime_factor", 0.1);
            let mut run = scenario.resolve().unwrap().run(Arc::clone(&trace)).unwrap();
            while !run.advance(1000).done {}
            let schedule = run.schedule();
            let mut print = Fingerprint::default();
            let record: &BspRecord = schedule.of().unwrap();
            print.push(format!("{:?} {:?}", record.classes, record.worked).as_bytes());
            format!(
                "{coscheduling}: {:016x} {}",
                schedule.digest(),
                &print.finish()[..16]
            )
        })
        .collect();
    let expected: Vec<String> = PROCESSES
        .iter()
        .map(|(coscheduling, schedule, processes)| {
            format!("{coscheduling}: {schedule:016x} {processes:016x}")
        })
        .collect();
    assert_eq!(found, expected);
}
