//! Plain data: the content of a JSON or TOML file, before it is converted to the types of a program.

use std::borrow::Cow;
use std::fmt;

use rustc_hash::FxHashSet;
use serde::de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// Maximum nesting depth of lists and objects in plain data.
const MAX_DEPTH: usize = 128;

/// Maximum number of characters of a text in plain data that a message prints.
const SHOWN: usize = 40;

/// Data as in a JSON file, which are not yet converted to the types of a program; they can state evidence on the [`Parts`](crate::Parts) of an
/// object.
///
/// Plain data can be read from any self-describing format of serde, such as JSON, TOML and YAML. Texts, numbers, truth values, and lists of texts,
/// numbers or truth values convert into plain data.
///
/// ```
/// # use figrs_core::PlainData;
/// let read: PlainData = serde_json::from_str(r#"{"power": "high", "doors": [1, 2.5]}"#)?;
/// let doors = PlainData::List(vec![1.into(), 2.5.into()]);
/// assert_eq!(read, PlainData::Object(vec![("power".into(), "high".into()), ("doors".into(), doors)]));
/// # Ok::<(), serde_json::Error>(())
/// ```
///
/// **Errors.** Reading plain data fails if an object contains a field twice, or if lists and objects are nested more than 128 deep.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum PlainData {
    /// No value: `null` in JSON.
    Null,
    /// A truth value.
    Bool(bool),
    /// A number without a fraction.
    Integer(i128),
    /// A number with a fraction or an exponent.
    Number(f64),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Self>),
    /// The fields of an object, in the order of the file.
    Object(Vec<(String, Self)>),
}

impl fmt::Display for PlainData {
    /// Prints a short description of the data for messages: a single value, or the number of items or fields.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(value) => write!(f, "{value}"),
            Self::Integer(value) => write!(f, "{value}"),
            Self::Number(value) => write!(f, "{value:?}"),
            Self::Text(text) if text.chars().count() > SHOWN => {
                let start: String = text.chars().take(SHOWN).collect();
                write!(f, "{start:?}…")
            }
            Self::Text(text) => write!(f, "{text:?}"),
            Self::List(items) => write!(f, "a list of length {}", items.len()),
            Self::Object(fields) => write!(f, "an object with {} fields", fields.len()),
        }
    }
}

macro_rules! integers {
    ($($type:ty),+) => {$(
        impl From<$type> for PlainData {
            fn from(value: $type) -> Self {
                Self::Integer(value.into())
            }
        }
    )+};
}
integers!(u8, u16, u32, u64, i8, i16, i32, i64, i128);

impl From<usize> for PlainData {
    fn from(value: usize) -> Self {
        Self::Integer(value as i128)
    }
}

impl From<bool> for PlainData {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<f64> for PlainData {
    fn from(value: f64) -> Self {
        Self::Number(value)
    }
}

impl From<&str> for PlainData {
    fn from(value: &str) -> Self {
        Self::Text(value.into())
    }
}

impl From<String> for PlainData {
    fn from(value: String) -> Self {
        Self::Text(value)
    }
}

impl From<Cow<'_, str>> for PlainData {
    fn from(value: Cow<'_, str>) -> Self {
        Self::Text(value.into_owned())
    }
}

impl<T: Into<Self>> From<Vec<T>> for PlainData {
    fn from(values: Vec<T>) -> Self {
        Self::List(values.into_iter().map(Into::into).collect())
    }
}

impl From<&Self> for PlainData {
    fn from(value: &Self) -> Self {
        value.clone()
    }
}

impl<'de> Deserialize<'de> for PlainData {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Inside(0).deserialize(deserializer)
    }
}

/// Reads plain data that are nested in a given number of lists and objects.
#[derive(Clone, Copy)]
struct Inside(usize);

impl Inside {
    fn deeper<E: Error>(self) -> Result<Self, E> {
        if self.0 == MAX_DEPTH {
            let problem = "more than 128 lists and objects are nested in each other; nest fewer";
            return Err(E::custom(problem));
        }
        Ok(Self(self.0 + 1))
    }
}

impl<'de> DeserializeSeed<'de> for Inside {
    type Value = PlainData;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<PlainData, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Inside {
    type Value = PlainData;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("null, a truth value, a number, a text, a list or an object")
    }

    fn visit_unit<E: Error>(self) -> Result<PlainData, E> {
        Ok(PlainData::Null)
    }

    fn visit_none<E: Error>(self) -> Result<PlainData, E> {
        Ok(PlainData::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<PlainData, D::Error> {
        self.deserialize(deserializer)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<PlainData, E> {
        Ok(value.into())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<PlainData, E> {
        Ok(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<PlainData, E> {
        Ok(value.into())
    }

    fn visit_i128<E: Error>(self, value: i128) -> Result<PlainData, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<PlainData, E> {
        Ok(value.into())
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<PlainData, E> {
        Ok(value.into())
    }

    fn visit_string<E: Error>(self, value: String) -> Result<PlainData, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<PlainData, A::Error> {
        let inside = self.deeper()?;
        let mut items = Vec::new();
        while let Some(item) = list.next_element_seed(inside)? {
            items.push(item);
        }
        Ok(PlainData::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<PlainData, A::Error> {
        let inside = self.deeper()?;
        let mut fields = Vec::new();
        let mut names = FxHashSet::default();
        while let Some(name) = object.next_key::<String>()? {
            if !names.insert(name.clone()) {
                let problem = format!("the field {name:?} is stated twice; state it once");
                return Err(A::Error::custom(problem));
            }
            fields.push((name, object.next_value_seed(inside)?));
        }
        Ok(PlainData::Object(fields))
    }
}
