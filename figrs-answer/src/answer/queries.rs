//! Queries of an answer about one element: probabilities, expectations, values and distributions in closed form.

use figrs_core::{AnyElement, Element, Value};
use num_traits::ToPrimitive;

use super::closed_form::{ClosedForm, RealTargets};
use super::contents::{Answer, AnswerContent, LogEvidence, TargetMarginal};
use super::estimate::Estimate;
use super::family_mixture::FamilyMixture;
use super::marginal::Marginal;
use super::normal_mixture::NormalMixture;
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
    /// other elements. To keep the dependence between several targets, query one target that is their [`tuple`](figrs_core::tuple).
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
    /// **Errors.** [`Error::NoRepeatedValue`] if the target is a floating-point number and no two of its draws are equal; [`Error::UnknownElement`]
    /// if the element is not part of the world.
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

    /// Returns the progress of the search for the most probable world: an entry for each better world that was found, for some decreases of the upper
    /// bound, and for the end of the search. The list is empty if the algorithm found the world without a search.
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

    /// Returns the distribution of a real target in closed form.
    ///
    /// **Errors.** [`Error::UnknownElement`] if `element` is no target; [`Error::NotInAnswer`] if the algorithm did not compute the target in closed
    /// form.
    ///
    /// ```
    /// # use figrs_core::{Model, Normal, Variance};
    /// # use figrs_infer::{Exact, Run};
    /// let level = Normal::new(0.0, Variance(4.0));
    /// let reading = Normal::new(&level, Variance(1.0));
    /// let answer = Exact::new().run(&Model::new().observe(&reading, 2.0), &level)?;
    /// let level = answer.mixture(&level)?;
    /// assert!((level.mean() - 1.6).abs() < 1e-12 && (level.variance() - 0.8).abs() < 1e-12);
    /// # Ok::<(), figrs_infer::Error>(())
    /// ```
    pub fn mixture<T: Value>(&self, element: &Element<T>) -> Result<&NormalMixture, Error> {
        match self.closed_form(element.erased()) {
            Some(ClosedForm::Normal(mixture)) => return Ok(mixture),
            Some(ClosedForm::Moments(_)) => {
                return Err(self.missing_content_error(
                    "distribution in closed form, because a comparison restricts a number on which the target depends",
                    "ask for its `mean` and its `variance`, or draw samples",
                ));
            }
            Some(ClosedForm::Family(_)) => {
                return Err(self.missing_content_error(
                    "normal distribution of a parameter of another family",
                    "ask for its `family_mixture`",
                ));
            }
            None => self.target(element)?,
        };
        Err(self.missing_content_error(
            "distribution in closed form",
            "ask for the `distribution`, or use Exact on a model that is linear and normal",
        ))
    }

    /// Returns the covariance matrix of a list of real numbers, row by row. To get the joint covariance of several elements, make one list element of
    /// them by `inject`, and query this list.
    ///
    /// **Errors.** [`Error::UnknownElement`] if `list` is no target; [`Error::NotInAnswer`] if the algorithm did not compute the target in closed form,
    /// or if the target is a parameter with a conjugate prior.
    ///
    /// ```
    /// # use figrs_core::{Model, Normal, Variance, inject};
    /// # use figrs_infer::{Exact, Run};
    /// // A reading of the sum of two numbers makes them depend on each other.
    /// let (a, b) = (Normal::new(0.0, Variance(1.0)), Normal::new(0.0, Variance(2.0)));
    /// let model = Model::new().observe(&Normal::new(&(&a + &b), Variance(1.0)), 3.0);
    /// let both = inject([&a, &b]);
    /// let answer = Exact::new().run(&model, &both)?;
    /// let covariance = answer.covariance(&both)?;
    /// assert!((covariance[0][1] + 0.5).abs() < 1e-12);
    /// # Ok::<(), figrs_infer::Error>(())
    /// ```
    pub fn covariance(&self, list: &Element<Vec<f64>>) -> Result<Vec<Vec<f64>>, Error> {
        match self.closed_form(list.erased()) {
            Some(ClosedForm::Normal(mixture) | ClosedForm::Moments(mixture)) => {
                return Ok(mixture.covariance());
            }
            Some(ClosedForm::Family(_)) => {
                return Err(self.missing_content_error(
                    "covariance of a parameter with a conjugate prior",
                    "ask for its `family_mixture`",
                ));
            }
            None => self.target(list)?,
        };
        Err(self.missing_content_error(
            "covariance in closed form",
            "average the products of the numbers over its `distribution`, or use Exact on a model that is linear and normal",
        ))
    }

    /// Returns the distribution of a parameter with a conjugate prior, or of a normal number that comparisons restrict to an interval.
    ///
    /// **Errors.** [`Error::UnknownElement`] if `element` is no target; [`Error::NotInAnswer`] if the algorithm did not compute the target in closed
    /// form, or if the target is normal.
    ///
    /// ```
    /// # use figrs_core::{Beta, Flip, Model};
    /// # use figrs_infer::{Exact, Run};
    /// let bias = Beta::new(2.0, 2.0);
    /// let model = (0..10).fold(Model::new(), |model, i| model.observe(&Flip::new(&bias), i < 7));
    /// let answer = Exact::new().run(&model, &bias)?;
    /// let posterior = answer.family_mixture(&bias)?;
    /// assert_eq!(posterior.components().next(), Some((1.0, "Beta(9.0, 5.0)".to_owned())));
    /// assert!((posterior.mean() - 9.0 / 14.0).abs() < 1e-15);
    /// # Ok::<(), figrs_infer::Error>(())
    /// ```
    pub fn family_mixture<T: Value>(&self, element: &Element<T>) -> Result<&FamilyMixture, Error> {
        match self.closed_form(element.erased()) {
            Some(ClosedForm::Family(mixture)) => Ok(mixture),
            Some(ClosedForm::Normal(_) | ClosedForm::Moments(_)) => Err(self
                .missing_content_error(
                    "family of a parameter, because the target is a function of normal elements",
                    "ask for its `mixture`, or for its `mean` and its `variance`",
                )),
            None => {
                self.target(element)?;
                Err(self.missing_content_error(
                    "distribution in closed form",
                    "ask for the `distribution`, or use Exact on a parameter with a conjugate prior",
                ))
            }
        }
    }

    /// True if the answer contains approximate distributions of real targets.
    #[doc(hidden)]
    pub fn has_approximate_mixtures(&self) -> bool {
        let estimate = self.reals.estimate.as_ref();
        estimate.is_some_and(|estimate| !matches!(estimate, Estimate::Exact))
    }

    /// Returns the closed-form distribution of a real target, if the answer has one.
    #[doc(hidden)]
    pub fn closed_form(&self, element: &AnyElement) -> Option<&ClosedForm> {
        self.reals.get(element)
    }

    /// Adds to the answer the distributions of real targets in closed form.
    #[must_use]
    #[doc(hidden)]
    pub fn with_mixtures(
        mut self,
        mixtures: Vec<(AnyElement, ClosedForm)>,
        estimate: Estimate,
    ) -> Self {
        self.reals = RealTargets::new(mixtures, estimate);
        self
    }
}
