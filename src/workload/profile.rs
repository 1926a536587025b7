//! An overview of a workload before any run: its weeks, distributions, users and oddities.

use super::Workload;
use super::attribute::Attribute;
use crate::sorting::falling;
use crate::time::Time;
use crate::trace::Trace;
use serde::Serialize;
use std::collections::BTreeMap;

/// A workload at a glance. Times are in seconds, work is in processor seconds.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct WorkloadProfile {
    /// Jobs and work of each week from the first submission on.
    pub weeks: Vec<Week>,
    /// Jobs grouped by size, in powers of two.
    pub sizes: Vec<Group>,
    /// Jobs grouped by run time.
    pub run_times: Vec<Group>,
    /// Jobs grouped by the share of their estimates that they use.
    pub accuracy: Vec<Group>,
    /// Jobs grouped by the hour of the day of their submission. The hour is in UTC if the trace
    /// gives the date of its zero, otherwise in time since its zero.
    pub hours: Vec<Group>,
    /// Users with the most work, in falling order.
    pub users: Vec<User>,
    /// Number of all users.
    pub users_in_all: usize,
    /// Oddities that a reader should look at before trusting figures.
    pub oddities: Vec<Oddity>,
}

/// The jobs that were submitted in one week.
#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Week {
    /// Beginning of the week, in seconds after the trace's zero.
    pub from: f64,
    /// Number of jobs that were submitted in the week.
    pub jobs: usize,
    /// Work of these jobs, in processor seconds.
    pub work: f64,
    /// Offered load: that work over what the machine can do in the week. The last week counts up to
    /// the last submission, and at least for a day.
    pub load: f64,
}

/// A group of jobs of one kind.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Group {
    /// The name of the group.
    pub name: String,
    /// Number of jobs in the group.
    pub jobs: usize,
    /// Work of these jobs, in processor seconds.
    pub work: f64,
}

/// A user, with the total of the user's jobs.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct User {
    /// The number of the user; -1 if unknown.
    pub user: i32,
    /// Name of the user, else the number as text.
    pub name: String,
    /// Number of jobs of this user.
    pub jobs: usize,
    /// Work of these jobs, in processor seconds.
    pub work: f64,
}

/// An oddity of a workload.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Oddity {
    /// Stable id of the kind: `flurry`, `gap`, `short_estimate`, `exact_estimates`, `no_run_time`,
    /// `whole_machine`.
    pub id: &'static str,
    /// A sentence that describes the oddity.
    pub text: String,
    /// Number of jobs that are concerned.
    pub jobs: usize,
    /// The first lines of the trace that show the oddity; empty for generated workloads.
    pub lines: Vec<u64>,
}

const DAY: i64 = 86_400;
const WEEK: i64 = 7 * DAY;

/// The numbers of users and of lines that an overview names.
const USERS: usize = 20;
const LINES: usize = 5;

/// A user who submits at least this many jobs in a day, and more than all others together, makes a
/// flurry. The rule follows D. Feitelson and D. Tsafrir, "Workload sanitation for performance
/// evaluation", 2006, who look for flurries by eye.
const FLURRY: usize = 100;
/// The number of flurries, and of gaps, that an overview names. It names the largest.
const TOLD: usize = 8;
/// The least time without a submission that counts as a gap, in seconds.
const GAP: i64 = 2 * DAY;

const RUN_TIMES: [(i64, &str); 8] = [
    (0, "0 s"),
    (10, "up to 10 s"),
    (60, "up to 1 min"),
    (600, "up to 10 min"),
    (3600, "up to 1 h"),
    (21_600, "up to 6 h"),
    (DAY, "up to 1 day"),
    (i64::MAX, "over 1 day"),
];

