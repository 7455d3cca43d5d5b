//! Tests of `Chain` elements over lists of captured elements: the exact engines agree, and the work is nearly proportional to the number of possible
//! values.

use figrs_core::expand::{Encoding, Expansion};
use figrs_core::{Binomial, Chain, Constant, Element, Limits, Model, Select, Uniform, inject};
use figrs_infer::eliminate::{MaxProduct, SumProduct, eliminate, plan_cost};
use figrs_infer::{
    Algorithm, Answer, Compiled, Enumerate, Error, Frontier, JunctionTree, LazyVariableElimination,
    MpeVariableElimination, Run, VariableElimination,
};
use figrs_tests::captured_lists::{CapturedLists, captured_lists};
use figrs_tests::captured_shapes::captured_shapes;
use figrs_tests::oracle::close;

use crate::exact_properties::shared::EXACT;

/// Returns the distribution of an element, or `None` if the evidence is impossible.
fn distribution(answer: &Result<Answer, Error>, of: &Element<i64>) -> Option<Vec<(i64, f64)>> {
    match answer {
        Ok(answer) => {
            let marginal = answer.distribution(of).unwrap();
            let values = marginal.iter().filter(|(_, p)| *p > 0.0);
            let mut values: Vec<(i64, f64)> = values.map(|(v, p)| (*v, p)).collect();
            values.sort_by_key(|(value, _)| *value);
            Some(values)
        }
        Err(Error::ImpossibleEvidence { .. }) => None,
        Err(error) => panic!("{error}"),
    }
}

fn are_same(a: Option<&[(i64, f64)]>, b: Option<&[(i64, f64)]>) -> bool {
    let equal = |((v, p), (w, q)): (&(i64, f64), &(i64, f64))| v == w && (p - q).abs() <= EXACT;
    match (a, b) {
        (Some(a), Some(b)) => a.len() == b.len() && a.iter().zip(b).all(equal),
        _ => a == b,
    }
}

/// Compares the exact engines with enumeration on the models of some seeds; returns the number of models with possible evidence.
fn agreeing(seeds: std::ops::Range<u64>, model: impl Fn(u64) -> CapturedLists) -> usize {
    let mut possible = 0;
    for seed in seeds {
        let CapturedLists {
            model,
            last,
            captured,
            list,
        } = model(seed);
        let targets = [&last, &captured[0]];
        let expected = Enumerate::new().run(&model, targets);
        let engines: [Box<dyn Algorithm>; 3] = figrs_infer::algorithms![
            VariableElimination::new(),
            JunctionTree::new(),
            Frontier::new()
        ];
        for engine in &engines {
            let found = engine.run(&model, targets);
            for target in targets {
                let [a, b] = [&found, &expected].map(|answer| distribution(answer, target));
                let name = engine.name();
                assert!(
                    are_same(a.as_deref(), b.as_deref()),
                    "seed {seed}, {name}: {a:?}, not {b:?}"
                );
            }
        }
        let lazy = LazyVariableElimination::new().run(&model, targets);
        assert_eq!(lazy.is_ok(), expected.is_ok(), "seed {seed}");
        if let (Ok(lazy), Some(expected)) = (&lazy, distribution(&expected, &last)) {
            for (value, p) in expected {
                let bounds = lazy.bounds(&last, &value).unwrap();
                let is_met = (bounds.lower - p).abs() <= EXACT && bounds.width() <= EXACT;
                assert!(is_met, "seed {seed}: {bounds:?}, not {p}");
            }
        }
        let best = Enumerate::new().most_probable_world(&model, (&last, &list));
        let found = MpeVariableElimination::new().run(&model, (&last, &list));
        let (Ok(best), Ok(found)) = (&best, &found) else {
            assert!(best.is_err() && found.is_err(), "seed {seed}");
            continue;
        };
        possible += 1;
        let targets = [last.erased().clone(), list.erased().clone()];
        let expansion = Expansion::new(&model, &targets, &Limits::default()).unwrap();
        let worlds = Encoding::for_worlds(&expansion).unwrap();
        let all = eliminate::<SumProduct>(worlds.graph(), &[], &Limits::default()).unwrap();
        let total = all.values[0].ln() + all.log_scale;
        let evidence = expected.unwrap().log_evidence().unwrap().value;
        assert!(
            close(total, evidence, EXACT),
            "seed {seed}: {total}, not {evidence}"
        );
        let logs = [best, found].map(|answer| answer.log_probability().unwrap());
        assert!(close(logs[0], logs[1], EXACT), "seed {seed}: {logs:?}");
        let tree = JunctionTree::new().compile(&model, (&last, &list)).unwrap();
        let traced = tree.most_probable().unwrap().log_probability();
        assert!(
            close(logs[0], traced, EXACT),
            "seed {seed}: {logs:?}, {traced}"
        );
    }
    possible
}

#[test]
fn engines_agree_on_lists_of_captured_elements() {
    let possible = agreeing(0..120, |seed| captured_lists(seed, 2));
    assert!(possible > 80, "{possible}");
}

#[test]
fn engines_agree_on_other_shapes_of_choices_among_captured_elements() {
    let possible = agreeing(0..60, |seed| captured_shapes(seed, 2));
    assert!(possible > 40, "{possible}");
}

