//! Transfer of worlds from the block of one model to the block of another model.

use std::rc::Rc;

use super::block::Block;
use super::column::{Column, ColumnSlot};
use super::run::RootEvaluation;
use super::weights::BlockWeights;
use figrs_core::element::node::AnyElement;
use figrs_core::error::ModelError;
use figrs_core::random::Stream;

impl Block {
    /// Continues the surviving worlds of the block `before`, with their weights, after all its roots have been evaluated. Each element of `handed`
    /// receives the values of a target of `before`, which is given by its index, and is not evaluated again. The weights are multiplied by the
    /// evidence of this block's model on the elements of `handed`. No other values are copied from `before`.
    ///
    /// Elements of `handed` are ignored if the model of this block does not evaluate them, or if an intervention sets them.
    ///
    /// **Errors.** An error if a function of the evidence on an element of `handed` fails.
    pub fn succeed(
        &mut self,
        before: &mut Self,
        handed: &[(usize, AnyElement)],
        rng: &mut Stream,
    ) -> Result<(), ModelError> {
        let rows = before.weights.alive().clone();
        self.start(before.width);
        let mut columns: Vec<(ColumnSlot, Column)> = Vec::with_capacity(handed.len());
        for (target, element) in handed {
            let Some(slot) = self.known_slot(element) else {
                continue;
            };
            if self.instructions[slot.index()].fixed.is_some() {
                continue;
            }
            let from = before.target_slot(*target);
            let column = before.read(from, &rows).listed(&rows);
            columns.push((slot, self.import_column(slot, before, column)));
        }
        self.weights = std::mem::replace(&mut before.weights, BlockWeights::new(0));
        self.singles = std::mem::take(&mut before.singles);
        before.start(0);
        let mut run = RootEvaluation {
            block: self,
            rng,
            tasks: Vec::new(),
            alone: Vec::new(),
            check_cycles_at: crate::world::run::FIRST_CHECK,
        };
        for (slot, column) in columns {
            run.set_values(slot, &rows, column, None)?;
        }
        Ok(())
    }

    /// Converts a column of the block `of` to a column of the element `slot` in this block.
    fn import_column(&mut self, slot: ColumnSlot, of: &Self, column: Column) -> Column {
        const UNKNOWN: u32 = u32::MAX;
        let Column::Codes(codes, from) = column else {
            return column;
        };
        let values = of.dictionary(from);
        let dictionary = self.own_dictionary(slot);
        let mut own = vec![UNKNOWN; values.len()];
        let codes = codes.iter().map(|&code| {
            let own = &mut own[code as usize];
            if *own == UNKNOWN {
                *own = self
                    .dictionaries
                    .intern(dictionary, values.any(code as usize));
            }
            *own
        });
        Column::Codes(Rc::new(codes.collect()), dictionary)
    }

    /// For each surviving world, returns the index of its ancestor among the worlds with which the block was started.
    pub fn origins(&mut self) -> Vec<u32> {
        let rows = self.weights.alive().clone();
        if self.lineage.generation() == 0 {
            return rows.rows().to_vec();
        }
        let first = self.lineage.at(0);
        let rows = rows.rows().iter();
        rows.map(|&row| first[row as usize]).collect()
    }
}
