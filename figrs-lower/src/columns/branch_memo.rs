//! Branches of `Chain` elements and rows of conditional probability tables in a block of worlds, cached by the combination of the parents' values.
//! `Chain` elements with the same function share the atomic elements that the function returns.

use std::any::Any;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::block::{Block, MAX_CACHED};
use super::branch_columns::MAX_TREE_VALUES;
use super::column::ColumnSlot;
use super::draw::{
    CodeSampler, PooledSampler, checked_outcomes, is_density, likelihood, probability_of_true,
};
use figrs_core::element::apply::FunctionId;
use figrs_core::element::footprint::Footprint;
use figrs_core::element::node::{AnyElement, ElementId, Kind};
use figrs_core::element::operations::{ChainOp, FiniteOutcomes, TableOp};
use figrs_core::error::ModelError;
use figrs_core::value::datum::Datum;
use figrs_core::value::support::SupportBuilder;

impl Block {
    /// True if the branch is an atomic element without evidence and without a known value, or a row of a conditional probability table.
    pub(super) fn is_choice(&self, branch: &Branch) -> bool {
        match branch.target {
            BranchTarget::Unshared(_) | BranchTarget::Row(_) => true,
            BranchTarget::Composite(..) | BranchTarget::Dropped => false,
            BranchTarget::Slot(slot) => {
                let instruction = &self.instructions[slot.index()];
                self.values[slot.index()].is_none()
                    && instruction.element.kind().atomic().is_some()
                    && instruction.evidence.is_empty()
                    && instruction.fixed.is_none()
                    && instruction.implied.is_empty()
            }
        }
    }

    /// Returns the element to which a branch leads; `None` for a row of a conditional probability table.
    pub(super) fn root_of<'a>(&'a self, branch: &'a Branch) -> Option<&'a AnyElement> {
        match &branch.target {
            BranchTarget::Unshared(element) | BranchTarget::Composite(element, _) => Some(element),
            BranchTarget::Slot(of) => Some(&self.instructions[of.index()].element),
            BranchTarget::Row(_) | BranchTarget::Dropped => None,
        }
    }

    /// Returns the likelihood of `value` for a branch that leads to an atomic element.
    pub(super) fn likelihood(
        &self,
        branch: &Branch,
        value: &Datum,
    ) -> Result<(f64, f64), ModelError> {
        let element = self.root_of(branch);
        let choice = element.and_then(|element| Some((element, element.kind().atomic()?)));
        choice.map_or(Ok((1.0, 0.0)), |(element, op)| {
            likelihood(element, op, value.as_any())
        })
    }

    pub(super) fn is_density(&self, branch: &Branch, value: &Datum) -> Result<bool, ModelError> {
        let element = self.root_of(branch);
        element.map_or(Ok(false), |element| is_density(element, value))
    }

    pub(super) fn with_sampler(
        &mut self,
        slot: ColumnSlot,
        number: u32,
        branch: Branch,
    ) -> Result<Branch, ModelError> {
        if branch.is_prepared() || !self.is_choice(&branch) {
            return Ok(branch);
        }
        let Some(element) = self.root_of(&branch).cloned() else {
            return Ok(branch);
        };
        let Some(op) = element.kind().atomic() else {
            return Ok(branch);
        };
        let met = self.functions.choice(&element);
        let outcomes = match met.as_ref().map(|choice| choice.outcomes.clone()) {
            Some(outcomes) => Some(outcomes),
            None => checked_outcomes(&element, op)?.ok().map(Rc::new),
        };
        let ready = match outcomes {
            None => None,
            Some(outcomes) => {
                let choice = self.choice(slot, outcomes, met);
                let chain = self.instructions[slot.index()].element.kind();
                let captures_nothing =
                    matches!(chain, Kind::Chain(_, op) if op.identity().is_some());
                if captures_nothing && matches!(branch.target, BranchTarget::Unshared(_)) {
                    self.functions.cache_sampler(&element, choice.clone());
                }
                Some(choice.ready)
            }
        };
        let branch = branch.drawn_by(ready);
        self.cache_branch(slot, number, branch.clone());
        Ok(branch)
    }

    /// Returns a sampler that draws from the outcomes `outcomes`. If the sampler `met` has the same dictionary codes, `met` is used again.
    fn choice(
        &mut self,
        slot: ColumnSlot,
        outcomes: Rc<FiniteOutcomes>,
        met: Option<FiniteSampler>,
    ) -> FiniteSampler {
        let is_bool = self.instructions[slot.index()].is_bool;
        let codes: Vec<u32> = if is_bool {
            Vec::new()
        } else {
            let dictionary = self.own_dictionary(slot);
            let values = 0..outcomes.support.len();
            values
                .map(|i| {
                    self.dictionaries
                        .intern(dictionary, outcomes.support.any(i))
                })
                .collect()
        };
        if let Some(met) = met
            && met.codes == codes
        {
            return met;
        }
        let ready = if is_bool {
            PooledSampler::Flip(probability_of_true(&outcomes))
        } else {
            // Most of the memory of a sampler is its alias table.
            self.remembered += codes.len();
            let ready = PooledSampler::Codes(CodeSampler::new(&outcomes.probabilities, &codes));
            self.bytes.added(ready.bytes());
            ready
        };
        FiniteSampler {
            outcomes,
            codes,
            ready: Rc::new(ready),
        }
    }

