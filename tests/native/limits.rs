//! Each limit holds: larger input is refused or left out, and the docs and the page name the same
//! numbers.

use super::support::{folder, refused as said_refusing, root, schedscope, unpublished};
use schedscope::cluster;
use schedscope::experiment::{Scenario, WhatIf};
use schedscope::import::{BadLines, Reader, read};
use schedscope::limits::{self, ALL, Limit};
use schedscope::plan::Plan;
use schedscope::problem::Problem;
use schedscope::sharing::{SiteFiles, shared};
use schedscope::slurm::{Controller, NodeReservation, SlurmAccounts, SlurmConf};
use schedscope::trace::{Demands, Trace};
use schedscope::view::Filter;
use schedscope::workload::model::generate;
use serde_json::{Value, json};

/// Returns true if the problem names the size of the input and the limit.
fn is_too_large(problem: &Problem, most: usize) -> bool {
    problem.what.contains("is too large") && problem.why.contains(&format!("At most {most} "))
}

fn refused<T>(result: Result<T, Problem>, most: usize) {
    let problem = result
        .err()
        .unwrap_or_else(|| panic!("input above the limit of {most} was accepted"));
    assert!(is_too_large(&problem, most), "{problem}");
}

#[test]
fn the_docs_have_every_limit() {
    let text = std::fs::read_to_string(root().join("docs/limits.md")).unwrap();
    let row = |Limit {
                   name,
                   most,
                   what,
                   beyond,
               }: &Limit| {
        let digits = most.to_string();
        let groups: Vec<&str> = digits
            .as_bytes()
            .rchunks(3)
            .rev()
            .map(|group| std::str::from_utf8(group).unwrap())
            .collect();
        format!("| `{name}` | {} | {what} | {beyond} |\n", groups.join(","))
    };
    let table = ALL.iter().map(row).collect::<String>();
    assert!(
        text.contains(&table),
        "docs/limits.md must have this table:\n{table}"
    );
}

#[test]
fn the_page_has_the_same_limits() {
    let Some(folder) = unpublished("www/src/engine") else {
        return;
    };
    let text = std::fs::read_to_string(folder.join("limits.ts")).unwrap();
    let mut count = 0;
    for line in text.lines() {
        let Some((name, value)) = line
            .trim()
            .strip_suffix(',')
            .and_then(|line| line.split_once(": "))
        else {
            continue;
        };
        let most: usize = value
            .replace('_', "")
            .parse()
            .unwrap_or_else(|_| panic!("{line}"));
        let limit = ALL
            .iter()
            .find(|limit| limit.name == name)
            .unwrap_or_else(|| panic!("no limit {name}"));
        assert_eq!(limit.most, most, "{name}");
        count += 1;
    }
    assert!(count >= 8, "{count} limits in www/src/engine/limits.ts");
}

