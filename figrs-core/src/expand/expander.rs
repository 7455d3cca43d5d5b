//! The walk from the roots of a model to all elements that their values need.

use std::any::TypeId;

use rustc_hash::{FxHashMap, FxHashSet};

use super::budget::Budget;
use super::cache::Memory;
use super::calls::{CallRequest, CallSolutions, CallTreatment};
use super::content::{Content, Doubt, ExpandedElement};
use super::expansion::Expansion;
use super::memory_account::{MemoryAccount, bytes_of};
use super::rows::check_time;
use super::{product, rows};
use crate::element::node::{AnyElement, ChainOp, ElementId, Endless, Kind};
use crate::error::ModelError;
use crate::model::Model;
use crate::model::evidence::Evidence;
use crate::model::statements::StatementIndex;
use crate::until::Until;
use crate::value::datum::Datum;
use crate::value::support::Support;

/// The elements that carry evidence, in the order it was stated.
fn evident(model: &Model) -> impl Iterator<Item = &AnyElement> {
    model.evidence().iter().map(|(element, _)| element)
}

/// An element whose parents, and then branch results, are being expanded.
struct Frame {
    element: AnyElement,
    depth: usize,
    stage: ExpansionStage,
}

/// Depth limit of the expansion of Chains.
pub(super) struct DepthLimit<'m> {
    pub(super) depth: usize,
    pub(super) memory: &'m mut Memory,
    /// `true` if an element that is unknown was reached again at a smaller depth, where more of it is to be expanded.
    pub(super) stale: bool,
}

enum ExpansionStage {
    Parents,
    Value,
    Branches(BranchResults),
}

/// Results of a Chain's function for all combinations of parent values.
struct BranchResults {
    /// As in [`Content::Chain`].
    choice: Vec<u32>,
    results: Vec<AnyElement>,
    /// First failure of the function.
    error: Option<ModelError>,
}

pub(super) struct Expander<'m> {
    pub(super) expansion: Expansion,
    budget: Budget,
    statements: StatementIndex,
    pub(super) limit: Option<DepthLimit<'m>>,
    stack: Vec<Frame>,
    /// By type of the values, the support met last.
    supports: FxHashMap<TypeId, Support>,
    /// Memory taken by the expansion.
    spending: MemoryAccount,
    until: Until,
    /// Results of Chains that count among the elements reached before they are walked.
    counted: FxHashSet<ElementId>,
    /// Elements that have no value in any world that reaches them, with the errors.
    failed: FxHashMap<ElementId, (AnyElement, ModelError)>,
    /// Nesting depth of the roots in Chains.
    depth: usize,
    /// Calls of recursive functions, if they may be shared.
    pub(super) calls: Option<CallSolutions>,
    /// The call whose solution the walk waits for.
    pub(super) wanted: Option<CallRequest>,
    /// Number of functions known before.
    known_functions: usize,
    /// `true` if the body that is walked is to be unfolded, which ends the walk.
    pub(super) is_unfolded: bool,
}

impl BranchResults {
    fn bytes(&self) -> u64 {
        bytes_of::<u32>(self.choice.capacity()) + bytes_of::<AnyElement>(self.results.capacity())
    }
}

/// A result of a Chain as it is looked up while the others are made: its place in a table and in a list.
type ResultPlaces = [(ElementId, usize); 2];

impl<'m> Expander<'m> {
    pub(super) fn new(
        model: &'m Model,
        budget: Budget,
        until: Until,
        limit: Option<DepthLimit<'m>>,
    ) -> Self {
        Self {
            expansion: Expansion {
                elements: Vec::new(),
                positions: FxHashMap::default(),
                targets: Vec::new(),
                evidence: Vec::new(),
                impossible: None,
                cut: limit.as_ref().map(|limit| (limit.depth, false)),
                budget,
                reached: 0,
                shares_calls: false,
            },
            budget,
            statements: StatementIndex::of(model),
            spending: MemoryAccount::new(budget.bytes, limit.as_ref().map(|l| l.memory.before())),
            until,
            counted: FxHashSet::default(),
            limit,
            stack: Vec::new(),
            supports: FxHashMap::default(),
            failed: FxHashMap::default(),
            depth: 0,
            calls: None,
            wanted: None,
            known_functions: 0,
            is_unfolded: false,
        }
    }

