//! The calls of recursive functions that an expansion has met, and their solutions.

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use crate::element::function::{CallId, FunctionId};
use crate::element::node::{AnyElement, ChainOp, ElementId};
use crate::error::ModelError;
use crate::factor::Weights;
use crate::value::support::Support;

/// Solution of a call.
#[derive(Clone, Debug)]
pub(super) enum Solution {
    /// It is being solved.
    Open,
    /// It is an atomic element with these values and weights.
    Shared(Support, Weights),
    /// It is a Chain like any other.
    Unfolded,
}

/// An element of a call that is to be solved, and its nesting depth in Chains.
#[derive(Debug)]
pub(super) struct Wanted {
    pub(super) call: CallId,
    pub(super) element: AnyElement,
    pub(super) depth: usize,
}

/// The solutions of all calls that an expansion has met.
#[derive(Debug, Default)]
pub(super) struct Calls {
    /// With an element of each call, so that the identity of its function is not given to another.
    solutions: FxHashMap<CallId, (AnyElement, Solution)>,
    /// Functions in the order in which calls of them were first met.
    functions: IndexSet<FunctionId, FxBuildHasher>,
    /// Elements that the model or the query names: a body that reaches one is unfolded, where evidence on it counts.
    roots: FxHashSet<ElementId>,
}

/// Continuation of a walk that meets a call.
pub(super) enum Met {
    /// The call is an atomic element.
    Shared(Support, Weights),
    /// It is a Chain like any other.
    Unfolded,
    /// It is to be solved first.
    Wanted(CallId),
    /// It is unfolded, and its function is not one that the body met here made: so that body is unfolded as well.
    Spreads,
}

impl Calls {
    pub(super) fn new(roots: FxHashSet<ElementId>) -> Self {
        Self {
            roots,
            ..Self::default()
        }
    }

    /// True if the model or the query names an element.
    pub(super) fn is_root(&self, element: &AnyElement) -> bool {
        self.roots.contains(&element.id())
    }

    /// The solution of a call in the body of another, before which some number of functions were known.
    pub(super) fn meet(
        &self,
        element: &AnyElement,
        op: &dyn ChainOp,
        known: usize,
    ) -> Result<Met, ModelError> {
        let Some(call) = op.call_id() else {
            return Ok(Met::Unfolded);
        };
        match self.solutions.get(&call) {
            None => Ok(Met::Wanted(call)),
            Some((_, Solution::Shared(support, weights))) => {
                Ok(Met::Shared(support.clone(), weights.clone()))
            }
            Some((_, Solution::Unfolded)) => {
                let place = self.functions.get_index_of(&call.function);
                let is_older = place.is_some_and(|place| place < known);
                Ok(if is_older {
                    Met::Spreads
                } else {
                    Met::Unfolded
                })
            }
            Some((_, Solution::Open)) => Err(ModelError::CyclicCall {
                element: element.label(),
                argument: format!("{:?}", call.argument),
            }),
        }
    }

    /// Number of known functions.
    pub(super) fn functions(&self) -> usize {
        self.functions.len()
    }

    pub(super) fn set(&mut self, call: CallId, element: AnyElement, solution: Solution) {
        self.functions.insert(call.function);
        self.solutions.insert(call, (element, solution));
    }
}
