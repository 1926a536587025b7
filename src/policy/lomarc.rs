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
    Nodes, Party, Reach, WEAKLY, above, together,
};
use super::tools::spec::{Needs, Spec};
use crate::job::JobId;
use crate::machine::Placement;
use crate::machines::smt::{Pairing, Search, Sharing, Tried, Verdict};
use crate::param::{Settings, Typed, words};
use crate::sim::Policy;
use crate::sim::{Reservation, Turn, Waiting, Why};
use crate::time::{Span, Time};
use std::cell::OnceCell;

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
    check: &|_| Ok(Vec::new()),
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

/// The largest number of jobs in all lines of a decision for which the lines are kept: 64 MB.
const KEPT: usize = 1 << 22;

/// A running job that shares no nodes.
struct Alone {
    /// Index of the job in [`Nodes::hosts`].
    index: usize,
    party: Party,
    /// Expected end of the job.
    end: Time,
    /// The line of waiting jobs behind it, if the policy has built it.
    line: OnceCell<Line>,
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
    /// The line, if the policy has built it.
    line: &'a OnceCell<Line>,
}

/// The state of a decision that is being made.
struct Decision {
    pairing: Pairing,
    /// True if an observer wants every search, and reasons.
    is_watched: bool,
    nodes: Nodes,
    /// The longest belief about a short job.
    short: Span,
    /// The running jobs that share no nodes, in order of their expected ends, ties by arrival.
    alone: Vec<Alone>,
    /// The largest guests that may share nodes with these jobs.
    reach: Reach,
    profile: Profile,
    reservations: Vec<Reservation>,
    /// The waiting jobs in order, without those that have started.
    waiting: Vec<Waiting>,
    /// The time that all nodes need for each waiting job, in seconds, if the policy has computed it.
    shares: OnceCell<Vec<f64>>,
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

