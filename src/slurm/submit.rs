//! Submission: what sbatch and the controller make of the options of a job.

use super::accounts::{BILLING, COUNTED, CPU, GPU, MEMORY, NODE, TresAmounts};
use super::asked::{AskedJob, DependencyAsked, MemoryAsked};
use super::choice::StartOutcome;
use super::conf::{NodeLine, SlurmConf};
use super::controller::Controller;
use super::gres_use::gpus_asked;
use super::nodeset::NodeSet;
use super::policy::TimeAsk;
use super::reason::WaitReason;
use super::record::{
    Dependency, DependencyState, JobArray, JobRecord, JobState, JobTerms, PreemptNotes,
    SuspendNotes,
};
use super::text::words::INFINITE;
use crate::limits;
use crate::problem::Problem;
use crate::sorting;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The largest number of tasks, or of CPUs of a task, that counts as it is asked.
const MOST: i64 = 1 << 24;

/// The largest number of seconds until a job begins.
const LONGEST_BEGIN: i64 = 1 << 40;

impl Controller {
    /// Adds a job, and returns the number of its record. The job never starts at once: sbatch asks for
    /// a main pass.
    ///
    /// # Errors
    /// Returns a problem if the job names a partition, a node or a licence that the configuration does
    /// not have, an array of too many tasks, or if a limit of its association or its QOS refuses it.
    pub fn submit(&mut self, asked: &AskedJob, now: i64) -> Result<usize, Problem> {
        crate::pulse::beat(2_000);
        self.changes += 1;
        self.plain_changes += 1;
        let conf = Arc::clone(&self.conf);
        let mut partitions = Vec::new();
        for name in &asked.partitions {
            partitions.push(conf.partition(name).ok_or_else(|| {
                unknown("partition", name, "Name a partition of the configuration.")
            })?);
        }
        if partitions.is_empty() {
            partitions.push(conf.default_partition);
        }
        let array = asked.array.as_ref();
        if let Some(array) = array {
            let most = limits::ARRAY_TASKS as usize;
            limits::check("An array", array.tasks.len(), most, "tasks")?;
        }
        let mut facts = facts(&conf, asked, &partitions)?;
        facts.user = numbered(&mut self.users, &asked.user);
        facts.name = numbered(&mut self.names, &asked.name);
        let first = partitions[0];
        let default_time = |at: &usize| conf.partitions[*at].default_time;
        let limit = asked.minutes.map(|minutes| minutes.clamp(0, INFINITE));
        sorting::by(&mut partitions, |at| {
            [-i128::from(conf.partitions[*at].tier), 0]
        });
        let mut in_list = asked
            .partitions
            .iter()
            .filter_map(|name| conf.partition(name));
        let limit = limit
            .or_else(|| in_list.find_map(|at| default_time(&at)))
            .or_else(|| default_time(&first));
        facts.partitions = partitions;
        let is_array = array.is_some();
        let names = (
            asked.user.as_str(),
            asked.account.as_str(),
            asked.qos.as_str(),
        );
        let found = self.find_accounts(&mut facts, names, first);
        if !self.accepts_all {
            found?;
        }
        let (user, account) = (names.0, names.1);
        facts.reservation = match self.asked_reservation(&asked.reservation, user, account) {
            Err(_) if self.accepts_all => None,
            found => found?,
        };
        if facts.reservation.is_none() {
            facts.magnets = self.magnets(user, account);
        }
        facts.tres = self.asked_tres(&facts, first);
        let count = array.map_or(1, |array| array.tasks.len() as i64);
        let time = TimeAsk {
            minutes: limit,
            is_set: false,
        };
        let time = match self.admit(&facts, time, count) {
            Err(_) if self.accepts_all => time,
            admitted => admitted?,
        };
        let record = self.add_record(asked, facts, (first, time, now));
        let is_ready = !is_array && self.is_independent(record, now) && self.has_licences(record);
        self.set_priority(record, now);
        let job = &self.records[record];
        if is_ready && job.reason == WaitReason::None && !self.is_first(record, now) {
            self.records[record].reason = WaitReason::Priority;
        }
        if let Some(association) = self.records[record].facts.association {
            let user = self.records[record].facts.user;
            let qos = self.all_qos(record);
            self.accounts.submit(association, user, &qos, count);
        }
        if let Some(array) = array {
            self.make_array(record, &array.tasks, array.most_running);
        }
        // The test whether the job can ever start leaves the way of sharing behind.
        let job = &mut self.records[record];
        job.shares_nothing |= conf.select.is_linear;
        let facts = Arc::clone(&job.facts);
        let mut is_tested = false;
        for partition in &facts.partitions {
            if conf.partitions[*partition].is_exclusive {
                let job = &mut self.records[record];
                job.shares_nothing = true;
                job.is_whole = true;
            }
            if !self.is_within_limits(record, *partition, false) {
                continue;
            }
            let outcome = self.test_nodes(record, *partition, now);
            is_tested |= !matches!(outcome, StartOutcome::Never | StartOutcome::PartitionLimit);
            break;
        }
        let job = &mut self.records[record];
        job.partition = first;
        if !is_tested {
            job.reason = WaitReason::PartitionConfig;
        }
        if asked.hold {
            job.reason = WaitReason::JobHeldUser;
        }
        self.is_pass_asked = true;
        self.changed = now;
        Ok(record)
    }

