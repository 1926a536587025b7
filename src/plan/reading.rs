//! Reading a plan. The document is checked, and each problem names its place.

use super::document::{
    Combine, MachineChoice, Plan, PlanCode, PolicyChoice, TraceSource, VERSION, WorkloadSource,
};
use super::json::{Misread, parse};
use super::unique::check_keys;
use crate::limits;
use crate::param::{Settings, Value};
use crate::policy::own;
use crate::problem::Problem;
use std::collections::BTreeSet;

impl Plan {
    /// Reads and checks a plan.
    ///
    /// # Errors
    /// Fails if the text is not JSON, or if it is not a valid plan. The problem names the place in
    /// the document.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        limits::check("The plan", text.len(), limits::PLAN_BYTES, "bytes")?;
        let text = text.trim_start_matches('\u{feff}');
        check_keys(text).map_err(not_understood)?;
        check_version(text)?;
        let mut plan: Self = parse(text).map_err(not_understood)?;
        for trace in plan
            .workloads
            .iter_mut()
            .filter_map(|source| source.trace.as_mut())
        {
            trace.sha256.make_ascii_lowercase();
        }
        for code in &mut plan.own {
            code.sha256.make_ascii_lowercase();
        }
        plan.check()?;
        Ok(plan)
    }

    fn check(&self) -> Result<(), Problem> {
        self.check_length()?;
        limits::check(
            "The list of own policies",
            self.own.len(),
            limits::OWN_KEPT,
            "entries",
        )?;
        for (index, code) in self.own.iter().enumerate() {
            check_code(&format!("own[{index}]"), code)?;
        }
        let axes = self.axes();
        let count = axes
            .iter()
            .try_fold(1_usize, |product, (_, length)| product.checked_mul(*length));
        let longest = axes.iter().map(|(_, length)| *length).max().unwrap_or(1);
        let cells = if self.combine == Combine::Grid {
            count
        } else {
            Some(longest)
        };
        if cells.is_none_or(|cells| cells > limits::PLAN_CELLS) {
            return Err(Problem::new(
                "The plan has too many cells.",
                format!(
                    "A plan has at most {} cells, and the lengths of its lists are multiplied.",
                    limits::PLAN_CELLS
                ),
                "Shorten a list, or make several plans.",
            ));
        }
        for (list, empty) in [
            ("workloads", self.workloads.is_empty()),
            ("policies", self.policies.is_empty()),
        ] {
            if empty {
                return Err(at(
                    list,
                    "The list is empty.",
                    "A plan has at least one workload and one policy.",
                ));
            }
        }
        for (index, source) in self.workloads.iter().enumerate() {
            check_source(source, index)?;
        }
        check_unique(
            "workloads",
            self.workloads.iter().map(WorkloadSource::name),
            UNNAMED,
        )?;
        check_unique(
            "policies",
            self.policies.iter().map(PolicyChoice::name),
            UNNAMED,
        )?;
        check_unique(
            "machines",
            self.machines.iter().map(MachineChoice::name),
            UNNAMED,
        )?;
        for (name, share) in [("warm_up", self.warm_up), ("cool_down", self.cool_down)] {
            if share.is_some_and(|share| !(0.0..=0.9).contains(&share)) {
                return Err(at(
                    name,
                    "The value is out of range.",
                    "The value is a share of the jobs, from 0 to 0.9.",
                ));
            }
        }
        if let Some(loads) = &self.loads {
            if loads.offered.is_empty() == loads.factors.is_empty() {
                return Err(at(
                    "loads",
                    "There must be either `offered` or `factors`.",
                    "A plan gives loads in one of these two ways.",
                ));
            }
            if !["arrivals", "run_times"].contains(&loads.by.as_str()) {
                return Err(at(
                    "loads.by",
                    format!("`{}` cannot be scaled.", loads.by),
                    "The value is `arrivals` or `run_times`.",
                ));
            }
            if let Some(index) = loads.offered.iter().position(|load| *load <= 0.0) {
                return Err(at(
                    &format!("loads.offered[{index}]"),
                    "The value is not a load.",
                    "An offered load must be above 0.",
                ));
            }
        }
        for (key, values) in &self.sweep {
            let path = format!("sweep.{key}");
            if values.is_empty() {
                return Err(at(
                    &path,
                    "The list is empty.",
                    "A swept setting has at least one value.",
                ));
            }
            let taken = [
                (
                    ["load", "load_by", "arrival_factor", "runtime_factor"].as_slice(),
                    "loads",
                    self.loads.is_some() || key == "load",
                ),
                (&["first_job", "jobs"], "windows", !self.windows.is_empty()),
                (
                    &[
                        "resample_seed",
                        "estimate_seed",
                        "demands_seed",
                        "programs_seed",
                    ],
                    "seeds",
                    !self.seeds.is_empty(),
                ),
            ];
            if let Some((_, list, _)) = taken
                .iter()
                .find(|(keys, _, is_taken)| *is_taken && keys.contains(&key.as_str()))
            {
                return Err(at(
                    &path,
                    format!("`{list}` already sets `{key}`."),
                    "A setting can vary in one place only.",
                )
                .and_next(&format!("Use `{list}`. ")));
            }
        }
        let figures = super::keys();
        for (index, metric) in self.metrics.iter().enumerate() {
            if !figures.contains(metric) {
                let known: Vec<&str> = figures.iter().map(String::as_str).collect();
                let near = crate::param::closest(metric, &known);
                return Err(at(
                    &format!("metrics[{index}]"),
                    format!("There is no figure `{metric}`."),
                    "Figures are named as in docs/metrics.md.",
                )
                .and_next(&near));
            }
        }
        self.check_repetitions()
    }

    /// Checks the lengths of names and settings. Each cell has a copy of them, and all cells
    /// together must fit into memory.
    fn check_length(&self) -> Result<(), Problem> {
        limits::check(
            "The list of figures",
            self.metrics.len(),
            limits::PLAN_METRICS,
            "figures",
        )?;
        self.settings
            .check_length()
            .map_err(|problem| below("settings", problem))?;
        for (index, source) in self.workloads.iter().enumerate() {
            let trace = source
                .trace
                .as_ref()
                .map_or(["", ""], |trace| [&trace.name, &trace.archive]);
            let model = source.model.as_ref().map_or("", |model| &model.id);
            let names = [&source.label, trace[0], trace[1], model];
            check_names(&format!("workloads[{index}]"), &names, &source.settings)?;
        }
        for (index, machine) in self.machines.iter().enumerate() {
            check_names(
                &format!("machines[{index}]"),
                &[&machine.label, &machine.machine],
                &machine.settings,
            )?;
        }
        for (index, policy) in self.policies.iter().enumerate() {
            let names = [
                &*policy.label,
                &policy.policy,
                policy.preset.as_deref().unwrap_or_default(),
            ];
            check_names(&format!("policies[{index}]"), &names, &policy.settings)?;
        }
        for (key, values) in &self.sweep {
            limits::check_name("The name of a swept setting", key)?;
            let is_long = |value: &Value| match value {
                Value::Text(text) => text.len() > limits::SETTING_BYTES,
                Value::Number(_) => false,
            };
            if let Some(index) = values.iter().position(is_long) {
                let why = format!(
                    "A setting's word has at most {} bytes.",
                    limits::SETTING_BYTES
                );
                return Err(at(
                    &format!("sweep.{key}[{index}]"),
                    "The value is too long.",
                    &why,
                ));
            }
        }
        Ok(())
    }

    /// Rejects repeated values, which would count as two experiments.
    fn check_repetitions(&self) -> Result<(), Problem> {
        let number = |number: &f64| number.to_string();
        let loads = self.loads.iter();
        check_unique("seeds", self.seeds.iter().map(u32::to_string), REPEATED)?;
        check_unique(
            "windows",
            self.windows
                .iter()
                .map(|window| format!("{}+{}", window.first_job, window.jobs)),
            REPEATED,
        )?;
        check_unique(
            "loads.offered",
            loads
                .clone()
                .flat_map(|loads| loads.offered.iter().map(number)),
            REPEATED,
        )?;
        check_unique(
            "loads.factors",
            loads.flat_map(|loads| loads.factors.iter().map(number)),
            REPEATED,
        )?;
        self.sweep.iter().try_for_each(|(key, values)| {
            check_unique(
                &format!("sweep.{key}"),
                values
                    .iter()
                    .map(|value| serde_json::to_string(value).unwrap_or_default()),
                REPEATED,
            )
        })
    }
}

