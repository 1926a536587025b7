//! Passes of the backfill scheduler that are repeated instead of run, and the notes that they read and leave.

use super::controller::Controller;
use super::idle::PassNotes;

impl Controller {
    /// Does what the last pass did, if another one would find the same. Returns false if it may not.
    pub(super) fn repeat_idle(&mut self, now: i64) -> bool {
        let is_idle = self.idle_pass.as_ref().is_some_and(|idle| {
            idle.changes == self.changes
                && now < idle.until
                && !self.runs_all
                && self.near == self.near_before
                && idle.before == self.notes_to_read()
        });
        let Some(idle) = self.idle_pass.take().filter(|_| is_idle) else {
            return false;
        };
        for (node, near) in self.near_after.iter().enumerate() {
            self.set_near(node, near.get());
        }
        for at in 0..self.pending.len() {
            self.write_notes(self.pending[at] as usize, &idle.after[at]);
        }
        if idle.is_change {
            self.changed = now;
        }
        self.idle_pass = Some(idle);
        self.repeat_watched(now);
        true
    }

    /// Returns the notes of all waiting jobs, as far as a pass reads them: it begins without planned starts, and
    /// with a new queue.
    pub(super) fn notes_to_read(&self) -> Vec<PassNotes> {
        let mut notes = self.all_notes();
        for note in &mut notes {
            (note.start, note.planned) = (0, 0);
            (note.partition, note.priority) = (0, 0);
            if !self.conf.enforce.limits {
                note.cpus = 0;
            }
        }
        notes
    }

    /// Returns the notes of all waiting jobs.
    pub(super) fn all_notes(&self) -> Vec<PassNotes> {
        let waiting = self.pending.iter().map(|record| *record as usize);
        waiting.map(|record| self.notes_of(record)).collect()
    }

    /// Returns the notes of a job, as far as an entry of a pass reads them.
    pub(super) fn notes_for_entry(&self, record: usize) -> PassNotes {
        let facts = &self.records[record].facts;
        let has_one_entry = facts.partitions.len() == 1 && facts.magnets.is_empty();
        let mut notes = self.notes_of(record);
        (notes.planned, notes.priority) = (0, 0);
        if has_one_entry && !self.conf.enforce.limits {
            notes.cpus = 0;
        }
        notes
    }

    /// Returns the notes of a job.
    pub(super) fn notes_of(&self, record: usize) -> PassNotes {
        let job = &self.records[record];
        PassNotes {
            start: job.start,
            planned: job.planned,
            limit: job.limit,
            reason: job.reason,
            partition: job.partition,
            priority: job.priority,
            cpus: job.cpus,
            node_guess: job.node_guess,
            blocking_qos: job.blocking_qos,
        }
    }

    /// Writes the notes that a pass would leave.
    pub(super) fn write_notes(&mut self, record: usize, notes: &PassNotes) {
        if self.notes_of(record) == *notes {
            // Copies of the controller share records that are not written.
            return;
        }
        let job = &mut self.records[record];
        (job.start, job.planned) = (notes.start, notes.planned);
        (job.limit, job.reason) = (notes.limit, notes.reason);
        (job.partition, job.priority) = (notes.partition, notes.priority);
        (job.cpus, job.node_guess) = (notes.cpus, notes.node_guess);
        job.blocking_qos = notes.blocking_qos;
    }
}
