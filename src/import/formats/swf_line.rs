//! The record on a line of 18 numbers, which further fields may follow.
//!
//! The fast path turns digits into integers directly, because traces reach gigabytes and the general
//! number parser is ten times slower. A line that the fast path refuses is parsed again with care,
//! for its exact error.

use crate::problem::Problem;
use crate::trace::{FIELDS, LONGEST_SECONDS, Record};

/// True for the space between fields.
pub(super) const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}

/// True if a field may hold a decimal fraction: average CPU time and the two memory fields.
const fn may_be_fraction(field: usize) -> bool {
    matches!(field, 5 | 6 | 9)
}

/// The largest value of each field. Seconds, and numbers that may be as large, are wide; the others
/// have 32 bits.
const LIMITS: [i64; 18] = {
    const NARROW: i64 = i32::MAX as i64;
    const WIDE: i64 = LONGEST_SECONDS;
    [
        WIDE, WIDE, WIDE, WIDE, NARROW, WIDE, WIDE, NARROW, WIDE, WIDE, NARROW, NARROW, NARROW,
        NARROW, NARROW, NARROW, WIDE, WIDE,
    ]
};

/// No field has more digits than this, so the fast path cannot overflow.
const MOST_DIGITS: usize = 11;

/// A line as it was read.
pub(super) struct SwfLine<'a> {
    pub record: Record,
    /// True if the line writes whole numbers with decimals.
    pub has_decimals: bool,
    /// Bytes after the 18 fields.
    pub rest: &'a [u8],
}

/// Returns the record of a line.
pub(super) fn parse_line(line: &[u8], number: u64) -> Result<SwfLine<'_>, Problem> {
    let fields = match parse_fast(line) {
        Some(fields) => fields,
        None => parse_carefully(line, number)?,
    };
    let Fields {
        whole,
        fractions,
        has_decimals,
        rest,
    } = fields;
    let record = Record {
        number: whole[0],
        submit: whole[1],
        wait: whole[2],
        run_time: whole[3],
        allocated: whole[4] as i32,
        cpu_time: fractions[0],
        used_memory: fractions[1],
        requested: whole[7] as i32,
        requested_time: whole[8],
        requested_memory: fractions[2],
        status: whole[10] as i32,
        user: whole[11] as i32,
        group: whole[12] as i32,
        application: whole[13] as i32,
        queue: whole[14] as i32,
        partition: whole[15] as i32,
        preceding: whole[16],
        think_time: whole[17],
        line: u32::try_from(number).unwrap_or(u32::MAX),
    };
    Ok(SwfLine {
        record,
        has_decimals,
        rest: &line[line.len() - rest..],
    })
}

/// The values of a line: all as whole numbers, and the three that may have decimals.
struct Fields {
    whole: [i64; 18],
    fractions: [f64; 3],
    /// True if a whole number is written with decimals, such as `33.00`.
    has_decimals: bool,
    /// Number of bytes from the 19th field on.
    rest: usize,
}

impl Fields {
    const NONE: Self = Self {
        whole: [0; 18],
        fractions: [0.0; 3],
        has_decimals: false,
        rest: 0,
    };
}

/// Parses a line on the fast path. Returns `None` unless it begins with 18 numbers within their
/// limits.
fn parse_fast(line: &[u8]) -> Option<Fields> {
    let mut fields = Fields::NONE;
    let mut field = 0;
    let mut bytes = line.iter();
    loop {
        let mut byte = loop {
            match bytes.next() {
                None => return (field == 18).then_some(fields),
                Some(byte) if is_space(*byte) => {}
                Some(_) if field == 18 => {
                    fields.rest = bytes.len() + 1;
                    return Some(fields);
                }
                Some(byte) => break *byte,
            }
        };
        let negative = byte == b'-';
        if negative {
            byte = *bytes.next()?;
        }
        if !byte.is_ascii_digit() {
            return None;
        }
        let before = bytes.len();
        let (mut value, after) = digits(i64::from(byte - b'0'), &mut bytes);
        let is_good = before - bytes.len() <= MOST_DIGITS && value <= *LIMITS.get(field)?;
        if !is_good {
            return None;
        }
        if negative {
            value = -value;
        }
        fields.whole[field] = value;
        if may_be_fraction(field) {
            fields.fractions[fraction(field)] = if after == b'.' {
                decimals(value, negative, &mut bytes)?
            } else {
                value as f64
            };
        } else if after == b'.' {
            skip_zeros(&mut bytes)?;
            fields.has_decimals = true;
        }
        if !is_space(after) && after != b'.' {
            return None;
        }
        field += 1;
    }
}

