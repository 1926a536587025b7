//! The command `generate`, which draws a trace from a model.

use super::reading::parse_settings;
use crate::terminal::args::GenerateArgs;
use crate::terminal::output::write_out;
use crate::terminal::result::Result;
use crate::terminal::save::{Existing, check_free, write_file};
use schedscope::param::Value;
use schedscope::trace::write_trace;
use schedscope::workload::model;

pub(super) fn generate(args: &GenerateArgs) -> Result<()> {
    let mut settings = parse_settings(&args.settings, None)?;
    if settings.0.get("seed") == Some(&Value::Text("random".into())) {
        settings = settings.with("seed", schedscope::random::fresh_seed()? as f64);
    }
    let existing = Existing::with(args.force);
    args.out
        .iter()
        .try_for_each(|path| check_free(path, existing))?;
    let trace = model::generate(&args.model, &settings)?;
    match &args.out {
        Some(path) => write_file(path, existing, |line| write_trace(&trace, line)),
        None => {
            write_out(|line| write_trace(&trace, line));
            Ok(())
        }
    }
}
