//! A cluster at an instant: the jobs on each node, and what each node has left; and the use of each
//! resource over time.

use crate::cluster::{
    AdvanceReservation, Amounts, CORES, Cluster, MEMORY, NOTHING, NodeRequest, RESOURCES, UNLIMITED,
};
use crate::job::JobId;
use crate::machines::shared::{Sight, asked};
use crate::problem::Problem;
use crate::schedule::{Attempt, Residency, Schedule};
use crate::time::Time;
use crate::view::{Index, packed};
use crate::workload::NodeRequests;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Largest number of parts for which the use of resources is computed.
const PARTS: usize = 4096;

/// A question about a cluster. Instants are in seconds.
#[derive(Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(tag = "ask", rename_all = "snake_case", deny_unknown_fields)]
pub enum NodesQuestion {
    /// The cluster: [`ClusterFacts`].
    Cluster {},
    /// The jobs on the nodes at an instant: [`NodesFacts`].
    Nodes {
        /// The instant.
        at: f64,
    },
    /// The use of each resource at the middle of each of `count` parts of [from, to): an array of
    /// [`ResourceUse`].
    Resources {
        /// Start of the period.
        from: f64,
        /// End of the period.
        to: f64,
        /// Number of parts.
        count: u32,
    },
}

/// Answers a question about a cluster.
pub(super) fn show(sight: &Sight<'_>, question: Value) -> Result<Value, Problem> {
    let nodes = &sight.schedule.workload.nodes;
    let Some(nodes) = nodes else {
        return Ok(Value::Null);
    };
    Ok(match asked(question)? {
        NodesQuestion::Cluster {} => json!(facts(&nodes.cluster)),
        NodesQuestion::Nodes { at } => json!(at_instant(sight, nodes, Time::near(at))),
        NodesQuestion::Resources { from, to, count } => {
            let (from, to) = (Time::near(from), Time::near(to));
            let count = (count as usize).min(PARTS);
            json!(uses(sight.schedule, sight.index, nodes, (from, to), count))
        }
    })
}

/// A kind of nodes.
#[derive(Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct NodeKindFacts {
    /// The list of names, as described.
    pub name: String,
    /// Number of nodes.
    pub count: u32,
    /// Number of the first node.
    pub first_node: u32,
    /// Number of the first core of the first node.
    pub first_core: u32,
    /// Amount of each resource of a node; null without limit.
    pub amounts: Vec<Option<u32>>,
    /// Names of the features.
    pub features: Vec<String>,
    /// Weight of the nodes.
    pub weight: u32,
}

/// A cluster.
#[derive(Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct ClusterFacts {
    /// Names of the resources. Memory is in MB.
    pub resources: Vec<String>,
    /// The kinds of nodes.
    pub kinds: Vec<NodeKindFacts>,
    /// Name of each node.
    pub names: Vec<String>,
    /// Names of the partitions.
    pub partitions: Vec<String>,
    /// The advance reservations.
    pub advance: Vec<AdvanceFacts>,
}

/// An advance reservation.
#[derive(Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct AdvanceFacts {
    /// Name of the reservation.
    pub name: String,
    /// Ranges of cores: the first one and their number.
    pub cores: Vec<[u32; 2]>,
    /// Beginnings and ends of the periods in seconds.
    pub periods: Vec<[f64; 2]>,
}

fn advance(cluster: &Cluster) -> Vec<AdvanceFacts> {
    let facts = |(number, one): (usize, &AdvanceReservation)| {
        let mut cores: Vec<[u32; 2]> = Vec::new();
        for node in 0..cluster.nodes() {
            let class = &cluster.classes[cluster.class_of[node as usize] as usize];
            if class.advance >> number & 1 == 0 {
                continue;
            }
            let (first, count) = (cluster.first_core(node), cluster.amounts(node)[CORES]);
            match cores.last_mut() {
                Some([known, so_far]) if *known + *so_far == first => *so_far += count,
                _ => cores.push([first, count]),
            }
        }
        AdvanceFacts {
            name: one.name.clone(),
            cores,
            periods: one
                .periods()
                .map(|(from, to)| [from.seconds(), to.seconds()])
                .collect(),
        }
    };
    cluster.advance.iter().enumerate().map(facts).collect()
}

fn facts(cluster: &Cluster) -> ClusterFacts {
    let count = cluster.resources.len();
    let mut first_node = 0;
    let kinds = cluster
        .kinds
        .iter()
        .map(|kind| {
            let at = first_node;
            first_node += kind.count;
            NodeKindFacts {
                name: kind.name.clone(),
                count: kind.count,
                first_node: at,
                first_core: cluster.first_core(at),
                amounts: kind.amounts[..count]
                    .iter()
                    .map(|all| limited(*all))
                    .collect(),
                features: (0..)
                    .zip(&cluster.features)
                    .filter(|(bit, _)| kind.features >> bit & 1 == 1)
                    .map(|(_, name)| name.clone())
                    .collect(),
                weight: kind.weight,
            }
        })
        .collect();
    ClusterFacts {
        resources: cluster.resources.clone(),
        kinds,
        names: cluster.names.clone(),
        partitions: cluster
            .partitions
            .iter()
            .map(|partition| partition.name.clone())
            .collect(),
        advance: advance(cluster),
    }
}

