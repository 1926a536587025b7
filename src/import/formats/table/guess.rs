//! Decides which column holds what, and in which unit: by the mapping, by names, and by the first
//! values. docs/formats/tables.md has the rules.

use super::cells::{self, DayPlace, Length};
use super::header::TableStart;
use super::mapping::{ColumnUnit, GivenZone, Mapping, ROLES, Role, RoleColumn, ValueKind, short};
use super::names::{self, ColumnName};
use crate::import::rows::{Instant, Zone};
use crate::limits::{MORE_COLUMNS, TABLE_COLUMNS, check};
use crate::problem::Problem;

/// The source of a choice.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum ColumnSource {
    /// The mapping names the column.
    Given,
    /// The column's name is a known one.
    Name,
}

/// The column of a role.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct ColumnPlace {
    /// ColumnPlace of the column, from 0.
    pub column: usize,
    /// ColumnUnit of its values; `None` for ids and names.
    pub unit: Option<ColumnUnit>,
    /// The source of the choice of the column.
    pub source: ColumnSource,
    /// The reason for the unit.
    pub reason: &'static str,
}

/// The columns of a table by role.
#[derive(Clone, Debug, Default)]
pub struct Columns {
    /// The place of each role, by [`Role::index`].
    places: [Option<ColumnPlace>; ROLES.len()],
    /// Columns that are kept beside, in order.
    pub further: Vec<usize>,
    /// Columns beyond the limit.
    pub left_out: Vec<usize>,
    /// The zone of times that tell none, and as the mapping gives it.
    pub zone: Option<Zone>,
    pub given_zone: Option<GivenZone>,
}

/// Values of a column that are looked at for its unit.
const LOOKED_AT: usize = 200;

/// Share of the limits, in hundredths, that must be no less than the run times.
const COVERED: usize = 90;

/// The units of lengths that evidence is looked for, the smallest first.
const UNITS_OF_LENGTH: [(ColumnUnit, f64); 3] = [
    (ColumnUnit::Seconds, 1.0),
    (ColumnUnit::Minutes, 60.0),
    (ColumnUnit::Hours, 3600.0),
];

/// Reasons for units.
const GIVEN: &str = "given";
const BY_NAME: &str = "by its name";
const BY_VALUES: &str = "by the first values";
const BY_OTHERS: &str = "by the columns beside it";
const UNSURE: &str = "for want of evidence (please check)";

impl Columns {
    /// Returns the place of a role.
    pub fn of(&self, role: Role) -> Option<ColumnPlace> {
        self.places[role.index()]
    }

    /// True if a column holds a role.
    pub fn has(&self, role: Role) -> bool {
        self.of(role).is_some()
    }

    /// Returns the role that a column has.
    pub fn role(&self, column: usize) -> Option<(Role, ColumnPlace)> {
        ROLES
            .iter()
            .filter_map(|(role, ..)| Some((*role, self.of(*role)?)))
            .find(|(_, place)| place.column == column)
    }

    /// True if the instants count from the beginning of the log.
    pub fn is_since(&self) -> bool {
        [Role::Submit, Role::Eligible, Role::Start, Role::End]
            .iter()
            .filter_map(|role| self.of(*role)?.unit)
            .any(|unit| {
                matches!(
                    unit,
                    ColumnUnit::Since | ColumnUnit::SinceMs | ColumnUnit::SinceUs
                )
            })
    }

    /// Decides about the columns of a table.
    ///
    /// # Errors
    /// Returns a problem if the table has too many columns, or if the mapping contradicts itself or
    /// names a column that the table does not have.
    pub fn of_table(table: &TableStart, mapping: &Mapping) -> Result<Self, Problem> {
        check("The table", table.names.len(), TABLE_COLUMNS, "columns")?;
        mapping.check()?;
        let known: Vec<ColumnName> = table.names.iter().map(|name| names::known(name)).collect();
        let mut columns = Self {
            zone: mapping.zone(),
            given_zone: mapping.zone.clone(),
            ..Self::default()
        };
        let mut is_free = vec![true; known.len()];
        for RoleColumn { role, column, .. } in &mapping.columns {
            let Some(name) = column else { continue };
            let column = find(&table.names, name).ok_or_else(|| no_column(table, *role, name))?;
            is_free[column] = false;
            columns.put(*role, column, ColumnSource::Given);
        }
        for (role, ..) in ROLES {
            if mapping.of(role).is_some() {
                continue;
            }
            let fits =
                |column: &usize| is_free[*column] && fits(table, &known, *column, role.kind());
            if let Some(column) = names::candidates(role, &known).find(fits) {
                is_free[column] = false;
                columns.put(role, column, ColumnSource::Name);
            }
        }
        columns.place_walltime(&known, mapping);
        columns.take_units(table, &known, mapping);
        let used = |column: &usize| columns.places.iter().flatten().any(|p| p.column == *column);
        let mut rest = (0..known.len()).filter(|column| !used(column));
        columns.further = rest.by_ref().take(MORE_COLUMNS).collect();
        columns.left_out = rest.collect();
        Ok(columns)
    }

