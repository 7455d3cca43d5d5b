//! Terms of decomposable scores: functions of the counts of single cells, functions of the total counts of parent configurations, and a constant of
//! the variable and its parents.

use std::ops::AddAssign;

use statrs::function::gamma::ln_gamma;

use super::NetworkScore;

/// Maximum number of cases for which the term of a score is precomputed.
const MOST_LOOKED_UP: u64 = 1 << 20;

/// Precomputed terms of a score for network structures. The precomputed terms of a score are the same for all variables.
pub(super) struct ScoreTerms {
    score: NetworkScore,
    log_total: f64,
    /// The precomputed term of each count `n`: `n ln n`, or for K2 the logarithm of the factorial of `n`.
    by_count: Vec<f64>,
}

pub(super) struct FamilyTerms<'s> {
    shared: &'s ScoreTerms,
    kind: TermKind,
    /// The term of the score that does not depend on the counts: the negative penalty.
    pub(super) constant: f64,
}

enum TermKind {
    /// Terms of the log-likelihood, which are also part of AIC and BIC.
    Likelihood,
    /// Terms of the K2 score (logarithms of factorials), with the number of the child's states.
    Factorials { states: u64, log_offset: f64 },
    /// Terms of the Dirichlet prior of BDeu: the prior counts of a cell and of a parent configuration, each with the logarithm of its gamma function.
    Dirichlet {
        cell: (f64, f64),
        configuration: (f64, f64),
    },
}

impl ScoreTerms {
    pub(super) fn new(score: NetworkScore, total: u64, most_states: usize) -> Self {
        let most = (total + most_states as u64).min(MOST_LOOKED_UP);
        let by_count = match score {
            NetworkScore::Bdeu { .. } => Vec::new(),
            NetworkScore::K2 => (0..=most).map(|n| ln_gamma(n as f64 + 1.0)).collect(),
            _ => (0..=most).map(n_log_n).collect(),
        };
        Self {
            score,
            log_total: (total.max(1) as f64).ln(),
            by_count,
        }
    }

    /// Returns the score terms of a variable with `states` states whose parents have `configurations` joint states.
    pub(super) fn family(&self, states: usize, configurations: f64) -> FamilyTerms<'_> {
        let parameters = (states as f64 - 1.0) * configurations;
        let kind = match self.score {
            NetworkScore::K2 => TermKind::Factorials {
                states: states as u64,
                log_offset: self.log_factorial(states as u64 - 1),
            },
            NetworkScore::Bdeu {
                equivalent_sample_size,
            } => {
                let configuration = equivalent_sample_size / configurations;
                let cell = configuration / states as f64;
                TermKind::Dirichlet {
                    cell: (cell, ln_gamma(cell)),
                    configuration: (configuration, ln_gamma(configuration)),
                }
            }
            _ => TermKind::Likelihood,
        };
        let constant = match self.score {
            NetworkScore::Bic => -0.5 * self.log_total * parameters,
            NetworkScore::Aic => -parameters,
            _ => 0.0,
        };
        FamilyTerms {
            shared: self,
            kind,
            constant,
        }
    }

    fn log_factorial(&self, n: u64) -> f64 {
        let known = self.by_count.get(n as usize).copied();
        known.unwrap_or_else(|| ln_gamma(n as f64 + 1.0))
    }
}

/// A count of cases: an integer for complete data, and a real number for expected counts.
pub(super) trait CaseCount: Copy + PartialOrd + AddAssign + Default {
    /// Returns `n ln n`, where `n` is this count.
    fn n_log_n(self, shared: &ScoreTerms) -> f64;

    /// Returns the logarithm of the factorial of `n + more`, where `n` is this count.
    fn log_factorial(self, more: u64, shared: &ScoreTerms) -> f64;

    /// Returns the logarithm of `Γ(a + n) / Γ(a)`, where `n` is this count and `prior` holds `a` and the logarithm of `Γ(a)`.
    fn log_rising(self, prior: (f64, f64)) -> f64;
}

