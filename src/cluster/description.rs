//! Reads the description of a cluster: lines in the words of slurm.conf.
//!
//! slurm.conf(5) of Slurm 22.05 defines the words. docs/machines/nodes.md says which ones count.

use super::advance::{AdvanceKind, AdvanceReservation};
use super::kinds::{ADVANCE, Cluster, NodeKind};
use super::{Amounts, CORES, ClusterPartition, GPUS, MEMORY, NOTHING, RESOURCES, UNLIMITED, hosts};
use crate::limits;
use crate::problem::Problem;
use crate::sorting;
use crate::time::{Span, Time, days_since_1970};
use std::collections::BTreeMap;

/// Partitions that a description can have: the bits of a word.
const PARTITIONS: usize = 64;
/// Features that a description can have: the bits of a word.
const FEATURES: usize = 64;
/// The largest amount of a resource of a node. [`UNLIMITED`] is larger.
const MOST: u64 = 4_000_000_000;

/// The largest power of a node, in watts.
const MOST_WATTS: u32 = 1_000_000;

/// The name of the licence that stands for power.
const POWER: &str = "power";

/// Keywords that a line can have.
const KEYWORDS: usize = 200;

/// Keywords of nodes that change nothing in a simulation.
const NODE_WITHOUT_EFFECT: &[&str] = &["nodehostname", "nodeaddr", "bcastaddr", "port", "reason"];

/// A statement: its keys and values, and its line.
struct Statement<'a> {
    line: u64,
    /// (Key in lower case, key as written, value).
    pairs: Vec<(String, &'a str, &'a str)>,
}

impl<'a> Statement<'a> {
    fn get(&self, key: &str) -> Option<&'a str> {
        self.pairs
            .iter()
            .rev()
            .find(|(known, ..)| known == key)
            .map(|(.., value)| *value)
    }

    fn number(&self, key: &str) -> Result<Option<u64>, Problem> {
        let Some(word) = self.get(key) else {
            return Ok(None);
        };
        match word.parse::<u64>() {
            Ok(number) if number <= MOST => Ok(Some(number)),
            _ => Err(self.problem(key, word, &format!("It is a whole number, at most {MOST}."))),
        }
    }

    fn problem(&self, key: &str, word: &str, why: &str) -> Problem {
        Problem::new(
            format!(
                "`{key}={}` cannot be read in line {} of the cluster.",
                word.chars().take(60).collect::<String>(),
                self.line
            ),
            why,
            "Change the description of the cluster.",
        )
    }
}

/// Reads a description in the words of slurm.conf. docs/machines/nodes.md has its rules.
///
/// # Errors
/// Returns a problem if a line cannot be read, if there is no node, or if a limit is exceeded.
pub fn read(text: &str) -> Result<Cluster, Problem> {
    limits::check(
        "The description of the cluster",
        text.len(),
        limits::DESCRIPTION_BYTES,
        "bytes",
    )?;
    let mut reader = ClusterReader::default();
    let mut others = 0_u32;
    let mut is_whole = false;
    let mut partitions: Vec<Statement<'_>> = Vec::new();
    let mut defaults: Vec<(String, &str, &str)> = Vec::new();
    let mut of_partitions: Vec<(String, &str, &str)> = Vec::new();
    let mut advance: Vec<Statement<'_>> = Vec::new();
    for mut statement in statements(text) {
        if statement
            .pairs
            .len()
            .max(defaults.len())
            .max(of_partitions.len())
            > KEYWORDS
            || partitions.len() > PARTITIONS
            || advance.len() > ADVANCE
        {
            return Err(Problem::new(
                "The description of the cluster is too large.",
                "A line has at most 200 keywords, and a cluster at most 64 partitions and 64 advance \
                    reservations.",
                "Leave out what does not describe nodes.",
            ));
        }
        match statement.pairs.first().map(|(key, ..)| key.as_str()) {
            Some("nodename") => {
                if statement.pairs[0].2.eq_ignore_ascii_case("default") {
                    // A line of defaults keeps the defaults that it does not name, as in Slurm.
                    keep(&mut defaults, statement.pairs.drain(1..));
                    continue;
                }
                let own = std::mem::take(&mut statement.pairs);
                statement.pairs = own[..1].to_vec();
                statement.pairs.extend(defaults.iter().cloned());
                statement.pairs.extend(own.into_iter().skip(1));
                reader.nodes(&statement)?;
            }
            Some("partitionname") => {
                if statement.pairs[0].2.eq_ignore_ascii_case("default") {
                    keep(&mut of_partitions, statement.pairs.drain(1..));
                    continue;
                }
                let own = std::mem::take(&mut statement.pairs);
                statement.pairs = own[..1].to_vec();
                statement.pairs.extend(of_partitions.iter().cloned());
                statement.pairs.extend(own.into_iter().skip(1));
                partitions.push(statement);
            }
            Some("downnodes") => reader.down(&statement)?,
            Some("licenses") => reader.licences(&statement)?,
            Some("powercapwatts") => {
                reader.power_cap = statement
                    .number("powercapwatts")?
                    .map(|cap| (cap, statement.line));
            }
            Some("reservationname") => advance.push(statement),
            Some("selecttype") => {
                let plugin = statement.pairs[0].2.to_ascii_lowercase();
                is_whole = plugin.ends_with("linear");
            }
            // The policy `slurm` reads the switches.
            Some("switchname") => {}
            _ => others += 1,
        }
    }
    let mut cluster = reader.finish(&partitions, &advance, others)?;
    cluster.text = text.into();
    cluster.is_whole = is_whole;
    Ok(cluster)
}

