//! QOS that preempt each other in a loop (`_preemption_loop` of slurmdbd).

use super::known::{SlurmQos, bad, short};
use crate::problem::Problem;
use crate::pulse::beat;

/// Names of a loop that a problem tells.
const MOST_NAMES: usize = 8;

/// Checks that no QOS preempts itself, not even by others. With a loop, requeued jobs could preempt each
/// other for ever.
///
/// # Errors
/// Returns a problem that names the first loop.
pub fn check(qos: &[SlurmQos]) -> Result<(), Problem> {
    // QOS leave that preempt nothing, or only QOS that have left. Those of a loop stay.
    let mut preemptors = vec![Vec::new(); qos.len()];
    for (at, one) in qos.iter().enumerate() {
        beat(8 + one.preempts.len());
        for preempted in &one.preempts {
            preemptors[*preempted].push(at);
        }
    }
    let mut left: Vec<usize> = qos.iter().map(|one| one.preempts.len()).collect();
    let mut gone: Vec<usize> = (0..qos.len()).filter(|at| left[*at] == 0).collect();
    let mut next = 0;
    while let Some(at) = gone.get(next) {
        next += 1;
        beat(8 + preemptors[*at].len());
        for by in &preemptors[*at] {
            left[*by] -= 1;
            if left[*by] == 0 {
                gone.push(*by);
            }
        }
    }
    let Some(mut at) = left.iter().position(|count| *count > 0) else {
        return Ok(());
    };
    // Each QOS that stays preempts one that stays, so the walk comes to a QOS for the second time.
    let mut place = vec![None; qos.len()];
    let mut walk = Vec::new();
    while place[at].is_none() {
        beat(8 + qos[at].preempts.len());
        place[at] = Some(walk.len());
        walk.push(at);
        let stays = |other: &&usize| left[**other] > 0;
        at = *qos[at].preempts.iter().find(stays).unwrap_or(&at);
    }
    let walk = &walk[place[at].unwrap_or(0)..];
    let shown = walk.iter().take(MOST_NAMES);
    let names: Vec<String> = shown
        .map(|at| format!("`{}`", short(&qos[*at].name)))
        .collect();
    let more = match walk.len().saturating_sub(MOST_NAMES) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Err(bad(
        format!(
            "These QOS preempt each other in a loop: {}{more}.",
            names.join(", ")
        ),
        "slurmdbd refuses such lists (`Preempt`), because jobs could preempt each other for ever.",
    ))
}
