//! Tests of saving and loading compiled trees.

use figrs::prelude::*;
use figrs::{Error, Operand, Param, SavedTree, fold, inject};
use figrs_tests::json::numbers;
use proptest::prelude::{Just, ProptestConfig, prop_oneof, proptest};
use proptest::{arbitrary, sample};

/// A model with branches (so that sums and worlds have separate trees), a large function and a parameter.
struct Example {
    model: Model,
    number: Element<u8>,
    sum: Element<u32>,
    seen: Element<bool>,
    compiler: JunctionTree,
}

fn example(rate: &Param) -> Example {
    let branch = Flip::new(rate).named("branch");
    let number = branch.flat_map(|&b| {
        if b {
            Uniform::new([1u8, 2, 3]).map(|&x| x)
        } else {
            Flip::new(0.3).map(|&x| u8::from(x))
        }
    });
    let coins: Vec<Element<bool>> = (0..12).map(|_| Flip::new(0.4)).collect();
    let sum = fold(&coins, 0u32, |sum, &coin| (2 * sum + u32::from(coin)) % 37);
    let seen =
        (&number, &sum).flat_map(|(&n, &s)| Flip::new(1.0 / f64::from(1 + s % 5 + u32::from(n))));
    Example {
        model: Model::new().condition(&sum, |&s| s > 2),
        number,
        sum,
        compiler: JunctionTree::new().varying(&seen),
        seen,
    }
}

fn compiled(example: &Example) -> figrs::CompiledTree {
    let targets = (&example.number, &example.sum);
    example.compiler.compile(&example.model, targets).unwrap()
}

fn restored(example: &Example, saved: &SavedTree) -> Result<figrs::CompiledTree, Error> {
    let targets = (&example.number, &example.sum);
    example.compiler.restore(&example.model, targets, saved)
}

#[test]
fn what_was_saved_answers_as_before() {
    let example_before = example(&Param::new("rate", 0.6));
    let before = compiled(&example_before);
    before.most_probable().unwrap();
    let text = serde_json::to_string(&before.save()).unwrap();
    let saved: SavedTree = serde_json::from_str(&text).unwrap();
    // The same program runs again with another parameter, so its elements are new ones.
    for rate in [0.6, 0.1] {
        let again = example(&Param::new("rate", rate));
        let mut fresh = compiled(&again);
        let mut tree = restored(&again, &saved).unwrap();
        for seen in [true, false] {
            tree.set(&again.seen, seen).unwrap();
            fresh.set(&again.seen, seen).unwrap();
            assert_eq!(tree.log_evidence(), fresh.log_evidence());
            for n in 0..4 {
                let p = [&mut tree, &mut fresh].map(|t| t.probability(&again.number, &n).unwrap());
                assert_eq!(p[0], p[1]);
            }
            let best = [&mut tree, &mut fresh].map(|t| t.most_probable().unwrap());
            assert_eq!(best[0].log_probability(), best[1].log_probability());
            assert_eq!(
                best[0].value(&again.sum).unwrap(),
                best[1].value(&again.sum).unwrap()
            );
        }
    }
}

/// Returns elements with dense and listed tables, inside and outside branches, which contain zeros while `rate` is zero.
fn with_rates(rate: &Param) -> (Model, Element<u8>, Element<i64>) {
    let numbers: Vec<Element<i64>> = (0..5)
        .map(|_| {
            let weights = [Operand::from(rate), 1.0.into(), 2.0.into(), 1.5.into()];
            Select::new(weights.into_iter().zip(0..))
        })
        .collect();
    let listed = inject(&numbers);
    let sum = listed.map(|list| list.iter().sum::<i64>() % 5);
    let (rate, other) = (rate.clone(), Uniform::new(0..12u8));
    let branch = (&sum, &other).flat_map(move |(&sum, &other)| match (sum, other % 3) {
        (0, _) => Select::new([(Operand::from(&rate), 20u8), (1.0.into(), other)]),
        (_, 0) => Constant::new(3),
        _ => Select::new([(Operand::from(&rate), 0u8), (2.0.into(), other)]),
    });
    let model = Model::new().condition(&branch, |&x| x != 11);
    (model, branch, sum)
}

