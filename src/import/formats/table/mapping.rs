//! Mappings: which column of a table holds what, and in which unit.
//!
//! docs/formats/tables.md specifies the text form and the JSON.

use crate::import::rows::Zone;
use crate::limits::{COLUMNS_BYTES, check};
use crate::problem::Problem;
use serde::{Deserialize, Serialize};
use std::fmt::{self, Write};

/// A fact about a job that a column can hold. [`ROLES`] describes each.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum Role {
    Job,
    Submit,
    Eligible,
    Start,
    End,
    Wait,
    RunTime,
    Limit,
    Processors,
    Requested,
    Nodes,
    CoresPerNode,
    Gpus,
    Memory,
    NodeMemory,
    User,
    Group,
    Account,
    Queue,
    Qos,
    State,
    Name,
    Dependency,
}

/// The values that a role has.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// Instants of the calendar.
    Time,
    /// Lengths of time.
    Length,
    /// Counts of processors or GPUs.
    Count,
    /// Amounts of memory.
    Memory,
    /// States of jobs.
    State,
    /// Ids of jobs.
    Id,
    /// Names of any kind.
    Word,
}

/// All roles, in the order in which they are guessed: the role, its id, its name and its values.
pub const ROLES: [(Role, &str, &str, ValueKind); 23] = [
    (Role::Job, "job", "Job id", ValueKind::Id),
    (Role::Submit, "submit", "Submission", ValueKind::Time),
    (Role::Eligible, "eligible", "Eligible time", ValueKind::Time),
    (Role::Start, "start", "Start", ValueKind::Time),
    (Role::End, "end", "End", ValueKind::Time),
    (Role::Wait, "wait", "Wait", ValueKind::Length),
    (Role::RunTime, "run_time", "Run time", ValueKind::Length),
    (Role::Limit, "limit", "Time limit", ValueKind::Length),
    (
        Role::Processors,
        "processors",
        "Processors",
        ValueKind::Count,
    ),
    (
        Role::Requested,
        "requested",
        "Requested processors",
        ValueKind::Count,
    ),
    (Role::Nodes, "nodes", "Nodes", ValueKind::Count),
    (
        Role::CoresPerNode,
        "cores_per_node",
        "Processors per node",
        ValueKind::Count,
    ),
    (Role::Gpus, "gpus", "GPUs", ValueKind::Count),
    (Role::Memory, "memory", "Memory", ValueKind::Memory),
    (
        Role::NodeMemory,
        "node_memory",
        "Memory of a node",
        ValueKind::Memory,
    ),
    (Role::User, "user", "User", ValueKind::Word),
    (Role::Group, "group", "Group", ValueKind::Word),
    (Role::Account, "account", "Account", ValueKind::Word),
    (Role::Queue, "queue", "Queue or partition", ValueKind::Word),
    (Role::Qos, "qos", "QOS", ValueKind::Word),
    (Role::State, "state", "State", ValueKind::State),
    (Role::Name, "name", "Job name", ValueKind::Word),
    (
        Role::Dependency,
        "dependency",
        "Dependency",
        ValueKind::Word,
    ),
];

impl Role {
    /// Returns the place of the role in [`ROLES`].
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns the stable id.
    pub fn id(self) -> &'static str {
        ROLES[self.index()].1
    }

    /// Returns the name for readers.
    pub fn name(self) -> &'static str {
        ROLES[self.index()].2
    }

    /// Returns the kind of its values.
    pub fn kind(self) -> ValueKind {
        ROLES[self.index()].3
    }

    fn parse(id: &str) -> Option<Self> {
        ROLES
            .iter()
            .find(|(_, known, ..)| *known == id)
            .map(|(role, ..)| *role)
    }
}

/// The unit or the notation of a column. [`UNITS`] describes each.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum ColumnUnit {
    Unix,
    UnixMs,
    UnixUs,
    UnixNs,
    Iso,
    UsDate,
    EuropeanDate,
    Since,
    SinceMs,
    SinceUs,
    Seconds,
    Milliseconds,
    Minutes,
    Hours,
    Days,
    Clock,
    Count,
    Hundredths,
    Bytes,
    Kilobytes,
    Megabytes,
    Gigabytes,
    Words,
    ExitStatus,
    SlurmNumber,
}

