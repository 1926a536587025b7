//! The commands that list policies, machines and models.

use crate::terminal::args::ListArgs;
use crate::terminal::output::{say, say_json};
use schedscope::experiment::catalog;
use schedscope::param::Param;

pub(super) fn list(
    args: &ListArgs,
    key: &str,
    specs: impl Iterator<Item = (&'static str, &'static str, &'static str, &'static [Param])>,
) {
    if args.json {
        let all = serde_json::to_value(catalog()).unwrap_or_default();
        say_json(&all[key]);
        return;
    }
    for (id, name, summary, params) in specs {
        say!("{id}: {name}. {summary}");
        for param in params {
            let unit = if param.unit.is_empty() {
                String::new()
            } else {
                format!(" {}", param.unit)
            };
            let when = param
                .when_text()
                .map_or(String::new(), |when| format!("; with {when}"));
            say!(
                "  {} ({}{unit}; default {}{when})",
                param.key,
                param.range_text(),
                param.default_text()
            );
            say!("      {}", param.help);
        }
    }
}
