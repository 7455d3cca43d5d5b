//! Stores the columns of a block of worlds; the worlds can continue other worlds, after resampling or from the block of another model.

use std::rc::Rc;

use super::block::Block;
use super::classes::Classes;
use super::column::{Column, ColumnSlot, StoredColumn};
use super::run::RootEvaluation;
use super::selection::{Selection, for_each_row, interleave};
use super::weights::BlockWeights;
use figrs_core::element::node::AnyElement;
use figrs_core::error::ModelError;
use figrs_core::random::Stream;
use figrs_core::value::datum::Datum;
use figrs_core::value::support::AnyColumn;

impl Block {
    /// Returns the values of an element, and the set of worlds in which it has a value.
    pub(super) fn stored(&mut self, slot: ColumnSlot) -> Option<&StoredColumn> {
        self.follow_resampling(slot);
        self.values[slot.index()].as_ref()
    }

    /// Returns the values of an element in the worlds `rows`, all of which must have a value.
    pub(super) fn read(&mut self, slot: ColumnSlot, rows: &Selection) -> Column {
        let stored = self.stored(slot).expect("parents are evaluated first");
        let as_they_are = matches!(stored.column, Column::Bits(_) | Column::Classes(..))
            || rows.same_as(&stored.rows);
        if as_they_are || !rows.same_as(self.weights.alive()) {
            let stored = self.values[slot.index()].as_ref();
            let part = stored.map(|stored| stored.column.restrict(&stored.rows, rows));
            return part.expect("parents are evaluated first");
        }
        // Dropped worlds are never used again; therefore only the values of the present worlds are kept.
        let stored = self.values[slot.index()].take();
        let stored = stored.expect("parents are evaluated first");
        let positions = rows.positions_in(&stored.rows);
        let column = self.gathered(stored.column, &positions);
        self.values[slot.index()] = Some(StoredColumn {
            rows: rows.clone(),
            column: column.clone(),
            generation: stored.generation,
        });
        column
    }

    fn gathered(&mut self, column: Column, positions: &[u32]) -> Column {
        let Column::Codes(codes, dictionary) = column else {
            return column.at(positions);
        };
        let mut list = self.buffers.list(positions.len());
        list.extend(positions.iter().map(|&at| codes[at as usize]));
        if let Ok(codes) = Rc::try_unwrap(codes) {
            self.buffers.recycle(codes);
        }
        Column::Codes(Rc::new(list), dictionary)
    }

    /// Stores values of an element for worlds in which the element has no value yet.
    pub(super) fn store_values(&mut self, slot: ColumnSlot, rows: &Selection, column: Column) {
        let generation = self.lineage.generation();
        self.follow_resampling(slot);
        let (rows, column) = match self.values[slot.index()].take() {
            None => {
                self.touched.push(slot);
                (rows.clone(), column)
            }
            Some(old) if old.rows.is_empty() => (rows.clone(), column),
            Some(old) => {
                let union = old.rows.or(rows);
                (union, self.merged(&old, rows, &column))
            }
        };
        self.bytes.count_kept(&rows, &column);
        self.values[slot.index()] = Some(StoredColumn {
            rows,
            column,
            generation,
        });
    }

    /// Assigns a value to `element` in each world of a block that [`start`](Self::start) has started; no value of `element` is then drawn at random.
    pub fn assign(&mut self, element: &AnyElement, values: Box<dyn AnyColumn>) {
        let (slot, rows) = (self.slot(element), Selection::all(self.width));
        let column = Column::packed(values, &rows);
        self.store_values(slot, &rows, column);
    }

    fn merged(&self, old: &StoredColumn, rows: &Selection, column: &Column) -> Column {
        if let (Column::Classes(a, dictionary), Column::Classes(b, other)) = (&old.column, column)
            && dictionary == other
            && let Some(all) = Classes::union([(**a).clone(), (**b).clone()])
        {
            return Column::Classes(Rc::new(all), *dictionary);
        }
        match (&old.column.listed(&old.rows), &column.listed(rows)) {
            (Column::Bits(a), Column::Bits(b)) => {
                let (own, new) = (old.rows.mask(), rows.mask());
                let words = a.iter().zip(own).zip(b.iter().zip(new));
                Column::Bits(Rc::new(
                    words.map(|((a, x), (b, y))| a & x | b & y).collect(),
                ))
            }
            (Column::Codes(a, dictionary), Column::Codes(b, other)) if dictionary == other => {
                let all: Vec<u32> = a.iter().chain(b.iter()).copied().collect();
                Column::Codes(Rc::new(all), *dictionary).at(&interleave(&old.rows, rows))
            }
            (first, second) => {
                let first = self.dictionaries.typed(first, &old.rows);
                let second = self.dictionaries.typed(second, rows);
                let mut all = first.fresh();
                all.append(&*first);
                all.append(&*second);
                Column::Typed(Rc::from(all)).at(&interleave(&old.rows, rows))
            }
        }
    }

    /// Replaces the worlds of the block: world `r` continues world `ancestors[r]`, with all values of this ancestor. A population is a group of
    /// `size` successive worlds. In populations that are marked in `replaced`, the weights become one, and the likelihoods of all ancestors must
    /// contain the same number of densities. In populations that are not marked in `replaced`, each world gets the weight of the world that it
    /// continues.
    pub fn resample_populations(&mut self, ancestors: Vec<u32>, size: usize, replaced: &[bool]) {
        self.weights.continued(&ancestors, size, replaced);
        if !self.singles.is_empty() {
            let counts = ancestors.iter().map(|&row| self.singles[row as usize]);
            self.singles = counts.collect();
        }
        self.width = ancestors.len();
        self.lineage.push(ancestors);
    }

