//! Depth-first traversal from the roots of a model (targets and elements with evidence) to all elements on which they depend.

use std::any::TypeId;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::cache::ExpansionCache;
use super::calls::{CallRequest, CallSolutions, CallTreatment, NO_DEPTH_LIMIT};
use super::expander::learned::LearnedParameters;
use super::expansion::{Cell, Content, Expansion, ExpansionMemory, Listing};
use super::submodels::SolvedSubmodel;
use crate::element::node::{AnyElement, ElementId, Kind};
use crate::element::operations::ChainOp;
use crate::error::{Fault, ModelError};
use crate::limits::{check_elements, check_time};
use crate::model::Model;
use crate::model::evidence::{Evidence, StatementIndex};
use crate::value::datum::Datum;
use crate::value::support::Support;
use branches::BranchResults;
use figrs_factor::Limits;

mod branches;
mod cells;
mod contents;
pub(super) mod learned;

/// Returns the elements with evidence, in the order of the evidence in the model.
fn evidence_elements(model: &Model) -> impl Iterator<Item = &AnyElement> {
    model.evidence().iter().map(|(element, _)| element)
}

/// An element on the stack of the traversal of a model; it waits until its parents, and then its branches, have been expanded.
struct Frame {
    element: AnyElement,
    depth: usize,
    stage: ExpansionStage,
}

pub(super) struct DepthLimit {
    pub(super) depth: usize,
    pub(super) memory: ExpansionCache,
    /// `true` if an element whose value was unknown has been reached again at a smaller nesting depth, so that the functions of more `Chain` elements
    /// must be called.
    pub(super) is_outdated: bool,
}

enum ExpansionStage {
    Parents,
    Value,
    Branches(BranchResults),
}

pub(super) struct Expander<'m> {
    pub(super) expansion: Expansion,
    limits: &'m Limits,
    statements: StatementIndex,
    pub(super) limit: Option<DepthLimit>,
    stack: Vec<Frame>,
    open: FxHashSet<ElementId>,
    /// The most recent support (list of possible values) for each type of value.
    supports: FxHashMap<TypeId, Support>,
    memory: ExpansionMemory,
    /// Elements returned by `Chain` functions that already count towards the limits although the traversal has not reached them yet.
    counted: FxHashSet<ElementId>,
    /// The elements that have no value in any world that evaluates them, each with the error that is the reason.
    failed: FxHashMap<ElementId, (AnyElement, ModelError)>,
    /// Number of `Chain` elements in which the roots of the traversal are nested.
    depth: usize,
    /// The solutions of recursive calls, if equal calls may share a solution (a distribution).
    pub(super) calls: Option<CallSolutions>,
    /// The recursive call whose solution (distribution) the traversal is waiting for.
    pub(super) pending_call: Option<CallRequest>,
    /// Number of recursive functions that had been reached when this traversal of the model began.
    known_functions: usize,
    /// The root elements of sub-models that are already solved; each root is replaced by an element with its distribution.
    pub(super) replaced: FxHashMap<ElementId, Arc<SolvedSubmodel>>,
    /// The `Param`s that replace learned elements, if there are any.
    learned: Option<&'m mut LearnedParameters>,
    /// Elements that an observed `Chain` can choose, each with the observed value; the values of these elements are not listed if they are infinitely
    /// many.
    unlisted: FxHashMap<ElementId, Datum>,
    /// For each random element that stands for the elements a `Chain` returns at all corners of a cell (an interval of values), the elements at the
    /// corners.
    enclosed: FxHashMap<ElementId, Vec<AnyElement>>,
    /// The cells (intervals) of the element that is being added, if some of its values are intervals.
    cells: Option<Vec<Cell>>,
    /// For the element that is being added, the list [`ExpandedElement::skips_last`](super::expansion::ExpandedElement): it records where the
    /// element's function does not read its last parent.
    skips_last: Vec<bool>,
    /// Placeholder values for elements whose outcomes cannot be listed.
    placeholders: FxHashMap<ElementId, Datum>,
    /// `true` if the recursive call whose body is being traversed must be treated like any other `Chain` (unfolded); the traversal then ends.
    pub(super) is_unfolded: bool,
}

