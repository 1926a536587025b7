//! PBAS (docs/policies/pbas.md). The twin judges every frame by complete schedules.

use super::adaptive::{
    CANDIDATES, FRAME, candidate, experiment, long_workload, run, schedule, scripted,
};
use super::queue::{ONCE, starts};
use super::words::{Case, Job, Workload};

const METRICS: [&str; 5] = [
    "utilisation",
    "response",
    "bounded_slowdown",
    "wait",
    "slowdown",
];

#[derive(Copy, Clone, Debug)]
struct Rules {
    metric: &'static str,
    history: usize,
    /// True if each candidate has always been alone in its background simulation.
    alone: bool,
}

/// Returns the sum of a metric's values over (from, to] in a complete schedule, and their number. A
/// larger sum is worse. For `utilisation`, the sum is minus the work done, and the number is 1.
fn tally(metric: &str, jobs: &[Job], starts: &[i64], from: i64, to: i64) -> (i128, u64) {
    let all = || jobs.iter().zip(starts);
    if metric == "utilisation" {
        let overlap = |(job, start): (&Job, &i64)| {
            ((start + job.runtime).min(to) - (*start).max(from)).max(0) * i64::from(job.processors)
        };
        return (-i128::from(all().map(overlap).sum::<i64>()), 1);
    }
    // Jobs of no length are left out.
    let ended = all().filter(|(job, start)| {
        job.runtime > 0 && from < *start + job.runtime && *start + job.runtime <= to
    });
    let values = ended.map(|(job, start)| {
        let response = start + job.runtime - job.submit;
        let billionths =
            |response: i64, runtime: i64| (response as f64 / runtime as f64 * 1e9).round() as i128;
        match metric {
            "response" => i128::from(response),
            "wait" => i128::from(start - job.submit),
            "slowdown" => billionths(response, job.runtime),
            _ => billionths(response.max(10), job.runtime.max(10)),
        }
    });
    values.fold((0, 0), |(sum, count), value| (sum + value, count + 1))
}

/// Returns how bad the last frames were: the mean of their values, or the sum for `utilisation`.
/// There is none if no job ended in these frames.
fn badness(metric: &str, frames: &[(i128, u64)]) -> Option<f64> {
    let (sum, count) = frames.iter().fold((0, 0), |(sum, count), frame| {
        (sum + frame.0, count + frame.1)
    });
    (count > 0).then(|| {
        if metric == "utilisation" {
            sum as f64
        } else {
            sum as f64 / count as f64
        }
    })
}

/// Returns the background simulations of the candidates, each as a whole schedule, given the
/// switches so far:
///
/// * The simulation of the candidate that decides is the real run.
/// * The simulation of a candidate that decided before is the real run without the switch to the
///   next candidate and without any later switch.
/// * A candidate that never decided is alone from the beginning. With `alone`, every candidate is.
fn backgrounds(
    workload: &Workload,
    candidates: &[&str],
    alone: bool,
    switches: &[(i64, usize)],
) -> Vec<Vec<i64>> {
    let background = |(number, name): (usize, &&str)| match switches
        .iter()
        .rposition(|(_, active)| *active == number)
    {
        Some(last) if !alone => scripted(workload, candidates, &switches[..=last]),
        _ => starts(workload, ONCE, candidate(name)),
    };
    candidates.iter().enumerate().map(background).collect()
}

fn play(workload: &Workload, candidates: &[&str], rules: Rules) -> (Vec<i64>, Vec<(i64, usize)>) {
    let jobs = &workload.jobs;
    let mut script = vec![(jobs[0].submit, 0)];
    let mut machines: Vec<Vec<i64>> = Vec::new();
    let mut frames = vec![Vec::new(); candidates.len()];
    run(workload, candidates, |end, active| {
        if machines.is_empty() {
            machines = backgrounds(workload, candidates, rules.alone, &script);
        }
        let mut bad = Vec::new();
        for (machine, frames) in machines.iter().zip(&mut frames) {
            frames.push(tally(rules.metric, jobs, machine, end - FRAME, end));
            let last = &frames[frames.len().saturating_sub(rules.history)..];
            bad.push(badness(rules.metric, last));
        }
        let Some(own) = bad[active] else {
            return active;
        };
        let least = bad.iter().flatten().copied().fold(f64::INFINITY, f64::min);
        if own <= least {
            return active;
        }
        let next = bad.iter().position(|bad| *bad == Some(least)).unwrap();
        script.push((end, next));
        machines.clear();
        next
    })
}

fn metrics(seed: u64, background: &'static str) -> Vec<Case> {
    let workload = long_workload(seed);
    let of = |metric: &'static str| {
        [(1, CANDIDATES[0]), (1, CANDIDATES[1]), (3, CANDIDATES[2])].map(|(history, candidates)| {
            let rules = Rules {
                metric,
                history,
                alone: background == "alone",
            };
            let experiment = experiment("pbas", &candidates)
                .with("metric", metric)
                .with("history", history as f64)
                .with("background", background);
            Case::plays(experiment, &workload, move |workload| {
                schedule(play(workload, &candidates, rules))
            })
        })
    };
    METRICS.into_iter().flat_map(of).collect()
}

pub fn metrics_on_the_real_machine(seed: u64) -> Vec<Case> {
    metrics(seed, "real")
}

pub fn metrics_alone(seed: u64) -> Vec<Case> {
    metrics(seed, "alone")
}
