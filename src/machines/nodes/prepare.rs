//! The requests of the jobs of a log for nodes of a cluster, and the cluster itself if only the log
//! tells of it. docs/machines/nodes.md has the rules.

use super::{MEMORY_OF, MemoryOf, SHARING, Sharing, described};
use crate::cluster::{
    self, CORES, Cluster, ClusterPartition, GPUS, MEMORY, NOTHING, NodeRequest, UNLIMITED,
};
use crate::job::JobId;
use crate::limits;
use crate::param::Settings;
use crate::problem::Problem;
use crate::pulse::beat;
use crate::time::{Span, Time};
use crate::trace::{Column, Effect, ImportRule, Record, Trace, Words};
use crate::workload::{NodeRequests, Workload};
use std::collections::BTreeMap;
use std::sync::Arc;

const TOO_MANY_CORES: ImportRule = ImportRule {
    id: "nodes_cores",
    effect: Effect::Skipped,
    text: "asks for more cores or nodes than its partitions have, or for fewer nodes than they \
        allow: skipped",
};
const LEAST_NODES: ImportRule = ImportRule {
    id: "nodes_at_least",
    effect: Effect::Noted,
    text: "asked for fewer nodes than it had, or for no number: it gets the least number or more",
};
const TOO_MUCH_MEMORY: ImportRule = ImportRule {
    id: "nodes_memory",
    effect: Effect::Skipped,
    text: "asks for more memory than the nodes have that could run it: skipped",
};
const TOO_MANY_GPUS: ImportRule = ImportRule {
    id: "nodes_gpus",
    effect: Effect::Skipped,
    text: "asks for more GPUs than the nodes have that could run it: skipped",
};
const TOO_LONG: ImportRule = ImportRule {
    id: "nodes_time",
    effect: Effect::Skipped,
    text: "asks for more time than its partitions allow: skipped",
};
const DOWN: ImportRule = ImportRule {
    id: "nodes_down",
    effect: Effect::Skipped,
    text: "its partitions are not up: skipped",
};
const NO_SUCH_FEATURE: ImportRule = ImportRule {
    id: "nodes_features",
    effect: Effect::Skipped,
    text: "asks for a feature that no node of its partitions has: skipped",
};
const FEATURES_IGNORED: ImportRule = ImportRule {
    id: "nodes_without_features",
    effect: Effect::Noted,
    text: "asks for features, and the cluster names none, or for one of several: ignored",
};
const NO_SUCH_RESERVATION: ImportRule = ImportRule {
    id: "nodes_without_reservation",
    effect: Effect::Noted,
    text: "asks for an advance reservation that the cluster does not describe: ignored",
};
const TOO_MANY_LICENCES: ImportRule = ImportRule {
    id: "nodes_licences",
    effect: Effect::Skipped,
    text: "asks for more licences than the cluster has: skipped",
};
const TOO_MUCH_POWER: ImportRule = ImportRule {
    id: "nodes_power",
    effect: Effect::Skipped,
    text: "draws more power than the cap allows: skipped",
};
const LICENCES_IGNORED: ImportRule = ImportRule {
    id: "nodes_without_licences",
    effect: Effect::Noted,
    text: "asks for licences, and the cluster names none, or for one of several: ignored",
};
const DEFAULT_TIME: ImportRule = ImportRule {
    id: "nodes_default_time",
    effect: Effect::Noted,
    text: "no estimate: the default time of its partition, at least the run time",
};
const OTHER_PARTITION: ImportRule = ImportRule {
    id: "nodes_partition",
    effect: Effect::Noted,
    text: "names no partition of the cluster: given the default partition or, without one, all",
};
const GPUS_TOGETHER: ImportRule = ImportRule {
    id: "nodes_of_gpus",
    effect: Effect::Noted,
    text: "GPUs, and no number of nodes: on as few nodes as have so many GPUs and cores",
};
const FEWER_CORES: ImportRule = ImportRule {
    id: "nodes_lowered",
    effect: Effect::Repaired,
    text: "more nodes than processors: given a node for each processor",
};

/// Periods that all advance reservations together can have.
const MOST_PERIODS: i64 = 4000;

/// Kilobytes of a megabyte.
const KILO: f64 = 1024.0;

