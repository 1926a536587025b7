//! The accounts of a cluster: associations of users with accounts, and qualities of service (QOS), as
//! slurmdbd keeps them.

mod amounts;
mod dump;
mod known;
mod lines;
mod loops;
mod options;
mod script;
mod table;
mod tree;
mod usage;

pub(super) use amounts::{
    BILLING, COUNTED, CPU, GPU, LimitSet, MEMORY, NO_LIMIT, NODE, TresAmounts, TresWeights,
    read_weights,
};
pub use dump::DumpKind;
pub use known::SlurmAccounts;
pub use lines::{AccountLine, account_line, is_usage_head};
pub(super) use options::names;
pub use options::{AccountOption, OptionKind, option_kind};

use crate::limits;
use crate::problem::Problem;
use known::MOST_BYTES;
use tree::Drafts;

impl SlurmAccounts {
    /// Reads accounts and QOS. The text has lines of `sacctmgr dump`, of `sacctmgr show qos -P` and of
    /// `sshare -P`, and commands `add`, `modify` and `remove` of sacctmgr, in any mixture.
    ///
    /// # Errors
    /// Returns a problem if the text is too long, if a line is of no such kind, or if a value is wrong.
    /// Also if a user has an account that does not exist, or if QOS preempt each other in a loop.
    pub fn read(text: &str) -> Result<Self, Problem> {
        limits::check("The file of accounts", text.len(), MOST_BYTES, "bytes")?;
        let mut drafts = Drafts::default();
        let mut table = table::TableHead::default();
        for (line, written) in (1..).zip(text.lines()) {
            let written = written.trim();
            if written.is_empty() || written.starts_with('#') {
                continue;
            }
            let result = if written.contains('|') {
                table.read(&mut drafts, written, line)
            } else if let Some((kind, rest)) = dump::kind_of(written) {
                dump::read(&mut drafts, kind, rest, line)
            } else {
                script::read(&mut drafts, written, line)
            };
            result.map_err(|problem| problem.at_line(line))?;
        }
        drafts.finish()
    }
}
