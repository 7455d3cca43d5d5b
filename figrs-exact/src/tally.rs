//! Sums of weighted worlds by the values of the targets.

use figrs_core::{AnyElement, SupportBuilder};
use figrs_factor::graph::WorldWeight;
use figrs_lower::Program;

use figrs_answer::answer::group_error::ROUNDING;
use figrs_answer::{Estimate, TargetMarginal};

/// Sums of the weights and of the squared weights of worlds, divided by a scale that grows with the largest weight.
#[derive(Clone, Debug)]
pub struct Tally {
    pub targets: Vec<TallyTarget>,
    pub(crate) scale: f64,
    pub total: f64,
    pub squares: f64,
    /// Number of counted worlds, including worlds of weight zero.
    pub worlds: u64,
    /// The smallest number of probability densities in the likelihood of a counted world; worlds with more densities have a negligible weight.
    pub densities: usize,
}

/// The values of a target. For each value of the target, the sums of the weights and of the squared weights of the worlds with this value.
#[derive(Clone, Debug)]
pub struct TallyTarget {
    pub element: AnyElement,
    pub values: SupportBuilder,
    pub sums: Vec<(f64, f64)>,
}

impl Tally {
    pub fn new(targets: &[AnyElement]) -> Self {
        let targets = targets.iter().map(|element| TallyTarget {
            element: element.clone(),
            values: element.no_values(),
            sums: Vec::new(),
        });
        Self {
            targets: targets.collect(),
            scale: 0.0,
            total: 0.0,
            squares: 0.0,
            worlds: 0,
            densities: usize::MAX,
        }
    }

    /// Adds the world that the last run of `program` produced to the sums of weights.
    pub(crate) fn add(&mut self, program: &Program, weight: WorldWeight) {
        self.worlds += 1;
        if weight.is_zero() || program.densities() > self.densities {
            return;
        }
        if program.densities() < self.densities {
            self.reset(program.densities());
        }
        let weight = self.in_units(weight);
        self.total += weight;
        self.squares += weight * weight;
        for (target, &slot) in self.targets.iter_mut().zip(program.targets()) {
            let value = program.value(slot).map(figrs_core::Datum::as_any);
            let Some(index) = value.and_then(|value| target.values.insert(value)) else {
                continue;
            };
            if index == target.sums.len() {
                target.sums.push((0.0, 0.0));
            }
            let sums = &mut target.sums[index];
            sums.0 += weight;
            sums.1 += weight * weight;
        }
    }

    /// Sets all sums to zero, because a world with only `densities` probability densities in its likelihood makes all earlier weights negligible.
    pub fn reset(&mut self, densities: usize) {
        self.densities = densities;
        (self.scale, self.total, self.squares) = (0.0, 0.0, 0.0);
        for target in &mut self.targets {
            target.values = target.element.no_values();
            target.sums.clear();
        }
    }

    /// Returns a weight divided by the scale of the sums. If the weight is too large for the scale, the weight becomes the new scale.
    pub fn in_units(&mut self, weight: WorldWeight) -> f64 {
        const MAX_UNSCALED_WEIGHT: f64 = 1e100;
        /// Smallest weight for which the scale stays one; with this scale, weights down to `1e-300` times the largest weight can be stored.
        const MIN_UNSCALED_WEIGHT: f64 = 1e-4;
        let plain = self.scale == 0.0
            && (MIN_UNSCALED_WEIGHT..MAX_UNSCALED_WEIGHT).contains(&weight.linear);
        if plain {
            return weight.linear;
        }
        let above = weight.log - self.scale;
        if self.total > 0.0 && above <= MAX_UNSCALED_WEIGHT.ln() {
            return above.exp();
        }
        // Before the first weight, the sums are zero, and the change of the scale does not matter.
        let half = if self.total > 0.0 {
            ((self.scale - weight.log) / 2.0).exp()
        } else {
            0.0
        };
        // The factor is applied in two steps, because the whole factor may underflow although a sum is large.
        let shrink = |sum: &mut f64, half: f64| *sum = *sum * half * half;
        self.scale = weight.log;
        shrink(&mut self.total, half);
        shrink(&mut self.squares, half * half);
        for target in &mut self.targets {
            for (weights, squares) in &mut target.sums {
                shrink(weights, half);
                shrink(squares, half * half);
            }
        }
        1.0
    }

    /// Returns the effective sample size of the weights.
    pub fn effective_samples(&self) -> f64 {
        if self.squares > 0.0 {
            self.total * self.total / self.squares
        } else {
            0.0
        }
    }

    /// Returns the targets of the run.
    pub fn elements(&self) -> impl Iterator<Item = &AnyElement> {
        self.targets.iter().map(|target| &target.element)
    }

    /// Returns the number of counted worlds.
    pub fn worlds(&self) -> u64 {
        self.worlds
    }

    /// Returns the logarithm of the sum of the weights of all counted worlds.
    pub fn log_total(&self) -> f64 {
        self.total.ln() + self.scale
    }

    /// Returns the standard error of the mean weight of the worlds, divided by the mean weight. The standard error is infinite if the effective
    /// sample size is below two: one sample then has nearly all of the weight, and the sample variance is meaningless. The standard error of the mean
    /// weight is zero if all weights are equal up to rounding.
    pub fn relative_error(&self) -> f64 {
        if self.total * self.total < 2.0 * self.squares {
            return f64::INFINITY;
        }
        let n = self.worlds as f64;
        let mean = self.total / n;
        let variance = (self.squares / n - mean * mean) * n / (n - 1.0);
        // The difference of sums of squares has a rounding error of some units in the last place.
        if variance <= ROUNDING * mean * mean {
            return 0.0;
        }
        (variance / n).sqrt() / mean
    }

    /// Returns the natural logarithm of the mean weight of the counted worlds.
    pub fn log_mean(&self) -> f64 {
        self.log_total() - (self.worlds as f64).ln()
    }

    /// Returns the exact marginals of the targets; valid only if all worlds of the model were counted.
    pub(crate) fn exact_marginals(self) -> Vec<TargetMarginal> {
        let total = self.total;
        let marginal = |target: TallyTarget| TargetMarginal {
            element: target.element,
            support: target.values.build(),
            probabilities: target.sums.iter().map(|s| s.0 / total).collect(),
            estimate: Estimate::Exact,
        };
        self.targets.into_iter().map(marginal).collect()
    }
}
