//! Branches of a Chain that few rows take, evaluated row by row.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::block::{Block, ColumnSlot};
use super::branch::Branch;
use super::column::{Column, StoredColumn, mask_where};
use super::row_evaluation::RowEvaluation;
use super::run::{EvaluationTask, RootEvaluation};
use super::selection::Selection;
use crate::element::node::{AnyElement, ElementId};
use crate::error::ModelError;
use crate::value::column::AnyColumn;
use crate::value::datum::Datum;

/// Maximum number of rows of a branch that are evaluated one by one: so many, and one more for each so many rows of the
/// block, since work on sets of rows grows with the block. One for each 256 rows made a geometric recursion in blocks of 16 384 rows
/// 1.2 times slower, and states that are lists in blocks of 10 000 rows 8 % faster.
const ROW_BY_ROW_ROWS: usize = 8;
const ROW_BY_ROW_DIVISOR: usize = 1024;

/// Dictionary size above which values of rows that were evaluated one by one stay typed: they hardly repeat.
const MAX_DICTIONARY: usize = 1 << 10;
/// Value size in bytes above which they do: lists take as long to look up as to compute.
const MAX_VALUE_BYTES: usize = 32;

/// Rows that are evaluated one by one.
pub(super) struct RowEvaluations {
    /// The Chain.
    of: ColumnSlot,
    /// The number of their column among those of branches that are not elements of the program.
    number: usize,
    demand: Option<Datum>,
    branches: Vec<RareBranch>,
    /// Rows that have not begun, in their order, with the positions of their branches.
    ahead: Vec<(u32, u32)>,
    /// Rows that wait for something.
    waiting: Vec<(RowEvaluation, u32)>,
    finished: Vec<RowResult>,
    /// A row that is finished, for its stacks.
    spare: Option<RowEvaluation>,
}

/// A branch that few rows take.
pub(super) struct RareBranch {
    /// The number of the combination that it belongs to.
    combination: u32,
    /// Nothing until its first row begins: what a branch is made of is then at hand, and it is gone before the next one is made.
    branch: Option<Branch>,
    rows: usize,
    /// The most elements that one of its rows has evaluated.
    entered: usize,
    /// `true` if something else may refer to its elements.
    is_referred: bool,
}

/// Outcome of a row.
struct RowResult {
    row: u32,
    value: Option<Datum>,
    log: f64,
    densities: u32,
    entered: usize,
    known: Vec<(AnyElement, Datum)>,
}

/// True if rows of a branch are evaluated one by one, if so many of a block of some width take it.
pub(super) fn are_few(rows: usize, width: usize) -> bool {
    rows <= ROW_BY_ROW_ROWS + width / ROW_BY_ROW_DIVISOR
}

impl RowEvaluations {
    /// Rows of a Chain, in their order, each with the position of its branch.
    pub(super) fn new(
        (of, number): (ColumnSlot, usize),
        branches: Vec<RareBranch>,
        rows: Vec<(u32, u32)>,
        demand: Option<Datum>,
    ) -> Self {
        Self {
            of,
            number,
            demand,
            branches,
            finished: Vec::with_capacity(rows.len()),
            ahead: rows,
            waiting: Vec::new(),
            spare: None,
        }
    }

    /// Approximate size in bytes.
    pub(super) fn bytes(&self) -> usize {
        let held = self.waiting.iter().map(|(single, _)| single.bytes());
        let known = self.finished.iter().map(|row| row.known.capacity());
        let branches = self.branches.capacity() * size_of::<RareBranch>();
        let rows = self.ahead.capacity() * size_of::<(u32, u32)>()
            + self.waiting.capacity() * size_of::<(RowEvaluation, u32)>()
            + self.finished.capacity() * size_of::<RowResult>()
            + known.sum::<usize>() * size_of::<(AnyElement, Datum)>();
        branches + rows + held.sum::<u64>() as usize
    }
}