/// All units: the unit, its id, its name and the values that can have it.
pub const UNITS: [(ColumnUnit, &str, &str, ValueKind); 25] = [
    (
        ColumnUnit::Unix,
        "unix",
        "seconds since 1970",
        ValueKind::Time,
    ),
    (
        ColumnUnit::UnixMs,
        "unix_ms",
        "milliseconds since 1970",
        ValueKind::Time,
    ),
    (
        ColumnUnit::UnixUs,
        "unix_us",
        "microseconds since 1970",
        ValueKind::Time,
    ),
    (
        ColumnUnit::UnixNs,
        "unix_ns",
        "nanoseconds since 1970",
        ValueKind::Time,
    ),
    (ColumnUnit::Iso, "iso", "year-month-day", ValueKind::Time),
    (
        ColumnUnit::UsDate,
        "us_date",
        "month/day/year",
        ValueKind::Time,
    ),
    (
        ColumnUnit::EuropeanDate,
        "european_date",
        "day.month.year",
        ValueKind::Time,
    ),
    (
        ColumnUnit::Since,
        "since",
        "seconds since the log began",
        ValueKind::Time,
    ),
    (
        ColumnUnit::SinceMs,
        "since_ms",
        "milliseconds since the log began",
        ValueKind::Time,
    ),
    (
        ColumnUnit::SinceUs,
        "since_us",
        "microseconds since the log began",
        ValueKind::Time,
    ),
    (ColumnUnit::Seconds, "seconds", "seconds", ValueKind::Length),
    (
        ColumnUnit::Milliseconds,
        "milliseconds",
        "milliseconds",
        ValueKind::Length,
    ),
    (ColumnUnit::Minutes, "minutes", "minutes", ValueKind::Length),
    (ColumnUnit::Hours, "hours", "hours", ValueKind::Length),
    (ColumnUnit::Days, "days", "days", ValueKind::Length),
    (
        ColumnUnit::Clock,
        "clock",
        "days-hours:minutes:seconds",
        ValueKind::Length,
    ),
    (ColumnUnit::Count, "count", "whole ones", ValueKind::Count),
    (
        ColumnUnit::Hundredths,
        "hundredths",
        "hundredths",
        ValueKind::Count,
    ),
    (ColumnUnit::Bytes, "bytes", "bytes", ValueKind::Memory),
    (
        ColumnUnit::Kilobytes,
        "kilobytes",
        "kilobytes",
        ValueKind::Memory,
    ),
    (
        ColumnUnit::Megabytes,
        "megabytes",
        "megabytes",
        ValueKind::Memory,
    ),
    (
        ColumnUnit::Gigabytes,
        "gigabytes",
        "gigabytes",
        ValueKind::Memory,
    ),
    (ColumnUnit::Words, "words", "words", ValueKind::State),
    (
        ColumnUnit::ExitStatus,
        "exit_status",
        "exit status",
        ValueKind::State,
    ),
    (
        ColumnUnit::SlurmNumber,
        "slurm_number",
        "numbers of Slurm's database",
        ValueKind::State,
    ),
];

impl ColumnUnit {
    const fn index(self) -> usize {
        self as usize
    }

    /// Returns the stable id.
    pub fn id(self) -> &'static str {
        UNITS[self.index()].1
    }

    /// Returns the name for readers.
    pub fn name(self) -> &'static str {
        UNITS[self.index()].2
    }

    /// Returns the kind of the values that have this unit.
    pub fn kind(self) -> ValueKind {
        UNITS[self.index()].3
    }

    fn parse(id: &str) -> Option<Self> {
        UNITS
            .iter()
            .find(|(_, known, ..)| *known == id)
            .map(|(unit, ..)| *unit)
    }
}

/// The column of a role.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(deny_unknown_fields)]
pub struct RoleColumn {
    /// The fact that the column holds.
    pub role: Role,
    /// Name of the column, or `#` and its number from 1. `None` if no column holds the fact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
    /// The unit. If there is none, the values decide.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<ColumnUnit>,
}

/// The columns of a table by role. A role that is not listed is guessed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(deny_unknown_fields)]
pub struct Mapping {
    /// The columns, with at most one entry for each role.
    #[serde(default)]
    pub columns: Vec<RoleColumn>,
    /// The zone of times that tell none. `None` means UTC, which the report then tells as a guess.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone: Option<GivenZone>,
}