/// Keeps defaults, each the last time that it occurs.
fn keep<'a>(
    defaults: &mut Vec<(String, &'a str, &'a str)>,
    pairs: impl Iterator<Item = (String, &'a str, &'a str)>,
) {
    for pair in pairs {
        defaults.retain(|(key, ..)| *key != pair.0);
        defaults.push(pair);
    }
}

#[derive(Default)]
struct ClusterReader {
    kinds: Vec<NodeKind>,
    names: Vec<String>,
    resources: Vec<String>,
    features: Vec<String>,
    licences: Vec<(String, u32)>,
    /// The power cap in watts, and the line that gives it.
    power_cap: Option<(u64, u64)>,
    /// Names of nodes that are down.
    down: Vec<String>,
    cores: u64,
    /// Keywords that have no effect here, with the number of lines that have them.
    unused: BTreeMap<String, u32>,
}

impl ClusterReader {
    fn nodes(&mut self, statement: &Statement<'_>) -> Result<(), Problem> {
        let list = statement.pairs[0].2;
        let at_line = |problem: Problem| problem.at_line(statement.line);
        let names = hosts::expand(list, limits::CLUSTER_NODES).map_err(at_line)?;
        if names.is_empty() {
            return Err(statement.problem("NodeName", list, "It names no node."));
        }
        let amounts = self.amounts(statement)?;
        let weight = statement.number("weight")?.unwrap_or(1);
        let mut features = 0;
        for key in ["feature", "features"] {
            for word in statement.get(key).unwrap_or_default().split(',') {
                if !word.is_empty() {
                    let number = number(&mut self.features, word, FEATURES).ok_or_else(|| {
                        statement.problem(key, word, "A cluster has at most 64 features.")
                    })?;
                    features |= 1 << number;
                }
            }
        }
        if is_down(statement) {
            self.down.extend(names.iter().cloned());
        }
        self.cores += names.len() as u64 * u64::from(amounts[CORES]);
        limits::check(
            "The list of nodes",
            self.names.len() + names.len(),
            limits::CLUSTER_NODES,
            "nodes",
        )?;
        limits::check(
            "The cluster",
            usize::try_from(self.cores).unwrap_or(usize::MAX),
            limits::CLUSTER_CORES,
            "cores",
        )?;
        let watts = [
            statement.number("idlewatts")?,
            statement.number("busywatts")?,
        ];
        let watts = watts.map(|watts| watts.map(|watts| watts as u32));
        let idle = watts[0].unwrap_or(0);
        let busy = watts[1].unwrap_or(idle);
        if busy < idle || busy > MOST_WATTS {
            let why = format!("It is at least `IdleWatts`, and at most {MOST_WATTS}.");
            return Err(statement.problem("BusyWatts", &busy.to_string(), &why));
        }
        self.kinds.push(NodeKind {
            watts: [idle, busy],
            name: list.into(),
            count: names.len() as u32,
            amounts,
            weight: u32::try_from(weight).unwrap_or(u32::MAX),
            features,
        });
        self.names.extend(names);
        Ok(())
    }

