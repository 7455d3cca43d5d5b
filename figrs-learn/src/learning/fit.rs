//! The result of learning parameters from data.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use figrs_core::{AnyElement, Datum, Element, ElementId, Model, Value};
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::case_rows::CaseRows;
use super::cases::{CaseColumns, Cases};
use super::learner::Learner;
use super::observed_information::StandardErrors;
use super::rounds::{Rounds, numbers};
use figrs_answer::{Error, guarded};
use figrs_factor::Stopped;

/// Learned values of the parameters of a model, as the result of learning from data.
///
/// The printed text of a `Fit` has the learned values, their standard errors if they have been computed, the log-likelihoods of some rounds, and the
/// reason why the rounds ended.
///
/// A `Fit` (result of learning) can learn from further rows of data without processing the earlier rows again ([`update`](Self::update)).
#[derive(Clone, Debug)]
pub struct Fit {
    pub(super) model: Model,
    pub(super) parameters: IndexMap<ElementId, (AnyElement, Datum), FxBuildHasher>,
    pub(super) log_likelihoods: Vec<f64>,
    pub(super) ended: Stopped,
    pub(super) starts: Vec<f64>,
    pub(super) rows: Arc<CaseRows>,
    /// The expected counts of all rows of data from which the parameters were learned.
    pub(super) counts: Vec<f64>,
    pub(super) standard_errors: Option<StandardErrors>,
    /// The model prepared for learning; clones of the `Fit` share the prepared model.
    pub(super) learner: Arc<Mutex<Learner>>,
}

impl Fit {
    pub(super) fn new(
        model: &Model,
        learner: Arc<Mutex<Learner>>,
        (rounds, starts): (Rounds, Vec<f64>),
        rows: Arc<CaseRows>,
        standard_errors: Option<StandardErrors>,
    ) -> Self {
        let elements: Vec<AnyElement> = {
            let learner = learner.lock().unwrap_or_else(PoisonError::into_inner);
            let learned = learner.step.outcomes().learned().iter();
            learned.map(|learned| learned.element.clone()).collect()
        };
        let parameters = elements.into_iter().zip(rounds.last.values);
        Self {
            model: model.clone(),
            parameters: parameters.map(|(e, value)| (e.id(), (e, value))).collect(),
            rows,
            log_likelihoods: rounds.log_likelihoods,
            ended: rounds.ended.unwrap_or(Stopped::Interrupted),
            starts,
            counts: rounds.last.counts,
            standard_errors,
            learner,
        }
    }

    /// Returns the learned value of `parameter`.
    ///
    /// **Errors.** [`Error::UnknownElement`] if no random variable in the data depends on `parameter`.
    pub fn value<T: Value>(&self, parameter: &Element<T>) -> Result<T, Error> {
        let found = self.parameters.get(&parameter.erased().id());
        let value = found.and_then(|(_, value)| value.get::<T>());
        value
            .cloned()
            .ok_or_else(|| Error::not_learned(parameter.label()))
    }

    /// Returns the model with each parameter at its learned value; any algorithm can query this model.
    pub fn model(&self) -> Model {
        let parameters = self.parameters.values();
        parameters.fold(self.model.clone(), |model, (element, value)| {
            model.intervene_any(element, value.clone())
        })
    }

