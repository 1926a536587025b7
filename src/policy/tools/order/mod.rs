//! Queue orders, in which policies consider the waiting jobs. One parameter chooses the order for
//! every policy with a queue.
//!
//! An order gives each waiting job a rank, computed from the job's size, belief, arrival and wait.
//! The job with the least rank is first, and equal ranks stay in order of arrival. In formulas, a
//! belief of less than a second counts as a second.

mod parameters;
mod ranking;
mod walk;

pub use parameters::{
    AGING, MEDIUM, ORDER, ORDER_CLASSES, ORDER_SHORTEST, ORDER_WEIGHTS, Order, SCAN, SHORT, Scan,
    WEIGHT_EXPANSION, WEIGHT_PASSED, WEIGHT_SIZE, WEIGHT_WAIT,
};
pub use ranking::{Rank, Ranking};
pub use walk::InOrder;
