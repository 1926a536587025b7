//! Demands of jobs for CPU, network, disk and memory. They come from a table beside the trace, or
//! are drawn by the mixes of LOMARC.
//!
//! A. C. Sodan and L. Lan, "LOMARC: lookahead matchmaking for multi-resource coscheduling", JSSPP
//! 2004, section 6.1.

use super::Workload;
use crate::job::{Demand, Request};
use crate::param::{Settings, Typed, When, whole, words};
use crate::problem::Problem;
use crate::random::Stream;
use crate::trace::Demands;

words! {
    /// The source of the jobs' demands.
    pub enum DemandSource {
        None = "none": "demands are not known",
        File = "file": "the table that was given with the trace",
        M1 = "m1": "drawn: 40 % of the jobs CPU-bound, 30 % network-bound, 30 % disk-bound",
        M2 = "m2": "drawn: 40 % of the jobs CPU-bound, 10 % network-bound, 50 % disk-bound",
        M3 = "m3": "drawn: 30 % of the jobs CPU-bound, 50 % network-bound, 20 % disk-bound",
    }
}

/// Parameter for the source of demands.
pub const DEMANDS: Typed<DemandSource> =
    DemandSource::param("demands", "Demands", DemandSource::None).help(
        "Source of the jobs' needs of CPU, network, disk and memory, on machines on which jobs \
            share nodes",
    );

/// Parameter for the seed of drawn demands.
pub const DEMANDS_SEED: Typed<i64> = whole("demands_seed", "Demand seed", 0..=4_294_967_295, 1)
    .when(When {
        keys: &["demands"],
        words: &["m1", "m2", "m3", "file"],
    })
    .help(
        "Seed of drawn demands; with a table, it decides which jobs have instructions that go \
            well together",
    );

/// Gives each job its demands. `table` is the table that was given with the trace.
///
/// # Errors
/// Fails if the settings ask for the table and there is none, or if the table has none of the jobs.
pub fn give_demands(
    workload: &mut Workload,
    table: Option<&Demands>,
    settings: &Settings,
) -> Result<(), Problem> {
    let mix = settings.get(&DEMANDS);
    if mix == DemandSource::File {
        return take_demands(workload, table, settings.get(&DEMANDS_SEED) as u64);
    }
    // Shares of CPU-bound and network-bound jobs, in hundredths. The other jobs are disk-bound.
    let (cpu, network) = match mix {
        DemandSource::M1 => (40, 30),
        DemandSource::M2 => (40, 10),
        DemandSource::M3 => (30, 50),
        DemandSource::None | DemandSource::File => return Ok(()),
    };
    let seed = settings.get(&DEMANDS_SEED) as u64;
    let [mut kinds, mut shares, mut memories, mut marks] = [
        "demand kinds",
        "demand shares",
        "demand memory",
        "demand marks",
    ]
    .map(|label| Stream::new(seed, label));
    let draw = |_| {
        let kind = kinds.below(100);
        let memory = match memories.below(100) {
            0..70 => between(&mut memories, 500, 5_001),
            70..95 => between(&mut memories, 5_001, 8_001),
            _ => between(&mut memories, 8_001, 10_001),
        };
        let mark = marks.below(1 << 62);
        let (cpu, network, disk) = if kind < cpu {
            let (cpu, disk) = pair(&mut shares, (5_000, 9_000), (6_000, 9_500));
            (cpu, 10_000 - cpu - disk, disk)
        } else if kind < cpu + network {
            let (network, disk) = pair(&mut shares, (4_000, 6_500), (5_000, 8_000));
            (10_000 - network - disk, network, disk)
        } else {
            let (disk, network) = pair(&mut shares, (4_000, 6_500), (5_000, 8_000));
            (10_000 - network - disk, network, disk)
        };
        Some(Demand {
            cpu,
            network,
            disk,
            memory,
            mark,
        })
    };
    workload.demands = (0..workload.len()).map(draw).collect();
    workload.provenance.steps.push(format!(
        "demands drawn: mix {}, seed {seed}",
        mix.word().to_uppercase()
    ));
    Ok(())
}

fn take_demands(
    workload: &mut Workload,
    table: Option<&Demands>,
    seed: u64,
) -> Result<(), Problem> {
    let problem = |what: String| {
        let next = "Give a table (`--demands FILE`, or drop it on the page after its trace), or \
            choose other demands.";
        Problem::new(
            what,
            "`demands=file` reads the demands of jobs, by their numbers, from a table.",
            next,
        )
    };
    let table = table.ok_or_else(|| problem("No table of demands was given.".into()))?;
    let mut marks = Stream::new(seed, "demand marks");
    let demand = |request: &Request| {
        let mark = marks.below(1 << 62);
        table
            .rows
            .get(&request.number)
            .map(|&[cpu, network, disk, memory]| Demand {
                cpu,
                network,
                disk,
                memory,
                mark,
            })
    };
    workload.demands = workload.requests.iter().map(demand).collect();
    let known = workload.demands.iter().flatten().count();
    if known == 0 {
        return Err(problem(format!("{} has none of the jobs.", table.name)));
    }
    let (name, jobs, sha256) = (&table.name, workload.len(), &table.sha256);
    workload.provenance.steps.push(format!(
        "demands of {known} of {jobs} jobs from {name} (SHA-256 {sha256}), seed {seed}"
    ));
    Ok(())
}

/// Draws a whole number from `least` up to and without `bound`.
fn between(stream: &mut Stream, least: i64, bound: i64) -> i64 {
    least + stream.below((bound - least) as u64) as i64
}

/// Draws two shares of a job's time, in hundredths of a percent: the main share within `own`, and a
/// second one of 5 to 40 %. Draws again until their sum is within `both`.
fn pair(stream: &mut Stream, own: (i64, i64), both: (i64, i64)) -> (i64, i64) {
    loop {
        let (one, other) = (between(stream, own.0, own.1), between(stream, 500, 4_000));
        if (both.0..both.1).contains(&(one + other)) {
            return (one, other);
        }
    }
}
