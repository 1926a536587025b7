//! The tools for reading a timeline, each against a naive twin: filters, areas, comparisons of two
//! runs, colours of differences, and the file for Perfetto.

use super::support::{Job, Overruns, random_jobs, scenarios, schedule, workload};
use schedscope::experiment::Scenario;
use schedscope::files::chrome_trace;
use schedscope::job::JobId;
use schedscope::metrics::measure_jobs;
use schedscope::param::Settings;
use schedscope::random::Stream;
use schedscope::schedule::{Overlaps, Schedule};
use schedscope::time::Time;
use schedscope::view::{
    Colouring, Colours, Filter, Index, Lanes, Theme, Viewport, area, ranked, versus,
};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

fn numbers(schedule: &Schedule, filter: &str) -> Vec<i64> {
    let filter = Filter::parse(filter, Some(0)).unwrap();
    schedule
        .workload
        .ids()
        .filter(|job| filter.keeps(schedule, *job))
        .map(|job| schedule.workload.request(job).number)
        .collect()
}

#[test]
fn filters_by_hand() {
    let job = |submit, runtime, processors, user| Job {
        submit,
        runtime,
        estimate: 2 * runtime,
        processors,
        user,
    };
    let jobs = [
        job(0, 3600, 16, 7),
        job(0, 3601, 8, 7),
        job(10, 60, 9, 8),
        job(86_400, 100, 1, -1),
    ];
    let schedule = schedule(&Scenario::new("fcfs"), &workload(16, &jobs));
    // The jobs start at 0, 3600, 7201 and 86400.
    for (filter, expected) in [
        ("", vec![1, 2, 3, 4]),
        ("user:7", vec![1, 2]),
        ("-user:7", vec![3, 4]),
        ("user:7,8", vec![1, 2, 3]),
        ("size>8", vec![1, 3]),
        ("size>=8 size<16", vec![2, 3]),
        ("size:8..9", vec![2, 3]),
        ("class:short", vec![1, 3, 4]),
        ("class:long", vec![2]),
        ("class:wide -class:short", vec![]),
        ("class:narrow", vec![2, 4]),
        ("wait=1h", vec![2]),
        ("wait>1h", vec![3]),
        ("wait<1h30m user:7", vec![1, 2]),
        ("estimate:2h", vec![1]),
        ("run<=1m", vec![3]),
        ("slowdown>100", vec![3]),
        ("2", vec![2]),
        ("-2 job<4", vec![1, 3]),
        ("submit>=1970-01-02", vec![4]),
        ("start>1970-01-01T01:30 end<1d", vec![3]),
        ("is:ended", vec![1, 2, 3, 4]),
        ("is:killed,waiting", vec![]),
        ("is:moved", vec![]),
    ] {
        assert_eq!(numbers(&schedule, filter), expected, "{filter}");
    }
    // The third job has a response of 7251 s and a run time of 60 s.
    let third = JobId(2);
    for (threshold, is_kept) in [(60.0, true), (72.0, true), (73.0, false)] {
        let filter = Filter::parse("slowdown>100", Some(0))
            .unwrap()
            .bounding(threshold);
        assert_eq!(filter.keeps(&schedule, third), is_kept, "{threshold}");
    }
}

#[test]
fn a_filter_is_all_of_its_tests() {
    let names = [
        "job", "user", "size", "wait", "run", "estimate", "response", "submit", "start", "end",
    ];
    let operators = ["<", "<=", ">", ">=", ":"];
    for seed in 0..80 {
        let (processors, jobs) = random_jobs(seed, Overruns::Sometimes);
        let schedule = schedule(&Scenario::new("easy"), &workload(processors, &jobs));
        let mut stream = Stream::new(seed, "filters");
        let mut text = String::new();
        let mut tests = Vec::new();
        for _ in 0..=stream.below(3) {
            let one = (
                stream.below(10) as usize,
                stream.below(5) as usize,
                stream.below(30) as i64,
                stream.below(2) == 1,
            );
            let _ = write!(
                text,
                " {}{}{}{}",
                if one.3 { "-" } else { "" },
                names[one.0],
                operators[one.1],
                one.2
            );
            tests.push(one);
        }
        let holds = |job: JobId| {
            let (at, request) = (job.index(), schedule.workload.request(job));
            let (start, end) = (
                schedule.starts[at].whole_seconds(),
                schedule.ends[at].whole_seconds(),
            );
            let submitted = request.submitted.whole_seconds();
            let values = [
                request.number,
                request.user.into(),
                request.processors.into(),
                start - submitted,
                schedule.workload.program(job).runtime.seconds() as i64,
                request.estimate.seconds() as i64,
                end - submitted,
                submitted,
                start,
                end,
            ];
            tests.iter().all(|(name, operator, value, negated)| {
                let own = values[*name];
                [
                    own < *value,
                    own <= *value,
                    own > *value,
                    own >= *value,
                    own == *value,
                ][*operator]
                    != *negated
            })
        };
        let expected: Vec<i64> = schedule
            .workload
            .ids()
            .filter(|job| holds(*job))
            .map(|job| schedule.workload.request(job).number)
            .collect();
        assert_eq!(numbers(&schedule, &text), expected, "{text}");
        // The longest wait comes first; equal waits are in the order of arrival.
        let all: Vec<JobId> = schedule.workload.ids().collect();
        let mut by_wait = all.clone();
        by_wait.sort_by_key(|job| -schedule.wait(*job).unwrap().microseconds());
        assert_eq!(ranked(&schedule, &all, "wait", 10.0), Some(by_wait));
        assert_eq!(ranked(&schedule, &all, "nothing", 10.0), None);
    }
}

