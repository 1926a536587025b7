//! Jobs that are suspended, in runs: cases worked out by hand, and what the schedule, the figures, the files and
//! the explanations make of them.

use super::preempting::{log, run};
use schedscope::experiment::{Run, Scenario};
use schedscope::files;
use schedscope::job::JobId;
use schedscope::schedule::Schedule;
use schedscope::schedule::audit::audit;
use schedscope::session::{Look, Session};
use schedscope::time::{Span, Time};
use schedscope::trace::Trace;
use schedscope::view::{Colouring, Index, Lanes, Theme, changes, job_at};
use std::sync::Arc;

const SUSPEND: &str = "PreemptType=preempt/partition_prio;PreemptMode=SUSPEND,GANG;\
    SelectType=select/cons_tres";

/// Two nodes of two cores with memory.
const CLUSTER: &str = "NodeName=n[1-2] CPUs=2 RealMemory=1000\n\
    PartitionName=low Nodes=ALL Default=YES PriorityTier=1\n\
    PartitionName=mid Nodes=ALL PriorityTier=2\n\
    PartitionName=high Nodes=ALL PriorityTier=3\n";

const LOW: JobId = JobId(0);
const HIGH: JobId = JobId(1);

/// Job 1 has all four cores from the first pass on, with 100 s of work. Job 2 of a higher tier comes at 30 s
/// and wants one core for 20 s.
fn small_log() -> Arc<Trace> {
    log(&[(0, 100, 4, 1, "x", 0), (30, 20, 1, 2, "x", 0)])
}

fn suspension(schedule: &Schedule) -> (Time, Time) {
    let place = schedule.place_of(LOW).unwrap();
    let known = schedule.suspensions_of(schedule.attempt(place));
    assert_eq!(known.len(), 1);
    (known[0].from, known[0].to)
}

/// The job of the higher tier starts at once, and the other one gives all its cores up. It goes on when the
/// nodes of the first are clean, 2 ms after its end.
#[test]
fn a_suspended_job_goes_on_where_it_stopped() {
    let run_ = run(&small_log(), CLUSTER, SUSPEND, "");
    let schedule = run_.schedule();
    assert_eq!(audit(schedule, 3), Vec::<String>::new());
    let (from, to) = suspension(schedule);
    let (start, end) = (schedule.starts[HIGH.index()], schedule.ends[HIGH.index()]);
    assert!((30.0..35.0).contains(&start.seconds()), "{start:?}");
    assert_eq!(end - start, Span::from_seconds(20));
    assert_eq!(from, start);
    assert_eq!(to, end + Span::from_microseconds(2_000));
    let whole = schedule.ends[LOW.index()] - schedule.starts[LOW.index()];
    assert_eq!(whole, Span::from_seconds(100) + (to - from));
    // Four cores, then one, then none for 2 ms, then four.
    let mut in_use = 0;
    let mut steps: Vec<(Time, i64)> = Vec::new();
    for (at, by) in schedule.changes_in_use() {
        in_use += by;
        match steps.last_mut() {
            Some(last) if last.0 == at => last.1 = in_use,
            _ => steps.push((at, in_use)),
        }
    }
    let (begin, last) = schedule.span();
    assert_eq!(
        steps,
        [
            (schedule.starts[LOW.index()], 4),
            (start, 1),
            (end, 0),
            (to, 4),
            (last, 0)
        ]
    );
    let figures = run_.measures().figures;
    let time = (to - from).seconds();
    assert_eq!(figures["suspended.times"], 1.0);
    assert_eq!(figures["suspended.jobs"], 1.0);
    assert!((figures["suspended.time"] - time).abs() < 1e-9);
    assert_eq!(figures["preempted.requeues"], 0.0);
    let share = (400.0 + 20.0) / (4.0 * (last - begin).seconds());
    assert!((figures["utilisation.value"] - share).abs() < 1e-9);
    // Nobody is examined for fairness, because a plan from run times knows no suspensions.
    assert!(!figures.contains_key("unfairness.mean"));
    let mut csv = String::new();
    files::jobs_csv(schedule, 10.0, |line| csv.push_str(line));
    let cells = |line: usize| -> Vec<String> {
        let line = csv.lines().nth(line).unwrap();
        line.rsplitn(3, ',').map(str::to_owned).collect()
    };
    assert_eq!(cells(0)[..2], ["suspended_time", "suspensions"]);
    assert_eq!(cells(1)[..2], [format!("{time}"), "1".to_owned()]);
    assert_eq!(cells(2)[..2], ["0", "0"]);
}

