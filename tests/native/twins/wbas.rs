//! WBAS (docs/policies/wbas.md): the usual parallelism against that of the last frame.

use super::adaptive::{CANDIDATES, FRAME, experiment, long_workload, run, schedule};
use super::words::{Case, Workload};

fn play(
    workload: &Workload,
    candidates: &[&str],
    maf: f64,
    from_mean: bool,
) -> (Vec<i64>, Vec<(i64, usize)>) {
    let jobs = &workload.jobs;
    run(workload, candidates, |end, active| {
        let sizes = |from: i64| {
            jobs.iter()
                .filter(move |job| from < job.submit && job.submit <= end)
                .map(|job| f64::from(job.processors))
        };
        let usual = sizes(i64::MIN)
            .zip(1..)
            .map(|(size, count)| (size, f64::from(count)))
            .reduce(|(usual, _), (size, count)| {
                let factor = if from_mean { maf.min(count) } else { maf };
                ((1.0 - 1.0 / factor) * usual + 1.0 / factor * size, count)
            });
        let usual = usual.unwrap().0;
        // The first job arrives when the first frame begins, and counts for it.
        let from = if end == jobs[0].submit + FRAME {
            i64::MIN
        } else {
            end - FRAME
        };
        let frame: Vec<f64> = sizes(from).collect();
        let last = frame.iter().sum::<f64>() / frame.len() as f64;
        let (all, count) = (sizes(i64::MIN).sum::<f64>(), sizes(i64::MIN).count() as f64);
        // As long as the usual parallelism is the mean of all, in whole numbers.
        let is_less = if from_mean && count <= maf {
            all * (frame.len() as f64) < frame.iter().sum::<f64>() * count
        } else {
            usual < last
        };
        if frame.is_empty() {
            active
        } else {
            usize::from(!is_less)
        }
    })
}

pub fn factors(seed: u64) -> Vec<Case> {
    let candidates = &CANDIDATES[seed as usize % 3][seed as usize / 3 % 2..][..2];
    let workload = long_workload(seed);
    [
        (1.0, "first"),
        (2.5, "first"),
        (40.0, "first"),
        (15.0, "mean"),
    ]
    .map(|(maf, beginning)| {
        let experiment = experiment("wbas", candidates)
            .with("maf", maf)
            .with("beginning", beginning);
        Case::plays(experiment, &workload, move |workload| {
            schedule(play(workload, candidates, maf, beginning == "mean"))
        })
    })
    .into()
}
