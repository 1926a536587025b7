//! Explanations: why a job or all jobs waited, and a run step by step. They are folds over the events of a
//! watched run. This module knows no policy.

mod causes;
mod story;
mod wait;

pub use causes::{CauseKind, WaitCauses};
pub use story::{Outline, STORY_WAITING, Story, StoryStep, StoryTeller};
pub use wait::{Cause, Wait, Waiter};