/// Reads digits after `value`. Returns the number and the byte after the digits, or a space at the
/// end of the line.
fn digits(mut value: i64, bytes: &mut std::slice::Iter<'_, u8>) -> (i64, u8) {
    loop {
        match bytes.next() {
            Some(byte) if byte.is_ascii_digit() => {
                value = value.wrapping_mul(10).wrapping_add(i64::from(byte - b'0'));
            }
            Some(byte) => return (value, *byte),
            None => return (value, b' '),
        }
    }
}

/// Reads the zeros after a point and the space after them. Returns `None` if something else
/// follows.
fn skip_zeros(bytes: &mut std::slice::Iter<'_, u8>) -> Option<()> {
    let after = bytes.find(|byte| **byte != b'0').unwrap_or(&b' ');
    is_space(*after).then_some(())
}

/// Reads the decimals after a point. Both parts of the quotient are exact in floating point, so the
/// quotient is the number nearest to the text, as with the general parser.
fn decimals(whole: i64, negative: bool, bytes: &mut std::slice::Iter<'_, u8>) -> Option<f64> {
    const POWERS: [f64; 5] = [1.0, 10.0, 100.0, 1000.0, 10_000.0];
    let count = bytes
        .as_slice()
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let (value, after) = digits(whole.abs(), bytes);
    let is_good = count > 0 && is_space(after);
    let value = value as f64 / *POWERS.get(count).filter(|_| is_good)?;
    Some(if negative { -value } else { value })
}

/// Returns the index of a field in [`Fields::fractions`].
const fn fraction(field: usize) -> usize {
    match field {
        5 => 0,
        6 => 1,
        _ => 2,
    }
}

/// Parses a line that the fast path rejects. It accepts every permitted decimal, and names the place
/// and cause of an error.
fn parse_carefully(line: &[u8], number: u64) -> Result<Fields, Problem> {
    let words: Vec<&[u8]> = line
        .split(|byte| is_space(*byte))
        .filter(|word| !word.is_empty())
        .collect();
    let mut fields = Fields::NONE;
    for (field, word) in words.iter().take(18).enumerate() {
        let value = parse_word(word, number, field)?;
        fields.whole[field] = value as i64;
        if may_be_fraction(field) {
            fields.fractions[fraction(field)] = value;
        } else if word.contains(&b'.') {
            fields.has_decimals = true;
        }
    }
    if let Some(next) = words.get(18) {
        fields.rest = line.len() - (next.as_ptr() as usize - line.as_ptr() as usize);
    }
    if words.len() >= 18 {
        Ok(fields)
    } else {
        Err(wrong_count(number, words.len()))
    }
}

/// Parses a word as a number within the field's limit. Decimals other than zeros may stand only in
/// fields that allow them.
fn parse_word(word: &[u8], line: u64, field: usize) -> Result<f64, Problem> {
    let limit = LIMITS[field];
    let text: String = String::from_utf8_lossy(word).chars().take(40).collect();
    let place = format!(
        "line {line}, field {} ({}) = `{text}`",
        field + 1,
        FIELDS[field]
    );
    let problem = |what: &str, why: String| {
        Problem::new(
            format!("{what}: {place}."),
            why,
            "Fix the line, or read the file again with bad lines skipped and counted.",
        )
        .at_line(line)
        .in_field(field as u8 + 1)
    };
    // The check uses the text, not the value, because the floating-point number nearest to a
    // fraction may be whole.
    let mut parts = word
        .strip_prefix(b"-")
        .unwrap_or(word)
        .splitn(2, |byte| *byte == b'.');
    let is_digits = parts
        .next()
        .is_some_and(|digits| !digits.is_empty() && digits.iter().all(u8::is_ascii_digit));
    let is_whole = is_digits
        && parts
            .next()
            .is_none_or(|decimals| decimals.iter().all(|byte| *byte == b'0'));
    let plain = !word.is_empty()
        && word
            .iter()
            .all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'+' | b'e' | b'E'));
    let whole_text = std::str::from_utf8(word).unwrap_or_default();
    match whole_text.parse::<f64>() {
        Ok(value) if plain && value.abs() > limit as f64 => Err(problem(
            "Number too large",
            format!("The field holds at most {limit}."),
        )),
        Ok(value) if plain && (may_be_fraction(field) || is_whole) => Ok(value),
        Ok(_) if plain => Err(problem(
            "Not a whole number",
            "The field is a whole number, or -1 if unknown.".into(),
        )),
        _ => Err(problem(
            "Not a number",
            "A job line is 18 numbers; -1 stands for unknown.".into(),
        )),
    }
}

