//! Preemption in runs: a policy that stops jobs without mercy, and what the engine, the schedule, the
//! figures, the pictures, the files and the explanations make of it.

use super::support::{Job, workload};
use schedscope::explain::{StoryTeller, Wait, WaitCauses, Waiter};
use schedscope::files;
use schedscope::job::JobId;
use schedscope::limits;
use schedscope::machine::Placements;
use schedscope::metrics::{measure, per_job};
use schedscope::param::Settings;
use schedscope::random::Stream;
use schedscope::schedule::audit::audit;
use schedscope::schedule::{Outcome, Recorder, Schedule};
use schedscope::sim::{
    Event, Fate, Observer, Policy, Silent, Simulation, Tally, Ties, Turn, Turning,
};
use schedscope::time::{Span, Time};
use schedscope::view::{
    Colouring, Colours, Filter, Index, Lanes, Steps, Theme, Viewport, area, changes, job_at, versus,
};
use schedscope::workload::Workload;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

/// Totals that a run told its policy, and the jobs whose ends it told.
#[derive(Default, Debug)]
struct Heard {
    tally: Tally,
    background: Tally,
    mean_wait: Span,
    completed: Vec<JobId>,
}

/// Starts jobs in order of arrival, and lets each take the processors of users with larger numbers: the
/// latest start goes first. Jobs of users with odd numbers are requeued, and the others cancelled.
struct Ruthless {
    heard: Arc<Mutex<Heard>>,
    background: Option<schedscope::sim::BackgroundSimulation>,
    is_real: bool,
}

impl Ruthless {
    fn new(is_real: bool) -> Self {
        Self {
            heard: Arc::default(),
            background: None,
            is_real,
        }
    }

    fn make_room(turn: &mut Turn<'_>, job: JobId) -> bool {
        let request = *turn.request(job);
        let mut victims: Vec<(Time, JobId, u32)> = turn
            .running()
            .iter()
            .filter(|entry| turn.request(entry.job).user > request.user)
            .map(|entry| (entry.started, entry.job, entry.processors))
            .collect();
        victims.sort_unstable();
        let sum: u32 = victims.iter().map(|(_, _, processors)| processors).sum();
        if turn.free() + sum < request.processors {
            return false;
        }
        let mut stops = false;
        while turn.free() < request.processors {
            let Some((_, victim, _)) = victims.pop() else {
                return stops;
            };
            let is_odd = turn.request(victim).user % 2 == 1;
            let fate = if is_odd { Fate::Requeue } else { Fate::Cancel };
            if turn.preempt(victim, fate) {
                stops = true;
                assert!(!turn.preempt(victim, fate), "it no longer runs");
                assert!(
                    turn.queue().entry(victim).is_none(),
                    "not before the next turn"
                );
            }
        }
        stops
    }
}

impl Policy for Ruthless {
    fn decide(&mut self, turn: &mut Turn<'_>) {
        if self.is_real {
            if self.background.is_none() {
                self.background = Some(turn.background(Box::new(Self::new(false))));
            }
            let mut heard = self.heard.lock().unwrap();
            heard.tally = heard.tally.and(turn.tally());
            heard.mean_wait = turn.mean_wait();
            if let Some(background) = &mut self.background {
                heard.background = heard.background.and(background.advance(turn));
            }
        }
        let waiting: Vec<JobId> = turn.queue().iter().map(|entry| entry.job).collect();
        let mut stops = false;
        for job in waiting {
            if !turn.start(job) && Self::make_room(turn, job) {
                stops = true;
                let fits = turn.free() >= turn.request(job).processors;
                assert_eq!(turn.start(job), fits);
            }
        }
        if stops {
            turn.wake_at(turn.now() + Span::SECOND);
        }
        if turn.is_watched() {
            turn.explain(&[], |_| schedscope::sim::Why::NotChosen);
        }
    }

    fn completed(&mut self, job: JobId, _: &schedscope::job::Request, _: Span) {
        self.heard.lock().unwrap().completed.push(job);
    }

    fn fork(&self) -> Box<dyn Policy> {
        Box::new(Self::new(false))
    }
}

const PROCESSORS: u32 = 8;

fn random_jobs(seed: u64) -> Vec<Job> {
    let mut dice = Stream::new(seed, "preemption");
    let mut submit = 0;
    (0..dice.below(30) + 4)
        .map(|_| {
            submit += dice.below(8) as i64;
            let runtime = dice.below(40) as i64;
            Job {
                submit,
                runtime,
                estimate: runtime + dice.below(10) as i64,
                processors: dice.below(PROCESSORS.into()) as u32 + 1,
                user: dice.below(5) as i32,
            }
        })
        .collect()
}

