//! Priors of learned parameters.

use super::likelihood::{Likelihood, Term};

/// The prior of a learned parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum LearnedPrior {
    /// The beta prior of a probability; the two numbers are the shape parameters of the beta distribution.
    Beta([f64; 2]),
    /// The Dirichlet prior of a list of probabilities; the numbers are the concentrations of the Dirichlet distribution.
    Dirichlet(Vec<f64>),
    /// The prior of a mean.
    Normal {
        /// The mean of the normal prior.
        mean: f64,
        /// The standard deviation of the normal prior.
        deviation: f64,
    },
    /// The prior of a rate or a precision.
    Gamma {
        /// The shape of the gamma prior.
        shape: f64,
        /// The rate of the gamma prior.
        rate: f64,
    },
    /// The prior of a variance.
    InverseGamma {
        /// The shape of the inverse gamma prior.
        shape: f64,
        /// The scale of the inverse gamma prior.
        scale: f64,
    },
}

impl LearnedPrior {
    /// Returns the mean of the prior distribution: one number, or a list of probabilities. If the mean of the prior is infinite, returns the mode of
    /// the prior.
    pub fn mean(&self) -> Vec<f64> {
        match self {
            Self::Beta([a, b]) => vec![a / (a + b)],
            Self::Dirichlet(concentrations) => {
                let sum: f64 = concentrations.iter().sum();
                concentrations.iter().map(|a| a / sum).collect()
            }
            Self::Normal { mean, .. } => vec![*mean],
            Self::Gamma { shape, rate } => vec![shape / rate],
            Self::InverseGamma { shape, scale } if *shape > 1.0 => vec![scale / (shape - 1.0)],
            Self::InverseGamma { shape, scale } => vec![scale / (shape + 1.0)],
        }
    }

    /// True if the parameter is a list, even if the list has only one number.
    pub fn is_list(&self) -> bool {
        matches!(self, Self::Dirichlet(_))
    }

    /// Returns the terms of the likelihoods to which the prior is conjugate.
    pub fn terms(&self) -> &'static [Term] {
        match self {
            Self::Beta(_) => &[Term::Log, Term::LogComplement],
            Self::Dirichlet(_) => &[Term::LogOfEach],
            Self::Normal { .. } => &[Term::Linear, Term::Square],
            Self::Gamma { .. } => &[Term::Log, Term::Linear],
            Self::InverseGamma { .. } => &[Term::Log, Term::Inverse],
        }
    }

    /// Adds the logarithm of the prior density to `likelihood`, up to a constant.
    pub fn add_to(&self, likelihood: &mut Likelihood) {
        match self {
            Self::Beta([a, b]) => {
                likelihood.add(Term::Log, a - 1.0);
                likelihood.add(Term::LogComplement, b - 1.0);
            }
            Self::Dirichlet(concentrations) => {
                for (i, a) in concentrations.iter().enumerate() {
                    likelihood.add_log_of(i, a - 1.0);
                }
            }
            Self::Normal { mean, deviation } => {
                let precision = deviation.powi(-2);
                likelihood.add(Term::Linear, mean * precision);
                likelihood.add(Term::Square, -0.5 * precision);
            }
            Self::Gamma { shape, rate } => {
                likelihood.add(Term::Log, shape - 1.0);
                likelihood.add(Term::Linear, -rate);
            }
            Self::InverseGamma { shape, scale } => {
                likelihood.add(Term::Log, -shape - 1.0);
                likelihood.add(Term::Inverse, -scale);
            }
        }
    }

    /// Returns the value of the parameter at which `likelihood` is largest; all terms of `likelihood` must be among the [`terms`](Self::terms).
    pub fn mode_of(&self, likelihood: &Likelihood) -> Mode {
        let [log, linear] = [Term::Log, Term::Linear].map(|term| likelihood.get(term));
        match self {
            Self::Beta(_) => match shares(&[log, likelihood.get(Term::LogComplement)]) {
                Mode::At(mut shares) => Mode::At(vec![shares.swap_remove(0)]),
                other => other,
            },
            Self::Dirichlet(concentrations) => {
                let counts = (0..concentrations.len()).map(|i| likelihood.log_of(i));
                shares(&counts.collect::<Vec<f64>>())
            }
            Self::Normal { .. } => {
                let curvature = -2.0 * likelihood.get(Term::Square);
                if curvature > 0.0 {
                    Mode::At(vec![linear / curvature])
                } else {
                    Mode::Flat
                }
            }
            Self::Gamma { .. } if log == 0.0 && linear == 0.0 => Mode::Flat,
            Self::Gamma { .. } if log > 0.0 && linear < 0.0 => Mode::At(vec![-log / linear]),
            Self::Gamma { .. } => Mode::Unbounded,
            Self::InverseGamma { .. } => match likelihood.get(Term::Inverse) {
                inverse if log == 0.0 && inverse == 0.0 => Mode::Flat,
                inverse if log < 0.0 && inverse < 0.0 => Mode::At(vec![inverse / log]),
                _ => Mode::Unbounded,
            },
        }
    }
}

