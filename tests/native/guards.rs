//! Rules that no other test guarded, as mutations of single operators showed. Each has a small
//! case, derived from the docs by hand. The cases are in the order of the source files.

use super::support::{Job, folder, job, run, schedule, simulation, starts, workload, workload_in};
use schedscope::experiment::{Run, Scenario, WhatIf};
use schedscope::explain::{StoryStep, StoryTeller};
use schedscope::import::file::read_file;
use schedscope::import::{BadLines, read};
use schedscope::job::JobId;
use schedscope::machine::{Placement, Placements, Range};
use schedscope::machines::smt::{self, Search};
use schedscope::metrics::{compare, measure};
use schedscope::param::{Settings, Value};
use schedscope::plan::{Plan, cells};
use schedscope::policy;
use schedscope::problem::Problem;
use schedscope::schedule::Migration;
use schedscope::session::{Look, Session};
use schedscope::sim::{Event, Observer, Reasons, Silent, Turning, Why};
use schedscope::time::Time;
use schedscope::trace::{Demands, Effect, ImportRule, Report, Trace};
use schedscope::view::{Colouring, Theme};
use schedscope::workload::Workload;
use serde_json::json;
use std::fmt::Write;
use std::sync::Arc;

fn on(machine: &str, policy: &str) -> Scenario {
    Scenario {
        machine: machine.into(),
        ..Scenario::new(policy)
    }
}

/// A row of ten nodes. Jobs get the lowest adjacent free nodes at once.
fn row_of_nodes(policy: &str) -> Scenario {
    on("torus", policy)
        .with("x", 10.0)
        .with("y", 1.0)
        .with("z", 1.0)
        .with("wrap_x", "mesh")
        .with("placement", "first_fit")
        .with("start_delay", 0.0)
}

fn steps(scenario: &Scenario, workload: &Arc<Workload>) -> Vec<StoryStep> {
    let mut watcher = StoryTeller::new(Arc::clone(workload));
    simulation(scenario, workload).run(&mut watcher);
    watcher.into_story().steps
}

/// Returns the step at this second.
fn step_at(steps: &[StoryStep], second: i64) -> &StoryStep {
    steps
        .iter()
        .find(|step| step.at == Time::from_seconds(second))
        .unwrap()
}

/// Returns the reasons for waiting, by the places of jobs in the workload.
fn reasons(step: &StoryStep) -> Vec<(u32, Why)> {
    step.waiting
        .iter()
        .map(|(job, why)| (job.0, *why))
        .collect()
}

/// Returns the reservations as pairs of job and start.
fn reserved(step: &StoryStep) -> Vec<(u32, i64)> {
    step.reserved
        .iter()
        .map(|outline| {
            (
                outline.reservation.job.0,
                outline.reservation.start.whole_seconds(),
            )
        })
        .collect()
}

// machines/gang/

/// A switch takes at most nine tenths of a quantum.
#[test]
fn a_switch_leaves_a_tenth_of_the_quantum() {
    let gang = |cost: f64| {
        on("gang", "fcfs")
            .with("quantum", 10.0)
            .with("switch_cost", cost)
            .resolve()
    };
    assert!(gang(9.0).is_ok());
    for cost in [9.5, 10.5] {
        let problem = gang(cost).err().unwrap();
        assert_eq!(
            problem.what,
            format!("`switch_cost={cost}` leaves less than a tenth of `quantum=10`.")
        );
    }
}

// metrics/classes.rs

/// In each of three months of 30 days two jobs arrive at once, and the second one waits for a tenth
/// of a second. All means are a twentieth, and their mean in floating point is not exactly a
/// twentieth.
#[test]
fn months_that_are_alike_are_steady() {
    let month = 30 * 86_400 * 10;
    let jobs: Vec<Job> = (0..6).map(|at| job(at / 2 * month, 1, 1)).collect();
    let schedule = schedule(&Scenario::new("fcfs"), &workload_in(10, 1, &jobs));
    let figures = measure(&schedule, &Settings::default()).figures;
    assert!((figures["wait.mean"] - 0.05).abs() < 1e-12);
    assert!(
        figures["stability.value"] < 1e-12,
        "{} s",
        figures["stability.value"]
    );
}

// metrics/comparison.rs

/// The middle one of 15 bars has the jobs whose wait did not change. The bars on both sides follow
/// without a gap.
#[test]
fn the_bars_of_a_comparison_leave_no_gap() {
    let sizes = [
        "up to 1 min",
        "1 min to 10 min",
        "10 min to 1 h",
        "1 h to 6 h",
        "6 h to 1 day",
        "1 day to 1 week",
        "over 1 week",
    ];
    let names = sizes.iter().rev().map(|size| format!("{size} less"));
    let names: Vec<String> = names
        .chain(["the same".to_owned()])
        .chain(sizes.iter().map(|size| format!("{size} longer")))
        .collect();
    // No job waits in this run. In the run before, one job waited for two days and one for two
    // weeks.
    let schedule = schedule(
        &Scenario::new("fcfs"),
        &workload(2, &[job(0, 1, 1), job(0, 1, 1)]),
    );
    let bars = compare(
        &[2.0 * 86_400.0, 14.0 * 86_400.0],
        &schedule,
        &Settings::default(),
    )
    .distribution;
    assert!(bars.iter().map(|bar| &bar.name).eq(&names), "{bars:?}");
    assert_eq!((bars[0].jobs, bars[1].jobs), (1, 1));
}

