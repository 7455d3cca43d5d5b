//! Dictionaries that number values by codes, keys that pack the codes of the values of several elements, and the dictionary of the distinct weights.

use std::any::TypeId;

use rustc_hash::FxHashMap;

use super::growth::{table, vector};
use figrs_core::{AnyElement, Support, SupportBuilder};
use figrs_factor::graph::{Weights, WorldWeight};

/// The values that the sweep has found, numbered separately for each type of values.
#[derive(Debug, Default)]
pub(super) struct ValueDictionaries {
    types: FxHashMap<TypeId, usize>,
    pub(super) values: Vec<SupportBuilder>,
    /// For each type of values, the number of bits that the code of a value takes in a packed key.
    bits: Vec<u32>,
}

impl ValueDictionaries {
    pub(super) fn type_of(&mut self, element: &AnyElement) -> usize {
        let empty = element.no_values();
        let id = empty.value_type();
        let (values, bits) = (&mut self.values, &mut self.bits);
        *self.types.entry(id).or_insert_with(|| {
            values.push(empty);
            bits.push(if id == TypeId::of::<bool>() { 1 } else { 4 });
            values.len() - 1
        })
    }

    /// Widens the bit fields of codes that are too narrow, so that they hold twice as many values as are known; returns `false` if no field was too
    /// narrow.
    pub(super) fn widen(&mut self) -> bool {
        let mut wider = false;
        for (bits, values) in self.bits.iter_mut().zip(&self.values) {
            let needed = usize::BITS - values.len().saturating_sub(1).leading_zeros();
            if needed > *bits {
                *bits = needed + 1;
                wider = true;
            }
        }
        wider
    }

    /// Keeps only the values of type `of` at the ascending indices `positions`, and gives them new codes.
    pub(super) fn retain_values(&mut self, of: usize, positions: &[u32]) {
        let old = &self.values[of];
        let mut kept = old.like();
        for &position in positions {
            kept.insert(old.any(position as usize));
        }
        self.values[of] = kept;
    }

    /// Returns bit fields for values of the given types in a packed key of `words` machine words; `None` if the fields do not fit.
    pub(super) fn fields(&self, types: &[usize], words: usize) -> Option<Vec<BitField>> {
        let (mut word, mut free) = (0, 64);
        let mut fields = Vec::with_capacity(types.len());
        for &of in types {
            let bits = self.bits[of];
            if bits > free {
                (word, free) = (word + 1, 64);
            }
            free -= bits;
            fields.push(BitField {
                word,
                shift: free,
                mask: u64::MAX >> (64 - bits.max(1)),
            });
        }
        (fields.is_empty() || word < words).then_some(fields)
    }

    /// Returns the list of values of each type; the list is empty for a type that is not in `types`.
    pub(super) fn finish(self, types: &[usize]) -> Vec<Support> {
        let kept = |(of, values): (usize, SupportBuilder)| {
            let values = if types.contains(&of) {
                values
            } else {
                values.like()
            };
            values.build()
        };
        self.values.into_iter().enumerate().map(kept).collect()
    }
}

/// A bit field of a packed key, which contains the code of one value.
#[derive(Clone, Copy, Debug)]
pub(super) struct BitField {
    word: usize,
    shift: u32,
    mask: u64,
}

/// An assignment of the elements of a frontier, (one code for the value of each element), packed into machine words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StateKey<const W: usize>([u64; W]);

impl<const W: usize> StateKey<W> {
    pub(super) const EMPTY: Self = Self([0; W]);

    pub(super) fn words(&self) -> &[u64; W] {
        &self.0
    }

    #[inline]
    pub(super) fn get(&self, field: BitField) -> u32 {
        (self.0[field.word] >> field.shift & field.mask) as u32
    }

    /// Overwrites the code in a bit field with a code that is not larger.
    pub(super) fn set(&mut self, field: BitField, code: u32) {
        self.0[field.word] &= !(field.mask << field.shift);
        self.0[field.word] |= u64::from(code) << field.shift;
    }

    /// Writes a code to an empty bit field; returns `false` if the code does not fit.
    #[inline]
    pub(super) fn write(&mut self, field: BitField, code: u32) -> bool {
        self.0[field.word] |= u64::from(code) << field.shift;
        u64::from(code) <= field.mask
    }
}

/// A dictionary that numbers the distinct weights; weight one has index zero.
#[derive(Debug)]
pub(super) struct WeightDictionary {
    ids: FxHashMap<(u64, u64), u32>,
    products: FxHashMap<(u32, u32), u32>,
    linear: Vec<f64>,
    logs: Vec<f64>,
}

impl WeightDictionary {
    pub(super) const ONE: u32 = 0;

    pub(super) fn new() -> Self {
        let mut weighing = Self {
            ids: FxHashMap::default(),
            products: FxHashMap::default(),
            linear: Vec::new(),
            logs: Vec::new(),
        };
        weighing.number(WorldWeight::ONE);
        weighing
    }

    pub(super) fn number(&mut self, weight: WorldWeight) -> u32 {
        let (linear, logs) = (&mut self.linear, &mut self.logs);
        let bits = (weight.linear.to_bits(), weight.log.to_bits());
        *self.ids.entry(bits).or_insert_with(|| {
            linear.push(weight.linear);
            logs.push(weight.log);
            linear.len() as u32 - 1
        })
    }

    #[inline]
    pub(super) fn product(&mut self, a: u32, b: u32) -> u32 {
        if b == Self::ONE {
            return a;
        }
        if a == Self::ONE {
            return b;
        }
        if let Some(&product) = self.products.get(&(a, b)) {
            return product;
        }
        let mut weight = self.get(a);
        weight.times(self.linear[b as usize], self.logs[b as usize]);
        let product = self.number(weight);
        self.products.insert((a, b), product);
        product
    }

    fn get(&self, number: u32) -> WorldWeight {
        WorldWeight {
            linear: self.linear[number as usize],
            log: self.logs[number as usize],
        }
    }

    pub(super) fn bytes(&self) -> usize {
        let ids = table(
            size_of::<((u64, u64), u32)>(),
            (self.ids.len(), self.ids.capacity()),
            1,
        );
        let products = table(
            size_of::<((u32, u32), u32)>(),
            (self.products.len(), self.products.capacity()),
            1,
        );
        ids + products + vector(&self.linear, 1) + vector(&self.logs, 1)
    }

    pub(super) fn finish(self) -> Weights {
        if self.linear.iter().all(|w| w.is_normal()) {
            Weights::from_linear(self.linear)
        } else {
            Weights::from_logs(self.logs)
        }
    }
}
