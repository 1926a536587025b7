//! The policy slurm (docs/policies/slurm.md) on random workloads of a few minutes: nodes without
//! memory, features and licences that form one partition, some with generic resources, some below
//! switches. `slurm_controller.rs` has the passes and the clock, `slurm_plugins.rs` and
//! `slurm_switches.rs` the choice of nodes.

use super::draw::Dice;
use super::slurm_controller::{Conf, Factors, Kept, SECOND, play};
use super::slurm_plugins::{Ask, Cluster, FAR, Gres, Nodes, listed};
use super::slurm_switches::{Line, Tree};
use super::words::{Case, Experiment, Job, NodeAsk, Workload};
use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::rc::Rc;

/// Draws settings that make passes within a workload of a few minutes.
fn drawn_conf(dice: &mut Dice) -> Conf {
    Conf {
        is_builtin: false,
        factors: None,
        interval: dice.one_of(&[2, 3, 5, 10, 30]),
        resolution: dice.one_of(&[1, 5, 30, 60, 300]),
        window: dice.one_of(&[1, 2, 5, 1440]),
        most_tests: dice.one_of(&[2, 3, 5, 10, 100, 500]),
        batch_delay: dice.one_of(&[0, 1, 3, 3, 7, 20]),
        full_interval: dice.one_of(&[5, 13, 60]),
        min_interval: dice.one_of(&[2, 2, 2, 1_500_000, 4_000_000]),
        depth: dice.one_of(&[1, 2, 5, 100]),
        tick: dice.one_of(&[1_000_000, 1_001_200, 1_002_700, 1_500_000]),
        extra: dice.one_of(&[0, 1_300, 250_000]),
        cleanup: dice.one_of(&[0, 20_000, 1_000_000, 4_000_000]),
        lag: dice.one_of(&[0, 2_000, 4_000]),
        is_new: dice.below(2) == 0,
        kept: Vec::new(),
        lead: dice.one_of(&[0, 1_000_000, 10_500_000, 60_000_000, 61_234_567]),
    }
}

/// The request of a job beside its processors.
#[derive(Copy, Clone)]
struct Wish {
    /// The number of nodes, if the job names one.
    nodes: Option<i64>,
    /// The generic resources on each node.
    gres: Gres,
    /// The job gets whole nodes.
    is_exclusive: bool,
    /// The reservations that admit the job, as bits.
    admitted: u64,
}

impl Wish {
    fn ask(self, cpus: i64) -> Ask {
        Ask {
            gres: self.gres,
            is_exclusive: self.is_exclusive,
            ..Ask::new(cpus, self.nodes)
        }
    }

    fn node_ask(self, cluster: &Cluster, job: &Job) -> NodeAsk {
        let most = cluster.most_nodes.map(|most| most as u32);
        let nodes = self.nodes.map(|nodes| nodes as u32);
        let [gpus, other] = self.gres.map(|count| count as u32);
        NodeAsk {
            tasks: job.processors,
            per_task: [1, 0, 0],
            per_node: [0, 0, gpus],
            others: if other > 0 { vec![other] } else { Vec::new() },
            least_nodes: nodes.unwrap_or(1),
            most_nodes: nodes.or(most).unwrap_or(u32::MAX),
            most_tasks: nodes.map_or(u32::MAX, |nodes| job.processors.div_ceil(nodes)),
            is_whole: self.is_exclusive,
            partitions: if most.is_some() { vec![0] } else { Vec::new() },
            admitted: (0..64).filter(|at| self.admitted >> at & 1 == 1).collect(),
            licences: Vec::new(),
            tier: 1,
        }
    }

    /// Returns true if the plugin finds the nodes of a job in the empty cluster.
    fn fits(self, cluster: &Cluster, cpus: i64) -> bool {
        let ask = self.ask(cpus).within(cluster.most_nodes);
        let mut near = vec![FAR; cluster.cores.len()];
        let unused = cluster.unused();
        let found = cluster.choose(ask, cluster.large(ask), &unused, &mut near);
        found.is_some_and(|parts| parts.len() as i64 <= ask.most_nodes)
    }
}