/// A test of each limit: its name, the file of the test, and the name of the test. Each test refuses, cuts
/// or counts an input just above the limit.
const TESTED: &[(&str, &str, &str)] = &[
    (
        "line_bytes",
        "src/import/formats/swf.rs",
        "a_line_that_never_ends_is_refused_while_it_comes",
    ),
    (
        "more_fields",
        "tests/native/limits.rs",
        "fields_of_swf_beyond_the_limit_are_left_out",
    ),
    (
        "log_line_bytes",
        "tests/native/limits.rs",
        "rows_of_logs_are_bounded",
    ),
    (
        "array_tasks",
        "tests/native/limits.rs",
        "arrays_in_a_row_are_bounded",
    ),
    (
        "words_bytes",
        "src/import/rows/builder.rs",
        "names_beyond_the_limit_are_left_out_and_counted",
    ),
    (
        "table_columns",
        "tests/native/tables.rs",
        "columns_beyond_the_limits_are_left_out_or_refused",
    ),
    (
        "more_columns",
        "tests/native/tables.rs",
        "columns_beyond_the_limits_are_left_out_or_refused",
    ),
    (
        "columns_bytes",
        "src/import/formats/table/mapping.rs",
        "faults_are_named",
    ),
    (
        "header_lines",
        "src/import/formats/swf.rs",
        "comments_beyond_the_limits_are_left_out_and_counted",
    ),
    (
        "header_bytes",
        "src/import/formats/swf.rs",
        "comments_beyond_the_limits_are_left_out_and_counted",
    ),
    (
        "gzip_members",
        "www/test/unpack.test.mjs",
        "more members than the limit are refused",
    ),
    (
        "unpack_window",
        "tests/native/parser.rs",
        "bad_files_have_their_exact_messages",
    ),
    (
        "parquet_bytes",
        "src/import/packed/unpack.rs",
        "a_parquet_file_beyond_the_limit_is_refused",
    ),
    (
        "parquet_page",
        "tests/native/parser.rs",
        "bad_files_have_their_exact_messages",
    ),
    (
        "parquet_levels",
        "tests/native/parquet.rs",
        "a_schema_that_is_no_tree_is_refused",
    ),
    (
        "demands_bytes",
        "tests/native/limits.rs",
        "tables_of_demands_are_bounded",
    ),
    (
        "model_jobs",
        "tests/native/limits.rs",
        "names_and_settings_are_bounded",
    ),
    ("plan_bytes", "tests/native/limits.rs", "plans_are_bounded"),
    ("plan_cells", "tests/native/limits.rs", "plans_are_bounded"),
    (
        "plan_metrics",
        "tests/native/limits.rs",
        "plans_are_bounded",
    ),
    (
        "what_if_bytes",
        "tests/native/limits.rs",
        "files_are_read_no_further_than_their_limits",
    ),
    (
        "what_if_entries",
        "tests/native/limits.rs",
        "what_ifs_and_filters_are_bounded",
    ),
    (
        "forecast_samples",
        "tests/native/forecast.rs",
        "what_cannot_be_forecast_is_refused",
    ),
    (
        "forecast_horizon",
        "tests/native/forecast.rs",
        "what_cannot_be_forecast_is_refused",
    ),
    (
        "forecast_jobs",
        "tests/native/forecast.rs",
        "a_queue_beyond_the_limit_is_refused",
    ),
    (
        "forecast_starts",
        "tests/native/forecast.rs",
        "a_crowded_moment_is_left_out_and_counted",
    ),
    (
        "forecast_arrivals",
        "tests/native/forecast.rs",
        "a_sample_with_too_many_arrivals_is_refused",
    ),
    (
        "forecast_moments",
        "tests/native/forecast.rs",
        "what_cannot_be_forecast_is_refused",
    ),
    (
        "requeues",
        "tests/native/preemption.rs",
        "a_run_that_would_not_end_stops",
    ),
    (
        "name_bytes",
        "tests/native/limits.rs",
        "names_and_settings_are_bounded",
    ),
    (
        "settings",
        "tests/native/limits.rs",
        "names_and_settings_are_bounded",
    ),
    (
        "setting_bytes",
        "tests/native/limits.rs",
        "names_and_settings_are_bounded",
    ),
    (
        "description_bytes",
        "tests/native/limits.rs",
        "descriptions_are_bounded",
    ),
    (
        "node_list_bytes",
        "tests/native/limits.rs",
        "lists_of_nodes_are_bounded",
    ),
    (
        "cluster_nodes",
        "tests/native/nodes.rs",
        "what_would_eat_the_machine_is_refused",
    ),
    (
        "partition_nodes",
        "tests/native/nodes.rs",
        "what_would_eat_the_machine_is_refused",
    ),
    (
        "switches",
        "tests/native/slurm/switches.rs",
        "bad_switches_are_refused",
    ),
    (
        "cluster_cores",
        "tests/native/limits.rs",
        "parts_of_clusters_are_bounded",
    ),
    (
        "filter_bytes",
        "tests/native/limits.rs",
        "what_ifs_and_filters_are_bounded",
    ),
    (
        "filter_words",
        "tests/native/columns.rs",
        "a_filter_tells_what_it_does_not_know",
    ),
    (
        "link_characters",
        "www/test/links.test.mjs",
        "what is too much is refused before anything is made of it",
    ),
    (
        "link_bytes",
        "www/test/links.test.mjs",
        "what is too much is refused before anything is made of it",
    ),
    (
        "link_runs",
        "www/test/links.test.mjs",
        "what is too much is refused before anything is made of it",
    ),
    (
        "exercise_bytes",
        "www/test/teach.test.mjs",
        "an exercise of another form is refused with the place",
    ),
    (
        "exercise_chapters",
        "www/test/teach.test.mjs",
        "lists and numbers of an exercise have upper bounds",
    ),
    (
        "exercise_jobs",
        "www/test/teach.test.mjs",
        "an exercise of another form is refused with the place",
    ),
    (
        "exercise_runs",
        "www/test/teach.test.mjs",
        "lists and numbers of an exercise have upper bounds",
    ),
    (
        "exercise_questions",
        "www/test/teach.test.mjs",
        "lists and numbers of an exercise have upper bounds",
    ),
    (
        "exercise_number",
        "www/test/teach.test.mjs",
        "lists and numbers of an exercise have upper bounds",
    ),
    (
        "answers_bytes",
        "www/test/answers.test.mjs",
        "a file of answers that is too long is left out, and named",
    ),
    (
        "answers_files",
        "www/test/answers.test.mjs",
        "more files of answers than the limit are refused",
    ),
    (
        "own_policies",
        "src/policy/own/registry.rs",
        "definitions_beyond_the_limit_are_refused",
    ),
    (
        "own_params",
        "tests/native/own.rs",
        "a_definition_that_breaks_a_rule_is_refused",
    ),
    (
        "own_idle",
        "tests/native/own.rs",
        "the_terminal_tells_what_is_wrong_with_a_policy",
    ),
    (
        "own_bytes",
        "tests/native/compiled.rs",
        "the_terminal_tells_what_stops_a_module",
    ),
    (
        "own_memory",
        "tests/native/compiled.rs",
        "the_terminal_tells_what_stops_a_module",
    ),
    (
        "own_table",
        "tests/native/compiled.rs",
        "a_module_that_is_no_policy_is_refused",
    ),
    (
        "own_depth",
        "tests/native/compiled.rs",
        "the_terminal_tells_what_stops_a_module",
    ),
    (
        "own_start",
        "tests/native/compiled.rs",
        "a_loop_that_does_not_end_is_stopped",
    ),
    (
        "own_seconds",
        "tests/native/compiled.rs",
        "a_loop_that_does_not_end_is_stopped",
    ),
    (
        "own_kept",
        "www/test/limits.test.mjs",
        "the page keeps no more own policies than the limit",
    ),
    (
        "own_log_lines",
        "www/test/limits.test.mjs",
        "the log of an own policy is cut, and further lines are counted",
    ),
    (
        "own_log_characters",
        "www/test/limits.test.mjs",
        "the log of an own policy is cut, and further lines are counted",
    ),
];

