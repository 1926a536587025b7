//! The dates of shared files: all of them shifted by one length.

use crate::slurm::keywords;
use crate::time::{Time, date_of};
use crate::trace::Trace;

const DAY: i64 = 86_400;
const WEEK: i64 = 7 * DAY;

/// 2 January 2000, a Sunday, in seconds since 1970. The first submission of a shared log is in the week that
/// begins here, if `bf_resolution` divides a week.
const FIRST: i64 = 946_771_200;

/// The latest zero of a log that Slurm takes, in seconds since 1970.
const LATEST: i64 = 100_000_000_000;

/// The seconds of a slot of the backfill scheduler, if slurm.conf does not say it (`bf_resolution`).
const RESOLUTION: i64 = 60;

/// The dates of a shared log: its first submission is at 0.
#[derive(Copy, Clone, Debug)]
pub struct SharedDates {
    /// The old zero of the log, in seconds since 1970; 0 if it is unknown.
    old_zero: i64,
    /// The new zero of the log, in seconds since 1970.
    pub zero: i64,
    /// Seconds that are added to the times of the log.
    shift: i64,
}

impl SharedDates {
    /// Finds the new dates. The time of day and the day of the week stay, and so does the place of each
    /// instant in the slots of `bf_resolution`: Slurm rounds to multiples of it since 1970. With
    /// `keeps_date`, the dates stay as they are.
    pub fn new(trace: &Trace, conf: &str, keeps_date: bool) -> Self {
        let earliest = trace.records.iter().map(|record| record.submit).min();
        let earliest = earliest.unwrap_or(0);
        // A log without a date begins a day after 1970 for Slurm.
        let begin = trace.unix_start().unwrap_or(DAY).clamp(DAY, LATEST);
        let first = begin.saturating_add(earliest);
        let period = WEEK / divisor(WEEK, resolution(conf)) * resolution(conf);
        let zero = if keeps_date {
            first
        } else {
            FIRST + (first - FIRST).rem_euclid(period)
        };
        Self {
            old_zero: trace.unix_start().unwrap_or(0),
            zero,
            shift: -earliest,
        }
    }

    /// Returns a time of the log, or a date, as a new date. Returns `None` for a date that cannot be
    /// written.
    pub fn of(&self, at: Time, is_dated: bool) -> Option<String> {
        let since = at.whole_seconds() - if is_dated { self.old_zero } else { 0 };
        let unix = self.zero + self.shift + since;
        let [year, month, day] = date_of(unix.div_euclid(DAY));
        let (hour, minute, second) = (
            unix.rem_euclid(DAY) / 3600,
            unix.rem_euclid(3600) / 60,
            unix.rem_euclid(60),
        );
        (1900..=2200)
            .contains(&year)
            .then(|| format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}"))
    }
}

/// Returns the seconds of a slot of the backfill scheduler.
fn resolution(conf: &str) -> i64 {
    let facts = keywords(&crate::slurm::plain(conf));
    let mut facts = facts.iter().rev();
    let word = facts.find(|fact| fact.keyword.eq_ignore_ascii_case("bf_resolution"));
    let seconds = word.and_then(|fact| fact.value.parse().ok());
    seconds
        .filter(|one| (1..=3600).contains(one))
        .unwrap_or(RESOLUTION)
}

/// Returns the greatest common divisor.
const fn divisor(mut one: i64, mut other: i64) -> i64 {
    while other > 0 {
        (one, other) = (other, one % other);
    }
    one
}