fn wrong_count(line: u64, count: usize) -> Problem {
    Problem::new(
        format!(
            "Line {line} has {count} field{}, not 18.",
            if count == 1 { "" } else { "s" }
        ),
        "A job line is 18 numbers, which further fields may follow; lines starting with `;` are \
            comments.",
        "Fix the line, or read the file again with bad lines skipped and counted.",
    )
    .at_line(line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::{BadLines, read};
    use crate::trace::Effect;

    const LINE: &str = "1 0 5 10 4 -1 -1 4 20 -1 1 3 2 -1 0 -1 -1 -1\n";

    fn problem(text: &str) -> Problem {
        read("test", text.as_bytes(), BadLines::Stop).expect_err("a bad trace was read")
    }

    #[test]
    fn errors_name_line_field_text_and_rule() {
        let abc = problem(&format!(
            "{LINE}1 0 5 abc 4 -1 -1 4 20 -1 1 3 2 -1 0 -1 -1 -1\n"
        ));
        assert_eq!(
            abc.what,
            "Not a number: line 2, field 4 (run time) = `abc`."
        );
        assert_eq!((abc.line, abc.field), (Some(2), Some(4)));
        assert!(problem("1 2 3\n").what.contains("has 3 fields"));
        for (word, said) in [
            ("NaN", "Not a number"),
            ("inf", "Not a number"),
            ("1e400", "Number too large"),
            ("1.5", "Not a whole number"),
            ("99999999999999999999", "Number too large"),
            ("1000000000000", "Number too large"),
            ("-", "Not a number"),
            ("--1", "Not a number"),
        ] {
            let text = LINE.replacen(" 10 ", &format!(" {word} "), 1);
            assert!(
                problem(&text).what.starts_with(said),
                "{word}: {}",
                problem(&text).what
            );
        }
    }

    #[test]
    fn the_fast_path_reads_what_the_careful_one_reads() {
        let mut stream = crate::random::Stream::new(1, "fast path");
        let mut read_fast = 0;
        for round in 0..20_000 {
            let mut line = String::new();
            for field in 0..18 {
                let digits = 1 + stream.below(if is_wide_enough(field) { 11 } else { 9 });
                let sign = if stream.below(4) == 0 { "-" } else { "" };
                let number: String = (0..digits)
                    .map(|_| char::from(b'0' + stream.below(10) as u8))
                    .collect();
                let decimals = match stream.below(12) {
                    0..6 if may_be_fraction(field) => format!(".{}", stream.below(100_000)),
                    6 => format!(".{}", "0".repeat(stream.below(20) as usize)),
                    _ => String::new(),
                };
                let space = [" ", "  ", "\t", "         ", " \t "][stream.below(5) as usize];
                line += &[space, sign, &number, &decimals].concat();
            }
            line += ["", " ", "\r", "   7", "x"][stream.below(5) as usize];
            let careful = parse_carefully(line.as_bytes(), 1);
            if let Some(fast) = parse_fast(line.as_bytes()) {
                let careful =
                    careful.unwrap_or_else(|problem| panic!("round {round}, `{line}`: {problem}"));
                assert_eq!(
                    (fast.whole, fast.fractions),
                    (careful.whole, careful.fractions),
                    "round {round}, `{line}`"
                );
                assert_eq!(
                    (fast.has_decimals, fast.rest),
                    (careful.has_decimals, careful.rest),
                    "round {round}, `{line}`"
                );
                read_fast += 1;
            }
        }
        assert!(read_fast > 300, "{read_fast} lines took the fast path");
    }

    #[test]
    fn whole_numbers_with_decimals_are_whole_numbers() {
        let all =
            "1.0 0.00 5. 10.000 4.0 9.25 1.5 8.0 20.0 2.5 -1.0 3.0 2.0 -1.00 0.0 -1.0 -1.0 -0.0";
        let text = format!("{LINE}{all}\n{LINE}{all}\n");
        let trace = read("test", text.as_bytes(), BadLines::Stop).unwrap();
        let record = trace.records.get(1);
        assert_eq!(
            (
                record.number,
                record.submit,
                record.wait,
                record.run_time,
                record.allocated
            ),
            (1, 0, 5, 10, 4)
        );
        assert_eq!(
            (
                record.requested,
                record.requested_time,
                record.status,
                record.think_time
            ),
            (8, 20, -1, 0)
        );
        assert_eq!(
            (record.cpu_time, record.used_memory, record.requested_memory),
            (9.25, 1.5, 2.5)
        );
        // The rule counts jobs, not fields; fields that may have decimals do not count.
        let rule = &trace.report.rules[0];
        assert_eq!(
            (trace.report.rules.len(), rule.id.as_str(), rule.effect),
            (1, "whole_decimal", Effect::Noted)
        );
        assert_eq!((rule.count, rule.lines.as_slice()), (2, [2, 4].as_slice()));
        assert!(
            read(
                "test",
                LINE.replace(" -1 -1 4 ", " 2.0 7.00 4 ").as_bytes(),
                BadLines::Stop
            )
            .unwrap()
            .report
            .rules
            .is_empty()
        );
    }

    #[test]
    fn decimals_are_exact_at_the_ends_of_the_range() {
        let of = |word: &str| {
            read(
                "test",
                LINE.replacen(" 10 4 ", &format!(" {word} 4 "), 1)
                    .as_bytes(),
                BadLines::Stop,
            )
        };
        let time = |word: &str| {
            of(word)
                .unwrap_or_else(|problem| panic!("{word}: {problem}"))
                .records
                .get(0)
                .run_time
        };
        let zeros = "0".repeat(400);
        for word in [
            "10000000000.00".to_owned(),
            format!("10000000000.{zeros}"),
            format!("{zeros}10000000000.0"),
        ] {
            assert_eq!(
                (time(&word), time(&format!("-{word}"))),
                (LONGEST_SECONDS, -LONGEST_SECONDS),
                "{word}"
            );
        }
        for (word, said) in [
            ("10000000001.0", "Number too large"),
            ("-10000000001.0", "Number too large"),
            // The floating-point number nearest to these is whole.
            ("10000000000.00000001", "Not a whole number"),
            ("9999999999.0000000000000001", "Not a whole number"),
            ("33.01", "Not a whole number"),
            ("33.0e1", "Not a whole number"),
            (".0", "Not a whole number"),
            ("33.0.0", "Not a number"),
            ("33.-0", "Not a number"),
            (".", "Not a number"),
        ] {
            let problem = of(word).expect_err(word);
            assert!(problem.what.starts_with(said), "{word}: {problem}");
        }
        let size = |word: &str| {
            read(
                "test",
                LINE.replacen(" 4 20 ", &format!(" {word} 20 "), 1)
                    .as_bytes(),
                BadLines::Stop,
            )
        };
        assert_eq!(
            size("2147483647.000").unwrap().records.get(0).requested,
            i32::MAX
        );
        assert!(
            size("2147483648.0")
                .unwrap_err()
                .what
                .starts_with("Number too large")
        );
    }

    /// Numbers that a 64-bit reader might mistake for others, because they return into the range
    /// after an overflow.
    #[test]
    fn numbers_that_would_overflow_are_too_large() {
        for word in [
            "18446744073709551621",
            "18446744073709551626",
            "-18446744073709551621",
            "36893488147419103237",
            "-9223372036854775808",
            "9223372036854775808",
            "-99999999999",
            "-10000000001",
            "-1e300",
            "-9223372036854775808.0",
        ] {
            for (field, text) in [
                (2, " 0 5 "),
                (4, " 10 4 "),
                (9, " 20 -1 "),
                (6, " -1 -1 4 "),
            ] {
                let rest = text.trim_start().split_once(' ').unwrap().1;
                let line = LINE.replacen(text, &format!(" {word} {rest}"), 1);
                assert_ne!(line, LINE);
                let problem = read("test", line.as_bytes(), BadLines::Stop).expect_err(&line);
                assert!(problem.what.starts_with("Number too large"), "{problem}");
                assert_eq!(problem.field, Some(field), "{problem}");
            }
        }
    }

    fn is_wide_enough(field: usize) -> bool {
        LIMITS[field] == LONGEST_SECONDS
    }
}
