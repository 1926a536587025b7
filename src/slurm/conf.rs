//! The configuration of a controller, read from the text of slurm.conf. Defaults are those of Slurm 22.05.8.

use super::access::PartitionAccess;
use super::accounts::TresWeights;
use super::conf_preempt::{PreemptConf, PreemptRule, partition_mode, preempt};
use super::conf_priority::{EnforceConf, PriorityConf, enforce, priority, weights};
use super::gres::GresKinds;
use super::keywords::{keywords, scheduler_options};
use super::nodeset::NodeSet;
use super::switches::{SwitchTree, is_tree};
use super::text::facts::{ConfPlace, LineFact};
use super::text::modes::PreemptMode;
use super::text::natural::natural_key;
use super::text::words::{ConfLine, ConfWord, INFINITE, lines, number};
use crate::cluster::expand;
use crate::limits;
use crate::problem::Problem;
use std::collections::BTreeMap;

/// A controller's configuration.
#[derive(Clone, Debug)]
pub struct SlurmConf {
    /// Every keyword and every option of `SchedulerParameters`, in the order of the text.
    pub facts: Vec<LineFact>,
    pub(super) select: SelectConf,
    pub(super) main: MainConf,
    pub(super) backfill: BackfillConf,
    pub(super) priority: PriorityConf,
    pub(super) enforce: EnforceConf,
    pub(super) preempt: PreemptConf,
    /// Seconds that a job gets after its time limit, and minutes beyond the limit that it may run.
    pub(super) kill_wait: i64,
    pub(super) over_time_limit: i64,
    /// Minutes that a job may run beyond the end of its reservation.
    pub(super) reservation_over_run: i64,
    /// Seconds for which completing jobs hold both schedulers back.
    pub(super) complete_wait: i64,
    /// Megabytes that a job gets if neither it nor its partition says so; 0 is unset.
    pub(super) node_memory: i64,
    pub(super) cpu_memory: i64,
    /// Local licences and their numbers.
    pub(super) licences: Vec<(String, i64)>,
    /// The names of the nodes in their natural order, whatever the order of their lines.
    pub names: Vec<String>,
    /// The line `NodeName` of each node.
    pub(super) line_of: Vec<u32>,
    pub(super) lines: Vec<NodeLine>,
    pub(super) partitions: Vec<SlurmPartition>,
    /// The partition of jobs that name none.
    pub(super) default_partition: usize,
    pub(super) gres: GresKinds,
    /// True if GPUs are a TRES (`AccountingStorageTRES=gres/gpu`).
    pub(super) counts_gpus: bool,
    /// CPUs of all nodes.
    pub(super) cpus: i64,
    /// The switches, if `TopologyPlugin` is topology/tree.
    switches: Option<SwitchTree>,
    /// The numbers of the nodes by their names.
    node_numbers: BTreeMap<String, usize>,
}

/// The choice of nodes.
#[derive(Clone, Debug, Default)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a word of SelectTypeParameters"
)]
pub struct SelectConf {
    /// True for select/linear, false for select/cons_tres.
    pub is_linear: bool,
    pub by_memory: bool,
    pub by_core: bool,
    pub by_socket: bool,
    /// CR_LLN: the node with the largest free share of CPUs comes first.
    pub is_least_loaded: bool,
    /// True with `pack_serial_at_end`.
    pub packs_serial: bool,
    /// True with CR_CPU.
    by_cpu: bool,
}

impl SelectConf {
    /// Sets what select/cons_tres counts if nothing says it: cores and memory.
    fn settle(&mut self) {
        let is_unset = !self.by_memory && !self.by_core && !self.by_socket && !self.by_cpu;
        if !self.is_linear && is_unset {
            (self.by_core, self.by_memory) = (true, true);
        }
    }
}

/// The main scheduler. Times are in seconds; 0 is no limit.
#[derive(Clone, Debug, Default)]
pub struct MainConf {
    /// True for sched/builtin: no backfill pass.
    pub is_builtin: bool,
    pub queue_depth: i64,
    pub partition_depth: i64,
    pub most_starts: i64,
    /// True for `sched_interval=-1`: no main pass does anything.
    pub is_off: bool,
    /// Seconds between full passes.
    pub interval: i64,
    pub batch_delay: i64,
    pub least_interval_microseconds: i64,
}

