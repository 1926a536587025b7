//! Packed files: each kind is read like the plain text, and damaged ones give a problem.
//! `tests/packed/README.md` describes the files. Files that cannot be unpacked are in `tests/bad/`.

use super::support::root;
use schedscope::import::file::read_file;
use schedscope::import::{BadLines, Packing, Unpacked};
use schedscope::problem::Problem;
use schedscope::trace::Trace;
use std::fs;
use std::io::{Cursor, Read, Result, Seek, SeekFrom};
use std::path::Path;

fn bytes(name: &str) -> Vec<u8> {
    fs::read(root().join("tests/packed").join(name)).unwrap()
}

fn open(path: &Path) -> std::result::Result<Trace, Problem> {
    read_file(path, BadLines::Stop, |_, _| {})
}

/// A file that gives at most `most` bytes at once.
struct Slow {
    file: Cursor<Vec<u8>>,
    most: usize,
}

impl Read for Slow {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let most = buffer.len().min(self.most);
        self.file.read(&mut buffer[..most])
    }
}

impl Seek for Slow {
    fn seek(&mut self, to: SeekFrom) -> Result<u64> {
        self.file.seek(to)
    }
}

/// Unpacks bytes that come in pieces of `most` bytes, into pieces of `most` bytes.
fn unpacked(bytes: Vec<u8>, most: usize) -> std::result::Result<Vec<u8>, Problem> {
    let packing = Packing::of(&bytes).expect("not packed");
    let file = Cursor::new(bytes);
    let mut unpacked = Unpacked::new(packing, Slow { file, most }, "it")?;
    let (mut all, mut buffer) = (Vec::new(), vec![0; most]);
    loop {
        match unpacked.read(&mut buffer)? {
            0 => return Ok(all),
            n => all.extend_from_slice(&buffer[..n]),
        }
    }
}

const GOOD: [&str; 11] = [
    "jobs.swf.gz",
    "jobs.swf.zst",
    "jobs.swf.xz",
    "jobs.swf.bz2",
    "jobs.zip",
    "several.swf.gz",
    "several.swf.zst",
    "several.swf.xz",
    "several.swf.bz2",
    "stored.zip",
    "streamed.zip",
];

#[test]
fn every_packing_unpacks_to_the_same_text_in_pieces_of_any_size() {
    let plain = bytes("jobs.swf");
    for name in GOOD {
        for most in [1, 7, 100, 1 << 20] {
            let found = unpacked(bytes(name), most).unwrap_or_else(|p| panic!("{name}: {p}"));
            assert!(found == plain, "{name} in pieces of {most}");
        }
    }
}

/// The content decides, and neither the name nor the packing changes the trace's fingerprint.
#[test]
fn a_packed_file_is_recognised_under_any_name() {
    let folder = std::env::temp_dir().join(format!("schedscope-packed-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let plain = open(&root().join("tests/packed/jobs.swf")).unwrap();
    assert_eq!(plain.records.len(), 30);
    for (name, other) in GOOD.iter().map(|name| (*name, "log.txt")).chain([
        ("jobs.swf", "plain.swf.gz"),
        ("jobs.swf", "plain.zip"),
        ("jobs.swf.xz", "wrong.zst"),
    ]) {
        let path = folder.join(other);
        fs::write(&path, bytes(name)).unwrap();
        let trace = open(&path).unwrap_or_else(|problem| panic!("{name}: {problem}"));
        assert_eq!(trace.sha256, plain.sha256, "{name}");
    }
    fs::remove_dir_all(&folder).unwrap();
}

/// A file that is cut anywhere, or has any one bit flipped, gives a problem or the same text, but
/// never another text.
#[test]
fn damaged_and_cut_files_give_a_problem() {
    let plain = bytes("jobs.swf");
    for name in [
        "jobs.swf.gz",
        "jobs.swf.zst",
        "jobs.swf.xz",
        "jobs.swf.bz2",
        "jobs.zip",
    ] {
        let whole = bytes(name);
        for cut in PACKED..whole.len() {
            let problem = unpacked(whole[..cut].to_vec(), 100).expect_err(name);
            assert!(
                problem
                    .what
                    .ends_with("data of it is damaged or cut short."),
                "{name} cut at {cut}: {problem}"
            );
        }
        for at in PACKED..whole.len() {
            let mut flipped = whole.clone();
            flipped[at] ^= 4;
            if let Ok(found) = unpacked(flipped, 1 << 16) {
                assert!(found == plain, "{name} flipped at {at} gives another text");
            }
        }
    }
}

/// Bytes from which a packing is recognised.
const PACKED: usize = 10;
