//! Training: Markov chains, n-grams, hierarchical chains and Markov random fields, all by counting in a corpus of levels.

pub(crate) mod chain;
pub(crate) mod column_ngrams;
pub(crate) mod hierarchy;
mod ngram_proposals;
pub(crate) mod row_splits;
pub(crate) mod saved_chain;
pub(crate) mod structure;
pub(crate) mod table;
pub(crate) mod tile_field;
