//! Numeric components of untyped values.

use std::any::Any;
use std::sync::Arc;

use num_traits::ToPrimitive;

/// The components of a numeric value: one component of a number, several components of a list of floating-point numbers.
#[derive(Debug)]
pub enum NumericValue<'a> {
    /// The value is a number.
    One(f64),
    /// The value is a list of numbers.
    List(&'a [f64]),
}

impl NumericValue<'_> {
    /// Returns the components as a slice.
    pub fn as_slice(&self) -> &[f64] {
        match self {
            Self::One(number) => std::slice::from_ref(number),
            Self::List(numbers) => numbers,
        }
    }
}

macro_rules! number {
    ($value:ident: $($type:ty),+) => {
        $(if let Some(number) = $value.downcast_ref::<$type>() {
            return number.to_f64().map(NumericValue::One);
        })+
    };
}

/// Returns the components of `value`; `None` unless its type is a standard numeric type or a list of `f64`.
pub fn numbers(value: &dyn Any) -> Option<NumericValue<'_>> {
    number!(value: f64, f32, u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize);
    if let Some(list) = value.downcast_ref::<Vec<f64>>() {
        return Some(NumericValue::List(list));
    }
    let list = value.downcast_ref::<Arc<[f64]>>();
    list.map(|list| NumericValue::List(list))
}

/// True if `value` is a floating-point number or a list of floating-point numbers.
pub(crate) fn is_real(value: &dyn Any) -> bool {
    value.is::<f64>() || value.is::<f32>() || value.is::<Vec<f64>>() || value.is::<Arc<[f64]>>()
}

/// The components of all values of a target: each column contains one component of every value. If the values are not numbers, the
/// list of columns is empty.
#[derive(Clone, Debug)]
pub struct NumericColumns {
    columns: Vec<Vec<f64>>,
    values: usize,
}

impl NumericColumns {
    /// Returns the columns of `values`. The list of columns is empty unless the values are numbers, or lists of numbers that have the same length.
    pub fn new<'a>(values: impl Iterator<Item = &'a dyn Any>) -> Self {
        let mut columns: Option<Vec<Vec<f64>>> = None;
        let mut count = 0;
        let mut numeric = true;
        for value in values {
            count += 1;
            let Some(numbers) = numbers(value).filter(|_| numeric) else {
                numeric = false;
                continue;
            };
            let row = numbers.as_slice();
            let columns = columns.get_or_insert_with(|| vec![Vec::new(); row.len()]);
            numeric = columns.len() == row.len();
            for (column, &number) in columns.iter_mut().zip(row) {
                column.push(number);
            }
        }
        Self {
            columns: columns.filter(|_| numeric).unwrap_or_default(),
            values: count,
        }
    }

    pub(crate) fn values(&self) -> usize {
        self.values
    }

    /// True if there are no columns, because the values are not numbers.
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// Iterates over the columns, one for each component of a value.
    pub fn iter(&self) -> impl Iterator<Item = &[f64]> {
        self.columns.iter().map(Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(values: &[&dyn Any]) -> Vec<Vec<f64>> {
        let columns = NumericColumns::new(values.iter().copied());
        assert_eq!(columns.values(), values.len());
        columns.columns
    }

    #[test]
    fn numbers_and_lists_of_one_length_have_columns() {
        assert_eq!(columns(&[&3u8, &-2i64]), [[3.0, -2.0]]);
        let lists = columns(&[&vec![1.0, 2.0], &vec![3.0, 4.0]]);
        assert_eq!(lists, [[1.0, 3.0], [2.0, 4.0]]);
        assert!(columns(&[&vec![1.0], &vec![3.0, 4.0]]).is_empty());
        assert!(columns(&[&true]).is_empty() && columns(&[&1.0, &"x"]).is_empty());
        assert!(columns(&[]).is_empty());
    }
}
