//! Variables, factors, and their tables of any storage format.

use serde::{Deserialize, Serialize};

use super::assignment::Assignments;
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

/// The table of a [`Factor`] or of a message, in one of three formats; two of these formats omit known zeros. The type `N` is a list of value
/// indices, and the type `W` is a list of weights.
#[derive(Clone, Debug)]
pub enum TableForm<N, W> {
    /// A weight for every assignment, row-major in the order of the factor's variables (the last variable changes
    /// fastest).
    Dense(W),
    /// In a sparse table, only the listed assignments have a weight; all other assignments have weight zero.
    Sparse {
        /// The assignments that a sparse table lists, sorted and without repetition, one after another; each assignment has one value index per
        /// variable.
        rows: N,
        /// The weight of each listed assignment.
        weights: W,
    },
    /// The last variable is a function of the other variables: an entry is one if the last variable has the value of the function, and zero
    /// otherwise.
    Function {
        /// The value of the function for each assignment of the other variables, row-major; [`NO_VALUE`](FactorTable::NO_VALUE) if all entries for
        /// this assignment are zero.
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

    /// Returns a table that refers to the lists of this table instead of a copy.
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

    /// Returns the origin of each weight (the index of the outcome with this probability); `None` if no weight has an origin.
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

/// Calls `visit` for each stored non-zero entry of `factor`, with the index and the assignment of the entry.
pub fn for_each_entry(graph: &FactorGraph, factor: &Factor, mut visit: impl FnMut(usize, &[u32])) {
    let arity = factor.variables.len();
    let cards = factor.variables.iter().map(|&v| graph.cardinality(v));
    let mut values = vec![0; arity];
    match &factor.table {
        FactorTable::Dense(weights) => {
            let all = Assignments::rows(cards);
            for i in 0..weights.len() {
                if !weights.is_zero(i) {
                    visit(i, &values);
                }
                all.advance(&mut values);
            }
        }
        FactorTable::Sparse { rows, weights } => {
            for i in (0..weights.len()).filter(|&i| !weights.is_zero(i)) {
                visit(i, &rows[i * arity..(i + 1) * arity]);
            }
        }
        FactorTable::Function { index } => {
            let parents = Assignments::rows(cards.take(arity - 1));
            for (i, &x) in index.iter().enumerate() {
                if x != FactorTable::NO_VALUE {
                    values[arity - 1] = x;
                    visit(i, &values);
                }
                parents.advance(&mut values);
            }
        }
    }
}

/// Returns the natural logarithm of the stored entry with the index `entry`; in a function table, the entry must not be zero.
pub fn log_stored(factor: &Factor, entry: usize) -> f64 {
    let weights = factor.table.weights();
    weights.map_or(0.0, |weights| weights.log(entry))
}

/// Returns the index of the stored entry of `factor` for the assignment `values` of all variables of the graph; `None` if the factor stores no such
/// entry.
pub fn stored_entry(graph: &FactorGraph, factor: &Factor, values: &[u32]) -> Option<usize> {
    let offset = |n: usize| {
        let parents = factor.variables[..n].iter();
        parents.fold(0, |at, &v| {
            at * graph.cardinality(v) + values[v.index()] as usize
        })
    };
    let arity = factor.variables.len();
    match &factor.table {
        FactorTable::Dense(_) => Some(offset(arity)),
        FactorTable::Sparse { rows, weights } => {
            let row = |i: usize| rows[i * arity..(i + 1) * arity].iter().copied();
            let sought = || factor.variables.iter().map(|v| values[v.index()]);
            let (mut low, mut high) = (0, weights.len());
            while low < high {
                let middle = usize::midpoint(low, high);
                if row(middle).lt(sought()) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            (low < weights.len() && row(low).eq(sought())).then_some(low)
        }
        FactorTable::Function { index } => {
            let child = factor.variables.last()?;
            let entry = offset(arity - 1);
            (index[entry] == values[child.index()]).then_some(entry)
        }
    }
}

/// Returns the natural logarithm of the entry of `factor` for the assignment `values` of all variables of the graph.
pub fn log_entry(graph: &FactorGraph, factor: &Factor, values: &[u32]) -> f64 {
    let entry = stored_entry(graph, factor, values);
    entry.map_or(f64::NEG_INFINITY, |entry| log_stored(factor, entry))
}

/// True if some entry of `factor` is zero.
pub fn has_zeros(factor: &Factor) -> bool {
    match &factor.table {
        FactorTable::Dense(weights) => weights.count_zeros() > 0,
        FactorTable::Sparse { .. } | FactorTable::Function { .. } => true,
    }
}

/// True if a positive weight of `factor` underflows when all weights are divided by the largest weight.
pub fn is_wide(factor: &Factor) -> bool {
    factor.table.weights().is_some_and(Weights::is_flushed)
}
