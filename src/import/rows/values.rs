//! Words of accounting logs that stand for times, lengths of time and amounts.

use crate::time::days_since_1970;
use crate::trace::LONGEST_SECONDS;
use std::str::from_utf8;

/// An instant that a log tells, or the reason why it tells none.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Instant {
    /// Seconds since 1970 in UTC.
    Absolute(i64),
    /// Seconds since 1970 as a clock on the wall showed them: the zone is not told.
    Local(i64),
    /// The log says that it does not know, or that it never was.
    Unknown,
    /// The word is no time.
    Bad,
}

impl Instant {
    /// Returns the seconds since 1970; a local time counts as UTC.
    pub fn seconds(self) -> Option<i64> {
        match self {
            Self::Absolute(seconds) | Self::Local(seconds) => Some(seconds),
            Self::Unknown | Self::Bad => None,
        }
    }
}

/// Returns true for the words with which logs say that they do not know a value.
pub fn is_unknown(word: &str) -> bool {
    matches!(
        word,
        "" | "Unknown" | "None" | "N/A" | "n/a" | "NULL" | "null" | "None assigned" | "(null)"
    )
}

/// Reads a time: seconds since 1970 (10 digits or fewer, or 13 for milliseconds, or with decimals),
/// or `2024-05-06T07:08:09` with a space instead of the T, decimals of seconds and an offset
/// (`Z`, `+02:00`, `+0200`) if there are any.
pub fn instant(word: &str) -> Instant {
    let word = word.trim();
    if is_unknown(word) {
        return Instant::Unknown;
    }
    let bytes = word.as_bytes();
    if bytes.len() >= 5 && bytes[4] == b'-' {
        return calendar(word).unwrap_or(Instant::Bad);
    }
    let whole = word.split_once('.').map_or(word, |(whole, _)| whole);
    match whole.parse::<i64>() {
        // Slurm and PBS write 0 for a time that never came.
        Ok(0) => Instant::Unknown,
        Ok(milliseconds) if (100_000_000_000..100_000_000_000_000).contains(&milliseconds) => {
            Instant::Absolute(milliseconds / 1000)
        }
        Ok(seconds) if (0..=LONGEST_SECONDS).contains(&seconds) && !word.ends_with('.') => {
            Instant::Absolute(seconds)
        }
        _ => Instant::Bad,
    }
}

/// Returns the digits of `word` from `from` on, as a number of `digits` digits.
fn number(word: &[u8], from: usize, digits: usize) -> Option<i64> {
    let part = word.get(from..from + digits)?;
    part.iter()
        .all(u8::is_ascii_digit)
        .then(|| from_utf8(part).ok()?.parse().ok())?
}

fn calendar(word: &str) -> Option<Instant> {
    let bytes = word.as_bytes();
    let part = |from| number(bytes, from, 2);
    let is_at = |at: usize, all: &[u8]| bytes.get(at).is_some_and(|byte| all.contains(byte));
    if !(is_at(4, b"-") && is_at(7, b"-")) {
        return None;
    }
    let day = days_since_1970(number(bytes, 0, 4)?, part(5)?, part(8)?)?;
    if bytes.len() == 10 {
        return Some(Instant::Local(86_400 * day));
    }
    if !(is_at(10, b"T ") && is_at(13, b":")) {
        return None;
    }
    let (hour, minute) = (part(11)?, part(14)?);
    let (second, mut at) = if is_at(16, b":") {
        (part(17)?, 19)
    } else {
        (0, 16)
    };
    if hour > 24 || minute > 59 || second > 60 {
        return None;
    }
    if is_at(at, b".,") {
        at += 1;
        while is_at(at, b"0123456789") {
            at += 1;
        }
    }
    let seconds = 86_400 * day + 3600 * hour + 60 * minute + second;
    let zone = word[at..].trim_start();
    match offset(zone) {
        _ if zone.is_empty() => Some(Instant::Local(seconds)),
        Some(offset) => Some(Instant::Absolute(seconds - offset)),
        None => None,
    }
}

/// Reads an offset from UTC, in seconds.
fn offset(zone: &str) -> Option<i64> {
    if matches!(zone, "Z" | "z" | "UTC" | "GMT") {
        return Some(0);
    }
    let sign = match zone.as_bytes().first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let digits: Vec<u8> = zone[1..].bytes().filter(|byte| *byte != b':').collect();
    let hours = number(&digits, 0, 2)?;
    let minutes = match digits.len() {
        2 => 0,
        4 => number(&digits, 2, 2)?,
        _ => return None,
    };
    (hours <= 14 && minutes < 60).then_some(sign * (3600 * hours + 60 * minutes))
}

/// Reads a length of time: `[days-]hours:minutes:seconds`, `minutes:seconds`, `days-hours`, with
/// decimals of seconds if there are any. Returns whole seconds.
pub fn length(word: &str) -> Option<i64> {
    let word = word.trim();
    let whole = word.split_once('.').map_or(word, |(whole, decimals)| {
        if decimals.bytes().all(|byte| byte.is_ascii_digit()) {
            whole
        } else {
            word
        }
    });
    let (days, clock) = match whole.split_once('-') {
        Some((days, clock)) => (Some(digits(days)?), clock),
        None => (None, whole),
    };
    let parts: Vec<i64> = clock.split(':').map(digits).collect::<Option<_>>()?;
    let seconds = match (days, &parts[..]) {
        (_, [hours, minutes, seconds]) => hours
            .checked_mul(3600)?
            .checked_add(60 * minutes + seconds)?,
        (Some(_), [hours, minutes]) => 3600 * hours + 60 * minutes,
        (Some(_), [hours]) => 3600 * hours,
        (None, [minutes, seconds]) => 60 * minutes + seconds,
        _ => return None,
    };
    let all = days
        .unwrap_or(0)
        .checked_mul(86_400)?
        .checked_add(seconds)?;
    (all <= LONGEST_SECONDS).then_some(all)
}