// metrics/moving.rs

/// Successful migrations happen at 10, 40 and 70 s, with 30 s between them. A failed migration does
/// not count.
#[test]
fn the_time_between_migrations_is_a_mean() {
    let mut schedule = schedule(&Scenario::new("fcfs"), &workload(1, &[job(0, 100, 1)]));
    let at = |(second, successful): (i64, bool)| Migration {
        at: Time::from_seconds(second),
        successful,
    };
    schedule.migrations = [(10, true), (20, false), (40, true), (70, true)]
        .map(at)
        .to_vec();
    let figures = measure(&schedule, &Settings::default()).figures;
    assert_eq!(figures["migration_gap.mean"], 30.0);
    assert_eq!(
        (
            figures["migrations.attempted"],
            figures["migrations.successful"]
        ),
        (4.0, 3.0)
    );
}

/// On 64 x 64 x 64 nodes, a job takes one node for 10 s, then none runs for 10 s, again and again.
/// Up to 2^26 nodes, so up to 128 jobs or 256 changes, every instant counts. Beyond that, every
/// second instant counts: those at which a job starts.
#[test]
fn long_runs_on_large_machines_are_sampled() {
    let scenario = on("torus", "fcfs")
        .with("x", 64.0)
        .with("y", 64.0)
        .with("z", 64.0)
        .with("start_delay", 0.0);
    let fragmentation = |jobs: i64| {
        let jobs: Vec<Job> = (0..jobs).map(|at| job(20 * at, 10, 1)).collect();
        let schedule = schedule(&scenario, &workload(1 << 18, &jobs));
        measure(&schedule, &Settings::default()).figures["fragmentation.value"]
    };
    // If one node is taken, the largest free box has 63 x 64 x 64 nodes.
    let beside_one = 1.0 - 258_048.0 / 262_143.0;
    // A job runs 128 times for 10 s, and no job runs 127 times for 10 s.
    assert!((fragmentation(128) - beside_one * 128.0 / 255.0).abs() < 1e-12);
    assert!((fragmentation(129) - beside_one).abs() < 1e-12);
}

// metrics/occupancy.rs

/// A job has a run time of 0, so no time passes between the first submission and the last end.
#[test]
fn a_run_of_no_length_is_efficient_and_uses_nothing() {
    let figures = measure(
        &schedule(&Scenario::new("fcfs"), &workload(1, &[job(5, 0, 1)])),
        &Settings::default(),
    )
    .figures;
    assert_eq!(figures["efficiency.value"], 1.0);
    for key in [
        "utilisation.value",
        "unused.value",
        "lost.value",
        "occupied.value",
        "makespan.value",
        "queue.mean",
        "queue.max",
    ] {
        assert_eq!(figures[key], 0.0, "{key}");
    }
}

// policy/easy.rs

/// The longest job is first, and two jobs hold reservations.
///
/// * Job 0 holds 4 of 10 nodes until 10 s. Job 1 needs 8 nodes and waits.
/// * Job 2 needs 3 nodes until 14 s, and would delay job 1.
/// * At 3 s job 3 arrives, is the longest, and starts. Now job 1 must wait until 43 s, and job 2
///   would delay no job.
/// * Job 2 is not new at this arrival, so it is tried only when a job ends.
#[test]
fn only_new_jobs_are_tried_at_an_arrival_on_a_torus() {
    let jobs = [job(0, 10, 4), job(1, 20, 8), job(2, 12, 3), job(3, 40, 3)];
    for depth in [1.0, 2.0, 3.0] {
        let easy = row_of_nodes("easy")
            .with("order", "longest")
            .with("depth", depth);
        let of = |rescan: &str| {
            starts(&schedule(
                &easy.clone().with("rescan", rescan),
                &workload(10, &jobs),
            ))
        };
        assert_eq!(of("new"), [0, 43, 10, 3], "depth {depth}");
        assert_eq!(of("all"), [0, 43, 3, 3], "depth {depth}");
    }
}

/// Nodes 3, 4, 8 and 9 are free, and no three of them are adjacent.
#[test]
fn a_job_that_waits_for_its_one_start_lacks_a_partition() {
    let jobs = [
        job(0, 100, 3),
        job(0, 5, 2),
        job(0, 100, 3),
        job(0, 5, 2),
        job(6, 10, 3),
    ];
    let steps = steps(
        &row_of_nodes("easy").with("reservation", "once"),
        &workload(10, &jobs),
    );
    assert_eq!(
        reasons(step_at(&steps, 6)),
        [(4, Why::Partition { largest: 2 })]
    );
}