#[test]
fn every_limit_has_a_test() {
    let names: Vec<&str> = ALL.iter().map(|limit| limit.name).collect();
    let tested: Vec<&str> = TESTED.iter().map(|(name, ..)| *name).collect();
    assert_eq!(tested, names, "TESTED has one entry for each limit");
    let has_page = unpublished("www").is_some();
    for (name, path, test) in TESTED {
        let is_page = path.starts_with("www/");
        if is_page && !has_page {
            continue;
        }
        let content = std::fs::read_to_string(root().join(path))
            .unwrap_or_else(|error| panic!("{name}: {path} cannot be read: {error}"));
        let beginning = if is_page {
            format!("test(\"{test}\"")
        } else {
            format!("fn {test}(")
        };
        assert!(
            content.contains(&beginning),
            "{name}: {path} has no test `{test}`"
        );
    }
}

#[test]
fn names_and_settings_are_bounded() {
    let long = "x".repeat(limits::NAME_BYTES + 1);
    let easy = || Scenario::new("easy");
    refused(
        Scenario {
            policy: long.clone(),
            ..easy()
        }
        .resolve(),
        limits::NAME_BYTES,
    );
    refused(
        Scenario {
            machine: long.clone(),
            ..easy()
        }
        .resolve(),
        limits::NAME_BYTES,
    );
    refused(
        Scenario {
            preset: Some(long.clone()),
            ..easy()
        }
        .resolve(),
        limits::NAME_BYTES,
    );
    refused(easy().with(&long, 1.0).resolve(), limits::NAME_BYTES);
    refused(generate(&long, &easy().settings), limits::NAME_BYTES);
    let word = "easy+".repeat(limits::SETTING_BYTES / 5) + "x";
    refused(
        Scenario::new("pbas").with("candidates", &*word).resolve(),
        limits::SETTING_BYTES,
    );
    refused(
        generate("random", &easy().with("estimates_drawn", &*word).settings),
        limits::SETTING_BYTES,
    );
    let many = (0..=limits::SETTINGS).fold(Scenario::new("pbas"), |scenario, at| {
        scenario.with(&format!("easy{at}.depth"), 1.0)
    });
    refused(many.resolve(), limits::SETTINGS);
    let jobs = generate(
        "random",
        &easy()
            .with("jobs", (limits::MODEL_JOBS + 1) as f64)
            .settings,
    )
    .unwrap_err();
    assert!(jobs.why.contains(&limits::MODEL_JOBS.to_string()), "{jobs}");
}

