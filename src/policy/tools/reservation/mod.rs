//! Reservations: profiles of free processors, lasting plans, and the shadow time of EASY.

mod calendar;
mod insertion;
mod plan;
mod profile;
mod shadow;

pub use calendar::Calendar;
pub use insertion::{InsertionLayout, Planned, Positions};
pub use plan::{BackfillWindow, ReservationPlan, span};
pub use profile::Profile;
pub use shadow::{Hole, Shadow, shadow};
