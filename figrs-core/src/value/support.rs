//! The support of an element, which is the list of its possible values, and columns of values of one type.

use std::any::{Any, TypeId};
use std::fmt::Debug;
use std::ops::Deref;
use std::sync::Arc;

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use super::datum::Datum;
use super::{Key, KeyRef, Value};

/// A list of distinct canonical values, in the order of their insertion.
#[derive(Clone, Debug)]
struct DistinctValues<T> {
    set: IndexSet<Key<T>, FxBuildHasher>,
    heap: usize,
    /// In debug builds, the values that equal a value in the list but print differently, each with the index of the listed value.
    look_alikes: Vec<(usize, T)>,
    /// Number of repeated values that a debug build has compared with the values in the list so far.
    compared: usize,
}

/// Maximum number of repeated values that a debug build compares with the listed values.
const MAX_COMPARED_VALUES: usize = 64;

impl<T> Default for DistinctValues<T> {
    fn default() -> Self {
        Self {
            set: IndexSet::default(),
            heap: 0,
            look_alikes: Vec::new(),
            compared: 0,
        }
    }
}

impl<T: Value> DistinctValues<T> {
    fn code(&mut self, value: &T) -> usize {
        if let Some(index) = self.set.get_index_of(&KeyRef(value)) {
            if cfg!(debug_assertions) && self.compared < MAX_COMPARED_VALUES {
                self.compared += 1;
                self.compare(index, value);
            }
            return index;
        }
        let value = value.canonical().unwrap_or_else(|| value.clone());
        self.heap += value.heap_bytes();
        self.set.insert_full(Key(value)).0
    }

    /// Compares a repeated value with the listed value, and records the repeated value if it prints differently.
    #[cold]
    fn compare(&mut self, index: usize, value: &T) {
        let value = value.canonical().unwrap_or_else(|| value.clone());
        if format!("{value:?}") != format!("{:?}", self.set[index].0) {
            self.look_alikes.push((index, value));
        }
    }
}

trait AnyValues: Debug + Send + Sync {
    fn as_any(&self) -> &dyn Any;
    fn value_type(&self) -> TypeId;
    fn len(&self) -> usize;
    fn any(&self, index: usize) -> &dyn Any;
    fn datum(&self, index: usize) -> Datum;
    fn index_of(&self, value: &dyn Any) -> Option<usize>;
    fn look_alike(&self, value: &dyn Any) -> Option<&dyn Any>;
    fn printed(&self, value: &dyn Any) -> String;
    fn same(&self, other: &dyn AnyValues) -> bool;
    fn insert(&mut self, value: &dyn Any) -> Option<usize>;
    fn reserve(&mut self, more: usize);
    fn empty(&self) -> Box<dyn AnyValues>;
    fn copied(&self) -> Box<dyn AnyValues>;
    fn column(&self) -> Box<dyn AnyColumn>;
    fn decode(&self, positions: &[u32]) -> Box<dyn AnyColumn>;
    fn encode(&mut self, column: &dyn Any) -> Option<Vec<u32>>;
    fn take(&mut self) -> Box<dyn AnyColumn>;
    fn bytes(&self) -> usize;
    fn room(&self) -> usize;
    fn bytes_each(&self) -> usize;
}

