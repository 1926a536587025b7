//! The audit of a run on nodes: every job has what it asks for, and no node gives more of a resource
//! than it has.

use crate::cluster::{Amounts, CORES, Cluster, NOTHING, NodeRequest};
use crate::schedule::Schedule;
use crate::schedule::audit::{Finding, name};
use crate::time::{Span, Time};
use crate::workload::NodeRequests;
use std::collections::BTreeMap;

/// Appends a finding for each job whose nodes do not serve its request, and for each instant at
/// which the jobs of a node hold more of a resource than it has. The audit reads the numbers of
/// cores alone and shares nothing with the space.
pub(super) fn audit(schedule: &Schedule, findings: &mut Vec<Finding>) {
    let Some(needs) = &schedule.workload.nodes else {
        return;
    };
    let cluster = &needs.cluster;
    // (instant, 0 for an end and 1 for a start, node, resources)
    let mut changes: Vec<(Time, u8, u32, Amounts)> = Vec::new();
    let mut licences: Vec<(Time, u8, Amounts)> = Vec::new();
    for start in schedule.attempts() {
        let placement = schedule.at(start.placed);
        if placement.is_empty() {
            continue;
        }
        let Some(request) = request(needs, start.job.index()) else {
            continue;
        };
        let mut cores: BTreeMap<u32, u32> = BTreeMap::new();
        for core in placement.columns() {
            *cores.entry(cluster.node_of(core)).or_default() += 1;
        }
        let job = || name(schedule, start.job);
        if let Some(wrong) = wrong(cluster, request, &cores) {
            findings.push(format!("{} {wrong}", job()));
        }
        let (from, to) = (start.from, start.end);
        if let Some(kept) = kept(schedule, cluster, request, from, &cores) {
            findings.push(format!("{} started on nodes that `{kept}` keeps", job()));
        }
        if from == to {
            continue;
        }
        if request.licences != NOTHING {
            licences.push((from, 1, request.licences));
            licences.push((to, 0, request.licences));
        }
        for (node, cores) in &cores {
            let mut used = used(cluster, request, *node, *cores);
            // A suspended job gives its cores up, or its whole nodes.
            let mut freed = NOTHING;
            if request.is_whole {
                std::mem::swap(&mut freed, &mut used);
            } else {
                std::mem::swap(&mut freed[CORES], &mut used[CORES]);
            }
            changes.push((from, 1, *node, used));
            changes.push((to, 0, *node, used));
            for (begin, end) in schedule.spells(start) {
                changes.push((begin, 1, *node, freed));
                changes.push((end, 0, *node, freed));
            }
        }
        for pause in schedule.suspensions_of(start) {
            let mut again: BTreeMap<u32, u32> = BTreeMap::new();
            for core in schedule.at(pause.placed).columns() {
                *again.entry(cluster.node_of(core)).or_default() += 1;
            }
            if again != cores {
                findings.push(format!("{} went on on other nodes", job()));
            }
        }
    }
    check_licences(cluster, licences, findings);
    crate::sorting::by(&mut changes, |(at, is_start, ..)| {
        [at.microseconds().into(), (*is_start).into()]
    });
    let mut held = vec![[0_i64; NOTHING.len()]; cluster.nodes() as usize];
    for (at, is_start, node, used) in changes {
        for (resource, used) in used.iter().enumerate() {
            let held = &mut held[node as usize][resource];
            if is_start == 0 {
                *held -= i64::from(*used);
                continue;
            }
            *held += i64::from(*used);
            if *held > i64::from(cluster.amounts(node)[resource]) && *used > 0 {
                findings.push(format!(
                    "node {} gives more {} than it has at {} s",
                    cluster.names[node as usize],
                    cluster.resources[resource],
                    at.seconds()
                ));
            }
        }
    }
}

