//! Training of models of levels: Markov chains, n-grams, hierarchical chains and Markov random fields are all trained by counting in training levels.

pub(crate) mod chain;
pub(crate) mod column_ngrams;
pub(crate) mod hierarchy;
mod ngram_proposals;
pub(crate) mod row_splits;
pub(crate) mod saved_chain;
pub(crate) mod structure;
pub(crate) mod table;
pub(crate) mod tile_field;
