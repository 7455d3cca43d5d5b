//! The graph of a model, for walking and for pictures.

mod address;
mod dot;
mod draw;
mod layers;
mod picture;
mod svg;
mod walk;

pub use address::Address;
pub use picture::{Picture, PictureEdge, PictureError, PictureNode, Shape};
pub use walk::{EdgeKind, GraphEdge, GraphNode, ModelGraph};
