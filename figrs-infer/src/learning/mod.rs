//! Learning of parameters from data.
//!
//! | file | what it holds |
//! |---|---|
//! | `cases`, `case_table`, `case_rows` | rows of data as evidence on elements, by column |
//! | `expectation_maximization` | the algorithm: settings and rounds |
//! | `expected_counts` | the interface of its expectation step |
//! | `tree_counts`, `column_factors`, `complete_row` | the expectation step on a contraction tree; what cells change in it; rows that need none |
//! | `parameters` | the maximisation step: outcomes, counts and values of parameters |
//! | `rounds`, `learner` | the rounds of one start; a model prepared for them, with its cases |
//! | `observed_information`, `pivoted_cholesky` | standard errors; the decomposition of their matrix |
//! | `fit` | the result, and learning from further cases |

mod case_rows;
mod case_table;
pub(crate) mod cases;
mod column_factors;
mod complete_row;
pub(crate) mod expectation_maximization;
pub(crate) mod expected_counts;
pub(crate) mod fit;
mod learner;
pub(crate) mod observed_information;
mod parameters;
mod pivoted_cholesky;
mod rounds;
mod tree_counts;
