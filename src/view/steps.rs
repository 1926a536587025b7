//! Used processors, waiting jobs and their work as step functions of time, and their means over the
//! pixels of a strip.

use super::viewport::Parts;
use crate::job::JobId;
use crate::machine::{Placement, PlacementBuf};
use crate::schedule::Cover;
use crate::sim::{Event, Numbers, Observer};
use crate::sorting::map;
use crate::time::Time;
use crate::workload::Workload;
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Copy, Clone, Debug)]
struct UsageStep {
    from: Time,
    used: u32,
    waiting: u32,
    /// Work of the waiting jobs, in processor seconds.
    work: u64,
}

/// An observer that records these step functions.
#[derive(Clone, Debug)]
pub struct Steps {
    workload: Arc<Workload>,
    list: Vec<UsageStep>,
    used: u32,
    waiting: u32,
    work: u64,
    /// Number of processors held by each running job that holds more than it asked for, or none because it is
    /// suspended.
    raised: BTreeMap<JobId, u32>,
    /// The number of jobs on each processor and the placement of each job, if processors are
    /// shared.
    shared: Option<(Cover, BTreeMap<JobId, PlacementBuf>)>,
}

/// Means over equal parts of a window.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bins {
    /// Number of used processors.
    pub used: Vec<f32>,
    /// Number of waiting jobs.
    pub waiting: Vec<f32>,
    /// Work of the waiting jobs by their run times, in processor seconds.
    pub work: Vec<f32>,
}

impl Steps {
    /// Creates an observer that has seen no event.
    pub fn new(workload: Arc<Workload>, slots: u32) -> Self {
        let shared = (slots > 1).then(|| (Cover::new(workload.processors), BTreeMap::new()));
        Self {
            workload,
            list: Vec::new(),
            used: 0,
            waiting: 0,
            work: 0,
            raised: BTreeMap::new(),
            shared,
        }
    }

    /// Returns the means over `count` equal parts of [from, to), exact up to rounding. The last
    /// step lasts until `until`, the end of the record. Before the first step and after `until` all
    /// functions are zero.
    pub fn bins(&self, from: Time, to: Time, count: usize, until: Time) -> Bins {
        let mut bins = Bins {
            used: vec![0.0; count],
            waiting: vec![0.0; count],
            work: vec![0.0; count],
        };
        let Some(parts) = Parts::of(from, to, count) else {
            return bins;
        };
        let mut sums = vec![[0.0_f64; 3]; count];
        let first = self
            .list
            .partition_point(|step| step.from <= from)
            .saturating_sub(1);
        for (at, step) in self.list.iter().enumerate().skip(first) {
            let end = self.list.get(at + 1).map_or(until, |next| next.from);
            if step.from >= to {
                break;
            }
            parts.cover(step.from, end, |bin, share| {
                let values = [
                    f64::from(step.used),
                    f64::from(step.waiting),
                    step.work as f64,
                ];
                sums[bin]
                    .iter_mut()
                    .zip(values)
                    .for_each(|(sum, value)| *sum += share * value);
            });
        }
        for (bin, sums) in sums.iter().enumerate() {
            [bins.used[bin], bins.waiting[bin], bins.work[bin]] = sums.map(|sum| sum as f32);
        }
        bins
    }

    /// Continues with another workload from `now` on. `numbers` gives the new id of each job of
    /// the old workload, or none if the job was withdrawn. `queue` lists the jobs that wait at `now`, by
    /// their new ids.
    pub fn otherwise(
        &mut self,
        now: Time,
        workload: &Arc<Workload>,
        numbers: &Numbers,
        queue: &[JobId],
    ) {
        let number = |job: JobId| numbers.get(job.index()).copied().flatten();
        self.workload = Arc::clone(workload);
        self.raised = map(std::mem::take(&mut self.raised)
            .into_iter()
            .filter_map(|(job, held)| Some((number(job)?, held))));
        if let Some((_, held)) = &mut self.shared {
            *held = map(std::mem::take(held)
                .into_iter()
                .filter_map(|(job, placement)| Some((number(job)?, placement))));
        }
        self.waiting = queue.len() as u32;
        self.work = queue.iter().map(|job| self.work_of(*job)).sum();
        self.step(now);
    }

