//! Tests of the errors of runs in parts.

use std::fs;
use std::io;
use std::num::NonZero;
use std::ops::Range;
use std::path::Path;
use std::time::Duration;

use figrs_core::rand::RngExt;
use figrs_core::{Element, Flip, If, Learned, Model};
use figrs_infer::{
    Gibbs, ImportanceSampling, ItemSampler, JunctionTree, MergeableSampler, MetropolisHastings,
};
use figrs_learn::{Cases, ExpectationMaximization};
use figrs_spread::{Spread, SpreadError, SpreadOptions};
use serde::{Deserialize, Serialize};

fn options(part: Option<u64>, directory: &Path) -> SpreadOptions {
    SpreadOptions {
        parts: NonZero::new(4),
        part,
        merge: part.is_none(),
        out: Some(directory.to_owned()),
        ..SpreadOptions::default()
    }
}

fn spread(part: Option<u64>, directory: &Path) -> Spread {
    Spread::from_options("test", 4, options(part, directory)).unwrap()
}

/// Checks that the options are refused for a problem that begins with some words.
#[track_caller]
fn options_are_refused(error: &SpreadError, words: &str) {
    match error {
        SpreadError::Options { problem, .. } => assert!(problem.starts_with(words), "{problem}"),
        other => panic!("{other}"),
    }
}

fn coin() -> Element<bool> {
    Flip::new(0.3)
}

#[test]
fn parts_merge_in_one_process_too() {
    let directory = tempfile::tempdir().unwrap();
    let sampler = ImportanceSampling::new(1000).seed(3);
    for part in 0..4 {
        let coin = coin();
        let none = spread(Some(part), directory.path()).run(&sampler, &Model::new(), &coin);
        assert!(none.unwrap().is_none());
    }
    let coin = coin();
    let merged = spread(None, directory.path()).run(&sampler, &Model::new(), &coin);
    let whole = Spread::from_options("test", 4, SpreadOptions::default());
    let whole = whole.unwrap().run(&sampler, &Model::new(), &coin);
    let [merged, whole] = [merged, whole].map(|answer| answer.unwrap().unwrap());
    let bits = |answer: &figrs_infer::Answer| answer.probability(&coin, &true).unwrap().to_bits();
    assert_eq!(bits(&merged), bits(&whole));
}

#[test]
fn there_is_no_part_beyond_the_last() {
    let error = Spread::from_options("test", 4, options(Some(4), Path::new("parts"))).unwrap_err();
    options_are_refused(&error, "there is no part 4: 4 parts are numbered from 0");
}

#[test]
fn errors_of_a_sampler_name_the_part() {
    let directory = tempfile::tempdir().unwrap();
    let coin = coin();
    let impossible = Model::new().observe(&coin, true).observe(&coin, false);
    let sampler = MetropolisHastings::new(100);
    let error = spread(Some(0), directory.path())
        .run(&sampler, &impossible, &coin)
        .unwrap_err();
    assert!(
        matches!(error, SpreadError::Inference { part: Some(0), .. }),
        "{error}"
    );
    let none = fs::read_dir(directory.path()).unwrap().count();
    assert_eq!(none, 0);
}

#[test]
fn a_run_without_end_has_no_parts() {
    let directory = tempfile::tempdir().unwrap();
    let sampler = ImportanceSampling::anytime().deadline(Duration::from_secs(1));
    let error = spread(Some(0), directory.path())
        .run(&sampler, &Model::new(), &coin())
        .unwrap_err();
    options_are_refused(&error, "the run has no fixed number of samples");
}

/// Tests that a part is not written if the sampler was stopped before the end of the part.
fn stopped(sampler: &impl MergeableSampler) {
    let directory = tempfile::tempdir().unwrap();
    let error = spread(Some(0), directory.path())
        .run(sampler, &Model::new(), &coin())
        .unwrap_err();
    assert!(matches!(error, SpreadError::Stopped { part: 0 }), "{error}");
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
}

#[test]
fn a_part_that_was_stopped_is_not_written() {
    let deadline = Duration::from_millis(20);
    stopped(&ImportanceSampling::new(u64::MAX / 2).deadline(deadline));
    stopped(&MetropolisHastings::new(1_000_000_000).deadline(deadline));
    stopped(&Gibbs::new(1_000_000_000).deadline(deadline));
}

/// Parts of other models are refused, if the models differ in a probability, or in evidence that does not change the distribution of
/// worlds.
#[test]
fn parts_of_other_models_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let sampler = ImportanceSampling::new(1000);
    let run = |model: &Model, coin: &Element<bool>| {
        spread(Some(1), directory.path()).run(&sampler, model, coin)
    };
    let coin = |probability: f64| Flip::new(probability);
    run(&Model::new(), &coin(0.3)).unwrap();
    run(&Model::new(), &coin(0.3)).unwrap();
    let error = run(&Model::new(), &coin(0.3 + 1e-12)).unwrap_err();
    assert!(
        matches!(&error, SpreadError::Foreign { what, .. } if what.starts_with("model")),
        "{error}"
    );
    let observed = coin(0.3);
    let error = run(&Model::new().weigh(&observed, |_| 1.0), &observed).unwrap_err();
    assert!(matches!(error, SpreadError::Foreign { .. }), "{error}");
}

