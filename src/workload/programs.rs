//! Programs of processes for the jobs of a trace: from a library, by the job's application number,
//! or drawn.
//!
//! A trace says how long a job ran and on how many processors, not what its processes did
//! meanwhile. Where a machine sees processes, that must come from somewhere: the rule is a setting,
//! and its draws are seeded.

use super::Workload;
use crate::job::{Pattern, Shape};
use crate::param::{Settings, Typed, When, real, whole, words};
use crate::problem::Problem;
use crate::random::Stream;
use serde_json::Value;
use std::sync::Arc;

words! {
    /// Where programs come from.
    pub enum ProgramSource {
        None = "none": "jobs only hold their processors",
        Library = "library": "the one of the library whose number is the job's application number; \
            none where there is no such",
        Applications = "applications": "one of the library's applications, SWEEP3D- and SAGE-like \
            ones, drawn for each job",
        Drawn = "drawn": "drawn for each job: grain, pattern, imbalance",
    }
}

/// Where programs come from.
pub const PROGRAMS: Typed<ProgramSource> =
    ProgramSource::param("programs", "Programs", ProgramSource::None)
        .help("What the processes of a job do, on machines that see processes");

const DRAWN: When = When {
    keys: &["programs"],
    words: &["drawn"],
};
const SEEDED: When = When {
    keys: &["programs"],
    words: &["drawn", "applications"],
};

/// The seed of drawn programs.
pub const PROGRAMS_SEED: Typed<i64> = whole("programs_seed", "Program seed", 0..=4_294_967_295, 1)
    .when(SEEDED)
    .help("The same seed draws the same programs");

/// The finest grain.
pub const GRAIN_LEAST: Typed<f64> = real("grain_least", "Finest grain", 0.01..=1e6, 1.0)
    .unit("ms")
    .when(DRAWN)
    .help("A job's grain is drawn from here, each order of magnitude as likely");
/// The coarsest grain.
pub const GRAIN_MOST: Typed<f64> = real("grain_most", "Coarsest grain", 0.01..=1e6, 100.0)
    .unit("ms")
    .when(DRAWN)
    .help("To here");
/// How unequal processes are.
pub const IMBALANCE: Typed<f64> = real("imbalance", "Imbalance", 0.0..=1.0, 0.5)
    .unit("of the grain")
    .when(DRAWN)
    .help(
        "A job's imbalance is drawn from 0 to this, and by how much less than the grain each of \
            its processes computes from 0 to that",
    );

/// Patterns that are drawn, each as likely.
const PATTERNS: [Pattern; 4] = [
    Pattern::None,
    Pattern::Ring,
    Pattern::Grid,
    Pattern::Barrier,
];

/// A program of the library.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its number.
    pub number: i32,
    /// Its name.
    pub id: String,
    /// Whom processes communicate with.
    pub pattern: Pattern,
    /// Processes in a group.
    pub group: u32,
    /// Computing time of an iteration by group, in microseconds.
    pub compute: Vec<i64>,
    /// By how much a computing phase is longer or shorter at most, as a share.
    pub jitter: f64,
    /// Whether it is like an application, not a scenario's part.
    pub is_application: bool,
    /// What it is.
    pub about: String,
}

/// Every program of the library. It is part of the program, and a test reads it.
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

/// Gives jobs their programs.
///
/// # Errors
/// If the finest grain is coarser than the coarsest.
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

/// Gives each job the entry that is said for it, if one is.
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
        // One of them needs the whole grain.
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
