//! Expansion that computes the distribution of a recursive call once for each argument.
//!
//! A traversal of a model that reaches a recursive call waits until the body of the call has been expanded and solved. A solved call
//! is an atomic element. The body of each call is expanded twice: an element that occurs in both expansions was not created by the body, and other
//! elements may therefore depend on it. If the body of a call has an element that occurs in both expansions, the call is unfolded instead.

use rustc_hash::FxHashSet;

use super::cache::ExpansionCache;
use super::calls::{CallRequest, CallSolution, CallSolutions, NO_DEPTH_LIMIT};
use super::expander::Expander;
use super::expansion::{Content, ExpandedElement, Expansion};
use super::expansion_memory::ExpansionMemory;
use super::submodels::SolvedSubmodel;
use crate::element::node::{AnyElement, ElementId, Kind};
use crate::error::ModelError;
use crate::model::Model;
use figrs_factor::Limits;
use figrs_factor::graph::Weights;

/// The kind of query for which a model is expanded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueryKind {
    /// The query computes sums over the worlds.
    Sums,
    /// The query asks for the most probable world.
    BestWorld,
}

impl Expansion {
    /// Expands all elements that `targets` and the evidence of `model` need. Equal calls of [`Recursive`](crate::Recursive) functions become atomic
    /// elements, if they may share their distribution.
    ///
    /// The function `solve` receives the expansion of the body of a call, which has one target and no evidence, and computes a weight for each value
    /// of the target. Depending on the query, the weight is the sum over the worlds with this value, or the weight of the most probable of these
    /// worlds.
    ///
    /// **Complexity.** For each function and argument, the body of the call is expanded twice and solved once.
    ///
    /// **Errors.** [`ModelError::CyclicCall`] if a call depends on itself; the errors of [`new`](Self::new) and of `solve`.
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

    /// Expands a model as [`sharing_calls`](Self::sharing_calls) does, and replaces the roots of the sub-models `solved` by tables of their weights. The
    /// solutions of recursive calls are stored in `memory` and used again.
    ///
    /// **Errors.** The same errors as [`sharing_calls`](Self::sharing_calls).
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

    /// Expands a model to a depth as [`to_depth`](Self::to_depth) does, and shares recursive calls as [`sharing_calls`](Self::sharing_calls) does for
    /// sums over the worlds. The distribution of a call is computed once for each argument and each number of nested `Chain` elements that may still
    /// be expanded. If the target of the expansion may be unknown, the last weight that `solve` returns is that of the value `unknown`.
    ///
    /// **Guarantee.** The sums over the worlds are the same as without sharing, up to rounding.
    ///
    /// **Errors.** The same errors as [`sharing_calls`](Self::sharing_calls).
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
    /// The first expansion of the call's body, which is kept while the body is expanded a second time.
    first: Option<Expansion>,
}

/// The recursive calls of one expansion, and a stack of calls that are being solved. Each call on the stack waits for the call above it.
struct CallSharing<'m> {
    empty_model: &'m Model,
    limits: &'m Limits,
    asked: QueryKind,
    calls: CallSolutions,
    call_stack: Vec<CallExpansion<'m>>,
    /// Memory of the traversal of the model, which waits for the calls on the stack.
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

    /// Continues the traversal of a model until it is complete, and solves the calls that it needs.
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

    /// Continues a traversal until it is complete or needs the solution of a call.
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

    /// Calls a recursive function, and starts the expansion of the body of the call.
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

    /// Starts the expansion of the body of a call; the body is the element `root`. If the depth is limited, the depth of the body's elements is
    /// counted from the call.
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

    /// Continues the expansion of the body of a call, and returns the number of elements reached.
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

    /// True if two expansions of the body of a recursive call have an element in common on which other elements may depend. For sums, common elements
    /// that are constant or are functions are ignored, if they are never unknown. For the most probable world, no common element is ignored, because
    /// the world would lack it.
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

/// True if the body of a recursive call has neither `Score` elements nor functions that fail: the weights of its values then depend only on random
/// choices.
fn is_plain(expansion: &Expansion) -> bool {
    let is_plain = |expanded: &ExpandedElement| {
        expanded.failures.is_none() && !matches!(expanded.content, Content::Score(_))
    };
    let has_points = expansion.cells.is_empty();
    has_points && expansion.impossible().is_none() && expansion.elements().iter().all(is_plain)
}
