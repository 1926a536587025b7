//! The Lublin-Feitelson model of rigid jobs (2003), with typed (batch and interactive) and typeless
//! jobs.
//!
//! U. Lublin and D. G. Feitelson, "The workload on parallel supercomputers: modeling the
//! characteristics of rigid jobs", JPDC 63(11). The constants are those of the authors' published
//! program. There is one departure: that program cuts its clock to whole seconds at each arrival,
//! so its daily cycle drifts by some 7 hours in 50,000 jobs. The clock here is fractional.

use super::ModelSpec;
use crate::limits::MODEL_JOBS;
use crate::param::{Param, Settings, Typed, real, whole, words};
use crate::problem::Problem;
use crate::pulse::{Doing, beat, reached};
use crate::random::Stream;
use crate::trace::{LONGEST_SECONDS, Record, Records, Trace};

const JOBS: Typed<i64> = whole("jobs", "Jobs", 1..=MODEL_JOBS, 10_000)
    .unit("jobs")
    .help("Number of jobs to draw");
const SIZE: Typed<i64> = whole("processors", "Processors", 2..=1 << 20, 128)
    .unit("processors")
    .help("Size of the machine");
const SEED: Typed<i64> = whole("seed", "Seed", 0..=4_294_967_295, 1)
    .help("Seed of the random streams; the same seed gives the same workload everywhere");
words! {
    /// The populations of jobs that the model draws from.
    enum Types {
        Typeless = "typeless": "one population of jobs",
        Typed = "typed": "batch and interactive jobs, each with its own daily cycle",
    }
}

const TYPES: Typed<Types> = Types::param("types", "Job types", Types::Typeless)
    .help("Populations of jobs that the model draws from");
const ALPHA: Typed<f64> = real("alpha", "Arrival shape", 1.0..=30.0, 10.2303).help(
    "Shape of the typeless inter-arrival gamma; a smaller shape gives a higher load (10.2303 is \
            the published one)",
);
const BETA: Typed<f64> = real("beta", "Arrival scale", 0.1..=2.0, 0.4871)
    .help("Scale of the typeless inter-arrival gamma; a smaller scale gives a higher load");
const UMED: Typed<f64> = real("umed", "Medium size", -3.5..=-1.5, -2.5)
    .unit("log2")
    .help(
        "UMed of the two-stage size distribution of typeless jobs, relative to log2 of the \
            machine's size; for batch and interactive jobs, its difference from -2.5 moves UMed",
    );
const USERS: Typed<i64> = whole("users", "Users", 1..=100_000, 32)
    .unit("users")
    .help("Number of users that share the jobs, by Zipf's law; not part of the published model");
const OVERESTIMATE: Typed<f64> = real("overestimate", "Overestimate", 1.0..=1000.0, 1.0)
    .unit("times")
    .help(
        "Largest ratio of estimate to run time; estimates are uniform between the run time and \
            this many times it, and 1 is exact (not part of the published model)",
    );

/// Description of the Lublin-Feitelson model.
pub const SPEC: ModelSpec = ModelSpec {
    id: "lublin",
    name: "Lublin-Feitelson",
    summary: "Rigid jobs with a daily arrival cycle, power-of-two sizes and run times that depend \
        on size.",
    paper: "Lublin and Feitelson, JPDC 63(11), 2003",
    params: &[
        JOBS.param,
        SIZE.param,
        SEED.param,
        TYPES.param,
        ALPHA.param,
        BETA.param,
        UMED.param,
        USERS.param,
        OVERESTIMATE.param,
    ],
    generate,
};

/// The constants of one population of jobs. Gammas are given as (shape, scale).
#[derive(Clone, Copy, Debug)]
struct Population {
    serial: f64,
    power_of_two: f64,
    u_low: f64,
    u_medium: f64,
    u_high: f64,
    u_probability: f64,
    short: (f64, f64),
    long: (f64, f64),
    p: (f64, f64),
    arrival: (f64, f64),
    per_bucket: (f64, f64),
    arrival_ratio: f64,
}

const BATCH: Population = Population {
    serial: 0.2927,
    power_of_two: 0.6686,
    u_low: 1.2,
    u_medium: 5.0,
    u_high: 7.0,
    u_probability: 0.875,
    short: (6.57, 0.823),
    long: (639.1, 0.0156),
    p: (-0.003, 0.6986),
    arrival: (6.0415, 0.8531),
    per_bucket: (6.1271, 5.2740),
    arrival_ratio: 1.0519,
};