    /// The walk of the body of a call that is nested in `depth` Chains less one, met when so many functions were known and
    /// so many elements reached.
    pub(super) fn within(mut self, depth: usize, functions: usize, reached: usize) -> Self {
        self.depth = depth;
        self.known_functions = functions;
        self.expansion.reached = reached;
        self
    }

    /// The walk with the memory of the walks that wait for it counted.
    pub(super) fn after(mut self, spending: MemoryAccount) -> Self {
        self.spending = spending;
        self
    }

    /// Memory taken by this walk, and by those that wait for it.
    pub(super) fn spending(&self) -> MemoryAccount {
        self.spending
    }

    /// True if the walk cannot go on at present.
    fn is_stopped(&self) -> bool {
        self.expansion.impossible.is_some() || self.wanted.is_some() || self.is_unfolded
    }

    pub(super) fn reach_roots(
        &mut self,
        model: &Model,
        targets: &[AnyElement],
    ) -> Result<(), ModelError> {
        for root in evident(model).chain(targets) {
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
        let targets: Vec<usize> = targets.iter().filter_map(find).collect();
        let evidence: Vec<usize> = evident(model).filter_map(find).collect();
        for &root in targets.iter().chain(&evidence) {
            expansion.elements[root].require_finite()?;
        }
        expansion.targets = targets;
        expansion.evidence = evidence;
        Ok(expansion)
    }

    fn reach(&mut self, root: &AnyElement) -> Result<(), ModelError> {
        // A walk that waited for a call goes on where it was.
        if self.stack.is_empty() {
            self.push(root, self.depth);
        }
        while let Some(frame) = self.stack.pop() {
            let element = frame.element.clone();
            match self.advance(frame) {
                Err(error) if error.is_local() => {
                    // The handle keeps the identity from being given to another element.
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
            limit.stale |= is_new && position.is_some_and(|&p| self.expansion.elements[p].unknown);
        }
        if !self.is_done(element) {
            self.stack.push(Frame {
                element: element.clone(),
                depth,
                stage: ExpansionStage::Parents,
            });
        }
    }

    /// Advances the element by one stage; its frame returns to the stack before those it waits for.
    fn advance(&mut self, frame: Frame) -> Result<(), ModelError> {
        let Frame {
            element,
            depth,
            stage,
        } = frame;
        if self.is_done(&element) {
            return Ok(());
        }
        check_time(&self.until, &element)?;
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
                self.check_budget(&element)?;
                let value = ExpansionStage::Value;
                self.stack.push(Frame {
                    element: element.clone(),
                    depth,
                    stage: value,
                });
                for parent in element.parents().iter().rev() {
                    self.push(parent, depth);
                }
                Ok(())
            }
            ExpansionStage::Value => match element.kind() {
                Kind::Chain(..) if self.limit.as_ref().is_some_and(|l| l.depth <= depth) => {
                    self.leave_out(element, depth)
                }
                Kind::Chain(_, op) => {
                    if depth >= self.budget.depth {
                        return Err(ModelError::TooDeep {
                            element: element.label(),
                            limit: self.budget.depth,
                        });
                    }
                    if self.is_met(&element, depth, &**op)? {
                        return Ok(());
                    }
                    let branches = self.branches(&element, &**op)?;
                    let results = branches.results.clone();
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

    /// True if an element is a call that is not to be unfolded; it then is an atomic element, or one that the walk waits
    /// for.
    fn is_met(
        &mut self,
        element: &AnyElement,
        depth: usize,
        op: &dyn ChainOp,
    ) -> Result<bool, ModelError> {
        let Some(calls) = &self.calls else {
            return Ok(false);
        };
        match calls.meet(element, op, self.known_functions)? {
            CallTreatment::Unfolded => return Ok(false),
            CallTreatment::Spreads => self.is_unfolded = true,
            CallTreatment::Shared(support, weights) => {
                self.expansion.shares_calls = true;
                let content = Content::Atomic(weights);
                self.finish(element.clone(), depth, Vec::new(), support, content, None)?;
            }
            CallTreatment::Wanted(call) => {
                let element = element.clone();
                self.stack.push(Frame {
                    element: element.clone(),
                    depth,
                    stage: ExpansionStage::Value,
                });
                self.wanted = Some(CallRequest {
                    call,
                    element,
                    depth,
                });
            }
        }
        Ok(true)
    }

    fn check_budget(&mut self, element: &AnyElement) -> Result<(), ModelError> {
        if !self.counted.remove(&element.id()) {
            self.expansion.reached += 1;
        }
        if self.expansion.reached > self.budget.elements {
            return Err(ModelError::TooManyElements {
                element: element.label(),
                limit: self.budget.elements,
            });
        }
        self.check_bytes(element, 0)
    }

    /// An error if so many bytes more than there are now would be over the budget.
    fn check_bytes(&self, element: &AnyElement, more: u64) -> Result<(), ModelError> {
        let frames = self.stack.len() * size_of::<Frame>();
        let counted = self.counted.len() * 2 * size_of::<ElementId>();
        let remembered = self.limit.as_ref().map_or(0, |limit| limit.memory.bytes());
        let more = more + remembered + (frames + counted) as u64;
        self.spending.check(element, more)
    }

    /// Counts a new result of a Chain before the next is made.
    fn count_result(&mut self, chain: &AnyElement, result: &AnyElement) -> Result<(), ModelError> {
        if !self.is_done(result) && self.counted.insert(result.id()) {
            self.expansion.reached += 1;
            if self.expansion.reached > self.budget.elements {
                return Err(ModelError::TooManyElements {
                    element: chain.label(),
                    limit: self.budget.elements,
                });
            }
        }
        Ok(())
    }

    /// The positions of an element's parents; an error if one of them never has a value.
    fn parents(&self, element: &AnyElement) -> Result<Vec<usize>, ModelError> {
        let position = |parent: &AnyElement| {
            if let Some((_, error)) = self.failed.get(&parent.id()) {
                return Err(error.clone());
            }
            let position = self.expansion.positions[&parent.id()];
            self.expansion.elements[position].require_finite()?;
            Ok(position)
        };
        element.parents().iter().map(position).collect()
    }

    fn supports(&self, positions: &[usize]) -> Vec<&Support> {
        let elements = &self.expansion.elements;
        positions.iter().map(|&p| &elements[p].support).collect()
    }

    /// Runs the function of a Chain for all combinations of its parents' values.
    fn branches(
        &mut self,
        element: &AnyElement,
        op: &dyn ChainOp,
    ) -> Result<BranchResults, ModelError> {
        let parents = self.parents(element)?;
        let supports: Vec<Support> = self.supports(&parents).into_iter().cloned().collect();
        let supports: Vec<&Support> = supports.iter().collect();
        let size = product::size(element, &supports, self.budget.table_entries)?;
        self.check_bytes(element, bytes_of::<u32>(size))?;
        let mut branches = BranchResults {
            choice: Vec::with_capacity(size),
            results: Vec::new(),
            error: None,
        };
        let mut known = FxHashMap::default();
        product::each(&parents, &supports, |arguments| {
            check_time(&self.until, element)?;
            let Some(arguments) = arguments else {
                branches.choice.push(Content::NO_CHOICE);
                return Ok(());
            };
            let result = match &mut self.limit {
                Some(limit) => limit.memory.call(element, op, arguments),
                None => op.call(arguments),
            };
            let choice = match result {
                Ok(result) => {
                    if let Some(&choice) = known.get(&result.id()) {
                        choice
                    } else {
                        self.count_result(element, &result)?;
                        let choice = branches.results.len() as u32;
                        known.insert(result.id(), choice);
                        branches.results.push(result);
                        let all = bytes_of::<u32>(size) + bytes_of::<ResultPlaces>(known.len());
                        self.check_bytes(element, all)?;
                        choice
                    }
                }
                Err(fault) => {
                    branches.error.get_or_insert_with(|| element.fault(fault));
                    Content::NO_CHOICE
                }
            };
            branches.choice.push(choice);
            Ok::<_, ModelError>(())
        })?;
        self.spending.add(branches.bytes());
        Ok(branches)
    }

    fn fix(&mut self, element: AnyElement, depth: usize, value: &Datum) -> Result<(), ModelError> {
        let mut values = element.no_values();
        values.insert(value.as_any());
        let parents = Vec::new();
        self.finish(
            element,
            depth,
            parents,
            values.build(),
            Content::Fixed,
            None,
        )
    }

    /// A Chain that is nested too deeply. Its parents are part of the world nevertheless, and may be scored.
    fn leave_out(&mut self, element: AnyElement, depth: usize) -> Result<(), ModelError> {
        self.expansion.cut = self.expansion.cut.map(|(limit, _)| (limit, true));
        let parents = self.parents(&element)?;
        let none = element.no_values().build();
        self.finish(element, depth, parents, none, Content::Unexplored, None)
    }

    fn value(&mut self, element: AnyElement, depth: usize) -> Result<(), ModelError> {
        let parents = self.parents(&element)?;
        let evidence = self.statements.evidence(&element);
        let observed = evidence.iter().find_map(Evidence::observed);
        let supports = self.supports(&parents);
        let limits = rows::TableLimits {
            entries: self.budget.table_entries,
            room: &|bytes: u64| self.check_bytes(&element, bytes),
            until: &self.until,
        };
        let (support, content, doubt) = match element.kind() {
            Kind::Atomic(op) => rows::atomic(&element, &**op, observed)?,
            Kind::Apply(_, op) => rows::apply(&element, &**op, (&parents, &supports), &limits)?,
            Kind::Table(_, op) => rows::table(&element, &**op, &supports, &limits)?,
            Kind::Score(_, evidence) => rows::score(&element, evidence, supports[0], &self.until)?,
            Kind::Chain(..) => unreachable!("Chains are expanded in two stages"),
        };
        self.finish(element, depth, parents, support, content, doubt)
    }

    fn choice(
        &mut self,
        element: AnyElement,
        depth: usize,
        branches: BranchResults,
    ) -> Result<(), ModelError> {
        self.spending.give_back(branches.bytes());
        let parents = self.parents(&element)?;
        let evidence = self.statements.evidence(&element);
        let observed = evidence.iter().find_map(Evidence::observed);
        let mut values = element.no_values();
        let mut results = Vec::with_capacity(branches.results.len());
        let mut renumbered = Vec::with_capacity(branches.results.len());
        let mut error = branches.error;
        for result in &branches.results {
            if let Some((_, failure)) = self.failed.get(&result.id()) {
                error.get_or_insert_with(|| failure.clone());
                renumbered.push(Content::NO_CHOICE);
                continue;
            }
            let position = self.expansion.positions[&result.id()];
            let expanded = &self.expansion.elements[position];
            if let (Content::Endless(_), Some(value)) = (&expanded.content, observed) {
                values.insert(value.as_any());
            } else {
                expanded.require_finite()?;
                for i in 0..expanded.support.len() {
                    values.insert(expanded.support.any(i));
                }
                self.check_bytes(&element, values.bytes() as u64)?;
            }
            renumbered.push(results.len() as u32);
            results.push(position);
        }
        if let Some(value) = observed {
            self.require_one_measure(&element, &results, value)?;
        }
        let mut choice = branches.choice;
        for chosen in choice.iter_mut().filter(|c| **c != Content::NO_CHOICE) {
            *chosen = renumbered[*chosen as usize];
        }
        let failed = choice.iter().map(|&c| c == Content::NO_CHOICE);
        let doubt = error.map(|error| Doubt {
            error,
            failed: failed.collect(),
        });
        let content = Content::Chain { choice, results };
        self.finish(element, depth, parents, values.build(), content, doubt)
    }

    fn any_unknown(&self, positions: &[usize]) -> bool {
        let elements = &self.expansion.elements;
        positions.iter().any(|&position| elements[position].unknown)
    }

    /// True if the element may need unexpanded parts.
    fn is_unknown(&self, parents: &[usize], content: &Content) -> bool {
        let results = match content {
            Content::Chain { results, .. } => results.as_slice(),
            _ => &[],
        };
        matches!(content, Content::Unexplored)
            || self.any_unknown(parents)
            || self.any_unknown(results)
    }

    /// See [`ExpandedElement::log_ceiling`].
    fn log_ceiling(&self, element: &AnyElement, content: &Content) -> f64 {
        let endless =
            |&r: &usize| matches!(self.expansion.elements[r].content, Content::Endless(_));
        let own = match (element.kind(), content) {
            (Kind::Score(_, evidence), _) => evidence.log_maximum(),
            (_, Content::Chain { results, .. }) if results.iter().any(endless) => None,
            _ => Some(0.0),
        };
        let evidence = self.statements.evidence(element);
        let stated = evidence.iter().map(Evidence::log_maximum);
        let factors = stated.chain([own]);
        let logs = factors.map(|log| log.unwrap_or(f64::INFINITY));
        // Nothing outweighs a weight of zero.
        let zero = |log: f64| log == f64::NEG_INFINITY;
        logs.reduce(|a, b| {
            if zero(a) {
                a
            } else if zero(b) {
                b
            } else {
                a + b
            }
        })
        .unwrap_or(0.0)
    }

    /// An error if an observed value is a point mass in one branch and has a density in another.
    fn require_one_measure(
        &self,
        element: &AnyElement,
        results: &[usize],
        value: &Datum,
    ) -> Result<(), ModelError> {
        let results = || results.iter().map(|&r| &self.expansion.elements[r]);
        let density =
            |r: &ExpandedElement| matches!(r.content, Content::Endless(Endless::Continuous));
        let mass = |r: &ExpandedElement| r.support.index_of(value.as_any()).is_some();
        if results().any(density) && results().any(mass) {
            return Err(ModelError::MixedObservation {
                element: element.label(),
                value: format!("{value:?}"),
            });
        }
        Ok(())
    }

    /// A support, or the last one of its type if it has the same values (deduplication): elements of a large model have few
    /// different ones.
    fn shared(&mut self, support: Support) -> Support {
        let last = self.supports.entry(support.value_type());
        let mut is_new = false;
        let last = last.or_insert_with(|| {
            is_new = true;
            support.clone()
        });
        if *last != support {
            is_new = true;
            *last = support;
        }
        if is_new {
            self.spending.add(last.bytes() as u64);
        }
        last.clone()
    }

    /// Applies the evidence on the element and adds it to the expansion.
    fn finish(
        &mut self,
        element: AnyElement,
        depth: usize,
        parents: Vec<usize>,
        support: Support,
        content: Content,
        doubt: Option<Doubt>,
    ) -> Result<(), ModelError> {
        if let Some(Doubt { error, failed }) = &doubt
            && failed.iter().all(|&failed| failed)
            && !self.any_unknown(&parents)
        {
            return Err(error.clone());
        }
        let (unknown, log_ceiling) = match self.limit {
            Some(_) => (
                self.is_unknown(&parents, &content),
                self.log_ceiling(&element, &content),
            ),
            None => (false, 0.0),
        };
        let mut expanded = ExpandedElement {
            unknown,
            log_ceiling,
            depth,
            element,
            parents,
            support: self.shared(support),
            content,
            weights: None,
            restricted: false,
            doubt: doubt.map(Box::new),
        };
        let evidence = self.statements.evidence(&expanded.element);
        if !evidence.is_empty() && !matches!(expanded.content, Content::Endless(_)) {
            rows::restrict(&mut expanded, &evidence, &self.until)?;
        }
        self.spending.add(expanded.bytes());
        self.check_bytes(&expanded.element, 0)?;
        let position = self.expansion.elements.len();
        if expanded.states() == 0 && !matches!(expanded.content, Content::Endless(_)) {
            self.expansion.impossible = Some(position);
        }
        self.expansion
            .positions
            .insert(expanded.element.id(), position);
        self.expansion.elements.push(expanded);
        Ok(())
    }
}
