//! A fixed number of clocks, and the search for the clock that rings next.
//!
//! Time is divided into slots. Each of the next slots has a mark for every clock that rings in it.
//! A look at a few bits therefore finds the clocks that ring next, however many others there are. A
//! clock that is set again leaves its old mark, which is dropped when it is found. When no mark is
//! left, the slots from the next ring on are marked.

/// The instant that stands for never.
pub const NEVER: i64 = i64::MAX;

/// Number of clocks in a word.
pub const WORD: usize = 64;

/// Number of groups of slots that have marks.
const GROUPS: usize = 8;

/// Number of slots that have marks. With 64 slots of 4 us and processes that compute for a
/// millisecond, marking anew took a sixth of the time.
const SLOTS: usize = GROUPS * WORD;

/// The clocks, with marks for those that ring soon.
#[derive(Clone, Debug)]
pub struct Clocks {
    keys: Vec<i64>,
    /// Logarithm to base 2 of the length of a slot.
    shift: u32,
    /// Number of the first slot that has marks.
    first: i64,
    /// Marks of each slot, a bit for each clock.
    marks: Vec<u64>,
    /// Number of words in the marks of a slot.
    words: usize,
    /// Slots of each group that may have marks, as bits.
    marked: [u64; GROUPS],
    /// Groups that have such slots, as bits.
    groups: u64,
}

impl Clocks {
    /// Returns `clocks` clocks that never ring, with slots of at most `longest`.
    pub fn new(clocks: usize, longest: i64) -> Self {
        let words = clocks.div_ceil(WORD);
        Self {
            keys: vec![NEVER; clocks],
            shift: longest.max(1).ilog2(),
            first: 0,
            marks: vec![0; words * SLOTS],
            words,
            marked: [0; GROUPS],
            groups: 0,
        }
    }

    /// Sets the instant at which a clock rings.
    pub fn set(&mut self, clock: usize, at: i64) {
        self.keys[clock] = at;
        if self.mark(clock, at) < 0 {
            self.begin_anew();
        }
    }

    /// Returns the instant at which a clock rings.
    pub fn at(&self, clock: usize) -> i64 {
        self.keys[clock]
    }

    /// Marks a clock in its slot, if the slot has marks. Returns the slot, counted from the first
    /// one.
    fn mark(&mut self, clock: usize, at: i64) -> i64 {
        let slot = (at >> self.shift) - self.first;
        if (0..SLOTS as i64).contains(&slot) {
            let slot = slot as usize;
            self.marks[slot * self.words + clock / WORD] |= 1 << (clock % WORD);
            self.marked[slot / WORD] |= 1 << (slot % WORD);
            self.groups |= 1 << (slot / WORD);
        }
        slot
    }

    /// Begins the marks at the slot in which the next clock rings, and marks all clocks anew.
    /// Without such a clock, only clears the marks.
    #[cold]
    fn begin_anew(&mut self) {
        self.marks.fill(0);
        (self.marked, self.groups) = ([0; GROUPS], 0);
        let earliest = self.keys.iter().copied().fold(NEVER, i64::min);
        if earliest < NEVER {
            self.first = earliest >> self.shift;
            for clock in 0..self.keys.len() {
                self.mark(clock, self.keys[clock]);
            }
        }
    }

    /// Returns the next slot in which a clock may ring; `None` if no clock ever rings. No clock
    /// rings before this slot.
    fn slot(&mut self) -> Option<usize> {
        if self.groups == 0 {
            self.begin_anew();
        }
        let group = self.groups.trailing_zeros() as usize;
        let slots = self.marked.get(group)?;
        Some(group * WORD + slots.trailing_zeros() as usize)
    }

    /// Returns the beginning of a slot.
    fn begin(&self, slot: usize) -> i64 {
        (self.first + slot as i64).saturating_mul(1 << self.shift)
    }

    /// Returns an instant before which no clock rings: the beginning of a slot in which one may
    /// ring.
    pub fn not_before(&mut self) -> i64 {
        self.slot().map_or(NEVER, |slot| self.begin(slot))
    }

    /// Returns the instant at which the next clock rings.
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

    /// Returns the next slot in which a clock may ring, its beginning and its end; `None` if no
    /// clock ever rings.
    pub fn next_slot(&mut self) -> Option<(usize, i64, i64)> {
        let slot = self.slot()?;
        Some((slot, self.begin(slot), self.begin(slot + 1)))
    }

    /// Returns the number of words of clocks.
    pub fn words(&self) -> usize {
        self.words
    }

    /// Returns the clocks of a word that may ring in a slot, and removes their marks. The caller
    /// must set each of these clocks.
    pub fn take(&mut self, slot: usize, word: usize) -> Places {
        Places(std::mem::take(&mut self.marks[slot * self.words + word]))
    }

    /// Ends a slot whose clocks have all been set, unless one of them rings in it again.
    pub fn pass(&mut self, slot: usize) {
        if self.marks[slot * self.words..(slot + 1) * self.words]
            .iter()
            .all(|marks| *marks == 0)
        {
            let slots = &mut self.marked[slot / WORD];
            *slots &= !(1 << (slot % WORD));
            if *slots == 0 {
                self.groups &= !(1 << (slot / WORD));
            }
        }
    }
}

/// The places of the bits that are set in a word, lowest first.
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

    /// Clocks ring and are set again, earlier or later, and now and then one rings before all
    /// others.
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
                // Takes all clocks that ring in the slot, or only those that ring first.
                let (slot, _, end) = ours.next_slot().unwrap();
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
