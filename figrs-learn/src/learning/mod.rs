//! Learning of parameters from data.
//!
//! | file | contents |
//! |---|---|
//! | `cases`, `case_table`, `case_rows` | rows of data as evidence on elements, by column |
//! | `case_error` | errors of rows |
//! | `expectation_maximization` | the learning algorithm: settings and rounds |
//! | `expected_counts` | the interface of the expectation step |
//! | `learning_expansion`, `row_factors` | the model's factors, how cells and parameters change them, and the expectation step of any algorithm on them |
//! | `statement_factors` | the factors of evidence |
//! | `column_factors` | factors that depend on the cells of a row of data |
//! | `complete_row` | complete rows, which need no inference |
//! | `tree_counts`, `message_counts`, `draw_counts`, `mpe_counts` | expectation steps by a contraction tree, messages, Gibbs sampling, and most probable worlds |
//! | `weighted_worlds`, `row_sums` | the expectation step on weighted worlds, for models without a finite factor graph |
//! | `closed_form_counts` | the expectation step of models of real numbers in closed form (feature `reals`) |
//! | `linear_readers` | the elements of models of real numbers that depend on parameters |
//! | `normal_sums` | weighted least squares for coefficients and variances |
//! | `count_parts` | expected counts in parts, which other processes may compute |
//! | `parameters`, `term_sums` | the maximisation step: outcomes, counts and values of parameters |
//! | `rounds`, `extrapolation` | the rounds of one start with their end, and their acceleration |
//! | `learner` | a model prepared for rounds, with its cases |
//! | `observed_information` | standard errors |
//! | `pivoted_cholesky` | the decomposition of the information matrix |
//! | `learning_run` | runs that can be stopped, resumed and lengthened |
//! | `fit` | the learned parameters, and learning from further cases |
//! | `saved_fit` | a fit as data that serde can save |

mod case_error;
mod case_rows;
mod case_table;
pub(crate) mod cases;
#[cfg(feature = "reals")]
mod closed_form_counts;
mod column_factors;
mod complete_row;
pub(crate) mod count_parts;
mod draw_counts;
pub(crate) mod expectation_maximization;
pub(crate) mod expected_counts;
mod extrapolation;
pub(crate) mod fit;
mod learner;
mod learning_expansion;
mod learning_run;
#[cfg(feature = "reals")]
mod linear_readers;
mod message_counts;
mod mpe_counts;
#[cfg_attr(
    not(feature = "reals"),
    allow(
        dead_code,
        reason = "all normal elements of finite models are observed"
    )
)]
mod normal_sums;
pub(crate) mod observed_information;
mod parameters;
mod pivoted_cholesky;
mod rounds;
mod row_factors;
mod row_sums;
pub(crate) mod saved_fit;
mod statement_factors;
mod term_sums;
mod tree_counts;
mod weighted_worlds;
