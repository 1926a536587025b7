//! Pictures against naive twins: the timeline raster against brute force, its index against a look
//! at every job, the strips against sampling.

use super::support::{Overruns, random_jobs, root, run, schedule, simulation, workload};
use schedscope::experiment::Scenario;
use schedscope::job::JobId;
use schedscope::param::Settings;
use schedscope::random::Stream;
use schedscope::schedule::{Overlaps, Schedule};
use schedscope::time::{Span, Time};
use schedscope::view::{
    Colouring, Colours, Frame, Index, Lanes, Steps, Theme, Viewport, job_at, raster, visible,
};
use schedscope::workload::model::generate;
use std::sync::Arc;

const COLOURINGS: [Colouring; 6] = [
    Colouring::User,
    Colouring::Job,
    Colouring::Size,
    Colouring::Wait,
    Colouring::Slowdown,
    Colouring::Class,
];

fn colours(schedule: &Schedule, colouring: Colouring) -> Colours {
    let mut colours = Colours::new(&schedule.workload, colouring, Theme::Light);
    colours.update(schedule);
    colours
}

/// Computes each pixel as the area-weighted mean of all that covers it, in floating point, job by
/// job.
fn brute_force(
    schedule: &Schedule,
    colours: &Colours,
    window: &Viewport,
    frame: &Frame,
) -> Vec<f64> {
    let background = frame.background.map(f64::from);
    let mut pixels = vec![background; frame.width * frame.height];
    let time = |t: Time| {
        (t - window.from).seconds() / (window.to - window.from).seconds() * frame.width as f64
    };
    let row =
        |p: u32| (f64::from(p) - window.top) / (window.bottom - window.top) * frame.height as f64;
    let covered = |low: f64, high: f64, pixel: usize| {
        (high.min(pixel as f64 + 1.0) - low.max(pixel as f64)).max(0.0)
    };
    for start in &schedule.order {
        let (left, right) = (
            time(schedule.starts[start.job.index()]),
            time(schedule.ends[start.job.index()]),
        );
        let colour = colours.of(start.job).map(f64::from);
        for range in schedule.placement(start).ranges {
            let (top, bottom) = (row(range.first), row(range.end()));
            for y in 0..frame.height {
                for x in 0..frame.width {
                    let area = covered(left, right, x) * covered(top, bottom, y);
                    for channel in 0..3 {
                        pixels[y * frame.width + x][channel] +=
                            area * (colour[channel] - background[channel]);
                    }
                }
            }
        }
    }
    pixels.into_flattened()
}

#[test]
fn every_pixel_is_the_mean_of_what_it_covers() {
    let frame = Frame {
        width: 37,
        height: 23,
        background: [255, 250, 240],
    };
    for seed in 0..60 {
        let (processors, jobs) = random_jobs(seed, Overruns::Never);
        let schedule = schedule(&Scenario::new("easy"), &workload(processors, &jobs));
        let index = Index::new(&schedule);
        let mut stream = Stream::new(seed, "windows");
        let (first, last) = schedule.span();
        let length = (last - first).seconds().max(1.0);
        for (number, colouring) in COLOURINGS.into_iter().enumerate() {
            let mut from = first;
            let mut window = Viewport {
                from,
                to: Time::from_microseconds(last.microseconds() + 1),
                top: 0.0,
                bottom: f64::from(processors),
            };
            if number > 0 {
                from = Time::from_microseconds(
                    first.microseconds() + (stream.uniform() * length * 1e6) as i64,
                );
                let to = Time::from_microseconds(
                    from.microseconds() + 1 + (stream.uniform() * length * 0.5e6) as i64,
                );
                let top = stream.uniform() * f64::from(processors) * 0.5;
                window = Viewport {
                    from,
                    to,
                    top,
                    bottom: top + 0.3 + stream.uniform() * f64::from(processors),
                };
            }
            let colours = colours(&schedule, colouring);
            let ours = raster(
                &schedule,
                &index,
                &colours,
                &window,
                &frame,
                &Lanes::Rows(schedule.workload.processors),
            );
            let exact = brute_force(&schedule, &colours, &window, &frame);
            for (pixel, (ours, exact)) in ours.chunks(4).zip(exact.chunks(3)).enumerate() {
                assert_eq!(ours[3], 255);
                for channel in 0..3 {
                    let off = (f64::from(ours[channel]) - exact[channel]).abs();
                    assert!(
                        off <= 1.0,
                        "seed {seed}, {window:?}, pixel {pixel}: {} instead of {}",
                        ours[channel],
                        exact[channel]
                    );
                }
            }
        }
    }
}

