//! Evaluates branches of a `Chain` that few worlds take. A branch of a `Chain` that few worlds take is evaluated world by world or, if its elements
//! form a tree, in all its worlds at the same time.

use std::time::{Duration, Instant};

use super::block::Block;
use super::branch_columns::values_of_tree;
use super::branch_memo::{Branch, BranchTarget};
use super::column::{ColumnSlot, StoredColumn};
use super::row_world::{FinishedRows, RowEvaluation, RowResult};
use figrs_core::element::node::AnyElement;
use figrs_core::error::ModelError;
use figrs_core::limits::check_world;
use figrs_core::random::Stream;
use figrs_core::value::datum::Datum;
use figrs_core::value::support::AnyColumn;

#[cfg(test)]
mod tests;

/// A branch of a `Chain` is evaluated world by world if at most `8 + block_rows / 1024` worlds take the branch. The maximum number of worlds that are
/// evaluated one by one grows with the number of worlds of the block, because the cost of operations on sets of worlds grows too. When a branch was
/// evaluated world by world for up to one world in 256, a geometric recursion was 1.2 times slower (in blocks of 16 384 worlds).
const ROW_BY_ROW_ROWS: usize = 8;
const ROW_BY_ROW_DIVISOR: usize = 1024;

/// A branch whose elements form a tree is evaluated without columns for the whole block if at most this number of worlds take the branch. With a
/// limit of 64 worlds per branch, a model of list states was 5 % slower.
const TREE_ROWS: usize = 256;

/// A branch that few worlds take is cached if the time for its creation exceeds `WORTH_CACHING`. A branch that is created in less time is created
/// again for each use: its elements are then in the processor cache, whereas the elements of a cached branch mostly are not.
const WORTH_CACHING: Duration = Duration::from_micros(50);

/// The evaluation of the worlds that take rare branches of a `Chain`; the branches are evaluated one after another.
pub(super) struct RowEvaluations {
    /// The `Chain` whose branches are rare, because few worlds take each of them.
    of: ColumnSlot,
    /// The index in `RootEvaluation::alone` of the column that has the values of the `Chain` in the worlds with rare branches.
    number: usize,
    demand: Option<Datum>,
    branches: Vec<RareBranch>,
    /// The worlds whose evaluation has not started, in order, each with the index of the branch that it takes.
    not_begun: Vec<(u32, u32)>,
    /// Worlds whose evaluation waits until the value of another element has been computed.
    waiting: Vec<(RowEvaluation, u32)>,
    finished: FinishedRows,
    /// A finished evaluation of a world, whose memory is used again for the next world.
    spare: Option<RowEvaluation>,
    /// An empty list, whose memory is used again when branches that are trees are evaluated.
    columns: Vec<Box<dyn AnyColumn>>,
}

pub(super) struct RareBranch {
    /// The index of the combination of parent values for which the `Chain` takes the branch.
    combination: u32,
    /// The branch of the `Chain`; `None` until the evaluation of the first world that takes the branch starts. Each branch of the `Chain` is dropped
    /// before the next branch is created.
    branch: Option<Branch>,
    rows: usize,
    /// The largest number of elements of the branch that one world has evaluated.
    entered: usize,
    /// `true` if the branch is kept for other worlds, because its creation took a long time or because many worlds take it.
    is_kept: bool,
    /// `true` if elements outside the branch may refer to elements of the branch.
    is_referred: bool,
}

/// A list entry for a missing value: the element, the value that observations require of the element (if there is one), and the worlds that wait for
/// the element.
pub(super) type MissingValues = (ColumnSlot, Option<Datum>, Vec<u32>);

/// True if a branch that `rows` of `width` worlds take is to be evaluated world by world, because these worlds are few.
pub(super) fn are_few(rows: usize, width: usize) -> bool {
    rows <= ROW_BY_ROW_ROWS + width / ROW_BY_ROW_DIVISOR
}

/// True if a branch that `rows` worlds take is evaluated in all these worlds at the same time, without columns for the whole block. The branch must
/// not be an atomic element, and no observation must require a value of the `Chain`.
pub(super) fn is_evaluated_as_tree(branch: &Branch, rows: usize) -> bool {
    let is_atomic = matches!(branch.target, BranchTarget::Unshared(_));
    rows <= TREE_ROWS && !is_atomic && branch.elements_of_tree(rows).is_some()
}

