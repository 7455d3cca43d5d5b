//! Tests of the members of collections and processes, and of their errors.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use super::*;
use crate::element::node::Kind;
use crate::element::{Constant, Element, Flip, Normal, Uniform, Variance, tuple};
use crate::error::{Fault, ModelError};
use crate::expand::Expansion;
use crate::parts::Parts;
use crate::value::Value;
use crate::{Limits, Model};

fn id<T: Value>(element: &Element<T>) -> crate::ElementId {
    element.erased().id()
}

/// Returns the error with which the evaluation of `element` ends in all worlds.
#[track_caller]
fn error<T: Value>(element: &Element<T>) -> MemberError {
    let targets = [element.erased().clone()];
    let error = Expansion::new(&Model::new(), &targets, &Limits::default());
    match error.map(|_| ()).unwrap_err() {
        ModelError::Function {
            fault: Fault::Member(error),
            ..
        } => *error,
        other => panic!("{other}"),
    }
}

#[test]
fn members_are_remembered_as_long_as_something_refers_to_them() {
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    let process = Process::new(move |&t: &f64| {
        counted.fetch_add(1, Ordering::Relaxed);
        Normal::new(t, Variance(1.0))
    });
    let zero = process.at(&0.0);
    let made = calls.load(Ordering::Relaxed);
    assert_eq!(id(&zero), id(&process.at(&-0.0)));
    assert_eq!(calls.load(Ordering::Relaxed), made);
    assert!(!zero.erased().is_unshared());
    let one = process.at(&1.0);
    assert_ne!(id(&zero), id(&one));
    drop(one);
    drop(process.at(&1.0));
    assert_eq!(calls.load(Ordering::Relaxed), 3 * made);
    // Many members that nothing refers to leave no traces.
    let bytes = crate::element::footprint::Footprint::now();
    for t in 0..10_000 {
        drop(process.at(&f64::from(t)));
    }
    assert_eq!(crate::element::footprint::Footprint::now(), bytes);
}

fn walk() -> Process<u32, u32> {
    Process::recursive(|walk, &step| match step {
        0 => Constant::new(0),
        _ => walk.at(&(step - 1)).map(|position| position + 1),
    })
}

#[test]
fn long_chains_of_members_are_made_and_dropped_without_recursion() {
    // Members that are made already do not wait.
    let walk = walk();
    let mut kept = Vec::new();
    for step in (0..100_000).step_by(500) {
        kept.push(walk.at(&step));
    }
    let last = walk.at(&100_000);
    kept.clear();
    let mut at = last.erased().clone();
    let mut steps = 0;
    while let Some(parent) = at.parents().first().cloned() {
        (at, steps) = (parent, steps + 1);
    }
    assert_eq!(steps, 100_000);
    assert_eq!(id(&walk.at(&100_000)), id(&last));
}

#[test]
fn too_many_members_that_wait_are_an_error() {
    let MemberError::TooManyNeeded { index, limit, .. } = error(&walk().at(&5000)) else {
        panic!("another error");
    };
    assert_eq!((index.as_str(), limit), ("4001", 1000));
}

#[test]
fn members_made_from_themselves_are_an_error() {
    let turn =
        Process::recursive(|turn: &Process<u32, u32>, &n| turn.at(&((n + 1) % 3)).map(|n| *n));
    let text = error(&turn.at(&1)).to_string();
    let expected = "with the index 1 of type `u32` depends on itself through the members 1, 2, 0; let each member depend only on earlier ones, or ask for a member within a `flat_map` if only some worlds need it";
    assert!(text.ends_with(expected), "{text}");
    let turn =
        Process::recursive(|turn: &Process<u32, u32>, &n| turn.at(&((n + 1) % 30)).map(|n| *n));
    let text = error(&turn.at(&1)).to_string();
    assert!(
        text.contains("through the members 1, 2, 3, 4, ..., 27, 28, 29, 0; "),
        "{text}"
    );
}

#[test]
fn processes_may_ask_each_other_and_create_collections() {
    // Even members ask the other process, and that process asks this one.
    type Other = OnceLock<Process<u32, u32>>;
    let other: Arc<Other> = Arc::new(OnceLock::new());
    let seen = Arc::clone(&other);
    let even = Process::new(move |&n: &u32| match (n, seen.get()) {
        (0, _) | (_, None) => Constant::new(0),
        (n, Some(odd)) => odd.at(&(n - 1)).map(|n| n + 1),
    });
    let back = even.clone();
    let odd = Process::new(move |&n: &u32| {
        // A collection within the function is new in each call.
        let ones = Elements::of(2, {
            let back = back.clone();
            move |_| back.at(&(n - 1))
        });
        ones.fold(1, |_, last| last + 1)
    });
    assert!(other.set(odd).is_ok());
    let last = even.at(&600);
    let targets = [last.erased().clone()];
    let expansion = Expansion::new(&Model::new(), &targets, &Limits::default()).unwrap();
    let support = &expansion.elements()[expansion.targets()[0]].support;
    assert_eq!(support.any(0).downcast_ref(), Some(&600_u32));
}

