//! Runs the fuzz targets without a fuzzer: with their corpora, with random bytes, and with
//! mutations of the corpora.
//!
//! `SCHEDSCOPE_FUZZ=whole_run:100000:7` runs one target with so many inputs, drawn from the given
//! seed, and prints the time. `reader/sacct` in place of a target takes only first inputs whose
//! names begin with `sacct`: the golden logs of that format.

use super::fuzzed::{Outcome, TARGETS, Target, draw, target};
use super::support::{root, unpublished};
use schedscope::random::Stream;
use schedscope::{machines, policy};
use std::collections::{BTreeMap, BTreeSet};
use std::panic::catch_unwind;
use std::path::Path;
use std::time::Instant;

/// Returns the first inputs of a target, with their names. The reader's begin with the golden logs.
fn corpus(name: &str) -> Vec<(String, Vec<u8>)> {
    let folder = unpublished("fuzz/corpus")
        .expect("tests skip if it is absent")
        .join(name);
    let mut all = files(&folder);
    if name == "reader" {
        all.extend(files(&root().join("tests/logs")));
        all.retain(|(name, _)| !name.ends_with(".expected"));
    }
    all
}

fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries =
        std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let file = |entry: std::io::Result<std::fs::DirEntry>| {
        let path = entry.unwrap().path();
        (
            path.file_name().unwrap().to_string_lossy().into_owned(),
            std::fs::read(path).unwrap(),
        )
    };
    let mut files: Vec<_> = entries.map(file).collect();
    files.sort_unstable();
    files
}

/// Runs an input. If it panics, prints its name and leaves it in a file.
fn execute((name, body): Target, bytes: &[u8]) -> Outcome {
    catch_unwind(|| body(bytes)).unwrap_or_else(|_| {
        let path = std::env::temp_dir().join(format!("schedscope-{name}-find"));
        std::fs::write(&path, bytes).unwrap();
        panic!(
            "the target {name} panics; the input is in {}",
            path.display()
        )
    })
}

/// Finds the next word or number from a random position on, and returns its start and end. If there
/// is none, returns the range from that position to the end.
fn token(stream: &mut Stream, bytes: &[u8]) -> (usize, usize) {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.-".contains(byte);
    let at = stream.below(bytes.len() as u64 + 1) as usize;
    let Some(from) = bytes[at..].iter().position(is_part).map(|after| at + after) else {
        return (at, bytes.len());
    };
    (
        from,
        bytes[from..]
            .iter()
            .position(|byte| !is_part(byte))
            .map_or(bytes.len(), |after| from + after),
    )
}

/// Replaces a word by a word of another input. Seldom changes bytes instead, or cuts out, doubles
/// or copies a piece.
fn mutate(stream: &mut Stream, bytes: &mut Vec<u8>, other: &[u8]) {
    for _ in 0..=stream.below(3) {
        let at = stream.below(bytes.len() as u64 + 1) as usize;
        let end = (at + 1 + stream.below(16) as usize).min(bytes.len());
        match stream.below(16) {
            0 if at < bytes.len() => bytes[at] ^= 1 << stream.below(8),
            1 if at < bytes.len() => bytes[at] = stream.below(256) as u8,
            2 => bytes.insert(
                at,
                b"0123456789-.,;:=> \n{}[]\"e+"[stream.below(26) as usize],
            ),
            3 => drop(bytes.drain(at..end)),
            4 => drop(bytes.splice(at..at, bytes[at..end].to_vec())),
            5 => {
                let from = stream.below(other.len() as u64 + 1) as usize;
                let to = (from + 1 + stream.below(32) as usize).min(other.len());
                drop(bytes.splice(at..end, other[from..to].iter().copied()));
            }
            6 => {
                let (from, to) = token(stream, bytes);
                let number = [0.0, 1.0, -1.0, 0.5, 7.0, 1e9, 1e18, 4e300][stream.below(8) as usize];
                drop(bytes.splice(from..to, number.to_string().into_bytes()));
            }
            _ => {
                let ((from, to), (start, stop)) = (token(stream, bytes), token(stream, other));
                drop(bytes.splice(from..to, other[start..stop].iter().copied()));
            }
        }
    }
}

/// Returns true if a target draws from its bytes, so that any bytes are a valid input.
fn is_drawn(name: &str) -> bool {
    name == "whole_run"
}

/// Runs so many inputs, and counts the outcomes.
fn drive(of: Target, begins: &str, inputs: u64, seed: u64) -> BTreeMap<String, u64> {
    let (mut corpus, mut stream) = (corpus(of.0), Stream::new(seed, of.0));
    corpus.retain(|(name, _)| name.starts_with(begins));
    let mut counts = BTreeMap::new();
    let mut bytes = Vec::new();
    for _ in 0..inputs {
        bytes.clear();
        if is_drawn(of.0) && stream.below(2) == 0 {
            bytes.extend((0..64 + stream.below(512)).map(|_| stream.below(256) as u8));
        } else {
            let [one, other] =
                [(); 2].map(|()| &corpus[stream.below(corpus.len() as u64) as usize].1);
            bytes.extend_from_slice(one);
            mutate(&mut stream, &mut bytes, other);
        }
        *counts
            .entry(format!("{:?}", execute(of, &bytes)))
            .or_default() += 1;
    }
    counts
}

