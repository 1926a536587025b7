//! Words that many records share, such as the names of users, each kept once.

use fnv::{FnvHashMap, FnvHasher};
use std::hash::Hasher;

/// The words of a column, numbered from 1 in the order of their first records; 0 means none.
#[derive(Clone, Debug, Default)]
pub struct Words {
    words: Vec<Box<str>>,
    /// The first word of each hash. A word that shares its hash with another one has the next free
    /// hash, so that no word is kept twice.
    places: FnvHashMap<u64, u32>,
    bytes: usize,
}

impl Words {
    /// Returns the number of a word, which it gets at its first use.
    pub fn number(&mut self, word: &str) -> u32 {
        self.number_unless(false, word).unwrap_or(0)
    }

    /// Does the same, but returns `None` for a new word if there is no place left for one (`is_full`).
    pub fn number_unless(&mut self, is_full: bool, word: &str) -> Option<u32> {
        let mut hasher = FnvHasher::default();
        hasher.write(word.as_bytes());
        let mut hash = hasher.finish();
        while let Some(number) = self.places.get(&hash) {
            if &*self.words[*number as usize - 1] == word {
                return Some(*number);
            }
            hash = hash.wrapping_add(1);
        }
        if is_full {
            return None;
        }
        self.words.push(word.into());
        self.bytes += word.len();
        let number = self.words.len() as u32;
        self.places.insert(hash, number);
        Some(number)
    }

    /// Returns the word with this number.
    pub fn get(&self, number: u32) -> Option<&str> {
        let at = (number as usize).checked_sub(1)?;
        self.words.get(at).map(|word| &**word)
    }

    /// Returns all words, from number 1 on.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(|word| &**word)
    }

    /// Returns the number of words.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// True if there is no word.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Returns the length of all words together, in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_has_one_number() {
        let mut words = Words::default();
        let all: Vec<String> = (0..5000).map(|at| format!("user{at}")).collect();
        for _ in 0..2 {
            for (at, word) in all.iter().enumerate() {
                assert_eq!(words.number(word), at as u32 + 1);
            }
        }
        assert_eq!(words.len(), all.len());
        assert_eq!((words.get(0), words.get(1)), (None, Some("user0")));
        assert_eq!(words.bytes(), all.iter().map(String::len).sum::<usize>());
    }

    /// Two words with one hash stay apart.
    #[test]
    fn a_shared_hash_is_no_shared_word() {
        let mut words = Words::default();
        let mut hasher = FnvHasher::default();
        hasher.write(b"one");
        words.words.push("other".into());
        words.places.insert(hasher.finish(), 1);
        assert_eq!(words.number("one"), 2);
        assert_eq!(words.number("one"), 2);
        assert_eq!(words.iter().collect::<Vec<_>>(), ["other", "one"]);
    }
}
