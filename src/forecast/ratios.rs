//! Run times: drawn from the ratios of run times to limits of jobs that have ended.

use super::settings::RunTimes;
use crate::random::Stream;
use crate::sorting;
use crate::trace::LONGEST_SECONDS;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Number of possible ratios from which the draw of a level counts.
const ENOUGH: usize = 20;

/// Number of jobs in a block: jobs that ended one after the other.
const BLOCK: usize = 5;

/// Bits behind the point of a ratio.
const POINT: u32 = 32;

/// The jobs from which the run time of a job is drawn.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "lowercase")]
pub enum RatioLevel {
    /// The jobs of the same user.
    User,
    /// The jobs of the same account, or of the same group if the log has no accounts.
    Account,
    /// The jobs of the same queue or partition.
    Partition,
    /// All jobs.
    All,
    /// No jobs: the run time follows from the limit.
    Limit,
}

impl RatioLevel {
    /// The levels, from the narrowest to the widest.
    pub const EVERY: [Self; 5] = [
        Self::User,
        Self::Account,
        Self::Partition,
        Self::All,
        Self::Limit,
    ];
}

/// The numbers of the user, the account and the partition of a job; `None` where it has none.
pub type Belongings = [Option<i64>; 3];

/// The ratios of jobs that have ended.
#[derive(Default)]
pub struct Ratios {
    rule: RunTimes,
    /// True if jobs are killed at their limits.
    kills: bool,
    /// The ratios by level and by the number of the user, account or partition.
    pools: BTreeMap<(RatioLevel, i64), Pool>,
}

/// The ratios of one user, account or partition, or of all.
#[derive(Clone, Default)]
struct Pool {
    /// In rising order.
    sorted: Vec<u64>,
    /// In the order in which the jobs ended.
    in_order: Vec<u64>,
}

/// The blocks of jobs from which a sample draws.
pub struct Blocks {
    seed: u64,
    sample: u32,
    /// The sorted ratios of the block that each user has from a pool.
    known: BTreeMap<(RatioLevel, i64, u32), Vec<u64>>,
}

impl Blocks {
    /// Returns the blocks of a sample, by its number.
    pub const fn new(seed: u64, sample: u32) -> Self {
        Self {
            seed,
            sample,
            known: BTreeMap::new(),
        }
    }

    /// Returns the sorted ratios of the block that this sample draws from a pool for the jobs of a user.
    fn of(&mut self, source: &RunTimeSource, pool: &Pool) -> &[u64] {
        let Self {
            seed,
            sample,
            known,
        } = self;
        let RunTimeSource {
            level, key, user, ..
        } = *source;
        known.entry((level, key, user)).or_insert_with(|| {
            let label = format!("b{sample} {} {key}", level as u8);
            let length = pool.in_order.len().min(BLOCK);
            let places = pool.in_order.len() - length + 1;
            let mut stream = Stream::new(*seed | u64::from(user) << 32, &label);
            let from = stream.below(places as u64) as usize;
            let mut block = pool.in_order[from..from + length].to_vec();
            sorting::by(&mut block, |ratio| [i128::from(*ratio), 0]);
            block
        })
    }
}

/// The place from which the run time of a job is drawn.
#[derive(Copy, Clone, Debug)]
pub struct RunTimeSource {
    /// The jobs whose ratios count.
    pub level: RatioLevel,
    key: i64,
    /// The user of the job, who has a block of his own; the largest number for an unknown user.
    user: u32,
    /// Index of the first ratio that is possible.
    from: usize,
    limit: i64,
    elapsed: i64,
}

impl RunTimeSource {
    /// Returns a run time that is certainly long enough, for jobs that only have to be running.
    pub const fn most(&self) -> i64 {
        self.elapsed.saturating_add(self.limit).saturating_add(1)
    }
}