#[test]
fn what_ifs_and_filters_are_bounded() {
    let what_if = |what: Value| {
        let what: WhatIf = serde_json::from_value(what).unwrap();
        Scenario {
            what_if: Some(Box::new(what)),
            ..Scenario::new("easy")
        }
        .resolve()
        .map(drop)
    };
    let jobs = |count: usize| {
        (0..count)
            .map(|number| json!({ "number": number, "estimate": 5.0 }))
            .collect::<Vec<_>>()
    };
    what_if(json!({ "at": 5.0, "jobs": jobs(limits::WHAT_IF_ENTRIES), "without_users": vec![1; limits::WHAT_IF_ENTRIES] })).unwrap();
    refused(
        what_if(json!({ "at": 5.0, "jobs": jobs(limits::WHAT_IF_ENTRIES + 1) })),
        limits::WHAT_IF_ENTRIES,
    );
    refused(
        what_if(json!({ "at": 5.0, "without_users": vec![1; limits::WHAT_IF_ENTRIES + 1] })),
        limits::WHAT_IF_ENTRIES,
    );
    refused(
        what_if(json!({ "at": 5.0, "policy": "x".repeat(limits::NAME_BYTES + 1) })),
        limits::NAME_BYTES,
    );
    refused(
        what_if(
            json!({ "at": 5.0, "settings": { "order": "x".repeat(limits::SETTING_BYTES + 1) } }),
        ),
        limits::SETTING_BYTES,
    );
    let filter = |bytes: usize| Filter::parse(&"7 ".repeat(bytes / 2), None);
    filter(limits::FILTER_BYTES).unwrap();
    refused(filter(limits::FILTER_BYTES + 2), limits::FILTER_BYTES);
}

#[test]
fn tables_of_demands_are_bounded() {
    let mut table = b"job,cpu,network,disk,memory\n1,1,0,0,0\n".to_vec();
    table.resize(limits::DEMANDS_BYTES, b'\n');
    assert_eq!(Demands::read("d.csv", &table).unwrap().rows.len(), 1);
    table.push(b'\n');
    refused(Demands::read("d.csv", &table), limits::DEMANDS_BYTES);
}

