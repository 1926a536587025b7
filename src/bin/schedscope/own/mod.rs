//! Policies from files, which `--policy` names by their paths.

mod javascript;

use crate::terminal::input::read_text;
use crate::terminal::result::Result;
use javascript::Module;
use schedscope::limits;
use schedscope::policy::{define, own};
use schedscope::problem::Problem;
use std::path::Path;
use std::sync::Arc;

/// Returns the id of the policy that `--policy` names: an id, or the file of a policy, which this
/// function defines.
pub fn policy_id(named: &str) -> Result<String> {
    let path = Path::new(named);
    let has_end = |end: &str| path.extension().is_some_and(|other| other == end);
    if !has_end("js") && !has_end("mjs") {
        return Ok(named.to_owned());
    }
    let code = read_text(path, limits::OWN_BYTES).map_err(|error| {
        Problem::new(
            format!("The policy {named} cannot be read: {error}."),
            "`--policy` takes the id of a policy, or a file that ends in .js or .mjs.",
            "Correct the name, or choose another file.",
        )
    })?;
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    let module = Module::new(&file, code);
    let definition = module.definition()?;
    if own::find(definition.id()).is_some() {
        return Err(Problem::new(
            format!("Two files define the policy `{}`.", definition.id()),
            "Results name a policy by its id.",
            format!("Give the policy of {file} another id."),
        ));
    }
    Ok(define(definition, Arc::new(module))?.id.to_owned())
}
