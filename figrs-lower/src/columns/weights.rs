//! The weights of the worlds of a block (a batch of worlds that are evaluated together).

use super::selection::{Selection, for_each_row, mask_where};
use figrs_factor::graph::WorldWeight;

/// Maximum number of classes of worlds; all worlds of a class have the same weight. If there are more than `CLASSES` sets of worlds with equal
/// weights, the weights are computed world by world.
const CLASSES: usize = 16;
/// A product of weights above `LARGE` or below `1 / LARGE` is stored as a logarithm. The product of two numbers between `1 / LARGE` and `LARGE`
/// neither overflows nor underflows.
const LARGE: f64 = 1e150;

/// The weights of the worlds of a block (a batch of worlds that are evaluated together).
///
/// The weight of a world is the product of three factors: one for all worlds, one for the world or its class (the worlds with equal weights), and one
/// that is stored as a logarithm.
///
/// Evidence on truth values divides the worlds into few classes (sets of worlds with equal weights). The sum of the weights of a class of worlds with
/// equal weights needs only the number of its worlds.
#[derive(Debug)]
pub struct BlockWeights {
    pub(super) alive: Selection,
    pub(super) common: WorldWeight,
    pub(super) classes: Vec<(Vec<u64>, WorldWeight)>,
    /// The weight of each world, if there would be too many classes of worlds with equal weights; the entries of dropped worlds have no meaning.
    pub(super) rows: Option<Vec<f64>>,
    /// Lower and upper bounds of those entries of `rows` that belong to surviving worlds.
    pub(super) bounds: (f64, f64),
    pub(super) logs: Option<Vec<f64>>,
    /// The number of probability densities among the factors of every world's weight; single worlds may have additional densities.
    densities: u32,
    row_densities: Option<Vec<u32>>,
}

impl BlockWeights {
    pub(crate) fn new(width: usize) -> Self {
        Self::of(Selection::all(width), 0)
    }

    /// Creates weights of one for the worlds `alive`, whose weights count as products with `densities` densities; all other worlds are dropped.
    pub(crate) fn of(alive: Selection, densities: u32) -> Self {
        Self {
            common: WorldWeight::ONE,
            classes: vec![(alive.mask().to_vec(), WorldWeight::ONE)],
            rows: None,
            bounds: (1.0, 1.0),
            logs: None,
            densities,
            row_densities: None,
            alive,
        }
    }

    pub(crate) fn common_densities(&self) -> u32 {
        self.densities
    }

    /// True if the weights of some worlds have more probability densities among their factors than the weights of other worlds.
    pub fn densities_differ(&self) -> bool {
        self.densities_differ_among(0..self.alive.width())
    }

    /// True if the weights of some of the worlds `rows` have more probability densities among their factors than the weights of others.
    pub(super) fn densities_differ_among(&self, rows: std::ops::Range<usize>) -> bool {
        let Some(counts) = &self.row_densities else {
            return false;
        };
        let mask = self.alive.mask();
        let living = rows.filter(|row| mask[row / 64] >> (row % 64) & 1 == 1);
        let mut counts = living.map(|row| counts[row]);
        let first = counts.next();
        counts.any(|count| Some(count) != first)
    }

    /// Returns the worlds that do not contradict the evidence so far (the surviving worlds).
    pub(crate) fn alive(&self) -> &Selection {
        &self.alive
    }

    /// Returns the number of worlds that do not contradict the evidence so far.
    pub fn survivors(&self) -> usize {
        self.alive.len()
    }

    /// Calls the function `each` for each surviving world, in ascending order.
    pub fn for_each_survivor(&self, each: impl FnMut(usize)) {
        for_each_row(self.alive.mask(), each);
    }

    /// Drops the worlds of the bit mask `mask`, because they contradict the evidence.
    pub(crate) fn drop_rows(&mut self, mask: &[u64]) {
        if self.alive.mask().iter().zip(mask).any(|(a, b)| a & b != 0) {
            self.alive = self.alive.minus(mask);
        }
    }

    /// Multiplies the weights of the worlds `rows` by one number, which is given both as a plain number and as its logarithm.
    pub(crate) fn times(&mut self, rows: &Selection, (linear, log): (f64, f64)) {
        if log == f64::NEG_INFINITY {
            self.drop_rows(rows.mask());
        } else if self.alive.is_within(rows.mask()) {
            self.common.times(linear, log);
        } else if log != 0.0 {
            self.times_masks(&[(rows.mask().to_vec(), (linear, log))]);
        }
    }

