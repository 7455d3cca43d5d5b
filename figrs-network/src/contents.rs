//! The contents of a network: its variables, tables and elements.

use figrs_core::factor::Weights;
use figrs_core::{Element, Model};
use rustc_hash::FxHashMap;

use super::evidence::ObservedVariables;
use super::observation::Observation;
use super::variable::{combination, position_of};
use super::{
    NetworkClause, NetworkError, NetworkKind, NetworkTable, NormalisedRow, State, Variable,
    elements,
};

/// A discrete network from a file, whose variables are elements (random variables of figrs) and can be queried like any others.
#[derive(Clone, Debug)]
pub struct Network {
    pub(super) name: String,
    pub(super) kind: NetworkKind,
    pub(super) variables: Vec<Variable>,
    pub(super) tables: Vec<NetworkTable>,
    pub(super) clauses: Vec<NetworkClause>,
    pub(super) normalised: Vec<NormalisedRow>,
    pub(super) index: FxHashMap<String, usize>,
    /// Indices of the tables of a Bayesian network in topological order: the table of a parent comes before the tables of its children.
    pub(super) order: Vec<usize>,
    pub(super) elements: Vec<Element<State>>,
    pub(super) model: Model,
}

impl Network {
    /// Returns the name of the network; the name is empty if the file does not state a name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the kind of the network: Bayesian or Markov.
    pub fn kind(&self) -> NetworkKind {
        self.kind
    }

    /// Returns the variables of the network, in the order of the file.
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// Returns the tables of the network, in the order of the file.
    pub fn tables(&self) -> &[NetworkTable] {
        &self.tables
    }

    /// Returns the clauses of a network that was read from a formula. The clauses of a network are factors in addition to its tables; networks of
    /// formats other than CNF have no clauses.
    pub fn clauses(&self) -> &[NetworkClause] {
        &self.clauses
    }

    /// Returns the elements of all variables of the network, in the order of the variables.
    pub fn elements(&self) -> &[Element<State>] {
        &self.elements
    }

    /// Returns the table rows that were divided by their sums when the network was read, because the sums deviated from one by rounding or because
    /// the reader [normalises](super::NetworkReader::normalise).
    pub fn normalised(&self) -> &[NormalisedRow] {
        &self.normalised
    }

    /// Describes a row of a table by the variable and the states of its parents, as in `Employment (young, F)`; if the variable has no parents, only
    /// its name is written.
    pub fn row_name(&self, row: &NormalisedRow) -> String {
        let of_variable = |t: &&NetworkTable| t.variables.last() == Some(&row.variable);
        let table = self.tables.iter().find(of_variable);
        let parents = table.map_or(&[][..], |t| &t.variables[..t.variables.len() - 1]);
        let states = combination(&self.variables, parents, row.row);
        let name = &self.variables[row.variable].name;
        if parents.is_empty() {
            return name.clone();
        }
        format!("{name} {states}")
    }

    /// Returns the index of the variable named `variable`.
    ///
    /// **Errors.** [`NetworkError::Unknown`], with similar names, if no variable has this name.
    pub fn position(&self, variable: &str) -> Result<usize, NetworkError> {
        Ok(position_of(&self.index, &self.variables, variable)?)
    }

    /// Returns the element of the variable named `variable`.
    ///
    /// **Errors.** [`NetworkError::Unknown`], with similar names, if no variable has this name.
    pub fn element(&self, variable: &str) -> Result<&Element<State>, NetworkError> {
        Ok(&self.elements[self.position(variable)?])
    }

    /// Creates an observation that a variable is in one of its states; the variable and the state are given by name.
    ///
    /// **Errors.** [`NetworkError::Unknown`], with similar names, if no variable has the given name, or if the variable has no state with the given
    /// name.
    pub fn observation(&self, variable: &str, state: &str) -> Result<Observation, NetworkError> {
        Ok(ObservedVariables::observation(self, variable, state)?)
    }

    /// Returns a copy of the network whose tables have the entries `numbers`, given as one list for each table.
    pub(super) fn with_numbers(&self, numbers: Vec<Vec<f64>>) -> Self {
        let tables: Vec<NetworkTable> = self
            .tables
            .iter()
            .zip(numbers)
            .map(|(table, numbers)| NetworkTable {
                variables: table.variables.clone(),
                weights: Weights::from_linear(numbers),
            })
            .collect();
        self.with_tables(tables, self.order.clone())
    }

    /// Returns a copy of the Bayesian network with the tables `tables`; `order` lists the tables such that the table of a parent comes before the
    /// tables of its children.
    pub(super) fn with_tables(&self, tables: Vec<NetworkTable>, order: Vec<usize>) -> Self {
        Self {
            elements: elements::of_tables(&self.variables, &tables, &order),
            tables,
            order,
            normalised: Vec::new(),
            ..self.clone()
        }
    }

    /// Returns the model of the network without observations. For a Markov network, the model contains the factors as evidence, and the probability
    /// of this evidence is the sum over all assignments of the product of the factors.
    pub fn model(&self) -> Model {
        self.model.clone()
    }

    /// Returns the model of the network with the observations `observations`.
    pub fn observing(&self, observations: &[Observation]) -> Model {
        observations.iter().fold(self.model(), |model, observed| {
            model.observe(&self.elements[observed.variable], observed.state.clone())
        })
    }
}