/// Returns a `Chain` on the value of a list, which another `Chain` chooses among lists of captured elements. The branches of the `Chain` capture
/// these elements again, or have independent random choices.
fn list_chains(k: i64) -> Element<i64> {
    let a = Select::new([(0.77, 3i64), (0.39, 2), (0.1, 0), (0.93, 1)]);
    let b = Uniform::new(0..k);
    let c = Uniform::new([0i64, 1, 2]);
    let (b2, c2) = (b.clone(), c.clone());
    let list = Chain::new((&b, &a), move |(x, y)| match (x + y) % 2 {
        0 => inject(&[c2.clone(), b2.clone(), b2.clone()]),
        _ => inject(&[b2.clone(), c2.clone()]),
    });
    let (a3, b3) = (a.clone(), b.clone());
    list.flat_map(move |list| {
        let key: i64 = list.iter().fold(1, |key, x| key * 5 + x);
        match key % 3 {
            0 => Binomial::new(3, 0.76).map(|&x| i64::from(x)),
            1 => Select::new([
                (a3.map(|&v| v as f64 * 0.2 + 0.1), 1i64),
                (Constant::new(0.94), 3),
                (b3.map(|&v| v as f64 * 0.3), 1),
            ]),
            _ => Constant::new(7),
        }
    })
}

#[test]
fn many_branches_over_a_few_elements_take_work_for_their_values() {
    for k in [2, 3] {
        let last = list_chains(k);
        let cost = JunctionTree::new().cost(&Model::new(), &last).unwrap();
        // The limit allows for the values of a, b and c in each branch of both `Chain` elements, for as many intermediate values, and for twice that
        // number for the two variables of a step.
        let branches = (4 * k + 6 * k) as f64;
        let most = 2.0 * branches * branches * (4 * 3 * k) as f64;
        assert!(cost.operations <= most, "{k}: {cost:?}, not {most}");
        let expected = Enumerate::new().run(&Model::new(), &last);
        let expected = distribution(&expected, &last);
        let tree = distribution(&JunctionTree::new().run(&Model::new(), &last), &last);
        let sum = VariableElimination::new().run(&Model::new(), &last);
        let sum = distribution(&sum, &last);
        assert!(are_same(tree.as_deref(), expected.as_deref()), "{k}");
        assert!(are_same(sum.as_deref(), expected.as_deref()), "{k}");
    }
}

/// Each branch of a `Chain` has separate random choices, which do not occur in worlds of other branches.
#[test]
fn single_worlds_cost_about_what_sums_do() {
    let cases = [
        captured_shapes(19, 4),
        captured_shapes(97, 4),
        captured_lists(40, 4),
    ];
    for CapturedLists { model, last, .. } in cases {
        let targets = [last.erased().clone()];
        let expansion = Expansion::new(&model, &targets, &Limits::default()).unwrap();
        let sums = Encoding::for_sums(&expansion, expansion.targets()).unwrap();
        let worlds = Encoding::for_worlds(&expansion).unwrap();
        let [sums, worlds] = [sums, worlds].map(|encoding| {
            let cost = plan_cost::<MaxProduct>(encoding.graph(), &[], &Limits::default());
            cost.unwrap().operations
        });
        assert!(worlds < 2.0 * sums, "{worlds}, sums {sums}");
    }
}

#[test]
fn a_list_of_one_element_has_as_many_values_as_the_element() {
    let a = Uniform::new(0..20i64);
    let list = inject(&[a.clone(), a.clone(), a.clone()]);
    // The function of this `Chain` never gets two values of the same element.
    let same = Chain::new((&a, &a), |(x, y)| {
        assert_eq!(x, y);
        Constant::new(x + y)
    });
    let targets = [list.erased().clone(), same.erased().clone()];
    let expansion = Expansion::new(&Model::new(), &targets, &Limits::default()).unwrap();
    for &target in expansion.targets() {
        assert_eq!(expansion.elements()[target].support.len(), 20);
    }
    let sum = list.map(|list| list.iter().sum::<i64>());
    let answer = VariableElimination::new().run(&Model::new(), (&sum, &same));
    let answer = answer.unwrap();
    assert!((answer.probability(&sum, &57).unwrap() - 0.05).abs() < EXACT);
    assert!((answer.probability(&same, &38).unwrap() - 0.05).abs() < EXACT);
}

/// Plans of these models need some hundred operations. Gigabytes of memory would be needed if the tables of a bucket were multiplied in pairs, either
/// without regard to zeros of other tables or with small tables treated as dense.
#[test]
fn wide_buckets_take_work_for_what_meets() {
    for seed in [79, 81, 100] {
        let CapturedLists {
            model,
            last,
            captured,
            ..
        } = captured_lists(seed, 2);
        let targets = [&last, &captured[0]];
        let few = Limits::default().memory(1 << 20);
        let tree = JunctionTree::new().limits(few).compile(&model, targets);
        let tree = tree.unwrap();
        assert!(tree.table_bytes() < 1 << 17, "{}", tree.table_bytes());
        let expected = Enumerate::new().run(&model, targets);
        let found = [
            tree.answer(),
            VariableElimination::new().run(&model, targets),
        ];
        for target in targets {
            let expected = distribution(&expected, target);
            for found in &found {
                let found = distribution(found, target);
                let same = are_same(found.as_deref(), expected.as_deref());
                assert!(same, "seed {seed}: {found:?}, not {expected:?}");
            }
        }
    }
}

/// Tables over more variables than an index can encode are multiplied at later eliminations; nothing is refused.
#[test]
fn messages_over_very_many_variables_are_put_off() {
    for seed in [74, 109] {
        let CapturedLists {
            model,
            last,
            captured,
            ..
        } = captured_lists(seed, 4);
        let targets = [&last, &captured[0]];
        let expected = Enumerate::new().run(&model, targets);
        let found = JunctionTree::new().run(&model, targets);
        for target in targets {
            let [a, b] = [&found, &expected].map(|answer| distribution(answer, target));
            assert!(
                are_same(a.as_deref(), b.as_deref()),
                "seed {seed}: {a:?}, not {b:?}"
            );
        }
    }
}
