//! Look-ahead (LOS): the policy starts the *set* of waiting jobs that uses the most processors now,
//! found exactly. EASY takes candidates one after the other, and this greedy choice can leave
//! processors idle that another set would have used.
//!
//! E. Shmueli and D. G. Feitelson, "Backfilling with lookahead to optimize the performance of
//! parallel job scheduling", JSSPP 2003, keep EASY's reservation for the head. The student projects
//! (H. Rajaei and M. B. Dadfar, ASEE 2007, sections 3.4 and 4.2) make no reservation. They fill a
//! utilisation matrix over the queue, shortest estimate first.

use super::tools::order::{
    ORDER, Ranking, WEIGHT_EXPANSION, WEIGHT_PASSED, WEIGHT_SIZE, WEIGHT_WAIT,
};
use super::tools::prediction::{CORRECTION, ESTIMATES, with_beliefs};
use super::tools::reservation::Hole;
use super::tools::selection::{Item, best_set};
use super::tools::spec::{Needs, Spec};
use crate::param::{Settings, Typed, whole, words};
use crate::sim::Policy;
use crate::sim::{Turn, Waiting, Why};

words! {
    /// The rule that keeps the head of the queue from starving.
    enum Reserve {
        Head = "head": "the head starts if it fits, else it holds a reservation (Shmueli and \
            Feitelson)",
        None = "none": "only the number of processors in use counts, so wide jobs can starve \
            (student projects)",
    }
}

const RESERVE: Typed<Reserve> = Reserve::param("reserve", "Reservation", Reserve::Head)
    .help("The rule that keeps the head of the queue from starving");

/// The number of waiting jobs that the policy considers.
const LOOKAHEAD: Typed<i64> = whole("lookahead", "Look-ahead limit", 1..=100_000, 50)
    .unit("jobs")
    .help(
        "The policy chooses a set among this many of the first waiting jobs; a head that holds a \
            reservation does not count",
    );

/// The policy's description.
pub const SPEC: Spec = Spec {
    id: "lookahead",
    name: "Look-ahead",
    summary: "Starts the set of waiting jobs that uses the most processors without delaying the \
        head of the queue (LOS).",
    paper: "Shmueli and Feitelson, JSSPP 2003; Rajaei and Dadfar, ASEE 2007, section 3.4",
    needs: Needs::Rows,
    params: &[
        ORDER.param,
        RESERVE.param,
        LOOKAHEAD.param,
        ESTIMATES.param,
        CORRECTION.param,
        WEIGHT_WAIT.param,
        WEIGHT_EXPANSION.param,
        WEIGHT_SIZE.param,
        WEIGHT_PASSED.param,
    ],
    check: &|_| Ok(Vec::new()),
    build: &|settings| with_beliefs(Lookahead::new(settings), settings),
};

#[derive(Clone)]
struct Lookahead {
    order: Ranking,
    reserves: bool,
    limit: usize,
    considered: Vec<Waiting>,
    /// The considered jobs that could have started.
    candidates: Vec<Waiting>,
}

impl Lookahead {
    fn new(settings: &Settings) -> Self {
        Self {
            order: Ranking::new(settings, &ORDER),
            reserves: settings.get(&RESERVE) == Reserve::Head,
            limit: settings.get(&LOOKAHEAD) as usize,
            considered: Vec::new(),
            candidates: Vec::new(),
        }
    }

    /// Collects the first jobs of the queue behind `head`, whether or not they fit.
    fn look_ahead(&mut self, turn: &Turn<'_>, head: Option<&Waiting>) {
        self.considered.clear();
        let behind = |job: &&Waiting| head.is_none_or(|head| head.job != job.job);
        if self.order.is_arrival() {
            self.considered
                .extend(turn.queue().iter().filter(behind).take(self.limit).copied());
        } else {
            self.considered
                .extend(turn.queue().iter().filter(behind).copied());
            self.order
                .keep_first(turn, &mut self.considered, self.limit);
        }
    }

