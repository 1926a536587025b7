//! The native half of the test that native and wasm runs give the same schedules. `tests/web.rs` is
//! the other half.

#[path = "../same_digests.rs"]
mod same_digests;

#[test]
fn native_runs_give_the_digests() {
    same_digests::check(u64::MAX);
}

#[test]
fn in_slices_too() {
    same_digests::check(100);
}

#[test]
fn a_plan_says_the_same_everywhere() {
    same_digests::check_plan();
}

#[test]
fn processes_do_the_same_everywhere() {
    same_digests::check_processes();
    same_digests::check_nodes();
}
