//! LOMARC: jobs that need different resources share nodes, and the policy searches the queue and
//! the running jobs for the best partner. A node does more work with two jobs at the same time than
//! with one after the other, if the two suit each other.
//!
//! A. C. Sodan and L. Lan, "LOMARC: lookahead matchmaking for multi-resource coscheduling", JSSPP
//! 2004, section 5.

use super::tools::order::{
    AGING, MEDIUM, ORDER_CLASSES, Ranking, SHORT, WEIGHT_EXPANSION, WEIGHT_PASSED, WEIGHT_SIZE,
    WEIGHT_WAIT,
};
use super::tools::prediction::{CORRECTION, ESTIMATES, with_beliefs};
use super::tools::reservation::Profile;
use super::tools::sharing::{
    ARRIVALS, ArrivalStream, HEURISTIC, Heuristic, Host, Line, MAX_SLOWDOWN, MEMORY, Matching,
    Nodes, Party, WEAKLY, above, together,
};
use super::tools::spec::{Needs, Spec};
use crate::job::JobId;
use crate::machine::Placement;
use crate::machines::smt::{Pairing, Search, Sharing, Tried, Verdict};
use crate::param::{Settings, Typed, words};
use crate::sim::Policy;
use crate::sim::{Reservation, Turn, Waiting, Why};
use crate::time::{Span, Time};

words! {
    /// The rule by which jobs may start before a job that must wait.
    enum Backfilling {
        Easy = "easy": "the first job that must wait holds a reservation, which no other job \
            delays",
        Conservative = "conservative": "every job that must wait holds a reservation, made again \
            at every decision",
        None = "none": "no job starts before a job that must wait",
    }
}

const BACKFILL: Typed<Backfilling> =
    Backfilling::param("backfilling", "Backfilling", Backfilling::Easy)
        .help("The rule by which jobs may start before a job that must wait");

/// The policy's description.
pub const SPEC: Spec = Spec {
    id: "lomarc",
    name: "LOMARC",
    summary: "Jobs that need different resources share nodes; the policy searches the queue and \
        the running jobs for the best partner.",
    paper: "Sodan and Lan, JSSPP 2004",
    needs: Needs::Sharing,
    params: &[
        HEURISTIC.param,
        ORDER_CLASSES.param,
        SHORT.param,
        MEDIUM.param,
        AGING.param,
        BACKFILL.param,
        MAX_SLOWDOWN.param,
        MEMORY.param,
        WEAKLY.param,
        ARRIVALS.param,
        ESTIMATES.param,
        CORRECTION.param,
        WEIGHT_WAIT.param,
        WEIGHT_EXPANSION.param,
        WEIGHT_SIZE.param,
        WEIGHT_PASSED.param,
    ],
    build: &|settings| with_beliefs(Lomarc::new(settings), settings),
};

#[derive(Clone)]
struct Lomarc {
    order: Ranking,
    matching: Matching,
    /// The longest belief about a short job.
    short: Span,
    /// The largest number of waiting jobs that hold a reservation.
    depth: usize,
    /// True if other jobs may start before a job that must wait.
    passes: bool,
    /// Number and total work, in node-seconds, of the short jobs that have arrived, and of the
    /// others.
    arrived: [(u32, f64); 2],
}

/// The result of the start of a waiting job.
struct Started {
    /// The partner that started with it, by its index among the waiting jobs.
    partner: Option<usize>,
}

/// Two jobs that may share nodes.
struct Pair<'a> {
    /// Index of the possible partner, in [`Decision::waiting`] or [`Decision::alone`].
    index: usize,
    host: &'a Party,
    guest: &'a Party,
    /// The time until which the host holds its nodes without the guest. The present for a host that
    /// has not started yet.
    until: Time,
    /// Index of the guest in the line behind the host.
    place: usize,
}

/// The state of a decision that is being made.
struct Decision {
    pairing: Pairing,
    nodes: Nodes,
    /// The longest belief about a short job.
    short: Span,
    /// The running jobs that share no nodes: the index of each in [`Nodes::hosts`], the job, and
    /// its expected end. They are in order of these ends, ties by arrival.
    alone: Vec<(usize, Party, Time)>,
    profile: Profile,
    reservations: Vec<Reservation>,
    /// The waiting jobs in order, without those that have started.
    waiting: Vec<Party>,
    /// The expected arrivals of short jobs, and of other jobs.
    streams: [ArrivalStream; 2],
    /// Number of nodes that the waiting jobs ask for.
    demand: u64,
}

