//! A recorded run: simulation, record and step functions together, as page and command line use it.

use super::scenario::Resolved;
use crate::explain::{Story, StoryTeller, Wait, Waiter};
use crate::files;
use crate::job::JobId;
use crate::machine::Placements;
use crate::machines::bsp::{Probe, Probed, ReadProbe};
use crate::machines::smt::{Search, Searcher};
use crate::metrics::{Measures, THRESHOLD, measure};
use crate::problem::Problem;
use crate::pulse::{Doing, during};
use crate::schedule::{Recorder, Schedule};
use crate::sim::{Progress, Silent, Simulation, Turning};
use crate::time::Time;
use crate::trace::{MachineSize, Trace};
use crate::view::Steps;
use crate::workload::Workload;
use std::sync::Arc;

/// A run and all that is recorded of it.
pub struct Run {
    /// How it was made.
    pub scenario: Resolved,
    /// The trace of its workload.
    pub trace: Arc<Trace>,
    simulation: Simulation,
    observers: (Recorder, Steps),
    /// Forks of the simulation at instants on the way, from which a part of the run can be seen
    /// again.
    forks: Vec<(Time, Simulation)>,
    /// Whether what is to be otherwise is so already; or why it cannot be.
    is_otherwise: Result<bool, Problem>,
}

/// A part of a run that happens once more, under a microscope.
pub struct Microscope {
    again: Simulation,
    probe: Probe,
}

impl Microscope {
    /// Goes on for a while. What was seen, once all of it was.
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

    /// How far it is.
    pub fn now(&self) -> Time {
        self.again.progress().now
    }
}

/// How many forks are kept on the way, at most: each has a few bytes for every job.
const FORKS: u64 = 8;

/// The most jobs that a run told step by step may have.
pub const LONGEST_STORY: usize = 500;

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

    /// Lets at least `budget` arrivals and completions happen, as far as there are any.
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

    /// The instant from which on something is otherwise has come.
    fn go_on_otherwise(&mut self) -> Result<(), Problem> {
        let Some(otherwise) = &self.scenario.what_if else {
            return Ok(());
        };
        let (workload, numbers) = otherwise.workload(self.observers.0.schedule())?;
        if otherwise.is_nothing() {
            return Ok(());
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
                    "On the machine `{}` nobody's jobs can be taken out on the way.",
                    self.scenario.machine.id
                ),
                "It keeps its running jobs by number.",
                "Change estimates, sizes or the policy, or choose another machine.",
            )
        })?;
        // Before it, the run was another one.
        self.forks = vec![(at, self.simulation.fork())];
        Ok(())
    }

    /// Why a job waited, seen by letting a part of the run happen once more. Of a job that has not
    /// started yet, up to now.
    pub fn why(&self, job: JobId) -> Wait {
        let submitted = self.schedule().workload.request(job).submitted;
        let mut waiter = Waiter::new(job);
        if let Some((_, fork)) = self.forks.iter().rev().find(|(at, _)| *at < submitted) {
            let mut again = fork.fork();
            let until = self.schedule().until;
            while !waiter.is_over()
                && again.progress().now < until
                && !again.advance(1, &mut waiter).done
            {}
        }
        Wait::new(waiter.into_causes(), job, self.schedule())
    }

    /// The searches for partners of the last decision until `at` that had any, seen by letting a
    /// part of the run happen once more.
    pub fn searches(&self, at: Time) -> Option<(Time, Vec<Search>)> {
        // Seldom is there none since the last fork; then one before it is asked.
        self.forks
            .iter()
            .rev()
            .filter(|(from, _)| *from < at)
            .find_map(|(_, fork)| {
                let mut searcher = Searcher::default();
                fork.fork()
                    .advance_through(at.min(self.schedule().until), &mut searcher);
                searcher.into_last()
            })
    }

    /// The run step by step.
    ///
    /// # Errors
    /// If it has more than [`LONGEST_STORY`] jobs.
    pub fn story(&self) -> Result<Story, Problem> {
        let workload = &self.schedule().workload;
        if workload.len() > LONGEST_STORY {
            return Err(Problem::new(
                format!(
                    "{} jobs are too many to be told step by step.",
                    workload.len()
                ),
                format!("At most {LONGEST_STORY} are: nobody would read more."),
                "Choose a window of jobs (`first_job` and `jobs`), and run it again.",
            ));
        }
        let mut teller = StoryTeller::new(Arc::clone(workload));
        self.scenario
            .simulation(Arc::clone(workload), Placements::Recorded)
            .run(&mut teller);
        Ok(teller.into_story())
    }

    /// Looks at a processor through a microscope: lets a part of the run happen once more, in as
    /// many steps as it takes. Nothing if the machine does not see processes.
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

    /// How far it is.
    pub fn progress(&self) -> Progress {
        let progress = self.simulation.progress();
        let done = match (&self.scenario.what_if, &self.is_otherwise) {
            (_, Err(_)) => true,
            (Some(_), Ok(false)) => false,
            _ => progress.done,
        };
        Progress { done, ..progress }
    }

    /// Jobs that wait now.
    pub fn waiting(&self) -> usize {
        self.simulation.waiting()
    }

    /// The record so far.
    pub fn schedule(&self) -> &Schedule {
        self.observers.0.schedule()
    }

    /// The step functions so far.
    pub fn steps(&self) -> &Steps {
        &self.observers.1
    }

    /// Checks that the run came to its end with every job done.
    ///
    /// # Errors
    /// If the policy left jobs waiting for ever.
    pub fn check_complete(&self) -> Result<(), Problem> {
        self.is_otherwise.clone()?;
        let Progress { finished, jobs, .. } = self.progress();
        if finished == jobs {
            return Ok(());
        }
        Err(Problem::new(
            format!("The run stopped with {finished} of {jobs} jobs done."),
            "A policy must start every job in the end.",
            "This is a defect of the policy; please report it with the scenario.",
        ))
    }

    /// Every metric.
    pub fn measures(&self) -> Measures {
        during(Doing::Measuring, || {
            measure(self.schedule(), &self.scenario.settings)
        })
    }

    /// The threshold of the bounded slowdown, in seconds.
    pub fn threshold(&self) -> f64 {
        self.scenario.settings.get(&THRESHOLD)
    }

    /// Writes the schedule as SWF, a line at a time.
    pub fn swf(&self, line: impl FnMut(&str)) {
        let notes = [
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
        let what_if = self
            .scenario
            .what_if
            .as_ref()
            .map(|otherwise| format!("what if: {}", otherwise.json()));
        let size = self
            .schedule()
            .workload
            .report
            .size
            .as_ref()
            .and_then(MachineSize::note);
        let notes: Vec<String> = notes.into_iter().chain(size).chain(what_if).collect();
        files::swf(self.schedule(), &self.trace, &notes, line);
    }

    /// Writes the schedule as a jobs CSV, a line at a time.
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
