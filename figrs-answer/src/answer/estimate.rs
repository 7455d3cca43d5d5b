//! Estimates: the method that computed the probabilities of a target, and the standard errors of these probabilities.

use std::sync::Arc;

use super::chain_error::{chain_error, chain_samples};
use super::few_hits::{MissedHits, effective_hits, independent_draws, spread_of_stays};
use super::group_error::{effective_groups, group_error, group_samples, value_errors};
use super::marginal::NumericColumns;
use crate::quality::diagnostics::few_groups_factor;

/// Minimum effective sample size at which the standard error is computed from the variance of the samples alone.
pub(crate) const MIN_TRUSTED_ESS: f64 = 10.0;

/// Largest standard error of the probability of an event, if either all or none of the draws of Markov chains belong to the event. For comparison, a
/// probability that is uniformly distributed between zero and one has a standard deviation of 0.29.
const LARGEST_MISSED: f64 = 0.25;

/// The method that computed the probabilities of a target, with the data that determine their standard errors.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Estimate {
    /// The probabilities were computed exactly.
    Exact,
    /// The probabilities are an approximation whose error has no known bound.
    Approximate,
    /// The probabilities are estimated from independent weighted samples.
    Weighted {
        /// For each value, the sum of the squared weights of its samples, divided by the square of the sum of all weights.
        squares: Vec<f64>,
        /// An upper bound of the probability of the values that no sample has ([`unseen_share`]); infinite if there is no bound.
        unseen: f64,
    },
    /// The probabilities are estimated from Markov chains, whose draws are dependent and have equal weight.
    Chains {
        /// For each draw, the index of its value; the draws of one chain are adjacent.
        indices: Arc<[u32]>,
        /// Number of chains, which have equal length.
        chains: usize,
    },
    /// The probabilities are estimated from independent groups of weighted samples; the samples of one group depend on each other.
    Groups {
        /// For each group, the indices of the values of its samples, each with its fraction of the total weight of all groups.
        groups: Vec<Vec<(u32, f64)>>,
        /// An upper bound of the probability of the values that no sample has ([`unseen_share`]); infinite if there is no bound.
        unseen: f64,
    },
}

/// Returns a 95 % upper bound of the posterior probability of an event that occurs in none of `samples` samples; infinity if the bound would not be
/// below one. For `n` samples without the event, the upper bound of the event's probability is `3 / n` times the largest possible weight of a world,
/// divided by the mean weight of a sample.
///
/// `log_maximum` is the logarithm of the largest possible weight of a world, if it is known; `log_mean` is the logarithm of the mean weight of a
/// sample.
///
/// If none of `n` draws from the prior has an event, the prior probability of the event is at most `3 / n` with a confidence of 95 % (the rule of
/// three, Hanley and Lippman-Hand 1983). If none of `n` draws from the prior has an event, the total weight of the worlds in the event is at most
/// `3 / n` times the largest weight of a world, with a confidence of 95 %.
pub fn unseen_share(samples: u64, log_maximum: Option<f64>, log_mean: f64) -> f64 {
    let share = log_maximum.map(|log| 3.0 / samples as f64 * (log - log_mean).exp());
    share.filter(|share| *share < 1.0).unwrap_or(f64::INFINITY)
}

impl Estimate {
    pub(crate) fn quality(
        &self,
        probabilities: &[f64],
        columns: impl FnOnce() -> NumericColumns,
    ) -> Quality {
        let effective_samples = match self {
            Self::Exact => return Quality::Exact,
            Self::Approximate => return Quality::Approximate,
            Self::Weighted { squares, .. } => 1.0 / squares.iter().sum::<f64>(),
            Self::Chains { indices, chains } => chain_samples(&columns(), indices, *chains),
            Self::Groups { groups, .. } => group_samples(groups, probabilities, &columns()),
        };
        Quality::Sampled { effective_samples }
    }