/// Returns the overview of a workload that was made of `trace`.
pub fn workload_profile(workload: &Workload, trace: &Trace) -> WorkloadProfile {
    let users = users(workload);
    WorkloadProfile {
        weeks: weeks(workload),
        sizes: grouped(workload, |job| {
            let top = workload.requests[job].processors.next_power_of_two();
            (
                i64::from(top),
                if top <= 2 {
                    top.to_string()
                } else {
                    format!("{} to {top}", top / 2 + 1)
                },
            )
        }),
        run_times: grouped(workload, |job| {
            let seconds = workload.programs[job].runtime.seconds().ceil() as i64;
            let place = RUN_TIMES
                .iter()
                .position(|(limit, _)| seconds <= *limit)
                .unwrap_or(RUN_TIMES.len() - 1);
            (place as i64, RUN_TIMES[place].1.to_owned())
        }),
        accuracy: grouped(workload, |job| accuracy(workload, job)),
        hours: grouped(workload, |job| {
            let clock = workload.requests[job].submitted.whole_seconds()
                + workload.provenance.unix_start.unwrap_or(0);
            let hour = clock.rem_euclid(DAY) / 3600;
            (hour, format!("{hour:02}"))
        }),
        users_in_all: users.len(),
        users: users.into_iter().take(USERS).collect(),
        oddities: oddities(workload, trace),
    }
}

fn work(workload: &Workload, job: usize) -> f64 {
    f64::from(workload.requests[job].processors) * workload.programs[job].runtime.seconds()
}

fn first(workload: &Workload) -> i64 {
    workload
        .requests
        .first()
        .map_or(Time::ZERO, |request| request.submitted)
        .whole_seconds()
}

fn weeks(workload: &Workload) -> Vec<Week> {
    let first = first(workload);
    let mut weeks: Vec<Week> = Vec::new();
    for (job, request) in workload.requests.iter().enumerate() {
        let week = ((request.submitted.whole_seconds() - first) / WEEK) as usize;
        while weeks.len() <= week {
            weeks.push(Week {
                from: (first + weeks.len() as i64 * WEEK) as f64,
                ..Week::default()
            });
        }
        weeks[week].jobs += 1;
        weeks[week].work += work(workload, job);
    }
    // The last week ends at the last submission, but has at least a day.
    let last = workload
        .requests
        .last()
        .map_or(Time::ZERO, |request| request.submitted)
        .seconds();
    for week in &mut weeks {
        let length = (last - week.from).clamp(DAY as f64, WEEK as f64);
        week.load = week.work / (length * f64::from(workload.processors.max(1)));
    }
    weeks
}

/// Groups jobs by class. `class` returns a rank, which orders the groups, and a name.
fn grouped(workload: &Workload, class: impl Fn(usize) -> (i64, String)) -> Vec<Group> {
    let mut groups: BTreeMap<i64, Group> = BTreeMap::new();
    for job in 0..workload.len() {
        let (rank, name) = class(job);
        let group = groups.entry(rank).or_insert_with(|| Group {
            name,
            jobs: 0,
            work: 0.0,
        });
        group.jobs += 1;
        group.work += work(workload, job);
    }
    groups.into_values().collect()
}

fn accuracy(workload: &Workload, job: usize) -> (i64, String) {
    let share =
        workload.programs[job].runtime.seconds() / workload.requests[job].estimate.seconds();
    if share > 1.0 {
        return (11, "over 100 %".into());
    }
    if share == 1.0 {
        return (10, "100 %".into());
    }
    let tenth = (share * 10.0).floor() as i64;
    (tenth, format!("{} to {} %", tenth * 10, (tenth + 1) * 10))
}

fn users(workload: &Workload) -> Vec<User> {
    let mut users: BTreeMap<i32, User> = BTreeMap::new();
    for (job, request) in workload.requests.iter().enumerate() {
        let user = users.entry(request.user).or_insert_with(|| User {
            user: request.user,
            name: workload.label(Attribute::User, request.user.into()),
            jobs: 0,
            work: 0.0,
        });
        user.jobs += 1;
        user.work += work(workload, job);
    }
    let users: Vec<User> = users.into_values().collect();
    let work: Vec<f64> = users.iter().map(|user| user.work).collect();
    falling(&work)
        .into_iter()
        .map(|place| users[place].clone())
        .collect()
}

