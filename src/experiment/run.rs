//! A recorded run: the simulation with its record and step functions, as the page and the command
//! line use it.

use super::scenario::Resolved;
use crate::explain::{CauseKind, Story, StoryTeller, Wait, WaitCauses, Waiter};
use crate::files;
use crate::job::JobId;
use crate::machine::Placements;
use crate::machines::Past;
use crate::machines::bsp::{Probe, Probed, ReadProbe};
use crate::metrics::{Measures, THRESHOLD, measure};
use crate::policy::own;
use crate::problem::Problem;
use crate::pulse::{Doing, during};
use crate::schedule::{Recorder, Schedule};
use crate::sim::{Observer, Progress, Silent, Simulation, Turning};
use crate::time::{Span, Time};
use crate::trace::{MachineSize, Trace};
use crate::view::Steps;
use crate::workload::Workload;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A run and everything that is recorded of it.
pub struct Run {
    /// The scenario that determines the run.
    pub scenario: Resolved,
    /// The trace from which the workload was made.
    pub trace: Arc<Trace>,
    simulation: Simulation,
    observers: (Recorder, Steps),
    /// Forks of the simulation at several instants. A part of the run can be repeated from the fork
    /// before it.
    forks: Vec<(Time, Simulation)>,
    /// True once the change of a what-if has been made; the problem if it cannot be made.
    is_otherwise: Result<bool, Problem>,
}

/// A part of a run that is simulated again, with a probe on one processor.
pub struct Microscope {
    again: Simulation,
    probe: Probe,
}

impl Microscope {
    /// Advances in up to `steps` steps, each to the next arrival or completion. Returns the
    /// observations once the whole part was simulated.
    pub fn advance(&mut self, steps: u32) -> Option<Probed> {
        for _ in 0..steps {
            let Progress { now, done, .. } = self.again.advance(1, &mut Silent);
            if done || now.microseconds() > self.probe.to {
                return self.seen();
            }
        }
        None
    }

    fn seen(&mut self) -> Option<Probed> {
        let seen = self.again.look(&ReadProbe)?;
        seen.downcast().ok().map(|probed| *probed)
    }

    /// Returns the instant that the repeated part has reached.
    pub fn now(&self) -> Time {
        self.again.progress().now
    }
}

/// The number of parts into which forks divide a run. Each fork takes a few bytes for every job.
const FORKS: u64 = 8;

/// The largest number of jobs of a run that can be shown step by step.
pub const LONGEST_STORY: usize = 500;

/// Number of reasons up to which the causes of all waits are added up: a reason for each job at each
/// decision while it waits.
const LIMITED_REASONS: u64 = 300_000_000;

impl Run {
    pub(super) fn new(
        scenario: Resolved,
        trace: Arc<Trace>,
        workload: Arc<Workload>,
        simulation: Simulation,
    ) -> Self {
        let forks = vec![(Time::from_microseconds(i64::MIN), simulation.fork())];
        let slots = scenario.slots();
        let recorder = scenario.recorder(&workload);
        Self {
            scenario,
            trace,
            simulation,
            observers: (recorder, Steps::new(workload, slots)),
            forks,
            is_otherwise: Ok(false),
        }
    }

    /// Advances the run by at least `budget` arrivals and completions, if so many are left.
    pub fn advance(&mut self, budget: u64) -> Progress {
        let part = (2 * u64::from(self.progress().jobs)).div_ceil(FORKS);
        let mut left = budget;
        loop {
            let end = match (&self.scenario.what_if, &self.is_otherwise) {
                (_, Err(_)) => return self.progress(),
                (Some(otherwise), Ok(false)) => otherwise.at,
                _ => Time::NEVER,
            };
            if self
                .simulation
                .advance_until(end, left.min(part), &mut self.observers)
                && end != Time::NEVER
            {
                self.is_otherwise = self.go_on_otherwise().map(|()| true);
                continue;
            }
            let progress = self.progress();
            let happened = u64::from(progress.arrived) + u64::from(progress.finished);
            if happened >= part * self.forks.len() as u64
                && !progress.done
                && !self.simulation.is_ahead()
            {
                self.forks.push((progress.now, self.simulation.fork()));
            }
            left = left.saturating_sub(part);
            if progress.done || left == 0 {
                return progress;
            }
        }
    }

