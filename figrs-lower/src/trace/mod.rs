//! Traces: a trace is one world (one assignment of values to the elements) that changes step by step, as the state of a Markov chain.
//!
//! A [`Trace`] holds the value of every element of the world, the log-probability of each random choice and the weight of each statement of evidence.
//! [`Trace::propose`] gives some random choices other values, and re-evaluates all elements that depend on these choices. The proposed change of the
//! world is then either accepted or undone, in time proportional to the number of changed nodes.
//!
//! | files, lowest layer first | contents |
//! |---|---|
//! | `register` | the value of a node |
//! | `readers`, `node` | an element of the trace, and its children |
//! | `change`, `look_ahead_list`, `agenda` | parts of the state: the change of a proposal, its new node states, pending updates |
//! | `state` | the model and its world |
//! | `limits` | memory use, errors of worlds that are too large, and eviction |
//! | `structure` | edges, elements that enter or leave the world, required values of observed elements |
//! | `evaluate` | the value of one node |
//! | `propagation` | re-evaluation in topological order |
//! | `proposal` | proposals, accepted and undone |
//! | `look_ahead` | proposals that change values only |
//! | `parameter_readers` | choices that depend on one parameter |
//! | `boolean_branch` | truth values that only select a branch |
//! | `conditional` | exact draws from conditionals |
//! | `parameter_likelihood` | likelihoods of parameters that interventions set |
//!
//! # Observations
//!
//! A value is *demanded* of an element if the element must have this value because it is observed. A value is also demanded of an element if an
//! observation implies it (through an `Apply`, a `Score` or the branch of a `Chain`) and nothing else depends on the element. A random choice takes
//! the value that observations demand of it; the choice is then not free, and its probability is a likelihood. If the computed value of an element
//! that is not a random choice differs from the demanded value, the world has weight zero.

mod agenda;
mod boolean_branch;
mod change;
mod conditional;
mod evaluate;
mod limits;
mod look_ahead;
mod look_ahead_list;
mod node;
mod parameter_likelihood;
mod parameter_readers;
mod propagation;
mod proposal;
mod readers;
mod register;
mod state;
mod structure;

pub use change::Change;
pub use state::{Site, Trace};
