//! Descriptions of parameters, and the check of a value against its description.

use super::value::Value;
use crate::limits;
use crate::problem::Problem;
use serde::Serialize;

/// The values that a parameter takes.
#[derive(Copy, Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Kind {
    /// A whole number from `min` to `max`.
    Whole {
        /// The least allowed value.
        min: i64,
        /// The largest allowed value.
        max: i64,
        /// The value that applies if the user gives none. `None` if it then comes from the trace.
        default: Option<i64>,
    },
    /// A number from `min` to `max`.
    Real {
        /// The least allowed value.
        min: f64,
        /// The largest allowed value.
        max: f64,
        /// The value that applies if the user gives none.
        default: f64,
    },
    /// One of a few words.
    Choice {
        /// The words and their meanings.
        options: &'static [Choice],
        /// The word that applies if the user gives none.
        default: &'static str,
    },
    /// A word that only the trace knows, such as the name of a partition. It can be a number too.
    Text {},
    /// Lines of text in a language of their own, such as the description of a cluster.
    Lines {},
    /// Ids of policies, with `+` between them. Digits at the end tell two uses of one id apart, as
    /// in `easy+easy2`. The parameters of such a policy have keys like `easy2.depth`.
    Policies {
        /// The least number of policies.
        least: usize,
        /// The largest number of policies.
        most: usize,
        /// Lists of policies. If the user gives none, the first list that the machine can run
        /// applies.
        defaults: &'static [&'static str],
    },
}

/// One word of a parameter that takes one of a few words.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Choice {
    /// The word itself.
    pub id: &'static str,
    /// Meaning of the word, without a full stop at its end.
    pub help: &'static str,
}

/// The description of a parameter.
#[derive(Copy, Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Param {
    /// The key, unique among all parameters of a run.
    pub key: &'static str,
    /// The name that forms and messages show.
    pub name: &'static str,
    /// The values that the parameter takes.
    pub kind: Kind,
    /// Unit of the values, empty if they have none.
    pub unit: &'static str,
    /// Condition under which the parameter has an effect. `None` if it always has one.
    pub when: Option<When>,
    /// One sentence of help, without a full stop at its end.
    pub help: &'static str,
}

/// A condition on other parameters: one of the choices `keys` has one of the values `words`.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct When {
    /// Keys of parameters of the same list. A list need not have them all.
    pub keys: &'static [&'static str],
    /// Words of these parameters, one of which must be chosen.
    pub words: &'static [&'static str],
}

impl Param {
    /// Checks a value against the description.
    ///
    /// # Errors
    /// Returns a problem if the parameter does not take the value.
    pub fn check(&self, value: &Value) -> Result<(), Problem> {
        if let (Value::Text(text), false) = (value, self.kind == Kind::Lines {}) {
            limits::check(
                "The word of a setting",
                text.len(),
                limits::SETTING_BYTES,
                "bytes",
            )?;
        }
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
            (Kind::Text {}, Value::Number(n)) if n.is_finite() => return Ok(()),
            (Kind::Text {}, Value::Text(text)) if !text.is_empty() => return Ok(()),
            (Kind::Lines {}, Value::Text(_)) => return Ok(()),
            (Kind::Lines {}, _) => "It is a text of one or more lines.".to_owned(),
            (Kind::Text {}, _) => "It is a name or a number.".to_owned(),
            (Kind::Policies { least, most, .. }, Value::Text(text))
                if (least..=most).contains(&text.split('+').count()) =>
            {
                return Ok(());
            }
            (Kind::Policies { least, most, .. }, _) if least == most => {
                format!("It takes {least} policies, with `+` between them.")
            }
            (Kind::Policies { least, most, .. }, _) => {
                format!("It takes {least} to {most} policies, with `+` between them.")
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

    /// Returns the default as text, for help and docs.
    pub fn default_text(&self) -> String {
        match self.kind {
            Kind::Whole { default, .. } => {
                default.map_or_else(|| "from the trace".into(), |n| n.to_string())
            }
            Kind::Real { default, .. } => default.to_string(),
            Kind::Choice { default, .. } => default.into(),
            Kind::Text {} | Kind::Lines {} => "none".into(),
            Kind::Policies { defaults, .. } => defaults.join(" or "),
        }
    }

    /// Returns the condition under which the parameter has an effect as text, for help and docs.
    /// Returns `None` if it always has one.
    pub fn when_text(&self) -> Option<String> {
        self.when
            .map(|when| format!("`{}={}`", when.keys.join("|"), when.words.join("|")))
    }

    /// Returns the values that the parameter takes as text, for help and docs.
    pub fn range_text(&self) -> String {
        match self.kind {
            Kind::Whole { min, max, .. } => format!("{min} to {max}"),
            Kind::Real { min, max, .. } => format!("{min} to {max}"),
            Kind::Choice { options, .. } => options
                .iter()
                .map(|option| option.id)
                .collect::<Vec<_>>()
                .join(", "),
            Kind::Text {} => "a name or a number".into(),
            Kind::Lines {} => "lines of text".into(),
            Kind::Policies { least, most, .. } if least == most => {
                format!("{least} policies, with + between them")
            }
            Kind::Policies { least, most, .. } => {
                format!("{least} to {most} policies, with + between them")
            }
        }
    }
}
