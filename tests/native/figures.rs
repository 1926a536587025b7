//! Every figure against a naive twin. The twin recomputes it from the table of starts and ends, by
//! the definitions in docs/metrics.md, and shares no code with `src/metrics`.

use super::support::run;
use schedscope::experiment::{Run, Scenario, WhatIf};
use schedscope::import::{BadLines, read};
use schedscope::machine::Placements;
use schedscope::machines::smt::{Search, Verdict};
use schedscope::machines::torus;
use schedscope::metrics::{
    ALL, Grouping, JobClass, MetricSpec, compare, measure_classes, measure_jobs, per_job,
};
use schedscope::param::Settings;
use schedscope::random::Stream;
use schedscope::schedule::Schedule;
use schedscope::sim::{Event, Observer};
use schedscope::time::Time;
use schedscope::trace::Trace;
use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::Arc;

type Figures = BTreeMap<String, f64>;

const STATISTICS: [&str; 8] = ["mean", "median", "p90", "p95", "p99", "max", "sd", "ci95"];
const FIRST_EIGHT: [&str; 8] = ["1st", "2nd", "3rd", "4th", "5th", "6th", "7th", "8th"];
const DAY: f64 = 86_400.0;

/// A job of a run, with times in seconds.
#[derive(Clone, Debug)]
struct Row {
    submit: f64,
    /// The instant at which the job was given its processors. It starts no earlier.
    given: f64,
    start: f64,
    end: f64,
    runtime: f64,
    processors: f64,
    user: i32,
    killed: bool,
}

impl Row {
    fn wait(&self) -> f64 {
        self.start - self.submit
    }

    fn response(&self) -> f64 {
        self.end - self.submit
    }

    fn bounded_slowdown(&self, threshold: f64) -> f64 {
        f64::max(
            1.0,
            self.response().max(threshold) / self.runtime.max(threshold),
        )
    }
}

/// A period in which a job holds processors.
#[derive(Clone, Debug)]
struct Hold {
    from: f64,
    to: f64,
    processors: BTreeSet<u32>,
}

/// Notes that a policy sent during the run.
#[derive(Clone, Debug, Default)]
struct Told {
    migrations: Vec<(f64, bool)>,
    moves: f64,
    switches: Vec<(f64, u32)>,
    /// The searches among waiting jobs: the verdict on each job that was looked at, and the place
    /// of the chosen one.
    searches: Vec<(Vec<Verdict>, Option<usize>)>,
}

impl Observer for Told {
    fn on_event(&mut self, at: Time, event: &Event<'_>) {
        match *event {
            Event::Migrated(successful) => self.migrations.push((at.seconds(), successful)),
            Event::Moved(..) => self.moves += 1.0,
            Event::Switched(policy) => self.switches.push((at.seconds(), policy)),
            Event::Noted(note) => {
                let note: &dyn Any = note;
                let Some(search) = note.downcast_ref::<Search>() else {
                    return;
                };
                if search.among_running {
                    return;
                }
                let chosen = search
                    .tried
                    .iter()
                    .position(|tried| Some(tried.job) == search.chosen);
                self.searches.push((
                    search.tried.iter().map(|tried| tried.verdict).collect(),
                    chosen,
                ));
            }
            _ => {}
        }
    }
}

/// Everything that the twin knows of a run.
#[derive(Clone, Debug)]
struct Table {
    rows: Vec<Row>,
    holds: Vec<Hold>,
    told: Told,
    processors: u32,
    /// True if jobs share processors.
    shares: bool,
    /// The edges of a torus, with true for each axis that is closed to a ring.
    torus: Option<([u32; 3], [bool; 3])>,
    unix_start: Option<i64>,
}

impl Table {
    fn new(run: &Run) -> Self {
        let schedule = run.schedule();
        let workload = &schedule.workload;
        let row = |job: usize| Row {
            submit: workload.requests[job].submitted.seconds(),
            given: (schedule.starts[job] - schedule.start_delay).seconds(),
            start: schedule.starts[job].seconds(),
            end: schedule.ends[job].seconds(),
            runtime: workload.programs[job].runtime.seconds(),
            processors: f64::from(workload.requests[job].processors),
            user: workload.requests[job].user,
            killed: workload.programs[job].killed,
        };
        let rows: Vec<Row> = (0..workload.len()).map(row).collect();
        let mut told = Told::default();
        run.scenario
            .simulation(Arc::clone(workload), Placements::Recorded)
            .run(&mut told);
        Self {
            holds: holds(schedule, &rows),
            rows,
            told,
            processors: workload.processors,
            shares: schedule.slots > 1,
            torus: schedule
                .of()
                .map(|record: &torus::TorusRecord| (record.geometry.extent, record.geometry.wraps)),
            unix_start: workload.provenance.unix_start,
        }
    }

    fn first_submission(&self) -> f64 {
        self.rows
            .iter()
            .map(|row| row.submit)
            .fold(f64::INFINITY, f64::min)
    }

    fn last_submission(&self) -> f64 {
        self.rows
            .iter()
            .map(|row| row.submit)
            .fold(f64::NEG_INFINITY, f64::max)
    }

    fn last_end(&self) -> f64 {
        self.rows
            .iter()
            .map(|row| row.end)
            .fold(f64::NEG_INFINITY, f64::max)
    }

