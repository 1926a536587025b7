//! Parquet: a table in any packing and layout gives the same text.

use super::support::root;
use schedscope::import::{BadLines, Packing, Unpacked, file::read_file};
use schedscope::problem::Problem;
use schedscope::random::Stream;
use std::fs;
use std::io::Cursor;

fn bytes(name: &str) -> Vec<u8> {
    fs::read(root().join("tests/parquet").join(name)).unwrap()
}

fn text(bytes: Vec<u8>) -> Result<String, Problem> {
    let packing = Packing::of(&bytes).expect("not packed");
    let mut unpacked = Unpacked::new(packing, Cursor::new(bytes), "it")?;
    let (mut all, mut buffer) = (Vec::new(), vec![0; 1000]);
    loop {
        match unpacked.read(&mut buffer)? {
            0 => return Ok(String::from_utf8(all).expect("not UTF-8")),
            n => all.extend_from_slice(&buffer[..n]),
        }
    }
}

#[test]
fn every_packing_and_layout_gives_the_same_text() {
    let expected = fs::read_to_string(root().join("tests/parquet/jobs.csv")).unwrap();
    for name in [
        "none",
        "snappy",
        "gzip",
        "lz4",
        "zstd",
        "zstd-pages-2",
        "snappy-pages-2",
    ] {
        let found = text(bytes(&format!("{name}.parquet"))).unwrap();
        assert_eq!(found, expected, "{name}");
    }
}

/// Times of old programs have no zone of their own, and count as UTC.
#[test]
fn old_times_are_read_and_brotli_is_refused() {
    let expected = fs::read_to_string(root().join("tests/parquet/jobs.csv")).unwrap();
    let old = text(bytes("int96.parquet")).unwrap();
    let pairs = old.lines().zip(expected.lines());
    let differing: Vec<_> = pairs.filter(|(old, new)| old != new).collect();
    // The column of times without a zone.
    assert!(differing.len() > 20);
    let (old, new) = differing[0];
    assert_eq!(
        old.replace("1709157600,1969", "2024-02-28T22:00:00,1969"),
        new
    );
    let problem = text(bytes("brotli.parquet")).unwrap_err();
    assert!(problem.what.contains("brotli"), "{problem}");
    assert!(problem.why.contains("brotli"), "{problem}");
}

#[test]
fn a_file_is_read_like_the_same_table_in_csv() {
    let read = |name: &str| {
        let path = root().join("tests/parquet").join(name);
        read_file(&path, BadLines::Stop, |_, _| {}).unwrap()
    };
    let plain = read("jobs.csv");
    assert_eq!(plain.records.len(), 30);
    assert_eq!(plain.records.get(1).wait, 60);
    let packed = read("zstd.parquet");
    assert_eq!(packed.sha256, plain.sha256);
    assert!(packed.records.iter().eq(plain.records.iter()));
    let notes = &packed.report.columns;
    assert!(
        notes
            .iter()
            .any(|note| note.column.contains("list or group"))
    );
}

/// A damaged file gives a problem or some text, and never a panic.
#[test]
fn damaged_and_cut_files_do_no_harm() {
    let mut dice = Stream::new(1, "parquet");
    let mut problems = 0;
    for name in ["none", "snappy", "gzip", "lz4", "zstd", "zstd-pages-2"] {
        let whole = bytes(&format!("{name}.parquet"));
        for _ in 0..50 {
            let cut = 5 + dice.below(whole.len() as u64 - 5) as usize;
            let problem = text(whole[..cut].to_vec()).expect_err(name);
            assert!(problem.what.starts_with("The Parquet file it"), "{problem}");
        }
        for _ in 0..300 {
            let mut changed = whole.clone();
            for _ in 0..=dice.below(4) {
                let at = 5 + dice.below(changed.len() as u64 - 5) as usize;
                changed[at] = dice.below(256) as u8;
            }
            let found = std::panic::catch_unwind(|| match Packing::of(&changed) {
                Some(packing) => {
                    let mut unpacked = Unpacked::new(packing, Cursor::new(changed), "it")?;
                    let mut buffer = vec![0; 1 << 16];
                    // A damaged file may stand for a text of any length.
                    for _ in 0..100 {
                        if unpacked.read(&mut buffer)? == 0 {
                            break;
                        }
                    }
                    Ok::<_, Problem>(())
                }
                None => Ok(()),
            });
            problems += usize::from(found.expect("panicked").is_err());
        }
    }
    assert!(problems > 300, "{problems}");
}

