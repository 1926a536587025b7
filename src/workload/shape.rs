//! Shaping of a whole workload: a window of its jobs, resampling, another load, other estimates.

use super::Workload;
use super::demands::{DEMANDS, DEMANDS_SEED};
use super::follow::CLOSED_LOOP;
use super::programs::{GRAIN_LEAST, GRAIN_MOST, IMBALANCE, PROGRAMS, PROGRAMS_SEED, give_programs};
use super::resample::{RESAMPLE, RESAMPLE_SEED, resample};
use crate::job::Program;
use crate::param::{Param, Settings, Typed, real, whole, words};
use crate::problem::Problem;
use crate::random::Stream;
use crate::time::{Span, Time};
use crate::trace::{Effect, ImportRule};

/// Parameter for the first job of the window.
pub const FIRST_JOB: Typed<i64> = whole("first_job", "First job", 1..=1_000_000_000, 1).help(
    "First job of the window, counting from 1 the jobs that cleaning kept, in order of arrival",
);

/// Parameter for the length of the window.
pub const JOBS: Typed<i64> = whole("jobs", "Number of jobs", 0..=1_000_000_000, 0)
    .unit("jobs")
    .help("Number of jobs in the window; 0 is all that follow the first job");

/// Parameter for the load by denser arrivals.
pub const ARRIVAL_FACTOR: Typed<f64> =
    real("arrival_factor", "Load by arrivals", 0.01..=100.0, 1.0)
        .unit("times")
        .help("Multiplies the load by dividing the times between arrivals");

/// Parameter for the load by longer jobs.
pub const RUNTIME_FACTOR: Typed<f64> =
    real("runtime_factor", "Load by run times", 0.01..=100.0, 1.0)
        .unit("times")
        .help("Multiplies the load by multiplying run times and estimates");

/// Parameter for the offered load to reach.
pub const LOAD: Typed<f64> = real("load", "Offered load", 0.0..=100.0, 0.0)
    .unit("of the machine")
    .help("Scales the workload until it asks for this share of the machine; 0 leaves it as it is");

words! {
    /// The times that are scaled to reach an offered load.
    pub enum LoadBy {
        Arrivals = "arrivals": "the times between arrivals",
        RunTimes = "run_times": "run times and estimates",
    }
}

/// Parameter for the times that are scaled to reach an offered load.
pub const LOAD_BY: Typed<LoadBy> = LoadBy::param("load_by", "Scaled by", LoadBy::Arrivals)
    .help("Times that are scaled to reach the offered load");

words! {
    /// The model of user estimates.
    pub enum EstimateModel {
        Given = "given": "as the trace has them",
        Exact = "exact": "the run time",
        Factor = "factor": "the run time times the factor",
        Uniform = "uniform": "uniform from the run time to the run time times the factor",
        Shuffled = "shuffled": "the run time of a job drawn at random, each job's once; a job that \
            outlives its estimate runs on",
    }
}

/// Parameter for the model of user estimates.
pub const ESTIMATE_MODEL: Typed<EstimateModel> =
    EstimateModel::param("estimate_model", "Estimates", EstimateModel::Given)
        .help("Source of the user estimates");

/// Parameter for the factor of the estimate models.
pub const ESTIMATE_FACTOR: Typed<f64> =
    real("estimate_factor", "Estimate factor", 1.0..=1000.0, 2.0)
        .unit("times")
        .help("Factor of the estimate models `factor` and `uniform`");

/// Parameter for the seed of the estimate models.
pub const ESTIMATE_SEED: Typed<i64> = whole("estimate_seed", "Estimate seed", 0..=4_294_967_295, 1)
    .help("Seed of the estimate models `uniform` and `shuffled`");

/// All parameters of shaping, in the order of forms.
pub const PARAMS: &[Param] = &[
    FIRST_JOB.param,
    JOBS.param,
    RESAMPLE.param,
    RESAMPLE_SEED.param,
    ARRIVAL_FACTOR.param,
    RUNTIME_FACTOR.param,
    LOAD.param,
    LOAD_BY.param,
    CLOSED_LOOP.param,
    ESTIMATE_MODEL.param,
    ESTIMATE_FACTOR.param,
    ESTIMATE_SEED.param,
    DEMANDS.param,
    DEMANDS_SEED.param,
    PROGRAMS.param,
    PROGRAMS_SEED.param,
    GRAIN_LEAST.param,
    GRAIN_MOST.param,
    IMBALANCE.param,
];

const OUTSIDE: ImportRule = ImportRule {
    id: "outside_window",
    effect: Effect::Skipped,
    text: "outside the chosen window of jobs: left out",
};

