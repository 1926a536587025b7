//! The closed loop: jobs that arrive when others have ended.
//!
//! When a job arrives depends on the schedule, and the schedule on the arrivals. A first run finds
//! out both together, without a record. Its workload, in the order in which the jobs arrived, is
//! then an ordinary workload: the recorded run, its audit and its figures need to know nothing of
//! the loop.

use super::scenario::Resolved;
use crate::job::{Follow, JobId};
use crate::machine::Placements;
use crate::problem::Problem;
use crate::sim::{Event, Observer, Simulation};
use crate::time::Time;
use crate::workload::Workload;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Collects the jobs that end.
#[derive(Default)]
struct Ends(Vec<(JobId, Time)>);

impl Observer for Ends {
    fn on_event(&mut self, now: Time, event: &Event<'_>) {
        if let Event::Finished(job) = event {
            self.0.push((*job, now));
        }
    }
}

/// The arrivals of a closed loop. A *row* is a job's index in the open workload, and a *place* its
/// index in the workload of the run, which is in order of arrival up to the present.
struct Arrivals {
    /// The rows that follow each row, with their think times.
    followers: Vec<Vec<Follow>>,
    /// The submissions that are known, and the rows that are submitted then.
    known: BTreeSet<(Time, u32)>,
    row_at: Vec<u32>,
    place_of: Vec<u32>,
    /// Number of jobs that have arrived.
    arrived: usize,
    /// The instant whose jobs are in the next places.
    arranged: Time,
}

impl Arrivals {
    /// Removes the submission of each follower from the workload, and learns those of the others.
    fn new(workload: &mut Workload, follows: &[Option<Follow>]) -> Self {
        let mut followers = vec![Vec::new(); workload.len()];
        let mut known = BTreeSet::new();
        for (row, follow) in (0..).map(JobId).zip(follows) {
            if let Some(Follow { job, think }) = *follow {
                followers[job.index()].push(Follow { job: row, think });
                workload.arrives(row.index(), Time::NEVER);
            } else {
                known.insert((workload.request(row).submitted, row.0));
            }
        }
        let rows: Vec<u32> = (0..workload.len() as u32).collect();
        Self {
            followers,
            known,
            row_at: rows.clone(),
            place_of: rows,
            arrived: 0,
            arranged: Time::NEVER,
        }
    }

    /// Puts the jobs that arrive next into the next places. Jobs of one instant arrive in the order
    /// of the log. Returns false if somebody else holds the workload.
    fn arrange(&mut self, simulation: &mut Simulation) -> bool {
        let Some((next, _)) = self.known.first().copied() else {
            return true;
        };
        self.arranged = next;
        let due = self.known.range((next, 0)..=(next, u32::MAX));
        for (place, (at, row)) in (self.arrived..).zip(due) {
            let from = self.place_of[*row as usize] as usize;
            if !simulation.bring_forward(from, place, *at) {
                return false;
            }
            let moved = self.row_at[place];
            self.row_at.swap(from, place);
            self.place_of[*row as usize] = place as u32;
            self.place_of[moved as usize] = from as u32;
        }
        true
    }

    /// Notes which jobs have arrived and ended. Returns true if that changes what comes next.
    fn learn(&mut self, simulation: &Simulation, ends: &mut Ends) -> bool {
        let before = self.arrived;
        self.arrived = simulation.progress().arrived as usize;
        for place in before..self.arrived {
            let submitted = simulation.workload().requests[place].submitted;
            self.known.remove(&(submitted, self.row_at[place]));
        }
        if self.arrived > before {
            self.arranged = Time::NEVER;
        }
        let mut is_news = self.arrived > before;
        for (job, end) in ends.0.drain(..) {
            for follow in &self.followers[self.row_at[job.index()] as usize] {
                let at = end + follow.think;
                self.known.insert((at, follow.job.0));
                is_news |= at <= self.arranged;
            }
        }
        is_news
    }
}

/// Returns the workload in which each job that follows another arrives when the other has ended in
/// the run of this scenario.
///
/// # Errors
/// Fails if the policy tries out schedules on its own, because these would need arrivals of their
/// own, or if a job never ends that others follow.
pub fn close(
    scenario: &Resolved,
    mut workload: Workload,
    follows: &[Option<Follow>],
) -> Result<Workload, Problem> {
    // The log's starts say nothing about jobs that arrive at other times.
    workload.recorded = Vec::new();
    let mut arrivals = Arrivals::new(&mut workload, follows);
    let mut simulation = scenario.simulation(Arc::new(workload), Placements::Counted);
    let mut ends = Ends::default();
    let mut is_news = true;
    loop {
        if is_news && !arrivals.arrange(&mut simulation) {
            return Err(Problem::new(
                format!(
                    "The policy `{}` cannot run with `closed_loop=on`.",
                    scenario.policy.id
                ),
                "It simulates its candidates in the background. In a closed loop, each of them \
                    would have arrivals of its own.",
                "Choose another policy, or `closed_loop=off`.",
            ));
        }
        let is_done = simulation.advance(1, &mut ends).done;
        is_news = arrivals.learn(&simulation, &mut ends);
        // The last jobs that end may have followers.
        if is_done && !is_news {
            break;
        }
    }
    let lost = simulation.workload().len() - arrivals.arrived;
    if lost > 0 {
        return Err(Problem::new(
            format!("{lost} jobs never arrive."),
            "They follow jobs that wait for ever under this policy and on this machine.",
            "Choose another policy or machine, or `closed_loop=off`.",
        ));
    }
    let mut workload = Workload::clone(simulation.workload());
    let place = |row: JobId| JobId(arrivals.place_of[row.index()]);
    workload.follows = arrivals
        .row_at
        .iter()
        .map(|row| {
            follows[*row as usize].map(|follow| Follow {
                job: place(follow.job),
                ..follow
            })
        })
        .collect();
    let count = workload.follows.iter().flatten().count();
    workload.provenance.steps.push(format!(
        "closed loop: {count} jobs arrive their think time after the end of another in this run"
    ));
    workload.check()?;
    Ok(workload)
}
