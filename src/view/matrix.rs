//! The Ousterhout matrix at an instant: the jobs on each processor of each row, and the current
//! row.

use super::{Colours, Index};
use crate::job::JobId;
use crate::machine::Range;
use crate::schedule::Schedule;
use crate::time::Time;

/// A range of processors of a job in one colour.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Seats {
    /// The job.
    pub job: JobId,
    /// Row of the job.
    pub row: u32,
    /// The processors, as columns.
    pub columns: Range,
    /// Colour of the job.
    pub colour: [u8; 3],
}

/// The matrix at an instant.
#[derive(Clone, Debug)]
pub struct MatrixView {
    /// The jobs with their processors, in order of starting.
    pub seats: Vec<Seats>,
    /// The current row and the end of its slice, if rows take turns.
    pub turn: Option<(u32, Time)>,
}

/// Returns the matrix at `at`. On a machine of one row, that is the jobs of the processors.
pub fn matrix(schedule: &Schedule, index: &Index, colours: &Colours, at: Time) -> MatrixView {
    let after = Time::from_microseconds(at.microseconds().saturating_add(1));
    let mut seats = Vec::new();
    for place in index.candidates(schedule, at, after) {
        let entry = schedule.attempt(place);
        for stay in schedule
            .stays(entry)
            .filter(|stay| stay.from <= at && at < stay.to)
        {
            colours.pieces(
                entry.job,
                stay.placement,
                at,
                after,
                |_, _, columns, colour| {
                    seats.push(Seats {
                        job: entry.job,
                        row: stay.placement.row,
                        columns,
                        colour: colours.of_attempt(entry.is_lost, colour),
                    });
                },
            );
        }
    }
    let last = schedule.turns.partition_point(|rotation| rotation.at <= at);
    let turn = last
        .checked_sub(1)
        .map(|last| schedule.turns[last].turned(at))
        .filter(|rotation| rotation.rows != 0);
    MatrixView {
        seats,
        turn: turn.map(|rotation| (rotation.row, rotation.slice_end)),
    }
}
