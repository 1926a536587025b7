//! Reads tables of any kind (CSV, TSV, with semicolons or pipes) whose columns a mapping, or a
//! guess, tells.

use super::cells::{self, Length};
use super::further::Further;
use super::guess::{ColumnSource, Columns};
use super::header::TableStart;
use super::mapping::{ColumnUnit, Mapping, Role, short};
use super::split::{CellRow, Splitter, Step};
use crate::import::rows::{
    BAD_ROW, Builder, EndState, FirstBytes, Format, Instant, LocalTimes, LogRow, Reading,
    bad_value, too_long,
};
use crate::problem::Problem;
use crate::pulse::{Doing, beat, during};
use crate::trace::{ColumnNote, Effect, ImportRule, QUEUE_INSTANT, Trace};
use std::borrow::Cow;

pub const FORMAT: Format = Format {
    id: "table",
    name: NAME,
    open: |start| open(start, None),
};

const NAME: &str = "Table (CSV)";

const LOCAL_TIMES: ImportRule = ImportRule {
    id: "times_without_zone",
    effect: Effect::Noted,
    text: "times without a zone: read as UTC (a mapping can give the zone)",
};
const OPEN_QUOTE: ImportRule = ImportRule {
    id: "open_quote",
    effect: Effect::Repaired,
    text: "a quote that does not end in its row: the lines are read as if quotes were letters",
};
const NO_LIMIT: ImportRule = ImportRule {
    id: "no_limit",
    effect: Effect::Noted,
    text: "a time limit without a number (UNLIMITED, Partition_Limit): no estimate",
};
const LINE_ENDS: ImportRule = ImportRule {
    id: "line_end_in_cell",
    effect: Effect::Noted,
    text: "a line end inside a cell in quotes",
};
const BAD_CELL: ImportRule = ImportRule {
    id: "bad_cell",
    effect: Effect::Repaired,
    text: "a value that its column does not have: read as unknown",
};
const BAD_STATE: ImportRule = ImportRule {
    id: "state_unknown",
    effect: Effect::Noted,
    text: "a state that is not known: the status is unknown",
};
const WORD_ID: ImportRule = ImportRule {
    id: "id_not_a_number",
    effect: Effect::Noted,
    text: "a job id that is not a number: the jobs are numbered in the order of their rows, and the \
        id is kept beside",
};
const ROUNDED: ImportRule = ImportRule {
    id: "size_rounded",
    effect: Effect::Repaired,
    text: "a size with a fraction of a processor: rounded up",
};
const SIZE_ONE: ImportRule = ImportRule {
    id: "size_one",
    effect: Effect::Repaired,
    text: "no column for the size: each job has 1 processor",
};
const SIZE_GPUS: ImportRule = ImportRule {
    id: "size_in_gpus",
    effect: Effect::Noted,
    text: "no column for processors or nodes: the number of GPUs is the size",
};
const SIZE_PRODUCT: ImportRule = ImportRule {
    id: "size_from_nodes",
    effect: Effect::Noted,
    text: "no number of processors: nodes times processors per node is the size",
};
const WORDS_LEFT_OUT: ImportRule = ImportRule {
    id: "words_left_out",
    effect: Effect::Noted,
    text: "words beyond 64 MiB in the further columns: left out",
};

/// Returns a reader if a file begins like a table. With a mapping, any first line is a header,
/// unless it only gives the zone.
pub fn open(start: &FirstBytes<'_>, mapping: Option<&Mapping>) -> Option<Box<dyn Reading>> {
    let beginning = if mapping.is_some_and(|mapping| !mapping.is_zone_alone()) {
        TableStart::of_any(start.text, start.is_whole)
    } else {
        TableStart::of(start.text, start.is_whole)
    }?;
    Some(Box::new(TableReader::new(
        &beginning,
        &mapping.cloned().unwrap_or_default(),
    )))
}

/// A reader of a table.
#[derive(Debug)]
struct TableReader {
    splitter: Splitter,
    jobs: Jobs,
    notes: Vec<ColumnNote>,
    /// A table whose columns do not tell a job.
    fault: Option<Problem>,
    is_started: bool,
    is_header_read: bool,
}

/// The jobs that the rows of a table become.
#[derive(Debug)]
struct Jobs {
    columns: Columns,
    names: Vec<String>,
    builder: Builder,
    further: Further,
    first_bad: Option<Problem>,
}

