//! How many processors somebody holds, where several jobs can hold the same one in different rows.

use crate::machine::Range;

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

    /// A job takes these, or gives them back; they are numbered row by row.
    pub fn change(&mut self, placement: &[Range], takes: bool) {
        let columns = self.jobs.len() as u32;
        for number in placement.iter().flat_map(|range| range.first..range.end()) {
            let Some(jobs) = self.jobs.get_mut((number % columns.max(1)) as usize) else {
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
