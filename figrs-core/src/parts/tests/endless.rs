//! Tests of objects whose parts have no end, or too many paths.

use std::sync::{Arc, OnceLock};

use super::*;

#[derive(Parts)]
#[parts(crate = "crate")]
struct Spouse {
    age: Element<u8>,
    spouse: OnceLock<Arc<Spouse>>,
}

#[test]
fn cycles_of_references_are_errors() {
    let one = |age| {
        Arc::new(Spouse {
            age: Constant::new(age),
            spouse: OnceLock::new(),
        })
    };
    let (a, b) = (one(30), one(40));
    assert_eq!(a.paths().unwrap().len(), 1);
    assert!(matches!(
        a.find::<u8>("spouse.age"),
        Err(PartError::NoPart { problem, .. }) if problem.contains("`None`")
    ));
    assert!(a.spouse.set(Arc::clone(&b)).is_ok());
    assert_eq!(a.paths().unwrap().len(), 2);
    assert!(b.spouse.set(Arc::clone(&a)).is_ok());
    let error = a.paths().unwrap_err();
    let expected = "the path `spouse.spouse.spouse.spouse.spouse.spouse.spouse.spouse.spou…` has over 128 steps: references between objects \
        form a cycle; skip a field of this cycle (`#[parts(skip)]`)";
    assert_eq!(error.to_string(), expected);
    assert_eq!(a.name_parts("a").unwrap_err(), error);
    // A single path ends, and so has no cycle.
    let found = a.find::<u8>("spouse.spouse.age").unwrap();
    assert_eq!(found.erased().id(), a.age.erased().id());
}

#[derive(Clone, Parts)]
#[parts(crate = "crate")]
enum Twice {
    End,
    Both(Arc<Twice>, Arc<Twice>),
}

#[test]
fn too_many_paths_to_the_same_objects_are_an_error() {
    let doubled = |levels: usize| {
        (0..levels).fold(Arc::new(Twice::End), |inner, _| {
            Arc::new(Twice::Both(Arc::clone(&inner), inner))
        })
    };
    assert!(doubled(10).paths().unwrap().is_empty());
    assert_eq!(
        doubled(60).paths().unwrap_err(),
        PartError::TooManyParts { limit: 1 << 20 }
    );
}

#[derive(Clone, Debug, Parts, Value)]
#[parts(crate = "crate")]
#[value(crate = "crate", parts)]
enum Way {
    Left { next: Element<Way> },
    Right { next: Element<Way> },
    End(u8),
}

#[test]
fn long_paths_through_uncertain_objects_are_checked_in_time() {
    let end = Constant::new(Way::End(1));
    let way = Uniform::new([Way::Left { next: end.clone() }, Way::Right { next: end }]);
    let path = "next.".repeat(60);
    assert!(way.find::<u8>(&(path.clone() + "0")).is_ok());
    let error = way.find::<u8>(&(path + "1")).unwrap_err();
    assert!(matches!(error, PartError::UnknownName { .. }));
}