    fn put(&mut self, role: Role, column: usize, source: ColumnSource) {
        self.places[role.index()] = Some(ColumnPlace {
            column,
            unit: None,
            source,
            reason: "",
        });
    }

    /// A column `walltime` is a run time if nothing else tells one.
    fn place_walltime(&mut self, known: &[ColumnName], mapping: &Mapping) {
        let Some(limit) = self.of(Role::Limit) else {
            return;
        };
        let has_other = self.has(Role::RunTime) || self.has(Role::End);
        if limit.source == ColumnSource::Name
            && names::is_walltime(&known[limit.column])
            && !has_other
            && mapping.of(Role::RunTime).is_none()
        {
            self.places[Role::Limit.index()] = None;
            self.put(Role::RunTime, limit.column, ColumnSource::Name);
        }
    }

    /// Decides about the units. The limit comes last, because the run times help with it.
    fn take_units(&mut self, table: &TableStart, known: &[ColumnName], mapping: &Mapping) {
        let is_day_first = self.is_day_first(table);
        let roles = ROLES.iter().filter(|(role, ..)| *role != Role::Limit);
        for (role, .., kind) in roles {
            let Some(place) = self.of(*role) else {
                continue;
            };
            let (unit, reason) = match mapping.of(*role).and_then(|entry| entry.unit) {
                Some(unit) => (Some(unit), GIVEN),
                None => match unit(table, known, place.column, *kind, is_day_first) {
                    (_, UNSURE) if *kind == ValueKind::Length => self.length_unit(table, *role),
                    found => found,
                },
            };
            self.set_unit(*role, unit, reason);
        }
        if let Some(place) = self.of(Role::Limit) {
            let (unit, reason) = match mapping.of(Role::Limit).and_then(|entry| entry.unit) {
                Some(unit) => (Some(unit), GIVEN),
                None => self.limit_unit(table, known, place.column),
            };
            self.set_unit(Role::Limit, unit, reason);
        }
    }

    fn set_unit(&mut self, role: Role, unit: Option<ColumnUnit>, reason: &'static str) {
        if let Some(place) = &mut self.places[role.index()] {
            place.unit = unit;
            place.reason = reason;
        }
    }

    /// Returns true if the dates of the table have the day first; `None` if no date tells.
    fn is_day_first(&self, table: &TableStart) -> Option<bool> {
        let times = ROLES
            .iter()
            .filter(|(.., kind)| *kind == ValueKind::Time)
            .filter_map(|(role, ..)| self.of(*role));
        for place in times {
            for value in table.values(place.column) {
                match cells::day_place(value) {
                    Some(DayPlace::First) => return Some(true),
                    Some(DayPlace::Second) => return Some(false),
                    _ => {}
                }
            }
        }
        None
    }

    /// Decides about the unit of run times and waits: the one in which half of them, or more, are
    /// the time between the instants beside them.
    fn length_unit(&self, table: &TableStart, role: Role) -> (Option<ColumnUnit>, &'static str) {
        let between = if role == Role::Wait {
            (Role::Submit, Role::Start)
        } else {
            (Role::Start, Role::End)
        };
        let pairs: Vec<(f64, f64)> = table
            .sample
            .iter()
            .filter_map(|row| {
                let column = self.of(role)?.column;
                let told = cells::number(cells::known(row.get(column)?)?)?;
                let span = self.instant(row, between.1)? - self.instant(row, between.0)?;
                (span > 0).then_some((told, span as f64))
            })
            .collect();
        for (unit, seconds) in UNITS_OF_LENGTH {
            let matching = pairs
                .iter()
                .filter(|(told, span)| (told * seconds - span).abs() <= seconds)
                .count();
            if matching > 0 && matching * 2 >= pairs.len() {
                return (Some(unit), BY_OTHERS);
            }
        }
        (Some(ColumnUnit::Seconds), UNSURE)
    }

    /// Returns the instant of a role in a row, in seconds.
    fn instant(&self, row: &[String], role: Role) -> Option<i64> {
        let ColumnPlace { column, unit, .. } = self.of(role)?;
        cells::time(cells::known(row.get(column)?)?, unit?).seconds()
    }

