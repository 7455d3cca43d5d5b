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
    /// The call is replaced by an atomic element with these values and weights. In an expansion to some depth, the weight of the value
    /// `unknown` follows the weights of the values.
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
    /// Number of further nested Chains that may be expanded, with that of the call itself; [`NO_DEPTH_LIMIT`] if there is no limit.
    pub(super) levels: usize,
}

/// Number of levels of an expansion without a limit of its depth.
pub(super) const NO_DEPTH_LIMIT: usize = usize::MAX;

/// The solutions of a recursive call that an expansion has reached.
#[derive(Debug)]
struct ReachedCall {
    /// An element of the call, which keeps the call's function alive.
    _element: AnyElement,
    /// The solution for each number of levels to which the call was expanded.
    solutions: FxHashMap<usize, CallSolution>,
    /// The least number of levels from which on the solution is always the same.
    settled: Option<usize>,
}

/// The solutions of all recursive calls that an expansion has reached.
#[derive(Debug, Default)]
pub(super) struct CallSolutions {
    calls: FxHashMap<CallId, ReachedCall>,
    /// `true` if a solution lacks some values of an element with infinitely many values.
    pub(super) is_ranged: bool,
    /// Approximate size of the stored weights in bytes.
    bytes: u64,
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

    /// Returns the treatment of a call in the body of another call, if `levels` nested Chains may be expanded; `known` is the number of
    /// recursive functions known before the expansion of that body.
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

    /// Returns the number of known recursive functions.
    pub(super) fn functions(&self) -> usize {
        self.functions.len()
    }

    /// Stores the solution of a call. If `is_settled` is true, the solution holds for any greater number of levels too.
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

    /// Returns the approximate size of the solutions in bytes.
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
    /// Returns the approximate size of a stored solution in bytes.
    fn bytes(&self) -> u64 {
        let weights = match self {
            Self::Shared(_, weights) => weights.bytes(),
            Self::InProgress | Self::Unfolded => 0,
        };
        (weights + 2 * size_of::<(usize, Self)>()) as u64
    }
}
