//! Explanations: why a job waited, and a run step by step. They are folds over the events of a
//! watched run. This module knows no policy.

mod story;
mod wait;

pub use story::{Outline, STORY_WAITING, Story, StoryStep, StoryTeller};
pub use wait::{Cause, Wait, Waiter};