impl Block {
    /// Values of a slot as codes of its dictionary, if that is short and the values are small: what joins them with codes of other rows then
    /// has codes too.
    ///
    /// Floating-point numbers stay as they are: they hardly repeat, and a code stands for both zeros.
    fn encoded(&mut self, slot: ColumnSlot, values: Box<dyn AnyColumn>) -> Column {
        let is_float = values.as_any().is::<Vec<f64>>() || values.as_any().is::<Vec<f32>>();
        // A list that grew by one value after the other has room for the next power of two.
        let room = values.len().next_power_of_two().max(4);
        if is_float || values.bytes() > MAX_VALUE_BYTES * room {
            return Column::Typed(Rc::from(values));
        }
        let book = self.own_book(slot);
        if self.book(book).len() > MAX_DICTIONARY {
            return Column::Typed(Rc::from(values));
        }
        let code = |at| self.enter_value(book, values.any(at));
        let codes: Vec<u32> = (0..values.len()).map(code).collect();
        Column::Codes(Rc::new(codes), book)
    }
}

impl RareBranch {
    /// A branch that some rows take; one that is not made yet is made when they begin.
    pub(super) fn new(combination: u32, branch: Option<Branch>, rows: usize) -> Self {
        Self {
            combination,
            branch,
            rows,
            entered: 0,
            is_referred: false,
        }
    }
}