/// A zone, as a mapping gives it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(untagged)]
pub enum GivenZone {
    /// Offset from UTC, in minutes to the east.
    Minutes(i32),
    /// Name in the tz database.
    Named(String),
}

/// The largest offset from UTC, in minutes.
const MOST_MINUTES: u32 = 14 * 60;

const NEXT: &str = "For example --columns \"submit=queued_at,start=begun,end=done,limit=walltime:minutes\"; \
    docs/formats/tables.md lists the roles and the units.";

fn problem(what: String, why: &str) -> Problem {
    Problem::new(what, why, NEXT)
}

/// Returns the first characters of a text, for messages.
pub fn short(text: &str, most: usize) -> String {
    let mut short: String = text.chars().take(most).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

impl Mapping {
    /// Reads a mapping: JSON if the text begins with `{`, else the text form.
    ///
    /// # Errors
    /// Returns a problem if the text is not a mapping.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        check("The mapping", text.len(), COLUMNS_BYTES, "bytes")?;
        let text = text.trim();
        let mapping = if text.starts_with('{') {
            serde_json::from_str(text).map_err(|error| {
                problem(
                    format!("The mapping is not understood: {error}."),
                    "A mapping in JSON has the fields `columns` and `zone`.",
                )
            })?
        } else {
            Self::parse_text(text)?
        };
        mapping.check()?;
        Ok(mapping)
    }

    fn parse_text(text: &str) -> Result<Self, Problem> {
        let mut mapping = Self::default();
        let mut rest = text;
        while !rest.trim().is_empty() {
            let Some((key, after)) = rest.split_once('=') else {
                return Err(problem(
                    format!(
                        "The mapping has `{}` without a column.",
                        short(rest.trim(), 40)
                    ),
                    "Each part of a mapping is ROLE=COLUMN or ROLE=COLUMN:UNIT.",
                ));
            };
            let key = key.trim();
            let (value, is_quoted, unit, after) = entry(after)?;
            rest = after;
            if key == "zone" {
                let zone = unit.map_or_else(|| value.clone(), |unit| format!("{value}:{unit}"));
                mapping.zone = Some(given_zone(&zone)?);
                continue;
            }
            let Some(role) = Role::parse(key) else {
                let roles: Vec<&str> = ROLES.iter().map(|(_, id, ..)| *id).collect();
                return Err(problem(
                    format!("The mapping has no role `{}`.", short(key, 40)),
                    &format!("The roles are {}, and `zone`.", roles.join(", ")),
                ));
            };
            // Without quotes, a name may hold a colon: what follows it is a unit only if it is one.
            let (column, unit) = match unit {
                Some(unit) => match ColumnUnit::parse(unit.trim()) {
                    Some(unit) => (value, Some(unit)),
                    None if is_quoted => return Err(unknown_unit(role, &unit)),
                    None => (format!("{value}:{unit}"), None),
                },
                None => (value, None),
            };
            let column = (column != "-" || is_quoted).then_some(column);
            mapping.columns.push(RoleColumn { role, column, unit });
        }
        Ok(mapping)
    }

    /// Checks that each role occurs once, and that each unit fits its role.
    ///
    /// # Errors
    /// Returns a problem that names the first entry that is wrong.
    pub fn check(&self) -> Result<(), Problem> {
        for (at, RoleColumn { role, unit, column }) in self.columns.iter().enumerate() {
            if self.columns[..at].iter().any(|other| other.role == *role) {
                return Err(problem(
                    format!("The mapping has `{}` twice.", role.id()),
                    "One column holds a fact about a job.",
                ));
            }
            if let Some(unit) = unit
                && unit.kind() != role.kind()
            {
                return Err(unknown_unit(*role, unit.id()));
            }
            let bytes = column.as_ref().map_or(0, String::len);
            check("A column's name", bytes, COLUMNS_BYTES, "bytes")?;
        }
        match &self.zone {
            Some(GivenZone::Minutes(minutes)) if minutes.unsigned_abs() > MOST_MINUTES => {
                Err(problem(
                    format!("The zone is {minutes} minutes from UTC."),
                    "Zones are at most 14 hours from UTC.",
                ))
            }
            Some(GivenZone::Named(name)) if Zone::named(name).is_none() => Err(no_zone(name)),
            _ => Ok(()),
        }
    }

    /// True if the mapping says nothing but the zone, so that the file may have any format.
    pub fn is_zone_alone(&self) -> bool {
        self.columns.is_empty() && self.zone.is_some()
    }

    /// Returns the zone of times that tell none. The mapping has been checked.
    pub fn zone(&self) -> Option<Zone> {
        match self.zone.as_ref()? {
            GivenZone::Minutes(minutes) => Some(Zone::of_offset(60 * i64::from(*minutes))),
            GivenZone::Named(name) => Zone::named(name),
        }
    }

    /// Returns the entry of a role.
    pub fn of(&self, role: Role) -> Option<&RoleColumn> {
        self.columns.iter().find(|entry| entry.role == role)
    }
}

