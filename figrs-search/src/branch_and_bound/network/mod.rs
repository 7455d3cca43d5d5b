//! A network of cost functions, which the search changes and restores.
//!
//! | file | content |
//! |---|---|
//! | `trail`, `queue` | lists whose changes can be undone, queues of variables |
//! | `function` | unary, binary, ternary and larger cost functions in one list of costs |
//! | `state` | domains, bounds, decisions, levels |

pub(super) mod function;
pub(super) mod queue;
pub(super) mod state;
pub(super) mod trail;

pub(super) use state::{Conflict, Decision, Network};
