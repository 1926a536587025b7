//! The keywords of a slurm.conf with their effects, and the lines that are about scheduling.

use super::conf_priority::weights_effect;
use super::switches::is_tree;
use super::text::facts::{ConfPlace, KeywordEffect, LineFact, effect};
use super::text::words::{ConfLine, ConfWord, lines};
use crate::sorting;
use std::collections::BTreeMap;

/// Returns every keyword of a text and every option of `SchedulerParameters`, in the order of the lines.
pub fn keywords(text: &str) -> Vec<LineFact> {
    let mut facts = Vec::new();
    let mut general = ConfLine::default();
    let mut places = Vec::new();
    let mut of_switches = Vec::new();
    // The lines of which the last one with a keyword counts, and that one: lines of the machine count all.
    let mut plain = Vec::new();
    let mut last: BTreeMap<String, u32> = BTreeMap::new();
    for line in lines(text) {
        let place = place_of(&line);
        places.push(place);
        if place == ConfPlace::Switch {
            of_switches.extend(line.words.iter().map(|word| fact(place, word)));
            continue;
        }
        facts.extend(line.words.iter().map(|word| fact(place, word)));
        if place == ConfPlace::General {
            if !OF_MACHINE.contains(&&*line.words[0].key) {
                plain.push(line.words[0].line);
                for word in &line.words {
                    *last.entry(word.key.clone()).or_default() = word.line as u32;
                }
            }
            general.words.extend(line.words);
        }
    }
    if !is_tree(&general) {
        let switches = of_switches.iter_mut();
        switches.for_each(|fact| fact.effect = KeywordEffect::WithoutEffect);
    } else if of_switches.is_empty() && places.contains(&ConfPlace::Node) {
        let plugin = facts
            .iter_mut()
            .filter(|fact| fact.keyword.eq_ignore_ascii_case("topologyplugin"));
        plugin.for_each(|fact| fact.effect = KeywordEffect::NotModelled);
    }
    facts.extend(of_switches);
    let options = scheduler_options(&general);
    let options = options.words.iter();
    facts.extend(options.map(|word| fact(ConfPlace::Scheduler, word)));
    sorting::by(&mut facts, |fact| [fact.line.into(), 0]);
    let slice = match (slices_time(&general), has_gang(&general)) {
        (true, _) => KeywordEffect::Used,
        (false, true) => KeywordEffect::NotModelled,
        (false, false) => KeywordEffect::WithoutEffect,
    };
    for fact in &mut facts {
        match &*fact.keyword.to_ascii_lowercase() {
            "schedulertimeslice" => fact.effect = slice,
            "oversubscribe" | "shared" if slice == KeywordEffect::Used => fact.effect = slice,
            _ => {}
        }
    }
    if !can_suspend(&general) {
        let suspends = |fact: &&mut LineFact| {
            let is_mode = fact.keyword.eq_ignore_ascii_case("preemptmode");
            let value = fact.value.to_ascii_lowercase();
            is_mode && (value.contains("suspend") || value.contains("gang"))
        };
        let modes = facts.iter_mut().filter(suspends);
        modes.for_each(|fact| fact.effect = KeywordEffect::NotModelled);
    }
    for fact in &mut facts {
        let last = last.get(&fact.keyword.to_ascii_lowercase());
        let is_repeated = last.is_some_and(|line| u64::from(*line) != fact.line);
        if is_repeated && plain.binary_search(&fact.line).is_ok() {
            fact.effect = KeywordEffect::WithoutEffect;
        }
    }
    facts
}

/// True if gang scheduling is modelled: with cores as resources, and for partitions also with whole nodes.
fn can_suspend(general: &ConfLine) -> bool {
    let is = |key: &str, value: &str| general.text(key).eq_ignore_ascii_case(value);
    let of_whole_nodes = is("selecttype", "select/linear")
        && is("preempttype", "preempt/partition_prio")
        && has_gang(general);
    of_whole_nodes || slices_time(general)
}