    /// Returns the standard errors of the learned values, computed from the observed information.
    ///
    /// If the counts are exact and the parameters have at most 16 free numbers, the standard errors have already been computed at the end of
    /// learning. With more free numbers, each call of this method takes two evaluations of all rows of data for each free number.
    ///
    /// **Errors.** [`Error::NoStandardErrors`] if the counts are not exact, or if the parameters have more than 2000 free numbers.
    ///
    /// ```
    /// # use figrs_core::{Flip, Learned, Model};
    /// # use figrs_infer::JunctionTree;
    /// # use figrs_learn::{Cases, ExpectationMaximization};
    /// let bias = Learned::beta("bias", 1.0, 1.0);
    /// let throw = Flip::new(&bias);
    /// let cases = Cases::new(&throw).weighted_rows([(30.0, true), (70.0, false)]);
    /// let fit = ExpectationMaximization::new(JunctionTree::new()).fit(&Model::new(), &cases)?;
    /// let error = fit.standard_errors()?.of(&bias)?[0];
    /// assert!((error.unwrap_or(0.0) - (0.3 * 0.7 / 100.0f64).sqrt()).abs() < 1e-8);
    /// # Ok::<(), figrs_infer::Error>(())
    /// ```
    pub fn standard_errors(&self) -> Result<StandardErrors, Error> {
        match &self.standard_errors {
            Some(errors) => Ok(errors.clone()),
            None => guarded(|| {
                let learner = self.learner();
                learner.standard_errors(&*learner.step, &self.rows)
            }),
        }
    }

    /// Learns from the further rows of data `cases`, which have the same columns as the first rows, by incremental expectation-maximisation. The
    /// expected counts of the new rows at the present parameter values are added to the counts of all earlier rows, and the parameters are set to the
    /// most likely values for the sum. The update does not visit earlier rows of data again. Returns the log-likelihood of the new rows of data at
    /// the previous parameter values.
    ///
    /// If all outcomes that depend on the parameters are observed, and no random variable reads several parameters, the update gives the same values
    /// as learning from all rows of data together. For standard errors, a `Fit` (result of learning) stores all distinct rows of data. An update does
    /// not change the recorded log-likelihoods, which belong to the data from which the parameters were learned first.
    ///
    /// **Errors.** [`Error::CannotLearnFrom`] if a random variable has no column in the first data; [`Error::InvalidCase`] if a row has a value that
    /// its variable cannot have; the errors of the algorithm for the expectation step. After an error in the update, the learned values are
    /// unchanged.
    ///
    /// **References.** Neal and Hinton, *A view of the EM algorithm that justifies incremental, sparse, and other variants*, in: Learning in
    /// Graphical Models, 1998.
    ///
    /// ```
    /// # use figrs_core::{Learned, Model, Select};
    /// # use figrs_infer::JunctionTree;
    /// # use figrs_learn::{Cases, ExpectationMaximization};
    /// let mix = Learned::dirichlet("mix", [2.0, 2.0, 2.0]);
    /// let choice = Select::by(&mix, ["a", "b", "c"]);
    /// let learner = ExpectationMaximization::new(JunctionTree::new()).map_estimate();
    /// let mut fit = learner.fit(&Model::new(), &Cases::new(&choice).rows(["a"; 100]))?;
    /// for _ in 0..100 {
    ///     fit.update(&Cases::new(&choice).rows(["b"]))?;
    /// }
    /// assert!((fit.value(&mix)?[0] - 101.0 / 203.0).abs() < 1e-12);
    /// # Ok::<(), figrs_infer::Error>(())
    /// ```
    pub fn update<C: CaseColumns>(&mut self, cases: &Cases<C>) -> Result<f64, Error> {
        if let Some(mistake) = &cases.mistake {
            return Err(mistake.clone());
        }
        guarded(|| {
            let shared = self.learner.clone();
            let mut learner = self.set_to_values(&shared);
            let all = (&mut self.counts, Arc::make_mut(&mut self.rows));
            let log_likelihood = learner.update(&cases.table, all)?;
            self.standard_errors = None;
            for ((_, known), value) in self.parameters.values_mut().zip(learner.values()) {
                *known = value;
            }
            Ok(log_likelihood)
        })
    }

