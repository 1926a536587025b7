//! An exact search for the set of waiting jobs that uses the most processors now, by dynamic
//! programming over bit sets.
//!
//! A job that ends by the shadow time needs free processors only; any other job needs as many extra
//! processors too. So the sums that the short jobs can reach do not depend on the sums that the
//! long jobs can reach. Each kind of sums is a bit set over numbers of processors, and the best set
//! is the best pair of sums. This takes jobs x processors / 64 steps. A table over both constraints
//! (E. Shmueli and D. G. Feitelson, "Backfilling with lookahead to optimize the performance of
//! parallel job scheduling", JSSPP 2003) takes jobs x free x extra.

use crate::pulse::beat;

/// A job that could be in the set.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Size of the job.
    pub processors: u32,
    /// True if the job would still run at the shadow time.
    pub is_long: bool,
}

/// The sums of processors that subsets of some jobs reach, as bits from 0 to a limit.
#[derive(Clone, Debug)]
struct SubsetSums {
    bits: Vec<u64>,
    limit: usize,
}

impl SubsetSums {
    /// Returns the sums that no job reaches: only 0.
    fn none(limit: u32) -> Self {
        let limit = limit as usize;
        let mut bits = vec![0; limit / 64 + 1];
        bits[0] = 1;
        Self { bits, limit }
    }

    fn has(&self, sum: usize) -> bool {
        sum <= self.limit && self.bits[sum / 64] >> (sum % 64) & 1 == 1
    }

    /// Returns the sums with one more job: every sum, and every sum plus `processors`.
    fn with(&self, processors: u32) -> Self {
        beat(self.bits.len());
        let mut sums = self.clone();
        let (words, shift) = (processors as usize / 64, processors % 64);
        for at in (words..self.bits.len()).rev() {
            let mut moved = self.bits[at - words] << shift;
            if shift > 0 && at > words {
                moved |= self.bits[at - words - 1] >> (64 - shift);
            }
            sums.bits[at] |= moved;
        }
        let last = sums.bits.len() - 1;
        sums.bits[last] &= u64::MAX >> (63 - self.limit % 64);
        sums
    }

    /// Returns the sums up to `most`, in ascending order.
    fn rising(&self, most: usize) -> impl Iterator<Item = usize> {
        let top = most.min(self.limit);
        let bits = |word: u64| {
            std::iter::successors(Some(word), |word| Some(word & word.wrapping_sub(1)))
                .take_while(|word| *word != 0)
        };
        let sums = self.bits.iter().enumerate().flat_map(move |(at, word)| {
            bits(*word).map(move |word| at * 64 + word.trailing_zeros() as usize)
        });
        sums.take_while(move |sum| *sum <= top)
    }

    /// Returns the sums up to `most`, in descending order.
    fn falling(&self, most: usize) -> impl Iterator<Item = usize> {
        let top = most.min(self.limit);
        (0..=top / 64).rev().flat_map(move |at| {
            let word = self.bits[at]
                & if at == top / 64 {
                    u64::MAX >> (63 - top % 64)
                } else {
                    u64::MAX
                };
            std::iter::successors(Some(word), |word| {
                Some(word & !(1 << (63 - word.leading_zeros().min(63))))
            })
            .take_while(|word| *word != 0)
            .map(move |word| at * 64 + 63 - word.leading_zeros() as usize)
        })
    }
}

/// Returns the indices of the items in the best set. A set may use at most `free` processors, and
/// its long items at most `extra`. The best set uses the most processors. Among sets that use as
/// many, the set that contains the earliest item wins, then the next earliest, and so on.
pub fn best_set(items: &[Item], free: u32, extra: u32) -> Vec<usize> {
    let extra = extra.min(free);
    let total = |long: bool| {
        items
            .iter()
            .filter(|item| item.is_long == long)
            .map(|item| u64::from(item.processors))
            .sum::<u64>()
    };
    if total(true) <= u64::from(extra) && total(true) + total(false) <= u64::from(free) {
        return (0..items.len()).collect();
    }
    // The sums that the short and the long items from each index on can reach.
    let mut short = vec![SubsetSums::none(free)];
    let mut long = vec![SubsetSums::none(extra)];
    let mut at = Vec::with_capacity(items.len() + 1);
    at.push((0, 0));
    for item in items.iter().rev() {
        let sums = if item.is_long { &mut long } else { &mut short };
        if let Some(last) = sums.last() {
            sums.push(last.with(item.processors));
        }
        at.push((short.len() - 1, long.len() - 1));
    }
    at.reverse();
    let best = |from: usize, free: usize, extra: usize| {
        let (short, long) = (&short[at[from].0], &long[at[from].1]);
        // While the long sum falls, the number of processors left for short items rises. So one
        // pass over each set of sums is enough.
        let mut best = 0;
        let mut short_sums = short.rising(free).peekable();
        let mut most_short = 0;
        for b in long.falling(extra.min(free)) {
            while let Some(a) = short_sums.next_if(|a| a + b <= free) {
                most_short = a;
            }
            best = best.max(most_short + b);
        }
        best
    };
    let reaches = |from: usize, sum: usize, extra: usize| {
        let (short, long) = (&short[at[from].0], &long[at[from].1]);
        beat(extra.min(sum));
        long.falling(extra.min(sum)).any(|b| short.has(sum - b))
    };
    let mut left = best(0, free as usize, extra as usize);
    let mut extra = extra as usize;
    let mut taken = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let processors = item.processors as usize;
        let after = if item.is_long {
            extra.checked_sub(processors)
        } else {
            Some(extra)
        };
        if let (Some(rest), Some(after)) = (left.checked_sub(processors), after)
            && reaches(index + 1, rest, after)
        {
            taken.push(index);
            (left, extra) = (rest, after);
        }
    }
    taken
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    /// Tries every subset, as a bit mask.
    fn by_brute_force(items: &[Item], free: u32, extra: u32) -> Vec<usize> {
        let members = |set: u32| (0..items.len()).filter(move |index| set >> index & 1 == 1);
        let used = |set: u32| {
            members(set)
                .map(|index| items[index].processors)
                .sum::<u32>()
        };
        let long = |set: u32| {
            members(set)
                .filter(|index| items[*index].is_long)
                .map(|index| items[index].processors)
                .sum::<u32>()
        };
        let good =
            (0..1_u32 << items.len()).filter(|set| used(*set) <= free && long(*set) <= extra);
        // An earlier item outweighs all later ones.
        let best = good
            .max_by_key(|set| (used(*set), set.reverse_bits()))
            .unwrap();
        members(best).collect()
    }

    #[test]
    fn the_set_is_the_best_of_all_subsets() {
        let mut stream = Stream::new(1, "knapsack");
        for round in 0..4000 {
            let widest = [4, 20, 90, 200][round % 4];
            let item = |stream: &mut Stream| Item {
                processors: stream.below(widest) as u32 + 1,
                is_long: stream.below(2) == 0,
            };
            let items: Vec<Item> = (0..stream.below(11)).map(|_| item(&mut stream)).collect();
            let (free, extra) = (
                stream.below(3 * widest) as u32,
                stream.below(2 * widest) as u32,
            );
            assert_eq!(
                best_set(&items, free, extra),
                by_brute_force(&items, free, extra),
                "{items:?} {free} {extra}"
            );
        }
    }
}