/// True if jobs of a partition can take turns on the same cores.
fn slices_time(general: &ConfLine) -> bool {
    let params = general.text("selecttypeparameters").to_ascii_lowercase();
    let others = ["cr_cpu", "cr_socket", "cr_memory"];
    let counts_cores = params.contains("cr_core") || !others.iter().any(|one| params.contains(one));
    let kind = general.text("selecttype");
    kind.eq_ignore_ascii_case("select/cons_tres") && counts_cores && has_gang(general)
}

fn has_gang(general: &ConfLine) -> bool {
    let mode = general.text("preemptmode").to_ascii_lowercase();
    mode.contains("gang")
}

/// Keywords of lines of the machine, beside those of nodes, partitions and switches.
const OF_MACHINE: [&str; 4] = ["downnodes", "licenses", "reservationname", "powercapwatts"];

/// Keywords that matter only if jobs are preempted, though every slurm.conf has them.
const OF_PREEMPTION: [&str; 4] = ["authinfo", "jobrequeue", "killwait", "messagetimeout"];

/// Returns the lines of a text that can change a schedule and describe no nodes, partitions or licences,
/// as the parameter `conf` of the policy takes them; nothing if the policy follows none of them.
pub fn scheduling_lines(text: &str) -> String {
    let all = lines(text);
    let mut words = all.iter().flat_map(|line| &line.words);
    let preempts = words.any(|word| {
        let effect = fact(ConfPlace::General, word).effect;
        word.key == "preempttype" && effect == KeywordEffect::Used
    });
    let mut kept = Vec::new();
    let mut is_about = false;
    for line in all {
        let first = &line.words[0];
        if OF_MACHINE.contains(&first.key.as_str()) || place_of(&line) != ConfPlace::General {
            continue;
        }
        let words = line.words.iter();
        let words = words
            .filter(|word| preempts || !OF_PREEMPTION.contains(&word.key.as_str()))
            .filter(|word| fact(ConfPlace::General, word).effect != KeywordEffect::WithoutEffect);
        let words: Vec<&ConfWord> = words.collect();
        is_about |= words
            .iter()
            .any(|word| fact(ConfPlace::General, word).effect == KeywordEffect::Used);
        let words: Vec<String> = words
            .iter()
            .map(|word| format!("{}={}", word.written, word.value))
            .collect();
        if !words.is_empty() {
            kept.push(words.join(" "));
        }
    }
    if is_about {
        kept.join("\n")
    } else {
        String::new()
    }
}

fn place_of(line: &ConfLine) -> ConfPlace {
    match line.words.first().map(|word| word.key.as_str()) {
        Some("nodename") => ConfPlace::Node,
        Some("partitionname") => ConfPlace::Partition,
        Some("switchname") => ConfPlace::Switch,
        _ => ConfPlace::General,
    }
}

fn fact(place: ConfPlace, word: &ConfWord) -> LineFact {
    LineFact {
        line: word.line,
        keyword: word.written.clone(),
        value: word.value.clone(),
        effect: if ["priorityweighttres", "tresbillingweights"].contains(&&*word.key) {
            weights_effect(&word.value)
        } else {
            effect(place, &word.key, &word.value)
        },
    }
}

/// Splits the value of `SchedulerParameters` into its options.
pub(super) fn scheduler_options(general: &ConfLine) -> ConfLine {
    let Some(all) = general.get("schedulerparameters") else {
        return ConfLine::default();
    };
    let option = |text: &str| {
        let (key, value) = text.trim().split_once('=').unwrap_or((text.trim(), ""));
        ConfWord {
            line: all.line,
            key: key.to_ascii_lowercase(),
            written: key.to_owned(),
            value: value.to_owned(),
        }
    };
    let options = all.value.split(',').map(option);
    ConfLine {
        words: options.filter(|word| !word.key.is_empty()).collect(),
    }
}