/// The value of a parameter at which a likelihood is largest, if there is such a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Mode {
    /// The likelihood has its maximum at the value in this variant: one number, or a list of numbers.
    At(Vec<f64>),
    /// The likelihood is the same for all values of the parameter.
    Flat,
    /// The likelihood has no maximum: it grows without bound, or it grows towards a value that the parameter cannot have.
    Unbounded,
}

/// Returns the probabilities for which the sum of counts times log-probabilities is largest; a negative count is treated as zero.
fn shares(counts: &[f64]) -> Mode {
    let sum: f64 = counts.iter().map(|count| count.max(0.0)).sum();
    if sum > 0.0 {
        Mode::At(counts.iter().map(|count| count.max(0.0) / sum).collect())
    } else if counts.iter().any(|count| *count < 0.0) {
        Mode::Unbounded
    } else {
        Mode::Flat
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_are_where_no_other_value_is_likelier() {
        let priors = [
            LearnedPrior::Beta([2.0, 3.0]),
            LearnedPrior::Dirichlet(vec![2.0, 1.0, 1.5]),
            LearnedPrior::Normal {
                mean: 1.0,
                deviation: 2.0,
            },
            LearnedPrior::Gamma {
                shape: 3.0,
                rate: 2.0,
            },
            LearnedPrior::InverseGamma {
                shape: 3.0,
                scale: 2.0,
            },
        ];
        for prior in priors {
            let mut likelihood = Likelihood::new(prior.terms());
            prior.add_to(&mut likelihood);
            for &term in prior.terms() {
                match term {
                    Term::LogOfEach => likelihood.add_log_of(1, 2.5),
                    Term::Square | Term::Linear | Term::Inverse => likelihood.add(term, -0.7),
                    _ => likelihood.add(term, 1.3),
                }
            }
            let log = |x: &[f64]| {
                let terms = prior.terms().iter().map(|&term| match term {
                    Term::LogOfEach => x
                        .iter()
                        .enumerate()
                        .map(|(i, x)| likelihood.log_of(i) * x.ln())
                        .sum(),
                    Term::Linear => likelihood.get(term) * x[0],
                    Term::Square => likelihood.get(term) * x[0] * x[0],
                    Term::Inverse => likelihood.get(term) / x[0],
                    Term::LogComplement => likelihood.get(term) * (-x[0]).ln_1p(),
                    _ => likelihood.get(term) * x[0].ln(),
                });
                terms.sum::<f64>()
            };
            let Mode::At(mode) = prior.mode_of(&likelihood) else {
                panic!("{prior:?}")
            };
            for step in [1e-4, -1e-4] {
                let mut near = mode.clone();
                near[0] += step;
                if let [_, second, ..] = &mut near[..] {
                    *second -= step;
                }
                assert!(log(&near) < log(&mode), "{prior:?} {mode:?}");
            }
        }
        let flat = Likelihood::new(&[Term::Log, Term::LogComplement]);
        assert_eq!(LearnedPrior::Beta([1.0, 1.0]).mode_of(&flat), Mode::Flat);
        let mut never = Likelihood::new(&[Term::Log, Term::Linear]);
        never.add(Term::Linear, -3.0);
        let rate = LearnedPrior::Gamma {
            shape: 1.0,
            rate: 1.0,
        };
        assert_eq!(rate.mode_of(&never), Mode::Unbounded);
    }
}
