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
use super::variable::unknown_state;
use super::{InfluenceDiagram, Network, NetworkError, Observation, State, TextProblem, Variable};
use crate::json;

impl Network {
    /// Reads a file of observations in the format of its extension, `.json` or `.evid`.
    ///
    /// An error if it cannot be read, is longer than [`MOST_NETWORK_BYTES`](crate::reading::MOST_NETWORK_BYTES), or has
    /// names that are not in the network.
    pub fn read_evidence(&self, path: impl AsRef<Path>) -> Result<Vec<Observation>, NetworkError> {
        ObservedVariables::read_evidence(self, path.as_ref())
    }

    /// The observations of a text in JSON: an object of variables and states, such as `{"smoke": "yes"}`.
    ///
    /// A state may be a number or a Boolean where that is its name. A variable may occur twice with one state.
    ///
    /// **Errors.** [`NetworkError::Text`] with the line and the column.
    pub fn evidence_from_json(&self, text: &str) -> Result<Vec<Observation>, NetworkError> {
        of_json(self, text, "JSON")
    }

    /// The observations of a text in the format of the UAI competitions: the number of observed variables, then for each
    /// its index and that of its state; before that the number of sets of evidence, 1, may stand.
    ///
    /// **Errors.** As [`evidence_from_json`](Self::evidence_from_json).
    pub fn evidence_from_uai(&self, text: &str) -> Result<Vec<Observation>, NetworkError> {
        of_uai(self, text, "UAI evidence")
    }
}

/// Variables that are observed by their names and those of their states: of a [`Network`], or of an
/// [`InfluenceDiagram`](super::InfluenceDiagram).
pub trait ObservedVariables {
    /// The variables, in the order of the file.
    fn variables(&self) -> &[Variable];

    /// The position of the variable with a name.
    ///
    /// **Errors.** [`NetworkError::Unknown`] with names that may have been meant.
    fn position(&self, variable: &str) -> Result<usize, NetworkError>;

    /// A variable with one of its states, by their names.
    ///
    /// **Errors.** As [`position`](Self::position), for the state as well.
    fn observation(&self, variable: &str, state: &str) -> Result<Observation, NetworkError> {
        let position = self.position(variable)?;
        let variable = &self.variables()[position];
        let found = variable.state(state).cloned();
        let state = found.ok_or_else(|| unknown_state(variable, state))?;
        Ok(Observation {
            variable: position,
            state,
        })
    }

    /// Reads a file of observations as [`Network::read_evidence`] does.
    ///
    /// **Errors.** As there.
    fn read_evidence(&self, path: &Path) -> Result<Vec<Observation>, NetworkError> {
        let place = path.display().to_string();
        let extension = path.extension().map(std::ffi::OsStr::to_ascii_lowercase);
        match extension.as_ref().and_then(|e| e.to_str()) {
            Some("json") => of_json(self, &read_text(path)?, &place),
            Some("evid") => of_uai(self, &read_text(path)?, &place),
            _ => Err(NetworkError::Extension {
                path: path.to_owned(),
                expected: "`.json` or `.evid`",
            }),
        }
    }
}

impl ObservedVariables for Network {
    fn variables(&self) -> &[Variable] {
        &self.variables
    }

    fn position(&self, variable: &str) -> Result<usize, NetworkError> {
        Self::position(self, variable)
    }
}

impl ObservedVariables for InfluenceDiagram {
    fn variables(&self) -> &[Variable] {
        &self.variables
    }

    fn position(&self, variable: &str) -> Result<usize, NetworkError> {
        Self::position(self, variable)
    }
}

fn of_json(
    observed: &(impl ObservedVariables + ?Sized),
    text: &str,
    place: &str,
) -> Result<Vec<Observation>, NetworkError> {
    let Pairs(object) = serde_json::from_str(text).map_err(|error| NetworkError::Text {
        place: place.into(),
        line: error.line(),
        column: error.column(),
        problem: Box::new(TextProblem::Json {
            reason: json::mistake(&error),
        }),
    })?;
    let observation = |(variable, state): &(String, Value)| match state {
        Value::String(state) => observed.observation(variable, state),
        other => observed.observation(variable, &other.to_string()),
    };
    object.iter().map(observation).collect()
}

fn of_uai(
    observed: &(impl ObservedVariables + ?Sized),
    text: &str,
    place: &str,
) -> Result<Vec<Observation>, NetworkError> {
    pairs(observed.variables(), text).map_err(|mismatch| mismatch.within(text, place))
}

fn pairs(variables: &[Variable], text: &str) -> LexerResult<Vec<Observation>> {
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
    let mut seen: Vec<Option<State>> = vec![None; variables.len()];
    let mut observations = Vec::new();
    for _ in 0..observed {
        let (at, index) = count(&mut input, "a variable and a state for each observation")?;
        let Some(variable) = variables.get(index) else {
            let (what, count) = ("variable", variables.len());
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
