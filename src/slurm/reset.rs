//! The times at which usage is forgotten (`PriorityUsageResetPeriod`), in universal time.

const DAY: i64 = 24 * 3600;

/// The period of a reset.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum ResetPeriod {
    #[default]
    Never,
    Daily,
    Weekly,
    /// At the first of every month whose number (January is 0) is a multiple of this one.
    Months(i64),
}

impl ResetPeriod {
    /// Reads the value of `PriorityUsageResetPeriod`.
    pub fn read(text: &str) -> Option<Self> {
        match text.to_ascii_uppercase().as_str() {
            // All usage is zero at the start of a simulation.
            "" | "NONE" | "NOW" => Some(Self::Never),
            "DAILY" => Some(Self::Daily),
            "WEEKLY" => Some(Self::Weekly),
            "MONTHLY" => Some(Self::Months(1)),
            "QUARTERLY" => Some(Self::Months(3)),
            "YEARLY" => Some(Self::Months(12)),
            _ => None,
        }
    }
}

/// Returns the second of the next reset after the last one (`_next_reset`).
pub(super) fn next_reset(period: ResetPeriod, last: i64) -> Option<i64> {
    let day = last.div_euclid(DAY);
    match period {
        ResetPeriod::Never => None,
        ResetPeriod::Daily => Some((day + 1) * DAY),
        // 1 January 1970 was a Thursday; weeks begin on Sundays.
        ResetPeriod::Weekly => Some((day + 7 - (day + 4).rem_euclid(7)) * DAY),
        ResetPeriod::Months(months) => {
            let month = month_of(day);
            Some(first_of((month.div_euclid(months) + 1) * months) * DAY)
        }
    }
}

/// Returns the day on which a month begins; month 0 is January 1970.
fn first_of(month: i64) -> i64 {
    const BEFORE: [i64; 12] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
    let (year, month) = (1970 + month.div_euclid(12), month.rem_euclid(12));
    // Leap days until the end of a year.
    let leap = |year: i64| year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    let is_leap = leap(year) > leap(year - 1);
    let days = (year - 1970) * 365 + leap(year - 1) - leap(1969);
    days + BEFORE[month as usize] + i64::from(is_leap && month > 1)
}

/// Returns the month of a day.
fn month_of(day: i64) -> i64 {
    let mut month = day.div_euclid(31);
    while first_of(month + 1) <= day {
        month += 1;
    }
    month
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resets_come_at_borders_of_periods() {
        // 29 February 2024, 12:00.
        let last = 1_709_208_000;
        let next = |period| next_reset(period, last);
        assert_eq!(next(ResetPeriod::Never), None);
        assert_eq!(next(ResetPeriod::Daily), Some(1_709_251_200));
        assert_eq!(next(ResetPeriod::Weekly), Some(1_709_424_000));
        assert_eq!(next(ResetPeriod::Months(1)), Some(1_709_251_200));
        assert_eq!(next(ResetPeriod::Months(3)), Some(1_711_929_600));
        assert_eq!(next(ResetPeriod::Months(12)), Some(1_735_689_600));
        assert_eq!(ResetPeriod::read("x"), None);
    }
}
