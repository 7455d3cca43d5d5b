//! Draws elimination trees as pictures.

use figrs_infer::EliminationTree;

use super::{Drawable, Picture, PictureEdge, PictureNode, Shape};

/// The picture of an elimination tree has a box for each elimination step, with the elements that are summed out and the size of the clique. In the
/// picture of an elimination tree, the boxes of the largest cliques are shaded.
impl Drawable for EliminationTree {
    fn picture(&self) -> Picture {
        let mut picture = Picture::new();
        let width = self.width();
        for step in self.steps() {
            let eliminated = match &step.eliminated[..] {
                [] => "join".to_owned(),
                names => format!("sum out {}", names.join(", ")),
            };
            picture.add_node(PictureNode {
                lines: vec![
                    eliminated,
                    step.clique.join(", "),
                    format!("width {}", step.clique.len()),
                ],
                shape: Shape::Box,
                shaded: step.clique.len() == width,
                ..PictureNode::default()
            });
        }
        for (from, step) in self.steps().iter().enumerate() {
            if let Some(to) = step.parent {
                picture.add_edge(PictureEdge {
                    from,
                    to,
                    label: String::new(),
                    dashed: false,
                });
            }
        }
        picture
    }
}

#[cfg(test)]
mod tests {
    use figrs_core::{Flip, Model};
    use figrs_infer::JunctionTree;

    use super::*;

    #[test]
    fn pictures_have_a_box_for_each_step() {
        let rain = Flip::new(0.3).named("e0");
        let wet = rain.flat_map(|&x| Flip::new(if x { 0.9 } else { 0.2 }));
        let elements = vec![rain, wet.named("e1")];
        let compiled = JunctionTree::new()
            .compile(&Model::new(), &elements)
            .unwrap();
        let tree = compiled.elimination_tree();
        let dot = tree.to_dot();
        assert_eq!(dot.matches("shape=box").count(), tree.steps().len());
        assert!(
            dot.contains("sum out e") && dot.contains("width 2"),
            "{dot}"
        );
        let svg = tree.to_svg().unwrap();
        assert_eq!(svg.matches("<rect").count(), tree.steps().len());
        assert_eq!(svg, compiled.elimination_tree().to_svg().unwrap());
    }
}