    /// Multiplies the weights of the worlds in disjoint sets; each set has its own multiplier.
    pub(crate) fn times_masks(&mut self, masks: &[(Vec<u64>, (f64, f64))]) {
        for (mask, (_, log)) in masks {
            if *log == f64::NEG_INFINITY {
                self.drop_rows(mask);
            }
        }
        if let Some(rows) = &mut self.rows {
            let living = masks
                .iter()
                .filter(|(_, (_, log))| *log > f64::NEG_INFINITY);
            if living.clone().all(|(_, (linear, _))| in_range(*linear)) {
                let mut bounds = (1.0f64, 1.0f64);
                for (mask, (linear, _)) in living {
                    bounds = (bounds.0.min(*linear), bounds.1.max(*linear));
                    for_each_row(mask, |row| rows[row] *= linear);
                }
                self.widen_bounds(bounds);
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
            self.expand_classes();
        }
    }

    /// Multiplies the weight of each world by the entry of `table` at the world's code in `codes`; `codes` are in the order of the worlds `rows`.
    pub(crate) fn times_codes(&mut self, rows: &Selection, codes: &[u32], table: &[(f64, f64)]) {
        let zero = |&(_, log): &(f64, f64)| log == f64::NEG_INFINITY;
        if !table.iter().all(|entry| zero(entry) || in_range(entry.0)) {
            let logs = codes.iter().map(|&code| table[code as usize].1).collect();
            return self.add_logs(rows, logs);
        }
        if table.iter().any(zero) {
            let dead = mask_where(rows, |at| zero(&table[codes[at] as usize]));
            self.drop_rows(&dead);
        }
        let factor = |entry| if zero(entry) { 1.0 } else { entry.0 };
        let factors: Vec<f64> = table.iter().map(factor).collect();
        self.expand_classes();
        let Some(weights) = &mut self.rows else {
            return;
        };
        if rows.is_all() {
            let weights = weights.iter_mut().zip(codes);
            weights.for_each(|(weight, &code)| *weight *= factors[code as usize]);
        } else {
            for (&row, &code) in rows.rows().iter().zip(codes) {
                weights[row as usize] *= factors[code as usize];
            }
        }
        let widest = |(least, most): (f64, f64), x: &f64| (least.min(*x), most.max(*x));
        self.widen_bounds(factors.iter().fold((1.0, 1.0), widest));
    }

    /// Widens the bounds of the weights in `rows` after a multiplication by numbers between `least` and `most`.
    fn widen_bounds(&mut self, (least, most): (f64, f64)) {
        self.bounds = (self.bounds.0 * least, self.bounds.1 * most);
        if in_range(self.bounds.0) && in_range(self.bounds.1) {
            return;
        }
        let rows = self.rows.as_deref().unwrap_or_default();
        let (mut least, mut most) = (1.0f64, 1.0f64);
        for_each_row(self.alive.mask(), |row| {
            least = least.min(rows[row]);
            most = most.max(rows[row]);
        });
        self.bounds = (least, most);
        if !in_range(least) || !in_range(most) {
            self.move_to_logs();
        }
    }

    /// Multiplies the weights of the worlds `rows` by numbers whose logarithms are `added`, in the order of the worlds.
    pub(crate) fn add_logs(&mut self, rows: &Selection, added: Vec<f64>) {
        if added.contains(&f64::NEG_INFINITY) {
            let dead = mask_where(rows, |at| added[at] == f64::NEG_INFINITY);
            self.drop_rows(&dead);
        }
        match &mut self.logs {
            None if rows.is_all() => self.logs = Some(added),
            Some(logs) if rows.is_all() => {
                logs.iter_mut()
                    .zip(added)
                    .for_each(|(log, added)| *log += added);
            }
            logs => {
                let logs = logs.get_or_insert_with(|| vec![0.0; rows.width()]);
                for (&row, added) in rows.rows().iter().zip(added) {
                    logs[row as usize] += added;
                }
            }
        }
    }

    /// Replaces the worlds in a resampling: world `r` gets the weight of world `ancestors[r]`. In populations (groups of `size` successive worlds)
    /// that are marked in `replaced`, all weights become one.
    pub(super) fn continued(&mut self, ancestors: &[u32], size: usize, replaced: &[bool]) {
        let width = ancestors.len();
        let old = std::mem::replace(self, Self::of(Selection::all(width), self.densities));
        if let Some(counts) = &old.row_densities {
            let counts: Vec<u32> = gathered(counts, ancestors);
            let least = counts.iter().copied().min().unwrap_or(0);
            if counts.iter().all(|&count| count == least) {
                self.densities += least;
            } else {
                self.row_densities = Some(counts);
            }
        }
        if replaced.iter().all(|&replaced| replaced) {
            return;
        }
        let mut old = old;
        old.expand_classes();
        if let Some(rows) = &mut old.rows
            && old.common.log != 0.0
        {
            if in_range(old.common.linear) {
                for row in rows.iter_mut() {
                    *row *= old.common.linear;
                }
                old.widen_bounds((old.common.linear.min(1.0), old.common.linear.max(1.0)));
            } else {
                let logs = old.logs.get_or_insert_with(|| vec![0.0; rows.len()]);
                for log in logs.iter_mut() {
                    *log += old.common.log;
                }
            }
        }
        let mask = old.alive.mask();
        let mut alive: Vec<u32> = Vec::with_capacity(width);
        let mut rows = old.rows.as_ref().map(|rows| gathered(rows, ancestors));
        let mut logs = old.logs.as_ref().map(|logs| gathered(logs, ancestors));
        for (population, &replaced) in replaced.iter().enumerate() {
            let own = population * size..(population + 1) * size;
            if replaced {
                alive.extend(own.start as u32..own.end as u32);
                if let Some(rows) = &mut rows {
                    rows[own.clone()].fill(1.0);
                }
                if let Some(logs) = &mut logs {
                    logs[own].fill(0.0);
                }
            } else {
                let lives = |row: &usize| {
                    let from = ancestors[*row] as usize;
                    mask[from / 64] >> (from % 64) & 1 == 1
                };
                alive.extend(own.filter(lives).map(|row| row as u32));
            }
        }
        self.alive = Selection::from_rows(alive, width);
        (self.rows, self.logs) = (rows, logs);
        self.bounds = (old.bounds.0.min(1.0), old.bounds.1.max(1.0));
    }

    /// Counts one more probability density among the factors of the weights of the worlds `rows`.
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

    /// Returns the smallest number of probability densities among the factors of a surviving world's weight, and drops the worlds with more
    /// densities, because worlds with fewer densities are infinitely more probable.
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
        self.drop_rows(more.mask());
        self.densities + if fewest == u32::MAX { 0 } else { fewest }
    }

