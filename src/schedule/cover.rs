//! How many processors somebody holds, where several jobs can hold the same one in different rows.

use crate::machine::Placement;

/// Counts of the jobs on each processor.
#[derive(Clone, Debug)]
pub struct Cover {
    jobs: Vec<u32>,
    used: u32,
}

impl Cover {
    /// Nobody holds any of so many processors.
    pub fn new(processors: u32) -> Self {
        Self {
            jobs: vec![0; processors as usize],
            used: 0,
        }
    }

    /// Processors that somebody holds.
    pub const fn used(&self) -> u32 {
        self.used
    }

    /// A job takes these, or gives them back, whichever row they are in.
    pub fn change(&mut self, placement: Placement<'_>, takes: bool) {
        for column in placement.columns() {
            let Some(jobs) = self.jobs.get_mut(column as usize) else {
                continue;
            };
            if takes {
                self.used += u32::from(*jobs == 0);
                *jobs += 1;
            } else {
                *jobs -= 1;
                self.used -= u32::from(*jobs == 0);
            }
        }
    }
}
