//! Lists of non-negative numbers of any magnitude.

use std::sync::Arc;

/// A list of non-negative weights that is cheap to clone, and in which no positive weight is rounded to zero.
///
/// Entry `i` is the weight `linear[i] * exp(log_scale)`; if necessary, `linear` is scaled so that its largest entry is one. If the ratio of two
/// positive weights exceeds the range of `f64`, algorithms must use the field `logs` of the list, which then holds the natural logarithms of all
/// weights (including the scale).
///
/// A weight that is a parametric probability has an origin: the index of its outcome in the list of all outcomes whose probabilities are
/// parameters.
#[derive(Clone, Debug, Default)]
pub struct Weights {
    linear: Arc<Vec<f64>>,
    log_scale: f64,
    logs: Option<Arc<Vec<f64>>>,
    origins: Option<Arc<Vec<u32>>>,
}

impl Weights {
    /// Value that marks a weight in a list of origins that is not the probability of a parametric outcome.
    pub const NO_ORIGIN: u32 = u32::MAX;

    /// Creates weights from ordinary numbers; a zero must be exact, not a positive number that underflowed.
    pub fn from_linear(linear: Vec<f64>) -> Self {
        Self {
            linear: Arc::new(linear),
            ..Self::default()
        }
    }

    /// Creates weights from their natural logarithms; `f64::NEG_INFINITY` stands for weight zero.
    pub fn from_logs(logs: Vec<f64>) -> Self {
        let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if largest == f64::NEG_INFINITY {
            return Self::from_linear(vec![0.0; logs.len()]);
        }
        Self::scaled(logs, largest)
    }

    /// Creates weights with `log_scale` zero from the natural logarithms of weights of at most one.
    pub fn from_log_probabilities(logs: Vec<f64>) -> Self {
        Self::scaled(logs, 0.0)
    }

    fn scaled(logs: Vec<f64>, log_scale: f64) -> Self {
        let linear: Vec<f64> = logs.iter().map(|l| (l - log_scale).exp()).collect();
        let flushed = linear
            .iter()
            .zip(&logs)
            .any(|(&x, &l)| x < f64::MIN_POSITIVE && l > f64::NEG_INFINITY);
        Self {
            linear: Arc::new(linear),
            log_scale,
            logs: flushed.then(|| Arc::new(logs)),
            origins: None,
        }
    }

    /// Sets the origin of each weight: the index of the outcome whose probability is the weight.
    #[must_use]
    pub fn with_origins(self, origins: Vec<u32>) -> Self {
        Self {
            origins: Some(Arc::new(origins)),
            ..self
        }
    }

    /// Returns the origin of each weight (the index of the outcome whose probability is the weight); `None` if no weight has an origin.
    pub fn origins(&self) -> Option<&[u32]> {
        self.origins.as_deref().map(Vec::as_slice)
    }

    /// Copies the weights. A weight for which the function `weight` returns a natural logarithm is replaced by the exponential of that logarithm. The
    /// argument of `weight` is the origin of the weight (the index of its outcome).
    #[must_use]
    pub fn with_log_weights(&self, weight: impl Fn(u32) -> Option<f64>) -> Self {
        let Some(origins) = self.origins.as_deref() else {
            return self.clone();
        };
        let log = |(i, &origin): (usize, &u32)| match origin {
            Self::NO_ORIGIN => self.log(i),
            origin => weight(origin).unwrap_or_else(|| self.log(i)),
        };
        let logs: Vec<f64> = origins.iter().enumerate().map(log).collect();
        let linear: Vec<f64> = logs.iter().map(|log| log.exp()).collect();
        let is_plain = |(x, log): (&f64, &f64)| x.is_normal() || *log == f64::NEG_INFINITY;
        let plain = linear.iter().zip(&logs).all(is_plain);
        Self {
            origins: self.origins.clone(),
            ..if plain {
                Self::from_linear(linear)
            } else {
                Self::from_logs(logs)
            }
        }
    }

    /// Returns the number of weights.
    pub fn len(&self) -> usize {
        self.linear.len()
    }

    /// Returns the memory of the weights in bytes.
    pub fn bytes(&self) -> usize {
        let logs = self.logs.as_ref().map_or(0, |logs| logs.len());
        let origins = self.origins.as_ref().map_or(0, |origins| origins.len());
        (self.len() + logs) * size_of::<f64>() + origins * size_of::<u32>()
    }

    /// True if there are no weights.
    pub fn is_empty(&self) -> bool {
        self.linear.is_empty()
    }