    /// Returns the periods between two neighbouring instants at which anything happens.
    fn stretches(&self) -> Vec<(f64, f64)> {
        let mut instants: Vec<f64> = self
            .rows
            .iter()
            .flat_map(|row| [row.submit, row.given, row.start, row.end])
            .collect();
        instants.extend(self.holds.iter().flat_map(|hold| [hold.from, hold.to]));
        instants.sort_by(f64::total_cmp);
        instants.dedup();
        instants.windows(2).map(|pair| (pair[0], pair[1])).collect()
    }

    /// Returns the processors, without their rows, that any job holds through a period.
    fn held(&self, (from, to): (f64, f64)) -> BTreeSet<u32> {
        let all = self
            .holds
            .iter()
            .filter(|hold| hold.from <= from && to <= hold.to);
        all.flat_map(|hold| hold.processors.iter().copied())
            .collect()
    }

    fn month(&self, row: &Row) -> (i64, String) {
        let Some(start) = self.unix_start else {
            let month = (row.submit / (30.0 * DAY)).floor() as i64;
            return (month, format!("month {}", month + 1));
        };
        // Days are counted from the first of January 1970 on.
        let day = ((start as f64 + row.submit) / DAY).floor() as i64;
        let (mut year, mut month, mut first) = (1970, 1, 0);
        loop {
            let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
            let days = [
                31,
                if is_leap { 29 } else { 28 },
                31,
                30,
                31,
                30,
                31,
                31,
                30,
                31,
                30,
                31,
            ][month as usize - 1];
            if day < first + days {
                return (year * 12 + month, format!("{year:04}-{month:02}"));
            }
            first += days;
            (year, month) = if month == 12 {
                (year + 1, 1)
            } else {
                (year, month + 1)
            };
        }
    }
}

/// Returns the periods in which jobs held processors, with every move.
fn holds(schedule: &Schedule, rows: &[Row]) -> Vec<Hold> {
    let processors = |placed| -> BTreeSet<u32> { schedule.at(placed).columns().collect() };
    let mut holds = Vec::new();
    for start in &schedule.order {
        let row = &rows[start.job.index()];
        let mut hold = Hold {
            from: row.given,
            to: row.end,
            processors: processors(start.placed),
        };
        for step in schedule.moves.get(&start.job).into_iter().flatten() {
            holds.push(Hold {
                to: step.at.seconds(),
                ..hold
            });
            hold = Hold {
                from: step.at.seconds(),
                to: row.end,
                processors: processors(step.placed),
            };
        }
        holds.push(hold);
    }
    holds
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn square(x: f64) -> f64 {
    x * x
}

/// Returns the quotient, or `nothing` if both are 0.
fn over(part: f64, whole: f64, nothing: f64) -> f64 {
    if whole > 0.0 { part / whole } else { nothing }
}

/// Returns a quantile, interpolated linearly between ranks.
fn quantile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rank = share * (sorted.len() - 1) as f64;
    let (below, above) = (sorted[rank.floor() as usize], sorted[rank.ceil() as usize]);
    below + (above - below) * (rank - rank.floor())
}

/// Returns half the width of the 95 % interval, by batch means.
fn ci95(values: &[f64]) -> f64 {
    if values.len() < 40 {
        return 0.0;
    }
    let long = values.len() / 20;
    let means: Vec<f64> = (0..20)
        .map(|batch| mean(&values[batch * long..(batch + 1) * long]))
        .collect();
    let squares: f64 = means
        .iter()
        .map(|of_batch| square(of_batch - mean(&means)))
        .sum();
    2.093_024 * (squares / 19.0 / 20.0).sqrt()
}

fn put_distribution(figures: &mut Figures, name: &str, values: &[f64]) {
    let all = if values.is_empty() {
        [0.0; 8]
    } else {
        let variance = mean(
            &values
                .iter()
                .map(|value| square(value - mean(values)))
                .collect::<Vec<_>>(),
        );
        let [median, p90, p95, p99] = [0.5, 0.9, 0.95, 0.99].map(|share| quantile(values, share));
        [
            mean(values),
            median,
            p90,
            p95,
            p99,
            quantile(values, 1.0),
            variance.sqrt(),
            ci95(values),
        ]
    };
    for (statistic, value) in STATISTICS.iter().zip(all) {
        figures.insert(format!("{name}.{statistic}"), value);
    }
}

fn put_job_metrics(figures: &mut Figures, rows: &[&Row], threshold: f64) {
    put_distribution(
        figures,
        "wait",
        &rows.iter().map(|row| row.wait()).collect::<Vec<_>>(),
    );
    put_distribution(
        figures,
        "response",
        &rows.iter().map(|row| row.response()).collect::<Vec<_>>(),
    );
    let with_length = rows.iter().filter(|row| row.runtime > 0.0);
    put_distribution(
        figures,
        "slowdown",
        &with_length
            .map(|row| row.response() / row.runtime)
            .collect::<Vec<_>>(),
    );
    put_distribution(
        figures,
        "bounded_slowdown",
        &rows
            .iter()
            .map(|row| row.bounded_slowdown(threshold))
            .collect::<Vec<_>>(),
    );
}