impl<'m> Expander<'m> {
    pub(super) fn new(model: &'m Model, limits: &'m Limits, limit: Option<DepthLimit>) -> Self {
        Self {
            expansion: Expansion {
                elements: Vec::new(),
                positions: FxHashMap::default(),
                targets: Vec::new(),
                evidence: Vec::new(),
                impossible: None,
                cut: limit.as_ref().map(|limit| (limit.depth, false)),
                cells: FxHashMap::default(),
                upper_weights: FxHashMap::default(),
                listing: Listing::Complete,
                element_entries: limits.element_entries,
                reached: 0,
                parametric: Vec::new(),
                counts_outcomes: false,
                shares_calls: false,
            },
            limits,
            statements: StatementIndex::of(model),
            memory: ExpansionMemory::new(limit.as_ref().map(|l| l.memory.initial_footprint())),
            counted: FxHashSet::default(),
            limit,
            stack: Vec::new(),
            open: FxHashSet::default(),
            supports: FxHashMap::default(),
            failed: FxHashMap::default(),
            depth: 0,
            calls: None,
            pending_call: None,
            known_functions: 0,
            replaced: FxHashMap::default(),
            learned: None,
            unlisted: FxHashMap::default(),
            enclosed: FxHashMap::default(),
            cells: None,
            skips_last: Vec::new(),
            placeholders: FxHashMap::default(),
            is_unfolded: false,
        }
    }

    /// Creates a traversal that expands only the `Chain` elements nested in fewer than `depth` other `Chain` elements; the traversal takes over the
    /// cache stored in `memory`.
    pub(super) fn to_depth(
        model: &'m Model,
        limits: &'m Limits,
        depth: usize,
        memory: &mut ExpansionCache,
    ) -> Self {
        let limit = DepthLimit {
            depth,
            memory: std::mem::take(memory),
            is_outdated: false,
        };
        Self::new(model, limits, Some(limit))
    }

    /// Moves the cache of the traversal back to `memory`. The result is `true` if an element whose value was unknown has been reached again at a
    /// smaller nesting depth, so that the model must be expanded again.
    pub(super) fn put_memory(&mut self, memory: &mut ExpansionCache) -> bool {
        let Some(limit) = &mut self.limit else {
            return false;
        };
        *memory = std::mem::take(&mut limit.memory);
        limit.is_outdated
    }

    /// Replaces learned elements by `Param`s, and fixes the values of elements whose outcomes cannot be listed.
    pub(super) fn learn(
        &mut self,
        learned: &'m mut LearnedParameters,
        stand_ins: &[(AnyElement, Datum)],
    ) {
        self.learned = Some(learned);
        self.expansion.counts_outcomes = true;
        let stand_ins = stand_ins
            .iter()
            .map(|(element, value)| (element.id(), value.clone()));
        self.placeholders = stand_ins.collect();
    }

    /// Returns the observed value or the placeholder value of `element`, if one exists.
    fn observed(&self, element: &AnyElement) -> Option<Datum> {
        let mut stated = self.statements.stated(element);
        let observed = stated.find_map(Evidence::observed);
        observed
            .or_else(|| self.placeholders.get(&element.id()))
            .cloned()
    }

    /// Makes `self` a traversal of the body of a recursive call; the elements of this body are nested in at least `depth` `Chain` elements. When the
    /// recursive call began, the traversal had reached `functions` recursive functions and `reached` elements.
    pub(super) fn nested_in_call(mut self, depth: usize, functions: usize, reached: usize) -> Self {
        self.depth = depth;
        self.known_functions = functions;
        self.expansion.reached = reached;
        self
    }

    /// Adds the memory that is used by the traversals that wait for this traversal to end.
    pub(super) fn with_memory_of(mut self, spending: ExpansionMemory) -> Self {
        self.memory = spending;
        self
    }

    /// Returns the memory used by this traversal and by the traversals that wait for it to end.
    pub(super) fn memory(&self) -> ExpansionMemory {
        self.memory
    }

    fn is_stopped(&self) -> bool {
        self.expansion.impossible.is_some() || self.pending_call.is_some() || self.is_unfolded
    }

    pub(super) fn reach_roots(
        &mut self,
        model: &Model,
        targets: &[AnyElement],
    ) -> Result<(), ModelError> {
        if self.expansion.elements.is_empty() {
            self.expansion.elements.reserve(targets.len());
            self.expansion.positions.reserve(targets.len());
        }
        for root in evidence_elements(model).chain(targets) {
            self.reach(root)?;
            if self.is_stopped() {
                break;
            }
        }
        Ok(())
    }

