//! Reservations: profiles of free processors, lasting plans, and the shadow time of EASY.

mod calendar;
mod either;
mod flat_profile;
mod insertion;
mod node_plan;
mod plan;
mod profile;
mod shadow;

pub use calendar::Calendar;
pub use either::ReservationPlan;
pub use insertion::{InsertionLayout, Planned, Positions};
pub use plan::{BackfillWindow, span};
pub use profile::Profile;
pub use shadow::{Hole, Shadow, shadow};
