//! Reads evidence about the variables of a network from files and texts.

use std::fmt;
use std::path::Path;

use rustc_hash::FxHashMap;
use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, Visitor};
use serde_json::Value;

use super::lexer::{Input, LexerError, LexerResult};
use super::mistakes;
use super::read_format::unknown_extension;
use super::reader::read_text;
use super::uai::{count, end};
use super::variable::{position_of, unknown_state};
use super::{
    InfluenceDiagram, Network, NetworkError, NetworkEvidence, Observation, RealObservation, State,
    StateLikelihoods, Unknown, Variable,
};
use figrs_reading::mistakes::in_json;
use figrs_reading::{Mistake, MistakeKind};

impl Network {
    /// Reads an evidence file in the format that its extension, `.json` or `.evid`, determines.
    ///
    /// **Errors.** [`NetworkError::File`] if the evidence file cannot be read or is longer than
    /// [`MOST_NETWORK_BYTES`](figrs_reading::MOST_NETWORK_BYTES), or if its text has a mistake or a name that is not in the network.
    pub fn read_evidence(&self, path: impl AsRef<Path>) -> Result<NetworkEvidence, NetworkError> {
        ObservedVariables::read_evidence(self, path.as_ref())
    }

    /// Reads evidence from a JSON text: an object that maps variables to states, such as `{"smoke": "yes"}`. For soft evidence, the JSON object maps
    /// a variable to the weights of all its states, as in `{"smoke": {"yes": 0.6, "no": 0.3}}`.
    ///
    /// A JSON number or Boolean as a state stands for the state whose name is the text of this value. A variable may be repeated in the JSON object
    /// with the same state or the same weights; repeated weights are applied only once.
    ///
    /// **Errors.** [`NetworkError::File`] with line and column if the evidence text has a mistake or a name that is not in the network.
    pub fn evidence_from_json(&self, text: &str) -> Result<NetworkEvidence, NetworkError> {
        of_json(self, text, "JSON")
    }

    /// Reads observations from a text in the format of the UAI competitions. The text of UAI evidence has the number of observed variables, followed
    /// by the index of each variable and the index of its state. Before the number of observed variables, the text of UAI evidence may have the
    /// number of sets of evidence, which must be 1.
    ///
    /// **Errors.** The errors of the method [`evidence_from_json`](Self::evidence_from_json).
    pub fn evidence_from_uai(&self, text: &str) -> Result<Vec<Observation>, NetworkError> {
        of_uai(self, text, "UAI evidence")
    }
}

/// A network whose variables can be observed by name, such as a [`Network`] or an [`InfluenceDiagram`](super::InfluenceDiagram).
pub trait ObservedVariables {
    /// Returns the variables of the network, in the order of the file.
    fn variables(&self) -> &[Variable];

    /// Returns the index of the variable named `variable`.
    ///
    /// **Errors.** [`Unknown`], with similar names, if no variable has this name.
    fn position(&self, variable: &str) -> Result<usize, Unknown>;

    /// Creates an observation that a variable is in one of its states; the variable and the state are given by name.
    ///
    /// **Errors.** [`Unknown`], with similar names, if no variable has the given name, or if the variable has no state with the given name.
    fn observation(&self, variable: &str, state: &str) -> Result<Observation, Unknown> {
        let position = self.position(variable)?;
        let variable = &self.variables()[position];
        let found = variable.state(state).cloned();
        let state = found.ok_or_else(|| unknown_state(variable, state))?;
        Ok(Observation {
            variable: position,
            state,
        })
    }

    /// Creates an observation that the real variable named `_variable` has the value `_value`; returns `None` if no real variable has this name.
    ///
    /// **Errors.** A [`Mistake`] if the observed value is not a finite number.
    fn real_observation(
        &self,
        _variable: &str,
        _value: &str,
    ) -> Option<Result<RealObservation, Mistake>> {
        None
    }

    /// Reads the evidence file `path` in the same way as [`Network::read_evidence`].
    ///
    /// **Errors.** The errors of the method [`Network::read_evidence`].
    fn read_evidence(&self, path: &Path) -> Result<NetworkEvidence, NetworkError> {
        let place = path.display().to_string();
        let extension = path.extension().map(std::ffi::OsStr::to_ascii_lowercase);
        match extension.as_ref().and_then(|e| e.to_str()) {
            Some("json") => of_json(self, &read_text(path)?, &place),
            Some("evid") => Ok(of_uai(self, &read_text(path)?, &place)?.into()),
            _ => Err(unknown_extension(path, "use `.json` or `.evid`")),
        }
    }
}