    fn add_record(
        &mut self,
        asked: &AskedJob,
        facts: JobTerms,
        (partition, time, now): (usize, TimeAsk, i64),
    ) -> usize {
        let begin = asked.begin_after.unwrap_or(0);
        let reservation = facts.reservation;
        let id = self.next_id(self.records.len());
        self.add_pending(JobRecord {
            id,
            number: asked.number,
            task: None,
            array_job: None,
            state: JobState::Pending,
            is_completing: false,
            submitted: now,
            start: 0,
            end: 0,
            ended: 0,
            limit: time.minutes,
            partition,
            priority: 1,
            nodes: NodeSet::default(),
            shares: Vec::new(),
            is_backfilled: false,
            facts: Arc::new(facts),
            uncleaned: None,
            array: None,
            dependencies: asked.dependencies.iter().map(dependency).collect(),
            is_never: false,
            is_held: asked.hold,
            begin: if asked.begin_after.is_some() {
                now + begin.clamp(0, LONGEST_BEGIN)
            } else {
                0
            },
            accrued: 0,
            priorities: Vec::new(),
            cpus: 0,
            is_whole: asked.exclusive,
            shares_nothing: asked.exclusive,
            is_in_exclusive: false,
            is_in_forced: false,
            planned: 0,
            reason: WaitReason::None,
            is_limit_set: time.is_set,
            is_limit_defaulted: false,
            restarts: 0,
            preempt: PreemptNotes::default(),
            suspend: SuspendNotes::default(),
            cores: Vec::new(),
            reservation,
            node_guess: 0,
            tres: [0; COUNTED],
            gres: Vec::new(),
            billable: 0.0,
            expected_end: None,
            blocking_qos: None,
        })
    }

    /// True if no job that could start has a higher priority on the same nodes (`_top_priority`).
    fn is_first(&self, record: usize, now: i64) -> bool {
        let job = &self.records[record];
        let part = &self.conf.partitions[job.partition];
        let is_before = |other: &u32| {
            let one = &self.records[*other as usize];
            let is_ready = one.begin != 0 && one.begin <= now && one.dependencies.is_empty();
            let is_stopped = one.reason.is_tested_limit() || one.reason.is_of_partition();
            let is_apart = one.reservation != job.reservation;
            if *other as usize == record || !is_ready || is_stopped || one.is_completing {
                return false;
            }
            if is_apart {
                return false;
            }
            if one.partition == job.partition {
                return one.priority > job.priority;
            }
            let other = &self.conf.partitions[one.partition];
            part.nodes.meets(&other.nodes) && (other.tier, one.priority) > (part.tier, job.priority)
        };
        job.priority != 0 && !self.pending.iter().any(is_before)
    }