/// Adds the figures of capacity and queue.
fn put_occupancy(figures: &mut Figures, table: &Table) {
    let (first, last, capacity) = (
        table.first_submission(),
        table.last_end(),
        f64::from(table.processors),
    );
    let length = last - first;
    let work: f64 = table
        .rows
        .iter()
        .map(|row| row.processors * row.runtime)
        .sum();
    let (mut occupied, mut unused, mut queued, mut longest) = (0.0, 0.0, 0.0, 0.0_f64);
    for (from, to) in table.stretches() {
        let waiting: Vec<&Row> = table
            .rows
            .iter()
            .filter(|row| row.submit <= from && to <= row.given)
            .collect();
        let (demand, held): (f64, f64) = (
            waiting.iter().map(|row| row.processors).sum(),
            table.held((from, to)).len() as f64,
        );
        occupied += held * (to - from);
        unused += f64::max(0.0, capacity - held - demand) * (to - from);
        queued += waiting.len() as f64 * (to - from);
        longest = longest.max(waiting.len() as f64);
    }
    let share = |part: f64| over(part, capacity * length, 0.0);
    let mut put = |key: &str, value: f64| {
        figures.insert(key.into(), value);
    };
    put("utilisation.value", share(work));
    put("unused.value", share(unused));
    put(
        "lost.value",
        if length > 0.0 {
            f64::max(0.0, 1.0 - share(work) - share(unused))
        } else {
            0.0
        },
    );
    put("occupied.value", share(occupied));
    put("efficiency.value", over(work, occupied, 1.0));
    put("makespan.value", length);
    put("queue.mean", over(queued, length, 0.0));
    put("queue.max", longest);
}

/// Adds the work between the first and the last submission, on this machine and on a machine
/// without limits. The work is in whole processor microseconds, to which the engine cuts the work
/// of jobs at a pace of their own.
fn put_accepted(figures: &mut Figures, table: &Table) {
    let whole = |seconds: f64| (seconds * 1e6).round() as i128;
    let (first, last) = (table.first_submission(), table.last_submission());
    let until_last = |from: f64, to: f64| whole(to.min(last)) - whole(from.min(last));
    let (mut done, mut possible) = (0, 0);
    for row in &table.rows {
        let held = row.processors as i128 * until_last(row.start, row.end);
        let is_paced = table.shares && row.end > row.start;
        done += if is_paced {
            held * whole(row.runtime) / (whole(row.end) - whole(row.start))
        } else {
            held
        };
        possible += row.processors as i128 * until_last(row.submit, row.submit + row.runtime);
    }
    let [done, possible] = [done, possible].map(|work| work as f64 / 1e6);
    figures.insert(
        "accepted.value".into(),
        over(done, f64::from(table.processors) * (last - first), 0.0),
    );
    figures.insert("accepted.share".into(), over(done, possible, 1.0));
}

fn put_stability(figures: &mut Figures, table: &Table, rows: &[&Row]) {
    let mut months: BTreeMap<i64, Vec<f64>> = BTreeMap::new();
    rows.iter().for_each(|row| {
        months
            .entry(table.month(row).0)
            .or_default()
            .push(row.wait());
    });
    let means: Vec<f64> = months.values().map(|waits| mean(waits)).collect();
    let squares: f64 = means
        .iter()
        .map(|of_month| square(of_month - mean(&means)))
        .sum();
    figures.insert(
        "stability.value".into(),
        over(squares, means.len() as f64, 0.0).sqrt(),
    );
}

fn put_jain(figures: &mut Figures, rows: &[&Row], threshold: f64) {
    let mut users: BTreeMap<i32, Vec<f64>> = BTreeMap::new();
    rows.iter().for_each(|row| {
        users
            .entry(row.user)
            .or_default()
            .push(row.bounded_slowdown(threshold));
    });
    let means: Vec<f64> = users.values().map(|of_user| mean(of_user)).collect();
    let squares: f64 = means.iter().map(|x| x * x).sum();
    figures.insert(
        "jain.value".into(),
        over(
            square(means.iter().sum()),
            means.len() as f64 * squares,
            1.0,
        ),
    );
}

/// Returns the start of a job if all jobs that wait at its arrival, and then the job, were served
/// first come, first served.
fn fair_start(table: &Table, job: usize) -> f64 {
    let now = table.rows[job].submit;
    let before = &table.rows[..=job];
    let mut ends: Vec<(f64, f64)> = before
        .iter()
        .filter(|row| row.start < now && row.end > now)
        .map(|row| (row.end, row.processors))
        .collect();
    let mut at = now;
    for row in before.iter().filter(|row| row.start >= now) {
        let free = |at: f64| {
            f64::from(table.processors)
                - ends
                    .iter()
                    .filter(|(end, _)| *end > at)
                    .map(|(_, size)| size)
                    .sum::<f64>()
        };
        let mut instants: Vec<f64> = ends
            .iter()
            .map(|(end, _)| *end)
            .filter(|end| *end > at)
            .chain([at])
            .collect();
        instants.sort_by(f64::total_cmp);
        at = instants
            .into_iter()
            .find(|instant| free(*instant) >= row.processors)
            .unwrap();
        ends.push((at + row.runtime, row.processors));
    }
    at
}

fn put_unfairness(figures: &mut Figures, table: &Table) {
    let jobs = if table.shares {
        0..0
    } else {
        0..table.rows.len()
    };
    let misses: Vec<f64> = jobs
        .map(|job| f64::max(0.0, table.rows[job].start - fair_start(table, job)))
        .collect();
    let late = misses.iter().filter(|miss| **miss > 0.0).count() as f64;
    let count = misses.len() as f64;
    let mut put = |key: &str, value: f64| {
        figures.insert(key.into(), value);
    };
    if count > 0.0 {
        put("unfairness.mean", misses.iter().sum::<f64>() / count);
        put("unfairness.max", misses.iter().copied().fold(0.0, f64::max));
        put("unfairness.share", late / count);
    }
    put("unfairness.jobs", count);
}

