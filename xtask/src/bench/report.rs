//! The report of scaling: how time and memory grow with the number of jobs, the length of the queue,
//! the size of the machine, the number of processes and that of cells. It writes a table with fitted
//! exponents to docs/performance.md, and the curves to docs/scaling.svg.

use super::{build, measure};
use crate::steps::{cargo, root};
use crate::{Done, python};
use std::fmt::Write as _;
use std::fs;
use std::process::Command;
use std::time::Instant;

/// The marks in docs/performance.md between which the report stands.
const MARKS: [&str; 2] = ["<!-- scaling: begin -->", "<!-- scaling: end -->"];

/// A curve: its sizes, and the case for a size, in which `N` stands for it.
struct Curve {
    name: &'static str,
    case: &'static str,
    sizes: &'static [usize],
    /// True if the curve shows memory, in bytes.
    is_memory: bool,
}

/// Curves over one kind of size.
struct Panel {
    title: &'static str,
    curves: &'static [Curve],
}

const fn time(name: &'static str, case: &'static str, sizes: &'static [usize]) -> Curve {
    Curve {
        name,
        case,
        sizes,
        is_memory: false,
    }
}

const PANELS: [Panel; 6] = [
    Panel {
        title: "jobs",
        curves: &[
            time(
                "FCFS",
                "policy=fcfs load=0.9 jobs=N",
                &[10_000, 100_000, 1_000_000, 10_000_000],
            ),
            time(
                "EASY",
                "policy=easy load=0.9 jobs=N",
                &[10_000, 100_000, 1_000_000, 10_000_000],
            ),
            time(
                "conservative",
                "policy=conservative load=0.9 jobs=N",
                &[10_000, 100_000, 1_000_000],
            ),
            time(
                "EASY, all",
                "work=all policy=easy load=0.9 jobs=N",
                &[10_000, 100_000, 1_000_000],
            ),
        ],
    },
    Panel {
        title: "bytes of memory, by jobs",
        curves: &[
            Curve {
                is_memory: true,
                ..time(
                    "EASY",
                    "policy=easy load=0.9 jobs=N",
                    &[10_000, 100_000, 1_000_000, 10_000_000],
                )
            },
            Curve {
                is_memory: true,
                ..time(
                    "EASY, all",
                    "work=all policy=easy load=0.9 jobs=N",
                    &[10_000, 100_000, 1_000_000],
                )
            },
        ],
    },
    Panel {
        title: "jobs that wait at once",
        curves: &[
            time(
                "FCFS",
                "policy=fcfs at=once jobs=N",
                &[1000, 3000, 10_000, 30_000],
            ),
            time(
                "EASY",
                "policy=easy at=once jobs=N",
                &[1000, 3000, 10_000, 30_000],
            ),
            time(
                "conservative",
                "policy=conservative at=once jobs=N",
                &[500, 1000, 2000, 4000],
            ),
            time(
                "Flex",
                "policy=flex at=once jobs=N",
                &[250, 500, 1000, 2000],
            ),
        ],
    },
    Panel {
        title: "processors",
        curves: &[
            time(
                "EASY",
                "policy=easy load=0.9 jobs=100000 processors=N",
                &[64, 256, 1024, 4096, 16_384],
            ),
            time(
                "conservative",
                "policy=conservative load=0.9 jobs=50000 processors=N",
                &[64, 256, 1024, 4096, 16_384],
            ),
        ],
    },
    Panel {
        title: "processes",
        curves: &[
            time(
                "gang",
                "machine=bsp coscheduling=gang policy=fcfs jobs=1000 runtime_factor=0.01 processors=N",
                &[32, 64, 128, 256],
            ),
            time(
                "spin-block",
                "machine=bsp coscheduling=spin_block policy=fcfs jobs=1000 runtime_factor=0.01 processors=N",
                &[32, 64, 128, 256],
            ),
        ],
    },
    Panel {
        title: "cells of a sweep",
        curves: &[time("EASY", "sweep", &[8, 16, 32, 64])],
    },
];