impl Lomarc {
    fn new(settings: &Settings) -> Self {
        let (depth, passes) = match settings.get(&BACKFILL) {
            Backfilling::Conservative => (usize::MAX, true),
            Backfilling::None => (0, false),
            Backfilling::Easy => (1, true),
        };
        Self {
            order: Ranking::new(settings, &ORDER_CLASSES),
            matching: Matching::new(settings),
            short: Span::SECOND.scaled(settings.get(&SHORT)),
            depth,
            passes,
            arrived: [(0, 0.0); 2],
        }
    }

    /// Describes a waiting job as a possible partner.
    fn party(&self, turn: &Turn<'_>, job: &Waiting) -> Party {
        let left =
            Span::from_microseconds(job.expected.microseconds() / turn.stretch()).max(Span::SECOND);
        Party {
            job: job.job,
            size: job.processors,
            left,
            is_short: left <= self.short,
            demand: turn.demand(job.job).copied(),
        }
    }

    fn note_arrivals(&mut self, turn: &Turn<'_>) {
        for job in turn.arrived() {
            let Some(job) = turn.queue().entry(*job) else {
                continue;
            };
            let party = self.party(turn, job);
            let (jobs, work) = &mut self.arrived[usize::from(!party.is_short)];
            *jobs += 1;
            *work += party.work();
        }
    }

    /// Returns the expected arrivals of short jobs and of other jobs, from those that have arrived
    /// so far.
    fn streams(&self, turn: &Turn<'_>) -> [ArrivalStream; 2] {
        let seconds = (turn.now() - turn.began()).seconds();
        self.arrived.map(|(jobs, work)| {
            if jobs == 0 || seconds <= 0.0 {
                ArrivalStream::default()
            } else {
                ArrivalStream {
                    rate: f64::from(jobs) / seconds,
                    work: work / f64::from(jobs),
                }
            }
        })
    }

    /// True if any jobs may share nodes now.
    fn may_share(&self, decision: &Decision) -> bool {
        let is_weak =
            decision.demand as f64 <= self.matching.weakly * f64::from(decision.nodes.free());
        match self.matching.heuristic {
            Heuristic::Nobody => false,
            Heuristic::Always => decision.nodes.can_share(),
            _ => decision.nodes.can_share() && !is_weak,
        }
    }

    /// Builds the line of waiting jobs behind a host. Returns `None` if the heuristic needs no
    /// line.
    fn line(&self, decision: &Decision, host: &Party) -> Option<Line> {
        if self.matching.heuristic != Heuristic::Response {
            return None;
        }
        let others = decision
            .waiting
            .iter()
            .filter(|party| party.job != host.job);
        Some(Line::new(
            decision.nodes.count(),
            host,
            others.map(Party::work),
            self.matching.arrivals,
            decision.streams,
        ))
    }

    /// True if the policy looks for no partner of this job.
    fn is_left_out(&self, job: &Party, decision: &Decision) -> bool {
        (job.is_short && self.matching.heuristic != Heuristic::Always) || !self.may_share(decision)
    }

    /// Returns the best partner of a waiting job that starts on free nodes, by its index among the
    /// waiting jobs.
    fn partner_among_waiting(
        &self,
        turn: &mut Turn<'_>,
        decision: &Decision,
        at: usize,
    ) -> Option<usize> {
        let host = decision.waiting[at];
        if self.is_left_out(&host, decision) {
            return None;
        }
        // This heuristic considers only the job behind the host in the queue, even if the host
        // passes other jobs.
        let is_adjacent = self.matching.heuristic == Heuristic::Adjacent;
        let guests = decision
            .waiting
            .iter()
            .enumerate()
            .filter(|(guest, party)| {
                *guest != at
                    && (!is_adjacent || *guest == at + 1)
                    && !decision.is_reserved(party.job)
            });
        let place = |guest: usize| guest - usize::from(guest > at);
        let now = turn.now();
        let pairs = guests.map(|(index, guest)| Pair {
            index,
            host: &host,
            guest,
            until: now,
            place: place(index),
        });
        self.choose(turn, decision, host.job, pairs)
    }

    /// Returns the best running partner of a waiting job that cannot start otherwise, by its index
    /// in [`Decision::alone`].
    fn partner_among_running(
        &self,
        turn: &mut Turn<'_>,
        decision: &Decision,
        at: usize,
    ) -> Option<usize> {
        let guest = decision.waiting[at];
        if self.matching.heuristic == Heuristic::Adjacent || self.is_left_out(&guest, decision) {
            return None;
        }
        if decision.alone.is_empty() {
            return None;
        }
        let pairs = decision.alone.iter().enumerate();
        let pairs = pairs.map(|(index, (_, host, until))| Pair {
            index,
            host,
            guest: &guest,
            until: *until,
            place: at,
        });
        self.choose(turn, decision, guest.job, pairs)
    }