/// Returns the sizes, in nodes, of all boxes without a held node.
pub fn free_boxes(extent: [u32; 3], wraps: [bool; 3], held: &BTreeSet<u32>) -> BTreeSet<u32> {
    let mut sizes = BTreeSet::new();
    let all = |edges: [u32; 3]| {
        (0..edges[0]).flat_map(move |x| {
            (0..edges[1]).flat_map(move |y| (0..edges[2]).map(move |z| [x, y, z]))
        })
    };
    for corner in all(extent) {
        for size in all(extent).map(|size| size.map(|edge| edge + 1)) {
            let fits = (0..3).all(|axis| wraps[axis] || corner[axis] + size[axis] <= extent[axis]);
            let number = |step: [u32; 3]| {
                let [x, y, z] = [0, 1, 2].map(|axis| (corner[axis] + step[axis]) % extent[axis]);
                x + extent[0] * (y + extent[1] * z)
            };
            if fits && all(size).all(|step| !held.contains(&number(step))) {
                sizes.insert(size.iter().product());
            }
        }
    }
    sizes
}

fn put_moving(figures: &mut Figures, table: &Table) {
    let (mut scattered, mut time) = (0.0, 0.0);
    for (from, to) in table.stretches() {
        let Some((extent, wraps)) = table.torus else {
            break;
        };
        let held = table.held((from, to));
        let free = table.processors - held.len() as u32;
        if free > 0 {
            scattered += (to - from)
                * (1.0
                    - f64::from(
                        free_boxes(extent, wraps, &held)
                            .last()
                            .copied()
                            .unwrap_or(0),
                    ) / f64::from(free));
            time += to - from;
        }
    }
    let successes: Vec<f64> = table
        .told
        .migrations
        .iter()
        .filter(|(_, successful)| *successful)
        .map(|(at, _)| *at)
        .collect();
    let gaps: Vec<f64> = successes.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let tried = table.told.migrations.len() as f64;
    let mut put = |key: &str, value: f64| {
        figures.insert(key.into(), value);
    };
    put("fragmentation.value", over(scattered, time, 0.0));
    put("migrations.attempted", tried);
    put("migrations.successful", successes.len() as f64);
    put("migrations.share", over(successes.len() as f64, tried, 0.0));
    put("migrations.moves", table.told.moves);
    put(
        "migration_gap.mean",
        over(gaps.iter().sum(), gaps.len() as f64, 0.0),
    );
}

fn put_switching(figures: &mut Figures, table: &Table) {
    let (first, last) = (table.first_submission(), table.last_end());
    let switches = &table.told.switches;
    let count = switches.len().saturating_sub(1) as f64;
    let is_there = last > first;
    figures.insert("switches.count".into(), if is_there { count } else { 0.0 });
    figures.insert(
        "switches.per_day".into(),
        over(count * DAY, last - first, 0.0),
    );
    for (candidate, name) in (0..).zip(FIRST_EIGHT) {
        let mut decided = 0.0;
        for (at, (from, who)) in switches.iter().enumerate() {
            let to = switches.get(at + 1).map_or(last, |(next, _)| *next);
            decided += if *who == candidate {
                to.min(last) - from.min(last)
            } else {
                0.0
            };
        }
        figures.insert(format!("deciding.{name}"), over(decided, last - first, 0.0));
    }
}

fn put_searches(figures: &mut Figures, table: &Table) {
    let searches = &table.told.searches;
    let tests = [
        ("waiting", None),
        ("long", Some(Verdict::Short)),
        ("size", Some(Verdict::Size)),
        ("memory", Some(Verdict::Memory)),
        ("class", Some(Verdict::Class)),
        ("slowdown", Some(Verdict::Slowdown)),
    ];
    for (name, failed_at) in tests {
        let passed = searches
            .iter()
            .flat_map(|(tried, _)| tried)
            .filter(|verdict| failed_at.is_none_or(|at| **verdict > at))
            .count();
        figures.insert(
            format!("search.{name}"),
            over(passed as f64, searches.len() as f64, 0.0),
        );
    }
    let place = |(tried, chosen): &(Vec<Verdict>, Option<usize>)| {
        chosen.map(|chosen| {
            tried[..=chosen]
                .iter()
                .filter(|verdict| **verdict == Verdict::Candidate)
                .count() as f64
        })
    };
    let places: Vec<f64> = searches.iter().filter_map(place).collect();
    figures.insert(
        "search.chosen".into(),
        over(places.iter().sum(), places.len() as f64, 0.0),
    );
}

/// Returns the jobs that job metrics count. A share at either end is left out, rounded to whole
/// jobs, halves up.
fn counted(table: &Table, warm_up: f64, cool_down: f64) -> std::ops::Range<usize> {
    let jobs = table.rows.len() as f64;
    let [from, left_out] = [warm_up, cool_down].map(|share| (share * jobs + 0.5).floor() as usize);
    from..(table.rows.len() - left_out).max(from)
}

