//! Sufficient statistics of normal variables that read learned parameters, and the weighted least squares that maximise the likelihood of the
//! parameters.

use figrs_core::expand::LearnedParameters;
use figrs_core::internals::LearnedPrior;
use figrs_core::{Likelihood, Term};

use super::pivoted_cholesky::PivotedCholesky;
use figrs_answer::error::Error;

/// Ratio of a coefficient's pivot in the normal equations to the diagonal entry, below which the coefficient counts as undetermined.
const UNDETERMINED: f64 = 1e-12;
/// Ratio of a sum of squared residuals to the magnitude of its terms, below which the sum counts as zero.
const NO_RESIDUAL: f64 = 1e-13;

/// A normal variable whose mean or spread (variance or precision) reads learned parameters.
///
/// The statistics of the normal variable are the expected products of all pairs of the numbers 1, x - c, y - d, ..: the value of the variable and the
/// values of the real variables in its mean, each minus a fixed centre. The centres reduce the rounding errors of residuals that are small compared
/// with the values.
#[derive(Clone, Debug)]
pub(super) struct NormalReader {
    pub(super) mean: Vec<MeanTerm>,
    pub(super) spread: NormalSpread,
    /// The centre of the normal variable's value, and the centre of each real variable in its mean.
    pub(super) centres: Vec<f64>,
}

/// A term of a mean: a coefficient times a learned parameter times a real variable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct MeanTerm {
    pub(super) coefficient: f64,
    /// The index of the parameter in the term; `None` if the term has no parameter.
    pub(super) parameter: Option<usize>,
    /// The index of the term's real variable among the real variables in the mean; `None` if the term has no real variable.
    pub(super) real: Option<usize>,
}

/// The variance or the precision of a normal variable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum NormalSpread {
    /// The variance is a known number.
    Variance(f64),
    /// The variance is a learned parameter, given by its index.
    LearnedVariance(usize),
    /// The precision is a learned parameter, given by its index.
    LearnedPrecision(usize),
}

impl NormalReader {
    /// Returns the number of centred numbers (values minus their centres), including the number 1.
    fn size(&self) -> usize {
        self.centres.len() + 1
    }

    fn count(&self) -> usize {
        self.size() * (self.size() + 1) / 2
    }

    /// Adds to `sums` the expected product of each pair of centred numbers, given the means and the covariances of the variable's value and of the
    /// real variables in its mean.
    pub(super) fn add(
        &self,
        weight: f64,
        (mean, covariance): (&[f64], impl Fn(usize, usize) -> f64),
        sums: &mut [f64],
    ) {
        let off = |i: usize| match i {
            0 => 1.0,
            i => mean[i - 1] - self.centres[i - 1],
        };
        let mut sums = sums.iter_mut();
        for i in 0..self.size() {
            for (j, sum) in (i..self.size()).zip(&mut sums) {
                let together = if i == 0 {
                    0.0
                } else {
                    covariance(i - 1, j - 1)
                };
                *sum += weight * (off(i) * off(j) + together);
            }
        }
    }

    /// Returns the factor of a parameter in the mean as a linear function of the centred numbers (values minus their centres). For `None` instead of
    /// a parameter, returns the value of the normal variable minus the terms of the mean without a parameter.
    fn function(&self, parameter: Option<usize>) -> Vec<f64> {
        let mut function = vec![0.0; self.size()];
        let sign = if parameter.is_none() {
            function[1] = 1.0;
            function[0] = self.centres[0];
            -1.0
        } else {
            1.0
        };
        for term in self.mean.iter().filter(|term| term.parameter == parameter) {
            let coefficient = sign * term.coefficient;
            match term.real {
                None => function[0] += coefficient,
                Some(real) => {
                    function[real + 2] += coefficient;
                    function[0] += coefficient * self.centres[real + 1];
                }
            }
        }
        function
    }

