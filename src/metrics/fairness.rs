//! Fairness: the fair start time and Jain's index.
//!
//! The fair start time of a job is the hybrid one of Leung, Sabin and Sadayappan (2010). It starts
//! from the state of the machine at the job's arrival and uses true run times. All jobs that
//! arrived earlier and still wait, and then the job itself, are placed first come, first served. If
//! a job starts later than that, another job has passed it at its cost.

use super::Sample;
use crate::job::JobId;
use crate::pulse::beat;
use crate::schedule::Schedule;
use crate::time::Time;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

/// Delays of jobs against their fair start times, in seconds.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Miss {
    pub mean: f64,
    pub max: f64,
    /// Share of the examined jobs that start later.
    pub share: f64,
    /// Number of examined jobs.
    pub jobs: u32,
}

/// Returns the approximate limit on placements. To place one job means to place all jobs that wait
/// before it. The limit keeps this from becoming quadratic under overload: if it does not suffice,
/// only every second job is examined, every third, and so on.
fn most_placements(jobs: usize) -> u64 {
    (60 * jobs as u64).clamp(2_500_000, 12_500_000)
}

/// Returns the sampling interval n: every n-th job is examined.
fn sampling(schedule: &Schedule, ends: &[(Time, JobId)]) -> u32 {
    let (mut ended, mut arrived, mut placements) = (0, 0, 0_u64);
    let has_ended = |job: &JobId| schedule.ends[job.index()] != Time::NEVER;
    for job in schedule.workload.ids().filter(has_ended) {
        arrived += 1;
        let now = schedule.workload.request(job).submitted;
        while ends.get(ended).is_some_and(|(end, _)| *end <= now) {
            ended += 1;
        }
        // All jobs that arrived and have not ended wait or run.
        placements += usize::saturating_sub(arrived, ended) as u64;
    }
    placements
        .div_ceil(most_placements(schedule.workload.len()))
        .max(1) as u32
}

/// Computes the delays against fair start times. Examines no job if processors are shared, because
/// a job that starts beside others passes no job. Examines none either if jobs were requeued: a plan
/// from true run times knows no attempts in vain.
pub(super) fn fair_start_miss(schedule: &Schedule) -> Miss {
    let is_preempted = !schedule.lost.is_empty() || !schedule.suspensions.is_empty();
    if schedule.slots > 1 || is_preempted {
        return Miss::default();
    }
    let workload = &schedule.workload;
    let mut ends: Vec<(Time, JobId)> = workload
        .ids()
        .map(|job| (schedule.ends[job.index()], job))
        .filter(|(end, _)| *end != Time::NEVER)
        .collect();
    ends.sort_unstable();
    let every = sampling(schedule, &ends);
    let (mut ends, mut starts) = (
        ends.into_iter().peekable(),
        schedule.order.iter().peekable(),
    );
    let (mut waiting, mut running) = (BTreeSet::new(), BTreeSet::new());
    let mut plan: Option<ArrivalPlan> = None;
    let mut planned = vec![Time::NEVER; workload.len()];
    let (mut sum, mut max, mut missed, mut examined) = (0.0, 0.0_f64, 0_u32, 0_u32);
    for job in workload.ids() {
        let now = workload.request(job).submitted;
        // The state just before the arrival: jobs that ended by now are gone; jobs that start now
        // still wait.
        while let Some(entry) = starts.next_if(|entry| schedule.starts[entry.job.index()] < now) {
            waiting.remove(&entry.job);
            if schedule.ends[entry.job.index()] > now {
                running.insert(entry.job);
            }
            plan =
                plan.filter(|_| schedule.starts[entry.job.index()] == planned[entry.job.index()]);
        }
        while let Some((_, ended)) = ends.next_if(|(end, _)| *end <= now) {
            running.remove(&ended);
        }
        // Planned starts never decrease along the queue, so its head would be the first to be late.
        plan = plan.filter(|_| {
            waiting
                .first()
                .is_none_or(|head: &JobId| planned[head.index()] >= now)
        });
        // A job that never ends would come first in every plan.
        if schedule.ends[job.index()] == Time::NEVER {
            continue;
        }
        waiting.insert(job);
        let is_examined = job.0.is_multiple_of(every);
        if let Some(plan) = &mut plan {
            planned[job.index()] = plan.place(schedule, job, now);
        } else if is_examined {
            let mut fresh = ArrivalPlan::new(schedule, &running);
            beat(64 * (waiting.len() + running.len()));
            waiting
                .iter()
                .for_each(|job| planned[job.index()] = fresh.place(schedule, *job, now));
            plan = Some(fresh);
        }
        if is_examined {
            let miss = (schedule.starts[job.index()] - planned[job.index()])
                .seconds()
                .max(0.0);
            examined += 1;
            sum += miss;
            max = max.max(miss);
            missed += u32::from(miss > 0.0);
        }
    }
    let n = f64::from(examined.max(1));
    Miss {
        mean: sum / n,
        max,
        share: f64::from(missed) / n,
        jobs: examined,
    }
}

/// A first-come-first-served plan from some instant on. It stays valid for the next arrival as long
/// as jobs start as planned.
struct ArrivalPlan {
    releases: BinaryHeap<Reverse<(Time, u32)>>,
    free: u32,
    /// Start of the last placed job.
    time: Time,
}

impl ArrivalPlan {
    /// Creates a plan with the running jobs, and no job placed.
    fn new(schedule: &Schedule, running: &BTreeSet<JobId>) -> Self {
        let size = |job: &JobId| schedule.workload.request(*job).processors;
        Self {
            releases: running
                .iter()
                .map(|job| Reverse((schedule.ends[job.index()], size(job))))
                .collect(),
            // A recorded schedule may use more than there are.
            free: schedule
                .workload
                .processors
                .saturating_sub(running.iter().map(size).sum::<u32>()),
            time: Time::from_microseconds(i64::MIN),
        }
    }

    /// Places the next job of the queue and returns its start, which is not before `now`.
    fn place(&mut self, schedule: &Schedule, job: JobId, now: Time) -> Time {
        let size = schedule.workload.request(job).processors;
        self.time = self.time.max(now);
        while self.free < size {
            let Some(Reverse((end, processors))) = self.releases.pop() else {
                break;
            };
            self.time = self.time.max(end);
            self.free += processors;
        }
        self.free = self.free.saturating_sub(size);
        self.releases
            .push(Reverse((self.time + schedule.run_time(job), size)));
        self.time
    }
}

/// Returns Jain's index of the users' mean bounded slowdowns.
pub(super) fn jain_by_user(schedule: &Schedule, samples: &[Sample]) -> f64 {
    let mut users: BTreeMap<i32, (f64, f64)> = BTreeMap::new();
    for sample in samples {
        let (sum, count) = users
            .entry(schedule.workload.request(sample.job).user)
            .or_default();
        *sum += sample.bounded_slowdown;
        *count += 1.0;
    }
    let means: Vec<f64> = users.values().map(|(sum, count)| sum / count).collect();
    let (sum, squares) = means
        .iter()
        .fold((0.0, 0.0), |(sum, squares), m| (sum + m, squares + m * m));
    if squares > 0.0 {
        sum * sum / (means.len() as f64 * squares)
    } else {
        1.0
    }
}
