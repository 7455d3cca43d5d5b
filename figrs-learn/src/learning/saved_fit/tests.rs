//! Tests that a loaded `Fit` continues learning as the saved one would, and that damaged data, other models and other rows of data are errors.

use figrs_core::{Element, Flip, Learned, Model, Normal, StandardDeviation};
use figrs_exact::JunctionTree;

use super::*;

/// The test model of hidden classes with normal heights, with its parameters and its columns of data.
struct World {
    bias: Element<f64>,
    means: [Element<f64>; 2],
    columns: (Element<f64>, Element<bool>),
    model: Model,
}

fn world() -> World {
    world_with("bias")
}

fn world_with(name: &str) -> World {
    let bias = Learned::beta(name, 2.0, 3.0);
    let means = ["low", "high"].map(|name| Learned::normal(name, 1.0, StandardDeviation(5.0)));
    let class = Flip::new(&bias);
    let seen = class.flat_map(|&class| Flip::new(if class { 0.9 } else { 0.2 }));
    let height = Normal::new(&means[0], StandardDeviation(2.0));
    World {
        model: Model::new().weigh(&class, |&class| if class { 1.5 } else { 1.0 }),
        bias,
        means,
        columns: (height, seen),
    }
}

impl World {
    fn cases(&self, rows: &[(f64, bool)]) -> Cases<(&Element<f64>, &Element<bool>)> {
        Cases::new((&self.columns.0, &self.columns.1)).rows(rows.iter().copied())
    }

    fn bits(&self, fit: &Fit) -> Vec<u64> {
        let of = |parameter: &Element<f64>| fit.value(parameter).expect("learned").to_bits();
        [&self.bias, &self.means[0]].map(of).to_vec()
    }
}

const ROWS: [(f64, bool); 6] = [
    (1.0, true),
    (2.5, false),
    (4.25, true),
    (2.5, true),
    (0.1, false),
    (7.0, true),
];

fn learner() -> ExpectationMaximization<JunctionTree> {
    ExpectationMaximization::new(JunctionTree::new()).map_estimate()
}

/// Returns `saved` with valid checksums for the data of the test model `world`, so that tests reach the later checks.
fn sealed(saved: &SavedFit, world: &World) -> SavedFit {
    let table = world.cases(&ROWS).table;
    let mut sealed = saved.clone();
    sealed.cases = cases_checksum(&table, &table.rows);
    sealed.checksum = sealed.computed_checksum().expect("a checksum");
    sealed
}

#[test]
fn a_loaded_fit_continues_to_the_last_bit() {
    let here = world();
    let mut fit = learner()
        .fit(&here.model, &here.cases(&ROWS[..2]))
        .expect("a fit");
    // The rows that come later have new heights, which extend the list of outcomes.
    for end in 2..ROWS.len() {
        let there = world();
        let text = serde_json::to_string(&fit.save().expect("saved")).expect("text");
        let saved: SavedFit = serde_json::from_str(&text).expect("read");
        let loaded = learner().load(&there.model, &there.cases(&ROWS[..end]), &saved);
        let mut loaded = loaded.expect("loaded");
        assert_eq!(there.bits(&loaded), here.bits(&fit));
        assert_eq!(loaded.save().expect("saved again"), saved);
        assert_eq!(loaded.log_likelihoods(), fit.log_likelihoods());
        assert_eq!(
            (loaded.ended(), loaded.starts()),
            (fit.ended(), fit.starts())
        );
        let errors = [
            (fit.standard_errors(), &here.bias),
            (loaded.standard_errors(), &there.bias),
        ];
        let errors = errors.map(|(errors, bias)| errors.expect("exact").of(bias).expect("one")[0]);
        assert_eq!(errors[0], errors[1]);
        let further = &ROWS[end..=end];
        let logs = [
            fit.update(&here.cases(further)),
            loaded.update(&there.cases(further)),
        ];
        let [own, other] = logs.map(|log| log.expect("an update").to_bits());
        assert_eq!(own, other);
        assert_eq!(there.bits(&loaded), here.bits(&fit));
    }
}

#[test]
fn what_does_not_fit_is_an_error() {
    let here = world();
    let cases = here.cases(&ROWS);
    let fit = learner().fit(&here.model, &cases).expect("a fit");
    let saved = fit.save().expect("saved");
    let reason = |saved: &SavedFit, world: &World, rows: &[(f64, bool)]| match learner().load(
        &world.model,
        &world.cases(rows),
        saved,
    ) {
        Err(Error::Saved {
            what: "fit",
            reason,
            ..
        }) => reason,
        other => panic!("{other:?}"),
    };
    let other = SavedFit {
        version: 99,
        ..saved.clone()
    };
    assert!(reason(&other, &here, &ROWS).contains("version"));
    let text = serde_json::to_string(&saved).expect("text");
    // Loading detects a change of any digit of the saved numbers.
    let digits = text.char_indices().filter(|(_, c)| c.is_ascii_digit());
    for (at, digit) in digits.step_by(5) {
        let mut damaged = text.clone();
        let changed = if digit == '1' { "2" } else { "1" };
        damaged.replace_range(at..=at, changed);
        let Ok(damaged) = serde_json::from_str::<SavedFit>(&damaged) else {
            continue;
        };
        if damaged != saved {
            reason(&damaged, &here, &ROWS);
        }
    }
    assert!(reason(&saved, &here, &ROWS[..4]).contains("other cases"));

    // The same cases with a parameter of another name, and with a table of more outcomes.
    let renamed = world_with("slope");
    assert!(reason(&sealed(&saved, &renamed), &renamed, &ROWS).contains("another model"));
    let mut longer = saved.clone();
    longer.counts.push(0);
    assert!(reason(&sealed(&longer, &here), &here, &ROWS).contains("another model"));

    let mut clone = fit.clone();
    clone
        .update(&here.cases(&[(99.0, true)]))
        .expect("an update");
    let error = fit.save().expect_err("the model has other cells, too");
    assert!(matches!(error, Error::Saved { what: "fit", .. }), "{error}");
    assert!(clone.save().is_ok());
}
