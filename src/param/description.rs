//! The description of a parameter, and the check of a value against it.

use super::value::Value;
use crate::problem::Problem;
use serde::Serialize;

/// The values that a parameter takes.
#[derive(Copy, Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Kind {
    /// A whole number from `min` to `max`; no default means that it comes from the trace.
    Whole {
        /// Least value.
        min: i64,
        /// Largest value.
        max: i64,
        /// Value where none is given.
        default: Option<i64>,
    },
    /// A number from `min` to `max`.
    Real {
        /// Least value.
        min: f64,
        /// Largest value.
        max: f64,
        /// Value where none is given.
        default: f64,
    },
    /// One of a few words.
    Choice {
        /// The words and what they mean.
        options: &'static [Choice],
        /// Word where none is given.
        default: &'static str,
    },
    /// Policies, as their ids with `+` between them. An id that comes twice has a digit behind it
    /// the second time, `easy+easy2`. A policy's own parameters are set as `easy2.depth`.
    Policies {
        /// How many at least.
        least: usize,
        /// How many at most.
        most: usize,
        /// Where none are given, the first of these that the machine allows.
        defaults: &'static [&'static str],
    },
}

/// One word of a choice.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Choice {
    /// The word.
    pub id: &'static str,
    /// What it means, in a few words.
    pub help: &'static str,
}

/// A parameter's description.
#[derive(Copy, Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Param {
    /// The key, unique among all parameters of a run.
    pub key: &'static str,
    /// Its name for people.
    pub name: &'static str,
    /// Its values.
    pub kind: Kind,
    /// Unit of the values, empty for none.
    pub unit: &'static str,
    /// Where set, it matters only while another parameter has one of these words.
    pub when: Option<When>,
    /// One line of help.
    pub help: &'static str,
}

/// When a parameter matters: while one of the choices `keys` is one of `words`.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct When {
    /// Keys of parameters of the same list, as far as it has them.
    pub keys: &'static [&'static str],
    /// Words of them.
    pub words: &'static [&'static str],
}

impl Param {
    /// Checks a value.
    ///
    /// # Errors
    /// If the parameter does not take it.
    pub fn check(&self, value: &Value) -> Result<(), Problem> {
        let rule = match (self.kind, value) {
            (Kind::Whole { min, max, .. }, Value::Number(n))
                if n.fract() == 0.0 && *n >= min as f64 && *n <= max as f64 =>
            {
                return Ok(());
            }
            (Kind::Real { min, max, .. }, Value::Number(n))
                if n.is_finite() && *n >= min && *n <= max =>
            {
                return Ok(());
            }
            (Kind::Choice { options, .. }, Value::Text(text))
                if options.iter().any(|option| option.id == text) =>
            {
                return Ok(());
            }
            (Kind::Policies { least, most, .. }, Value::Text(text))
                if (least..=most).contains(&text.split('+').count()) =>
            {
                return Ok(());
            }
            (Kind::Policies { least, most, .. }, _) if least == most => {
                format!("It is {least} policies with `+` between them.")
            }
            (Kind::Policies { least, most, .. }, _) => {
                format!("It is {least} to {most} policies with `+` between them.")
            }
            (Kind::Whole { min, max, .. }, _) => {
                format!("It is a whole number from {min} to {max}.")
            }
            (Kind::Real { min, max, .. }, _) => format!("It is a number from {min} to {max}."),
            (Kind::Choice { options, .. }, _) => {
                format!(
                    "It is one of: {}.",
                    options
                        .iter()
                        .map(|option| option.id)
                        .collect::<Vec<_>>()
                        .join(", ")
                )
            }
        };
        let unit = if self.unit.is_empty() {
            String::new()
        } else {
            format!(" ({})", self.unit)
        };
        Err(Problem::new(
            format!("{}{unit} cannot be `{}`.", self.name, value.shown()),
            rule,
            format!("Change `{}`.", self.key),
        ))
    }

    /// The default as text, for help and docs.
    pub fn default_text(&self) -> String {
        match self.kind {
            Kind::Whole { default, .. } => {
                default.map_or_else(|| "from the trace".into(), |n| n.to_string())
            }
            Kind::Real { default, .. } => default.to_string(),
            Kind::Choice { default, .. } => default.into(),
            Kind::Policies { defaults, .. } => defaults.join(" or "),
        }
    }

    /// When it matters, as text, for help and docs; nothing if it always does.
    pub fn when_text(&self) -> Option<String> {
        self.when
            .map(|when| format!("`{}={}`", when.keys.join("|"), when.words.join("|")))
    }

    /// The values it takes as text, for help and docs.
    pub fn range_text(&self) -> String {
        match self.kind {
            Kind::Whole { min, max, .. } => format!("{min} to {max}"),
            Kind::Real { min, max, .. } => format!("{min} to {max}"),
            Kind::Choice { options, .. } => options
                .iter()
                .map(|option| option.id)
                .collect::<Vec<_>>()
                .join(", "),
            Kind::Policies { least, most, .. } if least == most => {
                format!("{least} policies, with + between them")
            }
            Kind::Policies { least, most, .. } => {
                format!("{least} to {most} policies, with + between them")
            }
        }
    }
}