/// Returns the value of an entry, true if it is in quotes, the text after its last colon, and the
/// text after the entry.
fn entry(text: &str) -> Result<(String, bool, Option<String>, &str), Problem> {
    let text = text.trim_start();
    if let Some(quoted) = text.strip_prefix('"') {
        let mut value = String::new();
        let mut letters = quoted.char_indices().peekable();
        let end = loop {
            match letters.next() {
                Some((_, '"')) if letters.next_if(|(_, next)| *next == '"').is_some() => {
                    value.push('"');
                }
                Some((at, '"')) => break at + 1,
                Some((_, letter)) => value.push(letter),
                None => {
                    return Err(problem(
                        "A quote in the mapping does not end.".to_owned(),
                        "A quote inside a name is doubled.",
                    ));
                }
            }
        };
        let (unit, after) = quoted[end..]
            .split_once(',')
            .unwrap_or((&quoted[end..], ""));
        let unit = unit.trim();
        return match unit.strip_prefix(':') {
            _ if unit.is_empty() => Ok((value, true, None, after)),
            Some(unit) => Ok((value, true, Some(unit.trim().to_owned()), after)),
            None => Err(problem(
                format!("The mapping has `{}` after a quote.", short(unit, 40)),
                "A comma, or a colon and a unit, follows a name in quotes.",
            )),
        };
    }
    let (whole, after) = text.split_once(',').unwrap_or((text, ""));
    let whole = whole.trim();
    Ok(match whole.rsplit_once(':') {
        Some((value, unit)) if !value.is_empty() => {
            (value.to_owned(), false, Some(unit.to_owned()), after)
        }
        _ => (whole.to_owned(), false, None, after),
    })
}

fn unknown_unit(role: Role, unit: &str) -> Problem {
    let units: Vec<&str> = UNITS
        .iter()
        .filter(|(.., kind)| *kind == role.kind())
        .map(|(_, id, ..)| *id)
        .collect();
    let what = format!(
        "`{}` cannot have the unit `{}`.",
        role.id(),
        short(unit, 40)
    );
    if units.is_empty() {
        problem(what, "It has none.")
    } else {
        problem(what, &format!("Its units are {}.", units.join(", ")))
    }
}

fn no_zone(text: &str) -> Problem {
    problem(
        format!("There is no zone `{}`.", short(text, 40)),
        "A zone is an offset from UTC such as +02:00, -05:00 or UTC, or a name of the tz database \
            such as Europe/Berlin.",
    )
}

/// Reads a zone: an offset, or else a name.
fn given_zone(text: &str) -> Result<GivenZone, Problem> {
    let text = text.trim();
    if text.starts_with(['+', '-']) || matches!(text, "UTC" | "Z" | "z") {
        minutes(text).map(GivenZone::Minutes)
    } else {
        Ok(GivenZone::Named(text.to_owned()))
    }
}

/// Reads an offset from UTC such as `+02:00`, in minutes.
fn minutes(text: &str) -> Result<i32, Problem> {
    let bad = || no_zone(text);
    if matches!(text, "UTC" | "Z" | "z") {
        return Ok(0);
    }
    let (sign, digits) = match text.as_bytes().first() {
        Some(b'+') => (1, &text[1..]),
        Some(b'-') => (-1, &text[1..]),
        _ => return Err(bad()),
    };
    let digits = digits.replace(':', "");
    if !matches!(digits.len(), 2 | 4) || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(bad());
    }
    let number: i32 = digits.parse().map_err(|_| bad())?;
    let (hours, minutes) = if digits.len() == 2 {
        (number, 0)
    } else {
        (number / 100, number % 100)
    };
    if minutes > 59 {
        return Err(bad());
    }
    Ok(sign * (60 * hours + minutes))
}