    /// Returns the resources of a node.
    fn amounts(&mut self, statement: &Statement<'_>) -> Result<Amounts, Problem> {
        let mut amounts = NOTHING;
        let number = |key: &str| statement.number(key);
        let cpus = number("cpus")?.or(number("procs")?);
        let sockets = match (number("sockets")?, number("socketsperboard")?) {
            (Some(sockets), _) => sockets,
            (None, Some(each)) => each.saturating_mul(number("boards")?.unwrap_or(1)),
            (None, None) => 1,
        };
        let cores = number("corespersocket")?.unwrap_or(1);
        let threads = number("threadspercore")?.unwrap_or(1);
        let all = cpus.unwrap_or_else(|| sockets.saturating_mul(cores).saturating_mul(threads));
        let kept = number("corespeccount")?.unwrap_or(0);
        let left = all.saturating_sub(kept);
        if left == 0 || left > limits::CLUSTER_CORES as u64 {
            return Err(statement.problem(
                "CPUs",
                &left.to_string(),
                "A node has at least one core, and at most as many as a cluster (docs/limits.md).",
            ));
        }
        amounts[CORES] = left as u32;
        let memory = match number("realmemory")? {
            Some(memory) => memory.saturating_sub(number("memspeclimit")?.unwrap_or(0)),
            None => UNLIMITED.into(),
        };
        amounts[MEMORY] = memory as u32;
        for item in statement.get("gres").unwrap_or_default().split(',') {
            if item.is_empty() {
                continue;
            }
            let (name, amount) = gres(item).ok_or_else(|| {
                statement.problem("Gres", item, "It is `name:count` or `name:type:count`.")
            })?;
            if self.resources.is_empty() {
                self.resources = ["cores", "memory", "gpu"].map(Into::into).to_vec();
            }
            let at = number_of(&mut self.resources, name).ok_or_else(|| {
                statement.problem(
                    "Gres",
                    item,
                    &format!("A node has at most {RESOURCES} kinds of resources."),
                )
            })?;
            if at < GPUS {
                return Err(statement.problem("Gres", item, "The name has another meaning."));
            }
            let sum = u64::from(amounts[at]) + amount;
            amounts[at] = u32::try_from(sum.min(MOST)).unwrap_or(UNLIMITED - 1);
        }
        self.mark_unused(
            statement,
            &[
                "nodename",
                "cpus",
                "procs",
                "sockets",
                "socketsperboard",
                "boards",
                "corespersocket",
                "threadspercore",
                "corespeccount",
                "realmemory",
                "memspeclimit",
                "gres",
                "feature",
                "features",
                "weight",
                "state",
                "idlewatts",
                "busywatts",
            ],
            NODE_WITHOUT_EFFECT,
        );
        Ok(amounts)
    }

    fn mark_unused(&mut self, statement: &Statement<'_>, used: &[&str], silent: &[&str]) {
        for (key, written, _) in &statement.pairs {
            if !used.contains(&key.as_str()) && !silent.contains(&key.as_str()) {
                *self.unused.entry((*written).into()).or_default() += 1;
            }
        }
    }

    /// Reads a line of nodes that are down.
    fn down(&mut self, statement: &Statement<'_>) -> Result<(), Problem> {
        let names = hosts::expand(statement.pairs[0].2, limits::CLUSTER_NODES)
            .map_err(|problem| problem.at_line(statement.line))?;
        if statement.get("state").is_none() || is_down(statement) {
            limits::check(
                "The list of nodes that are down",
                self.down.len() + names.len(),
                limits::PARTITION_NODES,
                "nodes",
            )?;
            self.down.extend(names);
        }
        self.mark_unused(statement, &["downnodes", "state"], &["reason"]);
        Ok(())
    }

    /// Reads a line of licences: `Licenses=matlab:10,fluent:4`.
    fn licences(&mut self, statement: &Statement<'_>) -> Result<(), Problem> {
        for item in statement.pairs[0]
            .2
            .split(',')
            .filter(|item| !item.is_empty())
        {
            let (name, count) = licence(item).ok_or_else(|| {
                statement.problem("Licenses", item, "It is `name:count`, such as `matlab:10`.")
            })?;
            let known = self
                .licences
                .iter_mut()
                .find(|(known, _)| known.eq_ignore_ascii_case(name));
            if let Some((_, known)) = known {
                *known = known.saturating_add(count);
                continue;
            }
            if self.licences.len() == RESOURCES {
                let why = format!("A cluster has at most {RESOURCES} kinds of licences.");
                return Err(statement.problem("Licenses", item, &why));
            }
            self.licences.push((name.into(), count));
        }
        self.mark_unused(statement, &["licenses"], &[]);
        Ok(())
    }

