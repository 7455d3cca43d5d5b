//! Verdicts: judgements of answers by comparison with the exact answer.

use serde::Serialize;

use super::estimand::{Estimand, EstimandValue};

/// Tolerance for the difference of two exact answers; for numbers above one, the tolerance is relative.
const ROUNDING: f64 = 1e-9;

/// The judgement of an answer by comparison with the exact answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Verdict {
    /// The answer claims to be exact or states bounds, and agrees with the exact answer up to rounding.
    Agrees,
    /// The answer is an estimate, and the error of every estimand (compared quantity) is at most three times its standard error.
    WithinThree,
    /// The answer is an estimate; the largest error of an estimand (compared quantity) is between three and five times its standard error. A single
    /// error of a correct estimate is above three standard errors with probability 1 / 370; if many estimands are compared, one such error is likely.
    WithinFive,
    /// The answer is wrong: an error is larger than rounding errors (for an exact answer) or than five standard errors, the exact value is outside
    /// the bounds, or an impossible value has positive probability.
    Wrong,
    /// The answer is an estimate with an infinite standard error for some compared quantity; the error of the estimate therefore has no known bound.
    UnknownError,
    /// The answer is an approximation that claims nothing about its error.
    Approximate,
    /// No exact answer is known with which the algorithm's answer could be compared.
    Unjudged,
    /// The algorithm cannot be applied to the model with any budget, such as an exact algorithm to a model with continuous values.
    NotApplicable,
    /// The algorithm gave no answer.
    NoAnswer,
}

impl Verdict {
    /// Returns the verdict in a few words, for a table.
    pub fn text(self) -> &'static str {
        match self {
            Self::Agrees => "exact",
            Self::WithinThree => "within 3 SE",
            Self::WithinFive => "within 5 SE",
            Self::Wrong => "WRONG",
            Self::UnknownError => "error unknown",
            Self::Approximate => "approximate",
            Self::Unjudged => "not judged",
            Self::NotApplicable => "not applicable",
            Self::NoAnswer => "no answer",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Claim {
    Exact,
    Bounds,
    Estimate,
    Nothing,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Judgement {
    pub(super) verdict: Verdict,
    /// The largest absolute error of the answer over all estimands.
    pub(super) error: Option<f64>,
    /// The index of the estimand with the largest error.
    pub(super) worst: usize,
    /// The largest ratio, over all estimands, of an error to its standard error, converted to a normal score.
    pub(super) deviation: Option<f64>,
}

pub(super) fn judge(
    estimands: &[Estimand],
    readings: &[EstimandValue],
    exact: Option<&[f64]>,
    claim: Claim,
) -> Judgement {
    let mut judgement = Judgement {
        verdict: Verdict::Unjudged,
        error: None,
        worst: 0,
        deviation: None,
    };
    let Some(exact) = exact else {
        return judgement;
    };
    let (mut wrong, mut error, mut deviation) = (false, 0.0_f64, 0.0_f64);
    let mut is_unknown = false;
    for (i, ((estimand, reading), &exact)) in estimands.iter().zip(readings).zip(exact).enumerate()
    {
        let off = (reading.value - exact).abs();
        if off.is_nan() || off > error {
            (error, judgement.worst) = (off, i);
        }
        let rounding = ROUNDING * exact.abs().max(1.0);
        let is_rounding = off <= rounding;
        wrong |= match (claim, reading.bounds) {
            (_, Some(bounds)) => {
                !(bounds.lower - rounding..=bounds.upper + rounding).contains(&exact)
            }
            (Claim::Exact, None) => !is_rounding,
            (Claim::Estimate, None) => {
                off.is_nan() || (estimand.is_probability() && exact == 0.0 && reading.value > 0.0)
            }
            (Claim::Bounds | Claim::Nothing, None) => false,
        };
        if claim == Claim::Estimate {
            is_unknown |= !reading.standard_error.is_finite();
            if !is_rounding {
                deviation = deviation.max(reading.score(off));
            }
        }
    }
    judgement.error = Some(error);
    judgement.deviation = (claim == Claim::Estimate).then_some(deviation);
    judgement.verdict = match claim {
        _ if wrong => Verdict::Wrong,
        Claim::Exact | Claim::Bounds => Verdict::Agrees,
        Claim::Nothing => Verdict::Approximate,
        Claim::Estimate if deviation > 5.0 || deviation.is_nan() => Verdict::Wrong,
        Claim::Estimate if is_unknown => Verdict::UnknownError,
        Claim::Estimate if deviation <= 3.0 => Verdict::WithinThree,
        Claim::Estimate => Verdict::WithinFive,
    };
    judgement
}

pub(super) fn judge_world(log_probability: f64, is_proven: bool, best: Option<f64>) -> Judgement {
    let error = best.map(|best| best - log_probability);
    let verdict = match (error, best) {
        (Some(error), Some(best)) => {
            let rounding = ROUNDING * best.abs().max(1.0);
            if error.abs() <= rounding {
                Verdict::Agrees
            } else if error < 0.0 || is_proven || error.is_nan() {
                Verdict::Wrong
            } else {
                Verdict::Approximate
            }
        }
        _ => Verdict::Unjudged,
    };
    Judgement {
        verdict,
        error: error.map(f64::abs),
        worst: 0,
        deviation: None,
    }
}
