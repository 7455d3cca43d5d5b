//! Sums of the rows of a block by the values of the targets.

use figrs_core::internals::{Block, ColumnValues, TargetColumn, WeightForm};
use figrs_core::{AnyColumn, AnyElement};

use super::weight_tail::largest;

/// Sums of weights and of squared weights of a block, in units of `exp(log_scale)`.
#[derive(Debug)]
pub struct BlockTally {
    pub(crate) log_scale: f64,
    pub(crate) total: f64,
    pub(crate) squares: f64,
    pub(crate) largest: f64,
    /// The largest weights, as many as the tail of the run may have.
    pub(crate) heaviest: Vec<f64>,
    /// Rows, those of weight zero included.
    pub(crate) rows: u64,
    /// Rows that do not contradict the evidence.
    pub(crate) met: u64,
    /// Number of densities among the likelihoods.
    pub(crate) densities: usize,
    pub(crate) targets: Vec<BlockTargetTally>,
    /// The natural logarithms of the weights of the rows that meet the evidence, if draws are kept.
    pub(crate) log_weights: Option<Vec<f64>>,
}

/// The sums of one target.
#[derive(Debug)]
pub(crate) struct BlockTargetTally {
    /// Values in the order of the first rows that have them; each stands once.
    pub(crate) values: Box<dyn AnyColumn>,
    pub(crate) sums: Vec<(f64, f64)>,
    /// The values of all rows that meet the evidence, if draws are kept.
    pub(crate) draws: Option<Box<dyn AnyColumn>>,
}

impl BlockTally {
    /// Sums up a block whose roots have been run.
    ///
    /// Keeps so many of the largest weights, and draws if wanted.
    pub(crate) fn new(
        block: &mut Block,
        targets: &[AnyElement],
        width: usize,
        (heaviest, keep): (usize, bool),
    ) -> Self {
        let densities = block.keep_fewest_densities() as usize;
        let plain = block.weights().plain();
        let met = block.weights().survivors() as u64;
        let mut tally = Self {
            log_scale: plain.log_scale,
            total: 0.0,
            squares: 0.0,
            largest: 0.0,
            heaviest: largest(&plain.form, heaviest),
            rows: width as u64,
            met,
            densities,
            targets: Vec::with_capacity(targets.len()),
            log_weights: None,
        };
        match &plain.form {
            WeightForm::Classes(classes) => {
                for (mask, weight) in classes {
                    tally.count(*weight, ones(mask.iter().copied()));
                }
            }
            WeightForm::Rows(rows) => {
                for &weight in rows {
                    tally.total += weight;
                    tally.squares += weight * weight;
                    tally.largest = tally.largest.max(weight);
                }
            }
        }
        for (i, element) in targets.iter().enumerate() {
            if met == 0 {
                break;
            }
            let column = block.target(i);
            let mut target = sums(&column, element, &plain.form);
            target.draws = keep.then(|| drawn(&column, element));
            tally.targets.push(target);
        }
        if keep {
            let mut logs = Vec::with_capacity(met as usize);
            let weights = plain.rows(width);
            block.weights().for_each_survivor(|row| {
                logs.push(weights[row].ln() + plain.log_scale);
            });
            tally.log_weights = Some(logs);
        }
        tally
    }

    fn count(&mut self, weight: f64, rows: f64) {
        self.total += weight * rows;
        self.squares += weight * weight * rows;
        if rows > 0.0 {
            self.largest = self.largest.max(weight);
        }
    }
}

fn ones(words: impl Iterator<Item = u64>) -> f64 {
    f64::from(words.map(u64::count_ones).sum::<u32>())
}

fn sums(column: &TargetColumn<'_>, element: &AnyElement, form: &WeightForm) -> BlockTargetTally {
    let mut values = element.no_column();
    let mut sums = Vec::new();
    match column.values() {
        ColumnValues::Bits(bits) => {
            let first = column.first_row().unwrap_or(0);
            let first = bits[first / 64] >> (first % 64) & 1 == 1;
            for truth in [first, !first] {
                let invert = if truth { 0 } else { u64::MAX };
                let same = |(mask, bits): (&u64, &u64)| mask & (bits ^ invert);
                let mut sum = (0.0, 0.0);
                let mut found = 0.0;
                match form {
                    WeightForm::Classes(classes) => {
                        for (mask, weight) in classes {
                            let rows = ones(mask.iter().zip(bits).map(same));
                            sum.0 += weight * rows;
                            sum.1 += weight * weight * rows;
                            found += rows;
                        }
                    }
                    WeightForm::Rows(weights) => {
                        let words = column.mask().iter().zip(bits).map(same);
                        for (word, start) in words.zip((0..).step_by(64)) {
                            let mut word = word;
                            while word != 0 {
                                let weight = weights[start + word.trailing_zeros() as usize];
                                sum.0 += weight;
                                sum.1 += weight * weight;
                                found += 1.0;
                                word &= word - 1;
                            }
                        }
                    }
                }
                if found > 0.0 {
                    values.push(&truth);
                    sums.push(sum);
                }
            }
        }
        ColumnValues::Codes(codes) => {
            const UNKNOWN: u32 = u32::MAX;
            let weights = by_row(column, form);
            let mut positions = vec![UNKNOWN; column.codes()];
            for (&code, weight) in codes.iter().zip(weights) {
                let position = &mut positions[code as usize];
                if *position == UNKNOWN {
                    *position = sums.len() as u32;
                    sums.push((0.0, 0.0));
                    if let Some(value) = column.value(code) {
                        values.push(value);
                    }
                }
                let sum: &mut (f64, f64) = &mut sums[*position as usize];
                sum.0 += weight;
                sum.1 += weight * weight;
            }
        }
        ColumnValues::Typed(typed) => {
            // As for codes, so that the sums do not depend on how the values are held.
            let mut met = element.no_values();
            let positions = met.encode(typed).unwrap_or_default();
            for (at, (position, weight)) in positions.iter().zip(by_row(column, form)).enumerate() {
                if *position as usize == sums.len() {
                    values.push(typed.any(at));
                    sums.push((0.0, 0.0));
                }
                let sum: &mut (f64, f64) = &mut sums[*position as usize];
                sum.0 += weight;
                sum.1 += weight * weight;
            }
        }
    }
    BlockTargetTally {
        values,
        sums,
        draws: None,
    }
}

/// The weights of the rows of a column.
fn by_row(column: &TargetColumn<'_>, form: &WeightForm) -> Vec<f64> {
    let rows = column.rows();
    match form {
        WeightForm::Rows(weights) => rows.iter().map(|&row| weights[row as usize]).collect(),
        WeightForm::Classes(classes) => {
            let weight = |&row: &u32| {
                let (word, bit) = (row as usize / 64, row % 64);
                let class = classes.iter().find(|(mask, _)| mask[word] >> bit & 1 == 1);
                class.map_or(0.0, |(_, weight)| *weight)
            };
            rows.iter().map(weight).collect()
        }
    }
}

/// The values of a column, row after row.
fn drawn(column: &TargetColumn<'_>, element: &AnyElement) -> Box<dyn AnyColumn> {
    let mut values = element.no_column();
    match column.values() {
        ColumnValues::Typed(typed) => values.append(typed),
        ColumnValues::Bits(bits) => {
            for &row in column.rows() {
                values.push(&(bits[row as usize / 64] >> (row % 64) & 1 == 1));
            }
        }
        ColumnValues::Codes(codes) => {
            for value in codes.iter().filter_map(|&code| column.value(code)) {
                values.push(value);
            }
        }
    }
    values
}
