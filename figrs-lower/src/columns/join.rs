//! Joins the values of the branches of a `Chain` into one column, which has a value for each world.

use std::hint::select_unpredictable;
use std::rc::Rc;

use super::block::Block;
use super::classes::{Classes, MAX_REST};
use super::column::{Column, ColumnSlot, DictionaryId};
use super::run::{ColumnSource, RootEvaluation};
use super::selection::Selection;
use figrs_core::error::ModelError;

/// Maximum number of values of a dictionary whose codes are all translated at once to the codes of another dictionary.
const SMALL_DICTIONARY: usize = 64;

impl RootEvaluation<'_> {
    pub(super) fn join(
        &mut self,
        slot: ColumnSlot,
        rows: &Selection,
        sources: &[(ColumnSource, Selection)],
    ) -> Result<(), ModelError> {
        let mut parts: Vec<(Selection, Column)> = Vec::with_capacity(sources.len());
        for (source, part) in sources {
            let part = part.intersection(self.block.weights.alive());
            if part.is_empty() {
                continue;
            }
            let column = match source {
                ColumnSource::Slot(of) => self.block.read(*of, &part),
                ColumnSource::Unshared(number) => match self.alone[*number].take() {
                    Some(stored) => stored.column.restrict(&stored.rows, &part),
                    None => continue,
                },
            };
            parts.push((part, column));
        }
        let column = self.block.joined(slot, rows, parts);
        self.set_values(slot, rows, column, None)
    }
}

impl Block {
    /// Returns one column with the values of disjoint sets of worlds, each of which has its own column.
    fn joined(
        &mut self,
        slot: ColumnSlot,
        rows: &Selection,
        parts: Vec<(Selection, Column)>,
    ) -> Column {
        if let [(part, column)] = &parts[..]
            && part.same_as(rows)
            && matches!(column, Column::Bits(_) | Column::Typed(_))
        {
            return column.clone();
        }
        if self.instructions[slot.index()].is_bool {
            let mut all = vec![0; rows.mask().len()];
            for (part, column) in &parts {
                if let Column::Bits(bits) = column {
                    let words = all.iter_mut().zip(bits.iter().zip(part.mask()));
                    words.for_each(|(word, (bits, mask))| *word |= bits & mask);
                }
            }
            return Column::Bits(Rc::new(all));
        }
        // A large dictionary is not translated for few worlds; otherwise a deep recursion would take quadratic time.
        let coded = |(part, column): &(Selection, Column)| match column {
            Column::Codes(_, dictionary) | Column::Classes(_, dictionary) => {
                self.dictionary(*dictionary).len() <= 4 * part.len() + SMALL_DICTIONARY
            }
            Column::Bits(_) | Column::Typed(_) => false,
        };
        if parts.iter().all(coded) {
            if let Some(classes) = self.joined_classes(slot, &parts) {
                return classes;
            }
            let dictionary = self.own_dictionary(slot);
            let mut coded: Vec<TranslatedCodes> = Vec::with_capacity(parts.len());
            for (part, column) in &parts {
                let (codes, own) = match column {
                    Column::Codes(codes, own) => (RowCodes::List(codes.clone()), *own),
                    Column::Classes(classes, own) => match (&classes.classes[..], &classes.rest) {
                        ([all], None) => (RowCodes::Same(all.code), *own),
                        _ => (RowCodes::List(Rc::new(classes.codes(part))), *own),
                    },
                    Column::Bits(_) | Column::Typed(_) => continue,
                };
                coded.push(TranslatedCodes {
                    part: part.clone(),
                    codes,
                    table: self.translation(slot, own),
                });
            }
            return Column::Codes(
                Rc::new(interleaved(rows, &coded, self.buffers.list(rows.len()))),
                dictionary,
            );
        }
        let mut order = vec![0; rows.len()];
        let mut all = self.instructions[slot.index()].element.no_column();
        for (part, column) in parts {
            for (&place, at) in part.positions_in(rows).iter().zip(all.len() as u32..) {
                order[place as usize] = at;
            }
            let mut values = self.dictionaries.typed(&column, &part);
            drop(column);
            match Rc::get_mut(&mut values) {
                Some(values) => all.append_moved(values),
                None => all.append(&*values),
            }
        }
        let all = all.select(&order);
        Column::Typed(Rc::from(all))
    }
}

