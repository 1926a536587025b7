//! Metrics: folds over schedules. A metric is one line in [`ALL`] and the figures it computes.
//!
//! Figures have stable keys, `wait.mean` or `utilisation.value`, in seconds or fractions of 1. The
//! page's table, the command line, the summary and the docs use these keys.

mod calendar;
mod classes;
mod comparison;
mod distribution;
mod fairness;
mod migrations;
mod month;
mod occupancy;
mod paired;
mod sample;
mod spec;
mod switching;

pub use classes::{Grouping, JobClass};
pub use comparison::{Bar, BarStretch, Change, ClassChange, Comparison, compare};
pub use month::{MONTH_FIGURES, MONTHLY};
pub use paired::{Paired, paired};
pub use sample::{
    COOL_DOWN, Sample, THRESHOLD, THRESHOLD_SECONDS, WARM_UP, bounded_slowdown, per_job,
};
pub use spec::{Better, MetricSpec};

use distribution::{distribution, distributions};
use sample::samples;

use crate::job::JobId;
use crate::param::{Param, Settings};
use crate::schedule::{Outcome, Schedule};
use crate::statistics::STATISTICS;
use crate::time::Time;
use std::collections::BTreeMap;

/// The parameters of measuring.
pub const PARAMS: &[Param] = &[THRESHOLD, WARM_UP, COOL_DOWN];

const VALUE: &[&str] = &["value"];

/// Figures of the first eight of something.
const EIGHT: &[&str] = &["1st", "2nd", "3rd", "4th", "5th", "6th", "7th", "8th"];