const INTERACTIVE: Population = Population {
    serial: 0.1541,
    power_of_two: 0.625,
    u_low: 1.0,
    u_medium: 3.0,
    u_high: 5.5,
    u_probability: 0.705,
    short: (3.8351, 0.6605),
    long: (7.073, 0.6856),
    p: (-0.0118, 0.9156),
    arrival: (6.5510, 0.6621),
    per_bucket: (8.9186, 3.6680),
    arrival_ratio: 0.9797,
};

const TYPELESS: Population = Population {
    serial: 0.244,
    power_of_two: 0.576,
    u_low: 0.8,
    u_medium: 4.5,
    u_high: 7.0,
    u_probability: 0.86,
    short: (4.2, 0.94),
    long: (312.0, 0.03),
    p: (-0.0054, 0.78),
    arrival: (10.2303, 0.4871),
    per_bucket: (8.1737, 3.9631),
    arrival_ratio: 1.0225,
};

/// Draws above these logarithms are drawn again: exp(13) s between arrivals, exp(12) s of run time.
const LONGEST_GAP: f64 = 13.0;
const LONGEST_RUN: f64 = 12.0;

/// The least share of drawn gaps that must be short enough, so that drawing ends in reasonable
/// time.
const LEAST_ACCEPTED: f64 = 0.01;

const BUCKETS: usize = 48;
const BUCKET_SECONDS: f64 = 1800.0;

fn generate(settings: &Settings) -> Result<Trace, Problem> {
    check(settings)?;
    let processors = settings.get(&SIZE) as u32;
    let seed = settings.get(&SEED) as u64;
    let typed = settings.get(&TYPES) == Types::Typed;
    let mut sources = if typed {
        vec![
            Source::new(BATCH, 1, seed, "batch"),
            Source::new(INTERACTIVE, 0, seed, "interactive"),
        ]
    } else {
        let arrival = (settings.get(&ALPHA), settings.get(&BETA));
        vec![Source::new(
            Population {
                arrival,
                ..TYPELESS
            },
            1,
            seed,
            "typeless",
        )]
    };
    let top = libm::log2(f64::from(processors));
    for source in &mut sources {
        source.fit_sizes(top, settings.get(&UMED), processors);
    }
    let mut users = Users::new(settings.get(&USERS) as usize, seed);
    let mut estimates = Stream::new(seed, "estimates");
    let overestimate = settings.get(&OVERESTIMATE);
    let records: Records = (1..=settings.get(&JOBS))
        .map(|number| {
            reached(Doing::Drawing {
                jobs: number as u64,
                of: settings.get(&JOBS) as u64,
            });
            beat(512);
            // The source with the earlier arrival comes next. On a tie `min_by` keeps the source
            // that the reversed order yields first, which is the interactive one.
            let next = (0..sources.len())
                .rev()
                .min_by(|&a, &b| sources[a].clock.total_cmp(&sources[b].clock))
                .unwrap_or(0);
            let (submit, size, run_time) = sources[next].job();
            let estimate = (run_time as f64 * estimates.between(1.0, overestimate)).round() as i64;
            Record {
                number,
                submit,
                wait: -1,
                run_time,
                allocated: size,
                cpu_time: -1.0,
                used_memory: -1.0,
                requested: size,
                requested_time: estimate.max(run_time).max(1),
                requested_memory: -1.0,
                status: 1,
                user: users.draw(),
                group: -1,
                application: -1,
                queue: sources[next].queue,
                partition: -1,
                preceding: -1,
                think_time: -1,
                line: 0,
            }
        })
        .collect();
    let parameters = super::shown(SPEC.params, settings);
    if records.iter().any(|record| record.submit > LONGEST_SECONDS) {
        return Err(Problem::new(
            "The jobs would arrive over more than 317 years.",
            format!("A submit time is at most {LONGEST_SECONDS} s."),
            "Ask for fewer jobs, or lower `alpha` or `beta`.",
        ));
    }
    Ok(Trace {
        name: format!(
            "lublin-{}-{}x{}-seed{seed}",
            settings.get(&TYPES),
            settings.get(&JOBS),
            processors
        ),
        header: vec![
            "; Version: 2.2".into(),
            format!("; MaxProcs: {processors}"),
            format!("; Note: generated by the Lublin-Feitelson model, {parameters}"),
            "; Queues: 1 batch, 0 interactive".into(),
        ],
        records,
        ..Trace::default()
    })
}

