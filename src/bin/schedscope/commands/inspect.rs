//! The command `inspect`, which describes traces without a simulation.

use super::printing::{print_partitions, print_report, print_workload};
use super::reading::{parse_columns, parse_settings, read};
use crate::terminal::args::InspectArgs;
use crate::terminal::output::{say, say_json};
use crate::terminal::result::Result;
use crate::terminal::table;
use schedscope::workload::{clean, shape};

pub(super) fn inspect(args: &InspectArgs) -> Result<()> {
    let settings = parse_settings(&args.settings, None)?;
    settings.check(&[clean::PARAMS, shape::PARAMS])?;
    let mapping = parse_columns(args.columns.as_deref())?;
    for path in &args.traces {
        let trace = read(path, args.skip_bad_lines, mapping.as_ref())?;
        let workload = shape::shape(clean::clean(&trace, &settings)?, &settings)?;
        if args.json {
            say_json(&serde_json::json!({
                "trace": workload.provenance, "import": workload.report,
                "processors": workload.processors,
                "offered_load": workload.offered_load(), "header": trace.header,
                "statistics": workload.statistics(),
            }));
            continue;
        }
        print_workload(&workload);
        say!("sha256 {}", trace.sha256);
        print_report(&workload.report);
        print_partitions(&clean::partitions(&trace, &settings));
        let head = ["", "mean", "median", "p90", "p95", "p99", "max", "sd"].map(str::to_owned);
        let rows: Vec<Vec<String>> = workload
            .statistics()
            .iter()
            .map(|(name, values)| {
                std::iter::once(name.clone())
                    .chain(values.iter().map(|value| table::figure(*value)))
                    .collect()
            })
            .collect();
        say!("");
        table::print(&head, &rows);
        say!("");
    }
    Ok(())
}