impl CaseCount for u64 {
    fn n_log_n(self, shared: &ScoreTerms) -> f64 {
        let known = shared.by_count.get(self as usize).copied();
        known.unwrap_or_else(|| n_log_n(self))
    }

    fn log_factorial(self, more: u64, shared: &ScoreTerms) -> f64 {
        shared.log_factorial(self + more)
    }

    fn log_rising(self, prior: (f64, f64)) -> f64 {
        log_rising(prior, self)
    }
}

impl CaseCount for f64 {
    fn n_log_n(self, _: &ScoreTerms) -> f64 {
        self * self.ln()
    }

    fn log_factorial(self, more: u64, _: &ScoreTerms) -> f64 {
        ln_gamma(self + more as f64 + 1.0)
    }

    fn log_rising(self, (a, log_gamma): (f64, f64)) -> f64 {
        // For numbers above this limit, Stirling's formula is accurate to the last digits.
        const LEAST: f64 = 1e4;
        if a > LEAST {
            return log_rising_of_large(a, self);
        }
        ln_gamma(a + self) - log_gamma
    }
}

impl FamilyTerms<'_> {
    /// Returns the term of the score for one joint state of the parents, given the counts of the child's states. Counts of zero contribute nothing to
    /// a term of the score.
    pub(super) fn configuration<C: CaseCount>(&self, counts: impl Iterator<Item = C>) -> f64 {
        let (mut all, mut sum) = (C::default(), 0.0);
        for count in counts.filter(|count| *count > C::default()) {
            all += count;
            sum += match &self.kind {
                TermKind::Likelihood => count.n_log_n(self.shared),
                TermKind::Factorials { .. } => count.log_factorial(0, self.shared),
                TermKind::Dirichlet { cell, .. } => count.log_rising(*cell),
            };
        }
        if all == C::default() {
            return 0.0;
        }
        sum - match &self.kind {
            TermKind::Likelihood => all.n_log_n(self.shared),
            TermKind::Factorials { states, log_offset } => {
                all.log_factorial(states - 1, self.shared) - log_offset
            }
            TermKind::Dirichlet { configuration, .. } => all.log_rising(*configuration),
        }
    }
}

fn n_log_n(n: u64) -> f64 {
    let n = n.max(1) as f64;
    n * n.ln()
}

/// Limit above which Stirling's formula is used, because the difference of the logarithms of two gamma functions would lose digits.
const LARGE: f64 = 1e6;

/// Returns the logarithm of `Γ(a + n) / Γ(a)` for a large `a`, by Stirling's formula.
fn log_rising_of_large(a: f64, n: f64) -> f64 {
    let correction = (1.0 / (a + n) - 1.0 / a) / 12.0;
    n * a.ln() + (a + n - 0.5) * (n / a).ln_1p() - n + correction
}

/// Returns the logarithm of the product of the `n` numbers from `a` to `a + n - 1`, given `a` and the logarithm of `Γ(a)`.
fn log_rising((a, log_gamma): (f64, f64), n: u64) -> f64 {
    // A product of a few factors is faster and equally accurate.
    const FEW: u64 = 6;
    if a > LARGE {
        return log_rising_of_large(a, n as f64);
    }
    if n <= FEW {
        return (0..n).map(|i| a + i as f64).product::<f64>().ln();
    }
    ln_gamma(a + n as f64) - log_gamma
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rising_factorials_are_sums_of_logarithms() {
        for a in [1e-9, 0.01, 0.5, 3.0, 999_999.0, 1_000_001.0, 1e12] {
            for n in [1, 2, 6, 7, 40, 3000] {
                let sum: f64 = (0..n).map(|i| (a + i as f64).ln()).sum();
                let found = log_rising((a, ln_gamma(a)), n);
                let of_expected = (n as f64).log_rising((a, ln_gamma(a)));
                for found in [found, of_expected] {
                    let error = (found - sum).abs() / sum.abs().max(1.0);
                    assert!(error < 1e-11, "{a} {n}: {found} {sum}");
                }
            }
        }
    }
}
