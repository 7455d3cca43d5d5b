//! Cases: rows of data. Rows of data (cases) that state values of the random variables in the columns.

use std::marker::PhantomData;

use figrs_core::{AnyElement, Datum, Element, Model, Value};

use super::case_table::CaseTable;
use figrs_answer::error::Error;

/// Rows of data from which parameters are learned: each row is evidence about the random variables of some columns.
///
/// Rows of data are independent of each other: the model describes each row, and the likelihood is the product of the likelihoods of the rows. For
/// each column, a row has a value of the type of the column's random variable, or an `Option` of such a value if values may be missing. If the
/// columns are a tuple, a row is a tuple of values; if the columns are a list, a row is any collection of values. Equal rows of data are stored once,
/// with the sum of their weights.
///
/// ```
/// # use figrs_core::{Flip, Learned, Model};
/// # use figrs_learn::Cases;
/// let bias = Learned::beta("bias", 1.0, 1.0);
/// let coins: Vec<_> = (0..3).map(|_| Flip::new(&bias)).collect();
/// let lamp = Flip::new(0.5);
/// let cases = Cases::new((&lamp, &coins))
///     .rows([(true, vec![Some(true), None, Some(false)]), (false, vec![None, None, Some(true)])])
///     .weighted_rows([(2.5, (true, [Some(true), Some(true), None]))])
///     .case(1.0, &Model::new().condition(&lamp, |&on| on).observe(&coins[1], false));
/// assert_eq!(cases.len(), 4);
/// ```
#[derive(Debug)]
#[must_use]
pub struct Cases<C> {
    pub(super) table: CaseTable,
    /// For each column, its index in the table of data, in the order of the values of a row.
    places: Vec<usize>,
    /// For each component of the columns, its number of random variables: one for a single variable, or the length of a list of variables.
    parts: Vec<usize>,
    pub(super) mistake: Option<Error>,
    columns: PhantomData<fn() -> C>,
}

/// The columns of [`Cases`]: a random variable, a list of variables, or a tuple of variables and lists.
pub trait CaseColumns {
    /// Returns the random variables of each component of the columns. A component of the columns is a random variable or a list of random variables.
    fn parts(&self) -> Vec<Vec<AnyElement>>;
}

/// A row of values for the columns of the type `C`.
pub trait CaseValues<C> {
    /// For each component of the columns, appends the values of the row to the list of this component; a missing value is `None`.
    fn values(self, parts: &mut Vec<Vec<Option<Datum>>>);
}

impl<T: Value> CaseColumns for &Element<T> {
    fn parts(&self) -> Vec<Vec<AnyElement>> {
        vec![vec![self.erased().clone()]]
    }
}

impl<T: Value, V: Into<Option<T>>> CaseValues<&Element<T>> for V {
    fn values(self, parts: &mut Vec<Vec<Option<Datum>>>) {
        parts.push(vec![self.into().map(Datum::new)]);
    }
}

impl<T: Value> CaseColumns for &Vec<Element<T>> {
    fn parts(&self) -> Vec<Vec<AnyElement>> {
        vec![
            self.iter()
                .map(|element| element.erased().clone())
                .collect(),
        ]
    }
}

impl<T: Value, V: Into<Option<T>>, L: IntoIterator<Item = V>> CaseValues<&Vec<Element<T>>> for L {
    fn values(self, parts: &mut Vec<Vec<Option<Datum>>>) {
        let values = self.into_iter().map(|value| value.into().map(Datum::new));
        parts.push(values.collect());
    }
}

macro_rules! tuples {
    ($(($($column:ident $value:ident),+))+) => {$(
        impl<$($column: CaseColumns),+> CaseColumns for ($($column,)+) {
            #[allow(non_snake_case)]
            fn parts(&self) -> Vec<Vec<AnyElement>> {
                let ($($column,)+) = self;
                let mut all = Vec::new();
                $(all.extend($column.parts());)+
                all
            }
        }

        impl<$($column, $value: CaseValues<$column>),+> CaseValues<($($column,)+)> for ($($value,)+) {
            #[allow(non_snake_case)]
            fn values(self, parts: &mut Vec<Vec<Option<Datum>>>) {
                let ($($value,)+) = self;
                $($value.values(parts);)+
            }
        }
    )+};
}

