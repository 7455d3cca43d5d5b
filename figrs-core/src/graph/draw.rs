//! Graphs of models as pictures and as petgraph graphs.

use petgraph::graph::{DiGraph, NodeIndex};

use super::picture::{Picture, PictureEdge, PictureError, PictureNode, Shape};
use super::walk::{EdgeKind, GraphEdge, GraphNode, ModelGraph};
use crate::element::node::Kind;

impl From<&ModelGraph> for DiGraph<GraphNode, GraphEdge> {
    fn from(graph: &ModelGraph) -> Self {
        let mut result = Self::with_capacity(graph.nodes().len(), graph.edges().len());
        for node in graph.nodes() {
            result.add_node(node.clone());
        }
        for edge in graph.edges() {
            let (from, to) = (NodeIndex::new(edge.from), NodeIndex::new(edge.to));
            result.add_edge(from, to, edge.clone());
        }
        result
    }
}

impl From<&ModelGraph> for Picture {
    fn from(graph: &ModelGraph) -> Self {
        let mut picture = Self::new();
        for node in graph.nodes() {
            picture.add_node(node.drawn());
        }
        for GraphEdge { from, to, kind } in graph.edges() {
            picture.add_edge(PictureEdge {
                from: *from,
                to: *to,
                label: match kind {
                    EdgeKind::Parent => String::new(),
                    EdgeKind::Branch(values) => values.clone(),
                },
                dashed: matches!(kind, EdgeKind::Branch(_)),
            });
        }
        picture
    }
}

impl ModelGraph {
    /// The graph in the DOT language of Graphviz.
    ///
    /// Random choices are ellipses, functions boxes, Chains diamonds, Scores hexagons. Elements with evidence are
    /// shaded, targets have a double border, interventions are drawn in bold; branches of Chains are dashed and carry
    /// the parent values that lead to them.
    pub fn to_dot(&self) -> String {
        Picture::from(self).to_dot()
    }

    /// The graph drawn as SVG, with the marks of [`to_dot`](Self::to_dot).
    ///
    /// **Errors.** [`PictureError::TooLarge`] above [`Picture::MAX_NODES`] elements or [`Picture::MAX_EDGES`] connections.
    pub fn to_svg(&self) -> Result<String, PictureError> {
        Picture::from(self).to_svg()
    }
}

impl GraphNode {
    fn drawn(&self) -> PictureNode {
        let mut lines = vec![self.label.short().to_owned()];
        if self.label.name.is_some() && self.distribution.is_none() {
            lines.push(self.label.constructor.to_owned());
        }
        lines.extend(self.distribution.clone());
        lines.extend(self.evidence.iter().cloned());
        lines.extend(
            self.intervention
                .iter()
                .map(|value| format!("set to {value}")),
        );
        if self.unexplored {
            lines.push("not explored".to_owned());
        }
        PictureNode {
            id: Some(self.address.to_string()),
            lines,
            shape: match self.element.kind() {
                Kind::Atomic(_) | Kind::Table(..) => Shape::Ellipse,
                Kind::Apply(..) => Shape::Box,
                Kind::Chain(..) => Shape::Diamond,
                Kind::Score(..) => Shape::Hexagon,
            },
            shaded: !self.evidence.is_empty(),
            double: self.target,
            bold: self.intervention.is_some(),
        }
    }
}
