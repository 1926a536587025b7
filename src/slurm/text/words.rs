//! The words of slurm.conf: statements of keys and values, numbers, times and amounts of memory.

use crate::problem::Problem;

/// A number that is larger than every other: `INFINITE` and `UNLIMITED` in slurm.conf.
pub const INFINITE: i64 = 1 << 40;

/// The largest number that counts as it is written.
const MOST: i64 = 1 << 32;

/// A keyword of a line, and its value.
#[derive(Clone, Debug)]
pub struct ConfWord {
    /// The line of the text, from 1.
    pub line: u64,
    /// The keyword in small letters.
    pub key: String,
    /// The keyword as written.
    pub written: String,
    /// The value without quotation marks.
    pub value: String,
}

impl ConfWord {
    /// Returns a problem of this keyword.
    pub fn problem(&self, why: &str) -> Problem {
        let short = |text: &str| text.chars().take(60).collect::<String>();
        Problem::new(
            format!(
                "`{}={}` is wrong.",
                short(&self.written),
                short(&self.value)
            ),
            why,
            "See slurm.conf(5) of Slurm 22.05.",
        )
        .at_line(self.line)
    }

    /// Returns the value as a whole number.
    pub fn number(&self) -> Result<i64, Problem> {
        number(&self.value).ok_or_else(|| self.problem("The value is a whole number."))
    }

    /// Returns the value as a number that may have no bound.
    pub fn number_or_infinite(&self) -> Result<i64, Problem> {
        if is_infinite(&self.value) {
            return Ok(INFINITE);
        }
        self.number()
    }

    /// Returns the value as minutes.
    pub fn minutes(&self) -> Result<i64, Problem> {
        minutes(&self.value).ok_or_else(|| {
            self.problem("A time is for example `30`, `1:30:00`, `2-12` or `UNLIMITED`.")
        })
    }

    /// True for `YES`, `TRUE` and 1.
    pub fn is_yes(&self) -> bool {
        ["yes", "true", "1"].contains(&self.value.to_ascii_lowercase().as_str())
    }
}

/// The keywords of a line in their order. A later one hides an earlier one of the same name.
#[derive(Clone, Debug, Default)]
pub struct ConfLine {
    /// The keywords.
    pub words: Vec<ConfWord>,
}

impl ConfLine {
    /// Returns the last keyword of a name in small letters.
    pub fn get(&self, key: &str) -> Option<&ConfWord> {
        self.words.iter().rev().find(|word| word.key == key)
    }

    /// Returns the value of a keyword; empty without it.
    pub fn text(&self, key: &str) -> &str {
        self.get(key).map_or("", |word| &word.value)
    }

    /// Returns the value of a keyword as a whole number; `unset` without it.
    pub fn number(&self, key: &str, unset: i64) -> Result<i64, Problem> {
        self.get(key).map_or(Ok(unset), ConfWord::number)
    }

    /// True if a keyword says `YES`.
    pub fn is_yes(&self, key: &str) -> bool {
        self.get(key).is_some_and(ConfWord::is_yes)
    }
}

/// Returns lines without comments and continuations, and with line breaks for semicolons, as the
/// description of a cluster has them.
pub fn plain(text: &str) -> String {
    let mut plain = String::new();
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or_default().trim_end();
        let whole = line.trim_end_matches('\\');
        plain.push_str(&whole.replace(';', "\n"));
        plain.push(if whole == line { '\n' } else { ' ' });
    }
    plain
}

/// Splits a text into its lines of keywords.
pub fn lines(text: &str) -> Vec<ConfLine> {
    let mut lines = Vec::new();
    let mut open = String::new();
    let mut first = 0;
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.split('#').next().unwrap_or_default().trim_end();
        if open.is_empty() {
            first = number;
        }
        if let Some(begun) = line.strip_suffix('\\') {
            open.push_str(begun);
            continue;
        }
        open.push_str(line);
        let words = words(&std::mem::take(&mut open), first);
        if !words.is_empty() {
            lines.push(ConfLine { words });
        }
    }
    let rest = words(&open, first);
    if !rest.is_empty() {
        lines.push(ConfLine { words: rest });
    }
    lines
}

/// Returns the keywords of a line. A word goes on with the value before it if that ends with a comma.
fn words(line: &str, number: u64) -> Vec<ConfWord> {
    let mut words: Vec<ConfWord> = Vec::new();
    for piece in line.split_whitespace() {
        if let Some(last) = words.last_mut()
            && (last.value.ends_with(',') || !piece.contains('='))
        {
            last.value.push_str(piece.trim_matches('"'));
            continue;
        }
        let (key, value) = piece.split_once('=').unwrap_or((piece, ""));
        words.push(ConfWord {
            line: number,
            key: key.to_ascii_lowercase(),
            written: key.to_owned(),
            value: value.trim_matches('"').to_owned(),
        });
    }
    words
}

fn is_infinite(text: &str) -> bool {
    text.eq_ignore_ascii_case("infinite") || text.eq_ignore_ascii_case("unlimited")
}

