//! Decisions that maximise expected utility.
//!
//! | file | contents |
//! |---|---|
//! | `maximise_utility` | the algorithm that finds policies, and its settings |
//! | `problem` | the expanded model: decisions, utilities and known elements, as variables of a factor graph |
//! | `influence` | the decisions on which each element depends, and errors if an observed or known element depends on a decision |
//! | `no_forgetting`, `limited_memory` | decision rules: exact, and by single policy updating, which is exact if the graph has certain independences |
//! | `solved_decision`, `policy`, `plan` | the policies that are found |
//! | `sampled/` | policies fitted on draws, where known values are continuous |
//! | `value_of_information` | the value of knowing or setting an element |

mod influence;
mod limited_memory;
pub(crate) mod maximise_utility;
mod no_forgetting;
pub(crate) mod plan;
pub(crate) mod policy;
mod problem;
pub(crate) mod sampled;
mod solved_decision;
mod value_of_information;
