//! Learning of parameters from data.
//!
//! | file | what it holds |
//! |---|---|
//! | `cases`, `case_table` | rows of data as evidence on elements, by column |
//! | `expectation_maximization` | the algorithm: settings and rounds |
//! | `expected_counts` | the interface of its expectation step |
//! | `tree_counts`, `column_factors`, `complete_rows` | the expectation step on a contraction tree; what cells change in it; rows that need none |
//! | `parameters` | the maximisation step: outcomes, counts and values of parameters |
//! | `fit` | the result |

mod case_table;
pub(crate) mod cases;
mod column_factors;
mod complete_rows;
pub(crate) mod expectation_maximization;
pub(crate) mod expected_counts;
pub(crate) mod fit;
mod parameters;
mod tree_counts;
