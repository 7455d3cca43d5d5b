//! Tests of mistakes in a model, and of models that are too large for an algorithm.

use figrs::Limits;
use figrs::prelude::*;
use figrs::{
    Atomic, BeliefPropagation, Distribution, LazyVariableElimination, MarginalMap, ModelError,
    MpeBeliefPropagation, MpeBranchAndBound, Outcomes, Recursive, SimulatedAnnealing, Table,
};
use rand::Rng;

use crate::errors::{error, everywhere, says};

macro_rules! all_are {
    ($errors:expr, $pattern:pat) => {
        for error in $errors {
            assert!(matches!(error, $pattern), "{error:?}");
        }
    };
}

/// A distribution over 2.5 and all other numbers, whose outcomes cannot be listed.
#[derive(Debug)]
struct Endless(Outcomes<f64>);

impl Distribution<f64> for Endless {
    fn check(&self) -> Result<(), String> {
        Ok(())
    }
    fn outcomes(&self) -> Outcomes<f64> {
        self.0.clone()
    }
    fn log_prob(&self, _: &f64) -> f64 {
        0.0
    }
    fn sample(&self, _: &mut dyn Rng) -> f64 {
        2.5
    }
}

fn failures() -> Element<u32> {
    Flip::new(0.2)
        .named("success")
        .flat_map(|&stop| {
            if stop {
                Constant::new(0)
            } else {
                failures().map(|n| n + 1)
            }
        })
        .named("failures")
}

#[test]
fn invalid_parameter() {
    let rain = Flip::new(1.2).named("rain");
    let errors = everywhere(
        &Model::new(),
        &rain,
        &["`rain`", "Flip", "model.rs:", "1.2", "[0, 1]"],
    );
    all_are!(errors, Error::Model(ModelError::InvalidParameter { .. }));
}

#[test]
fn invalid_parameter_of_an_element_without_a_name() {
    let line = line!() + 1;
    let die = Select::new([(1.0, "one"), (-2.0, "two")]);
    let place = format!("model.rs:{line}:");
    everywhere(
        &Model::new(),
        &die,
        &[&place, "Select", "-2", "\"two\"", "not negative"],
    );
}

#[test]
fn invalid_parameter_of_a_table() {
    let smoker = Flip::new(0.3);
    let states = vec![true, false];
    let cough = Table::new([(&smoker, states)], ["yes", "no"], vec![0.4, 0.6, 0.1]).named("cough");
    everywhere(
        &Model::new(),
        &cough,
        &["`cough`", "3 weights", "2 rows of 2 values need 4"],
    );
}

#[test]
fn invalid_parameter_that_another_element_supplies() {
    let rate = Uniform::new([0.5, 1.5]);
    let coin = Flip::new(&rate).named("coin");
    everywhere(
        &Model::new(),
        &coin,
        &["Flip", "model.rs:", "1.5", "[0, 1]"],
    );
}

#[test]
fn invalid_weight() {
    let rain = Flip::new(0.2).named("rain");
    let line = line!() + 1;
    let model = Model::new().weigh(&rain, |_| -2.0);
    let place = format!("model.rs:{line}:");
    let errors = everywhere(
        &model,
        &rain,
        &["`rain`", &place, "-2", "finite and not negative"],
    );
    all_are!(errors, Error::Model(ModelError::InvalidWeight { .. }));
}

#[test]
fn invalid_weight_of_a_score() {
    let rain = Score::weigh(&Flip::new(0.2), |_| f64::NAN).named("rain");
    everywhere(
        &Model::new(),
        &rain,
        &["`rain`", "NaN", "finite and not negative"],
    );
}

/// Sums of such logarithms overflowed, so that samplers answered NaN.
#[test]
fn invalid_log_weight() {
    let rain = Flip::new(0.2).named("rain");
    for log in [f64::MIN, f64::INFINITY, f64::NAN, -1.1e300] {
        let line = line!() + 1;
        let model = Model::new().log_weigh(&rain, move |_| log);
        let place = format!("model.rs:{line}:");
        let errors = everywhere(
            &model,
            &rain,
            &["`rain`", &place, "exp(", "-1e300 to 1e300"],
        );
        all_are!(errors, Error::Model(ModelError::InvalidWeight { .. }));
    }
}