fn check_source(source: &WorkloadSource, index: usize) -> Result<(), Problem> {
    let path = format!("workloads[{index}]");
    match (&source.trace, &source.model) {
        (Some(trace), None) => check_trace(trace, &path),
        (None, Some(model)) => {
            let spec = crate::workload::model::find(&model.id)
                .map_err(|problem| below(&format!("{path}.model.id"), problem))?;
            model
                .settings
                .check(&[spec.params])
                .map_err(|problem| below(&format!("{path}.model.settings"), problem))
        }
        _ => Err(at(
            &path,
            "The workload must have either `trace` or `model`.",
            "A workload is either a trace or a model.",
        )),
    }
}

fn check_trace(trace: &TraceSource, path: &str) -> Result<(), Problem> {
    let bare = trace.bare();
    let is_plain = !bare.is_empty()
        && bare != ".swf"
        && bare != ".."
        && bare != "."
        && !bare.contains(['/', '\\', ':', '\0']);
    if !is_plain {
        return Err(at(
            &format!("{path}.trace.name"),
            "The value is not a file name.",
            "A trace is named by its file, without a folder.",
        ));
    }
    if trace.sha256.is_empty() {
        return Ok(());
    }
    check_hash(&format!("{path}.trace.sha256"), &trace.sha256)
}

