//! Metrics: folds over schedules. A metric is one line in [`ALL`] and the figures that it computes.
//!
//! Figures have stable keys, such as `wait.mean` or `utilisation.value`, and are in seconds or
//! fractions of 1. The page's table, the command line, the summary and the docs use these keys.

mod calendar;
mod classes;
mod comparison;
mod distribution;
mod fairness;
mod fit;
mod migrations;
mod month;
mod occupancy;
mod paired;
mod preemption;
mod sample;
mod spec;
mod switching;

pub use classes::{Grouping, JobClass};
pub use comparison::{Bar, BarStretch, Change, ClassChange, Comparison, compare};
pub use fit::{FIT, FitCard, LogFit, fit};
pub use month::{MONTH_FIGURES, MONTHLY};
pub use paired::{Paired, paired};
pub use preemption::put_preemption;
pub use sample::{
    COOL_DOWN, Sample, THRESHOLD, THRESHOLD_SECONDS, WARM_UP, bounded_slowdown, per_job,
};
pub use spec::{Better, MetricSpec, Unit};

use distribution::{distribution, distributions};
use sample::samples;

use crate::job::JobId;
use crate::param::{Param, Settings};
use crate::schedule::{Outcome, Schedule};
use crate::statistics::{Distribution, STATISTICS};
use crate::time::Time;
use std::collections::BTreeMap;

/// The parameters of the metrics.
pub const PARAMS: &[Param] = &[THRESHOLD.param, WARM_UP.param, COOL_DOWN.param];

const VALUE: &[&str] = &["value"];

/// Names of the figures of a workload.
const MOMENTS: &[&str] = &["mean", "sd"];

/// Names of the figures of the first eight jobs or candidates.
const EIGHT: &[&str] = &["1st", "2nd", "3rd", "4th", "5th", "6th", "7th", "8th"];

const fn metric(
    id: &'static str,
    name: &'static str,
    unit: Unit,
    better: Better,
    figures: &'static [&'static str],
    help: &'static str,
) -> MetricSpec {
    MetricSpec {
        id,
        name,
        unit,
        units: &[],
        better,
        help,
        figures,
    }
}

