//! Workload-based adaptive scheduling: one of two policies decides while jobs ask for more processors than they usually
//! do, the other one while they do not.
//!
//! D. Talby and D. G. Feitelson, "Improving and stabilizing parallel computer performance using adaptive backfilling",
//! IPDPS 2005, section 4, figure 4.

use super::tools::{self, Adapting, ESTIMATES, Rule, candidates};
use super::{Needs, Spec};
use crate::job::Request;
use crate::param::{Choice, Kind, Param, Settings};
use crate::sim::Turn;
use crate::time::Span;

const CANDIDATES: Param = Param {
    key: tools::CANDIDATES,
    name: "Candidates",
    kind: Kind::Policies { least: 2, most: 2, defaults: tools::DEFAULTS },
    unit: "",
    when: None,
    help: "The first one decides while jobs are wider than usual, and at the beginning; the second one otherwise",
};

const FRAME: Param = Param {
    key: "frame",
    name: "Time frame",
    kind: Kind::Whole { min: 60, max: 4_320_000, default: Some(86_400) },
    unit: "s",
    when: None,
    help: "How often it is asked who is to decide: 1 minute to 50 days, by default a day",
};

const MAF: Param = Param {
    key: "maf",
    name: "Moving average factor",
    kind: Kind::Real { min: 1.0, max: 1e9, default: 7500.0 },
    unit: "jobs",
    when: None,
    help: "The usual parallelism is a moving average to which each new job contributes 1 / MAF",
};

const BEGINNING: Param = Param {
    key: "beginning",
    name: "Average begins",
    kind: Kind::Choice {
        options: &[
            Choice { id: "first", help: "as the size of the first job" },
            Choice { id: "mean", help: "as the mean of all jobs, until there are as many as the factor says" },
        ],
        default: "first",
    },
    unit: "",
    when: None,
    help: "The usual parallelism at the beginning of a run, of which a large factor is slow to forget",
};

/// The policy's description.
pub const SPEC: Spec = Spec {
    id: "wbas",
    name: "WBAS",
    summary: "One of two policies decides while jobs ask for more processors than usual, the other one while they do not.",
    paper: "Talby and Feitelson, IPDPS 2005, section 4",
    needs: Needs::Room,
    params: &[CANDIDATES, FRAME, MAF, BEGINNING, ESTIMATES],
    build: |settings| {
        let frame = Span::from_seconds(settings.whole(&FRAME));
        Box::new(Adapting::new(candidates(&CANDIDATES, settings), frame, Box::new(Parallelism::new(settings)), settings))
    },
};

/// Processors per job: usually, and in this frame.
#[derive(Clone)]
struct Parallelism {
    maf: f64,
    /// A job contributes one over this: the factor, or how many jobs there have been, while they are fewer.
    factor: f64,
    /// The moving average; none before the first job.
    usual: Option<f64>,
    /// Jobs that arrived in this frame, and their processors.
    jobs: u64,
    processors: u64,
}

impl Parallelism {
    fn new(settings: &Settings) -> Self {
        let maf = settings.real(&MAF);
        let factor = if settings.choice(&BEGINNING) == "mean" { 0.0 } else { maf };
        Self { maf, factor, usual: None, jobs: 0, processors: 0 }
    }
}

impl Rule for Parallelism {
    fn arrives(&mut self, request: &Request) {
        let processors = f64::from(request.processors);
        self.factor = (self.factor + 1.0).min(self.maf);
        let part = 1.0 / self.factor;
        self.usual = Some(self.usual.map_or(processors, |usual| (1.0 - part) * usual + part * processors));
        self.jobs += 1;
        self.processors += u64::from(request.processors);
    }

    fn choose(&mut self, _: &mut Turn<'_>, active: usize) -> usize {
        let (jobs, processors) = (std::mem::take(&mut self.jobs), std::mem::take(&mut self.processors));
        match self.usual {
            Some(usual) if jobs > 0 => usize::from(usual >= processors as f64 / jobs as f64),
            _ => active,
        }
    }

    fn fork(&self) -> Box<dyn Rule> {
        Box::new(self.clone())
    }
}
