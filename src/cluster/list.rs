//! Lists of nodes in other forms than the words of slurm.conf: JSON, and CSV with a header. They are
//! rewritten as a description.

use super::amounts::RESOURCES;
use crate::limits;
use crate::problem::Problem;
use csv::{ReaderBuilder, Trim};
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::fmt::Write;

/// The meaning of a column, or of the key of an object.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum NodeColumn {
    Name,
    Count,
    Cores,
    Memory,
    Features,
    Weight,
    Partitions,
    /// Any other column is a resource.
    Resource,
}

const NAMES: &[(&str, NodeColumn)] = &[
    ("name", NodeColumn::Name),
    ("node", NodeColumn::Name),
    ("nodename", NodeColumn::Name),
    ("host", NodeColumn::Name),
    ("kind", NodeColumn::Name),
    ("count", NodeColumn::Count),
    ("nodes", NodeColumn::Count),
    ("cores", NodeColumn::Cores),
    ("cpus", NodeColumn::Cores),
    ("processors", NodeColumn::Cores),
    ("ncpus", NodeColumn::Cores),
    ("memory", NodeColumn::Memory),
    ("mem", NodeColumn::Memory),
    ("ram", NodeColumn::Memory),
    ("realmemory", NodeColumn::Memory),
    ("memorymb", NodeColumn::Memory),
    ("features", NodeColumn::Features),
    ("feature", NodeColumn::Features),
    ("weight", NodeColumn::Weight),
    ("partition", NodeColumn::Partitions),
    ("partitions", NodeColumn::Partitions),
];

fn meaning(column: &str) -> NodeColumn {
    let plain: String = column
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .collect::<String>()
        .to_ascii_lowercase();
    NAMES
        .iter()
        .find(|(name, _)| *name == plain)
        .map_or(NodeColumn::Resource, |(_, meaning)| *meaning)
}

/// Returns the description of a cluster that a file has: lines of slurm.conf, a JSON array of
/// objects, or CSV with a header. docs/machines/nodes.md has the rules. The description is not
/// checked yet.
///
/// # Errors
/// Returns a problem if the text is none of these, if a value cannot be read, or if it is too long.
pub fn description(text: &str) -> Result<String, Problem> {
    limits::check(
        "The list of nodes",
        text.len(),
        limits::NODE_LIST_BYTES,
        "bytes",
    )?;
    let text = text.trim_start_matches('\u{feff}').trim();
    let lines = if text.starts_with('[') || text.starts_with('{') {
        of_json(text)?
    } else if text.to_ascii_lowercase().contains("nodename=") {
        of_slurm(text)
    } else {
        of_csv(text)?
    };
    limits::check(
        "The description of the cluster",
        lines.len(),
        limits::DESCRIPTION_BYTES,
        "bytes",
    )?;
    Ok(lines)
}

/// The beginnings of lines of slurm.conf that describe a cluster.
const USED_LINES: [&str; 8] = [
    "nodename=",
    "partitionname=",
    "downnodes=",
    "licenses=",
    "reservationname=",
    "powercapwatts=",
    "selecttype=",
    "switchname=",
];

/// Keeps the lines that describe nodes, partitions, licences, advance reservations and switches.
fn of_slurm(text: &str) -> String {
    let joined = text.replace("\\\r\n", " ").replace("\\\n", " ");
    let is_used = |line: &&str| {
        let start = line.trim_start().to_ascii_lowercase();
        USED_LINES.iter().any(|word| start.starts_with(word))
    };
    let lines: Vec<&str> = joined.lines().filter(is_used).map(str::trim).collect();
    lines.join("\n")
}

/// The nodes of a list, and the names that its partitions have.
#[derive(Default)]
struct NodeLines {
    lines: String,
    partitions: Vec<(String, Vec<String>)>,
    resources: BTreeSet<String>,
    /// Bytes of the names in partitions.
    bytes: usize,
}