/// Rejects parameters that are valid one by one and make no sense together.
fn check(settings: &Settings) -> Result<(), Problem> {
    let is_given = |param: &Param| settings.0.contains_key(param.key);
    if settings.get(&TYPES) == Types::Typed && (is_given(&ALPHA) || is_given(&BETA)) {
        return Err(Problem::new(
            "`alpha` and `beta` have no meaning with `types=typed`.",
            "They shape the arrivals of typeless jobs; batch and interactive jobs have their \
                published values.",
            "Leave them out, or choose `types=typeless`.",
        ));
    }
    let accepted = gamma_distribution(
        settings.get(&ALPHA) * TYPELESS.arrival_ratio,
        settings.get(&BETA),
        LONGEST_GAP,
    );
    if accepted < LEAST_ACCEPTED {
        return Err(Problem::new(
            format!(
                "With `alpha={}` and `beta={}`, hardly any gap between arrivals is short enough.",
                settings.get(&ALPHA),
                settings.get(&BETA)
            ),
            "The model draws a gap again if its logarithm is above 13 (5 days), and would hardly \
                ever accept one.",
            "Lower `alpha` or `beta`; the published values are 10.2303 and 0.4871.",
        ));
    }
    Ok(())
}

/// The stream of jobs of one population.
struct Source {
    population: Population,
    queue: i32,
    processors: u32,
    weights: [f64; BUCKETS],
    arrivals: Stream,
    sizes: Stream,
    run_times: Stream,
    bucket: usize,
    points: f64,
    remainder: f64,
    /// Time at which the next job of this stream arrives, in seconds.
    clock: f64,
}

impl Source {
    fn new(population: Population, queue: i32, seed: u64, name: &str) -> Self {
        let stream = |part: &str| Stream::new(seed, &format!("{name} {part}"));
        let mut source = Self {
            population,
            queue,
            processors: 1,
            weights: daily_weights(population.per_bucket),
            arrivals: stream("arrivals"),
            sizes: stream("sizes"),
            run_times: stream("run times"),
            bucket: 0,
            points: 0.0,
            remainder: 0.0,
            clock: 0.0,
        };
        source.advance_clock();
        source
    }

    /// Fits the size distribution to the size of the machine. `top` is log2 of that size. `UHi` is
    /// `top` for batch and typeless jobs, and 1.5 less for interactive jobs. `UMed` is `top +
    /// relative` for typeless jobs, `top + relative + 0.5` for batch jobs and `top + relative -
    /// 1.5` for interactive jobs. It stays between `ULow` and `UHi`.
    fn fit_sizes(&mut self, top: f64, relative: f64, processors: u32) {
        let published_top = 7.0;
        let p = &mut self.population;
        let shift = relative + 2.5;
        p.u_high += top - published_top;
        p.u_medium =
            (p.u_medium + top - published_top + shift).clamp(p.u_low, p.u_high.max(p.u_low));
        p.u_high = p.u_high.max(p.u_low);
        self.processors = processors;
    }

    /// Draws the job that arrives at the clock, as (submission, size, run time). Moves the clock on
    /// to the next arrival.
    fn job(&mut self) -> (i64, i32, i64) {
        let submit = self.clock as i64;
        let size = self.size();
        let run_time = self.run_time(size);
        self.advance_clock();
        (submit, size, run_time)
    }

    fn advance_clock(&mut self) {
        let (shape, scale) = self.population.arrival;
        let gap = loop {
            let gap = self
                .arrivals
                .gamma(shape * self.population.arrival_ratio, scale);
            if gap <= LONGEST_GAP {
                break gap;
            }
        };
        self.points += libm::exp(gap) / BUCKET_SECONDS;
        while self.points > self.weights[self.bucket] {
            self.points -= self.weights[self.bucket];
            self.bucket = (self.bucket + 1) % BUCKETS;
            self.clock += BUCKET_SECONDS;
        }
        let remainder = self.points / self.weights[self.bucket];
        self.clock += BUCKET_SECONDS * (remainder - self.remainder);
        self.remainder = remainder;
    }

