//! `cargo xtask new policy|order|metric|machine NAME [TITLE]`: writes the files of a new part of the
//! engine from the templates in `xtask/templates/`, and the lines that register it. The new part passes
//! all tests as it is.

mod changes;
mod name;

use crate::{Done, machine, steps};
use changes::{Changes, after_last, among_mods, at_end, before, is_rust};
use name::Name;
use std::path::Path;
use std::process::Command;

const USAGE: &str = "cargo xtask new policy|order|metric|machine NAME [TITLE]";

/// A kind of part.
struct Kind {
    word: &'static str,
    /// Plans the files and lines of a new part.
    change: fn(&mut Changes, &Name) -> Done,
    /// The files that the author changes next.
    files: &'static str,
}

const KINDS: [Kind; 4] = [
    Kind {
        word: "policy",
        change: policy,
        files: "src/policy/@name@.rs, tests/native/twins/@name@.rs and docs/policies/@name@.md",
    },
    Kind {
        word: "order",
        change: order,
        files: "the lines of `@name@` in src/policy/tools/order/parameters.rs and ranking.rs, \
            tests/native/twins/orders.rs and docs/orders.md, and tests/cases/order-@name@/",
    },
    Kind {
        word: "metric",
        change: metric,
        files: "src/metrics/@name@.rs, the lines of `@name@` in src/metrics/mod.rs and \
            docs/metrics.md, and `put_@name@` in tests/native/figures.rs",
    },
    Kind {
        word: "machine",
        change: machine_model,
        files: "src/machines/@name@/, tests/native/twins/@name@.rs and docs/machines/@name@.md",
    },
];

/// Writes a new part into the project, and says what to do next.
pub fn run(options: &[String]) -> Done {
    let (word, name, title) = match options {
        [word, name] => (word, name, None),
        [word, name, title] => (word, name, Some(title.as_str())),
        _ => return Err(format!("Say what is new, and its name: {USAGE}")),
    };
    machine::lint_components()?;
    for line in write(&steps::root(), word, &Name::new(name, title)?)? {
        println!("{line}");
    }
    Ok(())
}

/// Writes a new part into the project in `root`. Returns what was written and what to do next.
/// Changes nothing if it cannot write all of it.
fn write(root: &Path, word: &str, name: &Name) -> Result<Vec<String>, String> {
    let kind = KINDS
        .iter()
        .find(|kind| kind.word == word)
        .ok_or_else(|| format!("There is no kind of part `{word}`: {USAGE}"))?;
    let mut changes = Changes::new(root);
    (kind.change)(&mut changes, name)?;
    let mut told = changes.told();
    format(root, &changes.write()?)?;
    told.extend([
        String::new(),
        format!("1. Change {}.", name.fill(kind.files)),
        "2. SCHEDSCOPE_BLESS=1 cargo test --test native -- docs digests   writes the heads of the \
            docs and the new digests."
            .into(),
        "3. cargo test   must pass. CONTRIBUTING.md walks through an example.".into(),
    ]);
    Ok(told)
}

