//! Writes pictures in the DOT language of Graphviz.

use petgraph::dot::{Config, Dot};
use petgraph::graph::{DiGraph, EdgeReference, NodeIndex};

use figrs_core::printable;

use super::{Picture, PictureEdge, PictureNode, Shape};

fn escape(text: &str) -> String {
    let line = |line| printable(line).replace('\\', "\\\\").replace('"', "\\\"");
    let lines: Vec<String> = text.split('\n').map(line).collect();
    lines.join("\\n")
}

impl Picture {
    /// Returns the picture in the DOT language of Graphviz. In the DOT text, arrows from or to nodes that do not exist are left out.
    pub fn to_dot(&self) -> String {
        let mut graph = DiGraph::with_capacity(self.nodes.len(), self.edges.len());
        let nodes: Vec<NodeIndex> = self.nodes.iter().map(|node| graph.add_node(node)).collect();
        for edge in &self.edges {
            if let (Some(&from), Some(&to)) = (nodes.get(edge.from), nodes.get(edge.to)) {
                graph.add_edge(from, to, edge);
            }
        }
        let edge = |_, edge: EdgeReference<'_, &PictureEdge>| edge.weight().attributes();
        let node = |_, (_, node): (NodeIndex, &&PictureNode)| node.attributes();
        let labels = [Config::NodeNoLabel, Config::EdgeNoLabel];
        let dot = Dot::with_attr_getters(&graph, &labels, &edge, &node);
        format!("{dot:?}")
    }
}

impl PictureEdge {
    fn attributes(&self) -> String {
        let mut attributes = Vec::new();
        if self.dashed {
            attributes.push("style=dashed".to_owned());
        }
        if !self.label.is_empty() {
            attributes.push(format!("label=\"{}\"", escape(&self.label)));
        }
        attributes.join(" ")
    }
}

impl PictureNode {
    fn attributes(&self) -> String {
        let mut attributes = Vec::new();
        if let Some(id) = &self.id {
            attributes.push(format!("id=\"{}\"", escape(id)));
        }
        let shape = match self.shape {
            Shape::Ellipse => "ellipse",
            Shape::Box => "box",
            Shape::Diamond => "diamond",
            Shape::Hexagon => "hexagon",
        };
        let lines: Vec<String> = self.lines.iter().map(|line| escape(line)).collect();
        attributes.push(format!("shape={shape} label=\"{}\"", lines.join("\\n")));
        if self.shaded {
            attributes.push("style=filled fillcolor=lightgrey".to_owned());
        }
        if self.double {
            attributes.push("peripheries=2".to_owned());
        }
        if self.bold {
            attributes.push("penwidth=3".to_owned());
        }
        attributes.join(" ")
    }
}
