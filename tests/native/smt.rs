//! Tests of hyperthreaded nodes: overlaps that can be calculated by hand, and the drawn demands.

use super::support::run;
use schedscope::experiment::Scenario;
use schedscope::import::{BadLines, read};
use schedscope::job::Demand;
use schedscope::param::Settings;
use schedscope::trace::Trace;
use schedscope::workload::model::generate;
use std::sync::Arc;

/// Makes jobs (submitted, run time, nodes) on a machine of four nodes.
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
    // Both jobs run at half speed until the shorter one ends. Then the other runs at full speed.
    assert_eq!(ends(&[(0, 50, 4), (0, 90, 4)], 2.0), [100.0, 140.0]);
    // Both jobs are slower by 7 / 5, exact to the microsecond.
    assert_eq!(ends(&[(0, 100, 4), (0, 100, 4)], 1.4), [140.0, 140.0]);
    // The second job comes when 30 s are done. Both take 7 / 5 as long until the first has done its
    // last 20 s.
    assert_eq!(ends(&[(0, 50, 4), (30, 90, 4)], 1.4), [58.0, 128.0]);
    // A job that shares one node is as slow as on that node. The job on the fourth node is alone.
    assert_eq!(
        ends(&[(0, 60, 3), (0, 60, 1), (0, 30, 2)], 2.0),
        [90.0, 60.0, 60.0]
    );
    // The long job has one partner after the other.
    assert_eq!(
        ends(&[(0, 100, 4), (0, 10, 4), (0, 20, 4), (0, 30, 4)], 2.0),
        [160.0, 20.0, 60.0, 120.0]
    );
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
        // Network-bound and disk-bound jobs have shares of at least four tenths of their resource.
        // CPU-bound jobs have less of both.
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
