//! Workload-based adaptive scheduling: one of two candidates decides while jobs ask for more
//! processors than usual, the other one while they do not. WBAS looks only at the workload, so it
//! needs no background simulation.
//!
//! D. Talby and D. G. Feitelson, "Improving and stabilizing parallel computer performance using
//! adaptive backfilling", IPDPS 2005, section 4, figure 4.

use super::candidates::{self, candidates};
use super::tools::adaptive::{Adapting, SwitchRule};
use super::tools::prediction::{CORRECTION, ESTIMATES};
use super::tools::spec::{Needs, Spec};
use crate::job::Request;
use crate::param::{Kind, Param, Settings, Typed, real, whole, words};
use crate::sim::Turn;
use crate::time::Span;

const CANDIDATES: Param = Param {
    key: candidates::CANDIDATES,
    name: "Candidates",
    kind: Kind::Policies {
        least: 2,
        most: 2,
        defaults: candidates::DEFAULTS,
    },
    unit: "",
    when: None,
    help: "The first policy decides at the beginning, and while jobs are wider than usual; the \
        second one decides otherwise",
};

const FRAME: Typed<i64> = whole("frame", "Time frame", 60..=4_320_000, 86_400)
    .unit("s")
    .help(
        "Time between two choices of the candidate that decides: 1 minute to 50 days, by default \
            1 day",
    );

const MAF: Typed<f64> = real("maf", "Moving average factor", 1.0..=1e9, 7500.0)
    .unit("jobs")
    .help("The usual parallelism is a moving average to which each new job contributes 1 / MAF");

words! {
    /// The usual parallelism at the beginning of a run.
    enum Beginning {
        First = "first": "the size of the first job",
        Mean = "mean": "the mean size of all jobs, until their number reaches the factor",
    }
}

const BEGINNING: Typed<Beginning> =
    Beginning::param("beginning", "Average begins", Beginning::First).help(
        "The usual parallelism at the beginning of a run; with a large factor its influence fades \
            slowly",
    );

/// The policy's description.
pub const SPEC: Spec = Spec {
    id: "wbas",
    name: "WBAS",
    summary: "One of two policies decides while jobs ask for more processors than usual, the \
        other one otherwise.",
    paper: "Talby and Feitelson, IPDPS 2005, section 4",
    needs: Needs::Room,
    params: &[
        CANDIDATES,
        FRAME.param,
        MAF.param,
        BEGINNING.param,
        ESTIMATES.param,
        CORRECTION.param,
    ],
    check: &|_| Ok(Vec::new()),
    build: &|settings| {
        let frame = Span::from_seconds(settings.get(&FRAME));
        Box::new(Adapting::new(
            candidates(&CANDIDATES, settings),
            frame,
            Box::new(Parallelism::new(settings)),
            settings,
        ))
    },
};

/// Number and total size of jobs that arrived.
#[derive(Copy, Clone, Default)]
struct Arrived {
    jobs: u64,
    processors: u64,
}

impl Arrived {
    fn add(&mut self, request: &Request) {
        self.jobs += 1;
        self.processors += u64::from(request.processors);
    }

    /// Returns the mean number of processors per job.
    fn mean(self) -> f64 {
        self.processors as f64 / self.jobs as f64
    }

    /// True if the mean is no less than the mean of `other`. Compares without rounding.
    fn is_no_less_than(self, other: Self) -> bool {
        u128::from(self.processors) * u128::from(other.jobs)
            >= u128::from(other.processors) * u128::from(self.jobs)
    }
}

/// The usual number of processors per job.
#[derive(Copy, Clone)]
enum Usual {
    /// The mean over all jobs so far, kept as a count and a sum. At the end of the first frame it
    /// often equals the frame's mean, and rounding must not decide which of the two is larger.
    Mean(Arrived),
    /// The moving average. `None` before the first job.
    Moving(Option<f64>),
}

/// A rule that compares the processors per job in this frame with the usual number.
#[derive(Clone)]
struct Parallelism {
    maf: f64,
    usual: Usual,
    frame: Arrived,
}

impl Parallelism {
    fn new(settings: &Settings) -> Self {
        let usual = if settings.get(&BEGINNING) == Beginning::Mean {
            Usual::Mean(Arrived::default())
        } else {
            Usual::Moving(None)
        };
        Self {
            maf: settings.get(&MAF),
            usual,
            frame: Arrived::default(),
        }
    }
}

impl SwitchRule for Parallelism {
    fn arrives(&mut self, request: &Request) {
        let (processors, part) = (f64::from(request.processors), 1.0 / self.maf);
        let moved = |usual: f64| Usual::Moving(Some((1.0 - part) * usual + part * processors));
        self.usual = match self.usual {
            Usual::Mean(mut all) if ((all.jobs + 1) as f64) <= self.maf => {
                all.add(request);
                Usual::Mean(all)
            }
            Usual::Mean(all) => moved(all.mean()),
            Usual::Moving(usual) => usual.map_or(Usual::Moving(Some(processors)), moved),
        };
        self.frame.add(request);
    }

    fn choose(&mut self, _: &mut Turn<'_>, active: usize) -> usize {
        let frame = std::mem::take(&mut self.frame);
        match self.usual {
            _ if frame.jobs == 0 => active,
            Usual::Mean(all) => usize::from(all.is_no_less_than(frame)),
            Usual::Moving(usual) => {
                usual.map_or(active, |usual| usize::from(usual >= frame.mean()))
            }
        }
    }

    fn fork(&self) -> Box<dyn SwitchRule> {
        Box::new(self.clone())
    }
}
