//! The expectation step by weighted worlds (samples of all random variables). Sampling worlds does not need the possible values of the variables to
//! be enumerated; continuous hidden variables and infinite models are therefore allowed.

use std::ops::{ControlFlow, Range};

use figrs_core::expand::{LearnedParameter, LearnedParameters};
use figrs_core::internals::LearnedPrior;
use figrs_core::{AnyElement, Likelihood, Limits, Model, Stream, Until, stream};
use figrs_lower::internals::Trace;

use super::case_error::unmet_case;
use super::case_rows::CaseRow;
use super::case_table::{CaseColumn, CaseTable, with_row};
use super::expected_counts::{ExpectationStep, Expected, ExpectedCounts, PreparedStep};
use super::learning_expansion::check_evidence;
use super::parameters::CountedOutcomes;
use super::row_sums::RowSums;
use figrs_answer::{Error, MergeableSampler, in_order};
use figrs_factor::eliminate::EliminationError;
use figrs_infer::sampling::importance::ImportanceSampling;

/// Maximum number of worlds (samples) that one unit of work draws.
const UNIT: u64 = 1024;
/// Number of units of work that a thread takes from the queue at a time.
const BATCH: u64 = 8;
/// Number of worlds (samples) drawn between two checks of the clock.
const SLICE: u64 = 16;

/// The expectation step that draws worlds for each row of data at the present parameter values, and weights the worlds by the row's evidence.
#[derive(Debug)]
struct WeightedWorlds {
    draws: RowDraws,
    outcomes: CountedOutcomes,
}

/// The model, the columns of data and the settings with which worlds are drawn for each row of data.
#[derive(Debug)]
struct RowDraws {
    model: Model,
    columns: Vec<CaseColumn>,
    samples: u64,
    seed: u64,
    limit: Limits,
}

/// Returns the prior of `element` if `element` is a parameter to be learned; `None` for any other random variable.
fn prior(element: &AnyElement) -> Option<&LearnedPrior> {
    element.kind().atomic()?.prior()
}

fn free_parameters(trace: &Trace) -> impl Iterator<Item = &AnyElement> {
    let choices = (0..trace.choices()).map(|i| trace.element(trace.choice(i)));
    choices.filter(|element| prior(element).is_some())
}

impl RowDraws {
    fn units_of_row(&self) -> u64 {
        self.samples.div_ceil(UNIT)
    }