impl Ratios {
    /// Collects the ratios of jobs, each given as its belongings, its run time and its limit.
    pub fn new(
        rule: RunTimes,
        kills: bool,
        ended: impl Iterator<Item = (Belongings, i64, i64)>,
    ) -> Self {
        let mut pools: BTreeMap<(RatioLevel, i64), Pool> = BTreeMap::new();
        for (belongings, run_time, limit) in ended {
            if limit <= 0 || run_time < 0 {
                continue;
            }
            let ratio = (i128::from(run_time) << POINT) / i128::from(limit);
            let ratio = u64::try_from(ratio).unwrap_or(u64::MAX);
            let own = RatioLevel::EVERY.iter().zip(belongings);
            let own = own.filter_map(|(level, key)| Some((*level, key?)));
            for place in own.chain([(RatioLevel::All, 0)]) {
                pools.entry(place).or_default().in_order.push(ratio);
            }
        }
        for pool in pools.values_mut() {
            pool.sorted.clone_from(&pool.in_order);
            sorting::by(&mut pool.sorted, |ratio| [i128::from(*ratio), 0]);
        }
        Self { rule, kills, pools }
    }

    /// Returns the run time, in seconds, of a job with a limit and a ratio.
    fn run_time(&self, ratio: u64, limit: i64) -> i64 {
        let half = 1 << (POINT - 1);
        let exact = (i128::from(limit) * i128::from(ratio) + half) >> POINT;
        let most = if self.kills { limit } else { LONGEST_SECONDS };
        exact.clamp(1, i128::from(most.max(1))) as i64
    }

    /// Returns the place from which the run time of a job is drawn that has run for `elapsed` seconds:
    /// the narrowest level with 20 ratios under which the job would still run.
    pub fn source(&self, belongings: Belongings, limit: i64, elapsed: i64) -> RunTimeSource {
        let user = belongings[0].and_then(|user| u32::try_from(user).ok());
        let of = |level: RatioLevel, key: i64, from: usize| RunTimeSource {
            level,
            key,
            user: user.unwrap_or(u32::MAX),
            from,
            limit,
            elapsed,
        };
        if self.rule == RunTimes::Log {
            let own = RatioLevel::EVERY.iter().zip(belongings);
            let own = own.filter_map(|(level, key)| Some((*level, key?, ENOUGH)));
            for (level, key, enough) in own.chain([(RatioLevel::All, 0, 1)]) {
                let Some(pool) = self.pools.get(&(level, key)) else {
                    continue;
                };
                let from = self.first(&pool.sorted, limit, elapsed);
                if pool.sorted.len() - from >= enough {
                    return of(level, key, from);
                }
            }
        }
        of(RatioLevel::Limit, 0, 0)
    }

    /// Returns the index of the first of sorted ratios with which a job would still run.
    fn first(&self, sorted: &[u64], limit: i64, elapsed: i64) -> usize {
        sorted.partition_point(|ratio| self.run_time(*ratio, limit) <= elapsed)
    }

