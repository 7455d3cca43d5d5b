//! The graph of a model, for walking and for pictures.

mod address;
mod dot;
mod walk;

pub use address::Address;
pub use walk::{EdgeKind, GraphEdge, GraphNode, ModelGraph};