/// Gives every job its request for nodes. Leaves out jobs that could never start, by rules of the
/// import report.
pub fn prepare(workload: &mut Workload, trace: &Trace, settings: &Settings) -> Result<(), Problem> {
    let mut cluster = match described(settings) {
        Some(cluster) => cluster?,
        None => inferred(workload, trace)?,
    };
    date(&mut cluster, workload, trace)?;
    for note in &cluster.notes {
        workload.provenance.steps.push(format!("cluster: {note}"));
    }
    let reader = RequestReader {
        cluster: &cluster,
        settings,
        trace,
        nodes: trace.column("nodes"),
        least_nodes: trace.column("least_nodes"),
        gpus: trace.column("gpus"),
        features: trace.column("features"),
        licences: trace.column("licenses"),
        memory: trace.column("memory"),
        node_memory: trace.column("node_memory"),
        accounts: trace.column("account"),
        reservations: trace.column("reservation"),
        header_names: ["Queue", "Partition"].map(|key| trace.numbered_names(key)),
        most: [CORES, GPUS].map(|resource| {
            let amounts = cluster.kinds.iter().map(|kind| kind.amounts[resource]);
            amounts.max().unwrap_or(1).max(1)
        }),
        users: Admitted::of(cluster.advance.iter().map(|one| &one.users[..])),
        groups: Admitted::of(cluster.advance.iter().map(|one| &one.groups[..])),
    };
    let mut table: Vec<NodeRequest> = Vec::new();
    // The index in the table of each request that can be met, and the rule by which others cannot.
    let mut known: BTreeMap<NodeRequest, Result<u32, &'static ImportRule>> = BTreeMap::new();
    let mut of = Vec::with_capacity(workload.len());
    let mut is_kept = vec![true; workload.len()];
    let mut report = std::mem::take(&mut workload.report);
    for job in workload.ids() {
        beat(256);
        let record = trace.records.get(workload.sources[job.index()] as usize);
        let line = u64::from(record.line);
        let mut rules: Vec<&'static ImportRule> = Vec::new();
        let (request, partitions) = reader.request(workload, job, record, &mut rules);
        let default_time = partitions.iter().find_map(|one| one.default_time);
        if let Some(time) = default_time.filter(|_| record.requested_time <= 0) {
            let request = &mut workload.requests[job.index()];
            request.estimate = time.max(workload.programs[job.index()].runtime);
            rules.push(&DEFAULT_TIME);
        }
        // Jobs that are left out have no request in the table, so that they change nothing.
        let estimate = workload.request(job).estimate;
        let found = match time_obstacle(&partitions, estimate) {
            Some(obstacle) => Err(obstacle),
            None => *known.entry(request).or_insert_with_key(|request| {
                if let Some(obstacle) = obstacle(&cluster, request) {
                    return Err(obstacle);
                }
                table.push(request.clone());
                Ok(table.len() as u32 - 1)
            }),
        };
        let index = found.unwrap_or_else(|obstacle| {
            is_kept[job.index()] = false;
            rules = vec![obstacle];
            0
        });
        rules.into_iter().for_each(|rule| report.count(rule, line));
        of.push(index);
    }
    workload.report = report;
    workload.nodes = Some(NodeRequests {
        cluster: Arc::new(cluster),
        table: Arc::new(table),
        of,
    });
    workload.keep(&is_kept);
    workload.check()
}

/// Returns the rule by which a request can never be met; `None` if the free cluster meets it.
fn obstacle(cluster: &Cluster, request: &NodeRequest) -> Option<&'static ImportRule> {
    if request.partitions == 0 {
        return Some(&DOWN);
    }
    if cluster.fits_empty(request) {
        return None;
    }
    let mut plain = request.clone();
    if let Some(power) = cluster.power {
        plain.licences[power] = 0;
    }
    if !cluster.has_licences(&plain) {
        return Some(&TOO_MANY_LICENCES);
    }
    if cluster.fits_empty(&plain) {
        return Some(&TOO_MUCH_POWER);
    }
    // Power depends on the nodes, which are what matters from here on.
    plain.licences = NOTHING;
    (plain.features, plain.has_no_node) = (0, false);
    if cluster.fits_empty(&plain) {
        return Some(&NO_SUCH_FEATURE);
    }
    let without = |resource: usize| {
        let mut less = plain.clone();
        less.per_task[resource] = 0;
        less.per_node[resource] = 0;
        less
    };
    if cluster.fits_empty(&without(MEMORY)) {
        return Some(&TOO_MUCH_MEMORY);
    }
    let mut neither = without(GPUS);
    neither.per_task[MEMORY] = 0;
    neither.per_node[MEMORY] = 0;
    Some(if cluster.fits_empty(&neither) {
        &TOO_MANY_GPUS
    } else {
        &TOO_MANY_CORES
    })
}

