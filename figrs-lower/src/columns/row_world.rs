//! A [`World`] of a block (a batch of worlds), which evaluates the branch of a `Chain` one element after another.
//!
//! Evaluation by columns (arrays of values in all worlds) is slow if nearly every world takes its own branch, because the set of worlds of an element
//! then takes more memory than its values. If the branch of a `Chain` depends on an element that every world evaluates, the evaluation of the branch
//! reads the column of this element, or waits until the column exists.

use std::borrow::Cow;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::block::Block;
use super::column::{Column, ColumnSlot, StoredColumn};
use super::selection::{Selection, mask_where};
use crate::Observations;
use crate::world::run::{ElementStart, World, WorldRun};
use figrs_core::element::node::{AnyElement, ElementId};
use figrs_core::error::ModelError;
use figrs_core::limits::check_world;
use figrs_core::random::Stream;
use figrs_core::value::datum::Datum;
use figrs_core::value::support::AnyColumn;
use figrs_factor::graph::WorldWeight;

/// The evaluation of a branch of a `Chain` in one world.
#[derive(Default)]
pub(super) struct RowEvaluation {
    pub(super) row: u32,
    pub(super) known: RowValues,
    pub(super) run: WorldRun<IsOwn>,
}

/// `true` if only one other element depends on an element, so that the element is evaluated only once.
type IsOwn = bool;

/// A world of a block, with the values that have been computed for this world.
struct RowWorld<'b> {
    block: &'b mut Block,
    row: u32,
    known: &'b mut RowValues,
}

impl RowEvaluation {
    pub(super) fn bytes(&self) -> u64 {
        self.run.bytes() + self.known.bytes() as u64
    }

    /// Evaluates a branch of a `Chain` in the world `row`, and discards the previous evaluation. The flag `own` is `true` if only the branch refers
    /// to the element that is its result. The result of `start` is that of [`advance`](Self::advance).
    pub(super) fn start(
        &mut self,
        row: u32,
        (element, own): (&AnyElement, bool),
        demand: Option<Datum>,
        (block, rng): (&mut Block, &mut Stream),
    ) -> Result<Option<(ColumnSlot, Option<Datum>)>, ModelError> {
        self.row = row;
        self.run.clear();
        let known = &mut self.known;
        let mut world = RowWorld { block, row, known };
        self.run.start((element, own), demand, &mut world, rng)
    }

    /// Continues the evaluation of the branch until it is finished in this world, or must wait for the value of an element that every world
    /// evaluates. If the world must wait for an element, returns the index of this element and the value that observations require of the element (if
    /// there is one).
    pub(super) fn advance(
        &mut self,
        block: &mut Block,
        rng: &mut Stream,
    ) -> Result<Option<(ColumnSlot, Option<Datum>)>, ModelError> {
        let (row, known) = (self.row, &mut self.known);
        self.run.advance(&mut RowWorld { block, row, known }, rng)
    }
}

impl World for RowWorld<'_> {
    type Node = IsOwn;
    type Missing = ColumnSlot;

    fn observations(&self) -> Observations {
        self.block.observations
    }

    fn begin(
        &mut self,
        (element, own): (&AnyElement, IsOwn),
        _: &mut Option<Datum>,
        entered: usize,
        bytes: u64,
    ) -> Result<ElementStart<ColumnSlot>, ModelError> {
        if !own {
            if let Some(value) = self.known.get(element) {
                return Ok(ElementStart::Known(value.clone()));
            }
            let slot = self.block.known_slot(element);
            if let Some(value) = slot.and_then(|slot| self.block.value_in(slot, self.row)) {
                return Ok(ElementStart::Known(value));
            }
            if let Some(slot) = slot.filter(|slot| self.block.is_in_every_world(*slot)) {
                return Ok(ElementStart::Missing(slot));
            }
            if let Some(value) = self.block.intervention(element) {
                return Ok(ElementStart::Known(value));
            }
        }
        // The `Chain` is also counted as an element.
        let entered = self.block.count_of_singles(self.row) + entered + 1;
        let bytes = bytes + self.block.bytes.made_bytes() + self.known.bytes() as u64;
        check_world(&self.block.limit, element, entered, bytes)?;
        Ok(ElementStart::Open)
    }

    fn parent<'a>(
        &self,
        (element, _): (&'a AnyElement, IsOwn),
        position: usize,
    ) -> (Cow<'a, AnyElement>, IsOwn) {
        let parent = &element.parents()[position];
        match self.block.policy(parent) {
            Some(policy) => (Cow::Owned(policy.clone()), false),
            None => (Cow::Borrowed(parent), parent.is_unshared()),
        }
    }

    fn result(
        &mut self,
        _: IsOwn,
        _: &[Datum],
        call: impl FnOnce() -> Result<AnyElement, ModelError>,
    ) -> Result<(AnyElement, IsOwn), ModelError> {
        let result = call()?;
        if let Some(policy) = self.block.policy(&result) {
            return Ok((policy.clone(), false));
        }
        let own = result.is_unshared();
        Ok((result, own))
    }

    fn is_recorded(&self, own: IsOwn) -> bool {
        !own
    }

    fn record_value(
        &mut self,
        (element, _): (&AnyElement, IsOwn),
        value: &Datum,
        _: &mut WorldWeight,
    ) -> Result<(), ModelError> {
        self.known.insert(element.clone(), value.clone());
        Ok(())
    }
}

