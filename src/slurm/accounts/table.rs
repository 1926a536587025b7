//! Rows of `sacctmgr show qos -P` and of `sshare -P`: columns with `|` between them, and a head.

use super::known::bad;
use super::options::{AccountOption, set_qos};
use super::tree::Drafts;
use super::usage::UsageColumns;
use crate::limits;
use crate::problem::Problem;
use crate::slurm::text::facts::KeywordEffect;

/// The head of the last table.
#[derive(Debug, Default)]
pub struct TableHead {
    /// The columns of a table of QOS.
    columns: Vec<String>,
    name: usize,
    /// Those of a table of usage, if it is one.
    usage: Option<UsageColumns>,
}

impl TableHead {
    /// Reads a row, or the head of a table.
    pub fn read(&mut self, drafts: &mut Drafts, row: &str, line: u64) -> Result<(), Problem> {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        if let Some(usage) = UsageColumns::of(&cells) {
            limits::check("A table", cells.len(), limits::TABLE_COLUMNS, "columns")?;
            for (at, name) in cells
                .iter()
                .enumerate()
                .filter(|(_, name)| !name.is_empty())
            {
                drafts.note(line, name, "", usage.effect(at));
            }
            self.usage = Some(usage);
            return Ok(());
        }
        let is_name = |cell: &&str| cell.eq_ignore_ascii_case("name");
        if let Some(name) = cells.iter().position(is_name) {
            limits::check("A table", cells.len(), limits::TABLE_COLUMNS, "columns")?;
            self.columns = cells.into_iter().map(str::to_owned).collect();
            self.name = name;
            self.usage = None;
            if std::mem::take(&mut drafts.is_default_qos) {
                drafts.qos.clear();
            }
            return Ok(());
        }
        if let Some(usage) = &self.usage {
            drafts.usage.push(usage.read(&cells, line)?);
            return Ok(());
        }
        let Some(name) = cells.get(self.name).filter(|_| !self.columns.is_empty()) else {
            return Err(bad(
                "A row comes before the head of its table.",
                "The head of a table names its columns, for example `Name|Priority|MaxJobsPU`, or \
                    `Account|User|RawUsage`.",
            ));
        };
        let at = drafts.add_qos(name)?;
        for (place, (key, value)) in self.columns.iter().zip(&cells).enumerate() {
            if place == self.name || key.is_empty() || value.is_empty() {
                continue;
            }
            let option = AccountOption {
                key: key.clone(),
                sign: ' ',
                value: (*value).to_owned(),
            };
            let effect = set_qos(&mut drafts.qos[at], &option)?;
            drafts.note(line, key, value, effect);
        }
        drafts.note(line, "Name", name, KeywordEffect::Used);
        Ok(())
    }
}
