//! The weights of the worlds of a block (a batch of worlds that are evaluated together) as plain numbers.

use super::selection::for_each_row;
use super::weights::{BlockWeights, and};
use figrs_factor::graph::WorldWeight;

/// Weights between `1 / FAR` and `FAR` are used as they are, without a common scale factor.
const FAR: f64 = 1e100;
/// Number of weights that are processed in parallel.
const LANES: usize = 8;

/// Weights of worlds as plain numbers, divided by `exp(log_scale)`.
#[derive(Clone, Debug)]
pub struct PlainWeights {
    /// The natural logarithm of the factor by which the weights were divided.
    pub log_scale: f64,
    /// The weights, divided by `exp(log_scale)`.
    pub form: WeightForm,
}

/// Weights of classes of worlds (sets of worlds with equal weights), or of single worlds.
#[derive(Clone, Debug)]
pub enum WeightForm {
    /// Disjoint masks of worlds, each with the weight of its worlds; all other worlds have the weight zero.
    Classes(Vec<(Vec<u64>, f64)>),
    /// The weight of each world.
    Rows(Vec<f64>),
}

/// Weights of worlds as plain numbers; the worlds are divided into populations, which are groups of successive worlds.
#[derive(Clone, Debug, PartialEq)]
pub struct PopulationWeights {
    /// The weight of each world.
    pub weights: Vec<f64>,
    /// For each population, the natural logarithm of the factor by which its weights were divided; `None` if its weights cannot be compared yet.
    pub log_units: Vec<Option<f64>>,
}

impl PlainWeights {
    /// Returns the weight of each of `width` worlds.
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

impl BlockWeights {
    /// Returns the weights of the worlds as plain numbers, which may be divided by the largest weight.
    pub fn plain(&self) -> PlainWeights {
        if let (None, None) = (&self.rows, &self.logs) {
            return self.plain_classes();
        }
        let (weights, log_scale) = if let Some(weights) = self.linear() {
            (weights, 0.0)
        } else {
            let mut logs = self.logarithms();
            let log_scale = exponentiate(&mut logs);
            (logs, log_scale)
        };
        PlainWeights {
            log_scale,
            form: WeightForm::Rows(weights),
        }
    }

    /// Returns the weights of the worlds as plain numbers; each `size` successive worlds are a population. The weights of each population are divided
    /// by a common factor (unit). The logarithm of a population's common factor is `None` if the likelihoods of some of its worlds contain more
    /// densities than those of other worlds. If the likelihoods of worlds contain different numbers of densities, only the worlds with the fewest
    /// densities keep a positive weight, and later evidence decides which worlds these are.
    pub fn of_populations(&self, size: usize) -> PopulationWeights {
        let (weights, mut log_units) = if let Some(weights) = self.linear() {
            let log_units = vec![Some(0.0); weights.len() / size];
            (weights, log_units)
        } else {
            let mut logs = self.logarithms();
            let log_units = logs.chunks_mut(size).map(exponentiate).map(Some).collect();
            (logs, log_units)
        };
        for (population, log_scale) in log_units.iter_mut().enumerate() {
            if self.densities_differ_among(population * size..(population + 1) * size) {
                *log_scale = None;
            }
        }
        PopulationWeights { weights, log_units }
    }

    fn plain_classes(&self) -> PlainWeights {
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
        PlainWeights {
            log_scale,
            form: WeightForm::Classes(classes.collect()),
        }
    }

    /// Returns the weights of the worlds without a common scale factor; `None` if some weights are very large or very small.
    fn linear(&self) -> Option<Vec<f64>> {
        if self.logs.is_some() {
            return None;
        }
        let common = self.common.linear;
        let Some(rows) = &self.rows else {
            let mut weights = vec![0.0; self.alive.width()];
            for (mask, weight) in &self.classes {
                let mut weight = *weight;
                weight.times(common, self.common.log);
                let mask = and(mask, self.alive.mask());
                if mask.iter().any(|&word| word != 0) && !near(weight.linear) {
                    return None;
                }
                for_each_row(&mask, |row| weights[row] = weight.linear);
            }
            return Some(weights);
        };
        let all_near = near(common) && near(self.bounds.0 * common) && near(self.bounds.1 * common);
        let mut weights: Vec<f64> = rows.iter().map(|row| row * common).collect();
        if !all_near {
            let mut plain = true;
            for_each_row(self.alive.mask(), |row| plain &= near(weights[row]));
            if !plain {
                return None;
            }
        }
        self.clear_dead(&mut weights, 0.0);
        Some(weights)
    }

    fn logarithms(&self) -> Vec<f64> {
        let width = self.alive.width();
        let mut logs = self.logs.clone().unwrap_or_else(|| vec![0.0; width]);
        if let Some(rows) = &self.rows {
            if self.bounds != (1.0, 1.0) {
                logs.iter_mut()
                    .zip(rows)
                    .for_each(|(log, row)| *log += row.ln());
            }
        } else {
            for (mask, weight) in self.classes.iter().filter(|(_, w)| w.log != 0.0) {
                for_each_row(mask, |row| logs[row] += weight.log);
            }
        }
        if self.common.log != 0.0 {
            for log in &mut logs {
                *log += self.common.log;
            }
        }
        self.clear_dead(&mut logs, f64::NEG_INFINITY);
        logs
    }

    fn clear_dead(&self, numbers: &mut [f64], dead: f64) {
        if self.alive.is_all() {
            return;
        }
        for (&word, numbers) in self.alive.mask().iter().zip(numbers.chunks_mut(64)) {
            if word != u64::MAX {
                for (row, number) in numbers.iter_mut().enumerate() {
                    *number = if word >> row & 1 == 1 { *number } else { dead };
                }
            }
        }
    }
}

fn near(x: f64) -> bool {
    (1.0 / FAR..FAR).contains(&x)
}

/// Replaces each logarithm by its exponential, divided by the largest of these exponentials. Returns the largest of the given logarithms.
fn exponentiate(logs: &mut [f64]) -> f64 {
    let mut lanes = [f64::NEG_INFINITY; LANES];
    let larger = |lane: &mut f64, log: f64| *lane = if log > *lane { log } else { *lane };
    let (chunks, rest) = logs.as_chunks::<LANES>();
    for chunk in chunks {
        lanes
            .iter_mut()
            .zip(chunk)
            .for_each(|(lane, &log)| larger(lane, log));
    }
    lanes
        .iter_mut()
        .zip(rest)
        .for_each(|(lane, &log)| larger(lane, log));
    let largest = lanes.into_iter().fold(f64::NEG_INFINITY, f64::max);
    let unit = if largest.is_finite() { largest } else { 0.0 };
    for log in logs {
        *log = (*log - unit).exp();
    }
    unit
}
