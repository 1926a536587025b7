//! Measures the torus natively, as Markdown tables for docs/performance.md: the time of the three
//! algorithms for the largest free partition, and the number of jobs that each scheduler places in
//! a second.
//!
//! `cargo run --release --example torus -- partitions` prints the first table. `... -- schedulers
//! [NASA-iPSC-1993-3.swf SDSC-SP2-1998-4.2-cln.swf]` prints the second one. It has the windows of
//! the torus paper if the files are given, and generated jobs on larger machines.

#[cfg(not(target_arch = "wasm32"))]
mod native {
    use schedscope::experiment::Scenario;
    use schedscope::machine::Placements;
    use schedscope::machines::torus::{
        Geometry, Grid, Partition, geometry, largest, largest_by_projection, largest_exhaustive,
    };
    use schedscope::param::Settings;
    use schedscope::random::Stream;
    use schedscope::schedule::Recorder;
    use schedscope::sim::Silent;
    use schedscope::trace::Trace;
    use schedscope::workload::model::generate;
    use std::hint::black_box;
    use std::sync::Arc;
    use std::time::Instant;

    /// Returns the time of a call in microseconds: the least of five rounds of at least a fiftieth
    /// of a second each.
    fn microseconds(mut call: impl FnMut()) -> f64 {
        let mut round = || {
            let began = Instant::now();
            let mut calls = 0;
            while calls == 0 || began.elapsed().as_secs_f64() < 0.02 {
                call();
                calls += 1;
            }
            began.elapsed().as_secs_f64() * 1e6 / f64::from(calls)
        };
        (0..5).map(|_| round()).fold(f64::INFINITY, f64::min)
    }

    /// Returns a machine of which boxes take about `share`. The boxes are like those of jobs: their
    /// edges have up to half the length of the machine's.
    fn occupied(geometry: &Arc<Geometry>, share: f64, stream: &mut Stream) -> Grid {
        let mut grid = Grid::new(Arc::clone(geometry));
        let nodes = f64::from(geometry.nodes());
        for _ in 0..100_000 {
            if nodes - f64::from(grid.free()) >= share * nodes {
                break;
            }
            let at = geometry.node(stream.below(u64::from(geometry.nodes())) as u32);
            let extent = geometry
                .extent
                .map(|edge| 1 + stream.below(u64::from(edge / 2)) as u32);
            let mut taken = grid.clone();
            taken.take(&Partition { at, extent });
            // A box is placed only if it overlaps with no other, because jobs do not overlap.
            if grid.free() - taken.free() == extent.iter().product::<u32>() {
                grid = taken;
            }
        }
        grid
    }

    pub fn largest_partition() {
        println!(
            "| machine | taken | exhaustive (µs) | POP (µs) | ours (µs) | POP / ours \
                |\n|---|---|---|---|---|---|"
        );
        let mut stream = Stream::new(1, "bench");
        for extent in [[4, 4, 8], [8, 8, 8], [16, 16, 16], [32, 32, 64]] {
            let geometry = Arc::new(Geometry::new(extent, [true; 3]));
            for share in [0.0, 0.25, 0.5, 0.75] {
                let grids: Vec<Grid> = (0..4)
                    .map(|_| occupied(&geometry, share, &mut stream))
                    .collect();
                let taken = grids
                    .iter()
                    .map(|grid| 1.0 - f64::from(grid.free()) / f64::from(geometry.nodes()))
                    .sum::<f64>()
                    / 4.0;
                let mean = |find: &dyn Fn(&Grid)| {
                    grids
                        .iter()
                        .map(|grid| microseconds(|| find(grid)))
                        .sum::<f64>()
                        / grids.len() as f64
                };
                let exhaustive = if geometry.nodes() <= 512 {
                    format!(
                        "{:.0}",
                        mean(&|grid| {
                            black_box(largest_exhaustive(grid));
                        })
                    )
                } else {
                    "—".to_owned()
                };
                let pop = mean(&|grid| {
                    black_box(largest_by_projection(grid));
                });
                let ours = mean(&|grid| {
                    black_box(largest(grid));
                });
                let [x, y, z] = extent;
                println!(
                    "| {x} x {y} x {z} | {:.0} % | {exhaustive} | {pop:.2} | {ours:.2} | {:.1} |",
                    100.0 * taken,
                    pop / ours
                );
            }
        }
    }

