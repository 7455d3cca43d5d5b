//! The outcomes whose probabilities depend on learned parameters, and the maximisation of the expected log-likelihood.

use std::ops::Range;

use figrs_core::expand::{Expansion, LearnedParameter, LearnedParameters, ParametricOutcomes};
use figrs_core::internals::{AtomicOp, Mode};
use figrs_core::{AnyElement, Datum, Likelihood, Number, Stream};
use rustc_hash::FxHashMap;

use super::case_rows::{CaseRow, MISSING};
use super::case_table::CaseTable;
#[cfg(feature = "reals")]
use super::normal_sums::NormalReader;
use super::normal_sums::NormalSums;
use super::term_sums::TermSums;
use figrs_answer::error::Error;

/// The outcomes that are counted in learning: those outcomes of random variables whose probabilities depend on learned parameters. A random variable
/// with a density has one outcome for each distinct observed value. If the outcomes cannot be listed, the sums of sufficient statistics (coefficients
/// of the expected log-likelihood) take the place of the counts.
#[derive(Debug)]
pub struct CountedOutcomes {
    learned: LearnedParameters,
    members: Vec<Member>,
    /// For each learned parameter, the random variables that read the parameter.
    readers: Vec<Vec<Reader>>,
    /// The factor entries that depend on learned parameters have labels. For each label, the outcome whose probability is the entry with this label.
    origins: Vec<Origin>,
    count: usize,
    /// The order of the log-likelihood coefficients that are summed instead of counting outcomes; `None` if outcomes are counted.
    terms: Option<TermSums>,
    /// The statistics of normal variables, which follow the outcomes in the list of counts.
    normals: NormalSums,
}

/// A random variable whose probabilities depend on learned parameters, with its outcomes.
#[derive(Debug)]
struct Member {
    element: AnyElement,
    /// The index and the value of each outcome of the random variable. A random variable that a data column observes has one outcome for each
    /// distinct cell of the column.
    outcomes: Vec<(usize, Datum)>,
    column: Option<usize>,
}

/// A random variable that reads a learned parameter, with the range of the numbers of the variable's distribution that come from the parameter.
#[derive(Debug)]
struct Reader {
    member: usize,
    numbers: Range<usize>,
}

/// The outcome of which an entry of a factor is the probability.
#[derive(Clone, Copy, Debug)]
enum Origin {
    /// The entry is the probability of the same outcome in each row of data.
    Outcome(usize),
    /// The entry is the probability or density of the value that the row of data states in this column.
    Observed { member: usize, column: usize },
}

impl CountedOutcomes {
    fn without_outcomes(learned: LearnedParameters) -> Self {
        Self {
            readers: learned.iter().map(|_| Vec::new()).collect(),
            learned,
            members: Vec::new(),
            origins: Vec::new(),
            count: 0,
            terms: None,
            normals: NormalSums::default(),
        }
    }

    /// Lists the outcomes in `expansion` (the possible values of the model's variables) whose probabilities depend on learned parameters. The
    /// argument `density_column` returns the data column that observes a random variable with a density.
    ///
    /// **Errors.** [`Error::NothingToLearn`] if there is no parameter; [`Error::NotLearnable`] if a random variable reads a parameter in a form that
    /// cannot be learned.
    pub(super) fn new(
        expansion: &Expansion,
        learned: LearnedParameters,
        cases: &CaseTable,
        density_column: impl Fn(usize) -> Option<usize>,
    ) -> Result<Self, Error> {
        check_readers(expansion, &learned)?;
        let places = places(&learned);
        let mut outcomes = Self::without_outcomes(learned);
        for parametric in expansion.parametric_outcomes() {
            let column = density_column(parametric.position);
            outcomes.add(parametric, (cases, column), &places)?;
        }
        if outcomes.readers.iter().all(Vec::is_empty) {
            return Err(Error::NothingToLearn);
        }
        Ok(outcomes)
    }

    /// Creates the description for learning by coefficients instead of counted outcomes: the coefficients of the terms in the parameters'
    /// log-likelihoods are summed.
    ///
    /// **Errors.** [`Error::NothingToLearn`] if there is no learned parameter.
    pub(super) fn of_terms(learned: LearnedParameters) -> Result<Self, Error> {
        let terms = TermSums::new(&learned);
        if terms.len() == 0 {
            return Err(Error::NothingToLearn);
        }
        Ok(Self {
            count: terms.len(),
            terms: Some(terms),
            ..Self::without_outcomes(learned)
        })
    }