    pub(super) fn finished(
        self,
        model: &Model,
        targets: &[AnyElement],
    ) -> Result<Expansion, ModelError> {
        let mut expansion = self.expansion;
        let find = |e: &AnyElement| expansion.positions.get(&e.id()).copied();
        let mut found = Vec::with_capacity(targets.len());
        found.extend(targets.iter().filter_map(find));
        let targets = found;
        let evidence: Vec<usize> = evidence_elements(model).filter_map(find).collect();
        for &root in targets.iter().chain(&evidence) {
            expansion.elements[root].require_finite()?;
        }
        expansion.targets = targets;
        expansion.evidence = evidence;
        Ok(expansion)
    }

    fn reach(&mut self, root: &AnyElement) -> Result<(), ModelError> {
        // A traversal that waited for a call continues with its stack.
        if self.stack.is_empty() {
            self.push(root, self.depth);
        }
        while let Some(frame) = self.stack.pop() {
            let element = frame.element.clone();
            match self.advance(frame) {
                Err(error) if error.is_local() => {
                    // The stored element prevents another element from getting the same identity.
                    self.failed.insert(element.id(), (element, error));
                }
                outcome => outcome?,
            }
            if self.is_stopped() {
                break;
            }
        }
        match self.failed.get(&root.id()) {
            Some((_, error)) => Err(error.clone()),
            None => Ok(()),
        }
    }

    fn is_done(&self, element: &AnyElement) -> bool {
        let id = element.id();
        self.expansion.positions.contains_key(&id) || self.failed.contains_key(&id)
    }

    fn push(&mut self, element: &AnyElement, mut depth: usize) {
        if let Some(limit) = &mut self.limit {
            let (least, is_new) = limit.memory.depth(element, depth);
            depth = least;
            let position = self.expansion.positions.get(&element.id());
            limit.is_outdated |=
                is_new && position.is_some_and(|&p| self.expansion.elements[p].unknown);
        }
        if !self.is_done(element) {
            self.stack.push(Frame {
                element: element.clone(),
                depth,
                stage: ExpansionStage::Parents,
            });
        }
    }

    /// Takes the next step in listing the possible values of an element. While an element waits for other elements to be expanded, it stays below
    /// them on the stack of the traversal.
    fn advance(&mut self, frame: Frame) -> Result<(), ModelError> {
        let Frame {
            element,
            depth,
            stage,
        } = frame;
        if matches!(stage, ExpansionStage::Branches(_)) {
            self.open.remove(&element.id());
        }
        if self.is_done(&element) {
            return Ok(());
        }
        if self.limit.is_none() && self.open.contains(&element.id()) {
            return Err(element.fault(Fault::Cyclic));
        }
        check_time(&self.limits.until, &element)?;
        match stage {
            ExpansionStage::Parents => {
                let is_body = self.depth > 0;
                if is_body && self.calls.as_ref().is_some_and(|c| c.is_root(&element)) {
                    self.is_unfolded = true;
                    return Ok(());
                }
                if let Some(value) = self.statements.intervention(&element).cloned() {
                    return self.fix(element, depth, &value);
                }
                if let Some(policy) = self.statements.policy(&element).cloned() {
                    return self.follow(element, depth, &policy);
                }
                if let Some(solved) = self.replaced.get(&element.id()).cloned() {
                    let reads = solved.outer.iter().map(|(read, _)| read);
                    let missing: Vec<&AnyElement> = reads.filter(|r| !self.is_done(r)).collect();
                    if missing.is_empty() {
                        self.check_budget(&element)?;
                        return self.add_solved(element, depth, &solved);
                    }
                    let stage = ExpansionStage::Parents;
                    self.stack.push(Frame {
                        element,
                        depth,
                        stage,
                    });
                    for read in missing {
                        self.push(read, depth);
                    }
                    return Ok(());
                }
                if let Some(learned) = &mut self.learned
                    && let Some(parameter) = learned.of(&element)?
                {
                    let value = parameter.value();
                    return self.fix(element, depth, &value);
                }
                self.check_budget(&element)?;
                let value = ExpansionStage::Value;
                self.stack.push(Frame {
                    element: element.clone(),
                    depth,
                    stage: value,
                });
                let is_member = self.learned_family(&element).is_some();
                for parent in element.parents().iter().rev() {
                    if !is_member || !self.is_open(parent) {
                        self.push(parent, depth);
                    }
                }
                Ok(())
            }
            ExpansionStage::Value => match element.kind() {
                Kind::Chain(..) if self.limit.as_ref().is_some_and(|l| l.depth <= depth) => {
                    self.add_unexplored(element, depth)
                }
                Kind::Chain(..) if self.is_learned_member(&element) => self.member(element, depth),
                Kind::Chain(_, op) => {
                    if depth >= self.limits.depth {
                        return Err(ModelError::TooDeep {
                            element: element.label(),
                            limit: self.limits.depth,
                        });
                    }
                    if self.is_met(&element, depth, &**op)? {
                        return Ok(());
                    }
                    let branches = self.branches(&element, &**op)?;
                    let results = branches.results.clone();
                    if let Some(value) = self.observed(&element) {
                        let results = results.iter().map(|result| (result.id(), value.clone()));
                        self.unlisted.extend(results);
                    }
                    self.open.insert(element.id());
                    self.stack.push(Frame {
                        element,
                        depth,
                        stage: ExpansionStage::Branches(branches),
                    });
                    for result in results.iter().rev() {
                        self.push(result, depth + 1);
                    }
                    Ok(())
                }
                _ => self.value(element, depth),
            },
            ExpansionStage::Branches(branches) => self.choice(element, depth, branches),
        }
    }