fn simulation(workload: &Arc<Workload>, delay: f64, ties: Ties, policy: Ruthless) -> Simulation {
    let flat = schedscope::machines::find("flat").unwrap();
    let settings = Settings::default().with("start_delay", delay);
    let machine = (flat.build)(workload, &settings, Placements::Recorded);
    Simulation::new(Arc::clone(workload), machine, Box::new(policy), ties)
}

/// Everything that happened to jobs, in order.
#[derive(Default)]
struct Log(Vec<(i64, char, JobId)>);

impl Observer for Log {
    fn on_event(&mut self, at: Time, event: &Event<'_>) {
        let (kind, job) = match event {
            Event::Submitted(job) => ('w', *job),
            Event::Started(job, ..) => ('s', *job),
            Event::Requeued(job) => ('r', *job),
            Event::Cancelled(job) => ('c', *job),
            Event::Finished(job) => ('f', *job),
            _ => return,
        };
        self.0.push((at.whole_seconds(), kind, job));
    }
}

struct Done {
    schedule: Schedule,
    log: Vec<(i64, char, JobId)>,
    steps: Steps,
}

fn run(workload: &Arc<Workload>, delay: f64, ties: Ties) -> Done {
    let mut watcher = (
        (Recorder::new(Arc::clone(workload)), Log::default()),
        Steps::new(Arc::clone(workload), 1),
    );
    let done = simulation(workload, delay, ties, Ruthless::new(true)).run(&mut watcher);
    assert_eq!((done.finished, done.done), (workload.len() as u32, true));
    let ((recorder, log), steps) = watcher;
    Done {
        schedule: recorder.into_schedule(),
        log: log.0,
        steps,
    }
}

/// An attempt, as the log of events has it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Seen {
    job: JobId,
    from: i64,
    end: i64,
    kind: char,
}

fn attempts(log: &[(i64, char, JobId)]) -> Vec<Seen> {
    let mut seen: Vec<Seen> = Vec::new();
    for (at, kind, job) in log {
        let (at, job) = (*at, *job);
        match kind {
            's' => seen.push(Seen {
                job,
                from: at,
                end: i64::MAX,
                kind: 's',
            }),
            'w' => {}
            kind => {
                let last = seen.iter_mut().rev().find(|one| one.job == job).unwrap();
                if last.kind == 's' {
                    (last.end, last.kind) = (at, *kind);
                }
            }
        }
    }
    seen
}

/// Calls `each` with many runs, and with how much a start is delayed.
fn each_run(mut each: impl FnMut(&Arc<Workload>, i64, Done)) {
    let (mut requeues, mut cancelled, mut within_delay, mut at_once) = (0, 0, 0, 0);
    for seed in 0..60 {
        let workload = workload(PROCESSORS, &random_jobs(seed));
        for delay in [0, 3] {
            let done = run(&workload, delay as f64, Ties::Together);
            requeues += done.schedule.lost.len();
            cancelled += done.schedule.cancelled.len();
            let lost = done.schedule.lost.values();
            within_delay += lost
                .filter(|lost| lost.end - lost.from < Span::from_seconds(delay))
                .count();
            let lost = done.schedule.lost.values();
            at_once += lost.filter(|lost| lost.end == lost.from).count();
            each(&workload, delay, done);
        }
    }
    let counts = (requeues, cancelled, within_delay, at_once);
    assert!(
        requeues > 200 && cancelled > 100 && within_delay > 10 && at_once > 5,
        "{counts:?}"
    );
}

#[test]
fn the_schedule_is_what_happened() {
    each_run(|workload, delay, Done { schedule, log, .. }| {
        assert_eq!(audit(&schedule, 3), Vec::<String>::new());
        let seen = attempts(&log);
        let own: Vec<Seen> = schedule
            .attempts()
            .map(|attempt| Seen {
                job: attempt.job,
                from: attempt.from.whole_seconds(),
                end: attempt.end.whole_seconds(),
                kind: if attempt.is_lost {
                    'r'
                } else if schedule.outcome(attempt.job) == Outcome::Preempted {
                    'c'
                } else {
                    'f'
                },
            })
            .collect();
        assert_eq!(own, seen);
        for job in workload.ids() {
            let last = seen.iter().rfind(|one| one.job == job).unwrap();
            let start = schedule.starts[job.index()].whole_seconds();
            assert_eq!(start, (last.from + delay).min(last.end));
            assert_eq!(schedule.ends[job.index()].whole_seconds(), last.end);
            let before = seen.iter().filter(|one| one.job == job).count() - 1;
            assert_eq!(schedule.requeues(job), before);
            let first = seen.iter().find(|one| one.job == job).unwrap();
            assert_eq!(schedule.first_held_from(job).whole_seconds(), first.from);
            let place = schedule.place_of(job).unwrap();
            assert_eq!(schedule.attempt(place).end, schedule.ends[job.index()]);
            if last.kind == 'f' {
                let runtime = workload.program(job).runtime;
                assert_eq!(schedule.run_time(job), runtime);
                assert_eq!(last.end - last.from - delay, runtime.whole_seconds());
            } else {
                assert_eq!(
                    schedule.run_time(job).whole_seconds(),
                    last.end - start,
                    "{last:?}"
                );
            }
        }
        for to in 0..40 {
            let begun = seen.iter().filter(|one| one.from < 5 * to).count();
            assert_eq!(schedule.begun_before(Time::from_seconds(5 * to)), begun);
        }
    });
}