impl<T: Value> AnyValues for DistinctValues<T> {
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn value_type(&self) -> TypeId {
        TypeId::of::<T>()
    }
    fn len(&self) -> usize {
        self.set.len()
    }
    fn any(&self, index: usize) -> &dyn Any {
        &self.set[index].0
    }
    fn datum(&self, index: usize) -> Datum {
        Datum::new(self.set[index].0.clone())
    }
    fn index_of(&self, value: &dyn Any) -> Option<usize> {
        self.set.get_index_of(&KeyRef(value.downcast_ref::<T>()?))
    }
    fn look_alike(&self, value: &dyn Any) -> Option<&dyn Any> {
        if self.look_alikes.is_empty() {
            return None;
        }
        let index = self.index_of(value)?;
        let found = self.look_alikes.iter().find(|(at, _)| *at == index)?;
        Some(&found.1)
    }
    fn printed(&self, value: &dyn Any) -> String {
        value
            .downcast_ref::<T>()
            .map_or_else(String::new, |value| format!("{value:?}"))
    }
    fn same(&self, other: &dyn AnyValues) -> bool {
        let other = other.as_any().downcast_ref::<Self>();
        other.is_some_and(|other| {
            let mut pairs = self.set.iter().zip(&other.set);
            self.set.len() == other.set.len() && pairs.all(|(a, b)| a.0.same(&b.0))
        })
    }
    fn insert(&mut self, value: &dyn Any) -> Option<usize> {
        value.downcast_ref::<T>().map(|value| self.code(value))
    }
    fn reserve(&mut self, more: usize) {
        self.set.reserve(more);
    }
    fn empty(&self) -> Box<dyn AnyValues> {
        Box::new(Self::default())
    }
    fn copied(&self) -> Box<dyn AnyValues> {
        Box::new(self.clone())
    }
    fn column(&self) -> Box<dyn AnyColumn> {
        Box::new(Vec::<T>::new())
    }
    fn decode(&self, positions: &[u32]) -> Box<dyn AnyColumn> {
        let values = positions.iter().map(|&at| self.set[at as usize].0.clone());
        Box::new(values.collect::<Vec<T>>())
    }
    fn encode(&mut self, column: &dyn Any) -> Option<Vec<u32>> {
        let column = column.downcast_ref::<Vec<T>>()?;
        Some(column.iter().map(|value| self.code(value) as u32).collect())
    }
    fn take(&mut self) -> Box<dyn AnyColumn> {
        let values = std::mem::take(self).set.into_iter().map(|key| key.0);
        Box::new(values.collect::<Vec<T>>())
    }
    fn bytes(&self) -> usize {
        self.set.capacity() * self.bytes_each() + self.heap
    }
    fn room(&self) -> usize {
        self.set.capacity() - self.set.len()
    }
    fn bytes_each(&self) -> usize {
        // Size of a value's hash and of its slot in the hash table.
        const ENTRY_BYTES: usize = 18;
        size_of::<T>() + ENTRY_BYTES
    }
}

/// A growing list of distinct values, from which [`SupportBuilder::build`] makes a [`Support`]. While the list is growing, the methods of [`Support`]
/// read the values that were added so far.
#[derive(Clone, Debug)]
pub struct SupportBuilder(Support);

impl Deref for SupportBuilder {
    type Target = Support;

    fn deref(&self) -> &Support {
        &self.0
    }
}

impl SupportBuilder {
    /// Creates an empty list of distinct values of the type `T`.
    pub fn new<T: Value>() -> Self {
        Self(Support(Arc::new(DistinctValues::<T>::default())))
    }

    /// Makes room in the list for `more` values.
    pub(crate) fn reserve(&mut self, more: usize) {
        self.own().reserve(more);
    }

    /// Returns mutable access to the list; if a clone shares the list, it is copied before.
    fn own(&mut self) -> &mut dyn AnyValues {
        let Self(Support(values)) = self;
        if Arc::strong_count(values) > 1 {
            *values = Arc::from(values.copied());
        }
        Arc::get_mut(values).expect("no clone shares the list")
    }

    /// Returns the index of `value` in the list, and adds the value if it is new. Returns `None` if `value` does not have the type of the list.
    pub fn insert(&mut self, value: &dyn Any) -> Option<usize> {
        self.own().insert(value)
    }

    /// Returns the index of `value`, which must have the type of the list, and adds the value if it is new.
    pub(crate) fn insert_typed<T: Value>(&mut self, value: &T) -> usize {
        let index = self.insert(value);
        index.expect("the support has the type of its element")
    }

    /// Returns the indices of the values of `column` in the list, and adds the values that are new. Returns `None` if the values of `column` do not
    /// have the type of the list.
    pub fn encode(&mut self, column: &dyn AnyColumn) -> Option<Vec<u32>> {
        self.own().encode(column.as_any())
    }

    /// Converts the list of distinct values to a column (a typed list) of its values.
    pub fn into_column(mut self) -> Box<dyn AnyColumn> {
        self.own().take()
    }

    /// Returns the approximate size of the list in bytes during the addition of `more` values. The estimate takes into account that a full list
    /// doubles its capacity, and that its old memory is freed only after the values are copied.
    pub fn bytes_with(&self, more: usize) -> usize {
        let values = &self.0.0;
        let moved = 2 * values.len() * values.bytes_each();
        values.bytes() + if values.room() < more { moved } else { 0 }
    }

    /// Converts the list of distinct values to a `Support`.
    pub fn build(self) -> Support {
        self.0
    }
}

/// The distinct values of an element, in a fixed order. If several values are equally good answers to a query, the answer is the one that comes first
/// in the support. Clones are cheap.
#[derive(Clone, Debug)]
pub struct Support(Arc<dyn AnyValues>);