    fn finish(
        mut self,
        partitions: &[Statement<'_>],
        advance: &[Statement<'_>],
        others: u32,
    ) -> Result<Cluster, Problem> {
        if self.kinds.is_empty() {
            return Err(Problem::new(
                "The description of the cluster names no node.",
                "A line such as `NodeName=n[1-16] CPUs=32 RealMemory=128000` describes nodes.",
                "Add a line for each kind of node.",
            ));
        }
        let number_of_node = sorting::map(
            self.names
                .iter()
                .zip(0_u32..)
                .map(|(name, node)| (name.clone(), node)),
        );
        if number_of_node.len() < self.names.len() {
            return Err(Problem::new(
                "The description of the cluster names a node twice.",
                "Each node is described by one line.",
                "Leave one of the two lines out.",
            ));
        }
        limits::check("The cluster", partitions.len(), PARTITIONS, "partitions")?;
        limits::check(
            "The cluster",
            advance.len(),
            ADVANCE,
            "advance reservations",
        )?;
        let mut found: Vec<(ClusterPartition, Vec<u32>)> = Vec::new();
        let mut members = 0;
        for statement in partitions {
            let (partition, nodes) = self.partition(statement, &number_of_node)?;
            members += nodes.len();
            limits::check(
                "The partitions together",
                members,
                limits::PARTITION_NODES,
                "nodes",
            )?;
            found.push((partition, nodes));
        }
        let mut kept: Vec<(AdvanceReservation, Vec<u32>)> = Vec::new();
        for statement in advance {
            let one = self.reservation(statement, &number_of_node)?;
            members += one.1.len();
            let nodes = "The partitions and advance reservations together";
            limits::check(nodes, members, limits::PARTITION_NODES, "nodes")?;
            kept.push(one);
        }
        let bits = |lists: &mut dyn Iterator<Item = &Vec<u32>>| -> Vec<u64> {
            let mut bits = vec![0; self.names.len()];
            for (bit, nodes) in lists.enumerate() {
                nodes
                    .iter()
                    .for_each(|node| bits[*node as usize] |= 1 << bit);
            }
            bits
        };
        let mut member = if found.is_empty() {
            vec![u64::MAX; self.names.len()]
        } else {
            bits(&mut found.iter().map(|(_, nodes)| nodes))
        };
        let advance = bits(&mut kept.iter().map(|(_, nodes)| nodes));
        let mut down = 0;
        for name in &self.down {
            let Some(node) = number_of_node.get(name) else {
                return Err(Problem::new(
                    format!("No line describes the node `{name}`, which is down."),
                    "`DownNodes` names nodes that `NodeName` describes.",
                    "Change the description of the cluster.",
                ));
            };
            let partitions = std::mem::take(&mut member[*node as usize]);
            down += u32::from(partitions != 0);
        }
        let mut cluster = Cluster::of(self.kinds, self.names);
        if !self.resources.is_empty() {
            cluster.resources = self.resources;
        }
        cluster.features = self.features;
        cluster.licences = self.licences;
        if let Some((cap, line)) = self.power_cap {
            let [idle, busy] = cluster.watts();
            if cap < idle || cluster.licences.len() == RESOURCES {
                return Err(Problem::new(
                    format!("A power cap of {cap} W is not possible."),
                    format!(
                        "The nodes need {idle} W without jobs. With a cap, a cluster has at most {} \
                            kinds of licences.",
                        RESOURCES - 1
                    ),
                    "Change `PowerCapWatts`.",
                )
                .at_line(line));
            }
            cluster.power = Some(cluster.licences.len());
            let left = u32::try_from(cap.min(busy) - idle).unwrap_or(UNLIMITED - 1);
            cluster.licences.push((POWER.into(), left));
        }
        cluster.partitions = found.into_iter().map(|(one, _)| one).collect();
        cluster.advance = kept.into_iter().map(|(one, _)| one).collect();
        cluster.divide(&member, &advance);
        if down > 0 {
            let nodes = if down == 1 {
                "node is down and serves"
            } else {
                "nodes are down and serve"
            };
            cluster.notes.push(format!("{down} {nodes} no job"));
        }
        if others > 0 {
            cluster.notes.push(format!(
                "{others} line{} of the description say nothing about nodes or partitions",
                if others == 1 { "" } else { "s" }
            ));
        }
        if !self.unused.is_empty() {
            let words: Vec<&str> = self.unused.keys().map(String::as_str).collect();
            cluster.notes.push(format!(
                "the machine does not read {}; the policy Slurm may",
                words.join(", ")
            ));
        }
        Ok(cluster)
    }

    fn partition(
        &mut self,
        statement: &Statement<'_>,
        number_of_node: &BTreeMap<String, u32>,
    ) -> Result<(ClusterPartition, Vec<u32>), Problem> {
        let name = statement.pairs[0].2;
        let mut partition = ClusterPartition::new(name);
        let nodes = self.members(statement, number_of_node)?;
        let time = |key: &str| -> Result<Option<Span>, Problem> {
            let word = statement.get(key).unwrap_or("infinite");
            if ["infinite", "unlimited", "none", "-1"].contains(&&*word.to_ascii_lowercase()) {
                return Ok(None);
            }
            let why = "It is a time: minutes, hours:minutes:seconds or days-hours.";
            minutes(word)
                .map(Some)
                .ok_or_else(|| statement.problem(key, word, why))
        };
        partition.max_time = time("maxtime")?;
        partition.default_time = time("defaulttime")?;
        let count = |key: &str, none: u32| -> Result<u32, Problem> {
            match statement.get(key) {
                Some(word) if word.eq_ignore_ascii_case("unlimited") => Ok(none),
                _ => Ok(statement.number(key)?.map_or(none, |number| number as u32)),
            }
        };
        partition.least_nodes = count("minnodes", 1)?.max(1);
        partition.most_nodes = count("maxnodes", u32::MAX)?;
        // `Priority` is the older word for both.
        partition.tier = count("prioritytier", count("priority", 1)?)?;
        let is = |key: &str, word: &str| {
            statement
                .get(key)
                .is_some_and(|value| value.eq_ignore_ascii_case(word))
        };
        partition.is_default = is("default", "yes");
        partition.is_up = statement.get("state").is_none() || is("state", "up");
        partition.is_exclusive = is("oversubscribe", "exclusive") || is("shared", "exclusive");
        let amount = |key: &str| -> Result<Option<u32>, Problem> {
            Ok(statement
                .number(key)?
                .filter(|amount| *amount > 0)
                .map(|amount| amount as u32))
        };
        partition.memory_per_core = amount("defmempercpu")?;
        partition.memory_per_node = amount("defmempernode")?;
        self.mark_unused(
            statement,
            &[
                "partitionname",
                "nodes",
                "maxtime",
                "defaulttime",
                "prioritytier",
                "minnodes",
                "maxnodes",
                "default",
                "state",
                "oversubscribe",
                "shared",
                "defmempercpu",
                "defmempernode",
            ],
            &[],
        );
        Ok((partition, nodes))
    }

    /// Returns the nodes that a statement lists.
    fn members(
        &self,
        statement: &Statement<'_>,
        number_of_node: &BTreeMap<String, u32>,
    ) -> Result<Vec<u32>, Problem> {
        let list = statement.get("nodes").unwrap_or("ALL");
        if list.eq_ignore_ascii_case("all") {
            return Ok((0..self.names.len() as u32).collect());
        }
        let names = hosts::expand(list, limits::CLUSTER_NODES)
            .map_err(|problem| problem.at_line(statement.line))?;
        let number = |name: String| {
            number_of_node.get(&name).copied().ok_or_else(|| {
                statement.problem("Nodes", &name, "No line describes a node of this name.")
            })
        };
        names.into_iter().map(number).collect()
    }

    /// Reads an advance reservation, in the words of scontrol.
    fn reservation(
        &mut self,
        statement: &Statement<'_>,
        number_of_node: &BTreeMap<String, u32>,
    ) -> Result<(AdvanceReservation, Vec<u32>), Problem> {
        let nodes = self.members(statement, number_of_node)?;
        let instant = |key: &str| -> Result<Option<(Time, bool)>, Problem> {
            let Some(word) = statement.get(key) else {
                return Ok(None);
            };
            let why = "It is a number of seconds of the log, or a date such as \
                2026-11-30T08:00:00.";
            let found = instant(word).ok_or_else(|| statement.problem(key, word, why))?;
            Ok(Some(found))
        };
        let (from, is_dated) = instant("starttime")?
            .ok_or_else(|| statement.problem("StartTime", "", "A reservation has a beginning."))?;
        let length = if let Some(word) = statement.get("duration") {
            let why = "It is a time: minutes, hours:minutes:seconds or days-hours.";
            minutes(word).ok_or_else(|| statement.problem("Duration", word, why))?
        } else {
            match instant("endtime")? {
                Some((to, dated)) if dated == is_dated => to - from,
                _ => {
                    let why = "A reservation has an `EndTime` of the same form as `StartTime`, or a \
                        `Duration`.";
                    return Err(statement.problem("EndTime", "", why));
                }
            }
        };
        let mut every = None;
        let mut kind = AdvanceKind::Jobs;
        let nodes_word = statement.get("nodes").unwrap_or_default();
        let mut has_all_nodes = nodes_word.is_empty() || nodes_word.eq_ignore_ascii_case("all");
        for flag in statement.get("flags").unwrap_or_default().split(',') {
            match flag.to_ascii_lowercase().as_str() {
                "daily" => every = Some(Span::from_seconds(86_400)),
                "weekly" => every = Some(Span::from_seconds(7 * 86_400)),
                "maint" => kind = AdvanceKind::Maintenance,
                "all_nodes" => has_all_nodes = true,
                "" | "ignore_jobs" | "overlap" | "spec_nodes" => {}
                _ => *self.unused.entry(format!("Flags={flag}")).or_default() += 1,
            }
        }
        if length <= Span::ZERO || every.is_some_and(|every| every <= length) {
            let why = "It ends after it begins, and before it repeats.";
            return Err(statement.problem("ReservationName", statement.pairs[0].2, why));
        }
        let names = |key: &str| -> Vec<String> {
            let words = statement.get(key).unwrap_or_default().split(',');
            let named = words.filter(|word| !word.is_empty() && *word != "(null)");
            named.map(Into::into).collect()
        };
        let reservation = AdvanceReservation {
            every,
            is_dated,
            kind,
            has_all_nodes,
            users: names("users"),
            groups: names("accounts"),
            ..AdvanceReservation::once(statement.pairs[0].2, from, length)
        };
        let used = [
            "reservationname",
            "nodes",
            "starttime",
            "endtime",
            "duration",
            "flags",
            "users",
            "accounts",
        ];
        self.mark_unused(statement, &used, &["nodecnt", "corecnt", "state", "tres"]);
        Ok((reservation, nodes))
    }
}

/// True if a statement says that its nodes are out of service.
fn is_down(statement: &Statement<'_>) -> bool {
    let state = statement
        .get("state")
        .unwrap_or_default()
        .to_ascii_lowercase();
    ["down", "drain", "fail", "failing", "future"].contains(&state.as_str())
}

/// Reads an item of a list of licences: `name`, `name:count`, `name@server:count`, `name=count`.
pub fn licence(item: &str) -> Option<(&str, u32)> {
    let (name, count) = match item.trim().rsplit_once([':', '=']) {
        Some((name, count)) => (name, count.parse().ok()?),
        None => (item.trim(), 1),
    };
    (!name.is_empty() && u64::from(count) <= MOST).then_some((name, count))
}

/// Reads an instant: seconds of the log, or a date and time. The second value is true for a date.
fn instant(word: &str) -> Option<(Time, bool)> {
    if let Ok(seconds) = word.parse::<i64>() {
        return ((0..=MOST as i64).contains(&seconds))
            .then(|| (Time::from_seconds(seconds), false));
    }
    let (date, clock) = word.split_once('T').unwrap_or((word, "00:00:00"));
    let numbers = |text: &str, mark: char| -> Option<Vec<i64>> {
        let each = text
            .split(mark)
            .map(|part| part.parse::<u32>().ok().map(i64::from));
        each.collect()
    };
    let ([year, month, day], clock) = (numbers(date, '-')?.try_into().ok()?, numbers(clock, ':')?);
    let (hour, minute, second) = match clock[..] {
        [hour, minute] => (hour, minute, 0),
        [hour, minute, second] => (hour, minute, second),
        _ => return None,
    };
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let days = days_since_1970(year, month, day)?;
    let seconds = 86_400 * days + 3600 * hour + 60 * minute + second;
    Some((Time::from_seconds(seconds), true))
}

/// Returns the number of a name in a list, and adds it if it is new. Returns `None` if the list is
/// full.
fn number(names: &mut Vec<String>, name: &str, most: usize) -> Option<usize> {
    let known = names
        .iter()
        .position(|known| known.eq_ignore_ascii_case(name));
    known.or_else(|| {
        (names.len() < most).then(|| {
            names.push(name.into());
            names.len() - 1
        })
    })
}

fn number_of(names: &mut Vec<String>, name: &str) -> Option<usize> {
    number(names, name, RESOURCES)
}

/// Returns the name and the count of a generic resource: `gpu:4`, `gpu:a100:4`, `gpu:a100:4(S:0-1)`.
fn gres(item: &str) -> Option<(&str, u64)> {
    let item = item.split('(').next()?;
    let mut parts = item.split(':').filter(|part| *part != "no_consume");
    let name = parts.next().filter(|name| !name.is_empty())?;
    let Some(last) = parts.next_back() else {
        return Some((name, 1));
    };
    let (digits, factor) = match last.as_bytes().last()? {
        b'k' | b'K' => (&last[..last.len() - 1], 1 << 10),
        b'm' | b'M' => (&last[..last.len() - 1], 1 << 20),
        b'g' | b'G' => (&last[..last.len() - 1], 1 << 30),
        _ => (last, 1),
    };
    match digits.parse::<u64>() {
        Ok(count) => Some((name, count.checked_mul(factor)?.min(MOST))),
        // A type without a count stands for one.
        Err(_)
            if parts.next().is_none() && !last.starts_with(|char: char| char.is_ascii_digit()) =>
        {
            Some((name, 1))
        }
        Err(_) => None,
    }
}

/// Reads a time of slurm.conf: `minutes`, `minutes:seconds`, `hours:minutes:seconds`,
/// `days-hours`, `days-hours:minutes` or `days-hours:minutes:seconds`.
fn minutes(word: &str) -> Option<Span> {
    let (days, rest) = match word.split_once('-') {
        Some((days, rest)) => (Some(days.parse::<i64>().ok()?), rest),
        None => (None, word),
    };
    let parts: Vec<i64> = rest
        .split(':')
        .map(|part| part.parse::<u32>().ok().map(i64::from))
        .collect::<Option<_>>()?;
    let seconds = match (days, parts.as_slice()) {
        (Some(_), [hours]) => hours * 3600,
        (Some(_), [hours, minutes]) => hours * 3600 + minutes * 60,
        (Some(_) | None, [hours, minutes, seconds]) => hours * 3600 + minutes * 60 + seconds,
        (None, [minutes]) => minutes * 60,
        (None, [minutes, seconds]) => minutes * 60 + seconds,
        _ => return None,
    };
    let days = days.unwrap_or(0);
    (days <= 100_000 && seconds <= 10_000_000_000)
        .then(|| Span::from_seconds(days * 86_400 + seconds))
}

/// Splits a description into statements. A statement ends with its line or with a semicolon; a
/// backslash at the end of a line continues it; `#` begins a comment.
fn statements(text: &str) -> Vec<Statement<'_>> {
    let mut found: Vec<Statement<'_>> = Vec::new();
    let mut goes_on = false;
    for (line, text) in (1..).zip(text.lines()) {
        let mut text = text.split('#').next().unwrap_or_default().trim_end();
        let continues = text.ends_with('\\');
        text = text.trim_end_matches('\\');
        for part in text.split(';') {
            if !std::mem::take(&mut goes_on) {
                found.push(Statement {
                    line,
                    pairs: Vec::new(),
                });
            }
            let Some(statement) = found.last_mut() else {
                continue;
            };
            for (key, value) in pairs(part) {
                statement.pairs.push((key.to_ascii_lowercase(), key, value));
            }
        }
        goes_on = continues;
    }
    found.retain(|statement| !statement.pairs.is_empty());
    found
}

/// Returns the pairs `key=value` of a part of a line. A value in quotes can have spaces.
fn pairs(mut rest: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    loop {
        rest = rest.trim_start();
        if rest.is_empty() {
            return found;
        }
        let end = rest
            .find(|char: char| char == '=' || char.is_whitespace())
            .unwrap_or(rest.len());
        let (key, after) = rest.split_at(end);
        let Some(after) = after.strip_prefix('=') else {
            found.push((key, ""));
            rest = after;
            continue;
        };
        if let Some((value, more)) = after
            .strip_prefix('"')
            .and_then(|quoted| quoted.split_once('"'))
        {
            found.push((key, value));
            rest = more;
            continue;
        }
        let end = after.find(char::is_whitespace).unwrap_or(after.len());
        let (value, more) = after.split_at(end);
        found.push((key, value));
        rest = more;
    }
}

#[cfg(test)]
mod tests {
    use super::super::request::NodeRequest;
    use super::*;

