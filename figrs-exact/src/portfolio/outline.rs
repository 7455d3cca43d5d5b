//! First look at a model: its size, and which of its factors have zeros.

use figrs_factor::graph::has_zeros;
use figrs_factor::graph::{FactorGraph, VarId};

/// Number of binary digits of a joint value up to which an elimination of many operations has tables beyond every cache, and a decision of a search decides much of the model.
const SMALL: usize = 128;

/// Share of the factors of several variables that have zeros.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ZeroShare {
    /// None: decisions decide nothing else.
    None,
    /// Less than half.
    Few,
    /// Half of them or more: the model is logical.
    Most,
}

/// Size of a model, and which of its factors have zeros.
#[derive(Clone, Copy, Debug)]
pub(super) struct ModelOutline {
    pub(super) zeros: ZeroShare,
    /// Number of binary digits of a joint value, each variable by itself.
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

    /// True if half of the factors of several variables or more have zeros, so that decisions decide much else.
    pub(super) fn is_logical(self) -> bool {
        self.zeros == ZeroShare::Most
    }

    /// True if it has few joint values for a search.
    pub(super) fn is_small(self) -> bool {
        self.digits <= SMALL
    }
}
