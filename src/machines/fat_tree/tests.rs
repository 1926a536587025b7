//! Tests of runs on the fat tree: starts as on the flat machine, figures and audit.

use super::space::Placing;
use super::{FatTreeRecord, Tree};
use crate::experiment::Scenario;
use crate::metrics::measure;
use crate::param::Settings;
use crate::schedule::Schedule;
use crate::schedule::audit::audit;
use crate::workload::model::generate;
use std::collections::BTreeSet;
use std::sync::Arc;

fn run(machine: &str, settings: &[(&str, &str)], seed: u64) -> Schedule {
    let model = Settings::default()
        .with("jobs", 300.0)
        .with("processors", 128.0);
    let trace = generate("lublin", &model.with("seed", seed as f64)).unwrap();
    let scenario = Scenario {
        machine: machine.into(),
        ..Scenario::new("easy")
    };
    let set = |scenario: Scenario, (key, value): &(&str, &str)| scenario.with(key, *value);
    let scenario = settings.iter().fold(scenario, set);
    let mut run = scenario.resolve().unwrap().run(Arc::new(trace)).unwrap();
    while !run.advance(1000).done {}
    run.schedule().clone()
}

#[test]
fn any_free_hosts_serve_so_that_starts_are_those_of_the_flat_machine() {
    for seed in 0..5 {
        let (tree, flat) = (run("fat_tree", &[], seed), run("flat", &[], seed));
        assert_eq!(tree.starts, flat.starts);
        assert_eq!(audit(&tree, 3), Vec::<String>::new());
    }
}

#[test]
fn whole_switches_first_spreads_jobs_less_than_the_lowest_hosts() {
    let spread = |placing: &str| {
        let schedule = run("fat_tree", &[("placing", placing)], 1);
        let figures = measure(&schedule, &Settings::default()).figures;
        let (mut switches, mut pods) = (0.0, 0.0);
        for start in &schedule.order {
            let hosts: Vec<u32> = schedule.placement(start).columns().collect();
            let units = |size: u32| {
                hosts
                    .iter()
                    .map(|host| host / size)
                    .collect::<BTreeSet<_>>()
            };
            // A switch has four hosts and a pod sixteen.
            switches += units(4).len() as f64 / hosts.len().div_ceil(4) as f64;
            pods += f64::from(u8::from(hosts.len() <= 16 && units(16).len() > 1));
        }
        let jobs = schedule.order.len() as f64;
        assert!((figures["spread.switches"] - switches / jobs).abs() < 1e-12);
        assert!((figures["spread.pods"] - pods / jobs).abs() < 1e-12);
        (switches, pods)
    };
    let (whole, lowest) = (spread("switches"), spread("lowest"));
    assert!(
        whole.0 < lowest.0 && whole.1 < lowest.1,
        "{whole:?} {lowest:?}"
    );
}

#[test]
fn the_audit_finds_jobs_that_are_spread_without_need() {
    let mut schedule = run("fat_tree", &[("placing", "lowest")], 1);
    assert_eq!(audit(&schedule, 3), Vec::<String>::new());
    schedule.own = Box::new(FatTreeRecord::new(Tree::new(8), Placing::Switches));
    assert!(audit(&schedule, 3)[0].contains("but one had room"));
}

#[test]
fn an_odd_number_of_ports_is_refused() {
    let scenario = Scenario {
        machine: "fat_tree".into(),
        ..Scenario::new("easy")
    };
    let problem = scenario.with("ports", 7.0).resolve().err().unwrap();
    assert_eq!(problem.what, "`ports=7` is odd.");
}
