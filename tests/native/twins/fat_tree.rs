//! The fat tree (docs/machines/fat_tree.md): the set of free hosts, and the placing rule to the
//! letter.

use super::draw::{Dice, random_jobs};
use super::words::{Case, Event, Experiment, Jobs, Log, Overruns, Watched, Workload, must};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

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

/// Every job gets the hosts that the rules say, of those that are free when it starts.
fn watch(workload: &Workload, log: &Log, ports: u32, lowest: bool) -> Result<Watched, String> {
    let mut free: BTreeSet<u32> = (0..workload.processors).collect();
    let mut held = BTreeMap::new();
    let mut counts = BTreeMap::from([("several pods", 0), ("several switches", 0)]);
    for (at, event) in log {
        match event {
            Event::Started(job, hosts) => {
                let wanted = workload.jobs[*job].processors as usize;
                let own: BTreeSet<u32> = if lowest {
                    free.iter().copied().take(wanted).collect()
                } else {
                    naive(&free, ports, wanted)
                };
                let given: BTreeSet<u32> = hosts.iter().copied().collect();
                must(own == given, || {
                    format!(
                        "job {job} gets {given:?} at {at} us in the engine, {own:?} under the twin, \
                         of {free:?}"
                    )
                })?;
                let units = |size: u32| own.iter().map(|host| host / size).collect::<BTreeSet<_>>();
                let (switches, pods) = (units(ports / 2).len(), units(ports * ports / 4).len());
                *counts.get_mut("several switches").unwrap() += u64::from(switches > 1);
                *counts.get_mut("several pods").unwrap() += u64::from(pods > 1);
                free.retain(|host| !own.contains(host));
                held.insert(*job, own);
            }
            Event::Finished(job) => free.extend(held.remove(job).unwrap()),
            _ => {}
        }
    }
    Ok(Watched {
        counts,
        ..Watched::default()
    })
}

/// Trees of 2 to 54 hosts, and every eighth of 128; widths from one host to the whole tree.
pub fn hosts(seed: u64) -> Vec<Case> {
    let ports = [2, 4, 6, 4, 6, 4, 6, 8][seed as usize % 8];
    let hosts = ports * ports * ports / 4;
    let mut dice = Dice::new(seed, "fat tree");
    let overruns = [Overruns::Never, Overruns::Sometimes][seed as usize / 8 % 2];
    let (_, mut jobs) = random_jobs(seed, overruns);
    for job in &mut jobs {
        let most = dice.one_of(&[hosts, ports * ports / 4, ports, ports]);
        job.processors = 1 + dice.below(u64::from(most.min(hosts))) as u32;
    }
    let workload = Rc::new(Workload::new(hosts, jobs));
    let on = |policy: &'static str, placing: &'static str| {
        let experiment = Experiment::on("fat_tree", policy)
            .with("ports", f64::from(ports))
            .with("placing", placing);
        let jobs = Jobs::Drawn(Rc::clone(&workload));
        Case::watches(experiment, jobs, move |workload, log| {
            watch(workload, log, ports, placing == "lowest")
        })
    };
    vec![
        on("easy", "switches"),
        on("fcfs", "switches"),
        on("easy", "lowest"),
    ]
}
