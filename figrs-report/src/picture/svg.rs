//! Draws pictures as SVG documents.

use std::collections::BTreeMap;

use quick_xml::escape::escape;

use figrs_core::printable;

use super::layers::{ArrowRoute, GraphLayout, place};
use super::{Picture, PictureError, PictureNode, Shape};

type SvgPoint = (f64, f64);

const FONT: usize = 13;
/// The average width of a letter and the height of a line of text, in pixels.
const LETTER: SvgPoint = (7.2, 16.0);
/// Maximum number of characters in a line of a node's text; longer lines are cut.
const LONGEST: usize = 40;

impl Picture {
    /// Returns the picture as an SVG document without scripts or references to other files. The nodes of the SVG picture are in layers, and every
    /// arrow points downwards.
    ///
    /// In the SVG picture, lines of text with more than forty characters are cut. In the SVG picture, several arrows from one node to another are
    /// drawn as one arrow. The same picture always gives the same SVG document.
    ///
    /// **Errors.** [`PictureError::TooLarge`], [`PictureError::NoSuchNode`], [`PictureError::Cycle`].
    pub fn to_svg(&self) -> Result<String, PictureError> {
        let order = self.topological_order()?;
        let mut arrows: BTreeMap<(usize, usize), Arrow> = BTreeMap::new();
        for edge in &self.edges {
            let arrow = arrows.entry((edge.from, edge.to)).or_insert(Arrow {
                labels: Vec::new(),
                dashed: true,
            });
            arrow.dashed &= edge.dashed;
            arrow
                .labels
                .extend((!edge.label.is_empty()).then_some(edge.label.as_str()));
        }
        let routes: Vec<ArrowRoute> = arrows
            .iter()
            .map(|(&(from, to), arrow)| ArrowRoute {
                from,
                to,
                label: arrow.text().map(|text| (width(&text), LETTER.1)),
            })
            .collect();
        let sizes: Vec<SvgPoint> = self.nodes.iter().map(PictureNode::size).collect();
        let placed = place(&sizes, &routes, &order);
        let mut tags = Vec::new();
        for (i, (route, arrow)) in routes.iter().zip(arrows.values()).enumerate() {
            tags.extend(arrow.tags(route, &placed.bends[i], &placed, &sizes));
        }
        for (node, (centre, size)) in self.nodes.iter().zip(placed.centres.iter().zip(&sizes)) {
            tags.extend(node.tags(*centre, *size));
        }
        let (width, height) = placed.size;
        Ok(format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"sans-serif\" font-size=\"{FONT}\">\n\
             <defs><marker id=\"figrs-arrow\" markerWidth=\"9\" markerHeight=\"7\" refX=\"9\" refY=\"3.5\" \
             orient=\"auto\"><path d=\"M 0 0 L 9 3.5 L 0 7 Z\" fill=\"#222222\"/></marker></defs>\n{}</svg>\n",
            tags.concat()
        ))
    }

    fn topological_order(&self) -> Result<Vec<usize>, PictureError> {
        let (nodes, edges) = (self.nodes.len(), self.edges.len());
        if nodes > Self::MAX_NODES || edges > Self::MAX_EDGES {
            return Err(PictureError::TooLarge { nodes, edges });
        }
        let mut arrows_in = vec![0_usize; nodes];
        let mut targets = vec![Vec::new(); nodes];
        for edge in &self.edges {
            let (from, to) = (edge.from, edge.to);
            if from.max(to) >= nodes {
                return Err(PictureError::NoSuchNode { from, to, nodes });
            }
            arrows_in[to] += 1;
            targets[from].push(to);
        }
        let mut order: Vec<usize> = (0..nodes).filter(|&node| arrows_in[node] == 0).collect();
        let mut next = 0;
        while let Some(&node) = order.get(next) {
            next += 1;
            for &to in &targets[node] {
                arrows_in[to] -= 1;
                if arrows_in[to] == 0 {
                    order.push(to);
                }
            }
        }
        match arrows_in.iter().position(|&arrows| arrows > 0) {
            Some(node) => Err(PictureError::Cycle { node }),
            None => Ok(order),
        }
    }
}

/// Returns a line of text as the picture shows the line: without control characters, and cut if the line is too long.
fn shown(line: &str) -> String {
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    let mut shown: String = line.chars().take(LONGEST).map(plain).collect();
    if line.chars().nth(LONGEST).is_some() {
        shown.push('…');
    }
    shown
}

fn width(line: &str) -> f64 {
    line.chars().count() as f64 * LETTER.0
}

fn text((x, y): SvgPoint, line: &str) -> String {
    format!(
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\" dominant-baseline=\"central\">{}</text>\n",
        escape(&*printable(line))
    )
}

/// All arrows of a picture from one node to another node. The SVG picture shows all arrows from one node to another as one arrow.
struct Arrow<'a> {
    labels: Vec<&'a str>,
    dashed: bool,
}

