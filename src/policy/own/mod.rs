//! Policies of one's own: code that is not compiled in, such as a JavaScript module or a WebAssembly
//! file. docs/policies/own.md describes them for their authors.
//!
//! A [`CodeHost`] runs the code. For each run it begins a [`Guest`], which decides in place of a policy:
//! it calls the functions of [`calls`], all of which take and return plain numbers. A registered
//! policy has a [`Spec`](super::Spec), so that every other part treats it as any policy.

pub mod calls;
mod definition;
mod desk;
mod guest;
mod registry;

pub use definition::{Definition, SEED, taken};
pub use guest::{Beside, CodeHost, Guest, Submission};
pub use registry::{code_of, find, named_in, register};