/// Measures all curves up to `most` jobs, and writes the report.
pub fn write(most: usize) -> Done {
    let page = root().join("docs/performance.md");
    let text = read(&page)?;
    let parts = (text.split_once(MARKS[0]), text.split_once(MARKS[1]));
    let (Some((before, _)), Some((_, after))) = parts else {
        return Err(format!(
            "docs/performance.md lacks {} or {}",
            MARKS[0], MARKS[1]
        ));
    };
    let program = build(&root(), &root().join("target"))?;
    cargo(&[
        "build",
        "--release",
        "--package",
        "schedscope",
        "--bin",
        "schedscope",
    ])?;
    let mut table =
        "| over | curve | sizes | seconds, or bytes | exponent |\n|---|---|---|---|---|\n"
            .to_owned();
    let mut pictures = Vec::new();
    for panel in &PANELS {
        let mut drawn = Vec::new();
        for curve in panel.curves {
            let mut points = Vec::new();
            for size in curve.sizes.iter().copied().filter(|size| *size <= most) {
                let value = if curve.case == "sweep" {
                    sweep(size)?
                } else {
                    let measured = measure(&program, &curve.case.replace('N', &size.to_string()))?;
                    if curve.is_memory {
                        measured.memory
                    } else {
                        measured.seconds
                    }
                };
                eprintln!("{}, {}, {size}: {value:.4}", panel.title, curve.name);
                points.push((size as f64, value));
            }
            let list = |of: &dyn Fn(&(f64, f64)) -> String| {
                points.iter().map(of).collect::<Vec<_>>().join(", ")
            };
            let _ = writeln!(
                table,
                "| {} | {} | {} | {} | {:.2} |",
                panel.title,
                curve.name,
                list(&|(size, _)| thousands(*size)),
                list(&|(_, value)| if curve.is_memory {
                    thousands(*value)
                } else {
                    format!("{value:.4}")
                }),
                exponent(&points)
            );
            drawn.push((curve.name, points));
        }
        pictures.push((panel.title, drawn));
    }
    let svg = root().join("docs/scaling.svg");
    fs::write(&svg, picture(&pictures))
        .map_err(|error| format!("cannot write {}: {error}", svg.display()))?;
    let whole = format!(
        "{before}{}\n{table}\n{}{}{after}",
        MARKS[0],
        peers(),
        MARKS[1]
    );
    fs::write(&page, whole).map_err(|error| format!("cannot write {}: {error}", page.display()))
}

fn read(path: &std::path::Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))
}

/// Returns a number with commas between the thousands.
fn thousands(number: f64) -> String {
    let digits = format!("{number:.0}");
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Returns the exponent of the power law that fits the points best: the slope of the line through
/// their logarithms, by least squares.
fn exponent(points: &[(f64, f64)]) -> f64 {
    let logs: Vec<(f64, f64)> = points
        .iter()
        .map(|(size, value)| (size.ln(), value.max(1e-9).ln()))
        .collect();
    let count = logs.len() as f64;
    let (x, y) = logs.iter().fold((0.0, 0.0), |(x, y), log| {
        (x + log.0 / count, y + log.1 / count)
    });
    let products = logs
        .iter()
        .map(|log| (log.0 - x) * (log.1 - y))
        .sum::<f64>();
    products / logs.iter().map(|log| (log.0 - x).powi(2)).sum::<f64>()
}

/// Measures a sweep of EASY over this many loads, 10,000 jobs each.
fn sweep(cells: usize) -> Result<f64, String> {
    let folder = root().join("target/bench");
    fs::create_dir_all(&folder)
        .map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    let loads: Vec<f64> = (0..cells)
        .map(|at| 0.5 + 0.4 * at as f64 / cells as f64)
        .collect();
    let plan = serde_json::json!({
        "schedscope_plan": 1,
        "workloads": [{ "model": { "id": "lublin", "settings": { "jobs": 10_000, "processors": 256 } } }],
        "policies": [{ "policy": "easy" }],
        "loads": { "by": "arrivals", "offered": loads }
    });
    let path = folder.join("plan.json");
    fs::write(&path, plan.to_string())
        .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    let began = Instant::now();
    let output = Command::new(root().join("target/release/schedscope"))
        .args(["sweep", "--force", "--out"])
        .arg(folder.join(format!("sweep-{}", std::process::id())))
        .arg(&path)
        .output()
        .map_err(|error| format!("cannot run the sweep: {error}"))?;
    let time = began.elapsed().as_secs_f64();
    let _ = fs::remove_dir_all(folder.join(format!("sweep-{}", std::process::id())));
    if output.status.success() {
        Ok(time)
    } else {
        Err(format!(
            "the sweep failed: {}",
            String::from_utf8_lossy(&output.stderr)
        ))
    }
}

/// Returns a table of peers on the same logs, or the reason why there is none.
fn peers() -> String {
    let traces = std::env::var("SCHEDSCOPE_TRACES").unwrap_or_else(|_| "../shared/traces".into());
    let log = root().join(traces).join("KTH-SP2-1996-2.swf.gz");
    if !log.exists() {
        return "AccaSim was not run: the folder that `SCHEDSCOPE_TRACES` names lacks KTH-SP2-1996-2.\n".into();
    }
    match accasim(&log) {
        Ok(table) => table,
        Err(reason) => format!("AccaSim was not run: {reason}\n"),
    }
}

/// Runs AccaSim, from PyPI, and this project's program on KTH-SP2, under FCFS and EASY.
fn accasim(log: &std::path::Path) -> Result<String, String> {
    let bin = python::programs("peers", "xtask/peers/requirements.txt", false)?;
    let folder = root().join("target/bench/accasim");
    let program = root().join("target/release/schedscope");
    let seconds = |command: &mut Command| {
        let began = Instant::now();
        let output = command.output().map_err(|error| error.to_string())?;
        if output.status.success() {
            Ok(began.elapsed().as_secs_f64())
        } else {
            Err(String::from_utf8_lossy(&output.stderr).into_owned())
        }
    };
    let mut table = "KTH-SP2-1996-2 on 100 processors, whole commands, in seconds:\n\n| policy | AccaSim 1.1.3 | Schedscope | ratio |\n|---|---|---|---|\n".to_owned();
    for (name, policy) in [("FCFS", "fcfs"), ("EASY", "easy")] {
        let peer = seconds(
            Command::new(bin.join("python"))
                .arg(root().join("xtask/peers/accasim_run.py"))
                .args([
                    log.as_os_str(),
                    "100".as_ref(),
                    name.as_ref(),
                    folder.as_os_str(),
                ]),
        )?;
        let own = seconds(
            Command::new(&program)
                .args(["run", "--policy", policy])
                .arg(log),
        )?;
        let _ = writeln!(
            table,
            "| {name} | {peer:.1} | {own:.3} | {:.0} |",
            peer / own
        );
    }
    Ok(table)
}

/// Returns the colour of a curve, the same in all panels.
fn colour(name: &str) -> &'static str {
    match name {
        "EASY" | "spin-block" => "#a3211f",
        "conservative" => "#2c7a4b",
        "FCFS" | "gang" => "#1f5fa8",
        _ => "#7a4ca0",
    }
}