impl Block {
    /// Joins the columns of disjoint sets of worlds into one column of classes (sets of worlds with equal values), if there are few classes and at
    /// most one list of codes.
    fn joined_classes(
        &mut self,
        slot: ColumnSlot,
        parts: &[(Selection, Column)],
    ) -> Option<Column> {
        let is_classes = |part: &(Selection, Column)| matches!(part.1, Column::Classes(..));
        if !parts.iter().any(is_classes) {
            return None;
        }
        let classes = parts.iter().map(|(part, column)| match column {
            Column::Classes(classes, own) => Some((classes.clone(), *own)),
            Column::Codes(codes, own) if codes.len() <= MAX_REST => {
                let rest = Some((part.clone(), codes.clone()));
                let classes = Vec::new();
                Some((Rc::new(Classes { classes, rest }), *own))
            }
            Column::Bits(_) | Column::Codes(..) | Column::Typed(_) => None,
        });
        let classes = classes.collect::<Option<Vec<(Rc<Classes>, DictionaryId)>>>()?;
        let translated = classes.into_iter().map(|(classes, own)| {
            let Some(table) = self.translation(slot, own) else {
                return (*classes).clone();
            };
            let entries = classes.entries().into_iter();
            let entries: Vec<u32> = entries.map(|code| table[code as usize]).collect();
            classes.with_entries(&entries)
        });
        let all = Classes::union(translated)?;
        Some(Column::Classes(Rc::new(all), self.own_dictionary(slot)))
    }
}

/// The dictionary codes of the values in some worlds, with a table that translates these codes to the codes of another dictionary.
struct TranslatedCodes {
    part: Selection,
    codes: RowCodes,
    table: Option<Rc<Vec<u32>>>,
}

/// The dictionary codes of the values in some worlds.
enum RowCodes {
    /// The value in each of the worlds has the contained code.
    Same(u32),
    List(Rc<Vec<u32>>),
}

impl TranslatedCodes {
    #[inline]
    fn code(&self, at: usize) -> u32 {
        let code = match &self.codes {
            RowCodes::Same(code) => *code,
            RowCodes::List(codes) => codes[at],
        };
        self.table
            .as_ref()
            .map_or(code, |table| table[code as usize])
    }
}

/// Merges the lists of codes in `parts`, which belong to disjoint sets of worlds, into one list in the order of the worlds.
fn interleaved(rows: &Selection, parts: &[TranslatedCodes], mut all: Vec<u32>) -> Vec<u32> {
    if let [one] = parts {
        all.extend((0..rows.len()).map(|at| one.code(at)));
        return all;
    }
    all.resize(rows.len(), 0);
    if let [a, b] = parts {
        // One branch of a recursion often has a constant value.
        match (&a.codes, &b.codes) {
            (RowCodes::Same(_), RowCodes::List(list)) => {
                let same = a.code(0);
                merge(&mut all, rows, (b, list), |_| same);
                return all;
            }
            (RowCodes::List(list), RowCodes::Same(_)) => {
                let same = b.code(0);
                merge(&mut all, rows, (a, list), |_| same);
                return all;
            }
            (RowCodes::List(list), RowCodes::List(_)) => {
                merge(&mut all, rows, (a, list), |at| b.code(at));
                return all;
            }
            (RowCodes::Same(_), RowCodes::Same(_)) => {}
        }
    }
    for coded in parts {
        for (at, &place) in coded.part.positions_in(rows).iter().enumerate() {
            all[place as usize] = coded.code(at);
        }
    }
    all
}

/// Merges the codes `list` of the values in some worlds with the codes `other` of the values in all other worlds.
fn merge(
    all: &mut [u32],
    rows: &Selection,
    (part, list): (&TranslatedCodes, &[u32]),
    other: impl Fn(usize) -> u32,
) {
    let part_list = (&part.part, list);
    match &part.table {
        Some(table) => choose(all, rows, part_list, |code| table[code as usize], other),
        None => choose(all, rows, part_list, |code| code, other),
    }
}

/// Merges two lists of codes as [`merge`] does, and translates the codes of `list` to another dictionary. The loop has no conditional jump that
/// depends on which list a code comes from, because the processor could not predict such a jump.
#[inline]
fn choose(
    all: &mut [u32],
    rows: &Selection,
    (part, list): (&Selection, &[u32]),
    translated: impl Fn(u32) -> u32,
    other: impl Fn(usize) -> u32,
) {
    let (last, others) = (list.len() - 1, (rows.len() - list.len()).max(1) - 1);
    let (mut i, mut j) = (0, 0);
    let mut places = all;
    for (&word, &first) in rows.mask().iter().zip(part.mask()) {
        let mut word = word;
        let (here, rest) = places.split_at_mut(word.count_ones() as usize);
        places = rest;
        for place in here {
            let lowest = word & word.wrapping_neg();
            let of_part = first & lowest != 0;
            // After the last code of a list, the last code is read again, but it is not used.
            let a = translated(list[i.min(last)]);
            let b = other(j.min(others));
            *place = select_unpredictable(of_part, a, b);
            i += usize::from(of_part);
            j += usize::from(!of_part);
            word ^= lowest;
        }
    }
}
