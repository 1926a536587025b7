//! Parameters of a run, each described once, beside the code that reads it.
//!
//! A [`Param`] carries name, kind, range, default, unit and help. The page's forms, the terminal's
//! help, the docs and the checks of a user's input are all drawn from it, so they cannot disagree.
//! A [`Typed`] parameter also has the Rust type of its values. [`Settings`] hold a user's choices:
//! one flat map from key to value, the same in a form, in `--set key=value`, in a plan and in a
//! link.

mod description;
mod near;
mod settings;
mod typed;
mod value;

pub use description::{Choice, Kind, Param, When};
pub use near::closest;
pub use settings::Settings;
pub(crate) use typed::words;
pub use typed::{FromSetting, Typed, choice, lines, real, text_of_trace, whole, whole_of_trace};
pub use value::Value;