    /// True if no value occurs in two draws of different origin (such as two chains). Two draws have different origins if they are different weighted
    /// samples, if they come from different chains or groups, or if they come from one chain that had another value between the two draws.
    pub(crate) fn never_repeats(&self, probabilities: &[f64]) -> bool {
        let mut seen = vec![false; probabilities.len()];
        let mut is_new = |value: u32| !std::mem::replace(&mut seen[value as usize], true);
        match self {
            Self::Exact | Self::Approximate => false,
            Self::Weighted { squares, .. } => {
                let mut terms = squares.iter().zip(probabilities);
                terms.all(|(square, p)| *square >= p * p * (1.0 - 1e-9))
            }
            Self::Chains { indices, chains } => {
                let length = (indices.len() / chains.max(&1)).max(1);
                let mut stays = indices.chunks(length).flat_map(|chain| {
                    let stays = chain.chunk_by(|a, b| a == b);
                    stays.map(|stay| stay[0])
                });
                stays.all(&mut is_new)
            }
            Self::Groups { groups, .. } => {
                let mut met = groups.iter().flatten();
                met.all(|&(value, _)| is_new(value))
            }
        }
    }

    /// Returns the standard error of the expectation of a function; `numbers[i]` is the function's result for the value with index `i`.
    ///
    /// A probability of zero in the list of probabilities marks a possible value that no sample has. The standard error replaces the probability of a
    /// value without samples by its upper bound, because the samples may have missed the value.
    #[doc(hidden)]
    pub fn standard_error(&self, probabilities: &[f64], numbers: &[f64]) -> f64 {
        let sampled = self.sampled_error(probabilities, numbers);
        let Some(unseen) = self.unseen() else {
            return sampled;
        };
        let mean = mean(probabilities, numbers);
        let missed = probabilities.iter().zip(numbers);
        let missed = missed.filter(|(p, _)| **p == 0.0);
        let farthest = missed.map(|(_, x)| (x - mean).abs()).fold(0.0, f64::max);
        if farthest > 0.0 {
            sampled.hypot(unseen * farthest)
        } else {
            sampled
        }
    }

    pub(crate) fn unseen(&self) -> Option<f64> {
        match self {
            Self::Weighted { unseen, .. } | Self::Groups { unseen, .. } => Some(*unseen),
            Self::Exact | Self::Approximate | Self::Chains { .. } => None,
        }
    }

    /// Returns the degrees of freedom of standard errors that come from independent groups of samples: the effective number of groups minus one. The
    /// standard errors already include the [`few_groups_factor`] for the returned degrees of freedom.
    #[doc(hidden)]
    pub fn degrees_of_freedom(&self) -> Option<f64> {
        match self {
            Self::Groups { groups, .. } => Some(effective_groups(groups) - 1.0),
            _ => None,
        }
    }

    /// Returns the effective number of draws that belong to an event, or to its complement if fewer draws belong to the complement. The effective
    /// number of draws in an event is computed from the variance of the samples.
    pub(crate) fn hits(&self, probabilities: &[f64], indicator: &[f64]) -> f64 {
        let p = mean(probabilities, indicator);
        effective_hits(p, self.sampled_error(probabilities, indicator))
    }

    /// Returns the indices of the values whose probability is at most one half and may be underestimated, because the samples may have missed worlds
    /// of larger weight than the standard error allows for.
    pub(crate) fn may_miss_heavier(
        &self,
        probabilities: &[f64],
        columns: impl FnOnce() -> NumericColumns,
    ) -> Vec<usize> {
        let Some(caution) = self.caution(self.quality(probabilities, columns)) else {
            return Vec::new();
        };
        let mut indicator = vec![0.0; probabilities.len()];
        let mut may_be_heavier = |value: usize| {
            indicator[value] = 1.0;
            let sampled = self.sampled_error(probabilities, &indicator);
            indicator[value] = 0.0;
            caution.hits.may_be_heavier(sampled, probabilities[value])
        };
        let values = 0..probabilities.len();
        let rare = values.filter(|&value| probabilities[value] <= 0.5);
        rare.filter(|&value| may_be_heavier(value)).collect()
    }

