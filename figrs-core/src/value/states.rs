//! The states of conditional tables: lists of possible values that several tables can share.

use std::fmt::{Debug, Formatter, Result};
use std::marker::PhantomData;

use super::Value;
use super::support::{Support, SupportBuilder};

/// The distinct values of an element of a [`Table`](crate::Table), in the order of the table.
///
/// Clones are cheap.
///
/// A list or an array converts into `States`. If the table of an element and the tables of its children use clones of the same `States`, table rows
/// are found by index, without a search for values.
///
/// ```
/// # use figrs_core::{Flip, States, Table};
/// let states = States::new(["yes", "no"]);
/// let rain = Table::new([(&Flip::new(0.5), [true, false])], &states, vec![0.2, 0.8, 0.4, 0.6]);
/// let wet = Table::new([(&rain, &states)], &states, vec![0.9, 0.1, 0.2, 0.8]);
/// # drop(wet);
/// ```
pub struct States<T> {
    support: Support,
    repeated: bool,
    values: PhantomData<fn() -> T>,
}

impl<T: Value> States<T> {
    /// Creates the states of a conditional table from a list of distinct values. If the list of states repeats a value, a table with these states is
    /// an error.
    pub fn new(values: impl IntoIterator<Item = T>) -> Self {
        let mut support = SupportBuilder::new::<T>();
        let mut given = 0;
        for value in values {
            given += 1;
            support.insert(&value);
        }
        Self {
            repeated: support.len() != given,
            support: support.build(),
            values: PhantomData,
        }
    }

    /// Returns the number of states (possible values).
    pub fn len(&self) -> usize {
        self.support.len()
    }

    /// True if the list of states is empty.
    pub fn is_empty(&self) -> bool {
        self.support.is_empty()
    }

    /// Returns the state with the index `index`.
    pub fn get(&self, index: usize) -> Option<&T> {
        (index < self.len()).then(|| self.support.get(index))?
    }

    /// Returns the index of the state `state` in the list.
    pub fn index_of(&self, state: &T) -> Option<usize> {
        self.support.index_of(state)
    }

    /// Returns all states, in their order.
    pub fn iter(&self) -> impl Iterator<Item = &T> + '_ {
        self.support.values().into_iter().flatten()
    }

    /// Returns the list of states as an untyped support (a list of possible values).
    pub fn support(&self) -> &Support {
        &self.support
    }

    pub(crate) fn repeated(&self) -> bool {
        self.repeated
    }
}

impl<T> Clone for States<T> {
    fn clone(&self) -> Self {
        Self {
            support: self.support.clone(),
            repeated: self.repeated,
            values: PhantomData,
        }
    }
}

impl<T: Value> Debug for States<T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<T: Value> From<Vec<T>> for States<T> {
    fn from(values: Vec<T>) -> Self {
        Self::new(values)
    }
}

impl<T: Value, const N: usize> From<[T; N]> for States<T> {
    fn from(values: [T; N]) -> Self {
        Self::new(values)
    }
}

impl<T> From<&States<T>> for States<T> {
    fn from(states: &States<T>) -> Self {
        states.clone()
    }
}
