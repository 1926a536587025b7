//! Hyperthreaded nodes: two jobs can run on a node at the same time, and slow each other down by
//! what they both need.
//!
//! A. C. Sodan and L. Lan, "LOMARC: lookahead matchmaking for multi-resource coscheduling", JSSPP
//! 2004.

mod slowdown;

pub use slowdown::{By, Pairing, WHOLE};

use super::gang::{PACKING, STRETCH, packing, stretch};
use super::matrix::{Matrix, Tidying};
use super::{Execution, Fit, Machine, MachineSpec, Starting};
use crate::job::{Demand, JobId};
use crate::param::{Choice, Kind, Param, Settings, When};
use crate::time::{Span, Time};

const THREADS: Param = Param {
    key: "threads",
    name: "Jobs on a node",
    kind: Kind::Whole {
        min: 1,
        max: 2,
        default: Some(2),
    },
    unit: "jobs",
    when: None,
    help: "How many jobs may run on a node at the same time; 1 is space sharing",
};

const CPU: Param = Param {
    key: "cpu",
    name: "CPUs",
    kind: Kind::Choice {
        options: &[
            Choice {
                id: "hyperthreaded",
                help: "two jobs compute at the same time",
            },
            Choice {
                id: "standard",
                help: "two jobs take turns on the CPU; communication and the disk go on meanwhile",
            },
        ],
        default: "hyperthreaded",
    },
    unit: "",
    when: None,
    help: "Whether a node's CPU has hardware threads",
};

const SLOWDOWNS: Param = Param {
    key: "slowdowns",
    name: "Slowdowns",
    kind: Kind::Choice {
        options: &[
            Choice {
                id: "shares",
                help: "by what both jobs need of each resource, as the paper's table 2",
            },
            Choice {
                id: "printed",
                help: "by the same sum as it is printed, with the shared parts alone; never below \
                    1",
            },
            Choice {
                id: "measured",
                help: "as in the paper's tables 1 and 3",
            },
            Choice {
                id: "classes",
                help: "a figure for each two classes, by the resource that a job needs most",
            },
        ],
        default: "shares",
    },
    unit: "",
    when: None,
    help: "How it is found by how much two jobs on a node slow each other down",
};

const BY_SHARES: Option<When> = Some(When {
    keys: &["slowdowns"],
    words: &["shares", "printed"],
});
const BY_CLASSES: Option<When> = Some(When {
    keys: &["slowdowns"],
    words: &["classes"],
});

/// The slowdown of two classes.
const fn classes(key: &'static str, name: &'static str, default: f64) -> Param {
    Param::real(
        key,
        name,
        "times",
        (1.0, 10.0, default),
        BY_CLASSES,
        "Slowdown of two jobs of these classes",
    )
}

const BY_CLASS: [Param; 6] = [
    classes("cpu_cpu", "CPU and CPU", 1.4),
    classes("cpu_network", "CPU and network", 1.0),
    classes("cpu_disk", "CPU and disk", 1.2),
    classes("network_network", "Network and network", 1.4),
    classes("network_disk", "Network and disk", 1.3),
    classes("disk_disk", "Disk and disk", 1.2),
];

const COMPATIBLE: Param = Param::real(
    "compatible",
    "Compatible pairs",
    "of all pairs",
    (0.0, 1.0, 0.33),
    BY_SHARES,
    "How many pairs of jobs have instructions that go well together: drawn for each pair",
);
const GOOD: Param = Param::real(
    "cpu_good",
    "CPU slowdown, compatible",
    "times",
    (1.0, 2.5, 1.4),
    BY_SHARES,
    "Slowdown of the CPU part of two jobs that go well together",
);
const POOR: Param = Param::real(
    "cpu_poor",
    "CPU slowdown, others",
    "times",
    (1.0, 2.5, 2.0),
    BY_SHARES,
    "And of two that compete, or take turns",
);
const PAGING: Param = Param::real(
    "paging",
    "Slowdown by paging",
    "times",
    (1.0, 10.0, 2.5),
    None,
    "Slowdown of two jobs that do not fit into a node's memory together",
);
const UNKNOWN: Param = Param::real(
    "unknown",
    "Slowdown if unknown",
    "times",
    (1.0, 10.0, 1.4),
    None,
    "Slowdown of two jobs of which it is not known what they need (`demands=none`)",
);

