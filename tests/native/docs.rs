//! The docs agree with the code: the head of each page under docs/ is drawn from the
//! specifications.
//!
//! `SCHEDSCOPE_BLESS=1 cargo test docs` writes the heads anew.

use super::support::{root, run, unpublished};
use schedscope::experiment::{Catalog, Scenario, catalog};
use schedscope::import::{BadLines, read};
use schedscope::metrics::Unit;
use schedscope::param::{Kind, Param, Value};
use std::fmt::Write;
use std::fs;
use std::sync::Arc;

const BEGIN: &str = "<!-- drawn from the code: begin -->";
const END: &str = "<!-- drawn from the code: end -->";

fn parameters(text: &mut String, params: &[Param]) {
    if params.is_empty() {
        writeln!(text, "It has no parameters.").unwrap();
        return;
    }
    writeln!(
        text,
        "| parameter | values | default | unit | meaning |\n|---|---|---|---|---|"
    )
    .unwrap();
    for param in params {
        let values = match param.kind {
            Kind::Choice { options, .. } => options
                .iter()
                .map(|option| format!("`{}`: {}", option.id, option.help))
                .collect::<Vec<_>>()
                .join("; "),
            _ => param.range_text(),
        };
        // An unescaped bar would end the cell of the table.
        let help = param
            .help
            .replace("docs/orders.md", "[the page of orders](../orders.md)");
        let when = param.when_text().map_or(String::new(), |when| {
            format!(" (with {})", when.replace('|', r"\|"))
        });
        writeln!(
            text,
            "| `{}` | {values} | {} | {} | {}{when} |",
            param.key,
            param.default_text(),
            param.unit,
            help
        )
        .unwrap();
    }
}

/// Returns the head that each page must have, by its path below docs/.
fn heads(catalog: &Catalog) -> Vec<(String, String)> {
    let mut heads = Vec::new();
    let groups = [
        ("policies", &catalog.policies),
        ("machines", &catalog.machines),
        ("models", &catalog.models),
    ];
    for (folder, specs) in groups {
        for spec in specs {
            let mut text = format!("# {}\n\n`{}`. {}\n\n", spec.name, spec.id, spec.summary);
            if !spec.paper.is_empty() {
                writeln!(text, "Source: {}.\n", spec.paper).unwrap();
            }
            if !spec.machines.is_empty() {
                let machines: Vec<String> = spec
                    .machines
                    .iter()
                    .map(|id| format!("[{id}](../machines/{id}.md)"))
                    .collect();
                writeln!(text, "Machines: {}.\n", machines.join(", ")).unwrap();
            }
            parameters(&mut text, spec.params);
            heads.push((format!("{folder}/{}.md", spec.id), text));
        }
    }
    let mut text = String::from("# Metrics\n");
    for (title, metrics) in [
        ("Of a run", catalog.metrics.clone()),
        (
            "Of a plan, month by month",
            catalog.monthly.iter().collect(),
        ),
    ] {
        write!(
            text,
            "\n## {title}\n\n| key | name | unit | better | meaning |\n|---|---|---|---|---|\n"
        )
        .unwrap();
        for spec in metrics {
            let better = format!("{:?}", spec.better).to_lowercase();
            let word = |unit: Unit| match unit {
                Unit::Share => "share",
                other => other.symbol(),
            };
            let mut units = vec![word(spec.unit).to_owned()];
            for (figure, unit) in spec.units {
                units.push(format!("{figure}: {}", word(*unit)));
            }
            units.retain(|unit| !unit.is_empty());
            writeln!(
                text,
                "| `{}.` {} | {} | {} | {better} | {} |",
                spec.id,
                spec.figures.join(", "),
                spec.name,
                units.join("; "),
                spec.help
            )
            .unwrap();
        }
    }
    text.push_str("\n## Parameters\n\n");
    parameters(&mut text, catalog.groups.metrics);
    heads.push(("metrics.md".into(), text));
    let mut text = String::from("# Settings of every run\n");
    for (title, params) in [
        ("Reading a trace", catalog.groups.reading),
        ("The workload", catalog.groups.workload),
        ("The event loop", catalog.groups.run),
    ] {
        write!(text, "\n## {title}\n\n").unwrap();
        parameters(&mut text, params);
    }
    text.push_str("\n## Presets\n\n");
    for preset in &catalog.presets {
        let settings = serde_json::to_string(&preset.settings).unwrap();
        writeln!(
            text,
            "`{}`: {} It sets `{settings}`.",
            preset.id, preset.summary
        )
        .unwrap();
    }
    heads.push(("settings.md".into(), text));
    heads
}

