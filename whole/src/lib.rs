//! The whole engine for the page and the npm package: the library with all its features. The page
//! begins with a smaller one, which lacks what few readers need at once.

#![cfg(target_arch = "wasm32")]

pub use schedscope::*;