/// The program reads only as much as it needs to refuse a file.
#[test]
fn files_are_read_no_further_than_their_limits() {
    let home = folder("limits");
    let trace = home.join("one.swf");
    std::fs::write(
        &trace,
        "; MaxProcs: 4\n1 0 -1 10 1 -1 -1 1 10 -1 1 1 1 1 1 1 -1 -1\n",
    )
    .unwrap();
    let file = |name: &str, bytes: usize| {
        let path = home.join(name);
        // The file is sparse, and takes no space on the disk.
        std::fs::File::create(&path)
            .unwrap()
            .set_len(bytes as u64)
            .unwrap();
        path
    };
    let many = |most: usize| format!("it has more than {most} bytes (docs/limits.md)");
    let said = said_refusing(&schedscope(&[
        &"run",
        &trace,
        &"--policy",
        &"easy",
        &"--what-if",
        &file("what.json", 1 << 30),
    ]));
    assert!(said.contains(&many(limits::WHAT_IF_BYTES)), "{said}");
    let said = said_refusing(&schedscope(&[
        &"run",
        &trace,
        &"--policy",
        &"easy",
        &"--demands",
        &file("demands.csv", 1 << 30),
    ]));
    assert!(said.contains(&many(limits::DEMANDS_BYTES)), "{said}");
    let said = said_refusing(&schedscope(&[
        &"run",
        &trace,
        &"--policy",
        &"easy",
        &"--cluster",
        &file("cluster.conf", 1 << 30),
    ]));
    assert!(said.contains(&many(limits::NODE_LIST_BYTES)), "{said}");
    let said = said_refusing(&schedscope(&[
        &"sweep",
        &file("plan.json", 1 << 30),
        &"--list",
    ]));
    assert!(said.contains(&many(limits::PLAN_BYTES)), "{said}");
}

#[test]
fn plans_are_bounded() {
    let plan = |change: &dyn Fn(&mut Value)| {
        let mut plan = json!({
            "schedscope_plan": 1, "workloads": [{ "model": { "id": "random" } }], "machines": [{ "machine": "flat" }],
            "policies": [{ "policy": "easy" }],
        });
        change(&mut plan);
        Plan::parse(&plan.to_string())
    };
    let text = plan(&|_| ()).unwrap().text();
    Plan::parse(&format!(
        "{text}{}",
        " ".repeat(limits::PLAN_BYTES - text.len())
    ))
    .unwrap();
    refused(
        Plan::parse(&format!("{text}{}", " ".repeat(limits::PLAN_BYTES))),
        limits::PLAN_BYTES,
    );
    let nested = "[".repeat(limits::PLAN_BYTES);
    assert!(
        Plan::parse(&nested)
            .unwrap_err()
            .what
            .contains("not understood")
    );
    let seeds = |count: usize| plan(&|plan| plan["seeds"] = (0..count).collect());
    seeds(limits::PLAN_CELLS).unwrap();
    assert!(
        seeds(limits::PLAN_CELLS + 1)
            .unwrap_err()
            .what
            .contains("too many cells")
    );
    refused(
        plan(&|plan| plan["metrics"] = vec!["wait.mean"; limits::PLAN_METRICS + 1].into()),
        limits::PLAN_METRICS,
    );
    // Nobody has given the code of these policies, so a shorter list is refused for another reason.
    let own = |count: usize| {
        let code = json!({ "policy": "absent", "file": "absent.js", "sha256": "0".repeat(64) });
        plan(&|plan| plan["own"] = vec![code.clone(); count].into())
    };
    let absent = own(limits::OWN_KEPT).unwrap_err();
    assert!(!is_too_large(&absent, limits::OWN_KEPT), "{absent}");
    refused(own(limits::OWN_KEPT + 1), limits::OWN_KEPT);
    let name = "x".repeat(limits::NAME_BYTES + 1);
    for (list, field) in [
        ("workloads", "label"),
        ("machines", "label"),
        ("machines", "machine"),
        ("policies", "label"),
        ("policies", "policy"),
        ("policies", "preset"),
    ] {
        refused(
            plan(&|plan| plan[list][0][field] = name.clone().into()),
            limits::NAME_BYTES,
        );
    }
    refused(
        plan(&|plan| plan["workloads"][0]["model"]["id"] = name.clone().into()),
        limits::NAME_BYTES,
    );
    refused(
        plan(&|plan| plan["workloads"][0] = json!({ "trace": { "name": name } })),
        limits::NAME_BYTES,
    );
    refused(
        plan(&|plan| {
            plan["workloads"][0] = json!({ "trace": { "name": "a.swf", "archive": name } });
        }),
        limits::NAME_BYTES,
    );
    let many: Value = (0..=limits::SETTINGS)
        .map(|at| (format!("easy{at}.depth"), 1.into()))
        .collect::<serde_json::Map<_, _>>()
        .into();
    refused(
        plan(&|plan| plan["settings"] = many.clone()),
        limits::SETTINGS,
    );
    refused(
        plan(&|plan| plan["workloads"][0]["settings"] = many.clone()),
        limits::SETTINGS,
    );
    let long = plan(&|plan| {
        plan["sweep"] = json!({ "order": ["sjf", "x".repeat(limits::SETTING_BYTES + 1)] });
    })
    .unwrap_err();
    assert!(
        long.what.contains("`sweep.order[1]`") && long.what.contains("too long"),
        "{long}"
    );
}