#[test]
fn a_function_that_panics_or_is_impure_is_an_error_of_its_member() {
    let process = Process::new(|&n: &u32| -> Element<u32> { panic!("no {n}") });
    let fails = |element: Element<u32>| {
        let targets = [element.erased().clone()];
        let made = Expansion::new(&Model::new(), &targets, &Limits::default());
        made.map(|_| ()).unwrap_err().to_string()
    };
    assert!(fails(process.at(&3)).contains("no 3"));
    let calls = AtomicUsize::new(0);
    let impure = Process::new(move |_: &u32| match calls.fetch_add(1, Ordering::Relaxed) {
        0 => Constant::new(0),
        _ => Uniform::new([1_u32, 2]),
    });
    if cfg!(debug_assertions) {
        assert!(fails(impure.at(&0)).contains("must depend on its arguments alone"));
    }
    let domain = Process::new(|_: &u32| Constant::new(0_u32)).within(|_| panic!("no domain"));
    assert!(fails(domain.at(&0)).contains("no domain"));
}

#[test]
fn indices_outside_the_domain_are_errors() {
    let process = Process::new(|&n: &u32| Constant::new(n)).within(|n| n % 2 == 0);
    let line = line!() - 1;
    let text = error(&process.at(&5)).to_string();
    let expected = format!(
        "the process at {}:{line}:19 has no member with the index 5 of type `u32`, which is outside its domain; ask for another index, or \
         exclude this one by evidence",
        file!()
    );
    assert_eq!(text, expected);
    error(&process.at_element(&Constant::new(5)));
    // A process that others hold already is restricted as a process of its own, with the same members.
    let small = process.clone().within(|&n| n < 10);
    assert_eq!(id(&process.at(&4)), id(&small.at(&4)));
    error(&small.at(&12));
    error(&small.at(&5));
    assert!(matches!(process.at(&12).erased().kind(), Kind::Atomic(_)));
}

#[test]
fn members_that_collections_do_not_have_are_errors() {
    let coins = Elements::new([Flip::new(0.5), Flip::new(0.5)]);
    let text = error(&coins.at(2)).to_string();
    let expected = "has no member with the index 2 of type `usize`, but only those from 0 to 1; ask for another index, or exclude this one by \
        evidence, or read `get`, which is then `None`";
    assert!(text.ends_with(expected), "{text}");
    let none = Elements::new(Vec::<Element<bool>>::new());
    assert!(
        error(&none.at(0))
            .to_string()
            .contains("because it has no members")
    );
    let text = error(&none.any_of()).to_string();
    assert!(text.contains("has no members in some worlds"), "{text}");
    let some = Elements::of(Uniform::new([1_u8, 2]), |_| Flip::new(0.5));
    let text = error(&some.at(4)).to_string();
    assert!(
        text.contains("in worlds in which its length is at most 4"),
        "{text}"
    );
    let negative = Elements::of(Constant::new(-1), |_| Flip::new(0.5));
    let text = error(&negative.count(|coin| *coin)).to_string();
    assert!(
        text.contains("-1 of type `i32` is neither a length nor an index"),
        "{text}"
    );
}

#[test]
fn members_between_neighbours_see_those_made_before() {
    let order = Process::between(f64::total_cmp, |&t, before, after| {
        let index = |n: Option<&Neighbour<f64, (f64, f64, f64)>>| n.map_or(f64::NAN, |n| n.index);
        Constant::new((index(before), t, index(after)))
    });
    let kept: Vec<_> = [1.0, 3.0, 2.0].iter().map(|t| order.at(t)).collect();
    let seen = [
        (f64::NAN, 1.0, f64::NAN),
        (1.0, 3.0, f64::NAN),
        (1.0, 2.0, 3.0),
    ];
    for (member, expected) in kept.iter().zip(seen) {
        let Kind::Atomic(op) = member.erased().kind() else {
            panic!("a constant");
        };
        assert_eq!(op.log_prob(&expected), Ok(0.0));
    }
    assert_eq!(id(&order.at(&3.0)), id(&kept[1]));
    let MemberError::NotMade { index, .. } = error(&order.at_element(&Constant::new(2.5))) else {
        panic!("another error");
    };
    assert_eq!(index, "2.5");
    let known = order.at_element(&Uniform::new([1.0, 2.0]));
    let targets = [known.erased().clone()];
    assert!(Expansion::new(&Model::new(), &targets, &Limits::default()).is_ok());
}

