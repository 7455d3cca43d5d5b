//! The expectation step for models of real numbers, in closed form instead of by sampling.

use std::ops::{ControlFlow, Range};

use figrs_core::expand::LearnedParameter;
use figrs_core::{AnyElement, Limits, Model, ModelError, Until};
use figrs_reals::{JointComponent, WithReals, joint_moments};

use super::case_error::impossible_case;
use super::case_rows::{CaseRow, MISSING};
use super::case_table::{CaseColumn, CaseTable, Cell, with_row};
use super::expected_counts::{ExpectationStep, Expected, ExpectedCounts, PreparedStep};
use super::learning_expansion::check_evidence;
use super::linear_readers::{ReaderGroup, Readers};
use super::parameters::CountedOutcomes;
use figrs_answer::{Error, in_order};
use figrs_factor::eliminate::EliminationError;

/// Number of rows of data in a unit of work of the expectation step.
const UNIT: usize = 16;

/// The expectation step for models of real numbers. For each row of data, an elimination of the real variables computes the joint distributions of
/// the variables that appear in the expected log-likelihood.
#[derive(Debug)]
struct ClosedForm {
    model: Model,
    columns: Vec<CaseColumn>,
    limits: Limits,
    /// The groups of variables with parameters: a group for each finite variable that reads parameters, then a group for each normal variable that
    /// reads parameters.
    groups: Vec<ReaderGroup>,
    finite: usize,
    outcomes: CountedOutcomes,
}

impl ClosedForm {
    fn new(model: &Model, cases: &CaseTable, limits: Limits) -> Result<Self, Error> {
        let evidence = model.evidence().iter().map(|(element, _)| element.clone());
        let roots: Vec<AnyElement> = cases.elements().into_iter().chain(evidence).collect();
        let readers = Readers::find(model, &roots, &limits, |element| centre(cases, element))?;
        let learned = readers.learned;
        check_evidence(model, cases, |element| learned.get(element).is_some())?;
        let mut groups = Vec::new();
        let mut members = Vec::new();
        for reader in readers.finite {
            members.push((reader.member, reader.values));
            groups.push(reader.group);
        }
        let finite = groups.len();
        let mut normals = Vec::new();
        for (reader, group) in readers.normal {
            normals.push(reader);
            groups.push(group);
        }
        Ok(Self {
            model: model.clone(),
            columns: cases.columns.clone(),
            limits,
            groups,
            finite,
            outcomes: CountedOutcomes::of_readers(learned, members, normals)?,
        })
    }

    fn has_normals(&self) -> bool {
        self.groups.len() > self.finite
    }

    fn add_row(
        &self,
        model: &Model,
        groups: &[Vec<AnyElement>],
        row: CaseRow<'_>,
        expected: &mut Expected,
    ) -> Result<(), Error> {
        let model = with_row(model, &self.columns, row);
        let (joint, log_evidence) =
            joint_moments(&model, groups, &self.limits).map_err(|error| match error {
                Error::ImpossibleEvidence { .. } => impossible_case(row.number),
                other => other,
            })?;
        expected.add_log_likelihood(Some(row.weight * log_evidence));
        for (i, (group, components)) in self.groups.iter().zip(&joint).enumerate() {
            for component in components.iter().filter(|component| group.holds(component)) {
                let weight = row.weight * component.share;
                self.add(i, component, weight, &mut expected.counts)?;
            }
        }
        Ok(())
    }

    fn add(
        &self,
        reader: usize,
        component: &JointComponent,
        weight: f64,
        counts: &mut [f64],
    ) -> Result<(), Error> {
        let group = &self.groups[reader];
        let Some(normal) = reader.checked_sub(self.finite) else {
            let found = component.finite[group.value].as_ref();
            let mut outcomes = self.outcomes.of_member(reader).iter();
            let own = outcomes.find(|(_, value)| found.is_some_and(|x| x.same_as(value.as_any())));
            if let Some((outcome, _)) = own {
                counts[*outcome] += weight;
            }
            return Ok(());
        };
        let first = group.value;
        let numbers = group.elements[first..]
            .iter()
            .enumerate()
            .map(|(i, element)| {
                let finite = component.finite[first + i].as_ref();
                match finite {
                    None => Ok(component.mean[first + i]),
                    Some(value) => {
                        let problem = "it is a term of a mean, but its values are not numbers";
                        let number = value.get::<f64>().copied();
                        number.ok_or_else(|| Error::not_closed_form(element, problem))
                    }
                }
            });
        let numbers = numbers.collect::<Result<Vec<f64>, Error>>()?;
        let normals = self.outcomes.normals();
        let sums = normals.of_reader(normal, counts);
        let covariance = |i: usize, j: usize| component.covariance[first + i][first + j];
        normals
            .reader(normal)
            .add(weight, (&numbers, covariance), sums);
        Ok(())
    }
}

