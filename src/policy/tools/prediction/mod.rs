//! Beliefs about run times: estimates, actual run times, or predictions with corrections.

mod predicting;
mod predictor;

pub use predicting::{BELIEFS, Believing, CORRECTION, ESTIMATES, Estimates, with_beliefs};
pub use predictor::{Correction, Predictor};
