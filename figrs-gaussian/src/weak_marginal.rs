//! Weak marginals: sums over finite variables of a mixture, replaced by the normal distribution with the same integral, mean and covariance.

use figrs_factor::algebra::log_sum;
use figrs_factor::graph::Assignments;
use nalgebra::{DMatrix, DVector};
use smallvec::SmallVec;

use crate::elimination::strides;
use crate::error::GaussianError;
use crate::hybrid_graph::HybridGraph;
use crate::mixture::Component;
use crate::moments::{Moments, merge, part};
use crate::plan::Step;
use crate::square_root_form::{LN_2_PI, SquareRootForm};

/// The message that an elimination step produces when finite variables are summed out.
#[derive(Debug)]
pub(crate) struct WeakMarginal {
    /// The Gaussian functions before the sum, one for each assignment of the finite variables in the elimination step.
    parts: Vec<SquareRootForm>,
    /// For each assignment of the finite variables in the elimination step, the index of the assignment of the finite variables that remain after the
    /// sum.
    places: Vec<usize>,
    /// The Gaussian functions after the sum, one for each assignment of the remaining finite variables.
    pub(crate) sums: Vec<SquareRootForm>,
    /// Number of real arguments of the Gaussian functions in the messages.
    numbers: usize,
    /// True if the weak marginal is exact: each sum has at most one positive term, or the messages have no real variables.
    pub(crate) is_exact: bool,
}

impl WeakMarginal {
    /// Sums the Gaussian functions `parts`, one for each assignment of the finite variables in the elimination step. A sum of several Gaussian
    /// functions is replaced by the Gaussian function with the same integral, mean and covariance.
    ///
    /// **Errors.** [`GaussianError::Improper`] if the integral of one of the Gaussian functions `parts` is infinite.
    pub(crate) fn new(
        graph: &HybridGraph,
        step: &Step,
        parts: Vec<SquareRootForm>,
    ) -> Result<Self, GaussianError> {
        let numbers = step.separator.iter().map(|&r| graph.dimension(r)).sum();
        let places = places(graph, step);
        let mut groups: Vec<Vec<&SquareRootForm>> =
            vec![Vec::new(); graph.finite.dense_size(&step.kept)];
        for (part, &place) in parts.iter().zip(&places) {
            if part.log_scale > f64::NEG_INFINITY {
                groups[place].push(part);
            }
        }
        let improper = || GaussianError::Improper(step.separator[0]);
        let mut sums = Vec::with_capacity(groups.len());
        let mut is_exact = true;
        for group in groups {
            if let [only] = group[..] {
                sums.push(only.clone());
                continue;
            }
            let logs: Option<Vec<f64>> = group.iter().map(|m| m.log_integral()).collect();
            let logs = logs.ok_or_else(improper)?;
            let log_total = log_sum(logs.iter().copied());
            if numbers == 0 || group.is_empty() {
                sums.push(SquareRootForm::constant(numbers, log_total));
                continue;
            }
            is_exact = false;
            let all: Vec<usize> = (0..numbers).collect();
            let component = |(message, log): (&&SquareRootForm, f64)| -> Component {
                part(&message.moments(), &all, (log - log_total).exp())
            };
            let moments = merge(group.iter().zip(logs).map(component).collect());
            let sum = moments.and_then(|moments| SquareRootForm::with_moments(&moments, log_total));
            sums.push(sum.ok_or_else(improper)?);
        }
        Ok(Self {
            parts,
            places,
            sums,
            numbers,
            is_exact,
        })
    }

