//! `cargo +nightly fuzz run demands`.
#![no_main]

#[path = "../../tests/native/fuzzed/mod.rs"]
mod fuzzed;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    (fuzzed::target("demands").1)(bytes);
});
