//! The policy of a decision, fitted to draws of a sampler.

use std::any::Any;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use figrs_core::{AnyElement, Datum, Model, Value};

use super::fitted_policy::FittedPolicy;
use super::known_space::KnownPlace;
use super::utility_estimate::UtilityEstimate;
use figrs_answer::answer::text_table::{TableAlignment, write_table};
use figrs_answer::answer::value_names::{distinct_names, text};
use figrs_answer::{Error, guarded};

/// The option that a decision chooses for given values of the random variables that are known when the decision is made. The utilities of the options
/// are estimated from the draws with the nearest known values.
///
/// The printed text of a policy is a table. If all known values are matched exactly, the table has a row for each combination of known values;
/// otherwise the rows have the known values of some of the draws.
#[derive(Clone, Debug)]
pub struct SampledPolicy<T> {
    fitted: Arc<FittedPolicy>,
    known: Vec<AnyElement>,
    rows: Vec<SampledPolicyRow<T>>,
    options: PhantomData<fn() -> T>,
}

/// One row of a [`SampledPolicy`]: known values and the best option.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SampledPolicyRow<T> {
    /// The value of each known random variable, in the order of [`SampledPolicy::known`].
    pub known: Vec<Datum>,
    /// The option with the largest estimated expected utility.
    pub choose: T,
    /// Estimate of the expected sum of all utilities given the known values of the row and the chosen option. The estimate tends to be too large,
    /// because the chosen option is the one with the largest estimate. In the estimate of a row's utility, earlier decisions have the options that
    /// the row states; earlier decisions without a stated option choose each option with the same probability.
    pub utility: UtilityEstimate,
}

impl<T: Value> SampledPolicy<T> {
    pub(super) fn new(fitted: Arc<FittedPolicy>) -> Self {
        let known = fitted.space.elements.iter();
        let known = known.map(|known| known.element.clone()).collect();
        let rows = fitted.rows().into_iter().filter_map(|row| {
            Some(SampledPolicyRow {
                known: row.known,
                choose: fitted.decision.options.get::<T>(row.option)?.clone(),
                utility: row.utility,
            })
        });
        Self {
            rows: rows.collect(),
            known,
            fitted,
            options: PhantomData,
        }
    }

    /// Returns the random variables that are known when the decision is made.
    pub fn known(&self) -> &[AnyElement] {
        &self.known
    }

    /// Returns the rows of the policy, sorted by the known values. If all known values are matched exactly, the policy has a row for each combination
    /// of values in the draws; otherwise it has a row for each of eight draws, which are evenly spread over all draws.
    pub fn rows(&self) -> &[SampledPolicyRow<T>] {
        &self.rows
    }

    /// Returns the option with the largest estimated utility if the known random variables have the values stated in `known`. If no draw has the
    /// known values that must match exactly, the result is the option with the largest mean utility over all draws.
    ///
    /// **Errors.** [`Error::UnknownInformation`] if `known` states no value for a known random variable or states the value of another variable, or
    /// if a value cannot be compared with the drawn values.
    pub fn choice(&self, known: &Model) -> Result<T, Error> {
        guarded(|| {
            let option = self.fitted.choice(&self.place(known)?);
            let option = self.fitted.decision.options.get::<T>(option).cloned();
            option.ok_or_else(|| self.unknown("it has options of another type".into()))
        })
    }

    /// Returns an estimate of the expected sum of all utilities if the decision chooses `choice` and the known random variables have the values
    /// stated in `known`. In the estimate of the utility of `choice`, earlier decisions whose options the decision knows have the stated options;
    /// other earlier decisions choose at random.
    ///
    /// **Errors.** The errors of the method [`choice`](Self::choice); [`Error::UnknownInformation`] if `choice` is not an option, or occurs in no
    /// draw with the stated values.
    pub fn utility_of(&self, known: &Model, choice: &T) -> Result<UtilityEstimate, Error> {
        guarded(|| {
            let option = self.fitted.decision.options.index_of(choice);
            let option = option
                .ok_or_else(|| self.unknown(format!("{choice:?} is not one of its options")))?;
            let utilities = self.fitted.utilities(&self.place(known)?);
            let utility = utilities.get(option).copied().flatten();
            utility.ok_or_else(|| {
                let problem =
                    format!("no draw has these values with the choice {choice:?}; draw more");
                self.unknown(problem)
            })
        })
    }

    fn unknown(&self, problem: String) -> Error {
        Error::UnknownInformation {
            decision: self.fitted.decision.element.label(),
            problem,
        }
    }

    /// Converts the stated values of the known random variables to a class (values matched exactly) and a point (values compared by distance).
    fn place(&self, known: &Model) -> Result<KnownPlace, Error> {
        let mut stated: Vec<Option<&Datum>> = vec![None; self.known.len()];
        for (element, evidence) in known.evidence() {
            let place = self
                .known
                .iter()
                .position(|known| known.id() == element.id());
            let label = element.label();
            let place = place
                .ok_or_else(|| self.unknown(format!("{label} is not known when it is decided")))?;
            let value = evidence
                .observed()
                .ok_or_else(|| self.unknown(format!("{label} is not stated by `observe`")))?;
            if stated[place]
                .replace(value)
                .is_some_and(|other| other != value)
            {
                return Err(self.unknown(format!("{label} is stated to have two values")));
            }
        }
        let mut values: Vec<&dyn Any> = Vec::with_capacity(stated.len());
        for (element, value) in self.known.iter().zip(stated) {
            let value = value.ok_or_else(|| {
                let names = distinct_names(&self.known, &[]).join(", ");
                let label = element.label();
                self.unknown(format!("{label} is not stated; state values of {names}"))
            })?;
            values.push(value.as_any());
        }
        let place = self.fitted.space.place(&values);
        place.map_err(|(of, fault)| self.unknown(format!("{}: {fault}", of.label())))
    }
}

impl<T: Value> fmt::Display for SampledPolicy<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_fitted(f, &self.fitted)
    }
}

pub(super) fn write_fitted(f: &mut fmt::Formatter<'_>, fitted: &FittedPolicy) -> fmt::Result {
    let known = fitted.space.elements.iter().map(|known| &known.element);
    let elements: Vec<AnyElement> = known.chain([&fitted.decision.element]).cloned().collect();
    let mut head = distinct_names(&elements, &["utility"]);
    head.push("utility".into());
    let rows = fitted.rows().into_iter().map(|row| {
        let values = fitted.space.elements.iter().zip(&row.known);
        let mut line: Vec<String> = values.map(|(known, value)| known.text(value)).collect();
        line.push(text(&fitted.decision.options.datum(row.option)));
        line.push(row.utility.to_string());
        line
    });
    let lines: Vec<Vec<String>> = [head].into_iter().chain(rows).collect();
    write_table(f, &lines, TableAlignment::Left)
}
