//! LOMARC (docs/policies/lomarc.md). The twin repeats every search of a run from events alone, by
//! the paper's pseudo code, job by job.

use super::smt::{self, Nodes, Pairs};
use super::words::{
    Case, Demand, Event, Experiment, Jobs, Log, Outage, Search, Watched, Workload, must,
};
use std::collections::BTreeMap;

/// The rules, in the words of the policy's parameters.
#[derive(Copy, Clone, Debug)]
struct Rules {
    heuristic: &'static str,
    arrivals: &'static str,
    backfilling: &'static str,
    by_arrival: bool,
    pairs: Pairs,
}

const LOMARC: Rules = Rules {
    heuristic: "response",
    arrivals: "queued",
    backfilling: "easy",
    by_arrival: false,
    pairs: Pairs {
        standard: false,
        printed: false,
    },
};

struct Watcher<'a> {
    workload: &'a Workload,
    rules: Rules,
    waiting: Vec<usize>,
    nodes: Nodes<'a>,
    now: i64,
    /// Waits of the jobs that have started, in seconds.
    waits: Vec<f64>,
    /// Mean of `waits` before any job started at this instant.
    mean_wait: f64,
    arrived: Vec<usize>,
    reserved: BTreeMap<usize, i64>,
    /// Places of the chosen partners among the candidates, for the searches among waiting jobs that
    /// found a partner.
    places: Vec<usize>,
    counts: BTreeMap<&'static str, u64>,
}

/// Returns the name under which a verdict is counted.
fn verdict_count(verdict: &str) -> &'static str {
    match verdict {
        "short" => "ruled out as short",
        "size" => "ruled out by size",
        "memory" => "ruled out by memory",
        "class" => "ruled out by class",
        "slowdown" => "ruled out by slowdown",
        "reservation" => "ruled out by a reservation",
        _ => "candidates",
    }
}

/// Returns the resource that a job needs most of: CPU, network or disk.
fn most(demand: Demand) -> char {
    if demand.cpu >= demand.network.max(demand.disk) {
        'c'
    } else if demand.network >= demand.disk {
        'n'
    } else {
        'd'
    }
}

