//! One sample of a forecast: a simulation with drawn run times.

use super::failure::ForecastFailure;
use super::ratios::Blocks;
use super::result::InstantSource;
use super::situation::{DrawnJobs, Situation};
use super::watch::Watch;
use crate::job::JobId;
use crate::problem::Problem;
use crate::random::Stream;
use crate::sim::{Simulation, Turning};
use crate::time::Time;

/// Events between two looks at the jobs that have started.
const SLICE: u64 = 32;

/// A sample that is being simulated.
pub struct ForecastSample {
    simulation: Simulation,
    drawn: DrawnJobs,
    watch: Watch<'static>,
    /// The waiting jobs of the situation, as jobs of the sample.
    waiting: Vec<JobId>,
    /// Index of the first waiting job that may not have started yet.
    next: usize,
    has_turned: bool,
}

impl ForecastSample {
    /// Draws a sample, by its number.
    ///
    /// # Errors
    /// Fails if too many jobs arrive, or if times leave the range.
    pub fn draw(situation: &Situation, number: u32) -> Result<Self, ForecastFailure> {
        let seed = u64::from(situation.settings.seed);
        let arrivals = situation.arrivals(seed, number)?;
        let mut stream = Stream::new(seed, &format!("run times {number}"));
        let ratios = &situation.ratios;
        let mut blocks = Blocks::new(seed, number);
        let drawn = situation.jobs(
            &mut |source| ratios.draw(source, &mut blocks, &mut stream),
            &arrivals,
        )?;
        let mut waiting = vec![JobId(0); situation.present.len()];
        for (job, present) in (0..).zip(&drawn.present) {
            if let Some(at) = present {
                waiting[*at] = JobId(job);
            }
        }
        let waiting = situation.waiting().map(|at| waiting[at]).collect();
        Ok(Self {
            simulation: situation.simulation(&drawn),
            watch: Watch::new(drawn.workload.len(), None),
            drawn,
            waiting,
            next: 0,
            has_turned: false,
        })
    }

    /// Advances by about `budget` events. Returns the unused budget once the sample has ended.
    ///
    /// # Errors
    /// Fails if the policy cannot go on.
    pub fn advance(&mut self, situation: &Situation, budget: u64) -> Result<Option<u64>, Problem> {
        let mut left = budget;
        if !self.has_turned {
            if !self
                .simulation
                .advance_until(situation.at(), left, &mut self.watch)
            {
                return Ok(None);
            }
            left = left.saturating_sub(self.drawn.present.len() as u64);
            self.turn(situation)?;
        }
        let horizon = situation.horizon();
        loop {
            if let Some(problem) = self.simulation.failed() {
                return Err(problem.clone());
            }
            while self
                .waiting
                .get(self.next)
                .is_some_and(|job| self.watch.starts[job.index()] != Time::NEVER)
            {
                self.next += 1;
            }
            if self.next == self.waiting.len() {
                return Ok(Some(left));
            }
            if left == 0 {
                return Ok(None);
            }
            let slice = left.min(SLICE);
            if self
                .simulation
                .advance_until(horizon, slice, &mut self.watch)
            {
                return match self.simulation.failed() {
                    Some(problem) => Err(problem.clone()),
                    None => Ok(Some(left)),
                };
            }
            left -= slice;
        }
    }

    /// Lets the policy of the scenario decide from the instant on.
    fn turn(&mut self, situation: &Situation) -> Result<(), Problem> {
        let resolved = &situation.resolved;
        let mut policy = (resolved.policy.build)(&resolved.settings);
        if situation.at_source != InstantSource::Given {
            policy.begin_now();
        }
        let turning = Turning {
            at: situation.at(),
            policy,
            predicts: resolved.predicts(),
            known_until_start: None,
            closed: None,
        };
        let same: Vec<Option<JobId>> = self.drawn.workload.ids().map(Some).collect();
        let workload = &self.drawn.workload;
        let simulation = self
            .simulation
            .otherwise(workload, &same, turning, &mut self.watch);
        self.simulation = simulation.ok_or_else(|| {
            Problem::new(
                format!(
                    "There is no forecast on the machine `{}`.",
                    resolved.machine.id
                ),
                "No other policy can take over there.",
                "Choose another machine.",
            )
        })?;
        self.has_turned = true;
        Ok(())
    }

    /// Returns the start of each waiting job of the situation; [`Time::NEVER`] beyond the horizon.
    pub fn starts(&self, horizon: Time) -> impl Iterator<Item = Time> + '_ {
        let start = move |job: &JobId| {
            let start = self.watch.starts[job.index()];
            if start > horizon { Time::NEVER } else { start }
        };
        self.waiting.iter().map(start)
    }
}