    fn step(&mut self, at: Time) {
        let step = UsageStep {
            from: at,
            used: self.used,
            waiting: self.waiting,
            work: self.work,
        };
        match self.list.last_mut() {
            Some(last) if last.from == at => *last = step,
            _ => self.list.push(step),
        }
    }

    /// Moves a job to these processors, or frees its processors if the placement is empty.
    fn hold(&mut self, job: JobId, placement: Placement<'_>) {
        let Some((cover, held)) = &mut self.shared else {
            return;
        };
        if let Some(before) = held.remove(&job) {
            cover.change(before.get(), false);
        }
        if !placement.is_empty() {
            cover.change(placement, true);
            held.insert(job, placement.to_owned());
        }
        self.used = cover.used();
    }

    /// Frees the processors of a job.
    fn release(&mut self, job: JobId) {
        if self.shared.is_some() {
            self.hold(job, Placement::NOWHERE);
        } else {
            self.used -= self.raised.remove(&job).unwrap_or_else(|| self.size(job));
        }
    }

    /// Removes a job from the waiting ones.
    fn take(&mut self, job: JobId) {
        self.waiting -= 1;
        self.work -= self.work_of(job);
    }

    /// Returns the work of a job in whole processor seconds, so that exactly zero is left when no
    /// job waits.
    fn work_of(&self, job: JobId) -> u64 {
        self.workload.program(job).runtime.seconds() as u64 * u64::from(self.size(job))
    }

    /// Counts the processors that a job has from now on.
    fn raise(&mut self, job: JobId, placement: Placement<'_>) {
        let (size, held) = (self.size(job), placement.size());
        if held > size {
            self.raised.insert(job, held);
        } else {
            self.raised.remove(&job);
        }
        self.used += size.max(held);
    }

    fn size(&self, job: JobId) -> u32 {
        self.workload.request(job).processors
    }
}

impl Observer for Steps {
    fn on_event(&mut self, at: Time, event: &Event<'_>) {
        match *event {
            Event::Submitted(job) => {
                self.waiting += 1;
                self.work += self.work_of(job);
            }
            Event::Requeued(job) => {
                self.waiting += 1;
                self.work += self.work_of(job);
                self.release(job);
            }
            Event::Started(job, placement, _) if self.shared.is_some() => {
                self.take(job);
                self.hold(job, placement);
            }
            Event::Moved(job, placement, _) if self.shared.is_some() => self.hold(job, placement),
            Event::Suspended(_) | Event::Resumed(..) if !cfg!(feature = "clusters") => return,
            Event::Suspended(job) => {
                self.release(job);
                self.raised.insert(job, 0);
            }
            Event::Resumed(job, placement) => self.raise(job, placement),
            Event::Started(job, placement, _) => {
                self.take(job);
                self.raise(job, placement);
            }
            Event::Finished(job) => self.release(job),
            // The end follows.
            Event::Cancelled(_)
            | Event::Migrated(_)
            | Event::Closed(..)
            | Event::Moved(..)
            | Event::Promised(..)
            | Event::Switched(_)
            | Event::Turned(_)
            | Event::Noted(_)
            | Event::Decided
            | Event::Reserved(..)
            | Event::Refused(..)
            | Event::Ranked(..) => return,
        }
        self.step(at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_are_means() {
        let mut steps = Steps::new(Arc::new(Workload::default()), 1);
        let at = Time::from_seconds;
        steps.list = vec![
            UsageStep {
                from: at(0),
                used: 4,
                waiting: 0,
                work: 0,
            },
            UsageStep {
                from: at(15),
                used: 8,
                waiting: 2,
                work: 30,
            },
        ];
        let bins = steps.bins(at(0), at(40), 4, at(30));
        assert_eq!(bins.used, [4.0, 6.0, 8.0, 0.0]);
        assert_eq!(bins.waiting, [0.0, 1.0, 2.0, 0.0]);
        assert_eq!(bins.work, [0.0, 15.0, 30.0, 0.0]);
        let part = steps.bins(at(10), at(20), 2, at(30));
        assert_eq!(part.used, [4.0, 8.0]);
        assert_eq!(steps.bins(at(-10), at(10), 2, at(30)).used, [0.0, 4.0]);
    }
}