/// Job 0 is expected to run until 10 s, which is the start that job 1 was given. Job 0 ends at 5 s,
/// and all ten processors are free then.
#[test]
fn a_head_before_its_one_start_is_not_tried() {
    let jobs = [
        Job {
            estimate: 10,
            ..job(0, 5, 8)
        },
        job(1, 10, 6),
    ];
    let workload = workload(10, &jobs);
    let easy = Scenario::new("easy").with("reservation", "once");
    assert_eq!(
        reasons(step_at(&steps(&easy, &workload), 5)),
        [(1, Why::NotTried)]
    );
    assert_eq!(starts(&schedule(&easy, &workload)), [0, 10]);
}

/// Even if no job is tried, the reason of a job that needs more than the two free processors is the
/// lack of processors.
#[test]
fn a_job_that_nobody_tries_lacks_processors_first() {
    let easy = Scenario::new("easy").with("rescan", "fitting");
    let workload = workload(10, &[job(0, 100, 8), job(1, 10, 5)]);
    for depth in [0.0, 1.0, 2.0] {
        let steps = steps(&easy.clone().with("depth", depth), &workload);
        assert_eq!(
            reasons(step_at(&steps, 1)),
            [(1, Why::Processors { free: 2 })],
            "depth {depth}"
        );
    }
}

/// Jobs 0 and 1 teach that jobs of user 1 run for 10 s.
///
/// * Job 2 is therefore expected to end at 30 s, and job 3, which needs 8 nodes, has its
///   reservation there.
/// * Job 4 would run until 34 s, and would delay job 3.
/// * At 30 s the belief about job 2 grows by 60 s, so at 35 s job 4 would delay no job.
/// * Job 5, which arrives then, needs more than the four free nodes, so no job is tried.
#[test]
fn a_job_that_would_delay_nobody_is_not_told_that_it_would() {
    let of = |user: i32, job: Job| Job { user, ..job };
    let wrong = Job {
        estimate: 1000,
        ..job(20, 500, 6)
    };
    let jobs = [job(0, 10, 1), job(0, 10, 1), wrong].map(|job| of(1, job));
    let others = [
        of(2, job(21, 10, 8)),
        of(3, job(22, 12, 3)),
        of(4, job(35, 10, 5)),
    ];
    let easy = row_of_nodes("easy")
        .with("rescan", "fitting")
        .with("estimates", "predicted");
    let steps = steps(&easy, &workload(10, &[&jobs[..], &others].concat()));
    let lacks = Why::Processors { free: 4 };
    assert_eq!(
        reasons(step_at(&steps, 22)),
        [(3, lacks), (4, Why::Reserved { by: JobId(3) })]
    );
    assert_eq!(reserved(step_at(&steps, 22)), [(3, 30)]);
    assert_eq!(
        reasons(step_at(&steps, 35)),
        [(3, lacks), (4, Why::NotTried), (5, lacks)]
    );
    assert_eq!(reserved(step_at(&steps, 35)), [(3, 90)]);
}

// policy/tools/reservation/shadow.rs

/// At 10 s nodes 0, 1 and 5 to 9 are free. Four adjacent ones are nodes 5 to 8, not the four
/// lowest.
#[test]
fn a_reservation_on_a_torus_names_its_nodes() {
    let jobs = [job(0, 10, 2), job(0, 100, 3), job(0, 10, 2), job(1, 10, 4)];
    let steps = steps(&row_of_nodes("easy"), &workload(10, &jobs));
    let step = step_at(&steps, 1);
    assert_eq!(reserved(step), [(3, 10)]);
    assert_eq!(
        step.reserved[0].placement.ranges,
        [Range { first: 5, count: 4 }]
    );
}

// policy/lookahead.rs

/// Behind the head the policy looks at one job only, which needs more than the four free
/// processors.
#[test]
fn a_job_beyond_the_look_ahead_limit_is_not_tried() {
    let jobs = [job(0, 100, 6), job(1, 50, 8), job(2, 5, 5), job(3, 5, 2)];
    let look = Scenario::new("lookahead").with("lookahead", 1.0);
    let lacks = Why::Processors { free: 4 };
    assert_eq!(
        reasons(step_at(&steps(&look, &workload(10, &jobs)), 3)),
        [(1, lacks), (2, lacks), (3, Why::NotTried)]
    );
}

/// Jobs 1 and 2 end at one instant, each with a decision of its own. Nobody waits, so there is nothing to tell
/// between them, and they end in one step.
#[test]
fn a_decision_without_a_waiting_job_ends_no_step() {
    let jobs = [job(0, 10, 1), job(0, 10, 1), job(20, 5, 1)];
    for policy in ["priority", "lookahead", "easy", "fcfs"] {
        let mut scenario = Scenario::new(policy).with("ties", "per_event");
        if policy == "lookahead" {
            scenario = scenario.with("reserve", "none");
        }
        let steps = steps(&scenario, &workload(2, &jobs));
        let ended: Vec<usize> = steps.iter().map(|step| step.ended.len()).collect();
        assert_eq!(ended.iter().sum::<usize>(), 3, "{policy}");
        assert!(ended.contains(&2), "{policy}: {ended:?}");
    }
}

