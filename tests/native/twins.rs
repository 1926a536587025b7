//! The engine's policies and their naive twins agree job by job on random workloads.

use super::naive::{self, Correction, Rules};
use super::support::{Job, Overruns, random_jobs, schedule, starts, workload};
use schedscope::experiment::Scenario;

const WORKLOADS: u64 = 1200;

/// What jobs are sorted by, given the belief in their run time.
type Key = fn(&Job, i64) -> i64;

fn agree(scenario: &Scenario, rules: Rules, overruns: Overruns) {
    for seed in 0..WORKLOADS {
        let (processors, jobs) = random_jobs(seed, overruns);
        let workload = workload(processors, &jobs);
        let ours = starts(&schedule(scenario, &workload));
        let naive = naive::starts(processors, &jobs, rules);
        assert_eq!(
            ours, naive,
            "seed {seed}, {processors} processors, {scenario:?}\n{jobs:#?}"
        );
    }
}

fn easy() -> Scenario {
    Scenario::new("easy")
}

#[test]
fn fcfs() {
    agree(&Scenario::new("fcfs"), naive::FCFS, Overruns::Never);
    agree(&Scenario::new("fcfs"), naive::FCFS, Overruns::Sometimes);
}

#[test]
fn easy_by_default() {
    agree(&easy(), naive::EASY, Overruns::Never);
}

#[test]
fn easy_with_overdue_jobs() {
    agree(&easy(), naive::EASY, Overruns::Sometimes);
}

#[test]
fn easy_in_every_scan_order() {
    let orders: [(&str, Key); 6] = [
        ("shortest", |_, belief| belief),
        ("longest", |_, belief| -belief),
        ("smallest", |job, _| i64::from(job.processors)),
        ("largest", |job, _| -i64::from(job.processors)),
        ("smallest_area", |job, belief| {
            i64::from(job.processors) * belief
        }),
        ("largest_area", |job, belief| {
            -i64::from(job.processors) * belief
        }),
    ];
    for (word, scan) in orders {
        agree(
            &easy().with("scan", word),
            Rules {
                scan,
                ..naive::EASY
            },
            Overruns::Never,
        );
        agree(
            &easy().with("scan", word).with("depth", 3.0),
            Rules {
                scan,
                depth: 3,
                ..naive::EASY
            },
            Overruns::Sometimes,
        );
    }
}

#[test]
fn easy_at_every_depth() {
    for depth in [0, 2, 3, 1000] {
        agree(
            &easy().with("depth", depth as f64),
            Rules {
                depth,
                ..naive::EASY
            },
            Overruns::Never,
        );
        agree(
            &easy().with("depth", depth as f64),
            Rules {
                depth,
                ..naive::EASY
            },
            Overruns::Sometimes,
        );
    }
}

#[test]
fn easy_that_tries_only_new_jobs_at_arrivals() {
    for depth in [1, 2] {
        let rules = Rules {
            only_new: true,
            depth,
            ..naive::EASY
        };
        agree(
            &easy().with("rescan", "new").with("depth", depth as f64),
            rules,
            Overruns::Never,
        );
    }
}

#[test]
fn easy_with_predictions() {
    let shortest: Key = |_, belief| belief;
    agree(
        &easy().with("estimates", "predicted"),
        Rules {
            predicted: true,
            ..naive::EASY
        },
        Overruns::Never,
    );
    let deep = easy().with("estimates", "predicted").with("depth", 2.0);
    agree(
        &deep,
        Rules {
            predicted: true,
            depth: 2,
            ..naive::EASY
        },
        Overruns::Sometimes,
    );
    let scenario = easy()
        .with("estimates", "predicted")
        .with("scan", "shortest");
    for (word, correction) in [
        ("totals", Correction::Totals),
        ("added", Correction::Added),
        ("estimate", Correction::Estimate),
    ] {
        let rules = Rules {
            predicted: true,
            scan: shortest,
            correction,
            ..naive::EASY
        };
        agree(
            &scenario.clone().with("correction", word),
            rules,
            Overruns::Sometimes,
        );
    }
}

/// Run times of minutes to hours, so that beliefs are corrected several times.
#[test]
fn corrections_of_long_jobs() {
    for seed in 0..60 {
        let (processors, jobs) = random_jobs(seed, Overruns::Never);
        // The twin has an entry for each second: short of a day.
        let longer = |job: Job| Job {
            runtime: job.runtime * 30,
            estimate: job.estimate * 60,
            submit: job.submit * 30,
            ..job
        };
        let jobs: Vec<Job> = jobs.into_iter().take(15).map(longer).collect();
        let workload = workload(processors, &jobs);
        for (word, correction) in [
            ("totals", Correction::Totals),
            ("added", Correction::Added),
            ("estimate", Correction::Estimate),
        ] {
            let scenario = easy()
                .with("estimates", "predicted")
                .with("correction", word);
            let ours = starts(&schedule(&scenario, &workload));
            let rules = Rules {
                predicted: true,
                correction,
                ..naive::EASY
            };
            assert_eq!(
                ours,
                naive::starts(processors, &jobs, rules),
                "seed {seed}, {processors} processors, {word}\n{jobs:#?}"
            );
        }
    }
}

