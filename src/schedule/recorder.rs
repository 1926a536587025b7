//! Folds the events of a run into a [`Schedule`].

use super::Schedule;
use crate::job::JobId;
use crate::sim::{Event, Observer};
use crate::time::Time;
use crate::workload::Workload;
use std::sync::Arc;

/// A start: the job and where its placement stands in [`Schedule::ranges`].
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Start {
    /// The job.
    pub job: JobId,
    /// First of its ranges.
    pub ranges_from: u32,
    /// One past its last range.
    pub ranges_to: u32,
}

/// An observer that records everything.
#[derive(Clone, Debug)]
pub struct Recorder {
    schedule: Schedule,
}

impl Recorder {
    /// Nothing recorded yet.
    pub fn new(workload: Arc<Workload>) -> Self {
        let jobs = workload.len();
        let until = workload.requests.first().map_or(Time::ZERO, |request| request.submitted);
        Self {
            schedule: Schedule {
                workload,
                starts: vec![Time::NEVER; jobs],
                ends: vec![Time::NEVER; jobs],
                order: Vec::with_capacity(jobs),
                ranges: Vec::with_capacity(jobs),
                until,
            },
        }
    }

    /// What is recorded so far.
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// The record.
    pub fn into_schedule(self) -> Schedule {
        self.schedule
    }
}

impl Observer for Recorder {
    fn on_event(&mut self, at: Time, event: &Event<'_>) {
        let schedule = &mut self.schedule;
        schedule.until = at;
        match *event {
            Event::Submitted(_) | Event::Decided | Event::Reserved(_) | Event::Refused(..) => {}
            Event::Started(job, placement) => {
                schedule.starts[job.index()] = at;
                let ranges_from = schedule.ranges.len() as u32;
                schedule.ranges.extend_from_slice(placement);
                schedule.order.push(Start { job, ranges_from, ranges_to: schedule.ranges.len() as u32 });
            }
            Event::Finished(job) => schedule.ends[job.index()] = at,
        }
    }
}