tuples! {
    (A U)
    (A U, B V)
    (A U, B V, C W)
    (A U, B V, C W, D X)
    (A U, B V, C W, D X, E Y)
    (A U, B V, C W, D X, E Y, F Z)
    (A U, B V, C W, D X, E Y, F Z, G S)
    (A U, B V, C W, D X, E Y, F Z, G S, H T)
}

impl<C: CaseColumns> Cases<C> {
    /// Creates an empty table of rows of data, with the columns `columns`.
    #[allow(clippy::needless_pass_by_value)]
    pub fn new(columns: C) -> Self {
        let (mut table, mut places, mut parts) = (CaseTable::default(), Vec::new(), Vec::new());
        let mut mistake = None;
        for part in columns.parts() {
            parts.push(part.len());
            for element in &part {
                let place = table.column(element);
                if place < places.len() {
                    mistake.get_or_insert_with(|| Error::CannotLearnFrom {
                        element: element.label(),
                        reason: "it is listed as two columns; list each element once",
                    });
                }
                places.push(place);
            }
        }
        Self {
            table,
            places,
            parts,
            mistake,
            columns: PhantomData,
        }
    }

    /// Adds rows of values.
    pub fn rows<R: CaseValues<C>>(self, rows: impl IntoIterator<Item = R>) -> Self {
        self.weighted_rows(rows.into_iter().map(|row| (1.0, row)))
    }

    /// Adds rows with positive weights: a row of weight *w* counts as *w* equal rows.
    pub fn weighted_rows<R: CaseValues<C>>(
        mut self,
        rows: impl IntoIterator<Item = (f64, R)>,
    ) -> Self {
        let mut parts = Vec::with_capacity(self.parts.len());
        for (weight, row) in rows {
            parts.clear();
            row.values(&mut parts);
            let row = self.table.next();
            let lengths = parts.iter().map(Vec::len).zip(&self.parts);
            if let Some((given, needed)) =
                lengths.into_iter().find(|(given, needed)| given != *needed)
            {
                let problem = format!(
                    "a list has {given} values for {needed} elements; give one value for each element"
                );
                self.mistake
                    .get_or_insert(Error::InvalidCase { row, problem });
                return self;
            }
            self.check_weight(weight);
            let cells = self.places.iter().zip(parts.drain(..).flatten());
            self.table
                .add(weight, cells.filter_map(|(&at, value)| Some((at, value?))));
        }
        self
    }

    /// Adds a row with the evidence in `evidence`, of any kind (values, conditions, weights), about the random variables of the columns or about
    /// other variables.
    pub fn case(mut self, weight: f64, evidence: &Model) -> Self {
        self.check_weight(weight);
        if !evidence.interventions().is_empty() {
            let row = self.table.next();
            let problem =
                "it has interventions; state the interventions in the model, for all cases".into();
            self.mistake
                .get_or_insert(Error::InvalidCase { row, problem });
        }
        self.table.add_statements(weight, evidence);
        self
    }

    fn check_weight(&mut self, weight: f64) {
        if !(weight > 0.0 && weight.is_finite()) {
            let row = self.table.next();
            let problem = format!("its weight is {weight}; give a positive number");
            self.mistake
                .get_or_insert(Error::InvalidCase { row, problem });
        }
    }

    /// Returns the random variables about which the rows state evidence, in the order of their first occurrence.
    pub fn elements(&self) -> Vec<AnyElement> {
        self.table.elements()
    }

    /// Returns the rows of data as bytes, which are the same in all processes with the same rows.
    #[doc(hidden)]
    pub fn row_bytes(&self) -> Vec<u8> {
        self.table.bytes()
    }

    /// Returns the number of rows of data.
    pub fn len(&self) -> usize {
        self.table.next()
    }

    /// True if there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
