//! A run step by step: for each instant, what happened, which jobs started, which reservations are
//! held and why the remaining jobs wait.

use crate::job::JobId;
use crate::machine::{Placement, PlacementBuf, Range};
use crate::sim::{Event, Observer, Reasons, Reservation, Why, release_time};
use crate::time::{Span, Time};
use crate::workload::Workload;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A reservation that can be drawn, with a period and processors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outline {
    /// The reservation that is drawn.
    pub reservation: Reservation,
    /// End of the job by its estimate.
    pub end: Time,
    /// Processors that the policy reserved. If it named none, the lowest processors that are free
    /// from start to end by the estimates; fewer than the job needs if no others are free all the
    /// time.
    pub placement: PlacementBuf,
}

/// An instant of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoryStep {
    /// Instant of the step.
    pub at: Time,
    /// Jobs that arrived.
    pub submitted: Vec<JobId>,
    /// Jobs that ended.
    pub ended: Vec<JobId>,
    /// Jobs that were preempted and wait again.
    pub requeued: Vec<JobId>,
    /// Jobs that were suspended.
    pub suspended: Vec<JobId>,
    /// Jobs that were suspended and went on.
    pub resumed: Vec<JobId>,
    /// Jobs that started, in order of starting.
    pub started: Vec<JobId>,
    /// Jobs that moved to other processors.
    pub moved: Vec<JobId>,
    /// Number of processors that were free before any job started.
    pub free_before: u32,
    /// Number of processors that are free after the step.
    pub free: u32,
    /// Reservations that are held after the step.
    pub reserved: Vec<Outline>,
    /// Waiting jobs in order of arrival, each with its reason; the first
    /// [`STORY_WAITING`](crate::explain::STORY_WAITING) of them if the story begins amid a run.
    pub waiting: Vec<(JobId, Why)>,
    /// Number of waiting jobs behind those.
    pub unlisted: u32,
}

impl StoryStep {
    /// True if no job arrived, ended, started, was preempted or went on.
    fn is_quiet(&self) -> bool {
        let changed = [
            &self.submitted,
            &self.ended,
            &self.requeued,
            &self.suspended,
            &self.resumed,
            &self.started,
        ];
        changed.iter().all(|jobs| jobs.is_empty())
    }
}

/// Largest number of waiting jobs that a step lists if its story begins amid a run.
pub const STORY_WAITING: usize = 200;

/// A run, told instant by instant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Story {
    /// Steps in order of time.
    pub steps: Vec<StoryStep>,
}

/// Observer that folds a run, or a part of it, into a story.
#[derive(Clone, Debug)]
pub struct StoryTeller {
    workload: Arc<Workload>,
    story: Story,
    /// Running jobs, each with its end by the estimate and its placement.
    running: BTreeMap<JobId, (Time, PlacementBuf)>,
    /// Suspended jobs: how long each would still run by its estimate.
    suspended: BTreeMap<JobId, Span>,
    /// Number of free processors. In event-by-event order it is below zero while a job that ended
    /// has given its processors away before its end is told.
    free: i64,
    /// True if the decision at the last instant has been told.
    is_told: bool,
    /// Begin of the story. Earlier events change the running jobs, and are not told.
    from: Time,
    /// Instant from which on reasons are wanted: the last one at which anything happens before the
    /// begin.
    wakes: Time,
    /// The last instant at which anything happened.
    seen: Time,
    /// Largest number of waiting jobs of a step.
    most: usize,
}

impl StoryTeller {
    /// Returns an observer for a run of `workload` from its start.
    pub fn new(workload: Arc<Workload>) -> Self {
        let free = i64::from(workload.processors);
        Self {
            workload,
            story: Story::default(),
            running: BTreeMap::new(),
            suspended: BTreeMap::new(),
            free,
            is_told: false,
            from: Time::from_microseconds(i64::MIN),
            wakes: Time::from_microseconds(i64::MIN),
            seen: Time::from_microseconds(i64::MIN),
            most: usize::MAX,
        }
    }