/// The backfill scheduler. Times are in seconds; 0 is no limit.
#[derive(Clone, Debug, Default)]
pub struct BackfillConf {
    /// Seconds between passes; `None` if there are none.
    pub interval: Option<i64>,
    pub resolution: i64,
    pub window: i64,
    pub window_linear: i64,
    pub most_tests: i64,
    pub map_size: i64,
    pub array_reservations: i64,
    pub partition_jobs: i64,
    pub most_starts: i64,
    pub user_jobs: i64,
    pub user_partition_jobs: i64,
    /// Jobs of an association.
    pub association_jobs: i64,
    pub partition_reservations: i64,
    pub reserve_age: i64,
    pub reserve_priority: i64,
    pub flags: BackfillFlags,
}

/// The options of the backfill scheduler that are there or not.
#[derive(Clone, Debug, Default)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is an option of SchedulerParameters"
)]
pub struct BackfillFlags {
    pub is_one_reservation: bool,
    pub has_licences: bool,
    pub reserves_running: bool,
    pub is_busy_first: bool,
    /// True with `assoc_limit_stop`.
    pub stops_at_limits: bool,
}

/// A line `NodeName`: nodes that are alike.
#[derive(Clone, Debug)]
pub struct NodeLine {
    pub nodes: NodeSet,
    pub cpus: i64,
    pub cores: i64,
    pub socket_cores: i64,
    /// CPUs of a core.
    pub core_cpus: i64,
    pub memory: i64,
    pub weight: i64,
    pub features: Vec<String>,
    /// Generic resources by kind; kinds beyond the end are none.
    pub gres: Vec<i64>,
}

/// A partition. [`INFINITE`] is no limit.
#[derive(Clone, Debug)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a keyword of PartitionName"
)]
pub struct SlurmPartition {
    pub name: String,
    pub nodes: NodeSet,
    pub node_count: i64,
    pub cpus: i64,
    /// The longest time limit, in minutes.
    pub most_time: i64,
    pub default_time: Option<i64>,
    pub tier: i64,
    pub factor: i64,
    /// The factor, divided by the largest one of all partitions.
    pub share: f64,
    pub least_nodes: i64,
    pub most_nodes: i64,
    pub node_cpus: i64,
    pub is_exclusive: bool,
    /// The most jobs on a core, and true if jobs need not ask to share it (`OverSubscribe=FORCE`).
    pub core_jobs: usize,
    pub is_forced: bool,
    /// True if queued jobs may start: UP and DRAIN.
    pub schedules: bool,
    /// True if it is DOWN; a partition that starts no jobs otherwise is INACTIVE.
    pub is_down: bool,
    /// True if the backfill scheduler works for it: UP.
    pub is_up: bool,
    pub is_least_loaded: bool,
    pub node_memory: i64,
    pub cpu_memory: i64,
    /// Memory of all its nodes, in megabytes.
    pub memory: i64,
    /// GPUs of all its nodes.
    pub gpus: i64,
    pub billing_weights: Option<TresWeights>,
    /// The name of its QOS.
    pub qos: String,
    pub access: PartitionAccess,
    /// The fate of its jobs if they are preempted, if it says so.
    pub preempt_mode: Option<PreemptMode>,
    /// Seconds that a preempted job runs on.
    pub grace: i64,
}

impl SlurmPartition {
    /// True if jobs of a partition of a higher tier may preempt those of this one.
    pub(super) fn gives_way_to(&self, other: &Self) -> bool {
        self.tier < other.tier && self.preempt_mode != Some(PreemptMode::Off)
    }
}

/// Nodes with all their cores are at most so many: the numbers of cores stay far from overflow.
const MOST_CORES: i64 = limits::CLUSTER_CORES as i64;

