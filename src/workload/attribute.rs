//! Attributes of jobs: what a log says of a job beside its size and times, by number and by name.
//!
//! Users, groups, applications and queues are numbers in the table of jobs; the log may have names
//! for them. Partitions and further columns stay in the log, where each job has its record.

use super::Workload;
use crate::job::JobId;
use crate::trace::{Column, ColumnValues, Record, Words};
use serde::Serialize;

/// Number of words of an attribute that its facts list.
const EXAMPLES: usize = 12;

/// An attribute of jobs.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Attribute {
    /// The user.
    User,
    /// The group of the user.
    Group,
    /// The application, or the name of the job.
    Application,
    /// The queue.
    Queue,
    /// The partition.
    Partition,
    /// A further column of the log, by its place.
    Column(usize),
}

/// The kind of an attribute's values.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "lowercase")]
pub enum AttributeKind {
    /// Words, or numbers that stand for something.
    Words,
    /// Numbers that are quantities.
    Numbers,
    /// Instants, in seconds after the trace's zero.
    Moments,
}

/// An attribute that a workload has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct AttributeFacts {
    /// Stable id, by which filters and files name the attribute.
    pub id: String,
    /// Name for readers.
    pub name: String,
    /// Kind of the values.
    pub kind: AttributeKind,
    /// True if the attribute is a further column of the log, and not a field of its records.
    pub further: bool,
    /// The first words, in the order of their first jobs; empty without words.
    pub words: Vec<String>,
}

/// The attributes that are fields of a record, with their ids and names.
const FIELDS: [(&str, &str, Attribute); 5] = [
    ("user", "User", Attribute::User),
    ("group", "Group", Attribute::Group),
    ("app", "Application", Attribute::Application),
    ("queue", "Queue", Attribute::Queue),
    ("partition", "Partition", Attribute::Partition),
];

impl Workload {
    /// Returns the further columns of the log.
    pub fn columns(&self) -> &[Column] {
        self.log
            .trace
            .as_ref()
            .map_or(&[], |trace| trace.columns.as_slice())
    }

    /// Returns the attribute with this id.
    pub fn attribute(&self, id: &str) -> Option<Attribute> {
        let field = FIELDS.iter().find(|(known, ..)| *known == id);
        field.map(|(.., attribute)| *attribute).or_else(|| {
            let column = self.columns().iter().position(|column| column.id == id)?;
            Some(Attribute::Column(column))
        })
    }

    /// Returns the name of an attribute for readers.
    pub fn name_of(&self, attribute: Attribute) -> String {
        let field = FIELDS.iter().find(|(.., known)| *known == attribute);
        match (field, attribute) {
            (Some((_, name, _)), _) => (*name).to_owned(),
            (None, Attribute::Column(place)) => self.columns()[place].name.clone(),
            (None, _) => String::new(),
        }
    }

    /// Returns the attributes in which the jobs can differ: fields that have more than one value or
    /// names, and all further columns.
    pub fn attributes(&self) -> Vec<AttributeFacts> {
        let fields = FIELDS
            .iter()
            .filter(|(.., attribute)| self.differs(*attribute))
            .map(|(id, name, attribute)| self.facts(id, name, *attribute));
        let columns = self
            .columns()
            .iter()
            .enumerate()
            .map(|(place, column)| AttributeFacts {
                further: true,
                ..self.facts(&column.id, &column.name, Attribute::Column(place))
            });
        fields.chain(columns).collect()
    }

    fn facts(&self, id: &str, name: &str, attribute: Attribute) -> AttributeFacts {
        let words = self.words(attribute);
        AttributeFacts {
            id: id.to_owned(),
            name: name.to_owned(),
            kind: self.kind(attribute),
            further: false,
            words: words.map_or_else(Vec::new, |words| {
                words.iter().take(EXAMPLES).map(str::to_owned).collect()
            }),
        }
    }

    /// True if jobs have different values of a field, or names for them. A partition that is the
    /// queue does not count.
    fn differs(&self, field: Attribute) -> bool {
        if field == Attribute::Partition {
            let other = |job| self.key(field, job) != self.key(Attribute::Queue, job);
            if !self.ids().any(other) {
                return false;
            }
        }
        let first = || self.key(field, JobId(0));
        !self.is_empty()
            && (self.words(field).is_some()
                || self.ids().any(|job| self.key(field, job) != first()))
    }

    /// Returns the kind of the values of an attribute.
    pub fn kind(&self, attribute: Attribute) -> AttributeKind {
        match attribute {
            Attribute::Column(place) => match &self.columns()[place] {
                Column { id, .. } if id == "eligible" => AttributeKind::Moments,
                column if matches!(column.values, ColumnValues::Numbers(_)) => {
                    AttributeKind::Numbers
                }
                _ => AttributeKind::Words,
            },
            _ => AttributeKind::Words,
        }
    }

    /// Returns the words behind the numbers of an attribute, if it has any.
    pub fn words(&self, attribute: Attribute) -> Option<&Words> {
        let trace = self.log.trace.as_ref()?;
        let words = match attribute {
            Attribute::User if self.log.users_are_drawn => return None,
            Attribute::User => &trace.names.users,
            Attribute::Group => &trace.names.groups,
            Attribute::Application => &trace.names.applications,
            Attribute::Queue | Attribute::Partition => &trace.names.queues,
            Attribute::Column(place) => match &trace.columns[place].values {
                ColumnValues::Words { words, .. } => words,
                ColumnValues::Numbers(_) => return None,
            },
        };
        (!words.is_empty()).then_some(words)
    }

    /// Returns the value of a job: a quantity, or the number of a word; `None` if unknown.
    pub fn key(&self, attribute: Attribute, job: JobId) -> Option<i64> {
        let request = self.request(job);
        let field = |number: i32| (number >= 0).then_some(i64::from(number));
        match attribute {
            Attribute::User => field(request.user),
            Attribute::Group => field(request.group),
            Attribute::Application => field(request.application),
            Attribute::Queue => field(request.queue),
            Attribute::Partition => field(self.record(job)?.partition),
            Attribute::Column(place) => {
                let (column, record) = (&self.columns()[place], self.sources[job.index()] as usize);
                match &column.values {
                    ColumnValues::Numbers(_) => column.number(record),
                    ColumnValues::Words { numbers, .. } => numbers
                        .get(record)
                        .filter(|number| **number > 0)
                        .map(|number| i64::from(*number)),
                }
            }
        }
    }

    /// Returns the word behind a value, if it has one.
    pub fn word(&self, attribute: Attribute, key: i64) -> Option<&str> {
        self.words(attribute)?.get(u32::try_from(key).ok()?)
    }

    /// Returns a value as text: its word, else its number.
    pub fn label(&self, attribute: Attribute, key: i64) -> String {
        let word = self.word(attribute, key);
        word.map_or_else(|| key.to_string(), str::to_owned)
    }

    fn record(&self, job: JobId) -> Option<&Record> {
        let trace = self.log.trace.as_ref()?;
        let place = *self.sources.get(job.index())? as usize;
        (place < trace.records.len()).then(|| trace.records.get(place))
    }
}
