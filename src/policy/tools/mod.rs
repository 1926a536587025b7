//! What policies share: starting heads, the shadow time, scan orders, the availability profile, predictions.

mod order;
mod predictor;
mod profile;
mod shadow;

pub use order::{Order, SCAN};
pub use predictor::Predictor;
pub use profile::Profile;
pub use shadow::{Shadow, shadow};

use crate::sim::Turn;

/// Starts jobs in order of arrival until one must wait.
pub fn start_heads(turn: &mut Turn<'_>) {
    while let Some(head) = turn.queue().head().copied()
        && turn.fits(head.processors)
    {
        turn.start(head.job);
    }
}