/// The users, or the groups, that advance reservations admit. The reservations of each are bits. The
/// time of a look-up does not depend on the number of names, because a log can have millions of
/// jobs.
struct Admitted {
    /// By name, in lower case.
    names: BTreeMap<String, u64>,
    /// By number.
    numbers: BTreeMap<i32, u64>,
}

impl Admitted {
    /// Collects the names that each advance reservation lists.
    fn of<'a>(lists: impl Iterator<Item = &'a [String]>) -> Self {
        let (mut names, mut numbers) = (BTreeMap::new(), BTreeMap::new());
        for (number, list) in lists.enumerate() {
            for name in list {
                *names.entry(name.to_ascii_lowercase()).or_default() |= 1 << number;
                if let Ok(known) = name.parse() {
                    *numbers.entry(known).or_default() |= 1 << number;
                }
            }
        }
        Self { names, numbers }
    }

    /// Returns the advance reservations that admit the user, or the group, with a number in the
    /// log.
    fn admitted(&self, number: i32, names: &Words) -> u64 {
        if self.names.is_empty() {
            return 0;
        }
        let name = u32::try_from(number)
            .ok()
            .and_then(|number| names.get(number));
        // A number is a name only where the log has no names.
        match name {
            Some(name) => self.named(name),
            None => {
                let found = self.numbers.get(&number).filter(|_| number >= 0);
                found.copied().unwrap_or(0)
            }
        }
    }

    /// Returns the advance reservations that admit a name.
    fn named(&self, name: &str) -> u64 {
        let found = self.names.get(&name.to_ascii_lowercase());
        found.copied().unwrap_or(0)
    }
}

struct RequestReader<'a> {
    cluster: &'a Cluster,
    settings: &'a Settings,
    trace: &'a Trace,
    nodes: Option<&'a Column>,
    least_nodes: Option<&'a Column>,
    gpus: Option<&'a Column>,
    features: Option<&'a Column>,
    licences: Option<&'a Column>,
    memory: Option<&'a Column>,
    node_memory: Option<&'a Column>,
    accounts: Option<&'a Column>,
    reservations: Option<&'a Column>,
    /// Names of queues and of partitions that comments of the header give, by their numbers.
    header_names: [BTreeMap<i32, String>; 2],
    /// The largest numbers of cores and of GPUs of a node, at least 1.
    most: [u32; 2],
    users: Admitted,
    groups: Admitted,
}

