//! The use of memory and GPUs, and the part of them that no job could have.

use crate::cluster::{Amounts, CORES, Cluster, GPUS, MEMORY, RESOURCES, UNLIMITED};
use crate::job::JobId;
use crate::metrics::put_preemption;
use crate::schedule::{Attempt, Schedule};
use crate::time::Time;
use crate::workload::NodeRequests;
use std::collections::BTreeMap;

/// Mean shares of a resource over time.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct MeanShares {
    /// Share that jobs hold.
    pub held: f64,
    /// Share that is free on nodes of which the cores, or the memory, are all in use.
    pub stranded: f64,
}

/// A change of what jobs hold of a node.
struct HeldChange {
    at: Time,
    node: u32,
    is_start: bool,
    used: Amounts,
}

/// Returns the mean shares of memory and of GPUs, from the first start to the last end; zeros for a
/// resource that no node limits.
pub(super) fn shares(schedule: &Schedule) -> [MeanShares; 2] {
    let Some(needs) = &schedule.workload.nodes else {
        return Default::default();
    };
    let cluster = &needs.cluster;
    if !limits_shares(cluster) {
        return Default::default();
    }
    let changes = changes(schedule, needs);
    let (Some(first), Some(last)) = (changes.first(), changes.last()) else {
        return Default::default();
    };
    let span = (last.at - first.at).seconds();
    let mut used = vec![[0_u64; RESOURCES]; cluster.nodes() as usize];
    // Amounts of the whole cluster now, and their integrals over time.
    let mut now = [MeanShares::default(); RESOURCES];
    let mut sums = [MeanShares::default(); RESOURCES];
    let mut before = first.at;
    for change in &changes {
        let passed = (change.at - before).seconds();
        before = change.at;
        for (sum, now) in sums.iter_mut().zip(now) {
            sum.held += now.held * passed;
            sum.stranded += now.stranded * passed;
        }
        let all = cluster.amounts(change.node);
        let used = &mut used[change.node as usize];
        count(&mut now, used, all, -1.0);
        for (used, more) in used.iter_mut().zip(change.used) {
            if change.is_start {
                *used += u64::from(more);
            } else {
                *used -= u64::from(more);
            }
        }
        count(&mut now, used, all, 1.0);
    }
    [MEMORY, GPUS].map(|resource| {
        let capacity = cluster.total(resource) as f64 * span;
        if capacity > 0.0 {
            MeanShares {
                held: sums[resource].held / capacity,
                stranded: sums[resource].stranded / capacity,
            }
        } else {
            MeanShares::default()
        }
    })
}

/// True if some node limits a resource of which shares are measured.
fn limits_shares(cluster: &Cluster) -> bool {
    cluster.has(MEMORY) || cluster.has(GPUS)
}

/// Returns the mean shares of memory and of GPUs that these jobs hold, from the first start to the last end
/// of all jobs; zeros for a resource that no node limits.
pub(super) fn class_shares(schedule: &Schedule, jobs: &[JobId]) -> [f64; 2] {
    let Some(needs) = &schedule.workload.nodes else {
        return [0.0; 2];
    };
    let cluster = &needs.cluster;
    if !limits_shares(cluster) {
        return [0.0; 2];
    }
    let mut is_in = vec![false; schedule.workload.len()];
    for job in jobs {
        is_in[job.index()] = true;
    }
    let mut span: Option<(Time, Time)> = None;
    let mut held = [0.0; RESOURCES];
    for attempt in schedule.attempts().filter(Attempt::has_ended) {
        let (first, last) = span.unwrap_or((attempt.from, attempt.end));
        span = Some((first.min(attempt.from), last.max(attempt.end)));
        if !is_in[attempt.job.index()] {
            continue;
        }
        for (node, used) in used_on(schedule, needs, &attempt) {
            for (from, to, used) in periods(schedule, needs, &attempt, used) {
                let seconds = (to - from).seconds();
                for ((held, used), all) in held.iter_mut().zip(used).zip(cluster.amounts(node)) {
                    if *all != UNLIMITED {
                        *held += f64::from(used) * seconds;
                    }
                }
            }
        }
    }
    let seconds = span.map_or(0.0, |(first, last)| (last - first).seconds());
    [MEMORY, GPUS].map(|resource| {
        let capacity = cluster.total(resource) as f64 * seconds;
        if capacity > 0.0 {
            held[resource] / capacity
        } else {
            0.0
        }
    })
}

/// The power of a cluster, from the first start to the last end.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct PowerFigures {
    /// Mean power, in kW.
    pub mean: f64,
    /// Largest power, in kW.
    pub peak: f64,
    /// Energy, in kWh.
    pub energy: f64,
    /// Carbon dioxide, in kg.
    pub carbon: f64,
}

