//! The stored results of the papers' cards come out again: of each card one cell is run.

use super::support::{real_trace, unpublished};
use schedscope::import::{BadLines, read};
use schedscope::plan::{Cell, Plan, cells, measure_cell};
use schedscope::trace::Trace;
use schedscope::workload::model;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::Arc;

fn json(path: &Path) -> Value {
    let text =
        fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap()
}

/// Returns the jobs of a cell: drawn, from the card, or from the folder of real traces.
fn jobs(cell: &Cell, card: &Value, read_before: &mut Traces) -> Option<Arc<Trace>> {
    if let Some(source) = &cell.source.model {
        return Some(Arc::new(
            model::generate(&source.id, &source.settings).unwrap(),
        ));
    }
    let name = &cell.source.trace.as_ref().unwrap().name;
    if let Some(text) = card["traces"][name.as_str()].as_str() {
        return Some(Arc::new(
            read(name, text.as_bytes(), BadLines::Stop).unwrap(),
        ));
    }
    read_before
        .entry(name.clone())
        .or_insert_with(|| real_trace(&format!("{name}.gz")))
        .clone()
}

type Traces = BTreeMap<String, Option<Arc<Trace>>>;

/// Every card has a stored schedule for each of its cells. The first cell of each card's last
/// workload has the stored schedule, to the last second.
#[test]
fn stored_schedules_come_out_again() {
    let Some(folder) = unpublished("www/papers") else {
        return;
    };
    let mut traces = Traces::new();
    for entry in fs::read_dir(folder.join("cards")).unwrap() {
        let card = json(&entry.unwrap().path());
        let id = card["id"].as_str().unwrap();
        let plan = Plan::parse(&card["plan"].to_string()).unwrap();
        let cells = cells(&plan).unwrap();
        let stored = json(&folder.join("results").join(format!("{id}.json")));
        let digests: BTreeMap<&str, &str> = stored["cells"]
            .as_array()
            .unwrap()
            .iter()
            .map(|cell| {
                (
                    cell["key"].as_str().unwrap(),
                    cell["digest"].as_str().unwrap(),
                )
            })
            .collect();
        let keys: BTreeSet<&str> = cells.iter().map(|cell| cell.key.as_str()).collect();
        assert!(
            keys.iter().eq(digests.keys()),
            "{id}: cargo xtask papers {id}"
        );
        let workload = &cells.last().unwrap().axes["workload"];
        let cell = cells
            .iter()
            .find(|cell| cell.axes["workload"] == *workload)
            .unwrap();
        let Some(trace) = jobs(cell, &card, &mut traces) else {
            continue;
        };
        let mut run = cell.scenario.resolve().unwrap().run(trace).unwrap();
        while !run.advance(u64::MAX).done {}
        let result = measure_cell(&cell.key, &run, &[]);
        assert_eq!(
            result.digest,
            digests[cell.key.as_str()],
            "{id}, {:?}: cargo xtask papers {id}",
            cell.axes
        );
    }
}
