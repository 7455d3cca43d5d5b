//! Elimination in factor graphs whose real numbers are normal given the finite variables. The elimination of real numbers is exact, or approximate
//! if some factors are not Gaussian.
//!
//! | file | content |
//! |---|---|
//! | `square_root_form` | Gaussian functions of real numbers |
//! | `hybrid_graph` | the graph: vectors of real numbers, finite variables, factors |
//! | `front` | the rows of one step, and their triangulation |
//! | `plan` | the order in which vectors are eliminated, and the scope of each step |
//! | `merging_plan`, `weak_marginal` | the order if components of mixtures are merged, and the merging |
//! | `elimination` | one pass from the leaves to the roots: the finite factor graph that remains, and the conditional distributions |
//! | `posterior` | one pass from the roots to the leaves: moments and mixtures |
//! | `back_substitution` | numbers of vectors, and their deviations from the means, as functions of standard normal numbers |
//! | `moments`, `mixture` | means and covariances, mixtures of normal distributions |
//! | `quadrature`, `tilted`, `peaks` | a normal number multiplied by a likelihood |
//! | `expectation_propagation`, `damping` | Gaussian approximations of factors that are not Gaussian |
//! | `draws`, `conditional_draws`, `guided_draws` | random draws of all variables, also given a finite variable, and draws that satisfy likelihoods |
//! | `restriction` | one factor that is not Gaussian, with the exact moments of everything else |

#![warn(clippy::unwrap_used)]

mod back_substitution;
mod conditional_draws;
mod damping;
mod draws;
mod elimination;
mod error;
mod expectation_propagation;
mod front;
mod guided_draws;
mod hybrid_graph;
mod merging_plan;
mod mixture;
mod moments;
mod most_probable;
mod peaks;
mod plan;
mod posterior;
mod quadrature;
mod restriction;
mod square_root_form;
mod tilted;
mod weak_marginal;

pub use conditional_draws::ConditionalDraws;
pub use draws::HybridDraws;
pub use elimination::Elimination;
pub use error::GaussianError;
pub use expectation_propagation::{Convergence, LikelihoodFactor, Projection, Sweeps, propagate};
pub use guided_draws::{GuidedDraw, GuidedDraws, GuidedLikelihood, TruncatedDraw};
pub use hybrid_graph::{HybridFactor, HybridGraph, RealId};
pub use mixture::{Component, Mixture};
pub use most_probable::{MostProbable, most_probable};
pub use peaks::Peaks;
pub use posterior::{HybridPosterior, JointMixture};
pub use restriction::{RestrictedNumber, RestrictedNumbers, restrict};
pub use square_root_form::SquareRootForm;
pub use tilted::{RealLikelihood, Tilted};
