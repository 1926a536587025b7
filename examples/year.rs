//! Writes the jobs of a year on a cluster of equal nodes, and the description of the cluster, to measure the
//! policy `slurm`: `cargo run --release --example year -- JOBS NODES OUT.swf` writes OUT.swf and
//! OUT.swf.cluster.
//!
//! Each node has 64 cores. Half of the jobs want up to 64 processors, the others 64 to 2,048. Run times are
//! log-normal, two days at most, and longer or shorter so that the load is 0.9. Limits are 1.1 to 8 times as
//! long. Jobs arrive evenly.

use schedscope::random::Stream;
use std::fmt::Write;

const YEAR: f64 = 365.0 * 86_400.0;
const TWO_DAYS: f64 = 172_800.0;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [jobs, nodes, out] = &arguments[..] else {
        panic!("the arguments are JOBS NODES OUT.swf");
    };
    let jobs: usize = jobs.parse().expect("a number of jobs");
    let nodes: u64 = nodes.parse().expect("a number of nodes");
    let mut stream = Stream::new(5, "year");
    let one_of =
        |choices: &[i64], stream: &mut Stream| choices[stream.below(choices.len() as u64) as usize];
    let mut drawn: Vec<(f64, f64, i64)> = (0..jobs)
        .map(|_| {
            let run = libm::exp(8.8 + 1.5 * stream.normal()).clamp(60.0, TWO_DAYS);
            let processors = if stream.uniform() < 0.5 {
                one_of(&[1, 2, 4, 8, 8, 16, 16, 32, 64], &mut stream)
            } else {
                64 * one_of(&[1, 2, 2, 4, 4, 8, 8, 16, 32], &mut stream)
            };
            (stream.uniform() * YEAR, run, processors)
        })
        .collect();
    drawn.sort_unstable_by(|one, other| one.0.total_cmp(&other.0));
    let work: f64 = drawn.iter().map(|(_, run, size)| run * *size as f64).sum();
    let factor = 0.9 * 64.0 * nodes as f64 * YEAR / work;
    let mut text = format!("; MaxProcs: {}\n; UnixStartTime: 1672531200\n", 64 * nodes);
    for (number, (submit, run, processors)) in (1..).zip(drawn) {
        let run = (run * factor).clamp(1.0, TWO_DAYS) as i64;
        let minutes = run * one_of(&[11, 15, 20, 40, 80], &mut stream) / 600 + 1;
        let limit = 60 * minutes.min(2_940);
        let user = 1 + stream.below(200);
        writeln!(
            text,
            "{number} {} -1 {run} {processors} -1 -1 {processors} {limit} -1 1 {user} {} 1 1 1 -1 -1",
            submit as i64,
            user % 20
        )
        .expect("text grows");
    }
    let description = format!("NodeName=n[1-{nodes}] CPUs=64 Sockets=2 CoresPerSocket=32\n");
    std::fs::write(out, text).expect("the file can be written");
    std::fs::write(format!("{out}.cluster"), description).expect("the file can be written");
}
