//! Files of observations.

use std::fmt;
use std::path::Path;

use figrs_core::printable;
use rustc_hash::FxHashMap;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde_json::Value;

use super::input::read_text;
use super::lexer::{Input, LexerError, LexerResult};
use super::uai::{count, end};
use super::{Network, NetworkError, Observation, State, TextProblem};
use crate::json;

impl Network {
    /// Reads a file of observations in the format of its extension, `.json` or `.evid`.
    ///
    /// An error if it cannot be read, is longer than [`MOST_NETWORK_BYTES`](crate::reading::MOST_NETWORK_BYTES), or has
    /// names that are not in the network.
    pub fn read_evidence(&self, path: impl AsRef<Path>) -> Result<Vec<Observation>, NetworkError> {
        let path = path.as_ref();
        let place = path.display().to_string();
        let extension = path.extension().map(std::ffi::OsStr::to_ascii_lowercase);
        match extension.as_ref().and_then(|e| e.to_str()) {
            Some("json") => self.json(&read_text(path)?, &place),
            Some("evid") => self.evid(&read_text(path)?, &place),
            _ => Err(NetworkError::Extension {
                path: path.to_owned(),
                expected: "`.json` or `.evid`",
            }),
        }
    }

    /// The observations of a text in JSON: an object of variables and states, such as `{"smoke": "yes"}`.
    ///
    /// A state may be a number or a Boolean where that is its name. A variable may occur twice with one state.
    ///
    /// **Errors.** [`NetworkError::Text`] with the line and the column.
    pub fn evidence_from_json(&self, text: &str) -> Result<Vec<Observation>, NetworkError> {
        self.json(text, "JSON")
    }

    /// The observations of a text in the format of the UAI competitions: the number of observed variables, then for each
    /// its index and that of its state; before that the number of sets of evidence, 1, may stand.
    ///
    /// **Errors.** As [`evidence_from_json`](Self::evidence_from_json).
    pub fn evidence_from_uai(&self, text: &str) -> Result<Vec<Observation>, NetworkError> {
        self.evid(text, "UAI evidence")
    }

    fn json(&self, text: &str, place: &str) -> Result<Vec<Observation>, NetworkError> {
        let Pairs(object) = serde_json::from_str(text).map_err(|error| NetworkError::Text {
            place: place.into(),
            line: error.line(),
            column: error.column(),
            problem: Box::new(TextProblem::Json {
                reason: json::mistake(&error),
            }),
        })?;
        let observation = |(variable, state): &(String, Value)| match state {
            Value::String(state) => self.observation(variable, state),
            other => self.observation(variable, &other.to_string()),
        };
        object.iter().map(observation).collect()
    }

    fn evid(&self, text: &str, place: &str) -> Result<Vec<Observation>, NetworkError> {
        self.pairs(text)
            .map_err(|mismatch| mismatch.within(text, place))
    }

    fn pairs(&self, text: &str) -> LexerResult<Vec<Observation>> {
        let mut input = Input::new(text);
        let numbers = text.split_ascii_whitespace().count();
        if numbers.is_multiple_of(2) {
            // A set of evidence has an odd count of numbers, so that one more stands before it.
            let (at, samples) = count(&mut input, "the number of observed variables")?;
            if samples != 1 {
                return Err(LexerError::new(at, TextProblem::Samples { samples }));
            }
        }
        let (_, observed) = count(&mut input, "the number of observed variables")?;
        let mut seen: Vec<Option<State>> = vec![None; self.variables().len()];
        let mut observations = Vec::new();
        for _ in 0..observed {
            let (at, index) = count(&mut input, "a variable and a state for each observation")?;
            let Some(variable) = self.variables().get(index) else {
                let (what, count) = ("variable", self.variables().len());
                return Err(LexerError::new(
                    at,
                    TextProblem::Index { what, index, count },
                ));
            };
            let (at, value) = count(&mut input, "a variable and a state for each observation")?;
            let Some(state) = variable.states().get(value) else {
                let (what, index, count) = ("state", value, variable.states().len());
                return Err(LexerError::new(
                    at,
                    TextProblem::Index { what, index, count },
                ));
            };
            if seen[index]
                .replace(state.clone())
                .is_some_and(|before| before != *state)
            {
                let variable = variable.name().into();
                return Err(LexerError::new(at, TextProblem::Contradiction { variable }));
            }
            observations.push(Observation {
                variable: index,
                state: state.clone(),
            });
        }
        end(&mut input, "the end of the file after the last observation")?;
        Ok(observations)
    }
}

/// Variables and their states, in the order of the text.
struct Pairs(Vec<(String, Value)>);

impl<'de> Deserialize<'de> for Pairs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(PairsVisitor)
    }
}

struct PairsVisitor;

impl<'de> Visitor<'de> for PairsVisitor {
    type Value = Pairs;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("{VARIABLE: STATE, ...}")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pairs, A::Error> {
        let mut pairs: Vec<(String, Value)> = Vec::new();
        let mut states: FxHashMap<String, Value> = FxHashMap::default();
        while let Some((variable, state)) = map.next_entry::<String, Value>()? {
            let before = states.insert(variable.clone(), state.clone());
            if before.is_some_and(|before| before != state) {
                return Err(A::Error::custom(format_args!(
                    "the variable `{}` is observed a second time with another state; keep one of them",
                    printable(&variable)
                )));
            }
            pairs.push((variable, state));
        }
        Ok(Pairs(pairs))
    }
}

#[cfg(test)]
mod tests;
