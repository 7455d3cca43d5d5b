//! Exhaustive search of a factor graph with a cache of component values; the search can record a decision circuit.
//!
//! | file | content |
//! |---|---|
//! | `labelled_circuit` | a factor graph as a circuit with labelled leaves |
//! | `log_sum` | the sum over all assignments without a circuit |
//! | `memory_budget` | limits of the memory of a search and of indices with 32 bits |
//! | `logical_form`, `factor_entries`, `value_atoms`, `literal` | a factor graph as clauses over atoms "variable = value", and decision diagrams of weights |
//! | `zero_cover` | clauses of the zeros of a table |
//! | `weight_diagrams` | equal residual tables, stored once |
//! | `determined_variables` | variables that are functions of other variables and are omitted |
//! | `preprocess`, `clause_simplifier`, `probing`, `defined_atoms` | simplification of clauses that keeps the number of solutions |
//! | `propagator`, `clause_database`, `conflict_analysis` | the partial assignment, and clauses learned from conflicts |
//! | `components` | independent components of the undecided atoms |
//! | `component_cache` | a cache of the values of components |
//! | `decomposition` | preferences of variables for decisions |
//! | `search`, `search_trace`, `scaled_number` | the search, its trace, and numbers of any magnitude |
//! | `decision_circuit`, `circuit_worlds` | sums, derivatives and single assignments of a decision circuit |

mod circuit_worlds;
mod clause_database;
mod clause_simplifier;
mod component_cache;
mod components;
mod conflict_analysis;
mod decision_circuit;
mod decomposition;
mod defined_atoms;
mod determined_variables;
mod factor_entries;
mod labelled_circuit;
mod literal;
mod log_sum;
mod logical_form;
mod memory_budget;
mod preprocess;
mod probing;
mod propagator;
mod scaled_number;
mod search;
mod search_trace;
#[cfg(test)]
mod tests;
mod value_atoms;
mod weight_diagrams;
mod zero_cover;

pub use circuit_worlds::CircuitWorld;
pub use decision_circuit::{CircuitNode, DecisionCircuit};
pub use labelled_circuit::LabelledCircuit;
pub use log_sum::log_sum;
pub use scaled_number::ScaledNumber;
pub use search::SearchControl;
