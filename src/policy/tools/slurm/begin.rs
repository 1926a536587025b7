//! The begin of a run under Slurm: the controller with the machine's nodes, and with the jobs that
//! already wait and run if another policy decided before.

use super::asking::{ALL_NODES, JobAsker, has_others};
use super::{SlurmSettings, SlurmState};
use crate::cluster::{
    AdvanceKind, AdvanceReservation, CORES, Cluster, GPUS, MEMORY, NOTHING, NodeRequest, UNLIMITED,
};
use crate::job::JobId;
use crate::problem::Problem;
use crate::sim::{RunningJob, Turn};
use crate::slurm::{
    Controller, NodeReservation, NodeSet, SlurmAccounts, SlurmClock, SlurmConf, plain,
};
use crate::time::Span;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

/// Microseconds of a second.
const SECOND: i64 = 1_000_000;

/// Seconds of a day. Slurm takes the time 0 for unset, so the zero of a log without a date is a day later.
const DAY: i64 = 86_400;

/// The latest zero of a log, in seconds since 1970.
const LATEST: i64 = 100_000_000_000;

/// Returns the state at the first turn.
pub fn state(settings: &SlurmSettings, turn: &mut Turn<'_>) -> Result<SlurmState, Problem> {
    let cluster = match turn.node_requests() {
        Some(nodes) => Arc::clone(&nodes.cluster),
        None => {
            let mut amounts = NOTHING;
            amounts[CORES] = 1;
            amounts[MEMORY] = UNLIMITED;
            Arc::new(Cluster::uniform(turn.capacity(), amounts))
        }
    };
    let requests = turn.node_requests().map(|nodes| Arc::clone(&nodes.table));
    let requests = requests.as_deref().map_or(&[][..], Vec::as_slice);
    check(requests)?;
    let mut conf = SlurmConf::read(&configuration(settings, &cluster))?;
    select(&mut conf, requests);
    fit_to_machine(&mut conf, &cluster)?;
    check_selection(&conf, requests)?;
    let zero = Span::from_seconds(turn.unix_start().unwrap_or(DAY).clamp(DAY, LATEST));
    let node_of = node_of(&conf, &cluster);
    let start = turn.began() + zero - settings.lead;
    let accounts = SlurmAccounts::read(&settings.accounts)?;
    let mut controller = Controller::with_accounts(conf, accounts);
    controller.accept_all();
    for (number, one) in cluster.advance.iter().enumerate() {
        if one.kind != AdvanceKind::Outage {
            let nodes = reserved_nodes(&cluster, number, &node_of);
            let second = start.microseconds().div_euclid(SECOND);
            controller.reserve_nodes(reservation(one, nodes, zero), second)?;
        }
    }
    let clock = if settings.is_new {
        SlurmClock::of_new_controller(&controller, start, settings.figures)
    } else {
        SlurmClock::new(&controller, start, settings.figures)
    };
    let mut state = SlurmState {
        controller,
        clock,
        asker: JobAsker { cluster, node_of },
        closed: None,
        zero,
        records: Vec::new(),
        woken: None,
    };
    let at = turn.now() + zero;
    state.clock.skip_to(&mut state.controller, at);
    let second = state.clock.second(at);
    if settings.takes_usage {
        state.controller.take_usage(second);
    }
    state.heed_outages(turn, second);
    adopt(&mut state, turn, second)?;
    let mut has_past = turn.running().iter().next().is_some();
    let waiting: Vec<JobId> = turn.queue().iter().map(|waiting| waiting.job).collect();
    for job in waiting {
        let submitted = turn.request(job).submitted + zero;
        let submitted = state.clock.second(submitted);
        state.submit(turn, job, submitted)?;
        has_past |= turn.request(job).submitted < turn.now();
    }
    if has_past {
        // Another policy decided before: the schedulers look at what it leaves.
        state.controller.take_ages(second);
        state.controller.register_nodes(second);
    }
    Ok(state)
}

