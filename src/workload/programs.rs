//! Programs of processes for the jobs of a trace. They come from a library by the job's application
//! number, or are drawn.
//!
//! A trace says how long a job ran and on how many processors. It does not say what its processes
//! did meanwhile. A machine model with processes needs this too: a setting chooses the rule, and
//! its draws are seeded.

use super::Workload;
use crate::job::{Pattern, Shape};
use crate::param::{Settings, Typed, When, real, whole, words};
use crate::problem::Problem;
use crate::random::Stream;
use serde_json::Value;
use std::sync::Arc;

words! {
    /// The source of the jobs' programs.
    pub enum ProgramSource {
        None = "none": "jobs only hold their processors",
        Library = "library": "the program of the library whose number is the job's application number, \
            if there is one",
        Applications = "applications": "one of the library's applications (like SWEEP3D or SAGE), \
            drawn for each job",
        Drawn = "drawn": "grain, pattern and imbalance are drawn for each job",
    }
}

/// Parameter for the source of programs.
pub const PROGRAMS: Typed<ProgramSource> =
    ProgramSource::param("programs", "Programs", ProgramSource::None)
        .help("Source of the programs of processes, on machines that simulate processes");

const DRAWN: When = When {
    keys: &["programs"],
    words: &["drawn"],
};
const SEEDED: When = When {
    keys: &["programs"],
    words: &["drawn", "applications"],
};

/// Parameter for the seed of drawn programs.
pub const PROGRAMS_SEED: Typed<i64> = whole("programs_seed", "Program seed", 0..=4_294_967_295, 1)
    .when(SEEDED)
    .help("The same seed draws the same programs");

/// Parameter for the finest grain, in milliseconds.
pub const GRAIN_LEAST: Typed<f64> = real("grain_least", "Finest grain", 0.01..=1e6, 1.0)
    .unit("ms")
    .when(DRAWN)
    .help("Finest grain of a job; grains are drawn, each order of magnitude equally likely");
/// Parameter for the coarsest grain, in milliseconds.
pub const GRAIN_MOST: Typed<f64> = real("grain_most", "Coarsest grain", 0.01..=1e6, 100.0)
    .unit("ms")
    .when(DRAWN)
    .help("Coarsest grain of a job");
/// Parameter for the largest imbalance of drawn programs, as a share of the grain.
pub const IMBALANCE: Typed<f64> = real("imbalance", "Imbalance", 0.0..=1.0, 0.5)
    .unit("of the grain")
    .when(DRAWN)
    .help(
        "Largest imbalance of a job; the imbalance is drawn from 0 to this, and each process \
            computes less than the grain by a share from 0 to the job's imbalance",
    );

/// The patterns that programs drawn at random can have. Each is equally likely.
const PATTERNS: [Pattern; 4] = [
    Pattern::None,
    Pattern::Ring,
    Pattern::Grid,
    Pattern::Barrier,
];

/// A program of the library.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Application number of the jobs that have this program.
    pub number: i32,
    /// The stable id of the program.
    pub id: String,
    /// The pattern by which processes communicate.
    pub pattern: Pattern,
    /// Number of processes in a group.
    pub group: u32,
    /// Computing time of an iteration, by group, in microseconds.
    pub compute: Vec<i64>,
    /// The largest random change of a computing phase, as a share of it.
    pub jitter: f64,
    /// True if the program imitates an application; false if it is a part of a scenario.
    pub is_application: bool,
    /// Description of the program for readers.
    pub about: String,
}

/// Returns every program of the library. The library is compiled in, and a test checks that it can
/// be read.
pub fn library() -> Vec<Entry> {
    let document: Value =
        serde_json::from_str(include_str!("programs/library.json")).unwrap_or_default();
    document["programs"]
        .as_array()
        .map_or_else(Vec::new, |programs| {
            programs.iter().filter_map(entry).collect()
        })
}

fn entry(program: &Value) -> Option<Entry> {
    let compute = program["compute"].as_array()?;
    Some(Entry {
        number: program["number"].as_i64()? as i32,
        id: program["id"].as_str()?.into(),
        pattern: match program["pattern"].as_str()? {
            "none" => Pattern::None,
            "ring" => Pattern::Ring,
            "grid" => Pattern::Grid,
            "barrier" => Pattern::Barrier,
            _ => return None,
        },
        group: program["group"].as_u64()? as u32,
        compute: compute.iter().map(Value::as_i64).collect::<Option<_>>()?,
        jitter: program["jitter"].as_f64()?,
        is_application: program["application"].as_bool().unwrap_or(false),
        about: program["about"].as_str()?.into(),
    })
}

