//! Candidates: the policies that an adaptive policy chooses among, each with settings of its own.

pub use super::tools::adaptive::Candidate;
use super::tools::prediction::BELIEFS;
use super::tools::spec::{Needs, Spec};
use super::{ALL, find, own};
use crate::machine::Offer;
use crate::param::{Kind, Param, Settings, Value};
use crate::problem::Problem;

/// Key of the parameter that names the candidates.
pub const CANDIDATES: &str = "candidates";

/// The lists from which an adaptive policy takes its candidates if the user names none. The first
/// list that the machine can run applies: the paper's candidates, two for the torus, or two that
/// run on every machine.
pub const DEFAULTS: &[&str] = &["flex+maui", "bm+easy", "easy+fcfs"];

/// Returns the parameter that names the candidates of an adaptive policy. Returns `None` for other
/// policies.
pub fn candidates_param(spec: &Spec) -> Option<&'static Param> {
    spec.params
        .iter()
        .find(|param| matches!(param.kind, Kind::Policies { .. }))
}

/// Returns the candidates that `settings` name, which must have been checked. All candidates share
/// the settings of beliefs about run times.
pub fn candidates(param: &Param, settings: &Settings) -> Vec<Candidate> {
    let (own, others) = settings.apart();
    let candidate = |name: &str| {
        let settings = others.get(name).cloned().unwrap_or_default();
        let settings = BELIEFS.iter().fold(settings, |settings, param| {
            settings.with(param.key, own.choice(param))
        });
        Some(Candidate {
            name: name.to_owned(),
            spec: named(name).ok()?,
            settings,
        })
    };
    split(own.choice(param))
        .into_iter()
        .filter_map(candidate)
        .collect()
}

/// Checks the candidates and their settings. Returns the settings; if they name no candidates, with
/// the first default list that the machine can run.
///
/// # Errors
/// Returns a problem in one of these cases:
/// * a candidate has no name, has the name of another one, or is no policy;
/// * a candidate is adaptive itself, or cannot run on the machine;
/// * a candidate does not take one of its settings, or a setting names a candidate that is absent.
pub fn check_candidates(
    spec: &Spec,
    settings: Settings,
    (machine, offer): (&str, Offer),
) -> Result<Settings, Problem> {
    let Some(param) = candidates_param(spec) else {
        return settings
            .apart()
            .1
            .into_keys()
            .next()
            .map_or(Ok(settings), |name| Err(no_candidate(&name, &[])));
    };
    let settings = with_defaults(param, settings, offer);
    let (own, others) = settings.apart();
    own.check_one(param)?;
    let names = split(own.choice(param));
    for (at, name) in names.iter().enumerate() {
        if names[..at].contains(name) {
            return Err(Problem::new(
                format!("The candidate `{name}` is named twice."),
                "Each candidate needs a name of its own.",
                format!(
                    "Remove one of them, or add a digit to its name, as in `{name}+{name}2`, and \
                        set its own parameters as `{name}2.KEY`."
                ),
            ));
        }
        if name.is_empty() {
            return Err(Problem::new(
                format!(
                    "Candidate {} of `{}` has no name.",
                    at + 1,
                    own.choice(param).chars().take(60).collect::<String>()
                ),
                "Candidates are ids of policies, with `+` between them.",
                "Add the missing id, or remove a `+`.",
            ));
        }
        let spec = named(name)?;
        if candidates_param(spec).is_some() {
            return Err(Problem::new(
                format!("`{name}` cannot be a candidate."),
                "The policy is adaptive itself.",
                "Choose a policy that is not adaptive.",
            ));
        }
        if spec.needs == Needs::Record {
            return Err(Problem::new(
                format!("`{name}` cannot be a candidate."),
                "It is the schedule of the log, and decides nothing.",
                "Choose a policy.",
            ));
        }
        if !spec.runs_on(offer) {
            return Err(Problem::new(
                format!("The candidate `{name}` cannot run on the machine `{machine}`."),
                "The machine does not offer what the policy of this candidate needs.",
                "Choose another candidate, or another machine.",
            ));
        }
        if let Some(settings) = others.get(*name) {
            if let Some(param) = BELIEFS
                .iter()
                .find(|param| settings.0.contains_key(param.key))
            {
                return Err(Problem::new(
                    format!("`{name}.{}` cannot be set.", param.key),
                    "All candidates share the same beliefs about run times.",
                    format!("Set `{}` instead.", param.key),
                ));
            }
            settings.check(&[&own_params(spec)]).map_err(|problem| {
                problem.and_next(&format!("The problem is in the candidate `{name}`. "))
            })?;
        }
    }
    match others.keys().find(|name| !names.contains(&name.as_str())) {
        Some(name) => Err(no_candidate(name, &names)),
        None => Ok(settings),
    }
}

