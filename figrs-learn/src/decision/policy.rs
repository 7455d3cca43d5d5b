//! The policy of a decision: the best option for each combination of known values.

use std::fmt;

use figrs_core::{AnyElement, Datum, Model, Value};

use super::plan::known_values;
use super::solved_decision::SolvedDecision;
use figrs_answer::answer::text_table::{TableAlignment, write_table};
use figrs_answer::answer::value_names::{distinct_names, text};
use figrs_answer::error::Error;

/// The option that a decision chooses for each combination of values of the known random variables on which the choice depends.
///
/// A policy has a row for each possible combination of known values. The table of a policy has a column for an earlier decision only if the earlier
/// decision chooses several of its options under the plan. The printed text of a policy is a table.
#[derive(Clone, Debug)]
pub struct DecisionPolicy<T> {
    solved: SolvedDecision,
    known: Vec<AnyElement>,
    rows: Vec<PolicyRow<T>>,
}

/// One row of a [`DecisionPolicy`]: known values and the best option.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PolicyRow<T> {
    /// The value of each random variable on which the choice depends, in the order of [`DecisionPolicy::known`].
    pub known: Vec<Datum>,
    /// The option with the largest expected utility for the known values of the row.
    pub choose: T,
    /// The expected sum of all utilities, given the known values of the row and the chosen option. In the expected utility of a row, earlier
    /// decisions follow the plan or, if the known values are impossible under the plan, choose all their options with equal weight.
    pub utility: f64,
}

impl<T: Value> DecisionPolicy<T> {
    pub(super) fn new(solved: &SolvedDecision) -> Self {
        let places = &solved.matters;
        let row = |(known, choice, utility): (Vec<Option<u32>>, u32, f64)| {
            let value = |&place: &usize| {
                let value = known[place]?;
                Some(solved.scope[place].support.datum(value as usize))
            };
            Some(PolicyRow {
                known: places.iter().filter_map(value).collect(),
                choose: solved.option(choice).get::<T>()?.clone(),
                utility,
            })
        };
        let elements = places
            .iter()
            .map(|&place| solved.scope[place].element.clone());
        Self {
            known: elements.collect(),
            rows: solved.rows().into_iter().filter_map(row).collect(),
            solved: solved.clone(),
        }
    }

    /// Returns the random variables on which the choice of this policy depends.
    pub fn known(&self) -> &[AnyElement] {
        &self.known
    }

    /// Returns the rows of the policy, sorted by the known values.
    pub fn rows(&self) -> &[PolicyRow<T>] {
        &self.rows
    }

    /// Returns the best option if the known random variables have the values stated in `known`; variables on which the choice does not depend are
    /// ignored. If `known` states options of earlier decisions, the result is the best option after these options, even if the plan never chooses
    /// them.
    ///
    /// **Errors.** [`Error::UnknownInformation`] if `known` states a random variable that is not known to the decision, if no value is stated for a
    /// variable on which the choice depends, or if the values are impossible.
    pub fn choice(&self, known: &Model) -> Result<T, Error> {
        let values = known_values(&self.solved, known)?;
        let choice = self.solved.choice(&values);
        let option = choice.and_then(|choice| self.solved.option(choice).get::<T>().cloned());
        option.ok_or_else(|| Error::UnknownInformation {
            decision: self.solved.decision.element.label(),
            problem: format!(
                "the policy has no row for it; state possible values of {}",
                distinct_names(&self.known, &[]).join(", ")
            ),
        })
    }
}

impl<T: Value> fmt::Display for DecisionPolicy<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_policy(f, &self.solved)
    }
}

pub(super) fn write_policy(f: &mut fmt::Formatter<'_>, solved: &SolvedDecision) -> fmt::Result {
    let known = solved
        .matters
        .iter()
        .map(|&place| &solved.scope[place].element);
    let decision = &solved.decision.element;
    let elements: Vec<AnyElement> = known.chain([decision]).cloned().collect();
    let mut head = distinct_names(&elements, &["utility"]);
    head.push("utility".into());
    let mut lines = vec![head];
    for (known, choice, utility) in solved.rows() {
        let mut line: Vec<String> = Vec::with_capacity(elements.len() + 1);
        for &place in &solved.matters {
            let value = known[place].unwrap_or_default() as usize;
            line.push(text(&solved.scope[place].support.datum(value)));
        }
        line.push(text(&solved.option(choice)));
        line.push(format!("{utility:.6}"));
        lines.push(line);
    }
    write_table(f, &lines, TableAlignment::Left)
}
