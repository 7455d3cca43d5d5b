//! Branches of a `Chain` that few worlds (rows) take. Such a branch is evaluated world by world or, if its elements form a tree, in all its worlds at
//! the same time.

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

/// A branch is evaluated world by world if at most `8 + block_rows / 1024` worlds take it. The limit grows with the number of worlds of the block,
/// because the cost of operations on sets of worlds grows with it. With a limit of one world in 256, a geometric recursion was 1.2 times slower (in
/// blocks of 16 384 worlds).
const ROW_BY_ROW_ROWS: usize = 8;
const ROW_BY_ROW_DIVISOR: usize = 1024;

/// A branch that is a tree is evaluated without columns of the block if at most this number of worlds take it. With a limit of 64 worlds, a model of list
/// states was 5 % slower.
const TREE_ROWS: usize = 256;

/// A branch that few worlds take is cached if its creation takes longer than this time. A branch whose creation is quicker is created again for each
/// use: its elements are then in the processor cache, whereas those of a cached branch mostly are not.
const WORTH_CACHING: Duration = Duration::from_micros(50);

/// The evaluation of the worlds that take rare branches of a `Chain`, one branch after another.
pub(super) struct RowEvaluations {
    /// The `Chain` whose branches are rare.
    of: ColumnSlot,
    /// The index in `RootEvaluation::alone` of the column with the values of the `Chain` in the worlds with rare branches.
    number: usize,
    demand: Option<Datum>,
    branches: Vec<RareBranch>,
    /// Worlds whose evaluation has not started, in order, with the indices of their branches.
    not_begun: Vec<(u32, u32)>,
    /// Worlds whose evaluation waits for the value of another element.
    waiting: Vec<(RowEvaluation, u32)>,
    finished: FinishedRows,
    /// A finished evaluation, whose memory is used for the next world.
    spare: Option<RowEvaluation>,
    /// An empty list, whose memory the evaluation of trees uses.
    columns: Vec<Box<dyn AnyColumn>>,
}

pub(super) struct RareBranch {
    /// The index of the combination of parent values for which the `Chain` takes the branch.
    combination: u32,
    /// The branch; `None` until the evaluation of its first world starts. Each branch is dropped before the next branch is created.
    branch: Option<Branch>,
    rows: usize,
    /// The largest number of elements that one world has evaluated in the branch.
    entered: usize,
    /// `true` if the branch is kept for other worlds, because its creation took long or because many worlds take it.
    is_kept: bool,
    /// `true` if elements outside the branch may refer to elements of the branch.
    is_referred: bool,
}

/// True if a branch that `rows` of `width` worlds take is evaluated world by world.
pub(super) fn are_few(rows: usize, width: usize) -> bool {
    rows <= ROW_BY_ROW_ROWS + width / ROW_BY_ROW_DIVISOR
}

/// True if a branch that `rows` worlds take is evaluated in these worlds at the same time, without columns of the block. The branch must not be atomic,
/// and no value of the `Chain` must be demanded.
pub(super) fn is_evaluated_as_tree(branch: &Branch, rows: usize) -> bool {
    let is_atomic = matches!(branch.target, BranchTarget::Unshared(_));
    rows <= TREE_ROWS && !is_atomic && branch.elements_of_tree(rows).is_some()
}

impl RowEvaluations {
    /// Prepares the evaluation of the worlds `rows` of a `Chain`, each with the index of its branch; `values` is an empty list of values of the
    /// `Chain`. The worlds of a branch must be consecutive.
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
}

impl RareBranch {
    /// Creates the record of a branch that `rows` of `width` worlds take. If `branch` is `None`, the branch is created when the evaluation of its first
    /// world starts.
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
}

/// An element whose value is missing, the value that observations require of it (if there is one), and the worlds that wait for the element.
pub(super) type MissingValues = (ColumnSlot, Option<Datum>, Vec<u32>);

impl RowEvaluations {
    /// Continues the evaluation of all worlds. Returns the missing values for which worlds wait.
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

    /// Starts the evaluation of worlds of one branch, which is created if necessary.
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

    /// Evaluates the worlds of a branch at the same time; the branch is a tree of `elements` elements. Returns `false` if the worlds must be evaluated
    /// one by one.
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

