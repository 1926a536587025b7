//! Own policies in JavaScript. The module `policy.js` turns an author's module into a definition and
//! a function that begins runs; this one lets the engine call them.

use super::arguments;
use super::convert::{object, thrown, value};
use crate::experiment::Scenario;
use crate::policy;
use crate::policy::own::calls::each_call;
use crate::policy::own::{self, Beside, CodeHost, Definition, Guest, Submission};
use crate::problem::Problem;
use js_sys::{Array, Function, Object, Reflect};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use wasm_bindgen::prelude::*;

/// The functions that the code of an own policy may call while it decides, as static methods.
#[wasm_bindgen(skip_typescript)]
pub struct PolicyCalls;

/// Exports each call by itself, because it then costs a few nanoseconds.
macro_rules! exports {
    ($($name:ident($($argument:ident: $type:ty),*) -> $result:ty = $absent:expr;)*) => {
        #[wasm_bindgen]
        impl PolicyCalls {
            $(
                #[doc = concat!("Calls `", stringify!($name), "`.")]
                #[wasm_bindgen(js_name = $name, skip_typescript)]
                pub fn $name($($argument: $type),*) -> $result {
                    own::calls::$name($($argument),*)
                }
            )*
        }
    };
}

each_call!(exports);

/// Defines an own policy. `sha256` is that of its code; the keys of a plan's cells hold it. `begin`
/// gets the settings of a run as JSON, and returns an object with the methods `decide()`, which
/// returns the problem of the code if there is one, `fork()` and, if the policy has them,
/// `believe(job, ...)` and `completed(job, ..., ran)`.
///
/// # Errors
/// Throws a `Problem` if the definition breaks a rule.
#[wasm_bindgen(js_name = definePolicy, unchecked_return_type = "Choosable")]
pub fn define_policy(
    #[wasm_bindgen(unchecked_param_type = "object")] definition: &JsValue,
    begin: Function,
    sha256: Option<String>,
) -> Result<JsValue, JsValue> {
    let definition: serde_json::Value = value(definition, "policy")?;
    let definition = Definition::read(&definition)
        .map_err(thrown)?
        .of_code(sha256.unwrap_or_default());
    arguments::function(&begin, "begin")?;
    let index = BEGINS.with_borrow(Vec::len);
    let spec = policy::define(definition, Arc::new(Code(index))).map_err(thrown)?;
    BEGINS.with_borrow_mut(|begins| begins.push(begin));
    Ok(object(&crate::experiment::choosable(spec)))
}

/// Runs the policy of a scenario on small workloads. Returns what it does wrong; nothing if it
/// conforms.
///
/// # Errors
/// Throws a `Problem` if the scenario is invalid.
#[wasm_bindgen(js_name = checkPolicy, unchecked_return_type = "Shortcoming[]")]
pub fn check_policy(
    #[wasm_bindgen(unchecked_param_type = "Scenario")] scenario: &JsValue,
) -> Result<JsValue, JsValue> {
    let scenario: Scenario = value(scenario, "scenario")?;
    let found = crate::experiment::conformance(&scenario).map_err(thrown)?;
    Ok(object(&found))
}

thread_local! {
    /// The functions that begin runs. Values of JavaScript cannot leave their thread, so that a host
    /// holds an index only.
    static BEGINS: RefCell<Vec<Function>> = const { RefCell::new(Vec::new()) };
    static MINDS: RefCell<Vec<Option<Rc<Mind>>>> = const { RefCell::new(Vec::new()) };
}

/// The code of a policy, by its index in [`BEGINS`].
struct Code(usize);

/// The state of a policy in a run, by its index in [`MINDS`].
struct MindIndex {
    index: usize,
    beside: Beside,
}

#[wasm_bindgen]
extern "C" {
    /// An object with a method `decide`, which returns the problem of the code instead of throwing
    /// it. A run calls it at every turn; a call that may throw, or that returns a value for nothing,
    /// takes three times as long.
    #[wasm_bindgen(typescript_type = "object")]
    type Decider;

    #[wasm_bindgen(method)]
    fn decide(this: &Decider) -> Option<Object>;
}

