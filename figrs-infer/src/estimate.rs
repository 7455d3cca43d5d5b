//! Where probabilities come from, and what that tells of their errors.

use std::sync::Arc;

use crate::chain_error::{chain_error, chain_samples};
use crate::group_error::{group_error, group_samples, value_errors};
use crate::marginal::Quality;
use crate::numbers::Columns;

/// Below this many effective samples the spread of the samples does not tell their error.
pub(crate) const TRUSTED_SAMPLES: f64 = 10.0;

/// Where the probabilities of a target come from.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Estimate {
    /// An exact computation.
    Exact,
    /// An approximation whose error nothing bounds.
    Approximate,
    /// Independent weighted samples: for each value the sum of its squared weights over the squared sum of all weights.
    Weighted(Vec<f64>),
    /// Chains of dependent draws of equal weight.
    Chains {
        /// The position of the value of each draw: the draws of one chain stand together.
        indices: Arc<[u32]>,
        /// How many chains of equal length there are.
        chains: usize,
    },
    /// Independent groups, each of dependent weighted samples: for each group its values' shares of the whole weight.
    Groups(Vec<Vec<(u32, f64)>>),
}

impl Estimate {
    /// How far the probabilities can be trusted; `columns` has the values.
    pub(crate) fn quality(
        &self,
        probabilities: &[f64],
        columns: impl FnOnce() -> Columns,
    ) -> Quality {
        let effective_samples = match self {
            Self::Exact => return Quality::Exact,
            Self::Approximate => return Quality::Approximate,
            Self::Weighted(squares) => 1.0 / squares.iter().sum::<f64>(),
            Self::Chains { indices, chains } => chain_samples(&columns(), indices, *chains),
            Self::Groups(groups) => group_samples(groups, probabilities, &columns()),
        };
        Quality::Sampled { effective_samples }
    }