/// The machine's description.
pub const SPEC: MachineSpec = MachineSpec {
    id: "smt",
    name: "Hyperthreaded nodes",
    summary: "Two jobs can run on a node at once, each slower by what they both need of CPU, \
        network, disk and memory.",
    fit: Fit::InARow,
    processes: false,
    at_once: true,
    moves: false,
    pairing: Some(pairing),
    params: &[
        THREADS,
        CPU,
        SLOWDOWNS,
        COMPATIBLE,
        GOOD,
        POOR,
        BY_CLASS[0],
        BY_CLASS[1],
        BY_CLASS[2],
        BY_CLASS[3],
        BY_CLASS[4],
        BY_CLASS[5],
        PAGING,
        UNKNOWN,
        PACKING,
        STRETCH,
    ],
    geometry: None,
    capacity: |_| None,
    check: |_| Ok(()),
    slots,
    build: |processors, settings, _| {
        let slots = slots(settings);
        Machine {
            space: Box::new(Matrix::new(
                processors,
                slots,
                packing(settings),
                Tidying::default(),
            )),
            execution: Box::new(Smt {
                nodes: processors as usize,
                pairing: pairing(settings),
                stretch: stretch(settings, slots),
                on: vec![[None; 2]; processors as usize],
                jobs: Vec::new(),
                started: 0,
            }),
        }
    },
};

fn slots(settings: &Settings) -> u32 {
    settings.whole(&THREADS) as u32
}

/// What two jobs on the same nodes do to each other.
pub fn pairing(settings: &Settings) -> Pairing {
    let scaled = |param: &Param| (settings.real(param) * WHOLE as f64).round() as i64;
    let by = match settings.choice(&SLOWDOWNS) {
        "measured" => By::Measured,
        "classes" => By::Classes(BY_CLASS.each_ref().map(scaled)),
        word => By::Shares {
            compatible: scaled(&COMPATIBLE),
            good: scaled(&GOOD),
            poor: scaled(&POOR),
            printed: word == "printed",
        },
    };
    Pairing {
        standard: settings.choice(&CPU) == "standard",
        by,
        paging: scaled(&PAGING),
        unknown: scaled(&UNKNOWN),
    }
}

/// Work that is left, in microseconds on nodes of its own: a fraction, so that nothing is lost
/// however often it changes pace.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct Left {
    above: i128,
    below: i128,
}

impl Left {
    const fn all(work: i64) -> Self {
        Self {
            above: work as i128,
            below: 1,
        }
    }

    /// What is left after so long at a slowdown.
    fn after(self, microseconds: i64, slowdown: i64) -> Self {
        // Fractions of this size come only of many changes of pace; what is lost is less than a
        // millionth of a microsecond.
        const LARGEST: i128 = 1_000_000_000_000_000;
        const FINE: i128 = 1_000_000;
        let (slowdown, whole) = (i128::from(slowdown), i128::from(WHOLE));
        let above = (self.above * slowdown - i128::from(microseconds) * whole * self.below).max(0);
        let below = self.below * slowdown;
        let by = common(above, below);
        let left = Self {
            above: above / by,
            below: below / by,
        };
        if left.below <= LARGEST {
            return left;
        }
        Self {
            above: (left.above * FINE + left.below - 1) / left.below,
            below: FINE,
        }
    }

    /// What is left after so long at a slowdown, to the next whole microsecond.
    fn rounded(self, microseconds: i64, slowdown: i64) -> i64 {
        let done = i128::from(microseconds) * i128::from(WHOLE) / i128::from(slowdown);
        ((self.above + self.below - 1) / self.below - done).max(0) as i64
    }

    /// How long that takes at a slowdown, to the next whole microsecond.
    fn takes(self, slowdown: i64) -> i64 {
        let below = self.below * i128::from(WHOLE);
        i64::try_from((self.above * i128::from(slowdown) + below - 1) / below).unwrap_or(i64::MAX)
    }
}

/// The greatest common divisor.
const fn common(mut one: i128, mut other: i128) -> i128 {
    while other != 0 {
        (one, other) = (other, one % other);
    }
    if one == 0 { 1 } else { one }
}

/// A running job.
#[derive(Clone, Debug)]
struct Running {
    job: JobId,
    /// How many had started before it.
    order: u64,
    row: usize,
    nodes: Vec<u32>,
    demand: Option<Demand>,
    /// What it takes on nodes of its own, in microseconds, and what is left of that.
    work: i64,
    left: Left,
    /// Since when it gets on at this slowdown, and when it so will end.
    since: Time,
    slowdown: i64,
    end: Time,
}

/// Jobs on nodes that two can share.
#[derive(Clone)]
struct Smt {
    nodes: usize,
    pairing: Pairing,
    stretch: i64,
    /// Who is on each node.
    on: Vec<[Option<JobId>; 2]>,
    /// By job.
    jobs: Vec<Running>,
    /// How many have started.
    started: u64,
}