/// Curves by name.
type Drawn = Vec<(&'static str, Vec<(f64, f64)>)>;

/// Draws the panels as an SVG, two in a row, with logarithmic axes.
fn picture(panels: &[(&str, Drawn)]) -> String {
    const WIDTH: f64 = 330.0;
    const HEIGHT: f64 = 200.0;
    let rows = panels.len().div_ceil(2) as f64;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" font-family=\"sans-serif\" font-size=\"11\">\n<title>How time and memory grow</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
        2.0 * WIDTH,
        rows * HEIGHT
    );
    for (at, (title, curves)) in panels.iter().enumerate() {
        let (left, top) = ((at % 2) as f64 * WIDTH, (at / 2) as f64 * HEIGHT);
        let points: Vec<(f64, f64)> = curves
            .iter()
            .flat_map(|(_, points)| points)
            .copied()
            .collect();
        let scale = |of: &dyn Fn(&(f64, f64)) -> f64, from: f64, to: f64| {
            let (low, high) = points
                .iter()
                .map(of)
                .fold((f64::MAX, f64::MIN), |(low, high), value| {
                    (low.min(value.log10()), high.max(value.log10()))
                });
            move |value: f64| from + (value.log10() - low) / (high - low).max(1e-9) * (to - from)
        };
        let x = scale(&|point| point.0, left + 52.0, left + WIDTH - 92.0);
        let y = scale(&|point| point.1, top + HEIGHT - 34.0, top + 28.0);
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{}\" font-weight=\"bold\">{title}</text>",
            left + 52.0,
            top + 16.0
        );
        let of = |value: f64, is_size: bool| {
            if is_size || value >= 100.0 {
                thousands(value)
            } else {
                format!("{value:.4}")
            }
        };
        let extremes = |of: &dyn Fn(&(f64, f64)) -> f64| {
            points
                .iter()
                .map(of)
                .fold((f64::MAX, f64::MIN), |(low, high), value| {
                    (low.min(value), high.max(value))
                })
        };
        let (sizes, values) = (extremes(&|point| point.0), extremes(&|point| point.1));
        for size in [sizes.0, sizes.1] {
            let _ = writeln!(
                svg,
                "<text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"middle\">{}</text>",
                x(size),
                top + HEIGHT - 16.0,
                of(size, true)
            );
        }
        for value in [values.0, values.1] {
            let _ = writeln!(
                svg,
                "<text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"end\">{}</text>",
                left + 46.0,
                y(value) + 4.0,
                of(value, false)
            );
        }
        for (name, points) in curves {
            let line: Vec<String> = points
                .iter()
                .map(|(size, value)| format!("{:.0},{:.0}", x(*size), y(*value)))
                .collect();
            let colour = colour(name);
            let _ = writeln!(
                svg,
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
                line.join(" ")
            );
            if let Some((size, value)) = points.last() {
                let _ = writeln!(
                    svg,
                    "<text x=\"{:.0}\" y=\"{:.0}\" fill=\"{colour}\">{name}</text>",
                    x(*size) + 5.0,
                    y(*value) + 4.0
                );
            }
        }
    }
    svg + "</svg>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponents_are_those_of_the_power_laws() {
        let law = |power: f64| -> Vec<(f64, f64)> {
            [10.0_f64, 100.0, 1000.0]
                .map(|size| (size, 3.0 * size.powf(power)))
                .to_vec()
        };
        for power in [0.0, 1.0, 1.5] {
            assert!((exponent(&law(power)) - power).abs() < 1e-9);
        }
    }

    #[test]
    fn thousands_have_commas() {
        assert_eq!(thousands(7.0), "7");
        assert_eq!(thousands(1234.0), "1,234");
        assert_eq!(thousands(10_000_000.0), "10,000,000");
    }
}