#[test]
fn jobs_thinner_than_a_pixel_keep_their_area() {
    // About 17 jobs fall into a pixel, and hardly any job is as long as a pixel is wide.
    let trace = Arc::new(generate("lublin", &Settings::default().with("jobs", 20_000.0)).unwrap());
    let run = run(&Scenario::new("easy"), &trace);
    let schedule = run.schedule();
    let (first, last) = schedule.span();
    let window = Viewport {
        from: first,
        to: last,
        top: 0.0,
        bottom: 128.0,
    };
    let frame = Frame {
        width: 40,
        height: 30,
        background: [0, 0, 0],
    };
    let white = Colours::new(&schedule.workload, Colouring::User, Theme::Light);
    let pixels = raster(
        schedule,
        &Index::new(schedule),
        &white,
        &window,
        &frame,
        &Lanes::Rows(schedule.workload.processors),
    );
    let exact = brute_force(schedule, &white, &window, &frame);
    let (ours, exact): (f64, f64) = (
        pixels.chunks(4).map(|p| f64::from(p[0])).sum(),
        exact.chunks(3).map(|p| p[0]).sum(),
    );
    assert!((ours / exact - 1.0).abs() < 0.003, "{ours} against {exact}");
}

/// The picture of the page's sample is the same on every machine. Look at a changed picture before
/// you bless it with `SCHEDSCOPE_BLESS=1`.
#[test]
fn golden_picture() {
    let settings = Settings::default().with("jobs", 300.0).with("seed", 3.0);
    let run = run(
        &Scenario::new("easy"),
        &Arc::new(generate("lublin", &settings).unwrap()),
    );
    let schedule = run.schedule();
    let (first, last) = schedule.span();
    let window = Viewport {
        from: first,
        to: last,
        top: 0.0,
        bottom: 128.0,
    };
    let frame = Frame {
        width: 120,
        height: 60,
        background: [255, 255, 255],
    };
    let pixels = raster(
        schedule,
        &Index::new(schedule),
        &colours(schedule, Colouring::User),
        &window,
        &frame,
        &Lanes::Rows(schedule.workload.processors),
    );
    // The format is a portable pixmap, which nearly every viewer shows.
    let mut picture = format!("P6\n{} {}\n255\n", frame.width, frame.height).into_bytes();
    pixels
        .chunks(4)
        .for_each(|pixel| picture.extend_from_slice(&pixel[..3]));
    let path = root().join("tests/pictures/sample.ppm");
    if std::env::var_os("SCHEDSCOPE_BLESS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &picture).unwrap();
    }
    assert!(
        std::fs::read(&path).unwrap() == picture,
        "the picture of {} changed",
        path.display()
    );
}

