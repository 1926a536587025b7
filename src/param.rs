//! Parameters: described once, beside the code that reads them.
//!
//! A [`Param`] carries name, kind, range, default, unit and help. The page's forms, the terminal's
//! help, the docs and the checks of what a user typed are all drawn from it, so they cannot
//! disagree. What a user chose is [`Settings`]: one flat map from key to value, the same in a form,
//! in `--set key=value`, in a plan and in a link.

use crate::limits;
use crate::problem::Problem;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What values a parameter takes.
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

/// A value as somebody typed it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Value {
    /// A number.
    Number(f64),
    /// A word.
    Text(String),
}

/// Not derived: a value that is neither then fails where it stands, and not where what is around it
/// ends.
impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = Value;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a number or a word")
            }
            fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
                Ok(Value::Number(number))
            }
            fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
                Ok(Value::Number(number as f64))
            }
            fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
                Ok(Value::Number(number as f64))
            }
            fn visit_str<E>(self, text: &str) -> Result<Value, E> {
                Ok(Value::Text(text.to_owned()))
            }
        }
        from.deserialize_any(Visitor)
    }
}

impl Value {
    /// What `text` means: a number if it reads as one, else a word.
    pub fn parse(text: &str) -> Self {
        match text.trim().parse::<f64>() {
            Ok(number) if number.is_finite() => Self::Number(number),
            _ => Self::Text(text.trim().to_owned()),
        }
    }

    fn shown(&self) -> String {
        match self {
            Self::Number(number) => number.to_string(),
            Self::Text(text) => text.chars().take(60).collect(),
        }
    }
}

/// What somebody chose: keys with values. A key that is absent has its default.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Settings(
    #[cfg_attr(
        target_arch = "wasm32",
        tsify(type = "Record<string, number | string>")
    )]
    pub BTreeMap<String, Value>,
);

