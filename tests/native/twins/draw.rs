//! Random workloads, drawn from a generator of the twins' own.

use super::words::{Job, Outage, Overruns, Workload};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha12Rng;
use std::rc::Rc;

/// A sequence of random numbers that a seed and a label name.
pub struct Dice(ChaCha12Rng);

impl Dice {
    pub fn new(seed: u64, label: &str) -> Self {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        bytes[8..8 + label.len()].copy_from_slice(label.as_bytes());
        Self(ChaCha12Rng::from_seed(bytes))
    }

    /// A whole number in 0..bound; 0 for a bound of 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        if bound == 0 {
            0
        } else {
            self.0.random_range(0..bound)
        }
    }

    pub fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize]
    }
}

/// Few jobs, many ties, zero lengths, overestimates, jobs as wide as the machine.
pub fn random_jobs(seed: u64, overruns: Overruns) -> (u32, Vec<Job>) {
    let mut dice = Dice::new(seed, "random jobs");
    let processors = 1 + dice.below(12) as u32;
    let mut submit = dice.below(5) as i64;
    let jobs = (0..=dice.below(40))
        .map(|_| {
            submit += dice.one_of(&[0, 0, 1, 2, 5, 20]);
            let runtime = dice.one_of(&[0, 1, 2, 3, 5, 8, 13, 30]);
            let factor = dice.one_of(&[1, 1, 2, 4]);
            let estimate = (runtime * factor + dice.below(3) as i64).max(1);
            let estimate = if overruns == Overruns::Sometimes && dice.below(4) == 0 {
                (runtime / 2).max(1)
            } else {
                estimate
            };
            let wide = dice.below(8) == 0;
            let size = if wide {
                processors
            } else {
                1 + dice.below(u64::from(processors)) as u32
            };
            Job {
                submit,
                runtime,
                estimate,
                processors: size,
                user: dice.below(3) as i32,
            }
        })
        .collect();
    (processors, jobs)
}

/// An outage of some of the processors that begins during the run, or soon after the last arrival.
pub fn outage(dice: &mut Dice, processors: u32, jobs: &[Job]) -> Option<Outage> {
    let (begin, last) = (jobs.first()?.submit, jobs.last()?.submit);
    let at = begin + dice.below((last - begin + 30) as u64) as i64;
    let length = 1 + dice.below(60) as i64;
    let first = dice.below(processors.into()) as u32;
    let count = 1 + dice.below(u64::from(processors - first).min(12)) as u32;
    Some(Outage {
        at,
        first,
        count,
        length,
    })
}

pub fn workload(seed: u64, overruns: Overruns) -> Rc<Workload> {
    let (processors, jobs) = random_jobs(seed, overruns);
    Rc::new(Workload::new(processors, jobs))
}

/// A workload in which run times keep to estimates, and one in which some do not.
pub fn both(seed: u64) -> [Rc<Workload>; 2] {
    [Overruns::Never, Overruns::Sometimes].map(|overruns| workload(seed, overruns))
}

/// Times in halves of a second: jobs end within a second of now, while overdue ones are taken to
/// end after it.
pub fn by_halves(seed: u64) -> Rc<Workload> {
    let (processors, mut jobs) = random_jobs(seed, Overruns::Sometimes);
    // A job that is believed to take less than a second is taken to take one, which is another
    // rule.
    jobs.iter_mut()
        .for_each(|job| job.estimate = job.estimate.max(2));
    Rc::new(Workload {
        second: 2,
        ..Workload::new(processors, jobs)
    })
}
