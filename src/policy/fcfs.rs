//! First come, first served: jobs start in order of arrival, and nobody passes a job that must wait.

use super::{Needs, Policy, Spec};
use crate::sim::{Turn, Why};

/// The policy's description.
pub const SPEC: Spec = Spec {
    id: "fcfs",
    name: "FCFS",
    summary: "Jobs start in order of arrival; nobody passes a job that must wait.",
    paper: "The baseline of all five papers; D. G. Feitelson, \"Packing schemes for gang scheduling\", JSSPP 1996, and others",
    needs: Needs::Counts,
    params: &[],
    build: |_| Box::new(Fcfs),
};

struct Fcfs;

impl Policy for Fcfs {
    fn decide(&mut self, turn: &mut Turn<'_>) {
        while let Some(head) = turn.queue().head().copied()
            && turn.fits(head.processors)
        {
            turn.start(head.job);
        }
        if turn.is_watched()
            && let Some(head) = turn.queue().head().map(|head| head.job)
        {
            let free = turn.free();
            turn.explain(&[], |job| if job.job == head { Why::Processors { free } } else { Why::Behind { ahead: head } });
        }
    }

    fn fork(&self) -> Box<dyn Policy> {
        Box::new(Self)
    }
}
