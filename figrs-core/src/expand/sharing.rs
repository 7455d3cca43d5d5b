//! Expansion that solves each call of a recursive function once for each argument.
//!
//! When a traversal of a model reaches a recursive call, the traversal waits until the body of the call has been expanded and solved. A
//! solved call is an atomic element. The body of each recursive call is expanded twice. An element that occurs in both expansions of a
//! body was not created by the body, and may therefore be read elsewhere. A call is unfolded if other elements may read elements of its
//! body.

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

/// The kind of query that an expansion with shared calls serves: sums or the best world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueryKind {
    /// The query computes sums over the worlds.
    Sums,
    /// The query asks for the values of the elements in the most probable world.
    BestWorld,
}

impl Expansion {
    /// Expands all elements that `targets` and the evidence of `model` need. Calls of [`Recursive`](crate::Recursive) functions become
    /// atomic elements if calls with the same argument may share their distribution.
    ///
    /// The function `solve` computes a weight for each value of the only target of an expansion, which has no evidence. The weight of a
    /// value is the sum over the worlds, or the weight of the most probable world, depending on the query.
    ///
    /// **Complexity.** The body of each call is expanded twice and solved once, for each function and argument.
    ///
    /// **Errors.** [`ModelError::CyclicCall`] if a call needs itself; the errors of [`new`](Self::new) and of `solve`.
    pub fn sharing_calls<E: From<ModelError>>(
        model: &Model,
        targets: &[AnyElement],
        limits: &Limits,
        asked: QueryKind,
        mut solve: impl FnMut(&Self) -> Result<Weights, E>,
    ) -> Result<Self, E> {
        let nothing = Model::new();
        let mut sharing = CallSharing::new(&nothing, limits, asked);
        let mut walk = Expander::new(model, limits, None);
        sharing.complete(&mut walk, model, targets, &mut solve)?;
        Ok(walk.finished(model, targets)?)
    }

    /// Expands a model as [`sharing_calls`](Self::sharing_calls) does for sums over the worlds, with the distributions of solved sub-models in place of their
    /// roots. The solutions of recursive calls are stored in `memory` and reused.
    ///
    /// **Errors.** The conditions are those of [`sharing_calls`](Self::sharing_calls).
    pub fn with_solved<E: From<ModelError>>(
        model: &Model,
        targets: &[AnyElement],
        limits: &Limits,
        solved: &[SolvedSubmodel],
        memory: &mut ExpansionCache,
        mut solve: impl FnMut(&Self) -> Result<Weights, E>,
    ) -> Result<Self, E> {
        let nothing = Model::new();
        let mut sharing = CallSharing::new(&nothing, limits, QueryKind::Sums);
        sharing.calls = std::mem::take(&mut memory.solutions);
        let mut walk = Expander::new(model, limits, None);
        walk.replace(solved.iter().cloned());
        sharing.complete(&mut walk, model, targets, &mut solve)?;
        memory.solutions = sharing.calls;
        Ok(walk.finished(model, targets)?)
    }

    /// Expands a model to a depth as [`to_depth`](Self::to_depth) does, and shares the calls of recursive functions as [`sharing_calls`](Self::sharing_calls)
    /// does, for sums over the worlds. The distribution of a call is computed once for each argument and each number of further nested Chains that may be
    /// expanded. The function `solve` returns a last weight for the value `unknown` if the target of the expansion may be unknown.
    ///
    /// **Guarantee.** The sums over the worlds are the same as without sharing, up to rounding.
    ///
    /// **Errors.** The conditions are those of [`sharing_calls`](Self::sharing_calls).
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

/// Returns the elements that `model` and `targets` name.
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
    /// The first expansion of the call's body, while the body is expanded for the second time.
    first: Option<Expansion>,
}

/// The recursive calls of one expansion, and a stack of calls that are being solved; each call on the stack waits for the call above it.
struct CallSharing<'m> {
    empty_model: &'m Model,
    limits: &'m Limits,
    asked: QueryKind,
    calls: CallSolutions,
    call_stack: Vec<CallExpansion<'m>>,
    /// Memory taken by the traversal of the model, which waits for all calls on the stack.
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

    /// Advances the traversal of a model until it is complete, and solves the calls that it needs.
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

    /// Advances a traversal until it is complete or needs the solution of a call.
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

    /// Calls a recursive function and begins to expand the body of the call.
    fn enter_call(&mut self, wanted: CallRequest, first: Option<Expansion>, reached: usize) {
        let Kind::Chain(_, op) = wanted.element.kind() else {
            return;
        };
        match op.call(&[]) {
            Ok(root) => {
                self.calls.set(&wanted, CallSolution::InProgress, false);
                self.enter_body(wanted, root, ExpansionCache::default(), first, reached);
            }
            // If a world reaches the call, the traversal that unfolds it reports the error.
            Err(_) => self.calls.set(&wanted, CallSolution::Unfolded, true),
        }
    }

    /// Begins to expand the body of a call, whose element is `root`. If the depth is limited, the depth of the elements of the body is
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

    /// Advances the expansion of the body of a call, and returns the number of elements reached.
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

    /// True if two expansions of the body of a recursive call have elements in common that may be read elsewhere. For sums, a common
    /// element is ignored if it has a certain value or is a function, and is never unknown. For the most probable world, all common elements count, because the
    /// world would lack them.
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

/// True if the body of a recursive call has no Scores and no failing functions: only random choices then determine the weights of its values.
fn is_plain(expansion: &Expansion) -> bool {
    let is_plain = |expanded: &ExpandedElement| {
        expanded.failures.is_none() && !matches!(expanded.content, Content::Score(_))
    };
    let has_points = expansion.cells.is_empty();
    has_points && expansion.impossible().is_none() && expansion.elements().iter().all(is_plain)
}
