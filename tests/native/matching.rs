//! Matchmaking: every search of every run is done once more by a naive twin, which sees nothing but
//! events and follows the paper's pseudo code job by job; and cases that can be checked by eye.

use super::support::run;
use schedscope::experiment::Scenario;
use schedscope::job::{Demand, JobId};
use schedscope::machine::Placements;
use schedscope::machines::smt::{Search, SmtRecord, Verdict};
use schedscope::param::{Settings, Value};
use schedscope::sim::{Event, Observer, Reasons};
use schedscope::time::Time;
use schedscope::trace::{BadLines, Demands, Trace, read};
use schedscope::workload::Workload;
use schedscope::workload::model::generate;
use std::any::Any;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

struct Running {
    nodes: Vec<u32>,
    done: f64,
}

/// Watches a run and checks each search.
struct Twin {
    workload: Arc<Workload>,
    heuristic: &'static str,
    arrivals: &'static str,
    by_arrival: bool,
    standard: bool,
    slowdowns: &'static str,
    backfilling: &'static str,
    waiting: Vec<JobId>,
    running: BTreeMap<JobId, Running>,
    now: Time,
    waits: Vec<f64>,
    /// Before anybody started at this instant.
    mean_wait: f64,
    arrived: Vec<JobId>,
    reserved: BTreeMap<JobId, Time>,
    searches: u32,
    /// Searches among waiting jobs that found a partner, and which of the candidates these were.
    places: Vec<usize>,
    /// Searches among several running jobs that take the first one.
    in_order: u32,
    seen: BTreeMap<Verdict, u32>,
}

impl Twin {
    fn demand(&self, job: JobId) -> Demand {
        *self.workload.demand(job).unwrap()
    }

    /// Section 4.1 with the constants of section 6.1.
    fn slowdown(&self, one: JobId, other: JobId) -> f64 {
        let (a, b) = (self.demand(one), self.demand(other));
        if a.memory + b.memory > 10_000 {
            return 2.5;
        }
        let tenths = if self.compete(one, other) { 20 } else { 14 };
        // In whole ten-thousandths.
        let [cpu, network, disk] = [
            a.cpu.min(b.cpu),
            a.network.min(b.network),
            a.disk.min(b.disk),
        ];
        if self.slowdowns == "printed" {
            return (tenths * cpu / 10 + 2 * network + 2 * disk).max(10_000) as f64 / 1e4;
        }
        (10_000 + (tenths - 10) * cpu / 10 + network + disk) as f64 / 1e4
    }

    /// Whether the instructions of two jobs compete for the CPU.
    fn compete(&self, one: JobId, other: JobId) -> bool {
        self.standard || (self.demand(one).mark ^ self.demand(other).mark) % 10_000 >= 3300
    }

    fn partners(&self, job: JobId) -> Vec<JobId> {
        let nodes = &self.running[&job].nodes;
        let shares = |(other, running): &(&JobId, &Running)| {
            **other != job && running.nodes.iter().any(|node| nodes.contains(node))
        };
        self.running
            .iter()
            .filter(shares)
            .map(|(other, _)| *other)
            .collect()
    }

    fn pass(&mut self, to: Time) {
        let seconds = (to - self.now).seconds();
        let jobs: Vec<JobId> = self.running.keys().copied().collect();
        let pace = |job: &JobId| {
            self.partners(*job)
                .into_iter()
                .map(|other| self.slowdown(*job, other))
                .fold(1.0, f64::max)
        };
        let paces: Vec<f64> = jobs.iter().map(pace).collect();
        for (job, pace) in jobs.iter().zip(paces) {
            self.running.get_mut(job).unwrap().done += seconds / pace;
        }
        self.now = to;
        let mean: f64 = self.waits.iter().sum::<f64>() / self.waits.len().max(1) as f64;
        self.mean_wait = (mean * 1e6 + 1e-3).floor() / 1e6;
    }

    fn size(&self, job: JobId) -> f64 {
        f64::from(self.workload.request(job).processors)
    }

    /// Estimates are exact.
    fn whole(&self, job: JobId) -> f64 {
        self.workload.request(job).estimate.seconds().max(1.0)
    }

    fn left(&self, job: JobId) -> f64 {
        self.running.get(&job).map_or(self.whole(job), |running| {
            (self.whole(job) - running.done).max(1.0)
        })
    }

    fn work(&self, job: JobId) -> f64 {
        self.left(job) * self.size(job)
    }

