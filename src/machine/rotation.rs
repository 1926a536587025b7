//! Rotation: the rows of an Ousterhout matrix take turns, one time slice each.
//!
//! J. K. Ousterhout, "Scheduling techniques for concurrent systems", ICDCS 1982. As long as the set
//! of rows with jobs stays the same, arithmetic answers every question: how long a row has run by
//! an instant, and when it will have run for a given time. Years of rotations therefore cost as
//! much as one rotation.
//!
//! A slice that begins with a switch from another row loses the cost of the switch. The rotation
//! skips empty rows. If the last job of the current row ends, the next row begins a slice at once.
//! A row that is alone runs without switches; its slices still follow one another, and a row that
//! joins gets its turn at the end of the current slice.

use crate::time::{Span, Time};

/// The largest number of rows: a row is a bit of a 64-bit word.
pub const MOST_ROWS: u32 = 64;

/// The state of the rotation at an instant. It determines everything until the set of rows changes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Rotation {
    /// The instant of this state.
    pub at: Time,
    /// Rows that have jobs, as bits.
    pub rows: u64,
    /// The row whose turn it is.
    pub row: u32,
    /// The instant from which the row runs: the end of the switch to it.
    pub runs_from: Time,
    /// The end of the current slice.
    pub slice_end: Time,
    /// Length of a slice.
    pub quantum: Span,
    /// Cost of a context switch, at the beginning of a slice.
    pub cost: Span,
    /// True if jobs run only in the turns of their own row.
    pub is_strict: bool,
}

impl Rotation {
    /// Returns a rotation without rows.
    pub fn new(quantum: Span, cost: Span) -> Self {
        let at = Time::from_microseconds(i64::MIN / 4);
        Self {
            at,
            rows: 0,
            row: 0,
            runs_from: at,
            slice_end: at,
            quantum,
            cost,
            is_strict: true,
        }
    }

    /// Returns the number of rows that have jobs.
    pub const fn count(&self) -> i64 {
        self.rows.count_ones() as i64
    }

    /// Returns the running time that a slice offers after a switch, in microseconds.
    fn useful(&self) -> i64 {
        (self.quantum - self.cost).microseconds()
    }

    /// Returns the row whose slice follows that of `row`.
    #[inline(never)]
    fn after(&self, row: u32) -> u32 {
        let later = if row + 1 < MOST_ROWS {
            self.rows >> (row + 1) << (row + 1)
        } else {
            0
        };
        if later == 0 {
            self.rows.trailing_zeros()
        } else {
            later.trailing_zeros()
        }
    }

    /// Returns how long a job that runs in the slices of `rows` runs from `self.at` until `to`.
    #[inline(never)]
    pub fn served(&self, rows: u64, to: Time) -> Span {
        let rows = rows & self.rows;
        let begin = self.at.max(self.runs_from);
        if rows == 0 || to <= self.at {
            return Span::ZERO;
        }
        if self.count() == 1 {
            return (to - begin).max(Span::ZERO);
        }
        let mut total = if rows >> self.row & 1 == 1 {
            (to.min(self.slice_end) - begin).microseconds().max(0)
        } else {
            0
        };
        let rest = (to - self.slice_end).microseconds();
        if rest > 0 {
            let quantum = self.quantum.microseconds();
            let round = quantum * self.count();
            total += rest / round * self.useful() * i64::from(rows.count_ones());
            let mut left = rest % round;
            let mut row = self.row;
            while left > 0 {
                row = self.after(row);
                if rows >> row & 1 == 1 {
                    total += (left.min(quantum) - self.cost.microseconds()).max(0);
                }
                left -= quantum;
            }
        }
        Span::from_microseconds(total)
    }

