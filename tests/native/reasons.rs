//! Every reason for waiting against a naive twin. The twin derives it from the schedule, the
//! reported reservations and the definitions in docs/explanations.md.

use super::figures::free_boxes;
use super::support::{Overruns, random_jobs, simulation, small, workload_for};
use schedscope::experiment::Scenario;
use schedscope::explain::{StoryStep, StoryTeller};
use schedscope::job::JobId;
use schedscope::schedule::Schedule;
use schedscope::sim::Why;
use schedscope::time::Time;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Number of nodes along each axis of the torus of [`small`]. All axes are closed to rings.
const TORUS: [u32; 3] = [2, 2, 3];

/// The state after the decision of an instant, with times in whole seconds.
struct Instant<'a> {
    schedule: &'a Schedule,
    step: &'a StoryStep,
    running: &'a BTreeSet<JobId>,
    now: i64,
}

impl Instant<'_> {
    fn size(&self, job: JobId) -> u32 {
        self.schedule.workload.request(job).processors
    }

    fn estimate(&self, job: JobId) -> i64 {
        self.schedule.workload.request(job).estimate.microseconds() / 1_000_000
    }

    fn submitted(&self, job: JobId) -> i64 {
        self.schedule
            .workload
            .request(job)
            .submitted
            .whole_seconds()
    }

    /// Returns the number of processors that running jobs hold at `at`, if each runs as long as its
    /// estimate.
    fn held(&self, at: i64, without: &[JobId]) -> u32 {
        let others = self.running.iter().filter(|job| !without.contains(job));
        let ends =
            |job: &JobId| self.schedule.starts[job.index()].whole_seconds() + self.estimate(*job);
        others
            .filter(|job| ends(job) > at)
            .map(|job| self.size(*job))
            .sum()
    }

    /// Returns the reservations of other jobs that hold processors at `at`, in the order of
    /// arrival.
    fn holders(&self, at: i64, job: JobId) -> Vec<JobId> {
        let told = self.step.reserved.iter().map(|outline| outline.reservation);
        let holds = |start: Time, of: JobId| {
            (start.whole_seconds()..start.whole_seconds() + self.estimate(of)).contains(&at)
        };
        let mut jobs: Vec<JobId> = told
            .filter(|told| told.job != job && holds(told.start, told.job))
            .map(|told| told.job)
            .collect();
        jobs.sort();
        jobs
    }

    /// Returns the reservation that a job would meet first if it started now.
    fn met(&self, job: JobId) -> Option<JobId> {
        (self.now..self.now + self.estimate(job)).find_map(|at| {
            let holders = self.holders(at, job);
            let reserved: u32 = holders.iter().map(|job| self.size(*job)).sum();
            let over =
                self.held(at, &[]) + reserved + self.size(job) > self.schedule.workload.processors;
            if over { holders.first().copied() } else { None }
        })
    }

    fn free(&self, without: &[JobId]) -> u32 {
        self.schedule.workload.processors - self.held(self.now, without)
    }

    /// Checks the processors first, then the reservation that the job would meet. Otherwise the job
    /// was not tried.
    fn by_reservations(&self, job: JobId) -> Why {
        let free = self.free(&[]);
        if self.size(job) > free {
            return Why::Processors { free };
        }
        self.met(job)
            .map_or(Why::NotTried, |by| Why::Reserved { by })
    }

    /// Returns the earliest start of the head, and the number of extra processors then, if
    /// `without` had not started.
    fn shadow(&self, head: JobId, without: &[JobId]) -> (i64, u32) {
        let free = |at: i64| self.schedule.workload.processors - self.held(at, without);
        let shadow = (self.now..self.now + 10_000)
            .find(|at| free(*at) >= self.size(head))
            .unwrap();
        (shadow, free(shadow) - self.size(head))
    }

    /// Returns the smallest size of a box of the torus that has room for the job.
    fn raised(&self, job: JobId) -> u32 {
        let all = free_boxes(TORUS, [true; 3], &BTreeSet::new());
        *all.range(self.size(job)..).next().unwrap()
    }

    /// Returns the reason on a torus: too few free nodes, or no free box of the job's size or of up
    /// to `raise` nodes more.
    fn too_large(&self, job: JobId, raise: u32) -> Option<Why> {
        let of = |job: &JobId| {
            self.schedule
                .order
                .iter()
                .find(|entry| entry.job == *job)
                .unwrap()
        };
        let ranges = |job: &JobId| self.schedule.at(of(job).placed).ranges.to_vec();
        let held: BTreeSet<u32> = self
            .running
            .iter()
            .flat_map(ranges)
            .flat_map(|range| range.first..range.first + range.count)
            .collect();
        let free = self.schedule.workload.processors - held.len() as u32;
        let boxes = free_boxes(TORUS, [true; 3], &held);
        let size = self.raised(job);
        if size > free {
            return Some(Why::Processors { free });
        }
        let fits = boxes
            .range(size..=size.saturating_add(raise))
            .next()
            .is_some();
        if fits {
            None
        } else {
            Some(Why::Partition {
                largest: boxes.last().copied().unwrap_or(0),
            })
        }
    }

    /// Returns the first arrival among the jobs with a reservation that begins before `job` would
    /// end.
    fn reserved_before_its_end(&self, job: JobId) -> Option<JobId> {
        let told = self.step.reserved.iter().map(|outline| outline.reservation);
        told.filter(|told| {
            told.job != job && told.start.whole_seconds() < self.now + self.estimate(job)
        })
        .map(|told| told.job)
        .min()
    }

    /// Returns the reason under look-ahead: a job that could have started before the best set did
    /// was not chosen.
    fn by_look_ahead(&self, head: JobId, job: JobId) -> Why {
        let set: Vec<JobId> = self
            .step
            .started
            .iter()
            .copied()
            .filter(|started| *started > head)
            .collect();
        let admits = |without: &[JobId]| {
            let (shadow, extra) = self.shadow(head, without);
            self.size(job) <= self.free(without)
                && (self.now + self.estimate(job) <= shadow || self.size(job) <= extra)
        };
        let free = self.free(&[]);
        match () {
            () if job == head => Why::Processors { free },
            () if admits(&set) => Why::NotChosen,
            () if self.size(job) > free => Why::Processors { free },
            () => Why::Reserved { by: head },
        }
    }
}

