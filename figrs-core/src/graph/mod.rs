//! The graph of a model, for drawing and for tests of independence.

mod address;
mod dependency;
mod separation;
mod walk;

pub use address::Address;
pub use dependency::DependencyGraph;
pub use separation::{EvidenceRole, Separation};
pub use walk::{EdgeKind, GraphEdge, GraphNode, ModelGraph};
