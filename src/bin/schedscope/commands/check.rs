//! The command `check`: it runs policies on small workloads, and tells what they do wrong.

use super::reading::parse_settings;
use crate::own::policy_id;
use crate::terminal::args::CheckArgs;
use crate::terminal::output::{count, say};
use crate::terminal::result::Result;
use schedscope::experiment::{Scenario, conformance};
use schedscope::problem::Problem;

pub(super) fn check(args: &CheckArgs) -> Result<()> {
    let settings = parse_settings(&args.settings, None)?;
    let mut faults = 0;
    for named in &args.policies {
        let policy = policy_id(named)?;
        let found = conformance(&Scenario {
            machine: args.machine.clone(),
            settings: settings.clone(),
            ..Scenario::new(&policy)
        })?;
        if found.is_empty() {
            say!("{policy}: conforms.");
        }
        for shortcoming in &found {
            let kind = if shortcoming.is_fault {
                "fault"
            } else {
                "note"
            };
            say!("{policy}: {kind}: {}", shortcoming.what);
            say!("  why:  {}", shortcoming.why);
            say!("  next: {}", shortcoming.next);
        }
        faults += found.iter().filter(|found| found.is_fault).count();
    }
    if faults == 0 {
        return Ok(());
    }
    Err(Problem::new(
        format!("The check found {}.", count(faults, "fault")),
        "A policy must do none of these.",
        "Correct the policies, and check again.",
    ))
}
