//! Matchmaking: the choice of the job that shares nodes best with another job.
//!
//! A. C. Sodan and L. Lan, "LOMARC: lookahead matchmaking for multi-resource coscheduling", JSSPP
//! 2004, section 5.2. The *host* is the job on whose nodes both jobs run. The *guest* is the other
//! job, which is no larger.

use crate::job::{Demand, JobId, Resource};
use crate::machines::smt::{Pairing, Verdict};
use crate::param::{Settings, Typed, When, real, words};
use crate::pulse::beat;
use crate::time::Span;

words! {
    /// The rule that chooses the partner of a job.
    pub enum Heuristic {
        Response = "response": "the job with the best impact on response times (L-R)",
        Gain1 = "gain1": "the job with the largest gain of utilisation over the time of the longer \
            job (L-U1; L-N on standard CPUs)",
        Gain2 = "gain2": "the job with the largest gain of utilisation while both run (L-U2)",
        First = "first": "the first job that passes the tests (L-FM)",
        Adjacent = "adjacent": "the next job in the queue, if it passes the tests (AM)",
        Always = "always": "the first job that is no larger, without other tests (AC)",
        Nobody = "none": "no job: space sharing (PSS)",
    }
}

/// The rule that chooses the partner of a job.
pub const HEURISTIC: Typed<Heuristic> =
    Heuristic::param("heuristic", "Partners", Heuristic::Response)
        .help("The rule that chooses the job with which a job shares nodes");

const MATCHED: When = When {
    keys: &["heuristic"],
    words: &["response", "gain1", "gain2", "first", "adjacent"],
};

/// The largest slowdown that a job of a pair may have.
pub const MAX_SLOWDOWN: Typed<f64> = real("max_slowdown", "Largest slowdown", 1.0..=10.0, 1.6)
    .unit("times")
    .when(MATCHED)
    .help("Two jobs share nodes only if they slow each other down by at most this factor");

/// The largest share of a node's memory that a pair may need.
pub const MEMORY: Typed<f64> = real("memory", "Memory of a pair", 0.0..=2.0, 1.0)
    .unit("of a node")
    .when(MATCHED)
    .help("Two jobs share nodes only if they together need at most this much memory");

/// The load below which the machine counts as weakly loaded.
pub const WEAKLY: Typed<f64> = real("weakly", "Weakly loaded", 0.0..=1.0, 0.8)
    .unit("of the free nodes")
    .when(MATCHED)
    .help(
        "No jobs share nodes while the waiting jobs ask for at most this share of the free nodes",
    );

words! {
    /// The rule by which the impact on response times counts jobs that are yet to arrive.
    pub enum Arrivals {
        Queued = "queued": "short jobs go to the head of the queue, other jobs behind it",
        Printed = "printed": "each job counts as if no other job were there, as the paper prints \
            it",
        None = "none": "jobs that are yet to arrive do not count",
    }
}

/// The rule by which the impact on response times counts jobs that are yet to arrive.
pub const ARRIVALS: Typed<Arrivals> =
    Arrivals::param("arrivals", "Predicted arrivals", Arrivals::Queued)
        .when(When {
            keys: &["heuristic"],
            words: &["response"],
        })
        .help("The rule that counts the jobs expected to arrive until the queue is worked off");

/// One of two jobs that may share nodes.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Party {
    /// Id of the job.
    pub job: JobId,
    /// Number of nodes that the job needs or holds.
    pub size: u32,
    /// Believed run time on nodes of its own. For a running job, the rest of it.
    pub left: Span,
    /// True if the job is too short to be worth the effort of matching.
    pub is_short: bool,
    /// Demand of the job for a node's resources, if it is known.
    pub demand: Option<Demand>,
}

impl Party {
    /// Returns the work of the job, in node-seconds.
    pub fn work(&self) -> f64 {
        self.left.seconds() * f64::from(self.size)
    }
}

/// The resources that a job may need most; `None` if that is not known.
const RESOURCES: [Option<Resource>; 4] = [
    Some(Resource::Cpu),
    Some(Resource::Network),
    Some(Resource::Disk),
    None,
];