impl SlurmConf {
    /// Reads a configuration.
    ///
    /// # Errors
    /// Returns a problem if the text is too long, if a number or a list is none, or if it describes no
    /// node or no partition.
    pub fn read(text: &str) -> Result<Self, Problem> {
        limits::check(
            "The configuration",
            text.len(),
            2 * limits::DESCRIPTION_BYTES,
            "bytes",
        )?;
        let mut general = ConfLine::default();
        let (mut nodes, mut partitions) = (Vec::new(), Vec::new());
        let mut switches = Vec::new();
        let (mut node_defaults, mut partition_defaults) = (Vec::new(), Vec::new());
        for line in lines(text) {
            let first = &line.words[0];
            let place = match first.key.as_str() {
                "nodename" => ConfPlace::Node,
                "partitionname" => ConfPlace::Partition,
                "switchname" => {
                    switches.push(line);
                    continue;
                }
                _ => ConfPlace::General,
            };
            let is_default = first.value.eq_ignore_ascii_case("default");
            let (list, defaults) = match place {
                ConfPlace::Node => (&mut nodes, &mut node_defaults),
                ConfPlace::Partition => (&mut partitions, &mut partition_defaults),
                _ => {
                    general.words.extend(line.words);
                    continue;
                }
            };
            if is_default {
                for word in line.words.into_iter().skip(1) {
                    defaults.retain(|old: &ConfWord| old.key != word.key);
                    defaults.push(word);
                }
            } else {
                let words = defaults.iter().cloned().chain(line.words).collect();
                list.push(ConfLine { words });
            }
        }
        let scheduler = scheduler_options(&general);
        let mut conf = Self {
            facts: keywords(text),
            select: select(&general, &scheduler),
            main: main(&general, &scheduler)?,
            backfill: backfill(&scheduler)?,
            priority: priority(&general)?,
            enforce: enforce(&general),
            preempt: preempt(&general, &scheduler)?,
            kill_wait: general.number("killwait", 30)?.max(0),
            over_time_limit: match general.get("overtimelimit") {
                Some(word) => word.number_or_infinite()?.max(0),
                None => 0,
            },
            reservation_over_run: match general.get("resvoverrun") {
                Some(word) => word.number_or_infinite()?.max(0),
                None => 0,
            },
            complete_wait: general.number("completewait", 0)?.max(0),
            node_memory: general.number("defmempernode", 0)?.max(0),
            cpu_memory: general.number("defmempercpu", 0)?.max(0),
            licences: licences(&general)?,
            names: Vec::new(),
            line_of: Vec::new(),
            lines: Vec::new(),
            partitions: Vec::new(),
            default_partition: 0,
            gres: GresKinds::new(general.text("grestypes")),
            counts_gpus: counts_gpus(general.text("accountingstoragetres")),
            cpus: 0,
            switches: None,
            node_numbers: BTreeMap::new(),
        };
        conf.add_nodes(&nodes)?;
        conf.add_partitions(&partitions)?;
        if is_tree(&general) && !switches.is_empty() {
            conf.add_switches(&general, &switches)?;
        }
        Ok(conf)
    }

    /// True if the text has this keyword.
    pub fn says(&self, keyword: &str) -> bool {
        let mut facts = self.facts.iter();
        facts.any(|fact| fact.keyword.eq_ignore_ascii_case(keyword))
    }

    /// Chooses select/linear or select/cons_tres, in place of what the text says.
    pub fn select_whole_nodes(&mut self, is_linear: bool) {
        self.select.is_linear = is_linear;
        self.select.settle();
    }

    /// Counts no memory, in place of what the text says.
    pub fn count_no_memory(&mut self) {
        self.select.by_memory = false;
    }

    /// Returns the CPUs of a node.
    pub fn node_cpus(&self, node: usize) -> i64 {
        self.node(node).cpus
    }

    /// Sets the memory, in megabytes, of a node and of all nodes of its line.
    pub fn set_memory(&mut self, node: usize, memory: i64) {
        self.lines[self.line_of[node] as usize].memory = memory;
    }

    /// Turns preemption off if the choice of nodes does not allow its kind.
    pub(super) fn settle_preemption(&mut self) {
        let is_said = self.says("SelectType");
        let has_cores = is_said && (self.select.is_linear || self.select.by_core);
        self.preempt.settle(has_cores, self.select.is_linear);
        if !self.preempt.is_gang || self.select.is_linear {
            // Jobs that hold the same cores would run at the same time.
            for part in self.partitions.iter_mut().filter(|part| part.core_jobs > 1) {
                (part.core_jobs, part.is_forced) = (1, false);
            }
        }
    }

