//! Reservations that last on a machine with nodes. A node plan does the work of a
//! [`super::plan::CountPlan`], by the same rules, with a timetable of nodes for the availability
//! profile: each reservation has its nodes as well as its start.

use super::plan::span;
use crate::job::JobId;
use crate::machine::{Ask, NodeChoice, Placement, PlacementBuf, Timetable};
use crate::policy::tools::order::Ranking;
use crate::sim::{Reservation, Turn, Waiting, Why};
use crate::sorting;
use crate::time::{Span, Time};
use std::collections::BTreeMap;
use std::fmt;

/// Nodes held over a period.
#[derive(Clone, Debug)]
struct NodeHold {
    ask: Ask,
    nodes: NodeChoice,
    start: Time,
    span: Span,
}

impl NodeHold {
    fn end(&self) -> Time {
        self.start.saturating_add(self.span)
    }
}

/// The reservations of waiting jobs, and the running jobs that they take into account.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct NodePlan {
    timetable: Box<dyn Timetable>,
    running: BTreeMap<JobId, NodeHold>,
    reserved: BTreeMap<JobId, NodeHold>,
    /// Nodes of which something has become free since the last pass of compression, and until when.
    /// A reservation can move only to a start at which it uses one of them.
    opened: BTreeMap<u32, Time>,
    /// True if the timetable no longer agrees with the running jobs, so that it must be made again.
    is_stale: bool,
    /// True if a running job has outlived its belief since the last refresh.
    has_outlived: bool,
    /// The time of the last timer.
    wakes: Option<Time>,
    /// True until the first decision.
    is_new: bool,
    /// True if reservations are compressed after every completion, not only after an early one.
    is_eager: bool,
}

impl Clone for NodePlan {
    fn clone(&self) -> Self {
        Self {
            timetable: self.timetable.fork(),
            running: self.running.clone(),
            reserved: self.reserved.clone(),
            opened: self.opened.clone(),
            ..*self
        }
    }
}

impl fmt::Debug for NodePlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NodePlan")
            .field("reserved", &self.reserved)
            .finish_non_exhaustive()
    }
}

impl NodePlan {
    /// Returns a plan without reservations, which compresses as `is_eager` says. Returns `None` on
    /// a machine without nodes.
    pub fn of_running(turn: &Turn<'_>, is_eager: bool) -> Option<Self> {
        Some(Self {
            timetable: turn.timetable()?,
            running: BTreeMap::new(),
            reserved: BTreeMap::new(),
            opened: BTreeMap::new(),
            is_stale: true,
            has_outlived: false,
            wakes: None,
            is_new: true,
            is_eager,
        })
    }

    /// Brings the plan to the present: gives back what jobs held beyond an early end, and
    /// compresses the reservations in `order`.
    pub fn refresh(&mut self, turn: &Turn<'_>, order: &Ranking) {
        let now = turn.now();
        self.timetable.advance(now);
        let mut ended_early = false;
        for job in turn.finished() {
            if let Some(hold) = self.running.remove(job)
                && hold.end() > now
            {
                self.timetable.give(hold.ask, &hold.nodes, now, hold.end());
                open(&mut self.opened, &hold);
                ended_early = true;
            }
        }
        self.is_stale |= std::mem::take(&mut self.has_outlived);
        if self.is_stale {
            self.renew(turn, order);
        } else if ended_early || self.is_eager && !turn.finished().is_empty() {
            self.compress(turn, order);
        }
    }

    /// Returns the jobs with reservations in `order`.
    fn in_order(&self, turn: &Turn<'_>, order: &Ranking) -> Vec<JobId> {
        if order.is_arrival() {
            return self.reserved.keys().copied().collect();
        }
        let sorted = order.sorted(turn).into_iter().map(|job| job.job);
        sorted
            .filter(|job| self.reserved.contains_key(job))
            .collect()
    }

    /// Tells the plan that a running job has outlived its belief.
    pub fn outlived(&mut self) {
        self.has_outlived = true;
    }

    /// True if nothing has happened that the plan must react to: see
    /// [`super::plan::CountPlan::is_idle`].
    pub fn is_idle(&mut self, turn: &Turn<'_>) -> bool {
        let is_new = std::mem::take(&mut self.is_new);
        let is_idle = !is_new
            && turn.arrived().is_empty()
            && turn.finished().is_empty()
            && !turn.opens()
            && self.wakes != Some(turn.now());
        let is_told_again = turn.running().has_overdue(turn.now());
        self.has_outlived &= !(is_idle && is_told_again);
        is_idle
    }

