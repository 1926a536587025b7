//! Tests of plans: a plan is read as it is written, problems name their place, and a sweep equals
//! its single runs.

use super::support::{check, folder, refused, root, schedscope};
use schedscope::experiment::ENGINE;
use schedscope::experiment::Scenario;
use schedscope::param::Value;
use schedscope::plan::{Cell, CellResult, Plan, analyse, cells, measure_cell};
use schedscope::workload::model;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;

const RICH: &str = r#"{
  "schedscope_plan": 1, "name": "All there is", "note": "One of each field.", "combine": "grid",
  "workloads": [
    {"model": {"id": "lublin", "settings": {"jobs": 200, "processors": 64}}, "settings": {"processors": 64}},
    {"label": "a log", "trace": {"name": "log.swf", "sha256": "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff", "archive": "https://example.org/"}, "settings": {"resample": "weeks"}}
  ],
  "machines": [{"label": "small", "machine": "flat"}],
  "policies": [
    {"policy": "fcfs"}, {"label": "EASY 2", "policy": "easy", "settings": {"depth": 2}}, {"label": "as pyss", "policy": "easy", "preset": "pyss"}
  ],
  "windows": [{"first_job": 1, "jobs": 100}, {"first_job": 101}],
  "loads": {"by": "arrivals", "offered": [0.5, 0.9]}, "seeds": [1, 2, 3], "sweep": {"estimate_factor": [1, 3], "estimate_model": ["uniform"]},
  "settings": {"overrun": "kill"}, "warm_up": 0.1, "cool_down": 0.05, "metrics": ["wait.mean"], "keep": ["months", "jobs"]
}"#;

fn plan(text: &str) -> Plan {
    Plan::parse(text).unwrap_or_else(|problem| panic!("{problem}"))
}

#[test]
fn plans_round_trip() {
    let rich = plan(RICH);
    assert_eq!(plan(&rich.text()), rich);
    let least = plan(
        r#"{"schedscope_plan": 1, "workloads": [{"trace": {"name": "a.swf"}}], "policies": [{"policy": "easy"}]}"#,
    );
    assert_eq!(plan(&least.text()), least);
    assert!(!least.text().contains("seeds"), "defaults are left out");
}

