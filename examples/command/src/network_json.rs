//! Distributions of the variables of networks in JSON.

use figrs_infer::Marginal;
use figrs_network::{State, Variable};
use serde_json::Value as Json;

use crate::as_json;

/// Returns a number for each state of each variable, as a JSON object of variables that contains an object of states for each variable.
pub fn each_state<'v>(
    variables: impl Iterator<Item = &'v Variable>,
    marginals: &[Marginal<State>],
    numbers: impl Fn(&Variable, &Marginal<State>) -> Vec<f64>,
) -> Json {
    let object = variables.zip(marginals).map(|(variable, marginal)| {
        let numbers = numbers(variable, marginal).into_iter().map(as_json);
        let names = variable.states().iter().map(|state| state.name().into());
        (
            variable.name().into(),
            Json::Object(names.zip(numbers).collect()),
        )
    });
    Json::Object(object.collect())
}

/// Returns the probability of each state of a variable.
pub fn probabilities(variable: &Variable, marginal: &Marginal<State>) -> Vec<f64> {
    // States are found by position: a variable may have a million.
    let mut all = vec![0.0; variable.states().len()];
    for (state, p) in marginal {
        all[state.index()] += p;
    }
    all
}

/// Returns the standard error of the probability of each state of a variable.
pub fn standard_errors(variable: &Variable, marginal: &Marginal<State>) -> Vec<f64> {
    // States that were not drawn share one error.
    let mut all = vec![marginal.standard_error_that(|_| false); variable.states().len()];
    for ((state, _), error) in marginal.iter().zip(marginal.standard_errors()) {
        all[state.index()] = error;
    }
    all
}
