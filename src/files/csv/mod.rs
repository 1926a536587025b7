//! Fields of CSV files.

/// Returns a text as a CSV field. It gets quotes if it needs them, and a leading apostrophe if a
/// spreadsheet would take it for a formula. A number stays as it is, also as text.
/// docs/formats/results.md states the rule.
pub fn csv_field(text: &str) -> String {
    let is_formula = text.starts_with(['=', '+', '-', '@', '\t', '\r'])
        && !text.parse().is_ok_and(f64::is_finite);
    let guarded = if is_formula {
        format!("'{text}")
    } else {
        text.to_owned()
    };
    // Some spreadsheets separate cells by semicolons or tabs.
    if guarded.contains([',', ';', '\t', '"', '\n', '\r']) {
        format!("\"{}\"", guarded.replace('"', "\"\""))
    } else {
        guarded
    }
}