/// A job of the highest tier suspends one that has suspended another, and a job of the lowest tier goes on as
/// soon as nobody of a higher tier has its cores.
#[test]
fn tiers_suspend_one_another_in_turn() {
    let trace = log(&[
        (0, 100, 4, 1, "x", 0),
        (30, 50, 2, 2, "x", 0),
        (40, 20, 4, 3, "x", 0),
    ]);
    let run_ = run(&trace, CLUSTER, SUSPEND, "");
    let schedule = run_.schedule();
    assert_eq!(audit(schedule, 3), Vec::<String>::new());
    let suspended = |job: u32| {
        let place = schedule.place_of(JobId(job)).unwrap();
        let known = schedule.suspensions_of(schedule.attempt(place)).iter();
        known.map(|one| (one.from, one.to)).collect::<Vec<_>>()
    };
    let clean = Span::from_microseconds(2_000);
    let (starts, ends) = (&schedule.starts, &schedule.ends);
    assert_eq!(suspended(2), []);
    assert_eq!(suspended(1), [(starts[2], ends[2] + clean)]);
    assert_eq!(suspended(0), [(starts[1], ends[1] + clean)]);
    assert_eq!(ends[1] - starts[1], Span::from_seconds(70) + clean);
}

/// A suspended job keeps its memory: a job of the higher tier that needs it waits.
#[test]
fn memory_is_kept() {
    // Requested memory in KB for each processor: 600 MB on each node, then 600 MB, then 300 MB.
    let text = "; MaxProcs: 4\n; Partition: 1 low\n; Partition: 2 mid\n\
        1 0 -1 100 4 -1 -1 4 160 307200 1 1 -1 -1 -1 1 -1 -1\n\
        2 30 -1 20 1 -1 -1 1 80 614400 1 1 -1 -1 -1 2 -1 -1\n\
        3 32 -1 20 1 -1 -1 1 80 307200 1 1 -1 -1 -1 2 -1 -1\n";
    let trace =
        schedscope::import::read("log", text.as_bytes(), schedscope::import::BadLines::Stop);
    let conf = format!("{SUSPEND};SelectTypeParameters=CR_Core_Memory");
    let run_ = run(&Arc::new(trace.unwrap()), CLUSTER, &conf, "");
    let schedule = run_.schedule();
    assert_eq!(audit(schedule, 3), Vec::<String>::new());
    let waited = |job: usize| schedule.starts[job] - schedule.workload.requests[job].submitted;
    assert!(schedule.starts[1] > schedule.ends[0], "600 MB are not free");
    assert!(waited(2) < Span::from_seconds(40), "300 MB are");
    let (from, to) = suspension(schedule);
    assert_eq!(from, schedule.starts[2]);
    // Pictures show 300 MB and one core in use, and the 1,200 MB of the suspended job without cores.
    let middle = from + Span::from_microseconds((to - from).microseconds() / 2);
    let mut session = Session::new(run_);
    let look = Look {
        theme: Theme::Light,
        colouring: Colouring::Wait,
    };
    let mut ask = |question: serde_json::Value| session.show(question, look.clone()).unwrap();
    let (begin, end) = (from.seconds(), to.seconds());
    let uses = ask(serde_json::json!({"ask": "resources", "from": begin, "to": end, "count": 1}));
    assert_eq!(uses[0]["held"][0], 0.25);
    assert_eq!(uses[1]["held"][0], 0.75);
    let nodes = ask(serde_json::json!({"ask": "nodes", "at": middle.seconds()}));
    let jobs = nodes["jobs"].as_array().unwrap();
    let seen = |at: usize| {
        (
            jobs[at]["number"].as_i64(),
            jobs[at]["is_suspended"].as_bool(),
        )
    };
    assert_eq!(
        (seen(0), seen(1)),
        ((Some(3), Some(false)), (Some(1), Some(true)))
    );
    let part = &jobs[1]["parts"][0];
    assert_eq!(
        (part["cores"].to_string(), part["used"].to_string()),
        ("[]".into(), "[0,600,0]".into())
    );
}

