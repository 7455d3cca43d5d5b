//! Pictures: directed graphs with shapes and labels.

mod dot;
mod elimination_tree;
mod layers;
mod model_graph;
mod svg;

use figrs_derive::ErrorDebug;
use thiserror::Error;

/// A graph that can be drawn: of a model ([`ModelGraph`](figrs_core::graph::ModelGraph)) or of an elimination
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
    /// The nodes and arrows.
    fn picture(&self) -> Picture;

    /// The picture in the DOT language of Graphviz.
    fn to_dot(&self) -> String {
        self.picture().to_dot()
    }

    /// The picture drawn as SVG.
    ///
    /// **Errors.** [`PictureError::TooLarge`] above [`Picture::MAX_NODES`] nodes or [`Picture::MAX_EDGES`] arrows.
    fn to_svg(&self) -> Result<String, PictureError> {
        self.picture().to_svg()
    }
}

/// The outline of a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shape {
    /// A random choice.
    #[default]
    Ellipse,
    /// A function.
    Box,
    /// A Chain.
    Diamond,
    /// A Score.
    Hexagon,
}

/// A node of a [`Picture`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PictureNode {
    /// The identifier of the node; `None` stands for the position of the node.
    pub id: Option<String>,
    /// The text of the node.
    pub lines: Vec<String>,
    /// The outline of the node.
    pub shape: Shape,
    /// `true` if the node is shaded.
    pub shaded: bool,
    /// `true` if the border of the node is doubled.
    pub double: bool,
    /// `true` if the border of the node is bold.
    pub bold: bool,
}

/// An arrow of a [`Picture`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PictureEdge {
    /// The position of the node where the arrow begins.
    pub from: usize,
    /// The position of the node where the arrow ends.
    pub to: usize,
    /// The text of the arrow; empty for none.
    pub label: String,
    /// `true` if the arrow is dashed.
    pub dashed: bool,
}

/// Styled nodes and arrows, written as [DOT](Self::to_dot) or drawn as [SVG](Self::to_svg).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Picture {
    nodes: Vec<PictureNode>,
    edges: Vec<PictureEdge>,
}

/// Reason that a picture is not drawn.
#[derive(Clone, PartialEq, Eq, Error, ErrorDebug)]
#[non_exhaustive]
pub enum PictureError {
    /// The picture has too many nodes or arrows for a layout that is readable.
    #[error(
        "a picture of {nodes} nodes and {edges} arrows is larger than the limit of {} nodes and {} arrows; \
         write DOT with `to_dot` and lay that out with Graphviz, or draw fewer elements",
        Picture::MAX_NODES,
        Picture::MAX_EDGES
    )]
    TooLarge {
        /// Number of nodes.
        nodes: usize,
        /// Number of arrows.
        edges: usize,
    },
    /// An arrow begins or ends at a node that does not exist.
    #[error(
        "an arrow from node {from} to node {to} is in a picture of {nodes} nodes; add the nodes first"
    )]
    NoSuchNode {
        /// The position of the node where the arrow begins.
        from: usize,
        /// The position of the node where the arrow ends.
        to: usize,
        /// Number of nodes.
        nodes: usize,
    },
    /// Arrows lead from a node to itself.
    #[error(
        "the arrows of node {node} lead back to it; only graphs without cycles are drawn, write DOT with `to_dot`"
    )]
    Cycle {
        /// The position of the node.
        node: usize,
    },
}

impl Picture {
    /// Maximum number of nodes that are drawn as SVG.
    pub const MAX_NODES: usize = 300;
    /// Maximum number of arrows that are drawn as SVG.
    pub const MAX_EDGES: usize = 1000;

    /// An empty picture.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a node and returns its position.
    pub fn add_node(&mut self, node: PictureNode) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// Adds an arrow.
    pub fn add_edge(&mut self, edge: PictureEdge) {
        self.edges.push(edge);
    }

    /// The nodes.
    pub fn nodes(&self) -> &[PictureNode] {
        &self.nodes
    }

    /// The arrows.
    pub fn edges(&self) -> &[PictureEdge] {
        &self.edges
    }
}