#[test]
fn orders_of_events_make_no_attempt_wrong() {
    for seed in 0..40 {
        let workload = workload(PROCESSORS, &random_jobs(seed));
        for ties in [Ties::PerEvent, Ties::EndsFirst] {
            let schedule = run(&workload, 0.0, ties).schedule;
            assert_eq!(audit(&schedule, 3), Vec::<String>::new(), "seed {seed}");
        }
    }
}

/// Slices and forks give the same run, and the digest sees lost and cancelled attempts.
#[test]
fn slices_and_forks_give_the_same_run() {
    each_run(|workload, delay, Done { schedule, .. }| {
        let again = || simulation(workload, delay as f64, Ties::Together, Ruthless::new(false));
        let mut recorder = Recorder::new(Arc::clone(workload));
        let mut slices = again();
        while !slices.advance(1, &mut recorder).done {}
        assert_eq!(recorder.schedule().digest(), schedule.digest());

        let mut recorder = Recorder::new(Arc::clone(workload));
        let mut first = again();
        first.advance(workload.len() as u64, &mut recorder);
        let mut fork = first.fork();
        let mut late = Recorder::new(Arc::clone(workload));
        fork.run(&mut late);
        first.run(&mut recorder);
        assert_eq!(recorder.schedule().digest(), schedule.digest());
        let (late, ends) = (late.into_schedule(), &schedule.ends);
        for job in workload
            .ids()
            .filter(|job| late.starts[job.index()] != Time::NEVER)
        {
            assert_eq!(late.starts[job.index()], schedule.starts[job.index()]);
            assert_eq!(late.ends[job.index()], ends[job.index()]);
        }

        let mut other = schedule.clone();
        if let Some((_, lost)) = other.lost.iter_mut().next() {
            lost.start = lost.start + Span::SECOND;
            assert_ne!(other.digest(), schedule.digest());
        }
        let mut other = schedule.clone();
        if let Some(from) = other.cancelled.values_mut().next() {
            *from = *from - Span::SECOND;
            assert_ne!(other.digest(), schedule.digest());
        }
    });
}

/// The policy hears the totals of all attempts, the mean wait of those that count, and no run time of
/// a job that it cancelled.
#[test]
fn the_policy_hears_no_more_than_it_may() {
    for seed in 0..60 {
        let workload = workload(PROCESSORS, &random_jobs(seed));
        for delay in [0, 3] {
            let policy = Ruthless::new(true);
            let heard = Arc::clone(&policy.heard);
            let mut recorder = Recorder::new(Arc::clone(&workload));
            simulation(&workload, delay as f64, Ties::Together, policy).run(&mut recorder);
            let schedule = recorder.into_schedule();
            let heard = heard.lock().unwrap();
            let size = |job: JobId| i128::from(workload.request(job).processors);
            // The first turn starts the totals.
            let work: i128 = schedule
                .attempts()
                .map(|one| i128::from((one.end - one.from).microseconds()) * size(one.job))
                .sum();
            assert_eq!(heard.tally.work, work, "seed {seed}");
            let ran = |job: &JobId| schedule.run_time(*job) > Span::ZERO;
            let ended: Vec<JobId> = workload.ids().filter(ran).collect();
            assert_eq!(heard.tally.ended, ended.len() as u64);
            let waits: i128 = ended
                .iter()
                .map(|job| i128::from(schedule.wait(*job).unwrap().microseconds()))
                .sum();
            assert_eq!(heard.tally.wait, waits);
            assert_eq!(heard.background.work, heard.tally.work);
            let held = workload.ids().map(|job| {
                let place = schedule.place_of(job).unwrap();
                (schedule.attempt(place).from - workload.request(job).submitted).microseconds()
            });
            let mean = held.sum::<i64>() / workload.len() as i64;
            assert_eq!(heard.mean_wait, Span::from_microseconds(mean));
            let mut completed = heard.completed.clone();
            completed.sort_unstable();
            let uncut = |job: &JobId| schedule.outcome(*job) != Outcome::Preempted;
            assert_eq!(completed, workload.ids().filter(uncut).collect::<Vec<_>>());
        }
    }
}

