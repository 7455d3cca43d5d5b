//! Reads the keys of a demand and their values.

use serde_json::{Map, Value};

use super::design_error::DesignError;
use crate::DemandError;

/// A demand as the file states it, and its place in the file.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    place: String,
    keys: Map<String, Value>,
}

/// Equality ignores the place.
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

    /// **Errors.** [`DesignError::Key`] for a key that is neither `kind` nor in `takes`.
    pub(super) fn check_keys(&self, kind: &'static str, takes: &[&str]) -> Result<(), DesignError> {
        let is_known = |key: &str| key == kind || takes.contains(&key);
        match self.keys.keys().find(|key| !is_known(key)) {
            None => Ok(()),
            Some(key) => Err(DesignError::Key {
                place: self.place.clone(),
                key: key.clone(),
                kind,
                known: if takes.is_empty() {
                    "no other".to_owned()
                } else {
                    takes.join(", ")
                },
            }),
        }
    }

    /// Returns the value of a required key.
    pub(super) fn need(
        &self,
        kind: &'static str,
        key: &'static str,
    ) -> Result<&Value, DesignError> {
        self.get(key).ok_or_else(|| DesignError::Missing {
            place: self.place.clone(),
            kind,
            key,
        })
    }

    /// Reads the value of a key, if the key is present.
    pub(super) fn read<T>(
        &self,
        key: &str,
        expected: &'static str,
        read: impl FnOnce(&Value) -> Option<T>,
    ) -> Result<Option<T>, DesignError> {
        let Some(value) = self.get(key) else {
            return Ok(None);
        };
        let found = read(value);
        found
            .map(Some)
            .ok_or_else(|| self.wrong(key, value, expected))
    }

    /// True if a key is `true`.
    pub(super) fn flag(&self, key: &str) -> Result<bool, DesignError> {
        let flag = self.read(key, "true or false", Value::as_bool)?;
        Ok(flag.unwrap_or(false))
    }

    /// Reads a whole number, if the key is present.
    pub(super) fn whole(&self, key: &str) -> Result<Option<usize>, DesignError> {
        let whole = |value: &Value| value.as_u64().map(|number| number as usize);
        self.read(key, "a whole number", whole)
    }

    /// Reads a weight, if the key is present.
    pub(super) fn weight(&self, key: &str) -> Result<Option<f64>, DesignError> {
        self.read(key, "a number, as 0.5", Value::as_f64)
    }

    /// Reads a demand nested in this one.
    pub(super) fn inner(&self, key: &str, value: &Value) -> Result<Self, DesignError> {
        match value {
            Value::Object(keys) => Ok(Self::new(format!("{}, in {key}", self.place), keys.clone())),
            other => Err(self.wrong(key, other, "a demand, as { require = \"pipe\" }")),
        }
    }

    pub(super) fn wrong(&self, key: &str, value: &Value, expected: &'static str) -> DesignError {
        DesignError::Value {
            place: self.place.clone(),
            key: key.to_owned(),
            value: value.to_string(),
            expected,
        }
    }

    pub(super) fn unfit(&self, error: DemandError) -> DesignError {
        DesignError::Demand {
            place: self.place.clone(),
            error,
        }
    }
}
