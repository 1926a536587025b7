//! The own policies that are defined in this program, by id.

use super::definition::Definition;
use super::guest::{CodeHost, own};
use crate::limits;
use crate::param::Settings;
use crate::policy::tools::prediction::with_beliefs_of;
use crate::policy::tools::spec::Spec;
use crate::problem::Problem;
use crate::sorting::set;
use std::sync::{Arc, PoisonError, RwLock};

static DEFINED: RwLock<Defined> = RwLock::new(Defined {
    specs: Vec::new(),
    count: 0,
});

struct Defined {
    /// The policies, each with the SHA-256 of its code, or the number of its definition.
    specs: Vec<(&'static Spec, String)>,
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
    let code = match definition.code() {
        "" => format!("definition {}", defined.count),
        hash => hash.to_owned(),
    };
    let shown = definition.shown();
    let (id, params, needs) = (shown.id, shown.params, shown.needs);
    let build = move |settings: &Settings| {
        let policy = own((id, params, needs), &*host, settings);
        with_beliefs_of(policy, settings)
    };
    let spec: &'static Spec = Box::leak(Box::new(Spec {
        check: &|_| Ok(Vec::new()),
        build: Box::leak(Box::new(build)),
        ..shown
    }));
    defined.specs.retain(|(other, _)| other.id != spec.id);
    defined.specs.push((spec, code));
    Ok(spec)
}

/// Returns the own policy with this id.
pub fn find(id: &str) -> Option<&'static Spec> {
    let defined = DEFINED.read().unwrap_or_else(PoisonError::into_inner);
    let mut specs = defined.specs.iter().map(|(spec, _)| *spec);
    specs.find(|spec| spec.id == id)
}

/// Returns the SHA-256 of the code of the own policy with this id. Where nobody has told it, the text
/// is one that no other definition of this program has.
pub fn code_of(id: &str) -> Option<String> {
    let defined = DEFINED.read().unwrap_or_else(PoisonError::into_inner);
    let found = defined.specs.iter().find(|(spec, _)| spec.id == id);
    found.map(|(_, code)| code.clone())
}

/// Returns the own policies whose ids occur as words in a text, with what [`code_of`] returns of them,
/// sorted by id.
pub fn named_in(text: &str) -> Vec<(&'static str, String)> {
    let is_of_id = |letter: char| letter.is_ascii_alphanumeric() || letter == '-' || letter == '_';
    let words = set(text.split(|letter| !is_of_id(letter)));
    let defined = DEFINED.read().unwrap_or_else(PoisonError::into_inner);
    let code_of = |id: &str| defined.specs.iter().find(|(spec, _)| spec.id == id);
    let named = set(defined.specs.iter().map(|(spec, _)| spec.id));
    let named = named.into_iter().filter(|id| words.contains(id));
    named
        .filter_map(|id| Some((id, code_of(id)?.1.clone())))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::guest::Guest;
    use super::*;
    use serde_json::json;

    /// Code that does not run.
    struct NoCode;

    impl CodeHost for NoCode {
        fn begin(&self, _: &str) -> Result<Box<dyn Guest>, Problem> {
            Err(Problem::new(
                "There is no code.",
                "A test needs none.",
                "None.",
            ))
        }
    }

    /// No other test of this program can define a policy, because this one uses up all definitions.
    #[test]
    fn definitions_beyond_the_limit_are_refused() {
        let definition = Definition::read(&json!({ "id": "counted" })).unwrap();
        let host = Arc::new(NoCode);
        let register = || {
            let host: Arc<dyn CodeHost> = host.clone();
            register(definition.clone(), host).map(|spec| spec.id)
        };
        for _ in 0..limits::OWN_POLICIES {
            assert_eq!(register(), Ok("counted"));
        }
        let problem = register().unwrap_err();
        assert!(problem.what.contains("is too large"), "{problem}");
        assert!(problem.why.contains("At most 10000 "), "{problem}");
        // The last definition stays.
        assert!(find("counted").is_some());
    }
}