    fn note_arrivals(&mut self, turn: &Turn<'_>) {
        for job in turn.arrived() {
            let Some(job) = turn.queue().entry(*job) else {
                continue;
            };
            let party = party(turn, self.short, job);
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

    /// True if no job can start: no node is free, and no running job may get a partner.
    fn is_full(&self, decision: &Decision) -> bool {
        decision.nodes.free() == 0 && (decision.alone.is_empty() || !self.may_share(decision))
    }

    /// Builds the line of waiting jobs behind a host, which may wait itself.
    fn line(&self, turn: &Turn<'_>, decision: &Decision, host: &Party) -> Line {
        let nodes = decision.nodes.count();
        let shares = decision.shares.get_or_init(|| {
            let share = |job| party(turn, decision.short, job).work() / f64::from(nodes);
            decision.waiting.iter().map(share).collect()
        });
        let others = decision.waiting.iter().zip(shares);
        Line::new(
            nodes,
            host,
            others
                .filter(|(job, _)| job.job != host.job)
                .map(|(_, share)| *share),
            self.matching.arrivals,
            decision.streams,
        )
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
        let host = party(turn, self.short, &decision.waiting[at]);
        if self.is_left_out(&host, decision) {
            return None;
        }
        // This heuristic considers only the job behind the host in the queue, even if the host
        // passes other jobs.
        let is_adjacent = self.matching.heuristic == Heuristic::Adjacent;
        let guests: Vec<(usize, Party)> = decision
            .waiting
            .iter()
            .enumerate()
            .filter(|(guest, waiting)| {
                *guest != at
                    && (!is_adjacent || *guest == at + 1)
                    && !decision.is_reserved(waiting.job)
            })
            .map(|(guest, waiting)| (guest, party(turn, self.short, waiting)))
            .collect();
        let place = |guest: usize| guest - usize::from(guest > at);
        let line = OnceCell::new();
        let pairs = guests.iter().map(|(index, guest)| Pair {
            index: *index,
            host: &host,
            guest,
            until: turn.now(),
            place: place(*index),
            line: &line,
        });
        let (chosen, search) = self.choose(turn, decision, host.job, true, pairs);
        turn.note(&search);
        chosen
    }

    /// Returns the best running partner of a waiting job that cannot start otherwise, by its index
    /// in [`Decision::alone`].
    fn partner_among_running(
        &self,
        turn: &mut Turn<'_>,
        decision: &Decision,
        at: usize,
    ) -> Option<usize> {
        if self.matching.heuristic == Heuristic::Adjacent {
            return None;
        }
        let waiting = &decision.waiting[at];
        let (size, is_told) = (waiting.processors, decision.is_watched);
        if !is_told && !decision.reach.admits(size, turn.demand(waiting.job)) {
            return None;
        }
        let guest = party(turn, self.short, waiting);
        if self.is_left_out(&guest, decision) || decision.alone.is_empty() {
            return None;
        }
        let hosts = decision.alone.iter().enumerate();
        let hosts = hosts.filter(|(_, host)| is_told || size <= host.party.size);
        let pairs = hosts.map(|(index, host)| Pair {
            index,
            host: &host.party,
            guest: &guest,
            until: host.end,
            place: at,
            line: &host.line,
        });
        let (chosen, search) = self.choose(turn, decision, guest.job, is_told, pairs);
        // Millions of these searches find nothing, and the record counts none of them.
        if is_told || chosen.is_some() {
            turn.note(&search);
        }
        chosen
    }

    /// Chooses the pair with the largest worth above 0. Returns the index of the partner, and the
    /// search. `job` is the job for which the policy looks for a partner. `is_told` is true if the
    /// search must list the jobs that were considered.
    fn choose<'a>(
        &self,
        turn: &Turn<'_>,
        decision: &Decision,
        job: JobId,
        is_told: bool,
        pairs: impl Iterator<Item = Pair<'a>>,
    ) -> (Option<usize>, Search) {
        let mut search = Search {
            job,
            among_running: false,
            tried: Vec::new(),
            chosen: None,
        };
        let mut best: Option<(f64, usize)> = None;
        for pair in pairs {
            let Pair { host, guest, .. } = pair;
            search.among_running = guest.job == job;
            let most = best.map_or(0.0, |(most, _)| most);
            let (mut verdict, slowdowns) = self.matching.judge(&decision.pairing, host, guest);
            let slowdown = slowdowns[0].max(slowdowns[1]);
            if !is_told
                && (verdict != Verdict::Candidate
                    || (self.matching).is_hopeless(decision.nodes.count(), host, guest, slowdown))
            {
                continue;
            }
            if verdict == Verdict::Candidate && !decision.admits(turn.now(), &pair, slowdowns) {
                verdict = Verdict::Reservation;
            }
            let partner = if search.among_running {
                host.job
            } else {
                guest.job
            };
            let mut gain = 0.0;
            if verdict == Verdict::Candidate {
                let own = OnceCell::new();
                let kept = if decision.alone.len() * turn.queue().len() <= KEPT {
                    pair.line
                } else {
                    &own
                };
                let line = || kept.get_or_init(|| self.line(turn, decision, host));
                gain = self.matching.gain(host, guest, slowdown, pair.place, line);
                if gain > most {
                    best = Some((gain, pair.index));
                    search.chosen = Some(partner);
                }
            }
            if is_told {
                search.tried.push(Tried {
                    job: partner,
                    verdict,
                    slowdown,
                    gain,
                });
            }
            if best.is_some() && self.matching.takes_first() {
                break;
            }
        }
        (best.map(|(_, index)| index), search)
    }

    /// Starts a waiting job if possible: on free nodes, alone or with a partner, or on the nodes of
    /// a running partner.
    fn start(
        &mut self,
        turn: &mut Turn<'_>,
        decision: &mut Decision,
        at: usize,
    ) -> Option<Started> {
        let now = turn.now();
        let waiting = decision.waiting[at];
        if waiting.processors <= decision.nodes.free() {
            let job = party(turn, self.short, &waiting);
            if decision.profile.fits_now(job.size, job.left) {
                let partner = self.partner_among_waiting(turn, decision, at);
                let nodes = decision.nodes.lowest(job.size);
                if !self.place(turn, job.job, nodes.get()) {
                    return None;
                }
                decision.profile.reserve(now, job.left, job.size);
                let guest =
                    partner.map(|partner| party(turn, self.short, &decision.waiting[partner]));
                let guest = guest.filter(|guest| {
                    self.place(turn, guest.job, above(nodes.get(), guest.size).get())
                });
                if let Some(guest) = &guest {
                    decision.share(now, now.saturating_add(job.left), &job, guest);
                }
                return Some(Started {
                    partner: partner.filter(|_| guest.is_some()),
                });
            }
        }
        let index = self.partner_among_running(turn, decision, at)?;
        let host = &decision.alone[index];
        let (until, host, index) = (host.end, host.party, host.index);
        let job = party(turn, self.short, &waiting);
        if !self.place(turn, job.job, decision.nodes.beside(index, job.size).get()) {
            return None;
        }
        decision.share(now, until, &host, &job);
        Some(Started { partner: None })
    }

    fn place(&mut self, turn: &mut Turn<'_>, job: JobId, nodes: Placement<'_>) -> bool {
        let Some(job) = turn.queue().entry(job).copied() else {
            return false;
        };
        self.order.start_at(turn, &job, nodes)
    }

    fn schedule(&mut self, turn: &mut Turn<'_>, pairing: Pairing) -> Decision {
        let mut decision = Decision::new(turn, pairing, self);
        let mut at = 0;
        if self.is_full(&decision) && !decision.is_watched {
            return decision;
        }
        decision.waiting = self.order.sorted(turn);
        while at < decision.waiting.len() {
            if self.is_full(&decision)
                && !(turn.is_watched() && decision.reservations.len() < self.depth)
            {
                break;
            }
            if let Some(Started { partner }) = self.start(turn, &mut decision, at) {
                decision.started(turn, &self.matching, at, partner);
                at -= usize::from(partner.is_some_and(|partner| partner < at));
                continue;
            }
            if !self.passes {
                break;
            }
            if decision.reservations.len() < self.depth {
                decision.reserve(&party(turn, self.short, &decision.waiting[at]));
            }
            at += 1;
        }
        decision
    }
}

/// Describes a waiting job as a possible partner.
fn party(turn: &Turn<'_>, short: Span, job: &Waiting) -> Party {
    let left =
        Span::from_microseconds(job.expected.microseconds() / turn.stretch()).max(Span::SECOND);
    Party {
        job: job.job,
        size: job.processors,
        left,
        is_short: left <= short,
        demand: turn.demand(job.job).copied(),
    }
}

impl Decision {
    fn new(turn: &Turn<'_>, pairing: Pairing, policy: &Lomarc) -> Self {
        let nodes = Nodes::of(turn, &pairing);
        let sizes = turn.queue().iter().map(|job| u64::from(job.processors));
        let profile = nodes.profile();
        let mut decision = Self {
            pairing,
            is_watched: turn.is_watched(),
            nodes,
            short: policy.short,
            alone: Vec::new(),
            reach: Reach::default(),
            profile,
            reservations: Vec::new(),
            waiting: Vec::new(),
            shares: OnceCell::new(),
            streams: policy.streams(turn),
            demand: sizes.sum(),
        };
        decision.find_alone(turn, &policy.matching);
        decision
    }

