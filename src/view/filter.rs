//! Filters of jobs such as `user:ann size>64 account~phys wait>1h -class:short`.
//!
//! A filter is a list of tests, and a job must pass all of them. `test.rs` splits the text into
//! tests. A test has a field, an operator (`:` or `=`, `~`, `>`, `>=`, `<`, `<=`) and a value. After
//! `:` and `~` there may be several values separated by commas; after `:` there may be ranges such
//! as `4..16`. A bare number is a job's number. If a field of a job is not known (such as the wait of
//! a job that has not started), the job fails every test of the field, and so passes every negated
//! one.
//!
//! Beside the fields of every schedule, the workload's jobs have attributes: names of users and
//! queues, and the further columns of the log.

use super::test::{TestText, texts, wrong};
use super::word::WordTest;
use crate::job::JobId;
use crate::limits;
use crate::metrics::{THRESHOLD_SECONDS, bounded_slowdown};
use crate::param::closest;
use crate::problem::Problem;
use crate::schedule::{Outcome, Schedule};
use crate::time::Time;
use crate::workload::{Attribute, AttributeKind, Workload};
use time::PrimitiveDateTime;
use time::format_description::BorrowedFormatItem;
use time::macros::format_description;
use time::parsing::Parsed;

/// A filter of jobs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filter {
    tests: Vec<Test>,
    /// Threshold of bounded slowdowns, in seconds.
    threshold: f64,
}

/// A test: a job passes if one of its fields is in one of these ranges or has one of these words.
/// If negated, it passes if neither is the case.
#[derive(Clone, Debug, PartialEq)]
struct Test {
    is_negated: bool,
    ranges: Vec<FieldRange>,
    words: Option<WordTest>,
}

/// A field with its lowest and highest value, both included.
type FieldRange = (Field, f64, f64);

#[derive(Copy, Clone, Debug, PartialEq)]
enum Field {
    Job,
    User,
    Group,
    Application,
    Queue,
    Size,
    Wait,
    Runtime,
    Estimate,
    Response,
    Slowdown,
    Submitted,
    Start,
    End,
    State,
    Moves,
    Requeues,
    /// An attribute with numbers or instants.
    Attribute(Attribute),
}

/// The notation of a field's values.
#[derive(Copy, Clone, PartialEq)]
enum FieldUnit {
    Number,
    /// `90`, `90s`, `5m`, `1h30m`, `2d`, `1w`.
    Duration,
    /// A duration since the trace's zero, or a date: `1996-09-22`, `1996-09-22T10:30`.
    Moment,
}

const FIELDS: [(&str, Field, FieldUnit); 19] = [
    ("job", Field::Job, FieldUnit::Number),
    ("user", Field::User, FieldUnit::Number),
    ("group", Field::Group, FieldUnit::Number),
    ("app", Field::Application, FieldUnit::Number),
    ("queue", Field::Queue, FieldUnit::Number),
    ("size", Field::Size, FieldUnit::Number),
    ("processors", Field::Size, FieldUnit::Number),
    ("wait", Field::Wait, FieldUnit::Duration),
    ("run", Field::Runtime, FieldUnit::Duration),
    ("runtime", Field::Runtime, FieldUnit::Duration),
    ("estimate", Field::Estimate, FieldUnit::Duration),
    ("response", Field::Response, FieldUnit::Duration),
    ("slowdown", Field::Slowdown, FieldUnit::Number),
    ("submit", Field::Submitted, FieldUnit::Moment),
    ("submitted", Field::Submitted, FieldUnit::Moment),
    ("start", Field::Start, FieldUnit::Moment),
    ("end", Field::End, FieldUnit::Moment),
    ("moves", Field::Moves, FieldUnit::Number),
    ("requeues", Field::Requeues, FieldUnit::Number),
];

/// Largest run time of a short job in seconds, and largest size of a narrow job: the classes of S.
/// Srinivasan, R. Kettimuthu, V. Subramani and P. Sadayappan, "Selective Reservation Strategies for
/// Backfill Job Scheduling", JSSPP 2002.
const SHORT: f64 = 3600.0;
const NARROW: f64 = 8.0;

