//! `Table`: a conditional probability table given by numbers.

use std::panic::Location;
use std::sync::Arc;

use super::node::Kind;
use super::operations::TableOp;
use crate::element::Element;
use crate::value::Value;
use crate::value::states::States;
use crate::value::support::Support;
use figrs_factor::graph::{Weights, sums_to_one};

/// Builds elements from tables of numbers, such as the tables of Bayesian networks and of trained Markov chains.
#[derive(Debug)]
pub struct Table;

impl Table {
    /// Creates an element that takes one of `values`, with the weights in one row of a table; the values of the element's parents select the row.
    ///
    /// Each parent is given with its states (possible values), in the order of the table's rows. For each combination of parent states, the argument
    /// `weights` has one row of `values.len()` weights; the state of the last parent changes fastest. The weights in each table row are divided by
    /// their sum, unless the sum is already one up to rounding. If a parent has a value that is not among its listed states in a possible world, that
    /// world has an error.
    ///
    /// ```
    /// # use figrs_core::{Flip, Table};
    /// let smoker = Flip::new(0.3);
    /// let cough = Table::new([(&smoker, vec![true, false])], ["yes", "no"], vec![
    ///     0.4, 0.6, // smoker
    ///     0.1, 0.9, // not
    /// ]);
    /// # drop(cough);
    /// ```
    ///
    /// Large conditional probability tables are not copied when they are passed to an algorithm. Clones of a table share the [`Weights`] (the list of
    /// all numbers), and parents with the same [`States`] share the list of states.
    #[track_caller]
    pub fn new<'a, P: Value, S: Into<States<P>>, T: Value>(
        parents: impl IntoIterator<Item = (&'a Element<P>, S)>,
        values: impl Into<States<T>>,
        weights: impl Into<Weights>,
    ) -> Element<T> {
        let (parents, states): (Vec<_>, Vec<States<P>>) = parents
            .into_iter()
            .map(|(element, states)| (element.erased().clone(), states.into()))
            .unzip();
        let values: States<T> = values.into();
        let repeated = states.iter().position(States::repeated);
        let mut op = TableRows {
            states: states.iter().map(|s| s.support().clone()).collect(),
            values: values.support().clone(),
            weights: weights.into(),
            problem: None,
        };
        op.problem = match repeated {
            Some(parent) => Some(format!(
                "parent {parent} lists a state twice; list each state once"
            )),
            None if values.repeated() || values.is_empty() => {
                Some("a table needs at least one value, and no value twice".into())
            }
            None => op.normalise().err(),
        };
        let kind = Kind::Table(parents.into(), Arc::new(op));
        Element::from_kind("Table", Location::caller(), kind)
    }
}

struct TableRows {
    states: Vec<Support>,
    values: Support,
    weights: Weights,
    problem: Option<String>,
}

impl TableRows {
    fn normalise(&mut self) -> Result<(), String> {
        let columns = self.values.len();
        let sizes = self.states.iter().map(Support::len);
        let rows = sizes.fold(1u128, |n, states| n.saturating_mul(states as u128));
        let needed = rows.saturating_mul(columns as u128);
        if needed != self.weights.len() as u128 {
            return Err(format!(
                "{} weights given, but {rows} rows of {columns} values need {needed}",
                self.weights.len()
            ));
        }
        if !self.weights.is_plain() || !self.divide()? {
            self.weights = by_logs(&self.weights, columns)?;
        }
        Ok(())
    }

    /// Divides each table row by its sum, for weights that are not stored as logarithms; returns `false` if a quotient is too small for an accurate
    /// `f64`.
    fn divide(&mut self) -> Result<bool, String> {
        let columns = self.values.len();
        for i in 0..self.weights.len() / columns {
            let row = &self.weights.linear()[i * columns..][..columns];
            let held = |w: &f64| *w >= f64::MIN_POSITIVE || *w == 0.0;
            if row.iter().all(held) && sums_to_one(row) {
                continue;
            }
            let largest = largest(i, row)?;
            let sum: f64 = row.iter().sum();
            // Only if the sum overflows or is tiny, the weights are divided by the largest weight first, because this division causes a rounding
            // error.
            let (scale, sum) = if sum.is_normal() {
                (1.0, sum)
            } else {
                (largest, row.iter().map(|w| w / largest).sum())
            };
            let lost = |w: f64| w > 0.0 && w / scale / sum < f64::MIN_POSITIVE;
            if row.iter().any(|&w| lost(w)) {
                return Ok(false);
            }
            for w in &mut self.weights.plain_mut()[i * columns..][..columns] {
                *w = *w / scale / sum;
            }
        }
        Ok(true)
    }
}

/// Returns the largest weight in the table row `row`, which has the index `i`. Returns an error if all weights of the table row are zero, or if a
/// weight is invalid.
fn largest(i: usize, row: &[f64]) -> Result<f64, String> {
    if let Some(w) = row.iter().find(|w| !(**w >= 0.0 && w.is_finite())) {
        return Err(format!(
            "row {i}: the weight {w} must be finite and not negative"
        ));
    }
    let largest = row.iter().copied().fold(0.0, f64::max);
    if largest == 0.0 {
        return Err(format!("row {i}: one of its weights must be positive"));
    }
    Ok(largest)
}