/// Applies window, resampling, load, estimates and programs, in this order. The provenance notes
/// each step. The caller has checked the settings against [`PARAMS`].
///
/// # Errors
/// Fails if no job is left, if the settings cannot be applied to these jobs, or if the scaled times
/// leave the range.
pub fn shape(mut workload: Workload, settings: &Settings) -> Result<Workload, Problem> {
    window(
        &mut workload,
        settings.get(&FIRST_JOB) as usize,
        settings.get(&JOBS) as usize,
    )?;
    resample(&mut workload, settings)?;
    scale_arrivals(&mut workload, settings.get(&ARRIVAL_FACTOR));
    scale_runtimes(&mut workload, settings.get(&RUNTIME_FACTOR));
    scale_to(&mut workload, settings.get(&LOAD), settings.get(&LOAD_BY))?;
    let factor = settings.get(&ESTIMATE_FACTOR);
    match settings.get(&ESTIMATE_MODEL) {
        EstimateModel::Exact => estimates(&mut workload, "exact", |runtime| runtime),
        EstimateModel::Factor => {
            estimates(&mut workload, &format!("run time x {factor}"), |runtime| {
                runtime.scaled(factor)
            });
        }
        EstimateModel::Uniform => {
            let seed = settings.get(&ESTIMATE_SEED) as u64;
            let mut stream = Stream::new(seed, "estimates");
            estimates(
                &mut workload,
                &format!("uniform in run time x [1, {factor}], seed {seed}"),
                |runtime| runtime.scaled(stream.between(1.0, factor)),
            );
        }
        EstimateModel::Shuffled => shuffled(&mut workload, settings.get(&ESTIMATE_SEED) as u64),
        EstimateModel::Given => {}
    }
    give_programs(&mut workload, settings)?;
    workload.check()?;
    Ok(workload)
}

fn window(workload: &mut Workload, first: usize, count: usize) -> Result<(), Problem> {
    let have = workload.len();
    if first > have {
        return Err(Problem::new(
            format!("The window starts at job {first}, but there are {have}."),
            "Jobs are counted from 1, in order of arrival, after cleaning.",
            "Choose an earlier first job.",
        ));
    }
    let from = first - 1;
    let to = if count == 0 {
        have
    } else {
        have.min(from.saturating_add(count))
    };
    if (from, to) == (0, have) {
        return Ok(());
    }
    workload.requests = workload.requests[from..to].to_vec();
    workload.programs = workload.programs[from..to].to_vec();
    workload.sources = workload.sources[from..to].to_vec();
    workload.report.kept = workload.len() as u64;
    workload
        .report
        .count_many(&OUTSIDE, (have - workload.len()) as u64, 0);
    workload
        .provenance
        .steps
        .push(format!("jobs {first} to {to}"));
    Ok(())
}

fn scale_arrivals(workload: &mut Workload, factor: f64) {
    if factor == 1.0 {
        return;
    }
    let first = workload
        .requests
        .first()
        .map_or(Time::ZERO, |request| request.submitted);
    for request in &mut workload.requests {
        request.submitted = first + (request.submitted - first).scaled(1.0 / factor);
    }
    workload
        .provenance
        .steps
        .push(format!("load x {factor} by arrivals"));
}

fn scale_runtimes(workload: &mut Workload, factor: f64) {
    if factor == 1.0 {
        return;
    }
    for (request, program) in workload.requests.iter_mut().zip(&mut workload.programs) {
        let Program {
            runtime, killed, ..
        } = program;
        let held = *runtime <= request.estimate;
        *runtime = runtime.scaled(factor);
        // A job whose run time was within its estimate must stay within it after rounding.
        request.estimate = request
            .estimate
            .scaled(factor)
            .max(if held { *runtime } else { Span::SECOND })
            .max(Span::SECOND);
        *killed = *killed && *runtime == request.estimate;
    }
    workload
        .provenance
        .steps
        .push(format!("load x {factor} by run times"));
}

/// Scales the workload to an offered load. Scaled times are rounded, so the workload meets the load
/// only approximately.
fn scale_to(workload: &mut Workload, load: f64, by: LoadBy) -> Result<(), Problem> {
    if load == 0.0 {
        return Ok(());
    }
    let offered = workload.offered_load();
    let factor = load / offered;
    if !(1e-4..=1e4).contains(&factor) {
        return Err(Problem::new(
            format!("The load cannot be scaled from {offered} to {load}."),
            "Scaling needs jobs with work that arrive at different times, and a factor from \
                0.0001 to 10000.",
            "Choose another load, or another window of jobs.",
        ));
    }
    let scale = if by == LoadBy::RunTimes {
        scale_runtimes
    } else {
        scale_arrivals
    };
    scale(workload, factor);
    Ok(())
}

fn estimates(workload: &mut Workload, name: &str, mut model: impl FnMut(Span) -> Span) {
    for (request, program) in workload.requests.iter_mut().zip(&mut workload.programs) {
        let Program {
            runtime, killed, ..
        } = program;
        request.estimate = model(*runtime).max(*runtime).max(Span::SECOND);
        // A job that was killed at its old estimate is not killed at a longer one.
        *killed = *killed && *runtime == request.estimate;
    }
    workload.provenance.steps.push(format!("estimates: {name}"));
}

