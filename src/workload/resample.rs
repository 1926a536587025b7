//! Resampling: it takes a trace apart into weeks or users and puts it together anew, at random.
//!
//! One trace is one sample. Several resampled traces show how much a result owes to chance.
//!
//! * Weeks keep the daily and weekly rhythm, and the behaviour of users within a week. This is the
//!   bootstrap in blocks of H. Künsch, "The jackknife and the bootstrap for general stationary
//!   observations", 1989.
//! * Users keep the behaviour of each user. This is the simplest form of N. Zakay and D. Feitelson,
//!   "Workload resampling for performance evaluation of parallel job schedulers", 2013.

use super::Workload;
use crate::job::{Program, Request};
use crate::param::{Settings, Typed, whole, words};
use crate::problem::Problem;
use crate::random::Stream;
use crate::time::{Span, Time};
use std::collections::BTreeMap;

words! {
    /// The unit in which jobs are drawn.
    pub enum Resample {
        None = "none": "the jobs stay as they are",
        Weeks = "weeks": "whole weeks, as many as the workload has, are drawn with replacement \
            and put one after the other",
        Users = "users": "users, as many as the workload has, are drawn with replacement, and each \
            is moved by whole weeks",
    }
}

/// Parameter for the unit of resampling.
pub const RESAMPLE: Typed<Resample> = Resample::param("resample", "Resampling", Resample::None)
    .help("Draws another workload from the jobs of this one");

/// Parameter for the seed of resampling.
pub const RESAMPLE_SEED: Typed<i64> =
    whole("resample_seed", "Resampling seed", 0..=4_294_967_295, 1)
        .when(crate::param::When {
            keys: &["resample"],
            words: &["weeks", "users"],
        })
        .help("The same seed draws the same workload");

const WEEK: Span = Span::from_seconds(7 * 86_400);

/// A job as its request, its program and the index of its record.
type Row = (Request, Program, u32);

/// Replaces the jobs of the workload by drawn ones, if the settings ask for it.
///
/// # Errors
/// Fails if there is only one week, or only one user to draw from: every draw would be the same.
pub(super) fn resample(workload: &mut Workload, settings: &Settings) -> Result<(), Problem> {
    let what = settings.get(&RESAMPLE);
    if what == Resample::None {
        return Ok(());
    }
    let seed = settings.get(&RESAMPLE_SEED) as u64;
    let Some(first) = workload.requests.first().map(|request| request.submitted) else {
        return Ok(());
    };
    let rows: Vec<Row> = workload
        .requests
        .iter()
        .zip(&workload.programs)
        .zip(&workload.sources)
        .map(|((request, program), source)| (*request, *program, *source))
        .collect();
    let users_in_all = crate::sorting::set(rows.iter().map(|(request, ..)| request.user)).len();
    let last = rows.last().map_or(first, |(request, ..)| request.submitted);
    if week_of(last, first) == 0 || (what == Resample::Users && users_in_all == 1) {
        return Err(Problem::new(
            format!("The workload cannot be resampled by {what}."),
            "Resampling needs jobs of more than one week, and by users also of more than one user: \
                otherwise every draw is the same.",
            "Choose a longer trace or window, or `resample=none`.",
        ));
    }
    let mut drawn = if what == Resample::Users {
        users(&rows, first, seed)
    } else {
        weeks(&rows, first, seed)
    };
    // The sort is stable: jobs that are submitted at the same instant stay in the order of the
    // draws.
    crate::sorting::by(&mut drawn, |(request, ..)| {
        [request.submitted.microseconds().into(), 0]
    });
    workload.requests = drawn.iter().map(|(request, ..)| *request).collect();
    workload.programs = drawn.iter().map(|(_, program, _)| *program).collect();
    workload.sources = drawn.iter().map(|(.., source)| *source).collect();
    workload.log.users_are_drawn |= what == Resample::Users;
    workload.report.kept = workload.len() as u64;
    workload
        .provenance
        .steps
        .push(format!("resampled by {what}, seed {seed}"));
    Ok(())
}

fn week_of(at: Time, first: Time) -> i64 {
    (at - first).microseconds() / WEEK.microseconds()
}

fn weeks_long(count: i64) -> Span {
    Span::from_microseconds(count * WEEK.microseconds())
}

/// Draws whole weeks, counted from the first submission on. The rest at the end of the trace counts
/// as a week too.
fn weeks(rows: &[Row], first: Time, seed: u64) -> Vec<Row> {
    let count = rows
        .last()
        .map_or(0, |(request, ..)| week_of(request.submitted, first))
        + 1;
    let mut by_week: Vec<Vec<&Row>> = vec![Vec::new(); count as usize];
    rows.iter()
        .for_each(|row| by_week[week_of(row.0.submitted, first) as usize].push(row));
    let mut stream = Stream::new(seed, "weeks");
    let mut drawn = Vec::with_capacity(rows.len());
    for place in 0..count {
        let week = stream.below(count as u64) as i64;
        let moved = |row: &&Row| {
            let (request, program, source) = **row;
            let submitted =
                first + weeks_long(place) + (request.submitted - (first + weeks_long(week)));
            (
                Request {
                    submitted,
                    ..request
                },
                program,
                source,
            )
        };
        drawn.extend(by_week[week as usize].iter().map(moved));
    }
    drawn
}

