//! What a fixed number of clocks show, and which of them ring before a given time.
//!
//! Clocks stand in blocks of eight. Of each block it is known before when none of them rings, so that those that ring soon are
//! found by looking at few numbers in a row, which is faster than following a tree's branches.

/// Never.
pub const NEVER: i64 = i64::MAX;

/// Clocks of a block.
const BLOCK: usize = 8;

/// The clocks, and when at the earliest one of each block rings.
#[derive(Clone, Debug)]
pub struct Clocks {
    keys: Vec<[i64; BLOCK]>,
    earliest: Vec<[i64; BLOCK]>,
}

impl Clocks {
    /// So many clocks that never ring.
    pub fn new(clocks: usize) -> Self {
        let blocks = clocks.div_ceil(BLOCK);
        Self { keys: vec![[NEVER; BLOCK]; blocks], earliest: vec![[NEVER; BLOCK]; blocks.div_ceil(BLOCK)] }
    }

    /// When a clock rings from now on.
    pub fn set(&mut self, clock: usize, at: i64) {
        let block = clock / BLOCK;
        self.keys[block][clock % BLOCK] = at;
        let earliest = &mut self.earliest[block / BLOCK][block % BLOCK];
        *earliest = at.min(*earliest);
    }

    /// When a clock rings.
    pub fn at(&self, clock: usize) -> i64 {
        self.keys[clock / BLOCK][clock % BLOCK]
    }

    /// No clock rings before this; if none rings at it, that is seen when the blocks are looked through.
    pub fn earliest(&self) -> i64 {
        self.earliest.iter().map(least).fold(NEVER, i64::min)
    }

    /// Blocks of blocks.
    pub fn groups(&self) -> usize {
        self.earliest.len()
    }

    /// The blocks of a group of which a clock may ring before then.
    pub fn blocks(&self, group: usize, before: i64) -> Places {
        Places::of(&self.earliest[group], group, before)
    }

    /// The clocks of a block that ring before then.
    pub fn ringing(&self, block: usize, before: i64) -> Places {
        Places::of(&self.keys[block], block, before)
    }

    /// A block has been looked through: what is known of it is exact again.
    pub fn looked_through(&mut self, block: usize) {
        self.earliest[block / BLOCK][block % BLOCK] = least(&self.keys[block]);
    }
}

/// Places of a block, one after the other.
#[derive(Debug)]
pub struct Places {
    first: usize,
    set: u32,
}

impl Places {
    fn of(keys: &[i64; BLOCK], block: usize, before: i64) -> Self {
        let set = keys.iter().enumerate().fold(0, |set, (place, key)| set | u32::from(*key < before) << place);
        Self { first: block * BLOCK, set }
    }
}

impl Iterator for Places {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        if self.set == 0 {
            return None;
        }
        let place = self.set.trailing_zeros() as usize;
        self.set &= self.set - 1;
        Some(self.first + place)
    }
}

fn least(keys: &[i64; BLOCK]) -> i64 {
    keys.iter().copied().fold(NEVER, i64::min)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    #[test]
    fn whoever_rings_is_found() {
        for clocks in [1, 2, 7, 8, 100, 1_000] {
            let mut stream = Stream::new(clocks as u64, "clocks");
            let mut ours = Clocks::new(clocks);
            let mut keys = vec![NEVER; clocks];
            for _ in 0..500 {
                for _ in 0..stream.below(4) {
                    let clock = stream.below(clocks as u64) as usize;
                    keys[clock] = if stream.below(4) == 0 { NEVER } else { stream.below(20) as i64 };
                    ours.set(clock, keys[clock]);
                }
                let least = keys.iter().copied().min().unwrap();
                assert!(ours.earliest() <= least);
                let before = stream.below(20) as i64;
                let rings: Vec<usize> = (0..clocks).filter(|clock| keys[*clock] < before).collect();
                let blocks: Vec<usize> = (0..ours.groups()).flat_map(|group| ours.blocks(group, before)).collect();
                assert_eq!(blocks.iter().flat_map(|block| ours.ringing(*block, before)).collect::<Vec<_>>(), rings);
                assert!((0..clocks).all(|clock| ours.at(clock) == keys[clock]));
                (0..clocks.div_ceil(BLOCK)).for_each(|block| ours.looked_through(block));
                assert_eq!(ours.earliest(), least);
            }
        }
    }
}
