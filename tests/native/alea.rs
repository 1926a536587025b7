//! Alea NG: the starts of its own results (`tests/alea/starts.tsv`), those of the gallery's policy of
//! fair share on nodes, and a naive model that turns the one into the other, rule by rule.
//! docs/presets.md has the rules and the counts.

use super::support::{check, folder, root, schedscope, skipped};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A job of the workload; times in seconds.
struct Job {
    submit: i64,
    run: i64,
    size: i64,
    estimate: i64,
    user: usize,
    queue: usize,
    /// True if nodes of both clusters serve it.
    is_anywhere: bool,
}

type Jobs = BTreeMap<i64, Job>;
type Starts = BTreeMap<i64, i64>;

fn jobs(log: &Path) -> Jobs {
    let text = std::fs::read_to_string(log).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with(';'));
    let job = |line: &str| {
        let fields: Vec<_> = line.split_whitespace().collect();
        let whole = |field: usize| fields[field - 1].parse::<i64>().unwrap();
        let job = Job {
            submit: whole(2),
            run: whole(4),
            size: whole(5),
            estimate: whole(9),
            user: whole(12) as usize,
            queue: whole(15) as usize,
            is_anywhere: fields[20] == "all",
        };
        (whole(1), job)
    };
    lines.map(job).collect()
}

/// The rules of Alea NG that the machine `nodes` does not have.
#[derive(Clone, Copy, Default)]
struct Rules {
    /// A job gets nodes of one cluster only.
    is_in_one_cluster: bool,
    /// The scheduler decides after each end, in the order of starts, and not once for the instant.
    decides_each_end: bool,
    /// The instants at which it decides once all the same.
    together: &'static [i64],
}

const DECAY: i64 = 48 * 3600;

/// The clusters' free nodes, the queues and the users' usage, in plain numbers.
struct Model<'a> {
    jobs: &'a Jobs,
    rules: Rules,
    /// Free nodes for all jobs, and for those that may go anywhere.
    free: [i64; 2],
    queued: Vec<i64>,
    /// Running jobs in the order of starts, with the nodes that they have of each cluster.
    running: Vec<(i64, [i64; 2])>,
    past: [f64; 4],
    starts: Starts,
}

impl Model<'_> {
    fn usage(&self, user: usize, now: i64) -> f64 {
        let running = self.running.iter().map(|(number, _)| number);
        let own = running.filter(|number| self.jobs[number].user == user);
        let taken = own.map(|number| {
            let (job, start) = (&self.jobs[number], self.starts[number]);
            job.size
                * if start == now {
                    job.estimate
                } else {
                    now - start
                }
        });
        self.past[user] + taken.sum::<i64>() as f64
    }

    /// Returns the nodes of each cluster that a job would get now.
    fn nodes(&self, job: &Job) -> Option<[i64; 2]> {
        let [big, small] = self.free;
        let size = job.size;
        if size <= big {
            Some([size, 0])
        } else if !job.is_anywhere {
            None
        } else if self.rules.is_in_one_cluster {
            (size <= small).then_some([0, size])
        } else {
            (size <= big + small).then(|| [big, size - big])
        }
    }

    fn decide(&mut self, now: i64) {
        loop {
            let mut order = self.queued.clone();
            let rank = |number: &i64| {
                let job = &self.jobs[number];
                (job.queue, self.usage(job.user, now), *number)
            };
            order.sort_by(|one, other| rank(one).partial_cmp(&rank(other)).unwrap());
            let fits = |number: i64| Some((number, self.nodes(&self.jobs[&number])?));
            let Some((number, nodes)) = order.into_iter().find_map(fits) else {
                return;
            };
            self.queued.retain(|queued| *queued != number);
            self.free = [0, 1].map(|cluster| self.free[cluster] - nodes[cluster]);
            self.running.push((number, nodes));
            self.starts.insert(number, now);
        }
    }

    fn end(&self, number: i64) -> i64 {
        self.starts[&number] + self.jobs[&number].run
    }

    fn run(mut self) -> Starts {
        let first = self.jobs.values().map(|job| job.submit).min().unwrap();
        let mut arrivals: Vec<_> = self.jobs.iter().map(|(n, job)| (job.submit, *n)).collect();
        arrivals.sort_unstable();
        let (mut arrived, mut decays) = (0, 0);
        loop {
            let end = self
                .running
                .iter()
                .map(|(number, _)| self.end(*number))
                .min();
            let arrival = arrivals.get(arrived).map(|(at, _)| *at);
            let Some(now) = end.into_iter().chain(arrival).min() else {
                return self.starts;
            };
            let decides = self.rules.decides_each_end && !self.rules.together.contains(&now);
            while let Some(at) = self.running.iter().position(|(n, _)| self.end(*n) == now) {
                let (number, nodes) = self.running.remove(at);
                let job = &self.jobs[&number];
                self.free = [0, 1].map(|cluster| self.free[cluster] + nodes[cluster]);
                self.past[job.user] += (job.size * job.run) as f64;
                if decides {
                    self.decide(now);
                }
            }
            while arrivals.get(arrived).is_some_and(|(at, _)| *at == now) {
                self.queued.push(arrivals[arrived].1);
                arrived += 1;
            }
            while (now - first) / DECAY > decays {
                self.past = self.past.map(|usage| usage * 0.75);
                decays += 1;
            }
            self.decide(now);
        }
    }
}

