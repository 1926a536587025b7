//! The policy that preempts in runs, against a controller that a plain loop drives: the same starts,
//! preemptions and ends at the same instants.

use schedscope::experiment::{Run, Scenario};
use schedscope::forecast::{ForecastSettings, LaterArrivals, QueueForecast, RunTimes};
use schedscope::import::{BadLines, read};
use schedscope::job::JobId;
use schedscope::random::Stream;
use schedscope::schedule::audit::audit;
use schedscope::schedule::{Outcome, Schedule};
use schedscope::session::{Session, StepFacts};
use schedscope::slurm::{
    AskedJob, ClockFigures, Controller, JobState, SlurmAccounts, SlurmClock, SlurmConf,
    scheduling_lines,
};
use schedscope::time::{Span, Time};
use schedscope::trace::Trace;
use schedscope::view::{Index, Lanes, RowsBy, changes, job_at};
use schedscope::workload::Workload;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::Arc;

/// Seconds from 1970 to the zero of a log without a date, and from the controller's start to the first
/// arrival.
const ZERO: i64 = 86_400;
const LEAD: i64 = 60;

const CLUSTER: &str = "NodeName=n[1-5] CPUs=2\nLicenses=lic:3\n\
    PartitionName=low Nodes=ALL Default=YES PriorityTier=1 OverSubscribe=FORCE:2\n\
    PartitionName=mid Nodes=ALL PriorityTier=2 OverSubscribe=FORCE:1\n\
    PartitionName=high Nodes=n[1-3] PriorityTier=3\n";

/// Lines of slurm.conf, separated by `;`.
const CONFS: [&str; 10] = [
    "PreemptType=preempt/partition_prio;PreemptMode=REQUEUE;AuthInfo=cred_expire=5",
    "PreemptType=preempt/partition_prio;PreemptMode=CANCEL;SchedulerParameters=bf_interval=3",
    "PreemptType=preempt/partition_prio;PreemptMode=REQUEUE;AuthInfo=cred_expire=20;\
        PreemptExemptTime=00:00:07;SchedulerParameters=bf_interval=2,preempt_youngest_first",
    "PreemptType=preempt/qos;PreemptMode=REQUEUE;AuthInfo=cred_expire=5;\
        SchedulerParameters=bf_interval=3,preempt_strict_order",
    "PreemptType=preempt/qos;PreemptMode=CANCEL",
    "PreemptType=preempt/partition_prio;PreemptMode=REQUEUE;JobRequeue=0",
    "PreemptType=preempt/partition_prio;PreemptMode=SUSPEND,GANG;SelectType=select/cons_tres",
    "PreemptType=preempt/partition_prio;PreemptMode=GANG,SUSPEND;SelectType=select/cons_tres;\
        SchedulerParameters=bf_interval=3",
    "PreemptMode=GANG;SchedulerTimeSlice=7;SelectType=select/cons_tres",
    "PreemptType=preempt/qos;PreemptMode=SUSPEND,GANG;SchedulerTimeSlice=9;\
        SelectType=select/cons_tres;SchedulerParameters=bf_interval=3",
];

const ACCOUNTS: &str = "add qos low\nadd qos mid preempt=low gracetime=9\n\
    add qos high preempt=low,mid preemptexempttime=00:00:11\nadd account one\n\
    add user 1,2,3 account=one qos=low,mid,high defaultqos=low\n";

/// Returns a log: of each job the submission, run time, processors, partition, QOS and licences.
pub(super) fn log(lines: &[(i64, i64, i64, i64, &str, i64)]) -> Arc<Trace> {
    let mut text = String::from(
        "; Note: written by Schedscope 0\n; MaxProcs: 10\n; Partition: 1 low\n; Partition: 2 mid\n\
            ; Partition: 3 high\n; Field 19: QOS (column qos, words)\n\
            ; Field 20: Licences (column licenses, words)\n",
    );
    for (number, (submit, run, processors, partition, qos, licences)) in (1..).zip(lines) {
        let user = number % 3 + 1;
        writeln!(
            text,
            "{number} {submit} -1 {run} {processors} -1 -1 {processors} {} -1 1 {user} -1 -1 -1 \
                {partition} -1 -1 {qos} lic:{licences}",
            run + 60
        )
        .unwrap();
    }
    Arc::new(read("log", text.as_bytes(), BadLines::Stop).unwrap())
}

