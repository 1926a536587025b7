//! Multiple-queue backfilling: jobs wait in queues by the length of their estimate, and each queue
//! has a share of the processors and a reservation of its own.
//!
//! Short jobs do not wait behind long ones. Each queue first uses its own share, then borrows idle
//! processors. The first job of a queue that cannot start holds a reservation, which no job delays.
//! H. Rajaei and M. B. Dadfar, ASEE 2007, sections 3.5 and 4.2; B. Lawson and E. Smirni,
//! "Multiple-queue backfilling scheduling with priorities and reservations for parallel systems",
//! JSSPP 2002.

use super::tools::order::{
    ORDER_SHORTEST, Ranking, WEIGHT_EXPANSION, WEIGHT_PASSED, WEIGHT_SIZE, WEIGHT_WAIT,
};
use super::tools::prediction::{CORRECTION, ESTIMATES, with_beliefs};
use super::tools::reservation::ReservationPlan;
use super::tools::spec::{Needs, Spec};
use crate::job::{JobId, Request};
use crate::param::{Settings, Typed, When, real, whole, words};
use crate::sim::Policy;
use crate::sim::{Turn, Waiting};
use crate::time::Span;

const QUEUES: usize = 4;

const fn limit(key: &'static str, name: &'static str, default: i64) -> Typed<i64> {
    whole(key, name, 1..=10_000_000_000, default)
        .unit("s")
        .help("Longest estimate of a job in this queue; the last queue takes all longer jobs")
}

const LIMITS: [Typed<i64>; QUEUES - 1] = [
    limit("queue_1_limit", "Queue 1 up to", 100),
    limit("queue_2_limit", "Queue 2 up to", 1_000),
    limit("queue_3_limit", "Queue 3 up to", 10_000),
];

words! {
    /// The rule by which queues own processors.
    enum Shares {
        Equal = "equal": "every queue owns the same number of processors; the first queues own \
            one more each if the number does not divide evenly",
        Given = "given": "queues own processors in the ratio of given numbers",
    }
}

const SHARES: Typed<Shares> = Shares::param("shares", "Shares", Shares::Equal)
    .help("The rule by which queues own processors");

const fn share(key: &'static str, name: &'static str) -> Typed<f64> {
    real(key, name, 0.0..=1e6, 1.0)
        .when(When {
            keys: &["shares"],
            words: &["given"],
        })
        .help("The queue's part of the processors, in relation to the other parts")
}

const PARTS: [Typed<f64>; QUEUES] = [
    share("queue_1_share", "Share of queue 1"),
    share("queue_2_share", "Share of queue 2"),
    share("queue_3_share", "Share of queue 3"),
    share("queue_4_share", "Share of queue 4"),
];

/// The policy's description.
pub const SPEC: Spec = Spec {
    id: "multiqueue",
    name: "Multiple-queue",
    summary: "Four queues by length of estimate, each with a reservation and a share of the \
        processors; a queue may borrow idle processors of the others.",
    paper: "Rajaei and Dadfar, ASEE 2007, section 3.5; Lawson and Smirni, JSSPP 2002",
    needs: Needs::Counts,
    params: &[
        ORDER_SHORTEST.param,
        LIMITS[0].param,
        LIMITS[1].param,
        LIMITS[2].param,
        SHARES.param,
        PARTS[0].param,
        PARTS[1].param,
        PARTS[2].param,
        PARTS[3].param,
        ESTIMATES.param,
        CORRECTION.param,
        WEIGHT_WAIT.param,
        WEIGHT_EXPANSION.param,
        WEIGHT_SIZE.param,
        WEIGHT_PASSED.param,
    ],
    check: &|_| Ok(Vec::new()),
    build: &|settings| with_beliefs(MultiQueue::new(settings), settings),
};

#[derive(Clone)]
struct MultiQueue {
    order: Ranking,
    limits: [Span; QUEUES - 1],
    parts: [f64; QUEUES],
    /// Processors that the running jobs of each queue hold.
    used: [u32; QUEUES],
    /// Number of jobs that wait in each queue.
    lengths: [u32; QUEUES],
    /// The first job that has not been counted yet.
    next: JobId,
    /// The jobs that hold a reservation, at most one of each queue, in the order in which they got
    /// it.
    reserved: Vec<JobId>,
    waiting: [Vec<Waiting>; QUEUES],
}

impl MultiQueue {
    fn new(settings: &Settings) -> Self {
        let parts = match settings.get(&SHARES) {
            Shares::Given => PARTS.each_ref().map(|param| settings.get(param)),
            Shares::Equal => [1.0; QUEUES],
        };
        Self {
            order: Ranking::new(settings, &ORDER_SHORTEST),
            limits: LIMITS
                .each_ref()
                .map(|param| Span::from_seconds(settings.get(param))),
            parts,
            used: [0; QUEUES],
            lengths: [0; QUEUES],
            next: JobId(0),
            reserved: Vec::new(),
            waiting: [const { Vec::new() }; QUEUES],
        }
    }

    fn queue_of(&self, request: &Request) -> usize {
        self.limits
            .iter()
            .position(|limit| request.estimate <= *limit)
            .unwrap_or(QUEUES - 1)
    }

