//! Performance-based adaptive scheduling: PBAS simulates candidates in the background, and lets the
//! candidate that did best in the last frames decide in the next. No policy is the best for every
//! workload, and a policy that did well lately is likely to do well next.
//!
//! D. Talby and D. G. Feitelson, "Improving and stabilizing parallel computer performance using
//! adaptive backfilling", IPDPS 2005, section 3.

use super::candidates::{self, Candidate, candidates};
use super::tools::adaptive::{Adapting, SwitchRule};
use super::tools::prediction::{CORRECTION, ESTIMATES};
use super::tools::spec::{Needs, Spec};
use crate::param::{Kind, Param, Settings, Typed, whole, words};
use crate::sim::Policy;
use crate::sim::{BackgroundSimulation, Tally, Turn};
use crate::time::Span;
use std::collections::VecDeque;

const CANDIDATES: Param = Param {
    key: candidates::CANDIDATES,
    name: "Candidates",
    kind: Kind::Policies {
        least: 1,
        most: 8,
        defaults: candidates::DEFAULTS,
    },
    unit: "",
    when: None,
    help: "The policies to choose among; the first one decides at the beginning",
};

const FRAME: Typed<i64> = whole("frame", "Time frame", 60..=4_320_000, 604_800)
    .unit("s")
    .help(
        "Time between two choices of the candidate that decides: 1 minute to 50 days, by default \
            7 days",
    );

words! {
    /// The figure by which candidates are compared, each on its own machine: the work done there in
    /// the frames, or a mean over the jobs that ended there.
    enum Criterion {
        Utilisation = "utilisation": "most work done",
        Response = "response": "least mean response",
        BoundedSlowdown = "bounded_slowdown": "least mean bounded slowdown (10 s)",
        Wait = "wait": "least mean wait",
        Slowdown = "slowdown": "least mean slowdown",
    }
}

const METRIC: Typed<Criterion> = Criterion::param("metric", "Best by", Criterion::Utilisation)
    .help(
        "The candidates are compared by this figure over the last frames, each on its own machine",
    );

const HISTORY: Typed<i64> = whole("history", "History", 1..=1000, 1)
    .unit("frames")
    .help("Number of frames, up to the present, by which the candidates are compared");

words! {
    /// The machine on which the deciding candidate is judged.
    enum Deciding {
        Real = "real": "the real machine; when another candidate takes over, the old one goes on \
            from there in the background",
        Alone = "alone": "a machine in the background, like every other candidate, on which it has \
            always decided alone",
    }
}

const BACKGROUND: Typed<Deciding> =
    Deciding::param("background", "Deciding candidate", Deciding::Real)
        .help("The machine on which the deciding candidate is judged");

/// The policy's description.
pub const SPEC: Spec = Spec {
    id: "pbas",
    name: "PBAS",
    summary: "Several policies run in the background, and the policy that did best in the last \
        time frame decides in the next.",
    paper: "Talby and Feitelson, IPDPS 2005, section 3",
    needs: Needs::Room,
    params: &[
        CANDIDATES,
        FRAME.param,
        METRIC.param,
        HISTORY.param,
        BACKGROUND.param,
        ESTIMATES.param,
        CORRECTION.param,
    ],
    check: &|_| Ok(Vec::new()),
    build: &|settings| {
        let frame = Span::from_seconds(settings.get(&FRAME));
        Box::new(Adapting::new(
            candidates(&CANDIDATES, settings),
            frame,
            Box::new(Performance::new(settings)),
            settings,
        ))
    },
};

impl Criterion {
    /// Returns the badness of a candidate: the less, the better. Returns `None` if the figure is a
    /// mean over jobs and no job ended.
    fn of(self, tally: &Tally) -> Option<f64> {
        let sum = match self {
            Self::Utilisation => return Some(-(tally.work as f64)),
            Self::Response => tally.response,
            Self::BoundedSlowdown => tally.bounded_slowdown,
            Self::Wait => tally.wait,
            Self::Slowdown => tally.slowdown,
        };
        (tally.ended > 0).then(|| sum as f64 / tally.ended as f64)
    }
}

/// A rule that chooses the candidate with the best figure.
struct Performance {
    metric: Criterion,
    history: usize,
    /// True if the deciding candidate is judged on the real machine and has no other one.
    on_real: bool,
    background: Vec<Background>,
}

/// The background simulation of a candidate, and its totals in the last frames.
struct Background {
    /// `None` while the candidate decides on the real machine and has no other one.
    simulation: Option<BackgroundSimulation>,
    frames: VecDeque<Tally>,
}

impl Performance {
    fn new(settings: &Settings) -> Self {
        let on_real = settings.get(&BACKGROUND) == Deciding::Real;
        Self {
            metric: settings.get(&METRIC),
            history: settings.get(&HISTORY) as usize,
            on_real,
            background: Vec::new(),
        }
    }
}

impl SwitchRule for Performance {
    fn begin(&mut self, turn: &mut Turn<'_>, candidates: &[Candidate]) {
        for (at, candidate) in candidates.iter().enumerate() {
            let mut simulation =
                (at > 0 || !self.on_real).then(|| turn.background(candidate.build()));
            // If the policy takes over midway, its first frame begins now, not with the first job.
            if let Some(simulation) = simulation.as_mut().filter(|_| turn.now() > turn.began()) {
                simulation.advance(turn);
            }
            self.background.push(Background {
                simulation,
                frames: VecDeque::new(),
            });
        }
        if self.on_real {
            turn.tally();
        }
    }

    fn choose(&mut self, turn: &mut Turn<'_>, active: usize) -> usize {
        let mut badness = Vec::with_capacity(self.background.len());
        for Background { simulation, frames } in &mut self.background {
            if frames.len() == self.history {
                frames.pop_front();
            }
            frames.push_back(match simulation {
                Some(simulation) => simulation.advance(turn),
                None => turn.tally(),
            });
            badness.push(
                self.metric
                    .of(&frames.iter().copied().fold(Tally::default(), Tally::and)),
            );
        }
        // The deciding candidate goes on unless another one was better. Without a figure of its own
        // it cannot be compared, and goes on too.
        let Some(mut least) = badness[active] else {
            return active;
        };
        let mut chosen = active;
        for (at, bad) in badness.into_iter().enumerate() {
            if let Some(bad) = bad.filter(|bad| *bad < least) {
                (chosen, least) = (at, bad);
            }
        }
        chosen
    }

    fn takes_over(
        &mut self,
        turn: &Turn<'_>,
        next: usize,
        last: usize,
        policy: Box<dyn Policy>,
        timers: u32,
    ) {
        if self.on_real {
            let other = self.background[next].simulation.take();
            self.background[last].simulation = Some(turn.left_to(policy, timers, other));
        }
    }

    fn fork(&self) -> Box<dyn SwitchRule> {
        let copy = |of: &Background| Background {
            simulation: of.simulation.as_ref().map(BackgroundSimulation::fork),
            frames: of.frames.clone(),
        };
        Box::new(Self {
            background: self.background.iter().map(copy).collect(),
            ..*self
        })
    }
}