/// Words that stand for ranges.
const WORDS: [(&str, &str, FieldRange); 11] = [
    ("class", "short", (Field::Runtime, 0.0, SHORT)),
    (
        "class",
        "long",
        (Field::Runtime, SHORT.next_up(), f64::INFINITY),
    ),
    ("class", "narrow", (Field::Size, 0.0, NARROW)),
    ("class", "wide", (Field::Size, NARROW + 1.0, f64::INFINITY)),
    ("is", "waiting", (Field::State, 1.0, 1.0)),
    ("is", "running", (Field::State, 2.0, 2.0)),
    ("is", "ended", (Field::State, 3.0, 5.0)),
    ("is", "finished", (Field::State, 3.0, 3.0)),
    ("is", "killed", (Field::State, 4.0, 4.0)),
    ("is", "preempted", (Field::State, 5.0, 5.0)),
    ("is", "moved", (Field::Moves, 1.0, f64::INFINITY)),
];

const UNITS: [(&str, f64); 6] = [
    ("min", 60.0),
    ("s", 1.0),
    ("m", 60.0),
    ("h", 3600.0),
    ("d", 86_400.0),
    ("w", 604_800.0),
];

impl Filter {
    /// Parses a filter of jobs of which no names and no further columns are known. `unix_start` is
    /// the Unix time of the trace's zero, to which dates refer.
    ///
    /// # Errors
    /// Returns a problem that names the first test that is not valid, with an example of a valid
    /// one.
    pub fn parse(text: &str, unix_start: Option<i64>) -> Result<Self, Problem> {
        Self::of(text, unix_start, &Workload::default())
    }

    /// Parses a filter of the jobs of a workload. Its tests can name users and queues, and the
    /// further columns of the log.
    ///
    /// # Errors
    /// Returns a problem that names the first test that is not valid, with an example of a valid
    /// one. A column or a word that the log does not have is not valid.
    pub fn for_workload(text: &str, workload: &Workload) -> Result<Self, Problem> {
        Self::of(text, workload.provenance.unix_start, workload)
    }

    fn of(text: &str, unix_start: Option<i64>, workload: &Workload) -> Result<Self, Problem> {
        limits::check("The filter", text.len(), limits::FILTER_BYTES, "bytes")?;
        let known = FilterContext {
            unix_start,
            workload,
        };
        let (mut tests, mut words) = (Vec::new(), 0);
        for text in texts(text)? {
            words += text.values.len();
            let parsed = Test::parse(&text, &known)?;
            if parsed.words.is_some() {
                limits::check("The filter", words, limits::FILTER_WORDS, "words")?;
            } else {
                words -= text.values.len();
            }
            tests.push(parsed);
        }
        Ok(Self {
            tests,
            threshold: THRESHOLD_SECONDS,
        })
    }

    /// Splits a filter into its tests, as text.
    ///
    /// # Errors
    /// Returns a problem if a quoted word has no end.
    pub fn split(text: &str) -> Result<Vec<&str>, Problem> {
        Ok(texts(text)?.into_iter().map(|test| test.shown).collect())
    }

    /// Returns the same filter with another threshold of the bounded slowdown, in seconds, instead
    /// of the default of the metrics.
    #[must_use]
    pub fn bounding(self, threshold: f64) -> Self {
        Self { threshold, ..self }
    }

    /// True if every job passes.
    pub const fn is_empty(&self) -> bool {
        self.tests.is_empty()
    }

    /// True if the job passes every test.
    pub fn keeps(&self, schedule: &Schedule, job: JobId) -> bool {
        self.tests.iter().all(|test| {
            let passes = |(field, low, high): &FieldRange| {
                let value = field.value(schedule, job, self.threshold);
                *low <= value && value <= *high
            };
            let has_word = |words: &WordTest| words.keeps(&schedule.workload, job);
            let is_kept =
                test.ranges.iter().any(passes) || test.words.as_ref().is_some_and(has_word);
            is_kept != test.is_negated
        })
    }
}

