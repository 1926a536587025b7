//! The own policies that are defined in this program, by id.

use super::definition::Definition;
use super::guest::{CodeHost, own};
use crate::limits;
use crate::param::Settings;
use crate::policy::tools::prediction::with_beliefs_of;
use crate::policy::tools::spec::Spec;
use crate::problem::Problem;
use std::sync::{Arc, PoisonError, RwLock};

static DEFINED: RwLock<Defined> = RwLock::new(Defined {
    specs: Vec::new(),
    count: 0,
});

struct Defined {
    specs: Vec<&'static Spec>,
    /// The number of definitions so far. Each one stays in memory, because runs refer to it.
    count: usize,
}

/// Registers a policy whose code `host` runs, whatever other policies there are. It replaces an own
/// policy with the same id. Runs of that one keep their code.
///
/// # Errors
/// Returns a problem if there are too many definitions.
pub fn register(definition: Definition, host: Arc<dyn CodeHost>) -> Result<&'static Spec, Problem> {
    let mut defined = DEFINED.write().unwrap_or_else(PoisonError::into_inner);
    limits::check(
        "The list of own policies",
        defined.count + 1,
        limits::OWN_POLICIES,
        "definitions",
    )?;
    defined.count += 1;
    let shown = definition.shown();
    let (id, params, needs) = (shown.id, shown.params, shown.needs);
    let build = move |settings: &Settings| {
        let policy = own((id, params, needs), &*host, settings);
        with_beliefs_of(policy, settings)
    };
    let spec: &'static Spec = Box::leak(Box::new(Spec {
        build: Box::leak(Box::new(build)),
        ..shown
    }));
    defined.specs.retain(|other| other.id != spec.id);
    defined.specs.push(spec);
    Ok(spec)
}

/// Returns the own policy with this id.
pub fn find(id: &str) -> Option<&'static Spec> {
    let defined = DEFINED.read().unwrap_or_else(PoisonError::into_inner);
    defined.specs.iter().copied().find(|spec| spec.id == id)
}
