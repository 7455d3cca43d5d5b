//! Expected log-likelihoods of parameters, stored as the coefficients of their terms.

use std::ops::Range;

use figrs_core::expand::{LearnedParameter, LearnedParameters};
use figrs_core::{Likelihood, Term};

/// For each parameter, the range of its coefficients in one list of all coefficients.
#[derive(Clone, Debug)]
pub(super) struct TermSums {
    ranges: Vec<Range<usize>>,
}

/// Returns the number of coefficients in the log-likelihood of `learned`: one for each term, or one for each number if the parameter is a list.
fn coefficients(learned: &LearnedParameter) -> usize {
    match learned.prior().terms() {
        [Term::LogOfEach] => learned.params.len(),
        terms => terms.len(),
    }
}

impl TermSums {
    pub(super) fn new(learned: &LearnedParameters) -> Self {
        let mut end = 0;
        let range = |learned| {
            let start = end;
            end += coefficients(learned);
            start..end
        };
        Self {
            ranges: learned.iter().map(range).collect(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.ranges.last().map_or(0, |last| last.end)
    }

    /// Multiplies the coefficients of `likelihood` by `times`, and adds them to the coefficients of `parameter` in `sums`.
    pub(super) fn add(
        &self,
        (parameter, likelihood): (usize, &Likelihood),
        learned: &LearnedParameter,
        times: f64,
        sums: &mut [f64],
    ) {
        let sums = &mut sums[self.ranges[parameter].clone()];
        match learned.prior().terms() {
            [Term::LogOfEach] => {
                for (i, sum) in sums.iter_mut().enumerate() {
                    *sum += times * likelihood.log_of(i);
                }
            }
            terms => {
                for (sum, &term) in sums.iter_mut().zip(terms) {
                    *sum += times * likelihood.get(term);
                }
            }
        }
    }

    /// Adds to `likelihood` the log-likelihood of `parameter`, whose coefficients are in `sums`.
    pub(super) fn add_to(
        &self,
        (parameter, likelihood): (usize, &mut Likelihood),
        learned: &LearnedParameter,
        sums: &[f64],
    ) {
        let sums = &sums[self.ranges[parameter].clone()];
        match learned.prior().terms() {
            [Term::LogOfEach] => {
                for (i, &sum) in sums.iter().enumerate() {
                    likelihood.add_log_of(i, sum);
                }
            }
            terms => {
                for (&sum, &term) in sums.iter().zip(terms) {
                    likelihood.add(term, sum);
                }
            }
        }
    }
}