impl Support {
    /// Returns the type of the values in the list.
    pub fn value_type(&self) -> TypeId {
        self.0.value_type()
    }

    pub(crate) fn column(&self) -> Box<dyn AnyColumn> {
        self.0.column()
    }

    /// Returns the number of values in the list.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the approximate size of all values in the list, in bytes.
    pub fn bytes(&self) -> usize {
        self.0.bytes()
    }

    /// True if the list of values is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the value with the index `index` as `dyn Any`.
    pub fn any(&self, index: usize) -> &dyn Any {
        self.0.any(index)
    }

    /// Returns the value with the index `index` as a `Datum`.
    pub fn datum(&self, index: usize) -> Datum {
        self.0.datum(index)
    }

    /// Returns the value with the index `index`, if the values are of type `T`.
    pub fn get<T: Value>(&self, index: usize) -> Option<&T> {
        self.any(index).downcast_ref()
    }

    /// Returns the index of `value`, if the support contains it.
    pub fn index_of(&self, value: &dyn Any) -> Option<usize> {
        self.0.index_of(value)
    }

    pub(crate) fn printed(&self, value: &dyn Any) -> String {
        self.0.printed(value)
    }

    /// In a debug build, returns a value that equals `value` but prints differently, if such a value was found.
    pub(crate) fn look_alike(&self, value: &dyn Any) -> Option<&dyn Any> {
        self.0.look_alike(value)
    }

    /// Returns a column (a typed list) of the values with the indices `positions`.
    #[doc(hidden)]
    pub fn decode(&self, positions: &[u32]) -> Box<dyn AnyColumn> {
        self.0.decode(positions)
    }

    /// Returns all values, if they are of type `T`.
    pub fn values<T: Value>(&self) -> Option<impl Iterator<Item = &T> + '_> {
        let values = self.0.as_any().downcast_ref::<DistinctValues<T>>()?;
        Some(values.set.iter().map(|key| &key.0))
    }

    /// Creates an empty list builder for values of the same type.
    pub fn like(&self) -> SupportBuilder {
        SupportBuilder(Self(Arc::from(self.0.empty())))
    }
}

impl PartialEq for Support {
    /// True if the two supports have the same values in the same order. Comparing two clones of one support takes constant time.
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.same(&*other.0)
    }
}

impl Eq for Support {}

/// A list of values of one type, for samplers that evaluate many possible worlds at once.
pub trait AnyColumn: Debug + Send + Sync {
    /// Returns the list as `dyn Any`; its type is `Vec<T>` for values of type `T`.
    fn as_any(&self) -> &dyn Any;
    /// Returns the list as mutable `dyn Any`.
    fn as_any_mut(&mut self) -> &mut dyn Any;
    /// Returns the number of values in the column.
    fn len(&self) -> usize;
    /// True if the column is empty.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Returns the value with the index `index`.
    fn any(&self, index: usize) -> &dyn Any;
    /// Returns the value with the index `index` as a `Datum`.
    fn datum(&self, index: usize) -> Datum;
    /// Returns a column (a typed list) of the values with the indices `positions`.
    fn gather(&self, positions: &[u32]) -> Box<dyn AnyColumn>;
    /// Adds `value`, which must have the type of the values in the list.
    fn push(&mut self, value: &dyn Any);
    /// Adds `value`, which must have the type of the values in the list; the value is moved if no other data share it, and otherwise cloned.
    fn push_datum(&mut self, value: Datum);
    /// Adds the values of the list `other`, which must have the same type.
    fn append(&mut self, other: &dyn AnyColumn);
    /// Moves the values of the list `other`, which must have the same type, to the end of this list.
    fn append_moved(&mut self, other: &mut dyn AnyColumn);
    /// Moves the values with the indices `positions`, which must be distinct, to a new list.
    fn select(self: Box<Self>, positions: &[u32]) -> Box<dyn AnyColumn>;
    /// Returns an empty list for values of the same type.
    fn fresh(&self) -> Box<dyn AnyColumn>;
    /// Returns a copy of the list of values.
    fn copied(&self) -> Box<dyn AnyColumn>;
    /// Returns the approximate size of all values in the list, in bytes.
    fn bytes(&self) -> usize;
}

impl Clone for Box<dyn AnyColumn> {
    fn clone(&self) -> Self {
        (**self).copied()
    }
}