    /// Returns the number of reservations.
    pub fn reserved(&self) -> usize {
        self.reserved.len()
    }

    /// True if `job` holds a reservation.
    pub fn holds(&self, job: JobId) -> bool {
        self.reserved.contains_key(&job)
    }

    /// Returns the planned start of `job`; `None` if it holds no reservation.
    pub fn start_of(&self, job: JobId) -> Option<Time> {
        self.reserved.get(&job).map(|hold| hold.start)
    }

    /// Makes the timetable again from the running jobs, and every reservation again in `order`.
    fn renew(&mut self, turn: &Turn<'_>, order: &Ranking) {
        let Some(timetable) = turn.timetable() else {
            return;
        };
        let now = turn.now();
        self.timetable = timetable;
        self.running = sorting::map(turn.running().iter().map(|entry| {
            let waiting = Waiting {
                job: entry.job,
                processors: entry.processors,
                expected: Span::ZERO,
            };
            let ask = turn.ask(&waiting);
            let hold = NodeHold {
                ask,
                nodes: self.timetable.choice(ask, turn.placement(entry.job)),
                start: entry.started,
                span: turn.running().release_time(entry, now) - entry.started,
            };
            (entry.job, hold)
        }));
        for job in self.in_order(turn, order) {
            let Some(hold) = self.reserved.get_mut(&job) else {
                continue;
            };
            if let Some((start, nodes)) = self.timetable.earliest(hold.ask, hold.span, Time::NEVER)
            {
                (hold.start, hold.nodes) = (start, nodes);
                self.timetable
                    .hold(hold.ask, &hold.nodes, hold.start, hold.end());
            }
        }
        // Each reservation is at its earliest start, and later ones have only taken more.
        self.opened.clear();
        self.is_stale = false;
    }

    /// Takes out each reservation in `order`, and puts it back at its earliest start. A reservation
    /// that cannot start earlier keeps its nodes.
    fn compress(&mut self, turn: &Turn<'_>, order: &Ranking) {
        // Jobs that the pass has already treated do not see what becomes free later in the pass. It
        // therefore counts for the next pass too.
        let opened = std::mem::take(&mut self.opened).into_iter();
        let mut seen = sorting::map(opened.filter(|(_, until)| *until > turn.now()));
        for job in self.in_order(turn, order) {
            let Some(hold) = self.reserved.get_mut(&job) else {
                continue;
            };
            if hold.start <= turn.now() {
                continue;
            }
            let old = hold.clone();
            self.timetable
                .give(hold.ask, &hold.nodes, hold.start, hold.end());
            let may_move = self
                .timetable
                .may_use(hold.ask, hold.span, hold.start, &seen);
            let earlier = || self.timetable.earliest(hold.ask, hold.span, hold.start);
            if let Some((start, nodes)) = may_move.then(earlier).flatten() {
                (hold.start, hold.nodes) = (start, nodes);
                open(&mut seen, &old);
                open(&mut self.opened, &old);
            }
            self.timetable
                .hold(hold.ask, &hold.nodes, hold.start, hold.end());
        }
    }

    /// Gives a waiting job its earliest reservation. A job that can never fit gets none.
    pub fn reserve(&mut self, turn: &Turn<'_>, job: &Waiting) {
        if self.holds(job.job) {
            return;
        }
        let (ask, span) = (turn.ask(job), span(job));
        if let Some((start, nodes)) = self.timetable.earliest(ask, span, Time::NEVER) {
            let hold = NodeHold {
                ask,
                nodes,
                start,
                span,
            };
            self.timetable.hold(ask, &hold.nodes, start, hold.end());
            self.reserved.insert(job.job, hold);
        }
    }

    /// Starts every job whose reservation has come, on its nodes.
    pub fn start_due(&mut self, turn: &mut Turn<'_>, order: &mut Ranking) {
        let now = turn.now();
        let mut due: Vec<(JobId, NodeHold)> = self
            .reserved
            .iter()
            .filter(|(_, hold)| hold.start <= now)
            .map(|(job, hold)| (*job, hold.clone()))
            .collect();
        sorting::by(&mut due, |(job, hold)| {
            [hold.start.microseconds().into(), job.0.into()]
        });
        for (job, hold) in due {
            let waiting = turn.queue().entry(job).copied();
            let starts = waiting.is_some_and(|job| order.start_on(turn, &job, &hold.nodes));
            // As in a plan of counts, a start at another time than planned leaves the timetable
            // wrong.
            self.is_stale |= hold.start != now || !starts && !turn.running().awaits_ends();
            if let Some(waiting) = waiting.filter(|_| starts) {
                self.is_stale |= is_believed_otherwise(turn, &waiting);
                self.reserved.remove(&job);
                self.running.insert(job, hold);
            }
        }
    }