#[test]
fn the_index_finds_what_looking_at_every_job_finds() {
    let trace = Arc::new(generate("lublin", &Settings::default().with("jobs", 3000.0)).unwrap());
    let run = run(&Scenario::new("easy"), &trace);
    let schedule = run.schedule();
    let index = Index::new(schedule);
    let (first, last) = schedule.span();
    let mut stream = Stream::new(1, "index");
    let mut instant = || {
        Time::from_microseconds(
            first.microseconds() + (stream.uniform() * (last - first).microseconds() as f64) as i64,
        )
    };
    for _ in 0..300 {
        let (a, b) = (instant(), instant());
        let (from, to) = (a.min(b), a.max(b));
        let window = Viewport {
            from,
            to,
            top: 10.0,
            bottom: 20.5,
        };
        let ours = visible(
            schedule,
            &index,
            &window,
            &Lanes::Rows(schedule.workload.processors),
            usize::MAX,
        )
        .unwrap();
        let all = schedule.order.iter().flat_map(|start| {
            schedule
                .placement(start)
                .ranges
                .iter()
                .map(move |range| (start.job, *range))
        });
        let naive = all.filter(|(job, range)| {
            let (start, end) = (schedule.starts[job.index()], schedule.ends[job.index()]);
            start < to && end > from && range.first <= 20 && range.end() > 10
        });
        assert_eq!(
            ours.iter()
                .map(|b| (b.job, b.top as u32))
                .collect::<Vec<_>>(),
            naive
                .map(|(job, range)| (job, range.first))
                .collect::<Vec<_>>()
        );
        assert!(
            visible(
                schedule,
                &index,
                &window,
                &Lanes::Rows(schedule.workload.processors),
                0
            )
            .is_none_or(|boxes| boxes.is_empty())
        );
        let processor = 17;
        let there = schedule.order.iter().find(|start| {
            let (s, e) = (
                schedule.starts[start.job.index()],
                schedule.ends[start.job.index()],
            );
            s <= from
                && from < e
                && schedule
                    .placement(start)
                    .ranges
                    .iter()
                    .any(|range| (range.first..range.end()).contains(&processor))
        });
        assert_eq!(
            job_at(schedule, &index, &Lanes::Rows(1), from, (0, processor)),
            there.map(|start| start.job)
        );
    }
}

#[test]
fn strips_are_what_sampling_says() {
    for seed in 0..50 {
        let (processors, jobs) = random_jobs(seed, Overruns::Never);
        let workload = workload(processors, &jobs);
        let schedule = schedule(&Scenario::new("easy"), &workload);
        let mut steps = Steps::new(Arc::clone(&workload), 1);
        simulation(&Scenario::new("easy"), &workload).run(&mut steps);
        let (first, last) = schedule.span();
        let seconds = (last - first).whole_seconds();
        if seconds == 0 {
            continue;
        }
        let bins = steps.bins(first, last, seconds as usize, schedule.until);
        for second in 0..seconds {
            let at = Time::from_seconds(first.whole_seconds() + second);
            let jobs = || {
                workload.ids().map(|job| {
                    (
                        job,
                        schedule.starts[job.index()],
                        schedule.ends[job.index()],
                    )
                })
            };
            let used: u32 = jobs()
                .filter(|(_, start, end)| *start <= at && at < *end)
                .map(|(job, _, _)| workload.request(job).processors)
                .sum();
            let waiting = jobs()
                .filter(|(job, start, _)| workload.request(*job).submitted <= at && at < *start)
                .count();
            assert!(
                (bins.used[second as usize] - used as f32).abs() < 1e-3,
                "seed {seed}, second {second}"
            );
            assert!(
                (bins.waiting[second as usize] - waiting as f32).abs() < 1e-3,
                "seed {seed}, second {second}"
            );
        }
    }
}

