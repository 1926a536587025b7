//! The text of configuration files: its words, and the effect of each keyword.

pub mod facts;
pub mod modelled;
pub mod modes;
pub mod natural;
pub mod words;