    /// Returns the standard error of the mean of `numbers` from the variance of the samples; zero if all samples have the same number.
    fn sampled_error(&self, probabilities: &[f64], numbers: &[f64]) -> f64 {
        let mean = mean(probabilities, numbers);
        let error = match self {
            Self::Exact => return 0.0,
            Self::Approximate => return f64::NAN,
            Self::Chains { indices, chains } => return chain_error(numbers, indices, *chains),
            // A single sample says nothing about the variance.
            Self::Weighted { squares, .. } if squares.iter().sum::<f64>() > 0.5 => f64::INFINITY,
            Self::Weighted { squares, .. } => {
                let terms = squares.iter().zip(numbers);
                // A value that no sample has may be an infinite number.
                let terms = terms.filter(|(s, _)| **s > 0.0);
                let variance: f64 = terms.map(|(s, x)| s * (x - mean).powi(2)).sum();
                variance.sqrt()
            }
            Self::Groups { groups, .. } => {
                group_error(groups, numbers, mean)
                    * few_groups_factor(effective_groups(groups) - 1.0)
            }
        };
        if error.is_infinite() {
            return error;
        }
        let drawn = probabilities.iter().zip(numbers);
        let drawn = drawn.filter(|(p, _)| **p > 0.0).map(|(_, x)| *x);
        let (least, most) = drawn.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| {
            (a.min(x), b.max(x))
        });
        if least == most { 0.0 } else { error }
    }

    /// Returns the standard error of the probability of an event; `indicator[i]` is one if the value with index `i` belongs to the event,
    /// and otherwise zero.
    ///
    /// The variance of the samples is uninformative if all samples belong to the event, if none of them does, or if the effective sample size is
    /// below ten. If the variance of the samples is uninformative, the standard error is at least the error with one more sample in the event and one
    /// more sample in its complement. If all samples or no samples belong to the event, the standard error is also at least the upper bound of the
    /// probability of unseen values. If few samples belong to the event or to its complement, the standard error allows for a few missed samples with
    /// the largest known weight ([`MissedHits`]).
    pub(crate) fn event_error(
        &self,
        probabilities: &[f64],
        indicator: &[f64],
        columns: impl FnOnce() -> NumericColumns,
    ) -> f64 {
        let quality = self.quality(probabilities, columns);
        self.event_error_knowing(probabilities, indicator, quality)
    }

    /// Returns the standard error of the probability of an event as [`event_error`](Self::event_error) does, given the quality of the probabilities.
    #[doc(hidden)]
    pub fn event_error_knowing(
        &self,
        probabilities: &[f64],
        indicator: &[f64],
        quality: Quality,
    ) -> f64 {
        let sampled = self.sampled_error(probabilities, indicator);
        let p = mean(probabilities, indicator);
        match self.caution(quality) {
            Some(caution) => self.cautious(sampled, (p, indicator), caution),
            None => sampled,
        }
    }

    /// Returns, for each value, the standard error of its probability, as [`event_error`](Self::event_error) computes it.
    pub(crate) fn value_errors(
        &self,
        probabilities: &[f64],
        columns: impl FnOnce() -> NumericColumns,
    ) -> Vec<f64> {
        let mut errors = match self {
            Self::Exact => vec![0.0; probabilities.len()],
            Self::Approximate => vec![f64::NAN; probabilities.len()],
            Self::Weighted { squares, .. } => {
                let all: f64 = squares.iter().sum();
                // A single sample says nothing about the variance.
                if all > 0.5 {
                    vec![f64::INFINITY; probabilities.len()]
                } else {
                    let terms = probabilities.iter().zip(squares);
                    let variance = |(p, s): (&f64, &f64)| {
                        s * (1.0 - p).powi(2) + (all - s).max(0.0) * p.powi(2)
                    };
                    terms.map(|term| variance(term).sqrt()).collect()
                }
            }
            Self::Chains { indices, chains } => {
                let mut indicator = vec![0.0; probabilities.len()];
                let error = |value| {
                    indicator[value] = 1.0;
                    let error = chain_error(&indicator, indices, *chains);
                    indicator[value] = 0.0;
                    error
                };
                (0..probabilities.len()).map(error).collect()
            }
            Self::Groups { groups, .. } => {
                let factor = few_groups_factor(effective_groups(groups) - 1.0);
                let errors = value_errors(groups, probabilities).into_iter();
                errors.map(|error| error * factor).collect()
            }
        };
        let quality = self.quality(probabilities, columns);
        let Some(caution) = self.caution(quality) else {
            return errors;
        };
        let mut indicator = vec![0.0; probabilities.len()];
        let drawn = probabilities.iter().filter(|p| **p > 0.0).count();
        for (value, (error, &p)) in errors.iter_mut().zip(probabilities).enumerate() {
            // The value occurs either in all samples or in none.
            if error.is_finite() && (p == 0.0 || drawn == 1) {
                *error = 0.0;
            }
            indicator[value] = 1.0;
            *error = self.cautious(*error, (p, &indicator), caution);
            indicator[value] = 0.0;
        }
        errors
    }

    fn caution(&self, quality: Quality) -> Option<Caution> {
        let Quality::Sampled { effective_samples } = quality else {
            return None;
        };
        let (missed, samples) = match self {
            Self::Exact | Self::Approximate => return None,
            Self::Weighted { unseen, .. } => (*unseen, effective_samples),
            // The variance between groups says nothing about the weights of single particles. The weight of a particle is therefore never treated as
            // small.
            Self::Groups { unseen, .. } => (unseen.max(3.0 / effective_samples), f64::INFINITY),
            Self::Chains { indices, chains } => {
                let draws = independent_draws(indices, *chains, effective_samples);
                ((3.0 / draws).min(LARGEST_MISSED), effective_samples)
            }
        };
        let are_stays = matches!(self, Self::Chains { .. });
        // If the weight of a sample has no known bound, the weights of the observed samples are assumed to be typical. `diagnose` reports this
        // assumption.
        let heaviest = if missed.is_finite() && !are_stays {
            missed / 3.0
        } else {
            0.0
        };
        Some(Caution {
            effective_samples,
            missed,
            hits: MissedHits {
                heaviest,
                samples,
                are_stays,
            },
        })
    }

    /// Returns the standard error of the probability `p` of an event, which is larger than `sampled` if samples may have missed the event. `sampled`
    /// is the standard error according to the variance of the samples.
    fn cautious(&self, sampled: f64, (p, indicator): (f64, &[f64]), caution: Caution) -> f64 {
        let n = caution.effective_samples + 2.0;
        let share = (p * caution.effective_samples + 1.0) / n;
        let agreement = (share * (1.0 - share) / n).sqrt();
        if sampled == 0.0 {
            return agreement.max(caution.missed);
        }
        if !sampled.is_finite() {
            return agreement;
        }
        let spread = match self {
            Self::Chains { indices, chains } => {
                spread_of_stays(sampled, p, indicator, (indices, *chains))
            }
            _ => sampled,
        };
        let error = caution.hits.error(spread, p);
        if caution.effective_samples < MIN_TRUSTED_ESS {
            error.max(agreement)
        } else {
            error
        }
    }
}

