//! Tests of the errors of lazy bounds: models without bounds, and queries that bounds do not answer.

use figrs::prelude::*;
use figrs::rand::Rng;
use figrs::{Atomic, Distribution, LazyVariableElimination, MarginalMap, ModelError, Outcomes};

use crate::errors::{error, everywhere, says};

fn geometric() -> Element<u32> {
    Flip::new(0.5)
        .flat_map(|&stop| {
            if stop {
                Constant::new(0)
            } else {
                geometric().map(|n| n + 1)
            }
        })
        .named("n")
}

fn shallow() -> LazyVariableElimination {
    LazyVariableElimination::to_depth(3)
}

fn unbounded<T: Value>(model: &Model, target: &Element<T>, parts: &[&str]) {
    let small = LazyVariableElimination::to_width(0.1).work(100_000);
    for algorithm in algorithms![shallow(), small] {
        let found = says(error(&*algorithm, model, target), parts);
        let is_unbounded = matches!(found, Error::Model(ModelError::Unbounded { .. }));
        assert!(is_unbounded, "{found:?}");
    }
}

#[test]
fn unbounded_weight() {
    let n = geometric();
    for model in [
        Model::new().weigh(&n, |&n| f64::from(n)),
        Model::new().log_weigh(&n, |&n| f64::from(n)),
    ] {
        unbounded(
            &model,
            &n,
            &["`n`", "depth of", "no maximum", "`weigh_at_most`"],
        );
    }
}

#[test]
fn unbounded_weight_of_a_score() {
    let scored = Score::weigh(&geometric(), |_| 0.5).named("scored");
    unbounded(
        &Model::new(),
        &scored,
        &["`scored`", "no maximum", "`weigh_at_most`"],
    );
}

/// A recursion in which each level may double the weight again.
fn doubling() -> Element<bool> {
    Flip::new(0.5).flat_map(|&stop| {
        if stop {
            Constant::new(true)
        } else {
            Score::weigh_at_most(&doubling(), 2.0, |_| 2.0).named("twice")
        }
    })
}

/// The same recursion with the `Score` before the choice.
fn early() -> Element<bool> {
    let first = Score::weigh(&Flip::new(0.5), |&stop| if stop { 1.0 } else { 2.0 });
    first
        .named("first")
        .flat_map(|&stop| if stop { Constant::new(true) } else { early() })
}

#[test]
fn unbounded_product_of_scores() {
    unbounded(
        &Model::new(),
        &doubling(),
        &["`twice`", "Score of 2", "above one", "scale"],
    );
    unbounded(
        &Model::new(),
        &early(),
        &["`first`", "Score of 2", "above one", "scale"],
    );
}

/// A narrow distribution with a large density.
#[derive(Debug)]
struct Narrow;

impl Distribution<f64> for Narrow {
    fn check(&self) -> Result<(), String> {
        Ok(())
    }
    fn outcomes(&self) -> Outcomes<f64> {
        Outcomes::Continuous
    }
    fn log_prob(&self, _: &f64) -> f64 {
        3.0
    }
    fn sample(&self, _: &mut dyn Rng) -> f64 {
        0.5
    }
}

#[test]
fn unbounded_density() {
    let length = geometric()
        .flat_map(|_| Atomic::new(Narrow))
        .named("length");
    let model = Model::new().observe(&length, 0.5);
    unbounded(
        &model,
        &length,
        &["`length`", "density", "ImportanceSampling"],
    );
}

#[test]
fn weight_above_maximum() {
    let die = Uniform::new(1..=6).named("die");
    let line = line!() + 1;
    let model = Model::new().weigh_at_most(&die, 5.5, |&n| f64::from(n));
    let place = format!("lazy.rs:{line}:");
    let parts = [
        "`die`",
        &place,
        "gives 6 the weight 6",
        "above the stated maximum 5.5",
        "larger",
    ];
    for found in everywhere(&model, &die, &parts) {
        let is_above = matches!(found, Error::Model(ModelError::WeightAboveMaximum { .. }));
        assert!(is_above, "{found:?}");
    }
    for maximum in [f64::NAN, f64::INFINITY, -1.0] {
        let scored = Score::weigh_at_most(&die, maximum, |_| 0.0).named("scored");
        let shown = maximum.to_string();
        everywhere(
            &Model::new(),
            &scored,
            &["`scored`", "lazy.rs:", &shown, "a larger finite maximum"],
        );
    }
}