impl Conf {
    fn experiment(&self, cluster: &Cluster, wishes: &[Wish]) -> Experiment {
        let mut lines = format!(
            "SchedulerParameters=bf_interval={},bf_resolution={},bf_window={},bf_max_job_test={},\
             batch_sched_delay={},sched_interval={},sched_min_interval={},default_queue_depth={}",
            self.interval,
            self.resolution,
            self.window,
            self.most_tests,
            self.batch_delay,
            self.full_interval,
            self.min_interval,
            self.depth
        );
        if self.is_builtin {
            lines += ";SchedulerType=sched/builtin";
        }
        if let Some(factors) = self.factors {
            let favors_small = if factors.favors_small { "YES" } else { "NO" };
            write!(
                lines,
                ";PriorityType=priority/multifactor;PriorityWeightJobSize={};\
                 PriorityFavorSmall={favors_small}",
                factors.size_weight
            )
            .unwrap();
            if let Some((weight, most, minutes)) = factors.age {
                write!(
                    lines,
                    ";AccountingStorageType=accounting_storage/slurmdbd;PriorityWeightAge={weight};\
                     PriorityMaxAge={};PriorityCalcPeriod={minutes}",
                    most / 60
                )
                .unwrap();
            }
        }
        if let Some(tree) = &cluster.tree {
            lines += ";TopologyPlugin=topology/tree";
            if tree.is_optional {
                lines += ";TopologyParam=TopoOptional";
            }
        }
        let spans = [
            ("tick", self.tick),
            ("backfill_extra", self.extra),
            ("cleanup", self.cleanup),
            ("lag", self.lag),
            ("lead", self.lead),
        ];
        let is_whole = |wish: &Wish| wish.is_exclusive;
        if wishes.iter().any(is_whole) && !cluster.is_linear {
            lines += ";SelectType=select/cons_tres";
        }
        let is_any_shared = wishes.is_empty() || !wishes.iter().all(is_whole);
        let sharing = if is_any_shared { "shared" } else { "whole" };
        let experiment = Experiment::on("nodes", "slurm")
            .with("conf", lines.as_str())
            .with("sharing", sharing);
        let experiment = experiment.with("controller", if self.is_new { "new" } else { "up" });
        spans
            .into_iter()
            .fold(experiment, |experiment, (key, span)| {
                experiment.with(key, span as f64 / SECOND as f64)
            })
    }
}

/// Draws jobs for a number of CPUs. Many submissions and run times are whole seconds, so that events
/// meet; others are not.
fn drawn_jobs(dice: &mut Dice, cpus: u32) -> Vec<Job> {
    let mut submit = 0;
    let count = 2 + dice.below(30);
    let job = |_| {
        // The clock rests in a long gap.
        if dice.below(100) == 0 {
            submit += dice.one_of(&[500, 900, 2000]) * SECOND + 300_000;
        }
        submit += dice.one_of(&[
            0,
            0,
            200_000,
            SECOND,
            5 * SECOND,
            20 * SECOND,
            7_654_321,
            0,
            SECOND,
            2 * SECOND,
        ]);
        let runtime =
            dice.one_of(&[0, 1, 5, 30, 61, 100, 200, 400]) * SECOND + dice.one_of(&[0, 0, 123_456]);
        let estimate = dice.one_of(&[runtime / 2, runtime, 2 * runtime, runtime + 90 * SECOND]);
        let size = match dice.below(8) {
            0 => cpus,
            1..=3 => 1 + dice.below(u64::from(cpus)) as u32,
            _ => 1 + dice.below(u64::from(cpus.div_ceil(3))) as u32,
        };
        Job {
            submit,
            runtime,
            estimate: estimate.max(1),
            processors: size,
            user: 0,
        }
    };
    (0..count).map(job).collect()
}