/// Gives jobs their programs, as the settings ask.
///
/// # Errors
/// Fails if the finest grain is coarser than the coarsest.
pub(super) fn give_programs(workload: &mut Workload, settings: &Settings) -> Result<(), Problem> {
    match settings.get(&PROGRAMS) {
        ProgramSource::Library => {
            let library = library();
            let numbers: Vec<i32> = workload
                .requests
                .iter()
                .map(|request| request.application)
                .collect();
            from_library(workload, &library, |job| {
                library
                    .iter()
                    .position(|entry| entry.number == numbers[job])
            });
            workload
                .provenance
                .steps
                .push("programs from the library, by application number".into());
        }
        ProgramSource::Applications => {
            let applications: Vec<Entry> = library()
                .into_iter()
                .filter(|entry| entry.is_application)
                .collect();
            let seed = settings.get(&PROGRAMS_SEED) as u64;
            let mut stream = Stream::new(seed, "applications");
            from_library(workload, &applications, |_| {
                Some(stream.below(applications.len() as u64) as usize)
            });
            workload.provenance.steps.push(format!(
                "applications of the library, drawn with seed {seed}"
            ));
        }
        ProgramSource::Drawn => draw(workload, settings)?,
        ProgramSource::None => {}
    }
    Ok(())
}

/// Gives each job the entry of `library` that `of_job` returns for it. A job without an entry keeps
/// no program.
fn from_library(
    workload: &mut Workload,
    library: &[Entry],
    mut of_job: impl FnMut(usize) -> Option<usize>,
) {
    let mut places: Vec<Option<u32>> = vec![None; library.len()];
    for job in 0..workload.programs.len() {
        let Some(at) = of_job(job) else { continue };
        let entry = &library[at];
        let place = *places[at].get_or_insert_with(|| {
            let jitter = (entry.jitter * 1e6).round() as i64;
            let shape = Shape {
                pattern: entry.pattern,
                compute: entry.compute.clone(),
                group: entry.group,
                jitter,
                seed: entry.number as u64,
            };
            workload.shapes.push(Arc::new(shape));
            workload.shapes.len() as u32 - 1
        });
        workload.programs[job].shape = Some(place);
    }
}

fn draw(workload: &mut Workload, settings: &Settings) -> Result<(), Problem> {
    let (least, most) = (settings.get(&GRAIN_LEAST), settings.get(&GRAIN_MOST));
    if least > most {
        return Err(Problem::new(
            format!("The finest grain, {least} ms, is coarser than the coarsest, {most} ms."),
            "Grains are drawn between the two.",
            "Lower `grain_least`, or raise `grain_most`.",
        ));
    }
    let seed = settings.get(&PROGRAMS_SEED) as u64;
    let [mut grains, mut patterns, mut imbalances] =
        ["grains", "patterns", "imbalances"].map(|label| Stream::new(seed, label));
    for (request, program) in workload.requests.iter().zip(&mut workload.programs) {
        let grain = 1000.0 * least * libm::pow(most / least, grains.uniform());
        let pattern = PATTERNS[patterns.below(PATTERNS.len() as u64) as usize];
        let imbalance = settings.get(&IMBALANCE) * imbalances.uniform();
        let mut compute: Vec<i64> = (0..request.processors)
            .map(|_| {
                (grain * (1.0 - imbalance * imbalances.uniform()))
                    .round()
                    .max(1.0) as i64
            })
            .collect();
        // At least one process needs the whole grain, so that the grain is the longest computing
        // time.
        compute[0] = grain.round().max(1.0) as i64;
        workload.shapes.push(Arc::new(Shape {
            pattern,
            compute,
            group: 1,
            jitter: 0,
            seed: 0,
        }));
        program.shape = Some(workload.shapes.len() as u32 - 1);
    }
    workload.provenance.steps.push(format!(
        "programs drawn: grain {least} to {most} ms, imbalance up to {}, seed {seed}",
        settings.get(&IMBALANCE)
    ));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_can_be_read() {
        let library = library();
        assert!(library.len() >= 7);
        for (at, entry) in library.iter().enumerate() {
            assert_eq!(entry.number, at as i32 + 1);
            assert!(
                entry.group > 0 && entry.compute.iter().any(|compute| *compute > 0),
                "{}",
                entry.id
            );
        }
    }
}