    /// Returns the number of rows of a partition: so many jobs can hold a core.
    pub(super) fn rows_of(&self, partition: usize) -> usize {
        if self.select.is_linear || !self.preempt.is_gang {
            return 1;
        }
        let extra = self.preempt.rule == PreemptRule::Qos;
        self.partitions[partition].core_jobs + usize::from(extra)
    }

    /// True if partitions differ in whether their jobs share cores.
    pub(super) fn mixes_sharing(&self) -> bool {
        let is_forced = |part: &SlurmPartition| part.is_forced;
        let has_rows = (0..self.partitions.len()).any(|at| self.rows_of(at) > 1);
        let shares = has_rows || self.partitions.iter().any(is_forced);
        !self.select.is_linear && shares && !self.partitions.iter().all(is_forced)
    }

    /// True if jobs of a partition hold the cores of others without asking for it.
    pub(super) fn forces_sharing(&self, partition: usize) -> bool {
        let part = &self.partitions[partition];
        part.is_forced && part.core_jobs > 1
    }

    /// True if every job gets whole nodes (select/linear).
    pub fn gives_whole_nodes(&self) -> bool {
        self.select.is_linear
    }

    /// True if jobs can be preempted.
    pub fn preempts(&self) -> bool {
        self.preempt.is_on()
    }

    /// True if memory decides whether a job fits on a node.
    pub fn counts_memory(&self) -> bool {
        self.select.by_memory
    }

    /// Returns the number of nodes.
    pub fn node_count(&self) -> usize {
        self.names.len()
    }

    /// Returns the facts of a node.
    pub fn node(&self, node: usize) -> &NodeLine {
        &self.lines[self.line_of[node] as usize]
    }

    /// Returns the set of the nodes of a list such as `n[1-3,5]`.
    ///
    /// # Errors
    /// Returns a problem if the text is no list, or names an unknown node.
    pub fn nodes_of(&self, list: &str) -> Result<NodeSet, Problem> {
        let mut set = NodeSet::none(self.node_count());
        for name in expand(list, limits::CLUSTER_NODES)? {
            let Some(node) = self.node_numbers.get(&name) else {
                return Err(Problem::new(
                    format!("No node is called `{name}`."),
                    "A list names nodes of the lines NodeName.",
                    "Correct the list of nodes.",
                ));
            };
            set.insert(*node);
        }
        Ok(set)
    }

    /// Returns the number of the node with this name.
    pub fn node_called(&self, name: &str) -> Option<usize> {
        self.node_numbers.get(name).copied()
    }

    /// Returns the number of the partition with this name.
    pub fn partition(&self, name: &str) -> Option<usize> {
        self.partitions.iter().position(|one| one.name == name)
    }

    /// Returns the switches if jobs are placed by them.
    pub(super) fn tree(&self) -> Option<&SwitchTree> {
        self.switches.as_ref().filter(|tree| !tree.is_optional)
    }

    /// True if there is more than one switch.
    pub(super) fn has_switches(&self) -> bool {
        let count = self.switches.as_ref().map_or(0, |tree| tree.switches.len());
        count > 1
    }

    /// Returns two numbers of the switches: the nodes that they name and the cluster does not have, and the
    /// nodes of the cluster that no switch reaches. Without switches there are none.
    pub fn switch_gaps(&self) -> Option<(usize, i64)> {
        let tree = self.switches.as_ref()?;
        Some((tree.unknown, tree.unreached(self.node_count())))
    }

    fn add_switches(&mut self, general: &ConfLine, lines: &[ConfLine]) -> Result<(), Problem> {
        let called = |name: &str| self.node_called(name);
        let mut tree = SwitchTree::read(lines, self.node_count(), &called)?;
        let param = general.text("topologyparam").to_ascii_lowercase();
        tree.is_optional = param.contains("topooptional");
        self.switches = Some(tree);
        Ok(())
    }