/// A job of SWF.
const JOB: &str = "1 0 5 10 4 -1 -1 4 20 -1 1 3 2 -1 0 -1 -1 -1";

#[test]
fn fields_of_swf_beyond_the_limit_are_left_out() {
    let columns = |more: usize| {
        let line = format!("{JOB}{}\n", " 7".repeat(more));
        let trace = read("log.swf", line.as_bytes(), BadLines::Stop).unwrap();
        let column = |column: &schedscope::trace::Column| (column.id.clone(), column.number(0));
        trace.columns.iter().map(column).collect::<Vec<_>>()
    };
    let all = columns(limits::MORE_FIELDS);
    assert_eq!(all.len(), limits::MORE_FIELDS);
    assert_eq!(all.last(), Some(&("field82".to_owned(), Some(7))));
    assert_eq!(columns(limits::MORE_FIELDS + 1), all);
}

/// The beginning of a log of sacct: the header and a short row.
const SACCT: &str = "JobID|Submit|Start|End|State|NCPUS|JobName\n\
    1|1714982400|1714982460|1714986060|COMPLETED|4|a\n";

/// The beginning of a further row.
const ROW: &str = "2|1714982400|1714982460|1714986060|COMPLETED|4|";

/// Reads a log that comes in pieces.
fn in_pieces(pieces: &[&str]) -> Result<Trace, Problem> {
    let mut reader = Reader::new(BadLines::Stop);
    for piece in pieces {
        reader.push(piece.as_bytes())?;
    }
    reader.finish("log")
}

#[test]
fn rows_of_logs_are_bounded() {
    let most = limits::LOG_LINE_BYTES;
    let too_long = format!("Line 3 is longer than {most} bytes.");
    // The text before a row, the row around the name of its job, the text after it, and the number of jobs.
    for (before, start, end, after, jobs, says) in [
        (SACCT, ROW, "", "\n", 2, too_long.as_str()),
        (
            "submit,runtime,name\n1600000000,60,a\n",
            "1600000001,60,",
            "",
            "\n",
            2,
            too_long.as_str(),
        ),
        (
            "{\"jobs\": [",
            "{\"job_id\": 2, \"state\": {\"current\": \"COMPLETED\"}, \"cpus\": 4, \"time\": \
                {\"submission\": 1714982400, \"start\": 1714982460, \"end\": 1714986060}, \"name\": \"",
            "\"}",
            "]}",
            1,
            "A job is longer than a row of a log may be.",
        ),
    ] {
        let row = |bytes: usize| {
            let name = "x".repeat(bytes - start.len() - end.len());
            format!("{before}{start}{name}{end}")
        };
        let trace = in_pieces(&[&row(most), after]).unwrap();
        assert_eq!(trace.records.len(), jobs, "{says}");
        let problem = in_pieces(&[&row(most + 1), after]).unwrap_err();
        assert!(problem.to_string().contains(says), "{says}: {problem}");
    }
    // Rows that are complete in one piece, and a row of two lines.
    let table = "submit,runtime,name\n1600000000,60,a\n1600000001,60,";
    let of_table = |bytes: usize| {
        let name = "x".repeat(bytes - "1600000001,60,".len());
        in_pieces(&[&format!("{table}{name}\n")])
    };
    assert_eq!(of_table(most).unwrap().records.len(), 2);
    assert_eq!(of_table(most + 1).unwrap_err().what, too_long);
    let row = |bytes: usize| format!("{SACCT}{ROW}{}\n", "x".repeat(bytes - ROW.len()));
    assert_eq!(in_pieces(&[&row(most)]).unwrap().records.len(), 2);
    let half = "x".repeat(most / 2);
    for log in [row(most + 1), format!("{SACCT}2|{half}\n{half}\n")] {
        assert_eq!(in_pieces(&[&log]).unwrap_err().what, too_long);
    }
}

