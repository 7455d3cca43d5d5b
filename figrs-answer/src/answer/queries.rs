//! Queries of an answer about one element: probabilities, expectations and values.

use figrs_core::{Element, Value};
use num_traits::ToPrimitive;

use super::contents::{Answer, AnswerContent, LogEvidence, TargetMarginal};
use super::marginal::Marginal;
use crate::error::Error;
use figrs_factor::bounds::Improvement;

impl Answer {
    pub(super) fn target<T: Value>(&self, element: &Element<T>) -> Result<&TargetMarginal, Error> {
        let marginals = match &self.content {
            AnswerContent::Marginals(marginals, _) => marginals,
            AnswerContent::Bounds(..) => {
                return Err(self.missing_content_error(
                    "probabilities that are single numbers",
                    "ask for `bounds` or `bounds_that`",
                ));
            }
            AnswerContent::World(..) => {
                return Err(self.missing_content_error(
                    "distribution",
                    "ask for the most likely value, or another algorithm for marginals",
                ));
            }
        };
        if self.closed_form(element.erased()).is_some() {
            return Err(self.missing_content_error(
                "list of the values of a real element",
                "ask for its `mean`, its `variance`, or its `mixture`, which has quantiles and densities",
            ));
        }
        let id = element.erased().id();
        let target = marginals.iter().find(|target| target.element.id() == id);
        target.ok_or_else(|| Error::not_a_target(element.label()))
    }

    /// Returns the distribution of a target, or an error if the answer contains no marginals.
    pub fn distribution<T: Value>(&self, element: &Element<T>) -> Result<Marginal<T>, Error> {
        let target = self.target(element)?;
        let Some(values) = target.support.values::<T>() else {
            return Err(Error::not_a_target(element.label()));
        };
        Ok(Marginal::new(
            values.cloned().collect(),
            target.probabilities.clone(),
            target.estimate.clone(),
        ))
    }

    /// Returns a new element with the posterior of a target as its distribution, for use in further models. The new element is independent of all
    /// other elements. To keep the dependence between several targets, query their [`tuple`](figrs_core::tuple) as one target.
    ///
    /// For an exact answer, the new element is a [`Select`](figrs_core::Select) of the target's values, with their probabilities as weights. For an
    /// answer from samples, the new element is a `Select` of the drawn values, with the weights of the draws.
    ///
    /// **Errors.** [`Error::UnknownElement`] if `element` is no target; [`Error::NotInAnswer`] if the answer consists of bounds or of a world.
    ///
    /// ```
    /// # use figrs_core::{Beta, Binomial, Flip, Model};
    /// # use figrs_infer::{ImportanceSampling, Run};
    /// // The posterior of one experiment is the prior of the next.
    /// let rate = Beta::new(1.0, 1.0);
    /// let model = Model::new().observe(&Binomial::new(10, &rate), 7);
    /// let rate = ImportanceSampling::new(10_000).run(&model, &rate)?.element(&rate)?;
    /// let next = Flip::new(&rate);
    /// let answer = ImportanceSampling::new(10_000).run(&Model::new(), &next)?;
    /// assert!((answer.probability(&next, &true)? - 8.0 / 12.0).abs() < 0.03);
    /// # Ok::<(), figrs_infer::Error>(())
    /// ```
    #[track_caller]
    pub fn element<T: Value>(&self, element: &Element<T>) -> Result<Element<T>, Error> {
        Ok(self.distribution(element)?.element())
    }

    /// Returns the distribution of the target `element`, or an error if no two of its draws are equal.
    fn single_values<T: Value>(&self, element: &Element<T>) -> Result<Marginal<T>, Error> {
        if self.target(element)?.never_repeats() {
            return Err(Error::NoRepeatedValue {
                element: element.label(),
            });
        }
        self.distribution(element)
    }

    /// Returns the probability that the target `element` has the value `value`.
    ///
    /// **Errors.** [`Error::NoRepeatedValue`] if the target is a floating-point number (or a list of them) and no two of its draws are equal, as for
    /// a continuous target. For a floating-point target, query the probability of an interval by [`probability_that`](Self::probability_that).
    pub fn probability<T: Value>(&self, element: &Element<T>, value: &T) -> Result<f64, Error> {
        Ok(self.single_values(element)?.probability(value))
    }

    /// Returns the probability that the value of the target `element` passes `test`.
    ///
    /// **Errors.** [`Error::UnknownElement`] if `element` is no target; [`Error::NotInAnswer`] if the answer consists of bounds or of a world.
    pub fn probability_that<T: Value>(
        &self,
        element: &Element<T>,
        test: impl Fn(&T) -> bool,
    ) -> Result<f64, Error> {
        Ok(self.distribution(element)?.probability_that(test))
    }

    /// Returns the expectation of `function`, a function of the target's value.
    ///
    /// **Errors.** [`Error::UnknownElement`] if `element` is no target; [`Error::NotInAnswer`] if the answer consists of bounds or of a world.
    pub fn expectation<T: Value>(
        &self,
        element: &Element<T>,
        function: impl Fn(&T) -> f64,
    ) -> Result<f64, Error> {
        Ok(self.distribution(element)?.expectation(function))
    }