    fn add_nodes(&mut self, statements: &[ConfLine]) -> Result<(), Problem> {
        let mut names: Vec<(String, u32)> = Vec::new();
        for statement in statements {
            let Some(word) = statement.get("nodename") else {
                continue;
            };
            let listed = expand(&word.value, limits::CLUSTER_NODES)
                .map_err(|problem| problem.at_line(word.line))?;
            let count = names.len() + listed.len();
            limits::check("The cluster", count, limits::CLUSTER_NODES, "nodes")?;
            let mut line = node_line(statement)?;
            if let Some(word) = statement.get("gres") {
                line.gres = self.gres.of_node(word)?;
            }
            self.cpus += line.cpus * listed.len() as i64;
            if self.cpus > MOST_CORES || line.cores * listed.len() as i64 > MOST_CORES {
                return Err(word.problem("The cluster has too many cores (docs/limits.md)."));
            }
            let at = self.lines.len() as u32;
            names.extend(listed.into_iter().map(|name| (name, at)));
            self.lines.push(line);
        }
        if names.is_empty() {
            return Err(missing("node", "NodeName=n[1-16] CPUs=8"));
        }
        // The order of the lines counts for nothing (`_sort_nodes_by_name`).
        let mut order: BTreeMap<String, usize> = BTreeMap::new();
        for (at, (name, _)) in names.iter().enumerate() {
            if order.insert(natural_key(name), at).is_some() {
                return Err(Problem::new(
                    format!("The node `{name}` is described twice."),
                    "Each node belongs to one line NodeName.",
                    "Correct the lists of nodes.",
                ));
            }
        }
        for line in &mut self.lines {
            line.nodes = NodeSet::none(names.len());
        }
        for (node, at) in order.into_values().enumerate() {
            let (name, line) = std::mem::take(&mut names[at]);
            self.node_numbers.insert(name.clone(), node);
            self.names.push(name);
            self.line_of.push(line);
            self.lines[line as usize].nodes.insert(node);
        }
        Ok(())
    }

    fn add_partitions(&mut self, statements: &[ConfLine]) -> Result<(), Problem> {
        let mut default = None;
        for statement in statements {
            let partition = self.read_partition(statement)?;
            if statement.is_yes("default") {
                default = Some(self.partitions.len());
            }
            self.partitions.push(partition);
        }
        if self.partitions.is_empty() {
            return Err(missing("partition", "PartitionName=main Nodes=ALL"));
        }
        self.default_partition = default.unwrap_or(0);
        let factors = self.partitions.iter().map(|one| one.factor);
        let most = factors.max().unwrap_or(1).max(1) as f64;
        for partition in &mut self.partitions {
            partition.share = partition.factor as f64 / most;
        }
        Ok(())
    }

    fn read_partition(&self, line: &ConfLine) -> Result<SlurmPartition, Problem> {
        let infinite = |key: &str| {
            line.get(key)
                .map_or(Ok(INFINITE), ConfWord::number_or_infinite)
        };
        let list = line.text("nodes");
        let nodes = if list.eq_ignore_ascii_case("all") {
            NodeSet::all(self.node_count())
        } else {
            let at = line.words.first().map_or(0, |word| word.line);
            self.nodes_of(list).map_err(|problem| problem.at_line(at))?
        };
        let default_time = match line.get("defaulttime") {
            Some(word) if !word.value.eq_ignore_ascii_case("none") => Some(word.minutes()?),
            _ => None,
        };
        let priority = line.number("priority", 1)?;
        let share = line.get("oversubscribe").or_else(|| line.get("shared"));
        let (core_jobs, is_forced) = share.map_or((1, false), |word| core_jobs(&word.value));
        let state = line.text("state").to_ascii_uppercase();
        let is_up = state.is_empty() || state == "UP";
        Ok(SlurmPartition {
            name: line.text("partitionname").to_owned(),
            node_count: nodes.count(),
            cpus: nodes.iter().map(|node| self.node(node).cpus).sum(),
            memory: nodes
                .iter()
                .fold(0, |sum, node| self.node(node).memory.saturating_add(sum)),
            gpus: nodes
                .iter()
                .map(|node| self.gres.gpus(&self.node(node).gres))
                .sum(),
            nodes,
            most_time: line
                .get("maxtime")
                .map_or(Ok(INFINITE), ConfWord::minutes)?,
            default_time,
            tier: line.number("prioritytier", priority)?,
            factor: line.number("priorityjobfactor", priority)?.max(0),
            share: 0.0,
            least_nodes: line.number("minnodes", 1)?.max(0),
            most_nodes: infinite("maxnodes")?.max(0),
            node_cpus: infinite("maxcpuspernode")?.max(0),
            is_exclusive: share.is_some_and(|word| word.value.eq_ignore_ascii_case("exclusive")),
            core_jobs,
            is_forced,
            schedules: is_up || state == "DRAIN",
            is_up,
            is_down: state == "DOWN",
            is_least_loaded: line.is_yes("lln"),
            node_memory: line.number("defmempernode", 0)?.max(0),
            cpu_memory: line.number("defmempercpu", 0)?.max(0),
            billing_weights: weights(line, "tresbillingweights")?,
            qos: line.text("qos").to_owned(),
            access: PartitionAccess::read(line),
            preempt_mode: partition_mode(line, self.preempt.is_gang),
            grace: line.number("gracetime", 0)?.max(0),
        })
    }
}