    pub fn schedulers(traces: &[(String, Trace)]) {
        println!(
            "| workload | machine | scheduler | seconds | jobs/s | digest |\
                \n|---|---|---|---|---|---|"
        );
        let torus = |policy: &str, [x, y, z]: [u32; 3]| {
            let scenario = Scenario {
                machine: "torus".into(),
                ..Scenario::new(policy)
            };
            scenario
                .with("x", f64::from(x))
                .with("y", f64::from(y))
                .with("z", f64::from(z))
        };
        let mut cases: Vec<(String, &Trace, Scenario)> = Vec::new();
        for (name, trace) in traces {
            let first = if name.contains("NASA") { 20_001.0 } else { 1.0 };
            for (policy, c) in ["fcfs", "easy", "migration", "bm"]
                .into_iter()
                .flat_map(|policy| [1.0, 1.2, 1.4].map(|c| (policy, c)))
            {
                let scenario = torus(policy, [4, 4, 8])
                    .with("first_job", first)
                    .with("jobs", 10_000.0)
                    .with("incomplete", "drop_zero");
                cases.push((
                    format!("{name}, c = {c}"),
                    trace,
                    scenario.with("runtime_factor", c),
                ));
            }
        }
        let generated: Vec<([u32; 3], Trace)> = [
            [8, 8, 8],
            [8, 8, 16],
            [8, 12, 12],
            [16, 16, 16],
            [32, 32, 64],
        ]
        .map(|extent| {
            let processors = f64::from(extent.iter().product::<u32>());
            let settings = Settings::default()
                .with("jobs", 5_000.0)
                .with("processors", processors)
                .with("overestimate", 5.0);
            (
                extent,
                generate("lublin", &settings).expect("the settings are in range"),
            )
        })
        .into();
        for (extent, trace) in &generated {
            for policy in ["fcfs", "easy", "migration", "bm"] {
                cases.push((
                    "5,000 generated jobs, load 0.7".to_owned(),
                    trace,
                    torus(policy, *extent).with("load", 0.7),
                ));
            }
        }
        for (name, trace, scenario) in cases {
            let resolved = scenario.resolve().expect("the scenario is good");
            let workload = Arc::new(resolved.workload(trace).expect("the trace has jobs"));
            let mut recorder = Recorder::new(Arc::clone(&workload));
            resolved
                .simulation(Arc::clone(&workload), Placements::Recorded)
                .run(&mut recorder);
            let digest = recorder.into_schedule().digest();
            let seconds = (0..3)
                .map(|_| {
                    let began = Instant::now();
                    resolved
                        .simulation(Arc::clone(&workload), Placements::Recorded)
                        .run(&mut Silent);
                    began.elapsed().as_secs_f64()
                })
                .fold(f64::INFINITY, f64::min);
            let [x, y, z] = geometry(&resolved.settings).extent;
            let rate = workload.len() as f64 / seconds;
            println!(
                "| {name} | {x} x {y} x {z} | {} | {seconds:.3} | {rate:.0} | {digest:016x} |",
                resolved.policy.name
            );
        }
    }
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    use schedscope::import::{BadLines, file::read_file};
    let traces: Vec<_> = std::env::args()
        .skip(2)
        .map(|path| {
            let trace =
                read_file(path.as_ref(), BadLines::Stop, |_, _| ()).expect("the file is a trace");
            (
                std::path::Path::new(&path)
                    .file_name()
                    .map_or_else(String::new, |name| name.to_string_lossy().into_owned()),
                trace,
            )
        })
        .collect();
    match std::env::args().nth(1).as_deref() {
        Some("partitions") => native::largest_partition(),
        Some("schedulers") => native::schedulers(&traces),
        _ => eprintln!("say `partitions`, or `schedulers` and files"),
    }
}

#[cfg(target_arch = "wasm32")]
fn main() {}