/// Any typed text is either a filter or a problem. The texts mix words of the language at random.
#[test]
fn nothing_typed_panics() {
    let parts = [
        "user",
        "wait",
        "class",
        "is",
        ":",
        ">",
        "=",
        "<=",
        "-",
        "..",
        ",",
        "1h",
        "7",
        "1996-09-22",
        "T",
        "é",
        "\u{202e}",
        " ",
        "1e999",
        "NaN",
    ];
    let mut stream = Stream::new(1, "typing");
    for _ in 0..20_000 {
        let text: String = (0..=stream.below(7))
            .map(|_| parts[stream.below(parts.len() as u64) as usize])
            .collect();
        if let Err(problem) = Filter::parse(&text, Some(0)) {
            assert!(
                !problem.why.is_empty() && !problem.next.is_empty(),
                "{text}"
            );
        }
    }
}

#[test]
fn an_area_is_what_lies_in_it() {
    for seed in 0..60 {
        let (processors, jobs) = random_jobs(seed, Overruns::Sometimes);
        let schedule = schedule(&Scenario::new("conservative"), &workload(processors, &jobs));
        let index = Index::new(&schedule);
        let mut stream = Stream::new(seed, "areas");
        let (first, last) = (
            schedule.span().0.whole_seconds(),
            schedule.span().1.whole_seconds(),
        );
        let from = first + stream.below((last - first).max(1) as u64) as i64;
        let to = from + 1 + stream.below((last - from).max(1) as u64) as i64;
        let top = stream.below(processors.into()) as u32;
        let bottom = top + 1 + stream.below((processors - top).into()) as u32;
        let at = Time::from_seconds;
        let window = Viewport {
            from: at(from),
            to: at(to),
            top: top.into(),
            bottom: bottom.into(),
        };
        let lanes = Lanes::new(
            &schedule,
            &Arc::new(Overlaps::default()),
            &window,
            (100, 100),
            true,
        );
        let odd = |job: JobId| job.0 % 2 == 1;
        let found = area(&schedule, &index, &window, &lanes, odd);
        // The area is counted second by second and processor by processor.
        let (mut used, mut inside) = (0_u32, std::collections::BTreeSet::new());
        for entry in schedule.order.iter().filter(|entry| odd(entry.job)) {
            for range in schedule.placement(entry).ranges {
                for processor in
                    (range.first..range.end()).filter(|processor| (top..bottom).contains(processor))
                {
                    let _ = processor;
                    for second in from..to {
                        if schedule.starts[entry.job.index()] <= at(second)
                            && at(second) < schedule.ends[entry.job.index()]
                        {
                            used += 1;
                            inside.insert(entry.job);
                        }
                    }
                }
            }
        }
        assert_eq!(found.used, f64::from(used), "seed {seed}");
        assert_eq!(
            found
                .jobs
                .iter()
                .copied()
                .collect::<std::collections::BTreeSet<_>>(),
            inside,
            "seed {seed}"
        );
        let figures = measure_jobs(&schedule, &Settings::default(), &found.jobs);
        assert_eq!(figures["jobs.value"], found.jobs.len() as f64);
        let longest = found
            .jobs
            .iter()
            .map(|job| schedule.wait(*job).unwrap().seconds())
            .fold(0.0, f64::max);
        assert_eq!(figures["wait.max"], longest);
    }
}

#[test]
fn two_runs_against_one_another() {
    for seed in 0..60 {
        let (processors, jobs) = random_jobs(seed, Overruns::Sometimes);
        let jobs = workload(processors, &jobs);
        let [one, two] =
            ["fcfs", "lookahead"].map(|policy| schedule(&Scenario::new(policy), &jobs));
        let other = |schedule: &Schedule| -> Vec<(Time, Time, Time)> {
            let times = jobs.ids().map(|job| {
                (
                    jobs.request(job).submitted,
                    schedule.starts[job.index()],
                    schedule.ends[job.index()],
                )
            });
            times.collect()
        };
        let first = one.span().0.whole_seconds();
        let count = 97;
        let at = Time::from_seconds;
        let found = versus(
            &one,
            &other(&two),
            at(first),
            at(first + count),
            count as usize,
        );
        for second in 0..count {
            let now = at(first + second);
            let runs = |schedule: &Schedule, job: JobId| {
                schedule.starts[job.index()] <= now && now < schedule.ends[job.index()]
            };
            let waits = |schedule: &Schedule, job: JobId| {
                jobs.request(job).submitted <= now && now < schedule.starts[job.index()]
            };
            let sum = |here: &Schedule, there: &Schedule| -> u32 {
                jobs.ids()
                    .filter(|job| runs(here, *job) && waits(there, *job))
                    .map(|job| jobs.request(job).processors)
                    .sum()
            };
            let expected = [sum(&one, &two), sum(&two, &one)].map(|sum| sum as f32);
            let second = second as usize;
            assert!(
                (found[second] - expected[0]).abs() < 1e-3
                    && (found[count as usize + second] - expected[1]).abs() < 1e-3,
                "seed {seed}"
            );
        }
    }
}

