//! Structures of Bayesian networks: their scores on complete data, and the search for one.
//!
//! | file | idea |
//! |---|---|
//! | `row_counts.rs`, `family_counts.rs` | different rows of data with their numbers; contingency tables of a variable and its parents |
//! | `score.rs`, `family_terms.rs` | decomposable scores; the terms that they give to counts |
//! | `family_scores.rs` | the scores of families, each computed once |
//! | `dag.rs`, `arc_rules.rs` | acyclic graphs that change arc by arc; arcs that are required or forbidden |
//! | `climber.rs`, `hill_climbing.rs` | the best change of an arc; steps, tabu list and restarts |
//! | `k2_search.rs` | parents along an order of the variables |
//! | `learner.rs`, `fitted.rs` | the search with its settings; tables from counts |

mod arc_rules;
mod climber;
mod dag;
mod error;
mod family_counts;
mod family_scores;
mod family_terms;
mod fitted;
mod hill_climbing;
mod k2_search;
mod learner;
mod row_counts;
mod score;

pub use error::StructureLearningError;
pub use learner::{LearnedStructure, StructureLearner, StructureSearch};
pub use score::{NetworkScore, ScoredNetwork};