#[test]
fn not_finite() {
    for (outcomes, kind) in [
        (Outcomes::Continuous, "continuous"),
        (Outcomes::Infinite, "infinitely many"),
        (Outcomes::TooMany, "too many discrete"),
    ] {
        let height = Atomic::new(Endless(outcomes)).named("height");
        for algorithm in algorithms![
            Enumerate::new(),
            VariableElimination::new(),
            MpeVariableElimination::new()
        ] {
            let found = error(&*algorithm, &Model::new(), &height);
            let found = says(found, &["`height`", kind, "ImportanceSampling"]);
            assert!(matches!(found, Error::Model(ModelError::NotFinite { .. })));
        }
    }
}

#[test]
fn table_too_large() {
    let digit = || Uniform::new(0..1000);
    let number = (digit(), digit(), digit())
        .map(|(a, b, c)| a + b + c)
        .named("number");
    let parts = ["`number`", "1000000000", "33554432", "fold"];
    let found = says(
        error(&VariableElimination::new(), &Model::new(), &number),
        &parts,
    );
    assert!(matches!(
        found,
        Error::Model(ModelError::TableTooLarge { .. })
    ));
}

#[test]
fn too_deep() {
    let shallow = VariableElimination::new().limits(Limits::default().depth(50));
    let parts = [
        "model.rs:",
        "limit of 50",
        "infinite",
        "ImportanceSampling",
        "raise the limit",
    ];
    let found = says(error(&shallow, &Model::new(), &failures()), &parts);
    assert!(matches!(
        found,
        Error::Model(ModelError::TooDeep { limit: 50, .. })
    ));
}

/// Every second call increases the number, and the other calls return to an earlier argument.
#[test]
fn cyclic_call() {
    let there_and_back = Recursive::new(|call, &(n, back): &(u32, bool)| -> Element<u32> {
        Flip::new(0.5).flat_map(move |&stop| {
            if stop {
                Constant::new(n)
            } else {
                call((if back { n - 1 } else { n + 1 }, !back))
            }
        })
    });
    let number = there_and_back.call((7, false));
    for algorithm in algorithms![
        VariableElimination::new(),
        JunctionTree::new(),
        MpeVariableElimination::new(),
        MpeBranchAndBound::new(),
        MarginalMap::new(),
    ] {
        let found = error(&*algorithm, &Model::new(), &number);
        let parts = ["Recursive at", "model.rs:", "(7, false)", "bounds"];
        let found = says(found, &parts);
        assert!(matches!(found, Error::Model(ModelError::CyclicCall { .. })));
    }
}

/// Arguments of calls that never end reach the limit of nested `Chain` elements.
#[test]
fn endless_calls() {
    let count = Recursive::new(|call, &n: &u64| -> Element<u64> { call(n + 1).map(|n| n / 2) });
    let found = error(&VariableElimination::new(), &Model::new(), &count.call(0));
    let found = says(found, &["Recursive at", "limit of 10000", "infinite"]);
    assert!(matches!(found, Error::Model(ModelError::TooDeep { .. })));
}

#[test]
fn too_many_elements() {
    let mut total = Constant::new(0);
    for _ in 0..100 {
        total = total.map(|n| n + 1).named("total");
    }
    let small = Limits::default().elements(30);
    for algorithm in algorithms![
        VariableElimination::new().limits(small.clone()),
        MpeVariableElimination::new().limits(small.clone()),
        Enumerate::new().max_elements(30),
        ImportanceSampling::new(1000).max_elements(30),
    ] {
        let found = error(&*algorithm, &Model::new(), &total);
        let found = says(
            found,
            &[
                "`total`",
                "more elements than the limit of 30",
                "raise the limit",
            ],
        );
        assert!(matches!(
            found,
            Error::Model(ModelError::TooManyElements { .. })
        ));
    }
}

/// Each value of a wide distribution leads to two further distributions, without end.
fn wide() -> Element<u64> {
    Uniform::new(0..1000_u64).flat_map(|&a| {
        let (x, y) = (wide(), wide());
        (&x, &y).map(move |(p, q)| p ^ q ^ a)
    })
}

