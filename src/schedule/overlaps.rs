//! Who shared which nodes with whom and when, on machines on which two jobs run on a node at the same time.

use super::Schedule;
use crate::job::JobId;
use crate::machine::Range;
use crate::sorting;
use crate::time::Time;

/// Two jobs on the same nodes, as one of them sees it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Overlap {
    /// The job.
    pub job: JobId,
    /// Who else is on these nodes.
    pub other: JobId,
    /// From when on.
    pub from: Time,
    /// Until when, or how far the run is.
    pub to: Time,
    /// The nodes.
    pub nodes: Range,
    /// The row in which the job is on them.
    pub row: u32,
}

/// All overlaps of a schedule, each twice: as each of the two sees it.
#[derive(Clone, Debug, Default)]
pub struct Overlaps {
    /// By job, and then by node.
    list: Vec<Overlap>,
}

impl Overlaps {
    /// Those of a schedule as it stands; none where jobs in different rows take turns.
    pub fn new(schedule: &Schedule) -> Self {
        let mut list: Vec<Overlap> = Vec::new();
        if !schedule.at_once || schedule.slots < 2 {
            return Self { list };
        }
        let count = schedule.workload.processors.max(1);
        // Who was latest on each node, by row. Jobs come in order of starting: who is there already overlaps with who comes.
        let mut latest: Vec<[Option<(JobId, Time)>; 2]> = vec![[None; 2]; count as usize];
        for start in &schedule.order {
            for stay in schedule.stays(start) {
                for number in stay.placement.iter().flat_map(|range| range.first..range.end()) {
                    let (node, row) = (number % count, (number / count).min(1));
                    if let Some((other, ends)) = latest[node as usize][1 - row as usize].filter(|(_, ends)| *ends > stay.from) {
                        let to = ends.min(stay.to);
                        let (from, nodes) = (stay.from, Range { first: node, count: 1 });
                        list.push(Overlap { job: start.job, other, from, to, nodes, row });
                        list.push(Overlap { job: other, other: start.job, from, to, nodes, row: 1 - row });
                    }
                    latest[node as usize][row as usize] = Some((start.job, stay.to));
                }
            }
        }
        sorting::by(&mut list, |overlap| {
            let id = |job: JobId| i128::from(job.0);
            [id(overlap.job) << 32 | id(overlap.other), i128::from(overlap.from.microseconds()) << 32 | i128::from(overlap.nodes.first)]
        });
        list.dedup_by(|next, before| {
            let goes_on =
                (next.job, next.other, next.from) == (before.job, before.other, before.from) && before.nodes.end() == next.nodes.first;
            before.nodes.count += u32::from(goes_on);
            goes_on
        });
        Self { list }
    }

    /// A job's, by who shared its nodes.
    pub fn of(&self, job: JobId) -> &[Overlap] {
        let from = self.list.partition_point(|overlap| overlap.job < job);
        let to = from + self.list[from..].partition_point(|overlap| overlap.job == job);
        &self.list[from..to]
    }

    /// All of them, as those see it that are in row 0.
    pub fn iter(&self) -> impl Iterator<Item = &Overlap> {
        self.list.iter().filter(|overlap| overlap.row == 0)
    }
}
