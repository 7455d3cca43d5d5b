//! Conversion of plain data to values of the standard types.

use std::sync::Mutex;

use rustc_hash::FxHashSet;

use super::Value;
use super::plain_data::PlainData;

/// Maximum number of bytes of all texts from files that are stored as `&'static str`.
const MAX_STATIC_BYTES: usize = 1 << 20;

pub(super) fn integer<T: TryFrom<i128>>(data: &PlainData, bounds: &str) -> Result<T, String> {
    let value = match data {
        PlainData::Integer(value) => T::try_from(*value).ok(),
        _ => None,
    };
    value.ok_or_else(|| format!("a whole number {bounds}"))
}

pub(super) fn boolean(data: &PlainData) -> Result<bool, String> {
    match data {
        PlainData::Bool(value) => Ok(*value),
        _ => Err("true or false".into()),
    }
}

#[allow(clippy::cast_precision_loss)] // A file that writes many digits gets the nearest number.
pub(super) fn number(data: &PlainData) -> Result<f64, String> {
    match data {
        PlainData::Integer(value) => Ok(*value as f64),
        PlainData::Number(value) if !value.is_nan() => Ok(*value),
        _ => Err("a number".into()),
    }
}

pub(super) fn character(data: &PlainData) -> Result<char, String> {
    let expected = || "a text of one character".to_owned();
    let PlainData::Text(text) = data else {
        return Err(expected());
    };
    let mut letters = text.chars();
    match (letters.next(), letters.next()) {
        (Some(letter), None) => Ok(letter),
        _ => Err(expected()),
    }
}

pub(super) fn text(data: &PlainData) -> Result<&str, String> {
    match data {
        PlainData::Text(text) => Ok(text),
        _ => Err("a text".into()),
    }
}

/// Returns the text in `data` as a text that exists until the program ends. Each different text is stored only once.
pub(super) fn static_text(data: &PlainData) -> Result<&'static str, String> {
    static TEXTS: Mutex<(FxHashSet<&'static str>, usize)> =
        Mutex::new((FxHashSet::with_hasher(rustc_hash::FxBuildHasher), 0));
    let text = text(data)?;
    // A panic cannot leave the set in an invalid state; the set behind a poisoned lock is therefore valid.
    let mut stored = TEXTS
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some(known) = stored.0.get(text) {
        return Ok(known);
    }
    if stored.1 + text.len() > MAX_STATIC_BYTES {
        return Err(
            "one of the texts read so far (the texts of type `&'static str` take more than 1 MiB together); let the values of the element be \
             `String`s"
                .into(),
        );
    }
    let new: &'static str = Box::leak(text.into());
    stored.1 += new.len();
    stored.0.insert(new);
    Ok(new)
}

pub(super) fn list<T: Value>(data: &PlainData) -> Result<Vec<T>, String> {
    let PlainData::List(items) = data else {
        return Err("a list".into());
    };
    let read = |item| {
        T::from_data(item).map_err(|expected| format!("a list in which each item is {expected}"))
    };
    items.iter().map(read).collect()
}

pub(super) fn array<T: Value, const N: usize>(data: &PlainData) -> Result<[T; N], String> {
    let items = list(data)?;
    items
        .try_into()
        .map_err(|_| format!("a list of length {N}"))
}

/// Returns the items of `data`, which must be a list with `length` items.
pub(super) fn fields(data: &PlainData, length: usize) -> Result<&[PlainData], String> {
    match data {
        PlainData::List(items) if items.len() == length => Ok(items),
        _ => Err(format!("a list of length {length}")),
    }
}

/// Returns the index in `names` of the enum variant that the text `data` names, for `#[derive(Value)]`.
pub fn variant(data: &PlainData, names: &[&str]) -> Result<usize, String> {
    let named = |text: &String| names.iter().position(|name| name == text);
    let found = match data {
        PlainData::Text(text) => named(text),
        _ => None,
    };
    found.ok_or_else(|| format!("one of the texts \"{}\"", names.join("\", \"")))
}
