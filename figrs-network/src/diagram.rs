//! Influence diagrams: models with chance variables, decisions and utilities.

mod elements;
mod unordered;

use rustc_hash::FxHashMap;

pub use elements::DiagramElements;

use super::variable::position_of;
use super::{NetworkError, NetworkTable, NormalisedRow, Variable};

/// An influence diagram that was read from a file. An influence diagram consists of chance variables with conditional tables, decisions with the
/// variables that are known when each decision is made, and utilities whose sum is to be maximised.
///
/// Chance variables and decisions of an influence diagram are in one list, and are identified by their indices in this list.
///
/// ```
/// use figrs_network::InfluenceDiagram;
///
/// let diagram = InfluenceDiagram::from_xdsl(r#"<smile version="1.0" id="umbrella"><nodes>
///     <cpt id="weather"><state id="sun"/><state id="rain"/><probabilities>0.7 0.3</probabilities></cpt>
///     <decision id="umbrella"><state id="take"/><state id="leave"/></decision>
///     <utility id="comfort"><parents>weather umbrella</parents><utilities>20 100 70 0</utilities></utility>
/// </nodes></smile>"#)?;
/// let [decision] = diagram.decisions() else { panic!() };
/// let [comfort] = diagram.utilities() else { panic!() };
/// assert_eq!(diagram.variables()[decision.variable()].name(), "umbrella");
/// assert!(decision.known().is_empty());
/// // The second state of the weather (rain) and the first option of the decision, which varies fastest (take).
/// assert_eq!(comfort.numbers()[2], 70.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct InfluenceDiagram {
    pub(super) name: String,
    pub(super) variables: Vec<Variable>,
    pub(super) tables: Vec<NetworkTable>,
    pub(super) decisions: Vec<DecisionNode>,
    pub(super) utilities: Vec<UtilityNode>,
    pub(super) normalised: Vec<NormalisedRow>,
    pub(super) index: FxHashMap<String, usize>,
    pub(super) order: Vec<usize>,
}

impl InfluenceDiagram {
    /// Returns the name of the influence diagram; the name is empty if the file does not state a name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the chance variables and the decisions of the diagram, in the order of the file; the states of a decision variable are its options.
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// Returns the conditional table of each chance variable; in a table, the child is the last variable, and its state varies fastest.
    pub fn tables(&self) -> &[NetworkTable] {
        &self.tables
    }

    /// Returns the decisions of the influence diagram in the order in which they are made. If a decision influences a variable that is known at a
    /// second decision, the decision comes before the second decision; otherwise decisions have the order of the file.
    pub fn decisions(&self) -> &[DecisionNode] {
        &self.decisions
    }

    /// Returns the utilities of the influence diagram, in the order of the file. The utility of a world (an outcome of all variables) is the sum of
    /// the utilities of the diagram.
    pub fn utilities(&self) -> &[UtilityNode] {
        &self.utilities
    }

    /// Returns the indices of all variables of the diagram in an order in which each variable comes after its parents, and each decision comes after
    /// the variables that are known when the decision is made. Variables whose order is not determined by their parents have the order of the file.
    pub fn parents_first(&self) -> &[usize] {
        &self.order
    }

    /// Returns the table rows that were divided by their sums when the diagram was read, because the sums deviated from one by rounding or because
    /// the reader [normalises](super::NetworkReader::normalise).
    pub fn normalised(&self) -> &[NormalisedRow] {
        &self.normalised
    }

    /// Returns the index of the chance variable or decision named `variable`.
    ///
    /// **Errors.** [`NetworkError::Unknown`], with similar names, if no variable has this name.
    pub fn position(&self, variable: &str) -> Result<usize, NetworkError> {
        Ok(position_of(&self.index, &self.variables, variable)?)
    }
}

/// A decision of an influence diagram, with the variables that are known when the decision is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecisionNode {
    pub(super) variable: usize,
    pub(super) known: Vec<usize>,
}

impl DecisionNode {
    /// Returns the index of the decision in the list of the diagram's variables; the states of this variable are the options of the decision.
    pub fn variable(&self) -> usize {
        self.variable
    }

    /// Returns the indices of the variables that are known when the decision is made, according to the file: the parents of the decision. The
    /// algorithm that solves the diagram determines whether earlier decisions, and the variables known at earlier decisions, are known at a decision
    /// too.
    pub fn known(&self) -> &[usize] {
        &self.known
    }
}

/// A utility of an influence diagram: a number for each combination of states of some variables.
#[derive(Clone, Debug, PartialEq)]
pub struct UtilityNode {
    pub(super) name: String,
    pub(super) variables: Vec<usize>,
    pub(super) numbers: Vec<f64>,
}

impl UtilityNode {
    /// Returns the name of the utility.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the indices of the variables on which the utility depends; a utility may depend on no variable.
    pub fn variables(&self) -> &[usize] {
        &self.variables
    }

    /// Returns the values of the utility for all combinations of states; all values are finite, and the state of the last variable varies fastest.
    pub fn numbers(&self) -> &[f64] {
        &self.numbers
    }
}

#[cfg(test)]
mod tests;
