//! Matchmaking: which of several jobs shares nodes best with another one.
//!
//! A. C. Sodan and L. Lan, "LOMARC: lookahead matchmaking for multi-resource coscheduling", JSSPP
//! 2004, section 5.2. One of the two is the host, on whose nodes both are; the other, which is no
//! larger, is the guest.

use crate::job::{Demand, JobId, Resource};
use crate::machines::smt::{Pairing, Verdict};
use crate::param::{Settings, Typed, When, real, words};
use crate::pulse::beat;
use crate::time::Span;

words! {
    /// How partners are chosen.
    pub enum Heuristic {
        Response = "response": "the best impact on response times (L-R)",
        Gain1 = "gain1": "the largest gain of utilisation over the time of the longer job (L-U1; \
            L-N on standard CPUs)",
        Gain2 = "gain2": "the largest gain of utilisation while both run (L-U2)",
        First = "first": "the first that suits (L-FM)",
        Adjacent = "adjacent": "the next in the queue, if it suits (AM)",
        Always = "always": "the first that is no larger, whether it suits or not (AC)",
        Nobody = "none": "nobody: space sharing (PSS)",
    }
}

/// How partners are chosen.
pub const HEURISTIC: Typed<Heuristic> =
    Heuristic::param("heuristic", "Partners", Heuristic::Response)
        .help("With whom a job shares nodes");

const MATCHED: When = When {
    keys: &["heuristic"],
    words: &["response", "gain1", "gain2", "first", "adjacent"],
};

/// The largest slowdown of a pair.
pub const MAX_SLOWDOWN: Typed<f64> = real("max_slowdown", "Largest slowdown", 1.0..=10.0, 1.6)
    .unit("times")
    .when(MATCHED)
    .help("Two jobs share nodes only if they slow each other down by no more");

/// How much memory a pair may need.
pub const MEMORY: Typed<f64> = real("memory", "Memory of a pair", 0.0..=2.0, 1.0)
    .unit("of a node")
    .when(MATCHED)
    .help("Two jobs share nodes only if they need no more together");

/// When the machine is weakly loaded.
pub const WEAKLY: Typed<f64> = real("weakly", "Weakly loaded", 0.0..=1.0, 0.8)
    .unit("of the free nodes")
    .when(MATCHED)
    .help(
        "No nodes are shared while the waiting jobs ask for no more than this share of the free \
            nodes",
    );

words! {
    /// How the impact on response times counts jobs that are yet to arrive.
    pub enum Arrivals {
        Queued = "queued": "short jobs at the head of the queue, the others behind it",
        Printed = "printed": "as if each were the only one, as the paper prints it",
        None = "none": "not at all",
    }
}

/// How the impact on response times counts jobs that are yet to arrive.
pub const ARRIVALS: Typed<Arrivals> =
    Arrivals::param("arrivals", "Predicted arrivals", Arrivals::Queued)
        .when(When {
            keys: &["heuristic"],
            words: &["response"],
        })
        .help("How jobs that are expected to arrive while the queue is worked off are counted");

/// One of two jobs that may share nodes.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Party {
    /// Which.
    pub job: JobId,
    /// Its nodes.
    pub size: u32,
    /// How long it takes on nodes of its own; of a running job, what is left of that.
    pub left: Span,
    /// Whether it is short: not worth the effort.
    pub is_short: bool,
    /// What it needs, if that is known.
    pub demand: Option<Demand>,
}

impl Party {
    /// Node seconds.
    pub fn work(&self) -> f64 {
        self.left.seconds() * f64::from(self.size)
    }
}

/// The tests that partners must pass, and how one is chosen among those that do.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Matching {
    /// How a partner is chosen.
    pub heuristic: Heuristic,
    /// How `Response` counts jobs that are yet to arrive.
    pub arrivals: Arrivals,
    /// The largest slowdown, in ten-thousandths.
    pub max_slowdown: i64,
    /// The most memory, in ten-thousandths of a node's.
    pub memory: i64,
    /// Until which share of the free nodes is asked for no nodes are shared.
    pub weakly: f64,
}

