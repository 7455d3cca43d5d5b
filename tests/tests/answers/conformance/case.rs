//! The rows of the tables.

use crate::conformance::asked::{Asked, Worlds};

/// One row: a query, the right answer, and the number of worlds that a brute-force algorithm would have to visit.
pub(crate) struct Case {
    pub id: &'static str,
    pub expected: Expected,
    pub worlds: Worlds,
    pub build: fn() -> Asked,
}

/// The right answer.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Expected {
    /// A probability, an expectation or a logarithm.
    Number(f64),
    /// The most likely values, their probability together with the evidence, and given the evidence.
    Most {
        values: &'static [(&'static str, &'static str)],
        joint: f64,
        posterior: f64,
    },
    /// Bounds of a probability when Chains nested in fewer than `depth` others are expanded.
    Bounds {
        depth: usize,
        lower: f64,
        upper: f64,
    },
    /// No answer: the evidence is impossible.
    Impossible,
}

/// A table of cases, and a test for each of them.
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
