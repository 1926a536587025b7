//! A space with processor numbers. A job gets the lowest free processors.

use super::Counted;
use crate::machine::{Ask, Placement, PlacementBuf, Range, Space};

/// A space with processor numbers, as a bitmap. A set bit is a free processor.
#[derive(Clone)]
pub struct Bitmap {
    words: Vec<u64>,
    capacity: u32,
    free: u32,
    /// Index of a word before which no processor is free.
    lowest: usize,
}

impl Bitmap {
    /// Returns a space of `processors` free processors.
    pub fn new(processors: u32) -> Self {
        let mut flat = Self {
            words: vec![0; processors.div_ceil(64) as usize],
            capacity: processors,
            free: 0,
            lowest: 0,
        };
        flat.mark_free(Range {
            first: 0,
            count: processors,
        });
        flat.free = processors;
        flat
    }

    /// True if all processors of the range are free.
    pub fn is_free(&self, range: Range) -> bool {
        pieces(range).all(|(word, bits)| self.words[word] & bits == bits)
    }

    /// Returns the number of free processors in the range.
    pub fn free_in(&self, range: Range) -> u32 {
        pieces(range)
            .map(|(word, bits)| (self.words[word] & bits).count_ones())
            .sum()
    }

    /// Takes the processors of the range that are free.
    pub fn take(&mut self, range: Range) {
        for (word, bits) in pieces(range) {
            self.free -= (self.words[word] & bits).count_ones();
            self.words[word] &= !bits;
        }
    }

    /// Takes the lowest `count` free processors of a range, and appends them to `placement`.
    pub fn claim_within(&mut self, within: Range, count: u32, placement: &mut PlacementBuf) {
        let mut missing = count;
        for (word, bits) in pieces(within) {
            let mut free = self.words[word] & bits;
            while free != 0 && missing > 0 {
                let bit = free.trailing_zeros();
                let run = (!(free >> bit)).trailing_zeros().min(64 - bit).min(missing);
                let taken = ones(run) << bit;
                self.words[word] &= !taken;
                free &= !taken;
                missing -= run;
                let first = word as u32 * 64 + bit;
                match placement.ranges.last_mut() {
                    Some(last) if last.end() == first => last.count += run,
                    _ => placement.ranges.push(Range { first, count: run }),
                }
            }
        }
        debug_assert_eq!(missing, 0);
        self.free -= count - missing;
    }

    fn mark_free(&mut self, range: Range) {
        for (word, bits) in pieces(range) {
            self.words[word] |= bits;
        }
    }
}

/// Returns the words that a range touches, each as its index and the bits of the range in it.
fn pieces(range: Range) -> impl Iterator<Item = (usize, u64)> {
    let mut at = range.first;
    std::iter::from_fn(move || {
        (at < range.end()).then(|| {
            let (word, bit) = ((at / 64) as usize, at % 64);
            let count = (64 - bit).min(range.end() - at);
            at += count;
            (word, ones(count) << bit)
        })
    })
}

const fn ones(count: u32) -> u64 {
    if count == 64 {
        u64::MAX
    } else {
        (1 << count) - 1
    }
}

impl Space for Bitmap {
    fn capacity(&self) -> u32 {
        self.capacity
    }

    fn free(&self) -> u32 {
        self.free
    }

    fn fits(&self, ask: Ask) -> bool {
        ask.processors <= self.free
    }

    fn claim(&mut self, ask: Ask, placement: &mut PlacementBuf) {
        debug_assert!(self.fits(ask));
        let processors = ask.processors;
        let mut missing = processors;
        let mut word = self.lowest;
        while missing > 0 {
            let bits = self.words[word];
            if bits == 0 {
                word += 1;
                continue;
            }
            let bit = bits.trailing_zeros();
            let count = (!(bits >> bit)).trailing_zeros().min(64 - bit).min(missing);
            self.words[word] &= !(ones(count) << bit);
            missing -= count;
            let first = word as u32 * 64 + bit;
            match placement.ranges.last_mut() {
                Some(last) if last.end() == first => last.count += count,
                _ => placement.ranges.push(Range { first, count }),
            }
        }
        self.lowest = word;
        self.free -= processors;
    }

    fn release(&mut self, held: Ask, placement: Placement<'_>) {
        for range in placement.ranges {
            self.mark_free(*range);
            self.lowest = self.lowest.min((range.first / 64) as usize);
        }
        self.free += held.processors;
    }

    fn occupy(&mut self, placement: Placement<'_>) {
        placement.ranges.iter().for_each(|range| self.take(*range));
    }

    fn fork(&self) -> Box<dyn Space> {
        Box::new(self.clone())
    }

    fn empty(&self) -> Box<dyn Space> {
        Box::new(Counted::new(self.capacity))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    /// Claims the lowest free processors, which it finds one by one.
    fn naive_claim(free: &mut [bool], processors: u32) -> Vec<Range> {
        let chosen: Vec<u32> = (0..free.len() as u32)
            .filter(|&p| free[p as usize])
            .take(processors as usize)
            .collect();
        chosen.iter().for_each(|&p| free[p as usize] = false);
        chosen
            .chunk_by(|a, b| a + 1 == *b)
            .map(|run| Range {
                first: run[0],
                count: run.len() as u32,
            })
            .collect()
    }

    #[test]
    fn the_bitmap_gives_the_lowest_free_processors() {
        for (capacity, seed) in [(1, 1), (5, 2), (64, 3), (130, 4), (1152, 5)] {
            let mut stream = Stream::new(seed, "flat");
            let mut flat = Bitmap::new(capacity);
            let mut free = vec![true; capacity as usize];
            let mut held: Vec<(u32, PlacementBuf)> = Vec::new();
            for _ in 0..2000 {
                let want = stream.below(u64::from(capacity)) as u32 + 1;
                if flat.fits(Ask::of(want)) && stream.uniform() < 0.6 {
                    let mut placement = PlacementBuf::default();
                    flat.claim(Ask::of(want), &mut placement);
                    assert_eq!(placement.ranges, naive_claim(&mut free, want));
                    held.push((want, placement));
                } else if !held.is_empty() {
                    let (size, placement) =
                        held.swap_remove(stream.below(held.len() as u64) as usize);
                    flat.release(Ask::of(size), placement.get());
                    placement
                        .ranges
                        .iter()
                        .for_each(|r| (r.first..r.end()).for_each(|p| free[p as usize] = true));
                }
                assert_eq!(flat.free() as usize, free.iter().filter(|f| **f).count());
            }
        }
    }
}
