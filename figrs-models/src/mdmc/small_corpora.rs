//! Small corpora of unnamed levels, and chains trained on them, for tests.

use super::{Corpus, MarkovChain, RowSplits, Structure};

/// Returns the corpus of the levels that `texts` show.
pub(super) fn corpus(texts: &[&str]) -> Corpus {
    let named = texts
        .iter()
        .map(|text| (String::new(), text.parse().unwrap()));
    Corpus::new(named).unwrap()
}

/// Returns the chain trained on the levels that `texts` show, without row splits.
pub(super) fn chain(texts: &[&str], structure: &Structure) -> MarkovChain {
    MarkovChain::train(&corpus(texts), structure, RowSplits::NONE).unwrap()
}
