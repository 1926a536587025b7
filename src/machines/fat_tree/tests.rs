//! A twin of the placing rule, written from docs/machines/fat_tree.md, and runs on the machine.

use super::space::{FatTree, Placing};
use super::{FatTreeRecord, Tree};
use crate::experiment::Scenario;
use crate::machine::{Ask, PlacementBuf, Space};
use crate::metrics::measure;
use crate::param::Settings;
use crate::random::Stream;
use crate::schedule::Schedule;
use crate::schedule::audit::audit;
use crate::workload::model::generate;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Free hosts of a unit: a switch, a pod or the machine.
fn free_in(free: &BTreeSet<u32>, unit: u32, size: u32) -> Vec<u32> {
    free.iter()
        .copied()
        .filter(|host| host / size == unit)
        .collect()
}

/// The unit with fewest free hosts that has enough; the lowest of equals.
fn tightest(free: &BTreeSet<u32>, size: u32, units: u32, wanted: usize) -> Option<u32> {
    let room = |unit: &u32| free_in(free, *unit, size).len();
    let enough = (0..units).filter(|unit| room(unit) >= wanted);
    enough.min_by_key(|unit| (room(unit), *unit))
}

/// Hosts of these switches for a job, by the rules for a pod.
fn fill(free: &BTreeSet<u32>, half: u32, switches: &[u32], wanted: usize) -> Vec<u32> {
    let (mut free, mut taken) = (free.clone(), Vec::new());
    for switch in switches {
        let hosts = free_in(&free, *switch, half);
        if hosts.len() == half as usize && wanted - taken.len() >= half as usize {
            taken.extend(&hosts);
            free.retain(|host| !hosts.contains(host));
        }
    }
    while taken.len() < wanted {
        let left = wanted - taken.len();
        let mut rooms: Vec<(usize, u32)> = switches
            .iter()
            .map(|at| (free_in(&free, *at, half).len(), *at))
            .collect();
        rooms.sort_unstable();
        let enough = rooms.iter().find(|(room, _)| *room >= left);
        let most = rooms.iter().map(|(room, _)| *room).max().unwrap();
        let switch = enough
            .or_else(|| rooms.iter().find(|(room, _)| *room == most))
            .unwrap()
            .1;
        let hosts: Vec<u32> = free_in(&free, switch, half)
            .into_iter()
            .take(left)
            .collect();
        free.retain(|host| !hosts.contains(host));
        taken.extend(hosts);
    }
    taken
}

/// The hosts that a job gets.
fn naive(free: &BTreeSet<u32>, ports: u32, wanted: usize) -> BTreeSet<u32> {
    let (half, pod) = (ports / 2, ports * ports / 4);
    if let Some(switch) = tightest(free, half, ports * half, wanted) {
        return free_in(free, switch, half)
            .into_iter()
            .take(wanted)
            .collect();
    }
    if let Some(at) = tightest(free, pod, ports, wanted) {
        let switches: Vec<u32> = (at * half..(at + 1) * half).collect();
        return fill(free, half, &switches, wanted).into_iter().collect();
    }
    let (mut free, mut taken) = (free.clone(), BTreeSet::new());
    for at in 0..ports {
        let hosts = free_in(&free, at, pod);
        if hosts.len() == pod as usize && wanted - taken.len() >= pod as usize {
            free.retain(|host| !hosts.contains(host));
            taken.extend(hosts);
        }
    }
    let all: Vec<u32> = (0..ports * half).collect();
    taken.extend(fill(&free, half, &all, wanted - taken.len()));
    taken
}

#[test]
fn a_job_gets_the_hosts_that_the_rules_say() {
    for (ports, seed) in [(2, 1), (4, 2), (6, 3), (8, 4)] {
        let mut stream = Stream::new(seed, "fat tree");
        let tree = Tree::new(ports);
        let mut space = FatTree::new(tree, Placing::Switches);
        let mut free: BTreeSet<u32> = (0..tree.hosts()).collect();
        let mut held: Vec<PlacementBuf> = Vec::new();
        for _ in 0..3000 {
            let most = if stream.below(4) == 0 {
                tree.hosts()
            } else {
                tree.pod()
            };
            let wanted = stream.below(u64::from(most)) as u32 + 1;
            if wanted <= space.free() && stream.below(5) < 3 {
                let mut placement = PlacementBuf::default();
                space.claim(Ask::of(wanted), &mut placement);
                let got: BTreeSet<u32> = placement.get().columns().collect();
                assert_eq!(
                    got,
                    naive(&free, ports, wanted as usize),
                    "{ports}: {wanted}"
                );
                free.retain(|host| !got.contains(host));
                held.push(placement);
            } else if !held.is_empty() {
                let gone = held.swap_remove(stream.below(held.len() as u64) as usize);
                space.release(gone.get().size(), gone.get());
                free.extend(gone.get().columns());
            }
            assert_eq!(space.free() as usize, free.len());
        }
    }
}

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
            // Four hosts a switch, sixteen a pod.
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