    const SMALL: &str = "NodeName=DEFAULT RealMemory=1000 # of all\n\
        NodeName=n[1-4] CPUs=8 Feature=ib\n\
        NodeName=g[1-2] Sockets=2 CoresPerSocket=8 Gres=gpu:a100:4,fpga:1 Weight=9 Feature=ib,a100\n\
        PartitionName=DEFAULT MaxTime=1-0\n\
        PartitionName=batch Nodes=n[1-4] Default=YES; PartitionName=all \\\n Nodes=ALL MaxTime=30";

    #[test]
    fn kinds_and_partitions_are_read() {
        let cluster = read(SMALL).unwrap();
        assert_eq!((cluster.nodes(), cluster.cores()), (6, 64));
        assert_eq!(cluster.resources, ["cores", "memory", "gpu", "fpga"]);
        assert_eq!(cluster.features, ["ib", "a100"]);
        assert_eq!(cluster.amounts(0)[..4], [8, 1000, 0, 0]);
        assert_eq!(cluster.amounts(5)[..4], [16, 1000, 4, 1]);
        assert_eq!(
            (
                cluster.first_core(5),
                cluster.node_of(47),
                cluster.node_of(48)
            ),
            (48, 4, 5)
        );
        let [batch, all] = &cluster.partitions[..] else {
            panic!("two partitions")
        };
        assert!(batch.is_default && !all.is_default);
        assert_eq!(batch.max_time, Some(Span::from_seconds(86_400)));
        assert_eq!(all.max_time, Some(Span::from_seconds(1800)));
        assert_eq!(cluster.classes.len(), 2);
        assert_eq!(cluster.classes[0].partitions, 3);
        assert_eq!(cluster.classes[1].partitions, 2);
    }

