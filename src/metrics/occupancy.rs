//! Capacity over time: used, unused and lost capacity, and the length of the queue.
//!
//! Used, unused and lost capacity are those of E. Krevat's thesis on BlueGene/L (section 4.2):
//! unused is the integral of max(0, free - queued demand), lost is the rest. The integrals are
//! exact, in integers. Work and demand count the jobs' own sizes. Free processors are those that no
//! job holds, so processors beyond a job's own size are lost. The work of attempts that were
//! preempted is wasted, and not lost.

use crate::job::JobId;
use crate::schedule::Schedule;
use crate::time::Time;

/// Figures of the machine's capacity and of the queue.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct CapacityUse {
    pub utilisation: f64,
    pub unused: f64,
    pub lost: f64,
    pub efficiency: f64,
    pub occupied: f64,
    pub makespan: f64,
    pub mean_queue: f64,
    pub longest_queue: u32,
}

/// Returns the accepted load: the work done between the first and the last submission, over the
/// machine's capacity in that time. The second value is that work as a share of the work of a
/// machine without limits, on which every job starts at once. Work that even such a machine could
/// not have done in time is no sign of a growing queue.
pub(super) fn accepted_load(schedule: &Schedule) -> (f64, f64) {
    let requests = &schedule.workload.requests;
    let (Some(first), Some(last)) = (requests.first(), requests.last()) else {
        return (0.0, 1.0);
    };
    let (first, last) = (first.submitted, last.submitted);
    let work = |from: Time, to: Time, processors: u32| {
        i128::from((to.min(last) - from.min(last)).microseconds()) * i128::from(processors)
    };
    let (mut done, mut possible) = (0_i128, 0_i128);
    for job in schedule.workload.ids() {
        let request = schedule.workload.request(job);
        let runtime = schedule.run_time(job);
        let (start, end) = (schedule.starts[job.index()], schedule.ends[job.index()]);
        let held = work(start, end, request.processors);
        // If processors are shared, a job takes longer for its work. This figure spreads the work
        // evenly.
        let is_shared = schedule.slots > 1 && end != Time::NEVER && start < end;
        done += if is_shared {
            held * i128::from(runtime.microseconds()) / i128::from((end - start).microseconds())
        } else {
            held
        };
        let end = request.submitted.saturating_add(runtime);
        possible += work(request.submitted, end, request.processors);
    }
    let capacity = (last - first).seconds() * f64::from(schedule.workload.processors);
    let value = if capacity > 0.0 {
        done as f64 / 1e6 / capacity
    } else {
        0.0
    };
    (
        value,
        if possible > 0 {
            done as f64 / possible as f64
        } else {
            1.0
        },
    )
}

pub(super) fn occupancy(schedule: &Schedule) -> CapacityUse {
    let (first, last) = schedule.span();
    let makespan = (last - first).microseconds();
    if makespan <= 0 {
        return CapacityUse {
            efficiency: 1.0,
            ..CapacityUse::default()
        };
    }
    let capacity = i64::from(schedule.workload.processors);
    let (mut arrivals, mut starts, mut changes) = (
        schedule.workload.ids().peekable(),
        schedule.attempts().peekable(),
        schedule.changes_in_use().into_iter().peekable(),
    );
    let size = |job: JobId| i64::from(schedule.workload.request(job).processors);
    let stops = schedule.lost.values().map(|lost| (lost.end, lost.job));
    let mut requeued: Vec<(Time, JobId)> = stops.collect();
    crate::sorting::by(&mut requeued, |(at, _)| [at.microseconds().into(), 0]);
    let mut requeued = requeued.into_iter().peekable();
    let (mut free, mut demand, mut waiting, mut longest) = (capacity, 0_i64, 0_u32, 0);
    let (mut used_integral, mut unused_integral, mut queue_integral) = (0_i128, 0_i128, 0_i128);
    let mut now = first;
    loop {
        let arrival = arrivals
            .peek()
            .map(|job| schedule.workload.request(*job).submitted);
        let start = starts.peek().map(|attempt| attempt.from);
        let change = changes.peek().map(|(at, _)| *at);
        let next = [arrival, start, change].into_iter().flatten().min();
        // Jobs that never start can arrive after the last end.
        let Some(next) = next.filter(|next| *next <= last) else {
            break;
        };
        let passed = i128::from((next - now).microseconds());
        used_integral += passed * i128::from(capacity - free);
        unused_integral += passed * i128::from((free - demand).max(0));
        queue_integral += passed * i128::from(waiting);
        now = next;
        while let Some((_, by)) = changes.next_if(|(at, _)| *at == now) {
            free -= by;
        }
        while let Some(job) =
            arrivals.next_if(|job| schedule.workload.request(*job).submitted == now)
        {
            demand += size(job);
            waiting += 1;
        }
        // The end of a lost attempt is among the changes of the processors in use.
        while let Some((_, job)) = requeued.next_if(|(at, _)| *at == now) {
            demand += size(job);
            waiting += 1;
        }
        while let Some(entry) = starts.next_if(|attempt| attempt.from == now) {
            demand -= size(entry.job);
            waiting -= 1;
        }
        longest = longest.max(waiting);
    }
    let total = capacity as f64 * makespan as f64;
    let work: i128 = schedule
        .workload
        .ids()
        .filter(|job| schedule.ends[job.index()] != Time::NEVER)
        .map(|job| i128::from(size(job)) * i128::from(schedule.run_time(job).microseconds()))
        .sum();
    let (utilisation, unused) = (work as f64 / total, unused_integral as f64 / total);
    let wasted = schedule.wasted() as f64 / total;
    CapacityUse {
        utilisation,
        unused,
        // The rounding of the two quotients could make it negative.
        lost: (1.0 - utilisation - unused - wasted).max(0.0),
        efficiency: if used_integral > 0 {
            work as f64 / used_integral as f64
        } else {
            1.0
        },
        occupied: used_integral as f64 / total,
        makespan: (last - first).seconds(),
        mean_queue: queue_integral as f64 / makespan as f64,
        longest_queue: longest,
    }
}