    /// Returns the row of data for which the unit of work with the index `unit` draws worlds, and the index of the unit among the units of work of
    /// this row.
    fn part<'r>(&self, rows: &[CaseRow<'r>], unit: u64) -> (CaseRow<'r>, u64) {
        let parts = self.units_of_row();
        (rows[(unit / parts) as usize], unit % parts)
    }

    /// Draws the worlds of one unit of work for a row of data. Calls the function `visit` with each world and with `true` if the world is possible.
    fn each_world(
        &self,
        model: &Model,
        (row, part): (CaseRow<'_>, u64),
        until: &Until,
        mut visit: impl FnMut(&mut Trace, bool) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let model = with_row(model, &self.columns, row);
        let roots: Vec<AnyElement> = self.columns.iter().map(|c| c.element.clone()).collect();
        let mut trace = Trace::new(&model, &roots, self.limit.until(until))?;
        let number = row.number as u64 * self.units_of_row() + part;
        let mut rng: Stream = stream(self.seed, number);
        for drawn in 0..UNIT.min(self.samples - part * UNIT) {
            if drawn.is_multiple_of(SLICE) && until.is_over() {
                return Err(EliminationError::Interrupted.into());
            }
            let is_possible = trace.restart(&mut rng)?;
            visit(&mut trace, is_possible)?;
        }
        Ok(())
    }

    /// Returns the learned parameters on which the worlds drawn for the rows `rows` depend, in the order in which the parameters are first read.
    fn parameters(
        &self,
        rows: &[CaseRow<'_>],
        (threads, until): (usize, &Until),
    ) -> Result<LearnedParameters, Error> {
        let mut learned = LearnedParameters::default();
        let mut refused = Ok(());
        let unit = |(): &mut (), unit: u64| {
            let mut found: Vec<AnyElement> = Vec::new();
            let part = self.part(rows, unit);
            self.each_world(&self.model, part, until, |trace, _| {
                for parameter in free_parameters(trace) {
                    if found.iter().all(|known| known.id() != parameter.id()) {
                        found.push(parameter.clone());
                    }
                }
                Ok(())
            })?;
            Ok(found)
        };
        let take = |found: Vec<AnyElement>| {
            let added = found.iter().try_for_each(|p| learned.of(p).map(|_| ()));
            refused = added.map_err(Error::from);
            if refused.is_err() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        let units = 0..rows.len() as u64 * self.units_of_row();
        in_order(threads, (units, BATCH), || Ok(()), unit, take)?;
        refused.map(|()| learned)
    }
}

impl WeightedWorlds {
    fn learned(&self) -> impl Iterator<Item = &LearnedParameter> {
        self.outcomes.learned().iter()
    }

    /// Returns the weighted sums of the parameters' log-likelihoods over the worlds that a unit of work draws.
    fn sums(
        &self,
        model: &Model,
        (row, part): (CaseRow<'_>, u64),
        until: &Until,
    ) -> Result<RowSums, Error> {
        let mut sums = self.no_worlds();
        self.draws
            .each_world(model, (row, part), until, |trace, is_possible| {
                if let Some(parameter) = free_parameters(trace).next() {
                    let problem = format!(
                        "one of its worlds depends on {}, but none of the first worlds did; draw more samples, or learn from cases in which \
                         worlds depend on this parameter from the start",
                        parameter.label()
                    );
                    return Err(Error::InvalidCase {
                        row: row.number,
                        problem,
                    });
                }
                if !is_possible {
                    return Ok(());
                }
                let weighs = (trace.log_likelihood(), trace.densities());
                sums.add_world(weighs, |likelihoods, weight| {
                    for (sum, learned) in likelihoods.iter_mut().zip(self.learned()) {
                        let terms = learned.prior().terms();
                        let says = trace.likelihood_of_set(&learned.element, terms);
                        let says = says.map_err(|reader| Error::NotLearnable {
                            parameter: learned.element.label(),
                            element: reader.label(),
                        })?;
                        if let Some(says) = says {
                            sum.add_times(&says, weight);
                        }
                    }
                    Ok(())
                })
            })?;
        Ok(sums)
    }

    fn no_worlds(&self) -> RowSums {
        let flat = self.learned().map(|p| Likelihood::new(p.prior().terms()));
        RowSums::new(flat.collect())
    }

    /// Adds, to the expected log-likelihoods of the parameters, the weighted means over the worlds drawn for the row of data `row`.
    fn add_row(
        &self,
        sums: &RowSums,
        row: CaseRow<'_>,
        expected: &mut Expected,
    ) -> Result<(), Error> {
        let log_total = sums.log_total();
        if log_total == f64::NEG_INFINITY {
            let remedy = "draw more, give values instead of conditions, or for a finite model learn with JunctionTree";
            let tried = self.draws.samples;
            return Err(unmet_case(row.number, "ImportanceSampling", tried, remedy));
        }
        let log = log_total - (self.draws.samples as f64).ln();
        expected.add_log_likelihood(Some(row.weight * log));
        let (likelihoods, total) = sums.likelihoods();
        if let Some(terms) = self.outcomes.terms() {
            for (says, learned) in likelihoods.iter().enumerate().zip(self.learned()) {
                terms.add(says, learned, row.weight / total, &mut expected.counts);
            }
        }
        Ok(())
    }
}

impl ExpectationStep for WeightedWorlds {
    fn is_exact(&self) -> bool {
        false
    }

    fn extend(&mut self, cases: &CaseTable) -> Result<(), Error> {
        self.draws.columns.clone_from(&cases.columns);
        Ok(())
    }

    fn outcomes(&self) -> &CountedOutcomes {
        &self.outcomes
    }

    fn units(&self, rows: usize) -> u64 {
        rows as u64
    }

    /// For the caller, each unit of the expectation step by weighted worlds is one row of data, whose worlds are drawn in several smaller units of
    /// work.
    fn expect_units(
        &self,
        (rows, units): (&[CaseRow<'_>], Range<u64>),
        _: &[f64],
        (threads, until): (usize, &Until),
        take_row: &mut dyn FnMut(Expected),
    ) -> Result<(), Error> {
        let model = self.learned().fold(self.draws.model.clone(), |model, p| {
            model.intervene_any(&p.element, p.value())
        });
        let mut refused = Ok(());
        let parts_of_row = self.draws.units_of_row();
        let (mut of_row, mut parts) = (self.no_worlds(), units.start * parts_of_row);
        let take = |sums: RowSums| {
            of_row.add(&sums);
            parts += 1;
            if parts % parts_of_row == 0 {
                let at = (parts / parts_of_row - 1) as usize;
                let all = std::mem::replace(&mut of_row, self.no_worlds());
                let mut expected = Expected::none(self.outcomes.len());
                refused = self.add_row(&all, rows[at], &mut expected);
                if refused.is_ok() {
                    take_row(expected);
                }
            }
            if refused.is_err() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        let unit = |(): &mut (), unit: u64| self.sums(&model, self.draws.part(rows, unit), until);
        let units = units.start * parts_of_row..units.end * parts_of_row;
        in_order(threads, (units, BATCH), || Ok(()), unit, take)?;
        refused
    }
}

impl ExpectedCounts for ImportanceSampling {
    fn prepare(&self, model: &Model, cases: &CaseTable, until: &Until) -> PreparedStep {
        let (samples, settings) = self.fixed_samples()?;
        let is_set = |element: &AnyElement| {
            let mut set = model.interventions().iter();
            set.any(|(other, _)| other.id() == element.id())
        };
        check_evidence(model, cases, |element| {
            prior(element).is_some() && !is_set(element)
        })?;
        let draws = RowDraws {
            model: model.clone(),
            columns: cases.columns.clone(),
            samples,
            seed: settings.seed,
            limit: settings.limits.clone(),
        };
        let rows: Vec<CaseRow<'_>> = cases.rows.iter().collect();
        let learned = draws.parameters(&rows, (settings.threads(), until))?;
        let outcomes = CountedOutcomes::of_terms(learned)?;
        Ok(Box::new(WeightedWorlds { draws, outcomes }))
    }

    fn counting_settings(&self) -> String {
        MergeableSampler::settings(self)
    }
}