/// One processor is free in the first row and two in the second. Three are free together, but no
/// row has room for three.
#[test]
fn a_job_that_finds_no_room_in_a_row_lacks_no_processors() {
    let jobs = [job(0, 100, 3), job(0, 100, 2), job(1, 50, 3)];
    let steps = steps(
        &on("gang", "lookahead").with("slots", 2.0),
        &workload(4, &jobs),
    );
    assert_eq!(
        reasons(step_at(&steps, 1)),
        [(2, Why::Partition { largest: 2 })]
    );
}

// policy/pbas.rs

/// Two equal candidates, which take over when job 0 has run for 1,000 s. In no frame from then on
/// does one candidate achieve more than the other, and the time before belongs to no frame.
#[test]
fn what_was_before_adaptive_policies_took_over_counts_for_nobody() {
    let settings = Settings::default()
        .with("candidates", "easy+easy2")
        .with("frame", 60.0);
    let what_if = WhatIf {
        at: 1000.0,
        policy: Some("pbas".into()),
        settings,
        ..WhatIf::default()
    };
    let scenario = Scenario {
        what_if: Some(Box::new(what_if)),
        ..Scenario::new("easy")
    };
    let run = run(
        &scenario,
        &given(1, &[(0, 5000, 1, CPU, 0.5), (10, 100, 1, CPU, 0.5)]),
    );
    assert_eq!(
        run.schedule().switches.len(),
        1,
        "{:?}",
        run.schedule().switches
    );
    assert_eq!(run.measures().figures["switches.count"], 0.0);
}

// policy/lomarc.rs and policy/tools/sharing/matching.rs

/// The needs of a job: CPU, network and disk.
type Needs = [f64; 3];

const CPU: Needs = [1.0, 0.0, 0.0];
const NETWORK: Needs = [0.0, 1.0, 0.0];
const DISK: Needs = [0.0, 0.0, 1.0];

/// Makes jobs (submitted, run time, nodes, needs, memory) on a machine with this number of nodes.
fn given(nodes: u32, jobs: &[(i64, i64, u32, Needs, f64)]) -> Arc<Trace> {
    let mut text = format!("; MaxProcs: {nodes}\n");
    let mut table = "job,cpu,network,disk,memory\n".to_owned();
    for (number, (submitted, runtime, size, [cpu, network, disk], memory)) in (1..).zip(jobs) {
        let job = format!("{number} {submitted} -1 {runtime} {size} -1 -1 {size} {runtime} -1");
        writeln!(text, "{job} 1 1 1 -1 -1 -1 -1 -1").unwrap();
        writeln!(table, "{number},{cpu},{network},{disk},{memory}").unwrap();
    }
    let demands = Some(Demands::read("by hand.csv", table.as_bytes()).unwrap());
    Arc::new(Trace {
        demands,
        ..read("by hand", text.as_bytes(), BadLines::Stop).unwrap()
    })
}

fn lomarc(trace: &Arc<Trace>, settings: &[(&str, &str)]) -> Run {
    let scenario = on("smt", "lomarc").with("demands", "file");
    run(
        &settings.iter().fold(scenario, |scenario, (key, value)| {
            scenario.with(key, Value::parse(value))
        }),
        trace,
    )
}

/// Returns the places of jobs, numbered row by row. A place in the second half of the numbers is
/// beside another job.
fn places(run: &Run) -> Vec<(u32, u32)> {
    let schedule = run.schedule();
    let place = |placement: Placement<'_>| {
        let range = placement.ranges[0];
        (schedule.lane(placement.row, range.first), range.count)
    };
    let starts = schedule.order.iter();
    starts
        .map(|start| place(schedule.placement(start)))
        .collect()
}

/// Returns the searches of the last decision up to this second that made any.
fn searches(run: &Run, second: i64) -> Vec<Search> {
    smt::searches(run, Time::from_seconds(second)).map_or_else(Vec::new, |(_, searches)| searches)
}

/// A session tells the searches and leads from match to match.
#[test]
fn searches_are_told_as_they_were() {
    let trace = given(
        4,
        &[
            (0, 100, 4, CPU, 0.5),
            (0, 100, 4, DISK, 0.5),
            (0, 100, 4, DISK, 0.5),
        ],
    );
    let run = lomarc(&trace, &[("heuristic", "gain1")]);
    let first = searches(&run, 0);
    let mut session = Session::new(run);
    let look = Look {
        colouring: Colouring::User,
        theme: Theme::Light,
    };
    let mut ask = |question| session.show(question, look.clone()).unwrap();
    let told = ask(json!({"ask": "searches", "at": 0.0}));
    assert_eq!(
        (&told["at"], &told["count"]),
        (&json!(0.0), &json!(first.len()))
    );
    assert_eq!(told["searches"][0]["chosen"], 2);
    assert_eq!(told["searches"][0]["tried"][0]["job"]["number"], 2);
    assert_eq!(ask(json!({"ask": "searches", "at": -1.0})), json!(null));
    let mut next =
        |at: f64, forwards: bool| ask(json!({"ask": "next_match", "at": at, "forwards": forwards}));
    assert_eq!(next(-1.0, true), 0.0);
    assert_eq!(next(50.0, false), 0.0);
    assert_eq!(next(0.0, false), json!(null));
}

