//! Models of normal elements and finite elements, in closed form.
//!
//! | file | content |
//! |---|---|
//! | `linear_element` | linear functions of normal vectors, one for each assignment of some finite elements |
//! | `scan`, `private_results` | elements as such functions |
//! | `finite_part` | the finite elements: their supports, and their factor graph |
//! | `hybrid_model` | the factor graph of both |
//! | `site`, `site_scan` | likelihoods of one real number that are not Gaussian |
//! | `conjugate` | parameters with conjugate priors |
//! | `answer` | the marginals of the targets |
//! | `expectation_propagation` | the same marginals, if some likelihoods are not Gaussian |
//! | `belief` | the joint distribution of several elements |
//! | `law` | a step of a filter whose elements are always the same |

mod answer;
pub(crate) mod belief;
mod conjugate;
mod expectation_propagation;
mod finite_part;
mod hybrid_model;
pub(crate) mod law;
mod linear_element;
mod private_results;
mod scan;
mod site;
mod site_scan;

pub(crate) use answer::in_closed_form;
pub use expectation_propagation::ExpectationPropagation;