/// Returns jobs sorted by a field that a filter can name: greatest value first, unknown values
/// last. Returns `None` if unknown field. `threshold` is that of bounded slowdowns, in
/// seconds.
pub fn ranked(
    schedule: &Schedule,
    jobs: &[JobId],
    field: &str,
    threshold: f64,
) -> Option<Vec<JobId>> {
    let known = FIELDS.iter().find(|(known, ..)| *known == field);
    let field = match known {
        Some((_, field, _)) => *field,
        None => Field::Attribute(schedule.workload.attribute(field)?),
    };
    let value =
        |job: &JobId| Some(field.value(schedule, *job, threshold)).filter(|value| !value.is_nan());
    let values: Vec<f64> = jobs
        .iter()
        .map(|job| value(job).unwrap_or(f64::NEG_INFINITY))
        .collect();
    Some(
        crate::sorting::falling(&values)
            .into_iter()
            .map(|place| jobs[place])
            .collect(),
    )
}

/// The workload whose jobs a filter tests, and the calendar of its dates.
struct FilterContext<'a> {
    unix_start: Option<i64>,
    workload: &'a Workload,
}

impl Test {
    fn parse(text: &TestText<'_>, known: &FilterContext<'_>) -> Result<Self, Problem> {
        let empty = Self {
            is_negated: text.is_negated,
            ranges: Vec::new(),
            words: None,
        };
        if text.operator.is_empty() && text.name != "job" {
            return Err(wrong(
                text.shown,
                "no operator",
                "A test is a field, an operator (: = ~ > >= < <=) and a value.",
                "user:7",
            ));
        }
        if text.name == "class" || text.name == "is" {
            let ranges = named_ranges(text)?;
            return Ok(Self { ranges, ..empty });
        }
        let field = FIELDS.iter().find(|(known, ..)| *known == text.name);
        let attribute = known.workload.attribute(text.name);
        if let Some(attribute) = attribute
            && WordTest::is_meant(known.workload, attribute, text)
        {
            let words = Some(WordTest::parse(known.workload, attribute, text)?);
            return Ok(Self { words, ..empty });
        }
        let (field, unit) = match (field, attribute) {
            (Some((_, field, unit)), _) => (*field, *unit),
            (None, Some(attribute)) => {
                let unit = match known.workload.kind(attribute) {
                    AttributeKind::Moments => FieldUnit::Moment,
                    AttributeKind::Numbers | AttributeKind::Words => FieldUnit::Number,
                };
                (Field::Attribute(attribute), unit)
            }
            (None, None) => return Err(unknown_field(text, known.workload)),
        };
        let ranges = ranges(text, field, unit, known.unix_start)?;
        Ok(Self { ranges, ..empty })
    }
}

/// Returns the ranges behind the words of `class` and `is`.
fn named_ranges(text: &TestText<'_>) -> Result<Vec<FieldRange>, Problem> {
    let name = text.name;
    let range = |value: &String| {
        let found = WORDS
            .iter()
            .find(|(kind, known, _)| text.is_equal() && *kind == name && known == value);
        found.map(|(_, _, range)| *range).ok_or_else(|| {
            let known: Vec<&str> = WORDS
                .iter()
                .filter(|(kind, ..)| *kind == name)
                .map(|(_, known, _)| *known)
                .collect();
            let why = format!("`{name}:` takes one of: {}.", known.join(", "));
            let example = format!("{name}:{}", known[0]);
            wrong(text.shown, "unknown value", &why, &example)
        })
    };
    text.values.iter().map(range).collect()
}

fn unknown_field(text: &TestText<'_>, workload: &Workload) -> Problem {
    let further = workload.attributes();
    let further = further.iter().map(|attribute| attribute.id.as_str());
    let mut known: Vec<&str> = FIELDS.iter().map(|(known, ..)| *known).collect();
    known.extend(further.filter(|id| FIELDS.iter().all(|(known, ..)| known != id)));
    known.push("class");
    let why = format!(
        "{}Fields are {} and is.",
        closest(text.name, &known),
        known.join(", ")
    );
    wrong(text.shown, "unknown field", &why, "size>64")
}

