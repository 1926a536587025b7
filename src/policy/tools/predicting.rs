//! Believed run times: the parameter, and the wrapper that lets any policy work with predictions.

use super::Predictor;
use crate::job::{JobId, Request};
use crate::param::{Choice, Kind, Param, Settings};
use crate::policy::Policy;
use crate::sim::Turn;
use crate::time::Span;

/// Where the run times that the scheduler believes in come from.
pub const ESTIMATES: Param = Param {
    key: "estimates",
    name: "Believed run times",
    kind: Kind::Choice {
        options: &[
            Choice { id: "requested", help: "the users' estimates" },
            Choice { id: "actual", help: "the true run times (clairvoyant)" },
            Choice { id: "predicted", help: "the mean of the user's last two run times, corrected when too short (EASY++)" },
        ],
        default: "requested",
    },
    unit: "",
    when: None,
    help: "Where the run times that the scheduler believes in come from",
};

/// `policy` with the beliefs that `settings` choose. `actual` needs nothing here: the experiment has made the estimates
/// exact before the run.
pub fn with_beliefs(policy: impl Policy + 'static, settings: &Settings) -> Box<dyn Policy> {
    if settings.choice(&ESTIMATES) == "predicted" {
        return Box::new(Predicting { policy: Box::new(policy), predictor: Predictor::default() });
    }
    Box::new(policy)
}

/// A policy that is told predictions in place of estimates.
struct Predicting {
    policy: Box<dyn Policy>,
    predictor: Predictor,
}

impl Policy for Predicting {
    fn decide(&mut self, turn: &mut Turn<'_>) {
        self.policy.decide(turn);
    }

    fn fork(&self) -> Box<dyn Policy> {
        Box::new(Self { policy: self.policy.fork(), predictor: self.predictor.clone() })
    }

    fn believe(&mut self, job: JobId, request: &Request) -> Span {
        self.policy.believe(job, request);
        self.predictor.believe(request)
    }

    fn completed(&mut self, job: JobId, request: &Request, ran: Span) {
        self.predictor.completed(job, request, ran);
        self.policy.completed(job, request, ran);
    }

    fn outlived(&mut self, job: JobId, request: &Request, believed: Span) -> Option<Span> {
        self.policy.outlived(job, request, believed);
        self.predictor.outlived(job, request, believed)
    }
}
