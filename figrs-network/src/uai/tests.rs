use figrs_core::{Constant, Element, Flip, If, Limits, Model, Parents, Uniform};
use figrs_infer::{Error, MpeVariableElimination, Run, VariableElimination};
use proptest::prelude::*;

use super::super::problem_of::problem_of;
use super::super::{ModelFactors, Network, NetworkKind};
use figrs_reading::Mistake;

fn problem(text: &str) -> (usize, usize, Mistake) {
    problem_of(Network::from_uai(text))
}

#[test]
fn the_last_variable_of_a_bayesian_table_is_the_child() {
    let text = "bayes 3  2 2 3  3  1 0  3 2 0 1  2 0 2
        2  0.436 0.564
        12  0.128 0.872  0.920 0.080  0.1 0.9  0.2 0.8  0.3 0.7  0.4 0.6
        6  0.210 0.333 0.457  0.811 0.000 0.189";
    let network = Network::from_uai(text).unwrap();
    assert_eq!(network.kind(), NetworkKind::Bayesian);
    let element = network.element("2").unwrap();
    let answer = VariableElimination::new()
        .run(&network.model(), element)
        .unwrap();
    let last = answer
        .probability_that(element, |s| s.name() == "2")
        .unwrap();
    assert!((last - (0.436 * 0.457 + 0.564 * 0.189)).abs() < 1e-15);
    let one = network.element("1").unwrap();
    let given = network.observing(&[
        network.observation("2", "1").unwrap(),
        network.observation("0", "0").unwrap(),
    ]);
    let answer = VariableElimination::new().run(&given, one).unwrap();
    let p = answer.probability_that(one, |s| s.index() == 0).unwrap();
    assert!((p - 0.1).abs() < 1e-15, "{p}");
}

#[test]
fn a_factor_that_is_zero_everywhere_is_impossible_evidence() {
    let text = "MARKOV 2  2 2  2  1 0  2 0 1  2 0 0  4 1 2 3 4";
    let network = Network::from_uai(text).unwrap();
    let log = VariableElimination::new()
        .log_evidence(&network.model())
        .unwrap();
    assert_eq!(log, f64::NEG_INFINITY);
    let error = VariableElimination::new().run(&network.model(), &network.elements()[0]);
    let message = error.unwrap_err().to_string();
    assert!(
        message.contains("factor 0, which is zero everywhere"),
        "{message}"
    );
}

/// Tests that comment lines are allowed anywhere, as in the UAI format of 2016; the expected sums were computed by hand.
#[test]
fn lines_that_begin_with_c_are_comments() {
    let text = "c two factors\nMARKOV\nc variables\n2\n2 3\nc\n2\n1 0\n2 0 1\n\nc tables\n2\n1 2\n6\nc rows\n1 0 1\n0 2 0\nc end";
    let network = Network::from_uai(text).unwrap();
    let log = VariableElimination::new()
        .log_evidence(&network.model())
        .unwrap();
    assert!((log - (1.0 * 2.0 + 2.0 * 2.0_f64).ln()).abs() < 1e-14);
    assert_eq!(problem("MARKOV 1 c 2").0, 1);
    assert_eq!(problem("cat\nMARKOV").0, 1);
}

#[test]
fn constants_and_free_variables_count() {
    let text = "MARKOV 2  3 2  3  0  0  1 1  1 2.5  1 4  2 1 2";
    let network = Network::from_uai(text).unwrap();
    let log = VariableElimination::new()
        .log_evidence(&network.model())
        .unwrap();
    assert!((log - (2.5_f64 * 4.0 * 3.0 * 3.0).ln()).abs() < 1e-14);
}

#[test]
fn weights_that_are_far_apart_are_kept() {
    let text = "MARKOV 1  2  2  1 0  1 0  2 1e-300 1e300  2 1e300 1e-300";
    let network = Network::from_uai(text).unwrap();
    let log = VariableElimination::new()
        .log_evidence(&network.model())
        .unwrap();
    assert!((log - 2f64.ln()).abs() < 1e-12, "{log}");
    assert_eq!(
        Network::from_uai(&network.to_uai()).unwrap().tables()[1].numbers(),
        [1e300, 1e-300]
    );
}

