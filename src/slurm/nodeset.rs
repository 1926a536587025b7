//! Sets of nodes, as words of 64 bits. A node is its number in the order of the lines `NodeName`.

/// A set of nodes. All sets of a cluster have the same number of words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeSet {
    words: Vec<u64>,
}

impl NodeSet {
    /// Returns the empty set of a cluster with so many nodes.
    #[cfg_attr(target_arch = "wasm32", inline(never))]
    pub fn none(nodes: usize) -> Self {
        Self {
            words: vec![0; nodes.div_ceil(64)],
        }
    }

    /// Returns the set of all nodes of a cluster.
    #[cfg_attr(target_arch = "wasm32", inline(never))]
    pub fn all(nodes: usize) -> Self {
        let mut set = Self {
            words: vec![u64::MAX; nodes.div_ceil(64)],
        };
        if let Some(last) = set.words.last_mut()
            && !nodes.is_multiple_of(64)
        {
            *last = (1 << (nodes % 64)) - 1;
        }
        set
    }

    /// Makes the set a copy of `other`, in its own memory if that suffices.
    #[cfg_attr(target_arch = "wasm32", inline(never))]
    pub fn copy_from(&mut self, other: &Self) {
        self.words.clone_from(&other.words);
    }

    /// Adds a node.
    pub fn insert(&mut self, node: usize) {
        if let Some(word) = self.words.get_mut(node / 64) {
            *word |= 1 << (node % 64);
        }
    }

    /// Removes a node.
    pub fn remove(&mut self, node: usize) {
        if let Some(word) = self.words.get_mut(node / 64) {
            *word &= !(1 << (node % 64));
        }
    }

    /// True if the node is in the set.
    pub fn contains(&self, node: usize) -> bool {
        self.words
            .get(node / 64)
            .is_some_and(|word| word >> (node % 64) & 1 == 1)
    }

    /// True if no node is in the set.
    #[cfg_attr(target_arch = "wasm32", inline(never))]
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    /// Returns the number of nodes.
    #[cfg_attr(target_arch = "wasm32", inline(never))]
    pub fn count(&self) -> i64 {
        self.words.iter().map(|word| word.count_ones() as i64).sum()
    }

    /// Returns the number of nodes that are in both sets.
    #[cfg_attr(target_arch = "wasm32", inline(never))]
    pub fn count_in(&self, other: &Self) -> i64 {
        let both = self.words.iter().zip(&other.words);
        both.map(|(a, b)| (a & b).count_ones() as i64).sum()
    }

