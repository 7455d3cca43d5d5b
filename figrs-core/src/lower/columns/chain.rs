//! Chains and tables: each row follows the branch of its parents' values.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::block::{Block, Slot};
use super::column::{Book, Column, Stored};
use super::draw::{
    Drawn, Groups, Ready, checked_outcomes, draw_ready, likelihood, probability_of_true,
};
use super::functions::Choice;
use super::run::{Run, Task};
use super::selection::Selection;
use crate::datum::Datum;
use crate::error::{Fault, ModelError};
use crate::node::{AnyElement, AtomicOp, ChainOp, Endless, FiniteOutcomes, Kind, TableOp};

/// What the combinations of the parents' values lead to, by number.
pub(super) type Branches = Vec<Option<Branch>>;

/// What one combination leads to.
#[derive(Clone)]
pub(super) struct Branch {
    target: Target,
    /// How it is drawn.
    drawn: Lot,
}

/// How a branch is drawn.
#[derive(Clone)]
enum Lot {
    /// It is not atomic, or nothing has been drawn from it yet.
    Unknown,
    /// Together with others, as a choice among finitely many values.
    Ready(Rc<Ready>),
    /// By its own function.
    Open,
}

impl Branch {
    fn ready(&self) -> Option<&Ready> {
        match &self.drawn {
            Lot::Ready(ready) => Some(ready),
            Lot::Unknown | Lot::Open => None,
        }
    }
}

#[derive(Clone)]
enum Target {
    /// An element that others may refer to.
    Slot(Slot),
    /// An atomic element that nothing else refers to.
    Alone(AnyElement),
    /// The row of a table that starts at this weight.
    Row(usize),
}

/// Where the values of a group of rows come from.
#[derive(Clone, Copy)]
pub(super) enum Source {
    Slot(Slot),
    /// The number of a column among those that were drawn for a group alone.
    Alone(usize),
}

fn atomic(element: &AnyElement) -> Option<&dyn AtomicOp> {
    match element.kind() {
        Kind::Atomic(op) => Some(&**op),
        _ => None,
    }
}

