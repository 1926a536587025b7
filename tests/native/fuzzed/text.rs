//! Targets that read what a user writes or a link holds: plans, filters, tables, settings,
//! what-ifs.

use super::{Outcome, TRACE, refused, run_and_check};
use schedscope::experiment::{Scenario, WhatIf};
use schedscope::import::{BadLines, read};
use schedscope::param::{Settings, Value};
use schedscope::plan::{Plan, analyse, cells};
use schedscope::schedule::Schedule;
use schedscope::trace::{Demands, Trace};
use schedscope::view::Filter;
use schedscope::workload::model;
use std::sync::{Arc, LazyLock};

/// The largest number of characters that a target reads.
const LONGEST_TEXT: usize = 4096;

/// The largest numbers of cells of a plan and of jobs of a model. Larger ones are skipped.
const MOST_CELLS: usize = 200;
const MOST_JOBS: f64 = 200.0;

fn as_text(bytes: &[u8]) -> Option<&str> {
    if bytes.len() <= LONGEST_TEXT {
        std::str::from_utf8(bytes).ok()
    } else {
        None
    }
}

/// Reads a plan, writes it and reads it again. Its cells must be the same, and must resolve.
pub fn plan(bytes: &[u8]) -> Outcome {
    as_text(bytes).map_or(Outcome::Unused, plan_text)
}

fn plan_text(text: &str) -> Outcome {
    let plan = match Plan::parse(text) {
        Ok(plan) => plan,
        Err(problem) => return refused(&problem),
    };
    let again = Plan::parse(&plan.text()).expect("a plan that is written can be read");
    assert_eq!(again, plan);
    if most_cells(&plan) > MOST_CELLS {
        return Outcome::Unused;
    }
    let cells_of_plan = match cells(&plan) {
        Ok(cells) => cells,
        Err(problem) => return refused(&problem),
    };
    assert_eq!(
        cells(&again).expect("both are cells of the same plan"),
        cells_of_plan
    );
    for cell in &cells_of_plan {
        if let Err(problem) = cell.scenario.resolve() {
            panic!("{problem}: {cell:?}");
        }
    }
    let _ = analyse(&plan, &cells_of_plan, &[]);
    Outcome::Held
}

fn most_cells(plan: &Plan) -> usize {
    let loads = plan
        .loads
        .as_ref()
        .map_or(0, |loads| loads.offered.len() + loads.factors.len());
    let fixed = [
        plan.workloads.len(),
        plan.machines.len(),
        plan.policies.len(),
        plan.windows.len(),
        plan.seeds.len(),
        loads,
    ];
    fixed
        .into_iter()
        .chain(plan.sweep.values().map(Vec::len))
        .fold(1, |product: usize, length| {
            product.saturating_mul(length.max(1))
        })
}

/// A finished run whose jobs filters select.
static FINISHED: LazyLock<Schedule> = LazyLock::new(|| {
    let mut run = Scenario::new("easy")
        .resolve()
        .and_then(|resolved| resolved.run(Arc::clone(&TRACE)))
        .expect("the scenario is valid");
    run.advance(u64::MAX);
    run.schedule().clone()
});

/// The largest number of bytes of a filter. It leaves room for the filter twice within the limit.
const LONGEST_FILTER: usize = 2000;

/// Reads a filter. The same tests twice keep the same jobs, and a job passes the filter if it passes
/// each test alone.
pub fn filter(bytes: &[u8]) -> Outcome {
    as_text(bytes).map_or(Outcome::Unused, filter_text)
}

fn filter_text(text: &str) -> Outcome {
    if text.len() > LONGEST_FILTER {
        return Outcome::Unused;
    }
    let start = Some(800_000_000);
    let filter = match Filter::parse(text, start) {
        Ok(filter) => filter,
        Err(problem) => return refused(&problem),
    };
    let twice = Filter::parse(&format!("{text} {text}"), start).expect("the tests are valid");
    let tests: Vec<Filter> = Filter::split(text)
        .expect("the filter is valid")
        .into_iter()
        .map(|test| Filter::parse(test, start).expect("it is one of the tests"))
        .collect();
    for job in FINISHED.workload.ids() {
        let kept = filter.keeps(&FINISHED, job);
        assert_eq!(kept, twice.keeps(&FINISHED, job));
        assert_eq!(kept, tests.iter().all(|test| test.keeps(&FINISHED, job)));
    }
    let _ = Filter::parse(text, None);
    Outcome::Held
}

/// Reads a table of demands, and runs jobs that have these demands.
pub fn demands(bytes: &[u8]) -> Outcome {
    if bytes.len() > LONGEST_TEXT {
        return Outcome::Unused;
    }
    let demands = match Demands::read("fuzzed", bytes) {
        Ok(demands) => demands,
        Err(problem) => return refused(&problem),
    };
    for [cpu, network, disk, memory] in demands.rows.values() {
        assert_eq!(cpu + network + disk, 10_000);
        assert!(
            [cpu, network, disk, memory]
                .iter()
                .all(|share| (0..=10_000).contains(*share))
        );
    }
    let trace = Arc::new(Trace {
        demands: Some(demands),
        ..(**TRACE).clone()
    });
    let scenario = Scenario {
        machine: "smt".into(),
        ..Scenario::new("lomarc")
    };
    run_and_check(&scenario.with("demands", "file"), &trace)
}

