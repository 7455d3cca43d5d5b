//! Derivatives of an answer's queries with respect to the parameters of its model.

use std::sync::Arc;

use figrs_core::Param;

use super::differentiable::DifferentiableTree;
use super::query::Query;
use super::tornado::{Tornado, TornadoRow};
use figrs_answer::{Answer, Error, guarded};

/// Sensitivity of an answer to the parameters of its model.
pub trait Sensitivity {
    /// Returns the derivative of `query` with respect to `parameter`, at the present values of the parameters of the model.
    ///
    /// A query asks for a number that depends on a target, given the evidence, or for the log-evidence. Each entry of a parameter list is a parameter
    /// of its own, with a derivative of its own. The derivative of a query is with respect to the number in the model, even if this number is a
    /// weight of a [`Select`](figrs_core::Select), which normalises its weights.
    ///
    /// **Guarantee.** The derivative of a query is exact up to rounding. The derivative of a query combines derivatives of a contraction tree and
    /// derivatives of the probabilities of outcomes ([`Family::log_prob_derivative`](figrs_core::Family::log_prob_derivative)). The result is an
    /// error if the derivatives of the probabilities in a family of distributions are not known or do not sum to 0. Functions in the user's model
    /// must not read parameters (`Param::get` in a `map`), because derivatives do not take account of such functions.
    ///
    /// **Complexity.** A contraction tree is compiled for the first derivative of an answer. Each derivative of a query takes three upward and
    /// downward passes through the contraction tree.
    ///
    /// **Errors.** [`Error::NotInAnswer`] if an algorithm other than [`JunctionTree`](figrs_infer::JunctionTree) or
    /// [`VariableElimination`](figrs_infer::VariableElimination) gave the answer; [`Error::UnknownElement`] if the element of `query` is no target;
    /// [`Error::UnknownParameter`] if nothing that the answer needs depends on `parameter`; [`Error::UnknownDependence`] if a derivative is not
    /// known; [`Error::ParameterChanged`] if a parameter has changed since the answer was computed; [`Error::NotFiniteQuery`] if the function of
    /// `query` is infinite or NaN; the errors of compiling the contraction tree.
    ///
    /// **References.** Darwiche, *A differential approach to inference in Bayesian networks*, Journal of the ACM 50(3), 2003; Chan and Darwiche,
    /// *When do numbers really matter?*, Journal of Artificial Intelligence Research 17, 2002.
    ///
    /// ```
    /// # use figrs_core::{Flip, If, Model, Param};
    /// # use figrs_infer::{JunctionTree, Run};
    /// # use figrs_learn::{Query, Sensitivity};
    /// let prior = Param::new("prior", 0.01);
    /// let ill = Flip::new(&prior);
    /// let positive = If::new(&ill, Flip::new(0.9), Flip::new(0.05));
    /// let model = Model::new().observe(&positive, true);
    /// let answer = JunctionTree::new().run(&model, &ill)?;
    /// // Of 0.9 p / (0.9 p + 0.05 (1 - p)): 0.9 · 0.05 / (0.9 p + 0.05 (1 - p))².
    /// let slope = answer.derivative(&Query::probability(&ill, true), &prior)?;
    /// assert!((slope - 0.045 / 0.0585f64.powi(2)).abs() < 1e-12);
    /// # Ok::<(), figrs_infer::Error>(())
    /// ```
    fn derivative(&self, query: &Query, parameter: &Param) -> Result<f64, Error>;

    /// Makes a one-way sensitivity analysis of `query`. For each parameter, the analysis computes the value of `query` at both ends of the
    /// parameter's range, while the other parameters keep their values, and the [`derivative`](Self::derivative) at the present value.
    ///
    /// The argument `ranges` lists each parameter with the lower and the upper end of its range. The sensitivity analysis does not change the values
    /// of the parameters.
    ///
    /// **Guarantee.** The values and derivatives in the analysis are exact up to rounding, as in [`derivative`](Self::derivative). Inside the range
    /// of a parameter, the query may have larger or smaller values than at the two ends.
    ///
    /// **Complexity.** The sensitivity analysis takes two upward passes through the contraction tree for each parameter, in addition to the passes of
    /// the derivative.
    ///
    /// **Errors.** [`Error::NoAnswerAt`] if an end of a range is not a valid value of the parameter, or makes the evidence impossible; the errors of
    /// [`derivative`](Self::derivative).
    ///
    /// ```
    /// # use figrs_core::{Flip, If, Model, Param};
    /// # use figrs_infer::{JunctionTree, Run};
    /// # use figrs_learn::{Query, Sensitivity};
    /// let [prior, errs] = [("prior", 0.01), ("errs", 0.05)].map(|(name, p)| Param::new(name, p));
    /// let ill = Flip::new(&prior).named("ill");
    /// let positive = If::new(&ill, Flip::new(0.9), Flip::new(&errs));
    /// let model = Model::new().observe(&positive, true);
    /// let answer = JunctionTree::new().run(&model, &ill)?;
    /// let ranges = [(&prior, 0.005, 0.02), (&errs, 0.01, 0.1)];
    /// let tornado = answer.tornado(&Query::probability(&ill, true), ranges)?;
    /// assert_eq!(tornado.rows[0].parameter, "errs");
    /// println!("{tornado}");
    /// # Ok::<(), figrs_infer::Error>(())
    /// ```
    fn tornado<'p>(
        &self,
        query: &Query,
        ranges: impl IntoIterator<Item = (&'p Param, f64, f64)>,
    ) -> Result<Tornado, Error>;
}

impl Sensitivity for Answer {
    fn derivative(&self, query: &Query, parameter: &Param) -> Result<f64, Error> {
        guarded(|| {
            let tree = tree_of(self)?;
            tree.gradient(query)?.along(parameter, &tree.outcomes)
        })
    }

    fn tornado<'p>(
        &self,
        query: &Query,
        ranges: impl IntoIterator<Item = (&'p Param, f64, f64)>,
    ) -> Result<Tornado, Error> {
        let ranges: Vec<(&Param, f64, f64)> = ranges.into_iter().collect();
        guarded(|| {
            let tree = tree_of(self)?;
            let gradient = tree.gradient(query)?;
            let row = |&(parameter, low, high): &(&Param, f64, f64)| {
                let slope = gradient.along(parameter, &tree.outcomes)?;
                let at = |value| {
                    tree.value_with(query, parameter, value)
                        .map(|found| (value, found))
                };
                Ok(TornadoRow {
                    parameter: parameter.name().to_string(),
                    present: parameter.get(),
                    low: at(low)?,
                    high: at(high)?,
                    slope,
                })
            };
            let rows = ranges.iter().map(row).collect::<Result<_, Error>>()?;
            Ok(Tornado::new(query.to_string(), tree.value(query)?, rows))
        })
    }
}

fn tree_of(answer: &Answer) -> Result<Arc<DifferentiableTree>, Error> {
    let model = answer.answered.as_deref().ok_or_else(|| {
        answer.missing_content_error(
            "derivatives",
            "ask JunctionTree or VariableElimination, which are exact",
        )
    })?;
    DifferentiableTree::of_answered(model)
}