fn random_log(seed: u64) -> Arc<Trace> {
    let mut dice = Stream::new(seed, "preempting");
    let mut submit = 0;
    let lines: Vec<_> = (0..dice.below(30) + 6)
        .map(|_| {
            submit += dice.below(25) as i64;
            let partition = [1, 1, 2, 3][dice.below(4) as usize];
            let most = if partition == 3 { 6 } else { 10 };
            (
                submit,
                dice.below(150) as i64,
                dice.below(most) as i64 + 1,
                partition,
                ["low", "low", "mid", "high"][dice.below(4) as usize],
                [0, 0, 1, 2, 3][dice.below(5) as usize],
            )
        })
        .collect();
    log(&lines)
}

pub(super) fn run(trace: &Arc<Trace>, cluster: &str, conf: &str, accounts: &str) -> Run {
    let scenario = Scenario {
        machine: "nodes".into(),
        ..Scenario::new("slurm")
            .with("cluster", cluster)
            .with("conf", conf)
            .with("accounts", accounts)
    };
    let mut run = scenario.resolve().unwrap().run(Arc::clone(trace)).unwrap();
    while !run.advance(1000).done {}
    run
}

/// Something that happened: the microsecond, `s` for a start, `r` for a requeue, `c` for a cancelled job,
/// `f` for another end, `p` and `g` for a suspension and its end, and the job.
type Happening = (i64, char, usize);

fn happenings(schedule: &Schedule) -> Vec<Happening> {
    let mut all = Vec::new();
    for attempt in schedule.attempts() {
        let job = attempt.job.index();
        all.push((attempt.from.microseconds(), 's', job));
        let end = if attempt.is_lost {
            'r'
        } else if schedule.outcome(attempt.job) == Outcome::Preempted {
            'c'
        } else {
            'f'
        };
        all.push((attempt.end.microseconds(), end, job));
        for one in schedule.suspensions_of(attempt) {
            all.push((one.from.microseconds(), 'p', job));
            all.push((one.to.microseconds(), 'g', job));
        }
    }
    all.sort_unstable();
    all
}

