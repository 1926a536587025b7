//! Gang scheduling: the rows of an Ousterhout matrix take turns, and all processes of a job run at
//! the same time.
//!
//! H. Rajaei and M. B. Dadfar, "High-performance computing student projects", ASEE 2007, section
//! 3.6; D. G. Feitelson, "Packing schemes for gang scheduling", JSSPP 1996; Y. Zhang, H. Franke, J.
//! Moreira and A. Sivasubramaniam, "An integrated approach to parallel scheduling using
//! gang-scheduling, backfilling, and migration", IEEE TPDS 14(3), 2003.

use super::matrix::{Matrix, Packing, Tidying};
use super::wheel::{MOST_ROWS, Wheel};
use super::{Execution, Fit, Machine, MachineSpec, Range, Starting};
use crate::job::JobId;
use crate::param::{Choice, Kind, Param, Settings};
use crate::problem::Problem;
use crate::sorting;
use crate::time::{Span, Time};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

const SLOTS: Param = Param {
    key: "slots",
    name: "Time slots",
    kind: Kind::Whole {
        min: 1,
        max: MOST_ROWS as i64,
        default: Some(3),
    },
    unit: "rows",
    when: None,
    help: "Rows of the Ousterhout matrix: how many jobs can share a processor (the \
        multiprogramming level); 1 is batch",
};

const QUANTUM: Param = Param {
    key: "quantum",
    name: "Quantum",
    kind: Kind::Real {
        min: 0.001,
        max: 86_400.0,
        default: 10.0,
    },
    unit: "s",
    when: None,
    help: "How long a row runs before it is the next one's turn",
};

const SWITCH_COST: Param = Param {
    key: "switch_cost",
    name: "Context switch",
    kind: Kind::Real {
        min: 0.0,
        max: 3600.0,
        default: 0.0,
    },
    unit: "s",
    when: None,
    help: "What a switch from one row to another takes of the quantum: nobody runs meanwhile",
};

/// Which row and processors a job gets.
/// How jobs get processors in the rows of a matrix.
pub const PACKING: Param = Param {
    key: "packing",
    name: "Packing",
    kind: Kind::Choice {
        options: &[
            Choice {
                id: "first_fit",
                help: "the first row with room",
            },
            Choice {
                id: "best_fit",
                help: "the row with room in which least is left",
            },
            Choice {
                id: "buddy",
                help: "the first row with a free block of the next power of two, which is its own",
            },
        ],
        default: "first_fit",
    },
    unit: "",
    when: None,
    help: "Which row and processors a job gets (Feitelson 1996)",
};

const fn switch(key: &'static str, name: &'static str, help: &'static str) -> Param {
    const WORDS: &[Choice] = &[
        Choice {
            id: "off",
            help: "no",
        },
        Choice {
            id: "on",
            help: "yes",
        },
    ];
    Param {
        key,
        name,
        kind: Kind::Choice {
            options: WORDS,
            default: "off",
        },
        unit: "",
        when: None,
        help,
    }
}

const UNIFY: Param = switch(
    "unify",
    "Slot unification",
    "When jobs have ended, a row whose processors are all idle in an earlier row joins that one",
);

const MOVE: Param = switch(
    "move_jobs",
    "Migration",
    "When jobs have ended, a job moves to the first row before its own that has room, wherever \
        that is",
);

const ALTERNATE: Param = switch(
    "alternate",
    "Alternative scheduling",
    "A job also runs in the slots of other rows in which all of its processors are idle",
);

/// By how much estimates are multiplied.
pub(super) const STRETCH: Param = Param {
    key: "stretch",
    name: "Estimates",
    kind: Kind::Choice {
        options: &[
            Choice {
                id: "slots",
                help: "times the number of slots: a job takes no longer, however many share its \
                    processors",
            },
            Choice {
                id: "none",
                help: "as they are: as if every job had its processors to itself",
            },
        ],
        default: "slots",
    },
    unit: "",
    when: None,
    help: "What the policy reckons a job to take at most, by its estimate",
};

