//! Hyperthreaded nodes: overlaps that can be reckoned by hand, and for random workloads that every
//! job gets on at the pace that its partners leave it, with nothing lost and nothing done twice.

use super::support::run;
use schedscope::experiment::Scenario;
use schedscope::job::Demand;
use schedscope::machines::smt::{By, Pairing};
use schedscope::param::Settings;
use schedscope::time::Time;
use schedscope::trace::{BadLines, Trace, read};
use schedscope::workload::model::generate;
use std::sync::Arc;

/// Jobs (submitted, run time, nodes) on a machine of four nodes.
fn trace(jobs: &[(i64, i64, u32)]) -> Arc<Trace> {
    let line = |(at, (submitted, runtime, nodes)): (usize, &(i64, i64, u32))| {
        format!(
            "{} {submitted} -1 {runtime} {nodes} -1 -1 {nodes} {runtime} -1 1 1 1 -1 -1 -1 -1 -1\n",
            at + 1
        )
    };
    let text = format!(
        "; MaxProcs: 4\n{}",
        jobs.iter().enumerate().map(line).collect::<String>()
    );
    Arc::new(read("by hand", text.as_bytes(), BadLines::Stop).unwrap())
}

fn ends(jobs: &[(i64, i64, u32)], slowdown: f64) -> Vec<f64> {
    let scenario = Scenario {
        machine: "smt".into(),
        ..Scenario::new("fcfs")
    }
    .with("unknown", slowdown);
    run(&scenario, &trace(jobs))
        .schedule()
        .ends
        .iter()
        .map(|end| end.seconds())
        .collect()
}

#[test]
fn overlaps_reckoned_by_hand() {
    // Both at half speed until the shorter one ends, and then the other at full speed.
    assert_eq!(ends(&[(0, 50, 4), (0, 90, 4)], 2.0), [100.0, 140.0]);
    // Seven fifths as slow, to the microsecond.
    assert_eq!(ends(&[(0, 100, 4), (0, 100, 4)], 1.4), [140.0, 140.0]);
    // The second comes when 30 s are done: both take 7 / 5 as long until the first has done its
    // last 20.
    assert_eq!(ends(&[(0, 50, 4), (30, 90, 4)], 1.4), [58.0, 128.0]);
    // Who shares one node is as slow as on that; the fourth node's job is alone.
    assert_eq!(
        ends(&[(0, 60, 3), (0, 60, 1), (0, 30, 2)], 2.0),
        [90.0, 60.0, 60.0]
    );
    // Partners one after the other.
    assert_eq!(
        ends(&[(0, 100, 4), (0, 10, 4), (0, 20, 4), (0, 30, 4)], 2.0),
        [160.0, 20.0, 60.0, 120.0]
    );
}

#[test]
fn everybody_gets_on_as_partners_allow() {
    let by = By::Shares {
        compatible: 3300,
        good: 14_000,
        poor: 20_000,
        printed: false,
    };
    let pairing = Pairing {
        standard: false,
        by,
        paging: 25_000,
        unknown: 14_000,
    };
    for seed in 0..40 {
        let mix = ["m1", "m2", "m3", "none"][seed % 4];
        let settings = Settings::default()
            .with("jobs", 150.0)
            .with("processors", 32.0)
            .with("seed", seed as f64);
        let trace = Arc::new(generate("lublin", &settings).unwrap());
        let policy = ["fcfs", "easy", "lookahead"][seed % 3];
        let scenario = Scenario {
            machine: "smt".into(),
            ..Scenario::new(policy)
        }
        .with("demands", mix)
        .with("arrival_factor", 2.0);
        let run = run(&scenario, &trace);
        let schedule = run.schedule();
        let nodes = |job: usize| -> Vec<u32> {
            let start = schedule
                .order
                .iter()
                .find(|start| start.job.index() == job)
                .unwrap();
            schedule.placement(start).columns().collect()
        };
        let placed: Vec<Vec<u32>> = (0..schedule.workload.len()).map(nodes).collect();
        let mut shared = 0;
        for job in 0..placed.len() {
            let (start, end) = (schedule.starts[job], schedule.ends[job]);
            let partners: Vec<usize> = (0..placed.len())
                .filter(|other| {
                    *other != job && placed[*other].iter().any(|node| placed[job].contains(node))
                })
                .collect();
            let mut instants: Vec<Time> = partners
                .iter()
                .flat_map(|other| [schedule.starts[*other], schedule.ends[*other]])
                .collect();
            instants.extend([start, end]);
            instants.retain(|at| (start..=end).contains(at));
            instants.sort_unstable();
            let mut done = 0.0;
            for pair in instants.windows(2) {
                let beside = |other: &&usize| {
                    schedule.starts[**other] <= pair[0] && pair[0] < schedule.ends[**other]
                };
                let demand =
                    |job: usize| schedule.workload.demands.get(job).and_then(Option::as_ref);
                let slowdown = |other: &usize| pairing.slowdown(demand(job), demand(*other));
                let slowest = partners.iter().filter(beside).map(slowdown).max();
                shared += i32::from(slowest.is_some());
                done += (pair[1] - pair[0]).seconds() * 10_000.0 / slowest.unwrap_or(10_000) as f64;
            }
            let runtime = schedule.workload.programs[job].runtime.seconds();
            assert!(
                (done - runtime).abs() < 2e-6 * runtime.max(1.0),
                "seed {seed}, job {job}: {done} s of {runtime} s"
            );
        }
        assert!(shared > 20, "seed {seed}: only {shared} overlaps");
    }
}

#[test]
fn drawn_demands_are_those_of_the_mixes() {
    let trace = Arc::new(generate("lublin", &Settings::default().with("jobs", 5000.0)).unwrap());
    for (mix, shares) in [
        ("m1", [0.4, 0.3, 0.3]),
        ("m2", [0.4, 0.1, 0.5]),
        ("m3", [0.3, 0.5, 0.2]),
    ] {
        let run = run(
            &Scenario {
                machine: "smt".into(),
                ..Scenario::new("fcfs")
            }
            .with("demands", mix),
            &trace,
        );
        let demands: Vec<Demand> = run
            .schedule()
            .workload
            .demands
            .iter()
            .copied()
            .flatten()
            .collect();
        assert_eq!(demands.len(), 5000);
        assert!(
            demands
                .iter()
                .all(|demand| demand.cpu + demand.network + demand.disk == 10_000)
        );
        assert!(demands.iter().all(|demand| demand.cpu >= 2000
            && demand.disk >= 500
            && (500..=10_000).contains(&demand.memory)));
        // A network or disk share of four tenths is what the bound ones have at least; CPU-bound
        // ones have less of both.
        let share = |is: fn(&&Demand) -> bool| demands.iter().filter(is).count() as f64 / 5000.0;
        let found = [
            share(|d| d.network < 4000 && d.disk < 4000),
            share(|d| d.network >= 4000),
            share(|d| d.disk >= 4000),
        ];
        assert!(
            (0..3).all(|at| (found[at] - shares[at]).abs() < 0.03),
            "{mix}: {found:?}"
        );
        let small = demands
            .iter()
            .filter(|demand| demand.memory <= 5000)
            .count();
        assert!((small as f64 / 5000.0 - 0.7).abs() < 0.03, "{small}");
    }
}
