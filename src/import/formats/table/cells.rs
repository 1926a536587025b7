//! The meaning of a cell, by the unit of its column.

use super::mapping::ColumnUnit;
use crate::import::rows::{EndState, Instant, digits, instant, is_unknown, length, memory};
use crate::time::days_since_1970;
use crate::trace::LONGEST_SECONDS;

/// Returns a cell, unless it says that the value is not known.
pub fn known(cell: &str) -> Option<&str> {
    let is_none = is_unknown(cell)
        || matches!(
            cell,
            "-" | "NA" | "<NA>" | "NaN" | "nan" | "NaT" | "none" | "unknown" | "undefined" | "\\N"
        );
    (!is_none).then_some(cell)
}

/// Reads a decimal number, which may have an exponent.
pub fn number(cell: &str) -> Option<f64> {
    let is_number = cell
        .bytes()
        .all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'+' | b'e' | b'E'));
    let number: f64 = cell.parse().ok().filter(|_| is_number)?;
    number.is_finite().then_some(number)
}

/// Divides a number by a whole one and rounds down. Whole numbers stay exact.
fn divided(cell: &str, by: i64) -> Option<i64> {
    if let Ok(whole) = cell.parse::<i64>() {
        return Some(whole.div_euclid(by));
    }
    let value = (number(cell)? / by as f64).floor();
    (value.abs() <= 1e15).then_some(value as i64)
}

/// Reads an instant.
pub fn time(cell: &str, unit: ColumnUnit) -> Instant {
    let (by, is_since) = match unit {
        ColumnUnit::UnixMs => (1000, false),
        ColumnUnit::UnixUs => (1_000_000, false),
        ColumnUnit::UnixNs => (1_000_000_000, false),
        ColumnUnit::Since => (1, true),
        ColumnUnit::SinceMs => (1000, true),
        ColumnUnit::SinceUs => (1_000_000, true),
        ColumnUnit::Iso => return iso(cell),
        ColumnUnit::UsDate => return date(cell, false),
        ColumnUnit::EuropeanDate => return date(cell, true),
        _ => (1, false),
    };
    match divided(cell, by) {
        // Logs write 0 or a negative number for an instant that never came, unless they count from
        // their own beginning.
        Some(0) if !is_since => Instant::Unknown,
        Some(seconds) if seconds < 0 => Instant::Unknown,
        Some(seconds) if seconds <= LONGEST_SECONDS => Instant::Absolute(seconds),
        _ => Instant::Bad,
    }
}

/// Returns the instant if it is not before 1970.
fn since_1970(instant: Instant) -> Instant {
    match instant.seconds() {
        Some(seconds) if seconds < 0 => Instant::Bad,
        _ => instant,
    }
}

/// Reads an instant whose year comes first, with any of `-/.` between the parts of its day.
fn iso(cell: &str) -> Instant {
    let mut text = cell.to_owned();
    for at in [4, 7] {
        if matches!(cell.as_bytes().get(at), Some(b'/' | b'.')) {
            text.replace_range(at..=at, "-");
        }
    }
    if text.as_bytes().get(4) != Some(&b'-') {
        return Instant::Bad;
    }
    since_1970(instant(&text))
}

/// The parts of a date whose year comes last: the first two numbers, the year, and the rest.
struct DateParts<'a> {
    first: i64,
    second: i64,
    year: i64,
    rest: &'a str,
}

/// Splits a date such as `24.12.2024 18:00` or `12/24/24 6:00 PM`.
fn parts(cell: &str) -> Option<DateParts<'_>> {
    let mut rest = cell;
    let mut next = |most: usize, signs: &[char]| {
        let end = rest
            .find(|letter: char| !letter.is_ascii_digit())
            .unwrap_or(rest.len());
        let number = digits(&rest[..end]).filter(|_| end <= most)?;
        rest = &rest[end..];
        if !signs.is_empty() {
            rest = rest.strip_prefix(signs)?;
        }
        Some((number, end))
    };
    let signs = ['/', '.', '-'];
    let (first, _) = next(2, &signs)?;
    let (second, _) = next(2, &signs)?;
    let (year, length) = next(4, &[])?;
    let year = match length {
        4 => year,
        2 => 2000 + year,
        _ => return None,
    };
    Some(DateParts {
        first,
        second,
        year,
        rest,
    })
}

