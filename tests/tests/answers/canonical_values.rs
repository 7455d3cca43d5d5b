//! Tests that functions see one representative of values that are equal, whichever of them an algorithm met first.

use figrs::prelude::*;
use figrs::{Atomic, Circuit, Distribution, Fault, ModelError, Outcomes};

fn all() -> Vec<Box<dyn Algorithm>> {
    algorithms![
        Enumerate::new(),
        VariableElimination::new(),
        JunctionTree::new(),
        Circuit::new(),
        Frontier::new(),
        ForwardSampling::new(500),
        ImportanceSampling::new(500),
        RejectionSampling::new(500),
        SequentialMonteCarlo::new(200),
        MetropolisHastings::new(500),
        Gibbs::new(500)
    ]
    .into()
}

/// Checks that every algorithm finds the event certain.
#[track_caller]
fn is_certain(name: &str, event: &Element<bool>) {
    for algorithm in all() {
        let answer = algorithm.run(&Model::new(), event).unwrap();
        let p = answer.probability(event, &true).unwrap();
        assert!((p - 1.0).abs() < 1e-12, "{name}, {}: {p}", algorithm.name());
    }
}

#[allow(clippy::trivially_copy_pass_by_ref)] // Functions of elements take references.
fn positive(x: &f64) -> bool {
    x.is_sign_positive()
}

#[derive(Clone, Debug, Value)]
enum Reading {
    Missing,
    Seen { level: f64, before: Vec<f64> },
}

#[test]
fn zeros_have_one_sign_wherever_they_are_made() {
    let coin = Flip::new(0.5);
    let signed = |&heads: &bool| if heads { 0.0 } else { -0.0 };
    let chosen = If::new(&coin, Constant::new(0.0), Constant::new(-0.0));
    is_certain("constants in branches", &chosen.map(positive));
    let selected = Select::new([(0.3, 0.0), (0.3, -0.0), (0.4, 1.0)]);
    is_certain("select", &selected.map(positive));
    is_certain("function", &coin.map(signed).map(positive));
    let product = coin.map(|&heads| f64::from(heads)) * -1.0;
    is_certain("arithmetic", &product.map(|x| *x == -1.0 || positive(x)));
    let pair = coin.map(move |heads| (signed(heads), Some(Box::new(signed(heads)))));
    let both = |(x, y): &(f64, Option<Box<f64>>)| positive(x) && y.as_deref().is_some_and(positive);
    is_certain("tuples and options", &pair.map(both));
    let list = coin.map(move |heads| vec![[signed(heads)]; 2]);
    is_certain(
        "lists",
        &list.map(|list| list.as_flattened().iter().all(positive)),
    );
    let reading = coin.map(move |heads| match heads {
        true => Reading::Seen {
            level: signed(heads),
            before: vec![],
        },
        false => Reading::Seen {
            level: 0.0,
            before: vec![signed(heads), 1.0],
        },
    });
    let kept = |reading: &Reading| match reading {
        Reading::Missing => false,
        Reading::Seen { level, before } => positive(level) && before.iter().all(positive),
    };
    is_certain("derived types", &reading.map(kept));
    let nan = coin.map(|&heads| if heads { f64::NAN } else { -f64::NAN });
    let quiet = |x: &f64| x.to_bits() == f64::NAN.to_bits();
    is_certain("not a number", &nan.map(quiet));
}

/// A continuous draw of a distribution that the user defines, and an observed value, are replaced by their representatives.
#[test]
fn draws_and_observations_are_canonical() {
    #[derive(Debug)]
    struct NegativeZero;
    impl Distribution<f64> for NegativeZero {
        fn check(&self) -> Result<(), String> {
            Ok(())
        }
        fn outcomes(&self) -> Outcomes<f64> {
            Outcomes::Continuous
        }
        fn log_prob(&self, value: &f64) -> f64 {
            if value.is_sign_positive() {
                0.0
            } else {
                f64::NEG_INFINITY
            }
        }
        fn sample(&self, _: &mut dyn figrs::rand::Rng) -> f64 {
            -0.0
        }
    }
    let drawn = Atomic::new(NegativeZero);
    let sign = drawn.map(positive);
    for algorithm in algorithms![
        ForwardSampling::new(100),
        ImportanceSampling::new(100),
        MetropolisHastings::new(100)
    ] {
        let answer = algorithm.run(&Model::new(), &sign).unwrap();
        assert_eq!(
            answer.probability(&sign, &true).unwrap(),
            1.0,
            "{}",
            algorithm.name()
        );
    }
    let observed = Model::new().observe(&drawn, -0.0);
    for algorithm in algorithms![VariableElimination::new(), ImportanceSampling::new(100)] {
        let answer = algorithm.run(&observed, &sign).unwrap();
        assert_eq!(
            answer.probability(&sign, &true).unwrap(),
            1.0,
            "{}",
            algorithm.name()
        );
    }
}

/// A name that may be written in upper or lower case; it has a representative if `CANONICAL` is true.
#[derive(Clone, Debug)]
struct Name<const CANONICAL: bool>(&'static str);

impl<const CANONICAL: bool> Value for Name<CANONICAL> {
    fn same(&self, other: &Self) -> bool {
        self.0.eq_ignore_ascii_case(other.0)
    }
    fn feed<H: std::hash::Hasher>(&self, hasher: &mut H) {
        hasher.write(self.0.to_ascii_lowercase().as_bytes());
    }
    fn canonical(&self) -> Option<Self> {
        (CANONICAL && self.0 == "Ann").then_some(Self("ann"))
    }
}

#[test]
fn a_type_gives_its_representative() {
    let name = Uniform::new([Name::<true>("Ann"), Name("ann")]);
    is_certain("names", &name.map(|name| name.0 == "ann"));
}

/// If a type gives no representative, debug builds report the name of a function that distinguishes equal values.
#[test]
fn a_function_that_tells_equal_values_apart_is_named() {
    if !cfg!(debug_assertions) {
        println!("skipped: the check is one of debug builds");
        return;
    }
    let name = Uniform::new([Name::<false>("Ann"), Name("ann"), Name("Bob")]);
    let length = name.map(|name| name.0.len());
    let answer = VariableElimination::new()
        .run(&Model::new(), &length)
        .unwrap();
    assert_eq!(answer.probability(&length, &3).unwrap(), 1.0);
    let capital = name.map(|name| name.0.starts_with('A')).named("capital");
    let chain = name.flat_map(|name| Flip::new(if name.0 == "Ann" { 0.1 } else { 0.2 }));
    for asked in [capital, chain.named("capital")] {
        let error = VariableElimination::new()
            .run(&Model::new(), &asked)
            .unwrap_err();
        let Error::Model(ModelError::Function { fault, .. }) = &error else {
            panic!("{error}");
        };
        assert!(matches!(fault, Fault::UnequalResults { .. }), "{error}");
        for part in ["capital", "Ann", "ann", "Value::canonical"] {
            assert!(error.to_string().contains(part), "{part}: {error}");
        }
    }
}
