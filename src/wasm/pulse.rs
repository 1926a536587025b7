//! Signs of life for JavaScript. Wasm holds its thread, so only wasm itself can say what it does
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

/// The work that wasm does at the moment.
#[derive(Serialize, Tsify)]
pub struct DoingFacts {
    /// Kind of the work.
    pub kind: DoingKind,
    /// Seconds since the work began.
    pub seconds: f64,
    /// Instant of the decision, in seconds, while a policy decides.
    pub now: f64,
    /// Number of jobs that wait at a decision, or number of jobs that are done.
    pub jobs: f64,
    /// Number of jobs in all; 0 if it is not known.
    pub of: f64,
}

/// A kind of work that can take long.
#[derive(Copy, Clone, PartialEq, Eq, Serialize, Tsify)]
#[serde(rename_all = "snake_case")]
pub enum DoingKind {
    /// No work that takes long.
    Nothing,
    /// A trace is read.
    Reading,
    /// Jobs are drawn from a model.
    Drawing,
    /// The text of drawn jobs is hashed.
    Hashing,
    /// A workload is made from a trace.
    Preparing,
    /// A policy decides.
    Deciding,
    /// Figures are computed.
    Measuring,
}

struct Listener {
    tell: Function,
    clock: Clock,
    /// Kind and instant of the work at the last sign of life from the core.
    doing: (DoingKind, f64),
    /// Time at which this work began, in milliseconds.
    since: f64,
    /// Time of the last call of `tell`, in milliseconds.
    told: f64,
}

thread_local! {
    static LISTENER: RefCell<Option<Listener>> = const { RefCell::new(None) };
}

/// Calls `tell` with a `DoingFacts` about four times a second, from inside any work that takes
/// longer. The function replaces the one of an earlier call.
///
/// # Errors
/// Throws a `Problem` if `tell` is not a function.
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
    // The listener is taken out while it is told, because `tell` may come back here.
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
            // A listener that fails must not harm the work.
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
