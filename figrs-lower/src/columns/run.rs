//! Evaluation of the roots (evidence variables and targets) in the worlds of a block, which are evaluated together.

use std::rc::Rc;

use super::block::Block;
use super::branch_memo::Branch;
use super::column::{Column, ColumnSlot, StoredColumn};
use super::dictionary::Dictionary;
use super::draw::{AtomicSampler, CodeSampler, checked_outcomes, likelihood, probability_of_true};
use super::rare_branches::RowEvaluations;
use super::selection::{Selection, for_each_row, mask_where};
use crate::Observations;
use crate::numbering::Numbered;
use crate::world::run::FIRST_CHECK;
use figrs_core::element::family_values::MemberFault;
use figrs_core::element::node::{AnyElement, Kind};
use figrs_core::element::operations::{ApplyOp, AtomicOp, FamilyOp, NotEnumerable};
use figrs_core::error::{Fault, ModelError};
use figrs_core::random::Stream;
use figrs_core::value::datum::Datum;
use rustc_hash::FxHashMap;

/// The place of the column with the values of a group of worlds.
#[derive(Clone, Copy)]
pub(super) enum ColumnSource {
    Slot(ColumnSlot),
    /// A column that was computed for one group of worlds only, by its index in `RootEvaluation::alone`.
    Unshared(usize),
}

/// The next task in the evaluation of a root (an evidence variable or a target). A demand is the value that an element must have in each world of
/// positive weight, because of an observation.
pub(super) enum EvaluationTask {
    Enter(ColumnSlot, Selection, Option<Datum>),
    Finish(ColumnSlot, Selection, Option<Datum>),
    Unshared {
        number: usize,
        element: AnyElement,
        branch: Branch,
        /// The `Chain` to which the branch `branch` belongs.
        of: ColumnSlot,
        rows: Selection,
        demand: Option<Datum>,
    },
    Singles(Box<RowEvaluations>),
    Join(ColumnSlot, Selection, Vec<(ColumnSource, Selection)>),
}

pub(super) struct RootEvaluation<'b> {
    pub(super) block: &'b mut Block,
    pub(super) rng: &'b mut Stream,
    pub(super) tasks: Vec<EvaluationTask>,
    /// Columns of branches of a `Chain` whose elements have no index in the block of worlds.
    pub(super) alone: Vec<Option<StoredColumn>>,
    /// The number of tasks at which the next check for cycles of tasks is made.
    pub(super) check_cycles_at: usize,
}

impl Block {
    /// Evaluates all roots (evidence variables and targets) in `width` worlds.
    ///
    /// **Errors.** An error if an evaluated element has invalid parameters or a function that fails, or if a world evaluates too many elements.
    pub fn run(&mut self, width: usize, rng: &mut Stream) -> Result<(), ModelError> {
        self.start(width);
        for root in 0..self.roots() {
            self.run_root(root, rng)?;
        }
        Ok(())
    }

    /// Evaluates one root (an evidence variable or a target) and all elements on which it depends, in the worlds that no evidence has excluded yet.
    ///
    /// **Errors.** The same errors as those of [`run`](Self::run).
    pub fn run_root(&mut self, root: usize, rng: &mut Stream) -> Result<(), ModelError> {
        let first = EvaluationTask::Enter(self.root(root), self.weights.alive().clone(), None);
        let mut run = RootEvaluation {
            block: self,
            rng,
            tasks: vec![first],
            alone: Vec::new(),
            check_cycles_at: FIRST_CHECK,
        };
        while let Some(task) = run.tasks.pop() {
            run.task(task)?;
        }
        Ok(())
    }
}