fn figures(table: &Table, threshold: f64, warm_up: f64, cool_down: f64) -> Figures {
    let rows: Vec<&Row> = table.rows[counted(table, warm_up, cool_down)]
        .iter()
        .collect();
    let mut figures = Figures::new();
    put_job_metrics(&mut figures, &rows, threshold);
    put_occupancy(&mut figures, table);
    put_accepted(&mut figures, table);
    put_stability(&mut figures, table, &rows);
    put_jain(&mut figures, &rows, threshold);
    put_unfairness(&mut figures, table);
    put_moving(&mut figures, table);
    put_switching(&mut figures, table);
    put_searches(&mut figures, table);
    for (job, name) in FIRST_EIGHT.iter().enumerate() {
        figures.insert(
            format!("job_response.{name}"),
            table.rows.get(job).map_or(0.0, Row::response),
        );
    }
    figures.insert(
        "killed.value".into(),
        rows.iter().filter(|row| row.killed).count() as f64,
    );
    figures.insert("jobs.value".into(), rows.len() as f64);
    let sizes: Vec<f64> = rows.iter().map(|row| row.processors).collect();
    put_moments(&mut figures, "size", &sizes);
    let works: Vec<f64> = rows
        .iter()
        .map(|row| row.processors * row.runtime)
        .collect();
    put_moments(&mut figures, "work", &works);
    figures
}

/// Adds a mean and the standard deviation of a population.
fn put_moments(figures: &mut Figures, id: &str, values: &[f64]) {
    let count = f64::max(values.len() as f64, 1.0);
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| value * value).sum();
    figures.insert(format!("{id}.mean"), mean);
    figures.insert(
        format!("{id}.sd"),
        f64::max(squares / count - mean * mean, 0.0).sqrt(),
    );
}

fn is_near(ours: f64, twin: f64) -> bool {
    (ours - twin).abs() <= 1e-7 * twin.abs().max(1e-3)
}

fn assert_same(ours: &Figures, twin: &Figures, what: &dyn Fn() -> String) {
    assert_eq!(
        ours.keys().collect::<Vec<_>>(),
        twin.keys().collect::<Vec<_>>(),
        "{}",
        what()
    );
    for (key, value) in ours {
        assert!(
            is_near(*value, twin[key]),
            "{key}: {value}, the twin has {}; {}",
            twin[key],
            what()
        );
    }
}

/// Draws jobs close together or spread over months. Some have a run time of 0, some are killed.
fn trace(seed: u64, processors: u32) -> Arc<Trace> {
    let mut stream = Stream::new(seed, "figures");
    let pick = |stream: &mut Stream, list: &[i64]| list[stream.below(list.len() as u64) as usize];
    let (few, spread) = (stream.below(3) == 0, stream.below(2) == 0);
    let mut text = format!("; MaxProcs: {processors}\n");
    if stream.below(2) == 0 {
        let start = pick(&mut stream, &[0, 951_700_000, 1_709_000_000, 1_735_600_000]);
        writeln!(text, "; UnixStartTime: {start}").unwrap();
    }
    let mut submit = 0;
    for number in 1..=if few {
        1 + stream.below(12)
    } else {
        40 + stream.below(50)
    } {
        submit += pick(
            &mut stream,
            if spread {
                &[0, 0, 7, 5000, 86_400, 800_000, 3_000_000]
            } else {
                &[0, 0, 1, 2, 9, 30]
            },
        );
        let runtime = pick(
            &mut stream,
            &[0, 1, 3, 8, 20, 61, if spread { 30_000 } else { 70 }],
        );
        let estimate = pick(
            &mut stream,
            &[runtime, runtime, 2 * runtime, 4 * runtime, runtime / 2],
        )
        .max(1);
        let size = if stream.below(8) == 0 {
            i64::from(processors)
        } else {
            1 + stream.below(u64::from(processors)) as i64
        };
        let user = stream.below(if few { 3 } else { 14 });
        writeln!(
            text,
            "{number} {submit} -1 {runtime} {size} -1 -1 {size} {estimate} -1 1 {user} \
            1 1 1 1 -1 -1"
        )
        .unwrap();
    }
    Arc::new(read("figures", text.as_bytes(), BadLines::Stop).unwrap())
}

fn on(machine: &str, policy: &str) -> Scenario {
    Scenario {
        machine: machine.into(),
        ..Scenario::new(policy)
    }
}

/// Returns the keys of the figures that every run has.
fn keys() -> Vec<String> {
    ALL.iter().flat_map(MetricSpec::keys).collect()
}

/// Returns scenarios on every machine, each with a number of seeds.
fn scenarios() -> Vec<(Scenario, u64)> {
    let torus = |scenario: Scenario| scenario.with("x", 2.0).with("y", 2.0).with("z", 3.0);
    vec![
        (Scenario::new("fcfs"), 24),
        (
            Scenario::new("easy")
                .with("scan", "shortest")
                .with("depth", 0.0),
            24,
        ),
        (
            Scenario::new("conservative").with("overrun", "continue"),
            12,
        ),
        (
            Scenario::new("pbas")
                .with("frame", 60.0)
                .with("candidates", "easy+fcfs+conservative"),
            24,
        ),
        (Scenario::new("wbas").with("frame", 60.0), 12),
        (on("gang", "fcfs"), 12),
        (
            on("gang", "easy").with("slots", 3.0).with("quantum", 2.0),
            12,
        ),
        (on("smt", "easy").with("demands", "m1"), 12),
        (on("smt", "lomarc").with("demands", "m2"), 24),
        (on("bsp", "easy"), 8),
        (torus(on("torus", "easy")), 12),
        (torus(on("torus", "bm")).with("wrap_x", "mesh"), 12),
        (
            torus(on("torus", "bm"))
                .with("wrap_z", "mesh")
                .with("migration_cost", 3.0)
                .with("scan", "shortest"),
            24,
        ),
    ]
}

