//! Plans for JavaScript: read, split into cells, and analysed. The page itself runs the cells.

use super::arguments::Text;
use super::convert::{object, thrown, value};
use crate::plan::{self, Analysis, Cell, CellResult, Doubt};
use serde::Serialize;
use tsify::Tsify;
use wasm_bindgen::prelude::*;

/// A plan that was read, with its cells.
#[derive(Serialize, Tsify)]
pub struct PlanFacts {
    /// The plan itself.
    pub plan: plan::Plan,
    /// The plan as text, in its normal form.
    pub text: String,
    /// Cells of the plan, in order. Cells that are the same experiment have the same key.
    pub cells: Vec<Cell>,
}

/// Reads a plan and splits it into cells.
///
/// # Errors
/// Throws a `Problem` that names the place in the document.
#[wasm_bindgen(js_name = readPlan, unchecked_return_type = "PlanFacts")]
pub fn read_plan(text: &Text) -> Result<JsValue, JsValue> {
    let plan = plan::Plan::parse(&text.get("text")?).map_err(thrown)?;
    let cells = plan::cells(&plan).map_err(thrown)?;
    Ok(object(&PlanFacts {
        text: plan.text(),
        cells,
        plan,
    }))
}

/// Returns the analysis of the results of a plan's cells, as far as there are results.
///
/// # Errors
/// Throws a `Problem` if the plan is invalid.
#[wasm_bindgen(js_name = analysePlan, unchecked_return_type = "Analysis")]
pub fn analyse_plan(
    text: &Text,
    #[wasm_bindgen(unchecked_param_type = "CellResult[]")] results: &JsValue,
) -> Result<JsValue, JsValue> {
    let plan = plan::Plan::parse(&text.get("text")?).map_err(thrown)?;
    let cells = plan::cells(&plan).map_err(thrown)?;
    let results: Vec<CellResult> = value(results, "list of results")?;
    let analysis: Analysis = plan::analyse(&plan, &cells, &results);
    Ok(object(&analysis))
}

/// Returns, for each stored result of the cells with these keys, the reason why it cannot be used;
/// `null` if it can.
///
/// # Errors
/// Throws a `Problem` if an argument is not a list.
#[wasm_bindgen(js_name = checkResults, unchecked_return_type = "(Doubt | null)[]")]
pub fn check_results(
    #[wasm_bindgen(unchecked_param_type = "string[]")] keys: &JsValue,
    #[wasm_bindgen(unchecked_param_type = "unknown[]")] results: &JsValue,
) -> Result<JsValue, JsValue> {
    let (keys, results): (Vec<String>, Vec<serde_json::Value>) = (
        value(keys, "list of keys")?,
        value(results, "list of results")?,
    );
    let doubt = |(key, result): (&String, &serde_json::Value)| {
        plan::read_stored(&result.to_string(), key).err()
    };
    Ok(object(
        &keys
            .iter()
            .zip(&results)
            .map(doubt)
            .collect::<Vec<Option<Doubt>>>(),
    ))
}
