//! Draws the graphs of models as pictures.

use figrs_core::graph::{EdgeKind, GraphEdge, GraphNode, ModelGraph};
use figrs_core::internals::Kind;

use super::{Drawable, Picture, PictureEdge, PictureNode, Shape};

/// In the picture of a model, random choices are ellipses, functions boxes, `Chain` elements diamonds and `Score` elements hexagons. In the picture
/// of a model, elements with evidence are shaded, targets have a double border, and elements with interventions have a bold border. In the picture of
/// a model, arrows to the branches (possible results) of `Chain` elements are dashed, and are labelled with the parent values that select the branch.
impl Drawable for ModelGraph {
    fn picture(&self) -> Picture {
        let mut picture = Picture::new();
        for node in self.nodes() {
            picture.add_node(drawn(node));
        }
        for GraphEdge { from, to, kind } in self.edges() {
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

fn drawn(node: &GraphNode) -> PictureNode {
    let mut lines = vec![node.label.short().to_owned()];
    if node.label.name.is_some() && node.distribution.is_none() {
        lines.push(node.label.constructor().to_owned());
    }
    lines.extend(node.distribution.clone());
    lines.extend(node.evidence.iter().cloned());
    lines.extend(
        node.intervention
            .iter()
            .map(|value| format!("set to {value}")),
    );
    if node.unexplored {
        lines.push("not explored".to_owned());
    }
    PictureNode {
        id: Some(node.address.to_string()),
        lines,
        shape: match node.element.kind() {
            Kind::Atomic(_) | Kind::Table(..) => Shape::Ellipse,
            Kind::Apply(..) => Shape::Box,
            Kind::Chain(..) => Shape::Diamond,
            Kind::Score(..) => Shape::Hexagon,
        },
        shaded: !node.evidence.is_empty(),
        double: node.target,
        bold: node.intervention.is_some(),
    }
}

#[cfg(test)]
mod tests {
    use figrs_core::{Flip, Model};

    use super::*;

    #[test]
    fn pictures_escape_names() {
        let graph = ModelGraph::new(&Model::new(), Flip::new(0.5).named("a\u{7}b"));
        for picture in [graph.to_dot(), graph.to_svg().unwrap()] {
            assert!(
                picture.contains("u{7}b") && !picture.contains('\u{7}'),
                "{picture}"
            );
        }
    }
}