/// A list that gets longer in each branch, without end.
fn longer(by: usize) -> Element<Vec<u8>> {
    Flip::new(0.5).flat_map(move |&first| {
        let rest = longer(by);
        rest.map(move |list| [vec![u8::from(first); by], list.clone()].concat())
    })
}

#[test]
fn too_much_memory() {
    const BYTES: u64 = 2 << 20;
    let limits = Limits::default().expansion_memory(BYTES);
    for algorithm in algorithms![
        VariableElimination::new().limits(limits.clone()),
        JunctionTree::new().limits(limits.clone()),
        MarginalMap::new().limits(limits.clone()),
        MpeVariableElimination::new().limits(limits.clone()),
        MpeBranchAndBound::new().expansion_limits(&limits),
        BeliefPropagation::new().expansion_limits(&limits),
        MpeBeliefPropagation::new().expansion_limits(&limits),
        Gibbs::new(10).expansion_limits(&limits),
        Frontier::new().memory(BYTES),
        Enumerate::new().max_bytes(BYTES),
        ForwardSampling::new(100).max_bytes(BYTES),
        RejectionSampling::new(100).max_bytes(BYTES),
        ImportanceSampling::new(100).max_bytes(BYTES),
        SequentialMonteCarlo::new(100).max_bytes(BYTES),
        // Several chains share the limit of bytes.
        MetropolisHastings::new(100).chains(1).max_bytes(BYTES),
        SimulatedAnnealing::new(100).chains(1).max_bytes(BYTES),
    ] {
        let model = Model::new();
        for found in [
            error(&*algorithm, &model, &wide()),
            error(&*algorithm, &model, &longer(100)),
        ] {
            let name = algorithm.name();
            let Error::Model(ModelError::TooMuchMemory { needed, limit, .. }) = found else {
                panic!("{name}: {found}");
            };
            assert_eq!(limit, BYTES, "{name}");
            assert!(
                needed > limit && needed < limit + limit / 2,
                "{name}: {needed}"
            );
            says(found, &["model.rs:", "2MiB", "infinite", "`max_bytes`"]);
        }
    }
    let bounds = LazyVariableElimination::to_width(0.1).limits(limits);
    let answer = bounds.run(&Model::new(), wide()).unwrap();
    assert!(answer.deepening().is_some());
}

/// An operation that panics if a value is seven.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fragile {
    Clone,
    Same,
    Feed,
}

#[derive(Debug)]
struct Glass(u32, Fragile);

impl Glass {
    fn touch(&self, by: Fragile) {
        assert!(self.0 != 7 || self.1 != by, "glass broke");
    }
}

impl Clone for Glass {
    fn clone(&self) -> Self {
        self.touch(Fragile::Clone);
        Self(self.0, self.1)
    }
}

impl Value for Glass {
    fn same(&self, other: &Self) -> bool {
        self.touch(Fragile::Same);
        self.0 == other.0
    }
    fn feed<H: std::hash::Hasher>(&self, hasher: &mut H) {
        self.touch(Fragile::Feed);
        hasher.write_u32(self.0);
    }
}

#[test]
fn value_types_that_panic() {
    for by in [Fragile::Clone, Fragile::Same, Fragile::Feed] {
        let glass = Uniform::new(0..10_u32).map(move |&n| Glass(n, by));
        let again = (&glass, &Uniform::new(0..2)).map(move |(glass, _)| Glass(glass.0, by));
        let model = Model::new();
        for algorithm in algorithms![
            Enumerate::new(),
            VariableElimination::new(),
            JunctionTree::new(),
            Frontier::new(),
            ImportanceSampling::new(20_000),
            MetropolisHastings::new(1000),
        ] {
            let Error::Panicked { message } = error(&*algorithm, &model, &again) else {
                panic!("{} panics by {by:?} in another way", algorithm.name());
            };
            let named = message.starts_with("glass broke (tests");
            assert!(named, "{} by {by:?}: {message}", algorithm.name());
        }
    }
}
