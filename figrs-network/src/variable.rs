//! Variables of networks, and tables over variables.

use figrs_core::factor::Weights;
use figrs_core::internals::{did_you_mean, similar_names};
use figrs_core::{States, printable};
use rustc_hash::FxHashMap;
use thiserror::Error;

use super::State;
use figrs_derive::ErrorDebug;
use figrs_factor::graph::Assignments;
use figrs_reading::{Mistake, MistakeKind};

/// A variable of a network, with its name and its states.
#[derive(Clone, Debug)]
pub struct Variable {
    pub(super) name: String,
    pub(super) states: States<State>,
}

impl Variable {
    /// Returns the name of the variable; the name of a variable from a UAI file is the index of the variable.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the states of the variable, in the order of the file.
    pub fn states(&self) -> &States<State> {
        &self.states
    }

    /// Returns the state of the variable named `name`; `None` if there is no such state.
    pub fn state(&self, name: &str) -> Option<&State> {
        self.states.iter().find(|state| state.name() == name)
    }
}

/// A table of numbers for the joint states of some variables: a factor, or the conditional table of the last variable.
#[derive(Clone, Debug)]
pub struct NetworkTable {
    pub(super) variables: Vec<usize>,
    pub(super) weights: Weights,
}

impl NetworkTable {
    /// Returns the indices in the network of the table's variables, parents before the child.
    pub fn variables(&self) -> &[usize] {
        &self.variables
    }

    /// Returns the numbers of the table in row-major order, in which the last variable varies fastest.
    pub fn numbers(&self) -> &[f64] {
        self.weights.linear()
    }
}

/// Formats the joint state of `variables` with the index `row` as in `(young, F)`; the last variable varies fastest.
pub(super) fn combination(all: &[Variable], variables: &[usize], row: usize) -> String {
    let states = variables.iter().map(|&variable| all[variable].states());
    let combinations = Assignments::rows(states.clone().map(|states| states.len().max(1)));
    let states = states.zip(combinations.values(row));
    let names = states.map(|(states, x)| states.get(x as usize).map_or("", State::name));
    format!("({})", names.collect::<Vec<_>>().join(", "))
}

/// Returns the index in the network of the variable named `name`, looked up in the map `index`.
///
/// **Errors.** [`Unknown`] if there is no variable named `name`.
pub(super) fn position_of(
    index: &FxHashMap<String, usize>,
    variables: &[Variable],
    name: &str,
) -> Result<usize, Unknown> {
    let position = index.get(name).copied();
    position.ok_or_else(|| unknown_among(variables.iter().map(Variable::name), name))
}

pub(super) fn unknown_among<'n>(names: impl Iterator<Item = &'n str>, name: &str) -> Unknown {
    Unknown {
        variable: None,
        name: name.into(),
        near: similar_names(name, names),
    }
}

pub(super) fn unknown_state(variable: &Variable, name: &str) -> Unknown {
    Unknown {
        variable: Some(variable.name.clone()),
        name: name.into(),
        near: similar_names(name, variable.states.iter().map(State::name)),
    }
}

/// Error for the name of a variable or a state that is not in the network.
#[derive(Clone, PartialEq, Eq, Error, ErrorDebug)]
#[error("{}; {}", self.problem(), did_you_mean(near))]
pub struct Unknown {
    /// The variable that has no state named `name`; `None` if `name` was sought as the name of a variable.
    pub variable: Option<String>,
    /// The name that is not in the network.
    pub name: String,
    /// Names in the network that are similar to the unknown name, or all names if there are only a few.
    pub near: Vec<String>,
}

impl Unknown {
    fn problem(&self) -> String {
        let name = printable(&self.name);
        match &self.variable {
            Some(variable) => format!("`{}` has no state `{name}`", printable(variable)),
            None => format!("no variable is called `{name}`"),
        }
    }
}

impl From<Unknown> for Mistake {
    fn from(unknown: Unknown) -> Self {
        let (problem, remedy) = (unknown.problem(), did_you_mean(&unknown.near));
        Self::new(MistakeKind::Unknown, problem, remedy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_printed_on_one_line() {
        let unknown = Unknown {
            variable: Some("rain\n".into()),
            name: "\u{1b}[31myes".into(),
            near: vec!["ye\ts".into()],
        };
        let message = "`rain\\n` has no state `\\u{1b}[31myes`; did you mean `ye\\ts`?";
        assert_eq!(unknown.to_string(), message);
    }
}
