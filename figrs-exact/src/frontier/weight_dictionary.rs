//! The distinct weights that occur in an exploration of states.

use figrs_factor::graph::{Weights, WorldWeight};
use rustc_hash::FxHashMap;

use super::growth::{table, vector};

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
