//! Calls of functions whose parents have few values: the result is cached for each combination of parent values.

use std::rc::Rc;

use super::block::Block;
use super::classes::Classes;
use super::column::{Column, ColumnSlot};
use super::groups::all_bits;
use super::selection::{Selection, mask_where};
use figrs_core::element::operations::ApplyOp;
use figrs_core::error::ModelError;

/// Maximum number of combinations of parent values whose results are cached.
const MAX_COMBINATIONS: usize = 1 << 16;
/// Maximum number of combinations of parent values whose results are cached for a function that is cheap to compute.
const MAX_LIGHT_COMBINATIONS: usize = 64;
const UNKNOWN: u32 = u32::MAX;

impl Block {
    /// Returns the values of a function, which is called once for each combination of parent values. Returns `None` if the number of combinations may
    /// be so large that a call of the function for each world is cheaper.
    pub(super) fn apply_remembered(
        &mut self,
        slot: ColumnSlot,
        rows: &Selection,
        parents: &[ColumnSlot],
        op: &dyn ApplyOp,
    ) -> Result<Option<Column>, ModelError> {
        let columns: Vec<Column> = parents
            .iter()
            .map(|&parent| self.read(parent, rows))
            .collect();
        let lengths = columns.iter().map(|column| match column {
            Column::Codes(_, dictionary) | Column::Classes(_, dictionary) => {
                self.dictionary(*dictionary).len()
            }
            Column::Bits(_) | Column::Typed(_) => 2,
        });
        let most = if op.is_light() {
            MAX_LIGHT_COMBINATIONS
        } else {
            MAX_COMBINATIONS
        };
        if lengths.fold(1, usize::saturating_mul) > most {
            return Ok(None);
        }
        self.note_dictionaries(slot, &columns);
        if let [Column::Classes(classes, _)] = &columns[..] {
            return self.apply_to_classes(slot, rows, classes, op).map(Some);
        }
        let is_bool = self.instructions[slot.index()].is_bool;
        if is_bool && let Some(bits) = all_bits(&columns) {
            let (mut numbers, masks) = self.part_by_masks(slot, rows, &bits);
            let mut truths = vec![0u64; rows.mask().len()];
            self.results(slot, parents.len(), op, &mut numbers)?;
            for (mask, truth) in masks.iter().zip(numbers) {
                if truth == 1 {
                    truths
                        .iter_mut()
                        .zip(mask)
                        .for_each(|(word, mask)| *word |= mask);
                }
            }
            return Ok(Some(Column::Bits(Rc::new(truths))));
        }
        let mut numbers = self.combined(slot, rows, parents, &columns);
        self.results(slot, parents.len(), op, &mut numbers)?;
        Ok(Some(if is_bool {
            Column::Bits(Rc::new(mask_where(rows, |at| numbers[at] == 1)))
        } else {
            let dictionary = self.own_dictionary(slot);
            Column::Codes(Rc::new(numbers), dictionary)
        }))
    }

    /// Replaces the index of each combination of arguments in `numbers` by the code of the function's result; the codes of `false` and `true` are
    /// zero and one.
    pub(super) fn results(
        &mut self,
        slot: ColumnSlot,
        parents: usize,
        op: &dyn ApplyOp,
        numbers: &mut [u32],
    ) -> Result<(), ModelError> {
        let mut known = std::mem::take(&mut self.instructions[slot.index()].memo.results);
        let mut outcome = Ok(());
        for number in numbers {
            let at = *number as usize;
            if at >= known.len() {
                known.resize(at + 1, UNKNOWN);
            }
            if known[at] == UNKNOWN {
                match self.result(slot, *number, parents, op) {
                    Ok(result) => known[at] = result,
                    Err(error) => {
                        outcome = Err(error);
                        break;
                    }
                }
            }
            *number = known[at];
        }
        self.instructions[slot.index()].memo.results = known;
        outcome
    }

    /// Returns the dictionary code of the function's result for the combination of arguments with the index `number`.
    fn result(
        &mut self,
        slot: ColumnSlot,
        number: u32,
        parents: usize,
        op: &dyn ApplyOp,
    ) -> Result<u32, ModelError> {
        let value = self.with_values(slot, number, parents, |values| op.call(values));
        let element = &self.instructions[slot.index()].element;
        let value = value.map_err(|fault| element.fault(fault))?;
        self.remembered += 1;
        if let Some(&truth) = value.get::<bool>() {
            return Ok(u32::from(truth));
        }
        let dictionary = self.own_dictionary(slot);
        Ok(self.dictionaries.intern(dictionary, value.as_any()))
    }

    /// Computes a function of a parent whose values are stored by classes (sets of worlds with equal values).
    fn apply_to_classes(
        &mut self,
        slot: ColumnSlot,
        rows: &Selection,
        classes: &Classes,
        op: &dyn ApplyOp,
    ) -> Result<Column, ModelError> {
        let mut results = classes.entries();
        self.results(slot, 1, op, &mut results)?;
        let classes = classes.with_entries(&results);
        Ok(if self.instructions[slot.index()].is_bool {
            let mask = classes.mask_of(rows.mask().len(), |code| code == 1);
            Column::Bits(Rc::new(mask))
        } else {
            Column::Classes(Rc::new(classes), self.own_dictionary(slot))
        })
    }
}