    /// Lists the outcomes of the variables `members`, whose distributions are members of families, and the statistics of the normal variables
    /// `normals`.
    ///
    /// **Errors.** [`Error::NothingToLearn`] if there is no parameter; [`Error::NotLearnable`] if a random variable reads a parameter in a form that
    /// cannot be learned.
    #[cfg(feature = "reals")]
    pub(super) fn of_readers(
        learned: LearnedParameters,
        members: Vec<(AnyElement, Vec<Datum>)>,
        normals: Vec<NormalReader>,
    ) -> Result<Self, Error> {
        if members.is_empty() && normals.is_empty() {
            return Err(Error::NothingToLearn);
        }
        let places = places(&learned);
        let parameters = learned.iter().count();
        let mut outcomes = Self::without_outcomes(learned);
        for (member, (element, values)) in members.into_iter().enumerate() {
            for (at, numbers) in reads(&element, &outcomes.learned, &places)? {
                outcomes.readers[at].push(Reader { member, numbers });
            }
            outcomes.members.push(Member {
                element,
                outcomes: Vec::new(),
                column: None,
            });
            outcomes.add_outcomes(member, values);
        }
        outcomes.normals = NormalSums::new(normals, parameters, outcomes.count);
        outcomes.count += outcomes.normals.len();
        Ok(outcomes)
    }

    #[cfg(feature = "reals")]
    pub(super) fn of_member(&self, member: usize) -> &[(usize, Datum)] {
        &self.members[member].outcomes
    }

    #[cfg(feature = "reals")]
    pub(super) fn normals(&self) -> &NormalSums {
        &self.normals
    }

    /// Returns the order of the log-likelihood coefficients that are summed instead of counting outcomes; `None` if outcomes are counted.
    pub(super) fn terms(&self) -> Option<&TermSums> {
        self.terms.as_ref()
    }

    fn add(
        &mut self,
        parametric: &ParametricOutcomes,
        (cases, column): (&CaseTable, Option<usize>),
        places: &Places,
    ) -> Result<(), Error> {
        let member = self.members.len();
        let support = &parametric.support;
        let values = if let Some(column) = column {
            self.origins.push(Origin::Observed { member, column });
            cases.observed_values(column, 0)?
        } else {
            let outcomes = self.count..self.count + support.len();
            self.origins.extend(outcomes.map(Origin::Outcome));
            (0..support.len()).map(|i| support.datum(i)).collect()
        };
        for (at, numbers) in reads(&parametric.member, &self.learned, places)? {
            self.readers[at].push(Reader { member, numbers });
        }
        self.members.push(Member {
            element: parametric.member.clone(),
            outcomes: Vec::new(),
            column,
        });
        self.add_outcomes(member, values);
        Ok(())
    }

    fn add_outcomes(&mut self, member: usize, values: Vec<Datum>) {
        let outcomes = &mut self.members[member].outcomes;
        for value in values {
            outcomes.push((self.count, value));
            self.count += 1;
        }
    }

    /// Returns, for each random variable, the values that were added to the variable's data column after the outcomes had been listed.
    ///
    /// **Errors.** [`Error::InvalidCase`] if a cell of the data states a condition or a weight instead of a value.
    pub(super) fn further_values(&self, cases: &CaseTable) -> Result<Vec<Vec<Datum>>, Error> {
        let values = |member: &Member| match member.column {
            Some(column) => cases.observed_values(column, member.outcomes.len()),
            None => Ok(Vec::new()),
        };
        self.members.iter().map(values).collect()
    }

    pub(super) fn extend(&mut self, values: Vec<Vec<Datum>>) {
        for (member, values) in values.into_iter().enumerate() {
            self.add_outcomes(member, values);
        }
    }

    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// Returns the data column whose values determine the outcome of factor entries with the label `origin`; `None` if these entries have the same
    /// outcome in every row.
    pub(super) fn column(&self, origin: u32) -> Option<usize> {
        match self.origins[origin as usize] {
            Origin::Outcome(_) => None,
            Origin::Observed { column, .. } => Some(column),
        }
    }

    /// Returns the outcome, in the row of data `row`, of factor entries with the label `origin`; `None` if the row has no value in the column that
    /// determines the outcome.
    #[inline]
    pub(super) fn outcome_in(&self, row: CaseRow<'_>, origin: u32) -> Option<usize> {
        match self.origins[origin as usize] {
            Origin::Outcome(outcome) => Some(outcome),
            Origin::Observed { member, column } => {
                let cell = row.cell(column);
                (cell != MISSING).then(|| self.members[member].outcomes[cell as usize].0)
            }
        }
    }

    pub(super) fn learned(&self) -> &LearnedParameters {
        &self.learned
    }

    /// Returns the natural logarithms of the probabilities of all outcomes at the present values of the parameters.
    pub(super) fn log_weights(&self) -> Result<Vec<f64>, Error> {
        let mut logs = vec![0.0; self.count];
        for member in &self.members {
            let Some(op) = member.element.kind().atomic() else {
                continue;
            };
            op.check()
                .map_err(|problem| member.element.invalid(problem))?;
            for (outcome, value) in &member.outcomes {
                let log = op.log_prob(value.as_any());
                logs[*outcome] = log.map_err(|fault| member.element.fault(fault))?;
            }
        }
        Ok(logs)
    }