    /// Returns the branch of a `Chain` for the combination of parent values with the index `number`.
    pub(super) fn branch_of(
        &mut self,
        slot: ColumnSlot,
        number: u32,
    ) -> Result<Branch, ModelError> {
        let chain = self.instructions[slot.index()].element.clone();
        match chain.kind() {
            Kind::Chain(parents, op) => self.branch(slot, number, parents.len(), &**op),
            _ => Ok(Branch::to(BranchTarget::Dropped)),
        }
    }

    /// Returns the branch of a `Chain` with `parents` parents for the combination of parent values with the index `number`.
    pub(super) fn branch(
        &mut self,
        slot: ColumnSlot,
        number: u32,
        parents: usize,
        op: &dyn ChainOp,
    ) -> Result<Branch, ModelError> {
        if let Some(branch) = self.known_branch(slot, number) {
            return Ok(branch);
        }
        let chain = self.instructions[slot.index()].element.clone();
        let mut functions = std::mem::take(&mut self.functions);
        let gives_atomic = !self.instructions[slot.index()].memo.branches_out;
        let called = op.identity().filter(|_| gives_atomic);
        let called = called.and_then(|function| {
            self.with_values(slot, number, parents, |values| {
                functions.call(function, chain.parents(), values)
            })
        });
        self.functions = functions;
        if let Some(call) = &called
            && let Some(element) = self.functions.element(call)
        {
            let branch = Branch::to(BranchTarget::Unshared(element));
            self.cache_branch(slot, number, branch.clone());
            return Ok(branch);
        }
        let (element, made) = Footprint::measured(|| {
            self.with_values(slot, number, parents, |values| op.call(values))
        });
        let element = element.map_err(|fault| chain.fault(fault))?;
        self.allow(slot, self.bytes.made_bytes())?;
        let element = self.policy(&element).cloned().unwrap_or(element);
        let own = element.is_unshared();
        let Some(op) = element.kind().atomic() else {
            self.instructions[slot.index()].memo.branches_out = true;
            // The combination counts as one cached item.
            self.remembered += 1;
            // The caller decides whether the branch is evaluated by columns or world by world, given the number of worlds that take it.
            let tree = self.elements_of_tree((&element, own));
            return Ok(Branch {
                tree,
                ..Branch::to(BranchTarget::Composite(element, own))
            });
        };
        let target = if own {
            BranchTarget::Unshared(element.clone())
        } else {
            BranchTarget::Slot(self.slot(&element))
        };
        let fixed = match &target {
            BranchTarget::Slot(of) => self.instructions[of.index()].fixed.is_some(),
            _ => false,
        };
        if !fixed {
            op.check().map_err(|problem| element.invalid(problem))?;
        }
        // If the call has created further elements, the value of the element may refer to them, and differ between calls; it is not cached.
        if let Some(call) = called.filter(|_| own && made.nodes <= 1) {
            self.remembered += 1;
            self.functions.insert(call, element.clone());
        }
        let branch = Branch::to(target);
        self.cache_branch(slot, number, branch.clone());
        Ok(branch)
    }

    /// Caches a branch whose evaluation in one world takes `elements` elements, if the cache has room.
    pub(super) fn cache_row_branch(
        &mut self,
        slot: ColumnSlot,
        number: u32,
        branch: Branch,
        elements: usize,
    ) {
        if self.remembered < MAX_CACHED && self.known_branch(slot, number).is_none() {
            self.remembered += elements;
            self.cache_branch(slot, number, branch);
        }
    }

    /// Gives an index in the block to the element of a branch that many worlds take.
    pub(super) fn slot_of(
        &mut self,
        slot: ColumnSlot,
        number: u32,
        (element, tree): (&AnyElement, Option<usize>),
    ) -> ColumnSlot {
        let of = self.slot(element);
        let branch = Branch {
            tree,
            ..Branch::to(BranchTarget::Slot(of))
        };
        self.cache_branch(slot, number, branch);
        of
    }

    /// Returns the cached branch for the combination of parent values with the index `number`, if there is one.
    fn known_branch(&self, slot: ColumnSlot, number: u32) -> Option<Branch> {
        let branches = &self.instructions[slot.index()].memo.branches;
        branches.get(number as usize).cloned().flatten()
    }

