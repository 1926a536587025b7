//! A run step by step: for each instant what happened, what started, which reservations are held
//! and why the others wait.

use crate::job::JobId;
use crate::machine::{Placement, PlacementBuf, Range};
use crate::sim::{Event, Observer, Reasons, Reservation, Why, release_time};
use crate::time::Time;
use crate::workload::Workload;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A reservation as it can be drawn: when, and on which processors if they were the lowest ones
/// free then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outline {
    /// The reservation.
    pub reservation: Reservation,
    /// When the job would end by its estimate.
    pub end: Time,
    /// Processors that, by estimates, are free from start to end, lowest first; fewer than the job
    /// needs where no processors are free all the while.
    pub placement: PlacementBuf,
}

/// One instant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoryStep {
    /// The instant.
    pub at: Time,
    /// Jobs that arrived.
    pub submitted: Vec<JobId>,
    /// Jobs that ended.
    pub ended: Vec<JobId>,
    /// Jobs that started, in the order of starting.
    pub started: Vec<JobId>,
    /// Jobs that were moved.
    pub moved: Vec<JobId>,
    /// Processors free before anything started.
    pub free_before: u32,
    /// Processors free now.
    pub free: u32,
    /// Reservations held now.
    pub reserved: Vec<Outline>,
    /// Who waits, in order of arrival, and why.
    pub waiting: Vec<(JobId, Why)>,
}

/// A run, instant by instant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Story {
    /// The instants.
    pub steps: Vec<StoryStep>,
}

/// Watches a whole run.
#[derive(Clone, Debug)]
pub struct StoryTeller {
    workload: Arc<Workload>,
    story: Story,
    /// Placements of running jobs, with the time at which each ends by its estimate.
    running: BTreeMap<JobId, (Time, PlacementBuf)>,
    /// Below zero while, taken event by event, a job that ended gave its processors away before its
    /// end was told.
    free: i64,
    /// What was decided at the last instant has been told.
    is_told: bool,
}

impl StoryTeller {
    /// A watcher of a run of `workload` from its start on.
    pub fn new(workload: Arc<Workload>) -> Self {
        let free = i64::from(workload.processors);
        Self {
            workload,
            story: Story::default(),
            running: BTreeMap::new(),
            free,
            is_told: false,
        }
    }

    /// What was seen; turns in which nothing happened, nothing started and nothing changed are left
    /// out.
    pub fn into_story(mut self) -> Story {
        self.story.steps.retain(|step| {
            !(step.submitted.is_empty() && step.ended.is_empty() && step.started.is_empty())
        });
        self.story
    }

    /// The step of `at`: a new one, once what was decided at the same instant has been told.
    fn step(&mut self, at: Time) -> &mut StoryStep {
        let is_new = self.is_told || self.story.steps.last().is_none_or(|step| step.at != at);
        self.is_told = false;
        let free = self.free.max(0) as u32;
        let steps = &mut self.story.steps;
        if is_new {
            // A turn in which nothing happened is no step.
            steps.pop_if(|step| {
                step.submitted.is_empty() && step.ended.is_empty() && step.started.is_empty()
            });
            steps.push(StoryStep {
                at,
                free_before: free,
                free,
                ..StoryStep::default()
            });
        }
        let last = steps.len() - 1;
        let step = &mut steps[last];
        step.free = free;
        if step.started.is_empty() {
            step.free_before = free;
        }
        step
    }

    fn outline(
        &self,
        reservation: Reservation,
        placement: Placement<'_>,
        others: &[Outline],
        at: Time,
    ) -> Outline {
        let request = self.workload.request(reservation.job);
        let end = reservation.start.saturating_add(request.estimate);
        if !placement.is_empty() {
            return Outline {
                reservation,
                end,
                placement: placement.to_owned(),
            };
        }
        let mut held = vec![false; self.workload.processors as usize];
        // On a machine with several rows, the first of them stands for all.
        let mut take = |placement: &PlacementBuf| {
            for range in placement.ranges.iter().filter(|_| placement.row == 0) {
                let (from, to) = (range.first as usize, (range.first + range.count) as usize);
                held.get_mut(from..to).unwrap_or_default().fill(true);
            }
        };
        self.running
            .values()
            .filter(|(until, _)| release_time(*until, at) > reservation.start)
            .for_each(|(_, placement)| take(placement));
        let overlaps =
            |other: &&Outline| other.reservation.start < end && reservation.start < other.end;
        others
            .iter()
            .filter(overlaps)
            .for_each(|other| take(&other.placement));
        let mut ranges: Vec<Range> = Vec::new();
        for number in (0..self.workload.processors)
            .filter(|number| !held[*number as usize])
            .take(request.processors as usize)
        {
            match ranges.last_mut() {
                Some(last) if last.first + last.count == number => last.count += 1,
                _ => ranges.push(Range {
                    first: number,
                    count: 1,
                }),
            }
        }
        Outline {
            reservation,
            end,
            placement: PlacementBuf { row: 0, ranges },
        }
    }
}

impl Observer for StoryTeller {
    fn on_event(&mut self, at: Time, event: &Event<'_>) {
        match *event {
            Event::Submitted(job) => self.step(at).submitted.push(job),
            Event::Finished(job) => {
                let held = self
                    .running
                    .remove(&job)
                    .map_or(0, |(_, placement)| placement.get().size());
                self.free += i64::from(held);
                self.step(at).ended.push(job);
            }
            Event::Started(job, placement, delay) => {
                let until = at.saturating_add(self.workload.request(job).estimate + delay);
                let processors = placement.size();
                self.running.insert(job, (until, placement.to_owned()));
                self.step(at).started.push(job);
                self.free -= i64::from(processors);
                self.step(at);
            }
            Event::Migrated(_)
            | Event::Promised(..)
            | Event::Switched(_)
            | Event::Turned(_)
            | Event::Closed(..)
            | Event::Noted(_) => {}
            Event::Moved(job, placement, cost) => {
                if let Some((until, held)) = self.running.get_mut(&job) {
                    *until = until.saturating_add(cost);
                    *held = placement.to_owned();
                }
                self.step(at).moved.push(job);
            }
            Event::Decided => {
                self.step(at);
                self.is_told = true;
            }
            Event::Reserved(reservation, placement) => {
                let others = self
                    .story
                    .steps
                    .last()
                    .map_or(&[][..], |step| &step.reserved);
                let outline = self.outline(reservation, placement, others, at);
                if let Some(step) = self.story.steps.last_mut() {
                    step.reserved.push(outline);
                }
            }
            Event::Refused(job, why) => {
                if let Some(step) = self.story.steps.last_mut() {
                    step.waiting.push((job, why));
                }
            }
        }
    }

    fn wants_reasons(&self) -> Reasons {
        Reasons::All
    }
}
