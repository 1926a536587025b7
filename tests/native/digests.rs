//! The native half of the test that native and wasm runs give the same schedules. `tests/web.rs` is
//! the other half.
//!
//! `SCHEDSCOPE_BLESS=1 cargo test --test native digests` writes the digests of new lines.

#[path = "../same_digests.rs"]
mod same_digests;

use super::support::root;
use same_digests::{Found, compare, parse};
use std::fs;
use std::sync::Mutex;

/// Tests run side by side, and each writes the whole file.
static FILE: Mutex<()> = Mutex::new(());

/// Writes digests into the lines that have none. Digests that are there stay.
fn blessed(text: &str, found: &Found) -> String {
    let line = |line: &str| match parse(line) {
        Some((name, "")) => {
            let own = found.iter().find(|(own, _)| own == name);
            own.map_or_else(
                || line.to_owned(),
                |(_, digests)| format!("{name}: {digests}"),
            )
        }
        _ => line.to_owned(),
    };
    text.lines().map(|old| line(old) + "\n").collect()
}

fn check(found: &Found) {
    let path = root().join("tests/same_digests.txt");
    let _alone = FILE.lock();
    let mut text = fs::read_to_string(&path).unwrap();
    if std::env::var_os("SCHEDSCOPE_BLESS").is_some() {
        text = blessed(&text, found);
        fs::write(&path, &text).unwrap();
    }
    compare(&text, found);
}

#[test]
fn blessing_writes_new_digests_and_keeps_old_ones() {
    let found: Found = [("run a", "1 2"), ("run b", "3 4"), ("nodes", "5")]
        .map(|(name, digests)| (name.into(), digests.into()))
        .into();
    assert_eq!(
        blessed("# run b:\n\nrun a: 9 9\nrun b:\nrun c: \n", &found),
        "# run b:\n\nrun a: 9 9\nrun b: 3 4\nrun c: \n"
    );
}

#[test]
fn native_runs_give_the_digests() {
    check(&same_digests::schedules(u64::MAX));
}

#[test]
fn in_slices_too() {
    check(&same_digests::schedules(100));
}

#[test]
fn a_plan_says_the_same_everywhere() {
    check(&same_digests::plan());
}

#[test]
fn forecasts_are_the_same_everywhere() {
    check(&same_digests::forecasts());
}

#[test]
fn processes_do_the_same_everywhere() {
    check(&same_digests::processes());
    check(&same_digests::nodes());
}
