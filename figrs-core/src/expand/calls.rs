//! Recursive calls in an expanded model: the distribution of a call is computed once for each argument.
//!
//! A traversal of a model that reaches a recursive call waits until the body of the call has been expanded and the call's
//! distribution computed. A call whose distribution is known is replaced by a random element without parents. The body of each recursive call is
//! expanded twice: an element that occurs in both expansions was not created by the body, and other elements may therefore depend on it. If both
//! expansions of a call's body have an element in common, the call is unfolded (treated like any other `Chain`) instead.

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::cache::ExpansionCache;
use super::expander::Expander;
use super::expansion::{Content, ExpandedElement, Expansion, ExpansionMemory};
use super::submodels::SolvedSubmodel;
use crate::element::apply::{CallId, FunctionId};
use crate::element::node::{AnyElement, ElementId, Kind};
use crate::element::operations::ChainOp;
use crate::error::ModelError;
use crate::model::Model;
use crate::value::support::Support;
use figrs_factor::Limits;
use figrs_factor::graph::Weights;

/// The kind of query for which the possible values of a model are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueryKind {
    /// The query computes sums over the possible worlds.
    Sums,
    /// The query asks for the most probable possible world.
    BestWorld,
}

#[derive(Clone, Debug)]
pub(super) enum CallSolution {
    InProgress,
    /// The recursive call is replaced by an element without parents with the given values and weights. If the model is expanded only to a limited
    /// depth, the last weight in the list may be that of the value `unknown` (the value depends on parts that were not expanded).
    Shared(Support, Weights),
    Unfolded,
}

/// A request to compute the distribution of a recursive call: an element that represents the call, and the nesting depth that is still allowed.
#[derive(Debug)]
pub(super) struct CallRequest {
    pub(super) call: CallId,
    pub(super) element: AnyElement,
    pub(super) depth: usize,
    /// The number of levels of nested `Chain` elements, including the call itself, that may still be expanded; [`NO_DEPTH_LIMIT`] if the depth is not
    /// limited.
    pub(super) levels: usize,
}

/// The value of the field `levels` if the nesting depth of `Chain` elements is not limited.
pub(super) const NO_DEPTH_LIMIT: usize = usize::MAX;

/// A recursive call that the expansion of a model has reached, with its solutions (distributions).
#[derive(Debug)]
struct ReachedCall {
    /// An element of the recursive call, which keeps the call's function alive.
    _element: AnyElement,
    /// The solutions (distributions) of the recursive call, each with the number of levels of nested `Chain` elements that were expanded to compute
    /// it.
    solutions: FxHashMap<usize, CallSolution>,
    /// The least number of expanded levels of nested `Chain` elements from which on the solution of the recursive call no longer changes.
    settled: Option<usize>,
}

/// The solutions (distributions) of all recursive calls that the expansion of a model has reached.
#[derive(Debug, Default)]
pub(super) struct CallSolutions {
    calls: FxHashMap<CallId, ReachedCall>,
    /// `true` if the solution of a call lists only some values of an infinite support.
    pub(super) is_ranged: bool,
    /// Approximate size of the weights of all solutions in bytes.
    bytes: u64,
    /// The recursive functions of the model, in the order in which their calls were first reached.
    functions: IndexSet<FunctionId, FxBuildHasher>,
    /// The elements with evidence or other statements in the model, and the targets of the query. A recursive call whose body reaches a target or an
    /// element with evidence is unfolded (treated like any other `Chain`): otherwise the evidence would have no effect on the rest of the model.
    roots: FxHashSet<ElementId>,
}

/// Treatment of a recursive call that the expansion of a model (the listing of its elements' values) reaches.
pub(super) enum CallTreatment {
    /// The recursive call is replaced by an element without parents with the given values and weights.
    Shared(Support, Weights),
    Unfolded,
    /// The recursive call must be solved (its distribution computed) before the expansion of the model can continue.
    Unsolved(CallId),
    /// The call is unfolded. The call that contains this recursive call in its body must be unfolded (treated like any other `Chain`) as well,
    /// because its body did not create the called function.
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

