//! Cells: each combination of a plan's values becomes a trace or model and a scenario.

use super::document::{Combine, Plan, PolicyChoice, WorkloadSource};
use super::reading::{at, below};
use crate::experiment::Scenario;
use crate::machines;
use crate::param::{Settings, Value};
use crate::policy;
use crate::policy::candidates::{CANDIDATES, candidates_run, is_setting, without_others};
use crate::policy::own;
use crate::problem::Problem;
use crate::sorting::{map, set};
use crate::trace::Fingerprint;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// One experiment of a plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Cell {
    /// The key of the experiment. The same trace or model, written the same way, under the same
    /// scenario with the same code of own policies has the same key in any plan.
    pub key: String,
    /// The varied settings of the plan, with their values in this cell.
    #[cfg_attr(
        target_arch = "wasm32",
        tsify(type = "Record<string, number | string>")
    )]
    pub axes: BTreeMap<String, Value>,
    /// The trace, or the model with its seed.
    pub source: WorkloadSource,
    /// Machine, policy, preset and settings of the run.
    pub scenario: Scenario,
}

/// Returns the cells of a plan, in its order. Policies vary fastest. Two cells that are the same
/// experiment have the same key.
///
/// # Errors
/// Fails if a name or value is unknown or invalid, and names its place in the document.
pub fn cells(plan: &Plan) -> Result<Vec<Cell>, Problem> {
    let axes = plan.axes();
    let known = known_settings(plan)?;
    let lengths: Vec<usize> = axes.iter().map(|(_, length)| *length).collect();
    let mut places = match plan.combine {
        Combine::Grid => grid(&lengths),
        Combine::List => list(&axes)?,
    };
    if plan.combine == Combine::Grid {
        // If a policy cannot run on one of the machines, the other machines keep it.
        let index = |place: &[usize], name: &str| {
            axes.iter()
                .position(|(axis, _)| axis == name)
                .map_or(0, |axis| place[axis])
        };
        let machines = machine_ids(plan);
        places.retain(|place| {
            known.contains_key(&(index(place, "policy"), machines[index(place, "machine")]))
        });
    }
    let mut cells = Vec::with_capacity(places.len());
    let mut used = BTreeSet::new();
    for place in &places {
        cells.extend(cell(plan, &axes, place, &known, &mut used)?);
    }
    check_used(plan, &used)?;
    Ok(cells)
}

/// Checks that each setting of a candidate belongs to a candidate of at least one cell.
fn check_used(plan: &Plan, used: &BTreeSet<String>) -> Result<(), Problem> {
    let named = |settings: &Settings, path: &str| {
        settings
            .0
            .keys()
            .map(|key| format!("{path}.{key}"))
            .collect::<Vec<_>>()
    };
    let mut paths: Vec<String> = named(&plan.settings, "settings");
    paths.extend(plan.sweep.keys().map(|key| format!("sweep.{key}[0]")));
    for (index, policy) in plan.policies.iter().enumerate() {
        paths.extend(named(
            &policy.settings,
            &format!("policies[{index}].settings"),
        ));
    }
    let is_of_candidate = |path: &String| {
        path.rsplit_once("settings.")
            .or(path.split_once("sweep."))
            .is_some_and(|(_, key)| key.contains('.'))
    };
    match paths
        .into_iter()
        .filter(is_of_candidate)
        .find(|path| !used.contains(path))
    {
        None => Ok(()),
        Some(path) => Err(at(
            &path,
            "No run of the plan has this candidate.",
            "A setting with a dot belongs to a candidate of an adaptive policy.",
        )),
    }
}

fn grid(lengths: &[usize]) -> Vec<Vec<usize>> {
    let mut places = vec![Vec::new()];
    for length in lengths {
        places = places
            .iter()
            .flat_map(|place: &Vec<usize>| {
                (0..*length).map(|at| [place.as_slice(), &[at]].concat())
            })
            .collect();
    }
    places
}

fn list(axes: &[(String, usize)]) -> Result<Vec<Vec<usize>>, Problem> {
    let longest = axes.iter().map(|(_, length)| *length).max().unwrap_or(1);
    if let Some((name, length)) = axes
        .iter()
        .find(|(_, length)| *length != 1 && *length != longest)
    {
        let what = format!(
            "With `combine: list`, `{name}` has {length} values and another list {longest}."
        );
        return Err(at(
            "combine",
            what,
            "Each list must have one value, or as many values as the longest list.",
        ));
    }
    Ok((0..longest)
        .map(|row| {
            axes.iter()
                .map(|(_, length)| if *length == 1 { 0 } else { row })
                .collect()
        })
        .collect())
}

