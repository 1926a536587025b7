//! The policy slurm (docs/policies/slurm.md) on random workloads of a few minutes: nodes without
//! memory, features and licences that form one partition. `slurm_controller.rs` has the passes and
//! the clock, `slurm_plugins.rs` the choice of nodes.

use super::draw::Dice;
use super::slurm_controller::{Conf, Factors, SECOND, play};
use super::slurm_plugins::{Ask, Cluster};
use super::words::{Case, Experiment, Job, NodeAsk, Workload};
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
        lead: dice.one_of(&[0, 1_000_000, 10_500_000, 60_000_000, 61_234_567]),
    }
}

impl Conf {
    fn experiment(&self, cluster: &Cluster) -> Experiment {
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
        let spans = [
            ("tick", self.tick),
            ("backfill_extra", self.extra),
            ("cleanup", self.cleanup),
            ("lag", self.lag),
            ("lead", self.lead),
        ];
        if cluster.is_exclusive && !cluster.is_linear {
            lines += ";SelectType=select/cons_tres";
        }
        let sharing = if cluster.is_exclusive {
            "whole"
        } else {
            "shared"
        };
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

/// Returns the case of settings on a cluster. `described` are lines of slurm.conf, and by job the
/// number of nodes that it asks for; without them, the workload says nothing of nodes.
fn case(
    conf: Conf,
    cluster: Cluster,
    described: Option<(String, Vec<Option<i64>>)>,
    jobs: Vec<Job>,
) -> Case {
    let processors = cluster.cores.iter().sum::<i64>() as u32;
    let ask = |(job, nodes): (&Job, &Option<i64>)| {
        let nodes = nodes.map(|nodes| nodes as u32);
        NodeAsk {
            tasks: job.processors,
            per_task: [1, 0, 0],
            per_node: [0; 3],
            others: Vec::new(),
            least_nodes: nodes.unwrap_or(1),
            most_nodes: nodes.unwrap_or(u32::MAX),
            most_tasks: nodes.map_or(u32::MAX, |nodes| job.processors.div_ceil(nodes)),
            is_whole: cluster.is_exclusive,
            partitions: Vec::new(),
            admitted: Vec::new(),
            licences: Vec::new(),
            tier: 1,
        }
    };
    let mut experiment = conf.experiment(&cluster);
    let mut node_asks = Vec::new();
    if let Some((lines, nodes)) = described {
        node_asks = jobs.iter().zip(&nodes).map(ask).collect();
        experiment = experiment.with("cluster", lines.as_str());
    }
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
        weights: vec![1; processors],
        sets: vec![(1 << processors) - 1],
        is_linear: false,
        is_exclusive: false,
    };
    let jobs = drawn_jobs(&mut dice, processors as u32);
    vec![case(conf, cluster, None, jobs)]
}

/// Returns a case with nodes of several cores, described by up to three lines with weights.
fn described(seed: u64, label: &str, is_linear: bool, is_exclusive: bool) -> Vec<Case> {
    let mut dice = Dice::new(seed, label);
    let mut conf = drawn_conf(&mut dice);
    if dice.below(2) == 0 {
        let mut factors = drawn_factors(&mut dice);
        if is_linear {
            // The CPUs that tests of select/linear leave behind (rule 6) are left to the recordings.
            factors.age = None;
        }
        conf.factors = Some(factors);
    }
    let mut cluster = Cluster {
        cores: Vec::new(),
        weights: Vec::new(),
        sets: Vec::new(),
        is_linear,
        is_exclusive,
    };
    let mut text = Vec::new();
    let mut sets = Vec::new();
    for line in 0..=dice.below(3) {
        let first = cluster.cores.len();
        let (count, cores) = (1 + dice.below(5), 1 + dice.below(6) as i64);
        let weight = dice.one_of(&[1, 1, 2, 5]);
        text.push(format!(
            "NodeName=n{line}x[1-{count}] CPUs={cores} Weight={weight}"
        ));
        for _ in 0..count {
            cluster.cores.push(cores);
            cluster.weights.push(weight);
        }
        let nodes = first..cluster.cores.len();
        sets.push((weight, nodes.fold(0, |nodes, node| nodes | 1 << node)));
    }
    sets.sort_by_key(|(weight, _)| *weight);
    cluster.sets = sets.into_iter().map(|(_, nodes)| nodes).collect();
    let cpus = cluster.cores.iter().sum::<i64>() as u32;
    let jobs = drawn_jobs(&mut dice, cpus);
    // Some workloads name numbers of nodes, if the plugin finds them in the empty cluster.
    let names = dice.below(2) == 0;
    let unused = vec![0; cluster.cores.len()];
    let nodes = jobs.iter().map(|job| {
        let most = (cluster.cores.len() as u64)
            .min(u64::from(job.processors))
            .min(5);
        let nodes = 1 + dice.below(most) as i64;
        let ask = Ask::new(i64::from(job.processors), Some(nodes));
        let fits = cluster.choose(ask, cluster.large(ask), &unused).is_some();
        (names && fits && dice.below(2) == 0).then_some(nodes)
    });
    let nodes = nodes.collect();
    vec![case(conf, cluster, Some((text.join(";"), nodes)), jobs)]
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
