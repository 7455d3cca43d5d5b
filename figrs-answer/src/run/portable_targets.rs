//! Targets whose values can be serialised, and can therefore be sent to another process.

use std::fmt::Debug;

use figrs_core::{AnyColumn, AsElement, Element, Parents, Value};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Targets whose values can be sent to another process: an element whose values serde can serialise, or a tuple of up to eight such
/// elements, or an array or a list of them.
///
/// The type [`Value`] itself does not require serde; only the targets of runs in several processes require serde.
pub trait PortableTargets: Parents {
    /// The columns (lists) of the targets' values, in a type that serde can serialise.
    type Columns: Debug + Send + Serialize + DeserializeOwned;

    /// Copies the columns (lists) of the targets' values. Returns `None` unless there is exactly one column of the right type for each target.
    fn columns(&self, values: &[Box<dyn AnyColumn>]) -> Option<Self::Columns>;

    /// Converts the columns (lists of values) of the targets to columns without static types.
    fn values(columns: Self::Columns) -> Vec<Box<dyn AnyColumn>>;
}

fn typed<T: Value>(column: &dyn AnyColumn) -> Option<Vec<T>> {
    column.as_any().downcast_ref::<Vec<T>>().cloned()
}

fn erased<T: Value>(column: Vec<T>) -> Box<dyn AnyColumn> {
    Box::new(column)
}

fn typed_list<T: Value>(count: usize, values: &[Box<dyn AnyColumn>]) -> Option<Vec<Vec<T>>> {
    let all = (values.len() == count).then_some(values)?;
    all.iter().map(|column| typed(&**column)).collect()
}

fn erased_list<T: Value>(columns: Vec<Vec<T>>) -> Vec<Box<dyn AnyColumn>> {
    columns.into_iter().map(erased).collect()
}

impl<T: Value + Serialize + DeserializeOwned> PortableTargets for Element<T> {
    type Columns = Vec<T>;
    fn columns(&self, values: &[Box<dyn AnyColumn>]) -> Option<Vec<T>> {
        match values {
            [column] => typed(&**column),
            _ => None,
        }
    }
    fn values(columns: Vec<T>) -> Vec<Box<dyn AnyColumn>> {
        vec![erased(columns)]
    }
}

impl<T: Value + Serialize + DeserializeOwned> PortableTargets for &Element<T> {
    type Columns = Vec<T>;
    fn columns(&self, values: &[Box<dyn AnyColumn>]) -> Option<Vec<T>> {
        (**self).columns(values)
    }
    fn values(columns: Vec<T>) -> Vec<Box<dyn AnyColumn>> {
        <Element<T>>::values(columns)
    }
}

impl<E: AsElement<Value: Serialize + DeserializeOwned>, const N: usize> PortableTargets for [E; N] {
    type Columns = Vec<Vec<E::Value>>;
    fn columns(&self, values: &[Box<dyn AnyColumn>]) -> Option<Self::Columns> {
        typed_list(N, values)
    }
    fn values(columns: Self::Columns) -> Vec<Box<dyn AnyColumn>> {
        erased_list(columns)
    }
}

macro_rules! list {
    ($($list:ty),+) => {$(
        impl<T: Value + Serialize + DeserializeOwned> PortableTargets for $list {
            type Columns = Vec<Vec<T>>;
            fn columns(&self, values: &[Box<dyn AnyColumn>]) -> Option<Vec<Vec<T>>> {
                typed_list(self.len(), values)
            }
            fn values(columns: Vec<Vec<T>>) -> Vec<Box<dyn AnyColumn>> {
                erased_list(columns)
            }
        }
    )+};
}
list!(
    [Element<T>],
    &[Element<T>],
    Vec<Element<T>>,
    &Vec<Element<T>>
);

impl PortableTargets for () {
    type Columns = ();
    fn columns(&self, values: &[Box<dyn AnyColumn>]) -> Option<()> {
        values.is_empty().then_some(())
    }
    fn values((): ()) -> Vec<Box<dyn AnyColumn>> {
        Vec::new()
    }
}