/// Divides each table row by its sum, computed with logarithms, for quotients that `f64` cannot represent.
fn by_logs(weights: &Weights, columns: usize) -> Result<Weights, String> {
    let mut logs: Vec<f64> = (0..weights.len()).map(|i| weights.log(i)).collect();
    for (i, row) in logs.chunks_mut(columns).enumerate() {
        if row.iter().any(|l| l.is_nan() || *l == f64::INFINITY) {
            return Err(format!(
                "row {i}: its weights must be finite and not negative"
            ));
        }
        let top = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if top == f64::NEG_INFINITY {
            return Err(format!("row {i}: one of its weights must be positive"));
        }
        let total = top + row.iter().map(|l| (l - top).exp()).sum::<f64>().ln();
        for log in row {
            *log -= total;
        }
    }
    Ok(Weights::from_log_probabilities(logs))
}

impl TableOp for TableRows {
    fn check(&self) -> Result<(), String> {
        self.problem.clone().map_or(Ok(()), Err)
    }

    fn values(&self) -> &Support {
        &self.values
    }

    fn states(&self) -> &[Support] {
        &self.states
    }

    fn weights(&self) -> &Weights {
        &self.weights
    }

    fn heap_bytes(&self) -> usize {
        let states = self.states.iter().chain([&self.values]);
        self.weights.bytes() + states.map(Support::bytes).sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expand::{Content, Expansion};
    use crate::model::Model;

    /// Returns the weights in the table of `element` for those parent values that the evidence allows.
    fn expanded<T: Value>(model: &Model, element: &Element<T>) -> Weights {
        let targets = [element.erased().clone()];
        let expansion = Expansion::new(model, &targets, &crate::Limits::default()).unwrap();
        match &expansion.elements()[expansion.targets()[0]].content {
            Content::Table(weights) => weights.clone(),
            other => panic!("not a table: {other:?}"),
        }
    }

    fn root(states: &States<char>) -> Element<char> {
        let coin = crate::Flip::new(0.5);
        let rows = vec![0.2, 0.3, 0.5, 0.1, 0.1, 0.8];
        Table::new([(&coin, [true, false])], states, rows)
    }

    #[test]
    fn equal_states_share_the_numbers_and_evidence_gathers_rows() {
        let states = States::new(['a', 'b', 'c']);
        let root = root(&states);
        let given = Weights::from(vec![0.1, 0.9, 0.25, 0.75, 0.3, 0.7]);
        for states in [states, States::from(vec!['a', 'b', 'c'])] {
            let child = Table::new([(&root, &states)], [0, 1], given.clone());
            let found = expanded(&Model::new(), &child);
            assert!(std::ptr::eq(found.linear(), given.linear()));
            let without_b = Model::new().condition(&root, |&s| s != 'b');
            let found = expanded(&without_b, &child);
            assert_eq!(found.linear(), [0.1, 0.9, 0.3, 0.7]);
        }
        let child = Table::new([(&root, ['c', 'b', 'a'])], [0, 1], given);
        let found = expanded(&Model::new(), &child);
        assert_eq!(found.linear(), [0.3, 0.7, 0.25, 0.75, 0.1, 0.9]);
    }

    #[test]
    fn rows_that_sum_to_one_keep_their_bits() {
        let states = States::new(['a', 'b', 'c']);
        let row = [0.1, 0.2, 0.7];
        let tenths = vec![0.1, 0.2, 0.7, 1.0, 2.0, 7.0, 1e308, 1e308, 1e308];
        let given = Weights::from(tenths);
        let child = Table::new([(&root(&states), &states)], [0, 1, 2], given.clone());
        let found = expanded(&Model::new(), &child);
        let third = 1.0 / 3.0;
        assert_eq!(found.linear()[..6], [row, row].concat());
        assert_eq!(found.linear()[6..], [third; 3]);
        assert_eq!(given.linear()[3], 1.0, "a clone is not changed");
    }

    #[test]
    fn weights_that_are_far_apart_keep_their_logarithms() {
        let states = States::new(['a', 'b', 'c']);
        let rows = vec![1e-200, 1e200, 1.0, 3.0, 1e-310, 1.0];
        let child = Table::new([(&root(&states), &states)], [0, 1], rows);
        let found = expanded(&Model::new(), &child);
        let far = found.log(0) + 400.0 * 10f64.ln();
        assert!(found.is_flushed() && far.abs() < 1e-10, "{far}");
        assert!((found.linear()[2] - 0.25).abs() < 1e-15);
        assert!((found.log(4) - 1e-310_f64.ln()).abs() < 1e-10);
    }

    #[test]
    fn repeated_states_and_bad_numbers_are_named() {
        let states = States::new(['a', 'b', 'c']);
        let root = root(&states);
        let problem = |child: Element<i32>| {
            let targets = [child.erased().clone()];
            let outcome = Expansion::new(&Model::new(), &targets, &crate::Limits::default());
            outcome.unwrap_err().to_string()
        };
        let rows = |w: f64| vec![1.0, 0.0, 1.0, 0.0, w, 0.0];
        let twice = Table::new([(&root, ['a', 'b', 'a'])], [0, 1], rows(1.0));
        assert!(problem(twice).contains("parent 0 lists a state twice"));
        let twice = Table::new([(&root, &states)], [1, 1], rows(1.0));
        assert!(problem(twice).contains("no value twice"));
        let negative = Table::new([(&root, &states)], [0, 1], rows(-1.0));
        assert!(problem(negative).contains("row 2: the weight -1 must be"));
        let none = Table::new([(&root, &states)], [0, 1], rows(0.0));
        assert!(problem(none).contains("row 2: one of its weights"));
    }
}
