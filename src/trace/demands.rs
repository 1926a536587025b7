//! Demands of jobs for a node's resources, from a table beside a trace. The table is CSV with a
//! header line, and one line for each job.

use super::Fingerprint;
use crate::limits;
use crate::problem::Problem;
use csv::{ReaderBuilder, StringRecord, Trim};
use std::collections::BTreeMap;

/// The columns that a table must have, in any order.
pub const COLUMNS: [&str; 5] = ["job", "cpu", "network", "disk", "memory"];

/// Largest deviation of the sum of a job's shares of time from 1, in ten-thousandths.
const SLACK: i64 = 100;

/// A table of demands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Demands {
    /// Name of the file.
    pub name: String,
    /// SHA-256 of the text, in hex.
    pub sha256: String,
    /// The demands, by job number: time on the CPU, on the network and on the disk, which add up to
    /// 10,000, and share of a node's memory. In ten-thousandths.
    pub rows: BTreeMap<i64, [i64; 4]>,
}

impl Demands {
    /// Reads a table.
    ///
    /// # Errors
    /// Returns a problem if a column is missing, if a value is not a share, if the shares of a
    /// job's time do not add up to 1, or if a job occurs twice.
    pub fn read(name: &str, text: &[u8]) -> Result<Self, Problem> {
        limits::check(
            &format!("The table {name}"),
            text.len(),
            limits::DEMANDS_BYTES,
            "bytes",
        )?;
        let mut reader = ReaderBuilder::new()
            .trim(Trim::All)
            .comment(Some(b'#'))
            .from_reader(text);
        let damaged = |error: &csv::Error| problem(format!("{name} is not a table: {error}."));
        let header = reader.headers().map_err(|error| damaged(&error))?.clone();
        let place = |column: &str| {
            header
                .iter()
                .position(|name| name.eq_ignore_ascii_case(column))
        };
        let mut places = [0; 5];
        for (at, column) in COLUMNS.into_iter().enumerate() {
            places[at] = place(column)
                .ok_or_else(|| problem(format!("{name} has no column `{column}`.")))?;
        }
        let mut table = Self {
            name: name.into(),
            sha256: String::new(),
            rows: BTreeMap::new(),
        };
        for record in reader.records() {
            let record = record.map_err(|error| damaged(&error))?;
            let line = record.position().map_or(0, csv::Position::line);
            let (job, row) = row(&record, places)
                .map_err(|what| problem(format!("{name}, line {line}: {what}.")).at_line(line))?;
            if table.rows.insert(job, row).is_some() {
                return Err(
                    problem(format!("{name}, line {line}: job {job} occurs twice.")).at_line(line),
                );
            }
        }
        let mut print = Fingerprint::default();
        print.push(text);
        table.sha256 = print.finish();
        Ok(table)
    }
}

fn problem(what: String) -> Problem {
    Problem::new(
        what,
        "A table of demands is CSV with the columns job, cpu, network, disk and memory. A job's \
            shares of time add up to 1.",
        "Correct the file; docs/formats/demands.md describes it.",
    )
}

/// Returns a job's number and demands.
fn row(record: &StringRecord, places: [usize; 5]) -> Result<(i64, [i64; 4]), String> {
    let text = |at: usize| record.get(places[at]).unwrap_or_default();
    let shown = |at: usize| text(at).chars().take(40).collect::<String>();
    let job: i64 = text(0)
        .parse()
        .map_err(|_| format!("`job` is `{}`, not a whole number", shown(0)))?;
    let mut shares = [0; 4];
    for (share, at) in shares.iter_mut().zip(1..) {
        let value: Option<f64> = text(at)
            .parse()
            .ok()
            .filter(|value| (0.0..=1.0).contains(value));
        let value = value.ok_or_else(|| {
            format!(
                "`{}` is `{}`, not a number from 0 to 1",
                COLUMNS[at],
                shown(at)
            )
        })?;
        *share = (value * 1e4).round() as i64;
    }
    let [cpu, network, disk, memory] = shares;
    let all = cpu + network + disk;
    if (all - 10_000).abs() > SLACK {
        return Err(format!(
            "cpu, network and disk add up to {}, not 1",
            all as f64 / 1e4
        ));
    }
    // Rounded figures may miss the sum a little. The largest share takes the difference.
    let largest = (0..3)
        .max_by_key(|at| (shares[*at], std::cmp::Reverse(*at)))
        .unwrap_or(0);
    shares[largest] += 10_000 - all;
    Ok((job, [shares[0], shares[1], shares[2], memory]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_read() {
        let text = "# measured in May\nmemory, job, cpu, network, disk, owner\n0.25, 7, 0.5, 0.3, \
            0.2, ann\n1,-1,0.333,0.333,0.333,bob\n";
        let table = Demands::read("demands.csv", text.as_bytes()).unwrap();
        assert_eq!(table.rows[&7], [5000, 3000, 2000, 2500]);
        assert_eq!(
            table.rows[&-1],
            [3340, 3330, 3330, 10_000],
            "three thirds are one"
        );
        assert_eq!((table.rows.len(), table.sha256.len()), (2, 64));
        let most = Demands::read(
            "demands.csv",
            b"job,cpu,network,disk,memory\n1,0.5,0.31,0.2,0\n2,0.5,0.29,0.2,0\n",
        )
        .unwrap();
        assert_eq!(
            (most.rows[&1], most.rows[&2]),
            ([4900, 3100, 2000, 0], [5100, 2900, 2000, 0]),
            "a hundredth may be missing or over"
        );
    }

    #[test]
    fn mistakes_name_their_place() {
        let of = |text: &str| Demands::read("d.csv", text.as_bytes()).unwrap_err();
        assert_eq!(
            of("job,cpu,network,disk\n").what,
            "d.csv has no column `memory`."
        );
        let header = "job,cpu,network,disk,memory\n";
        let one = of(&format!("{header}1,1,0,0,0\n2,0.5,0.5,x,0\n"));
        assert_eq!(
            (one.what.as_str(), one.line),
            (
                "d.csv, line 3: `disk` is `x`, not a number from 0 to 1.",
                Some(3)
            )
        );
        assert!(
            of(&format!("{header}1,0.5,0.2,0.2,0\n"))
                .what
                .contains("add up to 0.9, not 1")
        );
        assert!(
            of(&format!("{header}1,0.5,0.3101,0.2,0\n"))
                .what
                .contains("add up to 1.0101, not 1")
        );
        assert!(
            of(&format!("{header}1,1,0,0,0\n1,1,0,0,0\n"))
                .what
                .contains("job 1 occurs twice")
        );
        assert!(
            of(&format!("{header}1,1,0,0\n"))
                .what
                .contains("is not a table")
        );
        assert!(
            of(&format!("{header}one,1,0,0,NaN\n"))
                .what
                .contains("`job` is `one`")
        );
        assert!(
            of(&format!("{header}1,1,0,0,NaN\n"))
                .what
                .contains("`memory` is `NaN`")
        );
        assert!(of("").what.contains("no column `job`"));
        assert!(Demands::read("d.csv", &[0xff, 0xfe, 0, 10]).is_err());
    }
}