/// Returns the case of settings on a cluster. `described` are lines of slurm.conf, and a wish for
/// each job; without them, the workload says nothing of nodes.
fn case(
    conf: Conf,
    cluster: Cluster,
    described: Option<(String, Vec<Wish>)>,
    jobs: Vec<Job>,
) -> Case {
    let processors = cluster.cores.iter().sum::<i64>() as u32;
    let (lines, wishes) = described.unwrap_or_default();
    let mut experiment = conf.experiment(&cluster, &wishes);
    if !wishes.is_empty() {
        experiment = experiment.with("cluster", lines.as_str());
    }
    let asks = jobs.iter().zip(&wishes);
    let node_asks = asks
        .map(|(job, wish)| wish.node_ask(&cluster, job))
        .collect();
    let workload = Rc::new(Workload {
        second: SECOND,
        node_asks,
        ..Workload::new(processors, jobs)
    });
    Case::plays(experiment, &workload, move |workload| {
        play(&cluster, &conf, workload)
    })
}

/// Returns a case with nodes of one core, one for each processor.
fn single_cores(seed: u64, label: &str, change: impl Fn(&mut Dice, &mut Conf)) -> Vec<Case> {
    let mut dice = Dice::new(seed, label);
    let processors = 1 + dice.below(16) as usize;
    let mut conf = drawn_conf(&mut dice);
    change(&mut dice, &mut conf);
    let cluster = Cluster {
        cores: vec![1; processors],
        first_cores: (0..processors as i64).collect(),
        weights: vec![1; processors],
        gres: vec![[0; 2]; processors],
        sets: vec![(1 << processors) - 1],
        is_linear: false,
        most_nodes: None,
        tree: None,
    };
    let jobs = drawn_jobs(&mut dice, processors as u32);
    vec![case(conf, cluster, None, jobs)]
}

/// Returns a case with nodes of several cores, described by up to three lines with weights.
fn described(seed: u64, label: &str, is_linear: bool, is_exclusive: bool) -> Vec<Case> {
    let mut dice = Dice::new(seed, label);
    let conf = conf_of_plugin(&mut dice, is_linear);
    let mut text = Vec::new();
    let mut nodes = Vec::new();
    for line in 0..=dice.below(3) as usize {
        let (count, cores) = (1 + dice.below(5), 1 + dice.below(6) as i64);
        let weight = dice.one_of(&[1, 1, 2, 5]);
        text.push(format!(
            "NodeName=n{line}x[1-{count}] CPUs={cores} Weight={weight}"
        ));
        for number in 1..=count {
            nodes.push(Node {
                name: format!("n{line}x{number}"),
                line,
                cores,
                weight,
                gres: [0; 2],
            });
        }
    }
    let cluster = cluster(&nodes, is_linear);
    let cpus = cluster.cores.iter().sum::<i64>() as u32;
    let jobs = drawn_jobs(&mut dice, cpus);
    // Some workloads name numbers of nodes, if the plugin finds them in the empty cluster.
    let names = dice.below(2) == 0;
    let wishes = jobs.iter().map(|job| {
        let wish = Wish {
            nodes: Some(drawn_nodes(&mut dice, &cluster, job)),
            gres: [0; 2],
            is_exclusive,
            admitted: 0,
        };
        let fits = wish.fits(&cluster, i64::from(job.processors));
        let is_named = names && fits && dice.below(2) == 0;
        Wish {
            nodes: wish.nodes.filter(|_| is_named),
            ..wish
        }
    });
    let wishes = wishes.collect();
    vec![case(conf, cluster, Some((text.join(";"), wishes)), jobs)]
}

/// The first second of a log without a date.
const FIRST_DAY: i64 = 86_400;

