//! Columns: lists of the values of one element in many worlds, without their type.

use std::any::Any;
use std::fmt::Debug;

use super::Value;
use super::datum::Datum;

/// A list of values of the same type, for samplers that evaluate many worlds at once.
pub trait AnyColumn: Debug + Send + Sync {
    /// Returns the list as `dyn Any`; its type is `Vec<T>` for values of type `T`.
    fn as_any(&self) -> &dyn Any;
    /// Returns the number of values in the column.
    fn len(&self) -> usize;
    /// True if the column is empty.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Returns the value with the index `index`.
    fn any(&self, index: usize) -> &dyn Any;
    /// Returns the value with the index `index` as a datum.
    fn datum(&self, index: usize) -> Datum;
    /// Returns a column of the values with the indices `positions`.
    fn gather(&self, positions: &[u32]) -> Box<dyn AnyColumn>;
    /// Adds `value`, which must have the type of the values in the list.
    fn push(&mut self, value: &dyn Any);
    /// Adds the values of `other`, which must have the same type.
    fn append(&mut self, other: &dyn AnyColumn);
    /// Returns an empty list for values of the same type.
    fn fresh(&self) -> Box<dyn AnyColumn>;
    /// Returns a copy of the list.
    fn copied(&self) -> Box<dyn AnyColumn>;
    /// Returns the approximate size of the values, in bytes.
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
    fn append(&mut self, other: &dyn AnyColumn) {
        let typed = other.as_any().downcast_ref::<Self>();
        self.extend_from_slice(typed.expect("a column has one type"));
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