impl ReaderGroup {
    fn holds(&self, component: &JointComponent) -> bool {
        let is_met = |condition: &Vec<(usize, figrs_core::Datum)>| {
            condition.iter().all(|(place, value)| {
                let found = component.finite[*place].as_ref();
                found.is_some_and(|found| found.same_as(value.as_any()))
            })
        };
        self.conditions.is_empty() || self.conditions.iter().any(is_met)
    }
}

/// Returns the mean of the values that the rows of data state for `element`; zero if no row states a value.
fn centre(cases: &CaseTable, element: &AnyElement) -> f64 {
    let mut columns = cases.columns.iter();
    let column = columns.find(|column| column.element.id() == element.id());
    let cells = column.map_or(&[][..], |column| &column.cells);
    let values = cells.iter().filter_map(|cell| match cell {
        Cell::Value(value) => value.get::<f64>().copied(),
        Cell::Statements(_) => None,
    });
    let values: Vec<f64> = values.filter(|value| value.is_finite()).collect();
    if values.is_empty() {
        return 0.0;
    }
    values.iter().map(|value| value / values.len() as f64).sum()
}

impl ExpectationStep for ClosedForm {
    fn is_exact(&self) -> bool {
        true
    }

    fn outcomes(&self) -> &CountedOutcomes {
        &self.outcomes
    }

    fn extend(&mut self, cases: &CaseTable) -> Result<(), Error> {
        self.columns.clone_from(&cases.columns);
        Ok(())
    }

    fn units(&self, rows: usize) -> u64 {
        rows.div_ceil(UNIT) as u64
    }

    fn expect_units(
        &self,
        (rows, units): (&[CaseRow<'_>], Range<u64>),
        _: &[f64],
        (threads, until): (usize, &Until),
        take: &mut dyn FnMut(Expected),
    ) -> Result<(), Error> {
        let learned = self.outcomes.learned().iter();
        let model = learned.fold(self.model.clone(), |model, p: &LearnedParameter| {
            model.intervene_any(&p.element, p.value())
        });
        let groups: Vec<Vec<AnyElement>> = self
            .groups
            .iter()
            .map(|group| group.elements.clone())
            .collect();
        let unit = |(): &mut (), unit: u64| {
            let start = unit as usize * UNIT;
            let mut expected = Expected::none(self.outcomes.len());
            for &row in &rows[start..rows.len().min(start + UNIT)] {
                if until.is_over() {
                    return Err(EliminationError::Interrupted.into());
                }
                self.add_row(&model, &groups, row, &mut expected)?;
            }
            Ok(expected)
        };
        let take = |expected: Expected| {
            take(expected);
            ControlFlow::Continue(())
        };
        in_order(threads, (units, 1), || Ok(()), unit, take)
    }
}

/// Returns the expectation step in closed form if the step `finite` is an error about real numbers, or if real numbers are missing in the data;
/// otherwise returns `finite`.
///
/// **Errors.** The error in `finite`, if no normal variable reads a parameter; [`Error::NotClosedForm`] or [`Error::NotLearnable`] if the model has
/// no closed form.
pub(super) fn step_with_reals(
    finite: PreparedStep,
    (model, cases): (&Model, &CaseTable),
    limits: impl FnOnce() -> Limits,
) -> PreparedStep {
    let is_finite = finite.is_ok() && !misses_numbers(cases);
    if is_finite || finite.as_ref().is_err_and(Error::is_stopped) {
        return finite;
    }
    match ClosedForm::new(model, cases, limits()) {
        Ok(step) if step.has_normals() => Ok(Box::new(step)),
        Ok(_) => finite,
        // For a model without real numbers, the error of the algorithm for finite models is returned.
        Err(error) => match finite {
            Err(refused) if !is_about_reals(&refused) => Err(refused),
            Ok(step) => Ok(step),
            Err(_) => Err(error),
        },
    }
}

/// True if `error` may be caused by real numbers in the model.
fn is_about_reals(error: &Error) -> bool {
    matches!(error, Error::Model(ModelError::NotFinite { .. }))
}

/// True if some row of data has no value in a column of numbers of the type `f64`.
fn misses_numbers(cases: &CaseTable) -> bool {
    let columns = cases.columns.iter().enumerate();
    let is_number = |column: &CaseColumn| {
        let value = column.any_value();
        value.is_none_or(|value| value.get::<f64>().is_some())
    };
    let numbers: Vec<usize> = columns
        .filter(|(_, column)| is_number(column))
        .map(|(at, _)| at)
        .collect();
    let mut rows = cases.rows.iter();
    rows.any(|row| numbers.iter().any(|&column| row.cell(column) == MISSING))
}

impl<E: ExpectedCounts> ExpectedCounts for WithReals<E> {
    fn prepare(&self, model: &Model, cases: &CaseTable, until: &Until) -> PreparedStep {
        let finite = self.algorithm().prepare(model, cases, until);
        step_with_reals(finite, (model, cases), || Limits::default().until(until))
    }

    fn counting_settings(&self) -> String {
        format!(
            "{}, with real numbers",
            self.algorithm().counting_settings()
        )
    }
}