/// Evidence about dates whose year comes last.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum DayPlace {
    /// The first number is a day, because no month is so large.
    First,
    /// The second number is a day.
    Second,
    /// Either may be the day.
    Either,
}

/// Returns the place of the day in a date whose year comes last; `None` if the cell is no such
/// date.
pub fn day_place(cell: &str) -> Option<DayPlace> {
    let DateParts { first, second, .. } = parts(cell)?;
    Some(match (first > 12, second > 12) {
        (true, _) => DayPlace::First,
        (_, true) => DayPlace::Second,
        _ => DayPlace::Either,
    })
}

/// True if a date has points between its parts, which only European dates have.
pub fn has_points(cell: &str) -> bool {
    cell.bytes().find(|byte| !byte.is_ascii_digit()) == Some(b'.')
}

/// Reads a date whose year comes last.
fn date(cell: &str, is_day_first: bool) -> Instant {
    read_date(cell, is_day_first).map_or(Instant::Bad, since_1970)
}

fn read_date(cell: &str, is_day_first: bool) -> Option<Instant> {
    let DateParts {
        first,
        second,
        year,
        rest,
    } = parts(cell)?;
    let (day, month) = if is_day_first {
        (first, second)
    } else {
        (second, first)
    };
    days_since_1970(year, month, day)?;
    let clock = rest.trim_start_matches([',', 'T', ' ']);
    if clock.is_empty() {
        return Some(instant(&format!("{year:04}-{month:02}-{day:02}")));
    }
    let (hour, after) = clock.split_once(':')?;
    let mut hour = digits(hour).filter(|hour| *hour <= 24)?;
    let lower = after.to_ascii_lowercase();
    let mut after = after;
    for (half, add) in [("am", 0), ("pm", 12)] {
        if let Some(before) = lower.strip_suffix(half) {
            after = after[..before.len()].trim_end();
            if !(1..=12).contains(&hour) {
                return None;
            }
            hour = hour % 12 + add;
        }
    }
    Some(instant(&format!(
        "{year:04}-{month:02}-{day:02}T{hour:02}:{after}"
    )))
}

/// A length of time that a cell tells.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Length {
    /// Whole seconds, rounded down.
    Seconds(i64),
    /// There is none: `UNLIMITED` and the like.
    Unlimited,
    /// The cell is no length.
    Bad,
}

/// The numbers with which Slurm's database says that there is no value, or no limit.
const SLURM_NONE: [&str; 2] = ["4294967294", "4294967295"];

/// Reads a length of time.
pub fn span(cell: &str, unit: ColumnUnit) -> Length {
    let is_unlimited = ["unlimited", "infinite", "partition_limit", "not_set"]
        .iter()
        .any(|word| cell.eq_ignore_ascii_case(word));
    if is_unlimited || SLURM_NONE.contains(&cell) {
        return Length::Unlimited;
    }
    let seconds = match unit {
        ColumnUnit::Clock => clock(cell),
        _ => number(cell).map(|amount| {
            let (by, of) = match unit {
                ColumnUnit::Milliseconds => (1.0, 1000.0),
                ColumnUnit::Minutes => (60.0, 1.0),
                ColumnUnit::Hours => (3600.0, 1.0),
                ColumnUnit::Days => (86_400.0, 1.0),
                _ => (1.0, 1.0),
            };
            (amount * by / of).floor()
        }),
    };
    match seconds {
        Some(seconds) if (0.0..=LONGEST_SECONDS as f64).contains(&seconds) => {
            Length::Seconds(seconds as i64)
        }
        _ => Length::Bad,
    }
}