    /// Returns the model prepared for learning, after setting its parameters to the learned values.
    pub(super) fn learner(&self) -> MutexGuard<'_, Learner> {
        self.set_to_values(&self.learner)
    }

    fn set_to_values<'a>(&self, learner: &'a Mutex<Learner>) -> MutexGuard<'a, Learner> {
        let learner = learner.lock().unwrap_or_else(PoisonError::into_inner);
        learner.set(self.parameters.values().map(|(_, value)| value));
        learner
    }

    /// Returns the natural logarithm of the likelihood of all rows of data at the learned values, or the algorithm's approximation of this logarithm
    /// ([`ExpectedCounts`](crate::ExpectedCounts)); NaN if the algorithm computes no approximation.
    pub fn log_likelihood(&self) -> f64 {
        self.log_likelihoods.last().copied().unwrap_or(0.0)
    }

    /// Returns the log-likelihood before the first round of expectation-maximisation and after each round; NaN if the algorithm of the expectation
    /// step computes no log-likelihood.
    pub fn log_likelihoods(&self) -> &[f64] {
        &self.log_likelihoods
    }

    /// Returns the number of rounds of expectation-maximisation.
    pub fn rounds(&self) -> u64 {
        self.log_likelihoods.len() as u64 - 1
    }

    /// Returns the last log-likelihood of each start of expectation-maximisation or, with
    /// [`map_estimate`](crate::ExpectationMaximization::map_estimate), the last log-posterior.
    pub fn starts(&self) -> &[f64] {
        &self.starts
    }

    /// Returns the reason why the rounds of expectation-maximisation ended: [`Finished`](Stopped::Finished) if they converged,
    /// [`Budget`](Stopped::Budget) if the maximum number of rounds was reached.
    pub fn ended(&self) -> Stopped {
        self.ended
    }

    fn write_parameters(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |element: &AnyElement| element.label().name.unwrap_or_default();
        let names = self
            .parameters
            .values()
            .map(|(e, _)| name(e).chars().count());
        let width = names.max().unwrap_or(0);
        for (element, value) in self.parameters.values() {
            let errors = self.standard_errors.as_ref();
            let errors = errors.and_then(|errors| errors.of_any(element));
            let text = |(i, x): (usize, &f64)| match errors.and_then(|errors| errors[i]) {
                Some(error) => format!("{x:.6} ± {error:.6}"),
                None => format!("{x:.6}"),
            };
            let numbers: Vec<String> = numbers(value).iter().enumerate().map(text).collect();
            writeln!(f, "{:width$}  {}", name(element), numbers.join("  "))?;
        }
        let errors = self.standard_errors.iter();
        let unidentified: Vec<String> = errors
            .flat_map(StandardErrors::unidentified)
            .map(ToString::to_string)
            .collect();
        if !unidentified.is_empty() {
            writeln!(
                f,
                "not identified by the cases: {}",
                unidentified.join(", ")
            )?;
        }
        Ok(())
    }
}

/// True if the printed text of a `Fit` shows the log-likelihood of the round `round`: for the rounds 0, 1, 2, 5, 10, 20, 50 and so on.
fn is_shown(round: usize) -> bool {
    let mut leading = round;
    while leading >= 10 && leading.is_multiple_of(10) {
        leading /= 10;
    }
    matches!(leading, 0 | 1 | 2 | 5)
}

impl fmt::Display for Fit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_parameters(f)?;
        let last = self.log_likelihoods.len().saturating_sub(1);
        for (round, log_likelihood) in self.log_likelihoods.iter().enumerate() {
            if log_likelihood.is_nan() && round == last {
                writeln!(f, "round {round:>4}  no log-likelihood")?;
            } else if !log_likelihood.is_nan() && (is_shown(round) || round == last) {
                writeln!(f, "round {round:>4}  log-likelihood {log_likelihood:.6}")?;
            }
        }
        f.write_str(match self.ended {
            Stopped::Finished => "converged",
            Stopped::Budget => "ended by the number of rounds",
            Stopped::Deadline => "ended by the deadline",
            Stopped::Interrupted => "interrupted",
        })?;
        match self.starts.len() {
            0 | 1 => Ok(()),
            starts => write!(f, "; the best of {starts} starts"),
        }
    }
}