    /// Rearranges the values of an element that were stored before a resampling of the worlds, so that they belong to the worlds that survive now.
    pub(super) fn follow_resampling(&mut self, slot: ColumnSlot) {
        let generation = self.lineage.generation();
        let stale = |stored: &StoredColumn| stored.generation < generation;
        if !self.values[slot.index()].as_ref().is_some_and(stale) {
            return;
        }
        let Some(stored) = self.values[slot.index()].take() else {
            return;
        };
        let ancestors = self.lineage.at(stored.generation);
        let alive = self.weights.alive().clone();
        let mut from = self.buffers.list(alive.len());
        from.extend(alive.rows().iter().map(|&row| ancestors[row as usize]));
        let mut rows = alive.clone();
        if !stored.rows.is_all() {
            let mut position = vec![u32::MAX; stored.rows.width()];
            let mut next = 0;
            for_each_row(stored.rows.mask(), |row| {
                position[row] = next;
                next += 1;
            });
            for row in &mut from {
                *row = position[*row as usize];
            }
            if from.contains(&u32::MAX) {
                let had = alive.rows().iter().zip(&from);
                let had = had.filter(|(_, at)| **at != u32::MAX);
                rows = Selection::from_rows(had.map(|(&row, _)| row).collect(), self.width);
                from.retain(|&at| at != u32::MAX);
            }
        }
        let column = match &stored.column {
            Column::Bits(bits) => {
                let mut moved = vec![0u64; self.width.div_ceil(64)];
                for (row, &from) in ancestors.iter().enumerate() {
                    let bit = bits[from as usize / 64] >> (from % 64) & 1;
                    moved[row / 64] |= bit << (row % 64);
                }
                Column::Bits(Rc::new(moved))
            }
            Column::Codes(..) | Column::Typed(_) => self.gathered(stored.column, &from),
            Column::Classes(..) => {
                let listed = stored.column.listed(&stored.rows);
                self.gathered(listed, &from)
            }
        };
        self.buffers.recycle(from);
        self.values[slot.index()] = Some(StoredColumn {
            rows,
            column,
            generation,
        });
    }

    /// Returns the value of an element in the world `row`, if the element has a value there.
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
            Column::Codes(codes, dictionary) => Some(
                self.dictionary(*dictionary)
                    .datum(codes[position()?] as usize),
            ),
            Column::Classes(classes, dictionary) => {
                let code = classes.code_in(row)?;
                Some(self.dictionary(*dictionary).datum(code as usize))
            }
            Column::Typed(values) => Some(values.datum(position()?)),
        }
    }
}

#[derive(Default)]
pub(super) struct Lineage {
    /// For each resampling of the worlds, the index of the earlier world that each later world continues.
    ancestors: Vec<Rc<[u32]>>,
    /// For each generation (the worlds between two resamplings), the ancestor in this generation of each present world, if the ancestors have been
    /// computed.
    known: Vec<Option<Rc<[u32]>>>,
    /// The oldest generation of worlds whose ancestors have been computed since the last resampling.
    traced: usize,
}

impl Lineage {
    /// Returns the number of resamplings of the worlds so far.
    pub(super) fn generation(&self) -> usize {
        self.ancestors.len()
    }

    /// Records a resampling of the worlds, in which world `r` continues world `ancestors[r]`.
    pub(super) fn push(&mut self, ancestors: Vec<u32>) {
        self.ancestors.push(ancestors.into());
        self.known[self.traced..].fill(None);
        self.traced = self.known.len();
        self.known.push(None);
    }

    /// Returns the ancestor of each present world among the worlds that existed after `generation` resamplings. The worlds of the block must have
    /// been resampled at least once after `generation` resamplings.
    pub(super) fn at(&mut self, generation: usize) -> Rc<[u32]> {
        let last = self.ancestors.len() - 1;
        let known = (generation..last).find(|&g| self.known[g].is_some());
        let mut from = known.unwrap_or(last);
        let mut now = match &self.known[from] {
            Some(known) => known.clone(),
            None => self.ancestors[last].clone(),
        };
        self.traced = self.traced.min(generation);
        while from > generation {
            from -= 1;
            let step = &self.ancestors[from];
            now = now.iter().map(|&row| step[row as usize]).collect();
            self.known[from] = Some(now.clone());
        }
        now
    }

    pub(super) fn clear(&mut self) {
        self.ancestors.clear();
        self.known.clear();
        self.traced = 0;
    }

    pub(super) fn bytes(&self) -> usize {
        let all = self.ancestors.iter().chain(self.known.iter().flatten());
        all.map(|rows| size_of_val(&**rows)).sum()
    }
}

impl Block {
    /// Continues the surviving worlds of the block `before`, with their weights, after all roots (evidence variables and targets) of `before` have
    /// been evaluated. Each element in the list `handed` receives the values of a target of the block `before`, which is given by its index, and is
    /// not evaluated again. The weights of the worlds are multiplied by the evidence of the new block's model on the elements in the list `handed`.
    /// Only the values of the elements in `handed` are copied from the block `before`.
    ///
    /// Elements in the list `handed` are ignored if the model of this block does not evaluate them, or if an intervention sets their values.
    ///
    /// **Errors.** An error if a function of the evidence on an element in the list `handed` fails.
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

    /// Converts a column of values of the block `of` to a column of the element `slot` in this block.
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

    /// For each surviving world, returns the index of its ancestor among the worlds with which the evaluation of the block started.
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
