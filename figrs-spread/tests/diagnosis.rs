//! Tests that the diagnosis of a run in parts is that of the run in one process.

use std::num::NonZero;
use std::path::Path;

use figrs_core::{Element, Flip, If, Model};
use figrs_infer::{
    Answer, Gibbs, ImportanceSampling, MergeableSampler, MetropolisHastings, RejectionSampling,
    SequentialMonteCarlo,
};
use figrs_spread::{Spread, SpreadOptions};

fn spread(part: Option<u64>, directory: Option<&Path>) -> Spread {
    let options = SpreadOptions {
        parts: NonZero::new(3),
        part,
        merge: part.is_none() && directory.is_some(),
        out: directory.map(Path::to_owned),
        ..SpreadOptions::default()
    };
    Spread::from_options("test", 3, options).unwrap()
}

/// The text of the diagnosis, the number of samples drawn, and the number of samples requested.
fn message(answer: &Answer) -> (String, u64, Option<u64>) {
    let sampling = answer.sampling().unwrap();
    (answer.diagnose().to_string(), sampling.done, sampling.asked)
}

/// A model of two switches that mostly agree, so that chains rarely move from one mode to the other. The runs are short, so that the
/// diagnosis has findings.
fn model() -> (Model, Element<bool>, Element<bool>) {
    let first = Flip::new(0.5).named("first");
    let second = If::new(&first, Flip::new(0.999), Flip::new(0.001)).named("second");
    let seen = If::new(&second, Flip::new(0.01), Flip::new(0.012)).named("seen");
    (Model::new().observe(&seen, true), first, second)
}

fn compare(sampler: &impl MergeableSampler) {
    let run = |spread: Spread| {
        let (model, first, second) = model();
        spread.run(sampler, &model, &(&first, &second)).unwrap()
    };
    let directory = tempfile::tempdir().unwrap();
    for part in 0..3 {
        assert!(run(spread(Some(part), Some(directory.path()))).is_none());
    }
    let merged = run(spread(None, Some(directory.path()))).unwrap();
    let whole = run(spread(None, None)).unwrap();
    assert_eq!(message(&merged), message(&whole), "{}", sampler.name());
    assert!(!message(&whole).0.is_empty());
}

#[test]
fn diagnoses_are_those_of_one_process() {
    compare(&Gibbs::new(60).chains(5).block_table(1));
    compare(&Gibbs::new(60));
    compare(&MetropolisHastings::new(200).chains(4));
    compare(&ImportanceSampling::new(3000));
    compare(&RejectionSampling::new(3000));
    compare(&SequentialMonteCarlo::new(40));
}
