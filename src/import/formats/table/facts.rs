//! The beginning of a table and the guess about its columns, for a reader who corrects the guess.

use super::guess::{Columns, reference};
use super::header::TableStart;
use super::mapping::{ColumnUnit, Mapping, ROLES, Role, RoleColumn, UNITS, ValueKind, short};
use super::reader::notes;
use crate::problem::Problem;
use serde::Serialize;

/// Rows that are shown.
const ROWS: usize = 10;

/// Characters of a cell that are shown.
const CELL: usize = 60;

/// The beginning of a table, with the columns as far as they are known.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct TableFacts {
    /// Text that tables with the same header share.
    pub header: String,
    /// The columns, in order.
    pub columns: Vec<TableColumn>,
    /// The first rows, with a cell for each column.
    pub rows: Vec<Vec<String>>,
    /// The mapping that gives these columns, with every role.
    pub mapping: Mapping,
    /// The same mapping as text.
    pub text: String,
    /// True if a column holds times without a zone.
    pub is_local: bool,
    /// The reason why the columns do not tell a job, if they do not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<Problem>,
    /// All roles, with the units of each.
    pub roles: Vec<RoleFacts>,
}

/// A column of a table.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct TableColumn {
    /// Its name in the header.
    pub name: String,
    /// The text by which a mapping names it.
    pub reference: String,
    /// The fact that it holds, if it is a known one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// The unit of its values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<ColumnUnit>,
    /// The role, the unit and their reasons in words.
    pub note: String,
}

/// A role that a column can have.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct RoleFacts {
    /// Stable id.
    pub role: Role,
    /// Name for readers.
    pub name: String,
    /// The units that its values can have.
    pub units: Vec<UnitFacts>,
}

/// A unit of values.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct UnitFacts {
    /// Stable id.
    pub unit: ColumnUnit,
    /// Name for readers.
    pub name: String,
}

impl TableFacts {
    /// Describes a table.
    pub fn of(table: &TableStart, mapping: &Mapping) -> Self {
        let (columns, problem) = match Columns::of_table(table, mapping) {
            Ok(columns) => {
                let problem = columns.check(table).err();
                (columns, problem)
            }
            Err(problem) => (Columns::default(), Some(problem)),
        };
        let notes = notes(&columns, &table.names);
        let described = notes.into_iter().enumerate().map(|(at, note)| {
            let role = columns.role(at);
            TableColumn {
                name: short(&table.names[at], 100),
                reference: reference(&table.names, at),
                role: role.map(|(role, _)| role),
                unit: role.and_then(|(_, place)| place.unit),
                note: note.text,
            }
        });
        let mapping = whole_mapping(table, &columns);
        let cells = |row: &Vec<String>| row.iter().map(|cell| short(cell, CELL)).collect();
        Self {
            header: table.names.join("\u{1f}"),
            columns: described.collect(),
            rows: table.sample.iter().take(ROWS).map(cells).collect(),
            text: mapping.to_string(),
            mapping,
            is_local: is_local(table, &columns),
            problem,
            roles: roles(),
        }
    }
}

/// Returns a mapping that leaves nothing to guess.
fn whole_mapping(table: &TableStart, columns: &Columns) -> Mapping {
    let entry = |role: Role| match columns.of(role) {
        Some(place) => RoleColumn {
            role,
            column: Some(reference(&table.names, place.column)),
            unit: place.unit,
        },
        None => RoleColumn {
            role,
            column: None,
            unit: None,
        },
    };
    Mapping {
        columns: ROLES.iter().map(|(role, ..)| entry(*role)).collect(),
        zone: columns.given_zone.clone(),
    }
}

fn is_local(table: &TableStart, columns: &Columns) -> bool {
    use super::cells::time;
    use crate::import::rows::Instant;
    ROLES
        .iter()
        .filter(|(.., kind)| *kind == ValueKind::Time)
        .filter_map(|(role, ..)| columns.of(*role))
        .any(|place| {
            let unit = place.unit.unwrap_or(ColumnUnit::Unix);
            table
                .values(place.column)
                .any(|value| matches!(time(value, unit), Instant::Local(_)))
        })
}

fn roles() -> Vec<RoleFacts> {
    ROLES
        .iter()
        .map(|(role, _, name, kind)| RoleFacts {
            role: *role,
            name: (*name).to_owned(),
            units: UNITS
                .iter()
                .filter(|(.., of)| of == kind)
                .map(|(unit, _, name, _)| UnitFacts {
                    unit: *unit,
                    name: (*name).to_owned(),
                })
                .collect(),
        })
        .collect()
}