    /// Returns the TRES that a job asks for: the fewest CPUs and nodes.
    fn asked_tres(&self, facts: &JobTerms, partition: usize) -> TresAmounts {
        let (cpus, nodes) = (facts.least_cpus, facts.least_nodes);
        let each = if facts.is_memory_per_cpu { cpus } else { nodes };
        let mut tres = [0; COUNTED];
        (tres[CPU], tres[NODE]) = (cpus, nodes);
        tres[MEMORY] = facts.memory.saturating_mul(each);
        if self.conf.counts_gpus {
            tres[GPU] = gpus_asked(facts).saturating_mul(nodes);
        }
        tres[BILLING] = self.billing(partition, &tres) as i64;
        tres
    }

    fn make_array(&mut self, record: usize, tasks: &[u32], most_running: u32) {
        let job = &mut self.records[record];
        job.array_job = Some(job.id);
        job.array = Some(JobArray {
            tasks: sorting::set(tasks.iter().copied()).into_iter().collect(),
            most_running: most_running.into(),
            running: 0,
            planned: 0,
        });
        let id = job.id;
        self.members.entry(id).or_default().push(record as u32);
    }
}

fn unknown(what: &str, name: &str, next: &str) -> Problem {
    let name: String = name.chars().take(60).collect();
    Problem::new(
        format!("No {what} is called `{name}`."),
        "A job asks for what the configuration has.",
        next,
    )
}

fn numbered(known: &mut BTreeMap<String, u32>, name: &str) -> u32 {
    if let Some(number) = known.get(name) {
        return *number;
    }
    let number = known.len() as u32;
    known.insert(name.to_owned(), number);
    number
}

fn dependency(asked: &DependencyAsked) -> Dependency {
    Dependency {
        kind: asked.kind,
        job: asked.job,
        task: asked.task,
        delay: i64::from(asked.minutes) * 60,
        state: DependencyState::Open,
    }
}

/// Makes the facts of a job of its options (`_opt_verify`, `slurm_opt_create_job_desc`).
fn facts(conf: &SlurmConf, asked: &AskedJob, partitions: &[usize]) -> Result<JobTerms, Problem> {
    let of =
        |count: Option<u32>, unset: i64| count.map_or(unset, |count| i64::from(count).min(MOST));
    let has_nodes = asked.nodes.is_some();
    let has_cpus = asked.cpus_per_task.is_some();
    let (mut least_nodes, mut most_nodes) = match asked.nodes {
        Some(nodes) => (nodes.least.into(), nodes.most.into()),
        None => (1, 0),
    };
    let is_one_number = has_nodes && (most_nodes == 0 || most_nodes == least_nodes);
    let mut has_tasks = asked.ntasks.is_some();
    let (mut tasks, task_cpus) = (of(asked.ntasks, 1), of(asked.cpus_per_task, 1).max(1));
    let node_tasks = of(asked.ntasks_per_node, 0);
    if node_tasks > 0 && !has_tasks && is_one_number {
        tasks = (least_nodes * node_tasks).min(MOST);
        has_tasks = true;
    }
    if is_one_number && !has_tasks {
        tasks = least_nodes.max(1);
    } else if has_nodes && has_tasks {
        most_nodes = most_nodes.min(tasks);
        if tasks < least_nodes {
            (least_nodes, most_nodes) = (tasks, tasks);
        }
    }
    let mut least_cpus = match (asked.overcommit, has_cpus) {
        (true, _) => least_nodes.max(1),
        (false, true) => tasks * task_cpus,
        (false, false) => tasks,
    };
    let mut tasks = if has_tasks { tasks } else { 0 };
    if node_tasks > 0 && has_nodes && tasks == 0 {
        tasks = (node_tasks * least_nodes).min(MOST);
    }
    if tasks > least_cpus && !asked.overcommit {
        least_cpus = tasks * if has_cpus { task_cpus } else { 1 };
    }
    let mut node_cpus = of(asked.mincpus, 0).max(task_cpus);
    if node_tasks > 0 && !asked.overcommit && tasks > 1 {
        node_cpus = node_cpus.max(task_cpus * node_tasks);
    }
    let (memory, is_memory_per_cpu) = memory(conf, asked, partitions[0]);
    let required = conf.nodes_of(&asked.nodelist)?;
    let required_count = required.count();
    if required_count > 0 {
        least_nodes = least_nodes.max(required_count);
        if most_nodes > 0 {
            most_nodes = most_nodes.max(least_nodes);
        }
    }
    Ok(JobTerms {
        least_nodes,
        most_nodes,
        least_cpus,
        node_cpus,
        tasks,
        task_cpus,
        node_tasks,
        overcommits: asked.overcommit,
        memory,
        is_memory_per_cpu,
        least_time: asked.least_minutes.unwrap_or(0).clamp(0, INFINITE),
        required,
        required_count,
        excluded: conf.nodes_of(&asked.exclude)?,
        featured: featured(conf, &asked.features),
        is_contiguous: asked.contiguous,
        licences: licences(conf, asked)?,
        nice: asked.nice.clamp(-INFINITE, INFINITE),
        user: 0,
        name: 0,
        account: String::new(),
        association: None,
        qos: None,
        tres: [0; COUNTED],
        gres: conf.gres.asked(&asked.gres)?,
        kills_invalid: asked.kill_on_invalid_dependency,
        is_any_dependency: asked.any_dependency,
        partitions: Vec::new(),
        reservation: None,
        magnets: Vec::new(),
        admitted: asked.admitted,
    })
}