/// Up to this number of values, a linear search is used, because it is faster than a hash table.
const LINEAR_SEARCH_LIMIT: usize = 16;

/// Computed values of elements to which other elements may refer.
#[derive(Default)]
pub(super) struct RowValues {
    values: Vec<(AnyElement, Datum)>,
    /// For each element, the index of its value in the list `values`; this map is built when there are many values.
    positions: FxHashMap<ElementId, u32>,
}

impl RowValues {
    pub(super) fn get(&self, element: &AnyElement) -> Option<&Datum> {
        if self.values.len() > LINEAR_SEARCH_LIMIT {
            let position = *self.positions.get(&element.id())?;
            return self.values.get(position as usize).map(|(_, value)| value);
        }
        let mut latest = self.values.iter().rev();
        latest
            .find(|(known, _)| known.id() == element.id())
            .map(|(_, value)| value)
    }

    pub(super) fn insert(&mut self, element: AnyElement, value: Datum) {
        self.values.push((element, value));
        let indexed = match self.values.len() {
            0..=LINEAR_SEARCH_LIMIT => return,
            length if length == LINEAR_SEARCH_LIMIT + 1 => 0,
            length => length - 1,
        };
        for (position, (element, _)) in self.values.iter().enumerate().skip(indexed) {
            self.positions.insert(element.id(), position as u32);
        }
    }

    /// Returns all values and clears the list of values. The returned values are in the order of their computation.
    pub(super) fn take(&mut self) -> Vec<(AnyElement, Datum)> {
        self.positions.clear();
        std::mem::take(&mut self.values)
    }

    pub(super) fn as_slice(&self) -> &[(AnyElement, Datum)] {
        &self.values
    }

    pub(super) fn bytes(&self) -> usize {
        self.values.capacity() * size_of::<(AnyElement, Datum)>()
            + self.positions.capacity() * (size_of::<(ElementId, u32)>() + 1)
    }
}

pub(super) struct RowResult {
    pub(super) row: u32,
    pub(super) value: Option<Datum>,
    pub(super) log: f64,
    pub(super) densities: u32,
    pub(super) entered: usize,
    pub(super) known: Vec<(AnyElement, Datum)>,
}

struct FinishedRow {
    row: u32,
    /// The index of the value in `FinishedRows::values`; `None` if the world contradicts the evidence.
    value: Option<u32>,
    log: f64,
    densities: u32,
    entered: usize,
    known: Vec<(AnyElement, Datum)>,
}

/// The worlds whose evaluation is finished, each with its value of one element.
pub(super) struct FinishedRows {
    rows: Vec<FinishedRow>,
    values: Box<dyn AnyColumn>,
}

impl FinishedRows {
    /// Creates an empty list with room for the results of `rows` worlds; `values` is an empty list for their values.
    pub(super) fn new(rows: usize, values: Box<dyn AnyColumn>) -> Self {
        Self {
            rows: Vec::with_capacity(rows),
            values,
        }
    }

    pub(super) fn push(&mut self, result: RowResult) {
        let value = result.value.map(|value| {
            self.values.push_datum(value);
            self.values.len() as u32 - 1
        });
        self.rows.push(FinishedRow {
            row: result.row,
            value,
            log: result.log,
            densities: result.densities,
            entered: result.entered,
            known: result.known,
        });
    }

    /// Adds worlds of weight one that have evaluated `entered` elements each; `values` has the value in each of these worlds.
    pub(super) fn extend(
        &mut self,
        rows: impl Iterator<Item = u32>,
        mut values: Box<dyn AnyColumn>,
        entered: usize,
    ) {
        let first = self.values.len() as u32;
        self.values.append_moved(&mut *values);
        self.rows
            .extend(rows.zip(first..).map(|(row, at)| FinishedRow {
                row,
                value: Some(at),
                log: 0.0,
                densities: 0,
                entered,
                known: Vec::new(),
            }));
    }

    pub(super) fn retain(&mut self, lives: impl Fn(u32) -> bool) {
        self.rows.retain(|finished| lives(finished.row));
    }