/// Returns what a controller without the engine does with the jobs.
fn driven(workload: &Workload, cluster: &str, conf: &str, accounts: &str) -> Vec<Happening> {
    let text = format!(
        "{cluster}{}\nSelectType=select/cons_tres\nSelectTypeParameters=CR_Core\n\
            OverTimeLimit=UNLIMITED\n",
        conf.replace(';', "\n")
    );
    let accounts = SlurmAccounts::read(accounts).unwrap();
    let mut controller = Controller::with_accounts(SlurmConf::read(&text).unwrap(), accounts);
    controller.accept_all();
    controller.run_all_passes();
    let zero = Span::from_seconds(ZERO);
    let start = workload.requests[0].submitted + zero - Span::from_seconds(LEAD);
    let mut clock = SlurmClock::new(&controller, start, ClockFigures::default());
    let nodes = workload.nodes.as_ref().unwrap();
    let asked = |job: JobId| {
        let request = workload.request(job);
        let needs = &nodes.table[nodes.of[job.index()] as usize];
        let whole = (request.estimate.microseconds() + 59_999_999) / 60_000_000;
        let names = nodes.cluster.partitions.iter().enumerate();
        let names = names.filter(|(at, _)| needs.partitions >> at & 1 == 1);
        let trace = workload.log.trace.as_ref().unwrap();
        let qos = trace.column("qos").unwrap();
        AskedJob {
            number: job.index() as u64,
            ntasks: Some(request.processors),
            minutes: Some(whole.max(1)),
            partitions: names.map(|(_, one)| one.name.clone()).collect(),
            licences: vec![("lic".to_owned(), needs.licences[0])],
            user: request.user.to_string(),
            qos: qos
                .word(workload.sources[job.index()] as usize)
                .unwrap()
                .to_owned(),
            ..AskedJob::default()
        }
    };
    // Events by time; ends come before submissions. An end belongs to an attempt.
    let mut events: BTreeSet<(Time, u8, usize, usize)> = workload
        .ids()
        .map(|job| (workload.request(job).submitted + zero, 1, job.index(), 0))
        .collect();
    let mut attempts = vec![0; workload.len()];
    let mut records = vec![0; workload.len()];
    // The time that suspended jobs still have to run.
    let mut left = vec![Span::ZERO; workload.len()];
    let mut all = Vec::new();
    loop {
        let outside = events.first().copied();
        let next = clock.next(&controller, false);
        let next = next.filter(|next| outside.is_none_or(|(at, ..)| *next < at));
        let now = if let Some(next) = next {
            clock.work(&mut controller, next);
            next
        } else if let Some(event) = outside {
            events.remove(&event);
            let (at, kind, job, attempt) = event;
            if kind == 0 && attempts[job] != attempt {
                continue;
            }
            clock.skip_to(&mut controller, at);
            let second = clock.second(at);
            if kind == 0 {
                controller.finish(records[job], second, JobState::Completed);
                clock.ended(records[job], at);
                all.push(((at - zero).microseconds(), 'f', job));
            } else {
                let asked = asked(JobId(job as u32));
                records[job] = controller.submit(&asked, second).unwrap();
            }
            at
        } else {
            all.sort_unstable();
            return all;
        };
        for started in controller.take_started() {
            let job = started.number as usize;
            all.push(((now - zero).microseconds(), 's', job));
            attempts[job] += 1;
            let end = now + workload.programs[job].runtime;
            events.insert((end, 0, job, attempts[job]));
        }
        for one in controller.take_suspended() {
            let job = one.number as usize;
            let kind = if one.is_resumed { 'g' } else { 'p' };
            all.push(((now - zero).microseconds(), kind, job));
            if one.is_resumed {
                events.insert((now + left[job], 0, job, attempts[job]));
            } else {
                let end = events
                    .iter()
                    .find(|(_, kind, other, _)| *kind == 0 && *other == job);
                let end = *end.unwrap();
                events.remove(&end);
                left[job] = end.0 - now;
            }
        }
        for victim in controller.take_preempted() {
            let job = victim.number as usize;
            let kind = if victim.is_requeued { 'r' } else { 'c' };
            all.push(((now - zero).microseconds(), kind, job));
            // Its end will not come.
            attempts[job] += usize::from(!victim.is_requeued);
            events.retain(|(_, kind, other, _)| *kind == 1 || *other != job);
        }
    }
}

#[test]
fn the_policy_preempts_what_its_controller_preempts() {
    let (mut requeues, mut cancelled, mut suspensions, mut later) = (0, 0, 0, 0);
    for seed in 0..25 {
        let trace = random_log(seed);
        for conf in CONFS {
            let accounts = if conf.contains("preempt/qos") {
                ACCOUNTS
            } else {
                ""
            };
            let run = run(&trace, CLUSTER, conf, accounts);
            run.check_complete()
                .unwrap_or_else(|problem| panic!("seed {seed}: {conf}: {problem}"));
            let schedule = run.schedule();
            assert_eq!(
                audit(schedule, 3),
                Vec::<String>::new(),
                "seed {seed}: {conf}"
            );
            assert_eq!(
                happenings(schedule),
                driven(&schedule.workload, CLUSTER, conf, accounts),
                "seed {seed}: {conf}"
            );
            requeues += schedule.lost.len();
            cancelled += schedule.cancelled.len();
            suspensions += schedule.suspensions.values().map(Vec::len).sum::<usize>();
            later += schedule
                .lost_places
                .values()
                .filter(|places| places.len() > 1)
                .count();
        }
    }
    assert!(
        requeues > 200 && cancelled > 100 && suspensions > 100 && later > 20,
        "{requeues} {cancelled} {suspensions} {later}"
    );
}