/// Returns the page with a new head and an unchanged rest.
///
/// # Errors
/// Fails if the page has text and no mark between the drawn and the written part, because all of
/// the text would be lost.
fn with_head(page: &str, wanted: &str, text: &str) -> Result<String, String> {
    match text.split_once(END) {
        Some((_, rest)) => Ok(format!("{wanted}\n{}", rest.trim_start_matches('\n'))),
        None if text.trim().is_empty() => Ok(format!("{wanted}\n")),
        None => Err(format!(
            "docs/{page} has text but no line `{END}`. Blessing it would erase what was written \
                by hand. Put that line where your \
             own text begins, and bless it again."
        )),
    }
}

#[test]
fn blessing_erases_nothing_written_by_hand() {
    let wanted = format!("{BEGIN}\n# New\n{END}\n");
    assert_eq!(
        with_head("a.md", &wanted, "").unwrap(),
        format!("{wanted}\n")
    );
    assert_eq!(
        with_head(
            "a.md",
            &wanted,
            &format!("{BEGIN}\n# Old\n{END}\n\n## Idea\n")
        )
        .unwrap(),
        format!("{wanted}\n## Idea\n")
    );
    let refused = with_head("a.md", &wanted, &format!("{BEGIN}\n# Old\n\n## Idea\n")).unwrap_err();
    assert!(
        refused.starts_with("docs/a.md has text but no line"),
        "{refused}"
    );
}

#[test]
fn heads_are_those_of_the_code() {
    for (page, head) in heads(&catalog()) {
        let path = root().join("docs").join(&page);
        let wanted = format!("{BEGIN}\n{head}{END}\n");
        let text = fs::read_to_string(&path).unwrap_or_default();
        if std::env::var_os("SCHEDSCOPE_BLESS").is_some() {
            let blessed =
                with_head(&page, &wanted, &text).unwrap_or_else(|refused| panic!("{refused}"));
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, blessed).unwrap();
        }
        let text = fs::read_to_string(&path).unwrap_or_default();
        assert!(
            text.starts_with(&wanted),
            "docs/{page} differs from the code: bless it with SCHEDSCOPE_BLESS=1"
        );
        assert!(
            text.len() > wanted.len() + 200,
            "docs/{page} has only text that is drawn from the code"
        );
    }
}

/// Draws the walk-through of the student projects. Boxes are jobs, dotted outlines are reservations
/// that EASY held.
fn walk_through() -> String {
    const UNIT: (i64, i64) = (90, 14);
    let folder = root().join("tests/cases/student-projects-walk-through");
    let trace = read(
        "walk-through",
        &fs::read(folder.join("trace.swf")).unwrap(),
        BadLines::Stop,
    )
    .unwrap();
    let run = run(&Scenario::new("easy"), &Arc::new(trace));
    let (schedule, story) = (run.schedule(), run.story().unwrap());
    let (width, height) = (5 * UNIT.0, 16 * UNIT.1);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-30 -10 {} {}\" \
            font-family=\"sans-serif\" font-size=\"12\">\n\
         <title>The walk-through of the student projects under EASY</title>\n",
        width + 40,
        height + 45
    );
    let mut draw = |from: i64, to: i64, first: u32, count: u32, style: &str, text: &str| {
        let (x, y) = (from * UNIT.0, i64::from(first) * UNIT.1);
        let (w, h) = ((to - from) * UNIT.0, i64::from(count) * UNIT.1);
        writeln!(
            svg,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" {style}/>"
        )
        .unwrap();
        writeln!(svg, "<text x=\"{}\" y=\"{}\">{text}</text>", x + 6, y + 15).unwrap();
    };
    for start in &schedule.order {
        let (from, to) = (
            schedule.starts[start.job.index()].whole_seconds(),
            schedule.ends[start.job.index()].whole_seconds(),
        );
        for range in schedule.placement(start).ranges {
            let text = format!("job {}", schedule.workload.request(start.job).number);
            draw(
                from,
                to,
                range.first,
                range.count,
                "fill=\"#cfe0f3\" stroke=\"#1f5fa8\"",
                &text,
            );
        }
    }
    let mut drawn = Vec::new();
    for outline in story.steps.iter().flat_map(|step| &step.reserved) {
        let key = (outline.reservation.job, outline.reservation.start);
        if drawn.contains(&key) {
            continue;
        }
        drawn.push(key);
        for range in &outline.placement.ranges {
            let (from, to) = (
                outline.reservation.start.whole_seconds(),
                outline.end.whole_seconds(),
            );
            draw(
                from,
                to,
                range.first,
                range.count,
                "fill=\"none\" stroke=\"#a3211f\" stroke-width=\"2\" stroke-dasharray=\"3 3\"",
                "",
            );
        }
    }
    for at in 0..=5 {
        writeln!(
            svg,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{at}</text>",
            at * UNIT.0,
            height + 16
        )
        .unwrap();
    }
    writeln!(
        svg,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">time</text>",
        width / 2,
        height + 32
    )
    .unwrap();
    svg.push_str("</svg>\n");
    svg
}