impl<T: Value> AnyColumn for Vec<T> {
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
    fn len(&self) -> usize {
        Vec::len(self)
    }
    fn any(&self, index: usize) -> &dyn Any {
        &self[index]
    }
    fn datum(&self, index: usize) -> Datum {
        Datum::new(self[index].clone())
    }
    fn gather(&self, positions: &[u32]) -> Box<dyn AnyColumn> {
        let values = positions.iter().map(|&at| self[at as usize].clone());
        Box::new(values.collect::<Self>())
    }
    fn push(&mut self, value: &dyn Any) {
        let typed = value.downcast_ref::<T>();
        Vec::push(self, typed.expect("a column has one type").clone());
    }
    fn push_datum(&mut self, value: Datum) {
        Vec::push(self, value.into_typed().expect("a column has one type"));
    }
    fn append(&mut self, other: &dyn AnyColumn) {
        let typed = other.as_any().downcast_ref::<Self>();
        self.extend_from_slice(typed.expect("a column has one type"));
    }
    fn append_moved(&mut self, other: &mut dyn AnyColumn) {
        let typed = other.as_any_mut().downcast_mut::<Self>();
        Vec::append(self, typed.expect("a column has one type"));
    }
    fn select(self: Box<Self>, positions: &[u32]) -> Box<dyn AnyColumn> {
        let mut values: Vec<Option<T>> = self.into_iter().map(Some).collect();
        let chosen = positions.iter().map(|&at| values[at as usize].take());
        let chosen = chosen.map(|value| value.expect("positions are distinct"));
        Box::new(chosen.collect::<Self>())
    }
    fn fresh(&self) -> Box<dyn AnyColumn> {
        Box::new(Self::new())
    }
    fn copied(&self) -> Box<dyn AnyColumn> {
        Box::new(self.clone())
    }
    fn bytes(&self) -> usize {
        Value::heap_bytes(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_share_an_index() {
        let mut builder = SupportBuilder::new::<f64>();
        assert_eq!(builder.insert(&0.0_f64), Some(0));
        assert_eq!(builder.insert(&1.5_f64), Some(1));
        assert_eq!(builder.insert(&-0.0_f64), Some(0));
        assert_eq!(builder.insert(&1u8), None);
        let support = builder.build();
        assert_eq!(support.index_of(&1.5_f64), Some(1));
        assert_eq!(support.get::<f64>(1), Some(&1.5));
        assert_eq!(support.values::<f64>().unwrap().count(), 2);
        assert!(support.values::<u8>().is_none());
    }

    #[test]
    fn a_list_becomes_a_column() {
        let mut builder = SupportBuilder::new::<f64>();
        builder.encode(&vec![1.5_f64, -0.0, 1.5, 0.0]);
        let shared = builder.clone();
        let column = builder.into_column();
        let values = column.as_any().downcast_ref::<Vec<f64>>().unwrap();
        assert_eq!(values, &[1.5, 0.0]);
        assert!(values[1].is_sign_positive());
        assert_eq!(shared.len(), 2);
    }

    #[test]
    fn values_of_columns_are_moved() {
        let text = |text: &str| text.to_string();
        let mut column: Box<dyn AnyColumn> = Box::new(vec![text("a"), text("b")]);
        let mut other = vec![text("c")];
        column.append_moved(&mut other);
        assert!(other.is_empty());
        column.push_datum(Datum::new(text("d")));
        let address = |column: &dyn AnyColumn, at| {
            let value = column.any(at).downcast_ref::<String>();
            value.map(|text| (text.clone(), text.as_ptr()))
        };
        let before: Vec<_> = (0..4).map(|at| address(&*column, at)).collect();
        let chosen = column.select(&[3, 0, 2]);
        let after: Vec<_> = (0..3).map(|at| address(&*chosen, at)).collect();
        assert_eq!(after, [3, 0, 2].map(|at| before[at].clone()));
    }

    #[test]
    fn supports_are_equal_by_values_and_order() {
        let support = |values: &[f64]| {
            let mut builder = SupportBuilder::new::<f64>();
            for value in values {
                builder.insert(value);
            }
            builder.build()
        };
        assert_eq!(support(&[0.0, 1.0]), support(&[-0.0, 1.0]));
        assert_ne!(support(&[0.0, 1.0]), support(&[1.0, 0.0]));
        assert_ne!(support(&[0.0, 1.0]), support(&[0.0]));
        assert_ne!(support(&[]), SupportBuilder::new::<u8>().build());
    }
}
