//! Outline of a model: its size, and which of its factors have zeros.

use figrs_factor::graph::has_zeros;
use figrs_factor::graph::{FactorGraph, VarId};

/// Maximum number of binary digits of a joint value of a small model: its costly eliminations have tables beyond every cache, and a search decision decides much of it.
const SMALL_MODEL_DIGITS: usize = 128;

/// Share of the factors of several variables that have zeros.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ZeroShare {
    /// No factor has zeros: a decision implies no other values.
    None,
    /// Less than half of the factors have zeros.
    Few,
    /// Half of the factors or more have zeros: the model is logical.
    Most,
}

/// Size of a model, and which of its factors have zeros.
#[derive(Clone, Copy, Debug)]
pub(super) struct ModelOutline {
    pub(super) zeros: ZeroShare,
    /// Number of binary digits of a joint value, summed over the variables.
    pub(super) digits: usize,
}

impl ModelOutline {
    /// The outline of a model that cannot be expanded.
    pub(super) const UNKNOWN: Self = Self {
        zeros: ZeroShare::Few,
        digits: usize::MAX,
    };

    pub(super) fn of(graph: &FactorGraph) -> Self {
        let is_open = |v: &&VarId| graph.cardinality(**v) > 1;
        let factors = graph.factors.iter();
        let joint = factors.filter(|f| f.variables.iter().filter(is_open).count() > 1);
        let (with_zeros, others): (Vec<_>, Vec<_>) = joint.partition(|f| has_zeros(f));
        let zeros = if with_zeros.len() >= others.len() {
            ZeroShare::Most
        } else if with_zeros.is_empty() {
            ZeroShare::None
        } else {
            ZeroShare::Few
        };
        let digits = |&n: &u32| n.max(1).next_power_of_two().trailing_zeros() as usize;
        let digits = graph.cardinalities.iter().map(digits).sum();
        Self { zeros, digits }
    }

    /// True if half of the factors of several variables or more have zeros, so that decisions imply many other values.
    pub(super) fn is_logical(self) -> bool {
        self.zeros == ZeroShare::Most
    }

    /// True if the model is small for a search.
    pub(super) fn is_small(self) -> bool {
        self.digits <= SMALL_MODEL_DIGITS
    }
}
