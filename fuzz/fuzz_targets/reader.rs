//! `cargo +nightly fuzz run reader`.
#![no_main]

#[path = "../../tests/native/fuzzed/mod.rs"]
mod fuzzed;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    (fuzzed::target("reader").1)(bytes);
});