#[test]
fn rounded_rows_are_normalised_and_reported() {
    let text = "BAYES 1 3 1 1 0\n3\n 0.333 0.333 0.333";
    let network = Network::from_uai(text).unwrap();
    let row = network.normalised()[0];
    assert_eq!((row.line, row.column, row.row), (3, 2, 0));
    assert!((network.tables()[0].numbers()[0] - 1.0 / 3.0).abs() < 1e-15);
}

#[test]
fn large_declarations_do_not_take_memory() {
    let most = usize::MAX;
    for text in [
        format!("MARKOV {most} 2"),
        format!("MARKOV 1 {most} 0"),
        format!("MARKOV 2 {most} {most} 1 2 0 1 1 1"),
        format!("MARKOV 1 2 {most} 1 0"),
        format!("MARKOV 1 2 1 {most} 0"),
        format!("MARKOV 1 2 1 1 0 {most}"),
        format!("MARKOV 70 {} 1 70 {} 1", "2 ".repeat(70), list(0..70)),
        format!(
            "MARKOV 4 {} 1 4 0 1 2 3 {} 1 2",
            "1000 ".repeat(4),
            1_000_000_000_000u64
        ),
    ] {
        problem(&text);
    }
}

type ScopedWeights = (Vec<usize>, Vec<f64>);

/// Generates a Markov network from the number of states of each variable and from the factors.
fn markov() -> impl Strategy<Value = (Vec<usize>, Vec<ScopedWeights>)> {
    let sizes = prop::collection::vec(1..=3usize, 1..=4);
    sizes.prop_flat_map(|sizes| {
        let count = sizes.len();
        let scope = prop::sample::subsequence((0..count).collect::<Vec<_>>(), 0..=count.min(3));
        let table = scope.prop_shuffle().prop_flat_map({
            let sizes = sizes.clone();
            move |scope| {
                let entries = scope.iter().map(|&v| sizes[v]).product::<usize>();
                let weight = prop_oneof![
                    4 => 0.0..10.0f64,
                    2 => Just(0.0),
                    1 => prop::sample::select(vec![1e-200, 1e200, 1e-310, 1.0]),
                ];
                (Just(scope), prop::collection::vec(weight, entries))
            }
        });
        (Just(sizes), prop::collection::vec(table, 0..=4))
    })
}

fn list(numbers: impl IntoIterator<Item = impl ToString>) -> String {
    let numbers: Vec<String> = numbers.into_iter().map(|n| n.to_string()).collect();
    numbers.join(" ")
}

fn text(sizes: &[usize], factors: &[ScopedWeights]) -> String {
    let scope = |(scope, _): &ScopedWeights| format!("{} {}", scope.len(), list(scope));
    let weights = |(_, weights): &ScopedWeights| format!("{} {}", weights.len(), list(weights));
    let mut lines = vec![
        "MARKOV".into(),
        list([sizes.len()]),
        list(sizes),
        list([factors.len()]),
    ];
    lines.extend(factors.iter().map(scope));
    lines.extend(factors.iter().map(weights));
    lines.join("\n")
}

proptest! {
    #[test]
    fn markov_networks_weigh_as_the_product_of_their_factors((sizes, factors) in markov()) {
        let network = Network::from_uai(&text(&sizes, &factors)).unwrap();
        // The logarithm of the weight of each assignment, in the order where the last variable varies fastest.
        let assignments = sizes.iter().product::<usize>();
        let logs: Vec<f64> = (0..assignments).map(|assignment| {
            let digit = |v: usize| assignment / sizes[v + 1..].iter().product::<usize>() % sizes[v];
            let cell = |scope: &[usize]| scope.iter().fold(0, |cell, &v| cell * sizes[v] + digit(v));
            factors.iter().map(|(scope, weights)| weights[cell(scope)].ln()).sum()
        }).collect();
        let best = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let found = VariableElimination::new().log_evidence(&network.model()).unwrap();
        if best == f64::NEG_INFINITY {
            prop_assert_eq!(found, best);
            return Ok(());
        }
        let total = best + logs.iter().map(|l| (l - best).exp()).sum::<f64>().ln();
        prop_assert!((found - total).abs() < 1e-9 * total.abs().max(1.0), "{found}, not {total}");
        let world = MpeVariableElimination::new().run(&network.model(), network.elements()).unwrap();
        let found = world.log_probability().unwrap();
        prop_assert!((found - best).abs() < 1e-9 * best.abs().max(1.0), "{found}, not {best}");
        let first = &network.elements()[0];
        let p = VariableElimination::new().run(&network.model(), first).unwrap();
        let p = p.probability_that(first, |s| s.index() == 0).unwrap();
        let expected: f64 = logs[..assignments / sizes[0]].iter().map(|l| (l - total).exp()).sum();
        prop_assert!((p - expected).abs() < 1e-9, "{p}, not {expected}");
    }
}

