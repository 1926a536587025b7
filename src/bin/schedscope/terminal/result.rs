//! The result type of all commands.

use schedscope::problem::Problem;

/// A value, or the problem that the user sees.
pub type Result<T> = std::result::Result<T, Problem>;