/// Reads a length with colons or letters: `1-02:03:04`, `02:03`, `0 days 01:00:00`, `1h30m`, `90s`.
pub fn clock(cell: &str) -> Option<f64> {
    if let Some(seconds) = length(cell) {
        return Some(seconds as f64);
    }
    if let Some((days, clock)) = cell.split_once(" day") {
        let clock = clock.trim_start_matches(['s', ',', ' ']);
        let rest = if clock.is_empty() { 0 } else { length(clock)? };
        return Some(86_400.0 * number(days.trim())? + rest as f64);
    }
    let mut seconds = 0.0;
    let mut rest = cell;
    while !rest.is_empty() {
        let end = rest.find(|letter: char| !(letter.is_ascii_digit() || letter == '.'))?;
        let after = rest[end..]
            .find(|letter: char| letter.is_ascii_digit() || letter == ' ')
            .map_or(rest.len(), |length| end + length);
        let factor = match rest[end..after].to_ascii_lowercase().as_str() {
            "s" | "sec" | "secs" => 1.0,
            "m" | "min" | "mins" => 60.0,
            "h" | "hr" | "hrs" => 3600.0,
            "d" => 86_400.0,
            _ => return None,
        };
        seconds += number(&rest[..end])? * factor;
        rest = rest[after..].trim_start();
    }
    (!cell.is_empty()).then_some(seconds)
}

/// Reads a count, rounded up: `4`, `4.0`, `500m` (thousandths, as Kubernetes writes them), `gpu:2`,
/// `gres/gpu=2`.
pub fn count(cell: &str, unit: ColumnUnit) -> Option<i64> {
    let (text, of) = match cell.strip_suffix('m') {
        Some(text) => (text, 1000.0),
        None => (
            cell,
            if unit == ColumnUnit::Hundredths {
                100.0
            } else {
                1.0
            },
        ),
    };
    let text = text.rsplit([':', '=']).next()?;
    let value = (number(text)? / of).ceil();
    (0.0..=f64::from(i32::MAX))
        .contains(&value)
        .then_some(value as i64)
}

/// The largest amount of memory that counts, in kilobytes.
const MOST_MEMORY: f64 = LONGEST_SECONDS as f64;

/// Reads an amount of memory in kilobytes.
pub fn amount(cell: &str, unit: ColumnUnit) -> Option<f64> {
    let factor = match unit {
        ColumnUnit::Bytes => 1.0 / 1024.0,
        ColumnUnit::Megabytes => 1024.0,
        ColumnUnit::Gigabytes => 1024.0 * 1024.0,
        _ => 1.0,
    };
    let kilobytes = number(cell)
        .map(|value| value * factor)
        .or_else(|| memory(cell, factor))?;
    (0.0..=MOST_MEMORY)
        .contains(&kilobytes)
        .then_some(kilobytes.floor())
}

/// Reads a state. `None` if it is not known.
pub fn state(cell: &str, unit: ColumnUnit) -> Option<EndState> {
    match unit {
        ColumnUnit::ExitStatus => exit_status(cell),
        ColumnUnit::SlurmNumber => Some(match digits(cell)? {
            3 => EndState::Completed,
            4 => EndState::Cancelled,
            0..=2 => EndState::Alive,
            5..=15 => EndState::Failed,
            _ => return None,
        }),
        _ => state_word(cell),
    }
}

/// Reads an exit status: 0 is completed; 137, 143, 265 and 271 are ends by a signal, which is
/// mostly a cancellation.
fn exit_status(cell: &str) -> Option<EndState> {
    // `0:0` of Slurm has the signal behind.
    let first = cell.split(':').next()?;
    Some(match number(first)? as i64 {
        0 => EndState::Completed,
        137 | 143 | 265 | 271 => EndState::Cancelled,
        _ => EndState::Failed,
    })
}

