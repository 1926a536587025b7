//! Policies from files in JavaScript and WebAssembly, which `--policy` names by their paths.

mod compiled;
mod javascript;

use crate::terminal::input::{read_bytes, read_text};
use crate::terminal::result::Result;
use compiled::CompiledPolicy;
use javascript::Module;
use schedscope::limits;
use schedscope::policy::define;
use schedscope::policy::own::{self, CodeHost, Definition};
use schedscope::problem::Problem;
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
    let (definition, host): (Definition, Arc<dyn CodeHost>) =
        match path.extension().and_then(OsStr::to_str) {
            Some("js" | "mjs") => {
                let code = read_text(path, limits::OWN_BYTES).map_err(unread)?;
                let module = Module::new(&file, code);
                (module.definition()?, Arc::new(module))
            }
            Some("wasm") => {
                let code = read_bytes(path, limits::OWN_BYTES).map_err(unread)?;
                let longest = Duration::from_secs(limits::OWN_SECONDS as u64);
                let (definition, policy) = CompiledPolicy::read(&file, &code, longest)?;
                (definition, Arc::new(policy))
            }
            _ => return Ok(named.to_owned()),
        };
    if own::find(definition.id()).is_some() {
        return Err(Problem::new(
            format!("Two files define the policy `{}`.", definition.id()),
            "Results name a policy by its id.",
            format!("Give the policy of {file} another id."),
        ));
    }
    Ok(define(definition, host)?.id.to_owned())
}
