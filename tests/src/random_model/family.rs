//! The types of values and the elements in scope.

use std::sync::Arc;

use figrs_core::{Constant, Element, Param, Value};

use super::description::Ref;

/// A type that has few values.
pub trait Family: Value {
    /// Returns all values of the type.
    fn all() -> Vec<Self>;
    /// Returns the code of the value, which is different for each value.
    fn code(&self) -> u64;
    /// Returns the elements of this type that are in scope.
    fn list(scope: &Scope) -> &Vec<Element<Self>>;
    /// Returns the elements of this type that are in scope, for more to be added.
    fn list_mut(scope: &mut Scope) -> &mut Vec<Element<Self>>;

    /// Returns the value with this code, modulo the number of values.
    fn decode(code: u64) -> Self {
        let all = Self::all();
        all[code as usize % all.len()].clone()
    }

    /// Returns the element in scope to which a reference points; a constant if there is no element in scope.
    fn pick(scope: &Scope, reference: Ref) -> Element<Self> {
        let list = Self::list(scope);
        match list.len() {
            0 => Constant::new(Self::decode(0)),
            n => list[n - 1 - usize::from(reference) % n].clone(),
        }
    }
}

/// The elements that a definition may use.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// The elements of numbers.
    pub numbers: Vec<Element<u32>>,
    /// The elements of Booleans.
    pub booleans: Vec<Element<bool>>,
    /// The elements of pairs.
    pub pairs: Vec<Element<(bool, u32)>>,
    /// The parameters of the model.
    pub params: Arc<[Param]>,
}

impl Family for u32 {
    fn all() -> Vec<Self> {
        vec![0, 1, 2, 3]
    }
    fn code(&self) -> u64 {
        u64::from(*self)
    }
    fn list(scope: &Scope) -> &Vec<Element<Self>> {
        &scope.numbers
    }
    fn list_mut(scope: &mut Scope) -> &mut Vec<Element<Self>> {
        &mut scope.numbers
    }
}

impl Family for bool {
    fn all() -> Vec<Self> {
        vec![false, true]
    }
    fn code(&self) -> u64 {
        u64::from(*self)
    }
    fn list(scope: &Scope) -> &Vec<Element<Self>> {
        &scope.booleans
    }
    fn list_mut(scope: &mut Scope) -> &mut Vec<Element<Self>> {
        &mut scope.booleans
    }
}

impl Family for (bool, u32) {
    fn all() -> Vec<Self> {
        (0..8).map(|i| (i % 2 == 1, i / 2)).collect()
    }
    fn code(&self) -> u64 {
        self.0.code() + 2 * self.1.code()
    }
    fn list(scope: &Scope) -> &Vec<Element<Self>> {
        &scope.pairs
    }
    fn list_mut(scope: &mut Scope) -> &mut Vec<Element<Self>> {
        &mut scope.pairs
    }
}

/// Returns a function of some codes that is chosen by another code; small codes choose sums, which are easy to read.
pub(super) fn mix(code: u64, values: &[u64]) -> u64 {
    if code < 4 {
        return values.iter().sum::<u64>() + code;
    }
    values.iter().fold(code, |state, value| {
        let mut z = (state ^ (value + 1)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z ^ (z >> 31)
    })
}