/// The object that `begin` returned, and its methods.
struct Mind {
    object: Decider,
    believe: Option<Function>,
    completed: Option<Function>,
}

impl CodeHost for Code {
    fn begin(&self, settings: &str) -> Result<Box<dyn Guest>, Problem> {
        let begin = BEGINS.with_borrow(|begins| begins[self.0].clone());
        let object = begin.call1(&JsValue::NULL, &settings.into());
        MindIndex::of(&object.map_err(problem)?)
    }
}

impl MindIndex {
    fn of(object: &JsValue) -> Result<Box<dyn Guest>, Problem> {
        let method = |name: &str| {
            let method = Reflect::get(object, &name.into()).ok();
            method.and_then(|method| method.dyn_into::<Function>().ok())
        };
        method("decide").ok_or_else(|| {
            Problem::new(
                "The policy has no method `decide`.",
                "The engine calls it at every turn.",
                "Add it.",
            )
        })?;
        let mind = Mind {
            believe: method("believe"),
            completed: method("completed"),
            object: object.clone().unchecked_into(),
        };
        let beside = Beside {
            believe: mind.believe.is_some(),
            completed: mind.completed.is_some(),
        };
        let index = MINDS.with_borrow_mut(|minds| {
            let free = minds.iter().position(Option::is_none);
            let index = free.unwrap_or(minds.len());
            if free.is_none() {
                minds.push(None);
            }
            minds[index] = Some(Rc::new(mind));
            index
        });
        Ok(Box::new(Self { index, beside }))
    }

    fn mind(&self) -> Option<Rc<Mind>> {
        MINDS.with_borrow(|minds| minds[self.index].clone())
    }
}

impl Drop for MindIndex {
    fn drop(&mut self) {
        MINDS.with_borrow_mut(|minds| minds[self.index] = None);
    }
}

impl Guest for MindIndex {
    fn beside(&self) -> Beside {
        self.beside
    }

    fn decide(&mut self) -> Result<(), Problem> {
        self.mind().map_or(Ok(()), |mind| {
            let failed = mind.object.decide();
            failed.map_or(Ok(()), |error| Err(problem(error.into())))
        })
    }

    fn fork(&self) -> Result<Box<dyn Guest>, Problem> {
        let Some(mind) = self.mind() else {
            return Ok(Box::new(Self { ..*self }));
        };
        let fork = Reflect::get(&mind.object, &"fork".into()).map(Function::from);
        let object = fork.and_then(|fork| fork.call0(&mind.object));
        Self::of(&object.map_err(problem)?)
    }

    fn believe(&mut self, job: &Submission) -> Result<Option<f64>, Problem> {
        let Some(mind) = self.mind() else {
            return Ok(None);
        };
        mind.believe.as_ref().map_or(Ok(None), |believe| {
            let believed = believe.apply(&mind.object, &arguments_of(job));
            believed.map(|value| value.as_f64()).map_err(problem)
        })
    }

    fn completed(&mut self, job: &Submission, ran: f64) -> Result<(), Problem> {
        let Some(mind) = self.mind() else {
            return Ok(());
        };
        mind.completed.as_ref().map_or(Ok(()), |completed| {
            let all = arguments_of(job);
            all.push(&ran.into());
            completed
                .apply(&mind.object, &all)
                .map(drop)
                .map_err(problem)
        })
    }
}

/// Returns the facts about a job as arguments of JavaScript.
fn arguments_of(job: &Submission) -> Array {
    job.facts().into_iter().map(JsValue::from_f64).collect()
}

/// Returns what the code threw as a problem.
#[expect(clippy::needless_pass_by_value, reason = "it is for map_err")]
fn problem(error: JsValue) -> Problem {
    let field = |name: &str| Reflect::get(&error, &name.into()).ok();
    let text = |name: &str| field(name).and_then(|text| text.as_string());
    let line = || field("line")?.as_f64();
    match (text("what"), text("why"), text("next")) {
        (Some(what), Some(why), Some(next)) => Problem {
            line: line().map(|line| line as u64),
            ..Problem::new(what, why, next)
        },
        _ => Problem::new(
            format!("The policy failed: {}.", arguments::described(&error)),
            "Its code threw an exception.",
            "Correct the policy.",
        ),
    }
}