impl RootEvaluation<'_> {
    /// Advances rows that are evaluated one by one; those that wait make tasks of the elements they wait for.
    pub(super) fn singles(&mut self, mut singles: RowEvaluations) -> Result<(), ModelError> {
        let alive = self.block.weights.alive().clone();
        let lives = |row: u32| alive.mask()[row as usize / 64] >> (row % 64) & 1 == 1;
        singles.finished.retain(|finished| lives(finished.row));
        let mut missing: Vec<(ColumnSlot, Option<Datum>, Vec<u32>)> = Vec::new();
        let waited = std::mem::take(&mut singles.waiting).into_iter();
        for (single, branch) in waited.filter(|(single, _)| lives(single.row)) {
            self.go_on(&mut singles, (single, branch), &mut missing)?;
        }
        let ahead = std::mem::take(&mut singles.ahead).into_iter();
        for (row, branch) in ahead.filter(|(row, _)| lives(*row)) {
            if let Some(single) = self.begun(&mut singles, row, branch)? {
                self.go_on(&mut singles, (single, branch), &mut missing)?;
            }
        }
        if missing.is_empty() {
            self.finish_singles(singles);
            return Ok(());
        }
        // What is entered now may reach what these rows know.
        let waiting = singles.waiting.iter();
        let waiting = waiting.map(|(single, _)| (single.row, single.known.as_slice()));
        let finished = singles.finished.iter();
        let finished = finished.map(|finished| (finished.row, &finished.known[..]));
        let known = waiting.chain(finished);
        let known = known.flat_map(|(row, known)| known.iter().map(move |one| (row, one.clone())));
        let mut known: Vec<(u32, (AnyElement, Datum))> = known.collect();
        known.sort_by_key(|(row, _)| *row);
        self.register(known);
        self.tasks.push(EvaluationTask::Singles(Box::new(singles)));
        let width = self.block.width;
        for (slot, demand, mut rows) in missing.into_iter().rev() {
            rows.sort_unstable();
            let rows = Selection::from_rows(rows, width);
            self.tasks.push(EvaluationTask::Enter(slot, rows, demand));
        }
        Ok(())
    }

    /// A row at the beginning of its branch, which is made if it is not yet.
    fn begun(
        &mut self,
        singles: &mut RowEvaluations,
        row: u32,
        branch: u32,
    ) -> Result<Option<RowEvaluation>, ModelError> {
        let few = &mut singles.branches[branch as usize];
        let made = match few.branch.take() {
            Some(branch) => branch,
            None => self.block.branch_of(singles.of, few.combination)?,
        };
        let (root, own) = (self.block.root_of(&made), made.is_own());
        few.branch = Some(made);
        let Some(root) = root else {
            return Ok(None);
        };
        let demand = singles.demand.clone();
        let spare = singles.spare.take();
        Ok(Some(RowEvaluation::new(row, (root, own), demand, spare)))
    }

    /// Goes on with a row, and notes what it is missing, if it has to wait.
    fn go_on(
        &mut self,
        singles: &mut RowEvaluations,
        (mut single, branch): (RowEvaluation, u32),
        missing: &mut Vec<(ColumnSlot, Option<Datum>, Vec<u32>)>,
    ) -> Result<(), ModelError> {
        let Some((slot, demand)) = single.run(self.block, self.rng)? else {
            singles.finish(single, branch, self.block);
            return Ok(());
        };
        let same = |(other, of, _): &&mut (ColumnSlot, Option<Datum>, Vec<u32>)| {
            *other == slot && *of == demand
        };
        match missing.iter_mut().find(same) {
            Some((_, _, rows)) => rows.push(single.row),
            None => missing.push((slot, demand, vec![single.row])),
        }
        singles.waiting.push((single, branch));
        Ok(())
    }

    /// Makes a column of the values of all rows.
    fn finish_singles(&mut self, mut singles: RowEvaluations) {
        singles.finished.sort_unstable_by_key(|one| one.row);
        let finished = &singles.finished;
        let mut values = self.block.instructions[singles.of.index()]
            .element
            .no_column();
        for one in finished {
            self.block.count_single(one.row, one.entered);
            if let Some(value) = &one.value {
                values.push(value.as_any());
            }
        }
        let width = self.block.width;
        let all = Selection::from_rows(finished.iter().map(|one| one.row).collect(), width);
        let most = finished.iter().map(|one| one.densities);
        for count in 1..=most.max().unwrap_or(0) {
            let dense = finished.iter().filter(|one| one.densities >= count);
            let rows = dense.map(|one| one.row).collect();
            let rows = Selection::from_rows(rows, width);
            self.block.weights.count_density(&rows);
        }
        let mut left = all.clone();
        if finished.iter().any(|one| one.log != 0.0) {
            let lives = finished.iter().filter(|one| one.log > f64::NEG_INFINITY);
            left = Selection::from_rows(lives.map(|one| one.row).collect(), width);
            let logs = finished.iter().map(|one| one.log).collect();
            self.block.weights.add_logs(&all, logs);
        }
        let bits = values.as_any().downcast_ref::<Vec<bool>>();
        let column = match bits {
            Some(truths) => Column::Bits(Rc::new(mask_where(&left, |at| truths[at]))),
            None => self.block.encoded(singles.of, values),
        };
        self.alone[singles.number] = Some(StoredColumn {
            rows: left,
            column,
            generation: self.block.ancestors.len(),
        });
        self.forget_singles(&mut singles);
    }

    /// Keeps what the rest of a world may refer to.
    fn forget_singles(&mut self, singles: &mut RowEvaluations) {
        // Whether others refer to the elements of a branch can be told when the branch itself is gone.
        for few in &mut singles.branches {
            few.forget(singles.of, self.block);
        }
        let mut kept = Vec::new();
        for one in &mut singles.finished {
            // What reads an element stands after it.
            while let Some((element, value)) = one.known.pop() {
                if !element.is_unshared() {
                    kept.push((one.row, (element, value)));
                }
            }
        }
        self.register(kept);
    }

    /// Gives elements that the program may refer to their values in some rows.
    fn register(&mut self, known: Vec<(u32, (AnyElement, Datum))>) {
        let mut positions = FxHashMap::<ElementId, usize>::default();
        let mut elements: Vec<(AnyElement, Vec<(u32, Datum)>)> = Vec::new();
        for (row, (element, value)) in known {
            let at = *positions.entry(element.id()).or_insert_with(|| {
                elements.push((element, Vec::new()));
                elements.len() - 1
            });
            elements[at].1.push((row, value));
        }
        for (element, mut values) in elements {
            let slot = self.block.slot(&element);
            values.sort_unstable_by_key(|(row, _)| *row);
            values.retain(|(row, _)| self.block.value_in(slot, *row).is_none());
            if values.is_empty() {
                continue;
            }
            let mut column = element.no_column();
            for (_, value) in &values {
                column.push(value.as_any());
            }
            let rows = values.iter().map(|(row, _)| *row).collect();
            let rows = Selection::from_rows(rows, self.block.width);
            let column = Block::packed(column, &rows);
            self.block.keep(slot, &rows, column);
        }
    }
}

