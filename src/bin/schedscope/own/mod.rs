//! Policies from files in JavaScript and WebAssembly, which `--policy` names by their paths.

mod compiled;
mod javascript;

use crate::terminal::args::OwnArgs;
use crate::terminal::input::{read_bytes, read_text};
use crate::terminal::result::Result;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use compiled::CompiledPolicy;
use javascript::Module;
use schedscope::limits;
use schedscope::plan::PlanCode;
use schedscope::policy::define;
use schedscope::policy::own::{self, CodeHost, Definition};
use schedscope::problem::Problem;
use schedscope::trace::Fingerprint;
use serde_json::Value;
use std::ffi::OsStr;
use std::io::Error;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Returns the id of the policy that `--policy` names: an id, or the file of a policy, which this
/// function defines.
pub fn policy_id(named: &str) -> Result<String> {
    let path = Path::new(named);
    let unread = |error: Error| {
        Problem::new(
            format!("The policy {named} cannot be read: {error}."),
            "`--policy` takes the id of a policy, or a file that ends in .js, .mjs or .wasm.",
            "Correct the name, or choose another file.",
        )
    };
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    let code = match path.extension().and_then(OsStr::to_str) {
        Some("js" | "mjs") => {
            PolicyFile::Script(read_text(path, limits::OWN_BYTES).map_err(unread)?)
        }
        Some("wasm") => PolicyFile::Compiled(read_bytes(path, limits::OWN_BYTES).map_err(unread)?),
        _ => return Ok(named.to_owned()),
    };
    defined(&file, code)
}

/// The code of a policy.
enum PolicyFile {
    Script(String),
    Compiled(Vec<u8>),
}

/// Defines a policy by its code, and returns its id.
fn defined(file: &str, code: PolicyFile) -> Result<String> {
    let mut print = Fingerprint::default();
    print.push(match &code {
        PolicyFile::Script(text) => text.as_bytes(),
        PolicyFile::Compiled(bytes) => bytes,
    });
    let (definition, host): (Definition, Arc<dyn CodeHost>) = match code {
        PolicyFile::Script(text) => {
            let module = Module::new(file, text);
            (module.definition()?, Arc::new(module))
        }
        PolicyFile::Compiled(bytes) => {
            let longest = Duration::from_secs(limits::OWN_SECONDS as u64);
            let (definition, policy) = CompiledPolicy::read(file, &bytes, longest)?;
            (definition, Arc::new(policy))
        }
    };
    if own::find(definition.id()).is_some() {
        return Err(Problem::new(
            format!("Two files define the policy `{}`.", definition.id()),
            "Results name a policy by its id.",
            format!("Give the policy of {file} another id."),
        ));
    }
    Ok(define(definition.of_code(print.finish()), host)?
        .id
        .to_owned())
}

/// Defines the own policies of a plan: those of the files that the user names and, if the user lets
/// it run, the code that the plan holds.
pub fn define_for_plan(plan: &str, args: &OwnArgs) -> Result<()> {
    for named in &args.policy {
        if policy_id(named)? == *named {
            return Err(Problem::new(
                format!("`--policy {named}` names no file."),
                "A plan has its policies; the option gives the code of own ones.",
                "Name a file that ends in .js, .mjs or .wasm.",
            ));
        }
    }
    if !args.run_code {
        return Ok(());
    }
    // The plan itself is checked later.
    let plan: Value = serde_json::from_str(plan).unwrap_or_default();
    let codes: Vec<PlanCode> = serde_json::from_value(plan["own"].clone()).unwrap_or_default();
    for PlanCode {
        policy, file, code, ..
    } in codes
    {
        if code.is_empty() || own::find(&policy).is_some() {
            continue;
        }
        limits::check(
            &format!("The code of {file} in the plan"),
            code.len(),
            limits::OWN_BYTES,
            "bytes",
        )?;
        let code = if Path::new(&file).extension() == Some(OsStr::new("wasm")) {
            PolicyFile::Compiled(STANDARD.decode(&code).map_err(|error| {
                Problem::new(
                    format!("The code of {file} in the plan is damaged: {error}."),
                    "Compiled code is written as base64.",
                    "Ask for the plan again.",
                )
            })?)
        } else {
            PolicyFile::Script(code)
        };
        defined(&file, code)?;
    }
    Ok(())
}