impl RootEvaluation<'_> {
    fn task(&mut self, task: EvaluationTask) -> Result<(), ModelError> {
        let alive = self.block.weights.alive().clone();
        let living = |rows: &Selection| {
            let rows = rows.intersection(&alive);
            (!rows.is_empty()).then_some(rows)
        };
        match task {
            EvaluationTask::Enter(slot, rows, demand) => match living(&rows) {
                Some(rows) => self.start_evaluation(slot, rows, demand),
                None => Ok(()),
            },
            EvaluationTask::Finish(slot, rows, demand) => match living(&rows) {
                Some(rows) => self.finish(slot, &rows, demand),
                None => Ok(()),
            },
            EvaluationTask::Unshared {
                number,
                element,
                branch,
                of,
                rows,
                demand,
            } => match living(&rows) {
                Some(rows) => {
                    self.evaluate_unshared(number, (&element, &branch, of), &rows, demand.as_ref())
                }
                None => Ok(()),
            },
            EvaluationTask::Singles(singles) => self.singles(singles),
            EvaluationTask::Join(slot, rows, sources) => match living(&rows) {
                Some(rows) => self.join(slot, &rows, &sources),
                None => Ok(()),
            },
        }
    }

    /// Continues the evaluation of the worlds of `singles`, which are evaluated one by one. If worlds wait for the values of elements, schedules the
    /// evaluation of these elements.
    fn singles(&mut self, mut singles: Box<RowEvaluations>) -> Result<(), ModelError> {
        let missing = singles.advance(self.block, self.rng)?;
        if missing.is_empty() {
            let (number, column) = singles.joined(self.block);
            self.alone[number] = Some(column);
            return Ok(());
        }
        self.tasks.push(EvaluationTask::Singles(singles));
        let width = self.block.width;
        for (slot, demand, mut rows) in missing.into_iter().rev() {
            rows.sort_unstable();
            let rows = Selection::from_rows(rows, width);
            self.tasks.push(EvaluationTask::Enter(slot, rows, demand));
        }
        Ok(())
    }

    fn start_evaluation(
        &mut self,
        slot: ColumnSlot,
        rows: Selection,
        demand: Option<Datum>,
    ) -> Result<(), ModelError> {
        let mut rows = rows;
        if let Some(stored) = self.block.stored(slot) {
            let done = rows.intersection(&stored.rows);
            rows = rows.minus(done.mask());
            if let Some(demand) = &demand
                && !done.is_empty()
            {
                let column = self.block.read(slot, &done);
                self.drop_unequal(&done, &column, demand);
            }
            if rows.is_empty() {
                return Ok(());
            }
        }
        if self.block.touched.len() + self.tasks.len() >= self.block.check_at {
            self.check_limit(slot)?;
        }
        if self.tasks.len() >= self.check_cycles_at {
            self.check_cycles()?;
        }
        self.check_bytes_and_time(slot)?;
        self.check_policy(slot, &rows)?;
        let instruction = &self.block.instructions[slot.index()];
        if let Some(value) = instruction.fixed.clone() {
            let column = self.block.constant(slot, &value, &rows);
            let evidence = self.block.instructions[slot.index()].evidence.clone();
            let mut observed = evidence.iter().filter_map(|e| e.observed());
            if observed.any(|observed| *observed != value) {
                self.block.weights.drop_rows(rows.mask());
            }
            return self.set_values(slot, &rows, column, demand.as_ref());
        }
        let mut demand = demand;
        if self.block.observations == Observations::Weigh {
            let observed = instruction.evidence.iter().filter_map(|e| e.observed());
            for observed in observed.chain(&instruction.implied) {
                if demand.as_ref().is_some_and(|demand| demand != observed) {
                    self.block.weights.drop_rows(rows.mask());
                    return Ok(());
                }
                demand = Some(observed.clone());
            }
        }
        let element = instruction.element.clone();
        if let Kind::Atomic(op) = element.kind() {
            return self.atomic(slot, &rows, demand.as_ref(), (&element, &**op));
        }
        let parents = self.block.parent_slots(slot);
        let mut demands = match self.block.observations {
            Observations::Weigh => element.demands(demand.as_ref()),
            Observations::Compare => Vec::new(),
        };
        self.tasks
            .push(EvaluationTask::Finish(slot, rows.clone(), demand));
        for (i, &parent) in parents.iter().enumerate().rev() {
            let passed = demands.get_mut(i).and_then(Option::take);
            self.tasks
                .push(EvaluationTask::Enter(parent, rows.clone(), passed));
        }
        Ok(())
    }

    /// Returns an error if worlds wait for the policy of a decision because the policy depends on the decision.
    fn check_policy(&self, slot: ColumnSlot, rows: &Selection) -> Result<(), ModelError> {
        let element = &self.block.instructions[slot.index()].element;
        if !self.block.is_policy(element) {
            return Ok(());
        }
        let waits = |task: &EvaluationTask| matches!(task, EvaluationTask::Finish(of, waiting, _) if *of == slot && !waiting.intersection(rows).is_empty());
        if self.tasks.iter().any(waits) {
            return Err(ModelError::Undecided {
                element: element.label(),
            });
        }
        Ok(())
    }

    fn atomic(
        &mut self,
        slot: ColumnSlot,
        rows: &Selection,
        demand: Option<&Datum>,
        (element, op): (&AnyElement, &dyn AtomicOp),
    ) -> Result<(), ModelError> {
        let prepared = self.block.prepare(slot, op)?;
        let column = if let Some(value) = demand {
            let weight = likelihood(element, op, value.as_any())?;
            self.block.weights.times(rows, weight);
            if matches!(*prepared, AtomicSampler::ByFunction { continuous: true }) {
                self.block.weights.count_density(rows);
            }
            self.block.constant(slot, value, rows)
        } else {
            prepared.column((element, op), rows, self.rng)?
        };
        self.set_values(slot, rows, column, None)
    }

    fn finish(
        &mut self,
        slot: ColumnSlot,
        rows: &Selection,
        demand: Option<Datum>,
    ) -> Result<(), ModelError> {
        let element = self.block.instructions[slot.index()].element.clone();
        match element.kind() {
            Kind::Atomic(_) => Ok(()),
            Kind::Apply(_, op) => {
                let column = self.apply(slot, rows, &**op)?;
                self.set_values(slot, rows, column, demand.as_ref())
            }
            Kind::Score(_, evidence) => {
                let parents = self.block.parent_slots(slot);
                let column = self.block.read(parents[0], rows);
                let statement = evidence.clone();
                self.set_values(slot, rows, column.clone(), demand.as_ref())?;
                self.weigh(&element, rows, &column, &statement)
            }
            Kind::Chain(_, op) => {
                let demand = match self.block.observations {
                    Observations::Weigh => demand,
                    Observations::Compare => None,
                };
                match op.family() {
                    Some(family) => self.family(slot, rows, demand.as_ref(), family),
                    None => self.chain(slot, rows, demand, &**op),
                }
            }
            Kind::Table(_, op) => {
                let instruction = &mut self.block.instructions[slot.index()];
                if !instruction.checked {
                    op.check().map_err(|problem| element.invalid(problem))?;
                    instruction.checked = true;
                }
                self.table(slot, rows, demand.as_ref(), &**op)
            }
        }
    }

    fn arguments(
        &mut self,
        slot: ColumnSlot,
        rows: &Selection,
    ) -> Vec<Rc<dyn figrs_core::value::support::AnyColumn>> {
        let parents = self.block.parent_slots(slot);
        let read = |&parent: &ColumnSlot| {
            let column = self.block.read(parent, rows);
            self.block.dictionaries.typed(&column, rows)
        };
        parents.iter().map(read).collect()
    }

    fn family(
        &mut self,
        slot: ColumnSlot,
        rows: &Selection,
        demand: Option<&Datum>,
        family: &dyn FamilyOp,
    ) -> Result<(), ModelError> {
        let columns = self.arguments(slot, rows);
        let columns: Vec<&dyn figrs_core::value::support::AnyColumn> =
            columns.iter().map(|c| &**c).collect();
        let element = self.block.instructions[slot.index()].element.clone();
        let failed = |fault: MemberFault| match fault {
            MemberFault::Parameters(problem) => element.invalid(problem),
            MemberFault::Function(fault) => element.fault(fault),
        };
        let column = if let Some(value) = demand {
            let logs = family.log_probs(&columns, rows.len(), value.as_any());
            let logs = logs.map_err(failed)?;
            self.block.weights.add_logs(rows, logs);
            if family.is_continuous() {
                self.block.weights.count_density(rows);
            }
            self.block.constant(slot, value, rows)
        } else {
            let values = family.sample_many(&columns, rows.len(), self.rng);
            Column::packed(values.map_err(failed)?, rows)
        };
        self.set_values(slot, rows, column, None)
    }

    /// Computes the value of an element that is a function of other elements, in each of the worlds. If there are few combinations of parent values,
    /// the results of a function of the parents are cached.
    fn apply(
        &mut self,
        slot: ColumnSlot,
        rows: &Selection,
        op: &dyn ApplyOp,
    ) -> Result<Column, ModelError> {
        let parents = self.block.parent_slots(slot);
        let few = |block: &mut Block, parent: ColumnSlot| {
            let stored = block.stored(parent);
            stored.is_some_and(|stored| !matches!(stored.column, Column::Typed(_)))
        };
        let all_few = op.options().is_none()
            && !parents.is_empty()
            && parents.iter().all(|&parent| few(self.block, parent));
        if all_few && let Some(column) = self.block.apply_remembered(slot, rows, &parents, op)? {
            return Ok(column);
        }
        let columns = self.arguments(slot, rows);
        let columns: Vec<&dyn figrs_core::value::support::AnyColumn> =
            columns.iter().map(|c| &**c).collect();
        let instruction = &self.block.instructions[slot.index()];
        let failed = |fault| instruction.element.fault(fault);
        if let Some(options) = op.options().filter(|_| !instruction.is_bool) {
            let codes = op.options_of(&columns, rows.len()).map_err(failed)?;
            let dictionary = self.block.options_dictionary(slot, options);
            return Ok(Column::Codes(Rc::new(codes), dictionary));
        }
        let values = op.call_many(&columns, rows.len()).map_err(failed)?;
        Ok(Column::packed(values, rows))
    }

    fn drop_unequal(&mut self, rows: &Selection, column: &Column, value: &Datum) {
        let other = match column {
            Column::Bits(bits) => {
                let wrong = if value.get::<bool>() == Some(&true) {
                    u64::MAX
                } else {
                    0
                };
                let words = rows.mask().iter().zip(bits.iter());
                words.map(|(mask, bits)| mask & (bits ^ wrong)).collect()
            }
            Column::Codes(codes, dictionary) => {
                let wanted = self.block.dictionary(*dictionary).code(value.as_any());
                mask_where(rows, |at| Some(codes[at]) != wanted)
            }
            Column::Classes(classes, dictionary) => {
                let wanted = self.block.dictionary(*dictionary).code(value.as_any());
                classes.mask_of(rows.mask().len(), |code| Some(code) != wanted)
            }
            Column::Typed(values) => mask_where(rows, |at| !value.same_as(values.any(at))),
        };
        self.block.weights.drop_rows(&other);
    }

    /// Stores the values of an element in the worlds `rows`, and multiplies the weights of these worlds by the evidence on the element.
    pub(super) fn set_values(
        &mut self,
        slot: ColumnSlot,
        rows: &Selection,
        column: Column,
        demand: Option<&Datum>,
    ) -> Result<(), ModelError> {
        self.block.store_values(slot, rows, column.clone());
        if let Some(demand) = demand {
            self.drop_unequal(rows, &column, demand);
        }
        let evidence = self.block.instructions[slot.index()].evidence.clone();
        if evidence.is_empty() {
            return Ok(());
        }
        let element = self.block.instructions[slot.index()].element.clone();
        for statement in &*evidence {
            self.weigh(&element, rows, &column, statement)?;
        }
        Ok(())
    }

    /// Returns an error if a `Chain` waits in a world for a result that waits for the same `Chain` in the same world. The check for cycles of waiting
    /// `Chain`s is made only when the number of tasks has doubled since the last check, so that its cost is low.
    #[cold]
    fn check_cycles(&mut self) -> Result<(), ModelError> {
        self.check_cycles_at = 2 * self.tasks.len();
        let mut waiting = FxHashMap::<ColumnSlot, Selection>::default();
        for task in &self.tasks {
            let EvaluationTask::Join(slot, rows, _) = task else {
                continue;
            };
            let all = match waiting.get(slot) {
                Some(others) if !others.intersection(rows).is_empty() => {
                    let element = &self.block.instructions[slot.index()].element;
                    return Err(element.fault(Fault::Cyclic));
                }
                Some(others) => others.or(rows),
                None => rows.clone(),
            };
            waiting.insert(*slot, all);
        }
        Ok(())
    }

    /// Returns an error if a world evaluates more elements than the limit allows; elements whose evaluation is only scheduled are counted too.
    fn check_limit(&mut self, slot: ColumnSlot) -> Result<(), ModelError> {
        let mut counts: Vec<usize> = self.block.singles.iter().map(|&n| n as usize).collect();
        counts.resize(self.block.width, 0);
        let mut count = |rows: &Selection| for_each_row(rows.mask(), |row| counts[row] += 1);
        for at in 0..self.block.touched.len() {
            if let Some(stored) = self.block.stored(self.block.touched[at]) {
                count(&stored.rows);
            }
        }
        for task in &self.tasks {
            if let EvaluationTask::Finish(_, rows, _) | EvaluationTask::Join(_, rows, _) = task {
                count(rows);
            }
        }
        let most = counts.into_iter().max().unwrap_or(0);
        let limit = self.block.limit.elements;
        if most >= limit {
            return Err(self.block.too_many(slot.0, limit));
        }
        // If different worlds share no elements, a count of elements at each new element would take quadratic time. Therefore elements are counted
        // again only after many new elements.
        let all = self.block.touched.len() + self.tasks.len();
        self.block.check_at = all + (limit - most).max(all / 4);
        Ok(())
    }
}

