//! Random jobs, with uniform draws for everything, as in teaching examples and small studies.
//!
//! The student projects (H. Rajaei and M. Dadfar, ASEE 2007) draw arrivals, estimates, run times
//! and sizes with the C library's `rand()`. They print neither ranges nor seed, so the ranges are
//! parameters here.

use super::ModelSpec;
use crate::limits::MODEL_JOBS;
use crate::param::{Settings, Typed, whole, words};
use crate::problem::Problem;
use crate::pulse::{Doing, beat, reached};
use crate::random::Stream;
use crate::trace::{Record, Records, Trace};

const JOBS: Typed<i64> = whole("jobs", "Jobs", 1..=MODEL_JOBS, 100)
    .unit("jobs")
    .help("Number of jobs to draw");
const SIZE: Typed<i64> = whole("processors", "Processors", 1..=1_048_576, 15)
    .unit("processors")
    .help("Size of the machine; a job asks for any number of processors up to it");
const SEED: Typed<i64> = whole("seed", "Seed", 0..=4_294_967_295, 1)
    .help("Seed of the random streams; the same seed gives the same workload everywhere");
const SPAN: Typed<i64> = whole("span", "Span", 1..=1_000_000_000, 100_000)
    .unit("s")
    .help("Period in which the jobs arrive, uniformly");
const LONGEST: Typed<i64> = whole("longest", "Longest estimate", 1..=100_000_000, 20_000)
    .unit("s")
    .help("Longest estimate; estimates are from 1 s up to it");
const USERS: Typed<i64> = whole("users", "Users", 1..=100_000, 8)
    .unit("users")
    .help("Number of users that share the jobs, evenly");
words! {
    /// The distribution of estimates over their range.
    enum Drawn {
        Uniform = "uniform": "every second is equally likely",
        Logarithmic = "logarithmic": "every order of magnitude is equally likely",
    }
}

const ESTIMATES: Typed<Drawn> = Drawn::param("estimates_drawn", "Estimates drawn", Drawn::Uniform)
    .help("Distribution of estimates over their range");

/// Description of the model of random jobs.
pub const SPEC: ModelSpec = ModelSpec {
    id: "random",
    name: "Random jobs",
    summary: "Arrivals, sizes, estimates and the share of the estimate that is used are uniform.",
    paper: "Rajaei and Dadfar, ASEE 2007",
    params: &[
        JOBS.param,
        SIZE.param,
        SEED.param,
        SPAN.param,
        LONGEST.param,
        ESTIMATES.param,
        USERS.param,
    ],
    generate,
};

#[expect(clippy::unnecessary_wraps, reason = "every model may refuse")]
fn generate(settings: &Settings) -> Result<Trace, Problem> {
    let (jobs, seed) = (settings.get(&JOBS), settings.get(&SEED) as u64);
    let processors = settings.get(&SIZE);
    let mut streams = ["arrivals", "sizes", "estimates", "run times", "users"]
        .map(|label| Stream::new(seed, label));
    let [arrivals, sizes, estimates, run_times, users] = &mut streams;
    let mut submits: Vec<i64> = (0..jobs)
        .map(|_| arrivals.below(settings.get(&SPAN) as u64) as i64)
        .collect();
    crate::sorting::by(&mut submits, |submit| [(*submit).into(), 0]);
    let longest = settings.get(&LONGEST);
    let is_logarithmic = settings.get(&ESTIMATES) == Drawn::Logarithmic;
    let mut estimate = || {
        if is_logarithmic {
            (libm::exp(estimates.between(0.0, libm::log((longest + 1) as f64))) as i64)
                .clamp(1, longest)
        } else {
            1 + estimates.below(longest as u64) as i64
        }
    };
    let record = |(index, submit): (usize, i64)| {
        reached(Doing::Drawing {
            jobs: index as u64,
            of: jobs as u64,
        });
        beat(256);
        let size = 1 + sizes.below(processors as u64) as i32;
        let requested_time = estimate();
        Record {
            number: index as i64 + 1,
            submit,
            wait: -1,
            run_time: 1 + run_times.below(requested_time as u64) as i64,
            allocated: size,
            cpu_time: -1.0,
            used_memory: -1.0,
            requested: size,
            requested_time,
            requested_memory: -1.0,
            status: 1,
            user: 1 + users.below(settings.get(&USERS) as u64) as i32,
            group: -1,
            application: -1,
            queue: -1,
            partition: -1,
            preceding: -1,
            think_time: -1,
            line: 0,
        }
    };
    let records: Records = submits.into_iter().enumerate().map(record).collect();
    let parameters = super::shown(SPEC.params, settings);
    let header = vec![
        "; Version: 2.2".into(),
        format!("; MaxProcs: {processors}"),
        format!("; Note: random jobs, {parameters}"),
    ];
    Ok(Trace {
        name: format!("random-{jobs}x{processors}-seed{seed}"),
        header,
        records,
        ..Trace::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_are_those_of_uniform_draws() {
        let settings = Settings::default().with("jobs", 40_000.0).with("span", 1e6);
        let trace = generate(&settings).unwrap();
        let mean = |of: fn(&Record) -> i64| {
            trace
                .records
                .iter()
                .map(|record| of(record) as f64)
                .sum::<f64>()
                / 40_000.0
        };
        // Each mean must be within three standard errors, sd / sqrt(n).
        let close = |found: f64, wanted: f64, sd: f64| (found - wanted).abs() < 3.0 * sd / 200.0;
        assert!(close(mean(|r| r.submit), 499_999.5, 288_675.0));
        assert!(close(mean(|r| i64::from(r.requested)), 8.0, 4.32));
        assert!(close(mean(|r| r.requested_time), 10_000.5, 5773.5));
        // A job runs for half its estimate on average: the mean of (estimate + 1) / 2.
        assert!(close(mean(|r| r.run_time), 5000.75, 4410.0));
        assert!(trace.records.iter().all(
            |r| (1..=r.requested_time).contains(&r.run_time) && (1..=15).contains(&r.requested)
        ));
        assert!(trace.records.iter().map(|r| r.submit).is_sorted());
        let logarithmic = generate(&settings.with("estimates_drawn", "logarithmic")).unwrap();
        let short = logarithmic
            .records
            .iter()
            .filter(|r| r.requested_time <= 141)
            .count() as f64
            / 40_000.0;
        // The square root of 20,001 is nearly 142, so half of the orders of magnitude lie below it.
        assert!((short - 0.5).abs() < 0.01, "{short}");
    }
}
