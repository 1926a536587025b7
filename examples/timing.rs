//! Times parsing, EASY and the timeline natively, for comparison with the browser in one run: `cargo xtask bench-web`.
//!
//! Prints one line of JSON, in milliseconds: `timing FILE.swf`.

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    use schedscope::experiment::Scenario;
    use schedscope::trace::{BadLines, Reader};
    use schedscope::view::{Colouring, Colours, Frame, Index, Theme, Window, raster};
    use std::sync::Arc;
    use std::time::Instant;

    let path = std::env::args().nth(1).expect("usage: timing FILE.swf");
    let text = std::fs::read(&path).expect("the file is readable");
    let began = Instant::now();
    let mut reader = Reader::new(BadLines::Stop);
    text.chunks(1 << 16).try_for_each(|piece| reader.push(piece)).expect("the file is a trace");
    let trace = Arc::new(reader.finish("timing").expect("the file is a trace"));
    let parse = began.elapsed();
    let mut run = Scenario::new("easy").resolve().expect("EASY exists").run(trace).expect("the trace has jobs");
    let began = Instant::now();
    run.advance(u64::MAX);
    let easy = began.elapsed();
    let schedule = run.schedule();
    let (first, last) = schedule.span();
    let window = Window { from: first, to: last, top: 0.0, bottom: f64::from(schedule.workload.processors) };
    let mut colours = Colours::new(&schedule.workload, Colouring::Wait, Theme::Light);
    colours.update(schedule);
    let index = Index::new(schedule);
    let began = Instant::now();
    raster(schedule, &index, &colours, &window, &Frame { width: 1600, height: 800, background: [255; 3] });
    let draw = began.elapsed();
    let milliseconds = |time: std::time::Duration| time.as_secs_f64() * 1000.0;
    let figures = serde_json::json!({
        "jobs": schedule.workload.len(), "parse": milliseconds(parse), "easy": milliseconds(easy), "draw": milliseconds(draw),
        "digest": format!("{:016x}", schedule.digest()),
    });
    println!("{figures}");
}

#[cfg(target_arch = "wasm32")]
fn main() {}
