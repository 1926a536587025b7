//! Where jobs stand in a timeline: on their processors, with the rows of an Ousterhout matrix one
//! below the other; or, with each processor drawn once, on the share of it that they have.
//!
//! A processor's lane is divided among the rows that have jobs, each an equal part: that is the
//! share of the time that its turns are. Where rows strictly take turns, and those are long enough
//! to be seen, the row whose turn it is has the whole lane. On machines on which two jobs run on a
//! node at the same time, a lane is halved where they do.

use super::Viewport;
use crate::job::JobId;
use crate::machine::{Range, Rotation};
use crate::schedule::{Overlaps, Schedule};
use crate::time::{Span, Time};
use std::sync::Arc;

/// Turns are drawn one by one from this many pixels on.
const SEEN: f64 = 1.5;

/// Where jobs stand.
pub enum Lanes {
    /// Each of so many processors of each row has a lane: the rows stand one below the other.
    Rows(u32),
    /// Each processor has a lane, which rows with jobs divide.
    Shared(Shares),
    /// Each node has a lane, which is halved where two jobs are on it.
    NodeLanes(NodeLanes),
}

/// Who has which part of the processors when, as far as a window of so many pixels can show it.
pub struct Shares {
    grid: LaneGrid,
    pieces: Vec<Piece>,
}

/// Who shares nodes with whom; as long as that is not known, every job has its half of them.
pub struct NodeLanes {
    grid: LaneGrid,
    overlaps: Arc<Overlaps>,
}

/// The lanes of a window.
struct LaneGrid {
    processors: u32,
    /// So many processors are divided together: those of a pixel.
    group: u32,
    top: u32,
    bottom: u32,
    /// Microseconds.
    pixel: f64,
}

/// A time in which the same rows have jobs.
struct Piece {
    from: Time,
    to: Time,
    rows: u64,
}

impl Piece {
    /// The part of a lane that a row has: from where, and how much.
    fn part(&self, row: u32) -> Option<(f64, f64)> {
        let all = f64::from(self.rows.count_ones());
        let before = self.rows & ((1 << row) - 1);
        (self.rows >> row & 1 == 1).then(|| (f64::from(before.count_ones()) / all, 1.0 / all))
    }
}

impl Lanes {
    /// With each processor drawn once, if `shared` and where rows share them.
    pub fn new(
        schedule: &Schedule,
        overlaps: &Arc<Overlaps>,
        window: &Viewport,
        pixels: (usize, usize),
        shared: bool,
    ) -> Self {
        let processors = schedule.workload.processors.max(1);
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

    /// Tells where a job stands that has these processors of a row from when to when: as rectangles,
    /// from and to, top and bottom.
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
            Self::Shared(shares) => shares.place(from, to, (row, range), &mut put),
            Self::NodeLanes(nodes) => nodes.place(job, from, to, (row, range), &mut put),
        }
    }

    /// The rows and processors of which one is drawn at a height of a timeline at some time: the
    /// first on which somebody is.
    pub fn at(&self, time: Time, height: f64) -> Vec<(u32, u32)> {
        let within = height - height.floor();
        match self {
            _ if height < 0.0 => Vec::new(),
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
    /// The lanes of the window of a run of processors.
    fn lanes(&self, range: Range) -> (u32, u32) {
        let first = range.first.max(self.top / self.group * self.group);
        (first, range.end().min(self.bottom))
    }

    /// A part of each of these lanes: from where, and how much.
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
                // Within a pixel it is the same whether nodes are divided or time, which is one
                // rectangle and not one a node.
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

/// Sorts a few: every job on the machine comes by here for every picture.
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

/// Which rows have jobs from when on.
fn rows_over_time(schedule: &Schedule) -> Vec<(Time, u64)> {
    if !schedule.turns.is_empty() {
        return schedule
            .turns
            .iter()
            .map(|rotation| (rotation.at, rotation.rows))
            .collect();
    }
    // (when, twice the row, and one more for a job that comes)
    let mut changes: Vec<(Time, i64)> = Vec::new();
    for stay in schedule
        .order
        .iter()
        .flat_map(|start| schedule.stays(start))
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

/// The times in a window in which the same rows have jobs; those that are shorter than a pixel are
/// taken together.
fn pieces(schedule: &Schedule, window: &Viewport, width: usize) -> Vec<Piece> {
    let pixel = (window.to - window.from).microseconds() as f64 / width as f64;
    let changes = rows_over_time(schedule);
    let mut pieces = Vec::new();
    // Short ones that are yet to be drawn: they have the rows of all of them.
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

/// Each turn by itself.
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