impl Matching {
    /// As the settings say.
    pub fn new(settings: &Settings) -> Self {
        let scaled = |param: &Typed<f64>| (settings.get(param) * 1e4).round() as i64;
        Self {
            heuristic: settings.get(&HEURISTIC),
            arrivals: settings.get(&ARRIVALS),
            max_slowdown: scaled(&MAX_SLOWDOWN),
            memory: scaled(&MEMORY),
            weakly: settings.get(&WEAKLY),
        }
    }

    /// The first test that a guest does not pass; and by how much each would be slowed down, the
    /// host first, where that was asked.
    pub fn judge(&self, pairing: &Pairing, host: &Party, guest: &Party) -> (Verdict, [i64; 2]) {
        beat(16);
        let slowdowns = || pairing.of_both(host.demand.as_ref(), guest.demand.as_ref());
        if self.heuristic == Heuristic::Always {
            return if guest.size <= host.size {
                (Verdict::Candidate, slowdowns())
            } else {
                (Verdict::Size, [0; 2])
            };
        }
        if guest.is_short || host.is_short {
            return (Verdict::Short, [0; 2]);
        }
        if guest.size > host.size {
            return (Verdict::Size, [0; 2]);
        }
        let (Some(one), Some(other)) = (&host.demand, &guest.demand) else {
            return (Verdict::Memory, [0; 2]);
        };
        if one.memory + other.memory > self.memory {
            return (Verdict::Memory, [0; 2]);
        }
        let (most, others) = (one.most(), other.most());
        if !go_together(pairing.standard, most, others) {
            return (Verdict::Class, [0; 2]);
        }
        let slowdowns = slowdowns();
        // Of two that are bound by the CPU, only such as do not compete for it.
        let compete =
            most == Resource::Cpu && others == Resource::Cpu && pairing.compete(one, other);
        let suits = slowdowns[0].max(slowdowns[1]) <= self.max_slowdown && !compete;
        (
            if suits {
                Verdict::Candidate
            } else {
                Verdict::Slowdown
            },
            slowdowns,
        )
    }

    /// What a pair is worth: only above 0 it is anything. `place` is the guest's among the jobs of
    /// `line`.
    pub fn gain(
        &self,
        host: &Party,
        guest: &Party,
        slowdown: i64,
        line: Option<(&Line, usize)>,
    ) -> f64 {
        match (self.heuristic, line) {
            (Heuristic::Gain1, _) => utilisation(host, guest, slowdown) * overlap(host, guest),
            (Heuristic::Gain2, _) => utilisation(host, guest, slowdown),
            (Heuristic::Response, Some((line, place))) => line.impact(host, guest, slowdown, place),
            _ => 1.0,
        }
    }

    /// Whether the first that passes all tests is taken.
    pub fn takes_first(&self) -> bool {
        matches!(
            self.heuristic,
            Heuristic::First | Heuristic::Adjacent | Heuristic::Always
        )
    }
}

/// Whether jobs that need these most can share nodes (figure 4): different ones, or both the CPU;
/// on standard CPUs the CPU and the disk alone.
pub fn go_together(standard: bool, one: Resource, other: Resource) -> bool {
    let (first, second) = (one.min(other), one.max(other));
    if standard {
        (first, second) == (Resource::Cpu, Resource::Disk)
    } else {
        first != second || first == Resource::Cpu
    }
}

/// The gain of utilisation while both run, over the nodes of the larger one: what the shared nodes
/// do more than one job would, less what the larger job's other nodes do less.
fn utilisation(host: &Party, guest: &Party, slowdown: i64) -> f64 {
    let slowdown = slowdown as f64 / 1e4;
    let (most, least) = (
        f64::from(host.size.max(guest.size)),
        f64::from(host.size.min(guest.size)),
    );
    (least * (2.0 / slowdown - 1.0) - (most - least) * (1.0 - 1.0 / slowdown)) / most
}

/// The shorter over the longer run time.
fn overlap(host: &Party, guest: &Party) -> f64 {
    let (one, other) = (host.left.seconds(), guest.left.seconds());
    one.min(other) / one.max(other)
}