fn state_word(cell: &str) -> Option<EndState> {
    let word: String = cell
        .chars()
        .take(40)
        .filter(char::is_ascii_alphabetic)
        .map(|letter| letter.to_ascii_lowercase())
        .collect();
    Some(match word.as_str() {
        "completed"
        | "complete"
        | "completedsuccessfully"
        | "cd"
        | "succeeded"
        | "success"
        | "successful"
        | "done"
        | "finished"
        | "pass"
        | "passed"
        | "ok"
        | "terminated"
        | "ended" => EndState::Completed,
        "failed" | "failure" | "fail" | "f" | "error" | "timeout" | "to" | "timelimit"
        | "nodefail" | "nf" | "outofmemory" | "oom" | "oomkilled" | "bootfail" | "bf"
        | "deadline" | "dl" | "launchfailed" | "specialexit" | "evicted" | "preempted" | "pr"
        | "requeued" | "rq" | "interrupted" | "lost" | "exit" | "exited" | "crashed" => {
            EndState::Failed
        }
        "killed" | "kill" | "ca" | "stopped" | "aborted" | "deleted" | "removed" | "revoked"
        | "rv" => EndState::Cancelled,
        "running" | "r" | "pending" | "pd" | "queued" | "waiting" | "held" | "submitted"
        | "scheduled" | "suspended" | "s" | "completing" | "cg" | "configuring" | "cf"
        | "active" => EndState::Alive,
        _ if word.starts_with("cancel") => EndState::Cancelled,
        _ => return None,
    })
}

/// The largest number of a job.
const MOST_NUMBER: i64 = LONGEST_SECONDS;