impl Run<'_> {
    /// The values of a Chain in these rows, or the tasks that find them.
    pub(super) fn chain(
        &mut self,
        slot: Slot,
        rows: &Selection,
        demand: Option<Datum>,
        op: &dyn ChainOp,
    ) -> Result<(), ModelError> {
        let parents = self.block.link(slot);
        let (groups, numbers) = self.block.part(slot, rows, &parents);
        let known = |run: &mut Self, number| run.block.branch(slot, number, parents.len(), op);
        let branches = numbers.iter().map(|&number| known(self, number));
        let branches: Vec<Branch> = branches.collect::<Result<_, _>>()?;
        if let Some(value) = &demand
            && branches.iter().all(|branch| self.block.is_choice(branch))
        {
            let weigh = |branch: &Branch| self.block.likelihood(branch, value);
            let weights: Vec<(f64, f64)> = branches.iter().map(weigh).collect::<Result<_, _>>()?;
            return self.weigh_rows(slot, rows, (&groups, &branches), value, &weights);
        }
        if demand.is_some() {
            self.branch_out(slot, rows, (&groups, &branches), demand.as_ref());
            return Ok(());
        }
        let lots = numbers.iter().zip(branches);
        let lots = lots.map(|(&number, branch)| self.block.lot(slot, number, branch));
        let branches: Vec<Branch> = lots.collect::<Result<_, _>>()?;
        let together = |b: &Branch| b.ready().is_some() && self.block.is_choice(b);
        if branches.iter().all(together) {
            return self.draw_rows(slot, rows, groups, &branches);
        }
        if branches
            .iter()
            .all(|branch| matches!(branch.target, Target::Alone(_)))
        {
            return self.draw_alone(slot, rows, &groups, &branches);
        }
        self.branch_out(slot, rows, (&groups, &branches), None);
        Ok(())
    }

    /// The values of a table in these rows.
    pub(super) fn table(
        &mut self,
        slot: Slot,
        rows: &Selection,
        demand: Option<&Datum>,
        op: &dyn TableOp,
    ) -> Result<(), ModelError> {
        let parents = self.block.link(slot);
        let (groups, numbers) = self.block.part(slot, rows, &parents);
        let known = |run: &mut Self, number| run.block.table_row(slot, number, parents.len(), op);
        let branches = numbers.iter().map(|&number| known(self, number));
        let branches: Vec<Branch> = branches.collect::<Result<_, _>>()?;
        let Some(value) = demand else {
            return self.draw_rows(slot, rows, groups, &branches);
        };
        let columns = op.values().len();
        let column = op.values().index_of(value.as_any());
        let weigh = |branch: &Branch| match (&branch.target, column) {
            (Target::Row(start), Some(column)) => {
                let row = op.weights().row(*start, columns);
                (row.linear()[column], row.log(column))
            }
            _ => (0.0, f64::NEG_INFINITY),
        };
        let weights: Vec<(f64, f64)> = branches.iter().map(weigh).collect();
        self.weigh_rows(slot, rows, (&groups, &branches), value, &weights)
    }

    /// Gives all rows a value and weighs each with what its group says.
    fn weigh_rows(
        &mut self,
        slot: Slot,
        rows: &Selection,
        (groups, branches): (&Groups, &[Branch]),
        value: &Datum,
        weights: &[(f64, f64)],
    ) -> Result<(), ModelError> {
        match groups {
            Groups::Masks(masks) => {
                let masks = masks.iter().cloned().zip(weights.iter().copied());
                self.block.weights.times_masks(&masks.collect::<Vec<_>>());
            }
            Groups::Rows(numbers) => self.block.weights.times_codes(rows, numbers, weights),
        }
        let column = self.block.constant(slot, value, rows);
        let dense = branches
            .iter()
            .map(|branch| self.block.is_density(branch, value));
        let dense: Vec<bool> = dense.collect::<Result<_, _>>()?;
        let all_dense = dense.iter().all(|&dense| dense);
        if all_dense {
            self.block.weights.count_density(rows);
        }
        let some_dense = !all_dense && dense.contains(&true);
        if some_dense || branches.iter().any(|b| matches!(b.target, Target::Slot(_))) {
            let parts = groups.selections(rows, branches.len());
            for ((part, branch), dense) in parts.iter().zip(branches).zip(dense) {
                if dense && some_dense {
                    self.block.weights.count_density(part);
                }
                if let Target::Slot(of) = branch.target {
                    let same = self.block.constant(of, value, part);
                    self.block.keep(of, part, same);
                }
            }
        }
        self.settle(slot, rows, column, None)
    }

    /// Draws all rows at once.
    fn draw_rows(
        &mut self,
        slot: Slot,
        rows: &Selection,
        groups: Groups,
        branches: &[Branch],
    ) -> Result<(), ModelError> {
        let ready: Vec<&Ready> = branches.iter().filter_map(Branch::ready).collect();
        let codes = self.block.codes_for(slot, rows);
        let column = draw_ready(rows, &groups, &ready, codes, self.rng);
        if branches
            .iter()
            .any(|branch| matches!(branch.target, Target::Slot(_)))
        {
            let parts = groups.selections(rows, branches.len());
            for (part, branch) in parts.iter().zip(branches) {
                if let Target::Slot(of) = branch.target {
                    self.block.keep(of, part, column.part(rows, part));
                }
            }
        }
        if let Groups::Rows(numbers) = groups {
            self.block.give_back(numbers);
        }
        self.settle(slot, rows, column, None)
    }

    /// Draws each group from an element that nothing else refers to, in the order of the first rows.
    fn draw_alone(
        &mut self,
        slot: Slot,
        rows: &Selection,
        groups: &Groups,
        branches: &[Branch],
    ) -> Result<(), ModelError> {
        let numbers = groups.numbers(rows);
        let mut sizes = vec![0usize; branches.len()];
        for &group in &*numbers {
            sizes[group as usize] += 1;
        }
        let mut next: Vec<u32> = Vec::with_capacity(sizes.len());
        let mut all = self.block.instructions[slot.index()].element.no_column();
        for (branch, &size) in branches.iter().zip(&sizes) {
            next.push(all.len() as u32);
            let Target::Alone(element) = &branch.target else {
                continue;
            };
            let rows = Selection::all(size);
            let drawn = self.draw_one(slot, element, branch, &rows)?;
            all.append(&*self.block.typed(&drawn, &rows));
        }
        let mut order = Vec::with_capacity(numbers.len());
        for &group in &*numbers {
            let next = &mut next[group as usize];
            order.push(*next);
            *next += 1;
        }
        let column = Block::packed(all.gather(&order), rows);
        self.settle(slot, rows, column, None)
    }

    /// Values of an atomic element that nothing else refers to.
    fn draw_one(
        &mut self,
        of: Slot,
        element: &AnyElement,
        branch: &Branch,
        rows: &Selection,
    ) -> Result<Column, ModelError> {
        if let Some(ready) = branch.ready() {
            let codes = self.block.codes_for(of, rows);
            let one = Groups::Masks(vec![rows.mask().to_vec()]);
            return Ok(draw_ready(rows, &one, &[ready], codes, self.rng));
        }
        let values = match atomic(element) {
            Some(op) => op.sample_many(rows.len(), self.rng),
            None => Ok(element.no_column()),
        };
        let values = values.map_err(|fault| element.fault(fault))?;
        Ok(Block::packed(values, rows))
    }

    /// Makes a task of each branch, in the order of the first rows, and one that joins them.
    fn branch_out(
        &mut self,
        slot: Slot,
        rows: &Selection,
        (groups, branches): (&Groups, &[Branch]),
        demand: Option<&Datum>,
    ) {
        let parts = groups.selections(rows, branches.len());
        let mut sources: Vec<(Source, Selection)> = Vec::with_capacity(parts.len());
        let mut elements = Vec::with_capacity(parts.len());
        let mut met = FxHashMap::<Slot, usize>::default();
        for (part, branch) in parts.into_iter().zip(branches) {
            match &branch.target {
                // Different values may lead to one element.
                Target::Slot(of) => {
                    if let Some(&at) = met.get(of) {
                        sources[at].1 = sources[at].1.or(&part);
                    } else {
                        met.insert(*of, sources.len());
                        sources.push((Source::Slot(*of), part));
                        elements.push(None);
                    }
                }
                Target::Alone(element) => {
                    sources.push((Source::Alone(self.alone.len()), part));
                    self.alone.push(None);
                    elements.push(Some((element, branch)));
                }
                Target::Row(_) => {}
            }
        }
        self.tasks
            .push(Task::Join(slot, rows.clone(), sources.clone()));
        for ((source, part), element) in sources.into_iter().zip(elements).rev() {
            self.tasks.push(match (source, element) {
                (Source::Alone(number), Some((element, branch))) => Task::Alone {
                    number,
                    element: element.clone(),
                    branch: branch.clone(),
                    of: slot,
                    rows: part,
                    demand: demand.cloned(),
                },
                (Source::Slot(of), _) => Task::Enter(of, part, demand.cloned()),
                (Source::Alone(_), None) => continue,
            });
        }
    }

    /// Values of a branch that nothing else refers to, for the rows of its group.
    pub(super) fn alone(
        &mut self,
        number: usize,
        (element, branch, of): (&AnyElement, &Branch, Slot),
        rows: &Selection,
        demand: Option<&Datum>,
    ) -> Result<(), ModelError> {
        let column = if let Some(value) = demand {
            let weight = self.block.likelihood(branch, value)?;
            self.block.weights.times(rows, weight);
            if self.block.is_density(branch, value)? {
                self.block.weights.count_density(rows);
            }
            self.block.constant(of, value, rows)
        } else {
            self.draw_one(of, element, branch, rows)?
        };
        self.alone[number] = Some(Stored {
            rows: rows.clone(),
            column,
            generation: self.block.ancestors.len(),
        });
        Ok(())
    }
}

