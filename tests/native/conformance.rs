//! Rules for all policies, on every machine that offers what they need. With every value of every
//! choice, a policy finishes every job and passes the audit. It refuses invalid values of its
//! parameters.

use super::support::{Overruns, random_jobs, random_workload, schedule, small, workload_for};
use schedscope::experiment::{PRESETS, Scenario, catalog};
use schedscope::metrics::MetricSpec;
use schedscope::param::Settings;
use schedscope::param::{Kind, Param, Value};
use schedscope::sim::KERNEL_PARAMS;
use schedscope::workload::model::generate;
use schedscope::{machines, metrics, policy, workload as workloads};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Clusters of at least 12 cores, for random jobs.
const CLUSTERS: &[&str] = &[
    "NodeName=n[1-3] CPUs=4",
    "NodeName=a[1-2] CPUs=2\nNodeName=b[1-2] CPUs=4 RealMemory=100 Gres=gpu:2\n\
        NodeName=c CPUs=8 Weight=0\nPartitionName=all Nodes=ALL",
];

/// Returns values that set one parameter to each end of its range, or to each of its words.
fn variants(param: &Param) -> Vec<Value> {
    match param.kind {
        Kind::Whole { min, max, .. } => vec![Value::Number(min as f64), Value::Number(max as f64)],
        Kind::Real { min, max, .. } => vec![Value::Number(min), Value::Number(max)],
        Kind::Choice { options, .. } => options.iter().map(|option| option.id.into()).collect(),
        Kind::Text {} => vec![Value::Number(1.0), "1".into()],
        Kind::Lines {} if param.key == "accounts" => {
            vec!["Parent - 'root'\nAccount - 'a':Fairshare=2".into()]
        }
        Kind::Lines {} if param.key == "conf" => {
            vec!["SchedulerParameters=bf_interval=5,bf_max_job_test=2".into()]
        }
        Kind::Lines {} => CLUSTERS.iter().map(|text| (*text).into()).collect(),
        // Scenarios with candidates that cannot run on the machine are refused.
        Kind::Policies { .. } => policy::ALL
            .iter()
            .map(|spec| format!("{0}+{0}2", spec.id).as_str().into())
            .collect(),
    }
}

#[test]
fn every_policy_finishes_every_job_under_the_audit() {
    for machine in machines::ALL {
        for spec in policy::ALL {
            if !spec.runs_on(machine.offer) {
                continue;
            }
            let plain = small(Scenario {
                machine: machine.id.into(),
                ..Scenario::new(spec.id)
            });
            let mut scenarios = vec![plain.clone()];
            for param in spec.params.iter().chain(KERNEL_PARAMS) {
                scenarios.extend(
                    variants(param)
                        .into_iter()
                        .map(|value| plain.clone().with(param.key, value)),
                );
            }
            let sizes_by_trace = (machine.capacity)(&Settings::default()).is_none();
            if ["fcfs", "easy", "lookahead"].contains(&spec.id) {
                for param in machine.params.iter().filter(|_| sizes_by_trace) {
                    scenarios.extend(
                        variants(param)
                            .into_iter()
                            .map(|value| plain.clone().with(param.key, value)),
                    );
                }
            }
            scenarios.extend(PRESETS.iter().map(|preset| Scenario {
                preset: Some(preset.id.into()),
                ..plain.clone()
            }));
            // Scenarios whose settings contradict each other are left out.
            for scenario in scenarios
                .into_iter()
                .filter(|scenario| scenario.resolve().is_ok())
            {
                // A second of processes takes as much computing as a month of jobs.
                for seed in 0..if machine.offer.processes { 2 } else { 60 } {
                    assert!(
                        schedule(
                            &scenario,
                            &random_workload(&scenario, seed, Overruns::Never)
                        )
                        .is_complete()
                    );
                }
            }
        }
    }
}

