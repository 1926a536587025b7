//! Queue orders: which waiting job comes first. One parameter, shared by every policy with a queue.
//!
//! A rank is worked out from what is asked and believed of a job and how long it has waited; the
//! least rank is first, and equal ranks stay in order of arrival. In formulas a belief of less than
//! a second counts as a second.

mod parameters;
mod ranking;
mod walk;

pub use parameters::{
    AGING, MEDIUM, ORDER, ORDER_CLASSES, ORDER_SHORTEST, ORDER_WEIGHTS, Order, SCAN, SHORT, Scan,
    WEIGHT_EXPANSION, WEIGHT_PASSED, WEIGHT_SIZE, WEIGHT_WAIT,
};
pub use ranking::{Rank, Ranking};
pub use walk::InOrder;