/// The keys that a scenario can set, for each policy of the plan and each machine.
type Known<'a> = BTreeMap<(usize, &'a str), Vec<&'static str>>;

/// Returns the keys that each scenario can set. Fails if a setting of the plan is unknown to all
/// scenarios.
fn known_settings(plan: &Plan) -> Result<Known<'_>, Problem> {
    let mut known = Known::new();
    for (index, id) in machine_ids(plan).into_iter().enumerate() {
        machines::find(id).map_err(|problem| below(&format!("machines[{index}]"), problem))?;
    }
    let machines: BTreeSet<&str> = set(machine_ids(plan).into_iter());
    for (index, choice) in plan.policies.iter().enumerate() {
        for machine in &machines {
            if !runs_on(choice, machine) && machines.iter().any(|other| runs_on(choice, other)) {
                continue;
            }
            let resolved = choice
                .scenario(machine, Settings::default())
                .resolve()
                .map_err(|problem| below(&format!("policies[{index}]"), problem))?;
            let keys = resolved
                .groups()
                .iter()
                .flat_map(|(_, params)| params.iter().map(|param| param.key))
                .collect();
            known.insert((index, *machine), keys);
        }
    }
    let all: Vec<&str> = set(known.values().flatten().copied()).into_iter().collect();
    let check = |path: String, key: &str| {
        if is_setting(&all, key) {
            return Ok(());
        }
        let near = crate::param::closest(key, &all);
        let what = format!(
            "No policy or machine of the plan has a setting `{}`.",
            key.chars().take(60).collect::<String>()
        );
        Err(at(
            &path,
            what,
            "A setting belongs to reading, workload, policy, machine, run or metrics.",
        )
        .and_next(&near))
    };
    plan.sweep
        .keys()
        .try_for_each(|key| check(format!("sweep.{key}"), key))?;
    plan.settings
        .0
        .keys()
        .try_for_each(|key| check(format!("settings.{key}"), key))?;
    for (index, source) in plan.workloads.iter().enumerate() {
        source
            .settings
            .0
            .keys()
            .try_for_each(|key| check(format!("workloads[{index}].settings.{key}"), key))?;
    }
    for (index, machine) in plan.machines.iter().enumerate() {
        machine
            .settings
            .0
            .keys()
            .try_for_each(|key| check(format!("machines[{index}].settings.{key}"), key))?;
    }
    Ok(known)
}

/// True if policy and machine exist and the policy can run on the machine.
fn runs_on(choice: &PolicyChoice, machine: &str) -> bool {
    match (policy::find(&choice.policy), machines::find(machine)) {
        (Ok(policy), Ok(machine)) => {
            policy.runs_on(machine.offer) && candidates_run(policy, &choice.settings, machine.offer)
        }
        _ => false,
    }
}

fn machine_ids(plan: &Plan) -> Vec<&str> {
    if plan.machines.is_empty() {
        vec!["flat"]
    } else {
        plan.machines
            .iter()
            .map(|machine| machine.machine.as_str())
            .collect()
    }
}

/// The settings of a cell in layers, with the place where each is written. Later layers win.
struct SettingLayers<'a> {
    settings: Settings,
    paths: BTreeMap<String, String>,
    /// Keys of the settings that the plan varies. A policy cannot set them.
    varied: BTreeSet<String>,
    known: &'a [&'static str],
}

impl SettingLayers<'_> {
    /// Sets a value, if the policy has the setting. Otherwise another policy of the plan has it.
    fn set(&mut self, key: &str, value: Value, path: &str) {
        if is_setting(self.known, key) {
            self.settings.0.insert(key.into(), value);
            self.paths.insert(key.into(), path.into());
        }
    }

    /// Sets a value that the plan varies.
    fn vary(&mut self, key: &str, value: Value, path: &str) {
        self.set(key, value, path);
        self.varied.insert(key.into());
    }

    fn extend(&mut self, settings: &Settings, path: &str) {
        settings
            .0
            .iter()
            .for_each(|(key, value)| self.set(key, value.clone(), &format!("{path}.{key}")));
    }
}