    /// Returns an observer for a part of a run of `workload`. The `running` jobs have their
    /// processors when it begins to observe, each until its end by the estimate. The `suspended` ones would still
    /// run so long by it. The story begins
    /// at `from`. `wakes` is the last instant before at which anything happens.
    pub fn amid(
        workload: Arc<Workload>,
        (running, suspended): (BTreeMap<JobId, (Time, PlacementBuf)>, BTreeMap<JobId, Span>),
        from: Time,
        wakes: Time,
    ) -> Self {
        let mut teller = Self::new(workload);
        teller.free -= running
            .values()
            .map(|(_, placement)| i64::from(placement.get().size()))
            .sum::<i64>();
        Self {
            running,
            suspended,
            from,
            wakes,
            most: STORY_WAITING,
            ..teller
        }
    }

    /// Returns the number of steps so far.
    pub fn len(&self) -> usize {
        self.story.steps.len()
    }

    /// True if there is no step yet.
    pub fn is_empty(&self) -> bool {
        self.story.steps.is_empty()
    }

    /// Returns the jobs that run now.
    pub fn running(&self) -> impl Iterator<Item = JobId> {
        self.running.keys().copied()
    }

    /// Returns the story, without the instants at which no job arrived, ended or started.
    pub fn into_story(mut self) -> Story {
        let from = self.from;
        self.story
            .steps
            .retain(|step| step.at >= from && !step.is_quiet());
        self.story
    }

    /// Returns the step of `at`. It is a new step if the decision at the same instant has been
    /// told.
    fn step(&mut self, at: Time) -> &mut StoryStep {
        let is_new = self.is_told || self.story.steps.last().is_none_or(|step| step.at != at);
        self.is_told = false;
        let free = self.free.max(0) as u32;
        let steps = &mut self.story.steps;
        if is_new {
            // An instant at which no job arrived, ended or started is no step.
            steps.pop_if(|step| step.at < self.from || step.is_quiet());
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
        let mut held = vec![false; self.workload.all_processors() as usize];
        // On a machine with several rows, the first row stands for all of them.
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
        self.seen = at;
        match *event {
            Event::Submitted(job) => self.step(at).submitted.push(job),
            Event::Finished(job) | Event::Requeued(job) => {
                self.suspended.remove(&job);
                let held = self
                    .running
                    .remove(&job)
                    .map_or(0, |(_, placement)| placement.get().size());
                self.free += i64::from(held);
                let step = self.step(at);
                if matches!(event, Event::Requeued(_)) {
                    step.requeued.push(job);
                } else {
                    step.ended.push(job);
                }
            }
            Event::Started(job, placement, delay) => {
                let until = at.saturating_add(self.workload.request(job).estimate + delay);
                let processors = placement.size();
                self.running.insert(job, (until, placement.to_owned()));
                self.step(at).started.push(job);
                self.free -= i64::from(processors);
                self.step(at);
            }
            Event::Suspended(_) | Event::Resumed(..) if !cfg!(feature = "clusters") => {}
            Event::Suspended(job) => {
                if let Some((until, placement)) = self.running.remove(&job) {
                    self.free += i64::from(placement.get().size());
                    self.suspended.insert(job, until - at);
                }
                self.step(at).suspended.push(job);
            }
            Event::Resumed(job, placement) => {
                let left = self.suspended.remove(&job);
                let left = left.unwrap_or(self.workload.request(job).estimate);
                let until = at.saturating_add(left);
                self.running.insert(job, (until, placement.to_owned()));
                self.free -= i64::from(placement.size());
                self.step(at).resumed.push(job);
            }
            // The end follows.
            Event::Cancelled(_)
            | Event::Migrated(_)
            | Event::Promised(..)
            | Event::Switched(_)
            | Event::Turned(_)
            | Event::Closed(..)
            | Event::Noted(_)
            | Event::Ranked(..) => {}
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
                    if step.waiting.len() < self.most {
                        step.waiting.push((job, why));
                    } else {
                        step.unlisted += 1;
                    }
                }
            }
        }
    }

    fn wants_reasons(&self) -> Reasons {
        if self.seen >= self.wakes {
            Reasons::All
        } else {
            Reasons::Unwanted
        }
    }
}