/// Reads up to ten digits.
pub fn digits(word: &str) -> Option<i64> {
    let is_good = !word.is_empty() && word.len() <= 11 && word.bytes().all(|b| b.is_ascii_digit());
    if is_good { word.parse().ok() } else { None }
}

/// Reads an amount of memory in kilobytes. Without a letter, the amount is in `unit` kilobytes.
pub fn memory(word: &str, unit: f64) -> Option<f64> {
    let word = word.trim();
    let end = word
        .find(|letter: char| !(letter.is_ascii_digit() || letter == '.'))
        .unwrap_or(word.len());
    let (amount, rest) = word.split_at(end);
    let amount: f64 = amount.parse().ok()?;
    let mut letters = rest.bytes().map(|byte| byte.to_ascii_lowercase());
    let kilobytes = match letters.next() {
        None | Some(b'c' | b'n') => unit,
        Some(b'b') => 1.0 / 1024.0,
        Some(b'k') => 1.0,
        Some(b'm') => 1024.0,
        Some(b'g') => 1024.0 * 1024.0,
        Some(b't') => 1024.0 * 1024.0 * 1024.0,
        Some(b'p') => 1024.0 * 1024.0 * 1024.0 * 1024.0,
        _ => return None,
    };
    let is_rest_good = letters.all(|letter| matches!(letter, b'b' | b'i' | b'c' | b'n' | b'w'));
    let all = amount * kilobytes;
    (is_rest_good && all.is_finite()).then_some(all)
}

/// Reads a count such as `16`, `1.5K` or `2M`, rounded down.
pub fn count(word: &str) -> Option<i64> {
    let word = word.trim();
    if let Some(count) = digits(word) {
        return Some(count);
    }
    let (amount, factor) = match word.as_bytes().last()? {
        b'K' | b'k' => (&word[..word.len() - 1], 1000.0),
        b'M' | b'm' => (&word[..word.len() - 1], 1e6),
        _ => (word, 1.0),
    };
    let is_plain = amount
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.');
    let value = amount.parse::<f64>().ok().filter(|_| is_plain)? * factor;
    (value <= LONGEST_SECONDS as f64).then_some(value as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_many_kinds_are_read() {
        for (word, expected) in [
            ("1700000000", Instant::Absolute(1_700_000_000)),
            ("1700000000123", Instant::Absolute(1_700_000_000)),
            ("1700000000.25", Instant::Absolute(1_700_000_000)),
            ("2023-11-14T22:13:20", Instant::Local(1_700_000_000)),
            ("2023-11-14 22:13:20", Instant::Local(1_700_000_000)),
            ("2023-11-14T22:13:20.999", Instant::Local(1_700_000_000)),
            ("2023-11-14T22:13:20Z", Instant::Absolute(1_700_000_000)),
            (
                "2023-11-14T23:13:20+01:00",
                Instant::Absolute(1_700_000_000),
            ),
            ("2023-11-14T17:13:20-0500", Instant::Absolute(1_700_000_000)),
            ("2023-11-14", Instant::Local(1_699_920_000)),
            ("2024-02-29T00:00:00", Instant::Local(1_709_164_800)),
            ("Unknown", Instant::Unknown),
            ("0", Instant::Unknown),
            ("", Instant::Unknown),
            ("2023-02-29T00:00:00", Instant::Bad),
            ("2023-13-01T00:00:00", Instant::Bad),
            ("2023-11-14T25:00:00", Instant::Bad),
            ("2023-11-14T10:00:00 CEST", Instant::Bad),
            ("soon", Instant::Bad),
            ("99999999999999999", Instant::Bad),
            ("-5", Instant::Bad),
        ] {
            assert_eq!(instant(word), expected, "{word}");
        }
    }

    #[test]
    fn lengths_of_time_are_read() {
        for (word, expected) in [
            ("00:00:01", Some(1)),
            ("3-00:00:22", Some(259_222)),
            ("37-14:00:00", Some(3_247_200)),
            ("1-12", Some(129_600)),
            ("2-03:04", Some(183_840)),
            ("15:30", Some(930)),
            ("00:15.057", Some(15)),
            ("144:00:00", Some(518_400)),
            ("UNLIMITED", None),
            ("", None),
            ("12", None),
            ("1:2:3:4", None),
            ("9999999999-00:00:00", None),
            ("-1:00", None),
        ] {
            assert_eq!(length(word), expected, "{word}");
        }
    }

    #[test]
    fn amounts_are_read() {
        assert_eq!(memory("2800Mc", 1.0), Some(2800.0 * 1024.0));
        assert_eq!(memory("4Gn", 1.0), Some(4.0 * 1024.0 * 1024.0));
        assert_eq!(memory("62.50G", 1.0), Some(62.5 * 1024.0 * 1024.0));
        assert_eq!(memory("15240kb", 1.0), Some(15240.0));
        assert_eq!(memory("0n", 1024.0), Some(0.0));
        assert_eq!(memory("500", 1024.0), Some(512_000.0));
        assert_eq!(memory("many", 1.0), None);
        assert_eq!(
            [
                count("12"),
                count("1.5K"),
                count("2M"),
                count("x"),
                count("-1")
            ],
            [Some(12), Some(1500), Some(2_000_000), None, None]
        );
    }
}