/// Jobs 1 and 2 are equally good partners for job 0.
#[test]
fn the_first_of_equally_good_partners_is_chosen() {
    let trace = given(
        4,
        &[
            (0, 100, 4, CPU, 0.5),
            (0, 100, 4, DISK, 0.5),
            (0, 100, 4, DISK, 0.5),
        ],
    );
    for heuristic in ["response", "gain1", "gain2", "first"] {
        let run = lomarc(&trace, &[("heuristic", heuristic)]);
        assert_eq!(starts(run.schedule()), [0, 0, 100], "{heuristic}");
    }
}

/// Both jobs are twice as slow on all nodes. Together they achieve as much as one alone, 2 / 2 - 1.
#[test]
fn a_partner_that_is_worth_nothing_is_not_chosen() {
    let trace = given(4, &[(0, 100, 4, CPU, 0.5), (0, 100, 4, NETWORK, 0.5)]);
    let slow = |slowdown: &str| {
        let settings = [
            ("heuristic", "gain2"),
            ("slowdowns", "classes"),
            ("cpu_network", slowdown),
            ("max_slowdown", "3"),
        ];
        starts(lomarc(&trace, &settings).schedule())
    };
    assert_eq!(slow("2"), [0, 100]);
    assert_eq!(slow("1.9"), [0, 0]);
}

/// Jobs ask for all four nodes, and four fifths of the nodes are 3.2. The machine is not weakly
/// loaded.
#[test]
fn weakly_loaded_is_a_share_of_the_free_nodes() {
    let trace = given(4, &[(0, 100, 2, CPU, 0.5), (0, 100, 2, DISK, 0.5)]);
    assert_eq!(
        places(&lomarc(&trace, &[("heuristic", "gain1")])),
        [(0, 2), (4, 2)]
    );
    assert_eq!(
        places(&lomarc(&trace, &[("heuristic", "gain1"), ("weakly", "1")])),
        [(0, 2), (2, 2)]
    );
}

/// Jobs ask for 8 of 12 nodes, then for 4 of the 8 remaining, then for 2 of 6. Each is less than
/// four fifths.
#[test]
fn jobs_that_have_started_are_no_load_any_more() {
    let trace = given(
        12,
        &[
            (0, 100, 4, CPU, 0.5),
            (0, 100, 2, CPU, 0.5),
            (0, 100, 2, DISK, 0.5),
        ],
    );
    assert_eq!(
        places(&lomarc(&trace, &[("heuristic", "gain1")])),
        [(0, 4), (4, 2), (6, 2)]
    );
}

/// On a full machine EASY reports the reservation of the first waiting job only, and conservative
/// backfilling reports all.
#[test]
fn a_reservation_behind_a_full_machine_is_told() {
    let trace = given(
        4,
        &[
            (0, 100, 4, CPU, 0.5),
            (1, 100, 4, CPU, 0.5),
            (2, 100, 4, CPU, 0.5),
        ],
    );
    for heuristic in ["none", "response"] {
        let told = |backfilling: &str| {
            let run = lomarc(
                &trace,
                &[("heuristic", heuristic), ("backfilling", backfilling)],
            );
            reserved(step_at(&run.story().unwrap().steps, 2))
        };
        assert_eq!(told("easy"), [(1, 100)]);
        assert_eq!(told("conservative"), [(1, 100), (2, 200)]);
        assert_eq!(told("none"), []);
    }
}

/// Job 1 has no room beside job 0, and holds a reservation at 1,000 s. Job 2 starts on the fourth
/// node without a partner, because no other job waits.
#[test]
fn a_job_that_holds_a_reservation_is_no_partner() {
    let trace = given(
        4,
        &[
            (0, 1000, 3, CPU, 0.5),
            (10, 1000, 4, DISK, 0.5),
            (20, 100, 1, CPU, 0.5),
        ],
    );
    let run = lomarc(&trace, &[("heuristic", "gain1"), ("order", "arrival")]);
    assert_eq!(starts(run.schedule()), [0, 1000, 20]);
    assert_eq!(
        reserved(step_at(&run.story().unwrap().steps, 10)),
        [(1, 1000)]
    );
    let found = searches(&run, 20);
    let of_job_2 = found.iter().find(|search| search.job == JobId(2)).unwrap();
    assert!(
        !of_job_2.among_running && of_job_2.tried.is_empty(),
        "{of_job_2:?}"
    );
}

/// Job 0 takes 100 s on all four nodes. Job 1 takes 100 s too, and would end at 200 s. Together
/// they take 100 s: no job is delayed, and job 1 gains 100 of 200. Nothing has arrived yet from
/// which the policy could predict arrivals.
#[test]
fn at_the_first_instant_nothing_is_known_of_what_arrives() {
    let trace = given(4, &[(0, 100, 4, CPU, 0.5), (0, 100, 4, DISK, 0.5)]);
    for arrivals in ["queued", "printed", "none"] {
        let run = lomarc(&trace, &[("arrivals", arrivals)]);
        assert_eq!(starts(run.schedule()), [0, 0], "{arrivals}");
        assert_eq!(searches(&run, 0)[0].tried[0].gain, 0.5, "{arrivals}");
    }
}

