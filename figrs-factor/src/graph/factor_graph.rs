//! Variables, factors and their tables.

use serde::{Deserialize, Serialize};

use super::weights::Weights;

/// A variable of a [`FactorGraph`], given by its index in [`FactorGraph::cardinalities`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct VarId(pub u32);

impl VarId {
    /// Returns the index of the variable as a `usize`.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The table of a [`Factor`] or of a message, in one of three formats; two of them omit known zeros. `N` is a list of value indices, and `W` is a
/// list of weights.
#[derive(Clone, Debug)]
pub enum TableForm<N, W> {
    /// A weight for every assignment, row-major in the order of the factor's variables (the last variable changes
    /// fastest).
    Dense(W),
    /// Only the listed assignments have a weight; all other assignments have weight zero.
    Sparse {
        /// The assignments, sorted and without repetition, one after another; each assignment has one value index per variable.
        rows: N,
        /// The weight of each listed assignment.
        weights: W,
    },
    /// The last variable is a function of the other variables: an entry is one if the last variable has the value of the function, and zero
    /// otherwise.
    Function {
        /// The value of the function for each assignment of the other variables, row-major; [`NO_VALUE`](FactorTable::NO_VALUE) if all entries of an
        /// assignment are zero.
        index: N,
    },
}

/// The table of a [`Factor`].
pub type FactorTable = TableForm<Vec<u32>, Weights>;

impl<N, W> TableForm<N, W> {
    /// Returns the weights of the table; `None` for a function.
    pub fn weights(&self) -> Option<&W> {
        match self {
            Self::Dense(weights) | Self::Sparse { weights, .. } => Some(weights),
            Self::Function { .. } => None,
        }
    }

    /// Returns a mutable reference to the weights of the table; `None` for a function.
    pub fn weights_mut(&mut self) -> Option<&mut W> {
        match self {
            Self::Dense(weights) | Self::Sparse { weights, .. } => Some(weights),
            Self::Function { .. } => None,
        }
    }

    /// Returns the same table with references to its lists.
    pub fn as_ref(&self) -> TableForm<&N, &W> {
        match self {
            Self::Dense(weights) => TableForm::Dense(weights),
            Self::Sparse { rows, weights } => TableForm::Sparse { rows, weights },
            Self::Function { index } => TableForm::Function { index },
        }
    }

    /// Returns the same table with its lists converted by two functions.
    pub fn map<M, X>(
        self,
        numbers: impl FnOnce(N) -> M,
        weights: impl FnOnce(W) -> X,
    ) -> TableForm<M, X> {
        match self {
            Self::Dense(all) => TableForm::Dense(weights(all)),
            Self::Sparse { rows, weights: all } => TableForm::Sparse {
                rows: numbers(rows),
                weights: weights(all),
            },
            Self::Function { index } => TableForm::Function {
                index: numbers(index),
            },
        }
    }
}

impl FactorTable {
    /// Marks an assignment of the other variables in a function table for which the last variable has no possible value.
    pub const NO_VALUE: u32 = u32::MAX;

    /// Returns the origin of each weight; `None` if no weight has an origin.
    ///
    /// The origin of a weight is the index of the outcome whose probability is this weight.
    pub fn origins(&self) -> Option<&[u32]> {
        self.weights().and_then(Weights::origins)
    }
}

/// A non-negative function of some variables.
#[derive(Clone, Debug)]
pub struct Factor {
    /// The variables without repetition; the last variable changes fastest in the table.
    pub variables: Vec<VarId>,
    /// The values of the factor for the assignments of its variables.
    pub table: FactorTable,
    /// `true` if the weights sum to one over the *last* variable for every assignment of the other variables.
    ///
    /// If no other factor contains the last variable, a sum over this variable may omit the factor.
    pub normalised: bool,
}

impl Factor {
    /// Returns the number of entries that the table stores.
    pub fn entries(&self) -> usize {
        match &self.table {
            FactorTable::Function { index } => index.len(),
            table => table.weights().map_or(0, Weights::len),
        }
    }
}

/// A factor graph: the variables and the factors of one model.
#[derive(Clone, Debug, Default)]
pub struct FactorGraph {
    /// Number of values of each variable; at least one.
    pub cardinalities: Vec<u32>,
    /// The factors, in a deterministic order.
    pub factors: Vec<Factor>,
}

impl FactorGraph {
    /// Adds a variable with `cardinality` values.
    pub fn add_variable(&mut self, cardinality: usize) -> VarId {
        let id = VarId(self.cardinalities.len() as u32);
        self.cardinalities.push(cardinality as u32);
        id
    }

    /// Returns the number of values of `variable`.
    pub fn cardinality(&self, variable: VarId) -> usize {
        self.cardinalities[variable.index()] as usize
    }

    /// Returns the number of entries of a dense table over `variables`, or the largest `usize` if the number is larger.
    pub fn dense_size(&self, variables: &[VarId]) -> usize {
        variables
            .iter()
            .fold(1usize, |n, &v| n.saturating_mul(self.cardinality(v)))
    }
}
