//! Gang scheduling (`gang.c`): a job of a partition of a higher tier takes cores from jobs of lower tiers,
//! which are suspended until these cores are free again.

use super::controller::Controller;
use super::core_rows::words_of;
use super::record::{JobState, SuspendedJob};
use super::text::modes::PreemptMode;
use super::text::words::INFINITE;

impl Controller {
    /// Returns the jobs that were suspended or resumed since the last call, those first that were suspended
    /// before the same start. Those of [`Controller::take_started`] since the last call belong to the same
    /// list of events.
    pub fn take_suspended(&mut self) -> Vec<SuspendedJob> {
        let gang = self.gang.as_mut();
        gang.map_or_else(Vec::new, |gang| std::mem::take(&mut gang.told))
    }

    /// Takes a job in that has just started (`gs_job_start`).
    pub(super) fn join_gang(&mut self, record: usize, now: i64) {
        let Some(gang) = &mut self.gang else {
            return;
        };
        gang.jobs[self.records[record].partition].push(record as u32);
        self.update_gang(now, self.started.len().saturating_sub(1), Some(record));
    }

    /// Takes a job out whose nodes are clean (`gs_job_fini`).
    pub(super) fn leave_gang(&mut self, record: usize, now: i64) {
        let Some(gang) = &mut self.gang else {
            return;
        };
        let partition = self.records[record].partition;
        gang.jobs[partition].retain(|one| *one != record as u32);
        self.update_gang(now, self.started.len(), None);
    }

    /// Suspends the jobs whose cores a running job of a higher tier has, and resumes the others
    /// (`_update_all_active_rows`). `after` is the number of starts that come before. Where the job that has just
    /// started is suspended itself, that comes after its start.
    fn update_gang(&mut self, now: i64, after: usize, started: Option<usize>) {
        let Some(gang) = &self.gang else {
            return;
        };
        let (mut out, mut back) = (Vec::new(), Vec::new());
        let mut shadow = vec![0; gang.first[gang.first.len() - 1]];
        let tier = |partition: &usize| self.conf.partitions[*partition].tier;
        for same in gang.order.chunk_by(|one, other| tier(one) == tier(other)) {
            let mut cast = shadow.clone();
            for record in same.iter().flat_map(|partition| &gang.jobs[*partition]) {
                crate::pulse::beat(16);
                let job = &self.records[*record as usize];
                let is_hit = |(word, bits): (usize, u64)| shadow[word] & bits != 0;
                let is_shadowed = words_of(&gang.first, job).any(is_hit);
                if !is_shadowed {
                    words_of(&gang.first, job).for_each(|(word, bits)| cast[word] |= bits);
                }
                if job.state == JobState::Running {
                    match (is_shadowed, job.suspend.is_suspended) {
                        (true, false) => out.push(*record as usize),
                        (false, true) => back.push(*record as usize),
                        _ => {}
                    }
                }
            }
            shadow = cast;
        }
        // Lists of events are in order of `after`.
        crate::sorting::by(&mut out, |record| [(Some(*record) == started).into(), 0]);
        for record in out {
            let after = after + usize::from(Some(record) == started);
            match self.preempt_mode(&self.records[record]) {
                PreemptMode::Cancel | PreemptMode::Requeue => {
                    self.end_victim(record, now, after);
                }
                _ => self.suspend(record, now, after),
            }
        }
        for record in back {
            self.resume(record, now, after);
        }
    }

    /// True if all victims of a choice of nodes only have to be suspended, so that the job can start at once
    /// (`_preempt_jobs`). They keep their ends.
    pub(super) fn will_suspend(&mut self, victims: &[u32]) -> bool {
        let mut is_all = true;
        for victim in victims {
            let is_suspended =
                self.preempt_mode(&self.records[*victim as usize]) == PreemptMode::Suspend;
            self.records[*victim as usize].suspend.keeps_end |= is_suspended;
            is_all &= is_suspended;
        }
        is_all
    }

    fn tell_suspended(&mut self, record: usize, is_resumed: bool, after: usize) {
        let job = &self.records[record];
        let (number, task) = (job.number, job.task);
        if let Some(gang) = &mut self.gang {
            gang.told.push(SuspendedJob {
                record,
                number,
                task,
                is_resumed,
                after,
            });
        }
    }

    fn suspend(&mut self, record: usize, now: i64, after: usize) {
        let job = &mut self.records[record];
        let since = if job.suspend.last == 0 {
            job.start
        } else {
            job.suspend.last
        };
        job.suspend.ran += now - since;
        (job.suspend.last, job.suspend.is_suspended) = (now, true);
        self.count_suspended(record, true);
        self.changed = now;
        self.tell_suspended(record, false, after);
    }

    fn resume(&mut self, record: usize, now: i64, after: usize) {
        let job = &mut self.records[record];
        (job.suspend.last, job.suspend.is_suspended) = (now, false);
        let limit = job.limit.filter(|limit| *limit < INFINITE);
        if let Some(limit) = limit.filter(|_| !job.suspend.keeps_end) {
            let end = super::start::end_of(now, limit) - job.suspend.ran;
            if job.expected_end.is_some() {
                job.expected_end = Some(end);
            }
            self.set_end(record, end);
        }
        self.count_suspended(record, false);
        self.changed = now;
        self.tell_suspended(record, true, after);
    }

    /// Counts a job on its nodes as suspended, or no longer so.
    pub(super) fn count_suspended(&mut self, record: usize, is_suspended: bool) {
        self.changes += 1;
        self.uses += 1;
        let Some(gang) = &mut self.gang else {
            return;
        };
        let job = &self.records[record];
        for node in job.nodes.iter() {
            let count = &mut gang.suspended[node];
            *count = count.saturating_add_signed(if is_suspended { 1 } else { -1 });
            if self.used.jobs[node] > *count {
                self.busy.insert(node);
            } else {
                self.busy.remove(node);
            }
            if job.shares_nothing {
                self.unshared_jobs[node] = self.unshared_jobs[node]
                    .saturating_add_signed(if is_suspended { -1 } else { 1 });
                if self.unshared_jobs[node] == 0 {
                    self.unshared.remove(node);
                } else {
                    self.unshared.insert(node);
                }
            }
        }
    }
}
