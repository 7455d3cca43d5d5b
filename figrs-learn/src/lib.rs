//! Learning of parameters from data, decisions with maximal expected utility, sensitivity to parameters, and conditional independence.
//!
//! | item | folder |
//! |---|---|
//! | [`ExpectationMaximization`], which learns parameters | `learning/` |
//! | [`MaximiseUtility`] and [`SampledPolicies`], which find policies of decisions | `decision/` |
//! | [`Sensitivity`], derivatives and tornado tables of an answer | `sensitivity/` |
//! | [`independent`], independence of elements by the structure of a model | `independence` |

#![warn(clippy::unwrap_used)]

mod decision;
mod independence;
mod learning;
mod sensitivity;

pub use decision::maximise_utility::MaximiseUtility;
pub use decision::plan::DecisionPlan;
pub use decision::policy::{DecisionPolicy, PolicyRow};
pub use decision::sampled::sampled_plan::SampledPlan;
pub use decision::sampled::sampled_policies::SampledPolicies;
pub use decision::sampled::sampled_policy::{SampledPolicy, SampledPolicyRow};
pub use decision::sampled::utility_estimate::UtilityEstimate;
pub use independence::independent;
pub use learning::cases::{CaseColumns, CaseValues, Cases};
pub use learning::count_parts::{CaseCounter, CountPart, CountRequest};
pub use learning::expectation_maximization::ExpectationMaximization;
pub use learning::expected_counts::ExpectedCounts;
pub use learning::fit::Fit;
pub use learning::observed_information::StandardErrors;
pub use learning::saved_fit::SavedFit;
pub use sensitivity::queries::Sensitivity;
pub use sensitivity::query::Query;
pub use sensitivity::tornado::{Tornado, TornadoRow};