#[test]
fn seeds_draw_programs_and_shuffle_estimates() {
    let seeds = |settings: &str| -> Vec<(Option<Value>, Option<Value>)> {
        let text = format!(
            r#"{{"schedscope_plan": 1, "workloads": [{{"model": {{"id": "lublin"}}}}], "machines": [{{"machine": "bsp"}}],
                "policies": [{{"policy": "fcfs"}}], "seeds": [4, 5], "settings": {settings}}}"#
        );
        let value = |cell: &Cell, key: &str| cell.scenario.settings.0.get(key).cloned();
        cells(&plan(&text))
            .unwrap()
            .iter()
            .map(|cell| (value(cell, "programs_seed"), value(cell, "estimate_seed")))
            .collect()
    };
    let number = |seed: f64| Some(Value::Number(seed));
    assert_eq!(
        seeds(r#"{"programs": "drawn", "estimate_model": "shuffled"}"#),
        [(number(4.0), number(4.0)), (number(5.0), number(5.0))]
    );
    assert_eq!(
        seeds(r#"{"programs": "applications"}"#),
        [(number(4.0), None), (number(5.0), None)]
    );
    assert_eq!(
        seeds(r#"{"programs": "library", "estimate_model": "exact"}"#),
        [(None, None), (None, None)]
    );
}

#[test]
fn a_grid_crosses_everything_and_settings_win_from_the_inside() {
    let all = cells(&plan(RICH)).unwrap();
    assert_eq!(all.len(), 2 * 3 * 2 * 2 * 3 * 2);
    let value = |cell: &Cell, key: &str| cell.scenario.settings.0.get(key).cloned();
    for cell in &all {
        let number = |key: &str| match &cell.axes[key] {
            Value::Number(number) => *number,
            Value::Text(text) => panic!("{key} is {text}"),
        };
        assert_eq!(value(cell, "load"), Some(Value::Number(number("load"))));
        assert_eq!(value(cell, "warm_up"), Some(Value::Number(0.1)));
        assert_eq!(
            value(cell, "estimate_seed"),
            Some(Value::Number(number("seed")))
        );
        // Only the log is resampled, only the model has a seed of its own, and only EASY has a
        // depth.
        let is_log = cell.source.trace.is_some();
        assert_eq!(value(cell, "resample_seed").is_some(), is_log);
        assert_eq!(
            cell.source
                .model
                .as_ref()
                .map(|model| model.settings.0["seed"].clone()),
            (!is_log).then(|| Value::Number(number("seed")))
        );
        assert_eq!(
            value(cell, "depth").is_some(),
            cell.axes["policy"] == Value::Text("EASY 2".into())
        );
    }
    let keys: BTreeSet<&str> = all.iter().map(|cell| cell.key.as_str()).collect();
    assert_eq!(keys.len(), all.len());
}

#[test]
fn a_list_takes_values_side_by_side() {
    let text = |factors: &str| {
        format!(
            r#"{{"schedscope_plan": 1, "combine": "list", "workloads": [{{"model": {{"id": "lublin"}}}}],
                 "policies": [{{"policy": "fcfs"}}, {{"policy": "easy"}}], "seeds": [4, 5], "loads": {{"factors": {factors}}}}}"#
        )
    };
    let two = cells(&plan(&text("[1, 2]"))).unwrap();
    let row = |cell: &Cell| {
        (
            cell.scenario.policy.clone(),
            cell.scenario.settings.0["arrival_factor"].clone(),
        )
    };
    assert_eq!(
        two.iter().map(row).collect::<Vec<_>>(),
        [
            ("fcfs".into(), Value::Number(1.0)),
            ("easy".into(), Value::Number(2.0))
        ]
    );
    assert!(
        cells(&plan(&text("[1, 2, 3]")))
            .unwrap_err()
            .what
            .contains("`combine`")
    );
}

