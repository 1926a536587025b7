//! Explanations: why a job waited, a run step by step, searches for partners. All are folded from
//! what a run tells while it is watched; no policy is known here.

mod story;
mod wait;

pub use story::{Outline, Story, StoryStep, StoryTeller};
pub use wait::{Cause, Wait, Waiter};
