//! Comparison with another run of the same trace.

use super::pictures::{BINS, moment};
use super::state::Session;
use crate::metrics::{Comparison, FitCard, Sample, compare, fit, per_job};
use crate::schedule::audit::overbooking;
use crate::time::{Span, Time};
use crate::view::versus;

impl Session {
    /// Compares with another run of the same trace. Starts, ends and waits of that run are in
    /// seconds; `records` says which record of the trace each of them belongs to. An unknown start
    /// or end is infinite. Empty lists end the comparison.
    pub fn against(&mut self, records: &[u32], starts: &[f64], ends: &[f64], waits: &[f64]) {
        let nowhere = (Time::NEVER, Time::NEVER, Time::NEVER);
        let known = records.iter().map(|record| *record as usize + 1).max();
        let mut by_record = vec![nowhere; known.unwrap_or(0)];
        for (((record, start), end), wait) in records.iter().zip(starts).zip(ends).zip(waits) {
            by_record[*record as usize] = (moment(start - wait), moment(*start), moment(*end));
        }
        let own = |record: &u32| by_record.get(*record as usize).copied().unwrap_or(nowhere);
        let other = match known {
            Some(_) => self.records().iter().map(own).collect(),
            None => Vec::new(),
        };
        self.set_other(other);
    }

    /// Returns the record of the trace that became each job, in order of arrival.
    pub fn records(&self) -> &[u32] {
        &self.schedule().workload.sources
    }

    /// Returns means over `count` parts of [from, to): first of the processors of jobs that run
    /// here and wait in the other run, then of those that wait here and run there.
    pub fn versus(&self, from: Time, to: Time, count: usize) -> Vec<f32> {
        versus(self.schedule(), self.other(), from, to, count.min(BINS))
    }

    /// Compares the waits of another run of the same jobs, in seconds, with those of this run.
    pub fn comparison(&self, first: &[f64]) -> Comparison {
        compare(first, self.schedule(), &self.run().scenario.settings)
    }

    /// Returns the fit of this run to the recorded schedule; `None` if the log has no starts.
    pub fn fit(&self) -> Option<FitCard> {
        fit(self.schedule(), &self.run().scenario.settings)
    }

    /// Returns by how much this run overbooks the machine; `None` if it does not, as no simulated
    /// run does.
    pub fn overbooking(&self) -> Option<String> {
        overbooking(self.schedule())
    }

    /// Returns the waits in seconds, in order of arrival; NaN for a job that has not started.
    pub fn waits(&self) -> Vec<f64> {
        let schedule = self.schedule();
        let wait = |job| schedule.wait(job).map_or(f64::NAN, Span::seconds);
        schedule.workload.ids().map(wait).collect()
    }

    /// Returns a job metric of every job, in order of arrival; NaN for a job that the metric does
    /// not count. `None` if the metric has no figure of its own for each job.
    pub fn per_job(&self, metric: &str) -> Option<Vec<f64>> {
        let value = match metric {
            "wait" => |sample: &Sample| sample.wait,
            "response" => |sample: &Sample| sample.response,
            "bounded_slowdown" => |sample: &Sample| sample.bounded_slowdown,
            _ => return None,
        };
        let schedule = self.schedule();
        let mut values = vec![f64::NAN; schedule.workload.len()];
        for sample in per_job(schedule, &self.run().scenario.settings) {
            values[sample.job.index()] = value(&sample);
        }
        Some(values)
    }

    /// Returns the starts in seconds, in order of arrival; infinite for a job that has not started.
    pub fn starts(&self) -> Vec<f64> {
        column(&self.schedule().starts)
    }

    /// Returns the ends in seconds, in order of arrival; infinite for a job that has not ended.
    pub fn ends(&self) -> Vec<f64> {
        column(&self.schedule().ends)
    }
}

fn column(times: &[Time]) -> Vec<f64> {
    let seconds = |at: &Time| {
        if *at == Time::NEVER {
            f64::INFINITY
        } else {
            at.seconds()
        }
    };
    times.iter().map(seconds).collect()
}
