//! The native integration tests, in one binary.
#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::unreadable_literal,
    reason = "tables of figures are compared with the papers' by eye"
)]

mod adapting;
mod alea;
mod audits;
mod blind;
mod boxes;
mod bsp;
mod carried;
mod cases;
mod closed;
mod columns;
mod compiled;
mod conformance;
mod converting;
mod digests;
mod docs;
mod engine;
mod explains;
mod explorer;
mod fairness;
mod figures;
mod files;
mod forecast;
mod fuzzed;
mod fuzzing;
mod gang;
mod guards;
mod kits;
mod layers;
mod limits;
mod logs;
mod looks;
mod lublin;
mod matching;
mod measuring;
mod nodes;
mod overwriting;
mod own;
mod packaged;
mod packed;
mod papers;
mod parquet;
mod parser;
mod parts;
mod peers;
mod pictures;
mod plans;
mod preemption;
mod published;
mod reasons;
mod recorded;
mod session;
mod sharing;
mod slices;
mod slurm;
mod smt;
mod support;
mod tables;
mod torus;
mod twins;
mod what_if;