fn modelled(jobs: &Jobs, rules: Rules) -> Starts {
    let model = Model {
        jobs,
        rules,
        free: [64, 4],
        queued: Vec::new(),
        running: Vec::new(),
        past: [0.0; 4],
        starts: Starts::new(),
    };
    model.run()
}

/// Returns the starts of the gallery's policy on 64 nodes for all jobs and 4 for jobs of `all`.
fn simulated(log: &Path) -> Starts {
    let folder = folder("alea");
    let cluster = folder.join("cluster.conf");
    let nodes = "NodeName=big[1-64] CPUs=1 Gres=gpu:4 Feature=all,normal\n\
        NodeName=small[1-4] CPUs=1 Gres=gpu:4 Feature=all\n";
    std::fs::write(&cluster, nodes).unwrap();
    let table = folder.join("jobs.csv");
    check(&schedscope(&[
        &"run",
        &log,
        &"--policy",
        &root().join("examples/policies/fair-share.js"),
        &"--cluster",
        &cluster,
        &"--jobs",
        &table,
        &"--audit",
        &"--force",
    ]));
    let text = std::fs::read_to_string(table).unwrap();
    let head: Vec<_> = text.lines().next().unwrap().split(',').collect();
    let place = |name: &str| head.iter().position(|column| *column == name).unwrap();
    let (number, start) = (place("job_id"), place("starting_time"));
    let row = |line: &str| {
        let cells: Vec<_> = line.split(',').collect();
        (
            cells[number].parse().unwrap(),
            cells[start].parse().unwrap(),
        )
    };
    text.lines().skip(1).map(row).collect()
}

/// Returns the starts of Alea NG.
fn published() -> Starts {
    let text = std::fs::read_to_string(root().join("tests/alea/starts.tsv")).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let row = |line: &str| {
        let (number, start) = line.split_once('\t').unwrap();
        (number.parse().unwrap(), start.parse().unwrap())
    };
    lines.map(row).collect()
}

#[test]
fn every_difference_from_alea_ng_has_a_reason() {
    let log =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/samples/aleang-ex1-load50.swf");
    if !log.exists() {
        return skipped("the workload of Alea NG's example 1 is not there");
    }
    let jobs = jobs(&log);
    let published = published();
    assert_eq!((jobs.len(), published.len()), (1_943, 1_943));
    // Equal starts, and the sum of all waits in seconds.
    let against = |starts: &Starts| {
        let equal = |(number, start): &(&i64, &i64)| published[number] == **start;
        let wait = |(number, start): (&i64, &i64)| start - jobs[number].submit;
        (
            starts.iter().filter(equal).count(),
            starts.iter().map(wait).sum::<i64>(),
        )
    };
    assert_eq!(against(&published), (1_943, 761_538));
    let mut rules = Rules::default();
    let plain = modelled(&jobs, rules);
    assert_eq!(simulated(&log), plain);
    assert_eq!(against(&plain).0, 1_872);
    rules.is_in_one_cluster = true;
    assert_eq!(against(&modelled(&jobs, rules)).0, 1_914);
    rules.decides_each_end = true;
    assert_eq!(against(&modelled(&jobs, rules)).0, 1_930);
    rules.together = &[115_326, 345_661];
    assert_eq!(against(&modelled(&jobs, rules)), (1_943, 761_538));
}