/// Every metric.
pub const ALL: &[MetricSpec] = &[
    metric(
        "wait",
        "Wait",
        Unit::Seconds,
        Better::Lower,
        STATISTICS,
        "Start minus submission",
    ),
    metric(
        "response",
        "Response",
        Unit::Seconds,
        Better::Lower,
        STATISTICS,
        "End minus submission",
    ),
    metric(
        "slowdown",
        "Slowdown",
        Unit::Number,
        Better::Lower,
        STATISTICS,
        "Response over run time; jobs of zero length are left out",
    ),
    metric(
        "bounded_slowdown",
        "Bounded slowdown",
        Unit::Number,
        Better::Lower,
        STATISTICS,
        "Response over run time, both at least the threshold; never below 1",
    ),
    metric(
        "utilisation",
        "Utilisation",
        Unit::Share,
        Better::Higher,
        VALUE,
        "Work done over what the machine can do from the first submission to the last end",
    ),
    metric(
        "accepted",
        "Accepted load",
        Unit::Share,
        Better::Higher,
        &["value", "share"],
        "Work done between the first and the last submission, over the machine's capacity in that \
            time; as a share, over the work of a machine without limits in that time",
    ),
    metric(
        "unused",
        "Unused capacity",
        Unit::Share,
        Better::Neither,
        VALUE,
        "Capacity that was free and that no waiting job asked for (w_unused)",
    ),
    metric(
        "lost",
        "Lost capacity",
        Unit::Share,
        Better::Lower,
        VALUE,
        "Capacity neither used nor unused: free although a job waited (w_lost)",
    ),
    metric(
        "efficiency",
        "Utilisation efficiency",
        Unit::Number,
        Better::Higher,
        VALUE,
        "Work done over the occupied processor time; 1 if processors are dedicated",
    ),
    metric(
        "occupied",
        "Occupied capacity",
        Unit::Share,
        Better::Neither,
        VALUE,
        "Processor time in which at least one job held the processor, over the machine's \
            capacity; equal to utilisation if processors are dedicated",
    ),
    metric(
        "makespan",
        "Makespan",
        Unit::Seconds,
        Better::Lower,
        VALUE,
        "From the first submission to the last end",
    ),
    metric(
        "queue",
        "Queue length",
        Unit::Jobs,
        Better::Lower,
        &["mean", "max"],
        "Number of waiting jobs over time",
    ),
    metric(
        "stability",
        "Stability",
        Unit::Seconds,
        Better::Lower,
        VALUE,
        "Standard deviation of the monthly mean waits; lower is steadier",
    ),
    metric(
        "unfairness",
        "Fair start miss",
        Unit::Seconds,
        Better::Lower,
        &["mean", "max", "share", "jobs"],
        "Delay of a job's start against its fair start, at which it would start if all jobs up to \
            it were served first come, first served from its arrival on; share of jobs that miss \
            their fair starts; jobs examined",
    )
    .with_units(&[("share", Unit::Share), ("jobs", Unit::Jobs)]),
    metric(
        "jain",
        "Jain's index",
        Unit::Number,
        Better::Higher,
        VALUE,
        "Jain's fairness index of the users' mean bounded slowdowns: 1 is even",
    ),
    metric(
        "fragmentation",
        "Fragmentation",
        Unit::Number,
        Better::Lower,
        VALUE,
        "1 - largest free partition / free processors, over the time in which processors are \
            free; 0 if any free processors serve",
    ),
    metric(
        "migrations",
        "Migrations",
        Unit::Count,
        Better::Neither,
        &["attempted", "successful", "share", "moves"],
        "Attempts to lay out the running jobs anew, attempts that left a larger free partition, \
            their share of all attempts, and moves of jobs",
    )
    .with_units(&[("share", Unit::Share)]),
    metric(
        "migration_gap",
        "Time between migrations",
        Unit::Seconds,
        Better::Neither,
        &["mean"],
        "Mean time between successful migrations; 0 if there were fewer than two",
    ),
    metric(
        "switches",
        "Switches",
        Unit::Count,
        Better::Neither,
        &["count", "per_day"],
        "Number of switches of an adaptive policy to another candidate; 0 under any other policy",
    )
    .with_units(&[("per_day", Unit::Number)]),
    metric(
        "deciding",
        "Deciding",
        Unit::Share,
        Better::Neither,
        EIGHT,
        "Share of the time from the first submission to the last end in which the first, second, \
            ... candidate of an adaptive policy decided",
    ),
    metric(
        "search",
        "Search for partners",
        Unit::Jobs,
        Better::Neither,
        &[
            "waiting", "long", "size", "memory", "class", "slowdown", "chosen",
        ],
        "Means over the searches for partners among waiting jobs, under a policy that lets jobs \
            share nodes: jobs examined; those that are medium or long; those also no larger; \
            those that also fit into the memory; those that also need other resources; those that \
            also slow each other down little; place of the chosen job",
    ),
    metric(
        "job_response",
        "Response of a job",
        Unit::Seconds,
        Better::Lower,
        EIGHT,
        "End minus submission of the first, second, ... job to arrive, for workloads of a few \
            jobs; 0 if there is no such job",
    ),
    metric(
        "killed",
        "Killed jobs",
        Unit::Jobs,
        Better::Neither,
        VALUE,
        "Jobs killed at their estimate",
    ),
    metric(
        "jobs",
        "Jobs measured",
        Unit::Jobs,
        Better::Neither,
        VALUE,
        "Jobs that the job metrics count, after warm-up and cool-down",
    ),
    metric(
        "size",
        "Size",
        Unit::Number,
        Better::Neither,
        MOMENTS,
        "Processors of a job",
    ),
    metric(
        "work",
        "Work",
        Unit::Seconds,
        Better::Neither,
        MOMENTS,
        "Processors of a job x run time, in processor-seconds",
    ),
];

/// Figures that only the records of some machines compute. On other machines they are 0.
const OF_MACHINES: [&str; 8] = [
    "fragmentation.value",
    "search.waiting",
    "search.long",
    "search.size",
    "search.memory",
    "search.class",
    "search.slowdown",
    "search.chosen",
];

/// All figures of a run, by key.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measures {
    /// Figures by key, such as `wait.mean`.
    pub figures: BTreeMap<String, f64>,
}

