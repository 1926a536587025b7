//! Cases of matchmaking that a reader can check by eye.

use super::support::run;
use schedscope::experiment::Scenario;
use schedscope::import::{BadLines, read};
use schedscope::machines::smt::SmtRecord;
use schedscope::param::{Settings, Value};
use schedscope::trace::{Demands, Trace};
use schedscope::workload::model::generate;
use std::fmt::Write;
use std::sync::Arc;

fn lomarc(settings: &[(&str, &str)]) -> Scenario {
    let scenario = Scenario {
        machine: "smt".into(),
        ..Scenario::new("lomarc")
    };
    settings.iter().fold(scenario, |scenario, (key, value)| {
        scenario.with(key, Value::parse(value))
    })
}

/// Makes jobs (submitted, run time, nodes, cpu, network, disk, memory) on a machine with this
/// number of nodes.
fn given(nodes: u32, jobs: &[(i64, i64, u32, f64, f64, f64, f64)]) -> Arc<Trace> {
    let mut text = format!("; MaxProcs: {nodes}\n");
    let mut table = "job,cpu,network,disk,memory\n".to_owned();
    for (number, (submitted, runtime, size, cpu, network, disk, memory)) in (1..).zip(jobs) {
        writeln!(
            text,
            "{number} {submitted} -1 {runtime} {size} -1 -1 {size} {runtime} -1 1 1 1 \
            -1 -1 -1 -1 -1"
        )
        .unwrap();
        writeln!(table, "{number},{cpu},{network},{disk},{memory}").unwrap();
    }
    let demands = Some(Demands::read("by hand.csv", table.as_bytes()).unwrap());
    Arc::new(Trace {
        demands,
        ..read("by hand", text.as_bytes(), BadLines::Stop).unwrap()
    })
}

fn ends(trace: &Arc<Trace>, settings: &[(&str, &str)]) -> Vec<f64> {
    let run = run(&lomarc(settings).with("demands", "file"), trace);
    run.schedule()
        .ends
        .iter()
        .map(|end| end.seconds())
        .collect()
}

#[test]
fn pairs_by_hand() {
    const CPU: (f64, f64, f64) = (1.0, 0.0, 0.0);
    const NET: (f64, f64, f64) = (0.0, 1.0, 0.0);
    const DISK: (f64, f64, f64) = (0.0, 0.0, 1.0);
    let two = |one: (f64, f64, f64),
               other: (f64, f64, f64),
               memory: [f64; 2],
               sizes: [u32; 2],
               runtimes: [i64; 2]| {
        let job =
            |at: usize, d: (f64, f64, f64)| (0, runtimes[at], sizes[at], d.0, d.1, d.2, memory[at]);
        given(4, &[job(0, one), job(1, other)])
    };
    let all = |trace: &Arc<Trace>| {
        ["response", "gain1", "gain2", "first", "adjacent"]
            .map(|h| ends(trace, &[("heuristic", h), ("compatible", "0")]))
    };
    let plain = |one, other| two(one, other, [0.5; 2], [4; 2], [100; 2]);
    // Jobs without a common resource run as fast as alone.
    assert_eq!(all(&plain(CPU, DISK)), [[100.0, 100.0]; 5]);
    assert_eq!(all(&plain(CPU, NET)), [[100.0, 100.0]; 5]);
    assert_eq!(all(&plain(NET, DISK)), [[100.0, 100.0]; 5]);
    // Jobs of one kind, or with too much memory together, run one after the other.
    for apart in [
        plain(NET, NET),
        plain(DISK, DISK),
        plain(CPU, CPU),
        two(CPU, DISK, [0.6, 0.5], [4; 2], [100; 2]),
    ] {
        assert_eq!(all(&apart), [[100.0, 200.0]; 5]);
    }
    // Two jobs that compute share nodes if their instructions go well together, and take 7 / 5 as
    // long.
    assert_eq!(
        ends(
            &plain(CPU, CPU),
            &[("compatible", "1"), ("heuristic", "gain1")]
        ),
        [140.0, 140.0]
    );
    assert_eq!(
        ends(
            &plain(CPU, CPU),
            &[("compatible", "1"), ("max_slowdown", "1.3")]
        ),
        [100.0, 200.0]
    );
    // On standard CPUs, only jobs that need the CPU and the disk share nodes.
    let standard = [("cpu", "standard"), ("heuristic", "gain1")];
    assert_eq!(ends(&plain(CPU, DISK), &standard), [100.0, 100.0]);
    assert_eq!(ends(&plain(CPU, NET), &standard), [100.0, 200.0]);
    assert_eq!(ends(&plain(NET, DISK), &standard), [100.0, 200.0]);
    // Tests space sharing, and jobs that always share.
    assert_eq!(
        ends(&plain(CPU, DISK), &[("heuristic", "none")]),
        [100.0, 200.0]
    );
    assert_eq!(ends(&plain(CPU, DISK), &[("threads", "1")]), [100.0, 200.0]);
    assert_eq!(
        ends(
            &two(CPU, CPU, [0.6; 2], [4; 2], [100; 2]),
            &[("heuristic", "always")]
        ),
        [250.0, 250.0],
        "they page"
    );
    // Sharing does not pay off for short jobs. A larger job finds no place on the nodes of a
    // smaller one.
    assert_eq!(
        all(&two(CPU, DISK, [0.5; 2], [4; 2], [60; 2])),
        [[60.0, 120.0]; 5]
    );
    assert_eq!(
        all(&two(CPU, DISK, [0.5; 2], [3, 4], [100; 2])),
        [[100.0, 200.0]; 5]
    );
    assert_eq!(
        all(&two(CPU, DISK, [0.5; 2], [4, 3], [100; 2])),
        [[100.0, 100.0]; 5]
    );
    // The machine is weakly loaded: the two jobs together ask for three nodes, fewer than 80 % of
    // the four free nodes (3.2).
    assert_eq!(
        ends(&two(CPU, DISK, [0.5; 2], [2, 1], [100; 2]), &[]),
        [100.0, 100.0]
    );
    let starts_apart = run(
        &lomarc(&[("demands", "file")]),
        &two(CPU, DISK, [0.5; 2], [2, 1], [100; 2]),
    );
    assert_eq!(
        starts_apart
            .schedule()
            .ranges
            .iter()
            .map(|range| (range.first, range.count))
            .collect::<Vec<_>>(),
        [(0, 2), (2, 1)]
    );
}

