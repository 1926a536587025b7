//! `cargo +nightly fuzz run filter`.
#![no_main]

#[path = "../../tests/native/fuzzed/mod.rs"]
mod fuzzed;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    (fuzzed::target("filter").1)(bytes);
});
