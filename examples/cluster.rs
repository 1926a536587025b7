//! Writes a workload for a cluster of nodes, and the description of the cluster, to measure the
//! machine `nodes`: `cargo run --release --example cluster -- JOBS NODES OUT.swf` writes OUT.swf and
//! OUT.swf.cluster.
//!
//! Each node has 64 cores; 70 % of the nodes have 256 GB, 10 % have 2 TB, and 20 % have 512 GB and
//! four GPUs. 62 % of the jobs want some cores of a node, 25 % also want GPUs, and 13 % want 2 to 32
//! nodes, whole or by half. Run times are log-normal, and limits up to eight times as long. Jobs
//! arrive so that cores are offered 0.9 of what the cluster can do, or GPUs are, whichever comes first.

use schedscope::random::Stream;
use std::fmt::Write;

/// Jobs drawn: run time, limit, processors, kB for each processor, nodes, GPUs.
fn draw(jobs: usize) -> Vec<[i64; 6]> {
    let mut stream = Stream::new(7, "cluster");
    let one_of =
        |choices: &[i64], stream: &mut Stream| choices[stream.below(choices.len() as u64) as usize];
    let gigabyte = 1 << 20;
    (0..jobs)
        .map(|_| {
            let run = libm::exp(7.5 + 1.6 * stream.normal()).clamp(30.0, 86_400.0) as i64;
            let limit = (run * one_of(&[11, 15, 20, 40, 80], &mut stream) / 10 + 60).min(172_800);
            let kind = stream.uniform();
            if kind < 0.62 {
                let cores = one_of(&[1, 1, 1, 2, 4, 4, 8, 8, 16, 32], &mut stream);
                let memory = one_of(&[2, 4, 4, 8], &mut stream);
                [run, limit, cores, memory * gigabyte, 1, -1]
            } else if kind < 0.87 {
                let gpus = one_of(&[1, 1, 1, 2, 4], &mut stream);
                let memory = one_of(&[4, 8], &mut stream);
                [run, limit, 8 * gpus, memory * gigabyte, 1, gpus]
            } else {
                let nodes = one_of(&[2, 2, 4, 4, 8, 16, 32], &mut stream);
                let cores = one_of(&[32, 64], &mut stream);
                let memory = one_of(&[2, 3], &mut stream);
                [run, limit, nodes * cores, memory * gigabyte, nodes, -1]
            }
        })
        .collect()
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [jobs, nodes, out] = &arguments[..] else {
        panic!("the arguments are JOBS NODES OUT.swf");
    };
    let jobs: usize = jobs.parse().expect("a number of jobs");
    let nodes: i64 = nodes.parse().expect("a number of nodes");
    let drawn = draw(jobs);
    let work =
        |of: &dyn Fn(&[i64; 6]) -> i64| drawn.iter().map(|job| of(job) * job[0]).sum::<i64>();
    let cores = work(&|job| job[2]) as f64 / (0.9 * 64.0 * nodes as f64);
    let gpus = work(&|job| job[5].max(0)) as f64 / (0.9 * 0.8 * nodes as f64);
    let span = cores.max(gpus);
    let mut stream = Stream::new(7, "arrivals");
    let mut arrivals: Vec<i64> = (0..jobs)
        .map(|_| (stream.uniform() * span) as i64)
        .collect();
    arrivals.sort_unstable();
    let mut text = format!(
        "; MaxProcs: {}\n; MaxNodes: {nodes}\n; Field 19: Nodes (column nodes, numbers)\n\
            ; Field 20: GPUs (column gpus, numbers)\n",
        64 * nodes
    );
    for ((number, submit), job) in (1..).zip(arrivals).zip(&drawn) {
        let [run, limit, processors, memory, nodes, gpus] = job;
        writeln!(
            text,
            "{number} {submit} -1 {run} {processors} -1 -1 {processors} {limit} {memory} 1 {} 1 -1 \
                1 -1 -1 -1 {nodes} {gpus}",
            number % 199
        )
        .expect("text grows");
    }
    let description = format!(
        "NodeName=c[1-{}] CPUs=64 RealMemory=262144\n\
            NodeName=f[1-{}] CPUs=64 RealMemory=2097152 Weight=5\n\
            NodeName=g[1-{}] CPUs=64 RealMemory=524288 Gres=gpu:4 Weight=9\n",
        nodes * 7 / 10,
        nodes / 10,
        nodes - nodes * 7 / 10 - nodes / 10
    );
    std::fs::write(out, text).expect("the file can be written");
    std::fs::write(format!("{out}.cluster"), description).expect("the file can be written");
}