impl RowEvaluations {
    /// Prepares the evaluation of the worlds `rows` of a `Chain`, each with the index of its branch; `values` is an empty list for the values of the
    /// `Chain`. The worlds that take the same branch must be consecutive in the list.
    pub(super) fn new(
        (of, number): (ColumnSlot, usize),
        branches: Vec<RareBranch>,
        (rows, values): (Vec<(u32, u32)>, Box<dyn AnyColumn>),
        demand: Option<Datum>,
    ) -> Self {
        Self {
            of,
            number,
            demand,
            branches,
            finished: FinishedRows::new(rows.len(), values),
            not_begun: rows,
            waiting: Vec::new(),
            spare: None,
            columns: Vec::new(),
        }
    }

    pub(super) fn bytes(&self) -> usize {
        let held = self.waiting.iter().map(|(single, _)| single.bytes());
        let branches = self.branches.capacity() * size_of::<RareBranch>();
        let rows = self.not_begun.capacity() * size_of::<(u32, u32)>()
            + self.waiting.capacity() * size_of::<(RowEvaluation, u32)>()
            + self.finished.bytes();
        branches + rows + held.sum::<u64>() as usize
    }

    /// Continues the evaluation of all worlds that take rare branches. Returns the elements without a value for which worlds wait.
    pub(super) fn advance(
        &mut self,
        block: &mut Block,
        rng: &mut Stream,
    ) -> Result<Vec<MissingValues>, ModelError> {
        let alive = block.weights.alive().clone();
        let lives = |row: u32| alive.mask()[row as usize / 64] >> (row % 64) & 1 == 1;
        self.finished.retain(lives);
        let mut missing = Vec::new();
        let waited = std::mem::take(&mut self.waiting).into_iter();
        for (mut single, branch) in waited.filter(|(single, _)| lives(single.row)) {
            let waits_for = single.advance(block, rng)?;
            self.end_turn((single, branch), waits_for, &mut missing, block);
        }
        let mut ahead = std::mem::take(&mut self.not_begun);
        ahead.retain(|&(row, _)| lives(row));
        for worlds in ahead.chunk_by(|a, b| a.1 == b.1) {
            self.begin_branch(worlds, &mut missing, block, rng)?;
        }
        if missing.is_empty() {
            return Ok(missing);
        }
        // Elements that are now evaluated by columns may depend on values that were computed only for the waiting worlds.
        let waiting = self.waiting.iter();
        let waiting = waiting.map(|(single, _)| (single.row, single.known.as_slice()));
        let known = waiting.chain(self.finished.known());
        let known = known.flat_map(|(row, known)| known.iter().map(move |one| (row, one.clone())));
        let mut known: Vec<(u32, (AnyElement, Datum))> = known.collect();
        known.sort_by_key(|(row, _)| *row);
        block.register(known);
        Ok(missing)
    }

    /// Starts the evaluation of the worlds that take one branch, and creates the branch if it does not exist.
    fn begin_branch(
        &mut self,
        worlds: &[(u32, u32)],
        missing: &mut Vec<MissingValues>,
        block: &mut Block,
        rng: &mut Stream,
    ) -> Result<(), ModelError> {
        let Some(&(_, branch)) = worlds.first() else {
            return Ok(());
        };
        let few = &mut self.branches[branch as usize];
        let made = if let Some(branch) = few.branch.take() {
            branch
        } else {
            let start = Instant::now();
            let made = block.branch_of(self.of, few.combination)?;
            few.is_kept = start.elapsed() > WORTH_CACHING;
            made
        };
        let (root, own) = (block.root_of(&made).cloned(), made.is_unshared());
        let elements = made.elements_of_tree(worlds.len());
        few.branch = Some(made);
        let Some(root) = root else {
            return Ok(());
        };
        if let Some(elements) = elements
            && self.evaluate_together(worlds, (&root, elements), block, rng)?
        {
            return Ok(());
        }
        for &(row, _) in worlds {
            let mut single = self.spare.take().unwrap_or_default();
            let demand = self.demand.clone();
            let waits_for = single.start(row, (&root, own), demand, (block, rng))?;
            self.end_turn((single, branch), waits_for, missing, block);
        }
        Ok(())
    }

