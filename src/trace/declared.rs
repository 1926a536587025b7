//! Comments that name the further fields of extended SWF, and the names behind its numbers. The
//! writer and the reader share their form; docs/formats/writing.md describes it.

use super::column::Names;
use super::words::Words;
use std::fmt::Write;

/// Beginning of the first comment of every trace that this program writes.
pub const WRITTEN: &str = "; Note: written by Schedscope ";

/// A further field that a comment declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declared {
    /// Number of the field, from 19.
    pub place: usize,
    /// Id of the column.
    pub id: String,
    /// Name of the column.
    pub name: String,
    /// True if the field holds words, encoded with [`encoded_field`]; false if it holds numbers.
    pub is_words: bool,
}

impl Declared {
    /// Returns the comment, such as `; Field 19: Account (column account, words)`.
    pub fn line(&self) -> String {
        format!(
            "; Field {}: {} (column {}, {})",
            self.place,
            encoded_comment(&self.name),
            encoded_field(&self.id),
            if self.is_words { "words" } else { "numbers" }
        )
    }

    /// Returns the field that a comment declares.
    pub fn parse(line: &str) -> Option<Self> {
        let (place, rest) = line.strip_prefix("; Field ")?.split_once(": ")?;
        let (name, column) = rest.strip_suffix(')')?.rsplit_once(" (column ")?;
        let (id, kind) = column.rsplit_once(", ")?;
        Some(Self {
            place: place.parse().ok()?,
            id: decoded(id),
            name: decoded(name),
            is_words: match kind {
                "words" => true,
                "numbers" => false,
                _ => return None,
            },
        })
    }
}

/// The kinds of names, each as its comments call it.
const KINDS: [&str; 4] = ["Queue:", "Note: user", "Note: group", "Note: application"];

/// Returns the comments that tell the names behind the numbers: queues as the standard has them,
/// others as notes. Queues also name the partitions of a log, which have the same numbers.
pub fn name_lines(names: &Names, has_partitions: bool) -> impl Iterator<Item = String> {
    let partitions = has_partitions.then_some(("Partition:", &names.queues));
    [
        (KINDS[0], &names.queues),
        (KINDS[1], &names.users),
        (KINDS[2], &names.groups),
        (KINDS[3], &names.applications),
    ]
    .into_iter()
    .chain(partitions)
    .flat_map(|(kind, words)| {
        let line = move |(at, word): (usize, &str)| {
            format!("; {kind} {} {}", at + 1, encoded_comment(word))
        };
        words.iter().enumerate().map(line)
    })
}

/// Returns the names that the comments of a trace tell, if this program wrote them.
pub fn names(header: &[String]) -> Names {
    let mut names = Names::default();
    if !header.iter().any(|line| line.starts_with(WRITTEN)) {
        return names;
    }
    for line in header {
        let Some(text) = line.strip_prefix("; ") else {
            continue;
        };
        for (kind, words) in [
            (KINDS[0], &mut names.queues),
            (KINDS[1], &mut names.users),
            (KINDS[2], &mut names.groups),
            (KINDS[3], &mut names.applications),
        ] {
            read_name(text, kind, words);
        }
    }
    names
}

/// Adds the name that a comment tells, if it is the next one.
fn read_name(text: &str, kind: &str, words: &mut Words) {
    let name = text
        .strip_prefix(kind)
        .and_then(|rest| rest.strip_prefix(' '))
        .and_then(|rest| rest.split_once(' '));
    if let Some((number, name)) = name
        && number.parse() == Ok(words.len() + 1)
    {
        words.number(&decoded(name));
    }
}

/// Returns a word as a field of SWF: without spaces and control characters, and without a `-` in
/// front. A `%` stands before the two hexadecimal digits of each byte of such a character.
pub fn encoded_field(word: &str) -> String {
    encoded(word, |at, letter| {
        letter.is_whitespace() || letter == '-' && at == 0
    })
}

/// Returns a text for a comment of one line, with its spaces, but not at its ends.
pub fn encoded_comment(text: &str) -> String {
    let inner = text.trim();
    let from = text.len() - text.trim_start().len();
    let to = from + inner.len();
    encoded(text, |at, letter| {
        letter.is_whitespace() && (at < from || at >= to || letter != ' ')
    })
}

fn encoded(text: &str, is_coded: impl Fn(usize, char) -> bool) -> String {
    let mut coded = String::with_capacity(text.len());
    for (at, letter) in text.char_indices() {
        if letter == '%' || letter.is_control() || is_coded(at, letter) {
            let mut bytes = [0; 4];
            for byte in letter.encode_utf8(&mut bytes).bytes() {
                let _ = write!(coded, "%{byte:02X}");
            }
        } else {
            coded.push(letter);
        }
    }
    coded
}

/// Returns the text behind an encoded one. A `%` without two digits stays.
pub fn decoded(text: &str) -> String {
    if !text.contains('%') {
        return text.to_owned();
    }
    let bytes = text.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let digit = |at: usize| char::from(*bytes.get(at)?).to_digit(16);
        match (byte, digit(at + 1), digit(at + 2)) {
            (b'%', Some(high), Some(low)) => {
                plain.push((16 * high + low) as u8);
                at += 3;
            }
            _ => {
                plain.push(*byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&plain).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_come_back() {
        for text in [
            "batch",
            "-1",
            "a b",
            " a ",
            "100%",
            "%41",
            "x\ny\t",
            "ü",
            "\u{a0}",
            "",
            "-",
            "5",
            ";x",
            "a, b)",
            "n[001-002]",
            "\u{85}",
        ] {
            let (field, comment) = (encoded_field(text), encoded_comment(text));
            assert_eq!(
                (decoded(&field), decoded(&comment)),
                (text.into(), text.into())
            );
            assert!(
                !field.contains(char::is_whitespace) && !field.starts_with('-'),
                "{field}"
            );
            assert!(
                !comment.contains('\n') && comment.trim() == comment,
                "{comment}"
            );
            let declared = Declared {
                place: 19,
                id: text.into(),
                name: text.into(),
                is_words: true,
            };
            assert_eq!(Declared::parse(&declared.line()), Some(declared));
        }
        assert_eq!(encoded_comment("a b"), "a b");
        assert_eq!(decoded("5%"), "5%");
    }

    #[test]
    fn other_comments_declare_nothing() {
        for line in [
            "; Field 19: GPUs",
            "; Field 19: GPUs (over all nodes)",
            "; Field x: GPUs (column gpus, numbers)",
            "; Field 19: GPUs (column gpus, colours)",
            "; Note: written by Schedscope 0.1.0",
        ] {
            assert_eq!(Declared::parse(line), None, "{line}");
        }
        assert!(names(&["; Queue: 1 short".into()]).queues.is_empty());
    }
}