impl ObservedVariables for Network {
    fn variables(&self) -> &[Variable] {
        &self.variables
    }

    fn position(&self, variable: &str) -> Result<usize, Unknown> {
        position_of(&self.index, &self.variables, variable)
    }
}

impl ObservedVariables for InfluenceDiagram {
    fn variables(&self) -> &[Variable] {
        &self.variables
    }

    fn position(&self, variable: &str) -> Result<usize, Unknown> {
        position_of(&self.index, &self.variables, variable)
    }
}

pub(super) fn of_json(
    observed: &(impl ObservedVariables + ?Sized),
    text: &str,
    place: &str,
) -> Result<NetworkEvidence, NetworkError> {
    let mut mistake = None;
    let pairs = Pairs {
        observed,
        mistake: &mut mistake,
    };
    let mut json = serde_json::Deserializer::from_str(text);
    let read = pairs.deserialize(&mut json);
    let read = read.and_then(|evidence| json.end().map(|()| evidence));
    read.map_err(|error| {
        let mistake = mistake.unwrap_or_else(|| {
            let problem = format!(
                "not an object of variables and states, or of variables and objects of states and weights, in JSON: {}",
                in_json(&error)
            );
            Mistake::new(MistakeKind::Syntax, problem, "")
        });
        mistake.at(place, (error.line(), error.column())).into()
    })
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
        // One set of evidence consists of an odd number of numbers. If the text has an even number of numbers, the first number is the number of
        // sets.
        let (at, samples) = count(&mut input, "the number of observed variables")?;
        if samples != 1 {
            let problem = format!("{samples} sets of evidence");
            let remedy = "keep one of them in the file";
            return Err(LexerError::new(
                at,
                Mistake::new(MistakeKind::Count, problem, remedy),
            ));
        }
    }
    let (_, observed) = count(&mut input, "the number of observed variables")?;
    let mut seen: Vec<Option<State>> = vec![None; variables.len()];
    let mut observations = Vec::new();
    for _ in 0..observed {
        let (at, index) = count(&mut input, "a variable and a state for each observation")?;
        let Some(variable) = variables.get(index) else {
            let mistake = mistakes::index("variable", index, variables.len());
            return Err(LexerError::new(at, mistake));
        };
        let (at, value) = count(&mut input, "a variable and a state for each observation")?;
        let Some(state) = variable.states().get(value) else {
            let mistake = mistakes::index("state", value, variable.states().len());
            return Err(LexerError::new(at, mistake));
        };
        if seen[index]
            .replace(state.clone())
            .is_some_and(|before| before != *state)
        {
            return Err(LexerError::new(at, observed_again(variable.name())));
        }
        observations.push(Observation {
            variable: index,
            state: state.clone(),
        });
    }
    end(&mut input, "the end of the file after the last observation")?;
    Ok(observations)
}

/// Returns the error that the variable `variable` is observed twice, with different states or weights.
fn observed_again(variable: &str) -> Mistake {
    let problem = format!(
        "`{variable}` is observed a second time, with another state or value, or with other weights"
    );
    Mistake::new(MistakeKind::Contradiction, problem, "keep one of them")
}

/// Deserialises a JSON object that maps variables to states or weights, in the order of the text.
struct Pairs<'p, O: ?Sized> {
    observed: &'p O,
    /// The place to store the error in the first invalid pair of the JSON object: a variable and its evidence.
    mistake: &'p mut Option<Mistake>,
}

impl<'de, O: ObservedVariables + ?Sized> DeserializeSeed<'de> for Pairs<'_, O> {
    type Value = NetworkEvidence;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, O: ObservedVariables + ?Sized> Visitor<'de> for Pairs<'_, O> {
    type Value = NetworkEvidence;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("{VARIABLE: STATE, ...}")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut evidence = NetworkEvidence::default();
        let mut stated: FxHashMap<String, Stated> = FxHashMap::default();
        while let Some((variable, value)) = map.next_entry::<String, StatedValue>()? {
            let found = match stated_by(self.observed, &variable, &value) {
                Ok(found) => match stated.get(&variable) {
                    // Repeated weights that are equal count only once.
                    Some(before) if *before == found => continue,
                    Some(_) => Err(observed_again(&variable)),
                    None => Ok((variable, found)),
                },
                Err(mistake) => Err(mistake),
            };
            match found {
                Ok((variable, found)) => {
                    match &found {
                        Stated::State(observation) => evidence.observe(observation.clone()),
                        Stated::Value(observation) => evidence.observe_real(*observation),
                        Stated::Weights(likelihoods) => {
                            evidence.likelihoods.push(likelihoods.clone());
                        }
                    }
                    stated.insert(variable, found);
                }
                Err(mistake) => {
                    let error = A::Error::custom(&mistake);
                    *self.mistake = Some(mistake);
                    return Err(error);
                }
            }
        }
        Ok(evidence)
    }
}

