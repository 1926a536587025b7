//! Candidates: the policies that an adaptive one chooses among, each with settings of its own.

pub use super::tools::adaptive::Candidate;
use super::tools::prediction::BELIEFS;
use super::tools::spec::Spec;
use super::{ALL, find};
use crate::machine::Offer;
use crate::param::{Kind, Param, Settings, Value};
use crate::problem::Problem;

/// The key of the parameter that names candidates.
pub const CANDIDATES: &str = "candidates";

/// Candidates where none are given: the paper's; where those cannot run, two of the torus; else two
/// that run anywhere.
pub const DEFAULTS: &[&str] = &["flex+maui", "bm+easy", "easy+fcfs"];

/// The parameter of an adaptive policy that names its candidates.
pub fn candidates_param(spec: &Spec) -> Option<&'static Param> {
    spec.params
        .iter()
        .find(|param| matches!(param.kind, Kind::Policies { .. }))
}

/// The candidates of settings that have been checked. What is believed of run times is the same for
/// all.
pub fn candidates(param: &Param, settings: &Settings) -> Vec<Candidate> {
    let (own, mut others) = settings.apart();
    let candidate = |name: &str| {
        let settings = others.remove(name).unwrap_or_default();
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

/// The settings with candidates filled in where none are given: the first default that can run on
/// the machine.
///
/// # Errors
/// An unknown candidate, one that cannot run on the machine, one that is adaptive itself, a name
/// that comes twice, or settings that a candidate does not take.
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
                format!("`{name}` is a candidate twice."),
                "Each candidate needs a name of its own.",
                format!(
                    "Leave one out, or put a digit behind it, as in `{name}+{name}2`, and set its \
                        own `{name}2.` parameters."
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
                "Candidates are named by policies' ids, with `+` between them.",
                "Name it, or leave it out.",
            ));
        }
        let spec = named(name)?;
        if candidates_param(spec).is_some() {
            return Err(Problem::new(
                format!("`{name}` cannot be a candidate."),
                "It is an adaptive policy itself.",
                "Choose among other policies.",
            ));
        }
        if !spec.runs_on(offer) {
            return Err(Problem::new(
                format!("The candidate `{name}` cannot run on the machine `{machine}`."),
                "Every candidate needs what the machine offers.",
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
                    "What is believed of run times is the same for all candidates.",
                    format!("Set `{}` itself.", param.key),
                ));
            }
            settings.check(&[&own_params(spec)]).map_err(|problem| {
                problem.and_next(&format!("This is about the candidate `{name}`. "))
            })?;
        }
    }
    match others.keys().find(|name| !names.contains(&name.as_str())) {
        Some(name) => Err(no_candidate(name, &names)),
        None => Ok(settings),
    }
}

/// The settings with candidates, where none are given the first default that can run on the
/// machine.
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

/// The settings without those of candidates that there are not on this machine: where several
/// policies, or several sets of candidates, share settings.
pub fn without_others(spec: &Spec, mut settings: Settings, machine: Offer) -> Settings {
    let full = candidates_param(spec)
        .map(|param| (param, with_defaults(param, settings.clone(), machine)));
    let names = full
        .as_ref()
        .map_or_else(Vec::new, |(param, full)| split(full.choice(param)));
    settings.0.retain(|key, _| {
        key.split_once('.')
            .is_none_or(|(name, _)| names.contains(&name))
    });
    settings
}

/// Whether the candidates that settings name, if any, can run on the machine.
pub fn candidates_run(spec: &Spec, settings: &Settings, machine: Offer) -> bool {
    let given = candidates_param(spec).and_then(|param| settings.0.get(param.key));
    let Some(Value::Text(names)) = given else {
        return true;
    };
    let cannot_run = |name| named(name).is_ok_and(|spec| !spec.runs_on(machine));
    !split(names).into_iter().any(cannot_run)
}

/// Whether a scenario with parameters of these keys can have a setting: one of them, or that of a
/// candidate.
pub fn is_setting(keys: &[&str], key: &str) -> bool {
    keys.contains(&key) || key.contains('.') && keys.contains(&CANDIDATES)
}

fn no_candidate(name: &str, names: &[&str]) -> Problem {
    Problem::new(
        format!(
            "There is no candidate `{}` here.",
            name.chars().take(60).collect::<String>()
        ),
        "A parameter with a dot is that of a candidate of an adaptive policy.",
        if names.is_empty() {
            "Leave it out.".into()
        } else {
            format!("The candidates are: {}.", names.join(", "))
        },
    )
}

/// What can be set for a candidate alone.
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

/// The policy of a candidate of this name.
fn named(name: &str) -> Result<&'static Spec, Problem> {
    find(id_of(name, |id| ALL.iter().any(|spec| spec.id == id)))
}

/// The id of the policy that a candidate's name means: the whole name if that is an id, else the
/// longest id that is left when digits are taken off its end. A name that means no policy comes
/// back without its digits.
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