impl Block {
    /// The list of values of a slot, unless they are truth values, and an empty list for codes in some rows.
    fn codes_for(&mut self, slot: Slot, rows: &Selection) -> Option<(Book, Vec<u32>)> {
        let is_bool = self.instructions[slot.index()].is_bool;
        (!is_bool).then(|| (self.own_book(slot), self.list(rows.len())))
    }

    /// Whether a branch is an atomic choice of its own that has no value yet and carries no evidence.
    fn is_choice(&self, branch: &Branch) -> bool {
        match branch.target {
            Target::Alone(_) | Target::Row(_) => true,
            Target::Slot(slot) => {
                let instruction = &self.instructions[slot.index()];
                self.values[slot.index()].is_none()
                    && atomic(&instruction.element).is_some()
                    && instruction.evidence.is_empty()
                    && instruction.fixed.is_none()
                    && instruction.implied.is_empty()
            }
        }
    }

    /// The likelihood of a value under an atomic branch.
    fn likelihood(&self, branch: &Branch, value: &Datum) -> Result<(f64, f64), ModelError> {
        let element = match &branch.target {
            Target::Alone(element) => element,
            Target::Slot(slot) => &self.instructions[slot.index()].element,
            Target::Row(_) => return Ok((1.0, 0.0)),
        };
        atomic(element).map_or(Ok((1.0, 0.0)), |op| likelihood(element, op, value.as_any()))
    }