    #[test]
    fn times_have_the_forms_of_slurm() {
        let seconds = |word| minutes(word).map(|span| span.seconds() as i64);
        assert_eq!(seconds("30"), Some(1800));
        assert_eq!(seconds("1:30"), Some(90));
        assert_eq!(seconds("02:00:01"), Some(7201));
        assert_eq!(seconds("7-0"), Some(604_800));
        assert_eq!(seconds("1-02:03"), Some(93_780));
        assert_eq!(seconds("1-02:03:04"), Some(93_784));
        assert_eq!(seconds("x"), None);
        assert_eq!(seconds("1:2:3:4"), None);
    }

    #[test]
    fn generic_resources_have_types_and_counts() {
        assert_eq!(gres("gpu"), Some(("gpu", 1)));
        assert_eq!(gres("gpu:4"), Some(("gpu", 4)));
        assert_eq!(gres("gpu:a100"), Some(("gpu", 1)));
        assert_eq!(gres("gpu:a100:4(S:0-1)"), Some(("gpu", 4)));
        assert_eq!(gres("lustre:2K"), Some(("lustre", 2048)));
        assert_eq!(gres("bandwidth:no_consume:4G"), Some(("bandwidth", MOST)));
        assert_eq!(gres("gpu:4x"), None);
        assert_eq!(gres(":4"), None);
    }