impl Watcher<'_> {
    fn count(&mut self, what: &'static str, by: u64) {
        *self.counts.entry(what).or_default() += by;
    }

    fn demand(&self, job: usize) -> Demand {
        self.workload.demands[job].unwrap()
    }

    fn compete(&self, one: usize, other: usize) -> bool {
        let (one, other) = (self.demand(one), self.demand(other));
        self.rules.pairs.compete(one, other)
    }

    fn pass(&mut self, to: i64) {
        self.nodes.pass(to);
        self.now = to;
        let mean: f64 = self.waits.iter().sum::<f64>() / self.waits.len().max(1) as f64;
        self.mean_wait = (mean * 1e6 + 1e-3).floor() / 1e6;
    }

    fn size(&self, job: usize) -> f64 {
        f64::from(self.workload.jobs[job].processors)
    }

    fn estimate(&self, job: usize) -> f64 {
        self.workload.jobs[job].estimate as f64 / 1e6
    }

    /// Seconds since an instant in microseconds.
    fn since(&self, at: i64) -> f64 {
        (self.now - at) as f64 / 1e6
    }

    /// Returns a job's run time on nodes of its own: the estimate, which is exact, at least 1 s.
    fn whole(&self, job: usize) -> f64 {
        self.estimate(job).max(1.0)
    }

    fn left(&self, job: usize) -> f64 {
        let whole = self.whole(job);
        self.nodes
            .done(job)
            .map_or(whole, |done| (whole - done).max(1.0))
    }

    fn work(&self, job: usize) -> f64 {
        self.left(job) * self.size(job)
    }

    /// The queue: short, medium, long; each mean wait lifts a job one class.
    fn queue(&self) -> Vec<usize> {
        let mean = self.mean_wait;
        let class = |job: &usize| {
            if self.rules.by_arrival {
                return 0;
            }
            let estimate = self.estimate(*job);
            let class = i64::from(estimate > 60.0) + i64::from(estimate > 3600.0);
            let wait = self.since(self.workload.jobs[*job].submit);
            let aged = if mean > 0.0 {
                (wait / mean + 1e-9).floor() as i64
            } else {
                0
            };
            (class - aged).max(0)
        };
        let mut queue = self.waiting.clone();
        queue.sort_by_key(|job| (class(job), *job));
        queue
    }

    fn verdict(&self, host: usize, guest: usize) -> &'static str {
        let (a, b) = (self.demand(host), self.demand(guest));
        let pair = (most(a).min(most(b)), most(a).max(most(b)));
        let go = if self.rules.pairs.standard {
            pair == ('c', 'd')
        } else {
            pair.0 != pair.1 || pair == ('c', 'c')
        };
        if self.rules.heuristic == "always" {
            return if self.size(guest) <= self.size(host) {
                "candidate"
            } else {
                "size"
            };
        }
        if self.whole(host) <= 60.0 || self.whole(guest) <= 60.0 {
            "short"
        } else if self.size(guest) > self.size(host) {
            "size"
        } else if a.memory + b.memory > 10_000 {
            "memory"
        } else if !go {
            "class"
        } else if self.nodes.slowdown(host, guest) > 1.6 + 1e-9
            || pair == ('c', 'c') && self.compete(host, guest)
        {
            "slowdown"
        } else {
            "candidate"
        }
    }

    fn gain(&self, host: usize, guest: usize) -> f64 {
        let sl = self.nodes.slowdown(host, guest);
        let (sa, sb, ta, tb) = (
            self.size(host),
            self.size(guest),
            self.left(host),
            self.left(guest),
        );
        let gain2 =
            (sa.min(sb) * (2.0 / sl - 1.0) - (sa - sb).abs() * (1.0 - 1.0 / sl)) / sa.max(sb);
        match self.rules.heuristic {
            "gain1" => gain2 * ta.min(tb) / ta.max(tb),
            "gain2" => gain2,
            "response" => self.response(host, guest, sl),
            _ => 1.0,
        }
    }

    /// Returns the worth of a match by figure 5, line by line. Every line adds to a value, even
    /// where the figure overwrites it (see the docs).
    fn response(&self, i: usize, j: usize, slowdown: f64) -> f64 {
        let n = f64::from(self.workload.processors);
        let (ti, tj) = (self.left(i), self.left(j));
        let pair_runtime = ti.min(tj) * (slowdown - 1.0) + ti.max(tj);
        let pair_size = self.size(i).max(self.size(j));
        let delay = (pair_runtime * pair_size - self.work(i)) / n;
        let improvement = self.work(j) / n - delay;
        let mut response_time = self.work(i) / n;
        let base = response_time;
        let mut increase = delay / response_time;
        let mut decrease = 0.0;
        let mut turn = 0.0;
        let mut is_ahead = true;
        for job in self.queue().into_iter().filter(|job| *job != i) {
            response_time += self.work(job) / n;
            if job == j {
                decrease += (response_time - tj * slowdown * self.size(j) / n) / response_time;
                turn = response_time;
                is_ahead = false;
            } else if is_ahead {
                increase += delay / response_time;
            } else {
                decrease += improvement / response_time;
            }
        }
        let end = response_time;
        let since = self.since(self.workload.jobs[0].submit);
        for is_short in [true, false] {
            let jobs: Vec<usize> = self
                .arrived
                .iter()
                .copied()
                .filter(|job| (self.whole(*job) <= 60.0) == is_short)
                .collect();
            if jobs.is_empty() || since <= 0.0 {
                continue;
            }
            let rate = jobs.len() as f64 / since;
            let work = jobs
                .iter()
                .map(|job| self.whole(*job) * self.size(*job))
                .sum::<f64>()
                / jobs.len() as f64
                / n;
            // The stream in small pieces, each of so many jobs.
            let mut from = 0.0;
            while from < end {
                let edge = if from < turn { turn } else { end };
                let piece = ((base + from) / 200.0).min(edge - from);
                let at = from + piece / 2.0;
                from += piece.max(1e-9);
                match (self.rules.arrivals, is_short) {
                    ("none", _) => {}
                    ("printed", true) => increase += rate * piece * delay / work,
                    ("printed", false) => decrease += rate * piece * improvement / work,
                    (_, true) if at < turn => increase += rate * piece * delay / (base + at),
                    (_, true) => decrease += rate * piece * improvement / (base + at),
                    // Behind all that is here, one after the other.
                    (_, false) => decrease += rate * piece * improvement / (end + rate * at * work),
                }
            }
        }
        decrease - increase
    }

    /// Checks that the search tried the right jobs in the right order.
    fn check_order(&mut self, search: &Search) -> Result<(), String> {
        let takes_first = matches!(self.rules.heuristic, "first" | "adjacent" | "always");
        let tried: Vec<usize> = search.tried.iter().map(|tried| tried.job).collect();
        let all: Vec<usize> = if search.among_running {
            let mut hosts = self.nodes.jobs();
            hosts.retain(|job| self.nodes.partners(*job).is_empty());
            let before = hosts.len();
            hosts.retain(|job| !self.nodes.is_on_closed(*job));
            self.count("hosts on closed nodes", (before - hosts.len()) as u64);
            hosts.sort_by(|one, other| self.left(*one).total_cmp(&self.left(*other)));
            hosts
        } else {
            let mut queue = self.queue();
            queue.retain(|job| *job != search.job);
            queue
        };
        if search.among_running {
            must(tried.iter().all(|job| all.contains(job)), || {
                format!("{tried:?} are not all of {all:?}")
            })?;
            // As they are believed to end, by what is left of each; what differs by no more than
            // rounding is in any order.
            let left: Vec<f64> = tried.iter().map(|job| self.left(*job)).collect();
            must(left.is_sorted_by(|one, next| *one <= next + 1e-4), || {
                format!("{tried:?} have {left:?} left")
            })?;
            let are_first = left
                .iter()
                .zip(&all)
                .all(|(left, job)| (left - self.left(*job)).abs() < 1e-4);
            must(are_first, || {
                format!("{tried:?} are not the first of {all:?}")
            })?;
            self.count(
                "searches in order",
                u64::from(takes_first && tried.len() > 1),
            );
        } else {
            // In order; one that holds a reservation may be missing.
            let place = |job: &usize| all.iter().position(|other| other == job);
            let places: Vec<Option<usize>> = tried.iter().map(place).collect();
            let is_sorted = places.is_sorted() && places.iter().all(Option::is_some);
            must(is_sorted, || {
                format!("{tried:?} stand otherwise in {all:?}")
            })?;
        }
        // Under conservative backfilling any number of jobs hold reservations.
        let looks_at_all = !takes_first && self.rules.backfilling != "conservative";
        let seen = tried.len() + usize::from(!search.among_running);
        must(!looks_at_all || seen >= all.len(), || {
            format!("only {tried:?} of {all:?} are looked at")
        })
    }

    fn check(&mut self, search: &Search) -> Result<(), String> {
        self.count("searches", 1);
        self.check_order(search)?;
        let (mut best, mut of_chosen) = (0.0_f64, 0.0);
        for tried in &search.tried {
            let (host, guest) = if search.among_running {
                (tried.job, search.job)
            } else {
                (search.job, tried.job)
            };
            let expected = self.verdict(host, guest);
            self.count(verdict_count(&tried.verdict), 1);
            let is_reserved = tried.verdict == "reservation" && expected == "candidate";
            must(is_reserved || tried.verdict == expected, || {
                format!(
                    "job {guest} beside job {host}: {expected} under the twin, {} in the engine",
                    tried.verdict
                )
            })?;
            if is_reserved || expected != "candidate" {
                continue;
            }
            let gain = self.gain(host, guest);
            // The naive sum over a stream is no integral.
            let near = if self.rules.heuristic == "response" {
                1e-3
            } else {
                1e-6
            } * (1.0 + gain.abs());
            must((gain - tried.gain).abs() <= near, || {
                format!(
                    "job {guest} beside job {host} is worth {gain} under the twin, {} in the engine",
                    tried.gain
                )
            })?;
            let slowdown = self.nodes.slowdown(host, guest);
            must(
                (tried.slowdown as f64 / 1e4 - slowdown).abs() < 1e-9,
                || {
                    format!(
                        "jobs {host} and {guest}: slowdown {slowdown} under the twin, {} in the engine",
                        tried.slowdown
                    )
                },
            )?;
            best = best.max(tried.gain);
            if Some(tried.job) == search.chosen {
                of_chosen = tried.gain;
            }
        }
        must(search.chosen.is_some() == (best > 0.0), || {
            format!("{:?} is chosen, the best is worth {best}", search.chosen)
        })?;
        must(of_chosen.total_cmp(&best).is_eq(), || {
            format!("{:?} is worth {of_chosen}, the best {best}", search.chosen)
        })?;
        if let Some(chosen) = search.chosen.filter(|_| !search.among_running) {
            let candidates = search
                .tried
                .iter()
                .filter(|tried| tried.verdict == "candidate");
            let place = candidates
                .map(|tried| tried.job)
                .position(|job| job == chosen);
            self.places.push(place.unwrap() + 1);
        }
        Ok(())
    }

    fn happens(&mut self, at: i64, event: &Event) -> Result<(), String> {
        if at > self.now {
            self.pass(at);
        }
        match event {
            Event::Submitted(job) => {
                self.waiting.push(*job);
                self.arrived.push(*job);
            }
            Event::Started(job, nodes) => {
                self.waiting.retain(|other| other != job);
                self.waits.push(self.since(self.workload.jobs[*job].submit));
                self.nodes.start(*job, nodes)?;
                must(self.nodes.partners(*job).len() <= 1, || {
                    format!("job {job} has several partners")
                })?;
                let held = self.reserved.get(job).filter(|_| self.rules.by_arrival);
                must(held.is_none_or(|latest| at <= latest + 10), || {
                    format!("job {job} starts at {at} us, its reservation was {held:?}")
                })?;
            }
            Event::Finished(job) => self.nodes.finish(*job)?,
            Event::Closed(nodes, until) => {
                self.nodes.close(nodes, *until);
                // The policy starts from scratch.
                self.arrived.clear();
                self.reserved.clear();
            }
            Event::Searched(search) => self
                .check(search)
                .map_err(|why| format!("{why}\nat {at} us: {search:?}"))?,
            Event::Reserved(job, start) => {
                let held = self.reserved.len() as u64;
                self.reserved.entry(*job).or_insert(*start);
                let more = self.reserved.len() as u64 - held;
                self.count("reservations", more);
            }
        }
        Ok(())
    }
}

