//! Names and further columns of logs, in filters, colours, classes and files; and the partitions of
//! a trace. The log has five jobs, so that every expectation can be checked by eye.

use super::support::{check, folder, refused, schedscope};
use schedscope::experiment::{Run, Scenario, summary};
use schedscope::import::{BadLines, read};
use schedscope::job::JobId;
use schedscope::metrics::{Grouping, measure_classes};
use schedscope::problem::Problem;
use schedscope::session::Session;
use schedscope::trace::{SizeSource, Trace};
use schedscope::view::{Colouring, Colours, Filter, Legend, Theme, packed};
use schedscope::workload::{AttributeKind, Workload, clean, workload_profile};
use std::fmt::Write;
use std::fs;
use std::sync::Arc;

/// The user of job 4 has the name `7`; an account has a space in its name, another one looks like a
/// formula.
const LOG: &str = "\
JobID|User|Group|Account|Partition|QOS|State|Submit|Eligible|Start|End|TimelimitRaw|AllocCPUS|AllocTRES
1|ann|staff|physics|batch|normal|COMPLETED|1000000000|1000000000|1000000000|1000000100|5|4|cpu=4
2|bob|staff|physics|batch|high|TIMEOUT|1000000010|1000000010|1000000010|1000000310|5|4|cpu=4
3|ann|staff|big project|gpu|normal|FAILED|1000000020|1000000050|1000000060|1000000160|5|8|cpu=8,gres/gpu=2
4|7|guest|=1+1|gpu|normal|COMPLETED|1000000030|1000000030|1000000160|1000000200|5|8|cpu=8,gres/gpu=4
5|bob|guest|=1+1|batch|normal|CANCELLED by 1001|1000000040|1000000040|1000000050|1000000090|5|2|cpu=2
";

fn trace(text: &str) -> Arc<Trace> {
    Arc::new(read("log", text.as_bytes(), BadLines::Stop).unwrap())
}

fn finished(trace: &Arc<Trace>, scenario: &Scenario) -> Run {
    let mut run = scenario.resolve().unwrap().run(Arc::clone(trace)).unwrap();
    run.advance(u64::MAX);
    run.check_complete().unwrap();
    run
}

fn easy() -> Run {
    finished(&trace(LOG), &Scenario::new("easy"))
}

#[test]
fn filters_know_names_and_columns() {
    let run = easy();
    let schedule = run.schedule();
    let kept = |filter: &str| -> Vec<i64> {
        let filter = Filter::for_workload(filter, &schedule.workload).unwrap();
        let ids = schedule.workload.ids();
        ids.filter(|job| filter.keeps(schedule, *job))
            .map(|job| schedule.workload.request(job).number)
            .collect()
    };
    for (filter, expected) in [
        ("user:ann", &[1, 3][..]),
        ("user = Bob", &[2, 5]),
        ("user:ann,bob", &[1, 2, 3, 5]),
        // The number of ann is 1. There is a user with the name 7.
        ("user:1", &[1, 3]),
        ("user:7", &[4]),
        ("user<3", &[1, 2, 3, 5]),
        ("group:guest", &[4, 5]),
        ("queue = batch", &[1, 2, 5]),
        ("-queue:batch", &[3, 4]),
        ("account = physics", &[1, 2]),
        ("account:\"big project\"", &[3]),
        ("account~PRO", &[3]),
        ("account ~ phys, 1+", &[1, 2, 4, 5]),
        ("gpus > 0", &[3, 4]),
        ("gpus:2..3", &[3]),
        ("-gpus>0", &[1, 2, 5]),
        ("state = TIMEOUT", &[2]),
        ("-state:completed", &[2, 3, 5]),
        ("eligible>45s", &[3]),
        ("eligible:2001-09-09T01:47:20", &[5]),
        ("qos:normal user:ann size>4", &[3]),
    ] {
        assert_eq!(kept(filter), expected, "{filter}");
    }
}

