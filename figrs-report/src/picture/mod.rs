//! Pictures: directed graphs whose nodes have shapes and labels.

mod dot;
mod elimination_tree;
mod layers;
mod model_graph;
mod svg;

use figrs_derive::ErrorDebug;
use thiserror::Error;

/// A graph that can be drawn: the graph of a model ([`ModelGraph`](figrs_core::graph::ModelGraph)) or of an elimination
/// ([`EliminationTree`](figrs_infer::EliminationTree)).
///
/// ```
/// use figrs_core::graph::ModelGraph;
/// use figrs_core::{Flip, Model};
/// use figrs_report::Drawable;
///
/// let rain = Flip::new(0.2).named("rain");
/// let wet = rain.flat_map(|&rain| Flip::new(if rain { 0.9 } else { 0.1 })).named("wet");
/// let graph = ModelGraph::expanded(&Model::new(), &wet)?;
/// assert!(graph.to_dot().contains("wet") && graph.to_svg().is_ok());
/// # Ok::<(), figrs_core::ModelError>(())
/// ```
pub trait Drawable {
    /// Returns the nodes and arrows of the graph as a picture.
    fn picture(&self) -> Picture;

    /// Returns the picture in the DOT language of Graphviz.
    fn to_dot(&self) -> String {
        self.picture().to_dot()
    }

    /// Returns the picture as an SVG document.
    ///
    /// **Errors.** [`PictureError::TooLarge`] if the picture has more than [`Picture::MAX_NODES`] nodes or [`Picture::MAX_EDGES`] arrows.
    fn to_svg(&self) -> Result<String, PictureError> {
        self.picture().to_svg()
    }
}

/// The shape of the outline of a node in a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shape {
    /// The shape of a node that is a random choice.
    #[default]
    Ellipse,
    /// The shape of a function.
    Box,
    /// The shape of a `Chain`.
    Diamond,
    /// The shape of a `Score`.
    Hexagon,
}

/// A node of a [`Picture`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PictureNode {
    /// The identifier of the node; if `None`, the index of the node is used instead.
    pub id: Option<String>,
    /// The lines of text in the node.
    pub lines: Vec<String>,
    /// The shape of the outline of the node.
    pub shape: Shape,
    /// `true` if the node is shaded.
    pub shaded: bool,
    /// `true` if the node has a double border.
    pub double: bool,
    /// `true` if the node has a bold border.
    pub bold: bool,
}

/// An arrow of a [`Picture`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PictureEdge {
    /// The index of the node where the arrow begins.
    pub from: usize,
    /// The index of the node where the arrow ends.
    pub to: usize,
    /// The text of the arrow; empty if the arrow has no text.
    pub label: String,
    /// `true` if the arrow is dashed.
    pub dashed: bool,
}

/// A directed graph with the styles of its nodes and arrows. The graph is written as [DOT](Self::to_dot) or drawn as [SVG](Self::to_svg).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Picture {
    nodes: Vec<PictureNode>,
    edges: Vec<PictureEdge>,
}

/// The reason why a picture cannot be drawn.
#[derive(Clone, PartialEq, Eq, Error, ErrorDebug)]
#[non_exhaustive]
pub enum PictureError {
    /// The picture has too many nodes or arrows for a readable layout.
    #[error(
        "a picture of {nodes} nodes and {edges} arrows is larger than the limit of {} nodes and {} arrows; \
         write DOT with `to_dot` and lay that out with Graphviz, or draw fewer elements",
        Picture::MAX_NODES,
        Picture::MAX_EDGES
    )]
    TooLarge {
        /// Number of nodes of the picture.
        nodes: usize,
        /// Number of arrows of the picture.
        edges: usize,
    },
    /// An arrow begins or ends at a node that does not exist.
    #[error(
        "the arrow from node {from} to node {to} names a node that the picture of {nodes} nodes does not contain; add the nodes first"
    )]
    NoSuchNode {
        /// The index of the node where the arrow begins.
        from: usize,
        /// The index of the node where the arrow ends.
        to: usize,
        /// Number of nodes of the picture.
        nodes: usize,
    },
    /// Some arrows of the picture form a cycle.
    #[error(
        "node {node} is part of a cycle, but only graphs without cycles can be drawn; write DOT with `to_dot`"
    )]
    Cycle {
        /// The index of a node of the cycle, or of a node that can be reached from the cycle.
        node: usize,
    },
}

impl Picture {
    /// Maximum number of nodes in a picture that is drawn as SVG.
    pub const MAX_NODES: usize = 300;
    /// Maximum number of arrows in a picture that is drawn as SVG.
    pub const MAX_EDGES: usize = 1000;

    /// Creates a picture without nodes and arrows.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a node and returns its index.
    pub fn add_node(&mut self, node: PictureNode) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// Adds an arrow.
    pub fn add_edge(&mut self, edge: PictureEdge) {
        self.edges.push(edge);
    }

    /// Returns the nodes of the picture.
    pub fn nodes(&self) -> &[PictureNode] {
        &self.nodes
    }

    /// Returns the arrows of the picture.
    pub fn edges(&self) -> &[PictureEdge] {
        &self.edges
    }
}