    /// Applies the change of the what-if, whose instant has come.
    fn go_on_otherwise(&mut self) -> Result<(), Problem> {
        let Some(otherwise) = &self.scenario.what_if else {
            return Ok(());
        };
        let (workload, numbers) = otherwise.workload(self.observers.0.schedule())?;
        if otherwise.is_nothing() {
            return Ok(());
        }
        if self.simulation.has_suspended() {
            return Err(Problem::new(
                format!("Jobs are suspended at {} s.", otherwise.at.seconds()),
                "The policy begins anew at a change, and does not know which job keeps a suspended one from \
                    its cores.",
                "Choose an instant at which no job is suspended.",
            ));
        }
        let workload = Arc::new(workload);
        let queue: Vec<JobId> = self
            .simulation
            .queue()
            .filter_map(|job| numbers[job.index()])
            .collect();
        let at = otherwise.at;
        self.observers.0.otherwise(&workload, &numbers);
        self.observers.1.otherwise(at, &workload, &numbers, &queue);
        let turning = Turning {
            at,
            policy: otherwise.policy.build(&self.scenario),
            predicts: self.scenario.predicts(),
            known_until_start: otherwise.known_until_start,
            closed: otherwise.closed,
        };
        let simulation =
            self.simulation
                .otherwise(&workload, &numbers, turning, &mut self.observers);
        self.simulation = simulation.ok_or_else(|| {
            Problem::new(
                format!(
                    "On the machine `{}` no jobs can be withdrawn during a run.",
                    self.scenario.machine.id
                ),
                "The machine refers to its running jobs by their places in the table.",
                "Change estimates, sizes or the policy, or choose another machine.",
            )
        })?;
        // The earlier forks belong to the run before the change, so no part can be repeated from
        // them.
        self.forks = vec![(at, self.simulation.fork())];
        Ok(())
    }

    /// Returns the reasons why a job waited. Finds them by repeating a part of the run. If the job
    /// has not started, the reasons reach up to now.
    pub fn why(&self, job: JobId) -> Wait {
        let submitted = self.schedule().workload.request(job).submitted;
        let starts = self.schedule().requeues(job) + 1;
        let mut waiter = Waiter::until_start(job, starts);
        if let Some((_, fork)) = self.forks.iter().rev().find(|(at, _)| *at < submitted) {
            let mut again = fork.fork();
            let until = self.schedule().until;
            while !waiter.is_over()
                && again.progress().now < until
                && !again.advance(1, &mut waiter).done
            {}
        }
        Wait::new(waiter, self.schedule())
    }

    /// Returns the total time of each cause of the waits of a complete run, by the class that `class`
    /// gives each job. Finds them by running again, with the reasons of all jobs.
    ///
    /// # Errors
    /// Fails if jobs waited at too many decisions, or if the run is a what-if: its beginning cannot be
    /// run again.
    pub fn wait_causes(
        &self,
        class: Vec<Option<u32>>,
    ) -> Result<BTreeMap<(u32, CauseKind), Span>, Problem> {
        let schedule = self.schedule();
        if self.scenario.what_if.is_some() {
            return Err(Problem::new(
                "The causes of all waits of a what-if cannot be told.",
                "They are found by running again from the beginning, under one policy.",
                "Ask for those of a run without a what-if, or click a job to see why it waited.",
            ));
        }
        let reasons = refusals(schedule);
        if reasons > LIMITED_REASONS {
            return Err(Problem::new(
                format!("The jobs of this run were passed over {reasons} times."),
                format!("At most {LIMITED_REASONS} reasons are added up."),
                "Choose a window of jobs (`first_job` and `jobs`), and run it again.",
            ));
        }
        let mut waits = WaitCauses::new(class);
        self.scenario
            .simulation(Arc::clone(&schedule.workload), Placements::Recorded)
            .run(&mut waits);
        Ok(waits.into_totals())
    }