    fn find_alone(&mut self, turn: &Turn<'_>, matching: &Matching) {
        let party = |host: &Host| Party {
            job: host.job,
            size: host.size,
            left: host.left,
            is_short: host.expected <= self.short,
            demand: turn.demand(host.job).copied(),
        };
        self.alone.clear();
        let hosts = self.nodes.hosts().iter().enumerate();
        let alone = hosts.filter(|(_, host)| host.is_alone);
        self.alone.extend(alone.map(|(index, host)| Alone {
            index,
            party: party(host),
            end: host.end,
            line: OnceCell::new(),
        }));
        crate::sorting::by(&mut self.alone, |host| {
            [host.end.microseconds().into(), host.party.job.0.into()]
        });
        let hosts = self.alone.iter().map(|host| &host.party);
        self.reach = matching.reach(&self.pairing, hosts);
    }

    fn reserve(&mut self, job: &Party) {
        let Party {
            job, size, left, ..
        } = *job;
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
    fn started(&mut self, turn: &Turn<'_>, matching: &Matching, at: usize, partner: Option<usize>) {
        let mut leave = |at: usize| self.demand -= u64::from(self.waiting.remove(at).processors);
        // The later job goes first, so that the index of the other one stays valid.
        match partner {
            Some(partner) if partner > at => [partner, at].into_iter().for_each(leave),
            Some(partner) => [at, partner].into_iter().for_each(leave),
            None => leave(at),
        }
        self.shares.take();
        self.nodes = Nodes::of(turn, &self.pairing);
        self.find_alone(turn, matching);
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
