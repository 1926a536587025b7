//! Parameters whose values have a Rust type.
//!
//! `settings.get(&DEPTH)` returns a number, and `settings.get(&RESCAN)` a variant of an enum. No
//! other code interprets the word of a choice.

use super::description::{Choice, Kind, Param, When};
use super::settings::Settings;
use std::marker::PhantomData;
use std::ops::{Deref, RangeInclusive};

/// A parameter whose values have the type `T`.
#[derive(Debug)]
pub struct Typed<T> {
    /// The description that forms, docs and checks use.
    pub param: Param,
    values: PhantomData<fn() -> T>,
}

impl<T> Copy for Typed<T> {}

impl<T> Clone for Typed<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Deref for Typed<T> {
    type Target = Param;

    fn deref(&self) -> &Param {
        &self.param
    }
}

impl<T> Typed<T> {
    /// Gives `param` the type of its values. The kind of `param` must match `T`.
    pub const fn of(param: Param) -> Self {
        Self {
            param,
            values: PhantomData,
        }
    }

    /// Returns the parameter with a unit.
    pub const fn unit(mut self, unit: &'static str) -> Self {
        self.param.unit = unit;
        self
    }

    /// Returns the parameter with the condition under which it has an effect.
    pub const fn when(mut self, when: When) -> Self {
        self.param.when = Some(when);
        self
    }

    /// Returns the parameter with one sentence of help.
    pub const fn help(mut self, help: &'static str) -> Self {
        self.param.help = help;
        self
    }
}

const fn described<T>(key: &'static str, name: &'static str, kind: Kind) -> Typed<T> {
    Typed::of(Param {
        key,
        name,
        kind,
        unit: "",
        when: None,
        help: "",
    })
}

/// Describes a parameter that takes a whole number.
pub const fn whole(
    key: &'static str,
    name: &'static str,
    range: RangeInclusive<i64>,
    default: i64,
) -> Typed<i64> {
    let kind = Kind::Whole {
        min: *range.start(),
        max: *range.end(),
        default: Some(default),
    };
    described(key, name, kind)
}

/// Describes a parameter that takes a whole number, or gets it from the trace if the user gives
/// none.
pub const fn whole_of_trace(
    key: &'static str,
    name: &'static str,
    range: RangeInclusive<i64>,
) -> Typed<Option<i64>> {
    let kind = Kind::Whole {
        min: *range.start(),
        max: *range.end(),
        default: None,
    };
    described(key, name, kind)
}

/// Describes a parameter that takes a number.
pub const fn real(
    key: &'static str,
    name: &'static str,
    range: RangeInclusive<f64>,
    default: f64,
) -> Typed<f64> {
    let kind = Kind::Real {
        min: *range.start(),
        max: *range.end(),
        default,
    };
    described(key, name, kind)
}

/// Describes a parameter that takes a name or a number that the trace has. Without a value, it has
/// no effect.
pub const fn text_of_trace(key: &'static str, name: &'static str) -> Typed<Option<String>> {
    described(key, name, Kind::Text {})
}

/// Describes a parameter that takes lines of text in a language of their own. Without a value, it has
/// no effect.
pub const fn lines(key: &'static str, name: &'static str) -> Typed<Option<String>> {
    described(key, name, Kind::Lines {})
}

/// Describes a parameter that takes one of a few words. [`words!`] calls it with the words of an
/// enum.
pub const fn choice<T>(
    key: &'static str,
    name: &'static str,
    options: &'static [Choice],
    default: &'static str,
) -> Typed<T> {
    described(key, name, Kind::Choice { options, default })
}

/// A type that a setting can be read as.
pub trait FromSetting: Sized {
    /// Returns the value of `param` in `settings`, or its default.
    fn from_setting(settings: &Settings, param: &Param) -> Self;
}

impl FromSetting for i64 {
    fn from_setting(settings: &Settings, param: &Param) -> Self {
        settings.whole(param)
    }
}

impl FromSetting for Option<i64> {
    fn from_setting(settings: &Settings, param: &Param) -> Self {
        settings.whole_given(param)
    }
}

impl FromSetting for Option<String> {
    fn from_setting(settings: &Settings, param: &Param) -> Self {
        settings.text_given(param)
    }
}

impl FromSetting for f64 {
    fn from_setting(settings: &Settings, param: &Param) -> Self {
        settings.real(param)
    }
}

impl Settings {
    /// Returns the value of a typed parameter, or its default.
    pub fn get<T: FromSetting>(&self, param: &Typed<T>) -> T {
        T::from_setting(self, param)
    }
}

/// Defines an enum whose variants are the words of a parameter, each with its help.
///
/// `NAME::param(key, name, default)` describes the parameter.
macro_rules! words {
    (
        $(#[$about:meta])*
        $vis:vis enum $Name:ident {
            $($(#[$more:meta])* $Variant:ident = $word:literal: $help:literal,)+
        }
    ) => {
        $(#[$about])*
        #[derive(Copy, Clone, Debug, PartialEq, Eq)]
        $vis enum $Name {
            $(
                #[doc = $help]
                $(#[$more])*
                $Variant,
            )+
        }

        #[allow(dead_code, reason = "few choices use all of these")]
        impl $Name {
            /// The words with their help, in the order of the variants.
            $vis const CHOICES: &'static [$crate::param::Choice] = &[
                $($crate::param::Choice { id: $word, help: $help },)+
            ];

            /// Returns the variant that `word` names.
            $vis fn named(word: &str) -> Option<Self> {
                match word {
                    $($word => Some(Self::$Variant),)+
                    _ => None,
                }
            }

            /// Returns the word of the variant.
            $vis const fn word(self) -> &'static str {
                match self {
                    $(Self::$Variant => $word,)+
                }
            }

            /// Describes a parameter that takes these words.
            $vis const fn param(
                key: &'static str,
                name: &'static str,
                default: Self,
            ) -> $crate::param::Typed<Self> {
                $crate::param::choice(key, name, Self::CHOICES, default.word())
            }
        }

        impl std::fmt::Display for $Name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.word())
            }
        }

        impl $crate::param::FromSetting for $Name {
            fn from_setting(
                settings: &$crate::param::Settings,
                param: &$crate::param::Param,
            ) -> Self {
                // `choice` returns one of the parameter's words, and a parameter of this type has
                // only these. The fallback is never used.
                Self::named(settings.choice(param)).unwrap_or([$(Self::$Variant),+][0])
            }
        }
    };
}
pub(crate) use words;
