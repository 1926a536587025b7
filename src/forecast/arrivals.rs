//! Later arrivals: jobs of earlier weeks or days arrive again.

use crate::limits;
use crate::random::Stream;

const DAY: i64 = 86_400;
const WEEK: i64 = 7 * DAY;

/// The earlier arrivals, from which blocks are drawn. Times are in seconds.
#[derive(Debug, Default)]
pub struct EarlierArrivals {
    /// The submissions in order, each with the place of its job in the table.
    jobs: Vec<(i64, usize)>,
    at: i64,
    /// Length of a block; 0 if the log is too short for one.
    block: i64,
    /// Number of whole blocks before the instant.
    blocks: i64,
    /// Number of whole blocks after the last submission. No job is known of them.
    unknown: i64,
}

impl EarlierArrivals {
    /// Collects the arrivals until `at`, in the order of submission. `first` is the first submission of
    /// the log. Blocks are weeks if the log has two before the instant, and days otherwise.
    pub fn new(jobs: Vec<(i64, usize)>, first: i64, at: i64) -> Self {
        let whole = at.saturating_sub(first);
        let block = if whole >= 2 * WEEK { WEEK } else { DAY };
        let blocks = whole / block;
        let last = jobs.last().map_or(first, |(submit, _)| *submit);
        let unknown = at.saturating_sub(last) / block;
        Self {
            jobs,
            at,
            block: if blocks > unknown { block } else { 0 },
            blocks,
            unknown,
        }
    }

    /// Returns the length of a block in seconds; `None` if no job arrives.
    pub fn block(&self) -> Option<i64> {
        (self.block > 0).then_some(self.block)
    }

    /// Draws the arrivals up to `end`: their submissions and the places of their jobs, in order. Each
    /// block of time after the instant has the arrivals of an earlier block at the same distance from
    /// the instant.
    pub fn draw(&self, end: i64, stream: &mut Stream) -> Vec<(i64, usize)> {
        let mut drawn = Vec::new();
        if self.block == 0 {
            return drawn;
        }
        let mut place = 0;
        // One more than the limit is refused by the caller.
        while self.at + place * self.block < end && drawn.len() <= limits::FORECAST_ARRIVALS {
            let known = (self.blocks - self.unknown) as u64;
            let back = 1 + self.unknown + stream.below(known) as i64;
            let from = self.at - back * self.block;
            let later = |submit: i64| self.jobs.partition_point(|(other, _)| *other <= submit);
            let range = later(from)..later(from + self.block);
            let moved = (back + place) * self.block;
            let arrivals = self.jobs[range].iter();
            let arrivals = arrivals.map(|(submit, job)| (submit + moved, *job));
            drawn.extend(arrivals.take_while(|(submit, _)| *submit <= end));
            place += 1;
        }
        drawn
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// A job arrives each hour, and its place is the number of the hour.
    fn hourly(hours: i64) -> EarlierArrivals {
        let jobs = (0..=hours)
            .map(|hour| (hour * 3600, hour as usize))
            .collect();
        EarlierArrivals::new(jobs, 0, hours * 3600)
    }

    #[test]
    fn arrivals_keep_their_hour_of_the_week() {
        let three_weeks = 3 * 7 * 24;
        let earlier = hourly(three_weeks);
        assert_eq!(earlier.block(), Some(WEEK));
        let mut first = BTreeSet::new();
        for seed in 0..40 {
            let mut stream = Stream::new(seed, "arrivals");
            let end = (three_weeks + 10 * 24) * 3600;
            let drawn = earlier.draw(end, &mut stream);
            assert_eq!(drawn.len(), 240);
            assert!(drawn.is_sorted());
            for ((submit, job), hour) in drawn.iter().zip(1..) {
                assert_eq!(*submit, (three_weeks + hour) * 3600);
                assert_eq!((three_weeks + hour) % 168, *job as i64 % 168);
                assert!(*job > 0 && *job as i64 <= three_weeks);
            }
            first.insert(drawn[0].1);
        }
        assert_eq!(first, [1, 169, 337].into());
    }

    #[test]
    fn blocks_after_the_end_of_the_log_are_not_drawn() {
        let jobs = (0..=28 * 24).map(|hour| (hour * 3600, hour as usize));
        let earlier = EarlierArrivals::new(jobs.collect(), 0, 20 * WEEK);
        let mut stream = Stream::new(1, "arrivals");
        let drawn = earlier.draw(24 * WEEK, &mut stream);
        // Each of the four weeks has a job for every hour.
        assert_eq!(drawn.len(), 4 * 7 * 24);
        let late = EarlierArrivals::new(vec![(0, 0)], 0, 2 * WEEK);
        assert_eq!(late.block(), None);
    }

    #[test]
    fn short_logs_have_blocks_of_days_or_none() {
        assert_eq!(hourly(13 * 24).block(), Some(DAY));
        assert_eq!(hourly(24).block(), Some(DAY));
        assert_eq!(hourly(23).block(), None);
        let mut stream = Stream::new(1, "arrivals");
        assert!(hourly(23).draw(1_000_000, &mut stream).is_empty());
        assert_eq!(hourly(24).draw(48 * 3600, &mut stream).len(), 24);
    }
}
