//! Results of worlds that were evaluated one by one: the values of the evaluated element, and of other elements that were evaluated for it.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::block::Block;
use super::column::{Column, ColumnSlot, StoredColumn};
use super::selection::{Selection, mask_where};
use figrs_core::element::node::{AnyElement, ElementId};
use figrs_core::value::datum::Datum;

pub(super) struct RowResult {
    pub(super) row: u32,
    pub(super) value: Option<Datum>,
    pub(super) log: f64,
    pub(super) densities: u32,
    pub(super) entered: usize,
    pub(super) known: Vec<(AnyElement, Datum)>,
}

pub(super) struct FinishedRows(Vec<RowResult>);

impl FinishedRows {
    pub(super) fn with_capacity(rows: usize) -> Self {
        Self(Vec::with_capacity(rows))
    }

    pub(super) fn push(&mut self, row: RowResult) {
        self.0.push(row);
    }

    pub(super) fn retain(&mut self, lives: impl Fn(u32) -> bool) {
        self.0.retain(|finished| lives(finished.row));
    }

    /// Iterates over the worlds, each with the values of other elements that were evaluated in this world.
    pub(super) fn known(&self) -> impl Iterator<Item = (u32, &[(AnyElement, Datum)])> {
        self.0
            .iter()
            .map(|finished| (finished.row, &finished.known[..]))
    }

    pub(super) fn bytes(&self) -> usize {
        let known = self.0.iter().map(|row| row.known.capacity());
        self.0.capacity() * size_of::<RowResult>()
            + known.sum::<usize>() * size_of::<(AnyElement, Datum)>()
    }

    /// Multiplies the weights of the worlds, counts their evaluated elements, and returns the column of the values of the element `of`.
    pub(super) fn column(&mut self, of: ColumnSlot, block: &mut Block) -> StoredColumn {
        self.0.sort_unstable_by_key(|one| one.row);
        let finished = &self.0;
        let mut values = block.instructions[of.index()].element.no_column();
        for one in finished {
            block.count_single(one.row, one.entered);
            if let Some(value) = &one.value {
                values.push(value.as_any());
            }
        }
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

    /// Stores the values of elements to which elements outside the branch may refer.
    pub(super) fn register(mut self, block: &mut Block) {
        let mut kept = Vec::new();
        for one in &mut self.0 {
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
    /// Counts elements that were evaluated in one world alone, without a column.
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