#[test]
fn a_filter_tells_what_it_does_not_know() {
    let run = easy();
    let workload = &run.schedule().workload;
    for (filter, what, why) in [
        ("acount:x", "unknown field", "Did you mean `account`? "),
        ("acount:x", "unknown field", ", gpus, "),
        (
            "account:phisics",
            "unknown value",
            "Did you mean `physics`? No job",
        ),
        (
            "account~\"\"",
            "unknown value",
            "physics, big project, =1+1.",
        ),
        (
            "user:eve",
            "unknown value",
            "Values of `user` are ann, bob, 7.",
        ),
        ("account>x", "words have no order", "contain a text"),
        ("gpus~2", "no words", "are numbers"),
        ("gpus:many", "invalid value", "is a number"),
        ("account:\"x", "a quoted value has no end", "quotation mark"),
    ] {
        let problem = Filter::for_workload(filter, workload).unwrap_err();
        assert!(problem.what.contains(what), "{filter}: {problem}");
        assert!(problem.why.contains(why), "{filter}: {problem}");
        assert!(problem.next.contains("Write, for example,"), "{filter}");
    }
    let many = format!("account:{}", vec!["physics"; 65].join(","));
    let problem = Filter::for_workload(&many, workload).unwrap_err();
    assert!(problem.why.contains("At most 64 words"), "{problem}");
}

fn coloured(workload: &Workload, id: &str) -> (Legend, Vec<String>) {
    let colouring = Colouring::try_from(format!("attribute:{id}")).unwrap();
    let colours = Colours::new(workload, colouring, Theme::Light);
    let of = |job: JobId| format!("#{:06x}", packed(colours.of(job)));
    (colours.legend().clone(), workload.ids().map(of).collect())
}

fn labels(legend: &Legend) -> Vec<&str> {
    let entries = legend.entries.iter();
    entries.map(|entry| entry.label.as_str()).collect()
}

#[test]
fn colours_show_names_and_columns() {
    let run = easy();
    let workload = &run.schedule().workload;
    let (legend, jobs) = coloured(workload, "account");
    assert_eq!(legend.title, "Account");
    assert_eq!(labels(&legend), ["physics", "=1+1", "big project"]);
    let colour = |at: usize| legend.entries[at].colour.clone();
    assert_eq!(jobs, [0, 0, 2, 1, 1].map(colour));
    let (legend, jobs) = coloured(workload, "gpus");
    assert_eq!(labels(&legend), ["2", "3", "4", "unknown"]);
    assert!(!legend.continuous);
    let colour = |at: usize| legend.entries[at].colour.clone();
    assert_eq!(jobs, [3, 3, 0, 2, 3].map(colour));
    // Most work first: bob 1280, ann 1200, 7 320 processor seconds.
    let users = Colours::new(workload, Colouring::User, Theme::Dark);
    assert_eq!(labels(users.legend()), ["bob", "ann", "7"]);
    let (legend, jobs) = coloured(workload, "no such column");
    assert_eq!(labels(&legend), ["this trace has no such column"]);
    assert_eq!(jobs.len(), 5);
    assert!(Colouring::try_from("acount".to_owned()).is_err());
}

#[test]
fn ten_words_have_colours_and_the_rest_is_counted() {
    let mut log = LOG.lines().next().unwrap().to_owned();
    for job in 0..40 {
        // Account 0 has the most jobs.
        let account = if job < 20 { 0 } else { job % 13 };
        let _ = write!(
            log,
            "\n{job}|ann|staff|a{account}|batch|normal|COMPLETED|{0}|{0}|{0}|{1}|5|{2}|cpu=4,gres/gpu={2}",
            1_000_000_000 + job,
            1_000_000_100 + job,
            1 + 100 * job,
        );
    }
    let run = finished(&trace(&log), &Scenario::new("easy"));
    let workload = &run.schedule().workload;
    let (legend, jobs) = coloured(workload, "account");
    assert_eq!(legend.title, "Account, the ten with most jobs");
    assert_eq!(
        (labels(&legend)[0], labels(&legend)[10]),
        ("a0", "3 others")
    );
    assert_eq!(legend.entries.len(), 11);
    assert_eq!(jobs[0], legend.entries[0].colour);
    let (legend, _) = coloured(workload, "gpus");
    assert_eq!(labels(&legend), ["1", "10", "100", "1000", "3901"]);
    assert!(legend.continuous);
    let classes = measure_classes(run.schedule(), &run.scenario.settings, Grouping::Account);
    assert_eq!(
        (classes.len(), classes[10].name.as_str()),
        (11, "all others")
    );
}

