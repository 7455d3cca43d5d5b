//! Reads the keys of a demand in a design file, and the values of these keys.

use figrs_reading::{FileError, Mistake, MistakeKind};
use serde_json::{Map, Value};

use crate::DemandError;

/// A demand of a design file, together with its place in the file.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    place: String,
    keys: Map<String, Value>,
}

/// Two demands of design files are equal if they differ only in their places in the files.
impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.keys == other.keys
    }
}

impl Entry {
    pub(super) fn new(place: String, keys: Map<String, Value>) -> Self {
        Self { place, keys }
    }

    pub(super) fn place(&self) -> &str {
        &self.place
    }

    pub(super) fn keys(&self) -> &Map<String, Value> {
        &self.keys
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.keys.contains_key(key)
    }

    pub(super) fn get(&self, key: &str) -> Option<&Value> {
        self.keys.get(key)
    }

    /// Checks that the demand in the file has no keys except `kind` and the keys in `takes`.
    pub(super) fn check_keys(&self, kind: &'static str, takes: &[&str]) -> Result<(), FileError> {
        let is_known = |key: &str| key == kind || takes.contains(&key);
        match self.keys.keys().find(|key| !is_known(key)) {
            None => Ok(()),
            Some(key) => {
                let problem = format!("{key:?} does not belong to {kind}");
                let remedy = match takes {
                    [] => "it takes no other key".to_owned(),
                    takes => format!("it takes {}", takes.join(", ")),
                };
                Err(self.mistake(MistakeKind::Unknown, problem, remedy))
            }
        }
    }

    pub(super) fn need(&self, kind: &'static str, key: &'static str) -> Result<&Value, FileError> {
        self.get(key).ok_or_else(|| self.missing(kind, key))
    }

    pub(super) fn read<T>(
        &self,
        key: &str,
        expected: &'static str,
        read: impl FnOnce(&Value) -> Option<T>,
    ) -> Result<Option<T>, FileError> {
        let Some(value) = self.get(key) else {
            return Ok(None);
        };
        let found = read(value);
        found
            .map(Some)
            .ok_or_else(|| self.wrong(key, value, expected))
    }

    pub(super) fn flag(&self, key: &str) -> Result<bool, FileError> {
        let flag = self.read(key, "true or false", Value::as_bool)?;
        Ok(flag.unwrap_or(false))
    }

    pub(super) fn whole(&self, key: &str) -> Result<Option<usize>, FileError> {
        let whole = |value: &Value| value.as_u64().map(|number| number as usize);
        self.read(key, "a whole number", whole)
    }

    /// If the demand has the key `key`, reads the value of this key as the weight of a soft demand.
    pub(super) fn weight(&self, key: &str) -> Result<Option<f64>, FileError> {
        self.read(key, "a number, as 0.5", Value::as_f64)
    }

    pub(super) fn inner(&self, key: &str, value: &Value) -> Result<Self, FileError> {
        match value {
            Value::Object(keys) => Ok(Self::new(format!("{}, in {key}", self.place), keys.clone())),
            other => Err(self.wrong(key, other, "a demand, as { require = \"pipe\" }")),
        }
    }

    pub(super) fn wrong(&self, key: &str, value: &Value, expected: &'static str) -> FileError {
        self.mistake(
            MistakeKind::Value,
            format!("{key} = {value} cannot be read"),
            format!("write {expected}"),
        )
    }

    pub(super) fn unfit(&self, error: DemandError) -> FileError {
        error.into_mistake().of(&*self.place)
    }

    pub(super) fn mistake(
        &self,
        kind: MistakeKind,
        problem: String,
        remedy: impl Into<String>,
    ) -> FileError {
        Mistake::new(kind, problem, remedy).of(&*self.place)
    }

    /// Returns the error for a demand in a file that lacks a key that its kind needs.
    pub(super) fn missing(&self, kind: &str, key: &str) -> FileError {
        self.mistake(MistakeKind::Missing, format!("{kind} needs {key}"), "")
    }

    /// Returns the error for a demand with two keys that each state a demand of their own.
    pub(super) fn two_kinds(&self, one: &str, other: &str) -> FileError {
        self.mistake(
            MistakeKind::Contradiction,
            format!("{one} and {other} are the keys of two different demands"),
            "write another [[demand]] for one of them",
        )
    }

    /// Returns the error for a key that has no effect because of another key of the same demand.
    pub(super) fn idle(&self, key: &str, kind: &str) -> FileError {
        self.mistake(
            MistakeKind::Contradiction,
            format!("{key} has no effect together with {kind}"),
            "leave one of them out, or write another [[demand]]",
        )
    }
}
