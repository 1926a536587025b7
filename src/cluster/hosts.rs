//! Lists of host names in brackets, such as `n[001-087,090],login`.

use crate::problem::Problem;

/// The largest length of the name of a host.
const LONGEST: usize = 200;

/// Writes out a list of host names, at most `most` of them.
///
/// # Errors
/// Returns a problem if a bracket is not closed, if a range is no range, or if there are too many
/// names.
pub(crate) fn expand(list: &str, most: usize) -> Result<Vec<String>, Problem> {
    let mut names = Vec::new();
    for item in items(list) {
        let mut found = vec![String::new()];
        let mut rest = item;
        while let Some((before, after)) = rest.split_once('[') {
            let Some((inside, after)) = after.split_once(']') else {
                return Err(problem(item, "The bracket is not closed."));
            };
            let numbers = numbers(inside, most)
                .ok_or_else(|| problem(item, "A bracket holds numbers and ranges of numbers."))?;
            if found.len().saturating_mul(numbers.len()) > most {
                return Err(too_many(most));
            }
            let longest = |names: &[String]| names.iter().map(String::len).max().unwrap_or(0);
            if longest(&found) + before.len() + longest(&numbers) > LONGEST {
                return Err(too_long(item));
            }
            found = found
                .iter()
                .flat_map(|name| {
                    numbers
                        .iter()
                        .map(move |number| format!("{name}{before}{number}"))
                })
                .collect();
            rest = after;
        }
        if rest.contains(']') {
            return Err(problem(item, "A bracket is closed that was not opened."));
        }
        if found.iter().any(|name| name.len() + rest.len() > LONGEST) {
            return Err(too_long(item));
        }
        found.iter_mut().for_each(|name| name.push_str(rest));
        names.extend(found.into_iter().filter(|name| !name.is_empty()));
        if names.len() > most {
            return Err(too_many(most));
        }
    }
    Ok(names)
}

/// Returns the items of a list. Commas inside brackets do not separate items.
fn items(list: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_usize;
    list.split(move |char| {
        match char {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        char == ',' && depth == 0
    })
}

/// Returns the numbers of a bracket with their leading zeros; `None` if it does not hold numbers.
fn numbers(inside: &str, most: usize) -> Option<Vec<String>> {
    let mut numbers = Vec::new();
    for part in inside.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let digits =
            |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
        if !digits(first) || !digits(last) || first.len() > LONGEST {
            return None;
        }
        let (from, to): (u64, u64) = (first.parse().ok()?, last.parse().ok()?);
        if from > to || to - from >= most as u64 {
            return None;
        }
        let width = first.len();
        numbers.extend((from..=to).map(|number| format!("{number:0width$}")));
        if numbers.len() > most {
            return None;
        }
    }
    Some(numbers)
}

fn problem(item: &str, why: &str) -> Problem {
    Problem::new(
        format!(
            "`{}` is not a list of hosts.",
            item.chars().take(60).collect::<String>()
        ),
        why,
        "Write for example `n[001-087,090],login`.",
    )
}

fn too_long(item: &str) -> Problem {
    problem(item, "The name of a host has at most 200 characters.")
}

fn too_many(most: usize) -> Problem {
    Problem::new(
        format!("A list names more than {most} hosts."),
        "A cluster has at most so many nodes.",
        "Name fewer hosts.",
    )
}

#[cfg(test)]
mod tests {
    use super::expand;

    #[test]
    fn brackets_are_written_out() {
        let of = |list: &str| expand(list, 100).map(|names| names.join(" "));
        assert_eq!(of("n[08-11,7],x").unwrap(), "n08 n09 n10 n11 n7 x");
        assert_eq!(of("r[1-2]n[1-2]a").unwrap(), "r1n1a r1n2a r2n1a r2n2a");
        assert_eq!(of("one").unwrap(), "one");
        assert_eq!(of("").unwrap(), "");
        for bad in [
            "n[1-",
            "n1]",
            "n[a-b]",
            "n[2-1]",
            "n[]",
            "n[1-1000]",
            "a[1-50]b[1-50]",
        ] {
            assert!(of(bad).is_err(), "{bad}");
        }
    }
}
