//! Small sets of training levels without names, and Markov chains trained on them, for tests.

use super::{Corpus, MarkovChain, RowSplits, Structure};

/// Returns the corpus (the training levels) that the texts `texts` show.
pub(super) fn corpus(texts: &[&str]) -> Corpus {
    let named = texts
        .iter()
        .map(|text| (String::new(), text.parse().unwrap()));
    Corpus::new(named).unwrap()
}

/// Returns the Markov chain trained on the levels that the texts `texts` show; all rows are trained together.
pub(super) fn chain(texts: &[&str], structure: &Structure) -> MarkovChain {
    MarkovChain::train(&corpus(texts), structure, RowSplits::NONE).unwrap()
}