impl Block {
    /// Returns the sampler of an atomic element, which is created when it is first needed.
    fn prepare(
        &mut self,
        slot: ColumnSlot,
        op: &dyn AtomicOp,
    ) -> Result<Rc<AtomicSampler>, ModelError> {
        if let Some(prepared) = &self.instructions[slot.index()].prepared {
            return Ok(prepared.clone());
        }
        let element = self.instructions[slot.index()].element.clone();
        let is_bool = self.instructions[slot.index()].is_bool;
        let prepared = match checked_outcomes(&element, op)? {
            Ok(outcomes) if is_bool => AtomicSampler::Flip(probability_of_true(&outcomes)),
            Ok(outcomes) => {
                let codes: Vec<u32> = (0..outcomes.support.len() as u32).collect();
                let drawn = CodeSampler::new(&outcomes.probabilities, &codes);
                AtomicSampler::Finite(
                    drawn,
                    self.add_dictionary(Dictionary::Fixed(outcomes.support)),
                )
            }
            Err(endless) => AtomicSampler::ByFunction {
                continuous: endless == NotEnumerable::Continuous,
            },
        };
        self.bytes.added(prepared.bytes());
        let prepared = Rc::new(prepared);
        self.instructions[slot.index()].prepared = Some(prepared.clone());
        Ok(prepared)
    }
}
