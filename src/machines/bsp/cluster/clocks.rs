//! What a fixed number of clocks show, and which of them rings next.
//!
//! Time is divided into slots. Of the slots that come next each has a mark for every clock that
//! rings in it, so that those that ring are found by looking at a few bits, however many others
//! there are. A clock that is set anew leaves its old mark, which is dropped when it is met. When
//! no mark is left, the next slots are marked anew.

/// Never.
pub const NEVER: i64 = i64::MAX;

/// Slots that have marks; which of them has any is a word.
const SLOTS: i64 = 64;

/// Clocks of a word.
pub const WORD: usize = 64;

/// The clocks, and marks for those that ring soon.
#[derive(Clone, Debug)]
pub struct Clocks {
    keys: Vec<i64>,
    /// A slot is as long as two to the power of this.
    shift: u32,
    /// The first slot that has marks.
    first: i64,
    /// Marks of each slot, a bit for a clock: so many words for each.
    marks: Vec<u64>,
    words: usize,
    /// Slots that may have marks.
    marked: u64,
}

impl Clocks {
    /// So many clocks that never ring, and slots at most so long.
    pub fn new(clocks: usize, longest: i64) -> Self {
        let words = clocks.div_ceil(WORD);
        Self {
            keys: vec![NEVER; clocks],
            shift: longest.max(1).ilog2(),
            first: 0,
            marks: vec![0; words * SLOTS as usize],
            words,
            marked: 0,
        }
    }

    /// When a clock rings from now on.
    pub fn set(&mut self, clock: usize, at: i64) {
        self.keys[clock] = at;
        if self.mark(clock, at) < 0 {
            self.begin_anew();
        }
    }

    /// When a clock rings.
    pub fn at(&self, clock: usize) -> i64 {
        self.keys[clock]
    }

    /// Marks a clock, if its slot has marks, and says which that is, counted from the first.
    fn mark(&mut self, clock: usize, at: i64) -> i64 {
        let slot = (at >> self.shift) - self.first;
        if (0..SLOTS).contains(&slot) {
            self.marks[slot as usize * self.words + clock / WORD] |= 1 << (clock % WORD);
            self.marked |= 1 << slot;
        }
        slot
    }

    /// Marks the slots from the one on in which the next clock rings, if one ever does.
    #[cold]
    fn begin_anew(&mut self) {
        self.marks.fill(0);
        self.marked = 0;
        let earliest = self.keys.iter().copied().fold(NEVER, i64::min);
        if earliest < NEVER {
            self.first = earliest >> self.shift;
            for clock in 0..self.keys.len() {
                self.mark(clock, self.keys[clock]);
            }
        }
    }

    /// The next slot in which a clock may ring, if one ever does; all others are later.
    fn slot(&mut self) -> Option<usize> {
        if self.marked == 0 {
            self.begin_anew();
        }
        (self.marked != 0).then(|| self.marked.trailing_zeros() as usize)
    }

    /// When a slot begins.
    fn begin(&self, slot: usize) -> i64 {
        (self.first + slot as i64).saturating_mul(1 << self.shift)
    }

    /// No clock rings before this: a slot begins in which one may.
    pub fn not_before(&mut self) -> i64 {
        self.slot().map_or(NEVER, |slot| self.begin(slot))
    }

    /// When the next clock rings.
    pub fn earliest(&mut self) -> i64 {
        while let Some(slot) = self.slot() {
            let end = self.begin(slot + 1);
            let mut earliest = NEVER;
            for word in 0..self.words {
                let marks = &mut self.marks[slot * self.words + word];
                for place in Places(*marks) {
                    let key = self.keys[word * WORD + place];
                    if key < end {
                        earliest = earliest.min(key);
                    } else {
                        *marks &= !(1 << place);
                    }
                }
            }
            if earliest < NEVER {
                return earliest;
            }
            self.pass(slot);
        }
        NEVER
    }

    /// The next slot in which a clock may ring, of which it is known that there is one, and when it
    /// ends.
    pub fn next_slot(&self) -> (usize, i64) {
        let slot = self.marked.trailing_zeros() as usize % SLOTS as usize;
        (slot, self.begin(slot + 1))
    }

    /// Words of clocks.
    pub fn words(&self) -> usize {
        self.words
    }

    /// Those clocks of a word that may ring in a slot. Their marks are gone: they must be set.
    pub fn take(&mut self, slot: usize, word: usize) -> Places {
        Places(std::mem::take(&mut self.marks[slot * self.words + word]))
    }

    /// All clocks that rang in a slot were set. If none rings in it again, it is over.
    pub fn pass(&mut self, slot: usize) {
        if self.marks[slot * self.words..(slot + 1) * self.words]
            .iter()
            .all(|marks| *marks == 0)
        {
            self.marked &= !(1 << slot);
        }
    }
}

/// Places of a word, one after the other.
#[derive(Debug)]
pub struct Places(u64);

impl Iterator for Places {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let place = (self.0 != 0).then(|| self.0.trailing_zeros() as usize)?;
        self.0 &= self.0 - 1;
        Some(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    /// Clocks ring, are set anew, earlier or later, and now and then one before all others.
    #[test]
    fn whoever_rings_is_found() {
        for (clocks, longest) in [(1, 1), (2, 7), (127, 40), (128, 1_000), (300, 40)] {
            let mut stream = Stream::new(clocks as u64, "clocks");
            let mut below = |bound: i64| stream.below(bound as u64) as i64;
            let mut ours = Clocks::new(clocks, longest);
            let mut keys = vec![NEVER; clocks];
            let mut now = -100;
            for _ in 0..2_000 {
                let (clock, away) = (
                    below(clocks as i64) as usize,
                    [5, 100, 10_000, 1_000_000][below(4) as usize],
                );
                keys[clock] = if below(8) == 0 {
                    NEVER
                } else {
                    now + below(away)
                };
                ours.set(clock, keys[clock]);
                assert!((0..clocks).all(|clock| ours.at(clock) == keys[clock]));
                let least = keys.iter().copied().min().unwrap();
                assert!(ours.not_before() <= least);
                assert_eq!(ours.earliest(), least);
                if least == NEVER || below(2) == 0 {
                    continue;
                }
                // All that ring in its slot, or before the middle of it.
                let (slot, end) = ours.next_slot();
                assert!(ours.not_before() <= least && least < end);
                let before = if below(2) == 0 { end } else { least + 1 };
                let mut found = Vec::new();
                for word in 0..ours.words() {
                    for place in ours.take(slot, word) {
                        let clock = word * WORD + place;
                        if keys[clock] < before {
                            found.push(clock);
                            keys[clock] = before + below(3 * longest);
                        }
                        ours.set(clock, keys[clock]);
                    }
                }
                ours.pass(slot);
                assert!(!found.is_empty() && keys.iter().all(|key| *key >= before));
                now = before;
            }
        }
    }
}
