//! `WithReals`: an algorithm for finite models, and the closed form beside it.

use figrs_answer::algorithm::Algorithm;
use figrs_answer::answer::Answer;
use figrs_answer::error::Error;
use figrs_core::{AnyElement, Limits, Model};

use crate::closed_form::in_closed_form;

/// An exact algorithm for marginals of elements with finitely many values that answers models of real numbers too.
///
/// A model that the algorithm refuses because an element is continuous is answered in closed form, within the default limits. `Exact`,
/// `VariableElimination` and `JunctionTree` do so by themselves, within their own limits, if the feature `reals` of figrs is on.
///
/// **Guarantee.** That of the algorithm, and exact for real numbers.
///
/// **Errors.** Those of the algorithm; [`Error::NotClosedForm`].
///
/// ```
/// # use figrs_core::{Model, Normal, Variance};
/// # use figrs_infer::{Run, VariableElimination};
/// # use figrs_reals::WithReals;
/// let level = Normal::new(0.0, Variance(1.0));
/// let model = Model::new().observe(&Normal::new(&level, Variance(1.0)), 1.0);
/// let answer = WithReals(VariableElimination::new()).run(&model, &level)?;
/// println!("{}", answer.summary(&level)?); // Normal(0.5, sd 0.7071), exact
/// assert_eq!(answer.mean(&level)?, 0.5);
/// # Ok::<(), figrs_answer::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct WithReals<A>(pub A);

impl<A: Algorithm> Algorithm for WithReals<A> {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn answer(&self, model: &Model, targets: &[AnyElement]) -> Result<Answer, Error> {
        let finite = self.0.answer(model, targets);
        finite.or_else(|refused| {
            let question = (model, targets);
            in_closed_form(self.name(), question, &Limits::default(), refused)
        })
    }
}