/// Returns the cell at a place. `None` if the candidates cannot run on this machine, but can on
/// another machine of the plan. Adds to `used` the places of the settings that the cell uses.
fn cell(
    plan: &Plan,
    axes: &[(String, usize)],
    place: &[usize],
    known: &Known<'_>,
    used: &mut BTreeSet<String>,
) -> Result<Option<Cell>, Problem> {
    let index = |name: &str| {
        axes.iter()
            .position(|(axis, _)| axis == name)
            .map_or(0, |axis| place[axis])
    };
    let (policy_at, machine_at, source_at) = (index("policy"), index("machine"), index("workload"));
    let (policy, mut source) = (&plan.policies[policy_at], plan.workloads[source_at].clone());
    let mut at_axes: BTreeMap<String, Value> = BTreeMap::new();
    at_axes.insert("workload".into(), Value::Text(source.name()));
    at_axes.insert("policy".into(), Value::Text(policy.name()));
    let machine = machine_ids(plan)[machine_at];
    let known = known
        .get(&(policy_at, machine))
        .map_or(&[][..], Vec::as_slice);
    let mut layers = SettingLayers {
        settings: Settings::default(),
        paths: BTreeMap::new(),
        varied: BTreeSet::new(),
        known,
    };
    layers.extend(&plan.settings, "settings");
    for (key, share) in [("warm_up", plan.warm_up), ("cool_down", plan.cool_down)] {
        share
            .into_iter()
            .for_each(|share| layers.set(key, Value::Number(share), key));
    }
    layers.extend(
        &source.settings,
        &format!("workloads[{source_at}].settings"),
    );
    if let Some(machine) = plan.machines.get(machine_at) {
        at_axes.insert("machine".into(), Value::Text(machine.name()));
        layers.extend(
            &machine.settings,
            &format!("machines[{machine_at}].settings"),
        );
    }
    if let Some(window) = plan.windows.get(index("window")) {
        let path = format!("windows[{}]", index("window"));
        at_axes.insert(
            "window".into(),
            Value::Text(format!("{}+{}", window.first_job, window.jobs)),
        );
        layers.vary(
            "first_job",
            Value::Number(window.first_job.into()),
            &format!("{path}.first_job"),
        );
        layers.vary(
            "jobs",
            Value::Number(window.jobs.into()),
            &format!("{path}.jobs"),
        );
    }
    if let Some(loads) = &plan.loads {
        let (values, name) = if loads.offered.is_empty() {
            (&loads.factors, "factors")
        } else {
            (&loads.offered, "offered")
        };
        let (value, path) = (
            values[index("load")],
            format!("loads.{name}[{}]", index("load")),
        );
        at_axes.insert("load".into(), Value::Number(value));
        // An offered load to reach would undo a factor.
        if name == "factors"
            && matches!(layers.settings.0.get("load"), Some(Value::Number(load)) if *load != 0.0)
        {
            let place = layers.paths.get("load").cloned().unwrap_or_default();
            return Err(at(
                &place,
                "`load` and `loads.factors` contradict each other.",
                "A plan either reaches a load or multiplies it.",
            ));
        }
        let key = match (name, loads.by.as_str()) {
            ("offered", _) => "load",
            (_, "run_times") => "runtime_factor",
            _ => "arrival_factor",
        };
        layers.vary(key, Value::Number(value), &path);
        if name == "offered" {
            layers.vary("load_by", Value::Text(loads.by.clone()), "loads.by");
        }
    }
    for (key, values) in &plan.sweep {
        let at = index(key);
        at_axes.insert(key.clone(), values[at].clone());
        layers.vary(key, values[at].clone(), &format!("sweep.{key}[{at}]"));
    }
    let path = format!("policies[{policy_at}]");
    if let Some(key) = policy
        .settings
        .0
        .keys()
        .find(|key| layers.varied.contains(*key))
    {
        return Err(at(
            &format!("{path}.settings.{key}"),
            format!("The plan varies `{key}`."),
            "A policy cannot set what the plan varies.",
        ));
    }
    for (key, value) in &policy.settings.0 {
        // A policy's own settings are set without a check, so that an unknown one fails later.
        layers.settings.0.insert(key.clone(), value.clone());
        layers
            .paths
            .insert(key.clone(), format!("{path}.settings.{key}"));
    }
    if let Some(seed) = plan.seeds.get(index("seed")) {
        at_axes.insert("seed".into(), Value::Number(f64::from(*seed)));
        seed_all(
            &mut source,
            &mut layers,
            f64::from(*seed),
            &format!("seeds[{}]", index("seed")),
        );
    }
    let spec = policy::find(&policy.policy)?;
    let runs = |machine: &str| {
        machines::find(machine)
            .is_ok_and(|machine| candidates_run(spec, &layers.settings, machine.offer))
    };
    if plan.combine == Combine::Grid && !runs(machine) && machine_ids(plan).into_iter().any(runs) {
        return Ok(None);
    }
    let settings = without_others(spec, layers.settings, machines::find(machine)?.offer);
    used.extend(
        settings
            .0
            .keys()
            .filter_map(|key| layers.paths.get(key).cloned()),
    );
    let scenario = policy.scenario(machine, settings);
    check(&scenario, &layers.paths, policy_at)?;
    source.label.clear();
    source.settings = Settings::default();
    let key = key(&source, &scenario);
    Ok(Some(Cell {
        key,
        axes: at_axes,
        source,
        scenario,
    }))
}