/// Two nodes. Job 1 has both from 0 s on, with 100 s of work; job 2 of a higher tier comes at 30 s.
const SMALL: &str = "NodeName=n[1-2] CPUs=1\n\
    PartitionName=low Nodes=ALL Default=YES PriorityTier=1\n\
    PartitionName=mid Nodes=ALL PriorityTier=2\n\
    PartitionName=high Nodes=ALL PriorityTier=3\n";

/// A case by hand. The pass of the arrival preempts job 1 when 3 s of `batch_sched_delay` are over. Its
/// second node is clean 0.5 ms later, and its first one after 3.676 s: job 2 starts then. Job 1 waits for
/// 6 s from there on, and for job 2, and then runs for 100 s.
#[test]
fn a_preempted_job_runs_anew() {
    let (trace, conf) = (small_log(), REQUEUE);
    let run_ = run(&trace, SMALL, conf, "");
    let schedule = run_.schedule();
    let [victim, other] = [JobId(0), JobId(1)];
    assert_eq!(audit(schedule, 3), Vec::<String>::new());
    assert_eq!(schedule.requeues(victim), 1);
    let (_, lost) = schedule.lost_of(victim).next().unwrap();
    let stopped = lost.end.seconds();
    assert!((30.0..35.0).contains(&stopped), "{stopped}");
    let start = schedule.starts[other.index()].seconds();
    assert!((3.6..7.0).contains(&(start - stopped)), "{start}");
    let again = schedule.starts[victim.index()].seconds();
    assert!(again >= schedule.ends[other.index()].seconds(), "{again}");
    assert_eq!(
        schedule.ends[victim.index()] - schedule.starts[victim.index()],
        Span::from_seconds(100)
    );
    let figures = run_.measures().figures;
    assert_eq!(figures["preempted.requeues"], 1.0);
    assert_eq!(figures["preempted.jobs"], 1.0);
    assert_eq!(figures["preempted.cancelled"], 0.0);
    let vain = 2.0 * (lost.end - lost.start).seconds();
    assert!((figures["wasted.work"] - vain).abs() < 1e-6);
    let (begin, end) = schedule.span();
    let share = vain / (2.0 * (end - begin).seconds());
    assert!((figures["wasted.share"] - share).abs() < 1e-12);
    // The explanation reaches up to the last start, and tells the time in vain.
    let wait = run_.why(victim);
    let total = wait
        .causes
        .iter()
        .fold(Span::ZERO, |sum, cause| sum + cause.total);
    assert_eq!(Some(total), schedule.wait(victim));
    let told = wait
        .causes
        .iter()
        .find(|cause| cause.why == schedscope::sim::Why::Lost);
    assert_eq!(told.unwrap().total, lost.end - lost.from);
    // A cancelled job ends there.
    let run_ = run(&trace, SMALL, &conf.replace("REQUEUE", "CANCEL"), "");
    let schedule = run_.schedule();
    assert_eq!(schedule.outcome(victim), Outcome::Preempted);
    assert_eq!(schedule.ends[victim.index()].seconds(), stopped);
    assert_eq!(run_.measures().figures["preempted.cancelled"], 1.0);
    // Without the rule nothing is preempted.
    let run_ = run(&trace, SMALL, "PreemptType=preempt/none", "");
    assert!(run_.schedule().lost.is_empty() && run_.schedule().cancelled.is_empty());
}

/// Two QOS that preempt each other would do so for ever.
#[test]
fn mutual_preemption_is_refused() {
    let accounts = "add qos one preempt=two\nadd qos two preempt=one\nadd account a\n\
        add user 1,2,3 account=a qos=one,two defaultqos=one\n";
    let scenario = Scenario {
        machine: "nodes".into(),
        ..Scenario::new("slurm")
            .with("cluster", SMALL)
            .with("conf", "PreemptType=preempt/qos;PreemptMode=REQUEUE")
            .with("accounts", accounts)
    };
    let problem = scenario.resolve().map(|_| ()).unwrap_err();
    assert!(problem.what.contains("preempt"), "{problem}");
}

