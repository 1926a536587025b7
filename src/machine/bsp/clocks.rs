//! Which of a fixed number of clocks shows the least, with ties going to the lowest number.
//!
//! Clocks stand in blocks of about the square root of their number. A change marks its block, and the first clock is looked
//! for in the marked blocks and among the blocks' first ones: clocks of neighbours, which change together, share a block, and
//! comparing few numbers in a row is faster than following a tree's branches.

/// Never.
pub const NEVER: i64 = i64::MAX;

/// The clocks, and the first of each block.
#[derive(Clone, Debug)]
pub struct Clocks {
    keys: Vec<i64>,
    /// Clocks of a block, as a power of two.
    block: u32,
    first: Vec<i64>,
    place: Vec<u32>,
    /// Blocks in which a clock was set, and which ones.
    marked: Vec<u32>,
    is_marked: Vec<bool>,
}

impl Clocks {
    /// So many clocks that never ring.
    pub fn new(clocks: usize) -> Self {
        let block = (clocks.next_power_of_two().ilog2() / 2).max(3);
        let blocks = clocks.div_ceil(1 << block).max(1);
        Self {
            keys: vec![NEVER; blocks << block],
            block,
            first: vec![NEVER; blocks],
            place: vec![0; blocks],
            marked: Vec::with_capacity(blocks),
            is_marked: vec![false; blocks],
        }
    }

    /// When a clock rings.
    pub fn set(&mut self, clock: usize, at: i64) {
        self.keys[clock] = at;
        let block = clock >> self.block;
        if !std::mem::replace(&mut self.is_marked[block], true) {
            self.marked.push(block as u32);
        }
    }

    /// The clock that rings first, and when.
    pub fn first(&mut self) -> (usize, i64) {
        while let Some(block) = self.marked.pop() {
            let block = block as usize;
            let (place, at) = least(&self.keys[block << self.block..(block + 1) << self.block]);
            (self.is_marked[block], self.first[block], self.place[block]) = (false, at, place as u32);
        }
        let (block, at) = least(&self.first);
        ((block << self.block) + self.place[block] as usize, at)
    }
}

/// The first of the least numbers.
fn least(keys: &[i64]) -> (usize, i64) {
    let mut least = (0, NEVER);
    for (place, key) in keys.iter().enumerate() {
        if *key < least.1 {
            least = (place, *key);
        }
    }
    least
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    #[test]
    fn the_first_is_the_least_of_all() {
        for clocks in [1, 2, 3, 8, 100, 1_000] {
            let mut stream = Stream::new(clocks as u64, "clocks");
            let mut ours = Clocks::new(clocks);
            let mut keys = vec![NEVER; clocks];
            for _ in 0..500 {
                for _ in 0..stream.below(4) {
                    let clock = stream.below(clocks as u64) as usize;
                    keys[clock] = if stream.below(4) == 0 { NEVER } else { stream.below(20) as i64 };
                    ours.set(clock, keys[clock]);
                }
                let least = (0..clocks).min_by_key(|clock| keys[*clock]).unwrap();
                assert_eq!(ours.first(), (least, keys[least]));
            }
        }
    }
}
