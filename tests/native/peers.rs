//! Presets for peers: the starts of jobs equal those of the peer, job by job.
//!
//! The starts are facts that the peer's own code made, outside this project. docs/presets.md names
//! the versions and the method. Small workloads are in `tests/peers/`, with the peer's starts in
//! their headers. For real logs only a hash is kept.

use super::support::{real_trace, root, run};
use schedscope::experiment::Scenario;
use schedscope::import::{BadLines, read};
use schedscope::param::Value;
use schedscope::trace::{Fingerprint, Trace};
use std::fmt::Write;
use std::sync::Arc;

/// Parses a scenario in words: preset, policy, settings.
fn scenario(words: &str) -> Scenario {
    let mut words = words.split_whitespace();
    let preset = words.next().map(str::to_owned);
    let plain = Scenario {
        preset,
        ..Scenario::new(words.next().expect("a policy"))
    };
    words.fold(plain, |scenario, word| {
        let (key, value) = word.split_once('=').expect("key=value");
        scenario.with(key, Value::parse(value))
    })
}

/// Returns number and start of every job, in the order of the trace.
fn starts(scenario: &Scenario, trace: &Arc<Trace>) -> Vec<(i64, i64)> {
    let run = run(scenario, trace);
    let schedule = run.schedule();
    let workload = &schedule.workload;
    let mut starts: Vec<_> = workload
        .ids()
        .map(|job| {
            (
                workload.sources[job.index()],
                workload.request(job).number,
                schedule.starts[job.index()].whole_seconds(),
            )
        })
        .collect();
    starts.sort_unstable();
    starts
        .into_iter()
        .map(|(_, number, start)| (number, start))
        .collect()
}