    /// Whether no value was met twice by draws that do not come from one another: not by two weighted samples, not by a chain
    /// that has left it or by two chains, not by two groups.
    pub(crate) fn never_repeats(&self, probabilities: &[f64]) -> bool {
        let mut seen = vec![false; probabilities.len()];
        let mut is_new = |value: u32| !std::mem::replace(&mut seen[value as usize], true);
        match self {
            Self::Exact | Self::Approximate => false,
            // The square of a single weight is the square of the sum.
            Self::Weighted(squares) => {
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
            Self::Groups(groups) => {
                let mut met = groups.iter().flatten();
                met.all(|&(value, _)| is_new(value))
            }
        }
    }

    /// The standard error of the expectation of a function whose value at position `i` is `numbers[i]`.
    pub(crate) fn standard_error(&self, probabilities: &[f64], numbers: &[f64]) -> f64 {
        let mean: f64 = probabilities.iter().zip(numbers).map(|(p, x)| p * x).sum();
        match self {
            Self::Exact => 0.0,
            Self::Approximate => f64::NAN,
            // A single sample has no spread.
            Self::Weighted(squares) if squares.iter().sum::<f64>() > 0.5 => f64::INFINITY,
            Self::Weighted(squares) => {
                let terms = squares.iter().zip(numbers);
                let variance: f64 = terms.map(|(s, x)| s * (x - mean).powi(2)).sum();
                variance.sqrt()
            }
            Self::Chains { indices, chains } => chain_error(numbers, indices, *chains),
            Self::Groups(groups) => group_error(groups, numbers, mean),
        }
    }

    /// The standard error of the probability of an event, whose indicator at position `i` is `indicator[i]`.
    ///
    /// Where the spread of the samples tells nothing (all agree, or they are worth fewer than ten), the error is at
    /// least that of one more success and one more failure among the effective samples.
    pub(crate) fn event_error(
        &self,
        probabilities: &[f64],
        indicator: &[f64],
        columns: impl FnOnce() -> Columns,
    ) -> f64 {
        let plain = self.standard_error(probabilities, indicator);
        let terms = probabilities.iter().zip(indicator);
        let p = terms.map(|(p, x)| p * x).sum();
        cautious(plain, p, self.quality(probabilities, columns))
    }

    /// The standard error of the probability of each value, as of the event that has it alone. What is worth the same for all is
    /// found once.
    pub(crate) fn value_errors(
        &self,
        probabilities: &[f64],
        columns: impl FnOnce() -> Columns,
    ) -> Vec<f64> {
        let mut errors = match self {
            Self::Exact => vec![0.0; probabilities.len()],
            Self::Approximate => vec![f64::NAN; probabilities.len()],
            Self::Weighted(squares) => {
                let all: f64 = squares.iter().sum();
                // A single sample has no spread.
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
            Self::Groups(groups) => value_errors(groups, probabilities),
        };
        let quality = self.quality(probabilities, columns);
        for (error, &p) in errors.iter_mut().zip(probabilities) {
            *error = cautious(*error, p, quality);
        }
        errors
    }
}

/// The standard error of an event of probability `p`, where the spread of the samples gives `plain`.
fn cautious(plain: f64, p: f64, quality: Quality) -> f64 {
    let Quality::Sampled { effective_samples } = quality else {
        return plain;
    };
    let n = effective_samples + 2.0;
    let p = (p * effective_samples + 1.0) / n;
    let agreement = (p * (1.0 - p) / n).sqrt();
    if plain == 0.0 || !plain.is_finite() {
        agreement
    } else if effective_samples < TRUSTED_SAMPLES {
        plain.max(agreement)
    } else {
        plain
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns() -> Columns {
        Columns::new([&false as &dyn std::any::Any, &true].into_iter())
    }

    #[test]
    fn one_sample_that_outweighs_all_others_is_no_certainty() {
        // Weights 1 and 1e-9.
        let share = 1e-9;
        let probabilities = [1.0 - share, share];
        let degenerate = Estimate::Weighted(vec![1.0 - 2.0 * share, share * share]);
        assert_eq!(
            degenerate.standard_error(&probabilities, &[0.0, 1.0]),
            f64::INFINITY
        );
        let error = degenerate.event_error(&probabilities, &[0.0, 1.0], columns);
        assert!(error > 0.2, "{error}");
        // Three samples, of which one weighs next to nothing.
        let few = Estimate::Weighted(vec![0.5, share * share]);
        assert!(few.event_error(&probabilities, &[0.0, 1.0], columns) > 0.2);
    }

    /// Of every kind of estimate: values that some, all and no samples have, and one that outweighs the others.
    #[test]
    fn errors_of_all_values_are_those_of_each() {
        let columns = || Columns::new(["a", "b", "c", "d"].iter().map(|v| v as &dyn std::any::Any));
        let chains = [0, 1, 1, 0, 2, 0, 1, 1, 0, 0, 0, 2].into();
        let groups = |shares: [f64; 3]| {
            let group = |share: f64| vec![(0, share / 2.0), (1, share / 4.0), (3, share / 4.0)];
            let mut groups: Vec<_> = shares.into_iter().map(group).collect();
            groups[2][2].0 = 2;
            Estimate::Groups(groups)
        };
        for (estimate, probabilities) in [
            (Estimate::Exact, [0.5, 0.25, 0.25, 0.0]),
            (Estimate::Approximate, [0.5, 0.25, 0.25, 0.0]),
            (
                Estimate::Weighted(vec![0.02, 0.03, 0.001, 0.0]),
                [0.6, 0.3, 0.1, 0.0],
            ),
            (
                Estimate::Weighted(vec![0.2, 0.03, 0.1, 0.0]),
                [0.6, 0.3, 0.1, 0.0],
            ),
            (
                Estimate::Weighted(vec![0.6, 0.1, 0.1, 0.0]),
                [0.6, 0.3, 0.1, 0.0],
            ),
            (
                Estimate::Weighted(vec![0.05, 0.0, 0.0, 0.0]),
                [1.0, 0.0, 0.0, 0.0],
            ),
            (
                Estimate::Chains {
                    indices: chains,
                    chains: 2,
                },
                [0.5, 1.0 / 3.0, 1.0 / 6.0, 0.0],
            ),
            (groups([0.25, 0.25, 0.5]), [0.5, 0.25, 0.125, 0.125]),
            (groups([0.95, 0.05, 0.0]), [0.5, 0.25, 0.0, 0.25]),
        ] {
            let errors = estimate.value_errors(&probabilities, columns);
            for (value, found) in errors.into_iter().enumerate() {
                let mut indicator = [0.0; 4];
                indicator[value] = 1.0;
                let expected = estimate.event_error(&probabilities, &indicator, columns);
                let is_same =
                    (found - expected).abs() <= 1e-14 || found.is_nan() && expected.is_nan();
                assert!(is_same, "{estimate:?} {value}: {found} {expected}");
            }
        }
    }

    #[test]
    fn many_samples_keep_the_error_of_their_spread() {
        // A rare value that a hundred light samples agree on, among samples worth a thousand.
        let p = 1e-6;
        let estimate = Estimate::Weighted(vec![1e-3, p * p / 100.0]);
        let error = estimate.event_error(&[1.0 - p, p], &[0.0, 1.0], columns);
        assert!((error / (p / 10.0) - 1.0).abs() < 0.1, "{error}");
        // A value that was not drawn has the error of what might have been.
        let error = estimate.event_error(&[1.0 - p, p], &[0.0, 0.0], columns);
        assert!((0.5e-3..2e-3).contains(&error), "{error}");
    }

    #[test]
    fn a_chain_that_never_moved_leaves_a_large_error() {
        let indices = vec![0; 4000].into();
        let stuck = Estimate::Chains { indices, chains: 4 };
        let one = || Columns::new([&true as &dyn std::any::Any].into_iter());
        let error = stuck.event_error(&[1.0], &[1.0], one);
        assert!((0.1..0.3).contains(&error), "{error}");
    }

    #[test]
    fn repetitions_are_told_from_values_that_stay() {
        let weighted = |squares: [f64; 2]| Estimate::Weighted(squares.to_vec());
        assert!(weighted([0.09, 0.49]).never_repeats(&[0.3, 0.7]));
        // The second value was drawn twice.
        assert!(!weighted([0.09, 0.25]).never_repeats(&[0.3, 0.7]));
        let chained = |indices: [u32; 6], chains| {
            let indices = indices.into();
            Estimate::Chains { indices, chains }.never_repeats(&[0.0; 4])
        };
        assert!(chained([0, 0, 1, 2, 2, 3], 1) && chained([0, 0, 1, 2, 2, 3], 2));
        assert!(!chained([0, 1, 0, 2, 2, 2], 1) && !chained([0, 0, 1, 1, 2, 2], 2));
        let grouped = |second| {
            let groups = vec![vec![(0, 0.25), (1, 0.25)], vec![(second, 0.5)]];
            Estimate::Groups(groups).never_repeats(&[0.0; 3])
        };
        assert!(grouped(2) && !grouped(1));
        assert!(!Estimate::Exact.never_repeats(&[1.0]));
    }

    #[test]
    fn the_error_of_a_single_group_is_not_known() {
        let single = Estimate::Groups(vec![vec![(0, 0.5), (1, 0.5)]]);
        assert_eq!(
            single.standard_error(&[0.5, 0.5], &[0.0, 1.0]),
            f64::INFINITY
        );
        assert!(single.event_error(&[0.5, 0.5], &[0.0, 1.0], columns) > 0.25);
    }
}
