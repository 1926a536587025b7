//! Suggestions for unknown words.

/// Returns "Did you mean ...? " if `word` is at most two edits from one of `known`, and an empty
/// text otherwise. Reads only the first 64 characters of `word`.
pub fn closest(word: &str, known: &[&str]) -> String {
    let word: String = word.chars().take(64).collect();
    known
        .iter()
        .map(|candidate| (strsim::levenshtein(&word, candidate), candidate))
        .min()
        .filter(|(distance, _)| *distance <= 2)
        .map_or_else(String::new, |(_, candidate)| {
            format!("Did you mean `{candidate}`? ")
        })
}
