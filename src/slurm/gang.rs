//! Gang scheduling (`gang.c`): a job of a partition of a higher tier takes cores from jobs of lower tiers,
//! which are suspended until these cores are free again. Jobs of one partition that hold the same cores take
//! turns.

use super::controller::Controller;
use super::core_rows::words_of;
use super::gang_state::{GangJob, GangPart, GangPlace, GangRow};
use super::record::{JobRecord, JobState, SuspendedJob};
use super::text::modes::PreemptMode;
use super::text::words::INFINITE;

/// Jobs that stop, end and go on, in this order.
#[derive(Default)]
struct GangOrders {
    stop: Vec<usize>,
    /// Those that end because of their mode, in place of being suspended.
    end: Vec<usize>,
    go_on: Vec<usize>,
}

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
        let Some(gang) = &self.gang else {
            return;
        };
        let partition = self.records[record].partition;
        let is_running = self.has_room(record, &gang.parts[partition].row);
        let Some(gang) = &mut self.gang else {
            return;
        };
        gang.parts[partition].jobs.push(GangJob {
            record: record as u32,
            place: if is_running {
                GangPlace::Filler
            } else {
                GangPlace::Out
            },
            is_stopped: !is_running,
        });
        let before = self.started.len().saturating_sub(1);
        if is_running {
            self.walk_tiers((now, before, Some(record)), Self::update_row);
        } else {
            let mut orders = GangOrders::default();
            let has_shadows = self.has_shadows(partition);
            self.order_stop(&mut orders, record, has_shadows);
            self.obey(&orders, (now, before, Some(record)));
        }
        self.note_slicing();
    }

    /// Takes a job out whose nodes are clean (`gs_job_fini`).
    pub(super) fn leave_gang(&mut self, record: usize, now: i64) {
        let Some(gang) = &mut self.gang else {
            return;
        };
        let partition = self.records[record].partition;
        let jobs = &mut gang.parts[partition].jobs;
        jobs.retain(|one| one.record != record as u32);
        self.walk_tiers((now, self.started.len(), None), Self::update_row);
        self.note_slicing();
    }

    /// Returns the seconds of a time slice, if jobs can take turns.
    pub(super) fn slice_seconds(&self) -> Option<i64> {
        self.gang.as_ref().and_then(|gang| gang.slice)
    }

    /// True if the next time slice changes who runs or who comes next.
    pub(super) fn is_slicing(&self) -> bool {
        self.gang.as_ref().is_some_and(|gang| gang.is_slicing)
    }

    /// Ends a time slice (`_timeslicer_thread`).
    pub fn end_slice(&mut self, now: i64) {
        self.walk_tiers((now, self.started.len(), None), Self::cycle);
        self.note_slicing();
    }

    /// Does something with each partition, the highest tier first, then suspends and resumes jobs. `at` is as for
    /// [`Controller::obey`].
    fn walk_tiers(
        &mut self,
        at: (i64, usize, Option<usize>),
        each: fn(&mut Self, usize, &GangRow, &mut GangOrders),
    ) {
        let Some(gang) = &self.gang else {
            return;
        };
        let (mut orders, order) = (GangOrders::default(), gang.order.clone());
        let mut shadow = GangRow {
            cores: vec![0; gang.first[gang.first.len() - 1]],
            count: 0,
        };
        let tiers: Vec<i64> = self.conf.partitions.iter().map(|part| part.tier).collect();
        for same in order.chunk_by(|one, other| tiers[*one] == tiers[*other]) {
            for partition in same {
                each(self, *partition, &shadow, &mut orders);
            }
            for partition in same {
                let jobs = self.gang.as_ref().map(|gang| &gang.parts[*partition].jobs);
                for job in jobs.into_iter().flatten().filter(|job| !job.is_stopped) {
                    self.cast(job.record as usize, &mut shadow);
                }
            }
        }
        self.obey(&orders, at);
    }

    /// Moves the jobs of the row of a partition to the end of its list, and fills the row anew from the list, if a
    /// job is not in the row (`_cycle_job_list`).
    fn cycle(&mut self, partition: usize, shadow: &GangRow, orders: &mut GangOrders) {
        let Some(gang) = &mut self.gang else {
            return;
        };
        let part = &mut gang.parts[partition];
        if part.row.count >= part.jobs.len() + shadow.count {
            // As many jobs of higher tiers went on as were suspended. Slurm leaves the row as it is, and jobs of both
            // tiers then run on the same cores.
            let running = part.jobs.iter().filter(|job| !job.is_stopped);
            let running: Vec<u32> = running.map(|job| job.record).collect();
            if !running
                .iter()
                .all(|one| self.has_room(*one as usize, shadow))
            {
                self.update_row(partition, shadow, orders);
            }
            return;
        }
        let jobs = std::mem::take(&mut part.jobs);
        let was_active = |job: &GangJob| job.place == GangPlace::Active;
        let (last, first): (Vec<GangJob>, Vec<GangJob>) = jobs.into_iter().partition(was_active);
        let mut jobs = [first, last].concat();
        let mut row = shadow.clone();
        for job in &mut jobs {
            job.place = GangPlace::Out;
            if self.has_room(job.record as usize, &row) {
                self.cast(job.record as usize, &mut row);
                job.place = GangPlace::Active;
            }
        }
        for job in &mut jobs {
            let is_out = job.place == GangPlace::Out;
            if is_out && !job.is_stopped {
                self.order_stop(orders, job.record as usize, shadow.count > 0);
            } else if !is_out && job.is_stopped {
                orders.go_on.push(job.record as usize);
            }
            job.is_stopped = is_out;
        }
        if jobs.is_empty() {
            row.count = 0;
        }
        self.set_part(partition, jobs, row);
    }

    /// Fills the row of a partition with the jobs that are in it, and then with others (`_update_active_row`).
    fn update_row(&mut self, partition: usize, shadow: &GangRow, orders: &mut GangOrders) {
        let Some(gang) = &mut self.gang else {
            return;
        };
        let mut jobs = std::mem::take(&mut gang.parts[partition].jobs);
        let mut row = shadow.clone();
        for place in [GangPlace::Active, GangPlace::Filler, GangPlace::Out] {
            for job in jobs.iter_mut().filter(|job| job.place == place) {
                let record = job.record as usize;
                let has_room = self.has_room(record, &row);
                if has_room {
                    self.cast(record, &mut row);
                }
                if !has_room {
                    if !job.is_stopped {
                        self.order_stop(orders, record, shadow.count > 0);
                    }
                    (job.place, job.is_stopped) = (GangPlace::Out, true);
                } else if place == GangPlace::Out {
                    if job.is_stopped {
                        orders.go_on.push(record);
                    }
                    (job.place, job.is_stopped) = (GangPlace::Filler, false);
                }
            }
        }
        self.set_part(partition, jobs, row);
    }

    fn set_part(&mut self, partition: usize, jobs: Vec<GangJob>, row: GangRow) {
        if let Some(gang) = &mut self.gang {
            gang.parts[partition] = GangPart { jobs, row };
        }
    }

    /// True if a job of a higher tier was not told to stop.
    fn has_shadows(&self, partition: usize) -> bool {
        let tier = |partition: usize| self.conf.partitions[partition].tier;
        let parts = self
            .gang
            .iter()
            .flat_map(|gang| gang.parts.iter().enumerate());
        let mut higher = parts.filter(|(at, _)| tier(*at) > tier(partition));
        higher.any(|(_, part)| part.jobs.iter().any(|job| !job.is_stopped))
    }

    /// Notes whether a job is not in the row of its partition.
    fn note_slicing(&mut self) {
        if let Some(gang) = self.gang.as_mut().filter(|gang| gang.slice.is_some()) {
            let jobs = gang.parts.iter().flat_map(|part| &part.jobs);
            gang.is_slicing = jobs.clone().any(|job| job.place == GangPlace::Out);
        }
    }

    /// Adds a job to a row.
    fn cast(&self, record: usize, row: &mut GangRow) {
        if let Some(gang) = &self.gang {
            let words = words_of(&gang.first, &self.records[record]);
            words.for_each(|(word, bits)| row.cores[word] |= bits);
            row.count += 1;
        }
    }

    /// True if no core of a job is in a row (`_job_fits_in_active_row`).
    fn has_room(&self, record: usize, row: &GangRow) -> bool {
        crate::pulse::beat(16);
        let Some(gang) = self.gang.as_ref().filter(|_| row.count > 0) else {
            return true;
        };
        let mut words = words_of(&gang.first, &self.records[record]);
        words.all(|(word, bits)| row.cores[word] & bits == 0)
    }

    /// Notes that a job has to stop. Below a shadow, the mode of the job says how.
    fn order_stop(&self, orders: &mut GangOrders, record: usize, has_shadows: bool) {
        match self.preempt_mode(&self.records[record]) {
            PreemptMode::Cancel | PreemptMode::Requeue if has_shadows => orders.end.push(record),
            _ => orders.stop.push(record),
        }
    }

    /// Suspends, resumes and ends jobs now. `after` is the number of starts that come before. A job that has
    /// `started` just now is suspended after its start.
    fn obey(&mut self, orders: &GangOrders, (now, after, started): (i64, usize, Option<usize>)) {
        let is_running = |job: &JobRecord| job.state == JobState::Running;
        let others = orders.stop.iter().filter(|one| Some(**one) != started);
        for record in others.copied().collect::<Vec<_>>() {
            let job = &self.records[record];
            if is_running(job) && !job.suspend.is_suspended {
                self.suspend(record, now, after);
            }
        }
        for record in &orders.end {
            if is_running(&self.records[*record]) {
                let is_own = Some(*record) == started;
                self.end_victim(*record, now, after + usize::from(is_own));
                if let Some(last) = self.preempted.last_mut() {
                    last.is_at_start = is_own;
                }
            }
        }
        for record in &orders.go_on {
            let job = &self.records[*record];
            if is_running(job) && job.suspend.is_suspended {
                self.resume(*record, now, after);
            }
        }
        if let Some(own) = started.filter(|own| orders.stop.contains(own)) {
            self.suspend(own, now, after + 1);
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