impl TableReader {
    fn new(beginning: &TableStart, mapping: &Mapping) -> Self {
        let found = Columns::of_table(beginning, mapping)
            .and_then(|columns| columns.check(beginning).map(|()| columns));
        let (columns, fault) = match found {
            Ok(columns) => (columns, None),
            Err(problem) => (Columns::default(), Some(problem)),
        };
        // Ids that are words are kept in the first of the further columns.
        let ids = columns.of(Role::Job).map(|place| place.column);
        let further = ids.iter().chain(&columns.further);
        let further = Further::new(further.map(|at| beginning.names[*at].clone()));
        Self {
            splitter: Splitter::new(beginning.separator),
            notes: notes(&columns, &beginning.names),
            fault,
            is_started: false,
            is_header_read: false,
            jobs: Jobs {
                columns,
                names: beginning.names.clone(),
                builder: Builder::default(),
                further,
                first_bad: None,
            },
        }
    }

    /// Reads the rows of some bytes. No bytes end the last row.
    fn take(&mut self, mut input: &[u8]) -> Result<(), Problem> {
        loop {
            let is_row = match self.splitter.step(&mut input) {
                Step::Empty => return Ok(()),
                Step::Row => true,
                Step::TooLong => false,
            };
            let row = self.splitter.row();
            if is_row && !self.is_header_read {
                self.is_header_read = true;
                continue;
            }
            let is_good = || self.jobs.has_all_cells(&row) && !self.splitter.has_open_quote();
            if is_row && (!row.has_line_end() || is_good()) {
                if self.splitter.is_too_long() {
                    return Err(too_long(row.line));
                }
                self.jobs.row(&row);
                continue;
            }
            // A quote that does not end would hide all lines up to the next one.
            let line = row.line;
            let (lines, left) = self.splitter.without_quotes();
            if lines.is_empty() {
                return Err(too_long(line));
            }
            self.jobs.builder.count(&OPEN_QUOTE, line);
            lines.iter().for_each(|line| self.jobs.row(&line.row()));
            if !left.is_empty() {
                self.take(&left)?;
            }
        }
    }
}

impl Jobs {
    /// True if a row has a cell for each column; an empty one may follow.
    fn has_all_cells(&self, row: &CellRow<'_>) -> bool {
        let width = self.names.len();
        row.len() == width || (row.len() == width + 1 && row.get(width).is_empty())
    }

    fn row(&mut self, row: &CellRow<'_>) {
        beat(32);
        if row.is_blank() && self.names.len() > 1 {
            return;
        }
        if row.has_line_end() {
            self.builder.count(&LINE_ENDS, row.line);
        }
        let read = if self.has_all_cells(row) {
            self.job(row)
        } else {
            Err(self.wrong_count(row))
        };
        if let Err(problem) = read {
            self.builder.count(&BAD_ROW, row.line);
            self.first_bad.get_or_insert(problem);
        }
    }

    fn wrong_count(&self, row: &CellRow<'_>) -> Problem {
        Problem::new(
            format!(
                "Line {} has {} cells, not {}.",
                row.line,
                row.len(),
                self.names.len()
            ),
            "The header says how many columns a row has.",
            "Put a cell that has separators in it into quotes; other lines are read without it.",
        )
        .at_line(row.line)
    }

    /// Adds the job of a row.
    fn job(&mut self, row: &CellRow<'_>) -> Result<(), Problem> {
        let mut cells = Cells {
            row,
            columns: &self.columns,
            names: &self.names,
            builder: &mut self.builder,
            local: LocalTimes::default(),
        };
        let told = cells.told()?;
        let (number, task, word_id) = cells.id();
        let state_cell = cells.cell(Role::State).unwrap_or_default();
        let state = cells.state(&state_cell);
        let words = [
            Role::User,
            Role::Group,
            Role::Account,
            Role::Queue,
            Role::Qos,
            Role::Name,
            Role::Dependency,
        ]
        .map(|role| cells.cell(role).unwrap_or_default());
        let [user, group, account, queue, qos, name, dependency] = &words;
        let log_row = LogRow {
            line: row.line,
            number,
            task,
            tasks: 1,
            state,
            state_word: &state_cell,
            user,
            group,
            account,
            queue,
            qos,
            name,
            dependency,
            ..told
        };
        let before = self.builder.records();
        self.builder.push(&log_row);
        if self.builder.records() > before {
            let further: Vec<Cow<'_, str>> =
                self.columns.further.iter().map(|at| row.get(*at)).collect();
            let further = further.iter().map(|cell| cells::known(cell));
            let left_out = if self.columns.has(Role::Job) {
                self.further
                    .push(std::iter::once(word_id.as_deref()).chain(further))
            } else {
                self.further.push(further)
            };
            if left_out > 0 {
                self.builder.count(&WORDS_LEFT_OUT, row.line);
            }
        }
        Ok(())
    }
}

/// The cells of a row by role.
struct Cells<'a, 'b> {
    row: &'a CellRow<'a>,
    columns: &'b Columns,
    names: &'b [String],
    builder: &'b mut Builder,
    local: LocalTimes,
}

