//! Tables of numbers in contiguous memory; equal tables are stored only once.

use rustc_hash::FxHashMap;

/// Tables in contiguous memory, with each entry stored both as a number and as its logarithm.
#[derive(Debug, Default)]
pub(super) struct Arena {
    pub(super) linear: Vec<f64>,
    pub(super) logs: Vec<f64>,
    known: FxHashMap<Vec<u64>, u32>,
}

impl Arena {
    /// Returns the offset in the arena of the table whose entries have the logarithms `logs`. Tables with the same
    /// entries share one offset.
    pub(super) fn intern(&mut self, logs: &[f64]) -> u32 {
        let key: Vec<u64> = logs.iter().map(|log| log.to_bits()).collect();
        *self.known.entry(key).or_insert_with(|| {
            let start = self.logs.len() as u32;
            self.logs.extend(logs);
            self.linear.extend(logs.iter().map(|log| log.exp()));
            start
        })
    }
}