    fn cache_branch(&mut self, slot: ColumnSlot, number: u32, branch: Branch) {
        self.remembered += 1;
        let branches = &mut self.instructions[slot.index()].memo.branches;
        branches.resize(branches.len().max(number as usize + 1), None);
        branches[number as usize] = Some(branch);
    }

    /// Returns the row of a conditional probability table for the combination of parent values with the index `number`.
    pub(super) fn table_row(
        &mut self,
        slot: ColumnSlot,
        number: u32,
        parents: usize,
        op: &dyn TableOp,
    ) -> Result<Branch, ModelError> {
        if let Some(branch) = self.known_branch(slot, number) {
            return Ok(branch);
        }
        let start = self.with_values(slot, number, parents, |values| op.row_start(values));
        let element = &self.instructions[slot.index()].element;
        let start = start.map_err(|fault| element.fault(fault))?;
        let columns = op.values().len();
        let weights = op.weights().row(start, columns).linear();
        let ready = if self.instructions[slot.index()].is_bool {
            let truth = op.values().index_of(&true);
            PooledSampler::Flip(truth.map_or(0.0, |at| weights[at]))
        } else {
            let dictionary = self.own_dictionary(slot);
            let codes: Vec<u32> = (0..columns)
                .map(|i| self.dictionaries.intern(dictionary, op.values().any(i)))
                .collect();
            PooledSampler::Codes(CodeSampler::new(weights, &codes))
        };
        let branch = Branch::to(BranchTarget::Row(start));
        let branch = branch.drawn_by(Some(Rc::new(ready)));
        self.cache_branch(slot, number, branch.clone());
        Ok(branch)
    }
}

/// The branches of a `Chain`, by the index of the combination of parent values.
pub(super) type Branches = Vec<Option<Branch>>;

#[derive(Clone)]
pub(super) struct Branch {
    pub(super) target: BranchTarget,
    drawn: BranchSampler,
    /// If the branch is a tree of elements, the number of its elements, as [`Block::elements_of_tree`] returned it when the branch was created.
    tree: Option<usize>,
}

#[derive(Clone)]
enum BranchSampler {
    /// The branch has no sampler yet, because the element of the branch has parents, or because no value has been drawn from the branch.
    Unknown,
    /// The branch has finitely many values, which are drawn for many worlds together.
    Ready(Rc<PooledSampler>),
    /// The values of the branch are drawn by the sampling function of the element of the branch.
    ByFunction,
}

impl Branch {
    pub(super) fn to(target: BranchTarget) -> Self {
        Self {
            target,
            drawn: BranchSampler::Unknown,
            tree: None,
        }
    }

    /// Returns the number of elements of the branch if the branch is a tree that can be evaluated in `worlds` worlds at the same time. The returned
    /// number does not depend on earlier evaluations of the branch.
    pub(super) fn elements_of_tree(&self, worlds: usize) -> Option<usize> {
        let elements = match self.target {
            BranchTarget::Unshared(_) => Some(1),
            _ => self.tree,
        };
        elements.filter(|elements| elements.saturating_mul(worlds) <= MAX_TREE_VALUES)
    }

    pub(super) fn is_unshared(&self) -> bool {
        matches!(
            self.target,
            BranchTarget::Unshared(_) | BranchTarget::Composite(_, true)
        )
    }

    /// True if the element of the branch is not atomic and has no index in the block yet.
    pub(super) fn is_open(&self) -> bool {
        matches!(self.target, BranchTarget::Composite(..))
    }

    /// Sets the sampler of the branch to `choice`; if `choice` is `None`, the branch draws values by the sampling function of its element.
    pub(super) fn drawn_by(self, choice: Option<Rc<PooledSampler>>) -> Self {
        let drawn = choice.map_or(BranchSampler::ByFunction, BranchSampler::Ready);
        Self { drawn, ..self }
    }

    pub(super) fn is_prepared(&self) -> bool {
        !matches!(self.drawn, BranchSampler::Unknown)
    }

    pub(super) fn sampler(&self) -> Option<&PooledSampler> {
        match &self.drawn {
            BranchSampler::Ready(ready) => Some(ready),
            BranchSampler::Unknown | BranchSampler::ByFunction => None,
        }
    }
}

/// The element to which a branch leads, or a row of a conditional probability table.
#[derive(Clone)]
pub(super) enum BranchTarget {
    /// An element with an index in the block, to which other elements may refer.
    Slot(ColumnSlot),
    /// An atomic element to which nothing but the branch refers.
    Unshared(AnyElement),
    /// An element that is not atomic; the flag is `true` if nothing but this branch refers to the element.
    Composite(AnyElement, bool),
    /// An element that was evaluated for single worlds, and dropped after each evaluation.
    Dropped,
    /// A row of a conditional probability table, given by the index of its first weight.
    Row(usize),
}