/// Returns a random run of a scenario, and its table.
fn example(scenario: &Scenario, seed: u64) -> (Run, Table) {
    let processors = scenario
        .resolve()
        .unwrap()
        .capacity()
        .unwrap_or(2 + seed as u32 % 11);
    let run = run(scenario, &trace(seed, processors));
    let table = Table::new(&run);
    (run, table)
}

#[test]
fn every_figure_is_what_its_definition_says() {
    let mut seen: BTreeSet<String> = BTreeSet::new();
    for (scenario, seeds) in scenarios() {
        for seed in 0..seeds {
            let (threshold, warm_up, cool_down) = [
                (10.0, 0.0, 0.0),
                (1.0, 0.25, 0.0),
                (60.0, 0.1, 0.15),
                (10.0, 0.0, 0.3),
            ][seed as usize % 4];
            let scenario = scenario
                .clone()
                .with("threshold", threshold)
                .with("warm_up", warm_up)
                .with("cool_down", cool_down);
            let (run, table) = example(&scenario, seed);
            let ours = run.measures().figures;
            // If no job is examined, there is no delay.
            let is_examined = ours["unfairness.jobs"] > 0.0;
            let is_expected = |key: &String| {
                is_examined || !key.starts_with("unfairness.") || key == "unfairness.jobs"
            };
            assert_eq!(
                ours.keys().cloned().collect::<BTreeSet<_>>(),
                keys().into_iter().filter(is_expected).collect()
            );
            assert_same(
                &ours,
                &figures(&table, threshold, warm_up, cool_down),
                &|| format!("seed {seed}, {scenario:?}"),
            );
            seen.extend(
                ours.into_iter()
                    .filter(|(_, value)| *value != 0.0)
                    .map(|(key, _)| key),
            );
        }
    }
    // A figure that is always zero would test nothing. No scenario here has more than three
    // candidates.
    let idle: Vec<String> = keys()
        .into_iter()
        .filter(|key| !seen.contains(key))
        .collect();
    assert_eq!(
        idle,
        [
            "deciding.4th",
            "deciding.5th",
            "deciding.6th",
            "deciding.7th",
            "deciding.8th"
        ]
    );
}

/// Returns the class of a job in the twin, as rank and name.
fn class(table: &Table, row: &Row, grouping: Grouping, heaviest: &[i32]) -> (i64, String) {
    match grouping {
        Grouping::Size => {
            let (mut above, mut top) = (0, 1);
            while f64::from(top) < row.processors {
                (above, top) = (top, 2 * top);
            }
            (
                i64::from(top),
                if top <= 2 {
                    top.to_string()
                } else {
                    format!("{} to {top}", above + 1)
                },
            )
        }
        Grouping::RunTime => {
            let names = [
                "up to 1 min",
                "1 to 10 min",
                "10 min to 1 h",
                "1 to 6 h",
                "over 6 h",
            ];
            let rank = [60.0, 600.0, 3600.0, 21_600.0]
                .iter()
                .filter(|limit| row.runtime > **limit)
                .count();
            (rank as i64, names[rank].into())
        }
        Grouping::User => match heaviest.iter().position(|user| *user == row.user) {
            Some(rank) => (rank as i64, format!("user {}", row.user)),
            None => (i64::MAX, "all others".into()),
        },
        Grouping::Month => table.month(row),
        _ => panic!("columns.rs has the groupings by attributes of a log"),
    }
}

/// Returns the ten users with the most work. Among equal ones, the lower numbers come first.
fn heaviest(rows: &[&Row]) -> Vec<i32> {
    let users: BTreeSet<i32> = rows.iter().map(|row| row.user).collect();
    let work = |user: i32| {
        rows.iter()
            .filter(|row| row.user == user)
            .map(|row| row.runtime * row.processors)
            .sum::<f64>()
    };
    let mut users: Vec<i32> = users.into_iter().collect();
    users.sort_by(|one, other| work(*other).total_cmp(&work(*one)));
    users.truncate(10);
    users
}

/// Adds the figures that describe the workload of a month.
fn put_month(figures: &mut Figures, rows: &[&Row], processors: u32) {
    let users: BTreeSet<i32> = rows.iter().map(|row| row.user).collect();
    let work: Vec<f64> = rows
        .iter()
        .map(|row| row.runtime * row.processors)
        .collect();
    let gaps: Vec<f64> = rows
        .windows(2)
        .map(|pair| pair[1].submit - pair[0].submit)
        .collect();
    let length = rows[rows.len() - 1].submit - rows[0].submit;
    let mut put = |name: String, value: f64| {
        figures.insert(format!("workload.{name}"), value);
    };
    put("jobs".into(), rows.len() as f64);
    put(
        "users_per_job".into(),
        users.len() as f64 / rows.len() as f64,
    );
    if length > 0.0 {
        put(
            "load".into(),
            work.iter().sum::<f64>() / length / f64::from(processors),
        );
    }
    let run_times = rows.iter().map(|row| row.runtime).collect();
    let sizes = rows.iter().map(|row| row.processors).collect();
    for (name, values) in [
        ("run_time", run_times),
        ("processors", sizes),
        ("work", work),
        ("gap", gaps),
    ] {
        if !values.is_empty() {
            put(format!("{name}_median"), quantile(&values, 0.5));
            put(
                format!("{name}_interval"),
                quantile(&values, 0.95) - quantile(&values, 0.05),
            );
        }
    }
}

