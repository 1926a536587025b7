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

    /// True if there are so many nodes. Counting them is slow, and most jobs need one.
    #[cfg_attr(target_arch = "wasm32", inline(never))]
    pub fn has(&self, least: i64) -> bool {
        match least {
            ..=0 => true,
            1 => !self.is_empty(),
            _ => self.count() >= least,
        }
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

    /// Takes the nodes of `other` away. True if all of them were there.
    #[cfg_attr(target_arch = "wasm32", inline(never))]
    pub fn take_all(&mut self, other: &Self) -> bool {
        let mut missing = 0;
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            missing |= other & !*word;
            *word &= !other;
        }
        missing == 0
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

    /// Returns the largest value of the nodes that are also in `other`, 0 if there are none.
    pub(super) fn most_in(&self, other: &Self, values: &[i64]) -> i64 {
        let both = self.words.iter().zip(&other.words).enumerate();
        both.flat_map(|(word, (ours, theirs))| Self::of_word(word, ours & theirs))
            .map(|node| values[node])
            .fold(0, i64::max)
    }

    /// Returns those bits of a word that are in the set.
    pub(super) fn common(&self, word: usize, bits: u64) -> u64 {
        self.words.get(word).map_or(0, |ours| ours & bits)
    }

    /// Adds nodes of a word, or takes them away.
    pub(super) fn put(&mut self, word: usize, bits: u64, is_in: bool) {
        if let Some(ours) = self.words.get_mut(word) {
            *ours = if is_in { *ours | bits } else { *ours & !bits };
        }
    }

    /// Returns the nodes of bits of a word in rising order.
    pub(super) fn of_word(word: usize, mut bits: u64) -> impl Iterator<Item = usize> {
        std::iter::from_fn(move || {
            let bit = (bits != 0).then(|| bits.trailing_zeros() as usize)?;
            bits &= bits - 1;
            Some(word * 64 + bit)
        })
    }

    /// Gives each run of consecutive nodes: its first node, and the node after its last one.
    #[cfg_attr(target_arch = "wasm32", inline(never))]
    pub(super) fn each_run(&self, mut give: impl FnMut(usize, usize)) {
        // The first node of a run that reaches the end of the last word.
        let mut open = None;
        for (word, bits) in self.words.iter().enumerate() {
            let (base, mut bits) = (word * 64, *bits);
            if let Some(first) = open {
                let length = bits.trailing_ones();
                if length == u64::BITS {
                    continue;
                }
                give(first, base + length as usize);
                open = None;
                bits &= !((1 << length) - 1);
            }
            while bits != 0 {
                let from = bits.trailing_zeros();
                let length = (bits >> from).trailing_ones();
                let first = base + from as usize;
                if from + length == u64::BITS {
                    open = Some(first);
                    break;
                }
                give(first, first + length as usize);
                bits &= !(((1 << length) - 1) << from);
            }
        }
        if let Some(first) = open {
            give(first, self.words.len() * 64);
        }
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
    fn runs_are_those_of_the_nodes_in_order() {
        let mut state = 1_u64;
        for nodes in [1, 63, 64, 65, 128, 200] {
            for _ in 0..300 {
                let mut set = NodeSet::none(nodes);
                let mut runs: Vec<(usize, usize)> = Vec::new();
                let mut is_in = false;
                for node in 0..nodes {
                    state = state
                        .wrapping_mul(6_364_136_223_846_793_005)
                        .wrapping_add(1);
                    is_in ^= state >> 59 == 0;
                    if !is_in {
                        continue;
                    }
                    set.insert(node);
                    match runs.last_mut() {
                        Some((_, after)) if *after == node => *after += 1,
                        _ => runs.push((node, node + 1)),
                    }
                }
                let mut found = Vec::new();
                set.each_run(|first, after| found.push((first, after)));
                assert_eq!(found, runs);
            }
        }
    }

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
        assert!(a.has(4) && !a.has(5) && a.has(1));
        assert!(NodeSet::none(3).has(0) && !NodeSet::none(3).has(1));
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