/// Two jobs that a policy stops in turn would never end.
#[test]
fn a_run_that_would_not_end_stops() {
    struct Endless;
    impl Policy for Endless {
        fn decide(&mut self, turn: &mut Turn<'_>) {
            let running: Vec<JobId> = turn.running().iter().map(|entry| entry.job).collect();
            let waiting: Vec<JobId> = turn.queue().iter().map(|entry| entry.job).collect();
            for job in running {
                assert!(turn.preempt(job, Fate::Requeue));
            }
            for job in waiting {
                turn.start(job);
            }
            turn.wake_at(turn.now() + Span::SECOND);
        }
        fn fork(&self) -> Box<dyn Policy> {
            Box::new(Self)
        }
    }
    let job = |submit| Job {
        submit,
        runtime: 10,
        estimate: 10,
        processors: PROCESSORS,
        user: 1,
    };
    let workload = workload(PROCESSORS, &[job(0), job(1)]);
    let flat = schedscope::machines::find("flat").unwrap();
    let machine = (flat.build)(&workload, &Settings::default(), Placements::Recorded);
    let mut simulation = Simulation::new(
        Arc::clone(&workload),
        machine,
        Box::new(Endless),
        Ties::Together,
    );
    let mut recorder = Recorder::new(Arc::clone(&workload));
    simulation.advance_through(Time::from_seconds(50), &mut recorder);
    let mut fork = simulation.fork();
    let (own, others) = (simulation.run(&mut recorder), fork.run(&mut Silent));
    assert!(own.done && own == others, "{own:?} {others:?}");
    let problem = simulation.failed().unwrap();
    assert!(problem.what.contains("starts anew for ever"), "{problem}");
    let of = |job| recorder.schedule().requeues(JobId(job));
    assert_eq!(of(0).max(of(1)), limits::REQUEUES + 1);
}

/// Machines whose jobs share processors stop no job.
#[test]
fn other_machines_stop_no_job() {
    struct Trying(bool);
    impl Policy for Trying {
        fn decide(&mut self, turn: &mut Turn<'_>) {
            let waiting: Vec<JobId> = turn.queue().iter().map(|entry| entry.job).collect();
            for job in waiting {
                turn.start(job);
            }
            let running: Vec<JobId> = turn.running().iter().map(|entry| entry.job).collect();
            for job in running {
                let stopped = turn.preempt(job, Fate::Requeue);
                assert_eq!(stopped, self.0);
            }
            assert!(!turn.preempt(JobId(1), Fate::Cancel), "it has not arrived");
            assert!(!turn.preempt(JobId(7), Fate::Cancel), "there is none");
        }
        fn fork(&self) -> Box<dyn Policy> {
            Box::new(Self(self.0))
        }
    }
    let job = |submit| Job {
        submit,
        runtime: 10,
        estimate: 10,
        processors: 2,
        user: 1,
    };
    for (id, stops) in [("flat", true), ("gang", false), ("smt", false)] {
        let workload = workload(PROCESSORS, &[job(0), job(1_000)]);
        let spec = schedscope::machines::find(id).unwrap();
        let machine = (spec.build)(&workload, &Settings::default(), Placements::Recorded);
        let policy = Box::new(Trying(stops));
        let mut simulation =
            Simulation::new(Arc::clone(&workload), machine, policy, Ties::Together);
        simulation.advance_through(Time::from_seconds(100), &mut Silent);
        assert_eq!(simulation.progress().finished, u32::from(!stops), "{id}");
    }
}