/// If each processor has one lane for all rows, a point shows the job that has this part of the
/// lane then. Either each row with jobs has an equal part of the lane, or the row that has its turn
/// has all of it.
#[test]
fn shared_lanes_show_whose_part_or_turn_it_is() {
    let settings = Settings::default()
        .with("jobs", 400.0)
        .with("processors", 32.0)
        .with("seed", 5.0);
    let trace = Arc::new(generate("lublin", &settings).unwrap());
    let gang = Scenario {
        machine: "gang".into(),
        ..Scenario::new("easy")
    }
    .with("slots", 4.0)
    .with("quantum", 10.0);
    let run = run(&gang, &trace);
    let schedule = run.schedule();
    let (index, overlaps) = (Index::new(schedule), Arc::default());
    let (first, last) = schedule.span();
    let mut stream = Stream::new(1, "shared");
    let (mut shared, mut turns) = (0, 0);
    for round in 0..400 {
        let mut share = || stream.uniform();
        let from = Time::from_microseconds(
            first.microseconds() + (share() * (last - first).microseconds() as f64) as i64,
        );
        let length = if round % 2 == 0 { 400.0 } else { 40_000.0 };
        let window = Viewport {
            from,
            to: from + Span::from_microseconds((length * 1e6) as i64),
            top: 0.0,
            bottom: 32.0,
        };
        let lanes = Lanes::new(schedule, &overlaps, &window, (400, 320), true);
        let boxes = visible(schedule, &index, &window, &lanes, usize::MAX).unwrap();
        for _ in 0..20 {
            let at = Time::from_microseconds(from.microseconds() + (share() * length * 1e6) as i64);
            let height = share() * 32.0;
            let here = |b: &&schedscope::view::JobBox| {
                b.from <= at && at < b.to && b.top <= height && height < b.bottom
            };
            let found: Vec<JobId> = boxes.iter().filter(here).map(|b| b.job).collect();
            assert!(found.len() <= 1, "parts overlap");
            let wheel = schedule.turns[schedule
                .turns
                .partition_point(|wheel| wheel.at <= at)
                .max(1)
                - 1];
            let rows: Vec<u32> = (0..4).filter(|row| wheel.rows >> row & 1 == 1).collect();
            let row = match rows.len() {
                0 => None,
                // A turn of 10 s covers 10 pixels in one window, and a tenth of a pixel in the
                // other.
                _ if length < 4000.0 => Some(wheel.turned(at).row),
                many => Some(rows[(height.fract() * many as f64) as usize]),
            };
            let expected = row.and_then(|row| {
                job_at(schedule, &index, &Lanes::Rows(1), at, (row, height as u32))
            });
            // Changes that are less than a pixel apart are drawn together, over at most two pixels.
            let pixel = Span::from_microseconds((length / 200.0 * 1e6) as i64);
            let is_clear = schedule
                .turns
                .iter()
                .all(|wheel| wheel.at + pixel < at || wheel.at > at + pixel);
            if is_clear {
                assert_eq!(
                    found.first().copied(),
                    expected,
                    "{at:?} {height} {wheel:?}"
                );
                assert_eq!(
                    lanes.at(at, height).into_iter().find_map(|number| job_at(
                        schedule,
                        &index,
                        &Lanes::Rows(1),
                        at,
                        number
                    )),
                    expected
                );
                (shared, turns) = if length < 4000.0 {
                    (shared, turns + 1)
                } else {
                    (shared + 1, turns)
                };
            }
        }
        // The raster covers the area of each part, and covers nothing twice.
        let white = colours(schedule, Colouring::Class);
        let frame = Frame {
            width: 40,
            height: 32,
            background: [0, 0, 0],
        };
        let lanes = Lanes::new(schedule, &overlaps, &window, (40, 32), true);
        let pixels = raster(schedule, &index, &white, &window, &frame, &lanes);
        let area = |b: &schedscope::view::JobBox| {
            (b.to.min(window.to) - b.from.max(window.from))
                .seconds()
                .max(0.0)
                / length
                * 40.0
                * (b.bottom - b.top)
        };
        let all: f64 = visible(schedule, &index, &window, &lanes, usize::MAX)
            .unwrap()
            .iter()
            .map(area)
            .sum();
        let drawn: f64 = pixels
            .chunks(4)
            .map(|pixel| f64::from(pixel[2]) / f64::from(0xd4))
            .sum();
        assert!(
            (drawn - all).abs() < 0.01 * all + 3.0,
            "{drawn} instead of {all}"
        );
    }
    assert!(shared > 1000 && turns > 1000, "{shared} {turns}");
}

