//! The turns of the rows.

use super::clocks::NEVER;
use super::lane::GONE;
use super::process::{Phase, Process};
use super::{Algorithm, ProcessCluster, Reclassified};
use crate::job::JobId;
use std::sync::Arc;

impl ProcessCluster {
    /// Removes a job that has ended. If this empties the row whose turn it is, the next row's turn
    /// begins.
    #[inline(never)]
    pub fn forget(&mut self, id: JobId, now: i64) {
        let Some(job) = self.jobs.iter_mut().find(|job| job.is_here && job.id == id) else {
            return;
        };
        job.is_here = false;
        let (row, seats) = (job.row, Arc::clone(&job.seats));
        for seat in &*seats {
            let pe = self.processes[*seat as usize].pe as usize;
            self.processes[*seat as usize] = Process::none();
            let pe = &mut self.pes[pe];
            if pe.last == row {
                pe.last = GONE;
            }
            for set in [&mut pe.f_in_its_slot, &mut pe.class_f, &mut pe.yields_to_f] {
                *set &= !(1 << row);
            }
        }
        self.in_row[row as usize] -= 1;
        if self.turn_ends == NEVER || self.in_row[self.row as usize] > 0 {
            return;
        }
        match self.row_after(self.row) {
            Some(row) => {
                (self.row, self.turn_ends) = (row, now + self.constants.thresholds.slice);
                (0..self.pes.len()).for_each(|pe| self.settle(pe, now, self.constants.turn));
            }
            None => self.turn_ends = NEVER,
        }
    }

    fn row_after(&self, row: u32) -> Option<u32> {
        let rows = self.in_row.len() as u32;
        (1..=rows)
            .map(|by| (row + by) % rows)
            .find(|row| self.in_row[*row as usize] > 0)
    }

    /// Ends a turn: judges the classes of the row's processes and gives the next row its turn.
    #[inline(never)]
    pub(super) fn turn(&mut self, now: i64) {
        let old = self.row;
        if self.constants.algorithm == Algorithm::Flexible {
            for pe in 0..self.pes.len() {
                let mut lane = self.lane(pe);
                if lane.processes[old as usize].phase == Phase::Done {
                    continue;
                }
                if lane.pe.running == old {
                    lane.halt(now);
                    lane.resume_as_before();
                }
                let Process {
                    rank,
                    record,
                    job,
                    computed_before,
                    ..
                } = &mut lane.processes[old as usize];
                let (rank, job, computing) = (*rank, *job as usize, record.computing);
                let changes = record.slot_ended(&lane.constants.thresholds);
                // If the record was reset, the total must keep the computing time from before.
                *computed_before += computing - record.computing;
                if changes {
                    let class = record.class;
                    self.notes.push(Reclassified {
                        at: now,
                        job: self.jobs[job].id,
                        rank,
                        class,
                    });
                }
            }
        }
        self.turn_ends = now + self.constants.thresholds.slice;
        let Some(row) = self.row_after(old) else {
            return;
        };
        self.row = row;
        if row == old && self.constants.algorithm == Algorithm::Gang {
            return;
        }
        let cost = if row == old { 0 } else { self.constants.turn };
        (0..self.pes.len()).for_each(|pe| self.settle(pe, now, cost));
    }

    /// Decides again which process runs on a processor, after a change of turns or after a process
    /// has come or ended. `cost` is the cost of the change of turns.
    #[inline(never)]
    pub(super) fn settle(&mut self, pe: usize, now: i64, cost: i64) {
        self.lane(pe).settle(now, cost);
        self.set_clock(pe);
    }
}