/// A function that returns the reason of a policy for a waiting job.
type Rule = fn(&Instant<'_>, JobId) -> Why;

/// The first arrival stops all other jobs, whether there is room for them or not.
fn in_line(instant: &Instant<'_>, job: JobId) -> Why {
    let head = instant.step.waiting[0].0;
    if job == head {
        instant.by_reservations(job)
    } else {
        Why::Behind { ahead: head }
    }
}

fn by_reservations(instant: &Instant<'_>, job: JobId) -> Why {
    instant.by_reservations(job)
}

/// A head that has waited for 18 s stops all other jobs.
fn until_starved(instant: &Instant<'_>, job: JobId) -> Why {
    let head = instant.step.waiting[0].0;
    let is_starved = instant.now - instant.submitted(head) >= 18;
    match instant.by_reservations(job) {
        Why::NotTried if is_starved => Why::Behind { ahead: head },
        why => why,
    }
}

fn by_look_ahead(instant: &Instant<'_>, job: JobId) -> Why {
    instant.by_look_ahead(instant.step.waiting[0].0, job)
}

/// On a torus, the head waits for a box, and all other jobs wait for the head.
fn in_line_for_a_box(instant: &Instant<'_>, job: JobId) -> Why {
    let head = instant.step.waiting[0].0;
    if job == head {
        instant.too_large(job, u32::MAX).unwrap()
    } else {
        Why::Behind { ahead: head }
    }
}

/// Every job that fits starts.
fn by_boxes(instant: &Instant<'_>, job: JobId) -> Why {
    instant.too_large(job, u32::MAX).unwrap()
}

/// A backfilled job gets at most one node more than its size.
fn by_boxes_and_reservations(instant: &Instant<'_>, job: JobId) -> Why {
    let raise = if job == instant.step.waiting[0].0 {
        u32::MAX
    } else {
        1
    };
    let by = || {
        instant
            .reserved_before_its_end(job)
            .map_or(Why::NotTried, |by| Why::Reserved { by })
    };
    instant.too_large(job, raise).unwrap_or_else(by)
}

/// At an arrival only the new jobs are tried.
fn by_boxes_if_new(instant: &Instant<'_>, job: JobId) -> Why {
    let is_old = instant.step.ended.is_empty() && !instant.step.submitted.contains(&job);
    match by_boxes_and_reservations(instant, job) {
        why @ Why::Processors { .. } => why,
        _ if is_old && job != instant.step.waiting[0].0 => Why::NotTried,
        why => why,
    }
}

/// Returns scenarios with the rule of each. All decide once at an instant.
fn rules() -> Vec<(Scenario, Rule)> {
    let with = |policy: &str, settings: &[(&str, &str)]| {
        settings
            .iter()
            .fold(Scenario::new(policy), |all, (key, word)| {
                all.with(key, *word)
            })
    };
    let mut rules: Vec<(Scenario, Rule)> = vec![
        (Scenario::new("fcfs"), in_line),
        (with("maui", &[("backfill", "none")]), in_line),
        (Scenario::new("lookahead"), by_look_ahead),
        (
            Scenario::new("priority").with("starvation", "none"),
            by_reservations,
        ),
        (
            Scenario::new("priority").with("wait_limit", 0.005),
            until_starved,
        ),
    ];
    for settings in [
        &[][..],
        &[("scan", "shortest")],
        &[("rescan", "new")],
        &[("order", "shortest"), ("rescan", "new")],
        &[("order", "largest"), ("rescan", "fitting")],
        &[("rescan", "fitting")],
    ] {
        rules.push((with("easy", settings), by_reservations));
    }
    for depth in [0.0, 2.0, 3.0] {
        rules.push((Scenario::new("easy").with("depth", depth), by_reservations));
        rules.push((
            Scenario::new("easy")
                .with("depth", depth)
                .with("rescan", "new")
                .with("scan", "shortest"),
            by_reservations,
        ));
        rules.push((
            Scenario::new("maui").with("reservation_depth", depth.max(1.0)),
            by_reservations,
        ));
    }
    for settings in [&[][..], &[("order", "shortest")]] {
        rules.extend(
            ["conservative", "selective"]
                .map(|policy| (with(policy, settings), by_reservations as Rule)),
        );
    }
    rules.push((
        with("conservative", &[("compression", "every")]),
        by_reservations,
    ));
    let torus = |policy: &str| {
        small(Scenario {
            machine: "torus".into(),
            ..Scenario::new(policy)
        })
        .with("start_delay", 0.0)
    };
    rules.push((torus("fcfs"), in_line_for_a_box));
    rules.push((torus("priority").with("starvation", "none"), by_boxes));
    rules.push((torus("easy"), by_boxes_and_reservations));
    rules.push((torus("easy").with("depth", 3.0), by_boxes_and_reservations));
    rules.push((torus("easy").with("rescan", "new"), by_boxes_if_new));
    rules.extend(["flex", "multiqueue"].map(|policy| (with(policy, &[]), by_reservations as Rule)));
    rules
}

/// Returns true if the policy reports only the reservation of the waiting job that arrived first.
fn tells_the_head(scenario: &Scenario) -> bool {
    let has = |key: &str| scenario.settings.0.contains_key(key);
    scenario.machine == "flat"
        && ["easy", "lookahead"].contains(&scenario.policy.as_str())
        && !has("depth")
        && !has("order")
}

#[test]
fn every_reason_is_what_its_definition_says() {
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    for (scenario, rule) in rules() {
        for seed in 0..200 {
            let (processors, jobs) = random_jobs(seed, Overruns::Never);
            let workload = workload_for(&scenario, processors, &jobs);
            let mut watched = (
                scenario.resolve().unwrap().recorder(&workload),
                StoryTeller::new(Arc::clone(&workload)),
            );
            simulation(&scenario, &workload).run(&mut watched);
            let (schedule, story) = (watched.0.into_schedule(), watched.1.into_story());
            let (mut running, mut waiting) = (BTreeSet::new(), BTreeSet::new());
            for step in &story.steps {
                waiting.extend(&step.submitted);
                waiting.retain(|job| !step.started.contains(job));
                assert!(
                    step.waiting.iter().map(|(job, _)| job).eq(&waiting),
                    "seed {seed}, {scenario:?}: {step:?}"
                );
                running.extend(&step.started);
                running.retain(|job| !step.ended.contains(job));
                let instant = Instant {
                    schedule: &schedule,
                    step,
                    running: &running,
                    now: step.at.whole_seconds(),
                };
                if tells_the_head(&scenario) {
                    let told: Vec<_> = step
                        .reserved
                        .iter()
                        .map(|told| (told.reservation.job, told.reservation.start.whole_seconds()))
                        .collect();
                    let head = step
                        .waiting
                        .first()
                        .map(|(head, _)| (*head, instant.shadow(*head, &[]).0));
                    assert_eq!(
                        told,
                        Vec::from_iter(head),
                        "seed {seed}, {scenario:?}: {step:?}"
                    );
                }
                for (job, why) in &step.waiting {
                    assert_eq!(
                        *why,
                        rule(&instant, *job),
                        "seed {seed}, {scenario:?}, {job:?}: {step:?}"
                    );
                    *seen
                        .entry(format!(
                            "{} {} {}",
                            scenario.machine,
                            scenario.policy,
                            format!("{why:?}").split(' ').next().unwrap()
                        ))
                        .or_default() += 1;
                }
            }
        }
    }
    let kinds = [
        "fcfs Behind",
        "easy Reserved",
        "easy NotTried",
        "conservative Reserved",
        "conservative NotTried",
        "selective Reserved",
    ];
    let more = [
        "selective NotTried",
        "maui Behind",
        "maui Reserved",
        "lookahead NotChosen",
        "lookahead Reserved",
        "priority Behind",
    ];
    let flat = kinds
        .into_iter()
        .chain(more)
        .chain(["multiqueue Reserved", "flex Reserved"])
        .map(|kind| format!("flat {kind}"));
    let torus = [
        "fcfs Behind",
        "fcfs Partition",
        "easy Partition",
        "easy Reserved",
        "easy NotTried",
        "priority Partition",
    ];
    for kind in flat.chain(torus.map(|kind| format!("torus {kind}"))) {
        assert!(seen.contains_key(&kind), "{kind}: {seen:?}");
    }
}