macro_rules! tuple {
    ($($element:ident $column:ident),+) => {
        impl<$($element: AsElement<Value: Serialize + DeserializeOwned>),+> PortableTargets for ($($element,)+) {
            type Columns = ($(Vec<$element::Value>,)+);
            fn columns(&self, values: &[Box<dyn AnyColumn>]) -> Option<Self::Columns> {
                let [$($column),+] = values else {
                    return None;
                };
                Some(($(typed(&**$column)?,)+))
            }
            fn values(($($column,)+): Self::Columns) -> Vec<Box<dyn AnyColumn>> {
                vec![$(erased($column)),+]
            }
        }
    };
}
tuple!(E0 c0);
tuple!(E0 c0, E1 c1);
tuple!(E0 c0, E1 c1, E2 c2);
tuple!(E0 c0, E1 c1, E2 c2, E3 c3);
tuple!(E0 c0, E1 c1, E2 c2, E3 c3, E4 c4);
tuple!(E0 c0, E1 c1, E2 c2, E3 c3, E4 c4, E5 c5);
tuple!(E0 c0, E1 c1, E2 c2, E3 c3, E4 c4, E5 c5, E6 c6);
tuple!(E0 c0, E1 c1, E2 c2, E3 c3, E4 c4, E5 c5, E6 c6, E7 c7);

#[cfg(test)]
mod tests {
    use figrs_core::{Constant, Flip};

    use super::*;

    /// Serialises and deserialises the values of the targets, and returns the result as text.
    fn sent<P: PortableTargets>(targets: &P, values: Vec<Box<dyn AnyColumn>>) -> Option<String> {
        let columns = targets.columns(&values)?;
        let bytes = postcard::to_allocvec(&columns).unwrap();
        let read = P::values(postcard::from_bytes(&bytes).unwrap());
        assert_eq!(read.len(), targets.elements().len());
        Some(format!("{read:?}"))
    }

    fn all() -> [Box<dyn AnyColumn>; 3] {
        let numbers = vec![f64::NEG_INFINITY, -0.0, 0.1 + 0.2, f64::MIN_POSITIVE / 4.0];
        [
            Box::new(vec![true, false]),
            Box::new(numbers),
            Box::new(vec![String::from("ä"), String::new()]),
        ]
    }

    #[test]
    fn values_of_targets_of_any_form_are_read_as_they_were_written() {
        let coins = [Flip::new(0.5), Flip::new(0.1)];
        let (x, name) = (Constant::new(0.5), Constant::new(String::from("a")));
        let [bits, numbers, texts] = all();
        let mixed = vec![bits, numbers, texts];
        let shown = format!("{mixed:?}");
        assert_eq!(sent(&(&coins[0], &x, name), mixed), Some(shown));
        let pair = || -> Vec<Box<dyn AnyColumn>> {
            vec![Box::new(vec![true]), Box::new(vec![false, true])]
        };
        let shown = Some(format!("{:?}", pair()));
        assert_eq!(sent(&coins, pair()), shown);
        assert_eq!(sent(&&coins[..], pair()), shown);
        assert_eq!(sent(&coins.to_vec(), pair()), shown);
        assert_eq!(sent(&(), Vec::new()), Some("[]".into()));
        let numbers = || -> Vec<Box<dyn AnyColumn>> { vec![Box::new(vec![f64::NAN, -0.0])] };
        let columns = x.columns(&numbers()).unwrap();
        let bytes = postcard::to_allocvec(&columns).unwrap();
        let read: Vec<f64> = postcard::from_bytes(&bytes).unwrap();
        let bits = |numbers: &[f64]| numbers.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&read), bits(&columns));
    }

    #[test]
    fn values_of_other_types_or_numbers_are_refused() {
        let coin = Flip::new(0.5);
        assert_eq!(coin.columns(&all()), None);
        assert_eq!(coin.columns(&all()[1..2]), None);
        assert_eq!((&coin, &coin).columns(&all()[..2]), None);
        assert_eq!([&coin, &coin].columns(&all()[..1]), None);
        assert_eq!(().columns(&all()), None);
    }
}