    /// Returns the mean of a numeric target.
    ///
    /// **Errors.** [`Error::UnknownElement`] if `element` is no target; [`Error::NotInAnswer`] if the answer consists of bounds or of a world.
    pub fn mean<T: Value + ToPrimitive>(&self, element: &Element<T>) -> Result<f64, Error> {
        if let Some(mixture) = self.closed_form(element.erased()) {
            return Ok(mixture.mean());
        }
        Ok(self.distribution(element)?.mean())
    }

    /// Returns the variance of a numeric target.
    ///
    /// **Errors.** [`Error::UnknownElement`] if `element` is no target; [`Error::NotInAnswer`] if the answer consists of bounds or of a world.
    pub fn variance<T: Value + ToPrimitive>(&self, element: &Element<T>) -> Result<f64, Error> {
        if let Some(mixture) = self.closed_form(element.erased()) {
            return Ok(mixture.variance());
        }
        Ok(self.distribution(element)?.variance())
    }

    /// Returns the standard error of [`probability`](Self::probability); zero if the probability is exact.
    pub fn standard_error<T: Value>(&self, element: &Element<T>, value: &T) -> Result<f64, Error> {
        Ok(self.single_values(element)?.standard_error(value))
    }

    /// Returns the most likely value of the target `element`. If the answer consists of bounds, the bounds must prove that one value is the most
    /// likely. If the answer is a world, the element need not be a target, and the result is its value in the world.
    ///
    /// **Errors.** [`Error::NoRepeatedValue`] in the same case as for [`probability`](Self::probability); [`Error::UnknownElement`] if the
    /// element is not part of the world.
    pub fn most_likely_value<T: Value>(&self, element: &Element<T>) -> Result<T, Error> {
        let value = match &self.content {
            AnswerContent::World(values, ..) => values
                .get(&element.erased().id())
                .and_then(|(_, value)| value.get::<T>().cloned()),
            AnswerContent::Marginals(..) => {
                self.single_values(element)?.most_likely_value().cloned()
            }
            AnswerContent::Bounds(..) => self.surely_most_likely(element)?,
        };
        value.ok_or_else(|| Error::not_in_world(element.label()))
    }

    /// Returns the natural logarithm of the joint probability of the world of this answer and the evidence.
    ///
    /// **Errors.** [`Error::NotInAnswer`] if the answer consists of marginals or bounds.
    pub fn log_probability(&self) -> Result<f64, Error> {
        Ok(self.known()?.0)
    }

    /// Returns an upper bound of the log-probabilities of all worlds. If the world of the answer is known to be the most probable world, the upper
    /// bound is its [`log_probability`](Self::log_probability).
    ///
    /// **Errors.** [`Error::NotInAnswer`] if the answer consists of marginals or bounds.
    pub fn upper_bound(&self) -> Result<f64, Error> {
        let (log_probability, improvements) = self.known()?;
        let bound = improvements.last().map(|last| last.upper_bound);
        Ok(bound.map_or(log_probability, |bound| bound.max(log_probability)))
    }

    /// True if it is proven, up to rounding, that no world is more probable than the world in this answer.
    ///
    /// **Errors.** [`Error::NotInAnswer`] if the answer consists of marginals or bounds.
    pub fn is_proven(&self) -> Result<bool, Error> {
        let (bound, log_probability) = (self.upper_bound()?, self.log_probability()?);
        Ok(bound - log_probability <= 1e-9 * (1.0 + log_probability.abs()))
    }

    /// Returns the progress of the search for the world: an entry for each better world that was found, for some decreases of the upper bound, and
    /// for the end of the search. The list is empty if the algorithm found the world without a search.
    ///
    /// **Errors.** [`Error::NotInAnswer`] if the answer consists of marginals or bounds.
    pub fn improvements(&self) -> Result<&[Improvement], Error> {
        Ok(self.known()?.1)
    }

    fn known(&self) -> Result<(f64, &[Improvement]), Error> {
        match &self.content {
            AnswerContent::World(_, log_probability, improvements) => {
                Ok((*log_probability, improvements))
            }
            AnswerContent::Marginals(..) | AnswerContent::Bounds(..) => {
                Err(self.missing_content_error("world", "use MpeVariableElimination"))
            }
        }
    }

    /// Returns the logarithm of the probability of the evidence, with its standard error.
    ///
    /// **Errors.** [`Error::NotInAnswer`] if the algorithm does not compute the probability of the evidence, or computes only bounds.
    pub fn log_evidence(&self) -> Result<LogEvidence, Error> {
        match self.content {
            AnswerContent::Marginals(_, Some(log_evidence)) => Ok(log_evidence),
            AnswerContent::Bounds(..) => Err(self.missing_content_error(
                "probability of evidence that is a single number",
                "ask for `log_evidence_bounds`",
            )),
            AnswerContent::Marginals(_, None) | AnswerContent::World(..) => Err(self
                .missing_content_error(
                    "probability of evidence",
                    "use VariableElimination or ImportanceSampling",
                )),
        }
    }
}
