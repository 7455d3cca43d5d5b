//! The graph of the elements of a model, for traversal.

use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::FxHashMap;

use super::address::Address;
use crate::element::label::Label;
use crate::element::node::{AnyElement, ElementId, Kind};
use crate::element::parents::Parents;
use crate::error::ModelError;
use crate::expand::{Content, Expansion, ExpansionCache};
use crate::model::Model;
use crate::model::evidence::StatementIndex;
use crate::value::datum::Datum;
use figrs_factor::Limits;
use figrs_factor::graph::Assignments;

/// An element in a [`ModelGraph`].
#[derive(Clone, Debug)]
pub struct GraphNode {
    /// The element that the node represents.
    pub element: AnyElement,
    /// The label of the element: name, constructor and source line.
    pub label: Label,
    /// The address of the element, an identity that is stable from run to run.
    pub address: Address,
    /// The description of the element's distribution, if it is a random element.
    pub distribution: Option<String>,
    /// The evidence on the element, described in words.
    pub evidence: Vec<String>,
    /// The value that an intervention sets for the element.
    pub intervention: Option<String>,
    /// `true` if the element is a target of the query.
    pub target: bool,
    /// `true` if the element is a `Chain` that is nested too deeply for its branches to be in the graph.
    pub unexplored: bool,
}

/// Kind of connection between two elements of a [`ModelGraph`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EdgeKind {
    /// In a connection of this kind, the element `from` is a parent of the element `to`.
    Parent,
    /// In a connection of this kind, the element `to` is a `Chain` that chooses the element `from`; the text describes the parent values for which it
    /// does.
    Branch(String),
}

/// A connection in the model graph, from an element to an element that depends on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphEdge {
    /// The index of the element on which the element `to` depends.
    pub from: usize,
    /// The index of the element that depends on the element `from`.
    pub to: usize,
    /// Kind of the connection.
    pub kind: EdgeKind,
}

/// The elements on which the roots of a model (targets and elements with evidence) depend, and the connections between them.
///
/// A `ModelGraph` converts into a `petgraph::graph::DiGraph<GraphNode, GraphEdge>`; `Drawable` in the crate `figrs-report` writes the graph as DOT or
/// SVG.
///
/// ```
/// # use figrs_core::{Flip, Model};
/// # use figrs_core::graph::ModelGraph;
/// let rain = Flip::new(0.2).named("rain");
/// let wet = rain.flat_map(|&rain| Flip::new(if rain { 0.9 } else { 0.1 })).named("wet");
/// let graph = ModelGraph::expanded(&Model::new().observe(&wet, true), &rain)?;
/// assert_eq!(graph.nodes().len(), 4); // rain, wet and its two branches
/// # Ok::<(), figrs_core::ModelError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ModelGraph {
    nodes: Vec<GraphNode>,
    edges: Vec<GraphEdge>,
}

impl ModelGraph {
    /// Builds the graph of a model without the elements that `Chain` elements create; such a graph can be built even for infinite and continuous
    /// models.
    pub fn new(model: &Model, targets: impl Parents) -> Self {
        Self::walk(model, &targets.elements(), None)
    }

    /// Builds the graph of a model, with the branches of every `Chain` (the elements that its function creates). The model must have finitely many
    /// elements and values, within the default [`Limits`].
    ///
    /// **Errors.** [`ModelError`] if an element is invalid, if the model is not finite, or if the model exceeds a limit.
    pub fn expanded(model: &Model, targets: impl Parents) -> Result<Self, ModelError> {
        let targets = targets.elements();
        let expansion = Expansion::new(model, &targets, &Limits::default())?;
        Ok(Self::walk(model, &targets, Some(&expansion)))
    }

    /// Builds the graph of a model, with the branches of those `Chain` elements that are nested in fewer than `depth` other `Chain` elements, within
    /// the default [`Limits`]. With a depth limit, even an infinite model has a finite graph; `Chain` elements that are nested more deeply are marked
    /// as unexplored.
    pub fn to_depth(
        model: &Model,
        targets: impl Parents,
        depth: usize,
    ) -> Result<Self, ModelError> {
        let targets = targets.elements();
        let mut memory = ExpansionCache::default();
        let expansion =
            Expansion::to_depth(model, &targets, &Limits::default(), depth, &mut memory)?;
        Ok(Self::walk(model, &targets, Some(&expansion)))
    }

    /// Returns the elements of the graph, in the order in which the traversal of the model reached them.
    pub fn nodes(&self) -> &[GraphNode] {
        &self.nodes
    }

    /// Returns the connections between the elements of the graph.
    pub fn edges(&self) -> &[GraphEdge] {
        &self.edges
    }