impl NodeLines {
    fn add(&mut self, at: u64, cells: &[(String, String)]) -> Result<(), Problem> {
        let get = |wanted: NodeColumn| {
            let mut cells = cells.iter();
            let cell = cells.find(|(column, word)| meaning(column) == wanted && !word.is_empty());
            cell.map(|(column, word)| (column.as_str(), word.as_str()))
        };
        let whole = |(column, word): (&str, &str)| -> Result<u64, Problem> {
            let number = word.parse::<f64>().ok();
            let number =
                number.filter(|number| number.fract() == 0.0 && (0.0..4e9).contains(number));
            number
                .map(|number| number as u64)
                .ok_or_else(|| bad(at, column, word, "It is a whole number."))
        };
        let count = get(NodeColumn::Count).map(whole).transpose()?;
        let name = get(NodeColumn::Name).map_or_else(|| format!("n{at}-"), |(_, name)| name.into());
        check_word(at, "name", &name)?;
        let name = match count {
            Some(0) => return Ok(()),
            Some(count) if !name.contains('[') => format!("{name}[1-{count}]"),
            _ => name,
        };
        let _ = write!(self.lines, "NodeName={name}");
        if let Some(cores) = get(NodeColumn::Cores).map(whole).transpose()? {
            let _ = write!(self.lines, " CPUs={cores}");
        }
        if let Some((column, word)) = get(NodeColumn::Memory) {
            let memory = megabytes(word).ok_or_else(|| {
                bad(
                    at,
                    column,
                    word,
                    "It is a number of MB, or a number with K, M, G or T.",
                )
            })?;
            let _ = write!(self.lines, " RealMemory={memory}");
        }
        let mut gres = Vec::new();
        for (column, word) in cells {
            if meaning(column) != NodeColumn::Resource || word.is_empty() {
                continue;
            }
            let resource = resource(column);
            let amount = whole((column, word))?;
            if resource.is_empty() {
                return Err(bad(
                    at,
                    column,
                    word,
                    "A resource has a name of letters and digits.",
                ));
            }
            self.resources.insert(resource.clone());
            if amount > 0 {
                gres.push(format!("{resource}:{amount}"));
            }
        }
        if self.resources.len() > RESOURCES {
            return Err(bad(
                at,
                "resources",
                "",
                "A node has at most 8 kinds of resources.",
            ));
        }
        if !gres.is_empty() {
            let _ = write!(self.lines, " Gres={}", gres.join(","));
        }
        let list = |word: &str| -> String {
            let words = word
                .split([',', ';', ' ', '|', '&'])
                .filter(|word| !word.is_empty());
            words.collect::<Vec<_>>().join(",")
        };
        if let Some((_, word)) = get(NodeColumn::Features) {
            let features = list(word);
            check_word(at, "features", &features)?;
            let _ = write!(self.lines, " Feature={features}");
        }
        if let Some(weight) = get(NodeColumn::Weight).map(whole).transpose()? {
            let _ = write!(self.lines, " Weight={weight}");
        }
        self.lines.push('\n');
        if let Some((_, word)) = get(NodeColumn::Partitions) {
            for partition in list(word).split(',').filter(|word| !word.is_empty()) {
                check_word(at, "partition", partition)?;
                match self.partitions.iter_mut().find(|(own, _)| own == partition) {
                    Some((_, nodes)) if nodes.last() == Some(&name) => {}
                    Some((_, nodes)) => nodes.push(name.clone()),
                    None => self.partitions.push((partition.into(), vec![name.clone()])),
                }
                self.bytes += name.len();
                limits::check("The list of nodes", self.partitions.len(), 64, "partitions")?;
            }
        }
        limits::check(
            "The description of the cluster",
            self.lines.len() + self.bytes,
            limits::DESCRIPTION_BYTES,
            "bytes",
        )?;
        Ok(())
    }

    fn finish(mut self) -> String {
        for (partition, nodes) in &self.partitions {
            let _ = writeln!(
                self.lines,
                "PartitionName={partition} Nodes={}",
                nodes.join(",")
            );
        }
        self.lines.trim_end().to_owned()
    }
}

/// Checks a word that becomes a value of a description.
fn check_word(at: u64, column: &str, word: &str) -> Result<(), Problem> {
    let is_bad = |char: char| char.is_whitespace() || char.is_control() || "=;#\"\\".contains(char);
    if word.len() <= limits::NAME_BYTES && !word.chars().any(is_bad) {
        return Ok(());
    }
    let why = "It has at most 500 bytes, no spaces, and none of the signs = ; # \" and \\.";
    Err(bad(at, column, word, why))
}

/// Returns the name of a resource: that of the column, in lower case; `gpu` for GPUs.
fn resource(column: &str) -> String {
    let plain: String = column
        .chars()
        .filter(|char| char.is_ascii_alphanumeric() || *char == '_')
        .collect::<String>()
        .to_ascii_lowercase();
    if plain == "gpus" { "gpu".into() } else { plain }
}

/// Reads an amount of memory in MB. A letter behind the number is its unit.
fn megabytes(word: &str) -> Option<u64> {
    let word = word.trim().trim_end_matches(['B', 'b', 'i']).trim();
    let (digits, factor) = match word.chars().next_back()?.to_ascii_uppercase() {
        'K' => (&word[..word.len() - 1], 1.0 / 1024.0),
        'M' => (&word[..word.len() - 1], 1.0),
        'G' => (&word[..word.len() - 1], 1024.0),
        'T' => (&word[..word.len() - 1], 1024.0 * 1024.0),
        _ => (word, 1.0),
    };
    let number: f64 = digits.trim().parse().ok()?;
    let memory = (number * factor).floor();
    (0.0..4e9).contains(&memory).then_some(memory as u64)
}

fn bad(at: u64, column: &str, word: &str, why: &str) -> Problem {
    Problem::new(
        format!(
            "Entry {at} of the list of nodes: `{}` cannot be `{}`.",
            column.chars().take(40).collect::<String>(),
            word.chars().take(40).collect::<String>()
        ),
        why,
        "Change the list of nodes.",
    )
}