/// The same experiment has the same key, however the plan expresses it. Another experiment has
/// another key.
#[test]
fn settings_that_a_policy_has_not_make_no_new_experiment() {
    let all = cells(&plan(
        r#"{"schedscope_plan": 1, "workloads": [{"model": {"id": "lublin"}}], "policies": [{"policy": "fcfs"}, {"policy": "easy"}],
            "sweep": {"depth": [1, 2, 3]}}"#,
    ))
    .unwrap();
    assert_eq!(all.len(), 6);
    let keys = |policy: &str| {
        all.iter()
            .filter(|cell| cell.scenario.policy == policy)
            .map(|cell| cell.key.as_str())
            .collect::<BTreeSet<_>>()
            .len()
    };
    assert_eq!((keys("fcfs"), keys("easy")), (1, 3));
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of mistakes")]
fn mistakes_are_told_where_they_stand() {
    let change = |from: &str, to: &str| {
        assert!(RICH.contains(from), "{from}");
        RICH.replacen(from, to, 1)
    };
    for (text, path) in [
        ("{".to_owned(), "not understood"),
        (RICH.to_owned() + "{}", "trailing characters"),
        ("[1, \"\", \"\"]".to_owned(), "not a JSON object"),
        (
            change("\"schedscope_plan\": 1,", ""),
            "`schedscope_plan`: The version is missing",
        ),
        (
            change("\"name\": \"log.swf\"", "\"name\": \"../log.swf\""),
            "`workloads[1].trace.name`",
        ),
        (
            change("\"name\": \"log.swf\"", "\"name\": \".swf\""),
            "`workloads[1].trace.name`",
        ),
        (
            change("\"sha256\": \"00", "\"sha256\": \"xx"),
            "`workloads[1].trace.sha256`",
        ),
        (change("[0.5, 0.9]", "[0.5, 0]"), "`loads.offered[1]`"),
        (change("[1, 2, 3]", "[1, 2, 1]"), "`seeds[2]`"),
        (
            change("\"estimate_factor\": [1, 3]", "\"estimate_factor\": [3, 3]"),
            "`sweep.estimate_factor[1]`",
        ),
        (
            change("\"estimate_factor\": [1, 3]", "\"load\": [1, 3]"),
            "`sweep.load`",
        ),
        (
            change("\"estimate_factor\": [1, 3]", "\"jobs\": [1, 3]"),
            "`sweep.jobs`",
        ),
        (
            change("\"estimate_factor\": [1, 3]", "\"resample_seed\": [1, 3]"),
            "`sweep.resample_seed`",
        ),
        (
            change("\"depth\": 2", "\"load\": 2"),
            "`policies[1].settings.load`",
        ),
        (
            change("\"overrun\": \"kill\"", "\"overrun\": true"),
            "expected a number or a word",
        ),
        (
            change("\"cool_down\": 0.05", "\"cool_down\": 0.9"),
            "`cool_down` and `warm_up`",
        ),
        (
            change("\"offered\": [0.5, 0.9]}", "\"factors\": [1, 2]}")
                .replace("\"overrun\"", "\"load\": 0.5, \"overrun\""),
            "`settings.load`",
        ),
        (
            change("\"schedscope_plan\": 1", "\"schedscope_plan\": 2"),
            "`schedscope_plan`",
        ),
        (change("\"note\"", "\"nte\""), "unknown field `nte`"),
        (
            change("\"depth\": 2", "\"depht\": 2"),
            "`policies[1].settings.depht`",
        ),
        (
            change("\"depth\": 2", "\"depth\": -2"),
            "`policies[1].settings.depth`",
        ),
        (
            change("\"policy\": \"fcfs\"", "\"policy\": \"fcsf\""),
            "`policies[0]`",
        ),
        (
            change("\"policy\": \"fcfs\"", "\"policy\": 7"),
            "`policies[0].policy`",
        ),
        (
            change("\"id\": \"lublin\"", "\"id\": \"lublim\""),
            "`workloads[0].model.id`",
        ),
        (
            change("\"jobs\": 200", "\"jobs\": -1"),
            "`workloads[0].model.settings`",
        ),
        (
            change("\"resample\": \"weeks\"", "\"resample\": \"days\""),
            "`workloads[1].settings.resample`",
        ),
        (
            change("{\"name\": \"log.swf\", ", "{\"nam\": \"log.swf\", "),
            "`workloads[1].trace.nam`",
        ),
        (
            change("\"label\": \"as pyss\"", "\"label\": \"FCFS\""),
            "`policies[2]`",
        ),
        (
            change("\"preset\": \"pyss\"", "\"preset\": \"psys\""),
            "`policies[2]`",
        ),
        (
            change("\"first_job\": 101", "\"first_job\": 0"),
            "`windows[1].first_job`",
        ),
        (change("[0.5, 0.9]", "[0.5, 900]"), "`loads.offered[1]`"),
        (
            change("\"by\": \"arrivals\"", "\"by\": \"magic\""),
            "`loads.by`",
        ),
        (change("[0.5, 0.9]", "[]"), "`loads`"),
        (change("[1, 2, 3]", "[1, -2, 3]"), "`seeds[1]`"),
        (
            change("\"estimate_factor\": [1, 3]", "\"estimate_factor\": [1, 0]"),
            "`sweep.estimate_factor[1]`",
        ),
        (
            change("\"estimate_factor\": [1, 3]", "\"estimate_fctor\": [1, 3]"),
            "`sweep.estimate_fctor`",
        ),
        (change("\"overrun\"", "\"overun\""), "`settings.overun`"),
        (change("\"warm_up\": 0.1", "\"warm_up\": 1.1"), "`warm_up`"),
        (change("\"wait.mean\"", "\"wait.maen\""), "`metrics[0]`"),
        (
            change("\"keep\": [\"months\"", "\"keep\": [\"month\""),
            "`keep[0]`",
        ),
        (
            change("\"machine\": \"flat\"", "\"machine\": \"flt\""),
            "`machines[0]`",
        ),
        // JSON readers take the last one of two equal keys without a message.
        (
            change("\"depth\": 2", "\"depth\": 1, \"depth\": 2"),
            "At `policies[1].settings.depth`: the key `depth` occurs twice",
        ),
        (
            change("\"depth\": 2", "\"depth\": 1, \"d\\u0065pth\": 2"),
            "the key `depth` occurs twice",
        ),
        (
            change("\"overrun\"", "\"overrun\": \"keep\", \"overrun\""),
            "At `settings.overrun`: the key `overrun` occurs twice",
        ),
        (
            change(
                "\"estimate_model\"",
                "\"estimate_factor\": [2], \"estimate_model\"",
            ),
            "At `sweep.estimate_factor`",
        ),
        (
            change("\"seeds\"", "\"seeds\": [1], \"seeds\""),
            "At `seeds`: the key `seeds` occurs twice",
        ),
        (
            change("\"jobs\": 200", "\"jobs\": 200, \"jobs\": 300"),
            "At `workloads[0].model.settings.jobs`",
        ),
    ] {
        let problem = Plan::parse(&text)
            .and_then(|plan| cells(&plan).map(drop))
            .expect_err(path);
        assert!(problem.what.contains(path), "expected {path}: {problem}");
    }
}

