//! Every reason against a naive twin, which works it out from the schedule, the reservations told and the definitions in
//! docs/explanations.md.

use super::support::{Overruns, random_jobs, simulation, workload_for};
use schedscope::experiment::Scenario;
use schedscope::explain::{Step, StoryTeller};
use schedscope::job::JobId;
use schedscope::schedule::{Recorder, Schedule};
use schedscope::sim::Why;
use schedscope::time::Time;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// An instant after its decision, in whole seconds.
struct Instant<'a> {
    schedule: &'a Schedule,
    step: &'a Step,
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
        self.schedule.workload.request(job).submitted.whole_seconds()
    }

    /// Processors that running jobs hold at `at` if each runs as long as its estimate says.
    fn held(&self, at: i64, without: &[JobId]) -> u32 {
        let others = self.running.iter().filter(|job| !without.contains(job));
        let ends = |job: &JobId| self.schedule.starts[job.index()].whole_seconds() + self.estimate(*job);
        others.filter(|job| ends(job) > at).map(|job| self.size(*job)).sum()
    }

    /// Reservations of other jobs that hold processors at `at`, by arrival.
    fn holders(&self, at: i64, job: JobId) -> Vec<JobId> {
        let told = self.step.reserved.iter().map(|outline| outline.reservation);
        let holds = |start: Time, of: JobId| (start.whole_seconds()..start.whole_seconds() + self.estimate(of)).contains(&at);
        let mut jobs: Vec<JobId> = told.filter(|told| told.job != job && holds(told.start, told.job)).map(|told| told.job).collect();
        jobs.sort();
        jobs
    }

    /// The reservation that a job would meet first if it started now.
    fn met(&self, job: JobId) -> Option<JobId> {
        (self.now..self.now + self.estimate(job)).find_map(|at| {
            let holders = self.holders(at, job);
            let reserved: u32 = holders.iter().map(|job| self.size(*job)).sum();
            let over = self.held(at, &[]) + reserved + self.size(job) > self.schedule.workload.processors;
            if over { holders.first().copied() } else { None }
        })
    }

    fn free(&self, without: &[JobId]) -> u32 {
        self.schedule.workload.processors - self.held(self.now, without)
    }

    /// Processors first; then the reservation that is met; or nobody tried.
    fn by_reservations(&self, job: JobId) -> Why {
        let free = self.free(&[]);
        if self.size(job) > free {
            return Why::Processors { free };
        }
        self.met(job).map_or(Why::NotTried, |by| Why::Reserved { by })
    }

    /// When the head can start, and how many processors are over then, had `without` not started.
    fn shadow(&self, head: JobId, without: &[JobId]) -> (i64, u32) {
        let free = |at: i64| self.schedule.workload.processors - self.held(at, without);
        let shadow = (self.now..).find(|at| free(*at) >= self.size(head)).unwrap();
        (shadow, free(shadow) - self.size(head))
    }

    /// Look-ahead: who could have started before the best set did was not chosen.
    fn by_look_ahead(&self, head: JobId, job: JobId) -> Why {
        let set: Vec<JobId> = self.step.started.iter().copied().filter(|started| *started > head).collect();
        let admits = |without: &[JobId]| {
            let (shadow, extra) = self.shadow(head, without);
            self.size(job) <= self.free(without) && (self.now + self.estimate(job) <= shadow || self.size(job) <= extra)
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

/// What a policy says of a job that waits.
type Rule = fn(&Instant<'_>, JobId) -> Why;

/// Whoever arrived first stops all others, whether there is room for them or not.
fn in_line(instant: &Instant<'_>, job: JobId) -> Why {
    let head = instant.step.waiting[0].0;
    if job == head { instant.by_reservations(job) } else { Why::Behind { ahead: head } }
}

fn by_reservations(instant: &Instant<'_>, job: JobId) -> Why {
    instant.by_reservations(job)
}

/// A head that has waited for 18 s stops all others.
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

/// Scenarios with the rule of each. All decide once an instant, on a machine where any free processors serve.
fn rules() -> Vec<(Scenario, Rule)> {
    let with =
        |policy: &str, settings: &[(&str, &str)]| settings.iter().fold(Scenario::new(policy), |all, (key, word)| all.with(key, *word));
    let mut rules: Vec<(Scenario, Rule)> = vec![
        (Scenario::new("fcfs"), in_line),
        (with("maui", &[("backfill", "none")]), in_line),
        (Scenario::new("lookahead"), by_look_ahead),
        (Scenario::new("priority").with("starvation", "none"), by_reservations),
        (Scenario::new("priority").with("wait_limit", 0.005), until_starved),
    ];
    for settings in [
        &[][..],
        &[("scan", "shortest")],
        &[("rescan", "new")],
        &[("order", "shortest"), ("rescan", "new")],
        &[("order", "largest"), ("rescan", "fitting")],
    ] {
        rules.push((with("easy", settings), by_reservations));
    }
    for depth in [0.0, 2.0, 3.0] {
        rules.push((Scenario::new("easy").with("depth", depth), by_reservations));
        rules.push((Scenario::new("easy").with("depth", depth).with("rescan", "new").with("scan", "shortest"), by_reservations));
        rules.push((Scenario::new("maui").with("reservation_depth", depth.max(1.0)), by_reservations));
    }
    for settings in [&[][..], &[("order", "shortest")]] {
        rules.extend(["conservative", "selective"].map(|policy| (with(policy, settings), by_reservations as Rule)));
    }
    rules.push((with("conservative", &[("compression", "every")]), by_reservations));
    rules.extend(["flex", "multiqueue"].map(|policy| (with(policy, &[]), by_reservations as Rule)));
    rules
}

#[test]
fn every_reason_is_what_its_definition_says() {
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    for (scenario, rule) in rules() {
        for seed in 0..200 {
            let (processors, jobs) = random_jobs(seed, Overruns::Never);
            let workload = workload_for(&scenario, processors, &jobs);
            let mut watched = (Recorder::new(Arc::clone(&workload)), StoryTeller::new(Arc::clone(&workload)));
            simulation(&scenario, &workload).run(&mut watched);
            let (schedule, story) = (watched.0.into_schedule(), watched.1.into_story());
            let mut running = BTreeSet::new();
            for step in &story.steps {
                running.extend(&step.started);
                running.retain(|job| !step.ended.contains(job));
                let instant = Instant { schedule: &schedule, step, running: &running, now: step.at.whole_seconds() };
                for (job, why) in &step.waiting {
                    assert_eq!(*why, rule(&instant, *job), "seed {seed}, {scenario:?}, {job:?}: {step:?}");
                    *seen.entry(format!("{} {}", scenario.policy, format!("{why:?}").split(' ').next().unwrap())).or_default() += 1;
                }
            }
        }
    }
    let kinds = ["conservative NotTried", "conservative Reserved", "easy NotTried", "easy Reserved", "fcfs Behind", "flex Reserved"];
    let more = ["lookahead NotChosen", "lookahead Reserved", "maui Behind", "maui Reserved", "multiqueue Reserved", "priority Behind"];
    for kind in kinds.into_iter().chain(more).chain(["selective NotTried", "selective Reserved"]) {
        assert!(seen.contains_key(kind), "{kind}: {seen:?}");
    }
}
