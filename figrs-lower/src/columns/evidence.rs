//! Evidence on the values of an element (random variable) in a block (a batch of worlds that are evaluated together).

use std::any::Any;

use super::classes::Classes;
use super::column::{Column, DictionaryId};
use super::run::RootEvaluation;
use super::selection::{Selection, mask_where};
use crate::Observations;
use figrs_core::element::node::AnyElement;
use figrs_core::error::ModelError;
use figrs_core::model::evidence::Evidence;

/// True if the weight is one (worlds with this weight are not changed) or zero (they are dropped).
fn is_hard(&(_, log): &(f64, f64)) -> bool {
    log == 0.0 || log == f64::NEG_INFINITY
}

impl RootEvaluation<'_> {
    /// Multiplies the weight of each world of `rows` by the weight that the evidence `statement` gives to the value of `element` in this world.
    pub(super) fn weigh(
        &mut self,
        element: &AnyElement,
        rows: &Selection,
        column: &Column,
        statement: &Evidence,
    ) -> Result<(), ModelError> {
        if self.block.observations == Observations::Weigh && statement.observed().is_some() {
            // No worlds remain, or the worlds already have the observed value, because it was demanded of the element.
            return Ok(());
        }
        let living = rows.intersection(self.block.weights.alive());
        if living.is_empty() {
            return Ok(());
        }
        let mut column = column.restrict(rows, &living);
        if let Column::Codes(codes, dictionary) = &column
            && self.block.dictionary(*dictionary).len() > 4 * codes.len()
        {
            column = Column::Typed(self.block.dictionaries.typed(&column, &living));
        }
        match column {
            Column::Bits(bits) => {
                let mask = |truth: bool| -> Vec<u64> {
                    let invert = if truth { 0 } else { u64::MAX };
                    let words = bits.iter().zip(living.mask());
                    words.map(|(bits, mask)| (bits ^ invert) & mask).collect()
                };
                let mut masks = Vec::with_capacity(2);
                for truth in [true, false] {
                    let mask = mask(truth);
                    if mask.iter().any(|&word| word != 0) {
                        masks.push((mask, statement.weight(element, &truth)?));
                    }
                }
                // If all weights are equal, the worlds are not divided into classes.
                match &masks[..] {
                    [(_, a), (_, b)] if a == b => self.block.weights.times(&living, *a),
                    masks => self.block.weights.times_masks(masks),
                }
            }
            Column::Codes(codes, dictionary) => {
                let values = self.block.dictionary(dictionary);
                // The values are weighed in the order of their first worlds, which does not depend on the codes.
                let mut is_listed = vec![false; values.len()];
                let is_new = |code: &u32| !std::mem::replace(&mut is_listed[*code as usize], true);
                let listed: Vec<u32> = codes.iter().copied().filter(is_new).collect();
                let all: Vec<&dyn Any> = listed.iter().map(|&c| values.any(c as usize)).collect();
                let mut table = vec![(1.0, 0.0); values.len()];
                let weights = statement.weights(element, &all)?;
                for (code, weight) in listed.into_iter().zip(weights) {
                    table[code as usize] = weight;
                }
                self.times_table(&living, &codes, &table);
            }
            Column::Classes(ref classes, dictionary) => {
                if !self.drop_classes(element, &living, (classes, dictionary), statement)? {
                    // Weights are summed in the order of the worlds, so that sums do not depend on the storage format of the values.
                    let listed = column.listed(&living);
                    self.weigh(element, &living, &listed, statement)?;
                }
            }
            Column::Typed(values) => {
                let all: Vec<&dyn Any> = (0..values.len()).map(|at| values.any(at)).collect();
                let table = statement.weights(element, &all)?;
                let codes: Vec<u32> = (0..values.len() as u32).collect();
                self.times_table(&living, &codes, &table);
            }
        }
        Ok(())
    }

    /// Drops the classes (sets of worlds with equal values) that contradict the evidence `statement`. If the evidence `statement` gives a class of
    /// worlds a weight other than zero and one, returns `false` and changes nothing.
    fn drop_classes(
        &mut self,
        element: &AnyElement,
        rows: &Selection,
        (classes, dictionary): (&Classes, DictionaryId),
        statement: &Evidence,
    ) -> Result<bool, ModelError> {
        let values = self.block.dictionary(dictionary);
        let entries = classes.entries().into_iter();
        let all: Vec<&dyn Any> = entries.map(|code| values.any(code as usize)).collect();
        let weights = statement.weights(element, &all)?;
        if !weights.iter().all(is_hard) {
            return Ok(false);
        }
        let mut weights = weights.into_iter();
        let dead = classes.mask_of(rows.mask().len(), |_| {
            weights.next().is_some_and(|(_, log)| log != 0.0)
        });
        self.block.weights.drop_rows(&dead);
        Ok(true)
    }

    fn times_table(&mut self, rows: &Selection, codes: &[u32], table: &[(f64, f64)]) {
        if table.iter().all(is_hard) {
            let dead = mask_where(rows, |at| table[codes[at] as usize].1 != 0.0);
            self.block.weights.drop_rows(&dead);
        } else {
            self.block.weights.times_codes(rows, codes, table);
        }
    }
}