/// Returns the settings. If they name no candidates, adds the first default list that the machine
/// can run.
fn with_defaults(param: &Param, settings: Settings, machine: Offer) -> Settings {
    match param.kind {
        Kind::Policies { defaults, .. } if !settings.0.contains_key(param.key) => {
            let runs = |name: &str| named(name).is_ok_and(|spec| spec.runs_on(machine));
            let able = defaults
                .iter()
                .find(|names| split(names).into_iter().all(runs));
            settings.with(param.key, able.copied().unwrap_or_default())
        }
        _ => settings,
    }
}

/// Removes settings of candidates that the policy does not have on this machine, and returns the
/// rest. Several policies, or several lists of candidates, may share one map of settings.
pub fn without_others(spec: &Spec, mut settings: Settings, machine: Offer) -> Settings {
    let full = candidates_param(spec)
        .map(|param| (param, with_defaults(param, settings.clone(), machine)));
    let names = full
        .as_ref()
        .map_or_else(Vec::new, |(param, full)| split(full.choice(param)));
    settings.retain(&|key| {
        key.split_once('.')
            .is_none_or(|(name, _)| names.contains(&name))
    });
    settings
}

/// True if every candidate that `settings` name can run on the machine, or if they name none. An
/// unknown name does not count: [`check_candidates`] reports it.
pub fn candidates_run(spec: &Spec, settings: &Settings, machine: Offer) -> bool {
    let given = candidates_param(spec).and_then(|param| settings.0.get(param.key));
    let Some(Value::Text(names)) = given else {
        return true;
    };
    let cannot_run = |name| named(name).is_ok_and(|spec| !spec.runs_on(machine));
    !split(names).into_iter().any(cannot_run)
}

/// True if `key` is one of `keys`. Also true if `key` has a dot, as the settings of a candidate
/// have, and `candidates` is one of `keys`.
pub fn is_setting(keys: &[&str], key: &str) -> bool {
    keys.contains(&key) || key.contains('.') && keys.contains(&CANDIDATES)
}

fn no_candidate(name: &str, names: &[&str]) -> Problem {
    Problem::new(
        format!(
            "There is no candidate `{}` here.",
            name.chars().take(60).collect::<String>()
        ),
        "A key with a dot sets a parameter of a candidate of an adaptive policy.",
        if names.is_empty() {
            "Remove the setting, or choose an adaptive policy.".into()
        } else {
            format!("The candidates are: {}.", names.join(", "))
        },
    )
}

/// Returns the parameters that a user can set for a single candidate.
pub fn own_params(spec: &Spec) -> Vec<Param> {
    spec.params
        .iter()
        .filter(|param| BELIEFS.iter().all(|belief| belief.key != param.key))
        .copied()
        .collect()
}

fn split(names: &str) -> Vec<&str> {
    names.split('+').map(str::trim).collect()
}

/// Returns the policy that a candidate's name stands for.
fn named(name: &str) -> Result<&'static Spec, Problem> {
    let is_known = |id: &str| ALL.iter().any(|spec| spec.id == id) || own::find(id).is_some();
    find(id_of(name, is_known))
}

/// Returns the id of the policy that a candidate's name stands for: the longest id that is left
/// after no, some or all digits are taken off the end. If there is no such id, returns the name
/// without these digits.
fn id_of(name: &str, is_id: impl Fn(&str) -> bool) -> &str {
    let bare = name.trim_end_matches(|digit: char| digit.is_ascii_digit());
    (bare.len()..=name.len())
        .rev()
        .map(|end| &name[..end])
        .find(|id| is_id(id))
        .unwrap_or(bare)
}

#[cfg(test)]
mod tests {
    use super::id_of;

    #[test]
    fn digits_at_the_end_of_an_id_belong_to_it() {
        let is_id = |id: &str| ["easy", "wfp3", "f1", "f12"].contains(&id);
        let of = |name| id_of(name, is_id);
        assert_eq!(["easy", "easy2", "easy10"].map(of), ["easy"; 3]);
        assert_eq!(["wfp3", "wfp32", "wfp310"].map(of), ["wfp3"; 3]);
        // The longest id wins.
        assert_eq!(
            ["f1", "f12", "f13", "f122"].map(of),
            ["f1", "f12", "f1", "f12"]
        );
        assert_eq!(["wfp", "wfp4", "7", ""].map(of), ["wfp", "wfp", "", ""]);
    }
}
