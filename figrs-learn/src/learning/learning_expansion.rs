//! The expansion of a model for learning: the finite list of possible values of each random variable, given the data. In the expansion for learning,
//! each learned random variable is a parameter.

use std::sync::Arc;

use figrs_core::expand::{Expansion, LearnedParameters};
use figrs_core::{AnyElement, Datum, Limits, Model};

use super::case_table::CaseTable;
use super::column_factors::density_columns;
use super::parameters::CountedOutcomes;
use figrs_answer::{Error, conflict};

/// The expansion of a model (lists of possible values) whose targets are the variables in the columns of data, with the outcomes that are counted.
#[derive(Debug)]
pub(super) struct LearningExpansion {
    pub(super) expansion: Arc<Expansion>,
    pub(super) outcomes: CountedOutcomes,
    /// For each random variable whose density is observed, the index of the data column that observes the variable.
    pub(super) places: Vec<Option<usize>>,
}

impl LearningExpansion {
    /// Enumerates the possible values of the variables of `model` for learning from the data `cases`.
    ///
    /// **Errors.** [`Error::CannotLearnFrom`], [`Error::NotLearnable`] or [`Error::NothingToLearn`] if the data, or the variables that read the
    /// parameters, do not allow learning; the errors of the enumeration of values (expansion).
    pub(super) fn new(model: &Model, cases: &CaseTable, limits: &Limits) -> Result<Self, Error> {
        let elements = cases.elements();
        let stand_ins: Vec<(AnyElement, Datum)> = cases
            .columns
            .iter()
            .filter_map(|column| Some((column.element.clone(), column.any_value()?)))
            .collect();
        let mut learned = LearnedParameters::default();
        let expansion = Expansion::learning(model, &elements, limits, &mut learned, &stand_ins)?;
        if expansion.impossible().is_some() {
            return Err(conflict::impossible(model, &elements, limits));
        }
        conflict::check_failures(&expansion, limits)?;
        check_evidence(model, cases, |element| learned.get(element).is_some())?;
        let places = density_columns(&expansion, model)?;
        let outcomes =
            CountedOutcomes::new(&expansion, learned, cases, |position| places[position])?;
        Ok(Self {
            expansion: Arc::new(expansion),
            outcomes,
            places,
        })
    }
}

pub(super) fn check_evidence(
    model: &Model,
    cases: &CaseTable,
    is_learned: impl Fn(&AnyElement) -> bool,
) -> Result<(), Error> {
    let stated = model.evidence().iter().map(|(element, _)| element);
    let columns = cases.columns.iter().map(|column| &column.element);
    match stated.chain(columns).find(|element| is_learned(element)) {
        None => Ok(()),
        Some(element) => Err(Error::CannotLearnFrom {
            element: element.label(),
            reason: "it is a learned parameter; express knowledge about it by its prior, or draw from its posterior with a sampler",
        }),
    }
}