#[test]
fn a_merge_without_some_parts_is_that_of_the_others() {
    let directory = tempfile::tempdir().unwrap();
    let sampler = ImportanceSampling::new(4000).seed(3);
    for part in [0, 2] {
        spread(Some(part), directory.path())
            .run(&sampler, &Model::new(), &coin())
            .unwrap();
    }
    let coin = coin();
    let options = SpreadOptions {
        partial: true,
        ..options(None, directory.path())
    };
    let merger = Spread::from_options("test", 4, options).unwrap();
    let merged = merger.run(&sampler, &Model::new(), &coin).unwrap().unwrap();
    // The same units, merged by the functions of the library alone.
    let targets = [coin.erased().clone()];
    let units = sampler.units(&Model::new(), &targets).unwrap();
    let mut sums = sampler
        .partial(&Model::new(), &targets, 0..units / 4)
        .unwrap();
    sums.leave_out(units / 4..units / 2).unwrap();
    let next = sampler.partial(&Model::new(), &targets, units / 2..units * 3 / 4);
    sums.merge(next.unwrap()).unwrap();
    assert!(sums.leave_out(0..1).is_err());
    let expected = sums.into_answer().unwrap();
    let figures = |answer: &figrs_infer::Answer| {
        let done = answer.sampling().unwrap().done;
        (answer.probability(&coin, &true).unwrap().to_bits(), done)
    };
    assert_eq!(figures(&merged), figures(&expected));
    assert!(figures(&merged).1 < 2100);
}

/// A value that serde cannot serialise.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize)]
struct Unwritable(bool);
figrs_core::value!(Unwritable);

impl Serialize for Unwritable {
    fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(serde::ser::Error::custom("no value of this type"))
    }
}

#[test]
fn values_that_cannot_be_written_are_errors() {
    let directory = tempfile::tempdir().unwrap();
    let element = coin().map(|&side| Unwritable(side));
    let error = spread(Some(3), directory.path())
        .run(&ImportanceSampling::new(1000), &Model::new(), &element)
        .unwrap_err();
    assert!(matches!(error, SpreadError::NotPortable { .. }), "{error}");
}

#[test]
fn files_that_cannot_be_written_are_named() {
    let directory = tempfile::tempdir().unwrap();
    let occupied = directory.path().join("occupied");
    fs::write(&occupied, "a file").unwrap();
    let error = spread(Some(0), &occupied)
        .run(&ImportanceSampling::new(100), &Model::new(), &coin())
        .unwrap_err();
    assert!(matches!(&error, SpreadError::File { file, .. } if file.starts_with(&occupied)));
}

/// The names of the files of a set, with their contents.
fn set(directory: &Path) -> Vec<(String, String)> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        (name, path)
    });
    let entries = entries.filter(|(name, _)| !name.starts_with('.'));
    let entries = entries.map(|(name, path)| (name, fs::read_to_string(path).unwrap()));
    let mut entries: Vec<_> = entries.collect();
    entries.sort();
    entries
}

/// A sampler of random numbers in batches of four, which fails for items from number `end` on.
struct Numbers {
    end: u64,
}

impl ItemSampler for Numbers {
    type Item = u64;
    type Error = io::Error;

    fn batch(&self) -> u64 {
        4
    }

    fn items(&self, seed: u64, numbers: Range<u64>) -> io::Result<Vec<u64>> {
        if numbers.end > self.end {
            return Err(io::Error::other("no such number"));
        }
        let draw = |number| figrs_core::stream(seed, number).random();
        Ok(numbers.map(draw).collect())
    }

    fn write(&self, item: &u64, out: &mut dyn io::Write) -> io::Result<()> {
        write!(out, "{item}")
    }
}

fn draw(spread: &Spread, directory: &Path) -> Result<u64, SpreadError> {
    spread.levels(&Numbers { end: 10 }, 1, 0..10, directory)
}

#[test]
fn files_of_a_set_are_the_same_in_parts_and_holes_are_filled() {
    let [whole, parts, out] = [(); 3].map(|()| tempfile::tempdir().unwrap());
    let all = Spread::from_options("test", 4, SpreadOptions::default()).unwrap();
    draw(&all, whole.path()).unwrap();
    let expected = set(whole.path());
    assert_eq!(expected.len(), 10);
    for part in [2, 0, 3, 1] {
        draw(&spread(Some(part), out.path()), parts.path()).unwrap();
    }
    assert_eq!(set(parts.path()), expected);
    fs::remove_file(whole.path().join("4.txt")).unwrap();
    fs::write(whole.path().join("5.txt"), "kept").unwrap();
    let all = Spread::from_options("test", 4, SpreadOptions::default()).unwrap();
    assert_eq!(draw(&all, whole.path()).unwrap(), 1);
    let filled = set(whole.path());
    assert_eq!(filled[4], expected[4]);
    assert_eq!(filled[5].1, "kept");
}

