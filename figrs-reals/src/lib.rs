//! Models of real numbers: in closed form, by expectation propagation, and one step at a time.
//!
//! With the feature `reals` of figrs, the exact algorithms of figrs call [`in_closed_form`] for models with continuous elements. Without the
//! feature, [`WithReals`] adds the closed form to one algorithm.
//!
//! | file | content |
//! |---|---|
//! | `linear_element` | linear functions of normal vectors, one for each assignment of some finite elements |
//! | `scan`, `private_results` | elements as linear functions of normal vectors |
//! | `finite_part` | the finite elements: their supports, and their factor graph |
//! | `hybrid_model` | the factor graph of finite elements and normal vectors |
//! | `site`, `site_scan` | likelihoods of one real number that are not Gaussian |
//! | `conjugate` | parameters with conjugate priors |
//! | `closed_form` | the marginals of the targets |
//! | `expectation_propagation` | the same marginals, if some likelihoods are not Gaussian |
//! | `with_reals` | an algorithm for finite models, extended by the closed form |
//! | `filter`, `belief` | the joint distribution of several elements |
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
pub use law::FilterLaw;
pub use with_reals::WithReals;
