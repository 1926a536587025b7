//! The job that another one follows, from the words in which schedulers tell dependencies.

/// Kinds of dependency that wait for the end of a job: those of Slurm and PBS, and the functions of
/// LSF. Others wait for a start, for a name, or for a resource.
const ON_END: [&str; 8] = [
    "afterok",
    "afternotok",
    "afterany",
    "aftercorr",
    "afterburstbuffer",
    "done",
    "ended",
    "exit",
];

/// Returns the number of the job for whose end a job waits. Where it waits for several, the highest
/// number counts: the job that was submitted last. `None` if the job waits for no job's end.
///
/// Slurm and PBS write `afterok:12:13,afterany:14`, LSF `done(12) && ended(13)`, and a table may
/// have the numbers alone.
pub fn followed(dependency: &str) -> Option<i64> {
    // LSF writes names of jobs in quotes.
    let unquoted: String = dependency.split('"').step_by(2).collect();
    let conditions = unquoted.split([',', '?', '&', '|', ' ', ';']);
    let named = conditions.flat_map(|condition| {
        let mut parts = condition.split([':', '(']);
        let first = parts.next().unwrap_or_default();
        let kind = first.trim_start_matches('!').to_ascii_lowercase();
        let alone = number(first);
        let numbers = ON_END
            .contains(&&*kind)
            .then_some(parts)
            .into_iter()
            .flatten()
            .filter_map(number);
        alone.into_iter().chain(numbers)
    });
    named.max()
}

/// Returns the number with which a word begins: `12`, `12.server`, `12_4`, `12)`, `12(unfulfilled`.
fn number(word: &str) -> Option<i64> {
    let end = word
        .find(|digit: char| !digit.is_ascii_digit())
        .unwrap_or(word.len());
    word[..end].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::followed;

    #[test]
    fn only_ends_of_jobs_are_followed() {
        for (words, expected) in [
            ("", None),
            ("afterok:12", Some(12)),
            ("afterok:12:15,afterany:14", Some(15)),
            ("afterany:12?afterany:9", Some(12)),
            ("afterok:12(unfulfilled)", Some(12)),
            ("afterok:12_*(unfulfilled)", Some(12)),
            ("aftercorr:12_4", Some(12)),
            ("afterok:12.server.site.org:13.server.site.org", Some(13)),
            ("done(12) && ended(13)", Some(13)),
            ("done(12)||exit(9,<=3)", Some(12)),
            ("12", Some(12)),
            ("12;13", Some(13)),
            // These wait for a start, for a name, or for jobs that come later.
            ("after:12+30", None),
            ("started(12)", None),
            ("singleton", None),
            ("beforeok:12", None),
            ("done(\"my job 7\")", None),
            ("afterok:99999999999999999999", None),
        ] {
            assert_eq!(followed(words), expected, "{words}");
        }
    }
}
