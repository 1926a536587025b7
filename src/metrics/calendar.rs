//! Months: calendar months (UTC) if the trace gives its start, else periods of 30 days from its
//! zero.

use crate::time::Time;
use time::OffsetDateTime;

const DAY: i64 = 86_400;

/// A month, ordered by time: its number, and whether it is a calendar month.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Month(i64, bool);

impl Month {
    /// Returns the month of an instant.
    pub fn of(time: Time, unix_start: Option<i64>) -> Self {
        match unix_start {
            Some(start) => Self(calendar_month(start + time.whole_seconds()), true),
            None => Self(time.whole_seconds().div_euclid(30 * DAY), false),
        }
    }

    /// Returns the number of the month, which increases by one from month to month.
    pub const fn rank(self) -> i64 {
        self.0
    }

    /// Returns the name: `1996-09`, or `month 1` without a calendar.
    pub fn name(self) -> String {
        if self.1 {
            format!(
                "{:04}-{:02}",
                self.0.div_euclid(12),
                self.0.rem_euclid(12) + 1
            )
        } else {
            format!("month {}", self.0 + 1)
        }
    }
}

/// Returns the number of months since the year 0 at a Unix time, in UTC. Times of workloads end long
/// before the year 9999, up to which the calendar reaches.
fn calendar_month(seconds: i64) -> i64 {
    let at = OffsetDateTime::from_unix_timestamp(seconds).unwrap_or(OffsetDateTime::UNIX_EPOCH);
    i64::from(at.year()) * 12 + i64::from(u8::from(at.month())) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_of_known_days() {
        let name = |seconds| Month::of(Time::from_seconds(seconds), Some(0)).name();
        assert_eq!(name(0), "1970-01");
        assert_eq!(name(31 * DAY - 1), "1970-01");
        assert_eq!(name(31 * DAY), "1970-02");
        assert_eq!(name(-1), "1969-12");
        assert_eq!(name(951_782_400), "2000-02");
        assert_eq!(name(951_868_800), "2000-03");
        assert_eq!(name(843_480_031), "1996-09");
        assert_eq!(
            Month::of(Time::from_seconds(30 * DAY), None).name(),
            "month 2"
        );
    }
}