/// Limits on the probability and on the weights of events that samples may have missed.
#[derive(Clone, Copy, Debug)]
struct Caution {
    effective_samples: f64,
    /// The 95 % upper bound of the probability of an event that no sample has; infinite if there is no bound.
    missed: f64,
    hits: MissedHits,
}

/// Returns the expectation of a function over the values of positive probability. A value of probability zero is left out, because the function may
/// be infinite at such a value.
fn mean(probabilities: &[f64], numbers: &[f64]) -> f64 {
    let drawn = probabilities.iter().zip(numbers);
    let drawn = drawn.filter(|(p, _)| **p > 0.0);
    drawn.map(|(p, x)| p * x).sum()
}

#[cfg(test)]
mod tests;

/// The quality of a probability or of an expectation.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Quality {
    /// The probability or expectation is exact up to rounding.
    Exact,
    /// The probability or expectation is estimated from samples.
    Sampled {
        /// The effective sample size: the number of independent draws from the posterior whose mean has the same variance as the estimate. For
        /// independent weighted samples, the effective sample size is `(Σw)² / Σw²`. For Markov chains, the effective sample size is computed from
        /// autocorrelations, and is the smallest size over the components of numeric values and the indicators of frequent values. For independent
        /// groups, the effective sample size is computed from the variance between groups. The effective sample size is usually below the number of
        /// particles, because the particles of one population descend from few ancestors. If the populations agree by chance, the effective sample
        /// size may exceed the number of particles.
        effective_samples: f64,
    },
    /// The probability or expectation is an approximation whose error has no known bound, such as a result of loopy belief propagation.
    Approximate,
    /// The probability or expectation is known only by bounds, which are correct up to rounding.
    Bounds {
        /// Maximum width of the bounds over all events.
        width: f64,
    },
}
