//! Models of real numbers: in closed form, by expectation propagation, and one step at a time.
//!
//! The exact algorithms of figrs call [`in_closed_form`] for a model that they refuse because an element is continuous, if the feature `reals` of figrs
//! is on; [`WithReals`] does the same for one algorithm without the feature.
//!
//! | file | content |
//! |---|---|
//! | `linear_element` | linear functions of normal vectors, one for each assignment of some finite elements |
//! | `scan`, `private_results` | elements as such functions |
//! | `finite_part` | the finite elements: their supports, and their factor graph |
//! | `hybrid_model` | the factor graph of both |
//! | `site`, `site_scan` | likelihoods of one real number that are not Gaussian |
//! | `conjugate` | parameters with conjugate priors |
//! | `closed_form` | the marginals of the targets |
//! | `expectation_propagation` | the same marginals, if some likelihoods are not Gaussian |
//! | `with_reals` | an algorithm for finite models, and the closed form beside it |
//! | `filter`, `belief`, `joint_moments` | the joint distribution of several elements |
//! | `law` | a step of a filter whose elements are always the same |

#![warn(clippy::unwrap_used)]

mod belief;
mod closed_form;
mod conjugate;
mod expectation_propagation;
#[doc(hidden)]
pub mod filter;
mod finite_part;
mod hybrid_model;
mod joint_moments;
mod law;
mod linear_element;
mod private_results;
mod scan;
mod site;
mod site_scan;
mod with_reals;

pub use closed_form::in_closed_form;
pub use expectation_propagation::ExpectationPropagation;
pub use filter::Filter;
#[doc(hidden)]
pub use joint_moments::{JointComponent, joint_moments};
pub use law::FilterLaw;
pub use with_reals::WithReals;