impl Settings {
    /// These settings with `key` set to `value`.
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.0.insert(key.into(), value.into());
        self
    }

    /// Takes over every setting of `other`.
    pub fn extend(&mut self, other: &Self) {
        self.0.extend(
            other
                .0
                .iter()
                .map(|(key, value)| (key.clone(), value.clone())),
        );
    }

    /// These settings without, and with only, those of a candidate: `name.key`, of which the key is
    /// kept.
    pub fn apart(&self) -> (Self, BTreeMap<String, Self>) {
        let (mut own, mut others) = (Self::default(), BTreeMap::<String, Self>::new());
        for (key, value) in &self.0 {
            match key.split_once('.') {
                Some((name, key)) => others
                    .entry(name.to_owned())
                    .or_default()
                    .0
                    .insert(key.to_owned(), value.clone()),
                None => own.0.insert(key.clone(), value.clone()),
            };
        }
        (own, others)
    }

    /// Checks how many settings there are, and how long they are.
    ///
    /// # Errors
    /// If there is more of something than the limits allow.
    pub fn check_length(&self) -> Result<(), Problem> {
        limits::check(
            "The list of settings",
            self.0.len(),
            limits::SETTINGS,
            "settings",
        )?;
        self.0.iter().try_for_each(|(key, value)| {
            limits::check_name("The name of a setting", key)?;
            match value {
                Value::Text(text) => limits::check(
                    "The word of a setting",
                    text.len(),
                    limits::SETTING_BYTES,
                    "bytes",
                ),
                Value::Number(_) => Ok(()),
            }
        })
    }

    /// Checks every setting against the parameters it may name.
    ///
    /// # Errors
    /// A key that no list has, or a value that its parameter does not take.
    pub fn check(&self, lists: &[&[Param]]) -> Result<(), Problem> {
        self.check_length()?;
        let known = || lists.iter().flat_map(|list| list.iter());
        for (key, value) in &self.0 {
            let Some(param) = known().find(|param| param.key == key) else {
                let keys: Vec<&str> = known().map(|param| param.key).collect();
                return Err(Problem::new(
                    format!(
                        "There is no parameter `{}` here.",
                        key.chars().take(60).collect::<String>()
                    ),
                    "A parameter belongs to the policy, the machine or the workload of the run.",
                    format!(
                        "{}The parameters are: {}.",
                        closest(key, &keys),
                        keys.join(", ")
                    ),
                ));
            };
            param.check(value)?;
        }
        Ok(())
    }

    /// Checks the value of one parameter, if it was given.
    ///
    /// # Errors
    /// A value that it does not take.
    pub fn check_one(&self, param: &Param) -> Result<(), Problem> {
        self.0
            .get(param.key)
            .map_or(Ok(()), |value| param.check(value))
    }

    /// The whole number of `param`, or its default; 0 if it has none.
    pub fn whole(&self, param: &Param) -> i64 {
        self.whole_given(param).unwrap_or(match param.kind {
            Kind::Whole { default, .. } => default.unwrap_or(0),
            _ => 0,
        })
    }

    /// The whole number of `param`, if it was given.
    pub fn whole_given(&self, param: &Param) -> Option<i64> {
        match self.given(param) {
            Some(Value::Number(number)) => Some(*number as i64),
            _ => None,
        }
    }

    /// What was given for `param`: one search for all who ask, the page's binary is the smaller for
    /// it.
    #[inline(never)]
    fn given(&self, param: &Param) -> Option<&Value> {
        self.0.get(param.key)
    }

    /// The number of `param`, or its default.
    #[inline(never)]
    pub fn real(&self, param: &Param) -> f64 {
        match (self.given(param), param.kind) {
            (Some(Value::Number(number)), _) => *number,
            (_, Kind::Real { default, .. }) => default,
            _ => 0.0,
        }
    }

    /// The word of `param`, or its default.
    #[inline(never)]
    pub fn choice(&self, param: &Param) -> &str {
        match (self.given(param), param.kind) {
            (Some(Value::Text(text)), _) => text,
            (_, Kind::Choice { default, .. }) => default,
            (_, Kind::Policies { defaults, .. }) => defaults.first().copied().unwrap_or_default(),
            _ => "",
        }
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl Param {
    /// A parameter of a real number: least, most and default.
    pub const fn real(
        key: &'static str,
        name: &'static str,
        unit: &'static str,
        (min, max, default): (f64, f64, f64),
        when: Option<When>,
        help: &'static str,
    ) -> Self {
        Self {
            key,
            name,
            kind: Kind::Real { min, max, default },
            unit,
            when,
            help,
        }
    }

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

/// "Did you mean …?" for a word that is nearly one of `known`, else nothing.
pub fn closest(word: &str, known: &[&str]) -> String {
    let near = known
        .iter()
        .map(|candidate| (distance(word, candidate), candidate))
        .min();
    match near {
        Some((distance, candidate)) if distance <= 2 => format!("Did you mean `{candidate}`? "),
        _ => String::new(),
    }
}

/// Levenshtein distance.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().take(64).enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, cb) in b.iter().enumerate() {
            let change = diagonal + usize::from(ca != *cb);
            diagonal = row[j + 1];
            row[j + 1] = change.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEPTH: Param = Param {
        key: "depth",
        name: "Depth",
        kind: Kind::Whole {
            min: 0,
            max: 9,
            default: Some(1),
        },
        unit: "jobs",
        when: None,
        help: "",
    };

    #[test]
    fn settings_fall_back_to_defaults_and_refuse_what_is_out_of_range() {
        let settings = Settings::default();
        assert_eq!(settings.whole(&DEPTH), 1);
        assert_eq!(settings.clone().with("depth", 3.0).whole(&DEPTH), 3);
        assert!(
            settings
                .clone()
                .with("depth", 3.0)
                .check(&[&[DEPTH]])
                .is_ok()
        );
        for bad in [
            Value::Number(1.5),
            Value::Number(-1.0),
            Value::Number(10.0),
            Value::Text("abc".into()),
        ] {
            let problem = Settings([("depth".to_owned(), bad)].into())
                .check(&[&[DEPTH]])
                .unwrap_err();
            assert!(problem.why.contains("0 to 9"), "{problem}");
        }
        let unknown = settings.with("depht", 1.0).check(&[&[DEPTH]]).unwrap_err();
        assert!(unknown.next.contains("Did you mean `depth`?"), "{unknown}");
    }
}