    /// The queue: short, medium, long; each mean wait lifts a job one class.
    fn queue(&self) -> Vec<JobId> {
        let mean = self.mean_wait;
        let class = |job: &JobId| {
            if self.by_arrival {
                return 0;
            }
            let estimate = self.workload.request(*job).estimate.seconds();
            let class = i64::from(estimate > 60.0) + i64::from(estimate > 3600.0);
            let wait = (self.now - self.workload.request(*job).submitted).seconds();
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

    fn verdict(&self, host: JobId, guest: JobId) -> Verdict {
        let (a, b) = (self.demand(host), self.demand(guest));
        let most = |d: Demand| {
            if d.cpu >= d.network.max(d.disk) {
                'c'
            } else if d.network >= d.disk {
                'n'
            } else {
                'd'
            }
        };
        let pair = (most(a).min(most(b)), most(a).max(most(b)));
        let go = if self.standard {
            pair == ('c', 'd')
        } else {
            pair.0 != pair.1 || pair == ('c', 'c')
        };
        if self.heuristic == "always" {
            return if self.size(guest) <= self.size(host) {
                Verdict::Candidate
            } else {
                Verdict::Size
            };
        }
        if self.whole(host) <= 60.0 || self.whole(guest) <= 60.0 {
            Verdict::Short
        } else if self.size(guest) > self.size(host) {
            Verdict::Size
        } else if a.memory + b.memory > 10_000 {
            Verdict::Memory
        } else if !go {
            Verdict::Class
        } else if self.slowdown(host, guest) > 1.6 + 1e-9
            || pair == ('c', 'c') && self.compete(host, guest)
        {
            Verdict::Slowdown
        } else {
            Verdict::Candidate
        }
    }

    fn gain(&self, host: JobId, guest: JobId) -> f64 {
        let sl = self.slowdown(host, guest);
        let (sa, sb, ta, tb) = (
            self.size(host),
            self.size(guest),
            self.left(host),
            self.left(guest),
        );
        let gain2 =
            (sa.min(sb) * (2.0 / sl - 1.0) - (sa - sb).abs() * (1.0 - 1.0 / sl)) / sa.max(sb);
        match self.heuristic {
            "gain1" => gain2 * ta.min(tb) / ta.max(tb),
            "gain2" => gain2,
            "response" => self.response(host, guest, sl),
            _ => 1.0,
        }
    }

    /// Figure 5, line by line; what the docs say was overwritten is not.
    fn response(&self, i: JobId, j: JobId, slowdown: f64) -> f64 {
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
        let since = (self.now - self.workload.requests[0].submitted).seconds();
        for is_short in [true, false] {
            let jobs: Vec<JobId> = self
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
                match (self.arrivals, is_short) {
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

    fn check(&mut self, search: &Search) {
        self.searches += 1;
        let alone = |job: &JobId| self.partners(*job).is_empty();
        let all: Vec<JobId> = if search.among_running {
            let mut hosts: Vec<JobId> = self.running.keys().copied().filter(alone).collect();
            hosts.sort_by(|one, other| self.left(*one).total_cmp(&self.left(*other)));
            hosts
        } else {
            self.queue()
                .into_iter()
                .filter(|job| *job != search.job)
                .collect()
        };
        let takes_first = matches!(self.heuristic, "first" | "adjacent" | "always");
        let tried: Vec<JobId> = search.tried.iter().map(|tried| tried.job).collect();
        if search.among_running {
            assert!(tried.iter().all(|job| all.contains(job)));
            // As they are believed to end, by what is left of each; what differs by no more than
            // rounding is in any order.
            let left: Vec<f64> = tried.iter().map(|job| self.left(*job)).collect();
            assert!(
                left.is_sorted_by(|one, next| *one <= next + 1e-4),
                "{left:?}"
            );
            assert!(
                left.iter()
                    .zip(&all)
                    .all(|(left, job)| (left - self.left(*job)).abs() < 1e-4),
                "{left:?} are not the first"
            );
            self.in_order += u32::from(takes_first && tried.len() > 1);
        } else {
            // In order; one that holds a reservation may be missing.
            let places: Vec<usize> = tried
                .iter()
                .map(|job| all.iter().position(|other| other == job).unwrap())
                .collect();
            assert!(places.is_sorted(), "{places:?}");
        }
        // Under conservative backfilling any number of jobs hold reservations.
        if !takes_first && self.backfilling != "conservative" {
            assert!(
                tried.len() + usize::from(!search.among_running) >= all.len(),
                "{} of {}",
                tried.len(),
                all.len()
            );
        }
        let mut best = 0.0_f64;
        let mut of_chosen = 0.0;
        for tried in &search.tried {
            let (host, guest) = if search.among_running {
                (tried.job, search.job)
            } else {
                (search.job, tried.job)
            };
            let expected = self.verdict(host, guest);
            *self.seen.entry(tried.verdict).or_default() += 1;
            if tried.verdict == Verdict::Reservation {
                assert_eq!(expected, Verdict::Candidate);
                continue;
            }
            assert_eq!(tried.verdict, expected, "{host:?} {guest:?}");
            if expected == Verdict::Candidate {
                let gain = self.gain(host, guest);
                // The naive sum over a stream is no integral.
                let near = if self.heuristic == "response" {
                    1e-3
                } else {
                    1e-6
                } * (1.0 + gain.abs());
                assert!(
                    (gain - tried.gain).abs() <= near,
                    "{gain} is not {}",
                    tried.gain
                );
                assert!((tried.slowdown as f64 / 1e4 - self.slowdown(host, guest)).abs() < 1e-9);
                best = best.max(tried.gain);
                if Some(tried.job) == search.chosen {
                    of_chosen = tried.gain;
                }
            }
        }
        assert!(search.chosen.is_some() == (best > 0.0));
        assert_eq!(of_chosen, best, "the first of the best is chosen");
        if let Some(chosen) = search.chosen.filter(|_| !search.among_running) {
            let candidates = search
                .tried
                .iter()
                .filter(|tried| tried.verdict == Verdict::Candidate);
            self.places.push(
                candidates
                    .map(|tried| tried.job)
                    .position(|job| job == chosen)
                    .unwrap()
                    + 1,
            );
        }
    }
}

impl Observer for Twin {
    fn on_event(&mut self, at: Time, event: &Event<'_>) {
        if at > self.now {
            self.pass(at);
        }
        match *event {
            Event::Submitted(job) => {
                self.waiting.push(job);
                self.arrived.push(job);
            }
            Event::Started(job, placement, _) => {
                self.waiting.retain(|other| *other != job);
                self.waits
                    .push((at - self.workload.request(job).submitted).seconds());
                let nodes = placement.columns();
                self.running.insert(
                    job,
                    Running {
                        nodes: nodes.collect(),
                        done: 0.0,
                    },
                );
                assert!(self.partners(job).len() <= 1, "whole jobs are paired");
                if let Some(latest) = self.reserved.get(&job).filter(|_| self.by_arrival) {
                    assert!(
                        at.microseconds() <= latest.microseconds() + 10,
                        "{job:?} starts at {at:?}, its reservation was at {latest:?}"
                    );
                }
            }
            Event::Finished(job) => drop(self.running.remove(&job)),
            Event::Noted(note) => {
                let note: &dyn Any = note;
                if let Some(search) = note.downcast_ref() {
                    self.check(search);
                }
            }
            Event::Reserved(reservation, _) => drop(
                self.reserved
                    .entry(reservation.job)
                    .or_insert(reservation.start),
            ),
            _ => {}
        }
    }

    fn wants_reasons(&self) -> Reasons {
        Reasons::All
    }
}

fn twin(scenario: &Scenario, trace: &Trace) -> Twin {
    let resolved = scenario.resolve().unwrap();
    let workload = Arc::new(resolved.workload(trace).unwrap());
    let chosen =
        |key: &str, default: &'static str, all: &[&'static str]| match resolved.settings.0.get(key)
        {
            Some(Value::Text(text)) => all.iter().copied().find(|word| word == text).unwrap(),
            _ => default,
        };
    let mut twin = Twin {
        heuristic: chosen(
            "heuristic",
            "response",
            &[
                "response", "gain1", "gain2", "first", "adjacent", "always", "none",
            ],
        ),
        arrivals: chosen("arrivals", "queued", &["queued", "printed", "none"]),
        by_arrival: chosen("order", "classes", &["arrival", "classes"]) == "arrival",
        standard: chosen("cpu", "hyperthreaded", &["hyperthreaded", "standard"]) == "standard",
        slowdowns: chosen("slowdowns", "shares", &["shares", "printed"]),
        backfilling: chosen("backfilling", "easy", &["easy", "conservative", "none"]),
        waiting: Vec::new(),
        running: BTreeMap::new(),
        now: workload.requests[0].submitted,
        waits: Vec::new(),
        mean_wait: 0.0,
        arrived: Vec::new(),
        reserved: BTreeMap::new(),
        searches: 0,
        places: Vec::new(),
        in_order: 0,
        seen: BTreeMap::new(),
        workload: Arc::clone(&workload),
    };
    resolved
        .simulation(workload, Placements::Recorded)
        .run(&mut twin);
    assert!(twin.waiting.is_empty() && twin.running.is_empty());
    twin
}

fn lomarc(settings: &[(&str, &str)]) -> Scenario {
    let scenario = Scenario {
        machine: "smt".into(),
        ..Scenario::new("lomarc")
    };
    settings.iter().fold(scenario, |scenario, (key, value)| {
        scenario.with(key, Value::parse(value))
    })
}

#[test]
fn every_search_is_the_naive_ones() {
    let mut seen: BTreeMap<Verdict, u32> = BTreeMap::new();
    let mut in_order = 0;
    for seed in 0..72_usize {
        let settings = Settings::default()
            .with("jobs", 120.0)
            .with("processors", 32.0)
            .with("seed", seed as f64);
        let trace = generate("lublin", &settings).unwrap();
        let heuristic = ["response", "gain1", "gain2", "first", "adjacent", "always"][seed % 6];
        let more: &[(&str, &str)] = [
            &[("backfilling", "easy"), ("order", "arrival")][..],
            &[("backfilling", "easy"), ("cpu", "standard")],
            &[("backfilling", "none"), ("arrivals", "printed")],
            &[("backfilling", "easy"), ("arrivals", "none")],
            &[("backfilling", "conservative"), ("slowdowns", "printed")],
            &[("slowdowns", "printed"), ("weakly", "0")],
        ][seed / 6 % 6];
        let mix = ["m1", "m2", "m3"][seed % 3];
        let scenario = lomarc(more)
            .with("heuristic", heuristic)
            .with("demands", mix)
            .with("arrival_factor", 4.0);
        let twin = twin(&scenario, &trace);
        assert!(twin.searches > 5, "seed {seed}: {} searches", twin.searches);
        twin.seen
            .into_iter()
            .for_each(|(verdict, count)| *seen.entry(verdict).or_default() += count);
        in_order += twin.in_order;
        // And the audit finds nothing in what came of it.
        let figures = run(&scenario, &Arc::new(trace)).measures().figures;
        let mean = twin.places.iter().sum::<usize>() as f64 / twin.places.len().max(1) as f64;
        assert!(
            (figures["search.chosen"] - mean).abs() < 1e-9,
            "seed {seed}: {} is not {mean}",
            figures["search.chosen"]
        );
    }
    assert!(in_order > 100, "{in_order} searches in order test little");
    assert_eq!(seen.len(), 7, "{seen:?}");
    assert!(seen.values().all(|count| *count > 20), "{seen:?}");
}

#[test]
fn whoever_is_reserved_in_order_of_arrival_starts_by_then() {
    let mut held = 0;
    for seed in 0..16_usize {
        let settings = Settings::default()
            .with("jobs", 150.0)
            .with("processors", 24.0)
            .with("seed", 100.0 + seed as f64);
        let trace = generate("lublin", &settings).unwrap();
        let heuristic = ["response", "gain1", "first", "always"][seed % 4];
        let scenario = lomarc(&[
            ("order", "arrival"),
            ("heuristic", heuristic),
            ("demands", "m1"),
            ("arrival_factor", "3"),
        ]);
        // The twin asserts it at every start.
        held += twin(&scenario, &trace).reserved.len();
    }
    assert!(held > 150, "only {held} reservations");
}

/// Jobs (submitted, run time, nodes, cpu, network, disk, memory) on so many nodes.
fn given(nodes: u32, jobs: &[(i64, i64, u32, f64, f64, f64, f64)]) -> Arc<Trace> {
    let mut text = format!("; MaxProcs: {nodes}\n");
    let mut table = "job,cpu,network,disk,memory\n".to_owned();
    for (number, (submitted, runtime, size, cpu, network, disk, memory)) in (1..).zip(jobs) {
        writeln!(
            text,
            "{number} {submitted} -1 {runtime} {size} -1 -1 {size} {runtime} -1 1 1 1 \
            -1 -1 -1 -1 -1"
        )
        .unwrap();
        writeln!(table, "{number},{cpu},{network},{disk},{memory}").unwrap();
    }
    let demands = Some(Demands::read("by hand.csv", table.as_bytes()).unwrap());
    Arc::new(Trace {
        demands,
        ..read("by hand", text.as_bytes(), BadLines::Stop).unwrap()
    })
}

fn ends(trace: &Arc<Trace>, settings: &[(&str, &str)]) -> Vec<f64> {
    let run = run(&lomarc(settings).with("demands", "file"), trace);
    run.schedule()
        .ends
        .iter()
        .map(|end| end.seconds())
        .collect()
}

#[test]
fn pairs_by_hand() {
    const CPU: (f64, f64, f64) = (1.0, 0.0, 0.0);
    const NET: (f64, f64, f64) = (0.0, 1.0, 0.0);
    const DISK: (f64, f64, f64) = (0.0, 0.0, 1.0);
    let two = |one: (f64, f64, f64),
               other: (f64, f64, f64),
               memory: [f64; 2],
               sizes: [u32; 2],
               runtimes: [i64; 2]| {
        let job =
            |at: usize, d: (f64, f64, f64)| (0, runtimes[at], sizes[at], d.0, d.1, d.2, memory[at]);
        given(4, &[job(0, one), job(1, other)])
    };
    let all = |trace: &Arc<Trace>| {
        ["response", "gain1", "gain2", "first", "adjacent"]
            .map(|h| ends(trace, &[("heuristic", h), ("compatible", "0")]))
    };
    let plain = |one, other| two(one, other, [0.5; 2], [4; 2], [100; 2]);
    // Nothing in common: as fast as alone.
    assert_eq!(all(&plain(CPU, DISK)), [[100.0, 100.0]; 5]);
    assert_eq!(all(&plain(CPU, NET)), [[100.0, 100.0]; 5]);
    assert_eq!(all(&plain(NET, DISK)), [[100.0, 100.0]; 5]);
    // Of one kind, or too much for the memory: one after the other.
    for apart in [
        plain(NET, NET),
        plain(DISK, DISK),
        plain(CPU, CPU),
        two(CPU, DISK, [0.6, 0.5], [4; 2], [100; 2]),
    ] {
        assert_eq!(all(&apart), [[100.0, 200.0]; 5]);
    }
    // Two that compute go together where their instructions do: 7 / 5 as long.
    assert_eq!(
        ends(
            &plain(CPU, CPU),
            &[("compatible", "1"), ("heuristic", "gain1")]
        ),
        [140.0, 140.0]
    );
    assert_eq!(
        ends(
            &plain(CPU, CPU),
            &[("compatible", "1"), ("max_slowdown", "1.3")]
        ),
        [100.0, 200.0]
    );
    // On standard CPUs only the CPU and the disk go together.
    let standard = [("cpu", "standard"), ("heuristic", "gain1")];
    assert_eq!(ends(&plain(CPU, DISK), &standard), [100.0, 100.0]);
    assert_eq!(ends(&plain(CPU, NET), &standard), [100.0, 200.0]);
    assert_eq!(ends(&plain(NET, DISK), &standard), [100.0, 200.0]);
    // Space sharing, and sharing always.
    assert_eq!(
        ends(&plain(CPU, DISK), &[("heuristic", "none")]),
        [100.0, 200.0]
    );
    assert_eq!(ends(&plain(CPU, DISK), &[("threads", "1")]), [100.0, 200.0]);
    assert_eq!(
        ends(
            &two(CPU, CPU, [0.6; 2], [4; 2], [100; 2]),
            &[("heuristic", "always")]
        ),
        [250.0, 250.0],
        "they page"
    );
    // Short jobs are not worth it, and a larger one finds no place on a smaller one's nodes.
    assert_eq!(
        all(&two(CPU, DISK, [0.5; 2], [4; 2], [60; 2])),
        [[60.0, 120.0]; 5]
    );
    assert_eq!(
        all(&two(CPU, DISK, [0.5; 2], [3, 4], [100; 2])),
        [[100.0, 200.0]; 5]
    );
    assert_eq!(
        all(&two(CPU, DISK, [0.5; 2], [4, 3], [100; 2])),
        [[100.0, 100.0]; 5]
    );
    // Weakly loaded: three nodes are asked for, 80 % of four are free.
    assert_eq!(
        ends(&two(CPU, DISK, [0.5; 2], [2, 1], [100; 2]), &[]),
        [100.0, 100.0]
    );
    let starts_apart = run(
        &lomarc(&[("demands", "file")]),
        &two(CPU, DISK, [0.5; 2], [2, 1], [100; 2]),
    );
    assert_eq!(
        starts_apart
            .schedule()
            .ranges
            .iter()
            .map(|range| (range.first, range.count))
            .collect::<Vec<_>>(),
        [(0, 2), (2, 1)]
    );
}

#[test]
fn running_jobs_get_partners_and_new_ones() {
    // The second comes when half of the first is done and needs other things; the third waits until
    // the second is gone, and takes its place.
    let trace = given(
        4,
        &[
            (0, 400, 4, 1.0, 0.0, 0.0, 0.5),
            (200, 100, 4, 0.0, 1.0, 0.0, 0.5),
            (210, 100, 4, 0.0, 0.0, 1.0, 0.5),
        ],
    );
    let run = run(
        &lomarc(&[("demands", "file"), ("heuristic", "gain1")]),
        &trace,
    );
    let schedule = run.schedule();
    assert_eq!(
        schedule
            .starts
            .iter()
            .map(|at| at.seconds())
            .collect::<Vec<_>>(),
        [0.0, 200.0, 300.0]
    );
    assert_eq!(
        schedule
            .ends
            .iter()
            .map(|at| at.seconds())
            .collect::<Vec<_>>(),
        [400.0, 300.0, 400.0]
    );
    let matches: Vec<(u32, u32)> = schedule
        .of::<SmtRecord>()
        .unwrap()
        .searches
        .matches
        .iter()
        .map(|pair| (pair.host.0, pair.guest.0))
        .collect();
    assert_eq!(matches, [(0, 1), (0, 2)]);
}

#[test]
fn jobs_of_which_nothing_is_known_share_no_nodes() {
    let trace = Arc::new(generate("lublin", &Settings::default().with("jobs", 300.0)).unwrap());
    let digest = |settings: &[(&str, &str)]| {
        run(&lomarc(settings).with("arrival_factor", 3.0), &trace)
            .schedule()
            .digest()
    };
    assert_eq!(digest(&[]), digest(&[("heuristic", "none")]));
    assert_ne!(
        digest(&[("demands", "m1")]),
        digest(&[("heuristic", "none")])
    );
    assert_eq!(
        digest(&[("demands", "m1"), ("heuristic", "none")]),
        digest(&[("threads", "1")])
    );
}

#[test]
fn a_table_beside_the_trace_says_what_jobs_need() {
    let trace = given(4, &[(0, 100, 4, 1.0, 0.0, 0.0, 0.5)]);
    let bare = Trace {
        demands: None,
        ..(*trace).clone()
    };
    let problem = lomarc(&[("demands", "file")])
        .resolve()
        .unwrap()
        .workload(&bare)
        .unwrap_err();
    assert_eq!(problem.what, "No table of demands was given.");
    let workload = lomarc(&[("demands", "file")])
        .resolve()
        .unwrap()
        .workload(&trace)
        .unwrap();
    assert!(
        workload
            .provenance
            .steps
            .last()
            .unwrap()
            .starts_with("demands of 1 of 1 jobs from by hand.csv (SHA-256 ")
    );
    let other = Demands::read("other.csv", b"job,cpu,network,disk,memory\n9,1,0,0,0\n").unwrap();
    let problem = lomarc(&[("demands", "file")])
        .resolve()
        .unwrap()
        .workload(&Trace {
            demands: Some(other),
            ..bare
        })
        .unwrap_err();
    assert_eq!(problem.what, "other.csv has none of the jobs.");
}

#[test]
fn matching_is_a_candidate_of_adaptive_policies_and_takes_no_buddies() {
    let trace = Arc::new(
        generate(
            "lublin",
            &Settings::default()
                .with("jobs", 300.0)
                .with("processors", 32.0),
        )
        .unwrap(),
    );
    let smt = |policy: &str| {
        Scenario {
            machine: "smt".into(),
            ..Scenario::new(policy)
        }
        .with("demands", "m1")
        .with("arrival_factor", 3.0)
    };
    for (candidates, is_matching) in [(None, false), (Some("lomarc+easy"), true)] {
        let pbas = candidates.map_or_else(
            || smt("pbas"),
            |candidates| {
                smt("pbas")
                    .with("candidates", candidates)
                    .with("frame", 3600.0)
            },
        );
        assert_eq!(pbas.resolve().unwrap().matches(), is_matching);
        run(&pbas, &trace);
    }
    for scenario in [smt("lomarc"), smt("wbas").with("candidates", "easy+lomarc")] {
        let problem = scenario.with("packing", "buddy").resolve().err().unwrap();
        assert!(
            problem.what.starts_with("`packing=buddy` has no meaning"),
            "{problem}"
        );
    }
}
