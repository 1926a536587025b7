//! Dedicated execution: a job has its processors to itself and ends when its run time has passed.

use crate::job::JobId;
use crate::machine::{Execution, Starting};
use crate::param::{Typed, whole};
use crate::time::{Span, Time};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// Describes the parameter for the delay between the start of a job and the beginning of its run.
pub const fn start_delay(default: i64) -> Typed<i64> {
    whole("start_delay", "Start delay", 0..=86_400, default)
        .unit("s")
        .help(
            "Time from a job's start to the beginning of its run; the job holds its processors \
            meanwhile",
        )
}

/// Execution of jobs that run at full speed until they end.
#[derive(Clone, Default)]
pub struct Dedicated {
    /// (end, order of starting, job). Jobs that end together end in the order in which they
    /// started.
    ends: BinaryHeap<Reverse<(Time, u32, JobId)>>,
    /// The suspended jobs: how long they will still run, and their order of starting.
    suspended: BTreeMap<JobId, (Span, u32)>,
    started: u32,
    delay: Span,
}

impl Dedicated {
    /// Returns an execution in which a job begins to run `delay` after it gets its processors.
    pub fn after(delay: Span) -> Self {
        Self {
            delay,
            ..Self::default()
        }
    }
}

impl Execution for Dedicated {
    fn start_delay(&self) -> Span {
        self.delay
    }

    fn start(&mut self, starting: Starting<'_>, now: Time) {
        self.ends.push(Reverse((
            now + self.delay + starting.program.runtime,
            self.started,
            starting.job,
        )));
        self.started += 1;
    }

    fn next(&self) -> Option<Time> {
        self.ends.peek().map(|Reverse((end, _, _))| *end)
    }

    fn advance(&mut self, now: Time, ended: &mut Vec<JobId>) {
        while let Some(Reverse((end, _, job))) = self.ends.peek()
            && *end <= now
        {
            ended.push(*job);
            self.ends.pop();
        }
    }

    fn stop(&mut self, job: JobId) -> bool {
        let running = self.ends.len();
        self.ends.retain(|Reverse((_, _, other))| *other != job);
        self.ends.len() < running || self.suspended.remove(&job).is_some()
    }

    fn suspend(&mut self, job: JobId, now: Time) -> bool {
        let mut entries = self.ends.iter();
        let Some((end, order)) = entries
            .find_map(|Reverse((end, order, other))| (*other == job).then_some((*end, *order)))
        else {
            return false;
        };
        self.ends.retain(|Reverse((_, _, other))| *other != job);
        self.suspended.insert(job, (end - now, order));
        true
    }

    fn resume(&mut self, job: JobId, now: Time) -> bool {
        let Some((left, order)) = self.suspended.remove(&job) else {
            return false;
        };
        self.ends.push(Reverse((now + left, order, job)));
        true
    }

    fn renumber(&mut self, number: &dyn Fn(JobId) -> JobId) -> bool {
        let ends = std::mem::take(&mut self.ends).into_vec();
        ends.into_iter().for_each(|Reverse((end, order, job))| {
            self.ends.push(Reverse((end, order, number(job))));
        });
        let suspended = std::mem::take(&mut self.suspended).into_iter();
        self.suspended = crate::sorting::map(suspended.map(|(job, left)| (number(job), left)));
        true
    }

    fn postpone(&mut self, jobs: &[JobId], span: Span) {
        let postponed = |Reverse((end, order, job))| {
            Reverse((
                if jobs.contains(&job) { end + span } else { end },
                order,
                job,
            ))
        };
        self.ends = std::mem::take(&mut self.ends)
            .into_iter()
            .map(postponed)
            .collect();
    }

    fn fork(&self) -> Box<dyn Execution> {
        Box::new(self.clone())
    }

    fn idle(&self) -> Box<dyn Execution> {
        Box::new(Self::after(self.delay))
    }
}