/// If there are more processors than pixels, those of a pixel are divided together. The part of
/// each row in the picture is then its share of them, wherever jobs meet. Jobs shorter than a pixel
/// are visible too.
#[test]
fn shared_lanes_thinner_than_a_pixel_keep_their_area() {
    let settings = Settings::default()
        .with("jobs", 600.0)
        .with("processors", 430.0)
        .with("seed", 7.0);
    let trace = Arc::new(generate("lublin", &settings).unwrap());
    let gang = Scenario {
        machine: "gang".into(),
        ..Scenario::new("easy")
    }
    .with("slots", 3.0)
    .with("arrival_factor", 3.0);
    let run = run(&gang, &trace);
    let schedule = run.schedule();
    let (index, colours, overlaps) = (
        Index::new(schedule),
        colours(schedule, Colouring::Class),
        Arc::default(),
    );
    let (first, last) = schedule.span();
    for (from, length) in [(0.0, 1.0), (0.3, 0.1), (0.5, 0.01)] {
        let span = (last - first).microseconds() as f64;
        let from = first + Span::from_microseconds((from * span) as i64);
        let window = Viewport {
            from,
            to: from + Span::from_microseconds((length * span) as i64),
            top: 0.0,
            bottom: 430.0,
        };
        let frame = Frame {
            width: 300,
            height: 198,
            background: [0, 0, 0],
        };
        let lanes = Lanes::new(schedule, &overlaps, &window, (300, 198), true);
        let pixels = raster(schedule, &index, &colours, &window, &frame, &lanes);
        let grey = f64::from(pixels.iter().copied().step_by(4).max().unwrap());
        assert!(
            grey <= f64::from(0xc9_u8),
            "a pixel is covered twice: {grey}"
        );
        let boxes = visible(schedule, &index, &window, &lanes, usize::MAX).unwrap();
        assert!(
            boxes
                .iter()
                .all(|b| b.top >= 0.0 && b.bottom <= 430.0 + 1e-9 && b.top < b.bottom)
        );
        // Each job is visible during all of its run time.
        for start in &schedule.order {
            let seen: i64 = boxes
                .iter()
                .filter(|b| b.job == start.job)
                .map(|b| (b.to - b.from).microseconds())
                .sum();
            let (from, to) = (
                schedule.starts[start.job.index()].max(window.from),
                schedule.ends[start.job.index()].min(window.to),
            );
            let lanes_of = boxes
                .iter()
                .filter(|b| b.job == start.job)
                .map(|b| b.top.to_bits())
                .collect::<std::collections::BTreeSet<_>>();
            if from < to {
                assert!(
                    seen >= (to - from).microseconds(),
                    "job {:?} is missing for a time: {seen} {}",
                    start.job,
                    lanes_of.len()
                );
            }
        }
    }
}