/// The machine's description.
pub const SPEC: MachineSpec = MachineSpec {
    id: "gang",
    name: "Gang scheduling",
    summary: "Several jobs share the processors: the rows of an Ousterhout matrix take turns, a \
        quantum each.",
    fit: Fit::InARow,
    processes: false,
    at_once: false,
    moves: false,
    pairing: None,
    params: &[
        SLOTS,
        QUANTUM,
        SWITCH_COST,
        PACKING,
        UNIFY,
        MOVE,
        ALTERNATE,
        STRETCH,
    ],
    geometry: None,
    capacity: |_| None,
    check,
    slots,
    build: |processors, settings, _| {
        let slots = slots(settings);
        let is_on = |param: &Param| settings.choice(param) == "on";
        let tidying = Tidying {
            unifies: is_on(&UNIFY),
            moves: is_on(&MOVE),
        };
        let wheel = Wheel::new(seconds(settings, &QUANTUM), seconds(settings, &SWITCH_COST));
        Machine {
            space: Box::new(Matrix::new(processors, slots, packing(settings), tidying)),
            execution: Box::new(Gang::new(
                processors,
                wheel,
                is_on(&ALTERNATE),
                stretch(settings, slots),
            )),
        }
    },
};

fn slots(settings: &Settings) -> u32 {
    settings.whole(&SLOTS) as u32
}

pub(super) fn packing(settings: &Settings) -> Packing {
    match settings.choice(&PACKING) {
        "best_fit" => Packing::Best,
        "buddy" => Packing::Buddy,
        _ => Packing::First,
    }
}

pub(super) fn stretch(settings: &Settings, slots: u32) -> i64 {
    if settings.choice(&STRETCH) == "slots" {
        i64::from(slots)
    } else {
        1
    }
}

fn seconds(settings: &Settings, param: &Param) -> Span {
    Span::from_microseconds((settings.real(param) * 1e6).round() as i64)
}

fn check(settings: &Settings) -> Result<(), Problem> {
    if settings.real(&SWITCH_COST) <= 0.9 * settings.real(&QUANTUM) {
        return Ok(());
    }
    Err(Problem::new(
        format!(
            "`switch_cost={}` leaves less than a tenth of `quantum={}`.",
            settings.real(&SWITCH_COST),
            settings.real(&QUANTUM)
        ),
        "A switch takes its time of the quantum that begins with it, and jobs would hardly ever \
            end.",
        "Make the quantum longer than a context switch.",
    ))
}

/// Jobs that run in the same slices, and so get on together.
#[derive(Clone, Default)]
struct Pack {
    /// How long they have run, in microseconds.
    clock: i64,
    /// (what the clock shows at the end, order of starting, job).
    ends: BinaryHeap<Reverse<(i64, u32, JobId)>>,
}

/// A running job.
#[derive(Clone)]
struct Member {
    order: u32,
    row: u32,
    columns: Vec<Range>,
}

/// Jobs that take turns, row by row.
#[derive(Clone)]
struct Gang {
    columns: u32,
    wheel: Wheel,
    alternates: bool,
    stretch: i64,
    started: u32,
    jobs: BTreeMap<JobId, Member>,
    /// By the rows in whose slices they run, as bits.
    packs: BTreeMap<u64, Pack>,
}

impl Gang {
    fn new(columns: u32, wheel: Wheel, alternates: bool, stretch: i64) -> Self {
        let wheel = Wheel {
            is_strict: !alternates,
            ..wheel
        };
        Self {
            columns,
            wheel,
            alternates,
            stretch,
            started: 0,
            jobs: BTreeMap::new(),
            packs: BTreeMap::new(),
        }
    }

    fn member(&self, order: u32, placement: &[Range]) -> Member {
        let row = placement
            .first()
            .map_or(0, |range| range.first / self.columns);
        let columns = placement
            .iter()
            .map(|range| Range {
                first: range.first - row * self.columns,
                ..*range
            })
            .collect();
        Member {
            order,
            row,
            columns,
        }
    }

    #[inline(never)]
    fn add(&mut self, rows: u64, job: JobId, order: u32, need: i64) {
        let pack = self.packs.entry(rows).or_default();
        pack.ends.push(Reverse((pack.clock + need, order, job)));
    }

    /// The rows that have jobs are those of the jobs; and where jobs run in slices of other rows,
    /// which these are has changed.
    #[inline(never)]
    fn settle(&mut self) {
        let rows = self
            .jobs
            .values()
            .fold(0, |rows, member| rows | 1 << member.row);
        self.wheel.set_rows(rows);
        self.packs.retain(|_, pack| !pack.ends.is_empty());
        if self.alternates {
            self.regroup();
        }
    }

    /// Puts every job where it belongs, with what it still has to run.
    #[inline(never)]
    fn regroup(&mut self) {
        let slices = slices(self.wheel.rows, self.alternates, &self.jobs);
        for pack in std::mem::take(&mut self.packs).into_values() {
            for Reverse((end, order, job)) in pack.ends {
                let rows = slices
                    .binary_search_by_key(&job, |(job, _)| *job)
                    .map_or(0, |at| slices[at].1);
                self.add(rows, job, order, end - pack.clock);
            }
        }
    }
}