    /// Draws the run time of a job, in seconds. A job that has run for some time runs longer than that.
    pub fn draw(&self, source: &RunTimeSource, blocks: &mut Blocks, stream: &mut Stream) -> i64 {
        let RunTimeSource { limit, elapsed, .. } = *source;
        let later = elapsed.saturating_add(1);
        let place = (source.level, source.key);
        match self.pools.get(&place) {
            Some(pool) if source.from < pool.sorted.len() => {
                let block = blocks.of(source, pool);
                let from = self.first(block, limit, elapsed);
                // A block in which every job would have ended says nothing.
                let (sorted, from) = if from < block.len() {
                    (block, from)
                } else {
                    (&*pool.sorted, source.from)
                };
                let count = sorted.len() - from;
                let at = from + stream.below(count as u64) as usize;
                self.run_time(sorted[at], limit).max(later)
            }
            _ if self.rule == RunTimes::Uniform && limit > elapsed => {
                later + stream.below((limit - elapsed) as u64) as i64
            }
            _ => limit.max(later),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOBODY: Belongings = [None; 3];

    #[test]
    fn ratios_of_one_give_the_limit() {
        let ended = (1..30).map(|limit| (NOBODY, limit * 977, limit * 977));
        let ratios = Ratios::new(RunTimes::Log, true, ended);
        let (mut blocks, mut stream) = (Blocks::new(1, 0), Stream::new(1, "ratios"));
        for limit in [1, 59, 3600, 86_400, 31_536_000, 9_999_999_999] {
            let source = ratios.source(NOBODY, limit, 0);
            assert_eq!(source.level, RatioLevel::All);
            assert_eq!(ratios.draw(&source, &mut blocks, &mut stream), limit);
        }
    }

    #[test]
    fn the_narrowest_level_with_twenty_possible_ratios_counts() {
        // User 1 has 25 jobs that ran for a hundredth of their limits up to a quarter, user 2 has 5
        // of half. Both belong to account 7.
        let own = |user| [Some(user), Some(7), Some(9)];
        let first = (1..=25).map(|run| (own(1), run, 100));
        let second = (0..5).map(|_| (own(2), 50, 100));
        let ratios = Ratios::new(RunTimes::Log, true, first.chain(second));
        let level = |user, elapsed| ratios.source(own(user), 100, elapsed).level;
        assert_eq!(level(1, 0), RatioLevel::User);
        assert_eq!(level(1, 5), RatioLevel::User);
        assert_eq!(level(1, 6), RatioLevel::Account);
        assert_eq!(level(2, 0), RatioLevel::Account);
        // 5 ratios are left after 25 seconds, and none after 50.
        assert_eq!(level(1, 25), RatioLevel::All);
        assert_eq!(level(1, 50), RatioLevel::Limit);
        let draws = |elapsed| {
            let source = ratios.source(own(1), 100, elapsed);
            let draw = |sample| {
                let mut stream = Stream::new(1, &format!("ratios {sample}"));
                ratios.draw(&source, &mut Blocks::new(1, sample), &mut stream)
            };
            sorting::set((0..2000).map(draw))
        };
        assert_eq!(draws(0), (1..=25).collect());
        assert_eq!(draws(5), (6..=25).collect());
        assert_eq!(draws(25), [50].into());
        assert_eq!(draws(50), [100].into());
        assert_eq!(draws(100), [101].into());
    }

    /// The jobs of a user draw from five jobs that ended one after the other.
    #[test]
    fn a_sample_has_a_block_of_each_user() {
        let own = |user| [Some(user), None, None];
        let ended = (0..100).map(|at| (own(1), 10 + at / 5 * 5, 1000));
        let ratios = Ratios::new(RunTimes::Log, true, ended);
        let mut all = std::collections::BTreeSet::new();
        for sample in 0..300 {
            let mut blocks = Blocks::new(1, sample);
            let mut stream = Stream::new(1, &format!("ratios {sample}"));
            let source = ratios.source(own(1), 1000, 0);
            let draws: Vec<i64> = (0..40)
                .map(|_| ratios.draw(&source, &mut blocks, &mut stream))
                .collect();
            let (least, most) = (draws.iter().min(), draws.iter().max());
            assert!(
                most.zip(least)
                    .is_some_and(|(most, least)| most - least <= 5)
            );
            all.extend(draws);
        }
        assert_eq!(all, (0..20).map(|at| 10 + at * 5).collect());
    }

    #[test]
    fn jobs_are_killed_at_their_limits_or_run_on() {
        let ended = || std::iter::once((NOBODY, 150, 100));
        let mut stream = Stream::new(1, "ratios");
        for (kills, run_time) in [(true, 200), (false, 300)] {
            let ratios = Ratios::new(RunTimes::Log, kills, ended());
            let source = ratios.source(NOBODY, 200, 0);
            let drawn = ratios.draw(&source, &mut Blocks::new(1, 0), &mut stream);
            assert_eq!(drawn, run_time);
        }
    }

    #[test]
    fn without_ratios_the_limit_decides() {
        let mut stream = Stream::new(1, "ratios");
        let limit = Ratios::new(RunTimes::Limit, true, std::iter::once((NOBODY, 1, 100)));
        let source = limit.source(NOBODY, 60, 20);
        assert_eq!(source.level, RatioLevel::Limit);
        let mut blocks = Blocks::new(1, 0);
        assert_eq!(limit.draw(&source, &mut blocks, &mut stream), 60);
        let uniform = Ratios::new(RunTimes::Uniform, true, std::iter::empty());
        let source = uniform.source(NOBODY, 60, 20);
        let draws =
            sorting::set((0..2000).map(|_| uniform.draw(&source, &mut blocks, &mut stream)));
        assert_eq!(draws, (21..=60).collect());
    }
}