/// Jobs of a kind that arrive: how many in a second, and the mean of their work in node seconds.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct ArrivalStream {
    /// See there.
    pub rate: f64,
    /// See there.
    pub work: f64,
}

/// The waiting jobs, in order, as the impact on their response times sees them: all nodes work off
/// one job after the other.
#[derive(Clone, Debug)]
pub struct Line {
    nodes: f64,
    arrivals: Arrivals,
    /// Short jobs that arrive, and others.
    streams: [ArrivalStream; 2],
    /// When the host is done.
    base: f64,
    /// When each is done; and what one over that is in sum for all before it, and in the end for
    /// all.
    done: Vec<f64>,
    inverse: Vec<f64>,
}

impl Line {
    /// The line behind a host, of so many nodes; `work` of the waiting jobs in order, in node
    /// seconds.
    pub fn new(
        nodes: u32,
        host: &Party,
        work: impl Iterator<Item = f64>,
        arrivals: Arrivals,
        streams: [ArrivalStream; 2],
    ) -> Self {
        let nodes = f64::from(nodes);
        let base = host.work() / nodes;
        let mut line = Self {
            nodes,
            arrivals,
            streams,
            base,
            done: Vec::new(),
            inverse: vec![0.0],
        };
        let (mut end, mut sum) = (base, 0.0);
        for work in work {
            end += work / nodes;
            sum += 1.0 / end;
            line.done.push(end);
            line.inverse.push(sum);
        }
        line
    }

    /// One over the response times, from now on, of the jobs that will arrive until all that is
    /// here now is done: in sum of those that a guest which moves ahead from `done` pushes down,
    /// and of those that it pulls up.
    ///
    /// Short jobs go to the head of the queue. Those that come before the guest's turn would have
    /// come have to wait for it now; later ones find less before them. The others go behind all
    /// that is here.
    fn arriving(&self, done: f64) -> (f64, f64) {
        let end = self.done.last().copied().unwrap_or(self.base);
        let [short, others] = self.streams;
        // A stream is taken as even: what would be a sum over its jobs is an integral over time, of
        // one over a time that rises.
        let between = |from: f64, to: f64| libm::log(to / from);
        let each = |stream: ArrivalStream| stream.work / self.nodes;
        match self.arrivals {
            Arrivals::None => (0.0, 0.0),
            Arrivals::Printed => {
                let all = |stream: ArrivalStream| {
                    if stream.work > 0.0 {
                        stream.rate * end / each(stream)
                    } else {
                        0.0
                    }
                };
                (all(short), all(others))
            }
            Arrivals::Queued => {
                let behind = if others.work > 0.0 {
                    between(end, end + others.rate * end * each(others)) / each(others)
                } else {
                    0.0
                };
                (
                    short.rate * between(self.base, self.base + done),
                    short.rate * between(self.base + done, self.base + end) + behind,
                )
            }
        }
    }

    /// Figure 5: by how much response times get better, less by how much they get worse, each
    /// relative to itself, if the job at this place runs beside the host.
    fn impact(&self, host: &Party, guest: &Party, slowdown: i64, place: usize) -> f64 {
        let slowdown = slowdown as f64 / 1e4;
        let (one, other) = (host.left.seconds(), guest.left.seconds());
        let pair = (one.min(other) * (slowdown - 1.0) + one.max(other))
            * f64::from(host.size.max(guest.size));
        let delay = (pair - host.work()) / self.nodes;
        let improvement = guest.work() / self.nodes - delay;
        let (Some(done), Some(before), Some(with), Some(all)) = (
            self.done.get(place),
            self.inverse.get(place),
            self.inverse.get(place + 1),
            self.inverse.last(),
        ) else {
            return 0.0;
        };
        let (pushed, pulled) = self.arriving(*done);
        let increase = delay * (1.0 / self.base + before + pushed);
        let decrease = (done - guest.work() * slowdown / self.nodes) / done
            + improvement * (all - with + pulled);
        decrease - increase
    }
}