    /// Returns the number of processors that each queue owns. These are whole numbers in the ratio
    /// of the parts, cut; the processors left over go to the first queues.
    fn shares(&self, capacity: u32) -> [u32; QUEUES] {
        let total: f64 = self.parts.iter().sum();
        let share = |part: f64| {
            if total > 0.0 {
                (f64::from(capacity) * part / total) as u32
            } else {
                0
            }
        };
        let mut shares = self.parts.map(share);
        let left = capacity - shares.iter().sum::<u32>();
        (0..left).for_each(|at| shares[at as usize % QUEUES] += 1);
        shares
    }

    fn start(&mut self, turn: &mut Turn<'_>, plan: &mut ReservationPlan, job: &Waiting) -> bool {
        let starts = plan.start_now(turn, job, &mut self.order);
        if starts {
            let queue = self.queue_of(turn.request(job.job));
            self.used[queue] += job.processors;
            self.lengths[queue] -= 1;
        }
        starts
    }

    fn schedule(&mut self, turn: &mut Turn<'_>) -> ReservationPlan {
        let mut plan = ReservationPlan::of_running(turn);
        // The jobs that hold a reservation come first.
        self.reserved
            .retain(|job| turn.queue().entry(*job).is_some());
        for job in self.reserved.clone() {
            let Some(waiting) = turn.queue().entry(job).copied() else {
                continue;
            };
            if !self.start(turn, &mut plan, &waiting) {
                plan.reserve(turn, &waiting);
            }
        }
        self.reserved.retain(|job| plan.holds(*job));
        let mut holds = [false; QUEUES];
        for job in &self.reserved {
            holds[self.queue_of(turn.request(*job))] = true;
        }
        let waiting = self.split(turn, &plan, holds);
        let shares = self.shares(turn.capacity());
        // Then every queue that holds no reservation starts jobs on its own processors, in order,
        // up to the first that must wait.
        let mut next = [0; QUEUES];
        for queue in (0..QUEUES).filter(|queue| !holds[*queue]) {
            while let Some(job) = waiting[queue].get(next[queue])
                && self.used[queue] + job.processors <= shares[queue]
                && self.start(turn, &mut plan, job)
            {
                next[queue] += 1;
            }
        }
        // Then these queues borrow processors. The first job that still cannot start gets the
        // queue's reservation.
        for queue in (0..QUEUES).filter(|queue| !holds[*queue]) {
            while let Some(job) = waiting[queue].get(next[queue])
                && self.start(turn, &mut plan, job)
            {
                next[queue] += 1;
            }
            if let Some(job) = waiting[queue].get(next[queue]) {
                plan.reserve(turn, job);
                self.reserved.push(job.job);
                next[queue] += 1;
            }
        }
        // Then every other job that delays no reservation starts.
        for queue in 0..QUEUES {
            for job in &waiting[queue][next[queue]..] {
                self.start(turn, &mut plan, job);
            }
        }
        self.waiting = waiting;
        plan
    }

    /// Returns the jobs that hold no reservation, by queue and in order. Leaves out jobs that could
    /// not start now, except for the first of each queue without a reservation. That job ends the
    /// queue's turn, so the later ones do not matter.
    fn split(
        &mut self,
        turn: &Turn<'_>,
        plan: &ReservationPlan,
        holds: [bool; QUEUES],
    ) -> [Vec<Waiting>; QUEUES] {
        let mut waiting = std::mem::take(&mut self.waiting);
        waiting.iter_mut().for_each(Vec::clear);
        let admits = |processors: u32, expected: Span| plan.admits(turn, processors, expected);
        for job in turn
            .queue()
            .admitted(admits)
            .filter(|job| !plan.holds(job.job))
        {
            waiting[self.queue_of(turn.request(job.job))].push(job);
        }
        let wanted: [bool; QUEUES] = std::array::from_fn(|queue| {
            !holds[queue] && self.lengths[queue] > waiting[queue].len() as u32
        });
        if wanted.contains(&true) {
            let mut first = [None; QUEUES];
            for job in turn
                .queue()
                .iter()
                .filter(|job| !plan.holds(job.job) && !admits(job.processors, job.expected))
            {
                let queue = self.queue_of(turn.request(job.job));
                let place = (self.order.rank(turn, job), job.job);
                if wanted[queue] && first[queue].is_none_or(|(least, _)| place < least) {
                    first[queue] = Some((place, *job));
                }
            }
            for (jobs, first) in waiting.iter_mut().zip(first) {
                jobs.extend(first.map(|(_, job)| job));
            }
        }
        waiting
            .iter_mut()
            .for_each(|jobs| self.order.sort(turn, jobs));
        waiting
    }
}

impl Policy for MultiQueue {
    fn decide(&mut self, turn: &mut Turn<'_>) {
        for job in turn.queue().from(self.next) {
            self.lengths[self.queue_of(turn.request(job.job))] += 1;
            self.next = JobId(job.job.0 + 1);
        }
        if turn.queue().is_empty() {
            return;
        }
        let plan = self.schedule(turn);
        if turn.is_watched() {
            plan.explain(turn, |_| None);
        }
    }

    fn fork(&self) -> Box<dyn Policy> {
        Box::new(self.clone())
    }

    fn completed(&mut self, _: JobId, request: &Request, _: Span) {
        let queue = self.queue_of(request);
        self.used[queue] = self.used[queue].saturating_sub(request.processors);
    }
}
