//! Tests of the runs of columns in levels drawn from n-grams, against the corpus.

use std::sync::Arc;

use figrs_design::ColumnRuns;
use figrs_models::mdmc::{ColumnNGrams, Corpus, Level};

#[test]
fn runs_of_as_many_columns_as_the_order_stand_in_the_corpus() {
    let corpus = Corpus::shipped();
    for order in [2, 4, 6] {
        let ngrams = Arc::new(ColumnNGrams::train(&corpus, order).unwrap());
        let level = ngrams
            .program(120)
            .unwrap()
            .sample(&mut figrs_core::stream(1, 0))
            .unwrap();
        let known = ColumnRuns::of(corpus.levels());
        let runs = (0..=120 - order).filter(|&from| {
            let part = level
                .as_array()
                .slice(ndarray::s![.., from..from + order])
                .to_owned();
            let run = known.longest_copied_run(&Level::from_array(part).unwrap());
            run == order
        });
        // The shipped levels end alike, so that a copied end can continue only after a shorter history.
        assert!(runs.count() > 119 - 2 * order, "{order}");
    }
}
