//! Round trips through all writers of files.

use super::support::{root, run};
use schedscope::experiment::{Scenario, summary};
use schedscope::files::{CSV_HEAD, csv_field};
use schedscope::import::{BadLines, read};
use schedscope::param::Settings;
use schedscope::schedule::Outcome;
use schedscope::trace::{Trace, write_trace};
use schedscope::workload::model::generate;
use std::process::Command;
use std::sync::Arc;

fn written(write: impl FnOnce(&mut dyn FnMut(&str))) -> String {
    let mut text = String::new();
    write(&mut |line: &str| text.push_str(line));
    text
}

fn sample() -> Arc<Trace> {
    Arc::new(
        generate(
            "lublin",
            &Settings::default()
                .with("jobs", 400.0)
                .with("overestimate", 3.0),
        )
        .unwrap(),
    )
}

#[test]
fn a_generated_trace_reads_back_as_it_is() {
    let trace = sample();
    let text = written(|line| write_trace(&trace, line));
    let again = read(&trace.name, text.as_bytes(), BadLines::Stop).unwrap();
    assert_eq!(again.header, trace.header);
    let strip = |trace: &Trace| {
        trace
            .records
            .iter()
            .map(|record| schedscope::trace::Record { line: 0, ..*record })
            .collect::<Vec<_>>()
    };
    assert_eq!(strip(&again), strip(&trace));
    let mut print = schedscope::trace::Fingerprint::default();
    print.push(text.as_bytes());
    assert_eq!(print.finish(), trace.sha256);
}

#[test]
fn a_schedule_as_swf_has_the_simulated_fields_and_keeps_the_others() {
    let trace = sample();
    let run = run(&Scenario::new("easy"), &trace);
    let text = written(|line| run.swf(line));
    let again = read("again", text.as_bytes(), BadLines::Stop).unwrap();
    assert_eq!(again.records.len(), 400);
    assert!(
        again.header.iter().any(|line| line.contains("policy easy")),
        "{:?}",
        again.header
    );
    let schedule = run.schedule();
    for (index, record) in again.records.iter().enumerate() {
        let source = trace.records.get(index);
        assert_eq!(
            record.wait,
            (schedule.starts[index] - schedule.workload.requests[index].submitted).whole_seconds()
        );
        assert_eq!(
            record.run_time,
            (schedule.ends[index] - schedule.starts[index]).whole_seconds()
        );
        assert_eq!((record.allocated, record.status), (source.requested, 1));
        assert_eq!(
            (record.number, record.submit, record.user, record.queue),
            (source.number, source.submit, source.user, source.queue)
        );
    }
    // The written schedule can be simulated again, with the same result.
    let twice = super::support::run(&Scenario::new("easy"), &Arc::new(again));
    assert_eq!(twice.schedule().starts, schedule.starts);
}

/// Three jobs, the widest of 60 processors, under a header of one line.
fn sized(header: &str) -> Arc<Trace> {
    let job = |number: u32, size: u32| {
        format!("{number} {number} -1 100 {size} -1 -1 {size} 100 -1 1 1 1 1 1 1 -1 -1\n")
    };
    let text = format!("{header}\n{}{}{}", job(1, 60), job(2, 8), job(3, 40));
    Arc::new(read("sized", text.as_bytes(), BadLines::Stop).unwrap())
}

