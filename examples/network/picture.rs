//! Pictures of networks: SVG, or DOT for Graphviz.

use std::collections::{BTreeMap, BTreeSet};

use figrs::printable;
use figrs_command::{Failure, note};
use figrs_network::{Network, NetworkEvidence, NetworkKind, NetworkTable, State};
use figrs_report::picture::{Picture, PictureEdge, PictureError, PictureNode, Shape};

use super::options::Format;

/// A drawing of a network.
///
/// Arrows lead from parents to children; in a Markov network, arrows lead from the boxes of factors to their variables.
pub(crate) struct NetworkDrawing<'n> {
    network: &'n Network,
    /// The text lines below the name of a variable, by the index of the variable.
    lines: BTreeMap<usize, String>,
    shaded: BTreeSet<usize>,
    doubled: BTreeSet<usize>,
}

impl<'n> NetworkDrawing<'n> {
    /// Creates the drawing of a network, in which no variable is marked.
    pub(crate) fn new(network: &'n Network) -> Self {
        Self {
            network,
            lines: BTreeMap::new(),
            shaded: BTreeSet::new(),
            doubled: BTreeSet::new(),
        }
    }

    /// Shades the variables of evidence, with their observed states, and doubles the border of queried variables.
    pub(crate) fn marked(mut self, evidence: &NetworkEvidence, queried: &[usize]) -> Self {
        self.shaded = evidence.variables().collect();
        for likelihoods in evidence.likelihoods() {
            let line = "soft evidence".to_owned();
            self.lines.insert(likelihoods.variable(), line);
        }
        for observed in evidence.observations() {
            let line = observed.state().name().to_owned();
            self.lines.insert(observed.variable(), line);
        }
        self.doubled = queried.iter().copied().collect();
        self
    }

    /// Sets the line of text below the name of a variable in the picture, unless the variable is observed.
    pub(crate) fn line(&mut self, variable: usize, state: &State, probability: f64) {
        if !self.shaded.contains(&variable) {
            let line = format!("{} {probability:.3}", state.name());
            self.lines.insert(variable, line);
        }
    }

    /// Returns the drawing in a picture format.
    ///
    /// **Errors.** The picture is too large.
    pub(crate) fn text(&self, format: Format) -> Result<String, Failure> {
        if format == Format::Dot {
            return Ok(self.picture(|_| true).to_dot());
        }
        let (svg, part) = self.svg();
        if let Some(part) = part {
            note(format!("note: {part}"));
        }
        Ok(svg?)
    }

    /// Returns the drawing as SVG, or the reason why it cannot be drawn, and a sentence that describes the drawn part of the network.
    ///
    /// For a network that is too large, only the queried variables are drawn, with their parents, children and children's parents.
    pub(crate) fn svg(&self) -> (Result<String, String>, Option<String>) {
        let whole = self.picture(|_| true);
        match whole.to_svg() {
            Ok(svg) => return (Ok(svg), None),
            Err(PictureError::TooLarge { .. }) if !self.doubled.is_empty() => {}
            Err(error) => return (Err(message(&error)), None),
        }
        let near = self.neighbours();
        let picture = self.picture(|variable| near.contains(&variable));
        let (own, all) = (near.len(), self.network.variables().len());
        let part = format!(
            "the picture has {own} of {all} variables: the queried variables with their parents, children and children's parents"
        );
        let svg = picture.to_svg().map_err(|error| message(&error));
        let part = svg.is_ok().then_some(part);
        (svg, part)
    }

    /// Returns the queried variables, and all variables that share a probability table with them.
    fn neighbours(&self) -> BTreeSet<usize> {
        let tables = self.network.tables().iter().map(NetworkTable::variables);
        let is_near = |scope: &&[usize]| scope.iter().any(|v| self.doubled.contains(v));
        let mut near: BTreeSet<usize> = tables.filter(is_near).flatten().copied().collect();
        for clause in self.network.clauses() {
            let scope: Vec<usize> = clause.literals().iter().map(|&(v, _)| v).collect();
            if is_near(&&scope[..]) {
                near.extend(scope);
            }
        }
        near.extend(&self.doubled);
        near
    }

    /// Returns the picture of some variables, with the probability tables that contain no other variables.
    fn picture(&self, is_drawn: impl Fn(usize) -> bool) -> Picture {
        let mut picture = Picture::new();
        let variables = self.network.variables().iter().enumerate();
        let nodes = variables
            .filter(|(v, _)| is_drawn(*v))
            .map(|(v, variable)| {
                let name = printable(variable.name()).to_string();
                let line = self.lines.get(&v).map(|line| printable(line).to_string());
                let node = PictureNode {
                    lines: [name].into_iter().chain(line).collect(),
                    shaded: self.shaded.contains(&v),
                    double: self.doubled.contains(&v),
                    ..PictureNode::default()
                };
                (v, picture.add_node(node))
            });
        let nodes: BTreeMap<usize, usize> = nodes.collect();
        let arrow = |from, to| PictureEdge {
            from,
            to,
            label: String::new(),
            dashed: false,
        };
        let tables = self.network.tables().iter().map(NetworkTable::variables);
        if self.network.kind() == NetworkKind::Bayesian {
            for (child, parents) in tables.filter_map(<[usize]>::split_last) {
                let ends = parents
                    .iter()
                    .map(|parent| (nodes.get(parent), nodes.get(child)));
                for (from, to) in ends {
                    if let (Some(&from), Some(&to)) = (from, to) {
                        picture.add_edge(arrow(from, to));
                    }
                }
            }
            return picture;
        }
        let clauses = self.network.clauses().iter();
        let clauses = clauses.map(|clause| clause.literals().iter().map(|&(v, _)| v).collect());
        let factors = tables.map(<[usize]>::to_vec).chain(clauses);
        for (number, scope) in (1..).zip(factors) {
            let scope: Vec<usize> = scope.iter().filter_map(|v| nodes.get(v).copied()).collect();
            if scope.is_empty() {
                continue;
            }
            let factor = picture.add_node(PictureNode {
                lines: vec![format!("factor {number}")],
                shape: Shape::Box,
                ..PictureNode::default()
            });
            for v in scope {
                picture.add_edge(arrow(factor, v));
            }
        }
        picture
    }
}

/// Checks, before the work of the command begins, that the network is small enough to be drawn.
///
/// **Errors.** An SVG picture would have too many variables.
pub(crate) fn check_size(network: &Network, format: Format) -> Result<(), Failure> {
    let (variables, most) = (network.variables().len(), Picture::MAX_NODES);
    if format == Format::Svg && variables > most {
        return Err(format!(
            "--format svg draws at most {most} variables, but the network has {variables}; use --format dot with Graphviz"
        )
        .into());
    }
    Ok(())
}

/// Returns the message of an error in drawing a picture, which names flags.
fn message(error: &PictureError) -> String {
    let PictureError::TooLarge { nodes, edges } = error else {
        return error.to_string();
    };
    let (most_nodes, most_edges) = (Picture::MAX_NODES, Picture::MAX_EDGES);
    format!(
        "the picture would have {nodes} nodes and {edges} arrows, but at most {most_nodes} nodes and {most_edges} arrows are drawn; name variables by \
         --query to draw only these and their neighbours, or use --format dot with Graphviz"
    )
}
