//! The weights of the rows of a block.

use super::selection::{Selection, for_each_row};
use crate::weights::WorldWeight;

/// Rows of different weight up to which they are kept as classes of equal weight.
const CLASSES: usize = 16;
/// A product outside of this range and its inverse is moved into the logarithms.
/// The product of two numbers in the range is still a normal number.
const LARGE: f64 = 1e150;

/// The weights of the rows of a block, as a product of three factors: one that all rows share, one of few classes of rows or of each row, and one given by logarithms.
///
/// Evidence on truth values splits the rows into few classes; sums over a class only count its rows.
#[derive(Debug)]
pub struct BlockWeights {
    alive: Selection,
    common: WorldWeight,
    classes: Vec<(Vec<u64>, WorldWeight)>,
    /// In the place of the classes, where they would be too many.
    rows: Option<Vec<f64>>,
    logs: Option<Vec<f64>>,
    /// How many of the factors are densities: of all rows, and of some rows in addition.
    densities: u32,
    row_densities: Option<Vec<u32>>,
}

/// Weights as plain numbers in units of `exp(log_scale)`.
#[derive(Clone, Debug)]
pub struct PlainWeights {
    /// The natural logarithm of the unit.
    pub log_scale: f64,
    /// The weights.
    pub form: WeightForm,
}

/// How plain weights are held.
#[derive(Clone, Debug)]
pub enum WeightForm {
    /// Disjoint masks of rows, each of one weight; other rows weigh nothing.
    Classes(Vec<(Vec<u64>, f64)>),
    /// The weight of each row.
    Rows(Vec<f64>),
}

impl BlockWeights {
    /// Weights one for `width` rows.
    pub(crate) fn new(width: usize) -> Self {
        Self::of(Selection::all(width), 0)
    }

    /// Weights one for these rows alone, with so many densities among their factors.
    pub(crate) fn of(alive: Selection, densities: u32) -> Self {
        Self {
            common: WorldWeight::ONE,
            classes: vec![(alive.mask().to_vec(), WorldWeight::ONE)],
            rows: None,
            logs: None,
            densities,
            row_densities: None,
            alive,
        }
    }

    /// How many densities are among the factors of all rows.
    pub(crate) fn common_densities(&self) -> u32 {
        self.densities
    }

    /// Whether some rows have more densities among their factors than others.
    pub fn densities_differ(&self) -> bool {
        let Some(counts) = &self.row_densities else {
            return false;
        };
        let (mut least, mut most) = (u32::MAX, 0);
        for_each_row(self.alive.mask(), |row| {
            least = least.min(counts[row]);
            most = most.max(counts[row]);
        });
        least < most
    }

    /// The rows that do not contradict the evidence so far.
    pub(crate) fn alive(&self) -> &Selection {
        &self.alive
    }

    /// How many rows do not contradict the evidence.
    pub fn survivors(&self) -> usize {
        self.alive.len()
    }

    /// Calls a function for each row that does not contradict the evidence, in ascending order.
    pub fn for_each_survivor(&self, each: impl FnMut(usize)) {
        for_each_row(self.alive.mask(), each);
    }

    /// The rows of a mask contradict the evidence.
    pub(crate) fn kill(&mut self, mask: &[u64]) {
        if self.alive.mask().iter().zip(mask).any(|(a, b)| a & b != 0) {
            self.alive = self.alive.minus(mask);
        }
    }

    /// Multiplies the weights of some rows with one number.
    pub(crate) fn times(&mut self, rows: &Selection, (linear, log): (f64, f64)) {
        if log == f64::NEG_INFINITY {
            self.kill(rows.mask());
        } else if self.alive.is_within(rows.mask()) {
            self.common.times(linear, log);
        } else if log != 0.0 {
            self.times_masks(&[(rows.mask().to_vec(), (linear, log))]);
        }
    }

