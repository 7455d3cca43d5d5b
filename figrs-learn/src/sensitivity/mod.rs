//! Sensitivity of an answer to the parameters of its model.
//!
//! | file | contents |
//! |---|---|
//! | `query.rs` | queries for single numbers: probabilities, expectations, the log-evidence |
//! | `outcomes.rs` | the probabilities of outcomes as functions of parameters |
//! | `differentiable.rs` | the model of an answer, compiled for derivatives |
//! | `queries.rs` | derivatives and tornado tables of an answer |
//! | `tornado.rs` | tornado tables |

pub(crate) mod differentiable;
mod outcomes;
pub(crate) mod queries;
pub(crate) mod query;
pub(crate) mod tornado;