impl Smt {
    fn running(&self, job: JobId) -> Option<&Running> {
        self.jobs
            .binary_search_by_key(&job, |running| running.job)
            .ok()
            .map(|at| &self.jobs[at])
    }

    /// The jobs that share a node with this one, each once.
    fn partners(&self, running: &Running) -> Vec<JobId> {
        let mut partners = Vec::new();
        for partner in running
            .nodes
            .iter()
            .filter_map(|node| self.on[*node as usize][1 - running.row])
        {
            if !partners.contains(&partner) {
                partners.push(partner);
            }
        }
        partners
    }

    /// A job is as slow as on its slowest node.
    fn slowdown(&self, running: &Running) -> i64 {
        let of = |partner: &JobId| {
            self.running(*partner).map_or(WHOLE, |other| {
                self.pairing
                    .slowdown(running.demand.as_ref(), other.demand.as_ref())
            })
        };
        self.partners(running).iter().map(of).max().unwrap_or(WHOLE)
    }

    /// These jobs, as far as they run, get on at the pace that their partners of now leave them.
    fn pace(&mut self, jobs: &[JobId], now: Time) {
        for at in jobs
            .iter()
            .filter_map(|job| {
                self.jobs
                    .binary_search_by_key(job, |running| running.job)
                    .ok()
            })
            .collect::<Vec<_>>()
        {
            let slowdown = self.slowdown(&self.jobs[at]);
            let running = &mut self.jobs[at];
            if slowdown != running.slowdown {
                running.left = running
                    .left
                    .after((now - running.since).microseconds(), running.slowdown);
                (running.since, running.slowdown) = (now, slowdown);
                running.end =
                    now.saturating_add(Span::from_microseconds(running.left.takes(slowdown)));
            }
        }
    }
}

impl Execution for Smt {
    fn stretch(&self) -> i64 {
        self.stretch
    }

    fn pairing(&self) -> Option<&Pairing> {
        Some(&self.pairing)
    }

    fn done(&self, job: JobId, now: Time) -> Span {
        let Some(running) = self.running(job) else {
            return Span::ZERO;
        };
        let left = running
            .left
            .rounded((now - running.since).microseconds(), running.slowdown);
        Span::from_microseconds(running.work - left)
    }

    fn start(&mut self, starting: Starting<'_>, now: Time) {
        let numbers = starting
            .placement
            .iter()
            .flat_map(|range| range.first..range.end());
        let nodes: Vec<u32> = numbers
            .map(|number| number % self.nodes.max(1) as u32)
            .collect();
        let row = starting
            .placement
            .first()
            .map_or(0, |range| range.first as usize / self.nodes.max(1))
            .min(1);
        nodes
            .iter()
            .for_each(|node| self.on[*node as usize][row] = Some(starting.job));
        let runtime = starting.program.runtime;
        let left = Left::all(runtime.microseconds());
        let running = Running {
            job: starting.job,
            order: self.started,
            row,
            nodes,
            demand: starting.demand.copied(),
            work: runtime.microseconds(),
            left,
            since: now,
            slowdown: WHOLE,
            end: now.saturating_add(runtime),
        };
        let mut changed = self.partners(&running);
        changed.push(starting.job);
        self.started += 1;
        let place = self.jobs.partition_point(|other| other.job < starting.job);
        self.jobs.insert(place, running);
        self.pace(&changed, now);
    }

    fn next(&self) -> Option<Time> {
        self.jobs.iter().map(|running| running.end).min()
    }

    fn advance(&mut self, now: Time, ended: &mut Vec<JobId>) {
        let mut changed = Vec::new();
        let mut gone: Vec<Running> = self
            .jobs
            .extract_if(.., |running| running.end <= now)
            .collect();
        if gone.len() > 1 {
            crate::sorting::by(&mut gone, |running| [running.order.into(), 0]);
        }
        for running in gone {
            ended.push(running.job);
            for node in &running.nodes {
                let node = &mut self.on[*node as usize];
                node[running.row] = None;
                changed.extend(node[1 - running.row].filter(|job| changed.last() != Some(job)));
            }
        }
        self.pace(&changed, now);
    }

    fn renumber(&mut self, number: &dyn Fn(JobId) -> JobId) -> bool {
        self.jobs
            .iter_mut()
            .for_each(|running| running.job = number(running.job));
        self.on
            .as_flattened_mut()
            .iter_mut()
            .flatten()
            .for_each(|job| *job = number(*job));
        true
    }

    fn fork(&self) -> Box<dyn Execution> {
        Box::new(self.clone())
    }

    fn idle(&self) -> Box<dyn Execution> {
        Box::new(Self {
            on: vec![[None; 2]; self.nodes],
            jobs: Vec::new(),
            started: 0,
            ..*self
        })
    }
}
