//! Signs of life for JavaScript: wasm holds its thread, so nobody else can say what it does
//! meanwhile.

use super::arguments;
use super::clock::Clock;
use super::convert::object;
use crate::pulse::{Doing, listen};
use js_sys::Function;
use serde::Serialize;
use std::cell::RefCell;
use tsify::Tsify;
use wasm_bindgen::prelude::*;

/// Milliseconds between two signs of life.
const EVERY: f64 = 250.0;

/// What is being done inside wasm.
#[derive(Serialize, Tsify)]
pub struct DoingFacts {
    /// What it is.
    pub kind: DoingKind,
    /// Seconds since it began.
    pub seconds: f64,
    /// The instant of a decision.
    pub now: f64,
    /// Jobs that wait at a decision, or jobs that are done.
    pub jobs: f64,
    /// Jobs in all; 0 where that is not known.
    pub of: f64,
}

/// What can take long.
#[derive(Copy, Clone, PartialEq, Eq, Serialize, Tsify)]
#[serde(rename_all = "snake_case")]
pub enum DoingKind {
    /// A part of something that is short.
    Nothing,
    /// A trace is read.
    Reading,
    /// Jobs are drawn from a model.
    Drawing,
    /// The text of drawn jobs is hashed.
    Hashing,
    /// A workload is made of a trace.
    Preparing,
    /// A policy decides.
    Deciding,
    /// Figures are computed.
    Measuring,
}

struct Listener {
    tell: Function,
    clock: Clock,
    /// What was being done when this was heard of last, and since when.
    doing: (DoingKind, f64),
    since: f64,
    told: f64,
}

thread_local! {
    static LISTENER: RefCell<Option<Listener>> = const { RefCell::new(None) };
}

/// Calls `tell` with a `DoingFacts` about four times a second from inside any work that takes
/// longer. Nobody else is told then.
///
/// # Errors
/// Throws a `Problem` if `tell` is no function.
#[wasm_bindgen(js_name = onPulse)]
pub fn on_pulse(
    #[wasm_bindgen(unchecked_param_type = "(doing: DoingFacts) => void")] tell: Function,
) -> Result<(), JsValue> {
    arguments::function(&tell, "tell")?;
    let clock = Clock::new();
    let now = clock.milliseconds();
    LISTENER.set(Some(Listener {
        tell,
        clock,
        doing: (DoingKind::Nothing, 0.0),
        since: now,
        told: now,
    }));
    listen(hear);
    Ok(())
}

fn hear(doing: Doing) {
    // It is taken out while it is told: what it calls may come back here.
    let Some(mut listener) = LISTENER.take() else {
        return;
    };
    listener.hear(doing);
    LISTENER.set(Some(listener));
}

impl Listener {
    fn hear(&mut self, doing: Doing) {
        let at = self.clock.milliseconds();
        let facts = facts(doing);
        if self.doing != (facts.kind, facts.now) {
            (self.doing, self.since) = ((facts.kind, facts.now), at);
        }
        if at - self.told >= EVERY {
            self.told = at;
            let facts = DoingFacts {
                seconds: (at - self.since) / 1000.0,
                ..facts
            };
            // Whoever listens may fail without harm to what is being done.
            let _ = self.tell.call1(&JsValue::NULL, &object(&facts));
        }
    }
}

fn facts(doing: Doing) -> DoingFacts {
    let (kind, now, jobs, of) = match doing {
        Doing::Nothing => (DoingKind::Nothing, 0.0, 0, 0),
        Doing::Reading { jobs } => (DoingKind::Reading, 0.0, jobs, 0),
        Doing::Drawing { jobs, of } => (DoingKind::Drawing, 0.0, jobs, of),
        Doing::Hashing { jobs, of } => (DoingKind::Hashing, 0.0, jobs, of),
        Doing::Preparing { jobs, of } => (DoingKind::Preparing, 0.0, jobs, of),
        Doing::Deciding { now, waiting } => (DoingKind::Deciding, now.seconds(), waiting, 0),
        Doing::Measuring => (DoingKind::Measuring, 0.0, 0, 0),
    };
    DoingFacts {
        kind,
        seconds: 0.0,
        now,
        jobs: jobs as f64,
        of: of as f64,
    }
}