/// The atomic elements that functions of `Chain` elements returned and to which nothing else refers. An element is stored under the function that
/// returned it and the arguments of the call. A function without captured variables returns equivalent elements for every `Chain` that calls the
/// function. If two `Chain` elements draw from the same cached element, their values are nevertheless independent.
#[derive(Default)]
pub(super) struct FunctionMemo {
    /// The functions whose results are cached, by function and number of parents. (A function that takes a list as its argument accepts any number of
    /// parents.)
    met: FxHashMap<(FunctionId, usize), MemoisedFunction>,
    /// The sampler of each cached atomic element, by the identifier of the element. The element is stored too, so that its identifier cannot be given
    /// to another element.
    choices: FxHashMap<ElementId, (AnyElement, FiniteSampler)>,
}

struct MemoisedFunction {
    /// For each parent, the arguments with which the function has been called so far.
    arguments: Vec<SupportBuilder>,
    elements: FxHashMap<Box<[u32]>, AnyElement>,
}

#[derive(Clone)]
pub(super) struct FiniteSampler {
    pub(super) outcomes: Rc<FiniteOutcomes>,
    /// The dictionary code of each outcome from which the sampler draws.
    pub(super) codes: Vec<u32>,
    pub(super) ready: Rc<PooledSampler>,
}

/// The key of a function call: the function, and the codes of its arguments.
pub(super) struct CallKey((FunctionId, usize), Box<[u32]>);

impl FunctionMemo {
    /// Returns the key of the call of `function` with the arguments `values`; `None` if an argument has the wrong type.
    pub(super) fn call(
        &mut self,
        function: FunctionId,
        parents: &[AnyElement],
        values: &[&dyn Any],
    ) -> Option<CallKey> {
        let function = (function, parents.len());
        let function_met = self
            .met
            .entry(function)
            .or_insert_with(|| MemoisedFunction {
                arguments: parents.iter().map(AnyElement::no_values).collect(),
                elements: FxHashMap::default(),
            });
        let codes = function_met.arguments.iter_mut().zip(values);
        let codes = codes.map(|(met, &value)| met.insert(value).map(|code| code as u32));
        Some(CallKey(function, codes.collect::<Option<_>>()?))
    }

    pub(super) fn element(&self, call: &CallKey) -> Option<AnyElement> {
        self.met.get(&call.0)?.elements.get(&call.1).cloned()
    }

    pub(super) fn insert(&mut self, call: CallKey, element: AnyElement) {
        if let Some(function) = self.met.get_mut(&call.0) {
            function.elements.insert(call.1, element);
        }
    }

    pub(super) fn choice(&self, element: &AnyElement) -> Option<FiniteSampler> {
        let (_, choice) = self.choices.get(&element.id())?;
        Some(choice.clone())
    }

    pub(super) fn cache_sampler(&mut self, element: &AnyElement, choice: FiniteSampler) {
        self.choices.insert(element.id(), (element.clone(), choice));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use crate::columns::Block;
    use crate::{EvidenceOrder, Observations};
    use figrs_core::element::Flip;
    use figrs_core::model::Model;
    use figrs_core::random::stream;

    static CALLS: AtomicUsize = AtomicUsize::new(0);

    #[test]
    fn chains_of_one_function_share_calls_but_no_randomness() {
        let parent = Flip::new(0.5);
        let report = || {
            parent.flat_map(|&truth| {
                CALLS.fetch_add(1, Ordering::Relaxed);
                Flip::new(if truth { 0.8 } else { 0.1 })
            })
        };
        let targets = [report().erased().clone(), report().erased().clone()];
        let (observations, order) = (Observations::Weigh, EvidenceOrder::AsStated);
        let mut block = Block::new(&Model::new(), &targets, observations, order, 10).unwrap();
        block.run(1 << 14, &mut stream(1, 0)).unwrap();
        // Debug builds call a function twice for each value, to compare the results.
        assert!(CALLS.load(Ordering::Relaxed) <= 4);
        let mut bits = |target| block.target(target).bits().unwrap().to_vec();
        let (first, second) = (bits(0), bits(1));
        let agree = first
            .iter()
            .zip(&second)
            .map(|(a, b)| (!(a ^ b)).count_ones());
        // The two values are equal with the probability 0.34 + 0.41. A correct sampler deviates by more than six standard errors about once in 5e8
        // tests.
        let difference = f64::from(agree.sum::<u32>()) / 16384.0 - 0.75;
        assert!(difference.abs() < 6.0 * (0.75_f64 * 0.25 / 16384.0).sqrt());
    }
}