/// Returns the ranges of numbers that a test takes.
fn ranges(
    text: &TestText<'_>,
    field: Field,
    unit: FieldUnit,
    unix_start: Option<i64>,
) -> Result<Vec<FieldRange>, Problem> {
    let name = text.name;
    let read = |value: &str| {
        unit.read(value, unix_start).ok_or_else(|| {
            let (why, example) = match unit {
                FieldUnit::Number => ("Its value is a number.", format!("{name}:7")),
                FieldUnit::Duration => (
                    "Its value is a duration: seconds, or numbers with s, m, h, d or w.",
                    format!("{name}>1h30m"),
                ),
                FieldUnit::Moment => (
                    "Its value is a duration since the trace's zero, or a date if the trace \
                        gives its start.",
                    format!("{name}>1996-09-22"),
                ),
            };
            wrong(text.shown, "invalid value", why, &example)
        })
    };
    if text.operator == "~" {
        let why = "`~` looks into words, and the values of this field are numbers.";
        return Err(wrong(text.shown, "no words", why, &format!("{name}>1")));
    }
    if text.is_equal() {
        let range = |value: &String| {
            let (low, high) = value.split_once("..").unwrap_or((value, value));
            Ok((field, read(low)?, read(high)?))
        };
        return text.values.iter().map(range).collect();
    }
    let value = read(&text.values.join(","))?;
    Ok(vec![match text.operator {
        ">" => (field, value.next_up(), f64::INFINITY),
        ">=" => (field, value, f64::INFINITY),
        "<" => (field, f64::NEG_INFINITY, value.next_down()),
        _ => (field, f64::NEG_INFINITY, value),
    }])
}

impl FieldUnit {
    fn read(self, text: &str, unix_start: Option<i64>) -> Option<f64> {
        let number: Option<f64> = text.parse().ok().filter(|number: &f64| number.is_finite());
        match self {
            Self::Moment if text.as_bytes().get(4) == Some(&b'-') => {
                Some((unix(text)? - unix_start?) as f64)
            }
            Self::Number => number,
            _ => number.or_else(|| duration(text)),
        }
    }
}

/// Returns a duration such as `1h30m` in seconds.
fn duration(text: &str) -> Option<f64> {
    let (mut sum, mut rest) = (0.0, text);
    while !rest.is_empty() {
        let (number, after) =
            rest.split_at(rest.find(|letter: char| letter.is_ascii_alphabetic())?);
        let (unit, seconds) = UNITS.iter().find(|(unit, _)| after.starts_with(unit))?;
        sum += number.parse::<f64>().ok()? * seconds;
        rest = &after[unit.len()..];
    }
    (!text.is_empty()).then_some(sum)
}

/// A date, with or without a time and its seconds. Leading zeros may be missing.
const MOMENT: &[BorrowedFormatItem] = format_description!(
    version = 2,
    "[year]-[month padding:none]-[day padding:none][optional [T[hour padding:none]:[minute padding:none][optional [:[second padding:none]]]]]"
);

/// Returns `1996-09-22`, `1996-09-22T10:30` or `1996-09-22T10:30:05` as seconds since 1970, in UTC.
fn unix(text: &str) -> Option<i64> {
    let mut parsed = Parsed::new().with_hour_24(0)?.with_minute(0)?;
    let rest = parsed.parse_items(text.as_bytes(), MOMENT).ok()?;
    let at: PrimitiveDateTime = parsed.try_into().ok()?;
    rest.is_empty().then(|| at.assume_utc().unix_timestamp())
}

