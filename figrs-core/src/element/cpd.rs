//! `Cpd`: a conditional probability distribution with one element for each combination of parent values.

use std::panic::Location;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::parents::{AsElement, Parents};
use crate::element::Element;
use crate::element::chain::fallible_chain_at;
use crate::element::parents::Joint;
use crate::error::Fault;
use crate::value::{Key, KeyRef};

/// Builds an element with the distribution of one row of a table; the values of its parents select the row.
#[derive(Debug)]
pub struct Cpd;

impl Cpd {
    /// Creates an element that takes its value from the element in one row of the table: the row whose key is the values of the parents.
    ///
    /// The table needs exactly one row for each combination of parent values that can occur. If the table has no row, or two rows, for the values of
    /// the parents in a possible world, that world has an error. For conditional tables of numbers instead of elements, see [`Table`](crate::Table).
    ///
    /// ```
    /// # use figrs_core::{Cpd, Flip};
    /// let (rain, sprinkler) = (Flip::new(0.2), Flip::new(0.4));
    /// let wet = Cpd::new((&rain, &sprinkler), [
    ///     ((true, true), Flip::new(0.99)), ((true, false), Flip::new(0.9)),
    ///     ((false, true), Flip::new(0.9)), ((false, false), Flip::new(0.0)),
    /// ]);
    /// # drop(wet);
    /// ```
    #[track_caller]
    pub fn new<P, E>(
        parents: P,
        rows: impl IntoIterator<Item = (<P::Arguments as Joint>::Tuple, E)>,
    ) -> Element<E::Value>
    where
        P: Parents,
        P::Arguments: Joint,
        E: AsElement,
    {
        let mut table = IndexMap::<Key<_>, Vec<Element<E::Value>>, FxBuildHasher>::default();
        for (key, element) in rows {
            table
                .entry(Key(key))
                .or_default()
                .push(element.as_element().clone());
        }
        let row = move |values: <P::Arguments as crate::element::parents::Arguments>::Refs<'_>| {
            let key = <P::Arguments as Joint>::join(values);
            match table.get(&KeyRef(&key)).map(Vec::as_slice) {
                Some([element]) => Ok(element.clone()),
                None => Err(Fault::Row(format!("no row for {key:?}; add one"))),
                Some(rows) => Err(Fault::Row(format!(
                    "{} rows for {key:?}; keep one",
                    rows.len()
                ))),
            }
        };
        fallible_chain_at::<P::Arguments, E::Value>(
            "Cpd",
            Location::caller(),
            parents.elements(),
            row,
        )
    }
}