impl<'a> Cells<'a, '_> {
    /// Returns the cell of a role, unless it says that the value is not known.
    fn cell(&self, role: Role) -> Option<Cow<'a, str>> {
        let cell = self.row.get(self.columns.of(role)?.column);
        cells::known(&cell).is_some().then_some(cell)
    }

    fn unit(&self, role: Role) -> ColumnUnit {
        self.columns
            .of(role)
            .and_then(|place| place.unit)
            .unwrap_or(ColumnUnit::Count)
    }

    /// Returns the problem of a cell that a job cannot do without.
    fn bad(&self, role: Role, cell: &str) -> Problem {
        let column = self.columns.of(role).map_or(0, |place| place.column);
        bad_value(
            self.row.line,
            &short(&self.names[column], 100),
            cell,
            &format!(
                "The column holds `{}` in the unit `{}`.",
                role.id(),
                self.unit(role).id()
            ),
        )
    }

    fn time(&mut self, role: Role) -> Result<Option<i64>, Problem> {
        let Some(cell) = self.cell(role) else {
            return Ok(None);
        };
        match cells::time(&cell, self.unit(role)) {
            Instant::Absolute(seconds) => Ok(Some(seconds)),
            Instant::Local(seconds) => {
                let zone = self.columns.zone.as_ref();
                Ok(Some(self.local.take(seconds, zone)))
            }
            Instant::Unknown => Ok(None),
            Instant::Bad => Err(self.bad(role, &cell)),
        }
    }

    fn length(&mut self, role: Role) -> Result<Option<i64>, Problem> {
        let Some(cell) = self.cell(role) else {
            return Ok(None);
        };
        match cells::span(&cell, self.unit(role)) {
            Length::Seconds(seconds) => Ok(Some(seconds)),
            Length::Unlimited => Ok(None),
            // Logs write -1 for a length that never was.
            Length::Bad if cells::number(&cell).is_some_and(|number| number < 0.0) => Ok(None),
            Length::Bad => Err(self.bad(role, &cell)),
        }
    }

    fn count(&mut self, role: Role) -> Option<i64> {
        let cell = self.cell(role)?;
        let unit = self.unit(role);
        let found = cells::count(&cell, unit);
        // Logs write -1 for a number that they do not know.
        if found.is_none() && !cells::number(&cell).is_some_and(|number| number < 0.0) {
            self.builder.count(&BAD_CELL, self.row.line);
        }
        let is_rounded = match cells::number(&cell) {
            Some(number) if unit == ColumnUnit::Hundredths => number % 100.0 != 0.0,
            Some(number) => number.fract() != 0.0,
            None => cell.ends_with('m'),
        };
        if found.is_some() && is_rounded {
            self.builder.count(&ROUNDED, self.row.line);
        }
        found
    }

    /// Returns a row with times, lengths and sizes.
    fn told(&mut self) -> Result<LogRow<'static>, Problem> {
        let mut submit = self.time(Role::Submit)?;
        let eligible = self.time(Role::Eligible)?;
        let mut start = self.time(Role::Start)?;
        let end = self.time(Role::End)?;
        let wait = self.length(Role::Wait)?;
        let elapsed = self.length(Role::RunTime)?;
        let zone = self.columns.zone.as_ref();
        self.local
            .count(zone, &LOCAL_TIMES, self.row.line, self.builder);
        if start.is_none() && !self.columns.has(Role::Start) {
            let after_wait = submit.zip(wait).map(|(submit, wait)| submit + wait);
            let before_end = end
                .zip(elapsed.filter(|elapsed| *elapsed > 0))
                .map(|(end, elapsed)| end - elapsed);
            start = after_wait.or(before_end);
        }
        if submit.is_none() && !self.columns.has(Role::Submit) {
            submit = start.zip(wait).map(|(start, wait)| start - wait);
        }
        let mut row = LogRow {
            submit,
            eligible,
            start,
            end,
            elapsed,
            limit: self.limit(),
            processors: self.count(Role::Processors),
            requested: self.count(Role::Requested),
            nodes: self.count(Role::Nodes),
            gpus: self.count(Role::Gpus),
            memory: self.memory(Role::Memory),
            ..LogRow::default()
        };
        if let Some(of_node) = self.memory(Role::NodeMemory) {
            row.node_memory = Some(of_node as i64);
            let nodes = row.nodes.unwrap_or(1).max(1);
            row.memory = row.memory.or(Some(of_node * nodes as f64));
        }
        self.size(&mut row);
        Ok(row)
    }

    fn limit(&mut self) -> Option<i64> {
        let cell = self.cell(Role::Limit)?;
        match cells::span(&cell, self.unit(Role::Limit)) {
            Length::Seconds(seconds) => return Some(seconds),
            Length::Unlimited => self.builder.count(&NO_LIMIT, self.row.line),
            Length::Bad if cells::number(&cell).is_some_and(|number| number < 0.0) => {}
            Length::Bad => self.builder.count(&BAD_CELL, self.row.line),
        }
        None
    }

    fn memory(&mut self, role: Role) -> Option<f64> {
        let cell = self.cell(role)?;
        let found = cells::amount(&cell, self.unit(role));
        if found.is_none() {
            self.builder.count(&BAD_CELL, self.row.line);
        }
        found
    }

    /// Decides about the size of a row without a number of processors.
    fn size(&mut self, row: &mut LogRow<'_>) {
        let per_node = self.count(Role::CoresPerNode);
        if row.processors.is_some_and(|count| count > 0) || row.requested.is_some() {
            return;
        }
        if let (Some(nodes), Some(per_node)) = (row.nodes, per_node)
            && nodes > 0
            && per_node > 0
        {
            row.processors = nodes.checked_mul(per_node);
            self.builder.count(&SIZE_PRODUCT, self.row.line);
            return;
        }
        let has = |role| self.columns.has(role);
        if has(Role::Processors) || has(Role::Requested) || has(Role::Nodes) {
            return;
        }
        if has(Role::Gpus) {
            row.processors = row.gpus;
            self.builder.count(&SIZE_GPUS, self.row.line);
        } else {
            row.processors = Some(1);
            self.builder.count(&SIZE_ONE, self.row.line);
        }
    }

    fn state(&mut self, cell: &str) -> EndState {
        if cell.is_empty() {
            return EndState::Unknown;
        }
        cells::state(cell, self.unit(Role::State)).unwrap_or_else(|| {
            self.builder.count(&BAD_STATE, self.row.line);
            EndState::Unknown
        })
    }

    /// Returns the number and the task of the job, and its id if this is a word. A job without an id
    /// is numbered in the order of the rows.
    fn id(&mut self) -> (i64, Option<i64>, Option<String>) {
        let of_row = self.builder.records() as i64 + 1;
        let Some(cell) = self.cell(Role::Job) else {
            return (of_row, None, None);
        };
        match cells::job(&cell) {
            Some((number, task)) => (number, task, None),
            None => {
                self.builder.count(&WORD_ID, self.row.line);
                (of_row, None, Some(cell.into_owned()))
            }
        }
    }
}

