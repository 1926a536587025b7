//! A part of a run that is repeated under a microscope.

use super::state::Session;
use crate::experiment::Microscope;
use crate::machines::bsp::{Probe, ProbeSpan};
use crate::time::Time;
use crate::workload::Workload;
use std::sync::Arc;

/// Number of slices of a run between two answers.
const STEPS: u32 = 400;

/// A microscope, with the workload that names the jobs.
pub struct Lens {
    inner: Microscope,
    workload: Arc<Workload>,
}

impl Session {
    /// Returns a microscope on a processor for a period. Returns `None` if the machine does not
    /// simulate processes or has no such processor, or if no state before the period is kept.
    pub fn microscope(&self, processor: u32, from: Time, to: Time) -> Option<Lens> {
        let probe = Probe {
            processor,
            from: from.microseconds(),
            to: to.microseconds(),
        };
        let inner = self.run().microscope(probe)?;
        let workload = Arc::clone(&self.schedule().workload);
        Some(Lens { inner, workload })
    }
}

impl Lens {
    /// Returns the instant reached, in seconds.
    pub fn now(&self) -> f64 {
        self.inner.now().seconds()
    }

    /// Continues the repeated part of the run; returns `None` until its end. Then returns a first
    /// number, which is 1 if there was more than follows, and [job's number, process, row,
    /// activity, from, to, ...]. Activities from 0 on are computing, spinning, overhead, blocked
    /// and descheduled.
    pub fn advance(&mut self) -> Option<Vec<f64>> {
        let probed = self.inner.advance(STEPS)?;
        let mut flat = vec![f64::from(u8::from(probed.is_cut))];
        for ProbeSpan {
            job,
            rank,
            row,
            activity,
            from,
            to,
        } in probed.stretches
        {
            flat.extend([
                self.workload.request(job).number as f64,
                rank.into(),
                row.into(),
                f64::from(activity as u8),
                from as f64 / 1e6,
                to as f64 / 1e6,
            ]);
        }
        Some(flat)
    }
}
