//! Hyperthreaded nodes (docs/machines/smt.md). Every job progresses at the pace that its partners
//! leave it. No work is lost, and none is done twice.

use super::words::{Case, Demand, Event, Experiment, Jobs, Log, Watched, Workload, must};
use std::collections::BTreeMap;

/// The formula for the slowdown of a pair of jobs: by shares, with the default constants.
#[derive(Copy, Clone, Debug, Default)]
pub struct Pairs {
    /// True if the CPU has one thread, so that two jobs take turns on it.
    pub standard: bool,
    /// True if the sum is the paper's as it is printed.
    pub printed: bool,
}

impl Pairs {
    /// True if the instructions of two jobs compete for the CPU. On a standard CPU all pairs
    /// compete, otherwise two thirds of them.
    pub const fn compete(self, one: Demand, other: Demand) -> bool {
        self.standard || (one.mark ^ other.mark) % 10_000 >= 3300
    }

    /// Returns the slowdown of two jobs by section 4.1, with the constants of section 6.1. It is
    /// 1.4 if the demand of a job is not known.
    pub fn slowdown(self, one: Option<Demand>, other: Option<Demand>) -> f64 {
        let (Some(a), Some(b)) = (one, other) else {
            return 1.4;
        };
        if a.memory + b.memory > 10_000 {
            return 2.5;
        }
        let tenths = if self.compete(a, b) { 20 } else { 14 };
        // In whole ten-thousandths.
        let [cpu, network, disk] = [
            a.cpu.min(b.cpu),
            a.network.min(b.network),
            a.disk.min(b.disk),
        ];
        let sum = if self.printed {
            (tenths * cpu / 10 + 2 * network + 2 * disk).max(10_000)
        } else {
            10_000 + (tenths - 10) * cpu / 10 + network + disk
        };
        sum as f64 / 1e4
    }
}

struct Running {
    nodes: Vec<u32>,
    done: f64,
}

/// The jobs that run, and how much each has done.
pub struct Nodes<'a> {
    workload: &'a Workload,
    pairs: Pairs,
    running: BTreeMap<usize, Running>,
    now: i64,
}

impl<'a> Nodes<'a> {
    pub const fn new(workload: &'a Workload, pairs: Pairs, now: i64) -> Self {
        Self {
            workload,
            pairs,
            running: BTreeMap::new(),
            now,
        }
    }

    pub fn slowdown(&self, one: usize, other: usize) -> f64 {
        let demand = |job: usize| self.workload.demands.get(job).copied().flatten();
        self.pairs.slowdown(demand(one), demand(other))
    }

    /// The jobs that share nodes with a job.
    pub fn partners(&self, job: usize) -> Vec<usize> {
        let nodes = &self.running[&job].nodes;
        let shares = |(other, running): &(&usize, &Running)| {
            **other != job && running.nodes.iter().any(|node| nodes.contains(node))
        };
        self.running
            .iter()
            .filter(shares)
            .map(|(other, _)| *other)
            .collect()
    }

    pub fn jobs(&self) -> Vec<usize> {
        self.running.keys().copied().collect()
    }

    /// Seconds that a running job has done, at its own pace.
    pub fn done(&self, job: usize) -> Option<f64> {
        self.running.get(&job).map(|running| running.done)
    }

    /// Lets time pass, in microseconds: a job is as slow as beside its worst partner.
    pub fn pass(&mut self, to: i64) {
        let seconds = (to - self.now) as f64 / 1e6;
        let pace = |job: &usize| {
            self.partners(*job)
                .into_iter()
                .map(|other| self.slowdown(*job, other))
                .fold(1.0, f64::max)
        };
        let jobs = self.jobs();
        let paces: Vec<f64> = jobs.iter().map(pace).collect();
        for (job, pace) in jobs.iter().zip(paces) {
            self.running.get_mut(job).unwrap().done += seconds / pace;
        }
        self.now = to;
    }

    pub fn start(&mut self, job: usize, nodes: &[u32]) {
        let nodes = nodes.to_vec();
        self.running.insert(job, Running { nodes, done: 0.0 });
    }

    /// A job that ends has done its run time, to two microseconds in a second.
    pub fn finish(&mut self, job: usize) -> Result<(), String> {
        let done = self.running.remove(&job).unwrap().done;
        let runtime = self.workload.jobs[job].runtime as f64 / 1e6;
        must((done - runtime).abs() < 2e-6 * runtime.max(1.0), || {
            format!(
                "job {job} ends at {} s when it has done {done} s of {runtime} s",
                self.now as f64 / 1e6
            )
        })
    }
}

fn watch(workload: &Workload, log: &Log) -> Result<Watched, String> {
    let begin = workload.jobs[0].submit;
    let mut nodes = Nodes::new(workload, Pairs::default(), begin);
    let mut overlaps = 0;
    for (at, event) in log {
        nodes.pass(*at);
        match event {
            Event::Started(job, own) => {
                nodes.start(*job, own);
                overlaps += nodes.partners(*job).len() as u64;
            }
            Event::Finished(job) => nodes.finish(*job)?,
            _ => {}
        }
    }
    must(overlaps > 20, || format!("only {overlaps} overlaps"))?;
    Ok(Watched {
        counts: BTreeMap::from([("overlaps", overlaps)]),
        ..Watched::default()
    })
}

pub fn paces(seed: u64) -> Vec<Case> {
    let model = [("jobs", 150.0), ("processors", 32.0), ("seed", seed as f64)];
    let policy = ["fcfs", "easy", "lookahead"][seed as usize % 3];
    let mix = ["m1", "m2", "m3", "none"][seed as usize % 4];
    let experiment = Experiment::on("smt", policy)
        .with("demands", mix)
        .with("arrival_factor", 2.0);
    vec![Case::watches(experiment, Jobs::Model(model.into()), watch)]
}