    /// Iterates over the finished worlds, each with the values of other elements that were evaluated in this world.
    pub(super) fn known(&self) -> impl Iterator<Item = (u32, &[(AnyElement, Datum)])> {
        self.rows
            .iter()
            .map(|finished| (finished.row, &finished.known[..]))
    }

    pub(super) fn bytes(&self) -> usize {
        let known = self.rows.iter().map(|row| row.known.capacity());
        self.rows.capacity() * size_of::<FinishedRow>()
            + known.sum::<usize>() * size_of::<(AnyElement, Datum)>()
            + self.values.bytes()
    }

    /// Multiplies the weights of the worlds by their evidence, counts their evaluated elements, and returns the column of the values of the element
    /// `of`.
    pub(super) fn column(&mut self, of: ColumnSlot, block: &mut Block) -> StoredColumn {
        self.rows.sort_unstable_by_key(|one| one.row);
        let finished = &self.rows;
        for one in finished {
            block.count_single(one.row, one.entered);
        }
        let order: Vec<u32> = finished.iter().filter_map(|one| one.value).collect();
        let none = self.values.fresh();
        let values = std::mem::replace(&mut self.values, none).select(&order);
        let width = block.width;
        let all = Selection::from_rows(finished.iter().map(|one| one.row).collect(), width);
        let most = finished.iter().map(|one| one.densities);
        for count in 1..=most.max().unwrap_or(0) {
            let dense = finished.iter().filter(|one| one.densities >= count);
            let rows = dense.map(|one| one.row).collect();
            let rows = Selection::from_rows(rows, width);
            block.weights.count_density(&rows);
        }
        let mut left = all.clone();
        if finished.iter().any(|one| one.log != 0.0) {
            let lives = finished.iter().filter(|one| one.log > f64::NEG_INFINITY);
            left = Selection::from_rows(lives.map(|one| one.row).collect(), width);
            let logs = finished.iter().map(|one| one.log).collect();
            block.weights.add_logs(&all, logs);
        }
        let bits = values.as_any().downcast_ref::<Vec<bool>>();
        let column = match bits {
            Some(truths) => Column::Bits(Rc::new(mask_where(&left, |at| truths[at]))),
            None => block.encoded(of, values),
        };
        StoredColumn {
            rows: left,
            column,
            generation: block.lineage.generation(),
        }
    }

    /// Stores the values of those elements of the branch to which elements outside the branch may refer.
    pub(super) fn register(mut self, block: &mut Block) {
        let mut kept = Vec::new();
        for one in &mut self.rows {
            // Each element comes before the elements that depend on it, and is dropped after them.
            while let Some((element, value)) = one.known.pop() {
                if !element.is_unshared() {
                    kept.push((one.row, (element, value)));
                }
            }
        }
        block.register(kept);
    }
}

impl Block {
    /// Returns the number of elements that were evaluated in the world `row` separately from all other worlds.
    pub(super) fn count_of_singles(&self, row: u32) -> usize {
        self.singles
            .get(row as usize)
            .map_or(0, |&count| count as usize)
    }

    /// Counts elements that were evaluated in one world separately from all other worlds.
    fn count_single(&mut self, row: u32, entered: usize) {
        self.singles.resize(self.width, 0);
        self.singles[row as usize] += entered as u32;
    }

    /// Stores the values `known`, computed world by world, of elements to which other elements may refer.
    pub(super) fn register(&mut self, known: Vec<(u32, (AnyElement, Datum))>) {
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
            let slot = self.slot(&element);
            values.sort_unstable_by_key(|(row, _)| *row);
            values.retain(|(row, _)| self.value_in(slot, *row).is_none());
            if values.is_empty() {
                continue;
            }
            let mut column = element.no_column();
            for (_, value) in &values {
                column.push(value.as_any());
            }
            let rows = values.iter().map(|(row, _)| *row).collect();
            let rows = Selection::from_rows(rows, self.width);
            let column = Column::packed(column, &rows);
            self.store_values(slot, &rows, column);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::RowValues;
    use figrs_core::element::{Constant, Element};
    use figrs_core::value::datum::Datum;

    #[test]
    fn values_are_found_whether_few_or_many() {
        let elements: Vec<Element<usize>> = (0..100).map(Constant::new).collect();
        let mut known = RowValues::default();
        for _ in 0..2 {
            for (n, element) in elements.iter().enumerate() {
                assert!(known.get(element.erased()).is_none());
                known.insert(element.erased().clone(), Datum::new(n));
                for (m, element) in elements[..=n].iter().enumerate() {
                    let value = known.get(element.erased()).and_then(Datum::get::<usize>);
                    assert_eq!(value, Some(&m));
                }
            }
            let numbers = known.take().into_iter();
            let numbers = numbers.filter_map(|(_, value)| value.get::<usize>().copied());
            assert!(numbers.eq(0..100));
        }
    }
}