#[test]
fn every_class_has_the_figures_of_its_jobs() {
    for seed in 0..60 {
        let scenario = Scenario::new("easy")
            .with("threshold", 5.0)
            .with("warm_up", [0.0, 0.2][seed as usize % 2]);
        let (run, table) = example(&scenario, seed);
        let rows: Vec<&Row> = table.rows[counted(&table, [0.0, 0.2][seed as usize % 2], 0.0)]
            .iter()
            .collect();
        for grouping in [
            Grouping::Size,
            Grouping::RunTime,
            Grouping::User,
            Grouping::Month,
        ] {
            let mut twins: BTreeMap<(i64, String), Vec<&Row>> = BTreeMap::new();
            let heaviest = heaviest(&rows);
            rows.iter().for_each(|row| {
                twins
                    .entry(class(&table, row, grouping, &heaviest))
                    .or_default()
                    .push(row);
            });
            let ours: Vec<JobClass> =
                measure_classes(run.schedule(), &run.scenario.settings, grouping);
            assert_eq!(ours.len(), twins.len(), "seed {seed}, {grouping:?}");
            for (ours, ((_, name), rows)) in ours.iter().zip(twins) {
                let mut figures = Figures::new();
                put_job_metrics(&mut figures, &rows, 5.0);
                if grouping == Grouping::Month {
                    put_month(&mut figures, &rows, table.processors);
                }
                assert_eq!(
                    (&ours.name, ours.jobs),
                    (&name, rows.len()),
                    "seed {seed}, {grouping:?}"
                );
                assert!(is_near(
                    ours.work,
                    rows.iter().map(|row| row.runtime * row.processors).sum()
                ));
                assert_same(&ours.figures, &figures, &|| {
                    format!("seed {seed}, {grouping:?}, {name}")
                });
            }
        }
    }
}

#[test]
fn figures_of_chosen_jobs_are_those_of_these_jobs() {
    for seed in 0..30 {
        let (run, table) = example(&Scenario::new("fcfs").with("warm_up", 0.5), seed);
        let chosen: Vec<_> = run
            .schedule()
            .workload
            .ids()
            .filter(|job| job.0 % 3 != 1)
            .collect();
        let rows: Vec<&Row> = chosen.iter().map(|job| &table.rows[job.index()]).collect();
        let mut figures = Figures::new();
        put_job_metrics(&mut figures, &rows, 10.0);
        put_distribution(
            &mut figures,
            "size",
            &rows.iter().map(|row| row.processors).collect::<Vec<_>>(),
        );
        put_distribution(
            &mut figures,
            "runtime",
            &rows.iter().map(|row| row.runtime).collect::<Vec<_>>(),
        );
        figures.insert("jobs.value".into(), rows.len() as f64);
        assert_same(
            &measure_jobs(run.schedule(), &run.scenario.settings, &chosen),
            &figures,
            &|| format!("seed {seed}"),
        );
    }
}