    /// Returns the treatment of a recursive call in the body of another call, if `levels` levels of nested `Chain` elements may still be expanded.
    /// The argument `known` is the number of recursive functions that had been reached before the expansion of the outer call's body began.
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

    /// Stores the solution (distribution) of the recursive call `request`. If `is_settled` is true, the solution of the recursive call is also valid
    /// for any greater number of nested `Chain` elements.
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

impl Expansion {
    /// Lists the possible values of all elements that `targets` and the evidence of `model` need. Equal calls of [`Recursive`](crate::Recursive)
    /// functions become random elements without parents, if the calls may share one distribution.
    ///
    /// The function `solve` receives the expanded body of a recursive call, which has one target and no evidence, and computes a weight for each
    /// value of the target. Depending on the query, the weight of a value is the sum over the worlds with this value, or the weight of the most
    /// probable of these worlds.
    ///
    /// **Complexity.** For each recursive function and argument, the body of the call is expanded twice and solved once.
    ///
    /// **Errors.** [`ModelError::CyclicCall`] if a recursive call depends on itself; the errors of [`new`](Self::new) and of `solve`.
    pub fn sharing_calls<E: From<ModelError>>(
        model: &Model,
        targets: &[AnyElement],
        limits: &Limits,
        asked: QueryKind,
        solve: impl FnMut(&Self) -> Result<Weights, E>,
    ) -> Result<Self, E> {
        let mut memory = ExpansionCache::default();
        Self::with_solved(model, targets, limits, asked, &[], &mut memory, solve)
    }

    /// Expands a model as [`sharing_calls`](Self::sharing_calls) does, and replaces each solved sub-model in `solved` by a table of the weights of
    /// its root element's values. The solutions (distributions) of recursive calls are stored in `memory` and used again.
    ///
    /// **Errors.** The method returns the same errors as [`sharing_calls`](Self::sharing_calls).
    pub fn with_solved<E: From<ModelError>>(
        model: &Model,
        targets: &[AnyElement],
        limits: &Limits,
        asked: QueryKind,
        solved: &[SolvedSubmodel],
        memory: &mut ExpansionCache,
        mut solve: impl FnMut(&Self) -> Result<Weights, E>,
    ) -> Result<Self, E> {
        let nothing = Model::new();
        let mut sharing = CallSharing::new(&nothing, limits, asked);
        sharing.calls = std::mem::take(&mut memory.solutions);
        let mut walk = Expander::new(model, limits, None);
        walk.replace(solved.iter().cloned());
        sharing.complete(&mut walk, model, targets, &mut solve)?;
        memory.solutions = sharing.calls;
        Ok(walk.finished(model, targets)?)
    }

    /// Expands a model to a limited depth as [`to_depth`](Self::to_depth) does, and computes each recursive call only once as
    /// [`sharing_calls`](Self::sharing_calls) does for sums over the worlds. The distribution of a recursive call is computed once for each pair of
    /// an argument and a number of levels of `Chain` elements that may still be expanded. If the value of the target may be unknown at the limited
    /// depth, the last weight that `solve` returns is the weight of the value `unknown`.
    ///
    /// **Guarantee.** The sums over the worlds are the same as if each recursive call were expanded separately, up to rounding.
    ///
    /// **Errors.** The method returns the same errors as [`sharing_calls`](Self::sharing_calls).
    pub fn sharing_calls_to_depth<E: From<ModelError>>(
        model: &Model,
        targets: &[AnyElement],
        limits: &Limits,
        depth: usize,
        memory: &mut ExpansionCache,
        mut solve: impl FnMut(&Self) -> Result<Weights, E>,
    ) -> Result<Self, E> {
        let nothing = Model::new();
        let mut sharing = CallSharing::new(&nothing, limits, QueryKind::Sums);
        sharing.calls = std::mem::take(&mut memory.solutions);
        let mut reached = 0;
        loop {
            let mut walk = Expander::to_depth(model, limits, depth, memory);
            walk.expansion.reached = reached;
            let outcome = sharing.complete(&mut walk, model, targets, &mut solve);
            let is_outdated = walk.put_memory(memory);
            outcome?;
            if !is_outdated {
                memory.solutions = sharing.calls;
                return Ok(walk.finished(model, targets)?);
            }
            reached = walk.expansion.reached;
        }
    }
}

fn roots(model: &Model, targets: &[AnyElement]) -> FxHashSet<ElementId> {
    let stated = model.evidence().iter().map(|(element, _)| element.id());
    let fixed = model
        .interventions()
        .iter()
        .map(|(element, _)| element.id());
    let asked = targets.iter().map(AnyElement::id);
    stated.chain(fixed).chain(asked).collect()
}

struct CallExpansion<'m> {
    request: CallRequest,
    root: AnyElement,
    walk: Expander<'m>,
    /// The first expansion of the body of the recursive call, which is kept while the body is expanded a second time.
    first: Option<Expansion>,
}