/// Returns the power of a cluster. `carbon` has the grams of carbon dioxide of a kWh for each hour of
/// a day or of a week, from the trace's zero on, in turn. A node draws its idle power, and for each
/// core in use an equal part of what it draws more when all its cores are in use.
pub(super) fn power(schedule: &Schedule, carbon: &[f64]) -> PowerFigures {
    const HOUR: i64 = 3_600_000_000;
    let mut figures = PowerFigures::default();
    let Some(needs) = &schedule.workload.nodes else {
        return figures;
    };
    let cluster = &needs.cluster;
    if cluster.watts() == [0; 2] {
        return figures;
    }
    let changes = changes(schedule, needs);
    let (Some(first), Some(last)) = (changes.first(), changes.last()) else {
        return figures;
    };
    let idle = cluster.watts()[0] as f64;
    let (mut watts, mut before) = (idle, first.at);
    let mut at = 0;
    while at < changes.len() {
        let now = changes[at].at;
        // An interval counts by hours, because the carbon of a kWh changes with them.
        while before < now {
            let hour = before.microseconds().div_euclid(HOUR);
            let until = if carbon.is_empty() {
                now
            } else {
                now.min(Time::from_microseconds((hour + 1) * HOUR))
            };
            let energy = watts / 1000.0 * (until - before).seconds() / 3600.0;
            figures.energy += energy;
            if !carbon.is_empty() {
                let grams = carbon[hour.rem_euclid(carbon.len() as i64) as usize];
                figures.carbon += energy * grams / 1000.0;
            }
            before = until;
        }
        while let Some(change) = changes.get(at).filter(|change| change.at == now) {
            let kind = &cluster.kinds[cluster.kind_of(change.node) as usize];
            let more = f64::from(kind.watts[1] - kind.watts[0]) / f64::from(kind.amounts[CORES]);
            let factor = if change.is_start { 1.0 } else { -1.0 };
            watts += factor * more * f64::from(change.used[CORES]);
            at += 1;
        }
        figures.peak = figures.peak.max(watts / 1000.0);
    }
    let hours = (last.at - first.at).seconds() / 3600.0;
    figures.mean = if hours > 0.0 {
        figures.energy / hours
    } else {
        0.0
    };
    figures
}

/// Puts the figures of preemption: only this machine always has them.
pub(super) fn preemption(schedule: &Schedule, put: &mut dyn FnMut(&str, f64)) {
    put_preemption(schedule, put);
}

/// Adds the amounts of a node `factor` times.
fn count(now: &mut [MeanShares], used: &[u64], all: &Amounts, factor: f64) {
    let is_used_up = |resource: usize| all[resource] > 0 && used[resource] >= all[resource].into();
    let is_full = is_used_up(CORES) || is_used_up(MEMORY);
    for (now, (used, all)) in now.iter_mut().zip(used.iter().zip(all)) {
        if *all == UNLIMITED {
            continue;
        }
        now.held += factor * *used as f64;
        if is_full {
            now.stranded += factor * u64::from(*all).saturating_sub(*used) as f64;
        }
    }
}

/// Returns all changes, in order of time.
fn changes(schedule: &Schedule, needs: &NodeRequests) -> Vec<HeldChange> {
    let mut changes = Vec::new();
    for attempt in schedule.attempts() {
        for (node, used) in used_on(schedule, needs, &attempt) {
            for (from, to, used) in periods(schedule, needs, &attempt, used) {
                for (at, is_start) in [(from, true), (to, false)] {
                    changes.push(HeldChange {
                        at,
                        node,
                        is_start,
                        used,
                    });
                }
            }
        }
    }
    // A start comes before its end, also at one instant: the order of pushing is kept.
    crate::sorting::by(&mut changes, |change| [change.at.microseconds().into(), 0]);
    changes
}

/// Returns the periods of an attempt, and what the job holds of a node in each: `used`, of which a suspended
/// job keeps all but the cores, and of whole nodes nothing.
fn periods(
    schedule: &Schedule,
    needs: &NodeRequests,
    attempt: &Attempt,
    used: Amounts,
) -> Vec<(Time, Time, Amounts)> {
    if schedule.suspensions_of(*attempt).is_empty() {
        return vec![(attempt.from, attempt.end, used)];
    }
    let request = needs.of.get(attempt.job.index());
    let request = request.and_then(|at| needs.table.get(*at as usize));
    let spells = schedule.spells(*attempt);
    if request.is_some_and(|request| request.is_whole) {
        return spells.map(|(from, to)| (from, to, used)).collect();
    }
    let (mut cores, mut kept) = (crate::cluster::NOTHING, used);
    (cores[CORES], kept[CORES]) = (used[CORES], 0);
    let spells = spells.map(|(from, to)| (from, to, cores));
    std::iter::once((attempt.from, attempt.end, kept))
        .chain(spells)
        .collect()
}

/// Returns what a job holds of each of its nodes in an attempt.
pub(super) fn used_on(
    schedule: &Schedule,
    needs: &NodeRequests,
    attempt: &Attempt,
) -> BTreeMap<u32, Amounts> {
    let cluster = &needs.cluster;
    let request = needs.of.get(attempt.job.index());
    let Some(request) = request.and_then(|at| needs.table.get(*at as usize)) else {
        return BTreeMap::new();
    };
    let mut cores = BTreeMap::new();
    for range in schedule.at(attempt.placed).ranges {
        cluster.pieces(range.first, range.count, |node, _, count| {
            *cores.entry(node).or_insert(0) += count;
        });
    }
    crate::sorting::map(
        cores
            .into_iter()
            .map(|(node, cores)| (node, request.held(cluster.amounts(node), cores))),
    )
}