    /// Returns the run step by step.
    ///
    /// # Errors
    /// Fails if the run has more than [`LONGEST_STORY`] jobs.
    pub fn story(&self) -> Result<Story, Problem> {
        let workload = &self.schedule().workload;
        if workload.len() > LONGEST_STORY {
            return Err(Problem::new(
                format!("{} jobs are too many to show step by step.", workload.len()),
                format!("The steps of at most {LONGEST_STORY} jobs can be shown."),
                "Choose a window of jobs (`first_job` and `jobs`), and run it again.",
            ));
        }
        let mut teller = StoryTeller::new(Arc::clone(workload));
        self.scenario
            .simulation(Arc::clone(workload), Placements::Recorded)
            .run(&mut teller);
        Ok(teller.into_story())
    }

    /// Returns up to `most` steps of the run: the last one by `at`, and those after it; with the jobs
    /// that run before the first of them. Finds them by repeating a part of the run. `None` before
    /// the fork of a what-if, which no part can be repeated from.
    pub fn story_from(&self, at: Time, most: usize) -> Option<(Story, Vec<JobId>)> {
        let schedule = self.schedule();
        let first = Time::from_microseconds(i64::MIN);
        let (from, wakes) = schedule.last_changes(at);
        let (from, wakes) = (from.unwrap_or(first), wakes.unwrap_or(first));
        let known = |(fork, _): &&(Time, Simulation)| *fork < wakes || *fork == first;
        let (begin, fork) = self.forks.iter().rev().find(known)?;
        let mut again = fork.fork();
        let workload = Arc::clone(&schedule.workload);
        let jobs = (schedule.holding(*begin), schedule.suspended_at(*begin));
        let mut teller = StoryTeller::amid(workload, jobs, from, wakes.min(from));
        // The jobs that run before the first step ran after all that happened before it.
        let before = Time::from_microseconds(from.microseconds().saturating_sub(1));
        again.advance_through(before.min(schedule.until), &mut teller);
        let running = teller.running().collect();
        while teller.len() <= most
            && again.progress().now < schedule.until
            && !again.advance(1, &mut teller).done
        {}
        let mut story = teller.into_story();
        story.steps.truncate(most);
        Some((story, running))
    }

    /// Returns a microscope on a processor, which repeats a part of the run in as many calls as
    /// needed. `None` if the machine does not simulate processes.
    pub fn microscope(&self, probe: Probe) -> Option<Microscope> {
        let from = Time::from_microseconds(probe.from);
        let is_there = self.scenario.machine.offer.processes
            && probe.processor < self.schedule().workload.processors;
        let (_, fork) = self
            .forks
            .iter()
            .rev()
            .find(|(at, _)| *at < from)
            .filter(|_| is_there)?;
        let mut again = fork.fork();
        again.look(&probe);
        Some(Microscope { again, probe })
    }

    /// Returns the progress of the run. The run is not done before the change of a what-if was
    /// tried.
    pub fn progress(&self) -> Progress {
        let progress = self.simulation.progress();
        let done = match (&self.scenario.what_if, &self.is_otherwise) {
            (_, Err(_)) => true,
            (Some(_), Ok(false)) => false,
            _ => progress.done,
        };
        Progress { done, ..progress }
    }

    /// Returns the number of jobs that wait now.
    pub fn waiting(&self) -> usize {
        self.simulation.waiting()
    }

    /// Returns the schedule that is recorded so far.
    pub fn schedule(&self) -> &Schedule {
        self.observers.0.schedule()
    }

    /// Returns the step functions that are recorded so far.
    pub fn steps(&self) -> &Steps {
        &self.observers.1
    }

    /// Returns sentences on what the policy leaves out, as far as it knows by now.
    pub fn not_modelled(&self) -> Vec<String> {
        let told = self.scenario.not_modelled.iter().cloned();
        // Only Slurm has more to tell, and it needs clusters.
        #[cfg(feature = "clusters")]
        let told = told
            .chain(self.simulation.unheeded())
            .chain(self.told_pending());
        told.collect()
    }

    /// Returns a sentence on the jobs that the policy leaves waiting for ever by its rules, once the run
    /// has ended.
    #[cfg(feature = "clusters")]
    fn left_pending(&self) -> Option<String> {
        let Progress {
            finished,
            jobs,
            done,
            ..
        } = self.progress();
        if !done || finished == jobs {
            return None;
        }
        self.simulation.left_pending()
    }

