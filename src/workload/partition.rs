//! The partitions of a trace: which there are, which jobs are in one, and how large it is.
//!
//! The partition of a record is field 16 of the Standard Workload Format if that field has at least
//! two different values in the trace, else field 15, the queue. Records of accounting logs have the
//! same number in both.

use crate::param::closest;
use crate::problem::Problem;
use crate::sorting;
use crate::trace::{LARGEST_MACHINE, MachineSize, Record, SizeDoubt, SizeSource, Trace};
use serde::Serialize;
use std::collections::BTreeMap;

/// Number of partitions that a message names.
const NAMED: usize = 12;

/// A partition of a trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct PartitionFacts {
    /// Name of the partition, else its number as text: the value of the setting `partition`.
    pub name: String,
    /// Number of records of the trace.
    pub jobs: u64,
    /// Processors of the widest job.
    pub widest: u32,
}

/// The partitions of a trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogPartitions {
    /// True if the queue of a record (field 15) is its partition.
    pub are_queues: bool,
    /// The partitions, widest job first, then most jobs first.
    pub all: Vec<PartitionFacts>,
    numbers: Vec<i32>,
}

/// One partition: the records that belong to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogPartition {
    name: String,
    number: i32,
    are_queues: bool,
}

impl LogPartitions {
    /// Returns the partitions of a trace. `size` returns the processors of a record; it is not
    /// positive if unknown.
    pub fn of(trace: &Trace, size: impl Fn(usize) -> i32) -> Self {
        let mut known = trace.records.iter().map(|record| record.partition);
        let first = known.find(|number| *number >= 0);
        let are_queues = !known.any(|number| number >= 0 && Some(number) != first);
        let mut found: BTreeMap<i32, (u64, i32)> = BTreeMap::new();
        for (at, record) in trace.records.iter().enumerate() {
            let number = number_of(record, are_queues);
            if number >= 0 {
                let (jobs, widest) = found.entry(number).or_default();
                *jobs += 1;
                *widest = (*widest).max(size(at));
            }
        }
        let mut found: Vec<(i32, u64, i32)> = found
            .into_iter()
            .map(|(number, (jobs, widest))| (number, jobs, widest))
            .collect();
        sorting::by(&mut found, |(_, jobs, widest)| {
            [-i128::from(*widest), -i128::from(*jobs)]
        });
        let facts = |(number, jobs, widest): &(i32, u64, i32)| PartitionFacts {
            name: name_of(trace, *number),
            jobs: *jobs,
            widest: (*widest).max(0) as u32,
        };
        Self {
            are_queues,
            all: found.iter().map(facts).collect(),
            numbers: found.iter().map(|(number, ..)| *number).collect(),
        }
    }

    /// Returns the partition that the setting `partition` names: by its name, else by its number.
    ///
    /// # Errors
    /// Returns a problem if the trace has no such partition.
    pub fn find(&self, name: &str) -> Result<LogPartition, Problem> {
        let place = |is_it: &dyn Fn(&PartitionFacts) -> bool| self.all.iter().position(is_it);
        let place = place(&|known| known.name == name)
            .or_else(|| place(&|known| known.name.eq_ignore_ascii_case(name)))
            .or_else(|| {
                let number: i32 = name.parse().ok()?;
                self.numbers.iter().position(|known| *known == number)
            });
        if let Some(place) = place {
            return Ok(LogPartition {
                name: self.all[place].name.clone(),
                number: self.numbers[place],
                are_queues: self.are_queues,
            });
        }
        let known: Vec<&str> = self.all.iter().map(|known| known.name.as_str()).collect();
        let named = known[..known.len().min(NAMED)].join(", ");
        let more = if known.len() > NAMED { ", ..." } else { "" };
        Err(Problem::new(
            format!(
                "There is no partition `{}` in the trace.",
                name.chars().take(60).collect::<String>()
            ),
            if known.is_empty() {
                "No job of the trace names its partition or queue.".to_owned()
            } else {
                format!(
                    "The partitions are {} of the records: {named}{more}.",
                    field_name(self.are_queues)
                )
            },
            format!(
                "{}Change `partition`, or leave it out to keep all jobs.",
                closest(name, &known)
            ),
        ))
    }
}

