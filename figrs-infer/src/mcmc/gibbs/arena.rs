//! Arena of deduplicated tables in contiguous memory.

use rustc_hash::FxHashMap;

/// Tables as numbers and as logarithms.
#[derive(Debug, Default)]
pub(super) struct Arena {
    pub(super) linear: Vec<f64>,
    pub(super) logs: Vec<f64>,
    known: FxHashMap<Vec<u64>, u32>,
}

impl Arena {
    /// Offset of a table: tables with the same entries share one.
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