/// The search does not look at job 2, because job 1 suits.
#[test]
fn a_search_for_the_first_that_suits_ends_with_it() {
    let trace = given(
        4,
        &[
            (0, 100, 4, CPU, 0.5),
            (0, 100, 4, DISK, 0.5),
            (0, 100, 4, DISK, 0.5),
        ],
    );
    for (heuristic, looked_at) in [("first", 1), ("always", 1), ("gain1", 2)] {
        let run = lomarc(&trace, &[("heuristic", heuristic)]);
        assert_eq!(searches(&run, 0)[0].tried.len(), looked_at, "{heuristic}");
    }
}

// policy/tools/sharing/nodes.rs

/// With one thread, no job looks for a partner.
#[test]
fn space_sharing_searches_for_nobody() {
    let trace = given(4, &[(0, 100, 4, CPU, 0.5), (0, 100, 4, DISK, 0.5)]);
    let searched = |threads: &str| lomarc(&trace, &[("threads", threads)]).measures().figures["search.waiting"];
    assert_eq!((searched("1"), searched("2")), (0.0, 1.0));
    assert_eq!(searches(&lomarc(&trace, &[("threads", "1")]), 100), []);
}

/// Jobs 0 and 1 run for 983,040,000 s (31 years) side by side. This is a whole number of units of
/// 1,048,576 microseconds.
#[test]
fn pairs_that_run_for_decades_are_reckoned_to_the_second() {
    let decades = 983_040_000;
    let trace = given(
        4,
        &[
            (0, decades, 4, CPU, 0.5),
            (0, decades, 4, DISK, 0.5),
            (1, 100, 4, NETWORK, 0.5),
        ],
    );
    let run = lomarc(&trace, &[("heuristic", "gain1"), ("backfilling", "easy")]);
    assert_eq!(starts(run.schedule()), [0, 0, decades]);
    assert_eq!(
        reserved(step_at(&run.story().unwrap().steps, 1)),
        [(2, decades)]
    );
}

/// An observer that collects reservations.
#[derive(Default)]
struct Reservations(Vec<(u32, i64)>);

impl Observer for Reservations {
    fn on_event(&mut self, _: Time, event: &Event<'_>) {
        if let Event::Reserved(reservation, _) = event {
            self.0
                .push((reservation.job.0, reservation.start.whole_seconds()));
        }
    }

    fn wants_reasons(&self) -> Reasons {
        Reasons::All
    }
}

/// A switch from FCFS to LOMARC at 100 s.
///
/// * Job 0 has all four nodes. Job 1 is beside it on nodes 0 and 1, where both page and take 2.5
///   times as long. Job 2 is beside it on nodes 2 and 3, where neither is slower.
/// * At 100 s job 0 has done 40 s. Its other 960 s take 2,400 s more, as job 1 is there all the
///   while.
/// * Nodes 2 and 3 are free for job 3 then.
#[test]
fn a_reservation_behind_jobs_with_several_partners_goes_by_the_slowest_pace() {
    let jobs = [
        (0, 1000, 4, CPU, 0.6),
        (0, 5000, 2, CPU, 0.6),
        (0, 200, 2, DISK, 0.1),
        (50, 100, 2, CPU, 0.1),
    ];
    let resolved = on("smt", "fcfs").with("demands", "file").resolve().unwrap();
    let workload = Arc::new(resolved.workload(&given(4, &jobs)).unwrap());
    let mut simulation = resolved.simulation(Arc::clone(&workload), Placements::Recorded);
    let at = Time::from_seconds(100);
    simulation.advance_until(at, u64::MAX, &mut Silent);
    let policy = (policy::find("lomarc").unwrap().build)(&Settings::default());
    let turning = Turning {
        at,
        policy,
        predicts: false,
        known_until_start: None,
        closed: None,
    };
    let numbers: Vec<Option<JobId>> = workload.ids().map(Some).collect();
    let mut told = Reservations::default();
    let mut other = simulation
        .otherwise(&workload, &numbers, turning, &mut told)
        .unwrap();
    assert_eq!(told.0, [(3, 2500)]);
    // The run keeps this reservation.
    let mut story = StoryTeller::new(Arc::clone(&workload));
    other.run(&mut story);
    let steps = story.into_story().steps;
    assert_eq!(step_at(&steps, 2500).started, [JobId(3)]);
    assert_eq!(step_at(&steps, 2500).ended, [JobId(0)]);
}

// policy/tools/order/mod.rs

/// Returns the starts of two jobs that wait for job 0. A small job comes at 30 s and starts at
/// once.
fn in_order(weights: &[(&str, f64)], two: [Job; 2]) -> [i64; 2] {
    let scenario = Scenario::new("priority")
        .with("order", "weights")
        .with("starvation", "none");
    let scenario = weights.iter().fold(scenario, |scenario, (key, weight)| {
        scenario.with(key, *weight)
    });
    let mut jobs = vec![job(0, 100, 3), job(30, 5, 1), two[0], two[1]];
    jobs.sort_by_key(|job| job.submit);
    let found = starts(&schedule(&scenario, &workload(4, &jobs)));
    two.map(|one| {
        found[jobs
            .iter()
            .position(|job| job.submit == one.submit)
            .unwrap()]
    })
}

