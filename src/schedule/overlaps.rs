//! Overlaps: the pairs of jobs that shared nodes, and when. They exist on machines on which two
//! jobs run on a node at the same time.

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
    /// The partner: the other job on these nodes.
    pub other: JobId,
    /// Beginning of the overlap.
    pub from: Time,
    /// End of the overlap, or the end of the record.
    pub to: Time,
    /// The nodes.
    pub nodes: Range,
    /// The row in which the job is on them.
    pub row: u32,
}

/// All overlaps of a schedule. Each is listed twice, once for each of the two jobs.
#[derive(Clone, Debug, Default)]
pub struct Overlaps {
    /// The overlaps, by job and then by partner.
    list: Vec<Overlap>,
    is_known: bool,
}

impl Overlaps {
    /// Finds the overlaps of a schedule in its present state. There are none if jobs in different
    /// rows take turns.
    pub fn new(schedule: &Schedule) -> Self {
        let mut list: Vec<Overlap> = Vec::new();
        if !schedule.at_once || schedule.slots < 2 {
            return Self {
                list,
                is_known: true,
            };
        }
        let count = schedule.workload.processors.max(1);
        // The latest job on each node, by row. Jobs come in order of starting, so a job that is
        // still on a node overlaps with the job that starts there.
        let mut latest: Vec<[Option<(JobId, Time)>; 2]> = vec![[None; 2]; count as usize];
        for start in schedule.attempts() {
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
                        // Neighbouring nodes with the same pair and beginning form one overlap.
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

    /// True if the overlaps were computed. The default value has none and is not computed.
    pub const fn is_known(&self) -> bool {
        self.is_known
    }

    /// Returns the overlaps of a job, by partner.
    pub fn of(&self, job: JobId) -> &[Overlap] {
        let from = self.list.partition_point(|overlap| overlap.job < job);
        let to = from + self.list[from..].partition_point(|overlap| overlap.job == job);
        &self.list[from..to]
    }

    /// Returns every overlap once, as the job in row 0 sees it.
    pub fn iter(&self) -> impl Iterator<Item = &Overlap> {
        self.list.iter().filter(|overlap| overlap.row == 0)
    }
}

/// True if `next` continues `before` on the nodes that follow: same jobs, same beginning.
fn goes_on(before: &Overlap, next: &Overlap) -> bool {
    (next.job, next.other, next.from) == (before.job, before.other, before.from)
        && before.nodes.end() == next.nodes.first
}

/// Sorts by job and keeps the order of each job's overlaps. Counting is faster than a general sort
/// for millions of entries.
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
