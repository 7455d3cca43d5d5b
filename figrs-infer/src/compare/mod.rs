//! Comparison of algorithms: several algorithms compute the same posteriors, and a table lists their answers, errors and costs.
//!
//! | item | file |
//! |---|---|
//! | [`compare`], [`Compare`] | `settings.rs` |
//! | the run of one algorithm with a time limit and measurements | `timed_run.rs` |
//! | [`Estimand`]: the numbers compared | `estimand.rs` |
//! | [`ComparisonRow`], [`Verdict`]: an algorithm's answer, and the judgement of it | `row.rs`, `verdict.rs` |
//! | [`Curve`]: the error as the budget grows | `curve.rs` |
//! | [`Comparison`], the rows of all algorithms | `comparison.rs` |
//! | a comparison as text | `display.rs`, `curve.rs` |

mod comparison;
mod curve;
mod display;
mod estimand;
mod row;
mod settings;
mod timed_run;
mod verdict;

#[cfg(test)]
mod tests;

pub use comparison::{Comparison, ExactReference};
pub use curve::{Curve, CurvePoint};
pub use curve::{drawable, range};
pub use estimand::Estimand;
pub use row::ComparisonRow;
pub use settings::{Compare, ComparisonStep, compare};
pub use verdict::Verdict;