/// Returns the name of an advance reservation that keeps one of the nodes, on which a job started at
/// `at`, and does not admit the job.
fn kept<'a>(
    schedule: &Schedule,
    cluster: &'a Cluster,
    request: &NodeRequest,
    at: Time,
    cores: &BTreeMap<u32, u32>,
) -> Option<&'a str> {
    // Jobs can start at the instant of a what-if before its outage begins.
    let outages = &schedule.closed;
    if outages.iter().any(|outage| outage.at == at) {
        return None;
    }
    let classes = cores.keys().map(|node| cluster.class_of[*node as usize]);
    let keeps = classes.fold(0, |keeps, class| {
        keeps | cluster.classes[class as usize].advance
    });
    let just_after = at + Span::from_microseconds(1);
    let within = (0..).zip(&cluster.advance).find(|(number, one)| {
        (keeps & !request.admitted) >> number & 1 == 1 && one.is_within(at, just_after)
    });
    within.map(|(_, one)| one.name.as_str())
}

/// Appends a finding for each instant at which jobs hold more licences than there are.
fn check_licences(
    cluster: &Cluster,
    mut changes: Vec<(Time, u8, Amounts)>,
    findings: &mut Vec<Finding>,
) {
    crate::sorting::by(&mut changes, |(at, is_start, _)| {
        [at.microseconds().into(), (*is_start).into()]
    });
    let mut held = [0_u64; NOTHING.len()];
    for (at, is_start, used) in changes {
        for (number, (name, count)) in cluster.licences.iter().enumerate() {
            let (held, used) = (&mut held[number], u64::from(used[number]));
            if is_start == 0 {
                *held -= used;
                continue;
            }
            *held += used;
            if *held > u64::from(*count) && used > 0 {
                let at = at.seconds();
                findings.push(format!(
                    "more of `{name}` is in use than there is at {at} s"
                ));
            }
        }
    }
}

fn request(needs: &NodeRequests, job: usize) -> Option<&NodeRequest> {
    needs.table.get(*needs.of.get(job)? as usize)
}

/// Returns what a job uses of a node on which it has `cores`.
fn used(cluster: &Cluster, request: &NodeRequest, node: u32, cores: u32) -> Amounts {
    if request.is_whole {
        return *cluster.amounts(node);
    }
    let tasks = cores / request.per_task[CORES];
    let mut used = NOTHING;
    for (resource, used) in used.iter_mut().enumerate() {
        *used = request.per_node[resource] + tasks * request.per_task[resource];
    }
    used
}

/// Says what is wrong with the nodes of a job, if anything is.
fn wrong(
    cluster: &Cluster,
    request: &NodeRequest,
    cores: &BTreeMap<u32, u32>,
) -> Option<&'static str> {
    let nodes = cores.len() as u64;
    if nodes < request.least_nodes.into() || nodes > request.most_nodes.into() {
        return Some("got another number of nodes than it asks for");
    }
    let serves = |node: &u32| {
        let class = &cluster.classes[cluster.class_of[*node as usize] as usize];
        let features = cluster.kinds[class.kind as usize].features;
        class.partitions & request.partitions != 0
            && request.features & features == request.features
    };
    if !cores.keys().all(serves) {
        return Some("got a node of another partition or without a feature");
    }
    let each = request.per_task[CORES];
    if request.is_whole {
        let is_whole = |(node, cores): (&u32, &u32)| *cores == cluster.amounts(*node)[CORES];
        let room: u64 = cores
            .values()
            .map(|cores| u64::from(cores / each).min(request.most_tasks.into()))
            .sum();
        return if !cores.iter().all(is_whole) {
            Some("got a part of a node, and asks for whole nodes")
        } else if room < request.tasks.into() {
            Some("got too few cores")
        } else {
            None
        };
    }
    let tasks: u32 = cores.values().map(|cores| cores / each).sum();
    if tasks != request.tasks || cores.values().any(|cores| cores % each != 0) {
        Some("got another number of cores than it asks for")
    } else if cores
        .values()
        .any(|cores| cores / each > request.most_tasks)
    {
        Some("got more cores on a node than it may have there")
    } else {
        None
    }
}