    /// Returns the weights divided by `exp(log_scale)`.
    pub fn linear(&self) -> &[f64] {
        &self.linear
    }

    /// Returns the natural logarithm of the common scale of the weights.
    pub fn log_scale(&self) -> f64 {
        self.log_scale
    }

    /// True if some positive weight is stored as zero in the list `linear`, because it underflowed when the largest weight was scaled to one.
    pub fn is_flushed(&self) -> bool {
        self.logs.is_some()
    }

    /// Returns the weights with the indices `positions` as a new list.
    #[must_use]
    pub fn select(&self, positions: &[usize]) -> Self {
        let selected = match &self.logs {
            Some(logs) => Self::from_logs(positions.iter().map(|&i| logs[i]).collect()),
            None => Self {
                linear: Arc::new(positions.iter().map(|&i| self.linear[i]).collect()),
                log_scale: self.log_scale,
                ..Self::default()
            },
        };
        match &self.origins {
            Some(origins) => selected.with_origins(positions.iter().map(|&i| origins[i]).collect()),
            None => selected,
        }
    }

    /// True if all weights are stored as ordinary numbers, without a common scale and without underflow.
    pub fn is_plain(&self) -> bool {
        self.log_scale == 0.0 && self.logs.is_none()
    }

    /// Returns a mutable slice of the weights, which must be plain numbers. If another clone of the list shares the weights, the weights are copied
    /// first.
    pub fn plain_mut(&mut self) -> &mut [f64] {
        let linear: &mut Vec<f64> = Arc::make_mut(&mut self.linear);
        linear
    }

    /// Returns `len` consecutive weights of the list, starting at index `start`.
    pub fn row(&self, start: usize, len: usize) -> WeightSlice<'_> {
        WeightSlice {
            weights: self,
            start,
            len,
        }
    }

    /// Returns the weights with the indices `positions` as a new list, with weight zero for each `None`.
    #[must_use]
    pub fn gather(&self, positions: &[Option<usize>]) -> Self {
        let mut builder = WeightsBuilder::default();
        for position in positions {
            match position {
                Some(i) => builder.extend(self, *i..*i + 1),
                None => builder.push(0.0),
            }
        }
        builder.build()
    }

    /// Returns the natural logarithm of weight `i`, including the scale.
    pub fn log(&self, i: usize) -> f64 {
        match &self.logs {
            Some(logs) => logs[i],
            None => self.linear[i].ln() + self.log_scale,
        }
    }

    /// Returns the number of weights that are zero.
    pub fn count_zeros(&self) -> usize {
        match &self.logs {
            Some(logs) => logs.iter().filter(|log| **log == f64::NEG_INFINITY).count(),
            None => self.linear.iter().filter(|weight| **weight == 0.0).count(),
        }
    }

    /// True if weight `i` is zero; false if the weight is positive but underflowed in the list `linear`.
    pub fn is_zero(&self, i: usize) -> bool {
        match &self.logs {
            Some(logs) => logs[i] == f64::NEG_INFINITY,
            None => self.linear[i] == 0.0,
        }
    }
}

impl From<Vec<f64>> for Weights {
    fn from(linear: Vec<f64>) -> Self {
        Self::from_linear(linear)
    }
}

/// True if the numbers of `row` sum to one, up to rounding errors of the numbers and of their addition.
pub fn sums_to_one(row: &[f64]) -> bool {
    let sum: f64 = row.iter().sum();
    (sum - 1.0).abs() <= row.len() as f64 * f64::EPSILON
}

/// A contiguous part of a list of weights, such as one row of a table.
#[derive(Clone, Copy, Debug)]
pub struct WeightSlice<'a> {
    weights: &'a Weights,
    start: usize,
    len: usize,
}

impl<'a> WeightSlice<'a> {
    /// Returns the weights of this part of a list, divided by the exponential of the list's `log_scale`.
    pub fn linear(self) -> &'a [f64] {
        &self.weights.linear[self.start..][..self.len]
    }

    /// Inverse transform sampling: returns the index that `unit`, a uniform random number in [0, 1), selects from weights that sum to one. An index
    /// with weight zero is never selected.
    pub fn pick(self, unit: f64) -> usize {
        let mut rest = unit;
        let mut chosen = 0;
        for (i, &p) in self.linear().iter().enumerate() {
            if p > 0.0 {
                chosen = i;
                if rest < p {
                    break;
                }
                rest -= p;
            }
        }
        chosen
    }

    /// Returns the natural logarithm of weight `i` of this part of a list, including the scale.
    pub fn log(self, i: usize) -> f64 {
        self.weights.log(self.start + i)
    }

    /// Returns weight `i` of this part of a list; the field `linear` of the result excludes the common scale.
    pub fn weight(self, i: usize) -> WorldWeight {
        let (linear, log) = (self.linear()[i], self.log(i));
        WorldWeight { linear, log }
    }
}