#[test]
fn every_parameter_refuses_what_it_does_not_take() {
    for spec in policy::ALL {
        let plain = Scenario::new(spec.id);
        let groups = plain.resolve().unwrap().groups();
        for param in groups.iter().flat_map(|(_, params)| params.iter()) {
            let bad = match param.kind {
                Kind::Whole { min, max, .. } => {
                    vec![
                        Value::Number(min as f64 - 1.0),
                        Value::Number(max as f64 + 1.0),
                        Value::Number(0.5),
                        "x".into(),
                    ]
                }
                Kind::Real { min, max, .. } => {
                    vec![
                        Value::Number(min - 1.0),
                        Value::Number(max * 2.0 + 1.0),
                        Value::Number(f64::NAN),
                        "x".into(),
                    ]
                }
                Kind::Choice { .. } => vec![Value::Number(1.0), "no such word".into()],
                Kind::Text {} => vec![Value::Number(f64::NAN), "".into()],
                Kind::Lines {} => vec![Value::Number(1.0)],
                Kind::Policies { .. } => [
                    "",
                    "easy+no-such-policy",
                    "easy+easy",
                    "easy+pbas",
                    "a+b+c+d+e+f+g+h+i",
                ]
                .map(Value::from)
                .into(),
            };
            for value in bad {
                let refused = plain.clone().with(param.key, value.clone()).resolve();
                assert!(
                    refused.is_err(),
                    "{}: {} took {value:?}",
                    spec.id,
                    param.key
                );
            }
        }
        assert!(plain.with("no_such_parameter", 1.0).resolve().is_err());
    }
    assert!(Scenario::new("no-such-policy").resolve().is_err());
    assert!(
        Scenario {
            machine: "no-such-machine".into(),
            ..Scenario::new("fcfs")
        }
        .resolve()
        .is_err()
    );
    assert!(
        Scenario {
            preset: Some("no-such-preset".into()),
            ..Scenario::new("fcfs")
        }
        .resolve()
        .is_err()
    );
}

#[test]
fn names_are_unique_and_nothing_is_undescribed() {
    let unique = |names: Vec<&str>| {
        assert_eq!(
            names.iter().collect::<BTreeSet<_>>().len(),
            names.len(),
            "{names:?}"
        );
    };
    unique(policy::ALL.iter().map(|spec| spec.id).collect());
    unique(machines::ALL.iter().map(|spec| spec.id).collect());
    unique(machines::metrics().map(|spec| spec.id).collect());
    for spec in policy::ALL {
        assert!(!spec.summary.is_empty() && !spec.paper.is_empty());
        let resolved = Scenario::new(spec.id).resolve().unwrap();
        let params: Vec<&Param> = resolved
            .groups()
            .iter()
            .flat_map(|(_, params)| params.iter())
            .collect();
        unique(params.iter().map(|param| param.key).collect());
        assert!(
            params
                .iter()
                .all(|param| !param.name.is_empty() && !param.help.is_empty())
        );
    }
    for spec in workloads::model::ALL {
        unique(spec.params.iter().map(|param| param.key).collect());
    }
    assert_eq!(catalog().policies.len(), policy::ALL.len());
}

#[test]
fn every_metric_has_its_figures_and_no_figure_is_without_metric() {
    let (processors, jobs) = random_jobs(1, Overruns::Never);
    for machine in machines::ALL {
        let scenario = small(Scenario {
            machine: machine.id.into(),
            ..Scenario::new("easy")
        });
        let schedule = schedule(&scenario, &workload_for(&scenario, processors, &jobs));
        let measures = metrics::measure(&schedule, &Settings::default());
        let is_examined = measures.figures["unfairness.jobs"] > 0.0;
        let is_expected = |key: &String| {
            is_examined || !key.starts_with("unfairness.") || key == "unfairness.jobs"
        };
        let described: BTreeSet<String> = metrics::ALL
            .iter()
            .chain(machine.metrics)
            .flat_map(MetricSpec::keys)
            .filter(is_expected)
            .collect();
        let found: BTreeSet<String> = measures.figures.keys().cloned().collect();
        assert_eq!(found, described, "{}", machine.id);
        assert!(measures.figures.values().all(|value| value.is_finite()));
    }
}

/// With hundreds of reservations, compression notes which searches it can skip. While assertions
/// are on, each search is compared with a search that skips nothing.
#[test]
fn long_queues_are_compressed_as_short_ones() {
    const {
        assert!(
            cfg!(debug_assertions),
            "without assertions this test cannot fail"
        );
    };
    let settings = Settings::default()
        .with("jobs", 5000.0)
        .with("processors", 64.0)
        .with("overestimate", 8.0);
    let trace = Arc::new(generate("lublin", &settings).unwrap());
    for policy in ["conservative", "selective"] {
        let scenario = Scenario::new(policy).with("arrival_factor", 4.0);
        let mut run = scenario.resolve().unwrap().run(Arc::clone(&trace)).unwrap();
        let mut longest = 0;
        while !run.advance(50).done {
            longest = longest.max(run.waiting());
        }
        assert!(longest > 400, "{longest} jobs are too few for a long queue");
    }
}
