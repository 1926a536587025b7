//! The places of jobs in a timeline. Either jobs stand on their processors, with the rows of an
//! Ousterhout matrix one below the other; or each processor is drawn once, and a job stands on its
//! share of it; or jobs stand on their GPUs.
//!
//! A processor's lane is divided equally among the rows that have jobs, because each row gets that
//! share of the time. If rows strictly take turns and turns are wide enough to see, the current row
//! gets the whole lane. On machines on which two jobs run on a node at the same time, a lane is
//! halved while they do.

use super::Viewport;
use crate::job::JobId;
use crate::machine::{Placement, Range, Rotation};
use crate::schedule::{Attempt, Overlaps, Residency, Schedule, UnitRows};
use crate::time::{Span, Time};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Smallest width of a turn that is drawn by itself, in pixels.
const SEEN: f64 = 1.5;

/// The arrangement of jobs in a timeline.
pub enum Lanes {
    /// Each processor of each row has a lane. The rows, of this many processors each, stand one
    /// below the other.
    Rows(u32),
    /// Each processor has a lane, which the rows with jobs divide.
    Shared(Shares),
    /// Each node has a lane, which is halved while two jobs are on it.
    NodeLanes(NodeLanes),
    /// Each unit of a resource has a lane, such as each GPU.
    Units(Arc<UnitRows>),
}

/// The rows of a timeline.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "lowercase")]
pub enum RowsBy {
    /// Each processor once; jobs that share a processor are beside each other.
    Shared,
    /// Each processor of each row of an Ousterhout matrix.
    Slots,
    /// Each GPU of each node.
    Gpus,
}

/// The division of the processors among rows over time, at the resolution of a window.
pub struct Shares {
    grid: LaneGrid,
    pieces: Vec<Piece>,
}

/// The division of nodes between two jobs. While the overlaps are unknown, every job has its half
/// of its nodes.
pub struct NodeLanes {
    grid: LaneGrid,
    overlaps: Arc<Overlaps>,
}

/// The lanes of a window.
struct LaneGrid {
    processors: u32,
    /// Number of processors that are divided together: those of a pixel.
    group: u32,
    top: u32,
    bottom: u32,
    /// Length of a pixel, in microseconds.
    pixel: f64,
}

/// A period in which the same rows have jobs.
struct Piece {
    from: Time,
    to: Time,
    rows: u64,
}

impl Piece {
    /// Returns the part of a lane that a row has, as its beginning and its size.
    fn part(&self, row: u32) -> Option<(f64, f64)> {
        let all = f64::from(self.rows.count_ones());
        let before = self.rows & ((1 << row) - 1);
        (self.rows >> row & 1 == 1).then(|| (f64::from(before.count_ones()) / all, 1.0 / all))
    }
}

impl Lanes {
    /// Creates the lanes of a window. Each processor is drawn once if `shared` is set and rows
    /// share processors.
    pub fn new(
        schedule: &Schedule,
        overlaps: &Arc<Overlaps>,
        window: &Viewport,
        pixels: (usize, usize),
        shared: bool,
    ) -> Self {
        let processors = schedule.workload.all_processors().max(1);
        let (width, height) = pixels;
        if !shared || schedule.slots == 1 || !window.is_valid() || width == 0 || height == 0 {
            return Self::Rows(processors);
        }
        let lane = |edge: f64| edge.clamp(0.0, f64::from(processors));
        let grid = LaneGrid {
            processors,
            group: ((window.bottom - window.top) / height as f64)
                .ceil()
                .clamp(1.0, f64::from(processors)) as u32,
            top: lane(window.top.floor()) as u32,
            bottom: lane(window.bottom.ceil()) as u32,
            pixel: (window.to - window.from).microseconds() as f64 / width as f64,
        };
        if schedule.at_once {
            return Self::NodeLanes(NodeLanes {
                grid,
                overlaps: Arc::clone(overlaps),
            });
        }
        Self::Shared(Shares {
            grid,
            pieces: pieces(schedule, window, width),
        })
    }