#[test]
fn width_that_is_no_width() {
    for width in [-0.1, f64::NAN] {
        let lazy = LazyVariableElimination::to_width(width);
        let found = error(&lazy, &Model::new(), &Flip::new(0.5));
        let parts = [
            "LazyVariableElimination",
            "width",
            &width.to_string(),
            "not negative",
        ];
        assert!(matches!(says(found, &parts), Error::InvalidSetting { .. }));
    }
}

#[test]
fn numbers_that_bounds_and_searches_cannot_use() {
    let n = geometric();
    let found = error(&shallow().range(0), &Model::new(), &n);
    assert!(matches!(
        says(found, &["range is 0", "at least one value"]),
        Error::InvalidSetting { .. }
    ));
    for work in [f64::NAN, -1.0] {
        let found = error(&MarginalMap::new().search_work(work), &Model::new(), &n);
        says(found, &["search_work", &work.to_string()]);
    }
    let answer = shallow().run(&Model::new(), &n).unwrap();
    let number = |&n: &u32| f64::from(n);
    for range in [1.0..=0.0, f64::NAN..=1.0, 0.0..=0.5] {
        let found = answer.expectation_bounds(&n, number, range).unwrap_err();
        says(
            found,
            &["expectation_bounds", "contains all values of the function"],
        );
    }
    let found = answer.expectation_bounds(&n, |_| f64::NAN, 0.0..=1.0);
    says(found.unwrap_err(), &["expectation_bounds"]);
    let bounds = answer.expectation_bounds(&n, number, 0.0..=f64::INFINITY);
    assert!(bounds.unwrap().lower > 0.0);
}

fn forever() -> Element<bool> {
    Constant::new(()).flat_map(|()| forever()).named("forever")
}

#[test]
fn budgets_of_a_depth_that_was_asked_for() {
    let n = geometric();
    let found = error(&shallow().work(300), &Model::new(), &n);
    let found = says(found, &["work is 300", "allow more"]);
    assert!(matches!(found, Error::InvalidSetting { .. }));
    let deep = LazyVariableElimination::to_depth(20_000).work(u64::MAX);
    let coin = Flip::new(0.5).flat_map(|_| Constant::new(true));
    assert!(deep.run(&Model::new(), &coin).is_ok());
    let found = error(&deep, &Model::new(), &forever());
    says(
        found,
        &["`forever`", "limit of 10000", "LazyVariableElimination"],
    );
}

#[test]
fn not_in_an_answer_of_bounds() {
    let n = geometric();
    let answer = shallow().run(&Model::new(), &n).unwrap();
    let bounds = "`bounds`";
    let found = [
        (
            answer.distribution(&n).unwrap_err(),
            "single numbers",
            bounds,
        ),
        (
            answer.probability(&n, &0).unwrap_err(),
            "single numbers",
            bounds,
        ),
        (answer.mean(&n).unwrap_err(), "single numbers", bounds),
        (
            answer.log_evidence().unwrap_err(),
            "single number",
            "`log_evidence_bounds`",
        ),
        (answer.log_probability().unwrap_err(), "world", "use "),
    ];
    for (found, asked, remedy) in found {
        let found = says(found, &["LazyVariableElimination", asked, remedy]);
        assert!(matches!(found, Error::NotInAnswer { .. }));
    }
    let even = Uniform::new(0..2).named("even");
    for found in [
        answer.bounds(&even, &0).unwrap_err(),
        answer.summary(&even).unwrap_err(),
        answer.quality(&even).unwrap_err(),
        answer.most_likely_value(&even).unwrap_err(),
    ] {
        assert_eq!(says(found, &["`even`"]), Error::not_a_target(even.label()));
    }
}

#[test]
fn no_bounds_in_an_estimate() {
    let coin = Flip::new(0.5);
    let model = Model::new().observe(&coin, true);
    let answer = ImportanceSampling::new(100).run(&model, &coin).unwrap();
    for found in [
        answer.bounds(&coin, &true).unwrap_err(),
        answer.log_evidence_bounds().unwrap_err(),
    ] {
        let found = says(
            found,
            &["ImportanceSampling", "bounds", "LazyVariableElimination"],
        );
        assert!(matches!(found, Error::NotInAnswer { .. }));
    }
}