    fn expand_classes(&mut self) {
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
                self.bounds.0 = self.bounds.0.min(weight.linear);
                self.bounds.1 = self.bounds.1.max(weight.linear);
                for_each_row(&mask, |row| rows[row] = weight.linear);
            } else {
                let logs = self.logs.get_or_insert_with(|| vec![0.0; width]);
                for_each_row(&mask, |row| logs[row] += weight.log);
            }
        }
        self.rows = Some(rows);
    }

    /// Stores the factor of each world's weight as a logarithm.
    fn move_to_logs(&mut self) {
        let Some(rows) = &mut self.rows else { return };
        let width = rows.len();
        let logs = self.logs.get_or_insert_with(|| vec![0.0; width]);
        for (log, row) in logs.iter_mut().zip(rows) {
            *log += row.ln();
            *row = 1.0;
        }
        self.bounds = (1.0, 1.0);
    }
}

fn in_range(x: f64) -> bool {
    (1.0 / LARGE..LARGE).contains(&x)
}

fn gathered<T: Copy>(list: &[T], positions: &[u32]) -> Vec<T> {
    positions.iter().map(|&at| list[at as usize]).collect()
}

pub(super) fn and(a: &[u64], b: &[u64]) -> Vec<u64> {
    a.iter().zip(b).map(|(a, b)| a & b).collect()
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
                // Weights far below the largest weight are rounded to zero.
                let near = expected - top > -700.0;
                assert!(
                    !near || (log - expected).abs() < 1e-9,
                    "{step}: {log} {expected}"
                );
            }
        }
        weights.drop_rows(&[2]);
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
