//! Search for elimination orders by symbolic elimination, whose tables have scopes but no entries.
//!
//! | file | content |
//! |---|---|
//! | `symbolic_table` | symbolic tables (scopes and predicted densities), and the tables of each variable |
//! | `symbolic_elimination` | elimination of symbolic tables, which gives buckets with their inputs |
//! | `component_orders` | symbolic elimination component by component |
//! | `restarts` | search for one component: greedy orders, restarts with noise, local improvement |
//! | `interaction_graph`, `simplicial`, `greedy`, `order_tree`, `window` | the interaction graph of one component: reductions, greedy orders, local improvement |
//! | `very_large` | very large components as adjacency lists |

pub(crate) mod component_orders;
mod greedy;
mod interaction_graph;
mod order_tree;
mod restarts;
mod simplicial;
pub(crate) mod symbolic_elimination;
pub(crate) mod symbolic_table;
mod very_large;
mod window;

pub use component_orders::eliminate_candidates;
pub use restarts::MAX_WORK;
pub use symbolic_elimination::{Bucket, SymbolicElimination};