    /// Keeps the nodes that are also in `other`.
    #[cfg_attr(target_arch = "wasm32", inline(never))]
    pub fn keep(&mut self, other: &Self) {
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word &= other;
        }
    }

    /// Adds the nodes of `other`.
    #[cfg_attr(target_arch = "wasm32", inline(never))]
    pub fn add(&mut self, other: &Self) {
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word |= other;
        }
    }

    /// Adds the nodes that are in both sets.
    #[cfg_attr(target_arch = "wasm32", inline(never))]
    pub fn add_common(&mut self, one: &Self, other: &Self) {
        let both = one.words.iter().zip(&other.words);
        for (word, (a, b)) in self.words.iter_mut().zip(both) {
            *word |= a & b;
        }
    }

    /// Takes the nodes of `other` away.
    #[cfg_attr(target_arch = "wasm32", inline(never))]
    pub fn take_away(&mut self, other: &Self) {
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word &= !other;
        }
    }

    /// Returns the nodes that are in both sets.
    #[cfg_attr(target_arch = "wasm32", inline(never))]
    pub fn and(&self, other: &Self) -> Self {
        let both = self.words.iter().zip(&other.words);
        Self {
            words: both.map(|(a, b)| a & b).collect(),
        }
    }

    /// Returns the nodes that are not in `other`.
    #[cfg_attr(target_arch = "wasm32", inline(never))]
    pub fn without(&self, other: &Self) -> Self {
        let both = self.words.iter().zip(&other.words);
        Self {
            words: both.map(|(a, b)| a & !b).collect(),
        }
    }

    /// True if every node is also in `other`.
    #[cfg_attr(target_arch = "wasm32", inline(never))]
    pub fn is_within(&self, other: &Self) -> bool {
        let both = self.words.iter().zip(&other.words);
        both.fold(0, |bits, (a, b)| bits | (a & !b)) == 0
    }

    /// True if a node is in both sets.
    #[cfg_attr(target_arch = "wasm32", inline(never))]
    pub fn meets(&self, other: &Self) -> bool {
        let mut both = self.words.iter().zip(&other.words);
        both.any(|(a, b)| a & b != 0)
    }

    /// True if a node of both `self` and `first` is outside both `other` and `second`: the set
    /// `(self and first) - (other and second)` is not empty.
    #[cfg_attr(target_arch = "wasm32", inline(never))]
    pub fn and_exceeds(&self, first: &Self, other: &Self, second: &Self) -> bool {
        let ours = self.words.iter().zip(&first.words);
        let theirs = other.words.iter().zip(&second.words);
        // All words at once are faster than a search for the first one: they go into wide registers.
        let beyond = ours.zip(theirs);
        beyond.fold(0, |bits, ((a, b), (c, d))| bits | (a & b & !(c & d))) != 0
    }

    /// Returns the sum of a value over the nodes that are also in `other`, from the values of all nodes and
    /// from the sums of each word of `other`.
    pub(super) fn sum_in(&self, other: &Self, values: &[i64], by_word: &[i64]) -> i64 {
        let both = self.words.iter().zip(&other.words).zip(by_word);
        let mut sum = 0;
        for (word, ((ours, theirs), of_word)) in both.enumerate() {
            let both = ours & theirs;
            sum += if both == *theirs {
                *of_word
            } else {
                Self::of_word(word, both).map(|node| values[node]).sum()
            };
        }
        sum
    }

    /// Returns those bits of a word that are in the set.
    pub(super) fn common(&self, word: usize, bits: u64) -> u64 {
        self.words.get(word).map_or(0, |ours| ours & bits)
    }

    /// Returns the nodes of bits of a word in rising order.
    pub(super) fn of_word(word: usize, mut bits: u64) -> impl Iterator<Item = usize> {
        std::iter::from_fn(move || {
            let bit = (bits != 0).then(|| bits.trailing_zeros() as usize)?;
            bits &= bits - 1;
            Some(word * 64 + bit)
        })
    }

    /// Returns the nodes in rising order.
    pub fn iter(&self) -> impl Iterator<Item = usize> {
        let mut words = self.words.iter();
        let (mut base, mut left) = (0, words.next().copied().unwrap_or(0));
        std::iter::from_fn(move || {
            while left == 0 {
                left = *words.next()?;
                base += 64;
            }
            let bit = left.trailing_zeros() as usize;
            left &= left - 1;
            Some(base + bit)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::NodeSet;

    #[test]
    fn operations_are_those_of_sets() {
        let of = |nodes: &[usize]| {
            let mut set = NodeSet::none(130);
            nodes.iter().for_each(|node| set.insert(*node));
            set
        };
        let (a, b) = (of(&[0, 63, 64, 129]), of(&[63, 64, 65]));
        assert_eq!(a.and(&b), of(&[63, 64]));
        assert_eq!(a.without(&b), of(&[0, 129]));
        assert_eq!(a.count(), 4);
        assert_eq!(a.count_in(&b), 2);
        assert_eq!(NodeSet::all(130).count(), 130);
        assert_eq!(NodeSet::all(128).count(), 128);
        assert!(of(&[64]).is_within(&a) && !b.is_within(&a));
        assert!(a.meets(&b) && !of(&[1]).meets(&a));
        assert_eq!(a.iter().collect::<Vec<_>>(), [0, 63, 64, 129]);
        assert!(NodeSet::all(130).and_exceeds(&a, &a, &b));
        assert!(!a.and_exceeds(&b, &a, &b));
        let mut c = a.clone();
        c.add(&b);
        c.take_away(&of(&[0]));
        c.keep(&NodeSet::all(130));
        c.remove(129);
        assert_eq!(c, of(&[63, 64, 65]));
        assert!(c.contains(65) && !c.contains(66) && !c.contains(1000));
        assert!(NodeSet::none(3).is_empty());
    }
}