    /// Chooses the pair with the largest worth above 0, and returns the index of the partner.
    /// `job` is the job for which the policy looks for a partner.
    fn choose<'a>(
        &self,
        turn: &mut Turn<'_>,
        decision: &Decision,
        job: JobId,
        pairs: impl Iterator<Item = Pair<'a>>,
    ) -> Option<usize> {
        let partner = |pair: &Pair<'_>| {
            if pair.host.job == job {
                pair.guest.job
            } else {
                pair.host.job
            }
        };
        let mut tried: Vec<Tried> = Vec::with_capacity(pairs.size_hint().1.unwrap_or(0));
        let mut best: Option<(f64, Pair<'_>)> = None;
        let mut line: Option<(JobId, Option<Line>)> = None;
        let mut among_running = false;
        for pair in pairs {
            let Pair {
                host, guest, place, ..
            } = pair;
            among_running = guest.job == job;
            let (mut verdict, slowdowns) = self.matching.judge(&decision.pairing, host, guest);
            let slowdown = slowdowns[0].max(slowdowns[1]);
            if verdict == Verdict::Candidate && !decision.admits(turn.now(), &pair, slowdowns) {
                verdict = Verdict::Reservation;
            }
            tried.push(Tried {
                job: partner(&pair),
                verdict,
                slowdown,
                gain: 0.0,
            });
            if verdict == Verdict::Candidate {
                if line.as_ref().is_none_or(|(of, _)| *of != host.job) {
                    line = Some((host.job, self.line(decision, host)));
                }
                let line = line.as_ref().and_then(|(_, line)| line.as_ref());
                let gain =
                    self.matching
                        .gain(host, guest, slowdown, line.map(|line| (line, place)));
                if let Some(tried) = tried.last_mut() {
                    tried.gain = gain;
                }
                if gain > best.as_ref().map_or(0.0, |(most, _)| *most) {
                    best = Some((gain, pair));
                }
            }
            if best.is_some() && self.matching.takes_first() {
                break;
            }
        }
        let chosen = best.map(|(_, pair)| pair);
        turn.note(&Search {
            job,
            among_running,
            tried,
            chosen: chosen.as_ref().map(partner),
        });
        chosen.map(|pair| pair.index)
    }

    /// Starts a waiting job if possible: on free nodes, alone or with a partner, or on the nodes of
    /// a running partner.
    fn start(
        &mut self,
        turn: &mut Turn<'_>,
        decision: &mut Decision,
        at: usize,
    ) -> Option<Started> {
        let (now, job) = (turn.now(), decision.waiting[at]);
        if job.size <= decision.nodes.free() && decision.profile.fits_now(job.size, job.left) {
            let partner = self.partner_among_waiting(turn, decision, at);
            let nodes = decision.nodes.lowest(job.size);
            if !self.place(turn, &job, nodes.get()) {
                return None;
            }
            decision.profile.reserve(now, job.left, job.size);
            let guest = |partner: usize| decision.waiting[partner];
            let partner = partner.filter(|partner| {
                self.place(
                    turn,
                    &guest(*partner),
                    above(nodes.get(), guest(*partner).size).get(),
                )
            });
            if let Some(partner) = partner {
                decision.share(now, now.saturating_add(job.left), &job, &guest(partner));
            }
            return Some(Started { partner });
        }
        let (index, host, until) =
            decision.alone[self.partner_among_running(turn, decision, at)?];
        if !self.place(turn, &job, decision.nodes.beside(index, job.size).get()) {
            return None;
        }
        decision.share(now, until, &host, &job);
        Some(Started { partner: None })
    }

    fn place(&mut self, turn: &mut Turn<'_>, job: &Party, nodes: Placement<'_>) -> bool {
        let Some(job) = turn.queue().entry(job.job).copied() else {
            return false;
        };
        self.order.start_at(turn, &job, nodes)
    }

    fn schedule(&mut self, turn: &mut Turn<'_>, pairing: Pairing) -> Decision {
        let waiting = self
            .order
            .sorted(turn)
            .iter()
            .map(|job| self.party(turn, job))
            .collect();
        let mut decision = Decision::new(turn, pairing, self.short, waiting, self.streams(turn));
        let mut at = 0;
        while at < decision.waiting.len() {
            let can_share = !decision.alone.is_empty() && self.may_share(&decision);
            let is_full = decision.nodes.free() == 0 && !can_share;
            if is_full && !(turn.is_watched() && decision.reservations.len() < self.depth) {
                break;
            }
            if let Some(Started { partner }) = self.start(turn, &mut decision, at) {
                decision.started(turn, at, partner);
                at -= usize::from(partner.is_some_and(|partner| partner < at));
                continue;
            }
            if !self.passes {
                break;
            }
            if decision.reservations.len() < self.depth {
                decision.reserve(decision.waiting[at]);
            }
            at += 1;
        }
        decision
    }
}