    /// Whether the likelihood of a value under an atomic branch is a density.
    fn is_density(&self, branch: &Branch, value: &Datum) -> Result<bool, ModelError> {
        let element = match &branch.target {
            Target::Alone(element) => element,
            Target::Slot(slot) => &self.instructions[slot.index()].element,
            Target::Row(_) => return Ok(false),
        };
        let Some(op) = atomic(element).filter(|_| !value.is_countable()) else {
            return Ok(false);
        };
        let outcomes = op.outcomes().map_err(|fault| element.fault(fault))?;
        Ok(matches!(outcomes, Err(Endless::Continuous)))
    }

    /// A branch with what drawing from it takes.
    fn lot(&mut self, slot: Slot, number: u32, branch: Branch) -> Result<Branch, ModelError> {
        if !matches!(branch.drawn, Lot::Unknown) || !self.is_choice(&branch) {
            return Ok(branch);
        }
        let element = match &branch.target {
            Target::Alone(element) => element.clone(),
            Target::Slot(of) => self.instructions[of.index()].element.clone(),
            Target::Row(_) => return Ok(branch),
        };
        let Some(op) = atomic(&element) else {
            return Ok(branch);
        };
        let met = self.functions.choice(&element);
        let outcomes = match met.as_ref().map(|choice| choice.outcomes.clone()) {
            Some(outcomes) => Some(outcomes),
            None => checked_outcomes(&element, op)?.ok().map(Rc::new),
        };
        let drawn = match outcomes {
            None => Lot::Open,
            Some(outcomes) => {
                let choice = self.choice(slot, outcomes, met);
                let chain = self.instructions[slot.index()].element.kind();
                let captures_nothing =
                    matches!(chain, Kind::Chain(_, op) if op.identity().is_some());
                if captures_nothing && matches!(branch.target, Target::Alone(_)) {
                    self.functions.remember_choice(&element, choice.clone());
                }
                Lot::Ready(choice.ready)
            }
        };
        let branch = Branch { drawn, ..branch };
        self.remember_branch(slot, number, branch.clone());
        Ok(branch)
    }

    /// How one of some outcomes is drawn for a slot: as it was for another, if the outcomes have the same codes here.
    fn choice(&mut self, slot: Slot, outcomes: Rc<FiniteOutcomes>, met: Option<Choice>) -> Choice {
        let is_bool = self.instructions[slot.index()].is_bool;
        let codes: Vec<u32> = if is_bool {
            Vec::new()
        } else {
            let book = self.own_book(slot);
            let values = 0..outcomes.support.len();
            values
                .map(|i| self.enter_value(book, outcomes.support.any(i)))
                .collect()
        };
        if let Some(met) = met
            && met.codes == codes
        {
            return met;
        }
        let ready = if is_bool {
            Ready::Flip(probability_of_true(&outcomes))
        } else {
            // Alias tables are what takes the memory.
            self.remembered += codes.len();
            Ready::Codes(Drawn::new(&outcomes.probabilities, &codes))
        };
        Choice {
            outcomes,
            codes,
            ready: Rc::new(ready),
        }
    }

