//! Outcomes that parameters decide, and the maximisation of their expected log-likelihood.

use std::ops::Range;

use figrs_core::expand::{Expansion, LearnedParameter, LearnedParameters, ParametricOutcomes};
use figrs_core::internals::{AtomicOp, Kind};
use figrs_core::{AnyElement, Datum, Likelihood, Number};

use super::case_table::CaseTable;
use crate::error::Error;

/// The outcomes that are counted: those of the random elements that parameters decide, and the observed values of densities, one
/// for each different value.
#[derive(Debug)]
pub struct Outcomes {
    learned: LearnedParameters,
    members: Vec<Member>,
    /// By learned parameter: the members that read it.
    readers: Vec<Vec<Reader>>,
    /// By origin of a weight.
    origins: Vec<Origin>,
}

/// An element with its outcomes.
#[derive(Debug)]
struct Member {
    element: AnyElement,
    /// Number of the first outcome.
    first: usize,
    values: Vec<Datum>,
}

/// A member of a family some of whose numbers are those of one learned parameter.
#[derive(Debug)]
struct Reader {
    member: usize,
    numbers: Range<usize>,
}

/// Outcome of a weight with an origin.
#[derive(Clone, Copy, Debug)]
pub(super) enum Origin {
    /// Always this one.
    Outcome(usize),
    /// The value of this column in the row, those of which follow on this outcome.
    Column {
        /// The column.
        column: usize,
        /// The outcome of its first value.
        first: usize,
    },
    /// A density of an element that no column observes.
    Fixed,
}

fn atomic(element: &AnyElement) -> Option<&dyn AtomicOp> {
    match element.kind() {
        Kind::Atomic(op) => Some(&**op),
        _ => None,
    }
}

impl Outcomes {
    /// The outcomes of an expansion; `density_column` tells the column that observes the density of an element.
    ///
    /// **Errors.** [`Error::NothingToLearn`], [`Error::NotLearnable`].
    pub(super) fn new(
        expansion: &Expansion,
        learned: LearnedParameters,
        cases: &CaseTable,
        density_column: impl Fn(usize) -> Option<usize>,
    ) -> Result<Self, Error> {
        check_readers(expansion, &learned)?;
        let mut outcomes = Self {
            readers: learned.iter().map(|_| Vec::new()).collect(),
            learned,
            members: Vec::new(),
            origins: Vec::new(),
        };
        for parametric in expansion.parametric_outcomes() {
            outcomes.add(parametric, cases, density_column(parametric.position))?;
        }
        if outcomes.readers.iter().all(Vec::is_empty) {
            return Err(Error::NothingToLearn);
        }
        Ok(outcomes)
    }

    fn add(
        &mut self,
        parametric: &ParametricOutcomes,
        cases: &CaseTable,
        column: Option<usize>,
    ) -> Result<(), Error> {
        let first = self.len();
        let support = &parametric.support;
        let values = match column {
            Some(column) => {
                self.origins.push(Origin::Column { column, first });
                cases.observed_values(column)?
            }
            None if support.is_empty() => {
                self.origins.push(Origin::Fixed);
                Vec::new()
            }
            None => {
                let outcomes = first..first + support.len();
                self.origins.extend(outcomes.map(Origin::Outcome));
                (0..support.len()).map(|i| support.datum(i)).collect()
            }
        };
        for (at, learned) in self.learned.iter().enumerate() {
            if let Some(numbers) = numbers_of(&parametric.member, learned)? {
                let member = self.members.len();
                self.readers[at].push(Reader { member, numbers });
            }
        }
        self.members.push(Member {
            element: parametric.member.clone(),
            first,
            values,
        });
        Ok(())
    }

    /// Number of outcomes.
    pub(super) fn len(&self) -> usize {
        self.members
            .last()
            .map_or(0, |last| last.first + last.values.len())
    }

    /// The outcome of a weight with an origin.
    pub(super) fn origin(&self, origin: u32) -> Origin {
        self.origins[origin as usize]
    }

    /// The learned parameters.
    pub(super) fn learned(&self) -> &LearnedParameters {
        &self.learned
    }

