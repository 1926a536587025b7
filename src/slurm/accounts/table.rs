//! Rows of `sacctmgr show qos -P`: columns with `|` between them, and a head.

use super::known::bad;
use super::options::{AccountOption, set_qos};
use super::tree::Drafts;
use crate::limits;
use crate::problem::Problem;
use crate::slurm::text::facts::KeywordEffect;

/// The head of the last table.
#[derive(Debug, Default)]
pub struct TableHead {
    columns: Vec<String>,
    name: usize,
}

impl TableHead {
    /// Reads a row, or the head of a table.
    pub fn read(&mut self, drafts: &mut Drafts, row: &str, line: u64) -> Result<(), Problem> {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let is_name = |cell: &&str| cell.eq_ignore_ascii_case("name");
        if let Some(name) = cells.iter().position(is_name) {
            limits::check("A table", cells.len(), limits::TABLE_COLUMNS, "columns")?;
            self.columns = cells.into_iter().map(str::to_owned).collect();
            self.name = name;
            if std::mem::take(&mut drafts.is_default_qos) {
                drafts.qos.clear();
            }
            return Ok(());
        }
        let Some(name) = cells.get(self.name).filter(|_| !self.columns.is_empty()) else {
            return Err(bad(
                "A row comes before the head of its table.",
                "The head of a table of QOS names its columns, for example `Name|Priority|MaxJobsPU`.",
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