    /// Decides about the unit of limits: by the name, by the notation, by the run times.
    fn limit_unit(
        &self,
        table: &TableStart,
        known: &[ColumnName],
        column: usize,
    ) -> (Option<ColumnUnit>, &'static str) {
        let (unit, reason) = unit(table, known, column, ValueKind::Length, None);
        if reason != UNSURE {
            return (unit, reason);
        }
        let limits = || table.values(column).filter_map(cells::number);
        // 31 days in minutes.
        let are_minutes = limits().all(|limit| limit <= 44_640.0);
        if names::is_slurm_limit(&known[column]) && are_minutes {
            return (Some(ColumnUnit::Minutes), BY_NAME);
        }
        let pairs: Vec<(f64, f64)> = table
            .sample
            .iter()
            .filter_map(|row| {
                let limit = cells::number(cells::known(&row[column])?)?;
                Some((limit, self.seconds_run(row)?))
            })
            .collect();
        // Short runs fit any unit.
        if pairs.iter().any(|(_, run)| *run > 60.0) {
            for (unit, seconds) in UNITS_OF_LENGTH {
                let covered = pairs
                    .iter()
                    .filter(|(limit, run)| limit * seconds + 60.0 >= *run)
                    .count();
                if covered * 100 >= pairs.len() * COVERED {
                    return (Some(unit), BY_OTHERS);
                }
            }
        }
        (Some(ColumnUnit::Seconds), UNSURE)
    }

    /// Returns the seconds that the job of a row ran.
    fn seconds_run(&self, row: &[String]) -> Option<f64> {
        let told = || {
            let ColumnPlace { column, unit, .. } = self.of(Role::RunTime)?;
            match cells::span(cells::known(row.get(column)?)?, unit?) {
                Length::Seconds(seconds) => Some(seconds),
                _ => None,
            }
        };
        let seconds = told()
            .or_else(|| Some(self.instant(row, Role::End)? - self.instant(row, Role::Start)?))?;
        Some(seconds as f64)
    }

    /// Returns a problem if the columns do not tell a job.
    pub fn check(&self, table: &TableStart) -> Result<(), Problem> {
        let has = |role| self.has(role);
        let has_begin = has(Role::Start) || (has(Role::Submit) && has(Role::Wait));
        let missing = if !(has(Role::Submit) || has(Role::Eligible) || has(Role::Start)) {
            "the submission or the start of a job"
        } else if !(has(Role::RunTime) || (has_begin && has(Role::End))) {
            "the run time of a job, or its start and its end"
        } else {
            return Ok(());
        };
        Err(Problem::new(
            format!("The table has no column that is known to hold {missing}."),
            format!(
                "A job needs a submission or a start, and a run time or an end. The columns are {}.",
                listed(&table.names)
            ),
            "Say which column holds what: on the page in the dialog Columns, in the terminal with \
                --columns \"submit=COLUMN,start=COLUMN,end=COLUMN\" (docs/formats/tables.md).",
        )
        .at_line(1))
    }
}

/// Returns the names of columns for a message.
fn listed(names: &[String]) -> String {
    const MOST: usize = 60;
    let mut shown: Vec<String> = names
        .iter()
        .take(MOST)
        .map(|name| format!("`{}`", short(name, 40)))
        .collect();
    if names.len() > MOST {
        shown.push(format!("and {} more", names.len() - MOST));
    }
    shown.join(", ")
}

fn no_column(table: &TableStart, role: Role, name: &str) -> Problem {
    Problem::new(
        format!(
            "The table has no column `{}`, which the mapping names for `{}`.",
            short(name, 40),
            role.id()
        ),
        format!("The columns are {}.", listed(&table.names)),
        "Use a name of the header, or # and the column's number from 1.",
    )
}

/// Returns the column with this name, or with this number after `#`.
fn find(names: &[String], wanted: &str) -> Option<usize> {
    let number = || {
        let number: usize = wanted.strip_prefix('#')?.parse().ok()?;
        number.checked_sub(1).filter(|at| *at < names.len())
    };
    names
        .iter()
        .position(|name| name == wanted)
        .or_else(|| {
            let wanted = wanted.trim();
            names
                .iter()
                .position(|name| name.to_lowercase() == wanted.to_lowercase())
        })
        .or_else(number)
}

/// Returns the text by which a mapping names a column.
pub fn reference(names: &[String], column: usize) -> String {
    let name = &names[column];
    if !name.is_empty() && find(names, name) == Some(column) {
        name.clone()
    } else {
        format!("#{}", column + 1)
    }
}

