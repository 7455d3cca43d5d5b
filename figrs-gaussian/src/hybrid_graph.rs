//! Factor graphs of finite variables and vectors of real numbers.

use figrs_factor::graph::{FactorGraph, VarId};
use smallvec::SmallVec;

use crate::square_root_form::SquareRootForm;

/// A vector of real numbers in a [`HybridGraph`], by its index in [`HybridGraph::dimensions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RealId(pub u32);

impl RealId {
    /// Returns the index of the vector as a `usize`.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A factor with a Gaussian function over some vectors for each assignment of some finite variables.
#[derive(Clone, Debug)]
pub struct HybridFactor {
    /// The finite variables of the factor, without duplicates. In the list of Gaussian functions of the factor, the value of the last finite variable
    /// changes fastest.
    pub finite: Vec<VarId>,
    /// The vectors of the factor, without duplicates, in the order of the arguments of the Gaussian functions.
    pub reals: SmallVec<[RealId; 4]>,
    /// For each assignment of the finite variables, a Gaussian function of the vectors.
    pub forms: SmallVec<[SquareRootForm; 1]>,
}

/// A factor graph of finite variables and vectors of real numbers.
#[derive(Clone, Debug, Default)]
pub struct HybridGraph {
    /// The finite variables of the graph, and the factors without vectors.
    pub finite: FactorGraph,
    /// The dimension of each vector, which is at least one.
    pub dimensions: Vec<usize>,
    /// The factors that contain vectors.
    pub factors: Vec<HybridFactor>,
}

impl HybridGraph {
    /// Adds a vector with the dimension `dimension`.
    pub fn add_real(&mut self, dimension: usize) -> RealId {
        let id = RealId(self.dimensions.len() as u32);
        self.dimensions.push(dimension);
        id
    }

    /// Returns the dimension of `real`.
    pub fn dimension(&self, real: RealId) -> usize {
        self.dimensions[real.index()]
    }
}