    #[test]
    fn what_cannot_be_read_is_told() {
        for (text, says) in [
            ("", "names no node"),
            ("NodeName=n[1-", "not a list of hosts"),
            ("NodeName=n1 CPUs=0", "CPUs"),
            ("NodeName=n1 CPUs=many", "cpus=many"),
            ("NodeName=n1\nNodeName=n1", "twice"),
            ("NodeName=n1\nPartitionName=p Nodes=n2", "Nodes=n2"),
            ("NodeName=n[1-999999]", "not a list of hosts"),
            ("NodeName=n1 Gres=a:1,b:1,c:1,d:1,e:1,f:1", "at most 8"),
            ("NodeName=n1 CPUs=4000000000", "CPUs"),
        ] {
            let problem = read(text).unwrap_err();
            assert!(
                problem.what.contains(says) || problem.why.contains(says),
                "{problem}"
            );
        }
        for text in [
            format!("NodeName={}[1-9]", "a".repeat(201)),
            format!("NodeName=n[{}1-9]", "0".repeat(300)),
            format!("PartitionName=DEFAULT {}", "a=1 ".repeat(201)),
            "PartitionName=a;".repeat(66),
            format!(
                "NodeName=n1\n{}",
                "ReservationName=r StartTime=0 Duration=1\n".repeat(65)
            ),
        ] {
            assert!(read(&text).is_err());
        }
        let cluster = read("SlurmUser=x\nNodeName=n1 Foo=1 State=DOWN").unwrap();
        // A node is down, a line says nothing, and a keyword is not modelled.
        assert_eq!(cluster.notes.len(), 3);
    }