/// Figures, second by second.
#[test]
fn figures_count_each_attempt() {
    each_run(
        |workload,
         delay,
         Done {
             schedule,
             log,
             steps,
         }| {
            let seen = attempts(&log);
            let size = |job: JobId| f64::from(workload.request(job).processors);
            let submitted = |job: JobId| workload.request(job).submitted.whole_seconds();
            let (first, last) = (
                submitted(JobId(0)),
                seen.iter().map(|one| one.end).max().unwrap(),
            );
            if first == last {
                return;
            }
            let ran = |one: &Seen| (one.end - one.from - delay).max(0) as f64 * size(one.job);
            let [mut work, mut wasted] = [0.0; 2];
            for one in &seen {
                *if one.kind == 'r' {
                    &mut wasted
                } else {
                    &mut work
                } += ran(one);
            }
            let [mut used, mut unused, mut queue, mut used_until] = [0.0; 4];
            for second in first..last {
                let holds = |one: &&Seen| one.from <= second && second < one.end;
                let held: f64 = seen.iter().filter(holds).map(|one| size(one.job)).sum();
                let waits = |job: &JobId| {
                    let mut own = seen.iter().filter(|one| one.job == *job);
                    let counts = own.clone().next_back().unwrap();
                    submitted(*job) <= second
                        && second < counts.from
                        && !own.any(|one| one.from <= second && second < one.end)
                };
                let waiting: Vec<JobId> = workload.ids().filter(waits).collect();
                let demand: f64 = waiting.iter().map(|job| size(*job)).sum();
                used += held;
                unused += (f64::from(PROCESSORS) - held - demand).max(0.0);
                queue += waiting.len() as f64;
                let at = Time::from_seconds(second);
                let bins = steps.bins(at, at + Span::SECOND, 1, schedule.until);
                assert_eq!(bins.used, [held as f32]);
                assert_eq!(bins.waiting, [waiting.len() as f32]);
                let work: f64 = waiting
                    .iter()
                    .map(|job| size(*job) * workload.program(*job).runtime.seconds())
                    .sum();
                assert_eq!(bins.work, [work as f32]);
                if second < submitted(JobId(workload.len() as u32 - 1)) {
                    let counts = |one: &&Seen| {
                        one.kind != 'r' && one.from + delay <= second && second < one.end
                    };
                    let useful = seen.iter().filter(counts).map(|one| size(one.job));
                    used_until += useful.sum::<f64>();
                }
            }
            let total = f64::from(PROCESSORS) * (last - first) as f64;
            let figures = measure(&schedule, &Settings::default()).figures;
            let is = |key: &str, value: f64| {
                let own = figures[key];
                assert!((own - value).abs() < 1e-9, "{key}: {own}, not {value}");
            };
            is("utilisation.value", work / total);
            is("occupied.value", used / total);
            is("unused.value", unused / total);
            is(
                "lost.value",
                (1.0 - (work + unused + wasted) / total).max(0.0),
            );
            is(
                "efficiency.value",
                if used > 0.0 { work / used } else { 1.0 },
            );
            is("queue.mean", queue / (last - first) as f64);
            let arrivals = submitted(JobId(workload.len() as u32 - 1)) - first;
            if arrivals > 0 {
                let capacity = f64::from(PROCESSORS) * arrivals as f64;
                is("accepted.value", used_until / capacity);
            }
            assert!((schedule.wasted() as f64 / 1e6 - wasted).abs() < 1e-6);
            if !schedule.lost.is_empty() {
                let kinds = |kind: char| seen.iter().filter(move |one| one.kind == kind);
                is("unfairness.jobs", 0.0);
                assert!(!figures.contains_key("unfairness.mean"));
                is("preempted.requeues", kinds('r').count() as f64);
                is("preempted.cancelled", kinds('c').count() as f64);
                let jobs: BTreeSet<JobId> = kinds('r').map(|one| one.job).collect();
                is("preempted.jobs", jobs.len() as f64);
                is("wasted.work", wasted);
                is("wasted.share", wasted / total);
            }
            for sample in per_job(&schedule, &Settings::default()) {
                assert!((sample.wait + sample.runtime - sample.response).abs() < 1e-6);
            }
        },
    );
}

/// Causes add up to the waits, of one job and of all jobs, and each story has each event once.
#[test]
fn explanations_count_the_time_in_vain() {
    let mut vain = 0;
    each_run(|workload, delay, Done { schedule, log, .. }| {
        let again = || simulation(workload, delay as f64, Ties::Together, Ruthless::new(false));
        let class = vec![Some(0); workload.len()];
        let mut all = WaitCauses::new(class);
        again().run(&mut all);
        let all = all.into_totals().into_iter();
        let all: BTreeMap<String, Span> = all
            .map(|((_, kind), total)| (format!("{kind:?}"), total))
            .collect();
        let mut sums: BTreeMap<String, Span> = BTreeMap::new();
        for job in workload.ids() {
            let starts = schedule.requeues(job) + 1;
            let mut waiter = Waiter::until_start(job, starts);
            let mut part = again();
            while !waiter.is_over() && !part.advance(1, &mut waiter).done {}
            let wait = Wait::new(waiter, &schedule);
            let causes = wait.causes.iter();
            let total = causes.fold(Span::ZERO, |total, cause| total + cause.total);
            assert_eq!(Some(total), schedule.wait(job), "{job:?} {:?}", wait.causes);
            for cause in &wait.causes {
                *sums.entry(format!("{:?}", cause.why)).or_default() += cause.total;
            }
            let lost = schedule.lost_of(job).map(|(_, lost)| lost.end - lost.from);
            let lost = lost.fold(Span::ZERO, |sum, span| sum + span);
            let told = wait
                .causes
                .iter()
                .find(|cause| format!("{:?}", cause.why) == "Lost");
            assert_eq!(told.map_or(Span::ZERO, |cause| cause.total), lost);
            vain += i32::from(lost > Span::ZERO);
            let at = workload.request(job).submitted.whole_seconds();
            let seen = attempts(&log);
            let waits = |other: &JobId| {
                let runs =
                    |one: &&Seen| one.job == *other && one.from + delay <= at && at < one.end;
                *other < job
                    && schedule.starts[other.index()].whole_seconds() > at
                    && !seen.iter().any(|one| runs(&one))
            };
            assert_eq!(wait.ahead, workload.ids().filter(waits).collect::<Vec<_>>());
        }
        sums.retain(|_, total| *total > Span::ZERO);
        assert_eq!(all, sums);

        let mut teller = StoryTeller::new(Arc::clone(workload));
        again().run(&mut teller);
        let story = teller.into_story();
        let mut told: Vec<(i64, char, JobId)> = Vec::new();
        for step in &story.steps {
            let at = step.at.whole_seconds();
            for (kind, jobs) in [
                ('w', &step.submitted),
                ('r', &step.requeued),
                ('s', &step.started),
                ('f', &step.ended),
            ] {
                told.extend(jobs.iter().map(|job| (at, kind, *job)));
            }
        }
        let mut happened = log;
        happened.retain(|(_, kind, _)| *kind != 'c');
        told.sort_unstable();
        happened.sort_unstable();
        assert_eq!(told, happened);
        for step in &story.steps {
            let at = step.at;
            let held = schedule.holding(at).into_keys();
            let used: u32 = held.map(|job| workload.request(job).processors).sum();
            if !story
                .steps
                .iter()
                .any(|other| other.at == at && !std::ptr::eq(other, step))
            {
                assert_eq!(step.free, PROCESSORS - used, "{step:?}");
            }
        }
    });
    assert!(vain > 100, "{vain}");
}