/// In which rows' slices each job runs, as bits: its own, and with alternative scheduling those
/// where all of its processors are idle. Jobs are asked in the order in which they started.
fn slices(rows: u64, alternates: bool, jobs: &BTreeMap<JobId, Member>) -> Vec<(JobId, u64)> {
    let mut slices: Vec<(JobId, u64)> = jobs
        .iter()
        .map(|(job, member)| (*job, 1 << member.row))
        .collect();
    let mut by_order: Vec<(&JobId, &Member)> = jobs.iter().collect();
    sorting::by(&mut by_order, |(_, member)| [member.order.into(), 0]);
    let wide = jobs
        .values()
        .flat_map(|member| &member.columns)
        .map(|range| range.end())
        .max()
        .unwrap_or(0);
    for row in (0..MOST_ROWS).filter(|row| alternates && rows >> row & 1 == 1) {
        let mut idle = super::flat::Flat::new(wide);
        by_order
            .iter()
            .filter(|(_, member)| member.row == row)
            .for_each(|(_, member)| member.columns.iter().for_each(|r| idle.take(*r)));
        for (job, member) in by_order.iter().filter(|(_, member)| member.row != row) {
            if member.columns.iter().all(|range| idle.is_free(*range)) {
                member.columns.iter().for_each(|range| idle.take(*range));
                if let Ok(at) = slices.binary_search_by_key(*job, |(job, _)| *job) {
                    slices[at].1 |= 1 << row;
                }
            }
        }
    }
    slices
}

impl Execution for Gang {
    fn stretch(&self) -> i64 {
        self.stretch
    }

    fn start(&mut self, starting: Starting<'_>, now: Time) {
        self.wheel = self.wheel.turned(now);
        let member = self.member(self.started, starting.placement);
        self.add(
            1 << member.row,
            starting.job,
            self.started,
            starting.program.runtime.microseconds(),
        );
        self.jobs.insert(starting.job, member);
        self.started += 1;
        self.settle();
    }

    fn relocate(&mut self, moved: &[(JobId, Vec<Range>)]) {
        for (job, placement) in moved {
            let Some(order) = self.jobs.get(job).map(|member| member.order) else {
                continue;
            };
            let member = self.member(order, placement);
            self.jobs.insert(*job, member);
        }
        self.regroup();
        self.settle();
    }

    fn renumber(&mut self, number: &dyn Fn(JobId) -> JobId) -> bool {
        self.jobs = sorting::map(
            std::mem::take(&mut self.jobs)
                .into_iter()
                .map(|(job, member)| (number(job), member)),
        );
        for pack in self.packs.values_mut() {
            let ends = std::mem::take(&mut pack.ends).into_vec();
            ends.into_iter().for_each(|Reverse((end, order, job))| {
                pack.ends.push(Reverse((end, order, number(job))));
            });
        }
        true
    }

    fn wheel(&self) -> Option<Wheel> {
        Some(self.wheel)
    }

    fn next(&self) -> Option<Time> {
        let end = |(rows, pack): (&u64, &Pack)| {
            pack.ends.peek().map(|Reverse((end, ..))| {
                self.wheel
                    .when(*rows, Span::from_microseconds(end - pack.clock))
            })
        };
        self.packs.iter().filter_map(end).min()
    }

    fn advance(&mut self, now: Time, ended: &mut Vec<JobId>) {
        let from = ended.len();
        for (rows, pack) in &mut self.packs {
            pack.clock += self.wheel.served(*rows, now).microseconds();
            while let Some(Reverse((end, _, job))) = pack.ends.peek()
                && *end <= pack.clock
            {
                ended.push(*job);
                pack.ends.pop();
            }
        }
        self.wheel = self.wheel.turned(now);
        if ended.len() > from {
            sorting::by(&mut ended[from..], |job| {
                [
                    self.jobs.get(job).map_or(0, |member| member.order.into()),
                    0,
                ]
            });
            for job in &ended[from..] {
                self.jobs.remove(job);
            }
            self.settle();
        }
    }

    fn fork(&self) -> Box<dyn Execution> {
        Box::new(self.clone())
    }

    fn idle(&self) -> Box<dyn Execution> {
        Box::new(Self::new(
            self.columns,
            Wheel::new(self.wheel.quantum, self.wheel.cost),
            self.alternates,
            self.stretch,
        ))
    }
}