impl Arrow<'_> {
    fn text(&self) -> Option<String> {
        (!self.labels.is_empty()).then(|| shown(&self.labels.join(", ")))
    }

    fn tags(
        &self,
        route: &ArrowRoute,
        bends: &[SvgPoint],
        placed: &GraphLayout,
        sizes: &[SvgPoint],
    ) -> Vec<String> {
        let below = |node: usize| placed.centres[node].1 + sizes[node].1 / 2.0;
        let above = |node: usize| placed.centres[node].1 - sizes[node].1 / 2.0;
        let start = (placed.centres[route.from].0, below(route.from));
        let end = (placed.centres[route.to].0, above(route.to));
        let mut path = format!("M {:.1} {:.1}", start.0, start.1);
        let mut last = start;
        for &(x, y) in bends.iter().chain([&end]) {
            let middle = last.1.midpoint(y);
            let curve = format!(
                " C {:.1} {middle:.1}, {x:.1} {middle:.1}, {x:.1} {y:.1}",
                last.0
            );
            path.push_str(&curve);
            last = (x, y);
        }
        let dash = if self.dashed {
            " stroke-dasharray=\"5,4\""
        } else {
            ""
        };
        let arrow = format!(
            "<path d=\"{path}\" fill=\"none\" stroke=\"#222222\" stroke-width=\"1.2\"{dash} \
             marker-end=\"url(#figrs-arrow)\"/>\n"
        );
        let mut tags = vec![arrow];
        if let Some(label) = self.text() {
            let middle = (start.0.midpoint(end.0), start.1.midpoint(end.1));
            let at = bends.first().copied().unwrap_or(middle);
            let width = width(&label);
            tags.push(format!(
                "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{:.1}\" fill=\"#ffffff\"/>\n",
                at.0 - width / 2.0,
                at.1 - LETTER.1 / 2.0,
                LETTER.1
            ));
            tags.push(text(at, &label));
        }
        tags
    }
}

impl PictureNode {
    fn size(&self) -> SvgPoint {
        let widest = self.lines.iter().map(|line| width(&shown(line)));
        let padding = match self.shape {
            Shape::Box => (20.0, 12.0),
            Shape::Ellipse => (36.0, 22.0),
            Shape::Diamond => (70.0, 14.0),
            Shape::Hexagon => (40.0, 14.0),
        };
        let height = self.lines.len() as f64 * LETTER.1;
        (widest.fold(0.0, f64::max) + padding.0, height + padding.1)
    }

    fn tags(&self, centre: SvgPoint, size: SvgPoint) -> Vec<String> {
        let fill = if self.shaded { "#d3d3d3" } else { "#ffffff" };
        let width = if self.bold { 3.0 } else { 1.2 };
        let borders: &[f64] = if self.double { &[0.0, 4.0] } else { &[0.0] };
        let outline = |&inset: &f64| {
            let outline = self.outline(centre, (size.0 / 2.0 - inset, size.1 / 2.0 - inset));
            format!("{outline} fill=\"{fill}\" stroke=\"#222222\" stroke-width=\"{width}\"/>\n")
        };
        let mut tags: Vec<String> = borders.iter().map(outline).collect();
        let first = centre.1 - (self.lines.len() as f64 - 1.0) / 2.0 * LETTER.1;
        for (i, line) in self.lines.iter().enumerate() {
            let at = (centre.0, first + i as f64 * LETTER.1);
            tags.push(text(at, &shown(line)));
        }
        tags
    }

    /// Returns the opening SVG tag of a node's outline, without the closing bracket. The arguments of `outline` are the centre of the node, and half
    /// of its width and height.
    fn outline(&self, (x, y): SvgPoint, (right, down): SvgPoint) -> String {
        // Arrows end at the middle of the upper or lower side. A diamond is therefore drawn with short upper and lower sides.
        let sides = |slant: f64| {
            let (a, b) = (x - right + slant, x + right - slant);
            let (left, right, top, bottom) = (x - right, x + right, y - down, y + down);
            format!(
                "<polygon points=\"{left:.1},{y:.1} {a:.1},{top:.1} {b:.1},{top:.1} {right:.1},{y:.1} \
                 {b:.1},{bottom:.1} {a:.1},{bottom:.1}\""
            )
        };
        match self.shape {
            Shape::Ellipse => {
                format!("<ellipse cx=\"{x:.1}\" cy=\"{y:.1}\" rx=\"{right:.1}\" ry=\"{down:.1}\"")
            }
            Shape::Box => format!(
                "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\"",
                x - right,
                y - down,
                2.0 * right,
                2.0 * down
            ),
            Shape::Diamond => sides(30.0_f64.min(right)),
            Shape::Hexagon => sides(12.0_f64.min(right)),
        }
    }
}
