//! Dependencies, limits of arrays, begin times: whether a job may enter a queue.

use super::asked::DependencyKind;
use super::controller::Controller;
use super::reason::WaitReason;
use super::record::{Dependency, DependencyState, JobState};

/// The state of all dependencies of a job.
#[derive(PartialEq, Eq)]
enum Depends {
    No,
    Waits,
    Fails,
}

impl Controller {
    /// True if the job may start (`job_independent`). Sets its eligible time.
    pub(super) fn is_independent(&mut self, record: usize, now: i64) -> bool {
        let job = &self.records[record];
        if job.is_held || job.is_never {
            return false;
        }
        // Most jobs have nothing to wait for but nodes, and are asked many times.
        let is_alone =
            job.dependencies.is_empty() && job.array_job.is_none() && job.reservation.is_none();
        let is_noted = matches!(job.reason, WaitReason::Dependency | WaitReason::BeginTime);
        let is_begun = job.begin <= now && (job.begin != 0 || job.priority == 0);
        if is_alone && is_begun && !is_noted {
            return true;
        }
        match self.test_dependencies(record, now) {
            Depends::No => {}
            depends => {
                let job = &mut self.records[record];
                if job.begin < now {
                    job.begin = 0;
                }
                job.reason = WaitReason::Dependency;
                if depends == Depends::Fails {
                    if job.facts.kills_invalid {
                        self.cancel(record);
                    } else {
                        job.is_never = true;
                        job.reason = WaitReason::DependencyNeverSatisfied;
                    }
                }
                return false;
            }
        }
        if self.records[record].reason == WaitReason::Dependency {
            self.records[record].reason = WaitReason::None;
        }
        if !self.is_array_open(record, now) {
            return false;
        }
        if self.records[record].begin > now {
            self.records[record].reason = WaitReason::BeginTime;
            return false;
        }
        if !self.is_reservation_open(record, now) {
            return false;
        }
        let job = &self.records[record];
        if job.begin == 0 && job.priority != 0 {
            self.records[record].begin = now;
        } else if job.reason == WaitReason::BeginTime {
            self.records[record].reason = WaitReason::None;
        }
        true
    }

    /// True if the array of the job, if any, is below its limit (`job_array_start_test`).
    pub(super) fn is_array_open(&mut self, record: usize, now: i64) -> bool {
        let Some(array) = self.base_of(record).and_then(|base| self.array_of(base)) else {
            return true;
        };
        if array.most_running == 0 || array.running + array.planned < array.most_running {
            return true;
        }
        let job = &mut self.records[record];
        if job.begin <= now {
            job.begin = 0;
        }
        false
    }

    fn test_dependencies(&mut self, record: usize, now: i64) -> Depends {
        if self.records[record].dependencies.is_empty() {
            return Depends::No;
        }
        let mut all = std::mem::take(&mut self.records[record].dependencies);
        let is_any = self.records[record].facts.is_any_dependency;
        for dependency in &mut all {
            if dependency.state == DependencyState::Open {
                dependency.state = self.test_dependency(record, dependency, now);
            }
        }
        let has = |state| all.iter().any(|one| one.state == state);
        let is_open = has(DependencyState::Open);
        let is_done = if is_any {
            has(DependencyState::Satisfied)
        } else {
            !is_open && !has(DependencyState::Failed)
        };
        let is_failed = if is_any {
            !is_open
        } else {
            has(DependencyState::Failed)
        };
        if is_done {
            return Depends::No;
        }
        self.records[record].dependencies = all;
        if is_failed {
            Depends::Fails
        } else {
            Depends::Waits
        }
    }

    fn test_dependency(&self, record: usize, dependency: &Dependency, now: i64) -> DependencyState {
        use DependencyState::{Failed, Open, Satisfied};
        let decide = |clear: bool, failed: bool| match (clear, failed) {
            (_, true) => Failed,
            (true, _) => Satisfied,
            _ => Open,
        };
        if dependency.kind == DependencyKind::Singleton {
            return decide(self.is_single(record), false);
        }
        let group = self.group(dependency);
        if group.is_empty() {
            return Satisfied;
        }
        let jobs = || group.iter().map(|other| &self.records[*other as usize]);
        let is_done = |state: JobState| !matches!(state, JobState::Pending | JobState::Running);
        let is_over = jobs().all(|job| is_done(job.state) && !job.is_completing);
        let is_good = jobs().all(|job| job.state == JobState::Completed);
        match dependency.kind {
            DependencyKind::After => {
                let last = jobs().map(|job| job.start).max().unwrap_or(0);
                let is_pending = jobs().any(|job| job.state == JobState::Pending);
                let is_late = dependency.delay == 0 || now - last >= dependency.delay;
                decide(!is_pending && is_late, false)
            }
            DependencyKind::AfterAny => decide(is_over, false),
            DependencyKind::AfterOk => decide(is_over && is_good, is_over && !is_good),
            DependencyKind::AfterNotOk => decide(is_over && !is_good, is_over && is_good),
            DependencyKind::AfterCorr => {
                let task = self.records[record].task;
                let is_mine = |one: &&super::record::JobRecord| task.is_some() && one.task == task;
                let has_mine = jobs().any(|one| is_mine(&one));
                let mine = || jobs().filter(|one| !has_mine || is_mine(one));
                let is_over = mine().all(|job| is_done(job.state) && !job.is_completing);
                let is_good = mine().all(|job| job.state == JobState::Completed);
                decide(is_over && is_good, is_over && !is_good)
            }
            DependencyKind::Singleton => Open,
        }
    }

    /// True if no other job of the same user and name runs, or waits with a smaller id.
    fn is_single(&self, record: usize) -> bool {
        let job = &self.records[record];
        let is_same = |other: usize| {
            let one = &self.records[other];
            other != record && one.facts.user == job.facts.user && one.facts.name == job.facts.name
        };
        let mut running = self.running.iter().map(|(_, other)| *other as usize);
        let mut pending = self.pending.iter().map(|other| *other as usize);
        !running.any(is_same)
            && !pending.any(|other| is_same(other) && self.records[other].id < job.id)
    }

    /// Returns the records that a dependency means.
    fn group(&self, dependency: &Dependency) -> Vec<u32> {
        let mut group: Vec<u32> = Vec::new();
        if let Some(other) = self.find(dependency.job)
            && self.records[other].array_job.is_none()
        {
            group.push(other as u32);
        }
        if let Some(members) = self.members.get(&dependency.job) {
            group.extend(members);
        }
        let Some(task) = dependency.task else {
            return group;
        };
        let of = |keep: &dyn Fn(usize) -> bool| -> Vec<u32> {
            let all = group.iter().copied();
            all.filter(|other| keep(*other as usize)).collect()
        };
        let split = of(&|other| self.records[other].task == Some(task));
        if !split.is_empty() {
            return split;
        }
        of(&|other| {
            let array = self.records[other].array.as_ref();
            array.is_some_and(|array| array.tasks.contains(&task))
        })
    }
}
