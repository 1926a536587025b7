//! The result of a command.

use schedscope::problem::Problem;

/// A value, or the problem that the user is told.
pub type Result<T> = std::result::Result<T, Problem>;