/// Returns a case with nodes of several cores and advance reservations.
fn reserved(seed: u64, label: &str, is_linear: bool) -> Vec<Case> {
    let mut dice = Dice::new(seed, label);
    let mut conf = conf_of_plugin(&mut dice, is_linear);
    let mut text = Vec::new();
    let mut nodes = Vec::new();
    for line in 0..=dice.below(2) as usize {
        let (count, cores) = (1 + dice.below(5), 1 + dice.below(4) as i64);
        text.push(format!("NodeName=n{line}x[1-{count}] CPUs={cores}"));
        for number in 1..=count {
            nodes.push(Node {
                name: format!("n{line}x{number}"),
                line,
                cores,
                weight: 1,
                gres: [0; 2],
            });
        }
    }
    let cluster = cluster(&nodes, is_linear);
    let mut jobs = drawn_jobs(&mut dice, cluster.cores.iter().sum::<i64>() as u32);
    if dice.below(4) == 0 {
        // The next day.
        let from = dice.below(jobs.len() as u64) as usize;
        jobs[from..]
            .iter_mut()
            .for_each(|job| job.submit += 86_400 * SECOND);
    }
    let last = jobs[jobs.len() - 1].submit.div_euclid(SECOND);
    for number in 0..=dice.below(3) {
        let from = dice.below(300) as i64;
        let length = dice.one_of(&[1, 20, 60, 200, 600, 2000]);
        let is_maintenance = dice.below(3) == 0;
        let mut flags = vec![if is_maintenance {
            "MAINT"
        } else {
            "SPEC_NODES"
        }];
        let is_daily = dice.below(2) == 0;
        if is_daily {
            flags.push("DAILY");
        }
        let is_all = dice.below(3) == 0;
        let all_word = is_all && dice.below(2) == 0;
        let mut kept = 0;
        for at in 0..nodes.len() {
            if is_all || dice.below(2) == 0 {
                kept |= 1 << at;
            }
        }
        if kept == 0 {
            kept = 1;
        }
        // Names in natural order are the order of the lines here.
        let own = nodes
            .iter()
            .enumerate()
            .filter(|(at, _)| kept >> at & 1 == 1);
        let names: Vec<&str> = own.map(|(_, node)| node.name.as_str()).collect();
        let names = if all_word {
            "ALL".to_owned()
        } else {
            names.join(",")
        };
        text.push(format!(
            "ReservationName=r{number} StartTime={from} EndTime={} Nodes={names} Flags={}",
            from + length,
            flags.join(",")
        ));
        let covers = kept == cluster.all();
        conf.kept.push(Kept {
            start: FIRST_DAY + from,
            end: FIRST_DAY + from + length,
            every: 86_400,
            periods: if is_daily {
                (last - from).max(0) / 86_400 + 1
            } else {
                1
            },
            nodes: kept,
            stops_all: all_word || is_maintenance && covers,
            has_begun: false,
            is_marked: false,
            is_maintenance,
            is_deleted: false,
        });
    }
    let count = conf.kept.len() as u64;
    let wishes = jobs.iter_mut().map(|job| {
        let wish = drawn_wish(&mut dice, &cluster, job);
        let admitted = (0..count).filter(|_| dice.below(4) == 0);
        Wish {
            admitted: admitted.fold(0, |bits, at| bits | 1 << at),
            ..wish
        }
    });
    let wishes = wishes.collect();
    vec![case(conf, cluster, Some((text.join(";"), wishes)), jobs)]
}

/// Draws settings, half of them with priority/multifactor.
fn conf_of_plugin(dice: &mut Dice, is_linear: bool) -> Conf {
    let mut conf = drawn_conf(dice);
    if dice.below(2) == 0 {
        let mut factors = drawn_factors(dice);
        if is_linear {
            // The CPUs that tests of select/linear leave behind (rule 6) are left to the recordings.
            factors.age = None;
        }
        conf.factors = Some(factors);
    }
    conf
}

/// Draws the number of nodes of a job.
fn drawn_nodes(dice: &mut Dice, cluster: &Cluster, job: &Job) -> i64 {
    let most = (cluster.cores.len() as u64).min(u64::from(job.processors));
    1 + dice.below(most.min(5)) as i64
}

/// A node as a line of slurm.conf describes it.
#[derive(Clone)]
struct Node {
    name: String,
    /// The number of the line.
    line: usize,
    cores: i64,
    weight: i64,
    gres: Gres,
}