impl Decision {
    fn new(
        turn: &Turn<'_>,
        pairing: Pairing,
        short: Span,
        waiting: Vec<Party>,
        streams: [ArrivalStream; 2],
    ) -> Self {
        let nodes = Nodes::of(turn, &pairing);
        let demand = waiting.iter().map(|job| u64::from(job.size)).sum();
        let profile = nodes.profile();
        let mut decision = Self {
            pairing,
            nodes,
            short,
            alone: Vec::new(),
            profile,
            reservations: Vec::new(),
            waiting,
            streams,
            demand,
        };
        decision.find_alone(turn);
        decision
    }

    fn find_alone(&mut self, turn: &Turn<'_>) {
        let party = |host: &Host| Party {
            job: host.job,
            size: host.size,
            left: host.left,
            is_short: host.expected <= self.short,
            demand: turn.demand(host.job).copied(),
        };
        self.alone.clear();
        let hosts = self
            .nodes
            .hosts()
            .iter()
            .enumerate()
            .filter(|(_, host)| host.is_alone);
        self.alone
            .extend(hosts.map(|(index, host)| (index, party(host), host.end)));
        crate::sorting::by(&mut self.alone, |(_, host, end)| {
            [end.microseconds().into(), host.job.0.into()]
        });
    }

    fn reserve(
        &mut self,
        Party {
            job, size, left, ..
        }: Party,
    ) {
        if let Some(start) = self.profile.earliest(size, left) {
            self.profile.reserve(start, left, size);
            self.reservations.push(Reservation {
                job,
                start,
                extra: None,
            });
        }
    }

    /// True if the waiting job holds a reservation.
    fn is_reserved(&self, job: JobId) -> bool {
        self.reservations
            .iter()
            .any(|reservation| reservation.job == job)
    }

    /// True if the pair disturbs no reservation. The host holds all its nodes until it ends; the
    /// shared nodes are held until the guest has ended too.
    fn admits(
        &self,
        now: Time,
        Pair {
            host,
            guest,
            until: from,
            ..
        }: &Pair<'_>,
        slowdowns: [i64; 2],
    ) -> bool {
        if self.reservations.is_empty() {
            return true;
        }
        let [ends, guests_end] = together(now, [host.left, guest.left], slowdowns);
        self.profile.holds(*from, ends, host.size)
            && self.profile.holds(ends.max(*from), guests_end, guest.size)
    }

    /// Reserves the nodes of a pair from `from` on, the time until which the host holds them
    /// without the guest. The host holds the nodes that it does not share until it ends. The shared
    /// nodes are held until both jobs have ended.
    fn share(&mut self, now: Time, from: Time, host: &Party, guest: &Party) {
        let slowdowns = self
            .pairing
            .of_both(host.demand.as_ref(), guest.demand.as_ref());
        let [ends, guests_end] = together(now, [host.left, guest.left], slowdowns);
        let last = ends.max(guests_end);
        if ends > from {
            self.profile
                .reserve(from, ends - from, host.size - guest.size);
        }
        if last > from {
            self.profile.reserve(from, last - from, guest.size);
        }
    }

    /// Removes the job at this index and its partner, which have started, from the waiting jobs.
    fn started(&mut self, turn: &Turn<'_>, at: usize, partner: Option<usize>) {
        let mut leave = |at: usize| self.demand -= u64::from(self.waiting.remove(at).size);
        // The later job goes first, so that the index of the other one stays valid.
        match partner {
            Some(partner) if partner > at => [partner, at].into_iter().for_each(leave),
            Some(partner) => [at, partner].into_iter().for_each(leave),
            None => leave(at),
        }
        self.nodes = Nodes::of(turn, &self.pairing);
        self.find_alone(turn);
    }

    fn explain(&self, turn: &mut Turn<'_>) {
        let free = self.nodes.free();
        let head = self.reservations.first();
        turn.explain(&self.reservations, |job| match head {
            _ if job.processors > free => Why::Processors { free },
            Some(head) if head.job != job.job => Why::Reserved { by: head.job },
            None => self
                .waiting
                .first()
                .map_or(Why::NotTried, |first| Why::Behind { ahead: first.job }),
            Some(_) => Why::NotTried,
        });
    }
}

impl Policy for Lomarc {
    fn decide(&mut self, turn: &mut Turn<'_>) {
        self.note_arrivals(turn);
        let Some(pairing) = turn.offer().map(Sharing::pairing) else {
            return;
        };
        let decision = self.schedule(turn, pairing);
        if turn.is_watched() {
            decision.explain(turn);
        }
    }

    fn fork(&self) -> Box<dyn Policy> {
        Box::new(self.clone())
    }
}