fn limited(amount: u32) -> Option<u32> {
    (amount != UNLIMITED).then_some(amount)
}

/// The part of a job on a node.
#[derive(Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct NodePart {
    /// Number of the node.
    pub node: u32,
    /// Ranges of cores: the first one and their number.
    pub cores: Vec<[u32; 2]>,
    /// Amount of each resource.
    pub used: Vec<u32>,
}

/// A job on nodes.
#[derive(Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct NodeJobFacts {
    /// Index of the job in the run.
    pub job: u32,
    /// Record of the trace that became the job.
    pub record: u32,
    /// Number of the job in the trace.
    pub number: i64,
    /// Size of the job.
    pub processors: u32,
    /// Instants from which and until which the job holds its nodes, in seconds.
    pub from: f64,
    /// See `from`.
    pub to: f64,
    /// Colour of the job, as 0xrrggbb.
    pub colour: u32,
    /// True if the job has whole nodes.
    pub is_whole: bool,
    /// True if the job is suspended: it has no cores, and keeps the rest.
    pub is_suspended: bool,
    /// Its nodes.
    pub parts: Vec<NodePart>,
}

/// A cluster at an instant.
#[derive(Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct NodesFacts {
    /// The instant, in seconds.
    pub at: f64,
    /// The jobs, in order of starting, those with cores first.
    pub jobs: Vec<NodeJobFacts>,
    /// Number of jobs that wait.
    pub waiting: u32,
}

fn at_instant(sight: &Sight<'_>, nodes: &NodeRequests, at: Time) -> NodesFacts {
    let schedule = sight.schedule;
    let count = nodes.cluster.resources.len();
    let mut jobs = Vec::new();
    let colours = sight.colours;
    let facts = |attempt: Attempt, (from, to): (Time, Time), parts: Vec<NodePart>| {
        let job = attempt.job;
        let request = request(nodes, job);
        NodeJobFacts {
            job: job.0,
            record: schedule.workload.sources[job.index()],
            number: schedule.workload.request(job).number,
            processors: schedule.workload.request(job).processors,
            from: from.seconds(),
            to: to.seconds(),
            colour: packed(colours.of_attempt(attempt.is_lost, colours.of(job))),
            is_whole: request.is_some_and(|request| request.is_whole),
            is_suspended: schedule.is_suspended(attempt, at),
            parts,
        }
    };
    let part = |(node, (cores, used)): (u32, (Vec<[u32; 2]>, Amounts))| NodePart {
        node,
        cores,
        used: used[..count].to_vec(),
    };
    each_at(schedule, sight.index, at, |attempt, stay| {
        let parts = parts(&nodes.cluster, request(nodes, attempt.job), stay);
        let parts = parts.into_iter().map(part).collect();
        jobs.push(facts(attempt, (stay.from, stay.to), parts));
    });
    each_suspended(schedule, (sight.index, nodes), at, |attempt, kept| {
        let parts = kept.into_iter();
        let parts = parts
            .map(|(node, used)| part((node, (Vec::new(), used))))
            .collect();
        let mut known = schedule.suspensions_of(attempt).iter();
        if let Some(one) = known.find(|one| one.from <= at && at < one.to) {
            let period = (one.from, one.to.min(schedule.until));
            jobs.push(facts(attempt, period, parts));
        }
    });
    NodesFacts {
        at: at.seconds(),
        jobs,
        waiting: sight.past.waiting(at),
    }
}

/// Calls `each` with every job that is suspended at an instant and keeps a part of its nodes, in order of
/// starting, and with what it keeps of each.
fn each_suspended(
    schedule: &Schedule,
    (index, nodes): (&Index, &NodeRequests),
    at: Time,
    mut each: impl FnMut(Attempt, BTreeMap<u32, Amounts>),
) {
    if schedule.suspensions.is_empty() {
        return;
    }
    let after = Time::from_microseconds(at.microseconds().saturating_add(1));
    for place in index.candidates(schedule, at, after) {
        let attempt = schedule.attempt(place);
        let request = request(nodes, attempt.job);
        let gives_all = request.is_none_or(|request| request.is_whole);
        if gives_all || !schedule.is_suspended(attempt, at) {
            continue;
        }
        let stay = Residency {
            from: at,
            to: after,
            placement: schedule.at(attempt.placed),
        };
        let parts = parts(&nodes.cluster, request, &stay).into_iter();
        let kept = crate::sorting::map(parts.map(|(node, (_, used))| {
            let mut kept = used;
            kept[CORES] = 0;
            (node, kept)
        }));
        each(attempt, kept);
    }
}