    /// Returns the expected log-likelihood as a function of `parameter`, while the other parameters keep their present values. If `with_prior` is
    /// true, the logarithm of the prior density of `parameter` is added.
    ///
    /// **Errors.** [`Error::NotLearnable`] if the prior is not conjugate to the likelihood.
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
        if let Some(terms) = &self.terms {
            terms.add_to((parameter, &mut likelihood), learned, counts);
        }
        let own = (parameter, &mut likelihood);
        self.normals.add_to(own, &self.learned, counts);
        for reader in &self.readers[parameter] {
            let member = &self.members[reader.member];
            let Some(op) = member.element.kind().atomic() else {
                continue;
            };
            for (outcome, value) in &member.outcomes {
                let count = counts[*outcome];
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

    /// Sets one parameter after another to the value that maximises the expected log-likelihood; if `with_prior` is true, the logarithm of the prior
    /// density is added. The coefficients of linear means are set together, by weighted least squares. A parameter on which no expected count depends
    /// stays unchanged.
    ///
    /// If no random variable reads several parameters, the result is the joint maximum; otherwise the objective does not fall (expectation
    /// conditional maximisation: Meng and Rubin 1993).
    ///
    /// **Errors.** [`Error::NoMaximum`] if the likelihood of a parameter has no maximum, or if the data do not determine a coefficient; the errors of
    /// [`likelihood`](Self::likelihood).
    pub(super) fn maximise(&self, counts: &[f64], with_prior: bool) -> Result<(), Error> {
        self.normals
            .set_coefficients(&self.learned, counts, with_prior)?;
        for (at, learned) in self.learned.iter().enumerate() {
            if self.normals.is_coefficient(at) {
                continue;
            }
            let likelihood = self.likelihood(at, learned, (counts, with_prior))?;
            match learned.prior().mode_of(&likelihood) {
                Mode::At(mode) => {
                    for (param, x) in learned.params.iter().zip(mode) {
                        param.set(x);
                    }
                }
                Mode::Flat => {}
                Mode::Unbounded => {
                    return Err(Error::NoMaximum {
                        parameter: learned.element.label(),
                        undetermined_cases: None,
                    });
                }
            }
        }
        Ok(())
    }

    pub(super) fn draw_from_priors(&self, random: &mut Stream) -> Result<(), Error> {
        for learned in self.learned.iter() {
            if let Some(op) = learned.element.kind().atomic() {
                let drawn = op.sample(random);
                learned.set(&drawn.map_err(|fault| learned.element.fault(fault))?);
            }
        }
        Ok(())
    }

    pub(super) fn log_prior(&self) -> Result<f64, Error> {
        let mut sum = 0.0;
        for learned in self.learned.iter() {
            if let Some(op) = learned.element.kind().atomic() {
                let log = op.log_prob(learned.value().as_any());
                sum += log.map_err(|fault| learned.element.fault(fault))?;
            }
        }
        Ok(sum)
    }
}

/// For each identifier of a parameter's number, the index of the learned parameter and the index of the number within this parameter.
type Places = FxHashMap<usize, (usize, usize)>;

fn places(learned: &LearnedParameters) -> Places {
    let places = learned.iter().enumerate().flat_map(|(at, learned)| {
        let params = learned.params.iter().enumerate();
        params.map(move |(place, param)| (param.id(), (at, place)))
    });
    places.collect()
}

/// Returns the learned parameters that the variable `member` reads, each with the range of the numbers of the variable's distribution that come from
/// the parameter.
///
/// **Errors.** [`Error::NotLearnable`] unless `member` reads all numbers of each parameter, once and in order.
fn reads(
    member: &AnyElement,
    learned: &LearnedParameters,
    places: &Places,
) -> Result<Vec<(usize, Range<usize>)>, Error> {
    let mut reads: Vec<(usize, Range<usize>)> = Vec::new();
    let numbers = member.kind().atomic().map_or(&[][..], AtomicOp::numbers);
    for (i, number) in numbers.iter().enumerate() {
        let Number::Param(param) = number else {
            continue;
        };
        let Some(&(at, place)) = places.get(&param.id()) else {
            continue;
        };
        match reads.iter_mut().find(|(parameter, _)| *parameter == at) {
            None if place == 0 => reads.push((at, i..i + 1)),
            Some((_, range)) if range.end == i && place == range.len() => range.end += 1,
            _ => return Err(not_learnable(learned, at, member)),
        }
    }
    for (at, range) in &reads {
        if learned.at(*at).params.len() != range.len() {
            return Err(not_learnable(learned, *at, member));
        }
    }
    Ok(reads)
}

fn not_learnable(learned: &LearnedParameters, at: usize, member: &AnyElement) -> Error {
    Error::NotLearnable {
        parameter: learned.at(at).element.label(),
        element: member.label(),
    }
}

/// Returns an error if a function reads a learned parameter, or if a learned parameter is a result of a `Chain`.
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