    fn walk(model: &Model, targets: &[AnyElement], expansion: Option<&Expansion>) -> Self {
        let mut graph = Self::default();
        let statements = StatementIndex::of(model);
        let mut positions = FxHashMap::<ElementId, usize>::default();
        let mut open = Vec::new();
        let evidence = model.evidence().iter().map(|(element, _)| element);
        for (i, root) in targets.iter().chain(evidence).enumerate() {
            graph.reach(
                &statements,
                root,
                Address::root(i),
                &mut positions,
                &mut open,
            );
            while let Some(to) = open.pop() {
                for (from, kind, address) in graph.connections(to, expansion) {
                    let from = graph.reach(&statements, &from, address, &mut positions, &mut open);
                    graph.edges.push(GraphEdge { from, to, kind });
                }
            }
        }
        for target in targets {
            graph.nodes[positions[&target.id()]].target = true;
        }
        if let Some(expansion) = expansion {
            for node in &mut graph.nodes {
                let content = |at: usize| &expansion.elements()[at].content;
                let content = expansion.position(&node.element).map(content);
                node.unexplored = matches!(content, Some(Content::Unexplored));
            }
        }
        graph
    }

    fn reach(
        &mut self,
        statements: &StatementIndex,
        element: &AnyElement,
        address: Address,
        positions: &mut FxHashMap<ElementId, usize>,
        open: &mut Vec<usize>,
    ) -> usize {
        let next = self.nodes.len();
        let position = *positions.entry(element.id()).or_insert(next);
        if position == next {
            open.push(next);
            self.nodes
                .push(GraphNode::new(statements, element, address));
        }
        position
    }

    /// Returns the elements on which the element with the index `position` depends, with the kinds of the connections, and the addresses of those
    /// elements.
    fn connections(
        &self,
        position: usize,
        expansion: Option<&Expansion>,
    ) -> Vec<(AnyElement, EdgeKind, Address)> {
        let node = &self.nodes[position];
        if node.intervention.is_some() {
            return Vec::new();
        }
        let parents = node.element.parents().iter().enumerate();
        let mut connections: Vec<_> = parents
            .map(|(i, parent)| (parent.clone(), EdgeKind::Parent, node.address.parent(i)))
            .collect();
        let expanded = expansion.and_then(|e| Some((e, e.position(&node.element)?)));
        if let Some((expansion, at)) = expanded {
            connections.extend(branches(expansion, at, node.address));
        }
        connections
    }
}

/// Returns the elements that the `Chain` with the index `position` can choose, with descriptions of the parent values for which it chooses each.
fn branches(
    expansion: &Expansion,
    position: usize,
    address: Address,
) -> Vec<(AnyElement, EdgeKind, Address)> {
    const SHOWN: usize = 3;
    let chain = &expansion.elements()[position];
    let Content::Chain { choice, results } = &chain.content else {
        return Vec::new();
    };
    let mut found: Vec<(Vec<String>, Option<Address>, usize)> =
        vec![(Vec::new(), None, 0); results.len()];
    let chosen = choice.iter().enumerate();
    for (combination, &result) in chosen.filter(|(_, c)| **c != Content::NO_CHOICE) {
        let values = values_of(expansion, &chain.parents, combination);
        let (shown, first, count) = &mut found[result as usize];
        first.get_or_insert_with(|| address.branch(&values));
        *count += 1;
        if *count <= SHOWN {
            let texts: Vec<String> = values.iter().map(|v| format!("{v:?}")).collect();
            shown.push(texts.join(", "));
        }
    }
    let branch =
        |(&result, (mut shown, first, count)): (&usize, (Vec<String>, Option<Address>, usize))| {
            if count > SHOWN {
                shown.push(format!("… {count} in all"));
            }
            let element = expansion.elements()[result].element.clone();
            let kind = EdgeKind::Branch(shown.join(" | "));
            (element, kind, first.unwrap_or(address))
        };
    results.iter().zip(found).map(branch).collect()
}

fn values_of(expansion: &Expansion, parents: &[usize], combination: usize) -> Vec<Datum> {
    let support = |&parent: &usize| &expansion.elements()[parent].support;
    let all = Assignments::rows(parents.iter().map(|parent| support(parent).len()));
    let values = parents.iter().zip(all.values(combination));
    let datum = |(parent, value): (&usize, u32)| support(parent).datum(value as usize);
    values.map(datum).collect()
}

impl GraphNode {
    fn new(statements: &StatementIndex, element: &AnyElement, address: Address) -> Self {
        let stated = statements.evidence(element);
        let stated = stated.iter().map(|statement| format!("{statement:?}"));
        let mut evidence: Vec<String> = stated.collect();
        let distribution = match element.kind() {
            Kind::Atomic(op) => Some(op.describe()),
            Kind::Score(_, statement) => {
                evidence.push(format!("{statement:?}"));
                None
            }
            Kind::Apply(..) | Kind::Chain(..) | Kind::Table(..) => None,
        };
        Self {
            label: element.label(),
            element: element.clone(),
            address,
            distribution,
            evidence,
            intervention: statements
                .intervention(element)
                .map(|value| format!("{value:?}")),
            target: false,
            unexplored: false,
        }
    }
}

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
