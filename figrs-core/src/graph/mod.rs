//! The graph of a model, for walking.

mod address;
mod walk;

pub use address::Address;
pub use walk::{EdgeKind, GraphEdge, GraphNode, ModelGraph};