    /// Evaluates all worlds of a branch at the same time; the branch is a tree of `elements` elements. Returns `false` if the worlds of the branch
    /// must be evaluated one by one.
    fn evaluate_together(
        &mut self,
        worlds: &[(u32, u32)],
        (root, elements): (&AnyElement, usize),
        block: &mut Block,
        rng: &mut Stream,
    ) -> Result<bool, ModelError> {
        if self.demand.is_some() {
            return Ok(false);
        }
        let earlier = worlds.iter().map(|(row, _)| block.count_of_singles(*row));
        // The `Chain` is also counted as an element.
        let entered = earlier.max().unwrap_or(0) + elements + 1;
        if entered > block.limit.elements {
            // The error must name the element at which the limit is exceeded.
            return Ok(false);
        }
        check_world(&block.limit, root, entered, block.bytes.made_bytes())?;
        let values = values_of_tree(root, worlds.len(), &mut self.columns, rng)?;
        let rows = worlds.iter().map(|&(row, _)| row);
        self.finished.extend(rows, values, elements);
        let few = &mut self.branches[worlds[0].1 as usize];
        few.rows -= worlds.len();
        few.entered = few.entered.max(elements);
        if few.rows == 0 {
            few.release(self.of, block);
        }
        Ok(true)
    }

    /// Records the result of a world's evaluation, or the missing value `waits_for` for which the world must wait.
    fn end_turn(
        &mut self,
        (single, branch): (RowEvaluation, u32),
        waits_for: Option<(ColumnSlot, Option<Datum>)>,
        missing: &mut Vec<MissingValues>,
        block: &mut Block,
    ) {
        let Some((slot, demand)) = waits_for else {
            self.finish(single, branch, block);
            return;
        };
        let same = |(other, of, _): &&mut MissingValues| *other == slot && *of == demand;
        match missing.iter_mut().find(same) {
            Some((_, _, rows)) => rows.push(single.row),
            None => missing.push((slot, demand, vec![single.row])),
        }
        self.waiting.push((single, branch));
    }

    /// Records the result of a world's evaluation. After the last world of a branch has been evaluated, drops the branch, unless elements outside the
    /// branch may refer to its elements.
    fn finish(&mut self, mut single: RowEvaluation, branch: u32, block: &mut Block) {
        let known = single.known.take();
        let few = &mut self.branches[branch as usize];
        few.rows -= 1;
        few.entered = few.entered.max(single.run.entered);
        few.is_referred |= !known.is_empty();
        self.finished.push(RowResult {
            row: single.row,
            value: single.run.take_value(),
            log: single.run.weight.log,
            densities: single.run.densities as u32,
            entered: single.run.entered,
            known,
        });
        self.spare = Some(single);
        if few.rows == 0 && !few.is_referred {
            few.release(self.of, block);
        }
    }

    /// After the evaluation of all worlds, returns the column of the values in these worlds, and the index of the column. Values on which other
    /// elements may depend are stored in the block of worlds.
    pub(super) fn joined(mut self, block: &mut Block) -> (usize, StoredColumn) {
        let column = self.finished.column(self.of, block);
        // A reference from outside to an element of a branch can be detected only after the branch has been dropped.
        for few in &mut self.branches {
            few.release(self.of, block);
        }
        self.finished.register(block);
        (self.number, column)
    }
}

impl RareBranch {
    /// Creates the record of a branch that `rows` of `width` worlds take. If `branch` is `None`, the branch is created when the evaluation of the
    /// first world that takes it starts.
    pub(super) fn new(
        combination: u32,
        branch: Option<Branch>,
        (rows, width): (usize, usize),
    ) -> Self {
        Self {
            combination,
            branch,
            rows,
            entered: 0,
            is_kept: !are_few(rows, width),
            is_referred: false,
        }
    }

    /// Drops the branch of a `Chain` that has been evaluated. A branch that is to be kept for other worlds is cached and not dropped, if no element
    /// outside the branch may refer to its elements.
    fn release(&mut self, of: ColumnSlot, block: &mut Block) {
        let Some(branch) = self.branch.take() else {
            return;
        };
        if self.is_kept && !self.is_referred {
            block.cache_row_branch(of, self.combination, branch, self.entered);
        }
    }
}