/// Returns the most jobs on a core by a value of `OverSubscribe`, and true if jobs need not ask for it.
fn core_jobs(value: &str) -> (usize, bool) {
    const UNSAID: usize = 4;
    const MOST: usize = 0x7fff;
    let value = value.to_ascii_lowercase();
    let (word, count) = match value.split_once(':') {
        Some((word, count)) => (word, count.parse().unwrap_or(0).min(MOST)),
        None => (value.as_str(), UNSAID),
    };
    match word {
        "yes" if count > 1 => (count, false),
        "force" if count > 0 => (count, true),
        _ => (1, false),
    }
}

fn missing(what: &str, example: &str) -> Problem {
    Problem::new(
        format!("The configuration has no {what}."),
        "A controller schedules nodes in partitions.",
        format!("Write for example `{example}`."),
    )
}

fn select(general: &ConfLine, scheduler: &ConfLine) -> SelectConf {
    let kind = general.text("selecttype");
    let params = general.text("selecttypeparameters").to_ascii_uppercase();
    let has = |name: &str| params.split(',').any(|word| word.contains(name));
    let named = |name: &str| {
        let mut words = params.split(',');
        words.any(|word| word == name || word.strip_suffix("_MEMORY") == Some(name))
    };
    let mut conf = SelectConf {
        is_linear: kind.is_empty() || kind.contains("linear"),
        by_memory: has("MEMORY"),
        by_core: named("CR_CORE"),
        by_socket: named("CR_SOCKET"),
        is_least_loaded: named("CR_LLN"),
        packs_serial: scheduler.get("pack_serial_at_end").is_some(),
        by_cpu: named("CR_CPU"),
    };
    conf.settle();
    conf
}

/// Returns the value of an option; an option without a value has its default.
fn option(scheduler: &ConfLine, key: &str, unset: i64) -> Result<i64, Problem> {
    match scheduler.get(key) {
        Some(word) if !word.value.is_empty() => word.number(),
        _ => Ok(unset),
    }
}

fn main(general: &ConfLine, scheduler: &ConfLine) -> Result<MainConf, Problem> {
    let of = |key: &str, unset: i64| option(scheduler, key, unset);
    // Slurm takes the default for a negative value.
    let least_zero = |key: &str, unset: i64| -> Result<i64, Problem> {
        let value = of(key, unset)?;
        Ok(if value < 0 { unset } else { value })
    };
    Ok(MainConf {
        is_builtin: general.text("schedulertype").contains("builtin"),
        queue_depth: least_zero("default_queue_depth", 100)?,
        partition_depth: least_zero("partition_job_depth", 0)?,
        most_starts: least_zero("sched_max_job_start", 0)?,
        is_off: of("sched_interval", 60)? == -1,
        interval: least_zero("sched_interval", 60)?,
        batch_delay: least_zero("batch_sched_delay", 3)?,
        least_interval_microseconds: least_zero("sched_min_interval", 2)?,
    })
}