    /// Multiplies the weights of disjoint sets of rows with one number each.
    pub(crate) fn times_masks(&mut self, masks: &[(Vec<u64>, (f64, f64))]) {
        for (mask, (_, log)) in masks {
            if *log == f64::NEG_INFINITY {
                self.kill(mask);
            }
        }
        if let Some(rows) = &mut self.rows {
            let living = masks
                .iter()
                .filter(|(_, (_, log))| *log > f64::NEG_INFINITY);
            if living.clone().all(|(_, (linear, _))| in_range(*linear)) {
                let mut settled = true;
                for (mask, (linear, _)) in living {
                    for_each_row(mask, |row| {
                        rows[row] *= linear;
                        settled &= in_range(rows[row]);
                    });
                }
                if !settled {
                    self.move_to_logs();
                }
            } else {
                let width = rows.len();
                let logs = self.logs.get_or_insert_with(|| vec![0.0; width]);
                for (mask, (_, log)) in living {
                    for_each_row(mask, |row| logs[row] += log);
                }
            }
            return;
        }
        let mut classes: Vec<(Vec<u64>, WorldWeight)> = Vec::with_capacity(self.classes.len() + 1);
        for (class, weight) in &self.classes {
            let mut rest: Vec<u64> = and(class, self.alive.mask());
            for (mask, (linear, log)) in masks {
                let both = and(&rest, mask);
                if both.iter().all(|&word| word == 0) {
                    continue;
                }
                rest.iter_mut().zip(mask).for_each(|(a, b)| *a &= !b);
                let mut weight = *weight;
                weight.times(*linear, *log);
                classes.push((both, weight));
            }
            if rest.iter().any(|&word| word != 0) {
                classes.push((rest, *weight));
            }
        }
        self.classes = classes;
        if self.classes.len() > CLASSES {
            self.give_up_classes();
        }
    }

    /// Multiplies the weight of each of some rows with the number of its code; the codes stand in the order of the rows.
    pub(crate) fn times_codes(&mut self, rows: &Selection, codes: &[u32], table: &[(f64, f64)]) {
        let mut dead: Vec<u32> = Vec::new();
        let selected = rows.rows();
        let mut factors = table.iter();
        let plain = factors.all(|&(linear, log)| in_range(linear) || log == f64::NEG_INFINITY);
        self.give_up_classes();
        if plain && let Some(weights) = &mut self.rows {
            let (mut least, mut most) = (f64::INFINITY, 0.0f64);
            for (&row, &code) in selected.iter().zip(codes) {
                let factor = table[code as usize].0;
                if factor == 0.0 {
                    dead.push(row);
                    continue;
                }
                let weight = &mut weights[row as usize];
                *weight *= factor;
                least = least.min(*weight);
                most = most.max(*weight);
            }
            if least < 1.0 / LARGE || most > LARGE {
                self.move_to_logs();
            }
        } else {
            let logs: Vec<f64> = codes.iter().map(|&code| table[code as usize].1).collect();
            return self.add_logs(rows, &logs);
        }
        if !dead.is_empty() {
            let dead = Selection::from_rows(dead, rows.width());
            self.kill(dead.mask());
        }
    }

    /// Multiplies the weights of some rows with numbers given by their logarithms, in the order of the rows.
    pub(crate) fn add_logs(&mut self, rows: &Selection, added: &[f64]) {
        let width = rows.width();
        let logs = self.logs.get_or_insert_with(|| vec![0.0; width]);
        let mut dead: Vec<u32> = Vec::new();
        for (&row, &log) in rows.rows().iter().zip(added) {
            if log == f64::NEG_INFINITY {
                dead.push(row);
            } else {
                logs[row as usize] += log;
            }
        }
        if !dead.is_empty() {
            let dead = Selection::from_rows(dead, width);
            self.kill(dead.mask());
        }
    }