impl LogPartition {
    /// Returns the name, else the number as text.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// True if the record belongs to the partition.
    pub fn has(&self, record: &Record) -> bool {
        number_of(record, self.are_queues) == self.number
    }

    /// Returns the choice in words, as a step of the workload.
    pub fn step(&self) -> String {
        let field = field_name(self.are_queues);
        format!("only partition {} ({field} of the records)", self.name)
    }

    /// Returns the size of the partition: that of the header's comment `Partition`, else the most
    /// processors that its recorded jobs used at one time, else its widest job. docs/formats/swf.md
    /// has the rule. `size` returns the processors of the record at an index.
    pub fn size(&self, trace: &Trace, size: impl Fn(usize) -> i32) -> MachineSize {
        if let Some(processors) = self.size_in_header(trace) {
            return MachineSize {
                source: SizeSource::PartitionHeader,
                ..MachineSize::set(processors)
            };
        }
        let own = || {
            let all = trace.records.iter().enumerate();
            all.filter(|(_, record)| self.has(record))
        };
        let widest = own().map(|(at, _)| size(at)).max().unwrap_or(0).max(1) as u32;
        let (mut changes, mut jobs, mut started) = (Vec::new(), 0_u64, 0_u64);
        for (at, record) in own() {
            jobs += 1;
            let width = i64::from(size(at));
            if record.wait >= 0 && record.run_time > 0 && width > 0 {
                started += 1;
                let start = record.submit + record.wait;
                changes.push((start, width));
                changes.push((start + record.run_time, -width));
            } else if record.wait >= 0 && record.run_time == 0 {
                started += 1;
            }
        }
        // At one instant, ends come before starts.
        sorting::by(&mut changes, |(at, change)| {
            [(*at).into(), (*change).into()]
        });
        let (mut used, mut peak) = (0, 0);
        for (_, change) in &changes {
            used += change;
            peak = peak.max(used);
        }
        // Beyond the largest machine, the caller refuses the size.
        let peak = u32::try_from(peak.min(LARGEST_MACHINE + 1)).unwrap_or(0);
        let no_size = format!(
            "The log does not give the size of the partition {}",
            self.name
        );
        let (source, text) = if changes.is_empty() {
            let text = format!("{no_size}, nor starts of its jobs.");
            (SizeSource::WidestJob, text)
        } else {
            let without = if started < jobs {
                format!(
                    " Without a recorded start: {} of its {jobs} jobs.",
                    jobs - started
                )
            } else {
                String::new()
            };
            let text = format!(
                "{no_size}; its recorded jobs used at most {peak} processors at one time.{without}"
            );
            (SizeSource::PartitionPeak, text)
        };
        MachineSize {
            source,
            doubts: vec![SizeDoubt {
                id: "partition".into(),
                text,
            }],
            ..MachineSize::set(peak.max(widest))
        }
    }

    /// Returns the size that a comment `; Partition: NAME SIZE` of the header gives: the first whole
    /// number after the name or the number of the partition.
    fn size_in_header(&self, trace: &Trace) -> Option<u32> {
        let number = self.number.to_string();
        trace.header_values("Partition").find_map(|value| {
            let mut words = value
                .split_whitespace()
                .map(|word| word.trim_matches(['"', ',', ':']));
            let first = words.next()?;
            if first != self.name && first != number {
                return None;
            }
            let size: i64 = words.find_map(|word| word.replace(',', "").parse().ok())?;
            let is_size = (1..=LARGEST_MACHINE).contains(&size);
            is_size.then_some(size as u32)
        })
    }
}

const fn number_of(record: &Record, are_queues: bool) -> i32 {
    if are_queues {
        record.queue
    } else {
        record.partition
    }
}

const fn field_name(are_queues: bool) -> &'static str {
    if are_queues {
        "the queues (field 15)"
    } else {
        "the partitions (field 16)"
    }
}

fn name_of(trace: &Trace, number: i32) -> String {
    let word = u32::try_from(number)
        .ok()
        .and_then(|number| trace.names.queues.get(number));
    word.map_or_else(|| number.to_string(), str::to_owned)
}
