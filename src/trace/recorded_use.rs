//! The use of a machine by the recorded schedule: how many processors, or nodes, its jobs held at
//! once. The size of a machine can be inferred from it.

use super::Trace;
use crate::sorting::rising_places;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// Shares of the time for which a number was enough. Logs overlap, so a peak says little: the
/// cleaned log SDSC-BLUE uses more than its machine for 1.3 % of the time.
const USUAL: (f64, f64) = (999.0, 1000.0);
const COMMON: (f64, f64) = (95.0, 100.0);

/// The use of a machine by the recorded schedule.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct RecordedUse {
    /// Number of records that count.
    pub jobs: usize,
    /// The largest number in use at once.
    pub most: u32,
    /// The smallest number that was enough for 99.9 % of the time from the first start to the last
    /// end.
    pub usual: u32,
    /// The smallest number that was enough for 95 % of that time.
    pub common: u32,
}

impl RecordedUse {
    /// Computes the use by the records with a start, a run time above 0 and a size. Jobs end before
    /// others start at the same instant. `size` returns the size of the record at an index; a size
    /// below 1 is unknown. Returns `None` if no record counts.
    pub fn of(trace: &Trace, size: impl Fn(usize) -> i32) -> Option<Self> {
        let (mut starts, mut ends, mut sizes) = (Vec::new(), Vec::new(), Vec::new());
        for (at, record) in trace.records.iter().enumerate() {
            let own = size(at);
            if record.wait >= 0 && record.run_time > 0 && own > 0 {
                // Seconds of a log are whole and at most 10^10, so they are exact.
                let start = record.submit as f64 + record.wait as f64;
                starts.push(start);
                ends.push(start + record.run_time as f64);
                sizes.push(i64::from(own));
            }
        }
        let jobs = sizes.len();
        let (by_start, by_end) = (rising_places(&starts), rising_places(&ends));
        let first = starts[*by_start.first()?];
        let mut ended = by_end.into_iter().peekable();
        let (mut now, mut used, mut most) = (first, 0_i64, 0_i64);
        // Seconds for which each number was in use.
        let mut lengths: BTreeMap<i64, f64> = BTreeMap::new();
        let mut pass = |to: f64, now: &mut f64, used: i64| {
            if to > *now {
                *lengths.entry(used).or_default() += to - *now;
                *now = to;
            }
        };
        for start in by_start {
            while let Some(end) = ended.next_if(|end| ends[*end] <= starts[start]) {
                pass(ends[end], &mut now, used);
                used -= sizes[end];
            }
            pass(starts[start], &mut now, used);
            used += sizes[start];
            most = most.max(used);
        }
        for end in ended {
            pass(ends[end], &mut now, used);
            used -= sizes[end];
        }
        // Seconds are whole, so both products are exact.
        let enough_for = |(part, of): (f64, f64)| {
            let mut passed = 0.0;
            let is_enough = |(_, length): &(&i64, &f64)| {
                passed += **length;
                passed * of >= part * (now - first)
            };
            lengths
                .iter()
                .find(is_enough)
                .map_or(most, |(used, _)| *used)
        };
        let number = |used: i64| u32::try_from(used).unwrap_or(u32::MAX);
        Some(Self {
            jobs,
            most: number(most),
            usual: number(enough_for(USUAL)),
            common: number(enough_for(COMMON)),
        })
    }

    /// Returns the size of a machine on which the recorded schedule fits: the peak, or, if the peak
    /// is more than 5 % above what was usual, what was usual.
    pub fn size(&self) -> u32 {
        if u64::from(self.most) * 20 <= u64::from(self.usual) * 21 {
            self.most
        } else {
            self.usual
        }
    }
}

/// The uses of a trace that were computed, by the field that gives the sizes. A trace has many runs,
/// and its use is the same for all of them.
#[derive(Clone, Debug, Default)]
pub struct RecordedUses([OnceLock<Option<RecordedUse>>; 6]);

impl RecordedUses {
    /// Returns the use with the number `field`, and computes it the first time.
    ///
    /// # Panics
    /// Panics if the number is above 5.
    pub fn get(
        &self,
        field: usize,
        compute: impl FnOnce() -> Option<RecordedUse>,
    ) -> Option<RecordedUse> {
        *self.0[field].get_or_init(compute)
    }

    /// Returns each use as numbers: 0 if it is not known, 1 if no record counts, else 2; and the four
    /// numbers of the use.
    pub(super) fn numbers(&self) -> [[i64; 5]; 6] {
        let mut numbers = [[0; 5]; 6];
        for (numbers, known) in numbers.iter_mut().zip(&self.0) {
            match known.get() {
                None => {}
                Some(None) => numbers[0] = 1,
                Some(Some(found)) => {
                    *numbers = [
                        2,
                        found.jobs as i64,
                        found.most.into(),
                        found.usual.into(),
                        found.common.into(),
                    ];
                }
            }
        }
        numbers
    }

    /// Returns the uses of these numbers.
    pub(super) fn of_numbers(numbers: [[i64; 5]; 6]) -> Self {
        let uses = Self::default();
        for (place, [known, jobs, most, usual, common]) in uses.0.iter().zip(numbers) {
            if known > 0 {
                let found = RecordedUse {
                    jobs: jobs as usize,
                    most: most as u32,
                    usual: usual as u32,
                    common: common as u32,
                };
                place.get_or_init(|| (known > 1).then_some(found));
            }
        }
        uses
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::Record;

    fn record(submit: i64, wait: i64, run_time: i64, size: i32) -> Record {
        Record {
            number: 1,
            submit,
            wait,
            run_time,
            requested_time: -1,
            preceding: -1,
            think_time: -1,
            cpu_time: -1.0,
            used_memory: -1.0,
            requested_memory: -1.0,
            allocated: size,
            requested: size,
            status: 1,
            user: 1,
            group: 1,
            application: 1,
            queue: 1,
            partition: 1,
            line: 1,
        }
    }

    fn of(records: &[Record]) -> Option<(usize, u32, u32, u32)> {
        let trace = Trace {
            records: records.iter().copied().collect(),
            ..Trace::default()
        };
        RecordedUse::of(&trace, |at| trace.records.get(at).allocated)
            .map(|found| (found.jobs, found.most, found.usual, found.common))
    }

    #[test]
    fn use_is_counted_over_time() {
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[record(0, -1, 10, 4)]), None);
        assert_eq!(of(&[record(0, 0, 10, 4)]), Some((1, 4, 4, 4)));
        // The second job starts when the first ends, and the third overlaps with it for one second.
        let jobs = [
            record(0, 0, 5_000, 8),
            record(0, 5_000, 5_000, 8),
            record(9_000, 999, 1, 4),
        ];
        assert_eq!(of(&jobs), Some((3, 12, 8, 8)));
        // Ten seconds of 10,000 are one in a thousand; eleven are more.
        let longer = |seconds| of(&[jobs[0], jobs[1], record(9_000, 400, seconds, 4)]);
        assert_eq!(longer(10), Some((3, 12, 8, 8)));
        assert_eq!(longer(11), Some((3, 12, 12, 8)));
        assert_eq!(longer(501), Some((3, 12, 12, 12)));
    }

    #[test]
    fn a_rare_peak_is_no_size() {
        let size = |most, usual| {
            let common = usual;
            let jobs = 1;
            RecordedUse {
                jobs,
                most,
                usual,
                common,
            }
            .size()
        };
        assert_eq!((size(105, 100), size(106, 100), size(7, 7)), (105, 100, 7));
    }
}
