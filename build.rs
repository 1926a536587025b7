//! Names the engine by a hash of what decides figures, as `SCHEDSCOPE_ENGINE`: see
//! docs/formats/results.md.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Folders of src/ that decide no figure: the command line, the border to JavaScript, pictures,
/// explanations, sessions.
const REST: [&str; 5] = ["bin", "explain", "session", "view", "wasm"];

/// Files in the folders of machines that decide no figure.
const PICTURES: [&str; 2] = ["view.rs", "watch.rs"];

/// Libraries that decide figures: transcendental functions and random numbers.
const LIBRARIES: [&str; 5] = ["libm", "ppv-lite86", "rand", "rand_chacha", "rand_core"];

fn main() {
    println!("cargo::rerun-if-changed=src");
    println!("cargo::rerun-if-changed=Cargo.lock");
    println!(
        "cargo::rustc-env=SCHEDSCOPE_ENGINE={}",
        engine(Path::new("."))
    );
}

/// The engine's name, of the package in a folder.
pub fn engine(package: &Path) -> String {
    let mut hash = Hash(0xcbf2_9ce4_8422_2325);
    sources(&package.join("src"), "", &mut hash);
    libraries(&text(&package.join("Cargo.lock")))
        .iter()
        .for_each(|library| hash.take(library));
    format!("{:016x}", hash.0)
}

/// FNV-1a, 64 bits; as it must be the same everywhere, not the standard library's.
struct Hash(u64);

impl Hash {
    /// Takes in a text and its end.
    fn take(&mut self, text: &str) {
        for byte in text.bytes().chain([0]) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

/// Every file below a folder, in order of names: its path below src/, and its text.
fn sources(folder: &Path, below: &str, hash: &mut Hash) {
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
        if path.is_dir() {
            sources(&path, &shown, hash);
        } else {
            hash.take(&shown);
            hash.take(&text(&path));
        }
    }
}

/// A file's text, with line ends that no checkout changes; empty if there is none.
fn text(path: &Path) -> String {
    fs::read_to_string(path)
        .unwrap_or_default()
        .replace('\r', "")
}

/// The deciding libraries that the lock file gives to this package, with their versions. Other
/// packages of a workspace may have others of the same names.
pub fn libraries(lock: &str) -> BTreeSet<String> {
    let packages: Vec<&str> = lock.split("[[package]]\n").collect();
    let (mut wanted, mut found) = (vec!["schedscope".to_owned()], BTreeSet::new());
    while let Some(library) = wanted.pop() {
        // `rand`, or `rand 0.10.3` where there are several.
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