const SWEEP: &str = r#"{
  "schedscope_plan": 1, "workloads": [{"model": {"id": "lublin", "settings": {"jobs": 300, "processors": 64}}}],
  "policies": [{"policy": "fcfs"}, {"policy": "easy"}, {"policy": "conservative"}], "loads": {"offered": [0.5, 0.8]}, "seeds": [1, 2]
}"#;

/// Returns all files of a result folder, by name.
fn contents(folder: &Path) -> Vec<(String, String)> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder.join("cells"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.extend(["plan.json", "results.csv", "analysis.json"].map(|name| folder.join(name)));
    files.sort();
    files
        .iter()
        .map(|file| {
            (
                file.file_name().unwrap().to_string_lossy().into_owned(),
                fs::read_to_string(file).unwrap(),
            )
        })
        .collect()
}

#[test]
fn the_terminal_says_that_a_size_is_a_guess() {
    let home = folder("guessed-size");
    let trace = home.join("bare.swf");
    fs::write(
        &trace,
        "1 0 -1 100 60 -1 -1 60 100 -1 1 1 1 1 1 1 -1 -1\n2 5 -1 100 8 -1 -1 8 100 \
        -1 1 1 1 1 1 1 -1 -1\n",
    )
    .unwrap();
    let guess = "The machine's size is a guess: 60 processors (the widest job). The header gives \
        neither MaxProcs nor MaxNodes.";
    let run = |more: &[&dyn AsRef<OsStr>]| {
        check(&schedscope(
            &[
                &[&"run" as &dyn AsRef<OsStr>, &trace, &"--policy", &"easy"],
                more,
            ]
            .concat(),
        ))
    };
    let (run_so, inspected) = (run(&[]), check(&schedscope(&[&"inspect", &trace])));
    assert!(
        run_so.contains(guess) && inspected.contains(guess),
        "{run_so}\n{inspected}"
    );
    assert!(!run(&[&"--procs", &"60"]).contains("is a guess"));
    let sweep = |name: &str, settings: &str| {
        let file = home.join(format!("{name}.json"));
        let text = format!(
            r#"{{"schedscope_plan": 1, "workloads": [{{"trace": {{"name": "bare.swf"}}}}], "policies": [{{"policy": "easy"}}], "settings": {{{settings}}}}}"#
        );
        fs::write(&file, text).unwrap();
        check(&schedscope(&[&"sweep", &file, &"--out", &home.join(name)]))
    };
    let printed = sweep("guessed", "");
    assert!(
        printed.contains(&format!("bare.swf: {guess} Set `processors` in the plan.")),
        "{printed}"
    );
    assert!(!sweep("given", "\"processors\": 60").contains("is a guess"));
}