/// Pictures show the job of each attempt, and a lost one faded.
#[test]
fn pictures_show_each_attempt() {
    each_run(|workload, _, Done { schedule, log, .. }| {
        let seen = attempts(&log);
        let index = Index::new(&schedule);
        let mut colours = Colours::new(workload, Colouring::User, Theme::Light);
        colours.update(&schedule);
        let last = seen.iter().map(|one| one.end).max().unwrap();
        for second in (0..last).step_by(7) {
            let at = Time::from_seconds(second);
            for column in 0..PROCESSORS {
                let holds = |attempt: &schedscope::schedule::Attempt| {
                    let placement = schedule.at(attempt.placed);
                    attempt.from <= at
                        && at < attempt.end
                        && placement.columns().any(|own| own == column)
                };
                let expected: Vec<_> = schedule.attempts().filter(holds).collect();
                assert!(expected.len() <= 1);
                let found = job_at(&schedule, &index, &Lanes::Rows(1), at, (0, column));
                assert_eq!(found, expected.first().map(|attempt| attempt.job));
            }
            let view = schedscope::view::matrix(&schedule, &index, &colours, at);
            for seat in &view.seats {
                let mut own = schedule.attempts().filter(|one| one.job == seat.job);
                let one = own.find(|one| one.from <= at && at < one.end).unwrap();
                let plain = colours.of(seat.job);
                assert_eq!(seat.colour != plain, one.is_lost, "{one:?}");
            }
        }
        let mut instants: Vec<i64> = seen
            .iter()
            .filter(|one| one.from < one.end)
            .flat_map(|one| [one.from, one.end])
            .collect();
        instants.sort_unstable();
        instants.dedup();
        let own = changes(&schedule);
        assert_eq!(
            own.iter().map(|at| at.whole_seconds()).collect::<Vec<_>>(),
            instants
        );
        check_areas(&schedule, &index, last);
        check_versus(&schedule);
        let kept = |text: &str| -> Vec<JobId> {
            let filter = Filter::parse(text, None).unwrap();
            let kept = |job: &JobId| filter.keeps(&schedule, *job);
            workload.ids().filter(kept).collect()
        };
        let cancelled: Vec<JobId> = schedule.cancelled.keys().copied().collect();
        assert_eq!(kept("is:preempted"), cancelled);
        let requeued: Vec<JobId> = schedule.lost_places.keys().copied().collect();
        assert_eq!(kept("requeues>0"), requeued);
        assert_eq!(kept("is:ended").len(), workload.len());
    });
}

/// Each job of an area is in its list once, and the area is the sum of the attempts' parts.
fn check_areas(schedule: &Schedule, index: &Index, last: i64) {
    for (from, to, top) in [(0, last, 0), (last / 4, last / 2, 1)] {
        let at = Time::from_seconds;
        let window = Viewport {
            from: at(from),
            to: at(to),
            top: top.into(),
            bottom: PROCESSORS.into(),
        };
        let lanes = Lanes::new(schedule, &Arc::default(), &window, (100, 100), true);
        let found = area(schedule, index, &window, &lanes, |_| true);
        let mut used = 0;
        let mut inside = BTreeSet::new();
        for attempt in schedule.attempts() {
            let placement = schedule.at(attempt.placed);
            let rows = placement.columns().filter(|row| *row >= top).count() as i64;
            let seconds = attempt.end.min(at(to)).whole_seconds()
                - attempt.from.max(at(from)).whole_seconds();
            if rows > 0 && seconds > 0 {
                used += rows * seconds;
                inside.insert(attempt.job);
            }
        }
        assert_eq!(found.used, used as f64);
        assert_eq!(found.jobs.len(), inside.len());
        assert_eq!(found.jobs.into_iter().collect::<BTreeSet<_>>(), inside);
    }
}

