//! `Table`: a conditional probability table given by numbers.

use std::any::Any;
use std::panic::Location;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use crate::element::Element;
use crate::node::{Kind, TableOp};
use crate::support::{Support, SupportBuilder};
use crate::value::{Key, KeyRef, Value};

/// Builds elements from tables of numbers, as networks and trained chains supply them.
#[derive(Debug)]
pub struct Table;

impl Table {
    /// The element with one of `values`, by the row of its parents' states.
    ///
    /// Each parent comes with its states, in the order of the table. `weights` has one row of
    /// `values.len()` weights for each combination of parent states, the last parent varying fastest; rows are
    /// normalised. A parent value that is not among its states is an error when it is reached.
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
    #[track_caller]
    pub fn new<'a, P: Value, T: Value>(
        parents: impl IntoIterator<Item = (&'a Element<P>, Vec<P>)>,
        values: impl IntoIterator<Item = T>,
        weights: Vec<f64>,
    ) -> Element<T> {
        let (parents, states): (Vec<_>, Vec<_>) = parents
            .into_iter()
            .map(|(element, states)| (element.erased().clone(), states))
            .unzip();
        let mut support = SupportBuilder::new::<T>();
        let mut columns = 0;
        for value in values {
            columns += 1;
            support.insert(&value);
        }
        let repeated = support.len() != columns;
        let op = Rows {
            states: states
                .into_iter()
                .map(|s| {
                    s.into_iter()
                        .enumerate()
                        .map(|(i, v)| (Key(v), i))
                        .collect()
                })
                .collect::<Vec<IndexMap<Key<P>, usize, FxBuildHasher>>>(),
            values: support.build(),
            repeated,
            problem: None,
            probabilities: weights,
        };
        let kind = Kind::Table(parents, Box::new(op.normalised()));
        Element::from_kind("Table", Location::caller(), kind)
    }
}

struct Rows<P> {
    states: Vec<IndexMap<Key<P>, usize, FxBuildHasher>>,
    values: Support,
    repeated: bool,
    problem: Option<String>,
    probabilities: Vec<f64>,
}

impl<P: Value> Rows<P> {
    fn normalised(mut self) -> Self {
        self.problem = self.normalise().err();
        self
    }

    /// Divides each row by its sum, or says what is wrong with the numbers.
    fn normalise(&mut self) -> Result<(), String> {
        let columns = self.values.len();
        if self.repeated || columns == 0 {
            return Err("a table needs at least one value, each once".into());
        }
        let sizes = self.states.iter().map(IndexMap::len);
        let rows = sizes.fold(1u128, |n, states| n.saturating_mul(states as u128));
        let needed = rows.saturating_mul(columns as u128);
        if needed != self.probabilities.len() as u128 {
            return Err(format!(
                "{} weights given, but {rows} rows of {columns} values need {needed}",
                self.probabilities.len()
            ));
        }
        for (i, row) in self.probabilities.chunks_mut(columns).enumerate() {
            if let Some(w) = row.iter().find(|w| !(**w >= 0.0 && w.is_finite())) {
                return Err(format!(
                    "row {i}: the weight {w} must be finite and not negative"
                ));
            }
            let largest = row.iter().copied().fold(0.0, f64::max);
            if largest == 0.0 {
                return Err(format!("row {i}: one of its weights must be positive"));
            }
            let sum: f64 = row.iter().map(|w| w / largest).sum();
            for w in row {
                let probability = *w / largest / sum;
                if *w > 0.0 && probability < f64::MIN_POSITIVE {
                    return Err(format!(
                        "row {i}: the weight {w} is too small beside {largest} to be told from zero"
                    ));
                }
                *w = probability;
            }
        }
        Ok(())
    }
}

impl<P: Value> TableOp for Rows<P> {
    fn check(&self) -> Result<(), String> {
        self.problem.clone().map_or(Ok(()), Err)
    }

    fn values(&self) -> &Support {
        &self.values
    }

    fn state(&self, parent: usize, value: &dyn Any) -> Option<usize> {
        let value = value.downcast_ref::<P>()?;
        self.states[parent].get(&KeyRef(value)).copied()
    }

    fn row(&self, states: &[usize]) -> &[f64] {
        let row = states
            .iter()
            .zip(&self.states)
            .fold(0, |row, (&state, all)| row * all.len() + state);
        let columns = self.values.len();
        &self.probabilities[row * columns..][..columns]
    }
}
