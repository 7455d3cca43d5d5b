//! Tests of densities, and of distributions that the user defines.

use figrs::prelude::*;
use figrs::rand::{Rng, RngExt};
use figrs::{Atomic, Distribution, Fault, ModelError, Outcomes, tuple};

/// The uniform distribution on an interval.
#[derive(Clone, Debug)]
struct Interval(f64, f64);

impl Distribution<f64> for Interval {
    fn check(&self) -> Result<(), String> {
        if self.0 < self.1 {
            Ok(())
        } else {
            Err(format!(
                "the interval from {} to {} is empty",
                self.0, self.1
            ))
        }
    }
    fn outcomes(&self) -> Outcomes<f64> {
        Outcomes::Continuous
    }
    fn log_prob(&self, value: &f64) -> f64 {
        if (self.0..self.1).contains(value) {
            -(self.1 - self.0).ln()
        } else {
            f64::NEG_INFINITY
        }
    }
    fn sample(&self, rng: &mut dyn Rng) -> f64 {
        self.0 + rng.random::<f64>() * (self.1 - self.0)
    }
}

/// A distribution of infinitely many values, which cannot be drawn.
#[derive(Debug)]
struct Endless;

impl Distribution<u8> for Endless {
    fn check(&self) -> Result<(), String> {
        Ok(())
    }
    fn outcomes(&self) -> Outcomes<u8> {
        Outcomes::Infinite
    }
    fn log_prob(&self, _: &u8) -> f64 {
        0.0
    }
    fn sample(&self, _: &mut dyn Rng) -> u8 {
        panic!("no sample today")
    }
}

/// A finite distribution whose probabilities may be any numbers.
#[derive(Clone, Debug)]
struct Listed(Vec<(u8, f64)>, f64);

impl Distribution<u8> for Listed {
    fn check(&self) -> Result<(), String> {
        Ok(())
    }
    fn outcomes(&self) -> Outcomes<u8> {
        Outcomes::Finite(self.0.clone())
    }
    fn log_prob(&self, _: &u8) -> f64 {
        self.1
    }
    fn sample(&self, _: &mut dyn Rng) -> u8 {
        panic!("no sample today")
    }
}

fn two() -> [Box<dyn Algorithm>; 2] {
    algorithms![
        VariableElimination::new(),
        ImportanceSampling::new(20_000).seed(3)
    ]
}

#[test]
fn an_observed_density_is_a_likelihood() {
    let narrow = Flip::new(0.5);
    let x = narrow.flat_map(|&narrow| Atomic::new(Interval(0.0, if narrow { 1.0 } else { 4.0 })));
    let model = Model::new().observe(&x, 0.5);
    for algorithm in two() {
        let answer = algorithm.run(&model, &narrow).unwrap();
        let p = answer.probability(&narrow, &true).unwrap();
        let error = answer.standard_error(&narrow, &true).unwrap();
        assert!(
            (p - 0.8).abs() < 5.0 * error + 1e-12,
            "{}: {p}",
            algorithm.name()
        );
        let evidence = answer.log_evidence().unwrap().value;
        assert!((evidence - 0.625_f64.ln()).abs() < 0.05, "{evidence}");
    }
    // A root may be observed, too.
    let y = Atomic::new(Interval(0.0, 2.0));
    for algorithm in two() {
        let evidence = algorithm
            .log_evidence(&Model::new().observe(&y, 1.0))
            .unwrap();
        assert!((evidence + 2.0_f64.ln()).abs() < 1e-12);
    }
}

#[test]
fn an_observation_is_passed_on_whichever_root_comes_first() {
    let u = Atomic::new(Interval(0.0, 2.0));
    let f = Flip::new(0.3);
    let higher = u.map(|&u| u > 1.0);
    let pair = tuple((&u, &f));
    let model = Model::new()
        .observe(&higher, true)
        .observe(&pair, (1.5, true));
    let sampling = ImportanceSampling::new(100).seed(1);
    assert!((sampling.log_evidence(&model).unwrap() - 0.15_f64.ln()).abs() < 1e-12);
    let scored = Score::observe(&u, 1.0);
    let answer = sampling.run(&Model::new(), (&u, &scored)).unwrap();
    assert_eq!(answer.probability(&u, &1.0).unwrap(), 1.0);
}

