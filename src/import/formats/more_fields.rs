//! The fields of SWF lines beyond the 18 of the format, by position. Some archives add fields: GPUs,
//! expected run times, properties that nodes must have.

use super::swf_line::is_space;
use crate::limits::{MORE_FIELDS, WORDS_BYTES};
use crate::trace::{
    Column, ColumnValues, Declared, Effect, FIELDS, ImportRule, UNKNOWN, Words, decoded,
};

pub const MORE: ImportRule = ImportRule {
    id: "more_fields",
    effect: Effect::Noted,
    text: "more than 18 fields: the further ones are kept as columns",
};

/// The columns of the further fields, as far as they have been read.
#[derive(Clone, Debug, Default)]
pub struct MoreFields {
    columns: Vec<ColumnValues>,
}

impl MoreFields {
    /// Reads the rest of the line of record `record`.
    pub fn read(&mut self, rest: &[u8], record: usize) {
        let words = rest
            .split(|byte| is_space(*byte))
            .filter(|word| !word.is_empty());
        for (field, word) in words.take(MORE_FIELDS).enumerate() {
            if self.columns.len() == field {
                self.columns.push(ColumnValues::Numbers(Vec::new()));
            }
            push(
                &mut self.columns[field],
                &String::from_utf8_lossy(word),
                record,
            );
        }
    }

    /// Appends the fields of a later piece of the file, read on another core, whose first record has the number `from`.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn append(&mut self, other: Self, from: usize) {
        for (field, values) in other.columns.into_iter().enumerate() {
            if self.columns.len() == field {
                self.columns.push(ColumnValues::Numbers(Vec::new()));
            }
            let own = &mut self.columns[field];
            match values {
                ColumnValues::Numbers(numbers) => {
                    for (at, number) in numbers.into_iter().enumerate() {
                        if number != UNKNOWN {
                            push(own, &number_word(number), from + at);
                        }
                    }
                }
                ColumnValues::Words { words, numbers } => {
                    for (at, number) in numbers.into_iter().enumerate() {
                        if let Some(word) = words.get(number) {
                            push(own, word, from + at);
                        }
                    }
                }
            }
        }
    }

    /// Returns the columns of `records` records, with the names that the header has for them.
    pub fn columns(self, records: usize, header: &[String]) -> Vec<Column> {
        let declared: Vec<Declared> = header
            .iter()
            .filter_map(|line| Declared::parse(line))
            .collect();
        let mut columns: Vec<Column> = Vec::new();
        for (field, mut values) in self.columns.into_iter().enumerate() {
            match &mut values {
                ColumnValues::Numbers(numbers) => numbers.resize(records, UNKNOWN),
                ColumnValues::Words { numbers, .. } => numbers.resize(records, 0),
            }
            let place = FIELDS.len() + field + 1;
            if let Some(Declared {
                id, name, is_words, ..
            }) = declared.iter().find(|declared| declared.place == place)
            {
                columns.push(Column {
                    id: id.clone(),
                    name: name.clone(),
                    values: as_declared(values, *is_words),
                });
                continue;
            }
            let named = name(header, place);
            let says = |part: &str| {
                named
                    .as_ref()
                    .is_some_and(|name| name.to_ascii_lowercase().contains(part))
            };
            let (is_gpus, is_features) = (says("gpu"), says("feature") || says("propert"));
            let is_licences = says("licen");
            if let Some(nodes) = nodes(&values) {
                columns.push(nodes);
            }
            columns.push(Column {
                id: if is_gpus && matches!(values, ColumnValues::Numbers(_)) {
                    "gpus".into()
                } else if is_features && matches!(values, ColumnValues::Words { .. }) {
                    "features".into()
                } else if is_licences && matches!(values, ColumnValues::Words { .. }) {
                    "licenses".into()
                } else {
                    format!("field{place}")
                },
                name: named.unwrap_or_else(|| format!("Field {place}")),
                values,
            });
        }
        columns
    }
}

/// Returns a number as a word of the file. -1 alone means unknown, so the number -1 is `-01`.
fn number_word(number: i64) -> String {
    if number == -1 {
        "-01".into()
    } else {
        number.to_string()
    }
}