    /// Returns the residency intervals of an attempt, on the rows of these lanes.
    pub(super) fn stays<'a>(
        &'a self,
        schedule: &'a Schedule,
        attempt: Attempt,
    ) -> impl Iterator<Item = Residency<'a>> {
        schedule.stays(attempt).map(move |stay| match self {
            Self::Units(units) => Residency {
                placement: Placement {
                    row: 0,
                    ranges: units.of(attempt),
                },
                ..stay
            },
            _ => stay,
        })
    }

    /// Passes the rectangles of a job on these processors of a row to `put`, as from, to, top and
    /// bottom.
    pub fn place(
        &self,
        job: JobId,
        from: Time,
        to: Time,
        (row, range): (u32, Range),
        mut put: impl FnMut(Time, Time, f64, f64),
    ) {
        match self {
            Self::Rows(processors) => {
                let top = f64::from(row * processors);
                let (first, end) = (f64::from(range.first), f64::from(range.end()));
                put(from, to, top + first, top + end);
            }
            Self::Units(_) => put(from, to, range.first.into(), range.end().into()),
            Self::Shared(shares) => shares.place(from, to, (row, range), &mut put),
            Self::NodeLanes(nodes) => nodes.place(job, from, to, (row, range), &mut put),
        }
    }

    /// Returns the rows and processors drawn at a height of a timeline at some time. The job there
    /// is that of the first entry that holds one.
    pub fn at(&self, time: Time, height: f64) -> Vec<(u32, u32)> {
        let within = height - height.floor();
        match self {
            _ if height < 0.0 => Vec::new(),
            Self::Units(_) => vec![(0, height as u32)],
            Self::Rows(processors) => {
                vec![(height as u32 / processors, height as u32 % processors)]
            }
            Self::Shared(shares) if height < f64::from(shares.grid.processors) => {
                let Some(piece) = shares
                    .pieces
                    .iter()
                    .find(|piece| piece.from <= time && time < piece.to)
                else {
                    return Vec::new();
                };
                let part = (within * f64::from(piece.rows.count_ones())) as usize;
                let row = (0..64).filter(|row| piece.rows >> row & 1 == 1).nth(part);
                row.map(|row| (row, height as u32)).into_iter().collect()
            }
            Self::NodeLanes(NodeLanes { grid, .. }) if height < f64::from(grid.processors) => {
                let rows = if within < 0.5 { [0, 1] } else { [1, 0] };
                rows.map(|row| (row, height as u32)).to_vec()
            }
            _ => Vec::new(),
        }
    }
}

impl LaneGrid {
    /// Returns the lanes of a range of processors that lie in the window.
    fn lanes(&self, range: Range) -> (u32, u32) {
        let first = range.first.max(self.top / self.group * self.group);
        (first, range.end().min(self.bottom))
    }

    /// Divides these lanes and passes the top and bottom of one part of each to `put`. The part is
    /// given by its beginning and its size.
    fn divide(&self, lanes: (u32, u32), (above, share): (f64, f64), mut put: impl FnMut(f64, f64)) {
        let (mut lane, end) = lanes;
        if share >= 1.0 && lane < end {
            return put(f64::from(lane), f64::from(end));
        }
        while lane < end {
            let begin = lane / self.group * self.group;
            let group = self.group.min(self.processors - begin);
            let next = (begin + group).min(end);
            let top = f64::from(begin) + above * f64::from(group) + share * f64::from(lane - begin);
            put(top, top + share * f64::from(next - lane));
            lane = next;
        }
    }
}

impl Shares {
    fn place(
        &self,
        from: Time,
        to: Time,
        (row, range): (u32, Range),
        put: &mut impl FnMut(Time, Time, f64, f64),
    ) {
        let (first, end) = self.grid.lanes(range);
        let begin = self.pieces.partition_point(|piece| piece.to <= from);
        for piece in self.pieces[begin..]
            .iter()
            .take_while(|piece| piece.from < to)
        {
            let Some(part) = piece.part(row) else {
                continue;
            };
            let (from, to) = (from.max(piece.from), to.min(piece.to));
            self.grid
                .divide((first, end), part, |top, bottom| put(from, to, top, bottom));
        }
    }
}

impl NodeLanes {
    fn place(
        &self,
        job: JobId,
        from: Time,
        to: Time,
        (row, range): (u32, Range),
        put: &mut impl FnMut(Time, Time, f64, f64),
    ) {
        let (first, end) = self.grid.lanes(range);
        let half = (0.5 * f64::from(row.min(1)), 0.5);
        if !self.overlaps.is_known() {
            return self
                .grid
                .divide((first, end), half, |top, bottom| put(from, to, top, bottom));
        }
        let here = |overlap: &&crate::schedule::Overlap| {
            overlap.from < to
                && overlap.to > from
                && overlap.nodes.first < end
                && overlap.nodes.end() > first
        };
        let mut shared: Vec<_> = self.overlaps.of(job).iter().filter(here).copied().collect();
        in_order(&mut shared, |overlap| overlap.from.microseconds());
        // Nodes between two edges are shared at the same times.
        let mut edges: Vec<u32> = shared
            .iter()
            .flat_map(|overlap| [overlap.nodes.first, overlap.nodes.end()])
            .collect();
        edges.retain(|edge| (first..end).contains(edge));
        edges.extend([first, end]);
        in_order(&mut edges, |edge| (*edge).into());
        for pair in edges.windows(2).filter(|pair| pair[0] < pair[1]) {
            let lanes = (pair[0], pair[1]);
            let mut alone = from;
            for overlap in shared
                .iter()
                .filter(|overlap| overlap.nodes.first <= lanes.0 && lanes.1 <= overlap.nodes.end())
            {
                if overlap.from > alone {
                    self.grid.divide(lanes, (0.0, 1.0), |top, bottom| {
                        put(alone, overlap.from, top, bottom);
                    });
                }
                let (begin, until) = (overlap.from.max(from), overlap.to.min(to));
                alone = until;
                let length = until - begin;
                if length.microseconds() as f64 >= self.grid.pixel {
                    self.grid
                        .divide(lanes, half, |top, bottom| put(begin, until, top, bottom));
                    continue;
                }
                // Within a pixel it makes no difference whether the nodes or the time is divided.
                // Dividing the time takes one rectangle instead of one for each node.
                let middle = begin + Span::from_microseconds(length.microseconds() / 2);
                let (begin, until) = if row == 0 {
                    (begin, middle)
                } else {
                    (middle, until)
                };
                self.grid.divide(lanes, (0.0, 1.0), |top, bottom| {
                    put(begin, until, top, bottom);
                });
            }
            if alone < to {
                self.grid
                    .divide(lanes, (0.0, 1.0), |top, bottom| put(alone, to, top, bottom));
            }
        }
    }
}

