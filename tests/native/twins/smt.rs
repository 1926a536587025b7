//! Hyperthreaded nodes (docs/machines/smt.md). Every job progresses at the pace that its partners
//! leave it. No work is lost, and none is done twice.

use super::draw::Dice;
use super::words::{Case, Demand, Event, Experiment, Jobs, Log, Outage, Watched, Workload, must};
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
    /// Nodes that are out of service, and the end of the outage.
    closed: (Vec<u32>, i64),
}

impl<'a> Nodes<'a> {
    pub const fn new(workload: &'a Workload, pairs: Pairs, now: i64) -> Self {
        Self {
            workload,
            pairs,
            running: BTreeMap::new(),
            now,
            closed: (Vec::new(), 0),
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

    pub fn close(&mut self, nodes: &[u32], until: i64) {
        self.closed = (nodes.to_vec(), until);
    }

    pub fn is_closed(&self, node: u32) -> bool {
        self.now < self.closed.1 && self.closed.0.contains(&node)
    }

    /// True if one of the nodes of a running job is out of service.
    pub fn is_on_closed(&self, job: usize) -> bool {
        let mut nodes = self.running[&job].nodes.iter();
        nodes.any(|node| self.is_closed(*node))
    }

    /// A job starts on nodes that are in service.
    pub fn start(&mut self, job: usize, nodes: &[u32]) -> Result<(), String> {
        let nodes = nodes.to_vec();
        must(!nodes.iter().any(|node| self.is_closed(*node)), || {
            format!(
                "job {job} starts on {nodes:?}, and {:?} are closed",
                self.closed
            )
        })?;
        self.running.insert(job, Running { nodes, done: 0.0 });
        Ok(())
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

/// The queue in front: first come, first served, on the lowest nodes of the first row with enough.
struct Fcfs {
    waiting: Vec<usize>,
    /// The job in each row of each node.
    rows: [Vec<Option<usize>>; 2],
}

impl Fcfs {
    /// The nodes of the job that waits first, if there is room for it.
    fn head(&self, nodes: &Nodes<'_>) -> Option<(usize, usize, Vec<u32>)> {
        let head = *self.waiting.first()?;
        let size = nodes.workload.jobs[head].processors as usize;
        let of_row = |row: usize| {
            let is_free =
                |node: &u32| self.rows[row][*node as usize].is_none() && !nodes.is_closed(*node);
            let all = (0..nodes.workload.processors).filter(is_free);
            let first: Vec<u32> = all.take(size).collect();
            (first.len() == size).then_some((head, row, first))
        };
        of_row(0).or_else(|| of_row(1))
    }

    fn start(&mut self, job: usize, own: &[u32], nodes: &Nodes<'_>) -> Result<(), String> {
        let head = self.head(nodes);
        let (next, row, expected) = head.ok_or_else(|| format!("job {job} does not fit"))?;
        must(next == job && expected == own, || {
            format!("job {next} is next, on {expected:?}, and job {job} starts on {own:?}")
        })?;
        self.waiting.remove(0);
        own.iter()
            .for_each(|node| self.rows[row][*node as usize] = Some(job));
        Ok(())
    }

    fn finish(&mut self, job: usize) {
        let places = self.rows.iter_mut().flatten();
        places
            .filter(|place| **place == Some(job))
            .for_each(|place| *place = None);
    }
}

fn watch(workload: &Workload, log: &Log, is_fcfs: bool) -> Result<Watched, String> {
    let begin = workload.jobs[0].submit;
    let mut nodes = Nodes::new(workload, Pairs::default(), begin);
    let mut queue = Fcfs {
        waiting: Vec::new(),
        rows: [(); 2].map(|()| vec![None; workload.processors as usize]),
    };
    let (mut overlaps, mut closed, mut on_closed) = (0, 0, 0);
    for (at, event) in log {
        if is_fcfs && *at > nodes.now {
            let head = queue.head(&nodes);
            must(head.is_none(), || {
                format!("{head:?} could start before {at} us")
            })?;
        }
        nodes.pass(*at);
        match event {
            Event::Submitted(job) => queue.waiting.push(*job),
            Event::Started(job, own) => {
                if is_fcfs {
                    queue.start(*job, own, &nodes)?;
                }
                nodes.start(*job, own)?;
                overlaps += nodes.partners(*job).len() as u64;
            }
            Event::Finished(job) => {
                nodes.finish(*job)?;
                queue.finish(*job);
            }
            Event::Closed(which, until) => {
                nodes.close(which, *until);
                closed += which.len() as u64;
                let is_on = |job: &usize| nodes.is_on_closed(*job);
                on_closed += nodes.jobs().into_iter().filter(is_on).count() as u64;
            }
            _ => {}
        }
    }
    must(overlaps > 20, || format!("only {overlaps} overlaps"))?;
    Ok(Watched {
        counts: BTreeMap::from([
            ("overlaps", overlaps),
            ("closed nodes", closed),
            ("jobs on closed nodes", on_closed),
        ]),
        ..Watched::default()
    })
}

fn case(seed: u64, policy: &'static str, outage: Option<Outage>) -> Case {
    let model = [("jobs", 150.0), ("processors", 32.0), ("seed", seed as f64)];
    let mix = ["m1", "m2", "m3", "none"][seed as usize % 4];
    let experiment = Experiment::on("smt", policy)
        .with("demands", mix)
        .with("arrival_factor", 2.0);
    let is_fcfs = policy == "fcfs";
    Case::watches(
        Experiment {
            outage,
            ..experiment
        },
        Jobs::Model(model.into()),
        move |workload, log| watch(workload, log, is_fcfs),
    )
}

pub fn paces(seed: u64) -> Vec<Case> {
    let policy = ["fcfs", "easy", "lookahead"][seed as usize % 3];
    vec![case(seed, policy, None)]
}

/// An outage of some of 32 nodes, about a day after the beginning. Times are in microseconds.
pub fn outage(seed: u64) -> Outage {
    let mut dice = Dice::new(seed, "smt outage");
    let mut minutes = |most: u64| dice.below(most) as i64 * 60_000_000;
    let (at, length) = (minutes(1500), minutes(1500) + 1);
    let first = dice.below(28) as u32;
    Outage {
        at,
        length,
        first,
        count: 1 + dice
            .below(u64::from(24 - first.min(16)))
            .min(u64::from(31 - first)) as u32,
    }
}

pub fn outages(seed: u64) -> Vec<Case> {
    let policies = ["fcfs", "easy", "lookahead", "fcfs"];
    vec![case(seed, policies[seed as usize % 4], Some(outage(seed)))]
}
