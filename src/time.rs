//! Instants and durations as whole microseconds.
//!
//! Both are integers, because floating-point clocks drift with the length of a trace and differ
//! between platforms. They count microseconds, because process-level machines need a finer unit
//! than the seconds of traces. An `i64` of microseconds reaches 292,000 years. The workload checks
//! once, on entry, that no schedule of its jobs can pass [`Span::LONGEST_TOTAL`], so no sum here
//! can overflow.

use std::ops::{Add, AddAssign, Sub};

const MICROSECONDS: i64 = 1_000_000;

/// An instant, in microseconds after the zero of the trace. It may be negative, because negative
/// submission times exist.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Time(i64);

/// A duration in microseconds.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Span(i64);

impl Time {
    /// The zero of the trace.
    pub const ZERO: Self = Self(0);
    /// An instant after every other instant.
    pub const NEVER: Self = Self(i64::MAX);

    /// Returns the instant `seconds` after zero.
    pub const fn from_seconds(seconds: i64) -> Self {
        Self(seconds * MICROSECONDS)
    }

    /// Returns the instant `microseconds` after zero.
    pub const fn from_microseconds(microseconds: i64) -> Self {
        Self(microseconds)
    }

    /// Returns the instant nearest to `seconds` after zero, at most 10^12 seconds from it: far outside
    /// any schedule, and far inside the range in which differences are safe. A value that is no
    /// number is 0.
    pub fn near(seconds: f64) -> Self {
        const FAR: f64 = 1e18;
        Self((seconds * MICROSECONDS as f64).round().clamp(-FAR, FAR) as i64)
    }

    /// Returns the microseconds after zero.
    pub const fn microseconds(self) -> i64 {
        self.0
    }

    /// Returns the seconds after zero.
    pub fn seconds(self) -> f64 {
        self.0 as f64 / MICROSECONDS as f64
    }

    /// Returns the whole seconds after zero, rounded down.
    pub const fn whole_seconds(self) -> i64 {
        self.0.div_euclid(MICROSECONDS)
    }

    /// Returns this instant plus `span`, at most [`Time::NEVER`].
    pub const fn saturating_add(self, span: Span) -> Self {
        Self(self.0.saturating_add(span.0))
    }
}

impl Span {
    /// The duration of no time.
    pub const ZERO: Self = Self(0);
    /// One second.
    pub const SECOND: Self = Self(MICROSECONDS);
    /// Bound for the latest submission plus all run times of a workload (146,000 years).
    pub const LONGEST_TOTAL: Self = Self(1 << 62);

    /// Returns a duration of `seconds`.
    pub const fn from_seconds(seconds: i64) -> Self {
        Self(seconds * MICROSECONDS)
    }

    /// Returns a duration of `microseconds`.
    pub const fn from_microseconds(microseconds: i64) -> Self {
        Self(microseconds)
    }

    /// Returns the duration in microseconds.
    pub const fn microseconds(self) -> i64 {
        self.0
    }

    /// Returns the duration in seconds.
    pub fn seconds(self) -> f64 {
        self.0 as f64 / MICROSECONDS as f64
    }

    /// Returns the duration in whole seconds, rounded down.
    pub const fn whole_seconds(self) -> i64 {
        self.0.div_euclid(MICROSECONDS)
    }

    /// Returns this duration times `factor`, rounded to whole seconds, because traces are in
    /// seconds. The result is at most 4 x 10^12 s, so that any instant plus it stays in range.
    pub fn scaled(self, factor: f64) -> Self {
        Self::from_seconds((self.seconds() * factor).round().min(4e12) as i64)
    }
}

impl Add<Span> for Time {
    type Output = Self;
    fn add(self, span: Span) -> Self {
        Self(self.0 + span.0)
    }
}

impl Sub<Span> for Time {
    type Output = Self;
    fn sub(self, span: Span) -> Self {
        Self(self.0 - span.0)
    }
}

impl Sub for Time {
    type Output = Span;
    fn sub(self, earlier: Self) -> Span {
        Span(self.0 - earlier.0)
    }
}

impl Add for Span {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl AddAssign for Span {
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl Sub for Span {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

/// Returns the days from 1970 to a day of the Gregorian calendar, from 1900 to 2200; `None` if there
/// is no such day (H. Hinnant, "chrono-compatible low-level date algorithms", `days_from_civil`).
pub fn days_since_1970(year: i64, month: i64, day: i64) -> Option<i64> {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        2 => 28 + i64::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if !(1..=length).contains(&day) || !(1900..=2200).contains(&year) {
        return None;
    }
    let year = year - i64::from(month <= 2);
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let days = 365 * of_era + of_era / 4 - of_era / 100 + of_year;
    Some(146_097 * era + days - 719_468)
}

/// Returns the year, the month and the day of a number of days since 1970 (`civil_from_days` of the same
/// source).
pub const fn date_of(days: i64) -> [i64; 3] {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    [year + 400 * era + (month <= 2) as i64, month, day]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_round_trip_and_floor() {
        assert_eq!(Time::from_seconds(-3).whole_seconds(), -3);
        assert_eq!(Time::from_microseconds(-1).whole_seconds(), -1);
        assert_eq!(
            (Time::from_seconds(7) - Time::from_seconds(2)).seconds(),
            5.0
        );
        assert_eq!(Time::NEVER.saturating_add(Span::SECOND), Time::NEVER);
    }

    #[test]
    fn dates_come_back() {
        for days in (-25_000..84_000).step_by(7) {
            let [year, month, day] = date_of(days);
            assert_eq!(days_since_1970(year, month, day), Some(days));
        }
    }

    #[test]
    fn scaling_keeps_whole_seconds() {
        assert_eq!(Span::from_seconds(10).scaled(1.25), Span::from_seconds(13));
        assert_eq!(Span::from_seconds(10).scaled(0.0), Span::ZERO);
    }
}