    /// Returns the instant by which a job that runs in the slices of `rows` has run for `need`,
    /// counted from `self.at`.
    #[inline(never)]
    pub fn when(&self, rows: u64, need: Span) -> Time {
        let rows = rows & self.rows;
        let begin = self.at.max(self.runs_from);
        if need <= Span::ZERO {
            return self.at;
        }
        if rows == 0 {
            return Time::NEVER;
        }
        if self.count() == 1 {
            return begin + need;
        }
        let mut need = need.microseconds();
        if rows >> self.row & 1 == 1 {
            let left = (self.slice_end - begin).microseconds().max(0);
            if need <= left {
                return begin + Span::from_microseconds(need);
            }
            need -= left;
        }
        let useful = self.useful();
        let per_round = useful * i64::from(rows.count_ones());
        let rounds = (need - 1) / per_round;
        need -= rounds * per_round;
        // Other jobs may end long before these rounds are over, and the product may exceed the
        // range of time.
        let all_rounds =
            i128::from(rounds) * i128::from(self.quantum.microseconds()) * i128::from(self.count());
        if all_rounds > i128::from(Span::LONGEST_TOTAL.microseconds()) {
            return Time::NEVER;
        }
        let mut begin = self.slice_end + Span::from_microseconds(all_rounds as i64);
        let mut row = self.row;
        loop {
            row = self.after(row);
            if rows >> row & 1 == 1 {
                if need <= useful {
                    return begin + self.cost + Span::from_microseconds(need);
                }
                need -= useful;
            }
            begin = begin + self.quantum;
        }
    }

    /// Returns the state at `to`, provided that no row joins or leaves before. A slice that ends at
    /// `to` is over.
    #[inline(never)]
    pub fn turned(&self, to: Time) -> Self {
        let mut rotation = *self;
        rotation.at = rotation.at.max(to);
        if self.rows == 0 || to < self.slice_end {
            return rotation;
        }
        let quantum = self.quantum.microseconds();
        let slices = (to - self.slice_end).microseconds() / quantum;
        let begin = self.slice_end + Span::from_microseconds(slices * quantum);
        rotation.slice_end = begin + self.quantum;
        if self.count() > 1 {
            for _ in 0..=slices % self.count() {
                rotation.row = self.after(rotation.row);
            }
            rotation.runs_from = begin + self.cost;
        }
        rotation
    }

    /// Sets the rows that have jobs from now on.
    pub fn set_rows(&mut self, rows: u64) {
        let before = std::mem::replace(&mut self.rows, rows);
        if rows == 0 || rows >> self.row & 1 == 1 && before != 0 {
            return;
        }
        // Either no row had jobs before, or the current row has lost its last job.
        self.row = if before == 0 {
            rows.trailing_zeros()
        } else {
            self.after(self.row)
        };
        self.runs_from = if before == 0 {
            self.at
        } else {
            self.at + self.cost
        };
        self.slice_end = self.at + self.quantum;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    /// Advances by one microsecond and returns the row that ran in it: the naive twin.
    fn step(rotation: &mut Rotation) -> Option<u32> {
        if rotation.rows != 0 && rotation.at == rotation.slice_end {
            rotation.slice_end = rotation.at + rotation.quantum;
            let next = (1..=64)
                .map(|by| (rotation.row + by) % 64)
                .find(|row| rotation.rows >> row & 1 == 1)
                .unwrap();
            if next != rotation.row {
                rotation.row = next;
                rotation.runs_from = rotation.at + rotation.cost;
            }
        }
        let runs = rotation.rows != 0 && rotation.at >= rotation.runs_from;
        rotation.at = rotation.at + Span::from_microseconds(1);
        runs.then_some(rotation.row)
    }

    #[test]
    fn arithmetic_agrees_with_single_steps() {
        let mut stream = Stream::new(1, "rotation");
        for _ in 0..2000 {
            let quantum = stream.below(9) as i64 + 2;
            let cost = stream.below(quantum as u64) as i64;
            let mut rotation = Rotation::new(
                Span::from_microseconds(quantum),
                Span::from_microseconds(cost),
            );
            rotation.at = Time::ZERO;
            for _ in 0..6 {
                rotation.set_rows(stream.below(16));
                let mask = stream.below(16);
                let length = stream.below(60) as i64;
                let (mut naive, mut ran) = (rotation, 0);
                for _ in 0..length {
                    if let Some(row) = step(&mut naive)
                        && mask >> row & 1 == 1
                    {
                        ran += 1;
                        assert_eq!(rotation.when(mask, Span::from_microseconds(ran)), naive.at);
                    }
                    assert_eq!(rotation.served(mask, naive.at).microseconds(), ran);
                }
                let to = rotation.at + Span::from_microseconds(length);
                let turned = rotation.turned(to);
                // The naive twin turns at the beginning of its next step.
                let (mut a, mut b) = (naive, turned);
                for _ in 0..30 {
                    assert_eq!(step(&mut a), step(&mut b));
                }
                rotation = turned;
            }
        }
    }
}