#[test]
fn a_sweep_is_its_single_runs_and_shards_and_restarts_change_nothing() {
    let home = folder("plans-sweep");
    let file = home.join("plan.json");
    fs::write(&file, SWEEP).unwrap();
    let whole = home.join("whole");
    check(&schedscope(&[&"sweep", &file, &"--out", &whole]));
    let expected = contents(&whole);
    // The folder has twelve cells and three files. Every digest equals that of a single run of the
    // generated trace.
    assert_eq!(expected.len(), 15);
    let mut reader = csv::Reader::from_path(whole.join("results.csv")).unwrap();
    let head = reader.headers().unwrap().clone();
    let column = |row: &csv::StringRecord, name: &str| {
        row[head.iter().position(|field| field == name).unwrap()].to_owned()
    };
    for row in reader.records().map(Result::unwrap) {
        let trace = home.join(format!("seed-{}.swf", column(&row, "seed")));
        let seed = format!("seed={}", column(&row, "seed"));
        check(&schedscope(&[
            &"generate",
            &"lublin",
            &"--set",
            &"jobs=300",
            &"--set",
            &"processors=64",
            &"--set",
            &seed,
            &"--out",
            &trace,
            &"--force",
        ]));
        let load = format!("load={}", column(&row, "load"));
        let policy = column(&row, "policy").to_lowercase();
        let printed = check(&schedscope(&[
            &"run",
            &trace,
            &"--policy",
            &policy,
            &"--set",
            &load,
        ]));
        assert!(
            printed.contains(&column(&row, "digest")),
            "{row:?}\n{printed}"
        );
    }
    // The second shard was stopped: one result is missing, and one is half-written.
    let shards = [home.join("one"), home.join("two")];
    for (index, shard) in shards.iter().enumerate() {
        check(&schedscope(&[
            &"sweep",
            &file,
            &"--out",
            shard,
            &"--shard",
            &format!("{}/2", index + 1),
        ]));
    }
    let of_two: Vec<PathBuf> = fs::read_dir(shards[1].join("cells"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    assert_eq!(of_two.len(), 6);
    fs::remove_file(&of_two[0]).unwrap();
    fs::write(&of_two[1], "{\"key\":").unwrap();
    let merged = home.join("merged");
    let early = schedscope(&[&"merge", &shards[0], &shards[1], &"--out", &merged]);
    assert!(
        !early.status.success()
            && String::from_utf8_lossy(&early.stderr).contains("2 of 12 cells are missing")
    );
    let again = check(&schedscope(&[
        &"sweep", &file, &"--out", &shards[1], &"--shard", &"2/2",
    ]));
    assert!(again.contains("6 cells, 2 of them to run"), "{again}");
    check(&schedscope(&[
        &"merge", &shards[0], &shards[1], &"--out", &merged,
    ]));
    assert_eq!(contents(&merged), expected);
    // A shard with a different result of a cell is refused.
    let twin = home
        .join("whole/cells")
        .join(of_two[0].file_name().unwrap());
    let changed: CellResult = serde_json::from_str(&fs::read_to_string(&twin).unwrap()).unwrap();
    fs::write(
        &twin,
        serde_json::to_string(
            &CellResult {
                jobs: 301,
                ..changed
            }
            .sealed(),
        )
        .unwrap(),
    )
    .unwrap();
    let said = refused(&schedscope(&[
        &"merge",
        &whole,
        &merged,
        &"--out",
        &home.join("no"),
    ]));
    assert!(said.contains("differ in cell"), "{said}");
    fs::remove_dir_all(home).unwrap();
}

/// Labels are text of the plan's author, and spreadsheets open the table.
#[test]
fn labels_in_the_table_are_no_formulas() {
    let home = folder("plans-formulas");
    let file = home.join("plan.json");
    let text = r#"{"schedscope_plan": 1, "workloads": [{"model": {"id": "lublin", "settings": {"jobs": 40, "processors": 16}}}],
      "policies": [{"label": "=1+1", "policy": "fcfs"}, {"label": "-2", "policy": "easy"}, {"label": "a, b;c", "policy": "conservative"}]}"#;
    fs::write(&file, text).unwrap();
    check(&schedscope(&[&"sweep", &file, &"--out", &home.join("out")]));
    let table = fs::read_to_string(home.join("out/results.csv")).unwrap();
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let labels: Vec<String> = reader
        .records()
        .map(|row| row.unwrap()[0].to_owned())
        .collect();
    assert_eq!(labels, ["'=1+1", "-2", "a, b;c"]);
    assert!(table.contains("\n\"a, b;c\","));
    fs::remove_dir_all(home).unwrap();
}

#[test]
fn a_what_if_file_says_each_thing_once() {
    let home = folder("plans-what-if");
    let (trace, file) = (home.join("log.swf"), home.join("what-if.json"));
    check(&schedscope(&[
        &"generate",
        &"lublin",
        &"--set",
        &"jobs=50",
        &"--out",
        &trace,
    ]));
    fs::write(
        &file,
        r#"{"at": 5, "policy": "easy", "settings": {"depth": 1, "depth": 2}}"#,
    )
    .unwrap();
    let said = refused(&schedscope(&[
        &"run",
        &trace,
        &"--policy",
        &"fcfs",
        &"--what-if",
        &file,
    ]));
    assert!(
        said.contains("the key `depth` occurs twice") && said.contains("`settings.depth`"),
        "{said}"
    );
    fs::remove_dir_all(home).unwrap();
}

/// Results of another engine, edited results and damaged results run again, with a message. A merge
/// refuses another engine.
#[test]
fn stored_results_are_used_only_as_they_were_written_by_this_engine() {
    let home = folder("plans-doubts");
    let file = home.join("plan.json");
    fs::write(&file, SWEEP).unwrap();
    let out = home.join("out");
    check(&schedscope(&[&"sweep", &file, &"--out", &out]));
    let expected = contents(&out);
    let mut files: Vec<PathBuf> = fs::read_dir(out.join("cells"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    let change = |at: usize, change: &dyn Fn(&str) -> Vec<u8>| {
        let text = fs::read_to_string(&files[at]).unwrap();
        fs::write(&files[at], change(&text)).unwrap();
    };
    // The changes are: an edited figure, half a file, a file that is not text, a result of an older
    // version that names no engine, and a result of another build.
    change(0, &|text| {
        text.replacen("\"wait.mean\":", "\"wait.mean\":1", 1)
            .into_bytes()
    });
    change(1, &|text| text.as_bytes()[..text.len() / 2].to_vec());
    change(2, &|_| vec![0xff, 0xfe, 0]);
    change(3, &|text| {
        text.replacen(&format!("\"engine\":\"{ENGINE}\","), "", 1)
            .into_bytes()
    });
    change(4, &|text| {
        text.replacen(ENGINE, "0123456789abcdef", 1).into_bytes()
    });
    let merged = home.join("merged");
    let said = refused(&schedscope(&[&"merge", &out, &"--out", &merged]));
    assert!(
        said.contains("2 results in")
            && said.contains("another build of the engine")
            && said.contains(ENGINE),
        "{said}"
    );
    assert!(
        !merged.exists(),
        "the merge is refused before it writes anything"
    );
    let said = check(&schedscope(&[&"sweep", &file, &"--out", &out]));
    assert!(said.contains("12 cells, 5 of them to run"), "{said}");
    assert!(
        said.contains(
            "  2 of them again: the stored result was made by another build of the engine\n"
        ),
        "{said}"
    );
    assert!(
        said.contains(
            "  3 of them again: the stored result is damaged, or was edited after it was written\n"
        ),
        "{said}"
    );
    assert_eq!(contents(&out), expected);
    assert!(
        check(&schedscope(&[&"sweep", &file, &"--out", &out]))
            .contains("12 cells, 0 of them to run\n\n")
    );
    // A merge leaves out a damaged result, with a message.
    change(0, &|text| {
        text.replacen("\"wait.mean\":", "\"wait.mean\":1", 1)
            .into_bytes()
    });
    let output = schedscope(&[&"merge", &out, &"--out", &merged]);
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        told.contains("1 results in") && told.contains("is damaged"),
        "{told}"
    );
    assert!(refused(&output).contains("1 of 12 cells are missing"));
    // This plan keeps more parts of each run.
    let more = home.join("more.json");
    fs::write(
        &more,
        SWEEP.replacen(
            '{',
            r#"{"keep": ["months", "classes", "quantiles", "jobs"],"#,
            1,
        ),
    )
    .unwrap();
    let said = check(&schedscope(&[&"sweep", &more, &"--out", &out]));
    assert!(
        said.contains(
            "  11 of them again: the stored result lacks something that the plan keeps\n"
        ),
        "{said}"
    );
    fs::remove_dir_all(home).unwrap();
}

#[test]
fn a_killed_sweep_goes_on_where_it_was() {
    let home = folder("plans-killed");
    let file = home.join("plan.json");
    let text = SWEEP
        .replace("\"jobs\": 300", "\"jobs\": 4000")
        .replace("[1, 2]", "[1, 2, 3, 4, 5, 6]");
    fs::write(&file, text).unwrap();
    let out = home.join("out");
    let done = || {
        fs::read_dir(out.join("cells")).map_or(0, |files| {
            files
                .flatten()
                .filter(|file| file.path().extension().is_some_and(|e| e == "json"))
                .count()
        })
    };
    let mut running = Command::new(env!("CARGO_BIN_EXE_schedscope"))
        .args(["sweep", "--threads", "1"])
        .arg(&file)
        .arg("--out")
        .arg(&out)
        .spawn()
        .unwrap();
    while done() < 3 && running.try_wait().unwrap().is_none() {
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    running.kill().ok();
    running.wait().unwrap();
    let (before, again) = (
        done(),
        check(&schedscope(&[&"sweep", &file, &"--out", &out])),
    );
    assert!(
        before >= 3 && again.contains(&format!("36 cells, {} of them to run", 36 - before)),
        "{before}: {again}"
    );
    let fresh = home.join("fresh");
    check(&schedscope(&[&"sweep", &file, &"--out", &fresh]));
    let without_partial = |folder: &Path| {
        contents(folder)
            .into_iter()
            .filter(|(name, _)| !name.contains("partial"))
            .collect::<Vec<_>>()
    };
    assert_eq!(without_partial(&out), without_partial(&fresh));
    fs::remove_dir_all(home).unwrap();
}

#[test]
fn traces_of_a_plan_are_found_and_checked() {
    let home = folder("plans-traces");
    let file = home.join("plan.json");
    let text = |sha: &str| {
        format!(
            r#"{{"schedscope_plan": 1, "workloads": [{{"trace": {{"name": "log.swf", "sha256": "{sha}", "archive": "the archive"}}}}], "policies": [{{"policy": "fcfs"}}]}}"#
        )
    };
    fs::write(&file, text("")).unwrap();
    let out = home.join("out");
    let said = |output: Output| String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        said(schedscope(&[&"sweep", &file, &"--out", &out]))
            .contains("can download it from the archive")
    );
    check(&schedscope(&[
        &"generate",
        &"lublin",
        &"--set",
        &"jobs=50",
        &"--out",
        &home.join("log.swf"),
    ]));
    assert!(check(&schedscope(&[&"sweep", &file, &"--out", &out])).contains("1 of them to run"));
    assert!(check(&schedscope(&[&"sweep", &file, &"--out", &out])).contains("0 of them to run"));
    // Another log has the old name. Results of the old log do not count.
    check(&schedscope(&[
        &"generate",
        &"lublin",
        &"--set",
        &"jobs=60",
        &"--out",
        &home.join("log.swf"),
        &"--force",
    ]));
    assert!(check(&schedscope(&[&"sweep", &file, &"--out", &out])).contains("1 of them to run"));
    assert!(
        fs::read_to_string(out.join("results.csv"))
            .unwrap()
            .contains(",60,")
    );
    // A trace may be packed in any way.
    fs::copy(
        root().join("tests/packed/jobs.swf.zst"),
        home.join("log.swf.zst"),
    )
    .unwrap();
    fs::remove_file(home.join("log.swf")).unwrap();
    assert!(check(&schedscope(&[&"sweep", &file, &"--out", &out])).contains("1 of them to run"));
    fs::write(&file, text(&"0".repeat(64))).unwrap();
    assert!(
        said(schedscope(&[&"sweep", &file, &"--out", &out]))
            .contains("is not the trace that the plan means")
    );
    assert!(
        said(schedscope(&[
            &"sweep", &file, &"--out", &out, &"--shard", &"3/2"
        ]))
        .contains("is not a shard")
    );
    fs::remove_dir_all(home).unwrap();
}

/// Results are the same after JSON, to the last bit.
#[test]
fn results_survive_their_files() {
    let plan = plan(&SWEEP.replacen(
        '{',
        r#"{"keep": ["months", "classes", "quantiles", "jobs"],"#,
        1,
    ));
    let all = cells(&plan).unwrap();
    let results: Vec<_> = all
        .iter()
        .map(|cell| {
            let source = cell.source.model.as_ref().unwrap();
            let trace = Arc::new(model::generate(&source.id, &source.settings).unwrap());
            let scenario: &Scenario = &cell.scenario;
            let mut run = scenario.resolve().unwrap().run(trace).unwrap();
            while !run.advance(1000).done {}
            measure_cell(&cell.key, &run, &plan.keep)
        })
        .collect();
    let again: Vec<schedscope::plan::CellResult> = results
        .iter()
        .map(|r| serde_json::from_str(&serde_json::to_string(r).unwrap()).unwrap())
        .collect();
    assert_eq!(again, results);
    assert!(results.iter().all(|result| result.sample.len() == 300
        && result.quantiles["wait"].len() == 101
        && result.classes.len() == 3));
    // For conservative and FCFS on the same jobs, differences of means are means of differences.
    let analysis = analyse(&plan, &all, &results);
    assert_eq!(
        (
            analysis.points.len(),
            analysis.differences.len(),
            analysis.saturations.len()
        ),
        (6, 4, 3)
    );
    for difference in &analysis.differences {
        assert_eq!(difference.pairs, 2);
        assert!(
            difference.figures["wait.mean"].mean <= 0.0,
            "backfilling does not lengthen the mean wait of these"
        );
    }
}

/// In a grid, a policy runs on the machines that it supports. A policy that does not exist, or
/// supports none of them, is a mistake.
#[test]
fn machines_of_a_grid() {
    let plan = |machines: &str, policies: &str| {
        let text = format!(
            "{{\"schedscope_plan\": 1, \"workloads\": [{{\"model\": {{\"id\": \"lublin\"}}}}], \
                \"machines\": {machines}, \"policies\": {policies}}}"
        );
        Plan::parse(&text).and_then(|plan| cells(&plan))
    };
    let both = "[{\"machine\": \"torus\"}, {\"machine\": \"flat\"}]";
    let three = "[{\"policy\": \"easy\"}, {\"policy\": \"bm\"}, {\"policy\": \"maui\"}]";
    let found: Vec<(String, String)> = plan(both, three)
        .unwrap()
        .into_iter()
        .map(|cell| (cell.scenario.machine, cell.scenario.policy))
        .collect();
    let expected = [
        ("torus", "easy"),
        ("torus", "bm"),
        ("flat", "easy"),
        ("flat", "maui"),
    ];
    assert_eq!(
        found,
        expected.map(|(machine, policy)| (machine.to_owned(), policy.to_owned()))
    );
    let misspelt = plan(
        "[{\"machine\": \"torus\"}, {\"machine\": \"tours\"}]",
        "[{\"policy\": \"bm\"}]",
    )
    .unwrap_err();
    assert!(misspelt.what.contains("`machines[1]`"), "{misspelt}");
    let impossible = plan(
        "[{\"machine\": \"torus\"}]",
        "[{\"policy\": \"easy\"}, {\"policy\": \"maui\"}]",
    )
    .unwrap_err();
    assert!(
        impossible.what.contains("`policies[1]`") && impossible.what.contains("cannot run"),
        "{impossible}"
    );
}
