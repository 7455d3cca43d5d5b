//! Evaluation of `Chain` elements and conditional tables in a block: the values of the parents select a branch in each world (row).

use rustc_hash::FxHashMap;

use super::block::Block;
use super::branch_memo::{Branch, BranchTarget};
use super::column::{Column, ColumnSlot, DictionaryId, StoredColumn};
use super::draw::{PooledSampler, draw_ready};
use super::groups::RowGroups;
use super::rare_branches::{RareBranch, RowEvaluations, are_few, is_evaluated_as_tree};
use super::run::{ColumnSource, EvaluationTask, RootEvaluation};
use super::selection::Selection;
use figrs_core::element::node::AnyElement;
use figrs_core::element::operations::{ChainOp, TableOp};
use figrs_core::error::ModelError;
use figrs_core::value::datum::Datum;

struct BranchRows {
    /// The branch of the `Chain`; `None` if few worlds take the branch, because it is then created only when these worlds are evaluated.
    branch: Option<Branch>,
    combination: u32,
    size: usize,
}

impl RootEvaluation<'_> {
    /// Computes the values of a `Chain` in the worlds `rows`, or schedules the tasks that compute them.
    pub(super) fn chain(
        &mut self,
        slot: ColumnSlot,
        rows: &Selection,
        demand: Option<Datum>,
        op: &dyn ChainOp,
    ) -> Result<(), ModelError> {
        let parents = self.block.parent_slots(slot);
        let (groups, numbers) = self.block.partition(slot, rows, &parents);
        let made = self.make_branches(slot, rows, (&groups, &numbers), op)?;
        let Some(branches) = made.iter().cloned().collect::<Option<Vec<Branch>>>() else {
            self.schedule_branches(slot, rows, &groups, (made, &numbers), demand.as_ref());
            return Ok(());
        };
        if let Some(value) = &demand
            && branches.iter().all(|branch| self.block.is_choice(branch))
        {
            let weigh = |branch: &Branch| self.block.likelihood(branch, value);
            let weights: Vec<(f64, f64)> = branches.iter().map(weigh).collect::<Result<_, _>>()?;
            return self.weigh_rows(slot, rows, (&groups, &branches), value, &weights);
        }
        if demand.is_some() {
            self.schedule_branches(slot, rows, &groups, (made, &numbers), demand.as_ref());
            return Ok(());
        }
        let lots = numbers.iter().zip(branches);
        let lots = lots.map(|(&number, branch)| self.block.with_sampler(slot, number, branch));
        let branches: Vec<Branch> = lots.collect::<Result<_, _>>()?;
        let together = |b: &Branch| b.sampler().is_some() && self.block.is_choice(b);
        if branches.iter().all(together) {
            return self.draw_rows(slot, rows, groups, &branches);
        }
        if branches
            .iter()
            .all(|branch| matches!(branch.target, BranchTarget::Unshared(_)))
        {
            return self.draw_alone(slot, rows, &groups, &branches);
        }
        let branches = branches.into_iter().map(Some).collect();
        self.schedule_branches(slot, rows, &groups, (branches, &numbers), None);
        Ok(())
    }

    /// Creates the branches of a `Chain` for groups of worlds, and prepares the samplers of the branches. After a branch whose element is not atomic,
    /// branches that few worlds take are not created at once, but when these worlds are evaluated.
    fn make_branches(
        &mut self,
        slot: ColumnSlot,
        rows: &Selection,
        (groups, numbers): (&RowGroups, &[u32]),
        op: &dyn ChainOp,
    ) -> Result<Vec<Option<Branch>>, ModelError> {
        let parents = self.block.parent_slots(slot).len();
        let mut made = Vec::with_capacity(numbers.len());
        let mut few: Option<Vec<bool>> = None;
        let mut is_left = false;
        for (group, &number) in numbers.iter().enumerate() {
            if few.as_ref().is_some_and(|few| few[group]) {
                made.push(None);
                is_left = true;
                continue;
            }
            let branch = self.block.branch(slot, number, parents, op)?;
            if few.is_none() && branch.is_open() {
                let sizes = groups.sizes(numbers.len());
                let are_few = |&size: &usize| are_few(size, rows.width());
                few = Some(sizes.iter().map(are_few).collect());
            }
            made.push(Some(branch));
        }
        if is_left {
            for (made, &number) in made.iter_mut().zip(numbers) {
                if let Some(branch) = made.take() {
                    *made = Some(self.block.with_sampler(slot, number, branch)?);
                }
            }
        }
        Ok(made)
    }

    /// Computes the values drawn from a conditional probability table in the worlds `rows`.
    pub(super) fn table(
        &mut self,
        slot: ColumnSlot,
        rows: &Selection,
        demand: Option<&Datum>,
        op: &dyn TableOp,
    ) -> Result<(), ModelError> {
        let parents = self.block.parent_slots(slot);
        let (groups, numbers) = self.block.partition(slot, rows, &parents);
        let known = |run: &mut Self, number| run.block.table_row(slot, number, parents.len(), op);
        let branches = numbers.iter().map(|&number| known(self, number));
        let branches: Vec<Branch> = branches.collect::<Result<_, _>>()?;
        let Some(value) = demand else {
            return self.draw_rows(slot, rows, groups, &branches);
        };
        let columns = op.values().len();
        let column = op.values().index_of(value.as_any());
        let weigh = |branch: &Branch| match (&branch.target, column) {
            (BranchTarget::Row(start), Some(column)) => {
                let row = op.weights().row(*start, columns);
                (row.linear()[column], row.log(column))
            }
            _ => (0.0, f64::NEG_INFINITY),
        };
        let weights: Vec<(f64, f64)> = branches.iter().map(weigh).collect();
        self.weigh_rows(slot, rows, (&groups, &branches), value, &weights)
    }

    /// Gives all worlds `rows` the observed value `value`, and multiplies the weights of the worlds in each group by the likelihood of the group in
    /// `weights`.
    fn weigh_rows(
        &mut self,
        slot: ColumnSlot,
        rows: &Selection,
        (groups, branches): (&RowGroups, &[Branch]),
        value: &Datum,
        weights: &[(f64, f64)],
    ) -> Result<(), ModelError> {
        match groups {
            RowGroups::Sets(sets) => {
                let masks = sets.iter().map(|set| set.mask().to_vec());
                let masks = masks.zip(weights.iter().copied());
                self.block.weights.times_masks(&masks.collect::<Vec<_>>());
            }
            RowGroups::Rows(numbers) => self.block.weights.times_codes(rows, numbers, weights),
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
        if some_dense
            || branches
                .iter()
                .any(|b| matches!(b.target, BranchTarget::Slot(_)))
        {
            let parts = groups.selections(rows, branches.len());
            for ((part, branch), dense) in parts.iter().zip(branches).zip(dense) {
                if dense && some_dense {
                    self.block.weights.count_density(part);
                }
                if let BranchTarget::Slot(of) = branch.target {
                    let same = self.block.constant(of, value, part);
                    self.block.store_values(of, part, same);
                }
            }
        }
        self.set_values(slot, rows, column, None)
    }

    fn draw_rows(
        &mut self,
        slot: ColumnSlot,
        rows: &Selection,
        groups: RowGroups,
        branches: &[Branch],
    ) -> Result<(), ModelError> {
        let ready: Vec<&PooledSampler> = branches.iter().filter_map(Branch::sampler).collect();
        let codes = self.block.codes_for(slot, rows);
        let column = draw_ready(rows, &groups, &ready, codes, self.rng);
        if branches
            .iter()
            .any(|branch| matches!(branch.target, BranchTarget::Slot(_)))
        {
            let parts = groups.selections(rows, branches.len());
            for (part, branch) in parts.iter().zip(branches) {
                if let BranchTarget::Slot(of) = branch.target {
                    self.block
                        .store_values(of, part, column.restrict(rows, part));
                }
            }
        }
        if let RowGroups::Rows(numbers) = groups {
            self.block.buffers.recycle(numbers);
        }
        self.set_values(slot, rows, column, None)
    }

    /// Draws the values of one group of worlds after another, in the order of the groups' first worlds. If values are drawn group by group, no other
    /// branch may refer to the element that a branch draws.
    fn draw_alone(
        &mut self,
        slot: ColumnSlot,
        rows: &Selection,
        groups: &RowGroups,
        branches: &[Branch],
    ) -> Result<(), ModelError> {
        let numbers = groups.numbers(rows);
        let sizes = groups.sizes(branches.len());
        let mut next: Vec<u32> = Vec::with_capacity(sizes.len());
        let mut all = self.block.instructions[slot.index()].element.no_column();
        for (branch, &size) in branches.iter().zip(&sizes) {
            next.push(all.len() as u32);
            let BranchTarget::Unshared(element) = &branch.target else {
                continue;
            };
            let rows = Selection::all(size);
            let drawn = self.draw_one(slot, element, branch, &rows)?;
            all.append(&*self.block.dictionaries.typed(&drawn, &rows));
        }
        let mut order = Vec::with_capacity(numbers.len());
        for &group in &*numbers {
            let next = &mut next[group as usize];
            order.push(*next);
            *next += 1;
        }
        let column = Column::packed(all.gather(&order), rows);
        self.set_values(slot, rows, column, None)
    }

    /// Draws values of the atomic element `element`, to which nothing else refers.
    fn draw_one(
        &mut self,
        of: ColumnSlot,
        element: &AnyElement,
        branch: &Branch,
        rows: &Selection,
    ) -> Result<Column, ModelError> {
        if let Some(ready) = branch.sampler() {
            let codes = self.block.codes_for(of, rows);
            let one = RowGroups::Sets(vec![rows.clone()]);
            return Ok(draw_ready(rows, &one, &[ready], codes, self.rng));
        }
        let values = match element.kind().atomic() {
            Some(op) => op.sample_many(rows.len(), self.rng),
            None => Ok(element.no_column()),
        };
        let values = values.map_err(|fault| element.fault(fault))?;
        Ok(Column::packed(values, rows))
    }

    /// Schedules one task for each branch of a `Chain` that many worlds take, in the order of the first worlds. One further task evaluates the worlds
    /// of all other branches, and the last task joins the values of all branches into one column.
    fn schedule_branches(
        &mut self,
        slot: ColumnSlot,
        rows: &Selection,
        groups: &RowGroups,
        (branches, combinations): (Vec<Option<Branch>>, &[u32]),
        demand: Option<&Datum>,
    ) {
        let width = rows.width();
        let sizes = groups.sizes(branches.len());
        let is_few = branches.iter().zip(&sizes).map(|(branch, &size)| {
            let mut branch = branch.iter().filter(|_| demand.is_none());
            are_few(size, width) || branch.any(|branch| is_evaluated_as_tree(branch, size))
        });
        let is_few: Vec<bool> = is_few.collect();
        let (many, few) = groups.split_rare(rows, &is_few);
        let branches = branches.into_iter().zip(combinations).zip(sizes);
        let parts = branches.map(|((branch, &combination), size)| BranchRows {
            branch,
            combination,
            size,
        });
        let mut parts: Vec<BranchRows> = parts.collect();
        let mut sources: Vec<(ColumnSource, Selection)> = Vec::new();
        let mut tasks: Vec<EvaluationTask> = Vec::new();
        if !few.is_empty() {
            let (source, task) =
                self.schedule_rare_branches(slot, &mut parts, few, (width, demand));
            sources.push(source);
            tasks.push(task);
        }
        let mut met = FxHashMap::<ColumnSlot, usize>::default();
        for (part, rows) in parts.into_iter().zip(many) {
            let (Some(branch), Some(rows)) = (part.branch, rows) else {
                continue;
            };
            let tree = branch.elements_of_tree(1);
            let of = match branch.target {
                BranchTarget::Slot(of) => of,
                BranchTarget::Composite(element, _) => {
                    self.block.slot_of(slot, part.combination, (&element, tree))
                }
                BranchTarget::Unshared(ref element) => {
                    let number = self.alone.len();
                    self.alone.push(None);
                    sources.push((ColumnSource::Unshared(number), rows.clone()));
                    tasks.push(EvaluationTask::Unshared {
                        number,
                        element: element.clone(),
                        branch,
                        of: slot,
                        rows,
                        demand: demand.cloned(),
                    });
                    continue;
                }
                BranchTarget::Row(_) | BranchTarget::Dropped => continue,
            };
            // Different combinations of parent values may lead to the same element.
            if let Some(&at) = met.get(&of) {
                sources[at].1 = sources[at].1.or(&rows);
                if let EvaluationTask::Enter(_, part, _) = &mut tasks[at] {
                    *part = part.or(&rows);
                }
            } else {
                met.insert(of, sources.len());
                sources.push((ColumnSource::Slot(of), rows.clone()));
                tasks.push(EvaluationTask::Enter(of, rows, demand.cloned()));
            }
        }
        self.tasks
            .push(EvaluationTask::Join(slot, rows.clone(), sources));
        self.tasks.extend(tasks.into_iter().rev());
    }

    /// Returns the task that evaluates the worlds `few`, whose branches few worlds take, and the source of their values. Each entry of `few` is a
    /// world and the index of its group.
    fn schedule_rare_branches(
        &mut self,
        slot: ColumnSlot,
        parts: &mut [BranchRows],
        mut few: Vec<(u32, u32)>,
        (width, demand): (usize, Option<&Datum>),
    ) -> ((ColumnSource, Selection), EvaluationTask) {
        let rows = Selection::from_rows(few.iter().map(|&(row, _)| row).collect(), width);
        let mut positions = vec![u32::MAX; parts.len()];
        let mut branches = Vec::new();
        for (_, group) in &mut few {
            let position = &mut positions[*group as usize];
            if *position == u32::MAX {
                *position = branches.len() as u32;
                let part = &mut parts[*group as usize];
                branches.push(RareBranch::new(
                    part.combination,
                    part.branch.take(),
                    (part.size, width),
                ));
            }
            *group = *position;
        }
        // The worlds of a branch follow each other, so that the branch stays in the processor cache and can be dropped after its last world.
        few.sort_by_key(|&(_, branch)| branch);
        let number = self.alone.len();
        self.alone.push(None);
        let values = self.block.instructions[slot.index()].element.no_column();
        let few = (few, values);
        let singles = RowEvaluations::new((slot, number), branches, few, demand.cloned());
        (
            (ColumnSource::Unshared(number), rows),
            EvaluationTask::Singles(Box::new(singles)),
        )
    }

    /// Computes the values of a branch to whose element nothing else refers, in the worlds that take the branch.
    pub(super) fn evaluate_unshared(
        &mut self,
        number: usize,
        (element, branch, of): (&AnyElement, &Branch, ColumnSlot),
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
        self.alone[number] = Some(StoredColumn {
            rows: rows.clone(),
            column,
            generation: self.block.lineage.generation(),
        });
        Ok(())
    }
}

impl Block {
    /// Returns the dictionary of an element, and an empty list with room for the codes of the worlds `rows`; `None` if the values are Booleans.
    fn codes_for(
        &mut self,
        slot: ColumnSlot,
        rows: &Selection,
    ) -> Option<(DictionaryId, Vec<u32>)> {
        let is_bool = self.instructions[slot.index()].is_bool;
        (!is_bool).then(|| (self.own_dictionary(slot), self.buffers.list(rows.len())))
    }
}