fn check_hash(path: &str, sha256: &str) -> Result<(), Problem> {
    if sha256.len() == 64 && sha256.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Ok(());
    }
    Err(at(
        path,
        "The value is not a SHA-256.",
        "A SHA-256 has 64 hexadecimal digits.",
    ))
}

/// Checks that the program has the code that the plan means.
fn check_code(path: &str, code: &PlanCode) -> Result<(), Problem> {
    limits::check_name("A name", &code.policy)?;
    limits::check_name("A name", &code.file)?;
    check_hash(&format!("{path}.sha256"), &code.sha256)?;
    match own::code_of(&code.policy) {
        Some(known) if known == code.sha256 => Ok(()),
        Some(known) => Err(at(
            path,
            format!(
                "The plan means other code of the policy `{}`: its SHA-256 is {}, and that of the given code {}.",
                code.policy, code.sha256, known
            ),
            "Give the code that the plan means, or remove this entry: the plan then runs with the given code.",
        )),
        None => Err(at(
            path,
            format!("The code of the policy `{}` is not given.", code.policy),
            &if code.code.is_empty() {
                format!("Give {} with `--policy`.", code.file)
            } else {
                "The plan holds it: read it, and let it run with `--run-code`.".to_owned()
            },
        )),
    }
}

/// Checks the lengths of the names and settings at one place of a plan.
fn check_names(path: &str, names: &[&str], settings: &Settings) -> Result<(), Problem> {
    names
        .iter()
        .try_for_each(|name| limits::check_name("A name", name))
        .map_err(|problem| below(path, problem))?;
    settings
        .check_length()
        .map_err(|problem| below(&format!("{path}.settings"), problem))
}

const UNNAMED: &str = "Tables show these names. Give one of them a different `label`.";
const REPEATED: &str =
    "The same value twice gives the same experiment twice, which is not a replication.";

fn check_unique(list: &str, names: impl Iterator<Item = String>, why: &str) -> Result<(), Problem> {
    let mut seen = BTreeSet::new();
    for (index, name) in names.enumerate() {
        if seen.contains(&name) {
            return Err(at(
                &format!("{list}[{index}]"),
                format!(
                    "`{}` occurs twice.",
                    name.chars().take(60).collect::<String>()
                ),
                why,
            ));
        }
        seen.insert(name);
    }
    Ok(())
}

/// Checks the version before the fields, because another version can have other fields.
fn check_version(text: &str) -> Result<(), Problem> {
    let document: serde_json::Value = serde_json::from_str(text).map_err(|error| {
        not_understood(Misread {
            path: String::new(),
            error,
        })
    })?;
    let Some(fields) = document.as_object() else {
        return Err(Problem::new(
            "The plan is not understood: it is not a JSON object.",
            "A plan begins with `{` and has named fields.",
            "Choose another file.",
        ));
    };
    match fields.get("schedscope_plan") {
        Some(version) if version.as_u64() == Some(VERSION.into()) => Ok(()),
        Some(version) => Err(at(
            "schedscope_plan",
            format!("Version {version} is not known."),
            &format!("This program reads plans of version {VERSION}."),
        )),
        None => Err(at(
            "schedscope_plan",
            "The version is missing.",
            &format!("A plan gives its version: {VERSION}."),
        )),
    }
}

fn not_understood(Misread { path, error }: Misread) -> Problem {
    let error = error.to_string();
    // The column does not help in a document of one line, as forms make it.
    let error = error.split(" at line 1 column").next().unwrap_or_default();
    let place = if path.is_empty() {
        String::new()
    } else {
        format!(" At `{path}`:")
    };
    Problem::new(
        format!("The plan is not understood.{place} {error}."),
        "A plan is a JSON document; its fields are described in docs/formats/plan.md.",
        "Correct the named place.",
    )
}

/// Returns a problem at a place in the document.
pub(super) fn at(path: &str, what: impl std::fmt::Display, why: &str) -> Problem {
    Problem::new(
        format!("The plan is not good. At `{path}`: {what}"),
        why,
        "Correct that place.",
    )
}

/// Returns the problem of a part with its place in the document.
pub(super) fn below(path: &str, problem: Problem) -> Problem {
    Problem {
        what: format!("The plan is not good. At `{path}`: {}", problem.what),
        ..problem
    }
}
