//! Draws experiments from bytes: jobs, a policy, a machine that it can run on, settings of both,
//! and a what-if.

use arbitrary::{Result, Unstructured};
use schedscope::experiment::{JobChange, Outage, PRESETS, Scenario, WhatIf};
use schedscope::machines::{self, MachineSpec};
use schedscope::metrics;
use schedscope::param::{Kind, Param, Settings, Value};
use schedscope::policy::{self, Spec};
use schedscope::sim::KERNEL_PARAMS;
use schedscope::trace::{Record, Records, Trace};
use schedscope::workload::{clean, shape};

/// An experiment that is drawn from bytes.
pub struct Experiment {
    pub trace: Trace,
    pub scenario: Scenario,
    /// The budgets of slices, which are used in turn.
    pub slices: Vec<u64>,
    /// Number of arrivals and completions before a fork.
    pub fork_after: u64,
    /// True if the target also makes stories, reasons and files.
    pub tells: bool,
}

/// Draws an experiment from bytes.
pub fn experiment(from: &mut Unstructured<'_>) -> Result<Experiment> {
    let policy = *from.choose(policy::ALL)?;
    let able: Vec<&'static MachineSpec> = machines::ALL
        .iter()
        .copied()
        .filter(|machine| policy.runs_on(machine.offer))
        .collect();
    let machine = *from.choose(&able)?;
    let mut scenario = Scenario {
        machine: machine.id.into(),
        ..Scenario::new(policy.id)
    };
    for (key, value) in machine.small {
        scenario = scenario.with(key, *value);
    }
    if from.ratio(1, 16)? {
        scenario.preset = Some(from.choose(PRESETS)?.id.into());
    }
    let slices = (0..from.int_in_range(1..=4)?)
        .map(|_| from.int_in_range(1..=9))
        .collect::<Result<_>>()?;
    let (fork_after, tells) = (from.int_in_range(0..=40)?, from.ratio(1, 8)?);
    let mut settings = std::mem::take(&mut scenario.settings);
    draw_settings(from, policy.params, policy, 3, &mut settings)?;
    draw_settings(from, machine.params, policy, 3, &mut settings)?;
    for params in [clean::PARAMS, shape::PARAMS, KERNEL_PARAMS, metrics::PARAMS] {
        draw_settings(from, params, policy, 1, &mut settings)?;
    }
    scenario.settings = settings;
    if from.ratio(1, 3)? {
        scenario.what_if = Some(Box::new(what_if(from, policy)?));
    }
    let trace = trace(from)?;
    Ok(Experiment {
        trace,
        scenario,
        slices,
        fork_after,
        tells,
    })
}

/// Draws some settings from a list. For an adaptive policy, also draws settings of its candidates.
fn draw_settings(
    from: &mut Unstructured<'_>,
    params: &'static [Param],
    policy: &Spec,
    most: usize,
    into: &mut Settings,
) -> Result<()> {
    if params.is_empty() {
        return Ok(());
    }
    for _ in 0..from.int_in_range(0..=most)? {
        let param = from.choose(params)?;
        let value = value(from, param)?;
        into.0.insert(param.key.into(), value);
    }
    if let (Some(param), true) = (
        params
            .iter()
            .find(|param| matches!(param.kind, Kind::Policies { .. })),
        policy.params == params,
    ) {
        let ids: Vec<&str> = policy::ALL
            .iter()
            .filter(|spec| spec.params.len() < 12)
            .map(|spec| spec.id)
            .collect();
        let chosen = (0..from.int_in_range(2..=3)?)
            .map(|_| from.choose(&ids).copied())
            .collect::<Result<Vec<_>>>()?;
        into.0
            .insert(param.key.into(), Value::Text(chosen.join("+")));
        if from.ratio(1, 2)? {
            let spec = policy::find(chosen[0]).expect("the choice is one of the list");
            if !spec.params.is_empty() {
                let param = from.choose(spec.params)?;
                let value = value(from, param)?;
                into.0.insert(format!("{}.{}", spec.id, param.key), value);
            }
        }
    }
    Ok(())
}

/// Descriptions of clusters. Some are invalid.
const CLUSTERS: &[&str] = &[
    "",
    "NodeName=n[1-4] CPUs=2",
    "NodeName=n1 CPUs=3 RealMemory=10 Gres=gpu:1;NodeName=m[1-3] CPUs=1 Weight=0",
    "NodeName=n[1-8]\nPartitionName=p Nodes=n[1-4] Default=YES MaxTime=1\nPartitionName=q",
    "NodeName=n[1-2] CPUs=4\nPartitionName=p OverSubscribe=EXCLUSIVE MaxNodes=1",
    "NodeName=n[1-2] CPUs=4\nPartitionName=p State=DOWN",
    "NodeName=n[1-",
    "PartitionName=p",
];