impl Field {
    /// Returns the value of a job; NaN if it is not known. `threshold` is that of bounded
    /// slowdowns, in seconds.
    fn value(self, schedule: &Schedule, job: JobId, threshold: f64) -> f64 {
        let request = schedule.workload.request(job);
        let runtime = schedule.run_time(job).seconds();
        let submitted = request.submitted.seconds();
        let known = |at: Time| {
            if at == Time::NEVER {
                f64::NAN
            } else {
                at.seconds()
            }
        };
        let (start, end) = (
            known(schedule.starts[job.index()]),
            known(schedule.ends[job.index()]),
        );
        match self {
            Self::Job => request.number as f64,
            Self::User => request.user.into(),
            Self::Group => request.group.into(),
            Self::Application => request.application.into(),
            Self::Queue => request.queue.into(),
            Self::Size => request.processors.into(),
            Self::Wait => start - submitted,
            Self::Runtime => runtime,
            Self::Estimate => request.estimate.seconds(),
            Self::Response => end - submitted,
            Self::Slowdown if end.is_nan() => f64::NAN,
            Self::Slowdown => bounded_slowdown(end - submitted, runtime, threshold),
            Self::Submitted => submitted,
            Self::Start => start,
            Self::End => end,
            Self::Moves => schedule.moves.get(&job).map_or(0, Vec::len) as f64,
            Self::Requeues => schedule.requeues(job) as f64,
            Self::Attribute(attribute) => {
                let key = schedule.workload.key(attribute, job);
                key.map_or(f64::NAN, |key| key as f64)
            }
            Self::State => match schedule.outcome(job) {
                Outcome::Preempted => 5.0,
                Outcome::Killed => 4.0,
                Outcome::Finished => 3.0,
                Outcome::Unfinished if !start.is_nan() => 2.0,
                Outcome::Unfinished if request.submitted <= schedule.until => 1.0,
                Outcome::Unfinished => 0.0,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_times() {
        assert_eq!(unix("1970-01-01"), Some(0));
        assert_eq!(unix("2000-02-29T12:30"), Some(951_827_400));
        assert_eq!(unix("2000-03-01"), Some(951_868_800));
        assert_eq!(unix("1996-09-22T00:00:31"), Some(843_350_431));
        assert_eq!(unix("1996-9-22T0:0:31"), Some(843_350_431));
        for bad in [
            "1996-13-01",
            "1996-02-30",
            "1996-09",
            "1996-09-22T24:00",
            "1996-09-22T10:00:00:00",
            "abcd-01-01",
            "1996--9-22",
        ] {
            assert_eq!(unix(bad), None, "{bad}");
        }
    }

    #[test]
    fn lengths_of_time() {
        for (text, seconds) in [
            ("90s", 90.0),
            ("1.5h", 5400.0),
            ("1h30m", 5400.0),
            ("2d", 172_800.0),
            ("5min", 300.0),
            ("1w", 604_800.0),
        ] {
            assert_eq!(duration(text), Some(seconds), "{text}");
        }
        for bad in ["", "h", "1x", "1h30", "1hh", "--1s"] {
            assert_eq!(duration(bad), None, "{bad}");
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, what) in [
            ("wate>1h", "`wate>1h` is not a valid test: unknown field."),
            ("user:x", "`user:x` is not a valid test: invalid value."),
            (
                "class:huge",
                "`class:huge` is not a valid test: unknown value.",
            ),
            (
                "class>short",
                "`class>short` is not a valid test: unknown value.",
            ),
            ("user", "`user` is not a valid test: no operator."),
            (
                "wait>1h,2h",
                "`wait>1h,2h` is not a valid test: invalid value.",
            ),
            ("wait>", "`wait>` is not a valid test: invalid value."),
            ("-", "`-` is not a valid test: no operator."),
            ("size:inf", "`size:inf` is not a valid test: invalid value."),
            (
                "start>1996-09-22",
                "`start>1996-09-22` is not a valid test: invalid value.",
            ),
        ] {
            assert_eq!(
                Filter::parse(text, None).map_err(|problem| problem.what),
                Err(what.to_owned()),
                "{text}"
            );
        }
    }
}