/// A builder of a list of weights. The builder stores plain numbers, and changes to logarithms when it receives a weight out of the range of plain
/// numbers.
#[derive(Debug, Default)]
pub struct WeightsBuilder {
    linear: Vec<f64>,
    logs: Option<Vec<f64>>,
    origins: Option<Vec<u32>>,
}

impl WeightsBuilder {
    /// Returns the number of weights added so far.
    pub fn len(&self) -> usize {
        self.logs.as_ref().unwrap_or(&self.linear).len()
    }

    /// True if no weights have been added.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds `weight`, which is an ordinary number and not a logarithm.
    pub fn push(&mut self, weight: f64) {
        if let Some(origins) = &mut self.origins {
            origins.push(Weights::NO_ORIGIN);
        }
        match &mut self.logs {
            Some(logs) => logs.push(weight.ln()),
            None => self.linear.push(weight),
        }
    }

    /// Adds `weight`, which is an ordinary number and not a logarithm, `times` times.
    pub fn repeat(&mut self, weight: f64, times: usize) {
        for _ in 0..times {
            self.push(weight);
        }
    }

    /// Adds to the new list the weights of `weights` with the indices `range`.
    pub fn extend(&mut self, weights: &Weights, range: std::ops::Range<usize>) {
        if self.origins.is_some() || weights.origins.is_some() {
            let before = self.len();
            let origins = self
                .origins
                .get_or_insert_with(|| vec![Weights::NO_ORIGIN; before]);
            match &weights.origins {
                Some(all) => origins.extend_from_slice(&all[range.clone()]),
                None => origins.resize(before + range.len(), Weights::NO_ORIGIN),
            }
        }
        if self.logs.is_none() && weights.is_plain() {
            self.linear.extend_from_slice(&weights.linear[range]);
            return;
        }
        let linear = &self.linear;
        let logs = || linear.iter().map(|w| w.ln()).collect();
        self.logs
            .get_or_insert_with(logs)
            .extend(range.map(|i| weights.log(i)));
    }

    /// Returns the list of all weights that were added.
    pub fn build(self) -> Weights {
        let weights = match self.logs {
            Some(logs) => Weights::from_logs(logs),
            None => Weights::from_linear(self.linear),
        };
        match self.origins {
            Some(origins) => weights.with_origins(origins),
            None => weights,
        }
    }
}

/// The weight that evidence gives to a world (an assignment of values to all elements), as a number and as a logarithm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorldWeight {
    /// The weight as a plain number; if the number is zero, infinite or NaN, `log` must be used.
    pub linear: f64,
    /// The natural logarithm of the weight; `-inf` if and only if the world contradicts the evidence.
    pub log: f64,
}

impl WorldWeight {
    /// The weight that a model without evidence gives to every world.
    pub const ONE: Self = Self {
        linear: 1.0,
        log: 0.0,
    };

    /// Multiplies this weight by another weight, given as a plain number `linear` and as its natural logarithm `log`.
    pub fn times(&mut self, linear: f64, log: f64) {
        // A subnormal number has lost digits, and a later multiplication by a large factor would make this loss visible.
        let normal_or_zero = |x: f64| if x < f64::MIN_POSITIVE { 0.0 } else { x };
        self.linear = normal_or_zero(self.linear * normal_or_zero(linear));
        self.log += log;
    }

    /// True if the world contradicts the evidence.
    pub fn is_zero(&self) -> bool {
        self.log == f64::NEG_INFINITY
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_ranges_keep_their_logs() {
        let near = Weights::from_logs(vec![-1000.0, -1001.0, f64::NEG_INFINITY]);
        assert!(!near.is_flushed());
        assert_eq!(near.linear()[0], 1.0);
        assert_eq!(near.log(0), -1000.0);
        assert!(near.is_zero(2));
        let far = Weights::from_logs(vec![0.0, -5000.0, f64::NEG_INFINITY]);
        assert!(far.is_flushed());
        assert_eq!(far.log(1), -5000.0);
        assert!(!far.is_zero(1) && far.is_zero(2));
    }
}