#[test]
fn classes_have_the_words_of_the_log() {
    let run = easy();
    let classes = |grouping| -> Vec<(String, usize)> {
        let found = measure_classes(run.schedule(), &run.scenario.settings, grouping);
        found
            .into_iter()
            .map(|class| (class.name, class.jobs))
            .collect()
    };
    let told = |classes: &[(&str, usize)]| -> Vec<(String, usize)> {
        let own = |(name, jobs): &(&str, usize)| ((*name).to_owned(), *jobs);
        classes.iter().map(own).collect()
    };
    for (grouping, expected) in [
        (Grouping::User, &[("bob", 2), ("ann", 2), ("7", 1)][..]),
        (Grouping::Group, &[("staff", 3), ("guest", 2)]),
        (Grouping::Queue, &[("batch", 3), ("gpu", 2)]),
        (
            Grouping::Account,
            &[("physics", 2), ("big project", 1), ("=1+1", 2)],
        ),
        (Grouping::Qos, &[("normal", 4), ("high", 1)]),
        (
            Grouping::State,
            &[
                ("TIMEOUT", 1),
                ("FAILED", 1),
                ("COMPLETED", 2),
                ("CANCELLED", 1),
            ],
        ),
    ] {
        assert_eq!(classes(grouping), told(expected), "{grouping:?}");
    }
    let mut session = Session::new(easy());
    let facts = session.facts().workload;
    assert_eq!(
        facts.groupings,
        [
            "size", "run_time", "user", "group", "queue", "account", "qos", "state"
        ]
    );
    let kinds: Vec<(&str, AttributeKind)> = facts
        .attributes
        .iter()
        .filter(|attribute| attribute.further)
        .map(|attribute| (attribute.id.as_str(), attribute.kind))
        .collect();
    assert_eq!(
        kinds,
        [
            ("eligible", AttributeKind::Moments),
            ("gpus", AttributeKind::Numbers),
            ("account", AttributeKind::Words),
            ("qos", AttributeKind::Words),
            ("state", AttributeKind::Words),
        ]
    );
    let waits = session.waits();
    let comparison = session.comparison(&waits);
    assert_eq!(comparison.classes["account"].len(), 3);
    let measures = session.measures().clone();
    let summary = summary(session.run(), &measures);
    assert_eq!(summary["classes"]["state"][0]["name"], "TIMEOUT");
}

#[test]
fn a_job_and_the_profile_have_the_names() {
    let mut session = Session::new(easy());
    let job = session.job(2).unwrap();
    let told: Vec<(&str, &str)> = job
        .told
        .iter()
        .map(|value| (value.id.as_str(), value.text.as_str()))
        .collect();
    assert_eq!(
        told,
        [
            ("user", "ann"),
            ("group", "staff"),
            ("queue", "gpu"),
            ("eligible", "50"),
            ("gpus", "2"),
            ("account", "big project"),
            ("qos", "normal"),
            ("state", "FAILED"),
        ]
    );
    assert_eq!(session.listed("gpus", 0, 2), [3, 2]);
    let workload = &session.schedule().workload;
    let profile = workload_profile(workload, &session.run().trace);
    let users: Vec<&str> = profile
        .users
        .iter()
        .map(|user| user.name.as_str())
        .collect();
    assert_eq!(users, ["bob", "ann", "7"]);
}

#[test]
fn the_jobs_csv_has_the_further_columns() {
    let run = easy();
    let mut text = String::new();
    run.jobs_csv(|line| text.push_str(line));
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].ends_with(
        ",user,bounded_slowdown,user_name,group_name,queue_name,eligible,gpus,account,qos,state"
    ));
    assert!(lines[1].ends_with(",ann,staff,batch,0,,physics,normal,COMPLETED"));
    assert!(lines[3].ends_with(",ann,staff,gpu,50,2,big project,normal,FAILED"));
    // A cell that a spreadsheet would compute is guarded.
    assert!(lines[4].ends_with(",7,guest,gpu,30,4,'=1+1,normal,COMPLETED"));
}

