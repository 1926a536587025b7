//! `cargo +nightly fuzz run swf`.
#![no_main]

#[path = "../../tests/native/fuzzed/mod.rs"]
mod fuzzed;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    (fuzzed::target("swf").1)(bytes);
});
