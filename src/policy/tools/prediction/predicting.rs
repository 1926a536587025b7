//! Believed run times: the parameter, and the wrapper that lets any policy work with predictions.

use super::{Correction, Predictor};
use crate::job::{JobId, Request};
use crate::param::{Param, Settings, Typed, When, words};
use crate::sim::Policy;
use crate::sim::Turn;
use crate::time::Span;

words! {
    /// Where the run times that the scheduler believes in come from.
    pub enum Estimates {
        Requested = "requested": "the users' estimates",
        Actual = "actual": "the true run times (clairvoyant)",
        ActualUntilStart = "actual_until_start": "the true run time while a job waits, the user's \
            estimate once it runs (CQSim)",
        Predicted = "predicted": "the mean of the user's last two run times, corrected when too \
            short (EASY++)",
    }
}

/// Where the run times that the scheduler believes in come from.
pub const ESTIMATES: Typed<Estimates> =
    Estimates::param("estimates", "Believed run times", Estimates::Requested)
        .help("Where the run times that the scheduler believes in come from");

/// How a prediction that proved too short is corrected.
pub const CORRECTION: Typed<Correction> = Correction::param(
    "correction",
    "Correction",
    Correction::Totals,
)
.when(When {
    keys: &["estimates"],
    words: &["predicted"],
})
.help("How the belief in a running job is raised that has outlived it, at most to its estimate");

/// The parameters that say what is believed of run times: an adaptive policy has them in common
/// with its candidates.
pub const BELIEFS: [Param; 2] = [ESTIMATES.param, CORRECTION.param];

/// `policy` with the beliefs that `settings` choose. `actual` and `actual_until_start` need nothing
/// here: the experiment has made the estimates exact before the run, or told the simulation.
pub fn with_beliefs(policy: impl Policy + 'static, settings: &Settings) -> Box<dyn Policy> {
    if are_predicted(settings) {
        Box::new(Believing::new(Box::new(policy), settings))
    } else {
        Box::new(policy)
    }
}

fn are_predicted(settings: &Settings) -> bool {
    settings.get(&ESTIMATES) == Estimates::Predicted
}

/// A policy, and what is believed of run times.
pub struct Believing {
    /// Who decides.
    pub policy: Box<dyn Policy>,
    /// Whose predictions take the place of what the policy believes.
    predictor: Option<Predictor>,
}

impl Believing {
    /// From the beginning, with the beliefs that `settings` choose.
    pub fn new(policy: Box<dyn Policy>, settings: &Settings) -> Self {
        Self {
            policy,
            predictor: are_predicted(settings).then(|| Predictor::new(settings.get(&CORRECTION))),
        }
    }

    /// Another policy, which knows what is known of run times.
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
