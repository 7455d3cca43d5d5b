//! The result of learning.

use std::fmt;

use figrs_core::{AnyElement, Datum, Element, Model, Value};

use crate::error::Error;
use crate::run::watch::Stopped;

/// Learned values of the parameters of a model.
///
/// The text of a fit has the values, the log-likelihood, and why it ended.
#[derive(Clone, Debug)]
pub struct Fit {
    model: Model,
    parameters: Vec<(AnyElement, Datum)>,
    log_likelihoods: Vec<f64>,
    ended: Stopped,
}

impl Fit {
    pub(super) fn new(
        model: &Model,
        parameters: Vec<(AnyElement, Datum)>,
        log_likelihoods: Vec<f64>,
        ended: Stopped,
    ) -> Self {
        Self {
            model: model.clone(),
            parameters,
            log_likelihoods,
            ended,
        }
    }

    /// The learned value of a parameter.
    ///
    /// **Errors.** [`Error::NotLearned`] if no element of the cases depends on it.
    pub fn value<T: Value>(&self, parameter: &Element<T>) -> Result<T, Error> {
        let id = parameter.erased().id();
        let mut all = self.parameters.iter();
        let found = all.find(|(element, _)| element.id() == id);
        let value = found.and_then(|(_, value)| value.get::<T>());
        value.cloned().ok_or_else(|| Error::NotLearned {
            element: parameter.label(),
        })
    }

    /// The model that was learned from, with each parameter at its learned value: to be asked with any algorithm.
    pub fn model(&self) -> Model {
        let parameters = self.parameters.iter();
        parameters.fold(self.model.clone(), |model, (element, value)| {
            model.intervene_any(element, value.clone())
        })
    }

    /// The natural logarithm of the likelihood of all cases at the learned values.
    pub fn log_likelihood(&self) -> f64 {
        self.log_likelihoods.last().copied().unwrap_or(0.0)
    }

    /// The log-likelihood before the first round, and after each.
    pub fn log_likelihoods(&self) -> &[f64] {
        &self.log_likelihoods
    }

    /// Number of rounds.
    pub fn rounds(&self) -> u64 {
        self.log_likelihoods.len() as u64 - 1
    }

    /// Reason for the end: [`Finished`](Stopped::Finished) once the rounds converged, [`Budget`](Stopped::Budget) after as many as were allowed.
    pub fn ended(&self) -> Stopped {
        self.ended
    }
}

impl fmt::Display for Fit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |element: &AnyElement| element.label().name.unwrap_or_default();
        let names = self.parameters.iter().map(|(e, _)| name(e).chars().count());
        let width = names.max().unwrap_or(0);
        for (element, value) in &self.parameters {
            let numbers = match value.get::<Vec<f64>>() {
                Some(numbers) => numbers.clone(),
                None => value.get::<f64>().copied().into_iter().collect(),
            };
            let numbers: Vec<String> = numbers.iter().map(|x| format!("{x:.6}")).collect();
            writeln!(f, "{:width$}  {}", name(element), numbers.join(" "))?;
        }
        let end = match self.ended {
            Stopped::Finished => "converged",
            Stopped::Budget => "ended by the number of rounds",
            Stopped::Deadline => "ended by the deadline",
            Stopped::Interrupted => "interrupted",
        };
        let first = self.log_likelihoods.first().copied().unwrap_or(0.0);
        let rounds = match self.rounds() {
            1 => "1 round".to_string(),
            rounds => format!("{rounds} rounds"),
        };
        let last = self.log_likelihood();
        write!(
            f,
            "log-likelihood {last:.6}, from {first:.6} in {rounds}; {end}"
        )
    }
}