impl RowEvaluations {
    /// Notes what a row has come to; a branch that no other row takes, and that nothing refers to, is gone.
    fn finish(&mut self, mut single: RowEvaluation, branch: u32, block: &mut Block) {
        let known = single.known.take();
        let few = &mut self.branches[branch as usize];
        few.rows -= 1;
        few.entered = few.entered.max(single.entered);
        few.is_referred |= !known.is_empty();
        self.finished.push(RowResult {
            row: single.row,
            value: single.take_value(),
            log: single.weight.log,
            densities: single.densities,
            entered: single.entered,
            known,
        });
        self.spare = Some(single);
        if few.rows == 0 && !few.is_referred {
            few.forget(self.of, block);
        }
    }
}

impl RareBranch {
    /// Lets go of the branch, or remembers it if it can be used again.
    fn forget(&mut self, of: ColumnSlot, block: &mut Block) {
        let Some(branch) = self.branch.take() else {
            return;
        };
        if !self.is_referred {
            block.remember_few(of, self.combination, branch, self.entered);
        }
    }
}

impl Block {
    /// The elements that a row has evaluated outside of columns.
    fn single_count(&self, row: u32) -> usize {
        self.singles
            .get(row as usize)
            .map_or(0, |&count| count as usize)
    }

    /// Counts elements evaluated for a row outside of columns.
    fn count_single(&mut self, row: u32, entered: usize) {
        self.singles.resize(self.width, 0);
        self.singles[row as usize] += entered as u32;
    }

    /// Ends with an error if a row evaluates more elements than are allowed, or holds so many bytes that there are too many.
    pub(super) fn check_single(
        &self,
        row: u32,
        (entered, held): (usize, u64),
        element: &AnyElement,
    ) -> Result<(), ModelError> {
        if self.single_count(row) + entered < self.limit.elements {
            return self.limit.check(element, self.bytes.made() + held);
        }
        Err(ModelError::TooManyElements {
            element: element.label(),
            limit: self.limit.elements,
        })
    }