    /// Returns the same with what it means for the figures.
    #[cfg(feature = "clusters")]
    fn told_pending(&self) -> Option<String> {
        let mut told = self.left_pending()?;
        told.push_str(" They stay pending, and the job metrics leave them out.");
        Some(told)
    }

    /// True if jobs have ended, and all others wait. Jobs of a closed loop may not have arrived.
    #[cfg(feature = "clusters")]
    fn has_figures(&self) -> bool {
        let Progress { finished, jobs, .. } = self.progress();
        finished > 0 && finished as usize + self.waiting() == jobs as usize
    }

    /// Returns the jobs that wait after a run that [`Run::check_ended`] accepts.
    pub fn pending(&self) -> BTreeSet<JobId> {
        crate::sorting::set(self.simulation.queue())
    }

    /// Checks that the run has ended, and that every job is done or waits for ever by a rule of the policy.
    /// [`Run::not_modelled`] tells the latter.
    ///
    /// # Errors
    /// Fails if other jobs are left, if no job is done, or if the change of a what-if could not be made.
    pub fn check_ended(&self) -> Result<(), Problem> {
        #[cfg(feature = "clusters")]
        if self.is_otherwise.is_ok()
            && self.simulation.failed().is_none()
            && self.has_figures()
            && self.left_pending().is_some()
        {
            return Ok(());
        }
        self.check_complete()
    }

    /// Checks that the run has ended and every job is done.
    ///
    /// # Errors
    /// Fails if the policy left jobs waiting for ever, or if the change of a what-if could not be
    /// made.
    pub fn check_complete(&self) -> Result<(), Problem> {
        self.is_otherwise.clone()?;
        if let Some(problem) = self.simulation.failed() {
            return Err(problem.clone());
        }
        let Progress { finished, jobs, .. } = self.progress();
        if finished == jobs {
            return Ok(());
        }
        #[cfg(feature = "clusters")]
        if let Some(sentence) = self.left_pending() {
            return Err(Problem::new(
                sentence,
                "A run needs a job that ends, and the arrival of all jobs that follow others; a cell of a \
                    sweep needs the end of each job.",
                "Change what the reason names, or take these jobs out of the log.",
            ));
        }
        let id = self.scenario.policy.id;
        let first = self.simulation.queue().next();
        let first = first.map(|job| self.schedule().workload.request(job));
        Err(Problem::new(
            format!("The run stopped with {finished} of {jobs} jobs done."),
            "A policy must start every job in the end.",
            if own::find(id).is_some() {
                format!(
                    "Let the policy `{id}` start the jobs that wait, or ask for a turn with `wakeAt`. \
                        The first is job {}, which needs {} processors. Times are in microseconds.",
                    first.map_or(0, |request| request.number),
                    first.map_or(0, |request| request.processors)
                )
            } else {
                "This is a defect of the policy; please report it with the scenario.".to_owned()
            },
        ))
    }

    /// Returns every metric of the schedule.
    pub fn measures(&self) -> Measures {
        during(Doing::Measuring, || {
            measure(self.schedule(), &self.scenario.settings)
        })
    }

    /// Returns the threshold of the bounded slowdown, in seconds.
    pub fn threshold(&self) -> f64 {
        self.scenario.settings.get(&THRESHOLD)
    }

    /// Writes the schedule as SWF, line by line.
    pub fn swf(&self, line: impl FnMut(&str)) {
        let mut notes = vec![
            format!(
                "simulated by schedscope {}, schedule digest {:016x}",
                crate::experiment::summary::VERSION,
                self.schedule().digest()
            ),
            format!(
                "policy {} on machine {}, settings {}",
                self.scenario.policy.id,
                self.scenario.machine.id,
                self.settings_json()
            ),
            "wait time, run time, allocated processors and status are as simulated".to_owned(),
        ];
        let size = self.schedule().workload.report.size.as_ref();
        if let Some(note) = size.and_then(MachineSize::note) {
            notes.push(note);
        }
        if let Some(otherwise) = &self.scenario.what_if {
            notes.push(format!("what if: {}", otherwise.json()));
        }
        #[cfg(feature = "clusters")]
        notes.extend(self.told_pending());
        files::swf(self.schedule(), &self.trace, &notes, line);
    }