    #[test]
    fn advance_reservations_and_licences_are_read() {
        let text = "NodeName=n[1-4] CPUs=2 IdleWatts=10 BusyWatts=30\n\
            DownNodes=n4 State=DOWN\nLicenses=a:2,b,a@server:3\nPowerCapWatts=70\n\
            ReservationName=r Nodes=n[1-2] StartTime=100 Duration=1 Users=x Flags=DAILY,FOO\n\
            ReservationName=s StartTime=2026-11-30T08:00:00 EndTime=2026-11-30T09:00";
        let cluster = read(text).unwrap();
        let licences: Vec<(&str, u32)> = cluster
            .licences
            .iter()
            .map(|(name, count)| (name.as_str(), *count))
            .collect();
        assert_eq!(
            licences,
            [("a", 2), ("b", 1), ("a@server", 3), ("power", 30)]
        );
        let [r, s] = &cluster.advance[..] else {
            panic!("two reservations")
        };
        assert_eq!(
            (r.from, r.length),
            (Time::from_seconds(100), Span::from_seconds(60))
        );
        assert_eq!(r.every, Some(Span::from_seconds(86_400)));
        assert!(s.is_dated && s.length == Span::from_seconds(3600));
        let classes: Vec<(u64, u32)> = cluster
            .classes
            .iter()
            .map(|class| (class.advance, class.count))
            .collect();
        assert_eq!(classes, [(3, 2), (2, 1), (2, 1)]);
        assert_eq!(cluster.classes[2].partitions, 0);
        assert!(cluster.notes.iter().any(|note| note.contains("Flags=FOO")));
        for (line, says) in [
            ("ReservationName=r", "beginning"),
            ("ReservationName=r StartTime=5", "EndTime"),
            ("ReservationName=r StartTime=5 EndTime=5", "ends after"),
            (
                "ReservationName=r StartTime=5 Duration=2-0 Flags=DAILY",
                "repeats",
            ),
            ("ReservationName=r StartTime=2026-02-30 Duration=1", "date"),
            (
                "ReservationName=r StartTime=5 Duration=1 Nodes=x",
                "Nodes=x",
            ),
            ("Licenses=a:x", "Licenses=a:x"),
            ("DownNodes=x", "down"),
            ("PowerCapWatts=39", "not possible"),
        ] {
            let problem =
                read(&format!("NodeName=n[1-4] CPUs=2 IdleWatts=10\n{line}")).unwrap_err();
            let told = format!("{} {}", problem.what, problem.why);
            assert!(told.contains(says), "{line}: {problem}");
        }
    }

    #[test]
    fn an_empty_cluster_holds_what_its_nodes_hold() {
        let cluster = read(SMALL).unwrap();
        let fits = |change: &dyn Fn(&mut NodeRequest)| {
            let mut request = NodeRequest::of_cores(64);
            change(&mut request);
            cluster.fits_empty(&request)
        };
        assert!(fits(&|_| {}));
        assert!(!fits(&|request| request.tasks = 65));
        assert!(!fits(&|request| request.most_nodes = 5));
        assert!(!fits(&|request| request.partitions = 1));
        assert!(!fits(&|request| request.features = 2));
        assert!(fits(&|request| {
            request.features = 2;
            request.tasks = 32;
        }));
        assert!(!fits(&|request| request.per_node[GPUS] = 1));
        assert!(fits(&|request| {
            request.tasks = 2;
            request.per_node[GPUS] = 4;
            (request.least_nodes, request.most_nodes) = (2, 2);
        }));
    }
}
