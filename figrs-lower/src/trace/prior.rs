//! Priors of choices, and sources of their values.

use std::any::Any;

use rand::{Rng, RngExt};

use figrs_core::element::likelihood::Likelihood;
use figrs_core::element::node::{AtomicOp, ChainOp, FamilyOp};
use figrs_core::error::Fault;
use figrs_core::value::datum::Datum;
use figrs_core::value::support::Support;
use figrs_factor::graph::WeightSlice;

/// The distribution of a choice, given the values of its parents.
#[derive(Clone, Copy)]
pub enum Prior<'a> {
    /// The distribution of an atomic element.
    Atomic(&'a dyn AtomicOp),
    /// The member of a family with these parameters.
    Family(&'a dyn ChainOp, &'a dyn FamilyOp, &'a [&'a dyn Any]),
    /// One of these values, with these probabilities.
    Row(&'a Support, WeightSlice<'a>),
}

impl std::fmt::Debug for Prior<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Atomic(op) => f.write_str(&op.describe()),
            Self::Family(..) => f.write_str("member of a family"),
            Self::Row(_, row) => write!(f, "row {:?}", row.linear()),
        }
    }
}

impl Prior<'_> {
    /// The log-probability or log-density of a value.
    ///
    /// **Errors.** Those of the user's distribution.
    pub fn log_prob(&self, value: &Datum) -> Result<f64, Fault> {
        match self {
            Self::Atomic(op) => op.log_prob(value.as_any()),
            Self::Family(_, op, arguments) => op.log_prob(arguments, value.as_any()),
            Self::Row(values, row) => {
                let index = values.index_of(value.as_any());
                Ok(index.map_or(f64::NEG_INFINITY, |i| row.log(i)))
            }
        }
    }

    /// A random value from the product with a likelihood, if the distribution defines such a draw.
    fn sample_conditional(
        &self,
        likelihood: &Likelihood,
        rng: &mut dyn Rng,
    ) -> Result<Option<Datum>, Fault> {
        match self {
            Self::Atomic(op) => op.sample_conditional(likelihood, rng),
            Self::Family(_, op, arguments) => op.sample_conditional(arguments, likelihood, rng),
            Self::Row(..) => Ok(None),
        }
    }
}

/// Source of the values of choices: random numbers, or a test that tries them all.
pub trait ChoiceSource {
    /// A value from this distribution.
    fn draw(&mut self, prior: &Prior<'_>) -> Result<Datum, Fault>;

    /// A value from the product of this distribution and a likelihood, if the distribution defines such a draw; `None` if
    /// the source does not support it.
    fn draw_conditional(
        &mut self,
        prior: &Prior<'_>,
        likelihood: &Likelihood,
    ) -> Result<Option<Datum>, Fault> {
        let _ = (prior, likelihood);
        Ok(None)
    }
}

impl<R: Rng> ChoiceSource for R {
    fn draw(&mut self, prior: &Prior<'_>) -> Result<Datum, Fault> {
        match prior {
            Prior::Atomic(op) => op.sample(self),
            Prior::Family(_, op, arguments) => op.sample(arguments, self),
            Prior::Row(values, row) => Ok(values.datum(row.pick(self.random()))),
        }
    }

    fn draw_conditional(
        &mut self,
        prior: &Prior<'_>,
        likelihood: &Likelihood,
    ) -> Result<Option<Datum>, Fault> {
        prior.sample_conditional(likelihood, self)
    }
}