#[test]
fn a_guessed_size_is_told_in_every_file() {
    let told = |trace: &Arc<Trace>, scenario: Scenario| {
        let run = run(&scenario, trace);
        let size = summary(&run, &run.measures())["import"]["size"].clone();
        (size, written(|line| run.swf(line)))
    };
    let (size, text) = told(&sized(""), Scenario::new("easy"));
    assert_eq!(
        (
            &size["processors"],
            &size["source"],
            &size["doubts"][0]["id"]
        ),
        (&60.into(), &"widest_job".into(), &"no_size".into())
    );
    assert!(
        text.contains("; Note: The machine's size is a guess: 60 processors (the widest job)."),
        "{text}"
    );
    let (size, _) = told(&sized("; MaxProcs: 48"), Scenario::new("easy"));
    assert_eq!(
        size["doubts"][0]["text"],
        "1 job is wider than the machine; the widest asks for 60 processors."
    );
    // A size that the user sets is not a guess, whatever the header says.
    let (size, text) = told(
        &sized("; MaxProcs: 0"),
        Scenario::new("easy").with("processors", 48.0),
    );
    assert_eq!(
        (&size["source"], size["doubts"].as_array().map(Vec::len)),
        (&"setting".into(), Some(0))
    );
    assert!(
        !text.contains("guess")
            && text.contains("; MaxProcs: 48\n")
            && !text.contains("MaxProcs: 0"),
        "{text}"
    );
    let (size, _) = told(&sized("; MaxProcs: 64"), Scenario::new("easy"));
    assert_eq!(
        (&size["source"], size["doubts"].as_array().map(Vec::len)),
        (&"max_procs".into(), Some(0))
    );
    // A clear and correct header stays as it is. A wrong one is replaced.
    let header = "; maxprocs:\t64";
    let (_, text) = told(&sized(header), Scenario::new("easy"));
    assert!(
        text.starts_with(&format!("{header}\n")) && !text.contains("MaxProcs"),
        "{text}"
    );
    let (_, text) = told(
        &sized(header),
        Scenario::new("easy").with("processors", 61.0),
    );
    assert!(
        text.contains("; MaxProcs: 61\n") && !text.contains("maxprocs"),
        "{text}"
    );
    let (_, text) = told(
        &sized("; MaxProcs: 60\n; MaxNodes: 61"),
        Scenario::new("easy"),
    );
    assert_eq!(
        text.lines()
            .filter(|line| line.starts_with("; MaxProcs"))
            .count(),
        1,
        "{text}"
    );
}

#[test]
fn the_jobs_csv_has_batsims_columns_and_our_figures() {
    let trace = sample();
    let run = run(&Scenario::new("fcfs"), &trace);
    let text = written(|line| run.jobs_csv(line));
    let mut lines = text.lines();
    let batsim = "job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,success,final_state,starting_time,\
                  execution_time,finish_time,waiting_time,turnaround_time,stretch,allocated_resources";
    assert!(CSV_HEAD.starts_with(batsim));
    assert_eq!(lines.next(), Some(CSV_HEAD));
    let schedule = run.schedule();
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len(), 400);
    for (index, row) in rows.iter().enumerate() {
        let number = |column: usize| row[column].parse::<f64>().unwrap();
        assert_eq!(row.len(), CSV_HEAD.split(',').count());
        assert_eq!(number(8), schedule.starts[index].seconds());
        assert_eq!(number(10), schedule.ends[index].seconds());
        assert_eq!(number(11), number(8) - number(3));
        assert_eq!(number(12), number(10) - number(3));
        let processors: u32 = row[14]
            .split(' ')
            .map(|part| match part.split_once('-') {
                Some((first, last)) => {
                    last.parse::<u32>().unwrap() - first.parse::<u32>().unwrap() + 1
                }
                None => 1,
            })
            .sum();
        assert_eq!(f64::from(processors), number(4));
        assert_eq!(
            schedule.outcome(schedscope::job::JobId(index as u32)),
            Outcome::Finished
        );
    }
}

#[test]
fn the_jobs_csv_has_the_threshold_of_the_table() {
    let trace = sample();
    let column = |scenario: &Scenario| {
        let run = run(scenario, &trace);
        let text = written(|line| run.jobs_csv(line));
        let last = |line: &str| line.rsplit(',').next().unwrap().parse::<f64>().unwrap();
        let slowdowns: Vec<f64> = text.lines().skip(1).map(last).collect();
        (
            slowdowns.iter().sum::<f64>() / slowdowns.len() as f64,
            run.measures().figures["bounded_slowdown.mean"],
        )
    };
    let (usual, of_table) = column(&Scenario::new("fcfs"));
    assert!((usual - of_table).abs() < 1e-9 * usual);
    let (other, of_table) = column(&Scenario::new("fcfs").with("threshold", 600.0));
    assert!((other - of_table).abs() < 1e-9 * other && other < usual);
}