    /// Starts the best set for the first row, then the best set of the remaining jobs for the
    /// second row, and so on. In the row of the head's reservation, jobs that last beyond the
    /// shadow time avoid the reserved processors.
    fn start_best_sets_of_rows(&mut self, turn: &mut Turn<'_>, hole: Option<&Hole>) {
        self.candidates.clear();
        let is_long = |job: &Waiting| hole.is_some_and(|hole| hole.is_long(job.expected));
        for row in 0..turn.rooms().len() as u32 {
            let room = turn.rooms()[row as usize];
            let free = |job: &Waiting| if is_long(job) { room.beside } else { room.free };
            let waits = |job: &&Waiting| {
                turn.queue().entry(job.job).is_some() && job.processors <= free(job)
            };
            let candidates: Vec<Waiting> = self.considered.iter().filter(waits).copied().collect();
            let items: Vec<Item> = candidates
                .iter()
                .map(|job| Item {
                    processors: job.processors,
                    is_long: is_long(job),
                })
                .collect();
            // Long jobs must avoid the reserved processors, so they get their processors first.
            let (long, short): (Vec<usize>, Vec<usize>) = best_set(&items, room.free, room.beside)
                .into_iter()
                .partition(|index| items[*index].is_long);
            for index in long.into_iter().chain(short) {
                let job = candidates[index];
                self.order.start_in(turn, &job, row, items[index].is_long);
            }
            self.candidates.extend(candidates);
        }
    }

    fn start_best_set(&mut self, turn: &mut Turn<'_>, hole: Option<&Hole>) {
        if turn.has_geometry() {
            return self.start_best_sets_of_rows(turn, hole);
        }
        let free = turn.free();
        let admits = |job: &&Waiting| {
            hole.map_or(job.processors <= free, |hole| {
                hole.admits(job.processors, job.expected, free)
            })
        };
        self.candidates.clear();
        self.candidates
            .extend(self.considered.iter().filter(admits));
        let is_long = |job: &Waiting| hole.is_some_and(|hole| hole.is_long(job.expected));
        let items: Vec<Item> = self
            .candidates
            .iter()
            .map(|job| Item {
                processors: job.processors,
                is_long: is_long(job),
            })
            .collect();
        for index in best_set(&items, free, hole.map_or(free, Hole::extra)) {
            self.order.start(turn, &self.candidates[index]);
        }
    }
}

impl Policy for Lookahead {
    fn decide(&mut self, turn: &mut Turn<'_>) {
        if turn.free() == 0 && !turn.is_watched() {
            return;
        }
        let head = if self.reserves {
            self.order.start_heads(turn)
        } else {
            None
        };
        if head.is_none() && self.reserves {
            return;
        }
        let hole = head.as_ref().and_then(|head| Hole::before(head, turn));
        self.look_ahead(turn, head.as_ref());
        self.start_best_set(turn, hole.as_ref());
        if turn.is_watched() {
            let (all, free) = (turn.free(), turn.room());
            let too_large = |size: u32| {
                if size > all {
                    Why::Processors { free: all }
                } else {
                    Why::Partition { largest: free }
                }
            };
            // The hole is made again, because jobs that started have used extra processors.
            let hole = head.as_ref().and_then(|head| Hole::before(head, turn));
            let reservation = head
                .as_ref()
                .zip(hole.as_ref())
                .map(|(head, hole)| hole.reservation(head));
            let (considered, candidates) = (&self.considered, &self.candidates);
            turn.explain(reservation.as_slice(), |job| match (&head, &hole) {
                _ if job.processors > free && Some(job.job) == head.map(|head| head.job) => {
                    too_large(job.processors)
                }
                _ if !considered.iter().any(|other| other.job == job.job) => Why::NotTried,
                _ if candidates.iter().any(|other| other.job == job.job) => Why::NotChosen,
                _ if job.processors > free => too_large(job.processors),
                (Some(head), Some(_)) => Why::Reserved { by: head.job },
                _ => Why::NotChosen,
            });
        }
    }

    fn fork(&self) -> Box<dyn Policy> {
        Box::new(self.clone())
    }
}