#[test]
fn colours_of_differences_and_of_what_is_dimmed() {
    let (processors, jobs) = random_jobs(5, Overruns::Never);
    let jobs = workload(processors, &jobs);
    let schedule = schedule(&Scenario::new("fcfs"), &jobs);
    let mut colours = Colours::new(&jobs, Colouring::Difference, Theme::Light);
    let neutral = colours.of(JobId(0));
    colours.update(&schedule);
    assert!(
        jobs.ids().all(|job| colours.of(job) == neutral),
        "without a comparison no job differs"
    );
    // This run starts its jobs an hour later than the other run, then at the same time, then an
    // hour earlier.
    let moved = |by: i64| {
        jobs.ids()
            .map(|job| schedule.wait(job).unwrap().seconds() - by as f64 * 3600.0)
            .collect()
    };
    let colour = |colours: &mut Colours, by: i64| {
        colours.against(moved(by));
        colours.update(&schedule);
        colours.of(JobId(0))
    };
    let [red, _, blue] = colour(&mut colours, 1);
    assert!(red > blue + 60, "a job that waits longer is orange");
    assert_eq!(colour(&mut colours, 0), neutral);
    let [red, _, blue] = colour(&mut colours, -1);
    assert!(blue > red + 60, "a job that waits less is blue");
    let strength = |[red, _, blue]: [u8; 3]| i32::from(red) - i32::from(blue);
    let rising: Vec<i32> = [-200, -20, -2, 0, 2, 20, 200]
        .map(|by| strength(colour(&mut colours, by)))
        .into();
    assert!(rising.is_sorted(), "{rising:?}");
    let bright = colours.of(JobId(1));
    colours.keep(Some(jobs.ids().map(|job| job.0 == 0).collect()));
    assert_ne!(colours.of(JobId(1)), bright);
    assert_eq!(
        colours.of(JobId(0)),
        bright,
        "both jobs differ by the same time"
    );
    colours.keep(None);
    assert_eq!(colours.of(JobId(1)), bright);
}

/// Events on one track must not overlap, because Perfetto would take them for nested calls.
#[test]
fn chrome_traces_hold_every_job_and_no_track_overlaps() {
    for (number, scenario) in scenarios().iter().enumerate() {
        let (processors, jobs) = random_jobs(number as u64, Overruns::Never);
        let jobs = super::support::workload_for(scenario, processors, &jobs);
        let schedule = schedule(scenario, &jobs);
        let mut text = String::new();
        chrome_trace(&schedule, |piece| text.push_str(piece));
        let file: serde_json::Value = serde_json::from_str(&text).unwrap();
        let mut tracks: BTreeMap<i64, Vec<(i64, i64)>> = BTreeMap::new();
        let mut work: BTreeMap<i64, i64> = BTreeMap::new();
        for event in file["traceEvents"].as_array().unwrap() {
            if event["ph"] == "X" {
                let [track, from, length] =
                    ["tid", "ts", "dur"].map(|key| event[key].as_i64().unwrap());
                tracks.entry(track).or_default().push((from, from + length));
                let processors: Vec<i64> = event["args"]["processors"]
                    .as_str()
                    .unwrap()
                    .split('-')
                    .map(|n| n.parse().unwrap())
                    .collect();
                *work
                    .entry(event["args"]["job"].as_i64().unwrap())
                    .or_default() += length * (processors[1] - processors[0] + 1);
            }
        }
        for (track, mut spans) in tracks {
            spans.sort_unstable();
            assert!(
                spans.windows(2).all(|pair| pair[0].1 <= pair[1].0),
                "{scenario:?}: track {track}"
            );
        }
        for entry in schedule.attempts() {
            let held: i64 = schedule
                .stays(entry)
                .map(|stay| (stay.to - stay.from).microseconds() * i64::from(stay.placement.size()))
                .sum();
            assert_eq!(
                work.get(&jobs.request(entry.job).number)
                    .copied()
                    .unwrap_or(0),
                held,
                "{scenario:?}"
            );
        }
        let counters: Vec<(&str, i64)> = file["traceEvents"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|event| event["ph"] == "C")
            .map(|event| {
                (
                    event["name"].as_str().unwrap(),
                    event["args"]["value"].as_i64().unwrap(),
                )
            })
            .collect();
        assert_eq!(
            counters[counters.len() - 2..],
            [("waiting jobs", 0), ("used processors", 0)],
            "{scenario:?}"
        );
        assert!(counters.iter().all(|(_, value)| *value >= 0));
    }
}
