//! The number of processors in use on machines on which several jobs hold a processor in different
//! rows.

use crate::machine::Placement;

/// The number of jobs that hold each processor.
#[derive(Clone, Debug)]
pub struct Cover {
    jobs: Vec<u32>,
    used: u32,
}

impl Cover {
    /// Creates counts for `processors` processors that no job holds.
    pub fn new(processors: u32) -> Self {
        Self {
            jobs: vec![0; processors as usize],
            used: 0,
        }
    }

    /// Returns the number of processors that at least one job holds.
    pub const fn used(&self) -> u32 {
        self.used
    }

    /// Counts a job that takes or frees these processors, in whichever row.
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
