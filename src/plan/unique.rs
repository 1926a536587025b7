//! Finds keys that occur twice in an object of a JSON text. JSON readers take the last one without
//! a message.

use super::json::{Misread, parse};
use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use std::collections::BTreeSet;
use std::fmt;

/// Checks that no object of a JSON text has a key twice. Fails at the first repeated key.
pub fn check_keys(text: &str) -> Result<(), Misread> {
    parse::<Unique>(text).map(drop)
}

/// A JSON value in which each object has each key once.
struct Unique;

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Self)
    }
}

impl<'de> Visitor<'de> for Unique {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self, A::Error> {
        let mut keys = BTreeSet::new();
        while map.next_key_seed(NewKey(&mut keys))?.is_some() {
            map.next_value::<Self>()?;
        }
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self, A::Error> {
        while list.next_element::<Self>()?.is_some() {}
        Ok(self)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }
}

/// A key that is not among these keys of its object, and is then added to them. A repeated key fails
/// while it is read, so that the path of the error ends with it.
struct NewKey<'a>(&'a mut BTreeSet<String>);

impl<'de> DeserializeSeed<'de> for NewKey<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        let key = String::deserialize(from)?;
        if self.0.contains(&key) {
            return Err(D::Error::custom(format_args!(
                "the key `{}` occurs twice",
                key.chars().take(60).collect::<String>()
            )));
        }
        self.0.insert(key);
        Ok(())
    }
}
