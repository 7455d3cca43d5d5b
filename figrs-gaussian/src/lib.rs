//! Exact elimination in factor graphs of finite variables and real numbers whose distribution, given the finite variables, is normal.
//!
//! | file | content |
//! |---|---|
//! | `square_root_form` | Gaussian functions of real numbers |
//! | `hybrid_graph` | the graph: vectors of real numbers, finite variables, factors |
//! | `front` | the rows of one step, and their triangulation |
//! | `plan` | the order in which vectors are eliminated, and the scope of each step |
//! | `elimination` | one pass from the leaves to the roots: the finite factor graph that remains, and the conditional distributions |
//! | `posterior` | one pass from the roots to the leaves: moments and mixtures |
//! | `mixture` | mixtures of normal distributions |

#![warn(clippy::unwrap_used)]

mod elimination;
mod error;
mod front;
mod hybrid_graph;
mod mixture;
mod plan;
mod posterior;
mod square_root_form;

pub use elimination::Elimination;
pub use error::GaussianError;
pub use hybrid_graph::{HybridFactor, HybridGraph, RealId};
pub use mixture::{Component, Mixture};
pub use posterior::{JointMixture, Posterior};
pub use square_root_form::SquareRootForm;