    /// Returns the probability and the moments for each assignment of the finite variables in the elimination step, given the probabilities and the
    /// moments for the assignments of the remaining finite variables.
    ///
    /// The joint distribution is the given distribution of the remaining variables, times the message before the sum, divided by the message after
    /// the sum. If the quotient of the messages gives no distribution, the summed finite variables are treated as independent of the real vectors,
    /// given the remaining finite variables.
    ///
    /// **References.** Lauritzen 1992, section 6 (distribution of evidence).
    pub(crate) fn undone(
        &self,
        shares: &[f64],
        given: &[Option<Moments>],
    ) -> (Vec<f64>, Vec<Option<Moments>>) {
        let mut logs = vec![f64::NEG_INFINITY; self.parts.len()];
        let mut all: Vec<Option<Moments>> = vec![None; self.parts.len()];
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); self.sums.len()];
        for (i, part) in self.parts.iter().enumerate() {
            let is_possible = part.log_scale > f64::NEG_INFINITY && shares[self.places[i]] > 0.0;
            if is_possible {
                members[self.places[i]].push(i);
            }
        }
        for (place, members) in members.iter().enumerate() {
            let Some(given) = &given[place] else { continue };
            let quotients = members.iter().map(|&i| self.quotient(i, given));
            if let Some(quotients) = quotients.collect::<Option<Vec<_>>>() {
                for (&i, (log, moments)) in members.iter().zip(quotients) {
                    (logs[i], all[i]) = (log, Some(moments));
                }
            } else {
                for &i in members {
                    let log = self.parts[i].log_integral();
                    (logs[i], all[i]) = (log.unwrap_or_default(), Some(given.clone()));
                }
            }
        }
        let mut found = vec![0.0; self.parts.len()];
        for (place, members) in members.iter().enumerate() {
            let own: Vec<f64> = members.iter().map(|&i| logs[i]).collect();
            let log_total = log_sum(own.iter().copied());
            for &i in members {
                found[i] = shares[place] * (logs[i] - log_total).exp();
            }
        }
        (found, all)
    }

    /// Returns the natural logarithm of the integral, and the moments, of a normal distribution times the message with the index `part`, divided by
    /// the sum that contains this message; `None` if the quotient is no distribution.
    fn quotient(&self, part: usize, given: &Moments) -> Option<(f64, Moments)> {
        let n = self.numbers;
        let (part, sum) = (&self.parts[part], &self.sums[self.places[part]]);
        let log = part.log_scale - sum.log_scale;
        if n == 0 || part.entries == sum.entries {
            return Some((log, given.clone()));
        }
        let all: Vec<usize> = (0..n).collect();
        let (mean, covariance) = given.of(&all);
        let lower = covariance.cholesky()?;
        // The quotient is computed in coordinates in which the given distribution is standard normal.
        let root = lower.l();
        let (own, own_target) = part.seen_from(&mean, &root);
        let (all, all_target) = sum.seen_from(&mean, &root);
        let precision = DMatrix::identity(n, n) + own.tr_mul(&own) - all.tr_mul(&all);
        let shift = own.tr_mul(&own_target) - all.tr_mul(&all_target);
        let precision = precision.cholesky()?;
        let moved = precision.solve(&shift);
        let half_log_determinant: f64 = precision.l_dirty().diagonal().iter().map(|x| x.ln()).sum();
        let squares = all_target.norm_squared() - own_target.norm_squared() + shift.dot(&moved);
        let log = log + 0.5 * squares - half_log_determinant;
        let inverse = precision.inverse();
        let covariance = &root * inverse * root.transpose();
        let moments = Moments::new(&(mean + &root * moved), &covariance);
        log.is_finite().then_some((log, moments))
    }
}

impl SquareRootForm {
    /// Returns the natural logarithm of the integral of this Gaussian function, whose matrix must be triangular; `None` if the integral is infinite.
    fn log_integral(&self) -> Option<f64> {
        let numbers = self.dimension;
        let (rows, added) = self.rows();
        if rows.len() != numbers || added != numbers {
            return None;
        }
        let diagonal = rows.enumerate().map(|(i, row)| row[i].abs().ln());
        Some(self.log_scale + 0.5 * numbers as f64 * LN_2_PI - diagonal.sum::<f64>())
    }

    /// Returns the mean and the covariance of the normal distribution proportional to this Gaussian function, whose matrix must be triangular.
    fn moments(&self) -> Moments {
        Moments::none().extended(&[], (&self.entries, self.dimension), &mut Vec::new())
    }

    /// Returns the Gaussian function with the moments `moments` and the integral `exp(log_total)`; `None` if the covariance is singular.
    fn with_moments(moments: &Moments, log_total: f64) -> Option<Self> {
        let n = moments.numbers();
        let (mean, covariance) = moments.of(&(0..n).collect::<Vec<_>>());
        let lower = covariance.cholesky()?.unpack();
        let log_deviations: f64 = lower.diagonal().iter().map(|x| x.ln()).sum();
        let mut matrix = DMatrix::identity(n, n + 1);
        matrix.set_column(n, &mean);
        lower.solve_lower_triangular_mut(&mut matrix);
        Some(Self {
            dimension: n,
            entries: SmallVec::from_slice(matrix.transpose().as_slice()),
            subtracted: 0,
            log_scale: log_total - 0.5 * n as f64 * LN_2_PI - log_deviations,
        })
    }

    /// Returns the coefficients and the targets (right-hand sides) of the Gaussian function after the substitution of `mean + root z` for its
    /// argument, as a function of `z`.
    fn seen_from(&self, mean: &DVector<f64>, root: &DMatrix<f64>) -> (DMatrix<f64>, DVector<f64>) {
        let width = self.dimension + 1;
        let all = DMatrix::from_row_slice(self.rows().0.len(), width, &self.entries);
        let factor = all.columns(0, mean.len());
        let target = all.column(mean.len()) - factor * mean;
        (factor * root, target)
    }
}

/// For each assignment of the finite variables of the elimination step `step`, returns the index of the assignment of the variables that the step
/// keeps.
fn places(graph: &HybridGraph, step: &Step) -> Vec<usize> {
    let strides = strides(graph, &step.finite, &step.kept);
    let all = Assignments::rows(step.finite.iter().map(|&v| graph.finite.cardinality(v)));
    let mut values = vec![0; step.finite.len()];
    let mut places = Vec::with_capacity(all.count());
    loop {
        let terms = strides.iter().zip(&values);
        places.push(terms.map(|(s, &value)| s * value as usize).sum());
        if all.advance(&mut values).is_none() {
            return places;
        }
    }
}