fn backfill(scheduler: &ConfLine) -> Result<BackfillConf, Problem> {
    let of = |key: &str, unset: i64| option(scheduler, key, unset);
    let has = |key: &str| scheduler.get(key).is_some();
    // Slurm takes the default for a value out of its range.
    let ranged = |key: &str, unset: i64, most: i64| -> Result<i64, Problem> {
        let value = of(key, unset)?;
        Ok(if (1..=most).contains(&value) {
            value
        } else {
            unset
        })
    };
    let most_tests = ranged("bf_max_job_test", 500, 1_000_000)?;
    let map_size = of("bf_node_space_size", most_tests)?;
    let limit = |key: &str| of(key, 0).map(|most| most.max(0));
    let association_jobs = limit("bf_max_job_assoc")?;
    Ok(BackfillConf {
        interval: match of("bf_interval", 30)? {
            -1 => None,
            seconds @ 1..=10_800 => Some(seconds),
            _ => Some(30),
        },
        resolution: ranged("bf_resolution", 60, 3600)?,
        window: ranged("bf_window", 1440, 43_200)? * 60,
        window_linear: limit("bf_window_linear")?,
        most_tests,
        map_size: if (2..=2_000_000).contains(&map_size) {
            map_size
        } else {
            most_tests
        },
        array_reservations: of("bf_max_job_array_resv", 20)?.max(0),
        partition_jobs: limit("bf_max_job_part")?,
        most_starts: limit("bf_max_job_start")?,
        // bf_max_job_assoc takes precedence.
        user_jobs: if association_jobs > 0 {
            0
        } else {
            limit("bf_max_job_user")?
        },
        association_jobs,
        user_partition_jobs: limit("bf_max_job_user_part")?,
        partition_reservations: limit("bf_job_part_count_reserve")?,
        reserve_age: limit("bf_min_age_reserve")?,
        reserve_priority: limit("bf_min_prio_reserve")?,
        flags: BackfillFlags {
            is_one_reservation: has("bf_one_resv_per_job"),
            has_licences: has("bf_licenses"),
            reserves_running: has("bf_running_job_reserve") || has("bf_licenses"),
            is_busy_first: has("bf_busy_nodes"),
            stops_at_limits: has("assoc_limit_stop"),
        },
    })
}

/// True if the TRES that the controller counts beyond its own have GPUs.
fn counts_gpus(list: &str) -> bool {
    let mut names = list.split(',');
    names.any(|name| name.trim().eq_ignore_ascii_case("gres/gpu"))
}

fn licences(general: &ConfLine) -> Result<Vec<(String, i64)>, Problem> {
    let Some(word) = general.get("licenses") else {
        return Ok(Vec::new());
    };
    let mut licences = BTreeMap::new();
    for item in word.value.split(',').filter(|item| !item.is_empty()) {
        let (name, count) = item.split_once([':', '=']).unwrap_or((item, "1"));
        let count = number(count).filter(|count| *count >= 0);
        let count = count.ok_or_else(|| word.problem("A licence is for example `matlab:4`."))?;
        licences.insert(name.to_owned(), count);
    }
    Ok(licences.into_iter().collect())
}

fn node_line(line: &ConfLine) -> Result<NodeLine, Problem> {
    let of = |key: &str| line.number(key, 0).map(|count| count.clamp(0, MOST_CORES));
    let (mut sockets, mut cores, mut threads) =
        (of("sockets")?, of("corespersocket")?, of("threadspercore")?);
    if sockets == 0 {
        let boards = line.number("boards", 1)?.clamp(0, MOST_CORES);
        sockets = (of("socketsperboard")? * boards).min(MOST_CORES);
    }
    let mut cpus = match line.get("cpus").or_else(|| line.get("procs")) {
        Some(word) => word.number()?.clamp(0, MOST_CORES),
        None => 0,
    };
    if sockets == 0 && cores == 0 && threads == 0 {
        cpus = cpus.max(1);
        (sockets, cores, threads) = (cpus, 1, 1);
    } else {
        (cores, threads) = (cores.max(1), threads.max(1));
        if sockets == 0 {
            sockets = (cpus / cores.saturating_mul(threads)).max(1);
        }
        if cpus == 0 {
            cpus = sockets.saturating_mul(cores).saturating_mul(threads);
        }
    }
    let all = sockets.saturating_mul(cores).min(MOST_CORES);
    let word = line.get("feature").or_else(|| line.get("features"));
    let features = word.map_or("", |word| &word.value).split(',');
    let text = |feature: &str| (!feature.is_empty()).then(|| feature.to_owned());
    Ok(NodeLine {
        nodes: NodeSet::default(),
        cpus: cpus.min(MOST_CORES),
        cores: all,
        socket_cores: cores,
        core_cpus: if cpus == all { 1 } else { threads },
        memory: line.number("realmemory", 1)?.max(0),
        weight: line.number("weight", 1)?.max(0),
        features: features.filter_map(text).collect(),
        gres: Vec::new(),
    })
}
