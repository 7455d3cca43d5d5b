//! The calls of recursive functions that an expansion has reached, and their solutions.

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use crate::element::function::{CallId, FunctionId};
use crate::element::node::{AnyElement, ChainOp, ElementId};
use crate::error::ModelError;
use crate::value::support::Support;
use figrs_factor::graph::Weights;

/// Solution of a call.
#[derive(Clone, Debug)]
pub(super) enum CallSolution {
    /// The call is being solved.
    InProgress,
    /// The call is an atomic element with these values and weights.
    Shared(Support, Weights),
    /// The call is treated like any other Chain.
    Unfolded,
}

/// An element of a call that is to be solved, and its nesting depth in Chains.
#[derive(Debug)]
pub(super) struct CallRequest {
    pub(super) call: CallId,
    pub(super) element: AnyElement,
    pub(super) depth: usize,
}

/// The solutions of all calls that an expansion has reached.
#[derive(Debug, Default)]
pub(super) struct CallSolutions {
    /// The solution of each call, with an element of the call, which prevents a new function from reusing the identity of
    /// the call's function.
    solutions: FxHashMap<CallId, (AnyElement, CallSolution)>,
    /// Functions in the order in which their calls were first reached.
    functions: IndexSet<FunctionId, FxBuildHasher>,
    /// Elements that the model or the query names: a body that reaches such an element is unfolded, because evidence on
    /// it must count.
    roots: FxHashSet<ElementId>,
}

/// Treatment of a call that the expansion reaches.
pub(super) enum CallTreatment {
    /// The call is an atomic element.
    Shared(Support, Weights),
    /// The call is treated like any other Chain.
    Unfolded,
    /// The call has to be solved first.
    Unsolved(CallId),
    /// The call is unfolded. The current body did not create the function of the call; the body is therefore unfolded
    /// as well.
    UnfoldsCaller,
}

impl CallSolutions {
    /// Creates an empty collection of calls, for a model and a query that name the elements `roots`.
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

    /// The treatment of a call in the body of another call; `known` is the number of functions that were known before the expansion of that
    /// body began.
    pub(super) fn treatment(
        &self,
        element: &AnyElement,
        op: &dyn ChainOp,
        known: usize,
    ) -> Result<CallTreatment, ModelError> {
        let Some(call) = op.call_id() else {
            return Ok(CallTreatment::Unfolded);
        };
        match self.solutions.get(&call) {
            None => Ok(CallTreatment::Unsolved(call)),
            Some((_, CallSolution::Shared(support, weights))) => {
                Ok(CallTreatment::Shared(support.clone(), weights.clone()))
            }
            Some((_, CallSolution::Unfolded)) => {
                let place = self.functions.get_index_of(&call.function);
                let is_older = place.is_some_and(|place| place < known);
                Ok(if is_older {
                    CallTreatment::UnfoldsCaller
                } else {
                    CallTreatment::Unfolded
                })
            }
            Some((_, CallSolution::InProgress)) => Err(ModelError::CyclicCall {
                element: element.label(),
                argument: format!("{:?}", call.argument),
            }),
        }
    }

    /// Number of known functions.
    pub(super) fn functions(&self) -> usize {
        self.functions.len()
    }

    pub(super) fn set(&mut self, call: CallId, element: AnyElement, solution: CallSolution) {
        self.functions.insert(call.function);
        self.solutions.insert(call, (element, solution));
    }
}