    /// True if `element` is a recursive call that is not unfolded: either the call has been replaced by an element with a known distribution, or the
    /// traversal waits for the solution of the call.
    fn is_met(
        &mut self,
        element: &AnyElement,
        depth: usize,
        op: &dyn ChainOp,
    ) -> Result<bool, ModelError> {
        let Some(calls) = &self.calls else {
            return Ok(false);
        };
        let limit = self.limit.as_ref().map(|limit| limit.depth - depth);
        let levels = limit.unwrap_or(NO_DEPTH_LIMIT);
        match calls.treatment(element, op, self.known_functions, levels)? {
            CallTreatment::Unfolded => return Ok(false),
            CallTreatment::UnfoldsCaller => self.is_unfolded = true,
            CallTreatment::Shared(support, weights) => {
                self.expansion.shares_calls = true;
                (self.expansion.listing).raise(Listing::Ranged, calls.is_ranged);
                if weights.len() > support.len() {
                    self.expansion.cut = self.expansion.cut.map(|(limit, _)| (limit, true));
                }
                let content = Content::Atomic(weights);
                self.finish(element.clone(), depth, Vec::new(), support, content, None)?;
            }
            CallTreatment::Unsolved(call) => {
                let element = element.clone();
                self.stack.push(Frame {
                    element: element.clone(),
                    depth,
                    stage: ExpansionStage::Value,
                });
                self.pending_call = Some(CallRequest {
                    call,
                    element,
                    depth,
                    levels,
                });
            }
        }
        Ok(true)
    }

    fn check_budget(&mut self, element: &AnyElement) -> Result<(), ModelError> {
        if !self.counted.remove(&element.id()) {
            self.expansion.reached += 1;
        }
        check_elements(self.limits, element, self.expansion.reached)?;
        self.check_bytes(element, 0)
    }

    fn check_bytes(&self, element: &AnyElement, more: u64) -> Result<(), ModelError> {
        let frames = self.stack.len() * size_of::<Frame>();
        let counted = self.counted.len() * 2 * size_of::<ElementId>();
        let remembered = self.limit.as_ref().map_or(0, |limit| limit.memory.bytes());
        let remembered = remembered + self.calls.as_ref().map_or(0, CallSolutions::bytes);
        let more = more + remembered + (frames + counted) as u64;
        self.memory.check(self.limits, element, more)
    }

    /// Returns the indices of the parents of `element`; returns an error if a parent has no value in any possible world.
    fn parents(&self, element: &AnyElement) -> Result<Vec<usize>, ModelError> {
        let mut parents = Vec::with_capacity(element.parents().len());
        for parent in self.open_parents(element) {
            parents.push(self.position(parent)?);
        }
        Ok(parents)
    }

    /// Returns the index of `parent` in the expansion; returns an error if `parent` has no value in any world.
    pub(super) fn position(&self, parent: &AnyElement) -> Result<usize, ModelError> {
        if let Some((_, error)) = self.failed.get(&parent.id()) {
            return Err(error.clone());
        }
        let position = self.expansion.positions[&parent.id()];
        self.expansion.elements[position].require_finite()?;
        Ok(position)
    }

    fn supports(&self, positions: &[usize]) -> Vec<&Support> {
        let elements = &self.expansion.elements;
        positions.iter().map(|&p| &elements[p].support).collect()
    }
}
