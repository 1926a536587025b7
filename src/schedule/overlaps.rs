//! Who shared which nodes with whom and when, on machines on which two jobs run on a node at the
//! same time.

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
    /// By job, and then by who shared its nodes.
    list: Vec<Overlap>,
    is_known: bool,
}

impl Overlaps {
    /// Those of a schedule as it stands; none where jobs in different rows take turns.
    pub fn new(schedule: &Schedule) -> Self {
        let mut list: Vec<Overlap> = Vec::new();
        if !schedule.at_once || schedule.slots < 2 {
            return Self {
                list,
                is_known: true,
            };
        }
        let count = schedule.workload.processors.max(1);
        // Who was latest on each node, by row. Jobs come in order of starting: who is there already
        // overlaps with who comes.
        let mut latest: Vec<[Option<(JobId, Time)>; 2]> = vec![[None; 2]; count as usize];
        for start in &schedule.order {
            for stay in schedule.stays(start) {
                let row = stay.placement.row.min(1);
                for node in stay.placement.columns() {
                    if let Some((other, ends)) = latest[node as usize][1 - row as usize]
                        .filter(|(_, ends)| *ends > stay.from)
                    {
                        let to = ends.min(stay.to);
                        let (from, nodes) = (
                            stay.from,
                            Range {
                                first: node,
                                count: 1,
                            },
                        );
                        let both = [
                            Overlap {
                                job: start.job,
                                other,
                                from,
                                to,
                                nodes,
                                row,
                            },
                            Overlap {
                                job: other,
                                other: start.job,
                                from,
                                to,
                                nodes,
                                row: 1 - row,
                            },
                        ];
                        // Neighbours that are shared alike are one.
                        let pair = list.len().saturating_sub(2);
                        match &mut list[pair..] {
                            [one, another] if goes_on(one, &both[0]) => {
                                one.nodes.count += 1;
                                another.nodes.count += 1;
                            }
                            _ => list.extend(both),
                        }
                    }
                    latest[node as usize][row as usize] = Some((start.job, stay.to));
                }
            }
        }
        list = by_job(&list, schedule.workload.len());
        for of_job in list.chunk_by_mut(|one, other| one.job == other.job) {
            sorting::by(of_job, |overlap| {
                [
                    overlap.other.0.into(),
                    i128::from(overlap.from.microseconds()) << 32 | i128::from(overlap.nodes.first),
                ]
            });
        }
        Self {
            list,
            is_known: true,
        }
    }

    /// Whether they were looked for: there are none in the default.
    pub const fn is_known(&self) -> bool {
        self.is_known
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

/// Whether an overlap is with the same job at the same time as the one before, on the nodes that
/// follow.
fn goes_on(before: &Overlap, next: &Overlap) -> bool {
    (next.job, next.other, next.from) == (before.job, before.other, before.from)
        && before.nodes.end() == next.nodes.first
}

/// In order of jobs; those of one as they stood. Millions of them have no time for a general sort.
fn by_job(list: &[Overlap], jobs: usize) -> Vec<Overlap> {
    let mut places = vec![0; jobs + 1];
    list.iter()
        .for_each(|overlap| places[overlap.job.index() + 1] += 1);
    for job in 1..places.len() {
        places[job] += places[job - 1];
    }
    let mut sorted = list.to_vec();
    for overlap in list {
        let place: &mut usize = &mut places[overlap.job.index()];
        sorted[*place] = *overlap;
        *place += 1;
    }
    sorted
}