#[test]
fn arrays_in_a_row_are_bounded() {
    let jobs = |tasks: u64| {
        let row = ROW.replacen('2', &format!("2_[1-{tasks}]"), 1);
        let trace = in_pieces(&[SACCT, &row, "b\n"]).unwrap();
        (trace.records.len(), trace.report.of("array_too_long"))
    };
    let most = limits::ARRAY_TASKS;
    assert_eq!(jobs(most), (1 + most as usize, 0));
    assert_eq!(jobs(most + 1), (1, most + 1));
}

/// A small cluster.
const CLUSTER: &str = "NodeName=n1 CPUs=4\nPartitionName=p Nodes=ALL Default=YES\n";

/// Returns a text of so many bytes: `text`, and then a comment.
fn padded(text: &str, bytes: usize) -> String {
    format!("{text}#{}", "x".repeat(bytes - text.len() - 1))
}

#[test]
fn descriptions_are_bounded() {
    let most = limits::DESCRIPTION_BYTES;
    assert_eq!(cluster::read(&padded(CLUSTER, most)).unwrap().nodes(), 1);
    refused(cluster::read(&padded(CLUSTER, most + 1)), most);
    // The parameters of several lines. The texts of Slurm may be comments only.
    for (key, text) in [("cluster", CLUSTER), ("conf", ""), ("accounts", "")] {
        let scenario = Scenario::new("slurm").with("cluster", CLUSTER);
        let with = |bytes: usize| {
            let text = padded(text, bytes);
            scenario.clone().with(key, text.as_str()).resolve()
        };
        let problem = with(most).err();
        assert!(problem.is_none(), "{key}: {problem:?}");
        refused(with(most + 1), most);
    }
    // The whole slurm.conf may hold the description of the cluster and `conf`.
    SlurmConf::read(&padded(CLUSTER, 2 * most)).unwrap();
    refused(SlurmConf::read(&padded(CLUSTER, 2 * most + 1)), 2 * most);
}

#[test]
fn lists_of_nodes_are_bounded() {
    let most = limits::NODE_LIST_BYTES;
    let described = cluster::description(&padded(CLUSTER, most)).unwrap();
    assert_eq!(described, CLUSTER.trim_end());
    refused(cluster::description(&padded(CLUSTER, most + 1)), most);
    let site = SiteFiles {
        log: &Trace::default(),
        conf: &padded(CLUSTER, most + 1),
        accounts: "",
        keeps_date: false,
    };
    refused(shared(&site), most);
    // The lines that a list keeps are a description.
    let kept = format!(
        "{CLUSTER}DownNodes={}",
        "x".repeat(limits::DESCRIPTION_BYTES)
    );
    refused(cluster::description(&kept), limits::DESCRIPTION_BYTES);
    let row = |at: usize| format!("{}{at},4\n", "n".repeat(490));
    let table = format!("name,cores\n{}", (0..2200).map(row).collect::<String>());
    refused(cluster::description(&table), limits::DESCRIPTION_BYTES);
}

/// Partitions, and advance reservations, that a cluster can have: the bits of a word.
const BITS: usize = 64;

