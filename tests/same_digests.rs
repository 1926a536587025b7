//! Digests that native and wasm runs must both give. Equal digests mean equal schedules, to the
//! last processor. `same_digests.txt` has them.

use schedscope::experiment::Scenario;
use schedscope::forecast::{Calibration, ForecastSettings, QueueForecast};
use schedscope::import::{BadLines, read};
use schedscope::machines::bsp::BspRecord;
use schedscope::param::{Settings, Value};
use schedscope::plan::{Cell, CellResult, Plan, analyse, cells, keys, measure_cell};
use schedscope::policy;
use schedscope::trace::Fingerprint;
use schedscope::workload::model::generate;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The runs, and the digests that they must give.
pub const DIGESTS: &str = include_str!("same_digests.txt");

/// Runs by name, and the digests that they gave.
pub type Found = Vec<(String, String)>;

/// Reads a line: the name of a run, and its digests. They are empty if the line is new.
pub fn parse(line: &str) -> Option<(&str, &str)> {
    let (name, digests) = line.split_once(':')?;
    (!line.starts_with('#')).then_some((name, digests.trim()))
}

/// Compares the digests of runs with the lines of `text`.
pub fn compare(text: &str, found: &Found) {
    let lines: BTreeMap<&str, &str> = text.lines().filter_map(parse).collect();
    let fault = |(name, digests): &(String, String)| match lines.get(name.as_str()) {
        None => Some(format!("{name} has no line in tests/same_digests.txt")),
        Some(&"") => Some(format!("{name} is new: bless it with SCHEDSCOPE_BLESS=1")),
        Some(old) if *old != digests.as_str() => Some(format!("{name} gives {digests}, not {old}")),
        Some(_) => None,
    };
    let faults: Vec<String> = found.iter().filter_map(fault).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// The names that begin with `kind`, without it.
fn named(kind: &str) -> Vec<&'static str> {
    DIGESTS
        .lines()
        .filter_map(parse)
        .filter_map(|(name, _)| name.strip_prefix(kind)?.strip_prefix(' '))
        .collect()
}

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

/// A cluster of three kinds of nodes.
const MIXED: &str = "NodeName=a[1-40] CPUs=2\nNodeName=b[1-10] CPUs=4 Gres=gpu:2 Weight=0\n\
    NodeName=c CPUs=24 RealMemory=100";

/// Two QOS, one of which preempts the other; three users have it.
const TIERS: &str = "add qos low\nadd qos high preempt=low\nadd account a\n\
    add user 4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24 account=a qos=low \
    defaultqos=low\nadd user 1,2,3 account=a qos=high defaultqos=high";

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
        let value = match value {
            "mixed" => MIXED,
            "tiers" => TIERS,
            value => value,
        };
        scenario.with(key, Value::parse(value))
    })
}