    /// Counts a density among the factors of some rows.
    pub(crate) fn count_density(&mut self, rows: &Selection) {
        if self.alive.is_within(rows.mask()) {
            self.densities += 1;
            return;
        }
        let counts = self
            .row_densities
            .get_or_insert_with(|| vec![0; rows.width()]);
        for_each_row(rows.mask(), |row| counts[row] += 1);
    }

    /// The fewest densities among the factors of any row that is left, after which the rows with more weigh nothing: a
    /// world with fewer densities is infinitely more likely.
    pub(crate) fn fewest_densities(&mut self) -> u32 {
        let Some(counts) = self.row_densities.take() else {
            return self.densities;
        };
        let mut fewest = u32::MAX;
        for_each_row(self.alive.mask(), |row| fewest = fewest.min(counts[row]));
        let mut more = Vec::new();
        for_each_row(self.alive.mask(), |row| {
            if counts[row] > fewest {
                more.push(row as u32);
            }
        });
        let more = Selection::from_rows(more, self.alive.width());
        self.kill(more.mask());
        self.densities + if fewest == u32::MAX { 0 } else { fewest }
    }

    /// Gives up the classes.
    fn give_up_classes(&mut self) {
        if self.rows.is_some() {
            return;
        }
        let held = self
            .classes
            .iter()
            .all(|(_, weight)| in_range(weight.linear));
        let mut rows = vec![1.0; self.alive.width()];
        let width = rows.len();
        for (mask, weight) in self.classes.drain(..) {
            if held {
                for_each_row(&mask, |row| rows[row] = weight.linear);
            } else {
                let logs = self.logs.get_or_insert_with(|| vec![0.0; width]);
                for_each_row(&mask, |row| logs[row] += weight.log);
            }
        }
        self.rows = Some(rows);
    }

    /// Moves the factors of the rows into the logarithms.
    fn move_to_logs(&mut self) {
        let Some(rows) = &mut self.rows else { return };
        let width = rows.len();
        let logs = self.logs.get_or_insert_with(|| vec![0.0; width]);
        for (log, row) in logs.iter_mut().zip(rows) {
            *log += row.ln();
            *row = 1.0;
        }
    }

    /// The weights as plain numbers; the largest is not far from one, or the unit is one.
    pub fn plain(&self) -> PlainWeights {
        const FAR: f64 = 1e100;
        let near = |x: f64| (1.0 / FAR..FAR).contains(&x);
        if let (None, None) = (&self.rows, &self.logs) {
            let mut classes: Vec<(Vec<u64>, WorldWeight)> = Vec::new();
            for (mask, weight) in &self.classes {
                let mut weight = *weight;
                weight.times(self.common.linear, self.common.log);
                let mask = and(mask, self.alive.mask());
                if mask.iter().any(|&word| word != 0) {
                    classes.push((mask, weight));
                }
            }
            let largest = classes
                .iter()
                .map(|(_, w)| w.log)
                .fold(f64::NEG_INFINITY, f64::max);
            let plain = classes.iter().all(|(_, w)| near(w.linear));
            let log_scale = if plain || classes.is_empty() {
                0.0
            } else {
                largest
            };
            let weight = |w: WorldWeight| {
                if plain {
                    w.linear
                } else {
                    (w.log - log_scale).exp()
                }
            };
            let classes = classes.into_iter().map(|(mask, w)| (mask, weight(w)));
            return PlainWeights {
                log_scale,
                form: WeightForm::Classes(classes.collect()),
            };
        }
        let width = self.alive.width();
        let mut weights = vec![0.0; width];
        let Some(logs) = &self.logs else {
            let rows = self.rows.as_deref().unwrap_or_default();
            let mut plain = true;
            for_each_row(self.alive.mask(), |row| {
                weights[row] = rows[row] * self.common.linear;
                plain &= near(weights[row]);
            });
            if plain {
                return PlainWeights {
                    log_scale: 0.0,
                    form: WeightForm::Rows(weights),
                };
            }
            for_each_row(self.alive.mask(), |row| {
                weights[row] = rows[row].ln() + self.common.log;
            });
            return self.exponentiated(weights);
        };
        if let Some(rows) = &self.rows {
            for_each_row(self.alive.mask(), |row| {
                weights[row] = logs[row] + rows[row].ln();
            });
        } else {
            for (class, weight) in &self.classes {
                for_each_row(&and(class, self.alive.mask()), |row| {
                    weights[row] = logs[row] + weight.log;
                });
            }
        }
        for_each_row(self.alive.mask(), |row| weights[row] += self.common.log);
        self.exponentiated(weights)
    }