#[test]
fn a_file_that_cannot_be_drawn_is_named_by_its_number() {
    let directory = tempfile::tempdir().unwrap();
    let all = Spread::from_options("test", 4, SpreadOptions::default()).unwrap();
    let error = all
        .levels(&Numbers { end: 8 }, 1, 7..10, directory.path())
        .unwrap_err();
    assert!(
        matches!(error, SpreadError::Item { number: 8, .. }),
        "{error}"
    );
    assert_eq!(set(directory.path()).len(), 1);
}

/// A sampler that always returns one item, however many items are requested.
struct OneItem;

impl ItemSampler for OneItem {
    type Item = u64;
    type Error = io::Error;

    fn batch(&self) -> u64 {
        4
    }

    fn items(&self, _: u64, numbers: Range<u64>) -> io::Result<Vec<u64>> {
        Ok(vec![numbers.start])
    }

    fn write(&self, item: &u64, out: &mut dyn io::Write) -> io::Result<()> {
        writeln!(out, "{item}")
    }
}

#[test]
fn a_sampler_that_draws_too_few_items_leaves_no_hole_unsaid() {
    let directory = tempfile::tempdir().unwrap();
    let all = Spread::from_options("test", 4, SpreadOptions::default()).unwrap();
    let error = all
        .levels(&OneItem, 1, 0..10, directory.path())
        .unwrap_err();
    assert!(matches!(error, SpreadError::Item { number: 0, .. }));
    assert!(
        error
            .to_string()
            .contains("drew 1 items for the numbers 0 to 3"),
        "{error}"
    );
}

#[test]
fn a_directory_of_another_set_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let all = || Spread::from_options("test", 4, SpreadOptions::default()).unwrap();
    draw(&all(), directory.path()).unwrap();
    let numbers = Numbers { end: 10 };
    let error = all().levels(&numbers, 2, 0..10, directory.path());
    assert!(
        matches!(error.unwrap_err(), SpreadError::Foreign { theirs, ours, .. } if theirs == "seed: 1" && ours == "seed: 2")
    );
    let file = directory.path().join("0.txt");
    let error = all().levels(&numbers, 1, 0..10, &file).unwrap_err();
    assert!(matches!(error, SpreadError::File { .. }), "{error}");
}

#[test]
fn a_directory_without_parts_to_do_or_to_merge_is_refused() {
    let options = SpreadOptions {
        out: Some("parts".into()),
        ..SpreadOptions::default()
    };
    let error = Spread::from_options("test", 4, options).unwrap_err();
    options_are_refused(&error, "--out parts: this process neither writes parts");
}

/// Fits a biased coin with this learner.
fn fit(
    spread: &Spread,
    learner: &ExpectationMaximization<JunctionTree>,
) -> Result<Option<f64>, SpreadError> {
    let (first, second) = (
        Learned::beta("first", 2.0, 1.0),
        Learned::beta("second", 1.0, 2.0),
    );
    let heads = If::new(&coin(), Flip::new(&first), Flip::new(&second));
    let cases = Cases::new(&heads).weighted_rows([(6.0, true), (3.0, false)]);
    let fit = spread.fit(learner, &Model::new(), &cases)?;
    Ok(fit.map(|fit| fit.value(&first).unwrap()))
}

#[test]
fn a_fit_in_parts_is_that_of_one_process() {
    let directory = tempfile::tempdir().unwrap();
    let learner = ExpectationMaximization::new(JunctionTree::new())
        .map_estimate()
        .accelerated()
        .starts(2);
    let mut rounds = 0;
    let merged = loop {
        if let Some(value) = fit(&spread(None, directory.path()), &learner).unwrap() {
            break value;
        }
        for part in 0..4 {
            assert_eq!(
                fit(&spread(Some(part), directory.path()), &learner).unwrap(),
                None
            );
        }
        rounds += 1;
    };
    let whole = Spread::from_options("test", 4, SpreadOptions::default()).unwrap();
    assert_eq!(Some(merged), fit(&whole, &learner).unwrap());
    assert!(rounds > 10);
}

#[test]
fn what_a_fit_cannot_do_in_parts_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let learner = ExpectationMaximization::new(JunctionTree::new());
    let batches = learner.clone().mini_batches(1);
    for part in [None, Some(2)] {
        let error = fit(&spread(part, directory.path()), &batches).unwrap_err();
        assert!(error.to_string().contains("mini_batches"), "{error}");
    }
    fit(&spread(Some(2), directory.path()), &learner).unwrap();
    let error = fit(&spread(None, directory.path()), &learner).unwrap_err();
    assert!(
        matches!(&error, SpreadError::MissingParts { missing, round: Some(0), .. } if *missing == [0, 1, 3]),
        "{error}"
    );
    // A request for the first round of another model, with other parameters.
    let started = learner.map_estimate().rounds(7);
    let other = || {
        let bias = Learned::beta("bias", 2.0, 1.0);
        let heads = Flip::new(&bias);
        let cases = Cases::new(&heads).rows([true]);
        spread(None, directory.path()).fit(&started, &Model::new(), &cases)
    };
    let error = other().unwrap_err();
    assert!(matches!(error, SpreadError::Foreign { .. }), "{error}");
}