const REQUEUE: &str =
    "PreemptType=preempt/partition_prio;PreemptMode=REQUEUE;AuthInfo=cred_expire=5";

fn small_log() -> Arc<Trace> {
    log(&[(0, 100, 2, 1, "x", 0), (30, 50, 2, 2, "x", 0)])
}

/// A session keeps nothing from before a preemption, also where no job starts or ends at its instant.
#[test]
fn a_session_sees_each_preemption() {
    let scenario = Scenario {
        machine: "nodes".into(),
        ..Scenario::new("slurm")
            .with("cluster", SMALL)
            .with("conf", REQUEUE)
    };
    let run = scenario.resolve().unwrap().run(small_log()).unwrap();
    let mut session = Session::new(run);
    let mut waited_again = 0;
    loop {
        let is_over = session.advance(1);
        let mut told = Vec::new();
        let mut at = Time::from_seconds(-1);
        while let Some(next) = session.next_change(at, true) {
            told.push(next);
            at = next;
        }
        let lost = session.schedule().lost.values();
        assert!(
            lost.clone().all(|lost| told.contains(&lost.end)),
            "{told:?}"
        );
        assert!(!is_over || told == changes(session.schedule()));
        let index = Index::new(session.schedule());
        for second in 0..200 {
            let at = Time::from_seconds(second);
            let fresh =
                job_at(session.schedule(), &index, &Lanes::Rows(1), at, (0, 0)).map(|job| job.0);
            let own = session.job_at(at.seconds(), 0.5, 0.0, RowsBy::Slots);
            assert_eq!(own, fresh, "{second} s");
        }
        let facts = session.job(0).unwrap();
        let schedule = session.schedule();
        assert_eq!(facts.requeues, schedule.lost.len());
        assert_eq!(facts.lost.len(), facts.requeues);
        if facts.requeues == 1 && facts.start.is_none() {
            waited_again += 1;
            assert!(facts.wait.is_none() && facts.placement.is_none());
            assert_eq!(facts.lost[0].placement.ranges, [(0, 2)]);
        }
        if is_over {
            break;
        }
    }
    assert!(waited_again > 0);
    // The steps of any part tell the preemption and the new start.
    let part = session.part(Time::from_seconds(25), 50).unwrap();
    let numbers = |of: &dyn Fn(&StepFacts) -> Vec<i64>| -> Vec<i64> {
        part.steps.iter().flat_map(of).collect()
    };
    let requeued = numbers(&|step| step.requeued.iter().map(|job| job.number).collect());
    let started = numbers(&|step| step.started.iter().map(|job| job.number).collect());
    assert_eq!((requeued, started), (vec![1], vec![1, 2, 1]));
}