    /// The value of a slot in one row, if it has one.
    pub(super) fn value_in(&mut self, slot: ColumnSlot, row: u32) -> Option<Datum> {
        let stored = self.stored(slot)?;
        let (word, bit) = (row as usize / 64, row % 64);
        if stored.rows.mask().get(word)? >> bit & 1 == 0 {
            return None;
        }
        let stored = self.values[slot.index()].as_ref()?;
        let position = || {
            if stored.rows.is_all() {
                Some(row as usize)
            } else {
                stored.rows.rows().binary_search(&row).ok()
            }
        };
        match &stored.column {
            Column::Bits(bits) => Some(Datum::new(bits[word] >> bit & 1 == 1)),
            Column::Codes(codes, book) => Some(self.book(*book).datum(codes[position()?])),
            Column::Classes(classes, book) => {
                let has = |rows: &Selection| rows.mask()[word] >> bit & 1 == 1;
                let class = classes.iter().find(|class| has(&class.rows))?;
                Some(self.book(*book).datum(class.code))
            }
            Column::Typed(values) => Some(values.datum(position()?)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::{Arc, Mutex};

    use crate::element::parents::Parents;
    use crate::element::{DiscreteUniform, Element, Flip, If, Score, inject};
    use crate::error::ModelError;
    use crate::lower::columns::{Block, Held};
    use crate::lower::{Observations, Roots};
    use crate::random::stream;
    use crate::{AnyElement, Model};

    fn block(model: &Model, targets: &[AnyElement], limit: usize) -> Result<Block, ModelError> {
        let order = Roots::ObservationsFirst;
        Block::new(model, targets, Observations::Weigh, order, limit)
    }

    fn truths(block: &mut Block, target: usize) -> Vec<bool> {
        let width = block.width();
        match block.target(target).held() {
            Held::Bits(bits) => (0..width)
                .map(|r| bits[r / 64] >> (r % 64) & 1 == 1)
                .collect(),
            other => panic!("{other:?} of truth values"),
        }
    }

    /// Each row takes a branch of its own, and the branches refer to elements outside: one that a function hands to two Chains, one
    /// that every world has, and one that no row has before.
    #[test]
    fn what_branches_refer_to_is_one_element_in_a_row() {
        let handed = Arc::new(Mutex::new(BTreeMap::<i64, Element<bool>>::new()));
        let (place, outside) = (DiscreteUniform::new(1, 1 << 20), Flip::new(0.5));
        let lasting = Flip::new(0.5);
        let chain = |way: i64| {
            let (handed, outside) = (handed.clone(), outside.clone());
            let lasting = lasting.clone();
            place.flat_map(move |&n| {
                let mut handed = handed.lock().unwrap();
                let coin = handed.entry(n).or_insert_with(|| Flip::new(0.5)).clone();
                let own = Flip::new(0.5);
                let twice = (&own, &own.map(|x| !x)).map(|(a, b)| a ^ b);
                let third = If::new(&lasting, &outside, Flip::new(0.25 * (way % 2 + 1) as f64));
                inject(&[coin, twice, third, outside.clone()])
            })
        };
        let (one, other) = (chain(1), chain(2));
        let part = |list: &Element<Vec<bool>>, at: usize| list.map(move |list| list[at]);
        let targets = [part(&one, 0), part(&other, 0), part(&one, 1), part(&one, 2)];
        let targets = targets
            .into_iter()
            .chain([part(&other, 3), outside, lasting]);
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
            // Six standard deviations: a false alarm in 5e8.
            let deviation = (width as f64 / 4.0).sqrt();
            assert!(
                (heads - width as f64 / 2.0).abs() < 6.0 * deviation,
                "{heads}"
            );
        }
    }

    /// Demands and scores weigh the rows, through branches of their own, as they do in few branches.
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
        let column = block.target(0);
        for (row, weight) in weights.iter().enumerate() {
            let n = match column.held() {
                Held::Codes(codes) => column.value(codes[row]).and_then(|n| n.downcast_ref()),
                Held::Typed(values) => values.any(row).downcast_ref::<i64>(),
                Held::Bits(_) => None,
            };
            let n = *n.unwrap();
            let right = [0.25, 0.5][(n % 2) as usize] * 0.5 * if n % 4 < 2 { 1.0 } else { 3.0 };
            let found = weight * plain.log_scale.exp();
            assert!((found - right).abs() < 1e-12, "{n}: {found}, not {right}");
        }
    }

    /// Elements that only their branch refers to do not become part of the program.
    #[test]
    fn elements_of_branches_of_one_row_are_dropped() {
        let place = DiscreteUniform::new(1, 1 << 20);
        let list = place.flat_map(|&n| {
            let flips = (0..8).map(|i| Flip::new(1.0 / (n + i) as f64).map(|&x| !x));
            inject(&flips.collect::<Vec<_>>())
        });
        let targets = [list.erased().clone()];
        let mut block = block(&Model::new(), &targets, 1000).unwrap();
        block.run(500, &mut stream(1, 0)).unwrap();
        assert_eq!(block.instructions.len(), block.lasting_elements());
    }

    /// A branch is evaluated before the next one is made.
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
        // Debug builds call a function twice for each value, to compare; two rows may be the same.
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
