//! Graphs of models as petgraph graphs and DOT text.

use petgraph::dot::{Config, Dot};
use petgraph::graph::{DiGraph, NodeIndex};

use super::walk::{EdgeKind, GraphEdge, GraphNode, ModelGraph};

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

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
}

impl ModelGraph {
    /// The graph in the DOT language of Graphviz.
    ///
    /// Atomic elements are ellipses, functions boxes, Chains diamonds. Elements with evidence are shaded, targets
    /// have a double border, interventions are drawn in bold; branches of Chains are dashed and carry
    /// the parent values that lead to them.
    pub fn to_dot(&self) -> String {
        let graph = DiGraph::from(self);
        let edge =
            |_, edge: petgraph::graph::EdgeReference<'_, GraphEdge>| match &edge.weight().kind {
                EdgeKind::Parent => String::new(),
                EdgeKind::Branch(values) => {
                    format!("style=dashed label=\"{}\"", escape(values))
                }
            };
        let node = |_, (_, node): (NodeIndex, &GraphNode)| node.attributes();
        let labels = [Config::NodeNoLabel, Config::EdgeNoLabel];
        let dot = Dot::with_attr_getters(&graph, &labels, &edge, &node);
        format!("{dot:?}")
    }
}

impl GraphNode {
    fn attributes(&self) -> String {
        use crate::node::Kind;
        let mut lines = vec![escape(self.label.short())];
        if self.label.name.is_some() && self.distribution.is_none() {
            lines.push(escape(self.label.constructor));
        }
        lines.extend(self.distribution.iter().map(|text| escape(text)));
        lines.extend(self.evidence.iter().map(|text| escape(text)));
        lines.extend(
            self.intervention
                .iter()
                .map(|value| format!("set to {}", escape(value))),
        );
        let shape = match self.element.kind() {
            Kind::Atomic(_) | Kind::Table(..) => "ellipse",
            Kind::Apply(..) => "box",
            Kind::Chain(..) => "diamond",
            Kind::Score(..) => "hexagon",
        };
        let mut attributes = format!(
            "id=\"{}\" shape={shape} label=\"{}\"",
            self.address,
            lines.join("\\n")
        );
        if !self.evidence.is_empty() {
            attributes.push_str(" style=filled fillcolor=lightgrey");
        }
        if self.target {
            attributes.push_str(" peripheries=2");
        }
        if self.intervention.is_some() {
            attributes.push_str(" penwidth=3");
        }
        attributes
    }
}