/// A job that was preempted and waits again has started: no what-if changes or withdraws it. Another policy
/// finds it in the queue.
#[test]
fn a_what_if_leaves_preempted_jobs_alone() {
    let otherwise = |text: &str| {
        let scenario = Scenario {
            machine: "nodes".into(),
            what_if: Some(Box::new(serde_json::from_str(text).unwrap())),
            ..Scenario::new("slurm")
                .with("cluster", SMALL)
                .with("conf", REQUEUE)
        };
        let mut run = scenario.resolve().unwrap().run(small_log()).unwrap();
        while !run.advance(1000).done {}
        run
    };
    let changed = otherwise(r#"{"at": 36, "jobs": [{"number": 1, "estimate": 900}]}"#);
    let problem = changed.check_complete().unwrap_err();
    assert!(problem.what.contains("has started by then"), "{problem}");
    for text in [
        r#"{"at": 36, "without_users": [2]}"#,
        r#"{"at": 36, "policy": "easy"}"#,
    ] {
        let run = otherwise(text);
        run.check_complete().unwrap();
        let schedule = run.schedule();
        assert_eq!(schedule.workload.len(), 2);
        assert_eq!(audit(schedule, 3), Vec::<String>::new());
        assert_eq!(schedule.requeues(JobId(0)), 1);
    }
}

/// A dropped slurm.conf keeps what preemption needs, and only if jobs are preempted.
#[test]
fn lines_of_preemption_are_about_scheduling() {
    let kept = |text: &str| scheduling_lines(text);
    assert_eq!(
        kept("KillWait=60\nPreemptType=preempt/none\nPreemptMode=OFF\n"),
        ""
    );
    assert_eq!(
        kept("KillWait=60 JobRequeue=0\nSchedulerType=sched/backfill\n"),
        "SchedulerType=sched/backfill"
    );
    let preempts =
        "KillWait=60\nPreemptType=preempt/qos\nPreemptMode=REQUEUE\nAuthInfo=cred_expire=9";
    assert_eq!(kept(preempts), preempts);
}

/// A forecast tells when a job first starts. Job 2 starts on two free nodes. When job 1 ends and gives its
/// licences back, job 3 preempts job 2, and job 4 needs all nodes after them.
#[test]
fn a_forecast_tells_first_starts() {
    let cluster = "NodeName=n[1-3] CPUs=1\nLicenses=lic:3\n\
        PartitionName=low Nodes=ALL Default=YES PriorityTier=1\n\
        PartitionName=high Nodes=ALL PriorityTier=3\n";
    let queue = "; Note: written by Schedscope 0\n; MaxProcs: 3\n; Partition: 1 low\n; Partition: 3 high\n\
        ; Field 19: Licences (column licenses, words)\n\
        1 0 0 160 1 -1 -1 1 160 -1 1 1 -1 -1 -1 3 -1 -1 lic:3\n\
        2 90 500 300 2 -1 -1 2 300 -1 1 1 -1 -1 -1 1 -1 -1 -1\n\
        3 95 500 60 2 -1 -1 2 60 -1 1 1 -1 -1 -1 3 -1 -1 lic:1\n\
        4 99 900 60 3 -1 -1 3 60 -1 1 1 -1 -1 -1 1 -1 -1 -1\n";
    let queue = read("queue", queue.as_bytes(), BadLines::Stop).unwrap();
    let scenario = Scenario {
        machine: "nodes".into(),
        ..Scenario::new("slurm")
            .with("cluster", cluster)
            .with("conf", REQUEUE)
    };
    let settings = ForecastSettings {
        at: Some(100.0),
        samples: 1,
        arrivals: LaterArrivals::None,
        run_times: RunTimes::Limit,
        ..ForecastSettings::default()
    };
    let mut forecast = QueueForecast::new(&scenario, &queue, None, &settings).unwrap();
    while !forecast.advance(1000).unwrap().done {}
    let found = forecast.result();
    let starts: Vec<f64> = found
        .jobs
        .iter()
        .map(|job| job.starts[2].unwrap())
        .collect();
    // Job 4 starts after the 300 s of the second attempt of job 2.
    let [first, second, last] = starts[..] else {
        panic!("{starts:?}");
    };
    assert!(
        first < 120.0 && second > 160.0 && second < 200.0,
        "{starts:?}"
    );
    assert!(last > second + 60.0 + 300.0, "{starts:?}");
}

/// Job 1 has the only licence, which job 2 waits for. Job 3 of a higher tier preempts job 1 for its node.
/// The licence is free then, so that job 2 starts later in the same pass, on a third node.
#[test]
fn a_licence_of_a_victim_goes_to_a_later_start() {
    let cluster = "NodeName=n[1-3] CPUs=1\nLicenses=lic:1\n\
        PartitionName=low Nodes=ALL Default=YES PriorityTier=1\n\
        PartitionName=high Nodes=n[1-2] PriorityTier=3\n";
    let trace = log(&[
        (0, 500, 1, 1, "x", 1),
        (10, 50, 1, 1, "x", 1),
        (20, 50, 2, 3, "x", 0),
    ]);
    let run = run(&trace, cluster, REQUEUE, "");
    run.check_complete().unwrap();
    let schedule = run.schedule();
    assert_eq!(audit(schedule, 3), Vec::<String>::new());
    let (_, lost) = schedule.lost_of(JobId(0)).next().unwrap();
    assert_eq!(schedule.starts[1], lost.end);
}