/// The text form, which [`Mapping::parse`] reads.
impl fmt::Display for Mapping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        for (role, ..) in ROLES {
            let Some(RoleColumn { column, unit, .. }) = self.of(role) else {
                continue;
            };
            let mut part = format!("{}=", role.id());
            match column {
                None => part.push('-'),
                Some(name) if is_plain(name) => part.push_str(name),
                Some(name) => {
                    let _ = write!(part, "\"{}\"", name.replace('"', "\"\""));
                }
            }
            if let Some(unit) = unit {
                let _ = write!(part, ":{}", unit.id());
            }
            parts.push(part);
        }
        match &self.zone {
            Some(GivenZone::Minutes(minutes)) => {
                let sign = if *minutes < 0 { '-' } else { '+' };
                let minutes = minutes.unsigned_abs();
                parts.push(format!(
                    "zone={sign}{:02}:{:02}",
                    minutes / 60,
                    minutes % 60
                ));
            }
            Some(GivenZone::Named(name)) => parts.push(format!("zone={name}")),
            None => {}
        }
        f.write_str(&parts.join(","))
    }
}

/// True for a name that needs no quotes.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && name != "-" && name.trim() == name && !name.contains([',', ':', '"', '='])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_and_units_stand_at_their_places() {
        for (at, (role, id, ..)) in ROLES.into_iter().enumerate() {
            assert_eq!((role.index(), Role::parse(id)), (at, Some(role)));
            assert_eq!(serde_json::to_value(role).unwrap(), id);
        }
        for (at, (unit, id, ..)) in UNITS.into_iter().enumerate() {
            assert_eq!((unit.index(), ColumnUnit::parse(id)), (at, Some(unit)));
            assert_eq!(serde_json::to_value(unit).unwrap(), id);
        }
    }

    #[test]
    fn text_and_json_say_the_same() {
        let text = "submit=queued at:iso,limit=walltime:minutes,processors=\"a, \"\"b\"\": c\",\
            user=-,name=\"-\",zone=-05:30";
        let mapping = Mapping::parse(text).unwrap();
        assert_eq!(mapping.to_string(), text);
        assert_eq!(
            mapping.of(Role::Processors).unwrap().column.as_deref(),
            Some("a, \"b\": c")
        );
        assert_eq!(mapping.of(Role::User).unwrap().column, None);
        assert_eq!(mapping.of(Role::Name).unwrap().column.as_deref(), Some("-"));
        assert_eq!(
            (mapping.zone.clone(), mapping.of(Role::Job)),
            (Some(GivenZone::Minutes(-330)), None)
        );
        let json = serde_json::to_string(&mapping).unwrap();
        assert_eq!(Mapping::parse(&json).unwrap(), mapping);
        // A colon belongs to the name unless a unit follows it.
        let mapping = Mapping::parse("submit = time:queued , start=#3:unix").unwrap();
        assert_eq!(mapping.to_string(), "submit=\"time:queued\",start=#3:unix");
        assert_eq!(Mapping::parse("").unwrap(), Mapping::default());
    }

    #[test]
    fn faults_are_named() {
        for (text, fault) in [
            ("submit", "without a column"),
            ("sumbit=x", "no role `sumbit`"),
            ("submit=x,submit=y", "`submit` twice"),
            (
                "submit=x:minutes",
                "`submit` cannot have the unit `minutes`",
            ),
            ("user=x:count", "`user` cannot have the unit `count`"),
            ("submit=\"x", "does not end"),
            ("submit=\"x\"y", "after a quote"),
            ("submit=\"x\":years", "the unit `years`"),
            ("zone=CEST", "no zone `CEST`"),
            ("zone=+15:00", "900 minutes"),
            ("zone=+é", "no zone"),
            (
                "{\"columns\":[{\"role\":\"submit\",\"colum\":\"x\"}]}",
                "not understood",
            ),
            ("{\"zone\":-2147483648}", "minutes from UTC"),
        ] {
            let problem = Mapping::parse(text).expect_err(text);
            assert!(problem.what.contains(fault), "{text}: {problem}");
        }
        let long = format!("submit={}", "x".repeat(COLUMNS_BYTES));
        assert!(
            Mapping::parse(&long)
                .unwrap_err()
                .what
                .contains("too large")
        );
    }
}