    /// Writes the schedule as a jobs CSV, line by line.
    pub fn jobs_csv(&self, line: impl FnMut(&str)) {
        files::jobs_csv(self.schedule(), self.threshold(), line);
    }

    /// Writes the schedule in Chrome's trace event format, piece by piece.
    pub fn chrome_trace(&self, piece: impl FnMut(&str)) {
        files::chrome_trace(self.schedule(), piece);
    }

    fn settings_json(&self) -> String {
        serde_json::to_string(&self.scenario.settings).unwrap_or_default()
    }
}

impl Past for Run {
    fn waiting(&self, at: Time) -> u32 {
        let after = Time::from_microseconds(at.microseconds().saturating_add(1));
        let bins = self.steps().bins(at, after, 1, self.schedule().until);
        bins.waiting.first().map_or(0, |jobs| jobs.round() as u32)
    }

    fn repeat(&self, number: usize, at: Time, observer: &mut dyn Observer) -> bool {
        let mut before = self.forks.iter().rev().filter(|(from, _)| *from < at);
        let Some((_, fork)) = before.nth(number) else {
            return false;
        };
        let end = at.min(self.schedule().until);
        fork.fork().advance_through(end, observer);
        true
    }
}

/// Returns the number of decisions at which jobs waited, summed over jobs: a decision happens when jobs
/// are submitted or end, and when a period of an advance reservation ends.
fn refusals(schedule: &Schedule) -> u64 {
    let requests = schedule.workload.requests.iter();
    let mut instants: Vec<Time> = requests.map(|request| request.submitted).collect();
    instants.extend(schedule.ends.iter().filter(|end| **end != Time::NEVER));
    instants.extend(schedule.lost.values().map(|lost| lost.end));
    let cluster = schedule.workload.nodes.as_ref().map(|nodes| &nodes.cluster);
    let advance = cluster.into_iter().flat_map(|cluster| &cluster.advance);
    instants.extend(advance.flat_map(|one| one.periods().map(|(_, end)| end)));
    crate::sorting::by(&mut instants, |at| [at.microseconds().into(), 0]);
    instants.dedup();
    let place = |at: Time| instants.partition_point(|instant| *instant < at) as u64;
    let each = schedule.workload.ids().map(|job| {
        let start = schedule.starts[job.index()].min(schedule.until);
        place(start).saturating_sub(place(schedule.workload.request(job).submitted))
    });
    each.sum()
}

#[cfg(test)]
mod tests {
    use super::super::Scenario;
    use super::*;
    use crate::import::{BadLines, read};

    #[test]
    fn ends_of_periods_are_decisions() {
        // Job 1 has node `a` for three days. Jobs 2 and 3 want both nodes. Three periods on node
        // `b` end meanwhile.
        let log = "; MaxProcs: 2\n\
            1 0 -1 259200 1 -1 -1 1 259200 -1 1 1 1 -1 -1 -1 -1 -1\n\
            2 1 -1 10 2 -1 -1 2 10 -1 1 1 1 -1 -1 -1 -1 -1\n\
            3 259000 -1 10 2 -1 -1 2 10 -1 1 1 1 -1 -1 -1 -1 -1\n";
        let trace = read("log", log.as_bytes(), BadLines::Stop).expect("the log is right");
        let scenario = Scenario {
            machine: "nodes".into(),
            ..Scenario::new("fcfs")
        };
        let cluster = "NodeName=a CPUs=1; NodeName=b CPUs=1; \
            ReservationName=daily Nodes=b StartTime=100 Duration=1 Flags=DAILY";
        let resolved = scenario.with("cluster", cluster).resolve();
        let run = resolved.and_then(|resolved| resolved.run(Arc::new(trace)));
        let mut run = run.expect("the scenario is right");
        while !run.advance(1000).done {}
        assert_eq!(run.schedule().starts[1].seconds(), 259_200.0);
        // Job 2 waits at its submission, at the ends of three periods, and at the submission of job
        // 3, which waits there and at the end of job 1.
        assert_eq!(refusals(run.schedule()), 7);
    }
}
