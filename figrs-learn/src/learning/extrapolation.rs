//! Squared extrapolation (SQUAREM) of the parameter values in a fixed-point iteration.

use figrs_core::expand::{LearnedParameter, LearnedParameters};
use figrs_core::internals::LearnedPrior;

/// Maximum number of step lengths that are tried for one extrapolation; each step length is shorter than the previous one.
const TRIED_STEPS: u32 = 8;

/// The values of all parameters after the latest rounds of expectation-maximisation, from which new values are extrapolated.
///
/// The step length is the third step length of Varadhan and Roland: the norm of the change in a round divided by the norm of the difference between
/// two such changes.
///
/// **References.** Varadhan and Roland, *Simple and globally convergent methods for accelerating the convergence of any EM algorithm*,
/// Scandinavian Journal of Statistics 35(2), 2008.
#[derive(Clone, Debug, Default)]
pub(super) struct Extrapolation {
    /// The parameter values after the latest rounds of expectation-maximisation, oldest first; at most three lists of values.
    rounds: Vec<Vec<f64>>,
}

impl Extrapolation {
    /// Records the parameter values after a round of expectation-maximisation, and sets the parameters to the extrapolation of the last two rounds.
    /// The parameters do not change, and the result is `false`, if fewer than two rounds have passed since the last extrapolation, or if no
    /// extrapolation is possible.
    pub(super) fn advance(&mut self, learned: &LearnedParameters) -> bool {
        self.rounds.push(numbers(learned));
        let [start, first, second] = &self.rounds[..] else {
            return false;
        };
        let extrapolated = extrapolated([start, first, second], |numbers| {
            are_possible(learned, second, numbers)
        });
        let Some(numbers) = extrapolated else {
            self.rounds.remove(0);
            return false;
        };
        let mut rest = &numbers[..];
        for learned in learned.iter() {
            let (own, others) = rest.split_at(learned.params.len());
            learned.set_numbers(own);
            rest = others;
        }
        self.rounds.clear();
        true
    }

    pub(super) fn restart(&mut self, learned: &LearnedParameters) {
        self.rounds.clear();
        self.rounds.push(numbers(learned));
    }
}

fn numbers(learned: &LearnedParameters) -> Vec<f64> {
    learned.iter().flat_map(LearnedParameter::numbers).collect()
}

/// Returns the parameter values that are extrapolated from two rounds with the longest possible step; `None` if this step is no longer than the
/// change in the two rounds themselves.
fn extrapolated(
    [start, first, second]: [&[f64]; 3],
    is_possible: impl Fn(&[f64]) -> bool,
) -> Option<Vec<f64>> {
    let difference =
        |a: &[f64], b: &[f64]| -> Vec<f64> { a.iter().zip(b).map(|(a, b)| a - b).collect() };
    let norm = |numbers: &[f64]| numbers.iter().map(|x| x * x).sum::<f64>().sqrt();
    let change = difference(first, start);
    let bend = difference(&difference(second, first), &change);
    let mut step = norm(&change) / norm(&bend);
    for _ in 0..TRIED_STEPS {
        // The condition also rejects a step that is NaN.
        if !(step.is_finite() && step > 1.0) {
            return None;
        }
        let at = |(start, (change, bend)): (&f64, (&f64, &f64))| {
            start + 2.0 * step * change + step * step * bend
        };
        let found: Vec<f64> = start.iter().zip(change.iter().zip(&bend)).map(at).collect();
        if is_possible(&found) {
            return Some(found);
        }
        step = f64::midpoint(step, 1.0);
    }
    None
}

/// True if all parameter values `numbers` are in the ranges of their parameters, and none of them has moved from its value in `before` to a bound of
/// its range.
fn are_possible(learned: &LearnedParameters, before: &[f64], numbers: &[f64]) -> bool {
    let priors = learned
        .iter()
        .flat_map(|learned| learned.params.iter().map(|_| learned.prior()));
    priors
        .zip(before.iter().zip(numbers))
        .all(|(prior, (before, &x))| {
            let most = match prior {
                LearnedPrior::Normal { .. } => return x.is_finite(),
                LearnedPrior::Gamma { .. } | LearnedPrior::InverseGamma { .. } => f64::INFINITY,
                LearnedPrior::Beta(_) | LearnedPrior::Dirichlet(_) => 1.0,
            };
            x > 0.0 && x < most || x.to_bits() == before.to_bits()
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In the test, each round halves the distance to the point (3, 5), and the extrapolation reaches (3, 5).
    #[test]
    fn linear_convergence_is_extrapolated_to_its_limit() {
        let at = |round: i32| vec![3.0 - 0.5f64.powi(round), 5.0 + 2.0 * 0.5f64.powi(round)];
        let rounds = [at(0), at(1), at(2)];
        let all = [&rounds[0][..], &rounds[1], &rounds[2]];
        let found = extrapolated(all, |_| true).unwrap();
        assert!((found[0] - 3.0).abs() < 1e-12 && (found[1] - 5.0).abs() < 1e-12);
        // The parameter has an upper bound between the value after the last round and the limit of the rounds.
        let nearer = extrapolated(all, |numbers| numbers[0] < 2.9).unwrap();
        assert!(nearer[0] > 2.75 && nearer[0] < 2.9);
        assert_eq!(extrapolated(all, |_| false), None);
    }

    #[test]
    fn rounds_that_stand_still_or_speed_up_are_not_extrapolated() {
        let still = [&[1.0][..], &[1.0], &[1.0]];
        assert_eq!(extrapolated(still, |_| true), None);
        let faster = [&[0.0][..], &[1.0], &[4.0]];
        assert_eq!(extrapolated(faster, |_| true), None);
    }
}
