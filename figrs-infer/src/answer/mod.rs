//! Answers of algorithms: marginals, bounds, or one world.

pub(crate) mod bounds;
pub(crate) mod chain_error;
mod describe;
pub(crate) mod draws;
pub(crate) mod estimate;
pub(crate) mod group_error;
pub(crate) mod marginal;
pub(crate) mod numeric;
pub(crate) mod posterior;
pub(crate) mod quality;
pub(crate) mod quantiles;
pub(crate) mod run_statistics;
pub(crate) mod value_names;
pub(crate) mod world;

use figrs_core::{AnyElement, Datum, Element, ElementId, Support, Value};
use num_traits::ToPrimitive;
use rustc_hash::FxHashMap;

use crate::answer::bounds::{Bounds, Deepening, TargetBounds};
use crate::answer::draws::Draws;
use crate::answer::estimate::Estimate;
use crate::answer::marginal::Marginal;
use crate::answer::run_statistics::Sampling;
use crate::error::Error;
use crate::quality::diagnosis::ChoiceAgreement;

/// The marginal of one target, without its type.
#[derive(Clone, Debug)]
pub struct TargetMarginal {
    /// The target.
    pub element: AnyElement,
    /// Its values.
    pub support: Support,
    /// The probability of each.
    pub probabilities: Vec<f64>,
    /// Source of the probabilities, with their errors.
    pub estimate: Estimate,
}

/// A value of the log-evidence, and its standard error where it is an estimate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogEvidence {
    /// The natural logarithm of the probability of the evidence times its soft weights.
    pub value: f64,
    /// The standard error of `value`; zero where exact.
    pub standard_error: f64,
}

/// State of a search for the most probable world at some time: best world, bound, work.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Improvement {
    /// Work done by then, in units of the search's budget.
    pub work: u64,
    /// The natural logarithm of the probability of the best world known then.
    pub log_probability: f64,
    /// No world has a probability whose natural logarithm is larger.
    pub upper_bound: f64,
}

#[derive(Clone, Debug)]
pub(crate) enum AnswerContent {
    /// The log-evidence where the algorithm knows it.
    Marginals(Vec<TargetMarginal>, Option<LogEvidence>),
    Bounds(Vec<TargetBounds>, Bounds),
    World(
        FxHashMap<ElementId, (AnyElement, Datum)>,
        f64,
        Vec<Improvement>,
    ),
}

/// The answer of an algorithm to one query, read by element.
#[derive(Clone, Debug)]
pub struct Answer {
    algorithm: &'static str,
    pub(crate) content: AnswerContent,
    pub(crate) deepening: Option<Deepening>,
    pub(crate) sampling: Option<Sampling>,
    pub(crate) draws: Option<Draws>,
    pub(crate) choices: Option<ChoiceAgreement>,
    pub(crate) is_checked: bool,
}

impl Answer {
    /// An answer that consists of marginals of the targets, and of the log-evidence where the algorithm knows it.
    pub fn marginals(
        algorithm: &'static str,
        marginals: Vec<TargetMarginal>,
        log_evidence: impl Into<Option<LogEvidence>>,
    ) -> Self {
        Self {
            algorithm,
            content: AnswerContent::Marginals(marginals, log_evidence.into()),
            deepening: None,
            sampling: None,
            draws: None,
            choices: None,
            is_checked: false,
        }
    }

    /// An answer that consists of bounds of the targets' probabilities and of the log-evidence.
    pub fn bounded_marginals(
        algorithm: &'static str,
        targets: Vec<TargetBounds>,
        log_evidence: Bounds,
    ) -> Self {
        Self {
            algorithm,
            content: AnswerContent::Bounds(targets, log_evidence),
            deepening: None,
            sampling: None,
            draws: None,
            choices: None,
            is_checked: false,
        }
    }

    /// Attaches the end and the depth of the deepening to the answer.
    #[must_use]
    pub fn with_deepening(mut self, deepening: Deepening) -> Self {
        self.deepening = Some(deepening);
        self
    }

    /// Attaches the run statistics of a sampler to the answer.
    #[must_use]
    pub fn with_sampling(mut self, sampling: Sampling) -> Self {
        self.sampling = Some(sampling);
        self
    }

    /// True if [`SelfChecked`](crate::SelfChecked) has verified it.
    pub fn is_checked(&self) -> bool {
        self.is_checked
    }

    /// Attaches the draws to the answer.
    #[must_use]
    pub fn with_draws(mut self, draws: Draws) -> Self {
        self.draws = Some(draws);
        self
    }

    /// Attaches the mixing measures of the choices of chains to the answer.
    pub(crate) fn with_choices(mut self, choices: ChoiceAgreement) -> Self {
        self.choices = Some(choices);
        self
    }

