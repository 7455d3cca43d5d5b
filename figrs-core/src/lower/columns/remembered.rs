//! Functions of parents with few values: called once for each combination.

use std::rc::Rc;

use super::block::{Block, Slot};
use super::column::Column;
use super::draw::Groups;
use super::selection::{Selection, for_each_row};
use crate::error::ModelError;
use crate::node::ApplyOp;

/// Combinations up to which results are remembered.
const MOST: usize = 1 << 16;
const UNKNOWN: u32 = u32::MAX;

impl Block {
    /// The values of a function, each found when its combination of the parents' values is first met.
    pub(super) fn apply_remembered(
        &mut self,
        slot: Slot,
        rows: &Selection,
        parents: &[Slot],
        op: &dyn ApplyOp,
    ) -> Result<Column, ModelError> {
        let (groups, numbers) = self.part(slot, rows, parents);
        let mut results = Vec::with_capacity(numbers.len());
        for &number in &numbers {
            results.push(self.result(slot, number, parents.len(), op)?);
        }
        if self.instructions[slot.index()].memo.results.len() > MOST {
            self.instructions[slot.index()].memo = super::block::Memo {
                overflowed: true,
                ..Default::default()
            };
        }
        if !self.instructions[slot.index()].is_bool {
            let mut codes = groups.numbers(rows);
            codes
                .iter_mut()
                .for_each(|group| *group = results[*group as usize]);
            let book = self.own_book(slot);
            return Ok(Column::Codes(Rc::new(codes), book));
        }
        let mut bits = vec![0u64; rows.mask().len()];
        match &groups {
            Groups::Masks(masks) => {
                for (mask, _) in masks.iter().zip(&results).filter(|(_, truth)| **truth == 1) {
                    bits.iter_mut()
                        .zip(mask)
                        .for_each(|(word, mask)| *word |= mask);
                }
            }
            Groups::Rows(groups) => {
                let mut at = groups.iter();
                for_each_row(rows.mask(), |row| {
                    let truth = at.next().map_or(0, |&group| results[group as usize]);
                    bits[row / 64] |= u64::from(truth) << (row % 64);
                });
            }
        }
        Ok(Column::Bits(Rc::new(bits)))
    }

    /// The code of the result for a combination; of a truth value zero or one.
    fn result(
        &mut self,
        slot: Slot,
        number: u32,
        parents: usize,
        op: &dyn ApplyOp,
    ) -> Result<u32, ModelError> {
        let known = self.instructions[slot.index()]
            .memo
            .results
            .get(number as usize);
        if let Some(&result) = known
            && result != UNKNOWN
        {
            return Ok(result);
        }
        let value = self.with_values(slot, number, parents, |values| op.call(values));
        let element = &self.instructions[slot.index()].element;
        let value = value.map_err(|fault| element.fault(fault))?;
        let result = if let Some(&truth) = value.get::<bool>() {
            u32::from(truth)
        } else {
            let book = self.own_book(slot);
            self.enter_value(book, value.as_any())
        };
        self.remembered += 1;
        let results = &mut self.instructions[slot.index()].memo.results;
        results.resize(results.len().max(number as usize + 1), UNKNOWN);
        results[number as usize] = result;
        Ok(result)
    }
}