/// Evidence about one variable: its state, its value if it is real, or the weights of its states.
#[derive(PartialEq)]
enum Stated {
    State(Observation),
    Value(RealObservation),
    Weights(StateLikelihoods),
}

/// The JSON value that states the evidence on a variable: the name of a state, or an object that maps states to weights, in the order of the text.
enum StatedValue {
    State(Value),
    Weights(Vec<(String, Value)>),
}

impl<'de> Deserialize<'de> for StatedValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = StatedValue;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a state, or an object of states and weights")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut weights = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    weights.push(pair);
                }
                Ok(StatedValue::Weights(weights))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
                Ok(StatedValue::State(text.into()))
            }

            fn visit_bool<E: Error>(self, truth: bool) -> Result<Self::Value, E> {
                Ok(StatedValue::State(truth.into()))
            }

            fn visit_u64<E: Error>(self, number: u64) -> Result<Self::Value, E> {
                Ok(StatedValue::State(number.into()))
            }

            fn visit_i64<E: Error>(self, number: i64) -> Result<Self::Value, E> {
                Ok(StatedValue::State(number.into()))
            }

            fn visit_f64<E: Error>(self, number: f64) -> Result<Self::Value, E> {
                Ok(StatedValue::State(number.into()))
            }
        }
        deserializer.deserialize_any(Either)
    }
}

fn stated_by(
    observed: &(impl ObservedVariables + ?Sized),
    variable: &str,
    value: &StatedValue,
) -> Result<Stated, Mistake> {
    let state = match value {
        StatedValue::State(Value::String(state)) => state.clone(),
        StatedValue::State(other) => other.to_string(),
        StatedValue::Weights(_) => "an object".to_owned(),
    };
    if let Some(observation) = observed.real_observation(variable, &state) {
        return Ok(Stated::Value(observation?));
    }
    Ok(match value {
        StatedValue::State(_) => Stated::State(observed.observation(variable, &state)?),
        StatedValue::Weights(weights) => Stated::Weights(likelihoods(observed, variable, weights)?),
    })
}

fn likelihoods(
    observed: &(impl ObservedVariables + ?Sized),
    name: &str,
    given: &[(String, Value)],
) -> Result<StateLikelihoods, Mistake> {
    let position = observed.position(name)?;
    let variable = &observed.variables()[position];
    let mut weights = vec![None; variable.states().len()];
    for (state, number) in given {
        let known = variable.state(state);
        let known = known.ok_or_else(|| unknown_state(variable, state))?;
        let weight = number.as_f64().filter(|x| x.is_finite() && *x >= 0.0);
        // Adding zero turns -0.0 into 0.0.
        let weight = weight.map(|weight| weight + 0.0);
        let weight = weight.ok_or_else(|| {
            Mistake::new(
                MistakeKind::Value,
                format!("`{name}` has {number} for the state `{state}`"),
                "give each state a weight, a finite number that is not negative",
            )
        })?;
        if weights[known.index()].replace(weight).is_some() {
            return Err(mistakes::repeated_state(name, state));
        }
    }
    let states = variable.states().iter().zip(weights);
    let weights = states.map(|(state, weight)| {
        weight.ok_or_else(|| {
            let problem = format!("`{name}` has no weight for the state `{}`", state.name());
            let remedy = "give each state a weight, and an excluded state the weight 0";
            Mistake::new(MistakeKind::Missing, problem, remedy)
        })
    });
    let weights = weights.collect::<Result<Vec<f64>, _>>()?;
    if weights.iter().all(|&weight| weight == 0.0) {
        let problem =
            format!("all states of `{name}` have the weight 0, which excludes every world");
        let remedy = "give one of them a positive weight";
        return Err(Mistake::new(MistakeKind::Value, problem, remedy));
    }
    Ok(StateLikelihoods {
        variable: position,
        weights,
    })
}

#[cfg(test)]
mod tests;
