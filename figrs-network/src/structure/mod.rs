//! Structures of Bayesian networks: their scores on complete data, and the search for a structure on data in which cells may be
//! missing.
//!
//! | file | idea |
//! |---|---|
//! | `row_counts.rs` | distinct rows of data with their counts |
//! | `family_counts.rs` | contingency tables of a variable and its parents |
//! | `score.rs` | decomposable scores |
//! | `family_terms.rs` | the terms of scores as functions of counts |
//! | `family_scores.rs` | the scores of families, each computed once |
//! | `dag.rs` | acyclic graphs that are changed arc by arc |
//! | `arc_rules.rs` | required and forbidden arcs |
//! | `climber.rs` | the change of an arc that raises the score most |
//! | `hill_climbing.rs` | steps, tabu list and restarts of the search |
//! | `k2_search.rs` | parents chosen along an order of the variables |
//! | `case_counts.rs` | the source of counts of cases |
//! | `expected_counts.rs` | expected counts if cells are missing |
//! | `missing_block.rs` | the posterior of missing cells |
//! | `structural_em.rs` | rounds of searches on expected counts |
//! | `learner.rs` | the search with its settings |
//! | `fitted.rs` | conditional tables computed from counts |

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
