//! Wrapper types that name the parametrisation of a distribution, such as [`Rate`] and [`Scale`], and checks of the values of parameters.

use super::distribution::WrongParameter;
use super::likelihood::{Likelihood, Term};
use super::param::Operand;

macro_rules! convention {
    ($($(#[$doc:meta])+ $name:ident)+) => {$(
        $(#[$doc])+
        #[derive(Clone, Copy, Debug)]
        pub struct $name<P>(pub P);

        impl<P: Into<Operand>> $name<P> {
            pub(super) fn operand(self) -> Operand {
                self.0.into()
            }
        }
    )+};
}

convention! {
    /// A variance: the mean squared distance from the mean, which is the square of the standard deviation.
    Variance
    /// A standard deviation: the square root of the variance.
    StandardDeviation
    /// A precision: the inverse of the variance, to which [`Gamma`](crate::Gamma) is conjugate.
    Precision
    /// A rate: the expected number of events per unit of time, which is the inverse of a [`Scale`].
    Rate
    /// A scale: the factor by which a distribution is stretched, which is the inverse of a [`Rate`].
    Scale
    /// The degrees of freedom of [`StudentT`](crate::StudentT), which determine the shape of its tails, or of [`Wishart`](crate::Wishart), where they
    /// are the number of normal vectors whose outer products are summed.
    DegreesOfFreedom
    /// The concentration of a distribution around its centre; for [`VonMises`](crate::VonMises), around the mean direction.
    Concentration
}

/// Parametrisation of a distribution of waiting times: by a rate or by a scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RateConvention {
    Rate,
    Scale,
}

impl RateConvention {
    /// Divides the time `x` by the scale, given `parameter`, which is a rate or a scale.
    pub(super) fn standard(self, x: f64, parameter: f64) -> f64 {
        match self {
            Self::Rate => x * parameter,
            Self::Scale => x / parameter,
        }
    }

    /// Multiplies `x` by the scale, given `parameter`, which is a rate or a scale.
    pub(super) fn stretched(self, x: f64, parameter: f64) -> f64 {
        match self {
            Self::Rate => x / parameter,
            Self::Scale => x * parameter,
        }
    }

    pub(super) fn ln_rate(self, parameter: f64) -> f64 {
        match self {
            Self::Rate => parameter.ln(),
            Self::Scale => -parameter.ln(),
        }
    }

    /// Adds the log-density of the gamma-distributed value `value` to `likelihood`, as a function of its rate or scale.
    pub(super) fn likelihood(self, shape: f64, value: f64, likelihood: &mut Likelihood) {
        match self {
            Self::Rate => {
                likelihood.add(Term::Log, shape);
                likelihood.add(Term::Linear, -value);
            }
            Self::Scale => {
                likelihood.add(Term::Log, -shape);
                likelihood.add(Term::Inverse, -value);
            }
        }
    }
}

/// A [`Rate`] or a [`Scale`].
#[derive(Clone, Debug)]
pub struct RateOrScale {
    pub(super) pace: RateConvention,
    pub(super) operand: Operand,
}

/// Implements the conversions of wrapper types such as `Rate` to a type with two fields: which wrapper was used, and the wrapped parameter.
macro_rules! conversions {
    ($target:ident { $field:ident }: $($name:ident => $convention:expr),+ $(,)?) => {$(
        impl<P: Into<Operand>> From<$name<P>> for $target {
            fn from(stated: $name<P>) -> Self {
                Self {
                    $field: $convention,
                    operand: stated.operand(),
                }
            }
        }
    )+};
}
pub(super) use conversions;

conversions!(RateOrScale { pace }: Rate => RateConvention::Rate, Scale => RateConvention::Scale);

#[inline]
pub(super) fn finite(parameters: &[f64], index: usize) -> Result<(), WrongParameter> {
    if parameters[index].is_finite() {
        Ok(())
    } else {
        Err(WrongParameter::new(index, "must be finite"))
    }
}

#[inline]
pub(super) fn positive(parameters: &[f64], index: usize) -> Result<(), WrongParameter> {
    if parameters[index] > 0.0 && parameters[index].is_finite() {
        Ok(())
    } else {
        Err(WrongParameter::new(index, "must be positive and finite"))
    }
}

#[inline]
pub(super) fn kept_finite(x: f64) -> f64 {
    x.clamp(-f64::MAX, f64::MAX)
}

#[inline]
pub(super) fn kept_positive(x: f64) -> f64 {
    x.clamp(f64::MIN_POSITIVE, f64::MAX)
}
