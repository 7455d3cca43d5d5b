//! Tests of the posterior of a target in the form in which charts show it.

use figrs_core::{Model, Uniform};

use figrs_infer::{Error, MpeVariableElimination, Posterior, Run, VariableElimination};

fn posterior<T: figrs_core::Value>(element: &figrs_core::Element<T>) -> Posterior {
    let answer = VariableElimination::new()
        .run(&Model::new(), element)
        .unwrap();
    answer.posteriors().unwrap().remove(0)
}

#[test]
fn few_numbers_rise_and_many_fall_into_intervals() {
    let few = posterior(&Uniform::new([30, 10, 20]).named("few"));
    assert_eq!(few.classes, ["10", "20", "30"]);
    assert_eq!(few.to_string().lines().count(), 4);
    assert!(
        few.to_string()
            .starts_with("few (VariableElimination)\n10 0.333333 █")
    );
    let many = posterior(&Uniform::new((0..100).map(f64::from)));
    assert_eq!(many.classes.len(), 20);
    assert_eq!(many.classes[0], "0.00 to 4.95");
    for (class, p) in many.classes.iter().zip(&many.probabilities) {
        assert!((p - 0.05).abs() < 1e-12, "{class}: {p}");
    }
}

#[test]
fn of_many_words_the_likeliest_are_shown() {
    let words = (0..30).map(|i| (f64::from(1 + u8::from(i == 17)), format!("w{i}")));
    let shown = posterior(&figrs_core::Select::new(words));
    assert_eq!(
        (shown.classes.len(), shown.classes[0].as_str()),
        (21, "w17")
    );
    assert_eq!(shown.classes[20], "10 others");
    assert!((shown.probabilities[20] - 10.0 / 31.0).abs() < 1e-12);
    assert!(shown.standard_errors.iter().all(|&error| error == 0.0));
}

#[test]
fn a_world_has_no_distribution() {
    let coin = figrs_core::Flip::new(0.3);
    let world = MpeVariableElimination::new()
        .run(&Model::new(), &coin)
        .unwrap();
    let error = world.posteriors().unwrap_err();
    assert!(matches!(error, Error::NotInAnswer { .. }));
}