    fn size(&mut self) -> i32 {
        let p = self.population;
        let u = self.sizes.uniform();
        if u <= p.serial {
            return 1;
        }
        let mut v = if self.sizes.uniform() <= p.u_probability {
            self.sizes.between(p.u_low, p.u_medium)
        } else {
            self.sizes.between(p.u_medium, p.u_high)
        };
        if u <= p.serial + p.power_of_two {
            v = v.round();
        }
        (libm::exp2(v).round() as i64).clamp(1, i64::from(self.processors)) as i32
    }

    fn run_time(&mut self, size: i32) -> i64 {
        let Population {
            p: (slope, start),
            short,
            long,
            ..
        } = self.population;
        let p = (slope * f64::from(size) + start).clamp(0.0, 1.0);
        let log = loop {
            let (shape, scale) = if self.run_times.uniform() <= p {
                short
            } else {
                long
            };
            let log = self.run_times.gamma(shape, scale);
            if log <= LONGEST_RUN {
                break log;
            }
        };
        libm::exp(log) as i64
    }
}

/// Returns the weight of each half hour of a day, from midnight on. The mean of the weights is 1,
/// and arrivals are proportional to them.
fn daily_weights((shape, scale): (f64, f64)) -> [f64; BUCKETS] {
    let mut weights = [0.0; BUCKETS];
    for i in 11..59 {
        let x = i as f64;
        weights[(i - 1) % BUCKETS] =
            gamma_distribution(shape, scale, x + 0.5) - gamma_distribution(shape, scale, x - 0.5);
    }
    let mean = weights.iter().sum::<f64>() / BUCKETS as f64;
    weights.map(|weight| weight / mean)
}

/// Returns the distribution function of a gamma variable at `x`. Computes it by the series of the
/// regularised incomplete gamma function.
fn gamma_distribution(shape: f64, scale: f64, x: f64) -> f64 {
    let x = x / scale;
    let mut term = 1.0 / shape;
    let mut sum = term;
    let mut k = shape;
    while term > sum * 1e-16 {
        k += 1.0;
        term *= x / k;
        sum += term;
    }
    sum * libm::exp(shape * libm::log(x) - x - libm::lgamma(shape))
}

/// Users whose numbers of jobs follow Zipf's law.
struct Users {
    cumulative: Vec<f64>,
    stream: Stream,
}

impl Users {
    fn new(count: usize, seed: u64) -> Self {
        let mut sum = 0.0;
        let cumulative = (1..=count)
            .map(|rank| {
                sum += 1.0 / rank as f64;
                sum
            })
            .collect();
        Self {
            cumulative,
            stream: Stream::new(seed, "users"),
        }
    }

    fn draw(&mut self) -> i32 {
        let top = *self.cumulative.last().unwrap_or(&1.0);
        let u = self.stream.uniform() * top;
        self.cumulative.partition_point(|&c| c <= u) as i32 + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_the_published_ones() {
        let at = |p: Population, i: usize| daily_weights(p.per_bucket)[i];
        for (p, i, expected) in [
            (BATCH, 0, 0.546_159),
            (BATCH, 10, 0.347_154),
            (BATCH, 26, 1.665_940),
            (INTERACTIVE, 0, 0.513_505),
            (INTERACTIVE, 47, 0.572_823),
            (TYPELESS, 9, 0.175_754),
            (TYPELESS, 27, 1.833_114),
        ] {
            assert!(
                (at(p, i) - expected).abs() < 2e-6,
                "weight {i}: {} instead of {expected}",
                at(p, i)
            );
        }
    }

    #[test]
    fn sizes_fit_small_and_large_machines() {
        for processors in [2.0, 10.0, 1152.0, 65_536.0] {
            let settings = Settings::default()
                .with("processors", processors)
                .with("jobs", 500.0);
            let trace = super::super::generate("lublin", &settings).unwrap();
            assert!(
                trace
                    .records
                    .iter()
                    .all(|r| (1..=processors as i32).contains(&r.requested))
            );
            assert!(trace.records.iter().map(|r| r.submit).is_sorted());
        }
    }
}
