//! The recursive calls in an expansion, and the distributions computed for them.

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use crate::element::function::{CallId, FunctionId};
use crate::element::node::{AnyElement, ElementId};
use crate::element::operations::ChainOp;
use crate::error::ModelError;
use crate::value::support::Support;
use figrs_factor::graph::Weights;

#[derive(Clone, Debug)]
pub(super) enum CallSolution {
    InProgress,
    /// The call is replaced by an atomic element with the contained values and weights. If the expansion has a limited depth, the last weight may be
    /// that of the value `unknown`.
    Shared(Support, Weights),
    Unfolded,
}

/// A recursive call to be solved: an element of the call, with its nesting depth in `Chain` elements.
#[derive(Debug)]
pub(super) struct CallRequest {
    pub(super) call: CallId,
    pub(super) element: AnyElement,
    pub(super) depth: usize,
    /// The number of nested `Chain` elements, including the call itself, that may still be expanded; [`NO_DEPTH_LIMIT`] if the depth is not limited.
    pub(super) levels: usize,
}

/// The value of `levels` if the depth is not limited.
pub(super) const NO_DEPTH_LIMIT: usize = usize::MAX;

/// A recursive call that an expansion has reached, with its solutions.
#[derive(Debug)]
struct ReachedCall {
    /// An element of the call, which keeps the call's function alive.
    _element: AnyElement,
    /// The solutions of the call, by the number of nested `Chain` elements that may be expanded.
    solutions: FxHashMap<usize, CallSolution>,
    /// The least number of nested `Chain` elements for which the solution is the same as for all greater numbers.
    settled: Option<usize>,
}

/// The solutions of all recursive calls that an expansion has reached.
#[derive(Debug, Default)]
pub(super) struct CallSolutions {
    calls: FxHashMap<CallId, ReachedCall>,
    /// `true` if a solution lists only some values of an infinite support.
    pub(super) is_ranged: bool,
    /// Approximate size of the stored weights in bytes.
    bytes: u64,
    /// The recursive functions, in the order in which their calls were first reached.
    functions: IndexSet<FunctionId, FxBuildHasher>,
    /// The elements that statements of the model are about, and the targets. A call whose body reaches one of these elements is unfolded, because
    /// evidence on the element must have an effect.
    roots: FxHashSet<ElementId>,
}

/// Treatment of a recursive call that the expansion reaches.
pub(super) enum CallTreatment {
    /// The call is replaced by an atomic element with the contained values and weights.
    Shared(Support, Weights),
    Unfolded,
    /// The call must be solved before the expansion can continue.
    Unsolved(CallId),
    /// The call is unfolded. The call whose body contains this call is unfolded too, because this body did not create the called function.
    UnfoldsCaller,
}

impl CallSolutions {
    pub(super) fn new(roots: FxHashSet<ElementId>) -> Self {
        Self {
            roots,
            ..Self::default()
        }
    }

    pub(super) fn is_root(&self, element: &AnyElement) -> bool {
        self.roots.contains(&element.id())
    }

    /// Returns the treatment of a call in the body of another call, if `levels` nested `Chain` elements may still be expanded. The argument `known`
    /// is the number of recursive functions that were known before the expansion of that body.
    pub(super) fn treatment(
        &self,
        element: &AnyElement,
        op: &dyn ChainOp,
        known: usize,
        levels: usize,
    ) -> Result<CallTreatment, ModelError> {
        let Some(call) = op.call_id() else {
            return Ok(CallTreatment::Unfolded);
        };
        match self
            .calls
            .get(&call)
            .and_then(|reached| reached.solution(levels))
        {
            None => Ok(CallTreatment::Unsolved(call)),
            Some(CallSolution::Shared(support, weights)) => {
                Ok(CallTreatment::Shared(support.clone(), weights.clone()))
            }
            Some(CallSolution::Unfolded) => {
                let place = self.functions.get_index_of(&call.function);
                let is_older = place.is_some_and(|place| place < known);
                Ok(if is_older {
                    CallTreatment::UnfoldsCaller
                } else {
                    CallTreatment::Unfolded
                })
            }
            Some(CallSolution::InProgress) => Err(ModelError::CyclicCall {
                element: element.label(),
                argument: format!("{:?}", call.argument),
            }),
        }
    }

    pub(super) fn functions(&self) -> usize {
        self.functions.len()
    }

    /// Stores the solution of the call `request`. If `is_settled` is true, the solution also holds for any greater number of nested `Chain` elements.
    pub(super) fn set(&mut self, request: &CallRequest, solution: CallSolution, is_settled: bool) {
        self.bytes += solution.bytes();
        let reached = self.reached(request);
        reached.solutions.insert(request.levels, solution);
        if is_settled {
            let settled = reached.settled.get_or_insert(request.levels);
            *settled = request.levels.min(*settled);
        }
    }

    fn reached(&mut self, request: &CallRequest) -> &mut ReachedCall {
        self.functions.insert(request.call.function);
        let entry = self.calls.entry(request.call.clone());
        entry.or_insert_with(|| ReachedCall {
            _element: request.element.clone(),
            solutions: FxHashMap::default(),
            settled: None,
        })
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes + (self.calls.len() * 2 * size_of::<(CallId, ReachedCall)>()) as u64
    }
}

impl ReachedCall {
    fn solution(&self, levels: usize) -> Option<&CallSolution> {
        let same = self.settled.filter(|&settled| settled <= levels);
        self.solutions.get(&same.unwrap_or(levels))
    }
}

impl CallSolution {
    fn bytes(&self) -> u64 {
        let weights = match self {
            Self::Shared(_, weights) => weights.bytes(),
            Self::InProgress | Self::Unfolded => 0,
        };
        (weights + 2 * size_of::<(usize, Self)>()) as u64
    }
}