/// Draws a value of a parameter, near its default or a bound so that runs stay small. A few values
/// are invalid.
fn value(from: &mut Unstructured<'_>, param: &Param) -> Result<Value> {
    if from.ratio(1, 64)? {
        let odd = [
            Value::Number(-1.0),
            Value::Number(0.5),
            Value::Number(1e300),
            Value::Text("x".into()),
            Value::Text(String::new()),
        ];
        return from.choose(&odd).cloned();
    }
    Ok(match param.kind {
        Kind::Choice { options, .. } => from.choose(options)?.id.into(),
        Kind::Lines {} => (*from.choose(CLUSTERS)?).into(),
        Kind::Text {} => Value::Number(f64::from(from.int_in_range(-1..=3)?)),
        Kind::Policies { defaults, .. } => defaults.join("+").as_str().into(),
        Kind::Whole { min, max, default } => {
            let default = default.unwrap_or(8);
            let near = [
                min,
                min.saturating_add(1),
                default,
                default - 1,
                default + 1,
                default.saturating_mul(2),
            ];
            let most = if ["x", "y", "z"].contains(&param.key) {
                3
            } else {
                max
            };
            Value::Number((*from.choose(&near)?).clamp(min, most) as f64)
        }
        Kind::Real { min, max, default } => {
            let near = [
                min,
                default,
                default / 4.0,
                default / 2.0,
                0.75 * default + 0.01,
                default * 1.5,
                default * 4.0,
                0.5,
                1.0,
                3.0,
            ];
            Value::Number(from.choose(&near)?.clamp(min, max))
        }
    })
}

/// Draws a few jobs, with ties, run times of 0, overestimates, overruns, sizes of the whole
/// machine, and unknown fields.
fn trace(from: &mut Unstructured<'_>) -> Result<Trace> {
    let processors: i32 = from.int_in_range(1..=12)?;
    let mut header = vec![format!("; MaxProcs: {processors}")];
    if from.ratio(1, 4)? {
        header.push("; UnixStartTime: 951782390".into());
    }
    let (mut records, mut submit) = (Records::default(), from.int_in_range(0..=4)?);
    for number in 1..=from.int_in_range(1..=24)? {
        submit += *from.choose(&[0, 0, 0, 1, 2, 5, 20, 300])?;
        let run_time: i64 = *from.choose(&[0, 1, 2, 3, 5, 8, 13, 30, 100, 4000])?;
        let estimate = *from.choose(&[
            run_time,
            run_time,
            run_time + 1,
            2 * run_time,
            5 * run_time,
            run_time / 2,
            -1,
        ])?;
        let size = if from.ratio(1, 8)? {
            processors
        } else {
            from.int_in_range(1..=processors)?
        };
        let odd = from.ratio(1, 24)?;
        records.push(Record {
            number,
            submit,
            wait: -1,
            run_time: if odd && number % 2 == 0 { -1 } else { run_time },
            requested_time: estimate,
            // These take no bytes, so that inputs that were found before keep their meaning.
            preceding: if number % 3 == 0 {
                number - 1 - submit % 2
            } else {
                -1
            },
            think_time: run_time % 5 - 1,
            cpu_time: -1.0,
            used_memory: -1.0,
            requested_memory: -1.0,
            allocated: if odd && number % 3 == 0 {
                size + 4
            } else {
                size
            },
            requested: if odd { -1 } else { size },
            status: if odd { 5 } else { 1 },
            user: from.int_in_range(0..=3)?,
            group: 1,
            application: 1,
            queue: from.int_in_range(0..=2)?,
            partition: 1,
            line: number as u32,
        });
    }
    Ok(Trace {
        name: "drawn".into(),
        header,
        records,
        ..Trace::default()
    })
}

fn what_if(from: &mut Unstructured<'_>, before: &'static Spec) -> Result<WhatIf> {
    let at = f64::from(from.int_in_range(-10..=200)?) / if from.ratio(1, 8)? { 3.0 } else { 1.0 };
    let mut what_if = WhatIf {
        at,
        ..WhatIf::default()
    };
    let mut next = before;
    if from.ratio(1, 2)? {
        next = from.choose(policy::ALL)?;
        what_if.policy = Some(next.id.into());
    }
    draw_settings(from, next.params, next, 2, &mut what_if.settings)?;
    if from.ratio(1, 4)? {
        what_if.without_users.push(from.int_in_range(0..=3)?);
    }
    for _ in 0..from.int_in_range(0..=2)? {
        let number = from.int_in_range(1..=24)?;
        let whole = |from: &mut Unstructured<'_>, most: i32| -> Result<Option<f64>> {
            Ok(if from.ratio(1, 3)? {
                Some(f64::from(from.int_in_range(0..=most)?))
            } else {
                None
            })
        };
        let (estimate, processors, submitted) =
            (whole(from, 60)?, whole(from, 8)?, whole(from, 400)?);
        what_if.jobs.push(JobChange {
            number,
            estimate,
            processors,
            submitted,
        });
    }
    if from.ratio(1, 4)? {
        let mut small = |most: i32| -> Result<f64> { Ok(f64::from(from.int_in_range(0..=most)?)) };
        what_if.closed = Some(Outage {
            first: small(4)?,
            count: small(6)?,
            seconds: small(100)?,
        });
    }
    Ok(what_if)
}
