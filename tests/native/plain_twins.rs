//! Every policy and every queue order agrees job by job with its naive twin on random workloads.

use super::plain::{self, Limit, Maui, ORDERS, Order, Plan, View, WEIGHTS};
use super::support::{
    Job, Overruns, random_jobs, schedule, starts, starts_in, workload, workload_in,
};
use schedscope::experiment::Scenario;
use schedscope::param::Settings;
use schedscope::workload::model::generate;
use std::sync::Arc;

const WORKLOADS: u64 = 400;

/// The scenario on random workloads against a twin, made anew for each.
fn agree<D: FnMut(&mut View<'_>)>(scenario: &Scenario, overruns: Overruns, twin: impl Fn() -> D) {
    for seed in 0..WORKLOADS {
        let (processors, jobs) = random_jobs(seed, overruns);
        let ours = starts(&schedule(scenario, &workload(processors, &jobs)));
        let naive = plain::starts(processors, &jobs, twin());
        assert_eq!(
            ours, naive,
            "seed {seed}, {overruns:?}, {processors} processors, {scenario:?}\n{jobs:#?}"
        );
    }
}

/// The same by halves of a second: jobs end within a second of now, while overdue ones are taken to
/// end after it.
fn agree_by_halves<D: FnMut(&mut View<'_>)>(scenario: &Scenario, twin: impl Fn() -> D) {
    for seed in 0..WORKLOADS {
        let (processors, jobs) = random_jobs(seed, Overruns::Sometimes);
        // Whoever is believed to take less than a second is taken to take one, which is another
        // rule.
        let jobs: Vec<Job> = jobs
            .into_iter()
            .map(|job| Job {
                estimate: job.estimate.max(2),
                ..job
            })
            .collect();
        let ours = starts_in(2, &schedule(scenario, &workload_in(2, processors, &jobs)));
        let naive = plain::starts_in(2, processors, &jobs, twin());
        assert_eq!(
            ours, naive,
            "seed {seed}, {processors} processors, {scenario:?}\n{jobs:#?}"
        );
    }
}

#[test]
fn with_ends_within_a_second() {
    const ARRIVAL: Order = Order("arrival");
    agree_by_halves(&Scenario::new("easy"), || {
        |view: &mut View<'_>| plain::easy(view, ARRIVAL, ARRIVAL)
    });
    agree_by_halves(&Scenario::new("lookahead"), || {
        |view: &mut View<'_>| plain::lookahead(view, ARRIVAL, true, 50)
    });
    agree_by_halves(&Scenario::new("conservative"), || {
        let mut plan = Plan::default();
        move |view: &mut View<'_>| plain::conservative(view, &mut plan, ARRIVAL)
    });
    for depth in [1, 3] {
        let scenario = Scenario::new("maui").with("reservation_depth", depth as f64);
        let rules = Maui {
            order: ARRIVAL,
            depth,
            backfill: "firstfit",
            metric: "procs",
            widest: false,
        };
        agree_by_halves(&scenario, || {
            move |view: &mut View<'_>| plain::maui(view, rules)
        });
    }
}

/// The scenario with a queue order, and weights for the order that has them.
fn with_order(scenario: &Scenario, order: Order) -> Scenario {
    WEIGHTS.iter().fold(
        scenario.clone().with("order", order.0),
        |scenario, (key, weight)| scenario.with(key, *weight),
    )
}

#[test]
fn easy_in_every_order() {
    for order in ORDERS {
        let scenario = with_order(&Scenario::new("easy"), order);
        agree(&scenario, Overruns::Never, || {
            move |view: &mut View<'_>| plain::easy(view, order, order)
        });
        agree(
            &scenario.with("scan", "shortest"),
            Overruns::Sometimes,
            || move |view: &mut View<'_>| plain::easy(view, order, Order("shortest")),
        );
    }
    for scan in ORDERS {
        let scenario = with_order(&Scenario::new("easy"), Order("arrival")).with("scan", scan.0);
        agree(&scenario, Overruns::Never, || {
            move |view: &mut View<'_>| plain::easy(view, Order("arrival"), scan)
        });
    }
}