    /// Returns the nodes on which a waiting job that holds no reservation can start now without
    /// disturbing a reservation.
    fn nodes_now(&self, turn: &Turn<'_>, job: &Waiting) -> Option<NodeChoice> {
        if !turn.fits(job) {
            return None;
        }
        self.timetable.now(turn.ask(job), span(job))
    }

    /// True if a waiting job that holds no reservation can start now without disturbing a
    /// reservation.
    pub fn may_start_now(&self, turn: &Turn<'_>, job: &Waiting) -> bool {
        self.nodes_now(turn, job).is_some()
    }

    /// Starts a job that holds no reservation, if that disturbs no reservation. Returns true if the
    /// job started.
    pub fn start_now(&mut self, turn: &mut Turn<'_>, job: &Waiting, order: &mut Ranking) -> bool {
        let ask = turn.ask(job);
        let nodes = self.nodes_now(turn, job);
        let Some(nodes) = nodes.filter(|nodes| order.start_on(turn, job, nodes)) else {
            return false;
        };
        let hold = NodeHold {
            ask,
            nodes,
            start: turn.now(),
            span: span(job),
        };
        self.timetable
            .hold(ask, &hold.nodes, hold.start, hold.end());
        self.running.insert(job.job, hold);
        self.is_stale |= is_believed_otherwise(turn, job);
        true
    }

    /// Sets a timer for the next reservation, because nothing else need happen at its start.
    pub fn wake(&mut self, turn: &mut Turn<'_>) {
        let now = turn.now();
        let is_overdue = turn.running().has_overdue(now);
        self.is_stale |= is_overdue;
        let after = if is_overdue { now + Span::SECOND } else { now };
        let next = self
            .reserved
            .values()
            .map(|hold| hold.start)
            .filter(|start| *start > after)
            .min();
        if next != self.wakes {
            self.wakes = next;
            next.into_iter().for_each(|next| turn.wake_at(next));
        }
    }

    /// Returns the reservations with their nodes, for [`Turn::explain_placed`]. A reservation whose
    /// nodes are not decided yet has none.
    pub fn placed(&self) -> Vec<(Reservation, PlacementBuf)> {
        self.reserved
            .iter()
            .map(|(job, hold)| {
                let reservation = Reservation {
                    job: *job,
                    start: hold.start,
                    extra: None,
                };
                (reservation, self.timetable.placement(hold.ask, &hold.nodes))
            })
            .collect()
    }

    /// Tells observers the reservations, and why each waiting job did not start: the reason that
    /// `known` returns or else that of the plan.
    pub fn explain(&self, turn: &mut Turn<'_>, known: impl Fn(&Waiting) -> Option<Why>) {
        let placed = self.placed();
        let reservations: Vec<(Reservation, Placement<'_>)> = placed
            .iter()
            .map(|(reservation, placement)| (*reservation, placement.get()))
            .collect();
        let (free, now) = (turn.free(), turn.now());
        let too_large = turn.too_large(free);
        let fitting = turn.fitting(u32::MAX);
        turn.explain_placed(&reservations, |job| {
            if let Some(why) = known(job) {
                return why;
            }
            let until = now.saturating_add(span(job));
            let mut others = self.reserved.iter();
            let holder = others.find(|(other, hold)| **other != job.job && hold.start < until);
            match holder {
                _ if job.processors > free => Why::Processors { free },
                _ if !fitting.contains(&job.job) => too_large,
                Some((by, _)) => Why::Reserved { by: *by },
                None => Why::NotTried,
            }
        });
    }
}

/// Adds the nodes of a hold that is given back.
fn open(opened: &mut BTreeMap<u32, Time>, hold: &NodeHold) {
    for at in &hold.nodes.0 {
        let until = opened.entry(at.node).or_insert(hold.end());
        *until = hold.end().max(*until);
    }
}

/// True if the belief about a job that has just started differs from the belief while it waited.
fn is_believed_otherwise(turn: &Turn<'_>, job: &Waiting) -> bool {
    turn.expected_end(job.job) != Some(turn.now().saturating_add(job.expected))
}