    /// The branch of a combination of a Chain's parents' values.
    fn branch(
        &mut self,
        slot: Slot,
        number: u32,
        parents: usize,
        op: &dyn ChainOp,
    ) -> Result<Branch, ModelError> {
        if let Some(branch) = self.known_branch(slot, number) {
            return Ok(branch);
        }
        let chain = self.instructions[slot.index()].element.clone();
        let mut functions = std::mem::take(&mut self.functions);
        let called = op.identity().and_then(|function| {
            self.with_values(slot, number, parents, |values| {
                functions.call(function, chain.parents(), values)
            })
        });
        self.functions = functions;
        if let Some(call) = &called
            && let Some(element) = self.functions.element(call)
        {
            let branch = Branch {
                target: Target::Alone(element),
                drawn: Lot::Unknown,
            };
            self.remember_branch(slot, number, branch.clone());
            return Ok(branch);
        }
        let element = self.with_values(slot, number, parents, |values| op.call(values));
        let element = element.map_err(|fault| chain.fault(fault))?;
        let target = if element.is_unshared() && atomic(&element).is_some() {
            Target::Alone(element.clone())
        } else {
            Target::Slot(self.slot(&element))
        };
        let fixed = match &target {
            Target::Slot(of) => self.instructions[of.index()].fixed.is_some(),
            Target::Alone(_) | Target::Row(_) => false,
        };
        if let Some(op) = atomic(&element).filter(|_| !fixed) {
            op.check().map_err(|problem| element.invalid(problem))?;
        }
        if let Some(call) = called
            && matches!(target, Target::Alone(_))
        {
            self.remembered += 1;
            self.functions.remember(call, element.clone());
        }
        let branch = Branch {
            target,
            drawn: Lot::Unknown,
        };
        self.remember_branch(slot, number, branch.clone());
        Ok(branch)
    }

    /// The branch of a combination, if it has been met before.
    fn known_branch(&self, slot: Slot, number: u32) -> Option<Branch> {
        let branches = &self.instructions[slot.index()].memo.branches;
        branches.get(number as usize).cloned().flatten()
    }

    fn remember_branch(&mut self, slot: Slot, number: u32, branch: Branch) {
        self.remembered += 1;
        let branches = &mut self.instructions[slot.index()].memo.branches;
        branches.resize(branches.len().max(number as usize + 1), None);
        branches[number as usize] = Some(branch);
    }

    /// The row of a table for a combination of its parents' values.
    fn table_row(
        &mut self,
        slot: Slot,
        number: u32,
        parents: usize,
        op: &dyn TableOp,
    ) -> Result<Branch, ModelError> {
        if let Some(branch) = self.known_branch(slot, number) {
            return Ok(branch);
        }
        let row = self.with_values(slot, number, parents, |values| {
            let mut parents = values.iter().zip(op.states()).enumerate();
            parents.try_fold(0, |row, (parent, (&value, states))| {
                let state = states.index_of(value).ok_or(parent)?;
                Ok::<_, usize>(row * states.len() + state)
            })
        });
        let element = self.instructions[slot.index()].element.clone();
        let row = row.map_err(|parent| element.fault(Fault::no_state(parent)))?;
        let columns = op.values().len();
        let weights = op.weights().row(row * columns, columns).linear();
        let ready = if self.instructions[slot.index()].is_bool {
            let truth = op.values().index_of(&true);
            Ready::Flip(truth.map_or(0.0, |at| weights[at]))
        } else {
            let book = self.own_book(slot);
            let codes: Vec<u32> = (0..columns)
                .map(|i| self.enter_value(book, op.values().any(i)))
                .collect();
            Ready::Codes(Drawn::new(weights, &codes))
        };
        let branch = Branch {
            target: Target::Row(row * columns),
            drawn: Lot::Ready(Rc::new(ready)),
        };
        self.remember_branch(slot, number, branch.clone());
        Ok(branch)
    }
}