#[test]
fn the_walk_through_is_drawn_as_it_runs() {
    let path = root().join("docs/walk-through.svg");
    let drawn = walk_through();
    if std::env::var_os("SCHEDSCOPE_BLESS").is_some() {
        fs::write(&path, &drawn).unwrap();
    }
    assert_eq!(
        fs::read_to_string(&path).unwrap_or_default(),
        drawn,
        "bless docs/walk-through.svg with SCHEDSCOPE_BLESS=1"
    );
}

#[test]
fn the_schema_of_plans_is_that_of_the_code() {
    let path = root().join("docs/formats/plan.schema.json");
    let schema = schemars::schema_for!(schedscope::plan::Plan);
    let drawn = serde_json::to_string_pretty(&schema).unwrap() + "\n";
    if std::env::var_os("SCHEDSCOPE_BLESS").is_some() {
        fs::write(&path, &drawn).unwrap();
    }
    assert_eq!(
        fs::read_to_string(&path).unwrap_or_default(),
        drawn,
        "bless it with SCHEDSCOPE_BLESS=1"
    );
}

/// Every card of the Papers tab has a valid plan, and compares figures that its runs have.
#[test]
fn cards_have_good_plans() {
    let Some(folder) = unpublished("www/papers/cards") else {
        return;
    };
    let mut cards = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let card: serde_json::Value =
            serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        let plan = schedscope::plan::Plan::parse(&card["plan"].to_string())
            .unwrap_or_else(|problem| panic!("{}: {problem}", path.display()));
        let cells = schedscope::plan::cells(&plan)
            .unwrap_or_else(|problem| panic!("{}: {problem}", path.display()));
        for text in ["id", "paper", "shows", "title", "text"] {
            assert!(
                card[text].as_str().is_some_and(|text| !text.is_empty()),
                "{}: {text}",
                path.display()
            );
        }
        for printed in card["printed"].as_array().unwrap() {
            let at = printed["at"].as_object().unwrap();
            let is_at =
                |cell: &schedscope::plan::Cell, name: &str, value: &serde_json::Value| match &cell
                    .axes[name]
                {
                    Value::Number(number) => value.as_f64() == Some(*number),
                    Value::Text(text) => value.as_str() == Some(text),
                };
            let is_there = cells
                .iter()
                .any(|cell| at.iter().all(|(name, value)| is_at(cell, name, value)));
            assert!(is_there, "{}: no cell is at {at:?}", path.display());
            let figure = printed["figure"].as_str().unwrap();
            // The saturation of a sweep is no figure of a run.
            let is_of_sweep = figure == "saturation.crossing" && !card["plan"]["loads"].is_null();
            assert!(
                is_of_sweep || schedscope::plan::keys().iter().any(|key| key == figure),
                "{}: {figure}",
                path.display()
            );
        }
        cards += 1;
    }
    assert!(cards >= 2);
}