#[test]
fn priority_in_every_order_and_with_every_limit() {
    for order in ORDERS {
        let scenario = with_order(&Scenario::new("priority"), order);
        let hours = |seconds: i64| seconds as f64 / 3600.0;
        let limits = [
            (scenario.clone().with("starvation", "none"), Limit::None),
            (
                scenario.clone().with("wait_limit", hours(9)),
                Limit::Wait(9),
            ),
            (
                scenario.clone().with("wait_limit", hours(36)),
                Limit::Wait(36),
            ),
            (
                scenario
                    .clone()
                    .with("starvation", "passes")
                    .with("pass_limit", 0.0),
                Limit::Passes(0),
            ),
            (
                scenario
                    .clone()
                    .with("starvation", "passes")
                    .with("pass_limit", 3.0),
                Limit::Passes(3),
            ),
        ];
        for (scenario, limit) in limits {
            agree(&scenario, Overruns::Sometimes, || {
                move |view: &mut View<'_>| plain::priority(view, order, limit)
            });
        }
    }
}

#[test]
fn conservative_in_every_order() {
    for order in ORDERS {
        for overruns in [Overruns::Never, Overruns::Sometimes] {
            agree(
                &with_order(&Scenario::new("conservative"), order),
                overruns,
                || {
                    let mut plan = Plan::default();
                    move |view: &mut View<'_>| plain::conservative(view, &mut plan, order)
                },
            );
        }
    }
}

#[test]
fn conservative_that_compresses_whenever_a_job_ends() {
    for overruns in [Overruns::Never, Overruns::Sometimes] {
        agree(
            &Scenario::new("conservative").with("compression", "every"),
            overruns,
            || {
                let mut plan = Plan::eager();
                move |view: &mut View<'_>| plain::conservative(view, &mut plan, Order("arrival"))
            },
        );
    }
}

#[test]
fn selective_by_every_threshold() {
    let base = Scenario::new("selective");
    let fixed = |threshold: f64| {
        (
            base.clone().with("expansion_threshold", threshold),
            Some(threshold),
        )
    };
    for (scenario, threshold) in [
        fixed(1.0),
        fixed(1.5),
        fixed(3.0),
        (base.clone().with("threshold_rule", "adaptive"), None),
    ] {
        for order in [
            Order("arrival"),
            Order("shortest"),
            Order("expansion"),
            Order("weights"),
        ] {
            agree(&with_order(&scenario, order), Overruns::Never, || {
                let (mut plan, mut slowdowns) = (Plan::default(), Vec::new());
                move |view: &mut View<'_>| {
                    plain::selective(view, &mut plan, order, threshold, &mut slowdowns);
                }
            });
        }
    }
}

#[test]
fn maui_with_every_backfill_policy() {
    for order in [
        Order("weights"),
        Order("arrival"),
        Order("shortest"),
        Order("wfp3"),
    ] {
        for depth in [0, 1, 2, 4] {
            for (backfill, metric, widest) in [
                ("none", "procs", false),
                ("firstfit", "procs", false),
                ("firstfit", "procs", true),
                ("bestfit", "procs", false),
                ("bestfit", "procseconds", true),
                ("bestfit", "seconds", false),
                ("greedy", "procs", true),
            ] {
                let scenario = with_order(&Scenario::new("maui"), order)
                    .with("reservation_depth", depth as f64)
                    .with("backfill", backfill)
                    .with("backfill_metric", metric)
                    .with("windows", if widest { "widest" } else { "together" });
                let rules = Maui {
                    order,
                    depth,
                    backfill,
                    metric,
                    widest,
                };
                agree(&scenario, Overruns::Never, || {
                    move |view: &mut View<'_>| plain::maui(view, rules)
                });
            }
        }
    }
}

#[test]
fn maui_by_default_is_easy() {
    agree(&Scenario::new("maui"), Overruns::Never, || {
        |view: &mut View<'_>| plain::easy(view, Order("arrival"), Order("arrival"))
    });
}

