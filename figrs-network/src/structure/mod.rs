//! Structures of Bayesian networks: their scores on complete data, and the search for a structure on data in which cells may be
//! missing.
//!
//! | file | idea |
//! |---|---|
//! | `row_counts.rs`, `family_counts.rs` | distinct rows of data with their counts; contingency tables of a variable and its parents |
//! | `score.rs`, `family_terms.rs` | decomposable scores; the terms of scores as functions of counts |
//! | `family_scores.rs` | the scores of families, each computed once |
//! | `dag.rs`, `arc_rules.rs` | acyclic graphs that are changed arc by arc; required and forbidden arcs |
//! | `climber.rs`, `hill_climbing.rs` | the best change of an arc; steps, tabu list and restarts |
//! | `k2_search.rs` | parents chosen along an order of the variables |
//! | `case_counts.rs`, `expected_counts.rs`, `missing_block.rs` | the source of counts; expected counts if cells are missing; the posterior of missing cells |
//! | `structural_em.rs` | rounds of searches on expected counts |
//! | `learner.rs`, `fitted.rs` | the search with its settings; tables from counts |

mod arc_rules;
mod case_counts;
mod climber;
mod dag;
mod error;
mod expected_counts;
mod family_counts;
mod family_scores;
mod family_terms;
mod fitted;
mod hill_climbing;
mod k2_search;
mod learner;
mod missing_block;
mod row_counts;
mod score;
mod structural_em;

pub use error::StructureLearningError;
pub use learner::{LearnedStructure, MissingCellRounds, StructureLearner, StructureSearch};
pub use score::{NetworkScore, ScoredNetwork};
