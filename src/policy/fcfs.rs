//! First come, first served: jobs start in order of arrival, and no job passes a job that must
//! wait. Every other policy is compared with this one.

use super::tools::moving::HeadFirst;
use super::tools::spec::{Needs, Spec};
use crate::sim::Policy;
use crate::sim::{Turn, Waiting, Why};

/// The policy's description.
pub const SPEC: Spec = Spec {
    id: "fcfs",
    name: "FCFS",
    summary: "Jobs start in order of arrival; no job passes a job that must wait.",
    paper: "The baseline of all five papers; D. G. Feitelson, \"Packing schemes for gang \
        scheduling\", JSSPP 1996, and others",
    needs: Needs::Room,
    params: &[],
    check: &|_| Ok(Vec::new()),
    build: &|_| Box::new(Fcfs),
};

#[derive(Copy, Clone)]
pub(super) struct Fcfs;

impl HeadFirst for Fcfs {
    fn start_heads(&mut self, turn: &mut Turn<'_>) -> Option<Waiting> {
        loop {
            let head = turn.queue().head().copied()?;
            if !turn.fits(&head) || !turn.start(head.job) {
                return Some(head);
            }
        }
    }
}

impl Policy for Fcfs {
    fn decide(&mut self, turn: &mut Turn<'_>) {
        if let Some(head) = self.start_heads(turn)
            && turn.is_watched()
        {
            let (head, why) = (head.job, turn.too_large(head.processors));
            turn.explain(&[], |job| {
                if job.job == head {
                    why
                } else {
                    Why::Behind { ahead: head }
                }
            });
        }
    }

    fn fork(&self) -> Box<dyn Policy> {
        Box::new(*self)
    }
}
