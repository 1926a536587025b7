//! The Ousterhout matrix. Rows are time slots, columns are processors, and a job has its processors
//! in one row.
//!
//! The packing schemes are from D. G. Feitelson, "Packing schemes for gang scheduling", JSSPP 1996:
//! first fit, best fit and buddies. The blocks of buddies have a power of two processors and begin
//! at the same columns in all rows. Rows can therefore often be unified, and jobs can run in the
//! idle processors of other rows.

use super::bitmap::Bitmap;
use crate::machine::{Ask, Placement, PlacementBuf, Range, Room, Space};
use crate::param::{Settings, Typed, words};

words! {
    /// The rule that gives a job processors in a row of the matrix.
    pub enum Packing {
        First = "first_fit": "the first row with room",
        Best = "best_fit": "the row with room that has the fewest free processors",
        Buddy = "buddy": "the first row with a free block of the next power of two; the job holds \
            the whole block",
    }
}

/// The rule that gives a job processors in a row of the matrix.
pub const PACKING: Typed<Packing> = Packing::param("packing", "Packing", Packing::First)
    .help("Row and processors that a job gets (Feitelson 1996)");

words! {
    /// The factor by which estimates are multiplied.
    pub enum Stretch {
        Slots = "slots": "the estimate times the number of slots, enough for any number of jobs \
            on the same processors",
        None = "none": "the estimate itself, as if every job had its processors to itself",
    }
}

/// The factor by which estimates are multiplied.
pub const STRETCH: Typed<Stretch> = Stretch::param("stretch", "Estimates", Stretch::Slots)
    .help("Longest time that the policy expects a job to take, given its estimate");

/// Returns the factor by which the policy expects a job to take longer than its estimate.
pub fn stretch(settings: &Settings, slots: u32) -> i64 {
    if settings.get(&STRETCH) == Stretch::Slots {
        i64::from(slots)
    } else {
        1
    }
}

/// The changes to the matrix after jobs have ended.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Tidying {
    /// True if a row joins an earlier row in which all of its processors are idle.
    pub unifies: bool,
    /// True if jobs move to earlier rows that have room.
    pub moves: bool,
}

/// Rows of processors, and the rules for using them.
#[derive(Clone)]
pub struct OusterhoutMatrix {
    columns: u32,
    rows: Vec<Bitmap>,
    packing: Packing,
    tidying: Tidying,
    aside: Vec<(u32, Range)>,
    /// Processors that are out of service, in ascending order. Rows count them as free where no job
    /// holds them.
    closed: Vec<Range>,
}

impl OusterhoutMatrix {
    /// Returns a matrix of `rows` rows with `columns` free processors each.
    pub fn new(columns: u32, rows: u32, packing: Packing, tidying: Tidying) -> Self {
        Self {
            columns,
            rows: vec![Bitmap::new(columns); rows as usize],
            packing,
            tidying,
            aside: Vec::new(),
            closed: Vec::new(),
        }
    }

    /// Returns the processors that a job keeps other jobs from using. With buddies, a job has one
    /// range of processors and keeps its whole block.
    #[inline(never)]
    fn block(&self, columns: &[Range]) -> Vec<Range> {
        let whole = |range: &Range| Range {
            count: block_of(range.count).min(self.columns - range.first),
            ..*range
        };
        if self.packing == Packing::Buddy {
            columns.iter().map(whole).collect()
        } else {
            columns.to_vec()
        }
    }

    /// Returns the processors that a job of this size would get in a row; `None` if it does not
    /// fit.
    #[inline(never)]
    fn place(&self, row: &Bitmap, processors: u32) -> Option<Vec<Range>> {
        if processors > row.free() {
            return None;
        }
        if self.packing == Packing::Buddy {
            let block = block_of(processors);
            let starts = (0..self.columns).step_by(block as usize);
            let free = |first: u32| {
                let count = block.min(self.columns - first);
                count >= processors && row.is_free(Range { first, count })
            };
            return starts.into_iter().find(|first| free(*first)).map(|first| {
                vec![Range {
                    first,
                    count: processors,
                }]
            });
        }
        let mut found = PlacementBuf::default();
        row.clone().claim(Ask::of(processors), &mut found);
        Some(found.ranges)
    }