/// Tells the controller the jobs that run, in order of submission: the order of ids decides between victims
/// of equal rank.
fn adopt(state: &mut SlurmState, turn: &Turn<'_>, now: i64) -> Result<(), Problem> {
    let mut running: Vec<RunningJob> = turn.running().iter().copied().collect();
    crate::sorting::by(&mut running, |entry| [entry.job.0.into(), 0]);
    for entry in running {
        let job = entry.job;
        if !turn.knows(job) {
            continue;
        }
        let cluster = Arc::clone(&state.asker.cluster);
        let node_of = Arc::clone(&state.asker.node_of);
        let mut cpus: BTreeMap<u32, u32> = BTreeMap::new();
        for core in turn.placement(job).columns() {
            *cpus.entry(cluster.node_of(core)).or_default() += 1;
        }
        let mut on_nodes = Vec::new();
        for (at, node) in node_of.iter().enumerate() {
            if let Some(cpus) = cpus.get(node) {
                on_nodes.push((at as u32, i64::from(*cpus)));
            }
        }
        let record = state.submit(turn, job, now)?;
        let started = state.clock.second(entry.started + state.zero);
        state.controller.adopt(record, &on_nodes, started);
    }
    state.controller.take_started();
    Ok(())
}

/// Fails if the policy does not know something that a request has.
fn check(requests: &[NodeRequest]) -> Result<(), Problem> {
    if requests.iter().any(has_others) {
        return Err(Problem::new(
            "The policy `slurm` knows GPUs and other resources for each node, and jobs of this log ask for \
                them for each task.",
            "The policy does not model `--gpus-per-task`.",
            "Choose another policy, or give the resources for each node.",
        ));
    }
    Ok(())
}

/// Returns the controller's nodes of an advance reservation of the cluster.
fn reserved_nodes(cluster: &Cluster, number: usize, node_of: &[u32]) -> NodeSet {
    let mut nodes = NodeSet::none(node_of.len());
    for (at, node) in node_of.iter().enumerate() {
        let class = cluster.class_of[*node as usize];
        if cluster.classes[class as usize].advance >> number & 1 == 1 {
            nodes.insert(at);
        }
    }
    nodes
}

/// Returns an advance reservation in whole seconds since 1970, which are at least its own time.
fn reservation(one: &AdvanceReservation, nodes: NodeSet, zero: Span) -> NodeReservation {
    let from = one.from + zero;
    let end = from.saturating_add(one.length);
    NodeReservation {
        name: one.name.clone(),
        start: from.microseconds().div_euclid(SECOND),
        end: -(-end.microseconds()).div_euclid(SECOND),
        every: one.every.map_or(0, |every| every.microseconds() / SECOND),
        periods: one.times,
        nodes,
        is_maintenance: one.kind == AdvanceKind::Maintenance,
        has_all_nodes: one.has_all_nodes,
        ..NodeReservation::default()
    }
}

/// Gives the choice of nodes the defaults that the jobs suggest.
fn select(conf: &mut SlurmConf, requests: &[NodeRequest]) {
    if !conf.says("SelectType") {
        let is_whole = !requests.is_empty() && requests.iter().all(|one| one.is_whole);
        conf.select_whole_nodes(is_whole);
    }
    let has_memory = |one: &NodeRequest| one.per_task[MEMORY] > 0 || one.per_node[MEMORY] > 0;
    if !requests.iter().any(has_memory) {
        conf.count_no_memory();
    }
}

/// Gives nodes the memory of the machine, which has no limit where none is written. Fails if Slurm would
/// use CPUs that the machine does not have.
fn fit_to_machine(conf: &mut SlurmConf, cluster: &Cluster) -> Result<(), Problem> {
    if !has_same_names(conf, cluster) {
        return Err(Problem::new(
            "Slurm and the machine count different nodes.",
            "Quotation marks and commas at ends of words are read in two ways.",
            "Write the lines NodeName without them.",
        ));
    }
    for (at, node) in node_of(conf, cluster).iter().copied().enumerate() {
        let amounts = cluster.amounts(node);
        let memory = match amounts[MEMORY] {
            UNLIMITED => i64::from(u32::MAX),
            memory => memory.into(),
        };
        if conf.node_cpus(at) != i64::from(amounts[CORES]) {
            let name = &cluster.names[node as usize];
            return Err(Problem::new(
                format!("Slurm and the machine count the CPUs of `{name}` differently."),
                "Cores that Slurm keeps for itself (`CoreSpecCount`) are not modelled by the policy.",
                "Give the CPUs that jobs can have (`CPUs=`), and leave `CoreSpecCount` out.",
            ));
        }
        conf.set_memory(at, memory);
    }
    Ok(())
}