#[test]
fn draws_of_users_have_no_names() {
    let week = 7 * 86_400;
    let mut log = LOG.lines().next().unwrap().to_owned();
    for (job, user) in ["ann", "bob", "eve"].iter().cycle().take(30).enumerate() {
        let at = 1_000_000_000 + job * week;
        let _ = write!(
            log,
            "\n{job}|{user}|g|a|q|n|COMPLETED|{at}|{at}|{at}|{0}|5|1|cpu=1",
            at + 60
        );
    }
    let run = finished(
        &trace(&log),
        &Scenario::new("easy").with("resample", "users"),
    );
    let classes = measure_classes(run.schedule(), &run.scenario.settings, Grouping::User);
    assert!(classes.iter().all(|class| class.name.starts_with("user ")));
    assert!(Filter::for_workload("account:a", &run.schedule().workload).is_ok());
}

#[test]
fn a_trace_without_columns_has_none() {
    let swf = trace(
        "1 0 0 10 1 -1 -1 1 20 -1 1 1 1 1 1 1 -1 -1\n2 1 0 10 1 -1 -1 1 20 -1 1 1 1 1 1 1 -1 -1\n",
    );
    let run = finished(&swf, &Scenario::new("easy"));
    let session = Session::new(run);
    let facts = session.facts().workload;
    assert!(facts.attributes.is_empty());
    assert_eq!(facts.groupings, ["size", "run_time", "user"]);
}

fn workload(trace: &Trace, scenario: &Scenario) -> Result<Workload, Problem> {
    scenario.resolve()?.workload(trace)
}

/// Each partition beside the others gives the files that it gives alone.
#[test]
fn the_terminal_runs_each_partition() {
    let home = folder("columns-partitions");
    let log = home.join("log.sacct");
    fs::write(&log, LOG).unwrap();
    let inspected = check(&schedscope(&[&"inspect", &log]));
    let found: Vec<&str> = inspected
        .lines()
        .filter(|line| line.contains("partition"))
        .collect();
    assert!(
        found[0].contains("2 partitions; `--set partition=NAME` keeps one:"),
        "{inspected}"
    );
    assert!(inspected.contains("3  batch (widest: 4 processors)"));
    let all = home.join("{partition}-{policy}.csv");
    let said = check(&schedscope(&[
        &"run",
        &log,
        &"--policy",
        &"easy",
        &"--each-partition",
        &"--jobs",
        &all,
    ]));
    for (name, records) in [("gpu", 2), ("batch", 3)] {
        assert!(
            said.contains(&format!("partition {name}: {records} records")),
            "{said}"
        );
        let alone = home.join("alone.csv");
        check(&schedscope(&[
            &"run",
            &log,
            &"--policy",
            &"easy",
            &"--set",
            &format!("partition={name}"),
            &"--force",
            &"--jobs",
            &alone,
        ]));
        let read = |path| fs::read_to_string(path).unwrap();
        let beside = read(home.join(format!("{name}-easy.csv")));
        assert_eq!(beside, read(alone));
        assert_eq!(beside.lines().count(), records + 1);
    }
    for (more, words) in [
        (
            ["--set", "processors=8"],
            "`--each-partition` and `processors`",
        ),
        (
            ["--set", "partition=gpu"],
            "`--each-partition` and `partition`",
        ),
        (["--why", "3"], "`--each-partition` and `--why`"),
        (["--jobs", "one.csv"], "would be written for each partition"),
    ] {
        let said = refused(&schedscope(&[
            &"run",
            &log,
            &"--policy",
            &"easy",
            &"--each-partition",
            &more[0],
            &more[1],
        ]));
        assert!(said.contains(words), "{said}");
    }
    let bare = home.join("bare.swf");
    fs::write(&bare, "1 0 0 10 1 -1 -1 1 20 -1 1 1 1 1 -1 -1 -1 -1\n").unwrap();
    let said = refused(&schedscope(&[
        &"run",
        &bare,
        &"--policy",
        &"easy",
        &"--each-partition",
    ]));
    assert!(said.contains("has no partitions"), "{said}");
}