fn scenario() -> Scenario {
    Scenario {
        machine: "nodes".into(),
        ..Scenario::new("slurm")
            .with("cluster", CLUSTER)
            .with("conf", SUSPEND)
    }
}

/// Slices give the same run, and the digest sees suspensions.
#[test]
fn slices_and_digests_see_suspensions() {
    let whole = run(&small_log(), CLUSTER, SUSPEND, "");
    let mut slices: Run = scenario().resolve().unwrap().run(small_log()).unwrap();
    while !slices.advance(1).done {}
    assert_eq!(slices.schedule().digest(), whole.schedule().digest());
    let mut other = whole.schedule().clone();
    let known = other.suspensions.values_mut().next().unwrap();
    known[0].to = known[0].to + Span::SECOND;
    assert_ne!(other.digest(), whole.schedule().digest());
    assert!(!audit(&other, 3).is_empty(), "the run time is wrong");
    let mut other = whole.schedule().clone();
    other.suspensions.clear();
    let findings = audit(&other, 9).join(" ");
    assert!(
        findings.contains("ran for") && findings.contains("share a processor"),
        "{findings}"
    );
}

/// A session finds anew after a suspension all that it keeps of a run that goes on.
#[test]
fn a_session_sees_each_suspension() {
    let run = scenario().resolve().unwrap().run(small_log()).unwrap();
    let mut session = Session::new(run);
    let mut seen_suspended = false;
    loop {
        let is_over = session.advance(1);
        let index = Index::new(session.schedule());
        for second in 0..200 {
            let at = Time::from_seconds(second);
            let fresh =
                job_at(session.schedule(), &index, &Lanes::Rows(1), at, (0, 0)).map(|job| job.0);
            let own = session.job_at(at.seconds(), 0.5, 0.0, schedscope::view::RowsBy::Slots);
            assert_eq!(own, fresh, "{second} s");
        }
        let facts = session.job(0).unwrap();
        seen_suspended |= facts.suspensions.len() == 1 && facts.end.is_none();
        if is_over {
            let (from, to) = facts.suspensions[0];
            assert!((to - from - 20.002).abs() < 1e-6, "{from} {to}");
            break;
        }
    }
    assert!(seen_suspended);
    let all = changes(session.schedule());
    let (from, to) = suspension(session.schedule());
    assert!(all.contains(&from) && all.contains(&to));
    let part = session.part(Time::from_seconds(25), 50).unwrap();
    let suspended = part.steps.iter().flat_map(|step| &step.suspended);
    let resumed = part.steps.iter().flat_map(|step| &step.resumed);
    assert_eq!(suspended.map(|job| job.number).collect::<Vec<_>>(), [1]);
    assert_eq!(resumed.map(|job| job.number).collect::<Vec<_>>(), [1]);
    let free: Vec<(u32, u32)> = part
        .steps
        .iter()
        .map(|step| (step.free_before, step.free))
        .collect();
    assert!(free.contains(&(4, 3)), "{free:?}");
}