/// Computes the figures of a schedule. The settings must have passed the check against [`PARAMS`].
pub fn measure(schedule: &Schedule, settings: &Settings) -> Measures {
    let samples = per_job(schedule, settings);
    let mut measures = Measures::default();
    distributions("", &samples, &mut measures.figures);
    let mut put = |key: &str, value: f64| {
        measures.figures.insert(key.into(), value);
    };
    put("jobs.value", samples.len() as f64);
    put(
        "killed.value",
        samples
            .iter()
            .filter(|s| schedule.outcome(s.job) == Outcome::Killed)
            .count() as f64,
    );
    let size = |sample: &Sample| f64::from(schedule.workload.request(sample.job).processors);
    let work = |sample: &Sample| size(sample) * sample.runtime;
    for (id, values) in [
        ("size", samples.iter().map(size).collect()),
        ("work", samples.iter().map(work).collect()),
    ] {
        let values = Distribution::of(values).values();
        for (statistic, value) in STATISTICS.iter().zip(values) {
            if MOMENTS.contains(statistic) {
                put(&format!("{id}.{statistic}"), value);
            }
        }
    }
    let occupancy = occupancy::occupancy(schedule);
    put("utilisation.value", occupancy.utilisation);
    let (accepted, share) = occupancy::accepted_load(schedule);
    put("accepted.value", accepted);
    put("accepted.share", share);
    put("unused.value", occupancy.unused);
    put("lost.value", occupancy.lost);
    put("efficiency.value", occupancy.efficiency);
    put("occupied.value", occupancy.occupied);
    put("makespan.value", occupancy.makespan);
    put("queue.mean", occupancy.mean_queue);
    put("queue.max", f64::from(occupancy.longest_queue));
    let migrations = migrations::migrations(schedule);
    put("migrations.attempted", migrations.attempted);
    put("migrations.successful", migrations.successful);
    put(
        "migrations.share",
        if migrations.attempted > 0.0 {
            migrations.successful / migrations.attempted
        } else {
            0.0
        },
    );
    put("migrations.moves", migrations.moves);
    put("migration_gap.mean", migrations.gap);
    let switching = switching::switching(schedule);
    put("switches.count", switching.count);
    put("switches.per_day", switching.per_day);
    for (name, share) in EIGHT.iter().zip(switching.shares) {
        put(&format!("deciding.{name}"), share);
    }
    // Figures of other kinds of machines are 0.
    for key in OF_MACHINES {
        put(key, 0.0);
    }
    // The machine with nodes always has these figures, and puts them itself.
    let is_preempted = !schedule.lost.is_empty() || !schedule.suspensions.is_empty();
    if is_preempted || !schedule.cancelled.is_empty() {
        put_preemption(schedule, &mut put);
    }
    schedule.own.figures(schedule, &mut put);
    for (at, name) in EIGHT.iter().enumerate() {
        let response = match schedule.ends.get(at) {
            // 0 would be the best of all runs.
            Some(end) if *end == Time::NEVER => continue,
            Some(end) => (*end - schedule.workload.requests[at].submitted).seconds(),
            None => 0.0,
        };
        put(&format!("job_response.{name}"), response);
    }
    fit::put_fit(schedule, &samples, &mut put);
    put("stability.value", classes::stability(schedule, &samples));
    put("jain.value", fairness::jain_by_user(schedule, &samples));
    let miss = fairness::fair_start_miss(schedule);
    // A delay of 0 would be the best of all runs.
    if miss.jobs > 0 {
        put("unfairness.mean", miss.mean);
        put("unfairness.max", miss.max);
        put("unfairness.share", miss.share);
    }
    put("unfairness.jobs", f64::from(miss.jobs));
    measures
}

/// Computes the job metrics for each class of a grouping.
pub fn measure_classes(
    schedule: &Schedule,
    settings: &Settings,
    grouping: Grouping,
) -> Vec<JobClass> {
    classes::measure(schedule, &per_job(schedule, settings), grouping)
}

/// Returns the names of the classes of a grouping, and the index of the class of each job; `None` for
/// jobs that the metrics leave out.
pub fn classes_of_jobs(
    schedule: &Schedule,
    settings: &Settings,
    grouping: Grouping,
) -> (Vec<String>, Vec<Option<u32>>) {
    classes::of_jobs(schedule, &per_job(schedule, settings), grouping)
}

/// Computes the job metrics of these jobs alone, with the distributions of their sizes and run
/// times and the number of jobs that ended. Jobs of the warm-up and cool-down count too.
pub fn measure_jobs(
    schedule: &Schedule,
    settings: &Settings,
    jobs: &[JobId],
) -> BTreeMap<String, f64> {
    let samples = samples(schedule, settings, jobs);
    let mut figures = BTreeMap::new();
    distributions("", &samples, &mut figures);
    let size = |sample: &Sample| f64::from(schedule.workload.request(sample.job).processors);
    distribution("size", samples.iter().map(size).collect(), &mut figures);
    distribution(
        "runtime",
        samples.iter().map(|sample| sample.runtime).collect(),
        &mut figures,
    );
    figures.insert("jobs.value".into(), samples.len() as f64);
    figures
}