#[test]
fn parts_of_clusters_are_bounded() {
    let half = limits::CLUSTER_CORES / 2;
    let cores = |each: usize| format!("NodeName=n[1-2] CPUs={each}\nPartitionName=p Nodes=ALL\n");
    let largest = cluster::read(&cores(half)).unwrap();
    assert_eq!(largest.cores() as usize, limits::CLUSTER_CORES);
    refused(cluster::read(&cores(half + 1)), limits::CLUSTER_CORES);
    let problem = SlurmConf::read(&cores(half + 1)).unwrap_err().to_string();
    assert!(problem.contains("too many cores"), "{problem}");

    let partition = |at: usize| format!("PartitionName=p{at}\n");
    let reservation = |at: usize| format!("ReservationName=r{at} StartTime=0 Duration=1\n");
    let lines: [&dyn Fn(usize) -> String; 2] = [&partition, &reservation];
    for line in lines {
        let with = |count: usize| {
            let lines = (0..count).map(line).collect::<String>();
            cluster::read(&format!("NodeName=n1\n{lines}"))
        };
        with(BITS).unwrap();
        refused(with(BITS + 1), BITS);
        // Many more are refused before all lines are read.
        let problem = with(2 * BITS).unwrap_err();
        assert!(problem.why.contains("at most 64 partitions"), "{problem}");
    }
    let row = |at: usize| format!("n{at},4,p{at}\n");
    let table = |rows: usize| {
        let rows = (0..rows).map(row).collect::<String>();
        cluster::description(&format!("name,cores,partition\n{rows}"))
    };
    table(BITS).unwrap();
    refused(table(BITS + 1), BITS);

    let mut controller = Controller::new(SlurmConf::read(CLUSTER).unwrap());
    let mut reserve = || {
        let reservation = NodeReservation {
            end: 20,
            ..NodeReservation::default()
        };
        controller.reserve_nodes(reservation, 10)
    };
    (0..BITS).for_each(|_| reserve().unwrap());
    refused(reserve(), BITS);
}

/// A daily reservation has a period on each day until the last submission.
#[test]
fn periods_of_reservations_are_bounded() {
    let scenario = Scenario {
        machine: "nodes".into(),
        ..Scenario::new("fcfs")
    };
    let cluster = "NodeName=n[1-2] CPUs=4\n\
        ReservationName=daily Nodes=n2 StartTime=0 Duration=1 Flags=DAILY\n";
    let resolved = scenario.with("cluster", cluster).resolve().unwrap();
    let with = |periods: i64| {
        let last = JOB.replacen("1 0", &format!("2 {}", 86_400 * (periods - 1)), 1);
        let log = format!("{JOB}\n{last}\n");
        let trace = read("log.swf", log.as_bytes(), BadLines::Stop).unwrap();
        resolved.workload(&trace).map(drop)
    };
    with(4_000).unwrap();
    let problem = with(4_001).unwrap_err();
    assert!(problem.what.contains("4001 periods"), "{problem}");
}

#[test]
fn accounts_are_bounded() {
    let read = SlurmAccounts::read;
    let bytes = 4 << 20;
    read(&padded("add account a\n", bytes)).unwrap();
    refused(read(&padded("add account a\n", bytes + 1)), bytes);
    let names = |count: usize| {
        let names = (0..count).map(|at| format!("x{at}"));
        names.collect::<Vec<_>>().join(",")
    };
    // 50,000 associations take some 30 MB, so the test does not also accept the largest number.
    let users = |count: usize| format!("add account a\nadd user {} account=a", names(count));
    refused(read(&users(50_000)), 50_000);
    // Each cluster has the QOS normal.
    let qos = |count: usize| read(&format!("add qos {}\n", names(count)));
    qos(999).unwrap();
    refused(qos(1_000), 1_000);
    let below = |at: usize| format!("add account a{at} parent=a{}\n", at - 1);
    let levels = |count: usize| {
        let accounts = (2..=count).map(below).collect::<String>();
        read(&format!("add account a1\n{accounts}"))
    };
    levels(60).unwrap();
    refused(levels(61), 60);
    // A thousand users with 5,001 options.
    let options = format!("{} {}", users(1_000), "priority=1 ".repeat(5_001));
    refused(read(&options), 5_000_000);
}
