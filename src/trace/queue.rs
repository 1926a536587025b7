//! The words by which a trace tells a queue: the jobs that had not ended when the file was written.

/// Id of the column with the state of each job: [`QUEUE_WAITS`], [`QUEUE_RUNS`], or 0 for a job that
/// has ended. Only a trace that was read as a queue has it.
pub const QUEUE_STATE: &str = "queue_state";
/// State of a job that waits.
pub const QUEUE_WAITS: i64 = 1;
/// State of a job that runs.
pub const QUEUE_RUNS: i64 = 2;
/// Key of the header comment with the instant of the queue, in seconds since 1970, and its source.
pub const QUEUE_INSTANT: &str = "QueueInstant";
/// Source of an instant that the file tells as its own.
pub const QUEUE_WRITTEN: &str = "last_update";
/// Source of an instant that is the latest one in the file that has passed.
pub const QUEUE_LATEST: &str = "latest";
