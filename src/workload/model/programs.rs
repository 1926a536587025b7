//! A few programs that are submitted at once: the workloads of the experiments with flexible
//! coscheduling.
//!
//! E. Frachtenberg, D. G. Feitelson, F. Petrini and J. Fernandez, "Adaptive parallel job scheduling
//! with flexible coscheduling", IEEE TPDS 16(11), 2005, sections 3 and 4.

use super::ModelSpec;
use crate::param::{Settings, Typed, whole, words};
use crate::problem::Problem;
use crate::trace::{Record, Records, Trace};
use crate::workload::programs::library;

words! {
    /// The mix of programs, which also decides how long each runs.
    enum Mix {
        Balanced = "balanced": "two balanced jobs of 60 s (section 3.1)",
        Imbalanced = "imbalanced": "two jobs of 120 s, each slow where the other is fast (3.2)",
        Complementing = "complementing": "two jobs of 60 s that only compute, and one of 180 s that \
            communicates (3.3)",
        Combined = "combined": "the two jobs of `imbalanced`, and one of `balanced` (3.4)",
        Sweep3d = "sweep3d": "two jobs like SWEEP3D (4)",
        Sage = "sage": "two jobs like SAGE (4)",
        SageSweep3d = "sage_sweep3d": "a job like SAGE, and one like SWEEP3D (4)",
    }
}

const MIX: Typed<Mix> = Mix::param("mix", "Programs", Mix::Balanced)
    .help("Jobs of the workload, by their programs in the library");

const SIZE: Typed<i64> = whole("processors", "Processors", 1..=65_536, 128)
    .unit("processors")
    .help("Size of the machine and of every job");

/// Description of the model of a few programs.
pub const SPEC: ModelSpec = ModelSpec {
    id: "programs",
    name: "A few programs",
    summary: "Two or three jobs that are submitted at once, on the whole machine, with programs \
        of the library.",
    paper: "Frachtenberg et al., IEEE TPDS 16(11), 2005, sections 3 and 4",
    params: &[MIX.param, SIZE.param],
    generate,
};

/// Returns the jobs of a mix, each as the id of its program and its run time on dedicated
/// processors in seconds.
fn jobs(mix: Mix) -> &'static [(&'static str, i64)] {
    match mix {
        Mix::Imbalanced => &[("slow_first", 120), ("fast_first", 120)],
        Mix::Complementing => &[("half_idle", 60), ("half_idle", 60), ("thrice", 180)],
        Mix::Combined => &[("slow_first", 120), ("fast_first", 120), ("balanced", 60)],
        Mix::Sweep3d => &[("sweep3d", 111), ("sweep3d", 111)],
        Mix::Sage => &[("sage", 126), ("sage", 126)],
        Mix::SageSweep3d => &[("sage", 126), ("sweep3d", 112)],
        Mix::Balanced => &[("balanced", 60), ("balanced", 60)],
    }
}

#[expect(clippy::unnecessary_wraps, reason = "every model may refuse")]
fn generate(settings: &Settings) -> Result<Trace, Problem> {
    let (mix, processors) = (settings.get(&MIX), settings.get(&SIZE) as i32);
    let library = library();
    let number = |id: &str| {
        library
            .iter()
            .find(|entry| entry.id == id)
            .map_or(-1, |entry| entry.number)
    };
    let record = |(at, (program, runtime)): (usize, &(&str, i64))| Record {
        number: at as i64 + 1,
        submit: 0,
        wait: -1,
        run_time: *runtime,
        allocated: processors,
        cpu_time: -1.0,
        used_memory: -1.0,
        requested: processors,
        requested_time: *runtime,
        requested_memory: -1.0,
        status: 1,
        user: at as i32 + 1,
        group: -1,
        application: number(program),
        queue: -1,
        partition: -1,
        preceding: -1,
        think_time: -1,
        line: 0,
    };
    let records: Records = jobs(mix).iter().enumerate().map(record).collect();
    let parameters = super::shown(SPEC.params, settings);
    let header = vec![
        "; Version: 2.2".into(),
        format!("; MaxProcs: {processors}"),
        format!("; Note: a few programs, {parameters}"),
    ];
    Ok(Trace {
        name: format!("programs-{mix}"),
        header,
        records,
        ..Trace::default()
    })
}