/// The recursive calls that are reached while one model is expanded, and a stack of the calls that are being solved. Each recursive call on the stack
/// waits until the call above it is solved.
struct CallSharing<'m> {
    empty_model: &'m Model,
    limits: &'m Limits,
    asked: QueryKind,
    calls: CallSolutions,
    call_stack: Vec<CallExpansion<'m>>,
    /// Memory used by the suspended traversals of the model, which continue when the recursive calls on the stack are solved.
    memory: ExpansionMemory,
}

impl<'m> CallSharing<'m> {
    fn new(empty_model: &'m Model, limits: &'m Limits, asked: QueryKind) -> Self {
        Self {
            empty_model,
            limits,
            asked,
            calls: CallSolutions::default(),
            call_stack: Vec::new(),
            memory: ExpansionMemory::new(None),
        }
    }

    /// Continues the traversal of a model until it is complete, and solves the recursive calls that it needs.
    fn complete<E: From<ModelError>>(
        &mut self,
        walk: &mut Expander<'m>,
        model: &Model,
        targets: &[AnyElement],
        solve: &mut impl FnMut(&Expansion) -> Result<Weights, E>,
    ) -> Result<(), E> {
        while let Some(wanted) = self.advance(walk, model, targets)? {
            if self.calls.functions() == 0 {
                self.calls = CallSolutions::new(roots(model, targets));
            }
            self.memory = walk.memory();
            self.enter_call(wanted, None, walk.expansion.reached);
            while let Some(body) = self.call_stack.pop() {
                walk.expansion.reached = self.advance_body(body, solve)?;
            }
        }
        Ok(())
    }

    /// Continues the traversal of a model until it is complete or needs the solution of a recursive call.
    fn advance(
        &mut self,
        walk: &mut Expander<'m>,
        model: &Model,
        targets: &[AnyElement],
    ) -> Result<Option<CallRequest>, ModelError> {
        walk.calls = Some(std::mem::take(&mut self.calls));
        let outcome = walk.reach_roots(model, targets);
        self.calls = walk.calls.take().unwrap_or_default();
        outcome.map(|()| walk.pending_call.take())
    }

    /// Calls a recursive function, and starts to expand the body of the call.
    fn enter_call(&mut self, wanted: CallRequest, first: Option<Expansion>, reached: usize) {
        let Kind::Chain(_, op) = wanted.element.kind() else {
            return;
        };
        match op.call(&[]) {
            Ok(root) => {
                self.calls.set(&wanted, CallSolution::InProgress, false);
                self.enter_body(wanted, root, ExpansionCache::default(), first, reached);
            }
            // The call is unfolded: if a world evaluates the call, the traversal reports the error.
            Err(_) => self.calls.set(&wanted, CallSolution::Unfolded, true),
        }
    }

    /// Starts to expand the body of a recursive call; the body is the element `root`. If the nesting depth is limited, the depth of the elements in
    /// the body is counted from the recursive call.
    fn enter_body(
        &mut self,
        request: CallRequest,
        root: AnyElement,
        mut memory: ExpansionCache,
        first: Option<Expansion>,
        reached: usize,
    ) {
        let (walk, depth) = if request.levels == NO_DEPTH_LIMIT {
            let walk = Expander::new(self.empty_model, self.limits, None);
            (walk, request.depth + 1)
        } else {
            let levels = request.levels;
            let walk = Expander::to_depth(self.empty_model, self.limits, levels, &mut memory);
            (walk, 1)
        };
        let waits = self.call_stack.last().map(|body| body.walk.memory());
        let walk = walk
            .nested_in_call(depth, self.calls.functions(), reached)
            .with_memory_of(waits.unwrap_or(self.memory));
        self.call_stack.push(CallExpansion {
            request,
            root,
            walk,
            first,
        });
    }

