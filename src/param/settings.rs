//! Settings, which are the values that a user chose.

use super::description::{Kind, Param};
use super::near::closest;
use super::value::Value;
use crate::limits;
use crate::problem::Problem;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The settings of a run: a map from keys of parameters to values. An absent key has its default.
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
    /// Returns these settings with `key` set to `value`.
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.0.insert(key.into(), value.into());
        self
    }

    /// Copies every setting of `other` into these, and replaces those that have the same key.
    pub fn extend(&mut self, other: &Self) {
        self.0.extend(
            other
                .0
                .iter()
                .map(|(key, value)| (key.clone(), value.clone())),
        );
    }

    /// Removes the settings for whose key `keep` is false.
    pub fn retain(&mut self, keep: &dyn Fn(&str) -> bool) {
        let all = std::mem::take(&mut self.0).into_iter();
        self.0.extend(all.filter(|(key, _)| keep(key)));
    }

    /// Splits the settings into those of the run itself and those of each candidate. A setting of a
    /// candidate has a key like `name.key`; the result has `key` under `name`.
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

    /// Checks the number of settings, and the length of each, against the limits.
    ///
    /// # Errors
    /// Returns a problem if there are too many settings, or if a key or a word is too long.
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
                    limits::DESCRIPTION_BYTES,
                    "bytes",
                ),
                Value::Number(_) => Ok(()),
            }
        })
    }

    /// Checks every setting against the parameters in `lists`.
    ///
    /// # Errors
    /// Returns a problem if no list has the key, if the parameter does not take the value, or if
    /// the settings exceed the limits.
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

    /// Checks the value of one parameter, if the user gave one.
    ///
    /// # Errors
    /// Returns a problem if the parameter does not take the value.
    pub fn check_one(&self, param: &Param) -> Result<(), Problem> {
        self.0
            .get(param.key)
            .map_or(Ok(()), |value| param.check(value))
    }

    /// Returns the whole number of `param`, or its default; returns 0 if it has no default.
    pub fn whole(&self, param: &Param) -> i64 {
        self.whole_given(param).unwrap_or(match param.kind {
            Kind::Whole { default, .. } => default.unwrap_or(0),
            _ => 0,
        })
    }

    /// Returns the whole number of `param`, if the user gave one.
    pub fn whole_given(&self, param: &Param) -> Option<i64> {
        match self.given(param) {
            Some(Value::Number(number)) => Some(*number as i64),
            _ => None,
        }
    }

    /// Returns the name or the number of `param` as text, if the user gave one.
    pub fn text_given(&self, param: &Param) -> Option<String> {
        self.given(param).map(|value| match value {
            Value::Number(number) => number.to_string(),
            Value::Text(text) => text.clone(),
        })
    }

    /// Returns the value that the user gave for `param`. It is one function that is never inlined,
    /// because that makes the page's binary smaller.
    #[inline(never)]
    fn given(&self, param: &Param) -> Option<&Value> {
        self.0.get(param.key)
    }

    /// Returns the number of `param`, or its default.
    #[inline(never)]
    pub fn real(&self, param: &Param) -> f64 {
        match (self.given(param), param.kind) {
            (Some(Value::Number(number)), _) => *number,
            (_, Kind::Real { default, .. }) => default,
            _ => 0.0,
        }
    }

    /// Returns the word of `param`, or its default if the user gave none of its words. If `param`
    /// takes policies, returns their text as the user gave it, or the first default.
    #[inline(never)]
    pub fn choice(&self, param: &Param) -> &str {
        match (self.given(param), param.kind) {
            (Some(Value::Text(text)), Kind::Choice { options, .. })
                if options.iter().any(|option| option.id == text) =>
            {
                text
            }
            (Some(Value::Text(text)), Kind::Policies { .. }) => text,
            (_, Kind::Choice { default, .. }) => default,
            (_, Kind::Policies { defaults, .. }) => defaults.first().copied().unwrap_or_default(),
            _ => "",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Typed, whole, words};
    use super::*;

    const DEPTH: Typed<i64> = whole("depth", "Depth", 0..=9, 1).unit("jobs");

    words! {
        /// A choice of words for the tests.
        enum Colour {
            Red = "red": "like blood",
            Blue = "blue": "like the sky",
        }
    }

    const COLOUR: Typed<Colour> = Colour::param("colour", "Colour", Colour::Blue);

    #[test]
    fn settings_fall_back_to_defaults_and_refuse_what_is_out_of_range() {
        let settings = Settings::default();
        assert_eq!(settings.get(&DEPTH), 1);
        assert_eq!(settings.clone().with("depth", 3.0).get(&DEPTH), 3);
        assert!(
            settings
                .clone()
                .with("depth", 3.0)
                .check(&[&[DEPTH.param]])
                .is_ok()
        );
        for bad in [
            Value::Number(1.5),
            Value::Number(-1.0),
            Value::Number(10.0),
            Value::Text("abc".into()),
        ] {
            let problem = Settings([("depth".to_owned(), bad)].into())
                .check(&[&[DEPTH.param]])
                .unwrap_err();
            assert!(problem.why.contains("0 to 9"), "{problem}");
        }
        let unknown = settings
            .with("depht", 1.0)
            .check(&[&[DEPTH.param]])
            .unwrap_err();
        assert!(unknown.next.contains("Did you mean `depth`?"), "{unknown}");
    }

    #[test]
    fn a_choice_is_read_as_a_variant() {
        let settings = Settings::default();
        assert_eq!(settings.get(&COLOUR), Colour::Blue);
        assert_eq!(
            settings.clone().with("colour", "red").get(&COLOUR),
            Colour::Red
        );
        // `check` refuses an unknown word, and reading falls back to the default.
        let unknown = settings.with("colour", "green");
        assert!(unknown.check(&[&[COLOUR.param]]).is_err());
        assert_eq!(unknown.get(&COLOUR), Colour::Blue);
        for choice in Colour::CHOICES {
            assert_eq!(Colour::named(choice.id).map(Colour::word), Some(choice.id));
        }
    }
}