    /// Returns the expected product of the linear functions `a` and `b` of the centred numbers (values minus their centres).
    fn product(&self, a: &[f64], b: &[f64], sums: &[f64]) -> f64 {
        let mut sums = sums.iter();
        let mut total = 0.0;
        for i in 0..self.size() {
            for (j, sum) in (i..self.size()).zip(&mut sums) {
                let factor = if i == j {
                    a[i] * b[i]
                } else {
                    a[i] * b[j] + a[j] * b[i]
                };
                if factor != 0.0 {
                    total += factor * sum;
                }
            }
        }
        total
    }

    /// Returns the expected sum of squared residuals of the normal variable at the present values of the parameters.
    fn squares(&self, learned: &LearnedParameters, sums: &[f64]) -> f64 {
        let mut residual = self.function(None);
        let mut scale = self.product(&residual, &residual, sums).abs();
        for parameter in self.parameters() {
            let value = learned.at(parameter).params[0].get();
            let own = self.function(Some(parameter));
            scale += value * value * self.product(&own, &own, sums).abs();
            for (sum, x) in residual.iter_mut().zip(own) {
                *sum -= value * x;
            }
        }
        let squares = self.product(&residual, &residual, sums);
        // A sum that consists only of rounding errors counts as zero.
        if squares > NO_RESIDUAL * scale {
            squares
        } else {
            0.0
        }
    }