    /// An answer that is one world with the natural logarithm of its probability.
    pub fn world(
        algorithm: &'static str,
        values: impl IntoIterator<Item = (AnyElement, Datum)>,
        log_probability: f64,
    ) -> Self {
        Self::searched_world(algorithm, values, log_probability, Vec::new())
    }

    /// An answer that is one world with the natural logarithm of its probability, and the improvements of the search for
    /// it, the last at its end; without improvements the world is known to be the best.
    pub fn searched_world(
        algorithm: &'static str,
        values: impl IntoIterator<Item = (AnyElement, Datum)>,
        log_probability: f64,
        improvements: Vec<Improvement>,
    ) -> Self {
        let values = values.into_iter().map(|(e, v)| (e.id(), (e, v)));
        Self {
            algorithm,
            content: AnswerContent::World(values.collect(), log_probability, improvements),
            deepening: None,
            sampling: None,
            draws: None,
            choices: None,
            is_checked: false,
        }
    }

    /// The algorithm that answered.
    pub fn algorithm(&self) -> &'static str {
        self.algorithm
    }

    /// The error of an answer that does not hold the content asked for.
    pub(crate) fn has_no(&self, asked: &'static str, remedy: &'static str) -> Error {
        Error::NotInAnswer {
            algorithm: self.algorithm,
            asked,
            remedy,
        }
    }

    /// The marginal of a target; an error where only bounds are known.
    fn target<T: Value>(&self, element: &Element<T>) -> Result<&TargetMarginal, Error> {
        let marginals = match &self.content {
            AnswerContent::Marginals(marginals, _) => marginals,
            AnswerContent::Bounds(..) => {
                return Err(self.has_no(
                    "probabilities that are single numbers",
                    "ask for `bounds` or `bounds_that`",
                ));
            }
            AnswerContent::World(..) => {
                return Err(self.has_no(
                    "distribution",
                    "ask for the most likely value, or another algorithm for marginals",
                ));
            }
        };
        let id = element.erased().id();
        let target = marginals.iter().find(|target| target.element.id() == id);
        target.ok_or_else(|| Error::NotATarget {
            element: element.label(),
        })
    }

    /// The distribution of a target; an error where only bounds are known.
    pub fn distribution<T: Value>(&self, element: &Element<T>) -> Result<Marginal<T>, Error> {
        let target = self.target(element)?;
        let Some(values) = target.support.values::<T>() else {
            return Err(Error::NotATarget {
                element: element.label(),
            });
        };
        Ok(Marginal::new(
            values.cloned().collect(),
            target.probabilities.clone(),
            target.estimate.clone(),
        ))
    }

    /// The distribution of a target, if draws repeat its values.
    fn single_values<T: Value>(&self, element: &Element<T>) -> Result<Marginal<T>, Error> {
        if self.target(element)?.never_repeats() {
            return Err(Error::NoRepeatedValue {
                element: element.label(),
            });
        }
        self.distribution(element)
    }

    /// The probability that a target has a value.
    ///
    /// **Errors.** [`Error::NoRepeatedValue`] if the target is a floating-point number, or a list of such, and no two draws of it are
    /// the same, as where it is continuous: ask [`probability_that`](Self::probability_that) it lies between two numbers.
    pub fn probability<T: Value>(&self, element: &Element<T>, value: &T) -> Result<f64, Error> {
        Ok(self.single_values(element)?.probability(value))
    }

    /// The probability that a target's value passes a test.
    ///
    /// **Errors.** [`Error::NotATarget`]; [`Error::NotInAnswer`] if the answer consists of bounds or of a world.
    pub fn probability_that<T: Value>(
        &self,
        element: &Element<T>,
        test: impl Fn(&T) -> bool,
    ) -> Result<f64, Error> {
        Ok(self.distribution(element)?.probability_that(test))
    }

    /// The expectation of a function of a target's value.
    ///
    /// **Errors.** [`Error::NotATarget`]; [`Error::NotInAnswer`] if the answer consists of bounds or of a world.
    pub fn expectation<T: Value>(
        &self,
        element: &Element<T>,
        function: impl Fn(&T) -> f64,
    ) -> Result<f64, Error> {
        Ok(self.distribution(element)?.expectation(function))
    }

    /// The mean of a numeric target.
    ///
    /// **Errors.** [`Error::NotATarget`]; [`Error::NotInAnswer`] if the answer consists of bounds or of a world.
    pub fn mean<T: Value + ToPrimitive>(&self, element: &Element<T>) -> Result<f64, Error> {
        Ok(self.distribution(element)?.mean())
    }

    /// The variance of a numeric target.
    ///
    /// **Errors.** [`Error::NotATarget`]; [`Error::NotInAnswer`] if the answer consists of bounds or of a world.
    pub fn variance<T: Value + ToPrimitive>(&self, element: &Element<T>) -> Result<f64, Error> {
        Ok(self.distribution(element)?.variance())
    }

    /// The standard error of [`probability`](Self::probability); zero where exact.
    pub fn standard_error<T: Value>(&self, element: &Element<T>, value: &T) -> Result<f64, Error> {
        Ok(self.single_values(element)?.standard_error(value))
    }

    /// From marginals: the most likely value of a target; from bounds the same if they decide it. From a world: the value of any element in it.
    ///
    /// **Errors.** [`Error::NoRepeatedValue`] as for [`probability`](Self::probability); [`Error::NotInWorld`].
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
        value.ok_or_else(|| Error::NotInWorld {
            element: element.label(),
        })
    }

    /// The natural logarithm of the probability of this world and the evidence.
    ///
    /// **Errors.** [`Error::NotInAnswer`] if the answer consists of marginals or bounds.
    pub fn log_probability(&self) -> Result<f64, Error> {
        Ok(self.known()?.0)
    }

    /// A number that the log-probability of no world exceeds; for an exact answer its own
    /// [`log_probability`](Self::log_probability).
    ///
    /// **Errors.** [`Error::NotInAnswer`] if the answer consists of marginals or bounds.
    pub fn upper_bound(&self) -> Result<f64, Error> {
        let (log_probability, improvements) = self.known()?;
        let bound = improvements.last().map(|last| last.upper_bound);
        Ok(bound.map_or(log_probability, |bound| bound.max(log_probability)))
    }

    /// True if it is proven, up to rounding, that no world is more probable than this one.
    ///
    /// **Errors.** [`Error::NotInAnswer`] if the answer consists of marginals or bounds.
    pub fn is_proven(&self) -> Result<bool, Error> {
        let (bound, log_probability) = (self.upper_bound()?, self.log_probability()?);
        Ok(bound - log_probability <= 1e-9 * (1.0 + log_probability.abs()))
    }

    /// State of the search whenever it had found a better world, and at its end; empty if there was no search.
    ///
    /// **Errors.** [`Error::NotInAnswer`] if the answer consists of marginals or bounds.
    pub fn improvements(&self) -> Result<&[Improvement], Error> {
        Ok(self.known()?.1)
    }

    /// The log-probability of the world, and the improvements of the search for it.
    fn known(&self) -> Result<(f64, &[Improvement]), Error> {
        match &self.content {
            AnswerContent::World(_, log_probability, improvements) => {
                Ok((*log_probability, improvements))
            }
            AnswerContent::Marginals(..) | AnswerContent::Bounds(..) => {
                Err(self.has_no("world", "use MpeVariableElimination"))
            }
        }
    }

    /// The probability of the evidence, as a logarithm, with its standard error.
    ///
    /// **Errors.** [`Error::NotInAnswer`] if the algorithm does not know it, or knows bounds only.
    pub fn log_evidence(&self) -> Result<LogEvidence, Error> {
        match self.content {
            AnswerContent::Marginals(_, Some(log_evidence)) => Ok(log_evidence),
            AnswerContent::Bounds(..) => Err(self.has_no(
                "probability of evidence that is a single number",
                "ask for `log_evidence_bounds`",
            )),
            AnswerContent::Marginals(_, None) | AnswerContent::World(..) => Err(self.has_no(
                "probability of evidence",
                "use VariableElimination or ImportanceSampling",
            )),
        }
    }

    /// Summary in one line: the probability of `true` or of the most likely value, and its quality: exact, bounds, or one
    /// standard error (SE) with the effective sample size (ESS), and a warning if that is below ten. Of floating-point
    /// numbers of which no two draws are the same it is the mean and the standard deviation, with the standard error of the
    /// mean (MCSE).
    pub fn summary<T: Value>(&self, element: &Element<T>) -> Result<String, Error> {
        if let AnswerContent::World(_, log_probability, _) = &self.content {
            let value = self.most_likely_value(element)?;
            let quality = if self.is_proven()? {
                format!("most probable world (log-probability {log_probability:.4})")
            } else {
                let bound = self.upper_bound()?;
                let others = if bound.is_finite() {
                    format!("none is above {bound:.4}")
                } else {
                    "no bound is known".into()
                };
                format!("best world found (log-probability {log_probability:.4}, {others})")
            };
            return Ok(format!("{value:?} in the {quality}"));
        }
        if let Some(target) = self.bounded(element)? {
            return Ok(target.summary(self.deepening));
        }
        let summary = self.target(element)?.summary();
        summary.ok_or_else(|| Error::NotInWorld {
            element: element.label(),
        })
    }
}