/// True if the configuration and the machine have the same nodes.
fn has_same_names(conf: &SlurmConf, cluster: &Cluster) -> bool {
    let mut names = cluster.names.iter();
    conf.names.len() == names.len() && names.all(|name| conf.node_called(name).is_some())
}

/// Returns the machine's number of each node of the configuration.
fn node_of(conf: &SlurmConf, cluster: &Cluster) -> Arc<[u32]> {
    let mut nodes = vec![0; conf.names.len()];
    for (node, name) in cluster.names.iter().enumerate() {
        if let Some(at) = conf.node_called(name) {
            nodes[at] = node as u32;
        }
    }
    nodes.into()
}

/// Fails if the configuration gives nodes in another way than the machine.
fn check_selection(conf: &SlurmConf, requests: &[NodeRequest]) -> Result<(), Problem> {
    if conf.gives_whole_nodes() && requests.iter().any(|one| !one.is_whole) {
        return Err(Problem::new(
            "This slurm.conf gives whole nodes, and jobs of this machine share nodes.",
            "`SelectType=select/linear` gives a job whole nodes, and never a part of one.",
            "Set `sharing=whole`, or write the line into the description of the cluster.",
        ));
    }
    let shares_memory =
        |one: &NodeRequest| !one.is_whole && (one.per_task[MEMORY] > 0 || one.per_node[MEMORY] > 0);
    if conf.counts_memory() || !requests.iter().any(shares_memory) {
        return Ok(());
    }
    Err(Problem::new(
        "Jobs ask for memory, and this slurm.conf does not count memory.",
        "`SelectTypeParameters` has no word with `Memory`, so Slurm gives nodes whatever memory jobs \
            ask for.",
        "Set `memory=none`, or `SelectTypeParameters=CR_Core_Memory`.",
    ))
}

/// Returns the whole text of slurm.conf: the machine's nodes and partitions, the lines of the setting, and
/// what the policy itself decides.
pub fn configuration(settings: &SlurmSettings, cluster: &Cluster) -> String {
    let mut text = plain(&cluster.text);
    if cluster.text.is_empty() {
        for kind in &cluster.kinds {
            let (name, cores) = (&kind.name, kind.amounts[CORES]);
            let _ = write!(text, "NodeName={name} CPUs={cores} Gres=");
            for (resource, count) in cluster.resources.iter().zip(kind.amounts).skip(GPUS) {
                if count > 0 {
                    let _ = write!(text, "{resource}:{count},");
                }
            }
            text.push('\n');
        }
    }
    if cluster.partitions.is_empty() {
        let _ = writeln!(text, "PartitionName={ALL_NODES} Nodes=ALL Default=YES");
    }
    for line in plain(&settings.conf).lines() {
        if !is_of_machine(line) {
            let _ = writeln!(text, "{line}");
        }
    }
    let licence = |(name, count): &(String, u32)| format!("{name}:{count}");
    let licences: Vec<String> = cluster.licences.iter().map(licence).collect();
    if !licences.is_empty() {
        let _ = writeln!(text, "Licenses={}", licences.join(","));
    }
    if cluster.resources.len() > GPUS {
        // The machine counts what its nodes have.
        let _ = writeln!(text, "GresTypes={}", cluster.resources[GPUS..].join(","));
    }
    // Jobs of a run end when the log says so.
    text.push_str("OverTimeLimit=UNLIMITED\n");
    if !cluster.advance.is_empty() {
        text.push_str("ResvOverRun=UNLIMITED\n");
    }
    text
}

/// True for a line of slurm.conf that says what the machine says already.
pub fn is_of_machine(line: &str) -> bool {
    let start = line.trim_start().to_ascii_lowercase();
    let words = ["nodename=", "partitionname=", "licenses=", "switchname="];
    words.iter().any(|word| start.starts_with(word))
}