/// A job that another run holds back runs here in each of its attempts, and a job that runs there waits
/// here between them.
fn check_versus(schedule: &Schedule) {
    let workload = &schedule.workload;
    let (first, last) = schedule.span();
    let (first, last) = (first.whole_seconds(), last.whole_seconds());
    let count = (last - first) as usize;
    let runs = |job: JobId, at: Time| {
        let mut own = schedule.attempts().filter(|one| one.job == job);
        // A start delay counts as running in a lost attempt only.
        own.any(|one| {
            let from = if one.is_lost { one.from } else { one.start };
            from <= at && at < one.end
        })
    };
    let size = |job: &JobId| workload.request(*job).processors;
    let submitted = |job: JobId| workload.request(job).submitted;
    // In one run all jobs wait for ever; in the other one, all run at once and as long.
    for is_late in [true, false] {
        let length = Span::from_seconds(last - first + 1);
        let other: Vec<(Time, Time, Time)> = workload
            .ids()
            .map(|job| {
                let asked = submitted(job);
                let end = asked + length;
                (asked, if is_late { end } else { asked }, end)
            })
            .collect();
        let at = Time::from_seconds;
        let found = versus(schedule, &other, at(first), at(last), count);
        for second in (0..count).step_by(11) {
            let now = at(first + second as i64);
            let has_come = |job: &JobId| submitted(*job) <= now && now < schedule.ends[job.index()];
            let here: u32 = workload
                .ids()
                .filter(|job| has_come(job) && runs(*job, now) == is_late)
                .map(|job| size(&job))
                .sum();
            let part = if is_late { second } else { count + second };
            assert!(
                (found[part] - here as f32).abs() < 1e-3,
                "{is_late} {second}"
            );
        }
    }
}

/// Files have what counts of a job in its columns, and further columns for the rest.
#[test]
fn files_tell_what_was_lost() {
    each_run(|workload, delay, Done { schedule, log, .. }| {
        let mut text = String::new();
        files::jobs_csv(&schedule, 10.0, |line| text.push_str(line));
        let mut lines = text.lines();
        let head: Vec<&str> = lines.next().unwrap().split(',').collect();
        let has_lost = !schedule.lost.is_empty();
        assert_eq!(head.ends_with(&["requeues", "lost_time"]), has_lost);
        let column = |name: &str| head.iter().position(|other| *other == name).unwrap();
        let seen = attempts(&log);
        for (job, line) in workload.ids().zip(lines) {
            let cells: Vec<&str> = line.split(',').collect();
            assert_eq!(cells.len(), head.len());
            let last = seen.iter().rfind(|one| one.job == job).unwrap();
            let cell = |name: &str| cells[column(name)];
            let is_cut = last.kind == 'c';
            assert_eq!(cell("final_state") == "COMPLETED_KILLED", is_cut);
            assert_eq!(cell("success"), if is_cut { "0" } else { "1" });
            let start = (last.from + delay).min(last.end);
            assert_eq!(cell("starting_time"), start.to_string());
            assert_eq!(cell("execution_time"), (last.end - start).to_string());
            if has_lost {
                let vain = seen.iter().filter(|one| one.job == job && one.kind == 'r');
                let time: i64 = vain.clone().map(|one| one.end - one.from).sum();
                assert_eq!(cell("requeues"), vain.count().to_string());
                assert_eq!(cell("lost_time"), time.to_string());
            }
            let placement = schedule.placement(&schedule.order[schedule.place_of(job).unwrap()]);
            let mut set = String::new();
            files::interval_set(placement.ranges, &mut set);
            assert_eq!(cell("allocated_resources"), set);
        }
        let mut text = String::new();
        files::chrome_trace(&schedule, |piece| text.push_str(piece));
        let trace: serde_json::Value = serde_json::from_str(&text).unwrap();
        let events = trace["traceEvents"].as_array().unwrap();
        let lost = events.iter().filter(|event| event["args"]["lost"] == true);
        let lost: i64 = lost
            .map(|event| {
                let sizes = event["args"]["processors"].as_str().unwrap();
                let (first, end) = sizes.split_once('-').unwrap();
                let count = end.parse::<i64>().unwrap() - first.parse::<i64>().unwrap() + 1;
                event["dur"].as_i64().unwrap() / 1_000_000 * count
            })
            .sum();
        let size = |job: JobId| i64::from(workload.request(job).processors);
        let vain = seen.iter().filter(|one| one.kind == 'r');
        assert_eq!(
            lost,
            vain.map(|one| (one.end - one.from) * size(one.job))
                .sum::<i64>()
        );
        for name in ["waiting jobs", "used processors"] {
            let counter = events.iter().rfind(|event| event["name"] == name).unwrap();
            assert_eq!(counter["args"]["value"], 0, "{name}");
            let values = events.iter().filter(|event| event["name"] == name);
            let least = values
                .map(|event| event["args"]["value"].as_i64().unwrap())
                .min();
            assert!(delay > 0 || least == Some(0), "{name}");
        }
    });
}

