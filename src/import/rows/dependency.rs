//! The job that another one follows, from the words in which schedulers tell dependencies.

/// Kinds of dependency that wait for the end of a job: those of Slurm, PBS and Torque, and the
/// functions of LSF. Others wait for a start, for a name, for a count or for a resource.
const ON_END: [&str; 12] = [
    "afterok",
    "afternotok",
    "afterany",
    "aftercorr",
    "afterburstbuffer",
    "afterokarray",
    "afternotokarray",
    "afteranyarray",
    "done",
    "ended",
    "exit",
    "post_done",
];

/// Returns the number of the job for whose end a job waits. Where it waits for several, the highest
/// number counts: the job that was submitted last. `None` if the job waits for no job's end.
///
/// Slurm and PBS write `afterok:12:13,afterany:14`, LSF `done(12) && ended(13)`, and a table may
/// have the numbers alone.
pub fn followed(dependency: &str) -> Option<i64> {
    // LSF writes names of jobs in quotes.
    let words: String = dependency.split('"').step_by(2).collect();
    let words = words.to_ascii_lowercase();
    let is_bare = |letter: char| letter.is_ascii_digit() || " ,;:?&|[]()".contains(letter);
    if words.chars().all(is_bare) {
        let numbers = words.split(|letter: char| !letter.is_ascii_digit());
        return numbers.filter_map(number).max();
    }
    let mut last = None;
    let mut rest = words.as_str();
    while let Some(at) = rest.find(|letter: char| letter.is_ascii_alphabetic()) {
        let is_negated = rest[..at].trim_end().ends_with('!');
        rest = &rest[at..];
        let end = rest
            .find(|letter: char| !letter.is_ascii_alphabetic() && letter != '_')
            .unwrap_or(rest.len());
        let kind = &rest[..end];
        rest = &rest[end..];
        let named = if let Some(list) = rest.strip_prefix(':') {
            let end = list
                .find([',', '?', ' ', ';', '&', '|'])
                .unwrap_or(list.len());
            rest = &list[end..];
            list[..end].split(':').filter_map(number).max()
        } else if let Some(arguments) = rest.trim_start().strip_prefix('(') {
            // Further arguments are exit codes and counts.
            let end = arguments.find(')').unwrap_or(arguments.len());
            rest = &arguments[end..];
            number(&arguments[..end])
        } else {
            None
        };
        if ON_END.contains(&kind) && !is_negated {
            last = last.max(named);
        }
    }
    last
}

/// Returns the number with which a word begins: `12`, `12.server`, `12_4`, `12[]`,
/// `12(unfulfilled)`. `None` if letters follow it at once.
fn number(word: &str) -> Option<i64> {
    let word = word.trim_start();
    let end = word
        .find(|letter: char| !letter.is_ascii_digit())
        .unwrap_or(word.len());
    let is_whole = !word[end..].starts_with(|letter: char| letter.is_ascii_alphabetic());
    word[..end].parse().ok().filter(|_| is_whole)
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
            ("(done(20) && ended(13))", Some(20)),
            ("exit(12, 34)", Some(12)),
            ("done( 12 )", Some(12)),
            ("!done(12)", None),
            ("post_done(12)", Some(12)),
            ("numdone(40,100)", None),
            ("external(12,5)", None),
            ("started( 12 )", None),
            ("afterokarray:12[]", Some(12)),
            ("after:12,13", None),
            ("12:13", Some(13)),
            ("[15, 13]", Some(15)),
            ("not 7", None),
            ("2024-05-06 run", None),
            ("afterok:12abc", None),
            ("afterok:99999999999999999999", None),
        ] {
            assert_eq!(followed(words), expected, "{words}");
        }
    }
}
