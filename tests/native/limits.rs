//! Each limit holds: larger input is refused or left out, and the docs and the page name the same
//! numbers.

use super::support::{folder, refused as said_refusing, root, schedscope, unpublished};
use schedscope::experiment::{Scenario, WhatIf};
use schedscope::limits::{self, ALL, Limit};
use schedscope::plan::Plan;
use schedscope::problem::Problem;
use schedscope::trace::Demands;
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
