//! EASY backfilling in Rust: the head of the queue holds a reservation, and later jobs may start early
//! if they do not delay it.
#![no_std]

use core::ffi::CStr;
use schedscope_policy::{Policy, admitted, policy, start_heads};

struct Easy;

impl Policy for Easy {
    const DEFINITION: &'static CStr = cr#"{"id": "rust-easy", "name": "EASY in Rust"}"#;

    fn begin() -> Self {
        Self
    }

    fn decide(&mut self) {
        let Some(head) = start_heads() else {
            return;
        };
        if head.reserve().is_some() {
            for position in admitted() {
                position.job().start();
            }
        }
    }
}

policy!(Easy);
