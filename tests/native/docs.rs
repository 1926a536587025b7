//! The docs say what the code says: the head of each page under docs/ is drawn from the specs.
//!
//! `SCHEDSCOPE_BLESS=1 cargo test docs` writes the heads anew.

use super::support::root;
use schedscope::experiment::{Catalog, catalog};
use schedscope::param::{Kind, Param};
use std::fmt::Write;
use std::fs;

const BEGIN: &str = "<!-- drawn from the code: begin -->";
const END: &str = "<!-- drawn from the code: end -->";

fn parameters(text: &mut String, params: &[Param]) {
    if params.is_empty() {
        writeln!(text, "It has no parameters.").unwrap();
        return;
    }
    writeln!(text, "| parameter | values | default | unit | meaning |\n|---|---|---|---|---|").unwrap();
    for param in params {
        let values = match param.kind {
            Kind::Choice { options, .. } => {
                options.iter().map(|option| format!("`{}`: {}", option.id, option.help)).collect::<Vec<_>>().join("; ")
            }
            _ => param.range_text(),
        };
        let when = param.when_text().map_or(String::new(), |when| format!(" (with {when})"));
        writeln!(text, "| `{}` | {values} | {} | {} | {}{when} |", param.key, param.default_text(), param.unit, param.help).unwrap();
    }
}

/// What each page's head must be, by path below docs/.
fn heads(catalog: &Catalog) -> Vec<(String, String)> {
    let mut heads = Vec::new();
    let groups = [("policies", &catalog.policies), ("machines", &catalog.machines), ("models", &catalog.models)];
    for (folder, specs) in groups {
        for spec in specs {
            let mut text = format!("# {}\n\n`{}`. {}\n\n", spec.name, spec.id, spec.summary);
            if !spec.paper.is_empty() {
                writeln!(text, "Source: {}.\n", spec.paper).unwrap();
            }
            parameters(&mut text, spec.params);
            heads.push((format!("{folder}/{}.md", spec.id), text));
        }
    }
    let mut text = String::from("# Metrics\n\n| key | name | unit | better | meaning |\n|---|---|---|---|---|\n");
    for spec in catalog.metrics {
        let better = format!("{:?}", spec.better).to_lowercase();
        writeln!(text, "| `{}.` {} | {} | {} | {better} | {} |", spec.id, spec.figures.join(", "), spec.name, spec.unit, spec.help)
            .unwrap();
    }
    text.push_str("\n## Parameters\n\n");
    parameters(&mut text, catalog.groups.metrics);
    heads.push(("metrics.md".into(), text));
    let mut text = String::from("# Settings of every run\n");
    for (title, params) in
        [("Reading a trace", catalog.groups.reading), ("The workload", catalog.groups.workload), ("The event loop", catalog.groups.run)]
    {
        write!(text, "\n## {title}\n\n").unwrap();
        parameters(&mut text, params);
    }
    text.push_str("\n## Presets\n\n");
    for preset in &catalog.presets {
        let settings = serde_json::to_string(&preset.settings).unwrap();
        writeln!(text, "`{}`: {} It sets `{settings}`.", preset.id, preset.summary).unwrap();
    }
    heads.push(("settings.md".into(), text));
    heads
}

#[test]
fn heads_are_those_of_the_code() {
    for (page, head) in heads(&catalog()) {
        let path = root().join("docs").join(&page);
        let wanted = format!("{BEGIN}\n{head}{END}\n");
        let text = fs::read_to_string(&path).unwrap_or_default();
        let rest = text.split_once(END).map_or("", |(_, rest)| rest.trim_start_matches('\n'));
        if std::env::var_os("SCHEDSCOPE_BLESS").is_some() {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, format!("{wanted}\n{rest}")).unwrap();
        }
        let text = fs::read_to_string(&path).unwrap_or_default();
        assert!(text.starts_with(&wanted), "docs/{page} is not what the code says: bless it with SCHEDSCOPE_BLESS=1");
        assert!(text.len() > wanted.len() + 200, "docs/{page} says nothing beyond what is drawn from the code");
    }
}