/// Equal schedules are found by their digests, not by the names of policies.
#[test]
fn runs_with_the_same_schedule_are_told_in_the_terminal() {
    let trace = root().join("tests/cases/easy-uses-extra-processors-once/trace.swf");
    let run = |policies: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_schedscope"));
        command.arg("run").arg(&trace);
        command.args(policies.iter().flat_map(|policy| ["--policy", policy]));
        let output = command.output().unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.lines()
            .filter(|line| line.starts_with("Same schedule"))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        run(&["fcfs", "easy", "maui"]),
        ["Same schedule: maui has that of easy, job by job."]
    );
    assert_eq!(run(&["fcfs", "easy"]), [""; 0]);
}

#[test]
fn names_with_commas_are_quoted() {
    let mut trace = (*sample()).clone();
    trace.name = "a, \"b\"\nc".into();
    let run = run(&Scenario::new("fcfs"), &Arc::new(trace));
    let text = written(|line| run.jobs_csv(line));
    assert!(text.contains("1,\"a, \"\"b\"\"\nc\",0,"));
    // A line end in a comment of an SWF file would start a job line.
    assert!(
        written(|line| run.swf(line))
            .lines()
            .all(|line| line.starts_with(';') || line.split(' ').count() == 18)
    );
}

/// Text that begins like a formula is quoted. A number stays a number, also below zero.
#[test]
fn text_that_begins_like_a_formula_is_guarded() {
    for (text, field) in [
        ("=1+1", "'=1+1"),
        ("+cmd", "'+cmd"),
        ("-a", "'-a"),
        ("@sum", "'@sum"),
        ("\t=1", "\"'\t=1\""),
        ("\r=1", "\"'\r=1\""),
        ("=1,\"2\"", "\"'=1,\"\"2\"\"\""),
        ("a;=1", "\"a;=1\""),
        ("-1", "-1"),
        ("+1.5e3", "+1.5e3"),
        ("-inf", "'-inf"),
        ("a=1", "a=1"),
        ("", ""),
    ] {
        assert_eq!(csv_field(text), field, "{text}");
    }
    let mut trace = (*sample()).clone();
    trace.name = "=HYPERLINK(\"x\")".into();
    let run = run(&Scenario::new("fcfs"), &Arc::new(trace));
    assert!(written(|line| run.jobs_csv(line)).contains("1,\"'=HYPERLINK(\"\"x\"\")\",0,"));
}

#[test]
fn the_summary_says_everything_under_stable_names() {
    let run = run(&Scenario::new("easy").with("depth", 2.0), &sample());
    let measures = run.measures();
    let summary = summary(&run, &measures);
    assert_eq!(
        summary["metrics"]["wait"]["mean"].as_f64(),
        measures.figures.get("wait.mean").copied()
    );
    assert_eq!(
        summary["metrics"]["utilisation"]["value"].as_f64(),
        measures.figures.get("utilisation.value").copied()
    );
    assert_eq!(summary["metrics"]["wait"]["unit"], "s");
    assert_eq!(summary["parameters"]["depth"], 2);
    assert_eq!(summary["parameters"]["ties"], "together");
    assert_eq!(
        summary["schedule"]["digest"],
        format!("{:016x}", run.schedule().digest())
    );
    assert_eq!(summary["import"]["read"], 400);
    assert_eq!(summary["program"]["engine"], schedscope::experiment::ENGINE);
    assert_eq!(summary["trace"]["sha256"].as_str().unwrap().len(), 64);
    // The settings of an adaptive policy's candidate appear under the candidate's name.
    let adaptive = super::support::run(
        &Scenario::new("wbas")
            .with("candidates", "easy+fcfs")
            .with("easy.depth", 3.0),
        &sample(),
    );
    let parameters =
        &schedscope::experiment::summary(&adaptive, &adaptive.measures())["parameters"];
    assert_eq!(
        (
            &parameters["easy.depth"],
            &parameters["easy.scan"],
            &parameters["depth"]
        ),
        (&3.into(), &"queue".into(), &serde_json::Value::Null)
    );
    for grouping in ["size", "run_time", "user", "month"] {
        let classes = summary["classes"][grouping].as_array().unwrap();
        let jobs: u64 = classes
            .iter()
            .map(|class| class["jobs"].as_u64().unwrap())
            .sum();
        assert_eq!(jobs, 400, "{grouping}");
    }
}
