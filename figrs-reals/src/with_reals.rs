//! The algorithm `WithReals`: an exact algorithm for finite models, extended to models of real numbers.

use figrs_answer::algorithm::Algorithm;
use figrs_answer::answer::Answer;
use figrs_answer::error::Error;
use figrs_core::{AnyElement, Limits, Model};

use crate::closed_form::in_closed_form;
use crate::collapse::Collapse;

/// An exact algorithm for finite elements, extended to models of real numbers.
///
/// If the wrapped algorithm returns an error because an element is continuous, `WithReals` answers the query in closed form, within the default
/// limits. With the feature `reals` of figrs, `Exact`, `VariableElimination` and `JunctionTree` answer queries of this kind by themselves, within
/// their own limits.
///
/// **Guarantee.** The guarantee is that of the wrapped algorithm; results for real numbers are exact, unless [`collapse`](Self::collapse) merged
/// components of mixtures.
///
/// **Errors.** [`Error::NotClosedForm`] if an element has no closed form; the errors of the wrapped algorithm.
///
/// ```
/// # use figrs_core::{Model, Normal, Variance};
/// # use figrs_infer::{Run, VariableElimination};
/// # use figrs_reals::WithReals;
/// let level = Normal::new(0.0, Variance(1.0));
/// let model = Model::new().observe(&Normal::new(&level, Variance(1.0)), 1.0);
/// let answer = WithReals::new(VariableElimination::new()).run(&model, &level)?;
/// println!("{}", answer.summary(&level)?); // Normal(0.5, sd 0.7071), exact
/// assert!((answer.mean(&level)? - 0.5).abs() < 1e-12);
/// # Ok::<(), figrs_answer::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct WithReals<A> {
    algorithm: A,
    collapse: Collapse,
}

impl<A> WithReals<A> {
    /// Extends `algorithm` to models of real numbers.
    pub fn new(algorithm: A) -> Self {
        Self {
            algorithm,
            collapse: Collapse::Never,
        }
    }

    /// Returns the wrapped algorithm.
    pub fn algorithm(&self) -> &A {
        &self.algorithm
    }

    /// Sets the approximation of mixtures that have too many components (default [`Collapse::Never`]). With the feature `reals` of figrs, `Exact`,
    /// `VariableElimination` and `JunctionTree` have a setter `collapse` themselves, and ignore that of `WithReals`.
    pub fn collapse(mut self, collapse: Collapse) -> Self {
        self.collapse = collapse;
        self
    }
}

impl<A: Algorithm> Algorithm for WithReals<A> {
    fn name(&self) -> &'static str {
        self.algorithm.name()
    }

    fn answer(&self, model: &Model, targets: &[AnyElement]) -> Result<Answer, Error> {
        let finite = self.algorithm.answer(model, targets);
        finite.or_else(|refused| {
            let question = (model, targets);
            let within = (&Limits::default(), self.collapse);
            in_closed_form(self.name(), question, within, refused)
        })
    }
}