    /// Records the result of a world, or the missing value `waits_for` for which the world must wait.
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

    /// Records the result of a world. After the last world of a branch, drops the branch, unless elements outside the branch may refer to its
    /// elements.
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

    /// After the evaluation of all worlds, returns the index of the column and the column with the values in these worlds. Values on which other
    /// elements may depend are stored in the block.
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
    /// Drops the current branch. A branch that is to be kept is cached instead, if no element outside the branch may refer to its elements.
    fn release(&mut self, of: ColumnSlot, block: &mut Block) {
        let Some(branch) = self.branch.take() else {
            return;
        };
        if self.is_kept && !self.is_referred {
            block.cache_row_branch(of, self.combination, branch, self.entered);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::{Arc, Mutex};

    use crate::columns::Block;
    use crate::{EvidenceOrder, Observations};
    use figrs_core::Parents;
    use figrs_core::element::{DiscreteUniform, Element, Flip, If, Score, inject, tuple};
    use figrs_core::error::ModelError;
    use figrs_core::random::stream;
    use figrs_core::{AnyElement, Model};

    fn block(model: &Model, targets: &[AnyElement], limit: usize) -> Result<Block, ModelError> {
        let order = EvidenceOrder::ObservationsFirst;
        Block::new(model, targets, Observations::Weigh, order, limit)
    }

    fn truths(block: &mut Block, target: usize) -> Vec<bool> {
        let values = block.target(target).typed();
        values.as_any().downcast_ref::<Vec<bool>>().unwrap().clone()
    }

    /// Each world takes its own branch, and the branch depends on three elements outside the branch: one that a function gives to two `Chain`
    /// elements, one that every world evaluates, and one that no world has evaluated before.
    #[test]
    fn what_branches_refer_to_is_one_element_in_a_row() {
        let handed = Arc::new(Mutex::new(BTreeMap::<i64, Element<bool>>::new()));
        let (place, outside) = (DiscreteUniform::new(1, 1 << 20), Flip::new(0.5));
        let permanent = Flip::new(0.5);
        let chain = |way: i64| {
            let (handed, outside) = (handed.clone(), outside.clone());
            let permanent = permanent.clone();
            place.flat_map(move |&n| {
                let mut handed = handed.lock().unwrap();
                let coin = handed.entry(n).or_insert_with(|| Flip::new(0.5)).clone();
                let own = Flip::new(0.5);
                let twice = (&own, &own.map(|x| !x)).map(|(a, b)| a ^ b);
                let third = If::new(&permanent, &outside, Flip::new(0.25 * (way % 2 + 1) as f64));
                inject(&[coin, twice, third, outside.clone()])
            })
        };
        let (one, other) = (chain(1), chain(2));
        let part = |list: &Element<Vec<bool>>, at: usize| list.map(move |list| list[at]);
        let targets = [part(&one, 0), part(&other, 0), part(&one, 1), part(&one, 2)];
        let targets = targets
            .into_iter()
            .chain([part(&other, 3), outside, permanent]);
        let targets: Vec<AnyElement> = targets.map(|t| t.erased().clone()).collect();
        let mut block = block(&Model::new(), &targets, 1000).unwrap();
        for width in [3, 100, 700] {
            block.run(width, &mut stream(5, width as u64)).unwrap();
            let columns: Vec<_> = (0..targets.len()).map(|t| truths(&mut block, t)).collect();
            assert_eq!(columns[0], columns[1]);
            assert!(columns[2].iter().all(|&truth| truth));
            assert_eq!(columns[4], columns[5]);
            let third = columns[6].iter().zip(&columns[3]).zip(&columns[5]);
            assert!(third.into_iter().all(|((&taken, x), y)| !taken || x == y));
            let heads = columns[0].iter().filter(|&&truth| truth).count() as f64;
            // A correct sampler deviates by more than six standard deviations about once in 5e8 tests.
            let deviation = (width as f64 / 4.0).sqrt();
            assert!(
                (heads - width as f64 / 2.0).abs() < 6.0 * deviation,
                "{heads}"
            );
        }
    }

    /// Observations and `Score` elements must give worlds in rare branches the same weights as worlds in frequent branches.
    #[test]
    fn rows_of_their_own_branches_are_weighed() {
        let place = DiscreteUniform::new(0, (1 << 20) - 1);
        let seen = place.flat_map(|&n| {
            let coin = Flip::new(if n % 2 == 0 { 0.25 } else { 0.5 });
            let scored = Score::weigh(&Flip::new(0.5), move |_| if n % 4 < 2 { 1.0 } else { 3.0 });
            inject(&[coin, scored])
        });
        let model = Model::new().observe(&seen, vec![true, false]);
        let targets = [place.erased().clone()];
        let mut block = block(&model, &targets, 1000).unwrap();
        block.run(500, &mut stream(1, 0)).unwrap();
        let plain = block.weights().plain();
        let weights = plain.rows(500);
        let places = block.target(0).typed();
        let places = places.as_any().downcast_ref::<Vec<i64>>().unwrap();
        for (row, weight) in weights.iter().enumerate() {
            let n = places[row];
            let right = [0.25, 0.5][(n % 2) as usize] * 0.5 * if n % 4 < 2 { 1.0 } else { 3.0 };
            let found = weight * plain.log_scale.exp();
            assert!((found - right).abs() < 1e-12, "{n}: {found}, not {right}");
        }
    }

    /// The worlds of a branch follow each other; their draws are independent, and each world gets its own values.
    #[test]
    fn worlds_of_one_branch_draw_independently() {
        let (place, width) = (DiscreteUniform::new(0, 999), 4000);
        let share = |n: i64| 0.1 + 0.0008 * n as f64;
        let list = place.flat_map(move |&n| {
            let coin = Flip::new(share(n)).map(move |&heads| (n, heads));
            inject(&[coin, Flip::new(0.5).map(move |&heads| (n, heads))])
        });
        let targets = [place.erased().clone(), list.erased().clone()];
        let mut block = block(&Model::new(), &targets, 1000).unwrap();
        block.run(width, &mut stream(3, 0)).unwrap();
        let (places, lists) = (block.target(0).typed(), block.target(1).typed());
        let places: &Vec<i64> = places.as_any().downcast_ref().unwrap();
        let lists: &Vec<Vec<(i64, bool)>> = lists.as_any().downcast_ref().unwrap();
        let (mut heads, mut expected, mut variance) = (0.0, 0.0, 0.0);
        let (mut pairs, mut equal) = (0.0, 0.0);
        let mut last = BTreeMap::new();
        for (&place, list) in places.iter().zip(lists) {
            assert!(list.iter().all(|(n, _)| *n == place));
            let share = share(place);
            heads += f64::from(u8::from(list[0].1));
            expected += share;
            variance += share * (1.0 - share);
            if let Some(before) = last.insert(place, list[1].1) {
                pairs += 1.0;
                equal += f64::from(u8::from(before == list[1].1));
            }
        }
        // Correct draws deviate by more than six standard deviations about once in 5e8 tests.
        assert!((heads - expected).abs() < 6.0 * f64::sqrt(variance));
        assert!(pairs > 2000.0 && (equal - pairs / 2.0_f64).abs() < 3.0 * f64::sqrt(pairs));
    }

    /// The evaluation of a deep branch waits for an element that every world evaluates, and continues after it.
    #[test]
    fn deep_branches_wait_for_missing_values() {
        let (place, permanent) = (DiscreteUniform::new(1, 1 << 20), DiscreteUniform::new(0, 9));
        let below = permanent.clone();
        let deep = place.flat_map(move |&n| {
            let first = (&below, Flip::new(0.5)).map(|(x, heads)| x + i64::from(*heads) * 1000);
            (0..100)
                .fold(first, |x, _| x.map(|x| x + 1))
                .map(move |x| (n, *x))
        });
        let targets = [deep, tuple((&place, &permanent))];
        let targets = targets.map(|target| target.erased().clone());
        let mut block = block(&Model::new(), &targets, 1000).unwrap();
        block.run(300, &mut stream(2, 0)).unwrap();
        let columns = [0, 1].map(|target| block.target(target).typed());
        let columns = columns
            .iter()
            .map(|column| column.as_any().downcast_ref::<Vec<(i64, i64)>>());
        let [deep, direct] = *columns.collect::<Option<Vec<_>>>().unwrap() else {
            panic!("two columns");
        };
        let base = |x: i64| if x >= 1000 { x - 1000 } else { x };
        let found = deep.iter().map(|&(n, x)| (n, base(x) - 100));
        assert!(found.eq(direct.iter().copied()));
        let heads = deep.iter().filter(|(_, x)| *x >= 1000).count();
        assert!((98..=202).contains(&heads), "{heads}");
    }

    /// The parents that follow a deep parent wait for it; their number must not make the evaluation quadratic.
    #[test]
    fn many_parents_wait_for_a_deep_parent() {
        const PARENTS: usize = 100_000;
        let place = DiscreteUniform::new(1, 1 << 20);
        let list = place.flat_map(|&n| {
            let first = Flip::new(0.5).map(move |_| n);
            let deep = (0..100).fold(first, |x, _| x.map(|x| x + 1));
            let others = std::iter::repeat_n(Flip::new(0.5).map(|_| 0), PARENTS);
            inject(std::iter::once(deep).chain(others))
        });
        let targets = [
            place,
            list.map(|list| list[0] - 100 + (list.len() - 1 - PARENTS) as i64),
        ];
        let targets = targets.map(|target| target.erased().clone());
        let mut block = block(&Model::new(), &targets, 1_000_000).unwrap();
        block.run(2, &mut stream(4, 0)).unwrap();
        let columns = [0, 1].map(|target| block.target(target).typed());
        let [places, sums] = columns
            .each_ref()
            .map(|column| column.as_any().downcast_ref::<Vec<i64>>().unwrap());
        assert_eq!(places, sums);
    }

    /// Elements to which only their branch refers must not get an index in the block.
    #[test]
    fn elements_of_branches_of_one_row_are_dropped() {
        let place = DiscreteUniform::new(1, 1 << 20);
        let list = place.flat_map(|&n| {
            let flips = (0..8).map(|i| Flip::new(1.0 / (n + i) as f64).map(|&x| !x));
            inject(flips)
        });
        let targets = [list.erased().clone()];
        let mut block = block(&Model::new(), &targets, 1000).unwrap();
        block.run(500, &mut stream(1, 0)).unwrap();
        assert_eq!(block.instructions.len(), block.elements_in_every_world());
    }

    /// A rare branch must be evaluated before the next rare branch is created.
    #[test]
    fn branches_of_few_rows_are_made_one_by_one() {
        let under_way = Arc::new(Mutex::new((0u32, 0u32)));
        let place = DiscreteUniform::new(1, 1 << 20);
        let of_chain = under_way.clone();
        let chain = place.flat_map(move |&n| {
            let (made, of_branch) = (of_chain.clone(), of_chain.clone());
            let mut counts = made.lock().unwrap();
            counts.0 += 1;
            counts.1 = counts.1.max(counts.0);
            DiscreteUniform::new(0, n).map(move |&x| {
                of_branch.lock().unwrap().0 = 0;
                x % 2 == 0
            })
        });
        let targets = [chain.erased().clone()];
        let mut block = block(&Model::new(), &targets, 1000).unwrap();
        block.run(500, &mut stream(1, 0)).unwrap();
        // Debug builds call a function twice for each value, to compare the results; two worlds may have the same value.
        let most = under_way.lock().unwrap().1;
        assert!(most <= 4, "{most} branches at once");
        assert_eq!(truths(&mut block, 0).len(), 500);
    }

    fn endless(n: i64) -> Element<i64> {
        DiscreteUniform::new(n, n + (1 << 20)).flat_map(|&n| endless(n % 7))
    }

    #[test]
    fn a_row_has_no_more_elements_than_allowed() {
        let targets = [endless(0).erased().clone()];
        let mut block = block(&Model::new(), &targets, 5000).unwrap();
        let error = block.run(4, &mut stream(1, 0)).unwrap_err();
        assert!(
            matches!(error, ModelError::TooManyElements { limit: 5000, .. }),
            "{error}"
        );
    }
}