/// Makes a cluster of nodes in the order of their description.
fn cluster(described: &[Node], is_linear: bool) -> Cluster {
    let mut cores = 0;
    let numbered = described.iter().map(|node| {
        let first = cores;
        cores += node.cores;
        (node, first)
    });
    let mut nodes: Vec<(&Node, i64)> = numbered.collect();
    nodes.sort_by(|(one, _), (other, _)| natural(&one.name, &other.name));
    let mut lines: Vec<(i64, usize)> = Vec::new();
    for node in described {
        if !lines.contains(&(node.weight, node.line)) {
            lines.push((node.weight, node.line));
        }
    }
    lines.sort_unstable();
    let set = |(_, line): (i64, usize)| {
        let own = (0..nodes.len()).filter(|at| nodes[*at].0.line == line);
        own.fold(0, |set, at| set | 1 << at)
    };
    Cluster {
        cores: nodes.iter().map(|(node, _)| node.cores).collect(),
        first_cores: nodes.iter().map(|(_, first)| *first).collect(),
        weights: nodes.iter().map(|(node, _)| node.weight).collect(),
        gres: nodes.iter().map(|(node, _)| node.gres).collect(),
        sets: lines.into_iter().map(set).collect(),
        is_linear,
        most_nodes: None,
        tree: None,
    }
}

/// Compares names of nodes in their natural order.
fn natural(one: &str, other: &str) -> Ordering {
    let (mut one, mut other) = (one, other);
    loop {
        let (Some(first), Some(second)) = (one.chars().next(), other.chars().next()) else {
            return one.len().cmp(&other.len());
        };
        // A character, or a run of digits.
        let part = |text: &str, first: char| {
            let rest = text.trim_start_matches(|char: char| char.is_ascii_digit());
            (text.len() - rest.len()).max(first.len_utf8())
        };
        let is_run = first.is_ascii_digit() && second.is_ascii_digit();
        let (own, others) = if is_run {
            (part(one, first), part(other, second))
        } else {
            (first.len_utf8(), second.len_utf8())
        };
        let by_value = is_run && first != '0' && second != '0';
        let by_length = if by_value {
            own.cmp(&others)
        } else {
            Ordering::Equal
        };
        let order = by_length.then_with(|| one[..own].cmp(&other[..others]));
        if order.is_ne() {
            return order;
        }
        (one, other) = (&one[own..], &other[others..]);
    }
}

/// Draws different names of nodes. Their order is hardly ever the natural one.
fn drawn_names(dice: &mut Dice, count: usize) -> Vec<String> {
    let style = dice.below(4);
    let mut names = Vec::new();
    let mut known = BTreeSet::new();
    while names.len() < count {
        let plain = dice.one_of(&["1", "2", "3", "4", "9", "10", "11", "20", "100", "101"]);
        let zeros = [
            "0", "00", "1", "01", "001", "2", "02", "9", "010", "10", "100",
        ];
        let zeros = dice.one_of(&zeros);
        let name = match style {
            0 => format!("n{}", 1 + dice.below(30)),
            1 => format!("n{}{zeros}", dice.one_of(&["", "x"])),
            2 => format!("{}{plain}", dice.one_of(&["a", "b", "B", "ab"])),
            _ => format!("r{zeros}n{plain}"),
        };
        if known.insert(name.to_lowercase()) {
            names.push(name);
        }
    }
    names
}

/// Words after `Gres=`, and their meaning.
const GRES: &[(&str, Gres)] = &[
    ("", [0, 0]),
    ("", [0, 0]),
    ("gpu:1", [1, 0]),
    ("gpu", [1, 0]),
    ("gpu:2", [2, 0]),
    ("gpu:3", [3, 0]),
    ("gpu:4(S:0)", [4, 0]),
    ("gpu:a100:2", [2, 0]),
    ("gpu:a100:1,gpu:v100:2", [3, 0]),
    ("gpu:v100:1,gpu:1", [2, 0]),
    ("gpu:2,fpga:1", [2, 1]),
    ("fpga:arria:2,gpu:v100:3", [3, 2]),
    ("fpga:2", [0, 2]),
];