/// The size of the largest host for each resource that a guest may need most. A guest that is
/// larger needs no search.
#[derive(Copy, Clone, Debug, Default)]
pub struct Reach([u32; RESOURCES.len()]);

impl Reach {
    /// True if there may be a host for a guest of this size and demand.
    pub fn admits(&self, size: u32, demand: Option<&Demand>) -> bool {
        // Most guests are larger than every host, which is seen without a look at their demand.
        self.0.iter().any(|reach| size <= *reach)
            && size <= self.0[demand.map_or(3, |demand| demand.most() as usize)]
    }
}

/// The tests that partners must pass, and the rule that chooses among those that pass.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Matching {
    /// The rule that chooses a partner.
    pub heuristic: Heuristic,
    /// The rule by which [`Heuristic::Response`] counts jobs that are yet to arrive.
    pub arrivals: Arrivals,
    /// The largest slowdown, in ten-thousandths.
    pub max_slowdown: i64,
    /// The most memory that a pair may need, in ten-thousandths of a node's memory.
    pub memory: i64,
    /// Share of the free nodes. While the waiting jobs ask for no more than this, no jobs share
    /// nodes.
    pub weakly: f64,
}

impl Matching {
    /// Reads the tests and the rule from the settings.
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

    /// Returns the first test that the guest fails, or [`Verdict::Candidate`] if it passes all.
    /// Also returns the slowdowns of host and guest, in ten-thousandths. These are 0 if the guest
    /// fails a test before the test of slowdowns.
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
        // Two jobs that need the CPU most suit each other only if their instructions do not compete
        // for it.
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

    /// Returns the largest guests that any of these hosts may take, so far as size and resources
    /// decide it.
    pub fn reach<'a>(&self, pairing: &Pairing, hosts: impl Iterator<Item = &'a Party>) -> Reach {
        let mut reach = Reach::default();
        for host in hosts {
            for (guest, size) in RESOURCES.iter().zip(&mut reach.0) {
                let takes = self.heuristic == Heuristic::Always
                    || !host.is_short
                        && host.demand.zip(*guest).is_some_and(|(demand, guest)| {
                            go_together(pairing.standard, demand.most(), guest)
                        });
                if takes {
                    *size = host.size.max(*size);
                }
            }
        }
        reach
    }

    /// Returns the worth of a pair. A pair is worth taking only above 0. `place` is the guest's
    /// index among the jobs of `line`, which is called only if the heuristic needs a line.
    pub fn gain<'a>(
        &self,
        host: &Party,
        guest: &Party,
        slowdown: i64,
        place: usize,
        line: impl FnOnce() -> &'a Line,
    ) -> f64 {
        match self.heuristic {
            Heuristic::Gain1 => utilisation(host, guest, slowdown) * overlap(host, guest),
            Heuristic::Gain2 => utilisation(host, guest, slowdown),
            Heuristic::Response => line().impact(host, guest, slowdown, place),
            _ => 1.0,
        }
    }

    /// True if a pair on this number of nodes surely has no worth above 0.
    pub fn is_hopeless(&self, nodes: u32, host: &Party, guest: &Party, slowdown: i64) -> bool {
        if self.heuristic != Heuristic::Response {
            return false;
        }
        // If the jobs behind the guest do not profit, only the guest does, by at most 1. Rounding
        // keeps the order of numbers, so the computed worth is not above 0 either.
        let nodes = f64::from(nodes);
        let (delay, improvement) = shift(nodes, host, guest, slowdown as f64 / 1e4);
        improvement <= 0.0 && delay * (1.0 / (host.work() / nodes)) >= 1.0
    }

    /// True if the first job that passes all tests is chosen.
    pub fn takes_first(&self) -> bool {
        matches!(
            self.heuristic,
            Heuristic::First | Heuristic::Adjacent | Heuristic::Always
        )
    }
}