/// Returns true if half of the known values of a column, or more, can be values of a role.
fn fits(table: &TableStart, known: &[ColumnName], column: usize, kind: ValueKind) -> bool {
    if matches!(kind, ValueKind::Word | ValueKind::Id) {
        return true;
    }
    let unit = unit(table, known, column, kind, None).0;
    let Some(unit) = unit else { return false };
    let can_be_read = |value: &&str| match kind {
        ValueKind::Time => {
            cells::time(value, unit) != Instant::Bad || cells::day_place(value).is_some()
        }
        ValueKind::Length => cells::span(value, unit) != Length::Bad,
        ValueKind::Count => cells::count(value, unit).is_some(),
        ValueKind::Memory => cells::amount(value, unit).is_some(),
        // A word that is not known is still a state.
        _ => true,
    };
    let values = || table.values(column).take(LOOKED_AT);
    values().filter(can_be_read).count() * 2 >= values().count()
}

/// Decides about a unit by the name and the first values of a column, and says by which of them.
fn unit(
    table: &TableStart,
    known: &[ColumnName],
    column: usize,
    kind: ValueKind,
    is_day_first: Option<bool>,
) -> (Option<ColumnUnit>, &'static str) {
    let values = || table.values(column).take(LOOKED_AT);
    let name = &known[column];
    let named = name.unit.filter(|unit| unit.kind() == kind);
    // A few values of another kind do not change the unit of a column.
    let words = values().filter(|value| {
        cells::number(value).is_none()
            && cells::span(value, ColumnUnit::Seconds) != Length::Unlimited
    });
    let is_numeric = words.count() * 2 < values().count().max(1);
    let largest = values().filter_map(cells::number).fold(0.0, f64::max);
    let (unit, reason) = match kind {
        ValueKind::Time => time_unit(&values, name, is_numeric, largest, is_day_first),
        ValueKind::Length if !is_numeric => (ColumnUnit::Clock, BY_VALUES),
        ValueKind::Length => named.map_or((ColumnUnit::Seconds, UNSURE), |unit| (unit, BY_NAME)),
        ValueKind::Count if names::is_in_hundredths(name) => (ColumnUnit::Hundredths, BY_NAME),
        ValueKind::Count => (ColumnUnit::Count, BY_NAME),
        ValueKind::Memory => {
            let custom = names::is_in_gigabytes(name).then_some(ColumnUnit::Gigabytes);
            match named.or(custom) {
                Some(unit) => (unit, BY_NAME),
                None if !is_numeric => (ColumnUnit::Megabytes, BY_VALUES),
                None if largest >= 1e9 => (ColumnUnit::Bytes, UNSURE),
                None if largest >= 1e6 => (ColumnUnit::Kilobytes, UNSURE),
                None => (ColumnUnit::Megabytes, UNSURE),
            }
        }
        ValueKind::State if names::is_exit_status(name) && is_status(values()) => {
            (ColumnUnit::ExitStatus, BY_NAME)
        }
        ValueKind::State if is_numeric && values().next().is_some() => {
            (ColumnUnit::SlurmNumber, BY_VALUES)
        }
        ValueKind::State => (ColumnUnit::Words, BY_VALUES),
        ValueKind::Id | ValueKind::Word => return (None, ""),
    };
    (Some(unit), reason)
}

/// True if all values are exit statuses, such as `0` or `0:0`.
fn is_status<'a>(mut values: impl Iterator<Item = &'a str>) -> bool {
    values.all(|value| value.split(':').all(|part| cells::number(part).is_some()))
}

fn time_unit<'a, V: Iterator<Item = &'a str>>(
    values: &impl Fn() -> V,
    name: &ColumnName,
    is_numeric: bool,
    largest: f64,
    is_day_first: Option<bool>,
) -> (ColumnUnit, &'static str) {
    if is_numeric {
        // The same numbers in the units of 1979 and later.
        let unit = match largest {
            _ if values().next().is_none() => ColumnUnit::Unix,
            largest if largest >= 1e17 => ColumnUnit::UnixNs,
            largest if largest >= 1e14 => ColumnUnit::UnixUs,
            largest if largest >= 3e11 => ColumnUnit::UnixMs,
            largest if largest >= 3e8 => ColumnUnit::Unix,
            _ => match name.unit {
                Some(ColumnUnit::Milliseconds) => ColumnUnit::SinceMs,
                Some(ColumnUnit::UnixUs) => ColumnUnit::SinceUs,
                _ => ColumnUnit::Since,
            },
        };
        return (unit, BY_VALUES);
    }
    let dates = values().filter(|value| cells::day_place(value).is_some());
    if dates.count() * 2 < values().count() {
        return (ColumnUnit::Iso, BY_VALUES);
    }
    match is_day_first {
        _ if values().any(cells::has_points) => (ColumnUnit::EuropeanDate, BY_VALUES),
        Some(true) => (ColumnUnit::EuropeanDate, BY_VALUES),
        Some(false) => (ColumnUnit::UsDate, BY_VALUES),
        None => (ColumnUnit::UsDate, UNSURE),
    }
}
