//! The calls of recursive functions in an expansion, and the distributions found for them.

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use crate::element::function::{CallId, FunctionId};
use crate::element::node::{AnyElement, ChainOp, ElementId};
use crate::error::ModelError;
use crate::value::support::Support;
use figrs_factor::graph::Weights;

/// State of the solution of a recursive call.
#[derive(Clone, Debug)]
pub(super) enum CallSolution {
    /// The call is being solved.
    InProgress,
    /// The call is replaced by an atomic element with these values and weights.
    Shared(Support, Weights),
    /// The call is treated like any other Chain.
    Unfolded,
}

/// An element of a recursive call that is to be solved, with its nesting depth in Chains.
#[derive(Debug)]
pub(super) struct CallRequest {
    pub(super) call: CallId,
    pub(super) element: AnyElement,
    pub(super) depth: usize,
}

/// The solutions of all recursive calls that an expansion has reached.
#[derive(Debug, Default)]
pub(super) struct CallSolutions {
    /// The solution of each call, with an element of the call, which keeps the call's function alive.
    solutions: FxHashMap<CallId, (AnyElement, CallSolution)>,
    /// The recursive functions, in the order in which their calls were first reached.
    functions: IndexSet<FunctionId, FxBuildHasher>,
    /// Elements that the model or the query names. If the body of a call reaches an element that the model or the query names, the call is
    /// unfolded, because evidence on the element must count.
    roots: FxHashSet<ElementId>,
}

/// Treatment of a recursive call that the expansion reaches.
pub(super) enum CallTreatment {
    /// The call becomes an atomic element with these values and weights.
    Shared(Support, Weights),
    /// The call is treated like any other Chain.
    Unfolded,
    /// The call must be solved before the expansion can continue.
    Unsolved(CallId),
    /// The call is unfolded, and so is the call whose body makes it, because that body did not create the called function.
    UnfoldsCaller,
}

impl CallSolutions {
    /// Creates an empty collection of solutions of recursive calls; the model and the query name the elements `roots`.
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

    /// Returns the treatment of a call in the body of another call; `known` is the number of recursive functions known before the expansion
    /// of that body.
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

    /// Returns the number of known recursive functions.
    pub(super) fn functions(&self) -> usize {
        self.functions.len()
    }

    pub(super) fn set(&mut self, call: CallId, element: AnyElement, solution: CallSolution) {
        self.functions.insert(call.function);
        self.solutions.insert(call, (element, solution));
    }
}