/// Returns a case with nodes of several cores, some of which have generic resources. Their lines
/// stand in any order.
fn with_gres(seed: u64, label: &str, is_linear: bool) -> Vec<Case> {
    let mut dice = Dice::new(seed, label);
    let conf = conf_of_plugin(&mut dice, is_linear);
    let mut text = Vec::new();
    let mut nodes = Vec::new();
    let counts: Vec<usize> = (0..=dice.below(4))
        .map(|_| 1 + dice.below(4) as usize)
        .collect();
    let mut names = drawn_names(&mut dice, counts.iter().sum()).into_iter();
    for (line, count) in counts.into_iter().enumerate() {
        let cores = 1 + dice.below(6) as i64;
        let weight = dice.one_of(&[1, 1, 2, 5]);
        let (words, gres) = dice.one_of(GRES);
        let own: Vec<String> = names.by_ref().take(count).collect();
        let list = own.join(",");
        text.push(format!(
            "NodeName={list} CPUs={cores} Weight={weight} Gres={words}"
        ));
        nodes.extend(own.into_iter().map(|name| Node {
            name,
            line,
            cores,
            weight,
            gres,
        }));
    }
    let mut cluster = cluster(&nodes, is_linear);
    if dice.below(2) == 0 {
        // Without a bound, a job with generic resources hardly ever needs rule 25.
        let most = 1 + dice.below(4) as i64;
        text.push(format!(
            "PartitionName=p Nodes=ALL Default=YES MaxNodes={most}"
        ));
        cluster.most_nodes = Some(most);
    }
    let cpus = cluster.cores.iter().sum::<i64>() as u32;
    let mut jobs = drawn_jobs(&mut dice, cpus);
    let wishes = jobs
        .iter_mut()
        .map(|job| drawn_wish(&mut dice, &cluster, job));
    let wishes = wishes.collect();
    vec![case(conf, cluster, Some((text.join(";"), wishes)), jobs)]
}

/// Draws the lines of switches above nodes, whose names stand in node order, and what they mean.
/// Sometimes a node has several leaves or none, leaves have no node, or a switch is listed twice.
fn drawn_switches(dice: &mut Dice, names: &[&str]) -> (Vec<String>, Vec<Line>) {
    let count = 1 + dice.below(8) as usize;
    let is_in_blocks = dice.below(2) == 0;
    let is_odd = dice.below(4) == 0;
    let mut leaves: Vec<Nodes> = vec![0; count];
    for node in 0..names.len() {
        let leaf = if is_in_blocks {
            node * count / names.len()
        } else {
            dice.below(count as u64) as usize
        };
        let times = if is_odd {
            dice.one_of(&[0, 1, 1, 1, 2])
        } else {
            1
        };
        if times > 0 {
            leaves[leaf] |= 1 << node;
        }
        if times > 1 {
            leaves[dice.below(count as u64) as usize] |= 1 << node;
        }
    }
    if leaves.iter().all(|nodes| *nodes == 0) {
        leaves[0] = 1;
    }
    let mut drawn: Vec<Line> = leaves.into_iter().map(Line::Nodes).collect();
    let mut tops: Vec<usize> = (0..count).collect();
    for _ in 0..dice.below(3) {
        let mut left = std::mem::take(&mut tops);
        while !left.is_empty() {
            let size = 1 + dice.below(left.len().min(4) as u64) as usize;
            let mut own: Vec<usize> = left.drain(..size).collect();
            if dice.below(5) == 0 {
                // Depths differ.
                tops.extend(own);
                continue;
            }
            let other = dice.below(drawn.len() as u64) as usize;
            if is_odd && dice.below(6) == 0 && !own.contains(&other) {
                own.push(other);
            }
            tops.push(drawn.len());
            drawn.push(Line::Switches(own));
        }
    }
    if tops.len() > 1 && dice.below(4) != 0 {
        drawn.push(Line::Switches(tops));
    }
    // From the last one on, as in most files, or in any order.
    let mut order: Vec<usize> = (0..drawn.len()).rev().collect();
    if dice.below(3) != 0 {
        for at in (1..order.len()).rev() {
            order.swap(at, dice.below(at as u64 + 1) as usize);
        }
    }
    let place = |old: &usize| {
        order
            .iter()
            .position(|other| other == old)
            .expect("a place")
    };
    let line = |old: &usize| match &drawn[*old] {
        Line::Nodes(nodes) => Line::Nodes(*nodes),
        Line::Switches(own) => Line::Switches(own.iter().map(place).collect()),
    };
    let lines: Vec<Line> = order.iter().map(line).collect();
    let mut text = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        let words = match line {
            Line::Nodes(nodes) => {
                let mut own: Vec<&str> = listed(*nodes).map(|node| names[node]).collect();
                if own.is_empty() || dice.below(10) == 0 {
                    own.push("login");
                }
                format!("Nodes={}", own.join(","))
            }
            Line::Switches(own) => {
                let own: Vec<String> = own.iter().map(|child| format!("s{child}")).collect();
                format!("Switches={}", own.join(","))
            }
        };
        text.push(format!("SwitchName=s{number} {words}"));
    }
    (text, lines)
}