/// Puts another directory into a file.
fn with_directory(directory: &[u8]) -> Vec<u8> {
    let mut file = b"PAR1".to_vec();
    file.extend(directory);
    file.extend((directory.len() as u32).to_le_bytes());
    file.extend(b"PAR1");
    // Some byte that no text begins with, as Parquet files have behind their mark.
    file.insert(4, 0x15);
    file
}

/// Returns a directory whose schema has these numbers of children.
fn directory(children: &[i64]) -> Vec<u8> {
    let number = |value: u64, to: &mut Vec<u8>| {
        let mut left = value;
        while left >= 128 {
            to.push(left as u8 | 128);
            left >>= 7;
        }
        to.push(left as u8);
    };
    // Version 1, and the list of elements.
    let mut all = vec![0x15, 2, 0x19];
    if children.len() < 15 {
        all.push(16 * children.len() as u8 + 12);
    } else {
        all.push(0xfc);
        number(children.len() as u64, &mut all);
    }
    for own in children {
        // A repeated element called `a`, with its children.
        all.extend([0x35, 4, 0x18, 1, b'a', 0x15]);
        number(((own << 1) ^ (own >> 63)) as u64, &mut all);
        all.push(0);
    }
    // No rows, and no groups of rows.
    all.extend([0x16, 0, 0x19, 0x0c, 0]);
    all
}

/// The library would overflow the stack, or take 16 GiB.
#[test]
fn a_schema_that_is_no_tree_is_refused() {
    let fault = |children: &[i64]| text(with_directory(&directory(children))).unwrap_err().what;
    let mut deep = vec![1; 10_000];
    deep.push(0);
    assert!(fault(&deep).contains("too many levels"), "{}", fault(&deep));
    for wrong in [&[i64::from(i32::MAX), 0][..], &[1, -1], &[2, 0]] {
        assert!(
            fault(wrong).contains("wrong number of children"),
            "{}",
            fault(wrong)
        );
    }
    // The library would read these numbers of children, and not see their kind.
    let hidden = |from: &[u8], to: &[u8]| {
        let mut directory = directory(&[2, 0, 0]);
        let at = directory
            .windows(from.len())
            .position(|window| window == from);
        directory.splice(at.unwrap()..at.unwrap() + from.len(), to.iter().copied());
        text(with_directory(&directory)).unwrap_err().what
    };
    let as_long = hidden(b"a\x15", b"a\x16");
    let as_set = hidden(&[0x19, 0x3c], &[0x1a, 0x3c]);
    let wrapped = hidden(b"a\x15", b"a\x05\x8a\x80\x08");
    for found in [as_long, as_set, wrapped] {
        assert!(found.contains("no structure of Parquet"), "{found}");
    }
    let many = vec![0; 20_000];
    assert!(
        fault(&many).contains("too many elements"),
        "{}",
        fault(&many)
    );
    assert!(fault(&[1, 0, 0]).contains("belong to no group"));
    // The library judges a tree.
    assert!(
        !fault(&[2, 0, 0]).contains("schema has"),
        "{}",
        fault(&[2, 0, 0])
    );
    let cut = &directory(&[2, 0, 0])[..12];
    let cut = text(with_directory(cut)).unwrap_err().what;
    assert!(cut.contains("no structure of Parquet"), "{cut}");
}