/// Priorities at 100 s, calculated for two jobs that arrived at 10 and 20 s.
#[test]
fn every_weight_counts() {
    let (long, short) = (job(10, 100, 4), job(20, 10, 4));
    // The priorities by the wait are 90 / 60 and 80 / 60.
    assert_eq!(in_order(&[], [long, short]), [100, 200]);
    // A negative weight reverses the order.
    assert_eq!(
        in_order(&[("weight_wait", -1.0)], [long, short]),
        [110, 100]
    );
    // The priorities are 1.5 + 190 / 100 and 1.3 + 90 / 10.
    assert_eq!(
        in_order(&[("weight_expansion", 1.0)], [long, short]),
        [110, 100]
    );
    // The priorities are 1.5 + 3 and 1.3 + 4.
    assert_eq!(
        in_order(&[("weight_size", 1.0)], [job(10, 100, 3), short]),
        [110, 100]
    );
    // A job overtook `long` at 30 s. The second job of the list arrived at 40 s, and none overtook
    // it. The waits are 1.5 and 1 minutes, so the priorities are 1.5 - 10 = -8.5 and 1.
    assert_eq!(
        in_order(&[("weight_passed", -10.0)], [long, job(40, 10, 4)]),
        [110, 100]
    );
    assert_eq!(in_order(&[], [long, job(40, 10, 4)]), [100, 200]);
}

// policy/tools/prediction/predictor.rs

/// The users of these jobs are unknown. Job 2 is therefore expected to run for its estimate, until
/// 120 s, and job 3 has its reservation there. Job 4 ends before. With a prediction from the last
/// two jobs, job 2 would end at 30 s.
#[test]
fn jobs_of_unknown_users_are_not_predicted_from_each_other() {
    let of = |user: i32, job: Job| Job { user, ..job };
    let unknown = [job(0, 10, 1), job(0, 10, 1), job(20, 100, 6)].map(|job| of(-1, job));
    let jobs = [
        &unknown[..],
        &[of(1, job(21, 10, 8)), of(2, job(22, 50, 3))],
    ]
    .concat();
    let easy = Scenario::new("easy").with("estimates", "predicted");
    assert_eq!(
        starts(&schedule(&easy, &workload(10, &jobs)))[2..],
        [20, 120, 22]
    );
}

// policy/candidates.rs

fn planned(
    machines: &str,
    policies: &str,
    settings: &str,
) -> Result<Vec<(String, String)>, Problem> {
    let text = format!(
        "{{\"schedscope_plan\": 1, \"workloads\": [{{\"model\": {{\"id\": \"lublin\"}}}}], \"machines\": {machines}, \
         \"policies\": {policies}, \"settings\": {settings}}}"
    );
    let cells = cells(&Plan::parse(&text)?)?;
    Ok(cells
        .into_iter()
        .map(|cell| (cell.scenario.machine, cell.scenario.policy))
        .collect())
}

/// Flex and Maui cannot run on a torus, so an adaptive policy over them cannot either.
#[test]
fn an_adaptive_policy_of_a_grid_runs_where_its_candidates_can() {
    let pbas = "{\"policy\": \"pbas\", \"settings\": {\"candidates\": \"flex+maui\"}}";
    let policies = format!("[{pbas}, {{\"policy\": \"easy\"}}]");
    let found = planned(
        "[{\"machine\": \"torus\"}, {\"machine\": \"flat\"}]",
        &policies,
        "{}",
    )
    .unwrap();
    let expected = [("torus", "easy"), ("flat", "pbas"), ("flat", "easy")];
    assert_eq!(
        found,
        expected.map(|(machine, policy)| (machine.to_owned(), policy.to_owned()))
    );
}

/// A key with a dot is a valid setting only with an adaptive policy. A key without a dot is invalid
/// if no policy or machine has it.
#[test]
fn a_setting_that_nobody_has_is_told() {
    let told = |policies: &str, settings: &str| planned("[]", policies, settings).unwrap_err().what;
    let dotted = told("[{\"policy\": \"easy\"}]", "{\"easy.depth\": 2}");
    assert!(
        dotted.contains("No policy or machine of the plan has a setting `easy.depth`"),
        "{dotted}"
    );
    let misspelt = told(
        "[{\"policy\": \"pbas\"}, {\"policy\": \"easy\"}]",
        "{\"dept\": 2}",
    );
    assert!(
        misspelt.contains("No policy or machine of the plan has a setting `dept`"),
        "{misspelt}"
    );
}

// policy/tools/reservation/plan.rs