    fn parameters(&self) -> Vec<usize> {
        let mut all: Vec<usize> = self.mean.iter().filter_map(|term| term.parameter).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    fn precision(&self, learned: &LearnedParameters) -> f64 {
        let value = |parameter: usize| learned.at(parameter).params[0].get();
        match self.spread {
            NormalSpread::Variance(variance) => 1.0 / variance,
            NormalSpread::LearnedVariance(parameter) => 1.0 / value(parameter),
            NormalSpread::LearnedPrecision(parameter) => value(parameter),
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct NormalSums {
    readers: Vec<(NormalReader, usize)>,
    /// For each learned parameter, true if the mean of some normal variable reads the parameter.
    in_means: Vec<bool>,
}

impl NormalSums {
    /// Creates the statistics of the normal variables `readers`; the first statistic has the index `first` among all expected counts.
    pub(super) fn new(readers: Vec<NormalReader>, parameters: usize, first: usize) -> Self {
        let mut in_means = vec![false; parameters];
        let mut next = first;
        let mut placed = Vec::with_capacity(readers.len());
        for reader in readers {
            for parameter in reader.parameters() {
                in_means[parameter] = true;
            }
            let count = reader.count();
            placed.push((reader, next));
            next += count;
        }
        Self {
            readers: placed,
            in_means,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.readers.iter().map(|(reader, _)| reader.count()).sum()
    }

    pub(super) fn reader(&self, reader: usize) -> &NormalReader {
        &self.readers[reader].0
    }

    /// Returns the part of `counts` with the statistics of the normal variable of index `reader`.
    pub(super) fn of_reader<'c>(&self, reader: usize, counts: &'c mut [f64]) -> &'c mut [f64] {
        let (own, first) = &self.readers[reader];
        &mut counts[*first..*first + own.count()]
    }

    pub(super) fn is_coefficient(&self, parameter: usize) -> bool {
        self.in_means.get(parameter) == Some(&true)
    }

    fn sums<'c>(&self, counts: &'c [f64]) -> impl Iterator<Item = (&NormalReader, &'c [f64])> {
        let readers = self.readers.iter();
        readers.map(|(reader, first)| (reader, &counts[*first..*first + reader.count()]))
    }

    /// Adds to `likelihood` the expected log-likelihood as a function of `parameter`, while the other parameters have their present values.
    pub(super) fn add_to(
        &self,
        (parameter, likelihood): (usize, &mut Likelihood),
        learned: &LearnedParameters,
        counts: &[f64],
    ) {
        for (reader, sums) in self.sums(counts) {
            if reader.parameters().contains(&parameter) {
                let precision = reader.precision(learned);
                let own = reader.function(Some(parameter));
                let mut rest = reader.function(None);
                for other in reader.parameters().into_iter().filter(|&p| p != parameter) {
                    let value = learned.at(other).params[0].get();
                    for (sum, x) in rest.iter_mut().zip(reader.function(Some(other))) {
                        *sum -= value * x;
                    }
                }
                let linear = precision * reader.product(&own, &rest, sums);
                let square = -0.5 * precision * reader.product(&own, &own, sums);
                likelihood.add(Term::Linear, linear);
                likelihood.add(Term::Square, square);
            }
            match reader.spread {
                NormalSpread::LearnedVariance(own) if own == parameter => {
                    likelihood.add(Term::Log, -0.5 * sums[0]);
                    likelihood.add(Term::Inverse, -0.5 * reader.squares(learned, sums));
                }
                NormalSpread::LearnedPrecision(own) if own == parameter => {
                    likelihood.add(Term::Log, 0.5 * sums[0]);
                    likelihood.add(Term::Linear, -0.5 * reader.squares(learned, sums));
                }
                _ => {}
            }
        }
    }

    /// Sets all coefficients of means to the values that together maximise the expected log-likelihood, while the variances and precisions keep their
    /// present values. The new coefficients are the solution of the normal equations of weighted least squares. A coefficient on which no statistic
    /// depends stays unchanged.
    ///
    /// **Errors.** [`Error::NoMaximum`] if the normal equations are singular.
    pub(super) fn set_coefficients(
        &self,
        learned: &LearnedParameters,
        counts: &[f64],
        with_prior: bool,
    ) -> Result<(), Error> {
        let all: Vec<usize> = (0..self.in_means.len())
            .filter(|&parameter| self.in_means[parameter])
            .collect();
        if all.is_empty() {
            return Ok(());
        }
        let mut matrix = vec![vec![0.0; all.len()]; all.len()];
        let mut right = vec![0.0; all.len()];
        let place = |parameter: &usize| all.binary_search(parameter).unwrap_or_default();
        for (reader, sums) in self.sums(counts) {
            let precision = reader.precision(learned);
            let rest = reader.function(None);
            let own = reader.parameters().into_iter();
            let own: Vec<(usize, Vec<f64>)> = own
                .map(|parameter| (place(&parameter), reader.function(Some(parameter))))
                .collect();
            for (i, a) in &own {
                right[*i] += precision * reader.product(a, &rest, sums);
                for (j, b) in &own {
                    matrix[*i][*j] += precision * reader.product(a, b, sums);
                }
            }
        }
        if with_prior {
            for (i, &parameter) in all.iter().enumerate() {
                if let LearnedPrior::Normal { mean, deviation } = learned.at(parameter).prior() {
                    matrix[i][i] += deviation.powi(-2);
                    right[i] += mean * deviation.powi(-2);
                }
            }
        }
        let read: Vec<usize> = (0..all.len()).filter(|&i| matrix[i][i] > 0.0).collect();
        let roots: Vec<f64> = read.iter().map(|&i| matrix[i][i].sqrt()).collect();
        let scaled = |(&i, root): (&usize, &f64)| {
            let row = read.iter().zip(&roots);
            row.map(|(&j, other)| matrix[i][j] / (root * other))
                .collect()
        };
        let scaled: Vec<Vec<f64>> = read.iter().zip(&roots).map(scaled).collect();
        let cholesky = PivotedCholesky::new(&scaled, UNDETERMINED);
        let dependent = cholesky.dependent(UNDETERMINED.sqrt());
        if let Some(first) = dependent.iter().position(|&dependent| dependent) {
            let parameter = all[read[first]];
            let readers = self.sums(counts);
            let own = readers.filter(|(reader, _)| reader.parameters().contains(&parameter));
            return Err(Error::NoMaximum {
                parameter: learned.at(parameter).element.label(),
                undetermined_cases: Some(own.map(|(_, sums)| sums[0]).sum()),
            });
        }
        let right: Vec<f64> = read
            .iter()
            .zip(&roots)
            .map(|(&i, root)| right[i] / root)
            .collect();
        let solution = cholesky.solve(&right);
        for ((&i, root), x) in read.iter().zip(&roots).zip(solution) {
            learned.at(all[i]).set_numbers(&[x / root]);
        }
        Ok(())
    }
}