    /// Logarithms of the living rows as plain numbers in units of the largest.
    fn exponentiated(&self, mut weights: Vec<f64>) -> PlainWeights {
        let mut largest = f64::NEG_INFINITY;
        for_each_row(self.alive.mask(), |row| largest = largest.max(weights[row]));
        let log_scale = if largest.is_finite() { largest } else { 0.0 };
        for_each_row(self.alive.mask(), |row| {
            weights[row] = (weights[row] - log_scale).exp();
        });
        PlainWeights {
            log_scale,
            form: WeightForm::Rows(weights),
        }
    }
}

fn in_range(x: f64) -> bool {
    (1.0 / LARGE..LARGE).contains(&x)
}

fn and(a: &[u64], b: &[u64]) -> Vec<u64> {
    a.iter().zip(b).map(|(a, b)| a & b).collect()
}

impl PlainWeights {
    /// The weight of each of `width` rows.
    pub fn rows(&self, width: usize) -> Vec<f64> {
        match &self.form {
            WeightForm::Rows(rows) => rows.clone(),
            WeightForm::Classes(classes) => {
                let mut rows = vec![0.0; width];
                for (mask, weight) in classes {
                    for_each_row(mask, |row| rows[row] = *weight);
                }
                rows
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn logs(weights: &BlockWeights, width: usize) -> Vec<f64> {
        let plain = weights.plain();
        let rows = plain.rows(width);
        rows.iter().map(|w| w.ln() + plain.log_scale).collect()
    }

    #[test]
    fn products_are_the_same_in_every_form() {
        let mut weights = BlockWeights::new(4);
        let mut expected = [0.0f64; 4];
        let tiny = -700.0;
        for step in 0..12u32 {
            let mask = u64::from(step % 3 + 1);
            let factor = (f64::exp(tiny), tiny);
            let rows = Selection::from_mask(vec![mask], 4);
            match step % 3 {
                0 => weights.times(&rows, factor),
                1 => weights
                    .times_masks(&[(vec![mask], factor), (vec![!mask & 0xf], (2.0, 2f64.ln()))]),
                _ => weights.times_codes(
                    &rows,
                    &vec![1; rows.len()],
                    &[(0.0, f64::NEG_INFINITY), factor],
                ),
            }
            for (row, log) in expected.iter_mut().enumerate() {
                let inside = mask >> row & 1 == 1;
                *log += if inside {
                    tiny
                } else if step % 3 == 1 {
                    2f64.ln()
                } else {
                    0.0
                };
            }
            let top = expected.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            for (log, expected) in logs(&weights, 4).iter().zip(expected) {
                // What is far below the largest weight is nothing beside it.
                let near = expected - top > -700.0;
                assert!(
                    !near || (log - expected).abs() < 1e-9,
                    "{step}: {log} {expected}"
                );
            }
        }
        weights.kill(&[2]);
        assert_eq!(weights.survivors(), 3);
        assert_eq!(weights.plain().rows(4)[1], 0.0);
    }

    #[test]
    fn few_densities_dominate() {
        let mut weights = BlockWeights::new(3);
        weights.count_density(&Selection::all(3));
        weights.count_density(&Selection::from_mask(vec![0b101], 3));
        assert_eq!(weights.fewest_densities(), 1);
        assert_eq!(weights.alive().rows(), [1]);
    }
}