/// From its start on, a job is expected to run for its estimate, and no longer for its run time.
/// The next decision makes all reservations anew.
///
/// * Job 0 has 4 of 10 processors until 100 s, when job 1 can have 8.
/// * Job 2 runs for 20 s and passes job 1. By its estimate, job 1 has to wait for it, until it
///   ends.
#[test]
fn beliefs_that_change_at_a_start_change_reservations() {
    let told = |threshold: f64, passes: i64| {
        let small = Job {
            estimate: 300,
            ..job(passes, 20, 3)
        };
        let jobs = [
            job(0, 100, 4),
            job(5, 50, 8),
            small,
            job(passes + 5, 1000, 9),
        ];
        let selective = Scenario::new("selective")
            .with("estimates", "actual_until_start")
            .with("expansion_threshold", threshold);
        let steps = steps(&selective, &workload(10, &jobs));
        [passes, passes + 5, passes + 20].map(|at| reserved(step_at(&steps, at))[0])
    };
    // All jobs hold reservations at once, job 2 too.
    assert_eq!(told(1.0, 10), [(1, 100), (1, 310), (1, 100)]);
    // Job 1 holds a reservation since its wait has reached its run time, 50 s. Job 2 holds none.
    assert_eq!(told(2.0, 60), [(1, 100), (1, 360), (1, 100)]);
}

// trace/file.rs

/// A file has several pieces of 4 MiB. The progress rises up to the length of the file.
#[test]
fn progress_ends_with_the_whole_file() {
    let mut text = String::from("; MaxProcs: 4\n");
    for number in 0..120_000 {
        writeln!(
            text,
            "{number} {number} -1 10 1 -1 -1 1 10 -1 1 1 1 1 1 1 -1 -1"
        )
        .unwrap();
    }
    let path = folder("progress").join("long.swf");
    std::fs::write(&path, &text).unwrap();
    let mut told: Vec<(u64, u64)> = Vec::new();
    read_file(&path, BadLines::Stop, |read, length| {
        told.push((read, length));
    })
    .unwrap();
    let length = text.len() as u64;
    assert!(
        told.len() > 1 && told.is_sorted() && told[0].0 >= 1 << 22,
        "{told:?}"
    );
    assert_eq!(told.last(), Some(&(length, length)));
}

// trace/report.rs

/// Generated workloads have no line numbers.
#[test]
fn a_rule_that_was_met_in_no_file_names_no_lines() {
    let rule = ImportRule {
        id: "rule",
        effect: Effect::Noted,
        text: "a rule",
    };
    let mut report = Report::default();
    report.count(&rule, 0);
    report.count_many(&rule, 3, 0);
    assert_eq!(
        (report.of("rule"), &report.rules[0].lines[..]),
        (4, &[][..])
    );
    report.count(&rule, 7);
    assert_eq!(
        (report.of("rule"), &report.rules[0].lines[..]),
        (5, &[7][..])
    );
}

// trace/swf.rs

/// Fields 6, 7 and 10 can have decimals, but no letters after them.
#[test]
fn letters_behind_decimals_are_no_number() {
    let line = |field: usize, word: &str| {
        let mut words = [
            "1", "0", "5", "10", "4", "-1", "-1", "4", "20", "-1", "1", "3", "2", "-1", "0", "-1",
            "-1", "-1",
        ];
        words[field - 1] = word;
        read(
            "by hand",
            format!("{}\n", words.join(" ")).as_bytes(),
            BadLines::Stop,
        )
    };
    for field in [6, 7, 10] {
        assert!(line(field, "1.5").is_ok() && line(field, "12.").is_ok());
        for word in ["1.5x", "1.5-", "1.5;", "1.5.5"] {
            let problem = line(field, word).unwrap_err();
            assert_eq!(
                (problem.line, problem.field),
                (Some(1), Some(field as u8)),
                "{problem}"
            );
            assert!(
                problem.what.starts_with("Not a number: line 1, field"),
                "{problem}"
            );
        }
    }
}

// trace/write.rs

/// A header gives two sizes, and the run simulated the first one.
#[test]
fn a_schedule_as_swf_has_one_size() {
    let job = "1 0 -1 100 4 -1 -1 4 100 -1 1 1 1 1 1 1 -1 -1";
    let text = format!("; MaxProcs: 64\n; MaxProcs: 128\n; Note: mine\n{job}\n");
    let trace = Arc::new(read("sized", text.as_bytes(), BadLines::Stop).unwrap());
    let run = run(&Scenario::new("fcfs"), &trace);
    let mut written = String::new();
    run.swf(|line| written.push_str(line));
    let sizes: Vec<&str> = written
        .lines()
        .filter(|line| line.contains("MaxProcs:"))
        .collect();
    assert_eq!(sizes, ["; MaxProcs: 64"]);
    assert!(written.contains("; Note: mine\n"));
}

/// Job 2 has a reservation of the first three processors of row 0 at 50 s, when job 0 ends. Two
/// processors are free there until then. Job 3 needs two processors beyond 50 s and would hold them
/// into the reservation. No other job starts.
#[test]
fn a_job_that_only_a_reservation_in_its_row_keeps_back_is_told_so() {
    let jobs = [job(0, 50, 2), job(0, 100, 3), job(1, 50, 3), job(2, 200, 2)];
    let look = on("gang", "lookahead")
        .with("slots", 2.0)
        .with("stretch", "none");
    let by = Why::Reserved { by: JobId(2) };
    assert_eq!(
        reasons(step_at(&steps(&look, &workload(4, &jobs)), 2)),
        [(2, Why::Partition { largest: 2 }), (3, by)]
    );
}