/// Reads a line with a policy, and optionally a machine and a preset. The following lines are
/// `key=value`, as on a command line.
pub fn settings(bytes: &[u8]) -> Outcome {
    let Some(text) = as_text(bytes) else {
        return Outcome::Unused;
    };
    let mut lines = text.lines();
    let mut names = lines.next().unwrap_or_default().split(' ');
    let mut scenario = Scenario::new(names.next().unwrap_or_default());
    if let Some(machine) = names.next() {
        scenario.machine = machine.into();
    }
    scenario.preset = names.next().map(Into::into);
    let pairs = lines.filter_map(|line| line.split_once('='));
    scenario.settings = Settings(
        pairs
            .map(|(key, value)| (key.to_owned(), Value::parse(value)))
            .collect(),
    );
    scenario_runs(&scenario)
}

/// Checks that a scenario is the same after JSON, and runs it.
fn scenario_runs(scenario: &Scenario) -> Outcome {
    let text = serde_json::to_string(scenario).expect("all numbers are finite");
    assert_eq!(
        &serde_json::from_str::<Scenario>(&text).expect("a written text can be read"),
        scenario
    );
    run_and_check(scenario, &TRACE)
}

/// Reads a what-if as JSON, and runs it on the flat machine or on another one.
pub fn what_if(bytes: &[u8]) -> Outcome {
    let Some(what_if) = as_text(bytes).and_then(|text| serde_json::from_str::<WhatIf>(text).ok())
    else {
        return Outcome::Unused;
    };
    let scenario = match bytes.len() % 4 {
        0 => Scenario {
            machine: "gang".into(),
            ..Scenario::new("easy")
        },
        1 => Scenario::new("pbas")
            .with("frame", 60.0)
            .with("candidates", "fcfs+easy"),
        _ => Scenario::new("easy"),
    };
    scenario_runs(&Scenario {
        what_if: Some(Box::new(what_if)),
        ..scenario
    })
}

/// Reads the parts of a link that reach the engine, as the page passes them on after unpacking: a
/// trace, runs, a filter, a plan.
pub fn link(bytes: &[u8]) -> Outcome {
    let Some(link) =
        as_text(bytes).and_then(|text| serde_json::from_str::<serde_json::Value>(text).ok())
    else {
        return Outcome::Unused;
    };
    let mut outcome = Outcome::Unused;
    if let Some(text) = link["filter"].as_str() {
        outcome = filter_text(text);
    }
    if let Some(text) = link["plan"].as_str() {
        outcome = plan_text(text);
    }
    let trace = match linked_trace(&link["trace"]) {
        Ok(trace) => trace,
        Err(refusal) => return refusal,
    };
    for run in link["runs"].as_array().into_iter().flatten().take(4) {
        let Some(scenario) = linked_run(run) else {
            continue;
        };
        outcome = run_and_check(&scenario, &trace);
    }
    outcome
}

fn linked_trace(trace: &serde_json::Value) -> Result<Arc<Trace>, Outcome> {
    if let Some(text) = trace["text"].as_str() {
        return read("linked", text.as_bytes(), BadLines::Stop)
            .map(Arc::new)
            .map_err(|problem| refused(&problem));
    }
    let Some(id) = trace["model"].as_str() else {
        return Ok(Arc::clone(&TRACE));
    };
    let settings: Settings =
        serde_json::from_value(trace["settings"].clone()).map_err(|_| Outcome::Unused)?;
    // A model makes as many jobs as it is told. Large numbers are skipped here.
    let is_small = match settings.0.get("jobs") {
        Some(Value::Number(jobs)) => *jobs <= MOST_JOBS,
        _ => false,
    };
    let is_known_to_be_small = is_small
        || model::find(id).is_ok_and(|spec| spec.params.iter().all(|param| param.key != "jobs"));
    if !is_known_to_be_small && model::find(id).is_ok() {
        return Err(Outcome::Unused);
    }
    model::generate(id, &settings)
        .map(Arc::new)
        .map_err(|problem| refused(&problem))
}

/// Makes a scenario of a run in a link, as the page does.
fn linked_run(run: &serde_json::Value) -> Option<Scenario> {
    let mut fields = serde_json::Map::new();
    for (from, to) in [
        ("policy", "policy"),
        ("machine", "machine"),
        ("preset", "preset"),
        ("settings", "settings"),
        ("whatIf", "what_if"),
    ] {
        run.get(from)
            .into_iter()
            .for_each(|value| drop(fields.insert(to.into(), value.clone())));
    }
    serde_json::from_value(fields.into()).ok()
}