/// Calls `each` with every job that holds cores at an instant, in order of starting.
fn each_at(
    schedule: &Schedule,
    index: &Index,
    at: Time,
    mut each: impl FnMut(Attempt, &Residency<'_>),
) {
    let after = Time::from_microseconds(at.microseconds().saturating_add(1));
    for place in index.candidates(schedule, at, after) {
        let entry = schedule.attempt(place);
        for stay in schedule.stays(entry) {
            if stay.from <= at && at < stay.to {
                each(entry, &stay);
            }
        }
    }
}

fn request(nodes: &NodeRequests, job: JobId) -> Option<&NodeRequest> {
    nodes.table.get(*nodes.of.get(job.index())? as usize)
}

/// Returns, for each node of a job, its ranges of cores and what it uses of the node.
fn parts(
    cluster: &Cluster,
    request: Option<&NodeRequest>,
    stay: &Residency<'_>,
) -> BTreeMap<u32, (Vec<[u32; 2]>, Amounts)> {
    let mut parts: BTreeMap<u32, (Vec<[u32; 2]>, Amounts)> = BTreeMap::new();
    for range in stay.placement.ranges {
        cluster.pieces(range.first, range.count, |node, core, count| {
            let (ranges, used) = parts.entry(node).or_insert((Vec::new(), NOTHING));
            ranges.push([core, count]);
            used[CORES] += count;
        });
    }
    let Some(request) = request else {
        return parts;
    };
    for (node, (_, used)) in &mut parts {
        *used = request.held(cluster.amounts(*node), used[CORES]);
    }
    parts
}

/// The use of a resource over time.
#[derive(Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct ResourceUse {
    /// Name of the resource; `power`, in watts, comes last if nodes have it.
    pub resource: String,
    /// Amount of all nodes together.
    pub total: f64,
    /// Share that jobs hold, in each part of the period.
    pub held: Vec<f32>,
    /// Share that is free on nodes of which the cores, or the memory, are all in use, so that no
    /// job can have it.
    pub stranded: Vec<f32>,
}

/// Returns the use of each limited resource at the middle of each of `count` parts of a period.
fn uses(
    schedule: &Schedule,
    index: &Index,
    nodes: &NodeRequests,
    (from, to): (Time, Time),
    count: usize,
) -> Vec<ResourceUse> {
    let cluster = &nodes.cluster;
    let mut found: Vec<ResourceUse> = cluster
        .resources
        .iter()
        .enumerate()
        .map(|(resource, name)| ResourceUse {
            resource: name.clone(),
            total: cluster.total(resource) as f64,
            held: Vec::with_capacity(count),
            stranded: Vec::with_capacity(count),
        })
        .collect();
    let most = cluster.watts()[1];
    let mut power = (most > 0).then(|| ResourceUse {
        resource: "power".into(),
        total: most as f64,
        held: Vec::with_capacity(count),
        stranded: Vec::with_capacity(count),
    });
    let part = (to - from).microseconds() as f64 / count.max(1) as f64;
    let mut used: Vec<Amounts> = vec![NOTHING; cluster.nodes() as usize];
    for bin in 0..count {
        crate::pulse::beat(used.len());
        used.fill(NOTHING);
        let at = Time::from_microseconds(from.microseconds() + ((bin as f64 + 0.5) * part) as i64);
        let mut add = |node: u32, more: Amounts| {
            for (used, more) in used[node as usize].iter_mut().zip(more) {
                *used = used.saturating_add(more);
            }
        };
        each_at(schedule, index, at, |attempt, stay| {
            let parts = parts(cluster, request(nodes, attempt.job), stay).into_iter();
            parts.for_each(|(node, (_, more))| add(node, more));
        });
        each_suspended(schedule, (index, nodes), at, |_, kept| {
            kept.into_iter().for_each(|(node, more)| add(node, more));
        });
        let (mut held, mut stranded) = ([0_u64; RESOURCES], [0_u64; RESOURCES]);
        for (node, used) in (0..).zip(&used) {
            let all = cluster.amounts(node);
            let is_used_up = |resource: usize| all[resource] > 0 && used[resource] >= all[resource];
            let is_full = is_used_up(CORES) || is_used_up(MEMORY);
            for (resource, (all, used)) in all.iter().zip(used).enumerate() {
                if *all == UNLIMITED {
                    continue;
                }
                held[resource] += u64::from(*used);
                if is_full {
                    stranded[resource] += u64::from(all.saturating_sub(*used));
                }
            }
        }
        let watts: f64 = (0..)
            .zip(&used)
            .map(|(node, used)| drawn(cluster, node, used))
            .sum();
        if let Some(power) = &mut power {
            power.held.push((watts / power.total) as f32);
            power.stranded.push(0.0);
        }
        for (resource, one) in found.iter_mut().enumerate() {
            one.held.push((held[resource] as f64 / one.total) as f32);
            one.stranded
                .push((stranded[resource] as f64 / one.total) as f32);
        }
    }
    found.retain(|one| one.total > 0.0);
    found.extend(power);
    found
}

/// Returns the watts of a node on which jobs use so much.
fn drawn(cluster: &Cluster, node: u32, used: &Amounts) -> f64 {
    let kind = &cluster.kinds[cluster.kind_of(node) as usize];
    let [idle, busy] = kind.watts.map(f64::from);
    idle + (busy - idle) * f64::from(used[CORES]) / f64::from(kind.amounts[CORES])
}