    /// Continues to expand the body of a recursive call, and returns the number of elements reached in the body.
    fn advance_body<E: From<ModelError>>(
        &mut self,
        mut body: CallExpansion<'m>,
        solve: &mut impl FnMut(&Expansion) -> Result<Weights, E>,
    ) -> Result<usize, E> {
        let root = [body.root.clone()];
        let outcome = self.advance(&mut body.walk, self.empty_model, &root);
        let reached = body.walk.expansion.reached;
        if let Ok(Some(wanted)) = outcome {
            self.call_stack.push(body);
            self.enter_call(wanted, None, reached);
            return Ok(reached);
        }
        let CallExpansion {
            request: wanted,
            mut walk,
            first,
            ..
        } = body;
        let mut memory = ExpansionCache::default();
        let is_outdated = walk.put_memory(&mut memory);
        if is_outdated && outcome.is_ok() {
            let [root] = root;
            self.enter_body(wanted, root, memory, first, reached);
            return Ok(reached);
        }
        let is_older = walk.is_unfolded;
        let expansion = match outcome.and_then(|_| walk.finished(self.empty_model, &root)) {
            Ok(expansion) => Some(expansion),
            Err(error) if error.is_local() || matches!(error, ModelError::NotFinite { .. }) => None,
            Err(error) => return Err(error.into()),
        };
        let expansion = expansion.filter(|expansion| !is_older && is_plain(expansion));
        let is_complete = expansion.as_ref().is_some_and(Expansion::is_complete);
        self.calls.is_ranged |= expansion.as_ref().is_some_and(Expansion::is_ranged);
        let solution = match (expansion, first) {
            (None, _) => CallSolution::Unfolded,
            (Some(first), None) => {
                self.enter_call(wanted, Some(first), reached);
                return Ok(reached);
            }
            (Some(second), Some(first)) if self.have_common_elements(&first, &second) => {
                CallSolution::Unfolded
            }
            (Some(_), Some(first)) => {
                let solved = &first.elements()[first.targets()[0]];
                let weights = match &solved.content {
                    Content::Atomic(weights) => weights.clone(),
                    _ => solve(&first)?,
                };
                CallSolution::Shared(solved.support.clone(), weights)
            }
        };
        let is_settled = is_complete || matches!(solution, CallSolution::Unfolded);
        self.calls.set(&wanted, solution, is_settled);
        Ok(reached)
    }

    /// True if two expansions of the body of a recursive call share an element that the body did not create, so that other elements may depend on the
    /// shared element. For sums over worlds, elements that two expansions of a call's body share are ignored if they are constant or are functions,
    /// and their values are never unknown. For the most probable world, no element that two expansions of a call's body share is ignored, because the
    /// answer must contain a value for each of these elements.
    fn have_common_elements(&self, first: &Expansion, second: &Expansion) -> bool {
        let is_harmless = |expanded: &ExpandedElement| match &expanded.content {
            Content::Apply(_) => self.asked == QueryKind::Sums,
            Content::Atomic(weights) => self.asked == QueryKind::Sums && weights.len() == 1,
            _ => false,
        };
        first.elements().iter().any(|expanded| {
            let is_common = second.position(&expanded.element).is_some();
            is_common && (expanded.unknown || !is_harmless(expanded))
        })
    }
}

/// True if the body of a recursive call contains no `Score` elements and no functions that fail, so that the weights of its values depend only on
/// random choices.
fn is_plain(expansion: &Expansion) -> bool {
    let is_plain = |expanded: &ExpandedElement| {
        expanded.failures.is_none() && !matches!(expanded.content, Content::Score(_))
    };
    let has_points = expansion.cells.is_empty();
    has_points && expansion.impossible().is_none() && expansion.elements().iter().all(is_plain)
}