#[test]
fn lookahead_finds_the_best_of_all_subsets() {
    for order in [
        Order("arrival"),
        Order("shortest"),
        Order("unicef"),
        Order("weights"),
    ] {
        for (word, reserves) in [("head", true), ("none", false)] {
            for limit in [1, 3, 12] {
                let scenario = with_order(&Scenario::new("lookahead"), order)
                    .with("reserve", word)
                    .with("lookahead", limit as f64);
                agree(&scenario, Overruns::Sometimes, || {
                    move |view: &mut View<'_>| plain::lookahead(view, order, reserves, limit)
                });
            }
        }
    }
}

#[test]
fn multiqueue_with_shares_and_reservations() {
    let base = Scenario::new("multiqueue")
        .with("queue_1_limit", 3.0)
        .with("queue_2_limit", 8.0)
        .with("queue_3_limit", 20.0);
    let shares = |parts: [i64; 4], capacity: i64| {
        let mut shares = parts.map(|part| capacity * part / parts.iter().sum::<i64>());
        let left = capacity - shares.iter().sum::<i64>();
        (0..left).for_each(|at| shares[at as usize % 4] += 1);
        shares
    };
    for order in [Order("shortest"), Order("arrival"), Order("weights")] {
        for parts in [[1, 1, 1, 1], [1, 0, 2, 5]] {
            let scenario = (0..4).fold(
                with_order(&base, order).with("shares", "given"),
                |scenario, queue| {
                    scenario.with(&format!("queue_{}_share", queue + 1), parts[queue] as f64)
                },
            );
            agree(&scenario, Overruns::Never, || {
                let mut held = Vec::new();
                move |view: &mut View<'_>| {
                    plain::multiqueue(
                        view,
                        order,
                        [3, 8, 20],
                        shares(parts, view.capacity),
                        &mut held,
                    );
                }
            });
        }
    }
}

/// The run time is believed while a job waits, the estimate once it runs.
#[test]
fn run_times_that_are_known_until_jobs_start() {
    const ARRIVAL: Order = Order("arrival");
    let known = |policy: &str| Scenario::new(policy).with("estimates", "actual_until_start");
    for overruns in [Overruns::Never, Overruns::Sometimes] {
        agree(&known("easy"), overruns, || {
            |view: &mut View<'_>| {
                view.known_until_start = true;
                plain::easy(view, ARRIVAL, ARRIVAL);
            }
        });
        for (word, plan) in [
            ("early", Plan::default as fn() -> Plan),
            ("every", Plan::eager),
        ] {
            agree(
                &known("conservative").with("compression", word),
                overruns,
                || {
                    let mut plan = plan();
                    move |view: &mut View<'_>| {
                        view.known_until_start = true;
                        plain::conservative(view, &mut plan, ARRIVAL);
                    }
                },
            );
        }
        agree(&known("lookahead"), overruns, || {
            |view: &mut View<'_>| {
                view.known_until_start = true;
                plain::lookahead(view, ARRIVAL, true, 50);
            }
        });
        for depth in [1, 3] {
            let rules = Maui {
                order: ARRIVAL,
                depth,
                backfill: "firstfit",
                metric: "procs",
                widest: false,
            };
            agree(
                &known("maui").with("reservation_depth", depth as f64),
                overruns,
                || {
                    move |view: &mut View<'_>| {
                        view.known_until_start = true;
                        plain::maui(view, rules);
                    }
                },
            );
        }
    }
}

/// Nobody starts after the first reservation they were given, while run times keep to estimates.
#[test]
fn conservative_keeps_its_promises() {
    for seed in 0..WORKLOADS {
        let (processors, jobs) = random_jobs(seed, Overruns::Never);
        let mut plan = Plan::default();
        plain::starts(processors, &jobs, |view| {
            plain::conservative(view, &mut plan, Order("arrival"));
        });
        let ours = starts(&schedule(
            &Scenario::new("conservative"),
            &workload(processors, &jobs),
        ));
        assert!(
            ours.iter()
                .enumerate()
                .all(|(job, start)| *start <= plan.promised[&job]),
            "seed {seed}"
        );
    }
}

/// With hundreds of reservations compression takes notes of what it need not search; while
/// assertions are on, each search is compared with one that takes none.
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
        assert!(longest > 400, "{longest} jobs are no long queue");
    }
}