#[test]
fn an_unobserved_density_is_an_error_of_exact_algorithms() {
    let u = Atomic::new(Interval(0.0, 2.0)).named("u");
    for algorithm in algorithms![Enumerate::new(), VariableElimination::new()] {
        let error = algorithm.run(&Model::new(), &u).unwrap_err();
        assert!(matches!(error, Error::Model(ModelError::NotFinite { .. })));
        assert!(
            error.to_string().contains("`u`") && error.to_string().contains("ImportanceSampling")
        );
    }
    // An algorithm that tries all values reports this even if the element is observed.
    let observed = Model::new().observe(&u, 1.0);
    let error = Enumerate::new().run(&observed, ()).unwrap_err().to_string();
    assert!(
        error.contains("use VariableElimination or Exact") && !error.contains("in the model"),
        "{error}"
    );
    let mean = ImportanceSampling::new(10_000)
        .run(&Model::new(), &u)
        .unwrap()
        .mean(&u)
        .unwrap();
    assert!((mean - 1.0).abs() < 5.0 * 0.58 / 100.0);
}

#[test]
fn what_is_not_a_distribution_is_an_error() {
    let half = Atomic::new(Listed(vec![(1, 0.5)], 0.0)).named("half");
    let nan = Atomic::new(Listed(vec![(1, 1.0)], f64::NAN)).named("nan");
    let observed = Model::new().observe(&nan, 1);
    let fault = |result: Result<Answer, Error>| match result {
        Err(Error::Model(ModelError::Function { fault, .. })) => fault,
        other => panic!("{other:?}"),
    };
    for algorithm in algorithms![
        Enumerate::new(),
        VariableElimination::new(),
        ImportanceSampling::new(10)
    ] {
        let found = fault(algorithm.run(&Model::new(), &half));
        assert!(matches!(found, Fault::Distribution(text) if text.contains("0.5")));
    }
    let found = fault(ImportanceSampling::new(10).run(&observed, &nan));
    assert!(matches!(found, Fault::Distribution(text) if text.contains("NaN")));
    let endless = Atomic::new(Endless);
    let found = fault(ImportanceSampling::new(10).run(&Model::new(), &endless));
    let is_named = |text: &str| text.starts_with("no sample today (tests");
    assert!(
        matches!(&found, Fault::Panicked(text) if is_named(text)),
        "{found}"
    );
}

#[test]
fn point_masses_dominate_densities() {
    let exact = Flip::new(0.001);
    let x = exact.flat_map(|&exact| {
        if exact {
            Constant::new(1.0)
        } else {
            Atomic::new(Interval(0.0, 2.0))
        }
    });
    let model = Model::new().observe(&x, 1.0);
    let answer = ImportanceSampling::new(20_000)
        .seed(1)
        .run(&model, &exact)
        .unwrap();
    assert_eq!(answer.probability(&exact, &true).unwrap(), 1.0);
    let evidence = answer.log_evidence().unwrap();
    assert!((evidence.value - 0.001_f64.ln()).abs() < 5.0 * evidence.standard_error);
    let error = VariableElimination::new().run(&model, &exact).unwrap_err();
    assert!(matches!(
        error,
        Error::Model(ModelError::MixedObservation { .. })
    ));
    assert!(error.to_string().contains("ImportanceSampling"), "{error}");
    // At other values there is only the density.
    let model = Model::new().observe(&x, 0.5);
    for algorithm in two() {
        let answer = algorithm.run(&model, &exact).unwrap();
        assert_eq!(answer.probability(&exact, &true).unwrap(), 0.0);
    }
}