    /// The natural logarithms of the probabilities of all outcomes, for the present values of the parameters.
    pub(super) fn log_weights(&self) -> Result<Vec<f64>, Error> {
        let mut logs = Vec::with_capacity(self.len());
        for member in &self.members {
            let Some(op) = atomic(&member.element) else {
                continue;
            };
            op.check()
                .map_err(|problem| member.element.invalid(problem))?;
            for value in &member.values {
                let log = op.log_prob(value.as_any());
                logs.push(log.map_err(|fault| member.element.fault(fault))?);
            }
        }
        Ok(logs)
    }

    /// The expected log-likelihood as a function of one parameter, the others at their present values; with the logarithm of its
    /// prior's density where `with_prior`.
    ///
    /// **Errors.** [`Error::NotLearnable`] if it is not one that the prior is conjugate to.
    pub(super) fn likelihood(
        &self,
        parameter: usize,
        learned: &LearnedParameter,
        (counts, with_prior): (&[f64], bool),
    ) -> Result<Likelihood, Error> {
        let mut likelihood = Likelihood::new(learned.prior().terms());
        if with_prior {
            learned.prior().add_to(&mut likelihood);
        }
        for reader in &self.readers[parameter] {
            let member = &self.members[reader.member];
            let Some(op) = atomic(&member.element) else {
                continue;
            };
            for (value, &count) in member.values.iter().zip(&counts[member.first..]) {
                if count > 0.0 {
                    likelihood.set_power(count);
                    op.likelihood(reader.numbers.clone(), value.as_any(), &mut likelihood)
                        .map_err(|fault| member.element.fault(fault))?;
                }
            }
            if likelihood.is_refused() {
                return Err(Error::NotLearnable {
                    parameter: learned.element.label(),
                    element: member.element.label(),
                });
            }
        }
        Ok(likelihood)
    }

    /// Sets each parameter in turn to the value that maximises the expected log-likelihood, or with the prior the posterior density; one that
    /// no count depends on stays as it is.
    ///
    /// Where no element reads several parameters that is the maximum over all of them; otherwise it is at least no less than before
    /// (expectation conditional maximisation: Meng and Rubin 1993).
    pub(super) fn maximise(&self, counts: &[f64], with_prior: bool) -> Result<(), Error> {
        for (at, learned) in self.learned.iter().enumerate() {
            let likelihood = self.likelihood(at, learned, (counts, with_prior))?;
            if let Some(mode) = learned.prior().mode_of(&likelihood) {
                for (param, x) in learned.params.iter().zip(mode) {
                    param.set(x);
                }
            }
        }
        Ok(())
    }

    /// The logarithm of the density of the priors at the present values.
    pub(super) fn log_prior(&self) -> Result<f64, Error> {
        let mut sum = 0.0;
        for learned in self.learned.iter() {
            if let Some(op) = atomic(&learned.element) {
                let log = op.log_prob(learned.value().as_any());
                sum += log.map_err(|fault| learned.element.fault(fault))?;
            }
        }
        Ok(sum)
    }
}

/// The numbers of a member that are those of a learned parameter.
fn numbers_of(
    member: &AnyElement,
    learned: &LearnedParameter,
) -> Result<Option<Range<usize>>, Error> {
    let numbers = atomic(member).map_or(&[][..], AtomicOp::numbers);
    let place = |number: &Number| match number {
        Number::Param(param) => learned.params.iter().position(|p| p.is_same_as(param)),
        Number::Constant(_) => None,
    };
    let Some(start) = numbers.iter().position(|number| place(number).is_some()) else {
        return Ok(None);
    };
    let range = start..(start + learned.params.len()).min(numbers.len());
    let found = numbers
        .iter()
        .enumerate()
        .filter_map(|(i, n)| Some((i, place(n)?)));
    if !found.eq(range.clone().zip(0..learned.params.len())) {
        return Err(Error::NotLearnable {
            parameter: learned.element.label(),
            element: member.label(),
        });
    }
    Ok(Some(range))
}

/// An error if a function reads a learned parameter, or a Chain results in one.
fn check_readers(expansion: &Expansion, learned: &LearnedParameters) -> Result<(), Error> {
    for expanded in expansion.elements() {
        let results = match &expanded.content {
            figrs_core::expand::Content::Chain { results, .. } => &results[..],
            _ => &[],
        };
        for &read in expanded.parents.iter().chain(results) {
            let read = &expansion.elements()[read].element;
            if learned.get(read).is_some() {
                return Err(Error::NotLearnable {
                    parameter: read.label(),
                    element: expanded.element.label(),
                });
            }
        }
    }
    Ok(())
}