/// Returns what the report says about the columns.
pub fn notes(columns: &Columns, names: &[String]) -> Vec<ColumnNote> {
    let note = |column: usize, name: &str| {
        let text = match columns.role(column) {
            Some((role, place)) => {
                let by = match place.source {
                    ColumnSource::Given => "given",
                    ColumnSource::Name => "by its name",
                };
                let unit = match place.unit {
                    None | Some(ColumnUnit::Count) => String::new(),
                    Some(unit) => format!("; {}, {}", unit.name(), place.reason),
                };
                format!("{}, {by}{unit}", role.name())
            }
            None if columns.further.contains(&column) => "kept beside".to_owned(),
            None => "left out: too many columns".to_owned(),
        };
        ColumnNote {
            column: short(name, 100),
            text,
        }
    };
    names
        .iter()
        .enumerate()
        .map(|(column, name)| note(column, name))
        .collect()
}

impl Reading for TableReader {
    fn push(&mut self, bytes: &[u8]) -> Result<(), Problem> {
        if let Some(fault) = &self.fault {
            return Err(fault.clone());
        }
        let mut bytes = bytes;
        if !self.is_started && !bytes.is_empty() {
            self.is_started = true;
            bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
        }
        let jobs = self.records() as u64;
        during(Doing::Reading { jobs }, || {
            if bytes.is_empty() {
                Ok(())
            } else {
                self.take(bytes)
            }
        })
    }

    fn keep_queue(&mut self) {
        self.jobs.builder.keep_queue();
    }

    fn records(&self) -> usize {
        self.jobs.builder.records()
    }

    fn finish(mut self: Box<Self>, name: &str) -> Result<Trace, Problem> {
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        self.take(b"")?;
        let Jobs {
            builder,
            further,
            first_bad,
            columns,
            ..
        } = self.jobs;
        if builder.records() == 0
            && let Some(problem) = first_bad
        {
            return Err(problem);
        }
        let mut trace = builder.finish(name, NAME)?;
        if columns.is_since() {
            trace.header.retain(|line| {
                !line.starts_with("; UnixStartTime") && !line.contains(QUEUE_INSTANT)
            });
        }
        let further = further.columns(&trace.columns);
        trace.columns.extend(further);
        trace.report.columns = self.notes;
        Ok(trace)
    }
}
