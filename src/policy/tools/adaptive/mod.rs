//! Adapting: one of several candidates decides, and at the end of every frame a rule says which is
//! to decide from then on.
//!
//! The one that takes over begins anew: it knows the machine and the queue as they are, and what is
//! believed of the jobs, but has promised nothing and remembers nothing of what was before.

use super::prediction::Believing;
use super::spec::Spec;
use crate::job::{JobId, Request};
use crate::param::Settings;
use crate::sim::Policy;
use crate::sim::Turn;
use crate::time::{Span, Time};
use std::mem;

/// A policy to choose.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Its name among the candidates: the id, with digits behind it where that comes twice.
    pub name: String,
    /// Which policy.
    pub spec: &'static Spec,
    /// Its settings.
    pub settings: Settings,
}

impl Candidate {
    /// The policy, from the beginning.
    pub fn build(&self) -> Box<dyn Policy> {
        (self.spec.build)(&self.settings)
    }
}

/// Which candidate is to decide.
pub trait SwitchRule: Send {
    /// The run begins.
    fn begin(&mut self, _turn: &mut Turn<'_>, _candidates: &[Candidate]) {}
    /// A job arrives.
    fn arrives(&mut self, _request: &Request) {}
    /// A frame ends, with `active` deciding: who is to decide in the next one.
    fn choose(&mut self, turn: &mut Turn<'_>, active: usize) -> usize;
    /// Of two candidates one takes over from another one, of which this is the policy; `timers` of
    /// its own are due.
    fn takes_over(
        &mut self,
        _turn: &Turn<'_>,
        _next: usize,
        _last: usize,
        _policy: Box<dyn Policy>,
        _timers: u32,
    ) {
    }
    /// A copy with the same future.
    fn fork(&self) -> Box<dyn SwitchRule>;
}

/// Several policies, of which one decides.
pub struct Adapting {
    candidates: Vec<Candidate>,
    rule: Box<dyn SwitchRule>,
    frame: Span,
    /// The end of the frame, once the run has begun.
    ends: Option<Time>,
    active: usize,
    policy: Believing,
}

impl Adapting {
    /// The first of `candidates`, of which there is one at least, decides first. `settings` say
    /// what is believed of run times.
    pub fn new(
        candidates: Vec<Candidate>,
        frame: Span,
        rule: Box<dyn SwitchRule>,
        settings: &Settings,
    ) -> Self {
        let policy = Believing::new(candidates[0].build(), settings);
        Self {
            candidates,
            rule,
            frame,
            ends: None,
            active: 0,
            policy,
        }
    }

    /// A frame begins: asks for a turn at its end.
    fn begin_frame(&mut self, turn: &mut Turn<'_>) {
        let end = turn.now() + self.frame;
        self.ends = Some(end);
        turn.wake_at(end);
    }

    fn switch(&mut self, turn: &mut Turn<'_>, to: usize) {
        let next = self.policy.with(self.candidates[to].build());
        let last = mem::replace(&mut self.policy, next);
        self.rule
            .takes_over(turn, to, self.active, Box::new(last), turn.timers() - 1);
        self.active = to;
        turn.switch(to as u32);
    }
}

impl Policy for Adapting {
    fn decide(&mut self, turn: &mut Turn<'_>) {
        // One alone is left alone: it is asked when it would be asked without all this.
        if self.candidates.len() > 1 {
            let now = turn.now();
            if self.ends.is_none() {
                self.rule.begin(turn, &self.candidates);
                turn.switch(0);
                self.begin_frame(turn);
            } else if self.ends.is_some_and(|end| end <= now) && turn.timers() > 0 {
                // Where the events of an instant are told one by one, the frame's end is the last
                // of them.
                let chosen = self.rule.choose(turn, self.active);
                let is_new = chosen != self.active;
                if is_new {
                    self.switch(turn, chosen);
                }
                self.begin_frame(turn);
                if !is_new
                    && turn.arrived().is_empty()
                    && turn.finished().is_empty()
                    && turn.timers() == 1
                {
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
            policy: self.policy.with(self.policy.policy.fork()),
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