impl<'a> RequestReader<'a> {
    /// Returns the request of a job, and the partitions that serve it.
    fn request(
        &self,
        workload: &Workload,
        job: JobId,
        record: &Record,
        rules: &mut Vec<&'static ImportRule>,
    ) -> (NodeRequest, Vec<&'a ClusterPartition>) {
        let source = workload.sources[job.index()] as usize;
        let processors = workload.request(job).processors;
        let mut request = NodeRequest::of_cores(processors);
        let count = |column: Option<&Column>| -> Option<u32> {
            let number = column?.number(source)?;
            u32::try_from(number).ok().filter(|number| *number > 0)
        };
        let gpus = count(self.gpus);
        let mut nodes = count(self.nodes);
        if nodes.is_some_and(|nodes| nodes > processors) {
            rules.push(&FEWER_CORES);
            nodes = Some(processors);
        }
        if let (Some(gpus), None) = (gpus, nodes) {
            rules.push(&GPUS_TOGETHER);
            let [most_cores, most_gpus] = self.most;
            let least = gpus.div_ceil(most_gpus);
            nodes = Some(least.max(processors.div_ceil(most_cores)).min(processors));
        }
        let least = count(self.least_nodes).map(|least| least.min(processors));
        let least = least.filter(|least| nodes.is_none_or(|nodes| *least < nodes));
        if let Some(least) = least.filter(|_| gpus.is_none()) {
            rules.push(&LEAST_NODES);
            if least > 1 {
                request.least_nodes = least;
                request.most_nodes = nodes.unwrap_or(u32::MAX);
                request.asked_nodes = Some([least, nodes.unwrap_or(0)]);
            }
        } else if let Some(nodes) = nodes {
            request.least_nodes = nodes;
            request.most_nodes = nodes;
            request.most_tasks = processors.div_ceil(nodes);
            request.asked_nodes = Some([nodes, nodes]);
        }
        if let Some(gpus) = gpus {
            request.per_node[GPUS] = gpus.div_ceil(nodes.unwrap_or(1));
        }
        let (mask, partitions) = self.partitions(record, rules);
        request.partitions = mask;
        let of_node = match self.settings.get(&MEMORY_OF) {
            MemoryOf::Requested => self.node_memory.and_then(|column| column.number(source)),
            MemoryOf::Used | MemoryOf::None => None,
        };
        let megabytes =
            |kilobytes: f64| (kilobytes / KILO).ceil().min(f64::from(UNLIMITED - 1)) as u32;
        let memory = match self.settings.get(&MEMORY_OF) {
            // The record divides the whole by the larger of the sizes that the job had and asked for.
            MemoryOf::Requested => match self.memory.and_then(|column| column.number(source)) {
                Some(whole) if whole > 0 && record.requested_memory >= 0.0 => {
                    whole as f64 / f64::from(processors)
                }
                _ => record.requested_memory,
            },
            MemoryOf::Used => record.used_memory,
            MemoryOf::None => -1.0,
        };
        if !self.cluster.has(MEMORY) {
            // Memory never decides.
        } else if let Some(of_node) = of_node {
            request.per_node[MEMORY] = megabytes(of_node as f64);
        } else if memory > 0.0 {
            request.per_task[MEMORY] = megabytes(memory);
        } else if self.settings.get(&MEMORY_OF) == MemoryOf::Requested {
            if let Some(each) = partitions.iter().find_map(|one| one.memory_per_core) {
                request.per_task[MEMORY] = each;
            } else if let Some(each) = partitions.iter().find_map(|one| one.memory_per_node) {
                request.per_node[MEMORY] = each;
            }
        }
        request.is_whole = self.cluster.is_whole
            || self.settings.get(&SHARING) == Sharing::Whole
            || partitions.iter().any(|one| one.is_exclusive);
        if let Some(word) = self.features.and_then(|column| column.word(source)) {
            self.require(word, &mut request, rules);
        }
        if let Some(word) = self.licences.and_then(|column| column.word(source)) {
            self.license(word, &mut request, rules);
        }
        let names = &self.trace.names;
        let account = self.accounts.and_then(|column| column.word(source));
        request.admitted = self.users.admitted(record.user, &names.users)
            | match account {
                Some(account) => self.groups.named(account),
                None => self.groups.admitted(record.group, &names.groups),
            };
        if let Some(word) = self.reservations.and_then(|column| column.word(source)) {
            // Slurm takes the first of several that is open; here it is the first that is described.
            let place_of = |one: &str| {
                let mut all = self.cluster.advance.iter();
                all.position(|known| known.name == one)
            };
            match word.split(',').find_map(place_of) {
                Some(at) => {
                    request.reservation = Some(at as u8);
                    request.admitted |= 1 << at;
                }
                None => rules.push(&NO_SUCH_RESERVATION),
            }
        }
        request.tier = partitions.iter().map(|one| one.tier).max().unwrap_or(0);
        if let Some(most) = partitions.iter().map(|one| one.most_nodes).max() {
            request.most_nodes = request.most_nodes.min(most);
        }
        if let Some(least) = partitions.iter().map(|one| one.least_nodes).min() {
            request.least_nodes = request.least_nodes.max(least);
        }
        if let Some(power) = self.cluster.power {
            request.licences[power] = self.cluster.draw(&request);
        }
        (request, partitions)
    }

    /// Adds the features of a word such as `a100&ib` or, as in some archives, `name:excl:2x12`. The
    /// word `all` asks for none.
    fn require(&self, word: &str, request: &mut NodeRequest, rules: &mut Vec<&'static ImportRule>) {
        let mut parts = word.split(':');
        let names = parts.next().unwrap_or_default();
        request.is_whole |= parts.any(|part| part.eq_ignore_ascii_case("excl"));
        let wanted = names
            .split(['&', ','])
            .map(str::trim)
            .filter(|name| !["", "all", "none", "*"].contains(&&*name.to_ascii_lowercase()));
        let wanted: Vec<&str> = wanted.collect();
        let is_choice = wanted
            .iter()
            .any(|name| name.contains(['|', '[', '(', '*']));
        if !wanted.is_empty() && (self.cluster.features.is_empty() || is_choice) {
            rules.push(&FEATURES_IGNORED);
            return;
        }
        for name in wanted {
            let known = &self.cluster.features;
            let number = known
                .iter()
                .position(|known| known.eq_ignore_ascii_case(name));
            match number {
                Some(number) => request.features |= 1 << number,
                // A cluster has at most 64 features; no node has those beyond its own.
                None => request.has_no_node = true,
            }
        }
    }

