//! Lists of equal draws in a trace.

use figrs_core::{
    Dirichlet, Element, Exponential, Iid, Model, Normal, Poisson, Rate, Score, Select,
    StandardDeviation, Variance, stream,
};
use figrs_lower::trace::Trace;

/// Observations of several distributions with common parameters.
fn observations([mean, spread]: &[Element<f64>; 2]) -> Model {
    let mut model = Model::new();
    for i in 0..12 {
        let deviation: StandardDeviation<&Element<f64>> = StandardDeviation(spread);
        let x = Normal::new(mean, deviation);
        let wide = Normal::new(mean, StandardDeviation(if i % 2 == 0 { 3.0 } else { 4.0 }));
        let k = Poisson::new(spread);
        let value = f64::from(i) / 4.0;
        model = model
            .observe(&x, value)
            .observe(&wide, -value)
            .observe(&k, i as u64 % 3);
    }
    model
}

fn parameters() -> [Element<f64>; 2] {
    let mean = Normal::new(0.0, StandardDeviation(1.0));
    [mean, Exponential::new(Rate(1.0))]
}

#[test]
fn a_list_weighs_what_its_observations_weigh() {
    let parameters = parameters();
    let together = observations(&parameters);
    assert_eq!(together.pooled().evidence().len(), 4);
    // An element with a second statement is not pooled with the others.
    let twice = together
        .evidence()
        .iter()
        .fold(together.clone(), |model, (element, statement)| {
            model.with_evidence(element.clone(), statement.clone())
        });
    assert_eq!(twice.pooled().evidence().len(), 72);
    let targets = parameters.map(|p| p.erased().clone());
    let mut traces = [&together, &twice].map(|model| Trace::new(model, &targets, 1000).unwrap());
    for seed in 0..50 {
        let logs = traces.each_mut().map(|trace| {
            assert!(trace.restart(&mut stream(seed, 0)).unwrap());
            trace.log_weight()
        });
        assert!((logs[0] - logs[1]).abs() < 1e-9 * logs[1].abs(), "{logs:?}");
    }
}

#[test]
fn only_what_is_random_by_itself_is_listed() {
    let x = Normal::new(0.0, Variance(1.0));
    let scored = Score::log_weigh(&x, |x| *x);
    for wrong in [Iid::new(x.map(|x| x + 1.0), 2), Iid::new(&scored, 2)] {
        let targets = [wrong.erased().clone()];
        let program = Trace::new(&Model::new(), &targets, 10);
        let error = program.unwrap().restart(&mut stream(0, 0)).unwrap_err();
        assert!(
            error.to_string().contains("a function of other elements"),
            "{error}"
        );
    }
}

#[test]
fn elements_observed_in_a_list_have_their_values() {
    let shares = Dirichlet::new([1.0, 1.0, 2.0]);
    let draw = || Select::by(&shares, ['a', 'b', 'c']);
    let held = draw();
    let model = Model::new().observe(&draw(), 'a').observe(&held, 'b');
    let copy = held.map(|c| *c);
    let targets = [held.erased().clone(), copy.erased().clone()];
    let mut trace = Trace::new(&model, &targets, 1000).unwrap();
    assert!(trace.restart(&mut stream(1, 0)).unwrap());
    for target in 0..2 {
        let value = trace.target(target);
        assert_eq!(value.and_then(|value| value.get().copied()), Some('b'));
    }
}
