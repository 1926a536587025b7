//! Sorting and collecting for code in which speed does not matter. All types share one sort,
//! because an instance of the standard sort for each of them adds 48 kB (brotli) to the wasm file
//! that every visitor of the page must load.

use std::collections::{BTreeMap, BTreeSet};

/// Sorts by a key of two whole numbers. Items with equal keys keep their order.
pub fn by<T>(items: &mut [T], key: impl Fn(&T) -> [i128; 2]) {
    if items.is_sorted_by_key(&key) {
        return;
    }
    let mut order: Vec<([i128; 2], usize)> = items.iter().map(&key).zip(0..).collect();
    sort(&mut order);
    // Follow each cycle of the permutation, so that every place gets its item.
    for start in 0..order.len() {
        let mut at = start;
        while order[at].1 != start {
            let from = std::mem::replace(&mut order[at].1, at);
            items.swap(at, from);
            at = from;
        }
        order[at].1 = at;
    }
}

#[inline(never)]
fn sort(order: &mut [([i128; 2], usize)]) {
    order.sort_unstable();
}

/// Returns the indices of the values, largest value first. Equal values keep their order.
pub fn falling(values: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    by(&mut order, |at| [-number(values[*at]), 0]);
    order
}

/// Returns the values in ascending order.
pub fn rising(values: &[f64]) -> Vec<f64> {
    let mut values = values.to_vec();
    by(&mut values, |value| [number(*value), 0]);
    values
}

/// Returns the indices of the values, smallest value first. Equal values keep their order. The ranks of all jobs of a
/// log are part of each run's figures, so this is a fast sort.
pub fn rising_places(values: &[f64]) -> Vec<usize> {
    let key = |value: &f64| (number(*value) as i64 as u64) ^ (1 << 63);
    places(values.iter().map(key).collect())
}

/// Returns the indices of the keys, smallest key first. Equal keys keep their order. This sort is by digits (radix).
pub fn places(keys: Vec<u64>) -> Vec<usize> {
    let mut order: Vec<(u64, u32)> = keys.into_iter().zip(0..).collect();
    let mut next = order.clone();
    for shift in (0..64).step_by(8) {
        let digit = |entry: &(u64, u32)| (entry.0 >> shift & 0xff) as usize;
        let mut places = [0_usize; 256];
        order.iter().for_each(|entry| places[digit(entry)] += 1);
        if places.contains(&order.len()) {
            continue;
        }
        let mut before = 0;
        for place in &mut places {
            before += std::mem::replace(place, before);
        }
        for entry in &order {
            let place = &mut places[digit(entry)];
            next[*place] = *entry;
            *place += 1;
        }
        std::mem::swap(&mut order, &mut next);
    }
    order.into_iter().map(|(_, at)| at as usize).collect()
}

/// Maps a value to a whole number in the order of `f64::total_cmp`.
fn number(value: f64) -> i128 {
    let bits = value.to_bits() as i64;
    i128::from(bits ^ (((bits >> 63) as u64) >> 1) as i64)
}

/// Collects items into a set, without an instance of the standard sort.
pub fn set<T: Ord>(items: impl Iterator<Item = T>) -> BTreeSet<T> {
    let mut set = BTreeSet::new();
    items.for_each(|item| {
        set.insert(item);
    });
    set
}

/// Collects items into a map. The last of equal keys wins.
pub fn map<K: Ord, V>(items: impl Iterator<Item = (K, V)>) -> BTreeMap<K, V> {
    let mut map = BTreeMap::new();
    items.for_each(|(key, value)| {
        map.insert(key, value);
    });
    map
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    #[test]
    fn agrees_with_the_standard_sort() {
        let mut stream = Stream::new(1, "sorting");
        for n in 0..200 {
            let items: Vec<(i64, usize)> = (0..n)
                .map(|at| (stream.below(20) as i64 - 10, at))
                .collect();
            let (mut ours, mut theirs) = (items.clone(), items);
            by(&mut ours, |item| [i128::from(item.0), 0]);
            theirs.sort_by_key(|item| item.0);
            assert_eq!(ours, theirs, "sorted, and stable");
        }
        for n in [0, 1, 2, 1000] {
            let of = |kind: u64| match kind {
                0 => stream.below(50) as f64,
                1 => -(stream.below(1 << 40) as f64) / 7.0,
                _ => stream.below(1 << 50) as f64 * 1e-3,
            };
            let kinds: Vec<u64> = (0..n).map(|at| at % 3).collect();
            let values: Vec<f64> = kinds.into_iter().map(of).collect();
            let mut theirs: Vec<usize> = (0..values.len()).collect();
            theirs.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
            assert_eq!(rising_places(&values), theirs);
            stream = Stream::new(n + 2, "sorting");
        }
        let values = [
            3.0,
            -0.0,
            f64::INFINITY,
            -2.5,
            0.0,
            f64::NEG_INFINITY,
            3.0,
            -2.0,
        ];
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        assert_eq!(
            rising(&values)
                .iter()
                .map(|v| v.to_bits())
                .collect::<Vec<_>>(),
            sorted.iter().map(|v| v.to_bits()).collect::<Vec<_>>()
        );
        assert_eq!(falling(&values), [2, 0, 6, 4, 1, 7, 3, 5]);
        assert_eq!(set([3, 1, 3].into_iter()), BTreeSet::from([1, 3]));
    }
}
