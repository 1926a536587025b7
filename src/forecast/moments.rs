//! The past moments of a calibration.

use super::joined::states;
use super::standing::Standing;
use crate::pulse::beat;
use crate::trace::Trace;

/// Returns the moments of a log, at most `count` of them and before `end`, in seconds after its zero;
/// and the number of parts of the log in which no job waits.
///
/// The first fifth of the time from the first to the last submission only gives run times. The rest has
/// `count` equal parts. The moment of a part is its middle, or else the first submission after it, and
/// within the part, of a job that waits.
pub fn moments(log: &Trace, count: usize, end: Option<i64>) -> (Vec<i64>, u64) {
    let state = states(log);
    let mut waits: Vec<(i64, i64)> = Vec::new();
    let (mut first, mut last) = (i64::MAX, i64::MIN);
    for (index, record) in log.records.iter().enumerate() {
        beat(32);
        if end.is_some_and(|end| record.submit > end) {
            continue;
        }
        first = first.min(record.submit);
        last = last.max(record.submit);
        let start = Standing::start_of(record, state(index));
        if let Some(start) = start.filter(|start| *start > record.submit) {
            waits.push((record.submit, start));
        }
    }
    crate::sorting::by(&mut waits, |(submit, _)| [i128::from(*submit), 0]);
    if first >= last {
        return (Vec::new(), count as u64);
    }
    let begin = first + (last - first) / 5;
    let edge = |part: usize| {
        let share = i128::from(last - begin) * part as i128 / count.max(1) as i128;
        begin + share as i64
    };
    let mut found = Vec::new();
    for part in 0..count {
        beat(8 * waits.len());
        let (from, to) = (edge(part), edge(part + 1));
        let middle = from + (to - from) / 2;
        let is_waiting = |(submit, start): &(i64, i64)| *submit <= middle && *start > middle;
        let later = waits.partition_point(|(submit, _)| *submit < middle);
        let next = waits.get(later).map(|(submit, _)| *submit);
        if waits.iter().any(is_waiting) {
            found.push(middle);
        } else if let Some(next) = next.filter(|next| *next < to || part + 1 == count) {
            found.push(next);
        }
    }
    let empty = (count - found.len()) as u64;
    (found, empty)
}