/// A run that continues otherwise keeps its lost attempts under the new ids, and a policy that takes over
/// finds requeued jobs in the queue.
#[test]
fn a_what_if_keeps_what_was_lost() {
    let mut kept = 0;
    for seed in 0..40 {
        let workload = workload(PROCESSORS, &random_jobs(seed));
        let mut simulation = simulation(&workload, 0.0, Ties::Together, Ruthless::new(false));
        let mut recorder = Recorder::new(Arc::clone(&workload));
        let at = Time::from_seconds(40);
        simulation.advance_until(at, u64::MAX, &mut recorder);
        // The first job that has neither run nor ended is withdrawn.
        let schedule = recorder.schedule();
        let Some(gone) = workload.ids().find(|job| !schedule.has_run(*job)) else {
            continue;
        };
        let mut numbers: Vec<Option<JobId>> = Vec::new();
        let mut next = 0;
        for job in workload.ids() {
            numbers.push((job != gone).then(|| {
                next += 1;
                JobId(next - 1)
            }));
        }
        let mut other = (*workload).clone();
        other.requests.remove(gone.index());
        other.programs.remove(gone.index());
        other.sources.remove(gone.index());
        let other = Arc::new(other);
        let before = schedule.clone();
        recorder.otherwise(&other, &numbers);
        let turning = Turning {
            at,
            policy: Box::new(Ruthless::new(false)),
            predicts: false,
            known_until_start: None,
            closed: None,
        };
        let mut then = simulation
            .otherwise(&other, &numbers, turning, &mut recorder)
            .unwrap();
        assert!(then.run(&mut recorder).done);
        let schedule = recorder.into_schedule();
        assert_eq!(audit(&schedule, 3), Vec::<String>::new(), "seed {seed}");
        for (place, lost) in &before.lost {
            let job = numbers[lost.job.index()].unwrap();
            assert_eq!(schedule.lost[place].job, job);
            assert_eq!(schedule.lost[place].end, lost.end);
            assert!(schedule.lost_places[&job].contains(place));
            kept += 1;
        }
    }
    assert!(kept > 20, "{kept}");
}

/// A job that moved and is stopped starts anew somewhere else. Its moves stay with the lost attempt.
#[test]
fn a_lost_attempt_keeps_its_moves() {
    struct Moving;
    impl Policy for Moving {
        fn decide(&mut self, turn: &mut Turn<'_>) {
            turn.migrate(Span::SECOND);
            let waiting: Vec<JobId> = turn.queue().iter().map(|entry| entry.job).collect();
            for job in waiting {
                if !turn.start(job) {
                    Ruthless::make_room(turn, job);
                    turn.start(job);
                }
            }
            turn.wake_at(turn.now() + Span::from_seconds(5));
        }
        fn fork(&self) -> Box<dyn Policy> {
            Box::new(Self)
        }
    }
    let spec = schedscope::machines::find("torus").unwrap();
    let settings = Settings::default()
        .with("x", 2.0)
        .with("y", 2.0)
        .with("z", 4.0)
        .with("start_delay", 0.0);
    let mut moved = 0;
    for seed in 0..60 {
        let mut jobs = random_jobs(seed);
        jobs.iter_mut()
            .for_each(|job| job.processors = job.processors.next_power_of_two());
        let workload = workload(16, &jobs);
        let machine = (spec.build)(&workload, &settings, Placements::Recorded);
        let mut recorder = Recorder::new(Arc::clone(&workload)).with((spec.record)(&settings));
        let mut simulation = Simulation::new(
            Arc::clone(&workload),
            machine,
            Box::new(Moving),
            Ties::Together,
        );
        assert!(simulation.run(&mut recorder).done);
        let schedule = recorder.into_schedule();
        assert_eq!(audit(&schedule, 3), Vec::<String>::new(), "seed {seed}");
        for lost in schedule.lost.values().filter(|lost| !lost.moves.is_empty()) {
            moved += 1;
            let later = schedule.moves.get(&lost.job).into_iter().flatten();
            assert!(later.into_iter().all(|to| to.at >= lost.end));
        }
    }
    assert!(moved > 5, "{moved}");
}
