//! Outline of a model: its size, and the fraction of its factors that have zeros.

use figrs_factor::graph::has_zeros;
use figrs_factor::graph::{FactorGraph, VarId};

/// Maximum number of binary digits of a joint value of all variables of a small model. If an elimination of a small model is costly, its tables
/// exceed every processor cache, whereas each decision of a search fixes a large part of the model.
const SMALL_MODEL_DIGITS: usize = 128;

/// The fraction of the factors of at least two variables that have zeros.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ZeroShare {
    /// No factor has zeros. Decisions of a search then imply no other values.
    None,
    /// Less than half of the factors have zeros.
    Few,
    /// At least half of the factors have zeros; such a model is called logical.
    Most,
}

/// Size of a model, and its fraction of factors with zeros.
#[derive(Clone, Copy, Debug)]
pub(super) struct ModelOutline {
    pub(super) zeros: ZeroShare,
    /// Number of binary digits that a joint value of all variables needs.
    pub(super) digits: usize,
}

impl ModelOutline {
    /// The outline for a model that cannot be expanded.
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

    /// True if at least half of the factors of at least two variables have zeros; decisions of a search then imply many other values.
    pub(super) fn is_logical(self) -> bool {
        self.zeros == ZeroShare::Most
    }

    /// True if the model is small: a joint value has at most `SMALL_MODEL_DIGITS` binary digits.
    pub(super) fn is_small(self) -> bool {
        self.digits <= SMALL_MODEL_DIGITS
    }
}
