//! The quantiles of a forecast.

use crate::sorting;
use crate::time::Time;

/// The quantiles of a forecast, in percent: the ends of the interval of 90 % and of the one of 50 %,
/// and the median between them.
pub const QUANTILES: [u32; 5] = [5, 25, 50, 75, 95];

/// Returns the [`QUANTILES`] of starts in any order: of R starts, the quantile of q percent is the one
/// with the rank ceil(q R / 100), counted from 1. [`Time::NEVER`] is later than any start. Without
/// starts, all are [`Time::NEVER`].
pub fn quantiles(starts: &mut [Time]) -> [Time; 5] {
    sorting::by(starts, |start| [start.microseconds().into(), 0]);
    QUANTILES.map(|percent| {
        let rank = (u64::from(percent) * starts.len() as u64).div_ceil(100);
        let at = rank.saturating_sub(1) as usize;
        starts.get(at).copied().unwrap_or(Time::NEVER)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_starts_of_their_rank() {
        let of = |count: i64| {
            let mut starts: Vec<Time> = (1..=count).rev().map(Time::from_seconds).collect();
            quantiles(&mut starts).map(Time::whole_seconds)
        };
        assert_eq!(of(1), [1; 5]);
        assert_eq!(of(4), [1, 1, 2, 3, 4]);
        assert_eq!(of(20), [1, 5, 10, 15, 19]);
        assert_eq!(of(200), [10, 50, 100, 150, 190]);
        assert_eq!(quantiles(&mut []), [Time::NEVER; 5]);
        let mut starts = [Time::NEVER, Time::ZERO, Time::NEVER, Time::ZERO];
        let some = quantiles(&mut starts);
        assert_eq!(
            some,
            [Time::ZERO, Time::ZERO, Time::ZERO, Time::NEVER, Time::NEVER]
        );
    }

    /// The slow twin counts: a quantile is the least start that so many are no later than.
    #[test]
    fn quantiles_agree_with_counting() {
        let mut stream = crate::random::Stream::new(3, "forecast quantiles");
        for count in 1..130 {
            let drawn: Vec<Time> = (0..count)
                .map(|_| Time::from_seconds(stream.below(40) as i64))
                .collect();
            let found = quantiles(&mut drawn.clone());
            for (percent, found) in QUANTILES.iter().zip(found) {
                let is_enough = |start: &&Time| {
                    let no_later = drawn.iter().filter(|other| other <= start).count();
                    100 * no_later >= *percent as usize * drawn.len()
                };
                assert_eq!(drawn.iter().filter(is_enough).min(), Some(&found));
            }
        }
    }
}
