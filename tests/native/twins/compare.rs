//! Compares twins with the engine, and says where they differ first.

use super::engine;
use super::words::{Case, Experiment, Jobs, Schedule, Twin, Workload};
use std::collections::BTreeMap;
use std::fmt::Write;

/// A line of the table.
pub struct Row {
    /// The test's name: the twin's file and the options.
    pub name: &'static str,
    /// The experiments on the workload of a seed, each with its twin.
    pub cases: fn(u64) -> Vec<Case>,
    pub workloads: u64,
    /// Events, each with the least number of times that it must happen in all workloads together.
    /// Fewer events would test nothing.
    pub at_least: &'static [(&'static str, u64)],
}

impl Row {
    /// Plays or watches every case on every workload.
    pub fn compare(&self) {
        let mut counts = BTreeMap::new();
        let mut cases = 0;
        for seed in 0..self.workloads {
            for case in (self.cases)(seed) {
                let experiment = case.experiment.clone();
                match compare(case) {
                    Ok(more) => more.into_iter().for_each(|(what, count)| {
                        *counts.entry(what).or_insert(0) += count;
                    }),
                    Err(difference) => panic!(
                        "{}, workload {seed}: {difference}\n{experiment:?}",
                        self.name
                    ),
                }
                cases += 1;
            }
        }
        let lacks = |(what, least): &&(&'static str, u64)| {
            counts.get(what).copied().unwrap_or(0_u64) < *least
        };
        let lacking: Vec<_> = self.at_least.iter().filter(lacks).collect();
        assert!(
            lacking.is_empty(),
            "{}: {lacking:?} are wanted, and there were {counts:?}",
            self.name
        );
        if std::env::var_os("SCHEDSCOPE_TWINS").is_some() {
            println!(
                "{}: {} workloads, {cases} comparisons, {counts:?}",
                self.name, self.workloads
            );
        }
    }
}

/// Runs the twin and the engine. Returns the twin's counts, or the first difference.
fn compare(case: Case) -> Result<BTreeMap<&'static str, u64>, String> {
    match (case.twin, &case.jobs) {
        (Twin::Plays(twin), Jobs::Drawn(workload)) => {
            let naive = twin(workload);
            let ours = engine::play(&case.experiment, workload, &naive)
                .map_err(|why| format!("{why}\n{}", table(workload, &[])))?;
            match difference(workload, &naive, &ours) {
                Some(difference) => Err(difference),
                None => Ok(naive.counts),
            }
        }
        (Twin::Plays(_), Jobs::Model(_)) => Err("a twin that plays has drawn jobs".into()),
        (Twin::Watches(twin), jobs) => {
            let run = engine::watch(&case.experiment, jobs)?;
            let watched = twin(&run.workload, &run.log)
                .map_err(|why| format!("{why}\n{}", table(&run.workload, &[])))?;
            for (key, naive) in watched.figures {
                let ours = run.figure(key);
                if (naive - ours).abs() >= 1e-9 {
                    return Err(format!(
                        "{key} is {naive} under the twin, {ours} in the engine"
                    ));
                }
            }
            Ok(watched.counts)
        }
    }
}

/// The first difference of two schedules of a workload, if there is one.
fn difference(workload: &Workload, naive: &Schedule, ours: &Schedule) -> Option<String> {
    let columns = [
        ("starts", Some(&naive.starts), Some(&ours.starts)),
        ("ends", naive.ends.as_ref(), ours.ends.as_ref()),
    ];
    for (verb, naive, ours) in columns {
        let (Some(naive), Some(ours)) = (naive, ours) else {
            continue;
        };
        let differs = |job: &usize| naive[*job] != ours[*job];
        let first = (0..workload.jobs.len())
            .filter(differs)
            .min_by_key(|job| naive[*job].min(ours[*job]));
        if let Some(job) = first {
            return Some(format!(
                "job {job} {verb} at {} under the twin, at {} in the engine\n{}",
                naive[job],
                ours[job],
                table(workload, &[("twin", naive), ("engine", ours)])
            ));
        }
    }
    if let (Some(own), Some(others)) = (&naive.processors, &ours.processors)
        && let Some(job) = (0..own.len()).find(|job| own[*job] != others[*job])
    {
        return Some(format!(
            "job {job}, which starts at {}, gets processors {:?} under the twin, {:?} in the \
             engine\n{}",
            naive.starts[job],
            own[job],
            others[job],
            table(workload, &[("starts", &naive.starts)])
        ));
    }
    for (name, lines) in &naive.told {
        let others = &ours.told[name];
        let count = lines.len().max(others.len());
        if let Some(at) = (0..count).find(|at| lines.get(*at) != others.get(*at)) {
            let line = |of: &[String]| of.get(at).map_or("nothing", String::as_str).to_owned();
            return Some(format!(
                "{name}, line {at}: {} under the twin, {} in the engine\n{}",
                line(lines),
                line(others),
                table(workload, &[("starts", &naive.starts)])
            ));
        }
    }
    None
}

/// The jobs of a workload, with more columns.
fn table(workload: &Workload, more: &[(&str, &Vec<i64>)]) -> String {
    let mut text = format!(
        "{} processors; times in ticks, {} to a second\n job   submit  runtime estimate  size user",
        workload.processors, workload.second
    );
    for (name, _) in more {
        write!(text, " {name:>8}").unwrap();
    }
    for (number, job) in workload.jobs.iter().enumerate() {
        write!(
            text,
            "\n{number:4} {:8} {:8} {:8} {:5} {:4}",
            job.submit, job.runtime, job.estimate, job.processors, job.user
        )
        .unwrap();
        for (_, column) in more {
            write!(text, " {:8}", column[number]).unwrap();
        }
    }
    for (number, ask) in workload.node_asks.iter().enumerate() {
        write!(text, "\njob {number}: {ask:?}").unwrap();
    }
    for (number, program) in workload.programs.iter().enumerate() {
        write!(text, "\njob {number}: {program:?}").unwrap();
    }
    for (number, placed) in workload.placed.iter().enumerate() {
        write!(text, "\njob {number}: {placed:?}").unwrap();
    }
    text
}

/// Returns the policy and the machine of each experiment of a row on its first workload.
pub fn names(row: &Row) -> Vec<(&'static str, &'static str)> {
    (row.cases)(0)
        .into_iter()
        .map(|case| {
            let Experiment {
                policy, machine, ..
            } = case.experiment;
            (policy, machine)
        })
        .collect()
}