/// Returns the values of a field as its comment declares them. Numbers stay words if one of them is
/// no number.
fn as_declared(values: ColumnValues, is_words: bool) -> ColumnValues {
    match values {
        ColumnValues::Numbers(numbers) if is_words => {
            let mut words = Words::default();
            let word = |number: i64| {
                if number == UNKNOWN {
                    0
                } else {
                    words.number(&number.to_string())
                }
            };
            let numbers = numbers.into_iter().map(word).collect();
            ColumnValues::Words { words, numbers }
        }
        ColumnValues::Words { words, numbers } if is_words => {
            let mut plain = Words::default();
            let word = |number: u32| {
                words
                    .get(number)
                    .map_or(0, |word| plain.number(&decoded(word)))
            };
            let numbers = numbers.into_iter().map(word).collect();
            ColumnValues::Words {
                words: plain,
                numbers,
            }
        }
        ColumnValues::Words { words, numbers } => {
            let parsed: Option<Vec<i64>> = words.iter().map(|word| word.parse().ok()).collect();
            match parsed {
                Some(parsed) => {
                    let number = |number: u32| {
                        let at = (number as usize).checked_sub(1)?;
                        parsed.get(at).copied()
                    };
                    let numbers = numbers
                        .into_iter()
                        .map(|at| number(at).unwrap_or(UNKNOWN))
                        .collect();
                    ColumnValues::Numbers(numbers)
                }
                None => ColumnValues::Words { words, numbers },
            }
        }
        numbers @ ColumnValues::Numbers(_) => numbers,
    }
}

fn push(values: &mut ColumnValues, word: &str, record: usize) {
    if let ColumnValues::Numbers(numbers) = values {
        let number = match word {
            "-1" => Some(UNKNOWN),
            _ if word.len() <= 15 && !word.starts_with(['+', '0']) || word == "0" => {
                word.parse().ok()
            }
            _ => None,
        };
        if let Some(number) = number {
            numbers.resize(record, UNKNOWN);
            return numbers.push(number);
        }
        // A word: the numbers so far become words too.
        let mut words = Words::default();
        let as_word = |number: &i64| {
            if *number == UNKNOWN {
                0
            } else {
                words.number(&number_word(*number))
            }
        };
        let numbers = numbers.iter().map(as_word).collect();
        *values = ColumnValues::Words { words, numbers };
    }
    if let ColumnValues::Words { words, numbers } = values {
        numbers.resize(record, 0);
        let number = if word == "-1" {
            None
        } else {
            words.number_unless(words.bytes() > WORDS_BYTES, word)
        };
        numbers.push(number.unwrap_or(0));
    }
}

/// Returns the name that a comment gives a field, such as `; 18: used_GPUs (over all nodes)`. Where
/// a comment names field 0, the numbers count from 0.
fn name(header: &[String], place: usize) -> Option<String> {
    let named = |line: &String| {
        let text = line.trim_start_matches([';', ' ', '\t']);
        let text = text.strip_prefix("Field ").unwrap_or(text);
        let (number, name) = text.split_once(':')?;
        let name = name.split('(').next()?.trim();
        let is_name = !name.is_empty() && name.len() <= 60;
        is_name.then_some((number.trim().parse::<usize>().ok()?, name.to_owned()))
    };
    let all: Vec<(usize, String)> = header.iter().filter_map(named).collect();
    let from_zero = all.iter().any(|(number, _)| *number == 0);
    let wanted = if from_zero { place - 1 } else { place };
    all.into_iter()
        .find(|(number, _)| *number == wanted)
        .map(|(_, name)| name)
}

/// Returns the nodes of words that end in `:128x112` (nodes and processors of each), as in the
/// public trace of Frontier.
fn nodes(values: &ColumnValues) -> Option<Column> {
    let ColumnValues::Words { words, numbers } = values else {
        return None;
    };
    let of = |word: &str| {
        let (nodes, each) = word.rsplit(':').next()?.split_once('x')?;
        each.parse::<u32>().ok()?;
        nodes.parse::<u32>().ok().map(i64::from)
    };
    let of_words: Vec<Option<i64>> = words.iter().map(of).collect();
    if of_words.is_empty() || of_words.iter().any(Option::is_none) {
        return None;
    }
    let of_number = |number: &u32| {
        let at = (*number as usize).checked_sub(1)?;
        *of_words.get(at)?
    };
    Some(Column {
        id: "nodes".into(),
        name: "Nodes".into(),
        values: ColumnValues::Numbers(
            numbers
                .iter()
                .map(|number| of_number(number).unwrap_or(UNKNOWN))
                .collect(),
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first word has as many bytes as a column keeps: 64 MiB.
    #[test]
    fn words_beyond_the_limit_are_left_out() {
        let long = "a".repeat(WORDS_BYTES);
        let mut more = MoreFields::default();
        for (record, word) in [long.as_str(), "b", "c", "b"].into_iter().enumerate() {
            more.read(word.as_bytes(), record);
        }
        let columns = more.columns(4, &[]);
        let known = |record: usize| columns[0].word(record);
        assert_eq!(known(0).map(str::len), Some(WORDS_BYTES));
        assert_eq!([1, 2, 3].map(known), [Some("b"), None, Some("b")]);
    }
}