const fn metric(
    id: &'static str,
    name: &'static str,
    unit: &'static str,
    better: Better,
    figures: &'static [&'static str],
    help: &'static str,
) -> MetricSpec {
    MetricSpec {
        id,
        name,
        unit,
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
        "s",
        Better::Lower,
        STATISTICS,
        "Start minus submission",
    ),
    metric(
        "response",
        "Response",
        "s",
        Better::Lower,
        STATISTICS,
        "End minus submission",
    ),
    metric(
        "slowdown",
        "Slowdown",
        "",
        Better::Lower,
        STATISTICS,
        "Response over run time; jobs of zero length are left out",
    ),
    metric(
        "bounded_slowdown",
        "Bounded slowdown",
        "",
        Better::Lower,
        STATISTICS,
        "Response over run time, both at least the threshold; never below 1",
    ),
    metric(
        "utilisation",
        "Utilisation",
        "",
        Better::Higher,
        VALUE,
        "Work done over what the machine can do from the first submission to the last end",
    ),
    metric(
        "accepted",
        "Accepted load",
        "",
        Better::Higher,
        &["value", "share"],
        "Work done between the first and the last submission, over what the machine can do then; \
            as a share, over what a machine without limits would have done of it by then",
    ),
    metric(
        "unused",
        "Unused capacity",
        "",
        Better::Neither,
        VALUE,
        "Capacity that was free and that nobody in the queue asked for (w_unused)",
    ),
    metric(
        "lost",
        "Lost capacity",
        "",
        Better::Lower,
        VALUE,
        "Capacity neither used nor unused: free although somebody waited (w_lost)",
    ),
    metric(
        "efficiency",
        "Utilisation efficiency",
        "",
        Better::Higher,
        VALUE,
        "Work done over the processor time that was occupied; 1 where processors are dedicated",
    ),
    metric(
        "occupied",
        "Occupied capacity",
        "",
        Better::Neither,
        VALUE,
        "Processor time in which somebody was there, over what the machine has; the same as \
            utilisation where processors are dedicated",
    ),
    metric(
        "makespan",
        "Makespan",
        "s",
        Better::Lower,
        VALUE,
        "From the first submission to the last end",
    ),
    metric(
        "queue",
        "Queue length",
        "jobs",
        Better::Lower,
        &["mean", "max"],
        "Waiting jobs, over time",
    ),
    metric(
        "stability",
        "Stability",
        "s",
        Better::Lower,
        VALUE,
        "Standard deviation of the monthly mean waits: less is steadier",
    ),
    metric(
        "unfairness",
        "Fair start miss",
        "s",
        Better::Lower,
        &["mean", "max", "share", "jobs"],
        "How much later a job starts than if all before it were served first come, first served \
            from its arrival on; share of jobs that miss; jobs examined",
    ),
    metric(
        "jain",
        "Jain's index",
        "",
        Better::Higher,
        VALUE,
        "Jain's fairness index of the users' mean bounded slowdowns: 1 is even",
    ),
    metric(
        "fragmentation",
        "Fragmentation",
        "",
        Better::Lower,
        VALUE,
        "1 - largest free partition / free processors, over the time in which some are free; 0 \
            where any free processors serve",
    ),
    metric(
        "migrations",
        "Migrations",
        "",
        Better::Neither,
        &["attempted", "successful", "share", "moves"],
        "How often it was tried to lay out the running jobs anew, how often that left a larger \
            free partition, the share of the tries that did, and moves of jobs",
    ),
    metric(
        "migration_gap",
        "Time between migrations",
        "s",
        Better::Neither,
        &["mean"],
        "Between successful migrations; 0 where there were no two",
    ),
    metric(
        "switches",
        "Switches",
        "",
        Better::Neither,
        &["count", "per_day"],
        "How often an adaptive policy let another candidate decide; 0 under any other policy",
    ),
    metric(
        "deciding",
        "Deciding",
        "",
        Better::Neither,
        EIGHT,
        "Of an adaptive policy, the share of time from the first submission to the last end in \
            which its first, second, ... candidate decided",
    ),
    metric(
        "search",
        "Search for partners",
        "jobs",
        Better::Neither,
        &[
            "waiting", "long", "size", "memory", "class", "slowdown", "chosen",
        ],
        "Of a policy that lets jobs share nodes, mean over the searches among waiting jobs: how \
            many were looked at; are medium or long; also no larger; also fit into the memory; \
            also need other things; also slow each other down little; and which of these was \
            chosen",
    ),
    metric(
        "job_response",
        "Response of a job",
        "s",
        Better::Lower,
        EIGHT,
        "End minus submission of the first, second, ... job to arrive, for workloads of a few \
            jobs; 0 where there is none",
    ),
    metric(
        "killed",
        "Killed jobs",
        "jobs",
        Better::Neither,
        VALUE,
        "Jobs killed at their estimate",
    ),
    metric(
        "jobs",
        "Jobs measured",
        "jobs",
        Better::Neither,
        VALUE,
        "Jobs that the job metrics count, after warm-up and cool-down",
    ),
];

/// Figures that the records of some machines find. All other machines have them as 0.
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

/// Measures a schedule. The settings were checked against [`PARAMS`].
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
    // What only machines of other kinds have is 0.
    for key in OF_MACHINES {
        put(key, 0.0);
    }
    schedule.own.figures(schedule, &mut put);
    for (at, name) in EIGHT.iter().enumerate() {
        let response = schedule
            .ends
            .get(at)
            .filter(|end| **end != Time::NEVER)
            .map(|end| *end - schedule.workload.requests[at].submitted);
        put(
            &format!("job_response.{name}"),
            response.map_or(0.0, crate::time::Span::seconds),
        );
    }
    put("stability.value", classes::stability(schedule, &samples));
    put("jain.value", fairness::jain_by_user(schedule, &samples));
    let miss = fairness::fair_start_miss(schedule);
    put("unfairness.mean", miss.mean);
    put("unfairness.max", miss.max);
    put("unfairness.share", miss.share);
    put("unfairness.jobs", f64::from(miss.jobs));
    measures
}

/// The same job metrics for each class of a grouping.
pub fn measure_classes(
    schedule: &Schedule,
    settings: &Settings,
    grouping: Grouping,
) -> Vec<JobClass> {
    classes::measure(schedule, &per_job(schedule, settings), grouping)
}

/// The same job metrics of these jobs alone, warm-up and cool-down included, with the distributions
/// of their sizes and run times, and how many of them ended.
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
