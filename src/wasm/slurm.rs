//! The keywords of a slurm.conf, for JavaScript.

use super::arguments::Text;
use super::convert::{object, thrown};
use crate::limits;
use crate::problem::Problem;
use crate::slurm::{
    GENERAL, KeywordEffect, ModelledWord, SCHEDULER, SlurmAccounts, keywords, scheduling_lines,
};
use serde::Serialize;
use wasm_bindgen::prelude::*;

/// A keyword of a slurm.conf, or an option of sacctmgr.
#[derive(Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct SlurmKeyword {
    /// The line of the text, from 1.
    pub line: u64,
    /// The keyword as written.
    pub keyword: String,
    /// The value as written.
    pub value: String,
    /// Its part in the schedule.
    pub effect: SlurmEffect,
}

/// The part of a keyword in the schedule.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub enum SlurmEffect {
    /// The policy follows it.
    Used,
    /// It changes no decision in a simulation.
    WithoutEffect,
    /// It would change the schedule, but is not modelled, or is unknown.
    NotModelled,
}

/// A keyword of slurm.conf, or an option of `SchedulerParameters`, that the policy follows.
#[derive(Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct SlurmOption {
    /// The name as Slurm's manual writes it.
    pub name: &'static str,
    /// True for an option of `SchedulerParameters`.
    pub is_of_scheduler: bool,
    /// True for an option without a value.
    pub is_flag: bool,
    /// The default; empty if it is unset.
    pub default: &'static str,
    /// Its meaning in a few words.
    pub help: &'static str,
    /// The words that its value can be; empty if it can be something else.
    pub values: &'static [&'static str],
    /// True if its value is a list of these words, with commas between them.
    pub is_list: bool,
}

impl SlurmOption {
    fn of(word: &ModelledWord, is_of_scheduler: bool) -> Self {
        Self {
            name: word.name,
            is_of_scheduler,
            is_flag: word.is_flag,
            default: word.default,
            help: word.help,
            values: word.values,
            is_list: word.is_list,
        }
    }
}

fn text_of(text: &Text) -> Result<String, JsValue> {
    let text = text.get("text")?;
    let most = limits::NODE_LIST_BYTES;
    limits::check("The text", text.len(), most, "bytes").map_err(thrown)?;
    Ok(text)
}

/// Returns the lines of a slurm.conf that can change a schedule and describe no nodes, partitions or
/// licences, for the parameter `conf` of the policy `slurm`.
///
/// # Errors
/// Throws a `Problem` if the text is none, or too long.
#[wasm_bindgen(js_name = slurmLines)]
pub fn slurm_lines(text: &Text) -> Result<String, JsValue> {
    Ok(scheduling_lines(&text_of(text)?))
}

/// Returns every keyword of a slurm.conf and every option of `SchedulerParameters`, and then the options
/// of `accounts`, a text of sacctmgr, each with its part in the schedule.
///
/// # Errors
/// Throws a `Problem` if a text is none or too long, or if the accounts cannot be read.
#[wasm_bindgen(js_name = slurmKeywords, unchecked_return_type = "SlurmKeyword[]")]
pub fn slurm_keywords(text: &Text, accounts: &Text) -> Result<JsValue, JsValue> {
    let accounts = accounts.get("accounts")?;
    let accounts = SlurmAccounts::read(&accounts).map_err(|problem: Problem| thrown(problem))?;
    let facts = keywords(&text_of(text)?).into_iter().chain(accounts.facts);
    let facts: Vec<SlurmKeyword> = facts
        .map(|fact| SlurmKeyword {
            line: fact.line,
            keyword: fact.keyword,
            value: fact.value,
            effect: match fact.effect {
                KeywordEffect::Used => SlurmEffect::Used,
                KeywordEffect::WithoutEffect => SlurmEffect::WithoutEffect,
                KeywordEffect::NotModelled => SlurmEffect::NotModelled,
            },
        })
        .collect();
    Ok(object(&facts))
}

/// Returns the keywords and options that the policy follows.
#[wasm_bindgen(js_name = slurmOptions, unchecked_return_type = "SlurmOption[]")]
pub fn slurm_options() -> JsValue {
    let general = GENERAL.iter().map(|word| SlurmOption::of(word, false));
    let scheduler = SCHEDULER.iter().map(|word| SlurmOption::of(word, true));
    object(&general.chain(scheduler).collect::<Vec<_>>())
}