/// Runs every policy, in slices of `budget`.
pub fn schedules(budget: u64) -> Found {
    let traces = [("sample", sample()), ("large", large())]
        .map(|(name, settings)| (name, Arc::new(generate("lublin", &settings).unwrap())));
    let scenarios = named("run");
    for spec in policy::ALL {
        let is_its_own = |words: &&str| words.split(' ').next() == Some(spec.id);
        assert!(
            scenarios.iter().any(is_its_own),
            "tests/same_digests.txt has no line `run {}:`",
            spec.id
        );
    }
    let digests = |words: &str| {
        let digest = |trace: &Arc<_>| {
            let mut run = scenario(words)
                .resolve()
                .unwrap()
                .run(Arc::clone(trace))
                .unwrap();
            while !run.advance(budget).done {}
            run.check_complete().unwrap();
            format!("{:016x}", run.schedule().digest())
        };
        traces.each_ref().map(|(_, trace)| digest(trace)).join(" ")
    };
    let made = traces
        .iter()
        .map(|(name, trace)| (format!("trace {name}"), trace.sha256.clone()));
    let ran = scenarios
        .iter()
        .map(|words| (format!("run {words}"), digests(words)));
    made.chain(ran).collect()
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

/// Adds each number and text below `value` to the print of its metric, whose id begins the key of
/// an object above it.
fn print_by_metric(
    value: &serde_json::Value,
    metric: &str,
    ids: &BTreeSet<String>,
    prints: &mut BTreeMap<String, Fingerprint>,
) {
    match value {
        serde_json::Value::Object(entries) => {
            for (key, value) in entries {
                let id = key.split('.').next().unwrap_or_default();
                let metric = if ids.contains(id) { id } else { metric };
                let print = prints.entry(metric.to_owned()).or_default();
                print.push(format!("{key}:").as_bytes());
                print_by_metric(value, metric, ids, prints);
            }
        }
        serde_json::Value::Array(entries) => {
            for value in entries {
                print_by_metric(value, metric, ids, prints);
            }
        }
        leaf => {
            let print = prints.entry(metric.to_owned()).or_default();
            print.push(format!("{leaf},").as_bytes());
        }
    }
}

/// Runs a plan; each figure counts to the last bit.
pub fn plan() -> Found {
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
    let all = serde_json::json!([results, analyse(&plan, &cells, &results)]);
    let id = |key: String| key.split('.').next().unwrap_or_default().to_owned();
    let mut prints = BTreeMap::new();
    print_by_metric(&all, "", &keys().into_iter().map(id).collect(), &mut prints);
    prints
        .into_iter()
        .map(|(id, print)| {
            let name = format!("plan {id}").trim_end().to_owned();
            (name, print.finish()[..16].to_owned())
        })
        .collect()
}

/// Jobs that share hyperthreaded nodes.
pub fn nodes() -> Found {
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
    vec![("nodes".into(), format!("{:016x}", run.schedule().digest()))]
}

/// Forecasts in the log of a run: a calibration, and the forecast at its first moment.
pub fn forecasts() -> Found {
    let made = Arc::new(generate("lublin", &sample()).unwrap());
    let mut run = Scenario::new("easy").resolve().unwrap().run(made).unwrap();
    while !run.advance(1000).done {}
    let mut text = String::new();
    run.swf(|line| text.push_str(line));
    let log = Arc::new(read("log.swf", text.as_bytes(), BadLines::Stop).unwrap());
    let print = |policy: &str| {
        let scenario = Scenario::new(policy);
        let settings = ForecastSettings {
            samples: 12,
            ..ForecastSettings::default()
        };
        let mut calibration = Calibration::new(&scenario, Arc::clone(&log), &settings, 4).unwrap();
        while !calibration.advance(1000).unwrap().done {}
        let calibrated = calibration.result();
        let settings = ForecastSettings {
            at: Some(calibrated.moments[0].at),
            ..settings
        };
        let mut forecast = QueueForecast::new(&scenario, &log, None, &settings).unwrap();
        while !forecast.advance(1000).unwrap().done {}
        let mut print = Fingerprint::default();
        let all = serde_json::json!([calibrated, forecast.result().jobs]);
        print.push(all.to_string().as_bytes());
        print.finish()[..16].to_owned()
    };
    named("forecast")
        .into_iter()
        .map(|policy| (format!("forecast {policy}"), print(policy)))
        .collect()
}

/// Coscheduling algorithms on the programs of section 3.3 of the coscheduling paper, on 16
/// processors: the digest of the schedule, and one of all classes and computing times.
pub fn processes() -> Found {
    let mix = Settings::default()
        .with("mix", "complementing")
        .with("processors", 16.0);
    let trace = Arc::new(generate("programs", &mix).unwrap());
    let digests = |coscheduling: &str| {
        let scenario = Scenario {
            machine: "bsp".into(),
            ..Scenario::new("fcfs")
        };
        let scenario = scenario
            .with("programs", "library")
            .with("coscheduling", coscheduling)
            .with("runtime_factor", 0.1);
        let mut run = scenario.resolve().unwrap().run(Arc::clone(&trace)).unwrap();
        while !run.advance(1000).done {}
        let schedule = run.schedule();
        let mut print = Fingerprint::default();
        let record: &BspRecord = schedule.of().unwrap();
        print.push(format!("{:?} {:?}", record.classes, record.worked).as_bytes());
        format!("{:016x} {}", schedule.digest(), &print.finish()[..16])
    };
    named("processes")
        .into_iter()
        .map(|algorithm| (format!("processes {algorithm}"), digests(algorithm)))
        .collect()
}