fn of_csv(text: &str) -> Result<String, Problem> {
    let none = |what: String| {
        Problem::new(
            what,
            "A list of nodes is lines of slurm.conf, a JSON array, or CSV whose header has a \
                column of cores.",
            "Write for example `name,count,cores,memory,gpus` and a line such as \
                `a,16,64,256G,4` below it.",
        )
    };
    let mut reader = ReaderBuilder::new()
        .trim(Trim::All)
        .from_reader(text.as_bytes());
    let header = reader
        .headers()
        .map_err(|error| none(format!("The list of nodes cannot be read: {error}.")))?
        .clone();
    if !header
        .iter()
        .any(|column| meaning(column) == NodeColumn::Cores)
    {
        return Err(none("This is not a list of nodes.".into()));
    }
    let mut found = NodeLines::default();
    for (at, row) in (1..).zip(reader.records()) {
        let row =
            row.map_err(|error| none(format!("The list of nodes cannot be read: {error}.")))?;
        let cells: Vec<(String, String)> = header
            .iter()
            .zip(row.iter())
            .map(|(column, word)| (column.to_owned(), word.to_owned()))
            .collect();
        found.add(at, &cells)?;
    }
    Ok(found.finish())
}

fn of_json(text: &str) -> Result<String, Problem> {
    let problem = |what: String| {
        Problem::new(
            what,
            "It is an array of objects such as {\"name\": \"a\", \"count\": 16, \"cores\": 64, \
                \"memory\": \"256G\", \"gpus\": 4}.",
            "Correct the list.",
        )
    };
    let value: Value = serde_json::from_str(text)
        .map_err(|error| problem(format!("The list of nodes is not JSON: {error}.")))?;
    let list = match &value {
        Value::Object(object) => object.get("nodes"),
        other => Some(other),
    };
    let entries = list
        .and_then(Value::as_array)
        .ok_or_else(|| problem("The JSON has no list of nodes.".into()))?;
    let mut found = NodeLines::default();
    for (at, entry) in (1..).zip(entries) {
        let object: &Map<String, Value> = entry
            .as_object()
            .ok_or_else(|| problem(format!("Entry {at} of the list of nodes is no object.")))?;
        let word = |value: &Value| match value {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            Value::Null => Some(String::new()),
            Value::Array(list) => list
                .iter()
                .map(Value::as_str)
                .collect::<Option<Vec<_>>>()
                .map(|words| words.join(",")),
            Value::Bool(_) | Value::Object(_) => None,
        };
        let cells: Vec<(String, String)> = object
            .iter()
            .map(|(key, value)| Some((key.clone(), word(value)?)))
            .collect::<Option<_>>()
            .ok_or_else(|| {
                problem(format!(
                    "Entry {at} of the list of nodes has a value of another kind."
                ))
            })?;
        found.add(at, &cells)?;
    }
    Ok(found.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_become_descriptions() {
        let csv = "Name,Count,Cores,Memory,GPUs,Features,Partition,fpga\n\
            a,4,64,256G,,ib,\"batch,all\",\ng,2,32,1.5T,4,ib a100,all,1\n";
        let lines = "NodeName=a[1-4] CPUs=64 RealMemory=262144 Feature=ib\n\
            NodeName=g[1-2] CPUs=32 RealMemory=1572864 Gres=gpu:4,fpga:1 Feature=ib,a100\n\
            PartitionName=batch Nodes=a[1-4]\nPartitionName=all Nodes=a[1-4],g[1-2]";
        assert_eq!(description(csv).unwrap(), lines);
        let json = r#"{"nodes": [
            {"name": "a", "count": 4, "cores": 64, "memory": "256GB", "features": ["ib"], "partition": ["batch", "all"]},
            {"name": "g[1-2]", "cores": 32, "memory": 1572864, "gpus": 4, "fpga": 1, "features": "ib,a100", "partition": "all"}
        ]}"#;
        let own = description(json).unwrap();
        assert_eq!(own.lines().count(), 4);
        let cluster = super::super::description::read(&own).unwrap();
        assert_eq!(
            super::super::description::read(lines).unwrap().kinds[0].amounts,
            cluster.kinds[0].amounts
        );
        assert_eq!((cluster.nodes(), cluster.cores()), (6, 320));
        let conf = "ClusterName=x\nNodeName=n[1-2] \\\n CPUs=4\nPartitionName=p Nodes=ALL\nX=1";
        assert_eq!(
            description(conf).unwrap(),
            "NodeName=n[1-2]   CPUs=4\nPartitionName=p Nodes=ALL"
        );
    }

    #[test]
    fn lists_that_cannot_be_read_are_refused() {
        for (text, says) in [
            ("", "not a list of nodes"),
            ("a,b\n1,2", "not a list of nodes"),
            ("name,cores\na,many", "Entry 1"),
            ("name,cores,memory\na,4,lots", "Entry 1"),
            ("name,cores\na b,4", "Entry 1"),
            ("name,cores,partition\na,4,gpu#1", "Entry 1"),
            ("name,cores,features\na,4,c#", "Entry 1"),
            ("[1]", "Entry 1"),
            ("[{\"cores\": true}]", "Entry 1"),
            ("{\"x\": 1}", "no list"),
            ("[{", "not JSON"),
        ] {
            let problem = description(text).unwrap_err();
            assert!(problem.what.contains(says), "{text}: {problem}");
        }
    }
}
