//! Adapting: one of several candidates decides, and at the end of every frame a rule says which is to decide from then on.
//!
//! The one that takes over begins anew: it knows the machine and the queue as they are, and what is believed of the jobs,
//! but has promised nothing and remembers nothing of what was before.

use super::candidates::Candidate;
use crate::job::{JobId, Request};
use crate::policy::Policy;
use crate::sim::Turn;
use crate::time::{Span, Time};

/// Which candidate is to decide.
pub trait Rule: Send {
    /// The run begins.
    fn begin(&mut self, _turn: &Turn<'_>, _candidates: &[Candidate]) {}
    /// A job arrives.
    fn arrives(&mut self, _request: &Request) {}
    /// A frame ends, with `active` deciding: who is to decide in the next one.
    fn choose(&mut self, turn: &Turn<'_>, active: usize) -> usize;
    /// A copy with the same future.
    fn fork(&self) -> Self;
}

/// Several policies, of which one decides.
pub struct Adapting<R> {
    candidates: Vec<Candidate>,
    rule: R,
    frame: Span,
    /// The end of the frame, once the run has begun.
    ends: Option<Time>,
    active: usize,
    policy: Box<dyn Policy>,
}

impl<R: Rule> Adapting<R> {
    /// The first of `candidates`, of which there is one at least, decides first.
    pub fn new(candidates: Vec<Candidate>, frame: Span, rule: R) -> Self {
        let policy = candidates[0].build();
        Self { candidates, rule, frame, ends: None, active: 0, policy }
    }

    /// Whether a frame ends at this turn. Asks for a turn at the end of the next one.
    fn frame_ends(&mut self, turn: &mut Turn<'_>) -> bool {
        let now = turn.now();
        // Where the events of an instant are told one by one, the frame's end is the last of them.
        let is_over = self.ends.is_some_and(|end| end <= now) && turn.timers() > 0;
        if is_over || self.ends.is_none() {
            let end = now + self.frame;
            self.ends = Some(end);
            turn.wake_at(end);
        }
        is_over
    }

    fn switch(&mut self, turn: &mut Turn<'_>, to: usize) {
        self.active = to;
        self.policy = self.candidates[to].build();
        turn.switch(to as u32);
    }
}

impl<R: Rule + 'static> Policy for Adapting<R> {
    fn decide(&mut self, turn: &mut Turn<'_>) {
        // One alone is left alone: it is asked when it would be asked without all this.
        if self.candidates.len() > 1 {
            if self.ends.is_none() {
                self.rule.begin(turn, &self.candidates);
                turn.switch(0);
            }
            if self.frame_ends(turn) {
                let chosen = self.rule.choose(turn, self.active);
                if chosen != self.active {
                    self.switch(turn, chosen);
                } else if turn.arrived().is_empty() && turn.finished().is_empty() && turn.timers() == 1 {
                    // The turn is only that of the frame.
                    return;
                }
            }
        }
        self.policy.decide(turn);
    }

    fn fork(&self) -> Box<dyn Policy> {
        Box::new(Self {
            candidates: self.candidates.clone(),
            rule: self.rule.fork(),
            frame: self.frame,
            ends: self.ends,
            active: self.active,
            policy: self.policy.fork(),
        })
    }

    fn believe(&mut self, job: JobId, request: &Request) -> Span {
        self.rule.arrives(request);
        self.policy.believe(job, request)
    }

    fn completed(&mut self, job: JobId, request: &Request, ran: Span) {
        self.policy.completed(job, request, ran);
    }

    fn outlived(&mut self, job: JobId, request: &Request, believed: Span) -> Option<Span> {
        self.policy.outlived(job, request, believed)
    }
}