#[test]
fn a_parameter_that_was_zero_needs_no_other_tree() {
    let zero = Param::new("rate", 0.0);
    let (model, branch, sum) = with_rates(&zero);
    let compile = |model: &Model, branch: &Element<u8>, sum: &Element<i64>| {
        JunctionTree::new().compile(model, (branch, sum)).unwrap()
    };
    let mut tree = compile(&model, &branch, &sum);
    tree.most_probable().unwrap();
    let saved = tree.save();
    assert_eq!(tree.probability(&branch, &20).unwrap(), 0.0);
    for rate in [0.4, 0.0, 0.9] {
        let (model, again, sum_again) = with_rates(&Param::new("rate", rate));
        let restored = JunctionTree::new();
        let restored = restored
            .restore(&model, (&again, &sum_again), &saved)
            .unwrap();
        let fresh = compile(&model, &again, &sum_again);
        zero.set(rate);
        tree.refresh().unwrap();
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "rate {rate}: {a} and {b}");
        close(restored.log_evidence(), fresh.log_evidence());
        close(tree.log_evidence(), fresh.log_evidence());
        let best = fresh.most_probable().unwrap().log_probability();
        close(restored.most_probable().unwrap().log_probability(), best);
        let exact = Enumerate::new().run(&model, (&again, &sum_again)).unwrap();
        for x in 0..21 {
            let p = exact.probability(&again, &x).unwrap();
            close(restored.probability(&again, &x).unwrap(), p);
            close(tree.probability(&branch, &x).unwrap(), p);
        }
        for x in 0..5 {
            let p = exact.probability(&sum_again, &x).unwrap();
            close(restored.probability(&sum_again, &x).unwrap(), p);
        }
    }
}

#[test]
fn the_tree_of_another_model_is_refused() {
    let first = example(&Param::new("rate", 0.6));
    let saved = compiled(&first).save();
    let other = Flip::new(0.5);
    let error = JunctionTree::new()
        .restore(&Model::new(), &other, &saved)
        .unwrap_err();
    assert!(matches!(error, Error::Saved { .. }), "{error}");
    assert!(
        error.to_string().contains("compile the model again"),
        "{error}"
    );
    let mut newer = serde_json::to_value(&saved).unwrap();
    newer["version"] = 99.into();
    let newer: SavedTree = serde_json::from_value(newer).unwrap();
    let error = restored(&first, &newer).unwrap_err().to_string();
    assert!(error.contains("version"), "{error}");
}

#[test]
fn parameters_are_saved_with_their_values() {
    let rate = Param::new("rate", 0.25);
    rate.set(0.75);
    let text = serde_json::to_string(&[rate]).unwrap();
    let loaded: Vec<Param> = serde_json::from_str(&text).unwrap();
    assert_eq!((loaded[0].name(), loaded[0].get()), ("rate", 0.75));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// A file in which one number is changed is refused without a panic.
    #[test]
    fn damage_is_refused(at in arbitrary::any::<sample::Index>(), to in prop_oneof![0u64..20, Just(u64::from(u32::MAX)), arbitrary::any::<u64>()]) {
        let example = example(&Param::new("rate", 0.6));
        let before = compiled(&example);
        before.most_probable().unwrap();
        let mut json = serde_json::to_value(before.save()).unwrap();
        let mut all = numbers(&mut json);
        let place = at.index(all.len());
        if all[place].as_u64() == Some(to) {
            return Ok(());
        }
        *all[place] = to.into();
        let Ok(saved) = serde_json::from_value::<SavedTree>(json) else {
            return Ok(());
        };
        let error = restored(&example, &saved).map(|_| ());
        // The predicted cost in the file is only for information and is not used.
        let Err(Error::Saved { .. }) = error else {
            let cost = serde_json::to_value(saved).unwrap();
            let message = [&cost["sums"]["cost"], &cost["worlds"]["cost"]];
            let same = serde_json::to_value(before.save()).unwrap();
            let expected = [&same["sums"]["cost"], &same["worlds"]["cost"]];
            assert_ne!(message, expected, "number {place} set to {to}");
            return Ok(());
        };
    }
}
