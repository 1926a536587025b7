//! The common part of every adaptive policy: one of several candidates decides, and at the end of
//! every time frame a rule chooses the candidate that decides next.
//!
//! A candidate that takes over begins from scratch. It knows the present machine and queue, and the
//! beliefs about the jobs. It has made no promises and remembers nothing from before.

use super::prediction::Believing;
use super::spec::Spec;
use crate::job::{JobId, Request};
use crate::param::Settings;
use crate::sim::Policy;
use crate::sim::Turn;
use crate::time::{Span, Time};
use std::mem;

/// A policy among which an adaptive policy chooses, with settings of its own.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Name among the candidates: the policy's id, with digits after it if another candidate has
    /// the same id.
    pub name: String,
    /// Description of the policy.
    pub spec: &'static Spec,
    /// Settings of the policy.
    pub settings: Settings,
}

impl Candidate {
    /// Builds the policy from scratch.
    pub fn build(&self) -> Box<dyn Policy> {
        (self.spec.build)(&self.settings)
    }
}

/// A rule that chooses the candidate that decides.
pub trait SwitchRule: Send {
    /// Called once, at the first turn.
    fn begin(&mut self, _turn: &mut Turn<'_>, _candidates: &[Candidate]) {}
    /// Called when a job arrives.
    fn arrives(&mut self, _request: &Request) {}
    /// Returns the candidate that decides in the next frame. Called at the end of a frame in which
    /// `active` decided.
    fn choose(&mut self, turn: &mut Turn<'_>, active: usize) -> usize;
    /// Called when the candidate `next` replaces `last`. `policy` is the outgoing policy, and
    /// `timers` is the number of its own timers that are due.
    fn takes_over(
        &mut self,
        _turn: &Turn<'_>,
        _next: usize,
        _last: usize,
        _policy: Box<dyn Policy>,
        _timers: u32,
    ) {
    }
    /// Returns an independent copy that chooses in the same way.
    fn fork(&self) -> Box<dyn SwitchRule>;
}

/// A policy that lets one of several candidates decide.
pub struct Adapting {
    candidates: Vec<Candidate>,
    rule: Box<dyn SwitchRule>,
    frame: Span,
    /// The end of the current frame. `None` before the first turn.
    ends: Option<Time>,
    active: usize,
    policy: Believing,
}

impl Adapting {
    /// Builds the policy. The first of `candidates` decides first. `settings` choose the beliefs
    /// about run times.
    ///
    /// # Panics
    /// Panics if there is no candidate.
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

    /// Begins a frame and sets a timer for its end.
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
        // A single candidate has no frames, so it decides exactly when it would without this
        // wrapper.
        if self.candidates.len() > 1 {
            let now = turn.now();
            if self.ends.is_none() {
                self.rule.begin(turn, &self.candidates);
                turn.switch(0);
                self.begin_frame(turn);
            } else if self.ends.is_some_and(|end| end <= now) && turn.timers() > 0 {
                // If the policy decides after each event, the end of the frame is the last event of
                // its instant. Earlier turns of the instant have no timers.
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
                    // Only the end of the frame caused this turn.
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
