//! Measures the speed of parsing and simulating natively. Run `cargo bench`. If SCHEDSCOPE_TRACES
//! names a folder with real logs, it uses them.
//!
//! Criterion computes the figures. Compare figures within one run only, because machines differ and
//! are rarely quiet.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use schedscope::experiment::Scenario;
use schedscope::import::{BadLines, read};
use schedscope::machine::Placements;
use schedscope::metrics::measure;
use schedscope::param::Settings;
use schedscope::schedule::Recorder;
use schedscope::sim::Silent;
use schedscope::trace::{Trace, write_trace};
use schedscope::view::{Colouring, Colours, Frame, Index, Lanes, Theme, Viewport, raster};
use schedscope::workload::Workload;
use schedscope::workload::model::generate;
use std::hint::black_box;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

fn generated(jobs: u32) -> Trace {
    // All lengths have the same load. Estimates are up to five times the run time, three times on
    // average.
    let settings = Settings::default()
        .with("jobs", f64::from(jobs))
        .with("processors", 256.0)
        .with("overestimate", 5.0);
    generate("lublin", &settings).expect("the settings are in range")
}

/// Reads SDSC-BLUE, if the folder of traces has it.
fn blue() -> Option<Trace> {
    blue_text().map(|text| {
        read("SDSC-BLUE", text.as_bytes(), BadLines::Stop).expect("the archive's log is good")
    })
}

/// Returns the text of SDSC-BLUE as the archive has it.
fn blue_text() -> Option<String> {
    use std::io::Read;
    let folder = std::env::var_os("SCHEDSCOPE_TRACES")
        .map_or_else(|| PathBuf::from("../shared/traces"), PathBuf::from);
    let path = folder.join("SDSC-BLUE-2000-4.2-cln.swf.gz");
    let mut text = String::new();
    flate2::read::MultiGzDecoder::new(std::fs::File::open(path).ok()?)
        .read_to_string(&mut text)
        .ok()?;
    Some(text)
}

fn parse(criterion: &mut Criterion) {
    let text = blue_text().unwrap_or_else(|| {
        let mut text = String::new();
        write_trace(&generated(240_000), |line| text.push_str(line));
        text
    });
    let path = std::env::temp_dir().join("schedscope-bench.swf");
    std::fs::write(&path, &text).expect("the temporary folder is writable");
    let mut group = criterion.benchmark_group("parse");
    group
        .throughput(Throughput::Bytes(text.len() as u64))
        .sample_size(20);
    group.bench_function("swf text", |bencher| {
        bencher.iter(|| read("bench", black_box(text.as_bytes()), BadLines::Stop));
    });
    group.bench_function("wc -w of the same file", |bencher| {
        bencher.iter(|| {
            Command::new("wc")
                .arg("-w")
                .arg(&path)
                .stdout(Stdio::null())
                .status()
        });
    });
    group.finish();
    std::fs::remove_file(path).ok();
}

fn workload(trace: &Trace, policy: &str) -> Arc<Workload> {
    let scenario = Scenario::new(policy)
        .resolve()
        .expect("the scenario is good");
    Arc::new(scenario.workload(trace).expect("the trace is good"))
}

fn simulate(criterion: &mut Criterion) {
    let mut workloads = vec![
        ("generated 100,000".to_owned(), generated(100_000)),
        ("generated 1,000,000".to_owned(), generated(1_000_000)),
    ];
    workloads.extend(blue().map(|trace| ("SDSC-BLUE".to_owned(), trace)));
    for (name, trace) in workloads {
        let mut group = criterion.benchmark_group(format!("simulate {name}"));
        group
            .sample_size(10)
            .measurement_time(Duration::from_secs(8));
        for policy in ["fcfs", "easy"] {
            let workload = workload(&trace, policy);
            let scenario = Scenario::new(policy)
                .resolve()
                .expect("the scenario is good");
            group.throughput(Throughput::Elements(workload.len() as u64));
            group.bench_function(BenchmarkId::new(policy, "schedule only"), |bencher| {
                bencher.iter(|| {
                    scenario
                        .simulation(Arc::clone(&workload), Placements::Counted)
                        .run(&mut Silent)
                });
            });
            group.bench_function(
                BenchmarkId::new(policy, "placements, columns, metrics"),
                |bencher| {
                    bencher.iter(|| {
                        let mut recorder = Recorder::new(Arc::clone(&workload));
                        scenario
                            .simulation(Arc::clone(&workload), Placements::Recorded)
                            .run(&mut recorder);
                        measure(recorder.schedule(), &Settings::default())
                    });
                },
            );
        }
        group.finish();
    }
}

fn draw(criterion: &mut Criterion) {
    let trace = Arc::new(generated(1_000_000));
    let mut run = Scenario::new("easy")
        .resolve()
        .expect("the scenario is good")
        .run(trace)
        .expect("the trace is good");
    run.advance(u64::MAX);
    let schedule = run.schedule();
    let index = Index::new(schedule);
    let mut colours = Colours::new(&schedule.workload, Colouring::Wait, Theme::Light);
    colours.update(schedule);
    let frame = Frame {
        width: 1600,
        height: 800,
        background: [255, 255, 255],
    };
    let (first, last) = schedule.span();
    let all = Viewport {
        from: first,
        to: last,
        top: 0.0,
        bottom: f64::from(schedule.workload.processors),
    };
    let hundredth = (last - first).microseconds() / 100;
    let from = schedscope::time::Time::from_microseconds(first.microseconds() + 40 * hundredth);
    let part = Viewport {
        from,
        to: schedscope::time::Time::from_microseconds(from.microseconds() + hundredth),
        ..all
    };
    let mut group = criterion.benchmark_group("timeline of 1,000,000 jobs, 1600 x 800");
    group.sample_size(20);
    group.bench_function("all", |bencher| {
        bencher.iter(|| {
            raster(
                schedule,
                &index,
                &colours,
                &all,
                &frame,
                &Lanes::Rows(schedule.workload.processors),
            )
        });
    });
    group.bench_function("1 %", |bencher| {
        bencher.iter(|| {
            raster(
                schedule,
                &index,
                &colours,
                &part,
                &frame,
                &Lanes::Rows(schedule.workload.processors),
            )
        });
    });
    group.finish();
}

criterion_group!(benches, parse, simulate, draw);
criterion_main!(benches);
