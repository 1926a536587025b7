//! The parameters of beliefs about run times, and a wrapper that lets any policy work with
//! predictions.

use super::{Correction, Predictor};
use crate::job::{JobId, Request};
use crate::param::{Param, Settings, Typed, When, words};
use crate::sim::Policy;
use crate::sim::Turn;
use crate::time::Span;

words! {
    /// The source of beliefs about run times.
    pub enum Estimates {
        Requested = "requested": "the users' estimates",
        Actual = "actual": "the true run times (clairvoyant)",
        ActualUntilStart = "actual_until_start": "the true run time while a job waits, the user's \
            estimate once it runs (CQSim)",
        Predicted = "predicted": "the mean of the user's last two run times, corrected when it \
            proves too short (EASY++)",
    }
}

/// The source of beliefs about run times.
pub const ESTIMATES: Typed<Estimates> =
    Estimates::param("estimates", "Believed run times", Estimates::Requested)
        .help("The source of the policy's beliefs about run times");

/// The correction of predictions that prove too short.
pub const CORRECTION: Typed<Correction> = Correction::param(
    "correction",
    "Correction",
    Correction::Totals,
)
.when(When {
    keys: &["estimates"],
    words: &["predicted"],
})
.help(
    "The rule that raises the belief about a running job that has outlived it, at most to the \
        estimate",
);

/// The parameters of beliefs about run times. An adaptive policy and its candidates share them.
pub const BELIEFS: [Param; 2] = [ESTIMATES.param, CORRECTION.param];

/// Gives `policy` the beliefs that `settings` choose. `actual` and `actual_until_start` need no
/// wrapper: the experiment makes the estimates exact before the run, or tells the simulation.
pub fn with_beliefs(policy: impl Policy + 'static, settings: &Settings) -> Box<dyn Policy> {
    with_beliefs_of(Box::new(policy), settings)
}

/// Does the same as [`with_beliefs`] for a policy in a box.
pub fn with_beliefs_of(policy: Box<dyn Policy>, settings: &Settings) -> Box<dyn Policy> {
    if are_predicted(settings) {
        Box::new(Believing::new(policy, settings))
    } else {
        policy
    }
}

fn are_predicted(settings: &Settings) -> bool {
    settings.get(&ESTIMATES) == Estimates::Predicted
}

/// A policy with the beliefs that the settings choose.
pub struct Believing {
    /// The policy that decides.
    pub policy: Box<dyn Policy>,
    /// The predictor whose beliefs replace the policy's own. `None` without predictions.
    predictor: Option<Predictor>,
}

impl Believing {
    /// Gives `policy` the beliefs that `settings` choose. A predictor begins without any knowledge.
    pub fn new(policy: Box<dyn Policy>, settings: &Settings) -> Self {
        Self {
            policy,
            predictor: are_predicted(settings).then(|| Predictor::new(settings.get(&CORRECTION))),
        }
    }

    /// Gives `policy` a copy of this policy's knowledge about run times.
    pub fn with(&self, policy: Box<dyn Policy>) -> Self {
        Self {
            policy,
            predictor: self.predictor.clone(),
        }
    }
}

impl Policy for Believing {
    fn decide(&mut self, turn: &mut Turn<'_>) {
        self.policy.decide(turn);
    }

    fn fork(&self) -> Box<dyn Policy> {
        Box::new(self.with(self.policy.fork()))
    }

    fn believe(&mut self, job: JobId, request: &Request) -> Span {
        let own = self.policy.believe(job, request);
        self.predictor
            .as_ref()
            .map_or(own, |predictor| predictor.believe(request))
    }

    fn completed(&mut self, job: JobId, request: &Request, ran: Span) {
        if let Some(predictor) = &mut self.predictor {
            predictor.completed(job, request, ran);
        }
        self.policy.completed(job, request, ran);
    }

    fn outlived(&mut self, job: JobId, request: &Request, believed: Span) -> Option<Span> {
        let own = self.policy.outlived(job, request, believed);
        self.predictor
            .as_mut()
            .map_or(own, |predictor| predictor.outlived(job, request, believed))
    }
}