#[test]
fn pairs_come_in_the_order_of_their_greater_number() {
    let members = Elements::new((0..5).map(|n: i32| Constant::new(n)));
    let pairs = members.pairs().to_vec().unwrap();
    let expected: Vec<(i32, i32)> = (0..5).flat_map(|b| (0..b).map(move |a| (a, b))).collect();
    assert_eq!(pairs.len(), expected.len());
    for (pair, (a, b)) in pairs.iter().zip(expected) {
        let other = tuple((Constant::new(a), Constant::new(b)));
        let targets = [pair.equals(&other).erased().clone()];
        let expansion = Expansion::new(&Model::new(), &targets, &Limits::default()).unwrap();
        let support = &expansion.elements()[expansion.targets()[0]].support;
        assert_eq!(
            (support.len(), support.any(0).downcast_ref()),
            (1, Some(&true))
        );
    }
}

#[test]
fn paths_find_members_of_collections_processes_and_tuples() {
    let length = Uniform::new([1_usize, 2, 3]);
    let town = (
        Elements::new((0..2).map(|_| Flip::new(0.5))),
        Elements::of(&length, |_| Flip::new(0.5)),
        Process::new(|_: &String| Flip::new(0.5)),
        Process::new(|&t: &f64| Normal::new(t, Variance(1.0))).within(|&t| t >= 0.0),
        Process::new(|_: &(String, i8)| Flip::new(0.5)),
        (Process::new(|_: &Option<bool>| Flip::new(0.5)),),
    );
    let found = |path: &str| town.find::<bool>(path).map(|element| id(&element));
    assert_eq!(found("0[1]"), Ok(id(&town.0.at(1))));
    let (ada, pair, none) = (
        town.2.at(&"3".into()),
        town.4.at(&("Ada".into(), -3)),
        town.5.0.at(&Some(true)),
    );
    assert_eq!(found("2[3]"), Ok(id(&ada)));
    assert_eq!(found("2[\"3\"]"), Ok(id(&ada)));
    assert_eq!(found("4[\"Ada, -3\"]"), Ok(id(&pair)));
    assert_eq!(found("5.0[\"true\"]"), Ok(id(&none)));
    let (half, two) = (town.3.at(&0.5), town.3.at(&2.0));
    let time = |path: &str| town.find::<f64>(path).map(|element| id(&element));
    assert_eq!(time("3[\"0.5\"]"), Ok(id(&half)));
    assert_eq!(time("3[2]"), Ok(id(&two)));
    assert_eq!(town.paths().unwrap().len(), 2);

    let data = r#"{"0": [true, null], "1": {"[2]": true}, "2": {"Ada": false}, "3": {"0.5": 1.5}}"#;
    let model = Model::new().observe(&length, 3);
    let model = model.observe_data(&town, &serde_json::from_str(data).unwrap());
    let observed: Vec<_> = model.unwrap().evidence()[1..]
        .iter()
        .map(|(element, evidence)| (element.id(), format!("{:?}", evidence.observed().unwrap())))
        .collect();
    assert_eq!(observed.len(), 4);
    assert_eq!(observed[0], (id(&town.0.at(0)), "true".into()));
    assert_eq!(observed[3], (id(&half), "1.5".into()));

    let wrong = |path: &str| town.find::<bool>(path).unwrap_err().to_string();
    let process = format!("{:?}", town.3);
    assert_eq!(
        wrong("3[\"-1\"]"),
        format!(
            "`3[\"-1\"]`: `3` is a {process}; give an index in the domain, which does not contain -1.0"
        )
    );
    assert_eq!(
        wrong("3[\"late\"]"),
        format!("`3[\"late\"]`: `3` is a {process}; the index must be a number")
    );
    assert_eq!(
        wrong("1[\"x\"]"),
        format!(
            "`1[\"x\"]`: `1` is a {:?}; give the number of an item, as in `[0]`",
            town.1
        )
    );
    assert_eq!(
        wrong("4[3]"),
        format!(
            "`4[3]`: `4` is a {:?}; the index must be a list of length 2",
            town.4
        )
    );
    assert!(
        wrong("6").ends_with("which has no field `6`; did you mean `0`, `1`, `2`, `3`, `4`, `5`?")
    );
    assert_eq!(
        wrong("2"),
        format!(
            "`2` is a {:?}; an element is asked for: give an index, as in `[0]` or `[\"name\"]`",
            town.2
        )
    );
    assert_eq!(
        wrong("1.x"),
        format!(
            "`1.x`: `1` is a {:?}; give the number of an item, as in `[0]`",
            town.1
        )
    );
    let refused = Model::new().observe_path(&town, "1", true).unwrap_err();
    assert_eq!(
        refused.to_string(),
        format!(
            "`1` is a {:?} and takes an object whose names are paths, such as `[0]`, not true",
            town.1
        )
    );
}