/// A change while a job is suspended is refused.
#[test]
fn a_what_if_waits_for_suspended_jobs() {
    let otherwise = |at: i64| {
        let text = format!(r#"{{"at": {at}, "policy": "easy"}}"#);
        let scenario = Scenario {
            what_if: Some(Box::new(serde_json::from_str(&text).unwrap())),
            ..scenario()
        };
        let mut run = scenario.resolve().unwrap().run(small_log()).unwrap();
        while !run.advance(1000).done {}
        run.check_complete()
    };
    let problem = otherwise(40).unwrap_err();
    assert!(problem.what.contains("suspended at 40 s"), "{problem}");
    otherwise(10).unwrap();
    otherwise(90).unwrap();
}

/// Job 1 is requeued for job 2, and its two nodes are clean one after the other. Job 3 starts on the first of
/// them, and is suspended at once: job 1 counts until its last node is clean.
#[test]
fn a_job_can_be_suspended_at_its_own_start() {
    let cluster = "SelectType=select/linear\nNodeName=n[1-2] CPUs=1\n\
        PartitionName=low Nodes=n2 Default=YES PriorityTier=1\n\
        PartitionName=mid Nodes=ALL PriorityTier=2 PreemptMode=REQUEUE\n\
        PartitionName=high Nodes=n1 PriorityTier=3\n";
    let conf = "PreemptType=preempt/partition_prio;PreemptMode=SUSPEND,GANG;\
        AuthInfo=cred_expire=5;SchedulerParameters=batch_sched_delay=1,bf_interval=1";
    let trace = log(&[
        (0, 100, 2, 2, "x", 0),
        (30, 20, 1, 3, "x", 0),
        (31, 20, 1, 1, "x", 0),
    ]);
    let run_ = run(&trace, cluster, conf, "");
    run_.check_complete().unwrap();
    let schedule = run_.schedule();
    assert_eq!(audit(schedule, 3), Vec::<String>::new());
    assert_eq!(schedule.requeues(JobId(0)), 1);
    let place = schedule.place_of(JobId(2)).unwrap();
    let attempt = schedule.attempt(place);
    let known = schedule.suspensions_of(attempt);
    assert_eq!(known.first().map(|one| one.from), Some(attempt.from));
}

/// An empty spell: job 1 goes on and is suspended again at one instant, because job 3 suspends job 2, and job 4
/// takes the cores of job 1.
#[test]
fn a_job_can_be_resumed_and_suspended_at_one_instant() {
    let cluster = "NodeName=n1 CPUs=4\n\
        PartitionName=low Nodes=ALL Default=YES PriorityTier=1\n\
        PartitionName=mid Nodes=ALL PriorityTier=2\n\
        PartitionName=high Nodes=ALL PriorityTier=3\n";
    let trace = log(&[
        (0, 30, 2, 1, "x", 0),
        (0, 200, 2, 1, "x", 0),
        (40, 100, 3, 2, "x", 0),
        (60, 20, 2, 3, "x", 0),
        (60, 20, 1, 3, "x", 0),
    ]);
    let run_ = run(&trace, cluster, SUSPEND, "");
    run_.check_complete().unwrap();
    assert_eq!(audit(run_.schedule(), 3), Vec::<String>::new());
    let all = run_.schedule().suspensions.values().flatten();
    let spells: Vec<_> = run_
        .schedule()
        .suspensions
        .values()
        .flat_map(|known| known.windows(2))
        .map(|pair| pair[1].from - pair[0].to)
        .collect();
    assert!(
        spells.contains(&Span::ZERO),
        "{:?}",
        all.collect::<Vec<_>>()
    );
}

/// A job that starts on the whole nodes of a suspended one has their GPUs, also in the rows of GPUs.
#[test]
fn rows_of_gpus_go_to_the_job_that_runs() {
    let cluster = "SelectType=select/linear\nGresTypes=gpu\nNodeName=n[1-2] CPUs=1 Gres=gpu:2\n\
        PartitionName=low Nodes=ALL Default=YES PriorityTier=1\n\
        PartitionName=mid Nodes=ALL PriorityTier=2\n\
        PartitionName=high Nodes=ALL PriorityTier=3\n";
    let conf = "PreemptType=preempt/partition_prio;PreemptMode=SUSPEND,GANG";
    let trace = log(&[
        (0, 100, 2, 1, "x", 0),
        (30, 20, 1, 2, "x", 0),
        (40, 20, 2, 3, "x", 0),
        (200, 20, 2, 1, "x", 0),
    ]);
    let mut session = Session::new(run(&trace, cluster, conf, ""));
    let gpus = |session: &mut Session, job: u32| session.job(job).unwrap().gpus.unwrap().ranges;
    assert_eq!(session.job(0).unwrap().suspensions.len(), 1);
    assert_eq!(session.job(1).unwrap().suspensions.len(), 1);
    for (job, ranges) in [(0, (0, 4)), (1, (0, 2)), (2, (0, 4)), (3, (0, 4))] {
        assert_eq!(gpus(&mut session, job), [ranges], "job {job}");
    }
}
