//! Performance-based adaptive scheduling: candidates are simulated in the background, and the one
//! that did best in the last frame decides in the next.
//!
//! D. Talby and D. G. Feitelson, "Improving and stabilizing parallel computer performance using
//! adaptive backfilling", IPDPS 2005, section 3.

use super::candidates::{self, Candidate, candidates};
use super::tools::adaptive::{Adapting, SwitchRule};
use super::tools::prediction::{CORRECTION, ESTIMATES};
use super::tools::spec::{Needs, Spec};
use crate::param::{Kind, Param, Settings, Typed, whole, words};
use crate::sim::Policy;
use crate::sim::{Rehearsal, Tally, Turn};
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
    help: "The policies to choose among; the first one begins",
};

const FRAME: Typed<i64> = whole("frame", "Time frame", 60..=4_320_000, 604_800)
    .unit("s")
    .help("How often it is asked who is to decide: 1 minute to 50 days, by default 7 days");

words! {
    /// By what the candidates are compared, each on its own machine: work done there in the frame,
    /// or jobs that ended there.
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
        "By what the candidates are compared, each on its own machine: work done there in the \
            frame, or jobs that ended there",
    );

const HISTORY: Typed<i64> = whole("history", "History", 1..=1000, 1)
    .unit("frames")
    .help("How many of the last frames are looked at");

words! {
    /// How the candidate that decides is compared with the others.
    enum Deciding {
        Real = "real": "is seen on the real machine, and goes on from there in the background when \
            another takes over",
        Alone = "alone": "is seen in the background like all others, where it has always been \
            alone",
    }
}

const BACKGROUND: Typed<Deciding> =
    Deciding::param("background", "Deciding candidate", Deciding::Real)
        .help("How the candidate that decides is compared with the others");

/// The policy's description.
pub const SPEC: Spec = Spec {
    id: "pbas",
    name: "PBAS",
    summary: "Several policies run in the background, and the one that did best in the last time \
        frame decides in the next.",
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
    build: |settings| {
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
    /// How bad a candidate was; none if it cannot be said.
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

/// How the candidates do.
struct Performance {
    metric: Criterion,
    history: usize,
    /// Whether the one that decides is the real run, and has no other machine.
    on_real: bool,
    background: Vec<Background>,
}

/// A candidate's machine in the background, and how it did in the last frames.
struct Background {
    /// None while it decides on the real machine and has no other one.
    rehearsal: Option<Rehearsal>,
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
            let mut rehearsal =
                (at > 0 || !self.on_real).then(|| turn.rehearsal(candidate.build()));
            // Begun on the way, a frame begins now and not with the first job.
            if let Some(rehearsal) = rehearsal.as_mut().filter(|_| turn.now() > turn.began()) {
                rehearsal.advance(turn);
            }
            self.background.push(Background {
                rehearsal,
                frames: VecDeque::new(),
            });
        }
        if self.on_real {
            turn.tally();
        }
    }

    fn choose(&mut self, turn: &mut Turn<'_>, active: usize) -> usize {
        let mut badness = Vec::with_capacity(self.background.len());
        for Background { rehearsal, frames } in &mut self.background {
            if frames.len() == self.history {
                frames.pop_front();
            }
            frames.push_back(match rehearsal {
                Some(rehearsal) => rehearsal.advance(turn),
                None => turn.tally(),
            });
            badness.push(
                self.metric
                    .of(&frames.iter().copied().fold(Tally::default(), Tally::and)),
            );
        }
        // Whoever decides goes on unless another one was better.
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
            let other = self.background[next].rehearsal.take();
            self.background[last].rehearsal = Some(turn.left_to(policy, timers, other));
        }
    }

    fn fork(&self) -> Box<dyn SwitchRule> {
        let copy = |of: &Background| Background {
            rehearsal: of.rehearsal.as_ref().map(Rehearsal::fork),
            frames: of.frames.clone(),
        };
        Box::new(Self {
            background: self.background.iter().map(copy).collect(),
            ..*self
        })
    }
}