#[test]
fn every_target_holds_on_its_corpus() {
    if unpublished("fuzz/corpus").is_none() {
        return;
    }
    for of in TARGETS {
        let corpus = corpus(of.0);
        let held = corpus
            .iter()
            .filter(|(_, bytes)| execute(*of, bytes) == Outcome::Held)
            .count();
        assert!(
            held * 2 >= corpus.len() && held > 0,
            "{}: only {held} of {} seeds are accepted. The bytes of a seed of whole_run choose from the \
                lists of policies, machines and parameters; the first byte is the number of the policy \
                in policy::ALL, so a new policy stands at the end (docs/testing.md, Fuzzing)",
            of.0,
            corpus.len()
        );
    }
}

#[test]
fn every_target_holds_on_random_inputs() {
    if unpublished("fuzz/corpus").is_none() {
        return;
    }
    if let Ok(wanted) = std::env::var("SCHEDSCOPE_FUZZ") {
        let [name, inputs, seed] = wanted.split(':').collect::<Vec<_>>()[..] else {
            panic!("SCHEDSCOPE_FUZZ is target:inputs:seed")
        };
        let begun = Instant::now();
        let (of, begins) = name.split_once('/').unwrap_or((name, ""));
        let (inputs, seed) = (inputs.parse().unwrap(), seed.parse().unwrap());
        let counts = drive(target(of), begins, inputs, seed);
        eprintln!(
            "{name}: {counts:?} in {:.0} s",
            begun.elapsed().as_secs_f64()
        );
        return;
    }
    for of in TARGETS {
        let inputs = if ["reader", "filter"].contains(&of.0) {
            5000
        } else {
            1000
        };
        let counts = drive(*of, "", inputs, 1);
        let held = counts.get("Held").copied().unwrap_or_default();
        assert!(held * 100 > inputs, "{}: {counts:?}", of.0);
        assert!(
            counts
                .get("GivenUp")
                .is_none_or(|given_up| given_up * 20 < inputs),
            "{}: {counts:?}",
            of.0
        );
    }
}

/// Returns the ids of the policy and the machine that `whole_run` draws from bytes.
fn drawn_pair(bytes: &[u8]) -> Option<(String, String)> {
    let drawn = draw::experiment(&mut arbitrary::Unstructured::new(bytes)).ok()?;
    Some((drawn.scenario.policy, drawn.scenario.machine))
}

/// Each policy has a seed on each machine on which it can run. With `SCHEDSCOPE_BLESS=1`, those that lack one
/// get one.
#[test]
fn seeds_of_whole_runs_reach_every_policy_on_every_machine() {
    let Some(folder) = unpublished("fuzz/corpus") else {
        return;
    };
    let whole = target("whole_run");
    let holds = |bytes: &[u8]| execute(whole, bytes) == Outcome::Held;
    let seen: BTreeSet<(String, String)> = corpus("whole_run")
        .iter()
        .filter(|(_, bytes)| holds(bytes))
        .filter_map(|(_, bytes)| drawn_pair(bytes))
        .collect();
    let mut lacking = BTreeSet::new();
    for policy in policy::ALL {
        for machine in machines::ALL {
            let pair = (policy.id.to_owned(), machine.id.to_owned());
            if policy.runs_on(machine.offer) && !seen.contains(&pair) {
                lacking.insert(pair);
            }
        }
    }
    let mut stream = Stream::new(1, "seeds");
    if std::env::var_os("SCHEDSCOPE_BLESS").is_some() {
        while !lacking.is_empty() {
            let length = 64 + stream.below(512);
            let bytes: Vec<u8> = (0..length).map(|_| stream.below(256) as u8).collect();
            let pair = drawn_pair(&bytes).unwrap_or_default();
            if lacking.contains(&pair) && holds(&bytes) {
                // Other seeds keep their names, which may be those of pairs that they once drew.
                let name = |number: u32| format!("{}-{}-{number}", pair.0, pair.1);
                let place = |number| folder.join("whole_run").join(name(number));
                let free = (1..100).map(place).find(|path| !path.exists()).unwrap();
                std::fs::write(free, bytes).unwrap();
                lacking.remove(&pair);
            }
        }
    }
    assert!(
        lacking.is_empty(),
        "these policies and machines lack a seed that holds; SCHEDSCOPE_BLESS=1 makes one: {lacking:?}"
    );
}

/// The workspace of the fuzzer names exactly the targets that exist.
#[test]
fn every_target_is_built_by_the_fuzzer() {
    let Some(fuzz) = unpublished("fuzz") else {
        return;
    };
    let manifest = std::fs::read_to_string(fuzz.join("Cargo.toml")).unwrap();
    for (name, _) in TARGETS {
        assert!(
            manifest.contains(&format!("name = \"{name}\"\n")),
            "fuzz/Cargo.toml has no target {name}"
        );
        let text =
            std::fs::read_to_string(fuzz.join("fuzz_targets").join(format!("{name}.rs"))).unwrap();
        assert!(
            text.contains(&format!("target(\"{name}\")")),
            "fuzz_targets/{name}.rs runs another target"
        );
    }
    assert_eq!(manifest.matches("[[bin]]").count(), TARGETS.len());
    // Without it every log would be read as SWF.
    assert!(
        manifest.contains("features = [\"clusters\", \"formats\", \"plans\"]"),
        "the fuzzer builds the library without its formats"
    );
}