/// Each line `; Peer: PRESET POLICY KEY=VALUE ... : START START ...` of a small workload is a test.
#[test]
fn small_workloads_start_as_the_peer_starts_them() {
    let mut paths: Vec<_> = std::fs::read_dir(root().join("tests/peers"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    let mut tests = 0;
    for path in paths {
        let text = std::fs::read_to_string(&path).unwrap();
        let trace = Arc::new(read("peer.swf", text.as_bytes(), BadLines::Stop).unwrap());
        for line in text
            .lines()
            .filter_map(|line| line.strip_prefix("; Peer: "))
        {
            let (words, wanted) = line.split_once(" : ").unwrap();
            let wanted: Vec<i64> = wanted
                .split(' ')
                .map(|start| start.parse().unwrap())
                .collect();
            let found: Vec<i64> = starts(&scenario(words), &trace)
                .into_iter()
                .map(|(_, start)| start)
                .collect();
            assert_eq!(found, wanted, "{}: {words}", path.display());
            tests += 1;
        }
    }
    assert!(tests >= 90, "only {tests} small schedules of peers");
}

const KTH: (&str, &str) = ("KTH-SP2-1996-2.swf.gz", "");
const SDSC_SP2: (&str, &str) = ("SDSC-SP2-1998-4.2-cln.swf.gz", " jobs=15000");
const BLUE: (&str, &str) = ("SDSC-BLUE-2000-4.2-cln.swf.gz", " jobs=15000");
const SDSC_SP2_5000: (&str, &str) = ("SDSC-SP2-1998-4.2-cln.swf.gz", " jobs=5000");
const NASA: (&str, &str) = ("NASA-iPSC-1993-3.swf.gz", " jobs=15000");

/// Real logs with scenario, number of jobs, and SHA-256 of the peer's lines `NUMBER START` in the
/// order of the log.
const LOGS: &[((&str, &str), &str, usize, &str)] = &[
    (
        KTH,
        "predictsim easy",
        28_481,
        "0502a5909e58c8728ea921b189b266a15fc2ec6f5cd0a109ec206dd8ba004b8c",
    ),
    (
        KTH,
        "predictsim easy estimates=actual",
        28_481,
        "84a030a8a45ab843a22ce1c3da75d1d62d69fe8513f4548261354c26b1899c51",
    ),
    (
        KTH,
        "predictsim easy scan=shortest",
        28_481,
        "1d4c87ae7f706095c1e744b43c97e35559fcfe7927efdc19177b6cc4d745e256",
    ),
    (
        KTH,
        "predictsim easy scan=shortest estimates=actual",
        28_481,
        "771d29398d7770c5eff44dbfbc8f8cfdfee867922e15296f0b894ba294203aaf",
    ),
    (
        KTH,
        "predictsim easy estimates=predicted",
        28_481,
        "7b178dabc2c4ad8027eff7bd5f8f297019741da9fdacc652ad5a25b6387540d6",
    ),
    (
        KTH,
        "predictsim_pp easy",
        28_481,
        "1c3d77d8ae17083c15ad972ae899a4e6e02ce09e1e50c502de4579238675673b",
    ),
    (
        KTH,
        "predictsim conservative",
        28_481,
        "4edbacc41a07f993d22d1c4fe4413f4ca74886015944b2e73242f69c02d8cf76",
    ),
    (
        KTH,
        "pyss fcfs",
        28_489,
        "602a4da967525b98443e9cd74d9d440c340373fe360dbb89d8e0c9d321af4323",
    ),
    (
        KTH,
        "pyss conservative",
        28_489,
        "18c0ea79f2c9e8611e27e79b17f75a32a63bb2ba15fd3afa0c1a044411a2c072",
    ),
    (
        KTH,
        "pyss easy",
        28_489,
        "23c7339dbea71aec22e5f955ace4d563d0d704b57ca90d7803e4dbd6d16d82a8",
    ),
    (
        KTH,
        "pyss easy scan=shortest",
        28_489,
        "2522c1886f77b9f7d3a09c0bf8baa1a06819d2d297b508b4733db24a94fa46c3",
    ),
    (
        SDSC_SP2,
        "pyss fcfs",
        15_000,
        "042f6ee0623e0e10c138245608fe97ab45750775665c17af8270e921b510ea8e",
    ),
    (
        SDSC_SP2,
        "pyss conservative",
        15_000,
        "9873611c713a7888fbb8786cce1d0edd5eab4c5c84e7c3890aa9bb254c25c43c",
    ),
    (
        SDSC_SP2,
        "pyss easy",
        15_000,
        "a8d2c2784302152192eb7860531e139b0a610ea315ca0f56a9913f8130f18aa1",
    ),
    (
        SDSC_SP2,
        "pyss easy scan=shortest",
        15_000,
        "c683103ab0b762ea5eb24914c2b1606a9a032c8ca2a8f26c899d82d75c956816",
    ),
    (
        BLUE,
        "pyss fcfs",
        15_000,
        "95730c72bcb666c3899b5d4ace17cc975d04ca51e57dab3eba80338b68b03e5d",
    ),
    (
        BLUE,
        "pyss conservative",
        15_000,
        "d63c01f154401c0385926f270ad4aa770c72917aa9c93dceb6f09c535428d0b0",
    ),
    (
        BLUE,
        "pyss easy",
        15_000,
        "6cdbed472f0bbc2e31c05370b87532b4077d0798baa8113c1510fe2aab6db543",
    ),
    (
        BLUE,
        "pyss easy scan=shortest",
        15_000,
        "da503123ac65e81352c10e0ac1d7374f0d0cc568b44b34b6b72813f07775d55e",
    ),
    (
        KTH,
        "accasim fcfs incomplete=drop_zero jobs=5000",
        5_000,
        "56416ea0b62400890eb8bae35a9203f830f217c77ca4ce4e49b8b76b2b57085c",
    ),
    (
        KTH,
        "cqsim fcfs",
        28_481,
        "1d777105b88d0d90777f91f6b8f2e6404b2900a0bd26808a5d1f69cf1bb7cd4b",
    ),
    (
        KTH,
        "cqsim easy",
        28_481,
        "af6e6ed36e9bec50199952ee0053c753ccb2cab2b974777d91025d621ac0eee0",
    ),
    (
        KTH,
        "cqsim conservative",
        28_481,
        "8c591589c0bbbdd0676d24fb189dadd09df4de332e8c32f422b66f5162d5a73c",
    ),
    (
        KTH,
        "cqsim fcfs sizes=larger",
        28_481,
        "c223ad82499ff6525374cfb94dcaa7d180787da1869e6857397cd973f745a795",
    ),
    (
        KTH,
        "cqsim easy sizes=larger",
        28_481,
        "4453ba06815e5dd40474491ab00dea6e32aeebfea783698d1c5c38c6c472897b",
    ),
    (
        KTH,
        "cqsim conservative sizes=larger",
        28_481,
        "dc5f4a238f433a267fa8ac8227ccdaf995974e76a93e2cff923e973c2f78dc10",
    ),
    (
        SDSC_SP2,
        "cqsim fcfs",
        15_000,
        "ed82f53eb36d1821a17d146a85310541253116d8c0cee87dcce5752372fc4134",
    ),
    (
        SDSC_SP2,
        "cqsim easy",
        15_000,
        "090e75ccab36398eee40b7376aba35959cea3fcbabb6273c95c3ea8571d3dc7d",
    ),
    (
        SDSC_SP2,
        "cqsim conservative",
        15_000,
        "ee88235984560b14014af04df8a8b55727be1e5d3878665848150732f36afa9a",
    ),
    (
        KTH,
        "accasim easy incomplete=drop_zero jobs=5000",
        5_000,
        "67a14be48e5a8649797b89b2b853c9c31a19bf336d517291e6c2821676f204ff",
    ),
    (
        SDSC_SP2_5000,
        "accasim easy incomplete=drop_zero",
        5_000,
        "bdde76876f56818e05246c37a0b633f4f569b5d6e18f87b056c14489dab2fda1",
    ),
    (
        NASA,
        "pyss easy",
        15_000,
        "4bc1c1522ca14e5021b9265e0c9d1a9f5b6da99d285be539c599e49684a0a4b5",
    ),
];

#[test]
fn real_logs_start_as_the_peer_starts_them() {
    for ((log, window), words, jobs, hash) in LOGS {
        let Some(trace) = real_trace(log) else {
            continue;
        };
        let starts = starts(&scenario(&format!("{words}{window}")), &trace);
        let mut lines = String::new();
        starts
            .iter()
            .for_each(|(number, start)| writeln!(lines, "{number} {start}").unwrap());
        let mut print = Fingerprint::default();
        print.push(lines.as_bytes());
        let found = print.finish();
        assert_eq!(
            (starts.len(), found.as_str()),
            (*jobs, *hash),
            "{log}, {words}"
        );
    }
}