/// Formats these files, because the length of the name decides where lines break.
fn format(root: &Path, files: &[String]) -> Done {
    let sources = files.iter().filter(|path| is_rust(path));
    let status = Command::new("rustfmt")
        .args(["--edition", "2024"])
        .args(sources)
        .current_dir(root)
        .status()
        .map_err(|error| format!("The files are written, but rustfmt cannot run: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        Err("The files are written, but rustfmt refuses them.".into())
    }
}

fn policy(changes: &mut Changes, name: &Name) -> Done {
    let id = &name.id;
    changes.create(
        &format!("src/policy/{id}.rs"),
        name.fill(include_str!("../../templates/policy/policy.rs.txt")),
    )?;
    changes.has_no_type(name)?;
    changes.edit("src/policy/mod.rs", |text| {
        let text = among_mods(text, "mod fcfs;", &format!("mod {id};"))?;
        let line = format!("    &{id}::SPEC,\n");
        before(&text, "pub const ALL: &[&Spec] = &[\n", "];\n", &line)
    })?;
    changes.create(
        &format!("docs/policies/{id}.md"),
        name.fill(include_str!("../../templates/policy/page.md.txt")),
    )?;
    docs_link(changes, name, "policies")?;
    let twin = name.fill(include_str!("../../templates/policy/twin.rs.txt"));
    add_twin(
        changes,
        name,
        twin,
        &format!("{id} by_default {id}_by_default on 1200;"),
    )?;
    digest(changes, "run ", &format!("run {id}:"))
}

fn order(changes: &mut Changes, name: &Name) -> Done {
    let Name { id, type_name, .. } = name;
    let is_taken = |text: &str| text.contains(&format!("= \"{id}\":"));
    changes.edit("src/policy/tools/order/parameters.rs", |text| {
        if is_taken(text) || text.contains(&format!("        {type_name} = ")) {
            return Err(format!("There is an order `{id}` already."));
        }
        let line = format!("        {type_name} = \"{id}\": \"longest wait first\",\n");
        before(text, "pub enum Order {\n", "    }\n", &line)
    })?;
    changes.edit("src/policy/tools/order/ranking.rs", |text| {
        let line = format!("        Order::{type_name} => -wait,\n");
        before(text, "fn formula(", "        _ => ", &line)
    })?;
    changes.edit("tests/native/twins/orders.rs", |text| {
        let line = format!("    Order(\"{id}\"),\n");
        let text = before(text, "pub const ORDERS: &[Order] = &[\n", "];\n", &line)?;
        let line = format!("            \"{id}\" => -wait,\n");
        before(&text, "match self.0 {\n", "            _ => ", &line)
    })?;
    changes.edit("docs/orders.md", |text| {
        let row = format!("| `{id}` | the longest wait *w* | |");
        after_last(text, "| `order` |", "| ", &row)
    })?;
    let case = |file: &str| format!("tests/cases/order-arrival/{file}");
    for file in ["expected", "scenario.json", "trace.swf"] {
        let text = changes.read(&case(file))?.replace("arrival", id);
        changes.create(&format!("tests/cases/order-{id}/{file}"), text)?;
    }
    Ok(())
}

fn metric(changes: &mut Changes, name: &Name) -> Done {
    let id = &name.id;
    for path in changes.below("src/machines")? {
        if changes.read(&path)?.contains(&format!("id: \"{id}\",")) {
            return Err(format!("{path} has a metric or a machine `{id}` already."));
        }
    }
    changes.create(
        &format!("src/metrics/{id}.rs"),
        name.fill(include_str!("../../templates/metric/metric.rs.txt")),
    )?;
    changes.edit("src/metrics/mod.rs", |text| {
        if text.contains(&format!("metric(\n        \"{id}\",")) {
            return Err(format!("There is a metric `{id}` already."));
        }
        let text = among_mods(text, "mod occupancy;", &format!("mod {id};"))?;
        let entry = name.fill(include_str!("../../templates/metric/entry.txt"));
        let text = before(&text, "pub const ALL: &[MetricSpec] = &[\n", "];\n", &entry)?;
        let line = format!("    put(\"{id}.value\", {id}::{id}(&samples));\n");
        before(&text, "pub fn measure(", "    measures\n}\n", &line)
    })?;
    changes.edit("docs/metrics.md", |text| {
        let rule = name.fill(include_str!("../../templates/metric/rule.txt"));
        after_last(text, "## Rules\n", "* **", rule.trim_end())
    })?;
    changes.edit("tests/native/figures.rs", |text| {
        let line = format!("    put_{id}(&mut figures, &rows);\n");
        let text = before(text, "\nfn figures(", "    figures\n}\n", &line)?;
        let twin = name.fill(include_str!("../../templates/metric/twin.rs.txt"));
        before(&text, "fn counted(", "fn figures(", &format!("{twin}\n"))
    })?;
    digest(changes, "plan ", &format!("plan {id}:"))
}

fn machine_model(changes: &mut Changes, name: &Name) -> Done {
    let id = &name.id;
    changes.create(
        &format!("src/machines/{id}/mod.rs"),
        name.fill(include_str!("../../templates/machine/mod.rs.txt")),
    )?;
    changes.has_no_type(name)?;
    changes.create(
        &format!("src/machines/{id}/space.rs"),
        name.fill(include_str!("../../templates/machine/space.rs.txt")),
    )?;
    changes.edit("src/machines/mod.rs", |text| {
        let text = among_mods(text, "pub mod flat;", &format!("pub mod {id};"))?;
        let line = format!("    &{id}::SPEC,\n");
        before(
            &text,
            "pub const ALL: &[&MachineSpec] = &[\n",
            "];\n",
            &line,
        )
    })?;
    changes.create(
        &format!("docs/machines/{id}.md"),
        name.fill(include_str!("../../templates/machine/page.md.txt")),
    )?;
    docs_link(changes, name, "machines")?;
    let twin = name.fill(include_str!("../../templates/machine/twin.rs.txt"));
    add_twin(
        changes,
        name,
        twin,
        &format!("{id} processors {id}_processors on 1200;"),
    )?;
    digest(
        changes,
        "run ",
        &format!("run easy machine={id} jobs=1500:"),
    )
}

/// Adds a page to the navigation.
fn docs_link(changes: &mut Changes, name: &Name, folder: &str) -> Done {
    changes.edit("docs/README.md", |text| {
        let link = format!("* [{}]({folder}/{}.md)", name.title, name.id);
        let own = format!("]({folder}/");
        let last = text.lines().rfind(|line| line.contains(&own));
        let last = last.ok_or_else(|| format!("docs/README.md has no link to {folder}/."))?;
        Ok(text.replacen(&format!("{last}\n"), &format!("{last}\n{link}\n"), 1))
    })
}

/// Adds a twin and its line of the table.
fn add_twin(changes: &mut Changes, name: &Name, twin: String, row: &str) -> Done {
    let id = &name.id;
    changes.create(&format!("tests/native/twins/{id}.rs"), twin)?;
    changes.edit("tests/native/twins/mod.rs", |text| {
        let text = among_mods(text, "mod fcfs;", &format!("mod {id};"))?;
        before(&text, "\ntable! {\n", "}\n", &format!("\n    {row}\n"))
    })
}

/// Adds a line without digests after the last one that begins like it.
fn digest(changes: &mut Changes, kind: &str, line: &str) -> Done {
    changes.edit("tests/same_digests.txt", |text| at_end(text, kind, line))
}

#[cfg(test)]
mod tests;
