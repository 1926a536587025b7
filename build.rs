//! Computes the hash that names the engine, as the environment variable `SCHEDSCOPE_ENGINE`. See
//! docs/formats/results.md.

use fnv::FnvHasher;
use std::collections::BTreeSet;
use std::fs;
use std::hash::Hasher;
use std::path::Path;

/// Folders of src/ that decide no figure: the command line, the border to JavaScript, pictures,
/// explanations and sessions.
const REST: [&str; 5] = ["bin", "explain", "session", "view", "wasm"];

/// Files in the folders of machines that decide no figure.
const PICTURES: [&str; 3] = ["sight.rs", "view.rs", "watch.rs"];

/// The parts outside src/, or in its other folders, that run the code of own policies.
const HOSTS: [&str; 4] = [
    "pkg/compiled.js",
    "pkg/policy.js",
    "src/bin/schedscope/own",
    "src/wasm/own.rs",
];

/// Libraries that decide figures, because they compute transcendental functions or random numbers.
const LIBRARIES: [&str; 5] = ["libm", "ppv-lite86", "rand", "rand_chacha", "rand_core"];

fn main() {
    println!("cargo::rerun-if-changed=src");
    println!("cargo::rerun-if-changed=pkg/compiled.js");
    println!("cargo::rerun-if-changed=pkg/policy.js");
    println!("cargo::rerun-if-changed=Cargo.lock");
    println!(
        "cargo::rustc-env=SCHEDSCOPE_ENGINE={}",
        engine(Path::new("."))
    );
}

/// Returns the name of the engine whose package is in the folder `package`.
pub fn engine(package: &Path) -> String {
    let mut hash = FnvHasher::default();
    sources(&package.join("src"), "", &mut hash);
    for host in HOSTS {
        source(&package.join(host), &format!("/{host}"), &mut hash);
    }
    libraries(&text(&package.join("Cargo.lock")))
        .iter()
        .for_each(|library| take(&mut hash, library));
    format!("{:016x}", hash.finish())
}

/// Hashes a text, and a zero byte that marks its end, with FNV-1a. The hasher of the standard library
/// is not used, because the hash must be the same with every compiler.
fn take(hash: &mut FnvHasher, text: &str) {
    hash.write(text.as_bytes());
    hash.write(&[0]);
}

/// Hashes every file below a folder, in the order of names: its path below src/, and its text.
fn sources(folder: &Path, below: &str, hash: &mut FnvHasher) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let names: BTreeSet<String> = entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    for name in names {
        let (path, shown) = (folder.join(&name), format!("{below}/{name}"));
        let is_rest = below.is_empty() && REST.contains(&name.as_str());
        let is_picture = below.starts_with("/machines/") && PICTURES.contains(&name.as_str());
        if is_rest || is_picture {
            continue;
        }
        source(&path, &shown, hash);
    }
}

/// Hashes a file, or every file below a folder, by the name that is given for it.
fn source(path: &Path, shown: &str, hash: &mut FnvHasher) {
    if path.is_dir() {
        sources(path, shown, hash);
    } else {
        take(hash, shown);
        take(hash, &text(path));
    }
}

/// Returns the text of a file with the same line ends in every checkout. Empty if there is no such
/// file.
fn text(path: &Path) -> String {
    fs::read_to_string(path)
        .unwrap_or_default()
        .replace('\r', "")
}

/// Returns the deciding libraries with their versions, as the lock file gives them for this
/// package. Other packages of the workspace can use other versions.
pub fn libraries(lock: &str) -> BTreeSet<String> {
    let packages: Vec<&str> = lock.split("[[package]]\n").collect();
    let (mut wanted, mut found) = (vec!["schedscope".to_owned()], BTreeSet::new());
    while let Some(library) = wanted.pop() {
        // The lock file writes `rand`, or `rand 0.10.3` if it has several versions.
        let mut words = library.split(' ');
        let name = format!("name = \"{}\"\n", words.next().unwrap_or_default());
        let version = words
            .next()
            .map_or_else(String::new, |version| format!("version = \"{version}\"\n"));
        let Some(package) = packages
            .iter()
            .find(|package| package.starts_with(&(name.clone() + &version)))
        else {
            continue;
        };
        if library != "schedscope" && !found.insert(package.lines().take(2).collect()) {
            continue;
        }
        let needed = package
            .lines()
            .filter_map(|line| line.strip_prefix(" \"")?.strip_suffix("\","));
        wanted.extend(
            needed
                .filter(|needed| LIBRARIES.contains(&needed.split(' ').next().unwrap_or_default()))
                .map(str::to_owned),
        );
    }
    found
}