fn watch(workload: &Workload, log: &Log, rules: Rules) -> Result<Watched, String> {
    let now = workload.jobs[0].submit;
    let mut watcher = Watcher {
        workload,
        rules,
        waiting: Vec::new(),
        nodes: Nodes::new(workload, rules.pairs, now),
        now,
        waits: Vec::new(),
        mean_wait: 0.0,
        arrived: Vec::new(),
        reserved: BTreeMap::new(),
        places: Vec::new(),
        counts: BTreeMap::new(),
    };
    for (at, event) in log {
        watcher.happens(*at, event)?;
    }
    let is_over = watcher.waiting.is_empty() && watcher.nodes.jobs().is_empty();
    must(is_over, || "not all jobs have ended".into())?;
    let places = &watcher.places;
    let chosen = places.iter().sum::<usize>() as f64 / places.len().max(1) as f64;
    Ok(Watched {
        counts: watcher.counts,
        figures: vec![("search.chosen", chosen)],
    })
}

fn case(experiment: Experiment, model: [(&'static str, f64); 3], rules: Rules) -> Case {
    Case::watches(
        experiment,
        Jobs::Model(model.into()),
        move |workload, log| watch(workload, log, rules),
    )
}

fn lomarc() -> Experiment {
    Experiment::on("smt", "lomarc")
}

pub fn searches(seed: u64) -> Vec<Case> {
    let at = seed as usize;
    let heuristic = ["response", "gain1", "gain2", "first", "adjacent", "always"][at % 6];
    let base = Rules {
        heuristic,
        ..LOMARC
    };
    let printed = Pairs {
        printed: true,
        ..LOMARC.pairs
    };
    let standard = Pairs {
        standard: true,
        ..LOMARC.pairs
    };
    let (more, rules): (&[(&'static str, &str)], Rules) = match at / 6 % 6 {
        0 => (
            &[("backfilling", "easy"), ("order", "arrival")],
            Rules {
                by_arrival: true,
                ..base
            },
        ),
        1 => (
            &[("backfilling", "easy"), ("cpu", "standard")],
            Rules {
                pairs: standard,
                ..base
            },
        ),
        2 => (
            &[("backfilling", "none"), ("arrivals", "printed")],
            Rules {
                backfilling: "none",
                arrivals: "printed",
                ..base
            },
        ),
        3 => (
            &[("backfilling", "easy"), ("arrivals", "none")],
            Rules {
                arrivals: "none",
                ..base
            },
        ),
        4 => (
            &[("backfilling", "conservative"), ("slowdowns", "printed")],
            Rules {
                backfilling: "conservative",
                pairs: printed,
                ..base
            },
        ),
        _ => (
            &[("slowdowns", "printed"), ("weakly", "0")],
            Rules {
                pairs: printed,
                ..base
            },
        ),
    };
    let experiment = lomarc()
        .with_all(more)
        .with("heuristic", heuristic)
        .with("demands", ["m1", "m2", "m3"][at % 3])
        .with("arrival_factor", 4.0);
    let model = [("jobs", 120.0), ("processors", 32.0), ("seed", seed as f64)];
    vec![case(experiment, model, rules)]
}

/// In order of arrival no job starts after its first reservation.
pub fn reservations(seed: u64) -> Vec<Case> {
    vec![reserving(seed, 24.0, None)]
}

/// An outage, in order of arrival and by classes.
pub fn outages(seed: u64) -> Vec<Case> {
    let experiment = Experiment {
        outage: Some(smt::outage(seed)),
        ..lomarc().with("demands", "m1").with("arrival_factor", 3.0)
    };
    let model = [("jobs", 150.0), ("processors", 32.0), ("seed", seed as f64)];
    vec![
        case(experiment, model, LOMARC),
        reserving(seed, 32.0, Some(smt::outage(seed))),
    ]
}

fn reserving(seed: u64, processors: f64, outage: Option<Outage>) -> Case {
    let heuristic = ["response", "gain1", "first", "always"][seed as usize % 4];
    let experiment = lomarc()
        .with("order", "arrival")
        .with("heuristic", heuristic)
        .with("demands", "m1")
        .with("arrival_factor", 3.0);
    let experiment = Experiment {
        outage,
        ..experiment
    };
    let model = [
        ("jobs", 150.0),
        ("processors", processors),
        ("seed", 100.0 + seed as f64),
    ];
    let rules = Rules {
        heuristic,
        by_arrival: true,
        ..LOMARC
    };
    case(experiment, model, rules)
}