/// Returns a case with nodes below switches. On some clusters nodes have one core, weights, generic
/// resources or a partition with `MaxNodes`.
fn below_switches(seed: u64, label: &str, is_linear: bool) -> Vec<Case> {
    let mut dice = Dice::new(seed, label);
    let conf = conf_of_plugin(&mut dice, is_linear);
    let mut text = Vec::new();
    let mut nodes = Vec::new();
    let [has_one_core, has_weights] = [0; 2].map(|_| dice.below(2) == 0);
    let has_gres = dice.below(4) == 0;
    let counts: Vec<usize> = (0..=dice.below(4))
        .map(|_| 1 + dice.below(5) as usize)
        .collect();
    let mut names = drawn_names(&mut dice, counts.iter().sum()).into_iter();
    for (line, count) in counts.into_iter().enumerate() {
        let cores = if has_one_core {
            1
        } else {
            1 + dice.below(6) as i64
        };
        let weight = if has_weights {
            dice.one_of(&[1, 1, 2, 5])
        } else {
            1
        };
        let (words, gres) = if has_gres { dice.one_of(GRES) } else { GRES[0] };
        let own: Vec<String> = names.by_ref().take(count).collect();
        let list = own.join(",");
        text.push(format!(
            "NodeName={list} CPUs={cores} Weight={weight} Gres={words}"
        ));
        nodes.extend(own.into_iter().map(|name| Node {
            name,
            line,
            cores,
            weight,
            gres,
        }));
    }
    let mut cluster = cluster(&nodes, is_linear);
    if dice.below(2) == 0 {
        let most = 1 + dice.below(5) as i64;
        text.push(format!(
            "PartitionName=p Nodes=ALL Default=YES MaxNodes={most}"
        ));
        cluster.most_nodes = Some(most);
    }
    let mut names: Vec<&str> = nodes.iter().map(|node| node.name.as_str()).collect();
    names.sort_by(|one, other| natural(one, other));
    let (switches, lines) = drawn_switches(&mut dice, &names);
    text.extend(switches);
    cluster.tree = match dice.below(20) {
        // Without `TopologyPlugin`, switches have no effect.
        0 => None,
        1 | 2 => Some(Tree::new(&lines, true)),
        _ => Some(Tree::new(&lines, false)),
    };
    let cpus = cluster.cores.iter().sum::<i64>() as u32;
    let mut jobs = drawn_jobs(&mut dice, cpus);
    let wishes = jobs
        .iter_mut()
        .map(|job| drawn_wish(&mut dice, &cluster, job));
    let wishes = wishes.collect();
    vec![case(conf, cluster, Some((text.join(";"), wishes)), jobs)]
}