fn oddities(workload: &Workload, trace: &Trace) -> Vec<Oddity> {
    let line = |job: usize| u64::from(trace.records.get(workload.sources[job] as usize).line);
    let lines = |jobs: &[usize]| {
        jobs.iter()
            .take(LINES)
            .map(|job| line(*job))
            .filter(|line| *line > 0)
            .collect::<Vec<u64>>()
    };
    let all = |is_odd: &dyn Fn(usize) -> bool| {
        (0..workload.len())
            .filter(|job| is_odd(*job))
            .collect::<Vec<usize>>()
    };
    let mut found = Vec::new();
    for (user, day, jobs, in_all) in flurries(workload) {
        let text = format!(
            "Flurry: user {} submitted {} of the {in_all} jobs of day {}.",
            workload.label(Attribute::User, user.into()),
            jobs.len(),
            day + 1
        );
        found.push(Oddity {
            id: "flurry",
            text,
            jobs: jobs.len(),
            lines: lines(&jobs),
        });
    }
    for (job, seconds) in gaps(workload) {
        let text = format!(
            "Gap: nobody submitted anything for {:.1} days.",
            seconds as f64 / DAY as f64
        );
        found.push(Oddity {
            id: "gap",
            text,
            jobs: 0,
            lines: lines(&[job - 1, job]),
        });
    }
    let estimate = |job: usize| workload.requests[job].estimate.seconds();
    let runtime = |job: usize| workload.programs[job].runtime.seconds();
    let mut tell = |id, jobs: Vec<usize>, text: String| {
        if !jobs.is_empty() {
            found.push(Oddity {
                id,
                text,
                jobs: jobs.len(),
                lines: lines(&jobs),
            });
        }
    };
    let short = all(&|job| estimate(job) <= 1.0);
    tell(
        "short_estimate",
        short.clone(),
        format!("Jobs with an estimate of 1 s or less: {}.", short.len()),
    );
    let exact = all(&|job| estimate(job) == runtime(job) && !workload.programs[job].killed);
    if exact.len() * 2 > workload.len() {
        let text = format!(
            "Jobs whose estimate is exactly the run time: {}. The trace may hold no estimates.",
            exact.len()
        );
        tell("exact_estimates", exact, text);
    }
    let none = all(&|job| runtime(job) == 0.0);
    tell(
        "no_run_time",
        none.clone(),
        format!("Jobs that ran for 0 s: {}.", none.len()),
    );
    let whole = all(&|job| {
        workload.requests[job].processors == workload.processors && workload.processors > 1
    });
    tell(
        "whole_machine",
        whole.clone(),
        format!(
            "Jobs that take the whole machine, so that nothing runs beside them: {}.",
            whole.len()
        ),
    );
    found
}

/// Returns the flurries as (user, day, jobs of the user on that day, number of all jobs on that
/// day), the largest first.
fn flurries(workload: &Workload) -> Vec<(i32, i64, Vec<usize>, usize)> {
    let first = first(workload);
    let mut found = Vec::new();
    let mut from = 0;
    while from < workload.len() {
        let day = (workload.requests[from].submitted.whole_seconds() - first) / DAY;
        let length = workload.requests[from..]
            .partition_point(|request| (request.submitted.whole_seconds() - first) / DAY <= day);
        let mut by_user: BTreeMap<i32, Vec<usize>> = BTreeMap::new();
        (from..from + length).for_each(|job| {
            by_user
                .entry(workload.requests[job].user)
                .or_default()
                .push(job);
        });
        let heavy = by_user
            .into_iter()
            .filter(|(_, jobs)| jobs.len() >= FLURRY && jobs.len() * 2 > length);
        found.extend(heavy.map(|(user, jobs)| (user, day, jobs, length)));
        from += length;
    }
    // A single user submits all jobs of every day, which is no flurry.
    let users = crate::sorting::set(workload.requests.iter().map(|request| request.user)).len();
    found.retain(|_| users > 1);
    let jobs: Vec<f64> = found
        .iter()
        .map(|(_, _, jobs, _)| jobs.len() as f64)
        .collect();
    falling(&jobs)
        .into_iter()
        .take(TOLD)
        .map(|place| found[place].clone())
        .collect()
}

/// Returns the first job after each gap, and the length of the gap in seconds. The longest gap
/// comes first.
fn gaps(workload: &Workload) -> Vec<(usize, i64)> {
    let gap = |at: usize| {
        (workload.requests[at].submitted - workload.requests[at - 1].submitted).whole_seconds()
    };
    let found: Vec<(usize, i64)> = (1..workload.len())
        .map(|at| (at, gap(at)))
        .filter(|(_, gap)| *gap >= GAP)
        .collect();
    let lengths: Vec<f64> = found.iter().map(|(_, gap)| *gap as f64).collect();
    falling(&lengths)
        .into_iter()
        .take(TOLD)
        .map(|place| found[place])
        .collect()
}
