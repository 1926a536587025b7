//! `cargo +nightly fuzz run whole_run`.
#![no_main]

#[path = "../../tests/native/fuzzed/mod.rs"]
mod fuzzed;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    (fuzzed::target("whole_run").1)(bytes);
});
