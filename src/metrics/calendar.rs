//! Months: calendar months (UTC) if the trace gives its start, else periods of 30 days from its
//! zero.

use crate::time::Time;

const DAY: i64 = 86_400;

/// A month, ordered by time: its number, and whether it is a calendar month.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Month(i64, bool);

impl Month {
    /// Returns the month of an instant.
    pub fn of(time: Time, unix_start: Option<i64>) -> Self {
        match unix_start {
            Some(start) => Self(
                calendar_month((start + time.whole_seconds()).div_euclid(DAY)),
                true,
            ),
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

/// Returns the number of months since the year 0 for a day counted from 1970-01-01, in the
/// proleptic Gregorian calendar. It counts in eras of 400 years that begin in March, so that leap
/// days come last.
fn calendar_month(days: i64) -> i64 {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    (year_of_era + era * 400) * 12 + month_from_march + 2
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

    /// Checks every day of 800 years against the Gregorian rule for leap years.
    #[test]
    fn months_of_all_days() {
        let is_leap = |year: i64| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let lengths = |year: i64| {
            [
                31,
                if is_leap(year) { 29 } else { 28 },
                31,
                30,
                31,
                30,
                31,
                31,
                30,
                31,
                30,
                31,
            ]
        };
        let (first, last) = (1600, 2400);
        let mut day: i64 = -(first..1970)
            .map(|year| lengths(year).iter().sum::<i64>())
            .sum::<i64>();
        for year in first..last {
            for (month, length) in (0..).zip(lengths(year)) {
                assert!(
                    (day..day + length).all(|day| calendar_month(day) == year * 12 + month),
                    "{year}-{}",
                    month + 1
                );
                day += length;
            }
        }
    }
}