#[test]
fn a_partition_is_run_by_itself() {
    let log = trace(LOG);
    let found = clean::partitions(&log, &Scenario::new("easy").settings);
    assert!(!found.are_queues);
    let all: Vec<(&str, u64, u32)> = found
        .all
        .iter()
        .map(|known| (known.name.as_str(), known.jobs, known.widest))
        .collect();
    assert_eq!(all, [("gpu", 2, 8), ("batch", 3, 4)]);
    for name in ["gpu", "GPU", "2"] {
        let own = workload(&log, &Scenario::new("easy").with("partition", name)).unwrap();
        let numbers: Vec<i64> = own.requests.iter().map(|request| request.number).collect();
        assert_eq!(numbers, [3, 4], "{name}");
        assert_eq!(own.report.of("other_partition"), 3);
        // Job 4 starts at the instant at which job 3 ends.
        let size = own.report.size.unwrap();
        assert_eq!(
            (size.processors, size.source),
            (8, SizeSource::PartitionPeak)
        );
        assert_eq!(size.doubts[0].id, "partition");
        assert!(
            size.doubts[0]
                .text
                .contains("at most 8 processors at one time.")
        );
        assert_eq!(
            own.provenance.steps,
            ["only partition gpu (the partitions (field 16) of the records)"]
        );
    }
    let batch = workload(&log, &Scenario::new("easy").with("partition", "batch")).unwrap();
    assert_eq!((batch.len(), batch.processors), (3, 10));
    let given = Scenario::new("easy")
        .with("partition", "batch")
        .with("processors", 4.0);
    assert_eq!(workload(&log, &given).unwrap().processors, 4);
    let problem = workload(&log, &Scenario::new("easy").with("partition", "gpus")).unwrap_err();
    assert_eq!(problem.what, "There is no partition `gpus` in the trace.");
    assert!(
        problem.why.ends_with("the records: gpu, batch."),
        "{problem}"
    );
    assert!(
        problem.next.starts_with("Did you mean `gpu`? "),
        "{problem}"
    );
}

#[test]
fn partitions_of_swf_are_field_16_or_the_queue() {
    let line = |number: i64, wait: i64, size: i64, queue: i64, partition: i64| {
        format!(
            "{number} {number} {wait} 10 {size} -1 -1 {size} 20 -1 1 1 1 1 {queue} {partition} -1 -1\n"
        )
    };
    let of = |text: &str, name: &str| {
        workload(&trace(text), &Scenario::new("easy").with("partition", name))
    };
    // Two partitions: field 16 counts, whatever the queues are.
    let swf = line(1, 0, 4, 1, 1) + &line(2, 0, 6, 2, 1) + &line(3, -1, 9, 1, 2);
    let first = of(&swf, "1").unwrap();
    assert_eq!((first.len(), first.processors), (2, 10));
    let second = of(&swf, "2").unwrap();
    let size = second.report.size.unwrap();
    assert_eq!((size.processors, size.source), (9, SizeSource::WidestJob));
    assert!(size.doubts[0].text.ends_with("nor starts of its jobs."));
    // One partition: the queue counts. A job without a start is told.
    let swf = line(1, 0, 4, 1, 1) + &line(2, -1, 6, 1, 1) + &line(3, 0, 9, 2, 1);
    let size = of(&swf, "1").unwrap().report.size.unwrap();
    assert_eq!(
        (size.processors, size.source),
        (6, SizeSource::PartitionPeak)
    );
    assert!(
        size.doubts[0]
            .text
            .ends_with("Without a recorded start: 1 of its 2 jobs.")
    );
    // The header knows the size.
    let headed = format!("; MaxProcs: 100\n; Partition: 1 (thin nodes) 1,024 processors\n{swf}");
    let size = of(&headed, "1").unwrap().report.size.unwrap();
    assert_eq!(
        (size.processors, size.source),
        (1024, SizeSource::PartitionHeader)
    );
    assert!(!size.is_doubtful());
    let none = line(1, 0, 4, -1, -1);
    let problem = of(&none, "1").unwrap_err();
    assert!(
        problem.why.starts_with("No job of the trace names"),
        "{problem}"
    );
}
