//! The rows of the tables of conformance cases.

use crate::conformance::asked::{Asked, Worlds};

/// A conformance case: a query, the right answer, and the size of the set of worlds that a brute-force algorithm would have to visit.
pub(crate) struct Case {
    pub id: &'static str,
    pub expected: Expected,
    pub worlds: Worlds,
    pub build: fn() -> Asked,
}

/// The right answer to the query of a case.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Expected {
    /// A probability, an expectation or a logarithm.
    Number(f64),
    /// The most probable values, their joint probability with the evidence, and their probability given the evidence.
    Most {
        values: &'static [(&'static str, &'static str)],
        joint: f64,
        posterior: f64,
    },
    /// The bounds of a probability if all `Chain` elements nested in fewer than `depth` other `Chain` elements are expanded.
    Bounds {
        depth: usize,
        lower: f64,
        upper: f64,
    },
    /// There is no answer, because the evidence is impossible.
    Impossible,
}

/// Defines a table of cases, and a test for each of them.
macro_rules! cases {
    ($($(#[$about:meta])* $id:ident: $expected:expr, $worlds:ident, $build:expr;)+) => {
        pub(crate) const CASES: &[$crate::conformance::case::Case] = &[$($crate::conformance::case::Case {
            id: stringify!($id),
            expected: $expected,
            worlds: $crate::conformance::asked::Worlds::$worlds,
            build: $build,
        }),+];
        $($(#[$about])* #[test] fn $id() { $crate::conformance::contenders::put_to_all(CASES, stringify!($id)); })+
    };
}