/// Draws the wish of a job that the plugin can fulfil in the empty cluster. A job that asks for
/// more CPUs than the nodes with its resources have gets fewer.
fn drawn_wish(dice: &mut Dice, cluster: &Cluster, job: &mut Job) -> Wish {
    let gpus = 1 + dice.below(4) as i64;
    let others = 1 + dice.below(2) as i64;
    let mut wish = Wish {
        nodes: None,
        gres: dice.one_of(&[
            [0, 0],
            [0, 0],
            [gpus, 0],
            [gpus, 0],
            [gpus, 0],
            [0, others],
            [gpus, others],
        ]),
        is_exclusive: cluster.is_linear || dice.below(4) == 0,
        admitted: 0,
    };
    let serves = |node: &usize| (0..2).all(|kind| cluster.gres[*node][kind] >= wish.gres[kind]);
    let cpus: i64 = (0..cluster.cores.len())
        .filter(serves)
        .map(|node| cluster.cores[node])
        .sum();
    if cpus == 0 {
        wish.gres = [0; 2];
    } else if i64::from(job.processors) > cpus {
        job.processors = 1 + dice.below(cpus as u64) as u32;
    }
    while !wish.fits(cluster, job.processors.into()) {
        if job.processors == 1 {
            // No switch has a node with these resources.
            wish.gres = [0; 2];
        }
        job.processors = job.processors.div_ceil(2);
    }
    if dice.below(2) == 0 {
        let nodes = Some(drawn_nodes(dice, cluster, job));
        let named = Wish { nodes, ..wish };
        let is_few = nodes <= cluster.most_nodes || cluster.most_nodes.is_none();
        if is_few && named.fits(cluster, job.processors.into()) {
            return named;
        }
    }
    wish
}

fn drawn_factors(dice: &mut Dice) -> Factors {
    let age = (
        dice.one_of(&[100, 1000]),
        dice.one_of(&[120, 600]),
        dice.one_of(&[1, 2, 5]),
    );
    Factors {
        size_weight: dice.one_of(&[1000, 1_000_000]),
        favors_small: dice.below(2) == 0,
        age: (dice.below(2) == 0).then_some(age),
    }
}

pub fn basic(seed: u64) -> Vec<Case> {
    single_cores(seed, "slurm basic", |_, _| ())
}

pub fn multifactor(seed: u64) -> Vec<Case> {
    single_cores(seed, "slurm multifactor", |dice, conf| {
        conf.factors = Some(drawn_factors(dice));
    })
}

pub fn builtin(seed: u64) -> Vec<Case> {
    single_cores(seed, "slurm builtin", |dice, conf| {
        conf.is_builtin = true;
        if dice.below(2) == 0 {
            conf.factors = Some(drawn_factors(dice));
        }
    })
}

pub fn several_cores(seed: u64) -> Vec<Case> {
    described(seed, "slurm several cores", false, false)
}

pub fn linear(seed: u64) -> Vec<Case> {
    described(seed, "slurm linear", true, true)
}

pub fn exclusive(seed: u64) -> Vec<Case> {
    described(seed, "slurm exclusive", false, true)
}

pub fn gpus(seed: u64) -> Vec<Case> {
    with_gres(seed, "slurm gpus", false)
}

pub fn reserved_cores(seed: u64) -> Vec<Case> {
    reserved(seed, "slurm reserved cores", false)
}

pub fn reserved_linear(seed: u64) -> Vec<Case> {
    reserved(seed, "slurm reserved linear", true)
}

pub fn linear_gpus(seed: u64) -> Vec<Case> {
    with_gres(seed, "slurm linear gpus", true)
}

pub fn switches(seed: u64) -> Vec<Case> {
    below_switches(seed, "slurm switches", false)
}

pub fn linear_switches(seed: u64) -> Vec<Case> {
    below_switches(seed, "slurm linear switches", true)
}