/// Returns the place of a difference among the bars, from the largest gain to the largest loss.
fn bar(difference: f64) -> usize {
    let steps = [60.0, 600.0, 3600.0, 21_600.0, 86_400.0, 604_800.0]
        .iter()
        .filter(|step| difference.abs() > **step)
        .count()
        + 1;
    match difference.total_cmp(&0.0) {
        std::cmp::Ordering::Less => 7 - steps,
        std::cmp::Ordering::Equal => 7,
        std::cmp::Ordering::Greater => 7 + steps,
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "one comparison, figure by figure")]
fn two_runs_are_compared_job_by_job() {
    for seed in 0..60 {
        let trace = trace(seed, 6);
        let settings = |policy: &str| {
            Scenario::new(policy)
                .with("warm_up", 0.1)
                .with("cool_down", 0.1)
        };
        let (first, second) = (
            run(&settings("fcfs"), &trace),
            run(&settings("easy"), &trace),
        );
        let table = Table::new(&second);
        let mut waits: Vec<f64> = Table::new(&first).rows.iter().map(Row::wait).collect();
        // A job that did not start in the first run counts in neither.
        waits
            .iter_mut()
            .skip(3)
            .step_by(9)
            .for_each(|wait| *wait = f64::NAN);
        let all: Vec<usize> = counted(&table, 0.1, 0.1)
            .filter(|job| waits[*job].is_finite())
            .collect();
        let ours = compare(&waits, second.schedule(), &second.scenario.settings);
        let difference = |job: usize| table.rows[job].wait() - waits[job];
        let differences: Vec<f64> = all.iter().map(|job| difference(*job)).collect();
        let what = || format!("seed {seed}");
        assert_eq!(
            per_job(second.schedule(), &second.scenario.settings).len(),
            counted(&table, 0.1, 0.1).len()
        );
        assert_eq!(ours.paired.jobs, all.len(), "{}", what());
        if all.is_empty() {
            continue;
        }
        let share = |is: &dyn Fn(&f64) -> bool| {
            differences.iter().filter(|by| is(by)).count() as f64 / all.len() as f64
        };
        assert!(
            is_near(ours.paired.mean, mean(&differences))
                && is_near(ours.paired.median, quantile(&differences, 0.5)),
            "{}",
            what()
        );
        assert!(
            is_near(ours.paired.smaller, share(&|by| *by < 0.0))
                && is_near(ours.paired.larger, share(&|by| *by > 0.0)),
            "{}",
            what()
        );
        assert!(is_near(ours.paired.ci95, ci95(&differences)), "{}", what());
        // Checks the bars of the histogram.
        let bars: Vec<usize> = (0..15)
            .map(|place| differences.iter().filter(|by| bar(**by) == place).count())
            .collect();
        assert_eq!(
            ours.distribution
                .iter()
                .map(|bar| bar.jobs)
                .collect::<Vec<_>>(),
            bars,
            "{}",
            what()
        );
        // Checks the parts of the time of arrivals.
        let (from, to) = (
            table.rows[all[0]].submit,
            table.rows[all[all.len() - 1]].submit,
        );
        let length = f64::max(1.0, to - from);
        for (part, stretch) in ours.over_time.iter().enumerate() {
            let of_part = |job: &&usize| {
                (((table.rows[**job].submit - from) / length * 120.0) as usize).min(119) == part
            };
            let inside: Vec<f64> = all
                .iter()
                .filter(of_part)
                .map(|job| difference(*job))
                .collect();
            assert_eq!(stretch.jobs, inside.len(), "{}, part {part}", what());
            assert!(
                inside.is_empty() || is_near(stretch.mean, mean(&inside)),
                "{}, part {part}",
                what()
            );
            assert!(
                is_near(stretch.from, from + length * part as f64 / 120.0)
                    && is_near(stretch.to - stretch.from, length / 120.0)
            );
        }
        assert_eq!(ours.over_time.len(), 120);
        // Checks the classes of jobs.
        let rows: Vec<&Row> = all.iter().map(|job| &table.rows[*job]).collect();
        let heaviest = heaviest(&rows);
        for (name, grouping) in [
            ("size", Grouping::Size),
            ("run_time", Grouping::RunTime),
            ("user", Grouping::User),
        ] {
            let mut twins: BTreeMap<(i64, String), Vec<usize>> = BTreeMap::new();
            all.iter().for_each(|job| {
                twins
                    .entry(class(&table, &table.rows[*job], grouping, &heaviest))
                    .or_default()
                    .push(*job);
            });
            assert_eq!(ours.classes[name].len(), twins.len(), "{}", what());
            for (ours, ((_, name), jobs)) in ours.classes[name].iter().zip(twins) {
                let count = |is: &dyn Fn(f64) -> bool| {
                    jobs.iter().filter(|job| is(difference(**job))).count()
                };
                assert_eq!(
                    (&ours.name, ours.jobs, ours.gained, ours.lost),
                    (
                        &name,
                        jobs.len(),
                        count(&|by| by < 0.0),
                        count(&|by| by > 0.0)
                    )
                );
                assert!(is_near(
                    ours.first,
                    mean(&jobs.iter().map(|job| waits[*job]).collect::<Vec<_>>())
                ));
                assert!(is_near(
                    ours.second,
                    mean(
                        &jobs
                            .iter()
                            .map(|job| table.rows[*job].wait())
                            .collect::<Vec<_>>()
                    )
                ));
            }
        }
        // Checks the largest differences. Among equal ones, the first arrival comes first.
        for (sign, ours) in [(-1.0, &ours.winners), (1.0, &ours.losers)] {
            let mut jobs: Vec<usize> = all
                .iter()
                .copied()
                .filter(|job| sign * difference(*job) > 0.0)
                .collect();
            jobs.sort_by(|one, other| {
                (sign * difference(*other)).total_cmp(&(sign * difference(*one)))
            });
            jobs.truncate(10);
            let facts = |job: &usize| {
                let row = &table.rows[*job];
                (
                    *job as i64 + 1,
                    row.user,
                    row.submit,
                    row.runtime,
                    f64::from(row.processors as u32),
                    waits[*job],
                    row.wait(),
                )
            };
            let told: Vec<_> = ours
                .iter()
                .map(|job| {
                    (
                        job.number,
                        job.user,
                        job.submitted,
                        job.runtime,
                        f64::from(job.processors),
                        job.first,
                        job.second,
                    )
                })
                .collect();
            assert_eq!(
                told,
                jobs.iter().map(facts).collect::<Vec<_>>(),
                "{}",
                what()
            );
            assert!(
                ours.iter()
                    .all(|job| i64::from(job.record) + 1 == job.number)
            );
        }
    }
}

#[test]
fn candidates_decide_only_from_the_instant_at_which_their_policy_takes_over() {
    let (easy, trace) = (Scenario::new("easy"), trace(4, 6));
    let table = Table::new(&run(&easy, &trace));
    let (first, last) = (table.first_submission(), table.last_end());
    let at = f64::midpoint(first, last).floor();
    let what_if = WhatIf {
        at,
        policy: Some("pbas".into()),
        settings: Settings::default().with("frame", 60.0),
        ..WhatIf::default()
    };
    let otherwise = run(
        &Scenario {
            what_if: Some(Box::new(what_if)),
            ..easy
        },
        &trace,
    );
    let figures = otherwise.measures().figures;
    let decided: f64 = FIRST_EIGHT
        .iter()
        .map(|name| figures[&format!("deciding.{name}")])
        .sum();
    let last = otherwise.schedule().span().1.seconds();
    assert!(
        is_near(decided, (last - at) / (last - first)),
        "{decided} of {first} to {last}, from {at} on"
    );
}