fn memory(conf: &SlurmConf, asked: &AskedJob, partition: usize) -> (i64, bool) {
    let partition = &conf.partitions[partition];
    match asked.memory {
        MemoryAsked::PerNode(memory) => (memory.clamp(0, INFINITE), false),
        MemoryAsked::PerCpu(memory) => (memory.clamp(0, INFINITE), true),
        MemoryAsked::Unset if partition.cpu_memory > 0 => (partition.cpu_memory, true),
        MemoryAsked::Unset if partition.node_memory > 0 => (partition.node_memory, false),
        MemoryAsked::Unset if conf.cpu_memory > 0 => (conf.cpu_memory, true),
        MemoryAsked::Unset => (conf.node_memory, false),
    }
}

/// Returns the nodes with the features, if the job asks for any.
fn featured(conf: &SlurmConf, features: &str) -> Option<NodeSet> {
    if features.is_empty() {
        return None;
    }
    let has = |line: &NodeLine, feature: &str| {
        let name = feature.split('*').next().unwrap_or_default();
        line.features.iter().any(|known| known == name)
    };
    let all = |line: &NodeLine, part: &str| part.split('&').all(|feature| has(line, feature));
    let mut nodes = NodeSet::none(conf.node_count());
    for line in &conf.lines {
        if features.split('|').any(|part| all(line, part)) {
            nodes.add(&line.nodes);
        }
    }
    Some(nodes)
}

fn licences(conf: &SlurmConf, asked: &AskedJob) -> Result<Vec<(usize, i64)>, Problem> {
    let mut sums: Vec<(usize, i64)> = Vec::new();
    for (name, count) in &asked.licences {
        let at = conf.licences.iter().position(|(known, _)| known == name);
        let Some(at) = at else {
            return Err(unknown(
                "licence",
                name,
                "Name a licence of the configuration.",
            ));
        };
        let count = i64::from(*count);
        match sums.iter_mut().find(|(known, _)| *known == at) {
            Some((_, sum)) => *sum += count,
            None => sums.push((at, count)),
        }
    }
    sorting::by(&mut sums, |(at, _)| [*at as i128, 0]);
    Ok(sums)
}
