//! Beliefs about run times: estimates, actual run times, or predictions with corrections.

mod predicting;
mod predictor;

pub use predicting::{
    BELIEFS, Believing, CORRECTION, ESTIMATES, Estimates, with_beliefs, with_beliefs_of,
};
pub use predictor::{Correction, Predictor};