#[test]
fn running_jobs_get_partners_and_new_ones() {
    // The second job comes when half of the first is done, and needs other resources. The third job
    // waits until the second ends, and takes its place.
    let trace = given(
        4,
        &[
            (0, 400, 4, 1.0, 0.0, 0.0, 0.5),
            (200, 100, 4, 0.0, 1.0, 0.0, 0.5),
            (210, 100, 4, 0.0, 0.0, 1.0, 0.5),
        ],
    );
    let run = run(
        &lomarc(&[("demands", "file"), ("heuristic", "gain1")]),
        &trace,
    );
    let schedule = run.schedule();
    assert_eq!(
        schedule
            .starts
            .iter()
            .map(|at| at.seconds())
            .collect::<Vec<_>>(),
        [0.0, 200.0, 300.0]
    );
    assert_eq!(
        schedule
            .ends
            .iter()
            .map(|at| at.seconds())
            .collect::<Vec<_>>(),
        [400.0, 300.0, 400.0]
    );
    let matches: Vec<(u32, u32)> = schedule
        .of::<SmtRecord>()
        .unwrap()
        .searches
        .matches
        .iter()
        .map(|pair| (pair.host.0, pair.guest.0))
        .collect();
    assert_eq!(matches, [(0, 1), (0, 2)]);
}

#[test]
fn jobs_of_which_nothing_is_known_share_no_nodes() {
    let trace = Arc::new(generate("lublin", &Settings::default().with("jobs", 300.0)).unwrap());
    let digest = |settings: &[(&str, &str)]| {
        run(&lomarc(settings).with("arrival_factor", 3.0), &trace)
            .schedule()
            .digest()
    };
    assert_eq!(digest(&[]), digest(&[("heuristic", "none")]));
    assert_ne!(
        digest(&[("demands", "m1")]),
        digest(&[("heuristic", "none")])
    );
    assert_eq!(
        digest(&[("demands", "m1"), ("heuristic", "none")]),
        digest(&[("threads", "1")])
    );
}

#[test]
fn a_table_beside_the_trace_says_what_jobs_need() {
    let trace = given(4, &[(0, 100, 4, 1.0, 0.0, 0.0, 0.5)]);
    let bare = Trace {
        demands: None,
        ..(*trace).clone()
    };
    let problem = lomarc(&[("demands", "file")])
        .resolve()
        .unwrap()
        .workload(&bare)
        .unwrap_err();
    assert_eq!(problem.what, "No table of demands was given.");
    let workload = lomarc(&[("demands", "file")])
        .resolve()
        .unwrap()
        .workload(&trace)
        .unwrap();
    assert!(
        workload
            .provenance
            .steps
            .last()
            .unwrap()
            .starts_with("demands of 1 of 1 jobs from by hand.csv (SHA-256 ")
    );
    let other = Demands::read("other.csv", b"job,cpu,network,disk,memory\n9,1,0,0,0\n").unwrap();
    let problem = lomarc(&[("demands", "file")])
        .resolve()
        .unwrap()
        .workload(&Trace {
            demands: Some(other),
            ..bare
        })
        .unwrap_err();
    assert_eq!(problem.what, "other.csv has none of the jobs.");
}

#[test]
fn matching_is_a_candidate_of_adaptive_policies_and_takes_no_buddies() {
    let trace = Arc::new(
        generate(
            "lublin",
            &Settings::default()
                .with("jobs", 300.0)
                .with("processors", 32.0),
        )
        .unwrap(),
    );
    let smt = |policy: &str| {
        Scenario {
            machine: "smt".into(),
            ..Scenario::new(policy)
        }
        .with("demands", "m1")
        .with("arrival_factor", 3.0)
    };
    for (candidates, is_matching) in [(None, false), (Some("lomarc+easy"), true)] {
        let pbas = candidates.map_or_else(
            || smt("pbas"),
            |candidates| {
                smt("pbas")
                    .with("candidates", candidates)
                    .with("frame", 3600.0)
            },
        );
        assert_eq!(pbas.resolve().unwrap().matches(), is_matching);
        run(&pbas, &trace);
    }
    for scenario in [smt("lomarc"), smt("wbas").with("candidates", "easy+lomarc")] {
        let problem = scenario.with("packing", "buddy").resolve().err().unwrap();
        assert!(
            problem.what.starts_with("`packing=buddy` has no meaning"),
            "{problem}"
        );
    }
}
