//! The types of values and the elements in scope.

use std::sync::Arc;

use figrs_core::{Constant, Element, Param, Value};

use super::description::Ref;

/// A type of values with few values.
pub trait Family: Value {
    /// All values.
    fn all() -> Vec<Self>;
    /// A number for each value.
    fn code(&self) -> u64;
    /// The elements in scope.
    fn list(scope: &Scope) -> &Vec<Element<Self>>;
    /// The elements in scope, to add to.
    fn list_mut(scope: &mut Scope) -> &mut Vec<Element<Self>>;

    /// The value of a code, modulo their number.
    fn decode(code: u64) -> Self {
        let all = Self::all();
        all[code as usize % all.len()].clone()
    }

    /// An element in scope; a constant if there is none.
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
    /// The numbers.
    pub numbers: Vec<Element<u32>>,
    /// The Booleans.
    pub booleans: Vec<Element<bool>>,
    /// The pairs.
    pub pairs: Vec<Element<(bool, u32)>>,
    /// The parameters.
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

/// A function of some codes, chosen by another: small codes give sums, which are easy to read.
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