    /// Returns the free processors of a row, without those that are out of service. If `beside` is true,
    /// processors that were set aside count as taken.
    fn row(&self, row: usize, beside: bool) -> std::borrow::Cow<'_, Bitmap> {
        if self.closed.is_empty() && (!beside || self.aside.is_empty()) {
            return std::borrow::Cow::Borrowed(&self.rows[row]);
        }
        let here = |(other, range): &(u32, Range)| (*other as usize == row).then_some(*range);
        let columns: Vec<Range> = self.aside.iter().filter_map(here).collect();
        let aside = if beside {
            self.block(&columns)
        } else {
            Vec::new()
        };
        if aside.is_empty() && self.closed.is_empty() {
            return std::borrow::Cow::Borrowed(&self.rows[row]);
        }
        let mut rest = self.rows[row].clone();
        let taken = aside.iter().chain(&self.closed);
        taken.for_each(|range| rest.take(*range));
        std::borrow::Cow::Owned(rest)
    }

    /// Returns the row and the processors that a request gets; `None` if it does not fit.
    #[inline(never)]
    fn find(&self, ask: Ask) -> Option<(usize, Vec<Range>)> {
        let rows =
            (0..self.rows.len()).filter(|row| ask.row.is_none_or(|wanted| wanted as usize == *row));
        let mut places = rows
            .filter(|row| self.rows[*row].free() >= ask.processors)
            .filter_map(|row| {
                let free = self.row(row, ask.beside);
                Some((row, free.free(), self.place(&free, ask.processors)?))
            });
        let best = if self.packing == Packing::Best {
            places.min_by_key(|(row, free, _)| (*free, *row))
        } else {
            places.next()
        };
        best.map(|(row, _, columns)| (row, columns))
    }

    #[inline(never)]
    fn take(&mut self, row: usize, columns: &[Range]) {
        for range in self.block(columns) {
            self.rows[row].take(range);
        }
    }

    #[inline(never)]
    fn give(&mut self, row: usize, columns: &[Range]) {
        let block = self.block(columns);
        let count = block.iter().map(|range| range.count).sum();
        let ranges = &block;
        self.rows[row].release(Ask::of(count), Placement { row: 0, ranges });
    }
}

/// Returns the size of the buddies' block for a job.
const fn block_of(processors: u32) -> u32 {
    processors.next_power_of_two()
}

impl Space for OusterhoutMatrix {
    fn capacity(&self) -> u32 {
        self.columns * self.rows.len() as u32
    }

    fn free(&self) -> u32 {
        if self.closed.is_empty() {
            return self.rows.iter().map(Space::free).sum();
        }
        let closed = |row: &Bitmap| -> u32 {
            let ranges = self.closed.iter();
            ranges.map(|range| row.free_in(*range)).sum()
        };
        self.rows.iter().map(|row| row.free() - closed(row)).sum()
    }

    fn fits(&self, ask: Ask) -> bool {
        let counts = self.packing != Packing::Buddy && !ask.beside && ask.row.is_none();
        if counts {
            ask.processors <= self.largest()
        } else {
            self.find(ask).is_some()
        }
    }

    fn claim(&mut self, ask: Ask, placement: &mut PlacementBuf) {
        let Some((row, columns)) = self.find(ask) else {
            return;
        };
        self.take(row, &columns);
        placement.row = row as u32;
        placement.ranges.extend_from_slice(&columns);
    }

    fn release(&mut self, _: Ask, placement: Placement<'_>) {
        self.give(placement.row as usize, placement.ranges);
    }

    fn fork(&self) -> Box<dyn Space> {
        Box::new(self.clone())
    }

    fn empty(&self) -> Box<dyn Space> {
        Box::new(Self {
            aside: Vec::new(),
            ..Self::new(
                self.columns,
                self.rows.len() as u32,
                self.packing,
                self.tidying,
            )
        })
    }

    fn has_geometry(&self) -> bool {
        self.rows.len() > 1 || self.packing == Packing::Buddy
    }

    fn largest(&self) -> u32 {
        let sizes = |row: &Bitmap| match self.packing {
            Packing::Buddy => (0..=row.free())
                .rev()
                .find(|size| self.place(row, *size).is_some())
                .unwrap_or(0),
            _ => row.free(),
        };
        let largest = if self.closed.is_empty() {
            self.rows.iter().map(sizes).max()
        } else {
            let rows = (0..self.rows.len()).map(|row| sizes(&self.row(row, false)));
            rows.max()
        };
        largest.unwrap_or(0)
    }

    fn rooms(&self) -> Vec<Room> {
        (0..self.rows.len())
            .map(|row| Room {
                free: self.row(row, false).free(),
                beside: self.row(row, true).free(),
            })
            .collect()
    }