#[test]
fn easy_that_tries_nothing_at_an_arrival_that_does_not_fit() {
    agree(
        &easy().with("rescan", "fitting"),
        Rules {
            fitting: true,
            ..naive::EASY
        },
        Overruns::Never,
    );
    let predicted = easy()
        .with("rescan", "fitting")
        .with("estimates", "predicted");
    agree(
        &predicted,
        Rules {
            fitting: true,
            predicted: true,
            ..naive::EASY
        },
        Overruns::Never,
    );
}

#[test]
fn easy_that_gives_the_head_a_start_once() {
    let once = easy().with("reservation", "once");
    let rules = Rules {
        once: true,
        ..naive::EASY
    };
    for overruns in [Overruns::Never, Overruns::Sometimes] {
        agree(&once, rules, overruns);
        agree(
            &once.clone().with("rescan", "new"),
            Rules {
                only_new: true,
                ..rules
            },
            overruns,
        );
        agree(
            &once.clone().with("estimates", "predicted"),
            Rules {
                predicted: true,
                ..rules
            },
            overruns,
        );
        agree(
            &once.clone().with("ties", "per_event_ends_first"),
            Rules {
                ends_first: true,
                ..rules
            },
            overruns,
        );
    }
}

#[test]
fn easy_that_knows_run_times_until_jobs_start() {
    let known = easy().with("estimates", "actual_until_start");
    let rules = Rules {
        until_start: true,
        ..naive::EASY
    };
    let shortest: Key = |_, belief| belief;
    for overruns in [Overruns::Never, Overruns::Sometimes] {
        agree(&known, rules, overruns);
        agree(
            &known.clone().with("scan", "shortest"),
            Rules {
                scan: shortest,
                ..rules
            },
            overruns,
        );
        agree(
            &known.clone().with("depth", 3.0),
            Rules { depth: 3, ..rules },
            overruns,
        );
        agree(
            &known.clone().with("rescan", "new"),
            Rules {
                only_new: true,
                ..rules
            },
            overruns,
        );
    }
}

#[test]
fn event_by_event_with_completions_first() {
    let predicted = easy().with("estimates", "predicted");
    let known = easy().with("estimates", "actual_until_start");
    let anew = Scenario::new("conservative").with("compression", "anew");
    let everybody = Rules {
        depth: 1000,
        ..naive::EASY
    };
    for (scenario, rules) in [
        (Scenario::new("fcfs"), naive::FCFS),
        (easy(), naive::EASY),
        (
            easy().with("depth", 3.0),
            Rules {
                depth: 3,
                ..naive::EASY
            },
        ),
        (
            easy().with("rescan", "fitting"),
            Rules {
                fitting: true,
                ..naive::EASY
            },
        ),
        (
            predicted,
            Rules {
                predicted: true,
                ..naive::EASY
            },
        ),
        (
            known,
            Rules {
                until_start: true,
                ..naive::EASY
            },
        ),
        (anew.clone(), everybody),
        (
            anew.with("estimates", "actual_until_start"),
            Rules {
                until_start: true,
                ..everybody
            },
        ),
    ] {
        for overruns in [Overruns::Never, Overruns::Sometimes] {
            let rules = Rules {
                ends_first: true,
                ..rules
            };
            agree(
                &scenario.clone().with("ties", "per_event_ends_first"),
                rules,
                overruns,
            );
        }
    }
}

#[test]
fn conservative_that_makes_reservations_anew() {
    let scenario = Scenario::new("conservative").with("compression", "anew");
    let rules = Rules {
        depth: 1000,
        ..naive::EASY
    };
    for overruns in [Overruns::Never, Overruns::Sometimes] {
        agree(&scenario, rules, overruns);
        let known = scenario.clone().with("estimates", "actual_until_start");
        agree(
            &known,
            Rules {
                until_start: true,
                ..rules
            },
            overruns,
        );
        agree(
            &scenario.clone().with("estimates", "predicted"),
            Rules {
                predicted: true,
                ..rules
            },
            overruns,
        );
    }
}

#[test]
fn event_by_event() {
    let rules = |base: Rules| Rules {
        per_event: true,
        ..base
    };
    // The preset drops jobs of zero length, which have no place in that order.
    for seed in 0..WORKLOADS {
        let (processors, jobs) = random_jobs(seed, Overruns::Never);
        let jobs: Vec<Job> = jobs.into_iter().filter(|job| job.runtime > 0).collect();
        if jobs.is_empty() {
            continue;
        }
        let workload = workload(processors, &jobs);
        let predicted = easy().with("estimates", "predicted");
        for (scenario, base) in [
            (easy(), naive::EASY),
            (
                easy().with("rescan", "fitting"),
                Rules {
                    fitting: true,
                    ..naive::EASY
                },
            ),
            (
                predicted.clone(),
                Rules {
                    predicted: true,
                    ..naive::EASY
                },
            ),
            (
                predicted.with("rescan", "fitting"),
                Rules {
                    predicted: true,
                    fitting: true,
                    ..naive::EASY
                },
            ),
            (Scenario::new("fcfs"), naive::FCFS),
        ] {
            let ours = starts(&schedule(&scenario.with("ties", "per_event"), &workload));
            assert_eq!(
                ours,
                naive::starts(processors, &jobs, rules(base)),
                "seed {seed}, {processors} processors, {base:?}\n{jobs:#?}"
            );
        }
    }
}