/// Draws users. Each draw becomes a user of its own, whose number is the number of the draw. A
/// random number of weeks shifts its jobs, and jobs that pass the end of the trace continue at the
/// beginning. Two draws of one user are therefore not in step.
fn users(rows: &[Row], first: Time, seed: u64) -> Vec<Row> {
    let count = rows
        .last()
        .map_or(0, |(request, ..)| week_of(request.submitted, first))
        + 1;
    let mut by_user: BTreeMap<i32, Vec<&Row>> = BTreeMap::new();
    rows.iter()
        .for_each(|row| by_user.entry(row.0.user).or_default().push(row));
    let all: Vec<Vec<&Row>> = by_user.into_values().collect();
    let mut stream = Stream::new(seed, "users");
    let mut drawn = Vec::with_capacity(rows.len());
    for number in 1..=all.len() {
        let jobs = &all[stream.below(all.len() as u64) as usize];
        let shift = stream.below(count as u64) as i64;
        let moved = |row: &&Row| {
            let (request, program, source) = **row;
            let week = week_of(request.submitted, first);
            let submitted =
                request.submitted + (weeks_long((week + shift) % count) - weeks_long(week));
            (
                Request {
                    submitted,
                    user: number as i32,
                    ..request
                },
                program,
                source,
            )
        };
        drawn.extend(jobs.iter().map(moved));
    }
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Workload {
        let mut stream = Stream::new(7, "sample");
        let request = |number: i64, submit: i64, user: i32| Request {
            number,
            submitted: Time::from_seconds(submit),
            estimate: Span::from_seconds(20),
            processors: 1,
            user,
            group: 1,
            application: 1,
            queue: 1,
        };
        let mut at = 1000;
        let requests: Vec<Request> = (0..400)
            .map(|number| {
                at += stream.below(20_000) as i64;
                request(number, at, stream.below(9) as i32)
            })
            .collect();
        Workload {
            programs: vec![Program::rigid(Span::from_seconds(10)); requests.len()],
            sources: (0..requests.len() as u32).collect(),
            requests,
            processors: 4,
            ..Workload::default()
        }
    }

    fn drawn(what: &str, seed: f64) -> Workload {
        let mut workload = sample();
        resample(
            &mut workload,
            &Settings::default()
                .with("resample", what)
                .with("resample_seed", seed),
        )
        .unwrap();
        workload
    }

    /// Every job keeps its place in the week. A draw takes all jobs of a week or user.
    #[test]
    fn weeks_and_users_are_drawn_whole() {
        let original = sample();
        let first = original.requests[0].submitted;
        let in_week = |at: Time| (at - first).microseconds().rem_euclid(WEEK.microseconds());
        for what in ["weeks", "users"] {
            let other = drawn(what, 3.0);
            assert!(
                other.requests.is_sorted_by_key(|request| request.submitted),
                "{what}"
            );
            let weeks = week_of(original.requests[original.len() - 1].submitted, first);
            assert!(
                other
                    .requests
                    .iter()
                    .all(|request| (0..=weeks).contains(&week_of(request.submitted, first))),
                "{what}"
            );
            for (request, source) in other.requests.iter().zip(&other.sources) {
                let was = &original.requests[*source as usize];
                assert_eq!(
                    (in_week(request.submitted), request.number),
                    (in_week(was.submitted), was.number),
                    "{what}"
                );
            }
            let block = |job: usize| match what {
                "weeks" => week_of(original.requests[job].submitted, first),
                _ => i64::from(original.requests[job].user),
            };
            let mut times: BTreeMap<i64, BTreeMap<u32, usize>> = BTreeMap::new();
            for source in &other.sources {
                *times
                    .entry(block(*source as usize))
                    .or_default()
                    .entry(*source)
                    .or_default() += 1;
            }
            for (name, jobs) in times {
                let whole = (0..original.len())
                    .filter(|job| block(*job) == name)
                    .count();
                let each = crate::sorting::set(jobs.values().copied());
                assert_eq!((jobs.len(), each.len()), (whole, 1), "{what} {name}");
            }
        }
        assert_eq!(drawn("weeks", 3.0).sources, drawn("weeks", 3.0).sources);
        assert_ne!(drawn("weeks", 3.0).sources, drawn("weeks", 4.0).sources);
        assert_eq!(drawn("none", 3.0).sources, sample().sources);
    }

    /// Each week is drawn once on average, over many seeds.
    #[test]
    fn every_week_is_as_likely() {
        let original = sample();
        let first = original.requests[0].submitted;
        let weeks = week_of(original.requests[original.len() - 1].submitted, first) as usize + 1;
        let mut count = vec![0.0_f64; original.len()];
        for seed in 0..600 {
            drawn("weeks", f64::from(seed))
                .sources
                .iter()
                .for_each(|source| count[*source as usize] += 1.0 / 600.0);
        }
        // The standard error of the mean of 600 binomial draws of mean 1 is about 0.04.
        assert!(
            weeks > 4 && count.iter().all(|mean| (mean - 1.0).abs() < 0.16),
            "{count:?}"
        );
    }
}
