//! The micro cluster of UB's Slurm simulator: 10 nodes, two GPUs on one of them, 500 jobs of 5 users.

use super::super::support::{check, folder, schedscope, skipped};
use std::fs;
use std::path::PathBuf;

/// Accounts as those of the cluster.
const ACCOUNTS: &str = "modify qos set normal Priority=0\nadd qos supporters Priority=100\n\
    add cluster micro Fairshare=1\nadd account account1,account2 Fairshare=100\n\
    add user user1,user2,user3 DefaultAccount=account1\nadd user user4,user5 DefaultAccount=account2\n";

/// Mean waits of two runs of a real Slurm in 2021, in seconds: ubccr-slurm-simulator/slurm_sim_tools,
/// tutorials/micro_cluster/real_slurm_run, and the notebook micro2 of slurm_model.
const REAL: [f64; 2] = [9_474.5, 12_301.4];

#[test]
fn micro_cluster_waits_as_on_a_real_slurm() {
    let samples = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/samples");
    let jobs = samples.join("ub-micro-jobs500.events");
    let Ok(conf) = fs::read_to_string(samples.join("ub-micro-slurm.conf")) else {
        skipped("the folder of samples is absent");
        return;
    };
    let is_general =
        |line: &&str| !line.starts_with("NodeName") && !line.starts_with("PartitionName");
    let general: Vec<&str> = conf.lines().filter(is_general).collect();
    let out = folder("micro").join("jobs.csv");
    let [conf, accounts] = [
        format!("conf={}", general.join("\n")),
        format!("accounts={ACCOUNTS}"),
    ];
    let cluster = samples.join("ub-micro-slurm.conf");
    let told = schedscope(&[
        &"run",
        &jobs,
        &"--cluster",
        &cluster,
        &"--set",
        &conf,
        &"--set",
        &accounts,
        &"--policy",
        &"slurm",
        &"--audit",
        &"--jobs",
        &out,
    ]);
    check(&told);
    let table = fs::read_to_string(&out).unwrap();
    let mut rows = table.lines();
    let head = rows.next().unwrap().split(',');
    let column = head.into_iter().position(|name| name == "waiting_time");
    let column = column.unwrap();
    let waits = rows.map(|row| row.split(',').nth(column).unwrap().parse::<f64>().unwrap());
    let waits: Vec<f64> = waits.collect();
    assert_eq!(waits.len(), 500);
    let mean = waits.iter().sum::<f64>() / 500.0;
    println!("mean wait {mean:.0} s");
    assert!((REAL[0]..REAL[1]).contains(&mean), "{mean}");
}