/// Gives each job the run time of another as its estimate, or by chance its own.
fn shuffled(workload: &mut Workload, seed: u64) {
    let mut runtimes: Vec<Span> = workload.programs.iter().map(|own| own.runtime).collect();
    let mut stream = Stream::new(seed, "estimates");
    // The shuffle of Fisher and Yates, from the last place on.
    for place in (1..runtimes.len()).rev() {
        runtimes.swap(place, stream.below(place as u64 + 1) as usize);
    }
    for ((request, program), runtime) in workload
        .requests
        .iter_mut()
        .zip(&mut workload.programs)
        .zip(runtimes)
    {
        request.estimate = runtime.max(Span::SECOND);
        program.killed = false;
    }
    workload
        .provenance
        .steps
        .push(format!("estimates: shuffled run times, seed {seed}"));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Request;

    fn sample() -> Workload {
        let request = |number, submit, estimate| Request {
            number,
            submitted: Time::from_seconds(submit),
            estimate: Span::from_seconds(estimate),
            processors: 1,
            user: 1,
            group: 1,
            application: 1,
            queue: 1,
        };
        Workload {
            requests: vec![
                request(1, 100, 20),
                request(2, 200, 30),
                request(3, 400, 40),
            ],
            programs: [10, 15, 40]
                .map(|s| Program::rigid(Span::from_seconds(s)))
                .to_vec(),
            sources: vec![0, 1, 2],
            processors: 4,
            ..Workload::default()
        }
    }

    fn seconds(workload: &Workload) -> Vec<(i64, i64, i64)> {
        let row = |(r, p): (&Request, &Program)| {
            (
                r.submitted.whole_seconds(),
                p.runtime.whole_seconds(),
                r.estimate.whole_seconds(),
            )
        };
        workload
            .requests
            .iter()
            .zip(&workload.programs)
            .map(row)
            .collect()
    }

    #[test]
    fn load_is_scaled_by_arrivals_or_by_run_times() {
        let denser = shape(sample(), &Settings::default().with("arrival_factor", 2.0)).unwrap();
        assert_eq!(
            seconds(&denser),
            [(100, 10, 20), (150, 15, 30), (250, 40, 40)]
        );
        let longer = shape(sample(), &Settings::default().with("runtime_factor", 1.5)).unwrap();
        assert_eq!(
            seconds(&longer),
            [(100, 15, 30), (200, 23, 45), (400, 60, 60)]
        );
        assert!((denser.offered_load() / sample().offered_load() - 2.0).abs() < 1e-9);
        let halved = sample().offered_load() / 2.0;
        let to = |by: &str| {
            shape(
                sample(),
                &Settings::default().with("load", halved).with("load_by", by),
            )
            .unwrap()
        };
        assert_eq!(
            seconds(&to("arrivals")),
            [(100, 10, 20), (300, 15, 30), (700, 40, 40)]
        );
        assert_eq!(
            seconds(&to("run_times")),
            [(100, 5, 10), (200, 8, 15), (400, 20, 20)]
        );
    }

    #[test]
    fn windows_and_estimates() {
        let settings = Settings::default()
            .with("first_job", 2.0)
            .with("jobs", 1.0)
            .with("estimate_model", "factor")
            .with("estimate_factor", 3.0);
        let one = shape(sample(), &settings).unwrap();
        assert_eq!(seconds(&one), [(200, 15, 45)]);
        assert_eq!(
            one.provenance.steps,
            ["jobs 2 to 2", "estimates: run time x 3"]
        );
        let uniform = shape(
            sample(),
            &Settings::default()
                .with("estimate_model", "uniform")
                .with("estimate_factor", 4.0),
        )
        .unwrap();
        assert!(
            seconds(&uniform)
                .iter()
                .all(|&(_, run, estimate)| (run..=4 * run).contains(&estimate))
        );
        assert!(shape(sample(), &Settings::default().with("first_job", 9.0)).is_err());
    }

    #[test]
    fn shuffled_estimates_are_the_run_times_in_another_order() {
        let shuffled = |seed: f64| {
            let settings = Settings::default()
                .with("estimate_model", "shuffled")
                .with("estimate_seed", seed);
            seconds(&shape(sample(), &settings).unwrap())
        };
        let estimates = |jobs: Vec<(i64, i64, i64)>| -> Vec<i64> {
            jobs.iter().map(|&(_, _, estimate)| estimate).collect()
        };
        let orders: Vec<Vec<i64>> = (0..20)
            .map(|seed| estimates(shuffled(f64::from(seed))))
            .collect();
        for order in &orders {
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, [10, 15, 40]);
        }
        // Run times stay, and every order of three comes up.
        assert!(shuffled(1.0).iter().map(|job| job.1).eq([10, 15, 40]));
        let different: std::collections::BTreeSet<_> = orders.iter().collect();
        assert_eq!(different.len(), 6);
    }
}