/// Reads the id of a job: its number, and the task of an array. `123`, `123.server`, `123_7` and
/// `123[7]` have the number 123.
pub fn job(cell: &str) -> Option<(i64, Option<i64>)> {
    let cell = cell.strip_suffix(".0").unwrap_or(cell);
    let end = cell
        .find(|letter: char| !letter.is_ascii_digit())
        .unwrap_or(cell.len());
    let number = digits(&cell[..end]).filter(|number| *number <= MOST_NUMBER)?;
    let rest = &cell[end..];
    let task = match rest.as_bytes().first() {
        None => None,
        Some(b'.') if rest[1..].starts_with(|letter: char| letter.is_alphabetic()) => None,
        Some(b'_') => Some(digits(&rest[1..])?),
        Some(b'[') => Some(digits(rest[1..].split(']').next()?)?),
        _ => return None,
    };
    Some((number, task))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        for (cell, unit, expected) in [
            (
                "1700000000",
                ColumnUnit::Unix,
                Instant::Absolute(1_700_000_000),
            ),
            ("1.7e9", ColumnUnit::Unix, Instant::Absolute(1_700_000_000)),
            (
                "1700000000999",
                ColumnUnit::UnixMs,
                Instant::Absolute(1_700_000_000),
            ),
            (
                "1700000000.9",
                ColumnUnit::Unix,
                Instant::Absolute(1_700_000_000),
            ),
            (
                "1700000000000000",
                ColumnUnit::UnixUs,
                Instant::Absolute(1_700_000_000),
            ),
            (
                "1700000000000000001",
                ColumnUnit::UnixNs,
                Instant::Absolute(1_700_000_000),
            ),
            ("0", ColumnUnit::Unix, Instant::Unknown),
            ("-1", ColumnUnit::Since, Instant::Unknown),
            ("0", ColumnUnit::Since, Instant::Absolute(0)),
            ("600000000", ColumnUnit::SinceUs, Instant::Absolute(600)),
            (
                "2023/11/14 22:13:20",
                ColumnUnit::Iso,
                Instant::Local(1_700_000_000),
            ),
            (
                "2023-11-14T22:13:20Z",
                ColumnUnit::Iso,
                Instant::Absolute(1_700_000_000),
            ),
            (
                "11/14/2023 10:13:20 PM",
                ColumnUnit::UsDate,
                Instant::Local(1_700_000_000),
            ),
            (
                "11/14/2023 22:13:20",
                ColumnUnit::UsDate,
                Instant::Local(1_700_000_000),
            ),
            (
                "14.11.2023 22:13:20",
                ColumnUnit::EuropeanDate,
                Instant::Local(1_700_000_000),
            ),
            (
                "14.11.23 22:13",
                ColumnUnit::EuropeanDate,
                Instant::Local(1_699_999_980),
            ),
            (
                "14-11-2023",
                ColumnUnit::EuropeanDate,
                Instant::Local(1_699_920_000),
            ),
            ("14/11/2023", ColumnUnit::UsDate, Instant::Bad),
            ("1900-01-01", ColumnUnit::Iso, Instant::Bad),
            ("2023é11", ColumnUnit::Iso, Instant::Bad),
            ("13:00 PM", ColumnUnit::UsDate, Instant::Bad),
            ("11/14/2023 13:13:20 PM", ColumnUnit::UsDate, Instant::Bad),
            ("soon", ColumnUnit::Unix, Instant::Bad),
            ("1e300", ColumnUnit::Unix, Instant::Bad),
            ("NaN", ColumnUnit::Unix, Instant::Bad),
        ] {
            assert_eq!(time(cell, unit), expected, "{cell}");
        }
    }

    #[test]
    fn lengths_have_units() {
        for (cell, unit, expected) in [
            ("90", ColumnUnit::Minutes, Length::Seconds(5400)),
            ("1.5", ColumnUnit::Hours, Length::Seconds(5400)),
            ("90.9", ColumnUnit::Seconds, Length::Seconds(90)),
            ("2500", ColumnUnit::Milliseconds, Length::Seconds(2)),
            ("1-00:00:10", ColumnUnit::Clock, Length::Seconds(86_410)),
            (
                "2 days, 0:00:01",
                ColumnUnit::Clock,
                Length::Seconds(172_801),
            ),
            ("0 days 01:00:00", ColumnUnit::Clock, Length::Seconds(3600)),
            ("1h30m", ColumnUnit::Clock, Length::Seconds(5400)),
            ("90s", ColumnUnit::Clock, Length::Seconds(90)),
            ("UNLIMITED", ColumnUnit::Minutes, Length::Unlimited),
            ("4294967295", ColumnUnit::Minutes, Length::Unlimited),
            ("-5", ColumnUnit::Seconds, Length::Bad),
            ("1e99", ColumnUnit::Days, Length::Bad),
            ("7 weeks", ColumnUnit::Clock, Length::Bad),
            ("", ColumnUnit::Clock, Length::Bad),
            ("é", ColumnUnit::Clock, Length::Bad),
        ] {
            assert_eq!(span(cell, unit), expected, "{cell}");
        }
    }

    #[test]
    fn counts_ids_and_states_are_read() {
        let one = |cell| count(cell, ColumnUnit::Count);
        assert_eq!(
            ["4", "4.0", "500m", "gpu:2", "gres/gpu=2", "-1", "x", "1e18"].map(one),
            [
                Some(4),
                Some(4),
                Some(1),
                Some(2),
                Some(2),
                None,
                None,
                None
            ]
        );
        assert_eq!(count("650", ColumnUnit::Hundredths), Some(7));
        assert_eq!(
            [
                "7",
                "7.0",
                "7.pbs",
                "7_3",
                "7[3]",
                "a7",
                "7-1",
                "99999999999"
            ]
            .map(job),
            [
                Some((7, None)),
                Some((7, None)),
                Some((7, None)),
                Some((7, Some(3))),
                Some((7, Some(3))),
                None,
                None,
                None
            ]
        );
        assert_eq!(
            state("CANCELLED by 7", ColumnUnit::Words),
            Some(EndState::Cancelled)
        );
        assert_eq!(
            state("Succeeded", ColumnUnit::Words),
            Some(EndState::Completed)
        );
        assert_eq!(
            state("3", ColumnUnit::SlurmNumber),
            Some(EndState::Completed)
        );
        assert_eq!(
            state("0:0", ColumnUnit::ExitStatus),
            Some(EndState::Completed)
        );
        assert_eq!(state("1.0", ColumnUnit::ExitStatus), Some(EndState::Failed));
        assert_eq!(state("odd", ColumnUnit::Words), None);
        assert_eq!(amount("4", ColumnUnit::Gigabytes), Some(4_194_304.0));
        assert_eq!(amount("4G", ColumnUnit::Bytes), Some(4_194_304.0));
        assert_eq!(amount("1e30", ColumnUnit::Bytes), None);
    }
}
