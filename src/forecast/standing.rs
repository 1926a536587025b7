//! The state of a job at an instant, as far as it is known then.

use crate::trace::{QUEUE_RUNS, QUEUE_WAITS, Record};

/// The state of a job at an instant. Times are seconds after the trace's zero.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It is submitted later.
    Later,
    /// It waits.
    Waits,
    /// It runs since this instant.
    Runs(i64),
    /// It has run, and ended.
    Ended {
        /// Its run time.
        run_time: i64,
        /// Its end.
        end: i64,
    },
    /// It left the queue without a start.
    Left,
    /// The log does not tell when it left the queue.
    Unknown,
}

impl Standing {
    /// Returns what the job of a record does at `at`. `state` is its state in the queue, if the trace
    /// was read as a queue.
    pub fn of(record: &Record, state: i64, at: i64) -> Self {
        if record.submit > at {
            return Self::Later;
        }
        let start = (record.wait >= 0).then(|| record.submit.saturating_add(record.wait));
        let has_started = start.is_some_and(|start| start <= at);
        match (state, start) {
            (QUEUE_RUNS, Some(start)) if has_started => Self::Runs(start),
            (QUEUE_WAITS | QUEUE_RUNS, _) => Self::Waits,
            (_, None) => Self::Unknown,
            (_, Some(_)) if !has_started => Self::Waits,
            (_, Some(_)) if record.run_time < 0 => Self::Left,
            (_, Some(start)) if start.saturating_add(record.run_time) > at => Self::Runs(start),
            (_, Some(start)) => Self::Ended {
                run_time: record.run_time,
                end: start.saturating_add(record.run_time),
            },
        }
    }

    /// Returns the instant at which the job of a record started, as the whole log knows it. A job that
    /// never ran has none.
    pub fn start_of(record: &Record, state: i64) -> Option<i64> {
        let has_run = record.wait >= 0 && (record.run_time >= 0 || state == QUEUE_RUNS);
        (has_run && state != QUEUE_WAITS).then(|| record.submit.saturating_add(record.wait))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_waits_runs_and_ends() {
        let record = |wait, run_time| Record {
            number: 1,
            submit: 10,
            wait,
            run_time,
            requested_time: 9,
            preceding: -1,
            think_time: -1,
            cpu_time: -1.0,
            used_memory: -1.0,
            requested_memory: -1.0,
            allocated: 1,
            requested: 1,
            status: 1,
            user: 1,
            group: 1,
            application: 1,
            queue: 1,
            partition: 1,
            line: 1,
        };
        let job = record(5, 7);
        let at = |at| Standing::of(&job, 0, at);
        assert_eq!(at(9), Standing::Later);
        assert_eq!((at(10), at(14)), (Standing::Waits, Standing::Waits));
        assert_eq!((at(15), at(21)), (Standing::Runs(15), Standing::Runs(15)));
        let ended = Standing::Ended {
            run_time: 7,
            end: 22,
        };
        assert_eq!(at(22), ended);
        assert_eq!(Standing::start_of(&job, 0), Some(15));
        // A job that never ran waits until it leaves, if the log tells when.
        let withdrawn = record(5, -1);
        assert_eq!(Standing::of(&withdrawn, 0, 14), Standing::Waits);
        assert_eq!(Standing::of(&withdrawn, 0, 15), Standing::Left);
        assert_eq!(Standing::start_of(&withdrawn, 0), None);
        assert_eq!(Standing::of(&record(-1, 7), 0, 14), Standing::Unknown);
        // The state in the queue decides for jobs that have not ended.
        assert_eq!(
            Standing::of(&record(-1, -1), QUEUE_WAITS, 99),
            Standing::Waits
        );
        assert_eq!(
            Standing::of(&record(5, 1), QUEUE_RUNS, 99),
            Standing::Runs(15)
        );
        assert_eq!(Standing::of(&record(5, 1), QUEUE_RUNS, 12), Standing::Waits);
    }
}