/// Checks that the UAI text of a model gives the same log-evidence and the same marginal of a target as the model.
fn comes_back(model: &Model, target: &Element<u8>) {
    let factors = ModelFactors::new(model, target, &Limits::default()).unwrap();
    let own = VariableElimination::new().run(model, target).unwrap();
    let network = Network::from_uai(factors.text()).unwrap();
    let number = factors
        .variables()
        .iter()
        .position(|v| v.is_target)
        .unwrap();
    let element = &network.elements()[number];
    let read = VariableElimination::new()
        .run(&network.model(), element)
        .unwrap();
    let logs = [own.log_evidence(), read.log_evidence()].map(|log| log.unwrap().value);
    assert!(
        (logs[0] - logs[1] - factors.log_scale()).abs() < 1e-9,
        "{logs:?}"
    );
    let values = &factors.variables()[number].values;
    for (index, value) in values.iter().enumerate() {
        let p = read
            .probability_that(element, |state| state.index() == index)
            .unwrap();
        let expected = own.probability_that(target, |v| v.to_string() == *value);
        assert!((p - expected.unwrap()).abs() < 1e-12, "{value} has {p}");
    }
    assert_eq!(network.elements().len(), factors.variables().len());
    let names = serde_json::to_string(&factors).unwrap();
    let again: ModelFactors = serde_json::from_str(&names).unwrap();
    assert_eq!(again.variables(), factors.variables());
}

#[test]
fn factors_of_models_have_the_same_answers() {
    let cause = Uniform::new(0..4_u8).named("cause");
    let noise = Flip::new(0.3);
    let effect = (&cause, &noise).map(|(&c, &n)| if n { 3 - c } else { c / 2 });
    let chosen = cause.flat_map(|&c| {
        if c == 0 {
            Constant::new(7)
        } else {
            Uniform::new(0..=c).map(move |&x| x + c)
        }
    });
    let model = Model::new()
        .condition(&chosen, |&x| x != 2)
        .weigh(&effect, |&e| 1.5 + f64::from(e))
        .observe(&If::new(&noise, Flip::new(0.9), Flip::new(0.2)), true);
    for target in [&cause, &effect, &chosen] {
        comes_back(&model, target);
        comes_back(&Model::new(), target);
    }
    // Weights beyond the range of numbers, and factors without variables.
    comes_back(
        &model.log_weigh(&cause, |&c| -900.0 - 20.0 * f64::from(c)),
        &chosen,
    );
    comes_back(
        &Model::new().log_weigh(&Constant::new(1), |_| 1200.0),
        &cause,
    );
}

#[test]
fn factors_that_cannot_be_written_are_errors() {
    let cause = Uniform::new(0..4_u8).named("cause");
    let write =
        |model: &Model, limits: &Limits| ModelFactors::new(model, &cause, limits).unwrap_err();
    let apart = Model::new().log_weigh(&cause, |&c| -1000.0 * f64::from(c));
    let error = write(&apart, &Limits::default());
    assert!(
        matches!(
            error,
            Error::InvalidSetting {
                algorithm: "ModelFactors",
                ..
            }
        ),
        "{error}"
    );
    let never = Model::new().condition(&cause, |&c| c > 3);
    let error = write(&never, &Limits::default());
    assert!(matches!(error, Error::ImpossibleEvidence { .. }), "{error}");
    let error = write(&Model::new(), &Limits::default().element_entries(3));
    assert!(
        matches!(error, Error::Model(_) | Error::Elimination(_)),
        "{error}"
    );
}