/// Two jobs on a node each have half of its lane, and a single job has all of it. The labels agree
/// with the jobs there.
#[test]
fn nodes_that_two_jobs_share_are_halved() {
    for (seed, policy) in [(1.0, "lomarc"), (2.0, "lomarc"), (3.0, "easy")] {
        let settings = Settings::default()
            .with("jobs", 300.0)
            .with("processors", 24.0)
            .with("seed", seed);
        let trace = Arc::new(generate("lublin", &settings).unwrap());
        let smt = Scenario {
            machine: "smt".into(),
            ..Scenario::new(policy)
        }
        .with("demands", "m1")
        .with("arrival_factor", 3.0);
        let run = run(&smt, &trace);
        let schedule = run.schedule();
        let (index, overlaps) = (Index::new(schedule), Arc::new(Overlaps::new(schedule)));
        let (first, last) = schedule.span();
        let window = Viewport {
            from: first,
            to: last,
            top: 0.0,
            bottom: 24.0,
        };
        // The overlaps are computed node by node from placements and times.
        let nodes = |start: &schedscope::schedule::Start| -> Vec<(u32, u32)> {
            schedule
                .placement(start)
                .columns()
                .map(|node| (node, schedule.placement(start).row))
                .collect()
        };
        let (mut naive, mut ours) = (0, 0);
        for one in &schedule.order {
            ours += overlaps
                .of(one.job)
                .iter()
                .map(|o| (o.to - o.from).microseconds() * i64::from(o.nodes.count))
                .sum::<i64>();
            for other in schedule.order.iter().filter(|other| other.job != one.job) {
                let from = schedule.starts[one.job.index()].max(schedule.starts[other.job.index()]);
                let to = schedule.ends[one.job.index()].min(schedule.ends[other.job.index()]);
                let shared = nodes(one)
                    .iter()
                    .filter(|(node, _)| nodes(other).iter().any(|(its, _)| its == node))
                    .count();
                naive += if from < to {
                    (to - from).microseconds() * shared as i64
                } else {
                    0
                };
            }
        }
        assert_eq!(ours, naive);
        assert!(naive > 0);
        // The lane of a node has room for one job at any width, and each of two partners has half
        // of it.
        for width in [40, 400, 4_000_000_000_usize] {
            let lanes = Lanes::new(schedule, &overlaps, &window, (width, 240), true);
            let mut areas = vec![0.0; schedule.workload.len()];
            let boxes = visible(schedule, &index, &window, &lanes, usize::MAX).unwrap();
            let mut stream = Stream::new(seed as u64, "room");
            for _ in 0..3000 {
                let at = Time::from_microseconds(
                    first.microseconds()
                        + (stream.uniform() * (last - first).microseconds() as f64) as i64,
                );
                let height = stream.uniform() * 24.0;
                assert!(
                    boxes
                        .iter()
                        .filter(|b| b.from <= at
                            && at < b.to
                            && b.top <= height
                            && height < b.bottom)
                        .count()
                        <= 1
                );
            }
            for b in &boxes {
                areas[b.job.index()] += (b.to - b.from).seconds() * (b.bottom - b.top);
            }
            for start in &schedule.order {
                let length = schedule.ends[start.job.index()] - schedule.starts[start.job.index()];
                let shared: f64 = overlaps
                    .of(start.job)
                    .iter()
                    .map(|o| (o.to - o.from).seconds() * f64::from(o.nodes.count))
                    .sum();
                let expected = length.seconds() * nodes(start).len() as f64 - shared / 2.0;
                assert!(
                    (areas[start.job.index()] - expected).abs() < 1e-3,
                    "{width}: {} and not {expected}",
                    areas[start.job.index()]
                );
            }
        }
        // If nothing is narrower than a pixel, the lane itself is divided.
        let lanes = Lanes::new(schedule, &overlaps, &window, (4_000_000_000, 240), true);
        let boxes = visible(schedule, &index, &window, &lanes, usize::MAX).unwrap();
        let mut stream = Stream::new(seed as u64, "halves");
        let (mut halves, mut whole) = (0, 0);
        for _ in 0..3000 {
            let at = Time::from_microseconds(
                first.microseconds()
                    + (stream.uniform() * (last - first).microseconds() as f64) as i64,
            );
            let height = stream.uniform() * 24.0;
            let found: Vec<_> = boxes
                .iter()
                .filter(|b| b.from <= at && at < b.to && b.top <= height && height < b.bottom)
                .collect();
            assert!(found.len() <= 1, "parts overlap");
            let on = |row: u32| job_at(schedule, &index, &Lanes::Rows(1), at, (row, height as u32));
            let expected = match (on(0), on(1)) {
                (Some(upper), Some(lower)) => {
                    Some(if height.fract() < 0.5 { upper } else { lower })
                }
                (one, other) => one.or(other),
            };
            assert_eq!(found.first().map(|b| b.job), expected, "{at:?} {height}");
            assert_eq!(
                lanes.at(at, height).into_iter().find_map(|number| job_at(
                    schedule,
                    &index,
                    &Lanes::Rows(1),
                    at,
                    number
                )),
                expected
            );
            if on(0).is_some() && on(1).is_some() {
                halves += 1;
            } else {
                whole += i32::from(expected.is_some());
            }
        }
        assert!(halves > 100 && whole > 100, "{halves} {whole}");
    }
}