/// Sets the seed of the model, and those of resampling, estimates, demands and programs if they are
/// drawn.
fn seed_all(source: &mut WorkloadSource, layers: &mut SettingLayers<'_>, seed: f64, path: &str) {
    if let Some(model) = &mut source.model {
        model.settings.0.insert("seed".into(), Value::Number(seed));
    }
    let drawn = [
        ("resample_seed", "resample", &["weeks", "users"][..]),
        ("estimate_seed", "estimate_model", &["uniform", "shuffled"]),
        ("demands_seed", "demands", &["m1", "m2", "m3"]),
        ("programs_seed", "programs", &["applications", "drawn"]),
    ];
    for (key, drawn, words) in drawn {
        let word = layers.settings.0.get(drawn);
        if matches!(word, Some(Value::Text(word)) if words.contains(&word.as_str())) {
            layers.set(key, Value::Number(seed), path);
        }
    }
}

/// Checks a scenario. A value out of range is reported at the place where it is written, and so are
/// two values that contradict each other.
fn check(
    scenario: &Scenario,
    paths: &BTreeMap<String, String>,
    policy: usize,
) -> Result<(), Problem> {
    let resolve = |settings: Settings| {
        Scenario {
            settings,
            ..scenario.clone()
        }
        .resolve()
        .map(drop)
    };
    let Err(problem) = resolve(scenario.settings.clone()) else {
        return Ok(());
    };
    // If the scenario fails without any setting, then the policy, its machine or its preset is
    // wrong.
    resolve(Settings::default())
        .map_err(|problem| below(&format!("policies[{policy}]"), problem))?;
    let written = |key: &String| paths.get(key).cloned();
    // A candidate's setting is only valid together with the candidates.
    let candidates: Settings = Settings(map(scenario
        .settings
        .0
        .iter()
        .filter(|(key, _)| *key == CANDIDATES)
        .map(|(k, v)| (k.clone(), v.clone()))));
    for (key, value) in &scenario.settings.0 {
        let beside = if key.contains('.') {
            candidates.clone()
        } else {
            Settings::default()
        };
        if let (Err(problem), Some(path)) = (resolve(beside.with(key, value.clone())), written(key))
        {
            return Err(below(&path, problem));
        }
    }
    let without = |key: &String| {
        let mut rest = scenario.settings.clone();
        rest.0.remove(key);
        resolve(rest)
    };
    let together: Vec<String> = scenario
        .settings
        .0
        .keys()
        .filter(|key| without(key).is_ok())
        .filter_map(written)
        .collect();
    let place = if together.is_empty() {
        format!("policies[{policy}]")
    } else {
        together.join("` and `")
    };
    Err(below(&place, problem))
}

/// The number of hex digits of a key. With 16 digits, it takes 2^32 cells until two of them are
/// likely to share a key.
const KEY_DIGITS: usize = 16;

fn key(source: &WorkloadSource, scenario: &Scenario) -> String {
    // The address of a trace makes no difference to the experiment.
    let trace = source
        .trace
        .as_ref()
        .map(|trace| (trace.bare(), trace.sha256.as_str()));
    let text = serde_json::to_string(&(trace, &source.model, scenario)).unwrap_or_default();
    let mut print = Fingerprint::default();
    print.push(text.as_bytes());
    // The same id can name other code elsewhere.
    let scenario = serde_json::to_string(scenario).unwrap_or_default();
    for (id, code) in own::named_in(&scenario) {
        print.push(format!("{id} {code}\n").as_bytes());
    }
    let mut key = print.finish();
    key.truncate(KEY_DIGITS);
    key
}