/// Sorts a short list by insertion, because this runs for every job of every picture.
fn in_order<T: Copy>(few: &mut [T], key: impl Fn(&T) -> i64) {
    for end in 1..few.len() {
        let item = few[end];
        let place = few[..end]
            .iter()
            .rposition(|before| key(before) <= key(&item))
            .map_or(0, |before| before + 1);
        few.copy_within(place..end, place + 1);
        few[place] = item;
    }
}

/// Returns the rows that have jobs, with the instants from which they do.
fn rows_over_time(schedule: &Schedule) -> Vec<(Time, u64)> {
    if !schedule.turns.is_empty() {
        return schedule
            .turns
            .iter()
            .map(|rotation| (rotation.at, rotation.rows))
            .collect();
    }
    // (instant, twice the row, plus one if a job comes)
    let mut changes: Vec<(Time, i64)> = Vec::new();
    for stay in schedule
        .attempts()
        .flat_map(|attempt| schedule.stays(attempt))
    {
        let row = stay.placement.row;
        changes.extend([
            (stay.from, 2 * i64::from(row) + 1),
            (stay.to, 2 * i64::from(row)),
        ]);
    }
    changes.sort_unstable();
    let mut jobs = vec![0_u32; schedule.slots as usize];
    let mut rows = Vec::new();
    for (at, change) in changes {
        let Some(jobs_of_row) = jobs.get_mut(change as usize / 2) else {
            continue;
        };
        *jobs_of_row = if change % 2 == 1 {
            *jobs_of_row + 1
        } else {
            jobs_of_row.saturating_sub(1)
        };
        let mask = jobs
            .iter()
            .enumerate()
            .map(|(row, jobs)| u64::from(*jobs > 0) << row)
            .sum();
        match rows.last_mut() {
            Some((last, before)) if *last == at => *before = mask,
            _ => rows.push((at, mask)),
        }
    }
    rows
}

/// Returns the periods of a window in which the same rows have jobs. Periods shorter than a pixel
/// are merged.
fn pieces(schedule: &Schedule, window: &Viewport, width: usize) -> Vec<Piece> {
    let pixel = (window.to - window.from).microseconds() as f64 / width as f64;
    let changes = rows_over_time(schedule);
    let mut pieces = Vec::new();
    // Merged short periods that are not yet in the list. They have the rows of all of them.
    let mut short: Option<Piece> = None;
    let first = changes
        .partition_point(|(at, _)| *at <= window.from)
        .saturating_sub(1);
    for (place, (at, rows)) in changes
        .iter()
        .enumerate()
        .skip(first)
        .take_while(|(_, (at, _))| *at < window.to)
    {
        let from = (*at).max(window.from);
        let to = changes
            .get(place + 1)
            .map_or(window.to, |(next, _)| (*next).min(window.to));
        if ((to - from).microseconds() as f64) < pixel {
            let together = short.take().map_or(
                Piece {
                    from,
                    to,
                    rows: *rows,
                },
                |piece| Piece {
                    to,
                    rows: piece.rows | rows,
                    ..piece
                },
            );
            if ((together.to - together.from).microseconds() as f64) < pixel {
                short = Some(together);
            } else {
                pieces.push(together);
            }
            continue;
        }
        pieces.extend(short.take());
        let rotation = schedule
            .turns
            .get(place)
            .filter(|rotation| rotation.is_strict && rotation.count() > 1);
        match rotation.filter(|rotation| rotation.quantum.microseconds() as f64 >= SEEN * pixel) {
            Some(rotation) => turns(rotation, from, to, &mut pieces),
            None => pieces.push(Piece {
                from,
                to,
                rows: *rows,
            }),
        }
    }
    pieces.extend(short);
    pieces.retain(|piece| piece.rows != 0 && piece.from < piece.to);
    pieces
}

/// Adds each turn as a period of its own.
fn turns(rotation: &Rotation, from: Time, to: Time, pieces: &mut Vec<Piece>) {
    let mut now = rotation.turned(from);
    let mut begin = from;
    while begin < to {
        let end = now.slice_end.min(to);
        pieces.push(Piece {
            from: begin,
            to: end,
            rows: 1 << now.row,
        });
        begin = end;
        now = now.turned(begin);
    }
}