    /// Adds the licences of a word such as `matlab:2,fluent`.
    fn license(&self, word: &str, request: &mut NodeRequest, rules: &mut Vec<&'static ImportRule>) {
        let known = &self.cluster.licences;
        let is_none = |item: &&str| ["", "(null)", "none"].contains(&&*item.to_ascii_lowercase());
        let items: Vec<&str> = word.split([',', ';']).map(str::trim).collect();
        let wanted: Vec<&str> = items.into_iter().filter(|item| !is_none(item)).collect();
        if wanted.is_empty() {
            return;
        }
        if known.is_empty() || wanted.iter().any(|item| item.contains('|')) {
            rules.push(&LICENCES_IGNORED);
            return;
        }
        for item in wanted {
            let (name, count) = cluster::licence(item).unwrap_or((item, 1));
            let number = known
                .iter()
                .position(|(known, _)| known.eq_ignore_ascii_case(name));
            match number.filter(|number| self.cluster.power != Some(*number)) {
                Some(number) => {
                    let all = &mut request.licences[number];
                    *all = all.saturating_add(count);
                }
                None => request.lacks_licence = true,
            }
        }
    }

    /// Returns the partitions of a job that are up, also as bits. Without partitions, all bits.
    fn partitions(
        &self,
        record: &Record,
        rules: &mut Vec<&'static ImportRule>,
    ) -> (u64, Vec<&'a ClusterPartition>) {
        let all = &self.cluster.partitions;
        if all.is_empty() {
            return (u64::MAX, Vec::new());
        }
        let queue = u32::try_from(record.queue).unwrap_or(0);
        let of_queue = self.trace.names.queues.get(queue);
        let [queues, partitions] = &self.header_names;
        // The first of these names that is one of the cluster's counts.
        let names = [
            of_queue,
            queues.get(&record.queue).map(String::as_str),
            partitions.get(&record.partition).map(String::as_str),
        ];
        let called = |name: &str| -> Vec<(usize, &ClusterPartition)> {
            let is_named = |partition: &ClusterPartition| {
                name.split(',')
                    .any(|name| name.trim().eq_ignore_ascii_case(&partition.name))
            };
            let known = all.iter().enumerate();
            known.filter(|(_, one)| is_named(one)).collect()
        };
        let found = names.into_iter().flatten().map(called);
        let mut chosen = found
            .into_iter()
            .find(|chosen| !chosen.is_empty())
            .unwrap_or_default();
        if chosen.is_empty() {
            rules.push(&OTHER_PARTITION);
            chosen = all
                .iter()
                .enumerate()
                .filter(|(_, one)| one.is_default)
                .collect();
        }
        if chosen.is_empty() {
            chosen = all.iter().enumerate().collect();
        }
        chosen.retain(|(_, one)| one.is_up);
        let mask = chosen.iter().fold(0, |mask, (at, _)| mask | 1 << at);
        (mask, chosen.into_iter().map(|(_, one)| one).collect())
    }
}

/// Gives the advance reservations their times in the workload. Periods repeat until the last
/// submission.
fn date(cluster: &mut Cluster, workload: &Workload, trace: &Trace) -> Result<(), Problem> {
    let last = workload.requests.last();
    let last = last.map_or(Time::ZERO, |request| request.submitted);
    let zero = trace.unix_start();
    for one in &mut cluster.advance {
        if std::mem::take(&mut one.is_dated) {
            let Some(zero) = zero else {
                return Err(Problem::new(
                    format!("The advance reservation `{}` begins on a date.", one.name),
                    "The log does not tell the date of its zero (`UnixStartTime`).",
                    "Give its times in seconds of the log.",
                ));
            };
            one.from = one.from - Span::from_seconds(zero);
        }
        one.repeat_until(last);
    }
    let periods = cluster
        .advance
        .iter()
        .fold(0_i64, |sum, one| sum.saturating_add(one.times));
    if periods > MOST_PERIODS {
        return Err(Problem::new(
            format!("The advance reservations have {periods} periods."),
            format!("Together they have at most {MOST_PERIODS}, up to the last submission."),
            "Let fewer of them repeat, or choose a window of jobs (`first_job` and `jobs`).",
        ));
    }
    if !cluster.advance.is_empty() {
        let count = cluster.advance.len();
        let is_one = if count == 1 {
            "one advance reservation"
        } else {
            "advance reservations"
        };
        cluster.notes.push(if count == 1 {
            is_one.into()
        } else {
            format!("{count} {is_one}")
        });
    }
    Ok(())
}