    fn set_aside(&mut self, placements: &[Placement<'_>]) {
        self.aside.clear();
        for Placement { row, ranges } in placements {
            self.aside.extend(ranges.iter().map(|range| (*row, *range)));
        }
    }

    fn is_free(&self, Placement { row, ranges }: Placement<'_>) -> bool {
        if row as usize >= self.rows.len() {
            return false;
        }
        let row = self.row(row as usize, false);
        let is_within = ranges.iter().all(|range| range.end() <= self.columns);
        is_within
            && self
                .block(ranges)
                .into_iter()
                .all(|range| row.is_free(range))
    }

    fn occupy(&mut self, placement: Placement<'_>) {
        self.take(placement.row as usize, placement.ranges);
    }

    fn has_rows(&self) -> bool {
        true
    }

    fn close(&mut self, placement: Placement<'_>) {
        self.closed = placement.ranges.to_vec();
    }

    fn reopen(&mut self, _: Ask, _: Placement<'_>) {
        self.closed.clear();
    }

    fn tidies(&self) -> bool {
        self.tidying != Tidying::default() && self.rows.len() > 1
    }

    fn tidy(&mut self, held: &[Placement<'_>]) -> Vec<(usize, PlacementBuf)> {
        let job = |held: &Placement<'_>| (held.row as usize, held.ranges.to_vec());
        let mut jobs: Vec<(usize, Vec<Range>)> = held.iter().map(job).collect();
        let before: Vec<usize> = jobs.iter().map(|(row, _)| *row).collect();
        if self.tidying.unifies {
            self.unify(&mut jobs);
        }
        if self.tidying.moves {
            self.move_up(&mut jobs);
        }
        let after = jobs.into_iter().enumerate().zip(before);
        let moved = after.filter(|((_, (row, _)), before)| row != before);
        let placed = |((at, (row, ranges)), _)| {
            (
                at,
                PlacementBuf {
                    row: row as u32,
                    ranges,
                },
            )
        };
        moved.map(placed).collect()
    }
}

impl OusterhoutMatrix {
    /// Moves the jobs of every row to the first earlier row in use in which all of their processors
    /// are idle.
    #[inline(never)]
    fn unify(&mut self, jobs: &mut [(usize, Vec<Range>)]) {
        for from in 1..self.rows.len() {
            let own: Vec<usize> = (0..jobs.len()).filter(|at| jobs[*at].0 == from).collect();
            let is_idle = |to: &usize| {
                let to = self.row(*to, false);
                own.iter()
                    .flat_map(|at| self.block(&jobs[*at].1))
                    .all(|range| to.is_free(range))
            };
            let used = |row: &usize| self.rows[*row].free() < self.columns;
            let Some(to) = (0..from)
                .filter(used)
                .find(is_idle)
                .filter(|_| !own.is_empty())
            else {
                continue;
            };
            for at in own {
                let columns = jobs[at].1.clone();
                self.give(from, &columns);
                self.take(to, &columns);
                jobs[at].0 = to;
            }
        }
    }

    /// Moves each job to the first earlier row that has room, if that row is in use. Jobs of the
    /// last row come first; within a row, the widest job comes first.
    #[inline(never)]
    fn move_up(&mut self, jobs: &mut [(usize, Vec<Range>)]) {
        let size = |columns: &[Range]| columns.iter().map(|range| range.count).sum::<u32>();
        let mut order: Vec<usize> = (0..jobs.len()).collect();
        crate::sorting::by(&mut order, |at| {
            [-(jobs[*at].0 as i128), -i128::from(size(&jobs[*at].1))]
        });
        for at in order {
            let (from, columns) = jobs[at].clone();
            let found = (0..from)
                .find_map(|row| Some((row, self.place(&self.row(row, false), size(&columns))?)));
            // A move to a row without jobs would win nothing.
            if let Some((row, to)) = found.filter(|(row, _)| self.rows[*row].free() < self.columns)
            {
                self.give(from, &columns);
                self.take(row, &to);
                jobs[at] = (row, to);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closed_processors_are_free_in_no_row() {
        let mut matrix = OusterhoutMatrix::new(4, 2, Packing::First, Tidying::default());
        let is_free = |matrix: &OusterhoutMatrix, row, first| {
            let ranges = &[Range { first, count: 1 }];
            matrix.is_free(Placement { row, ranges })
        };
        let ranges = &[Range { first: 1, count: 2 }];
        matrix.close(Placement { row: 0, ranges });
        for row in [0, 1] {
            let free = [0, 1, 2, 3].map(|first| is_free(&matrix, row, first));
            assert_eq!(free, [true, false, false, true]);
        }
        assert_eq!(matrix.free(), 4);
        matrix.reopen(Ask::of(4), Placement { row: 0, ranges });
        assert!(is_free(&matrix, 1, 2));
        assert_eq!(matrix.free(), 8);
    }
}
