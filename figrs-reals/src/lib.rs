//! Exact and approximate answers for models of real numbers: closed forms, expectation propagation, and filters.
//!
//! With the feature `reals` of figrs, the exact algorithms of figrs call [`in_closed_form`] for models with continuous elements. Without the feature
//! `reals` of figrs, [`WithReals`] adds the closed form to one algorithm.
//!
//! | file | content |
//! |---|---|
//! | `linear_element` | linear functions of normal vectors, one for each assignment of some finite elements |
//! | `scan`, `chain_scan`, `private_results` | elements as linear functions of normal vectors |
//! | `normal_rule` | distributions of normal vectors given earlier vectors |
//! | `finite_part` | the finite elements: their supports, and their factor graph |
//! | `hybrid_model` | the factor graph of finite elements and normal vectors |
//! | `site`, `site_scan` | likelihoods of one real number that are not Gaussian |
//! | `conjugate`, `conjugate_scan` | parameters with conjugate priors |
//! | `closed_form` | the marginals of the targets |
//! | `collapse` | the approximation of mixtures with too many components |
//! | `best_world` | the most probable world |
//! | `expectation_propagation` | the same marginals, if some likelihoods are not Gaussian |
//! | `collapsed`, `drawn_part` | samplers that draw only the elements without closed form |
//! | `cases` | models that differ only in the values of some elements, answered together |
//! | `drawn_cases`, `drawn_rest` | the evidence on the integrated elements, and draws of them, for many values of the drawn elements |
//! | `with_reals` | an algorithm for finite models, and the closed form beside it |
//! | `filter`, `filter_step`, `belief`, `belief_component`, `joint_moments` | the joint distribution of several elements |
//! | `approximation` | the approximation of a filter's distribution after each step |
//! | `past_states`, `backward_kernel`, `state_marginals` | the past states of a filter, given all evidence so far |
//! | `saved_filter` | a filter in a form that can be serialised |
//! | `law`, `compiled_step`, `step_compiler` | a step of a filter whose law is always the same |

#![warn(clippy::unwrap_used)]

mod approximation;
mod backward_kernel;
mod belief;
mod belief_component;
mod best_world;
mod cases;
mod chain_scan;
mod closed_form;
mod collapse;
mod collapsed;
mod comparisons;
mod compiled_step;
mod conjugate;
mod conjugate_scan;
mod correction;
mod drawn_cases;
mod drawn_part;
mod drawn_rest;
mod expectation_propagation;
#[doc(hidden)]
pub mod filter;
mod filter_step;
mod finite_part;
mod hybrid_model;
mod hybrid_world;
mod joint_moments;
mod law;
mod linear_element;
mod made_elements;
mod normal_rule;
mod past_states;
mod private_results;
mod saved_filter;
mod scan;
mod site;
mod site_scan;
mod state_marginals;
mod step_compiler;
mod with_reals;

pub use best_world::best_world_in_closed_form;
#[doc(hidden)]
pub use closed_form::despite_rounding;
pub use closed_form::in_closed_form;
pub use collapse::Collapse;
pub use collapsed::Collapsed;
pub use expectation_propagation::ExpectationPropagation;
pub use filter::Filter;
#[doc(hidden)]
pub use joint_moments::{JointComponent, joint_moments};
pub use law::FilterLaw;
pub use saved_filter::SavedFilter;
pub use state_marginals::StateMarginals;
pub use with_reals::WithReals;