/// Reads a whole number. A large one counts as 2^32.
pub fn number(text: &str) -> Option<i64> {
    let number: i64 = text.trim().parse().ok()?;
    Some(number.clamp(-MOST, MOST))
}

/// Reads a time as [`minutes`] does, and returns seconds (`time_str2secs`); -1 is unlimited.
pub fn seconds(text: &str) -> Option<i64> {
    let text = text.trim();
    if is_infinite(text) || text == "-1" {
        return Some(INFINITE);
    }
    let whole = minutes(text)?;
    let has_seconds = match text.split_once('-') {
        Some((_, rest)) => rest.matches(':').count() == 2,
        None => text.contains(':'),
    };
    let last = text.rsplit(':').next()?.parse::<i64>();
    let rest = last.ok().filter(|_| has_seconds).unwrap_or(0);
    Some((whole - i64::from(rest > 0)) * 60 + rest)
}

/// Reads a time limit: `minutes`, `minutes:seconds`, `hours:minutes:seconds`, `days-hours`,
/// `days-hours:minutes`, `days-hours:minutes:seconds` or `UNLIMITED`. Returns minutes; seconds count as
/// one more minute.
pub fn minutes(text: &str) -> Option<i64> {
    let text = text.trim();
    if is_infinite(text) {
        return Some(INFINITE);
    }
    let part = |word: &str| -> Option<i64> {
        let known: i64 = word.parse().ok()?;
        (0..=MOST).contains(&known).then_some(known)
    };
    let (days, rest) = match text.split_once('-') {
        Some((days, rest)) => (Some(part(days)?), rest),
        None => (None, text),
    };
    let parts: Vec<i64> = rest.split(':').map(part).collect::<Option<_>>()?;
    let (hours, minutes, seconds) = match (days.is_some(), parts.as_slice()) {
        (true, [hours]) => (*hours, 0, 0),
        (true, [hours, minutes]) => (*hours, *minutes, 0),
        (false, [minutes]) => (0, *minutes, 0),
        (false, [minutes, seconds]) => (0, *minutes, *seconds),
        (_, [hours, minutes, seconds]) => (*hours, *minutes, *seconds),
        _ => return None,
    };
    let all = days.unwrap_or(0) * 1440 + hours * 60 + minutes + i64::from(seconds > 0);
    Some(all.min(INFINITE))
}

/// Reads an amount of memory with the unit K, M, G or T (none is M). Returns megabytes.
pub fn megabytes(text: &str) -> Option<i64> {
    let text = text.trim();
    let digits = text.trim_end_matches(|char: char| char.is_ascii_alphabetic());
    let amount: i64 = digits.parse().ok()?;
    if amount < 0 {
        return None;
    }
    let unit = text[digits.len()..].to_ascii_uppercase();
    let amount = match unit.trim_end_matches('B') {
        "" | "M" => amount,
        "K" => amount.saturating_add(1023) / 1024,
        "G" => amount.saturating_mul(1 << 10),
        "T" => amount.saturating_mul(1 << 20),
        _ => return None,
    };
    Some(amount.min(INFINITE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_amounts_are_read() {
        let times = [
            "5", "1:30", "1:00:00", "1-0", "1-2:3", "1-0:0:1", "Infinite",
        ];
        let read: Vec<i64> = times.iter().filter_map(|text| minutes(text)).collect();
        assert_eq!(read, [5, 2, 60, 1440, 1563, 1441, INFINITE]);
        for bad in ["", "x", "1:2:3:4", "-1", "1-", "9999999999999"] {
            assert_eq!(minutes(bad), None, "{bad}");
        }
        let times = [
            "5", "1:30", "1:00:00", "1-0", "1-0:0:1", "-1", "00:00:15", "0",
        ];
        let read: Vec<i64> = times.iter().filter_map(|text| seconds(text)).collect();
        assert_eq!(read, [300, 90, 3600, 86400, 86401, INFINITE, 15, 0]);
        let amounts = ["5", "5M", "1025K", "2G", "1t", "3GB"];
        let read: Vec<i64> = amounts.iter().filter_map(|text| megabytes(text)).collect();
        assert_eq!(read, [5, 5, 2, 2048, 1 << 20, 3072]);
        for bad in ["", "G", "-1", "1X"] {
            assert_eq!(megabytes(bad), None, "{bad}");
        }
        assert_eq!(number("99999999999"), Some(1 << 32));
    }

    #[test]
    fn lines_have_keywords() {
        let read = lines("a=1 B=2 # c=3\n\n  long=x,\\\n  y \nschedulerparameters=\"p=1, q=2\"");
        let all: Vec<(u64, &str, &str)> = read
            .iter()
            .flat_map(|line| &line.words)
            .map(|word| (word.line, word.key.as_str(), word.value.as_str()))
            .collect();
        assert_eq!(
            all,
            [
                (1, "a", "1"),
                (1, "b", "2"),
                (3, "long", "x,y"),
                (5, "schedulerparameters", "p=1,q=2")
            ]
        );
    }
}