/// Returns the rule by which no partition allows the requested time.
fn time_obstacle(partitions: &[&ClusterPartition], estimate: Span) -> Option<&'static ImportRule> {
    let allows = |one: &&ClusterPartition| one.max_time.is_none_or(|most| estimate <= most);
    (!partitions.is_empty() && !partitions.iter().any(allows)).then_some(&TOO_LONG)
}

/// Returns a cluster that the log lets infer, and says how.
fn inferred(workload: &Workload, trace: &Trace) -> Result<Cluster, Problem> {
    let processors = workload.all_processors();
    let header = trace
        .header_value("MaxNodes")
        .and_then(|word| word.split_whitespace().next()?.parse::<u32>().ok())
        .filter(|nodes| *nodes > 0 && *nodes <= processors && processors.is_multiple_of(*nodes));
    let (nodes, gpus) = (trace.column("nodes"), trace.column("gpus"));
    let (mut most_cores, mut most_gpus) = (1, 0);
    for job in workload.ids() {
        let source = workload.sources[job.index()] as usize;
        let count = |column: Option<&Column>| -> Option<u32> {
            let number = column?.number(source)?;
            u32::try_from(number).ok().filter(|number| *number > 0)
        };
        let processors = workload.request(job).processors;
        let nodes = count(nodes).map(|nodes| nodes.min(processors));
        if let Some(nodes) = nodes {
            most_cores = most_cores.max(processors.div_ceil(nodes));
        }
        if let Some(gpus) = count(gpus) {
            most_gpus = most_gpus.max(gpus.div_ceil(nodes.unwrap_or(1)));
        }
    }
    let (cores, source) = match header {
        Some(nodes) => (processors / nodes, "MaxNodes of the header"),
        None if nodes.is_some() => (most_cores, "the most processors of a node of a job"),
        None => (1, "no number of nodes in the log"),
    };
    let mut amounts = NOTHING;
    amounts[CORES] = cores;
    amounts[MEMORY] = UNLIMITED;
    amounts[GPUS] = most_gpus;
    let (count, rest) = (processors / cores, processors % cores);
    if count as usize + usize::from(rest > 0) > limits::CLUSTER_NODES {
        return Err(Problem::new(
            format!("The log lets infer {count} nodes."),
            format!("A cluster has at most {} nodes.", limits::CLUSTER_NODES),
            "Describe the cluster (`cluster`), or choose the flat machine.",
        ));
    }
    let mut cluster = Cluster::uniform(count.max(1), amounts);
    if rest > 0 && count > 0 {
        cluster = cluster.with_another(rest);
    }
    cluster.notes.push(format!(
        "inferred from the log: {} nodes of {cores} cores ({source}){}{}, memory without limit",
        cluster.nodes(),
        if most_gpus > 0 {
            format!(", {most_gpus} GPUs each (the most of a node of a job)")
        } else {
            String::new()
        },
        if rest > 0 && count > 0 {
            format!(", the last one with {rest}")
        } else {
            String::new()
        },
    ));
    Ok(cluster)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_found_in_any_case_and_a_number_only_without_names() {
        let lists = [vec!["Ann", "7", "-3"], vec![], vec!["ann", "bob", "07"]];
        let lists = lists.map(|list| list.into_iter().map(String::from).collect::<Vec<_>>());
        let admitted = Admitted::of(lists.iter().map(Vec::as_slice));
        let mut names = Words::default();
        let [ann, bob, seven] = ["ANN", "bob", "7"].map(|name| names.number(name) as i32);
        let of = |number: i32, names: &Words| admitted.admitted(number, names);
        assert_eq!(
            [ann, bob, seven, -1].map(|number| of(number, &names)),
            [5, 4, 1, 0]
        );
        let nobody = Words::default();
        assert_eq!(
            [7, 3, -3, 0].map(|number| of(number, &nobody)),
            [5, 0, 0, 0]
        );
    }
}