/// True if jobs that need these resources most can share nodes (figure 4). The resources must
/// differ, or both be the CPU. On standard CPUs, one must be the CPU and the other the disk.
pub fn go_together(standard: bool, one: Resource, other: Resource) -> bool {
    let (first, second) = (one.min(other), one.max(other));
    if standard {
        (first, second) == (Resource::Cpu, Resource::Disk)
    } else {
        first != second || first == Resource::Cpu
    }
}

/// Returns the gain of utilisation while both jobs run, over the nodes of the larger job. The gain
/// is the additional work of the shared nodes, less the work that the larger job's other nodes
/// lose.
fn utilisation(host: &Party, guest: &Party, slowdown: i64) -> f64 {
    let slowdown = slowdown as f64 / 1e4;
    let (most, least) = (
        f64::from(host.size.max(guest.size)),
        f64::from(host.size.min(guest.size)),
    );
    (least * (2.0 / slowdown - 1.0) - (most - least) * (1.0 - 1.0 / slowdown)) / most
}

/// Returns the shorter run time over the longer one.
fn overlap(host: &Party, guest: &Party) -> f64 {
    let (one, other) = (host.left.seconds(), guest.left.seconds());
    one.min(other) / one.max(other)
}

/// Returns the seconds by which the jobs between host and guest are done later on this number of
/// nodes, and those by which the jobs behind the guest are done earlier.
fn shift(nodes: f64, host: &Party, guest: &Party, slowdown: f64) -> (f64, f64) {
    let (one, other) = (host.left.seconds(), guest.left.seconds());
    let pair =
        (one.min(other) * (slowdown - 1.0) + one.max(other)) * f64::from(host.size.max(guest.size));
    let delay = (pair - host.work()) / nodes;
    (delay, guest.work() / nodes - delay)
}

/// The expected arrivals of one kind of jobs.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct ArrivalStream {
    /// Number of jobs in a second.
    pub rate: f64,
    /// Mean work of these jobs, in node-seconds.
    pub work: f64,
}

/// The host and the waiting jobs in order, as if all nodes worked off one job after the other. The
/// impact on response times is measured in this model. All its times are in seconds from now.
#[derive(Clone, Debug)]
pub struct Line {
    nodes: f64,
    arrivals: Arrivals,
    /// The expected arrivals of short jobs, and of other jobs.
    streams: [ArrivalStream; 2],
    /// The time at which the host is done.
    base: f64,
    /// The time at which each waiting job is done.
    done: Vec<f64>,
    /// For each waiting job, the sum of 1 / `done` over the jobs before it; then the sum over all.
    inverse: Vec<f64>,
}

impl Line {
    /// Builds the line behind a host, on this number of nodes. `shares` has the time that all nodes
    /// need for each waiting job in order, in seconds.
    pub fn new(
        nodes: u32,
        host: &Party,
        shares: impl Iterator<Item = f64>,
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
        for share in shares {
            end += share;
            sum += 1.0 / end;
            line.done.push(end);
            line.inverse.push(sum);
        }
        line
    }

    /// Returns two sums of 1 / response time over the jobs that are expected to arrive until all
    /// present jobs are done. The guest moves ahead from its place, where it would be done at
    /// `done`. The first sum is over the arrivals that this pushes down, the second over those that
    /// it pulls up. Response times count from now on.
    ///
    /// Short jobs go to the head of the queue. Short jobs that arrive before `done` have to wait
    /// for the guest now; later ones have less work before them. Other jobs go behind all present
    /// jobs.
    fn arriving(&self, done: f64) -> (f64, f64) {
        let end = self.done.last().copied().unwrap_or(self.base);
        let [short, others] = self.streams;
        // A stream is taken for an even flow of jobs. Its total is therefore the integral of 1/t,
        // where t grows from `from` to `to`.
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

    /// Returns the impact on response times (figure 5) if the waiting job with this index runs
    /// beside the host: the relative decreases of response times, less the relative increases.
    fn impact(&self, host: &Party, guest: &Party, slowdown: i64, place: usize) -> f64 {
        let slowdown = slowdown as f64 / 1e4;
        let (delay, improvement) = shift(self.nodes, host, guest, slowdown);
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
