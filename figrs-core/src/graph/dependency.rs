//! The dependency graph of elements, with evidence as separate nodes.

use rustc_hash::FxHashMap;

use crate::element::node::{AnyElement, ElementId, Kind};
use crate::expand::{Content, ExpandedElement, Expansion};
use crate::model::Model;
use crate::model::evidence::StatementIndex;

/// A directed acyclic graph of the elements on which the roots of a model (targets and elements with evidence) depend. The graph has an edge to each
/// element from each of its parents, and to a `Chain` from each element that the `Chain` can choose.
///
/// Because of the edges to `Chain`s, the dependency graph contains the elements that functions of `Chain`s create or capture. In the graph, evidence
/// that leaves several values possible (conditions, weights, [`Score`](crate::Score)s) is a separate node, with an edge from its element. The node of
/// a `Score` in a branch of a `Chain` also has edges from the nodes that determine whether the branch is taken.
///
/// The method [`separation`](Self::separation) finds the elements that can depend on each other.
#[derive(Clone, Debug, Default)]
pub struct DependencyGraph {
    pub(super) nodes: Vec<DependencyNode>,
    /// The elements of the graph; the nodes of elements come before the nodes of evidence and of branch conditions.
    elements: Vec<AnyElement>,
    positions: FxHashMap<ElementId, usize>,
    /// The nodes of observed elements, and the nodes of evidence that is not an observation.
    pub(super) stated: Vec<usize>,
}

/// A node of the dependency graph: an element, a statement of evidence, or the condition that a branch of a `Chain` is taken.
#[derive(Clone, Debug, Default)]
pub(super) struct DependencyNode {
    /// The nodes with edges to this node: the parents, followed by the elements that a `Chain` can choose.
    pub(super) inputs: Vec<usize>,
    pub(super) parents: usize,
    /// `true` if the value of the node is a function of the values of its input nodes `inputs`.
    pub(super) is_function: bool,
}

impl DependencyGraph {
    /// Builds the graph of an expanded model, with all `Chain` branches that are possible given the evidence.
    ///
    /// The graph has no meaning if the expansion of the model has found that the evidence is impossible.
    pub fn of_expansion(model: &Model, expansion: &Expansion) -> Self {
        let mut graph = Self::default();
        for (position, expanded) in expansion.elements().iter().enumerate() {
            graph.add(&expanded.element, expanded_node(expanded));
            debug_assert_eq!(graph.nodes.len(), position + 1);
        }
        graph.add_scores(expansion);
        graph.state(model);
        graph
    }

    /// Returns the number of statements of evidence: `Score` elements, and evidence of the model.
    pub fn evidence_count(&self) -> usize {
        self.stated.len()
    }

    /// Returns the elements with evidence, including `Score` elements.
    pub fn evidence(&self) -> impl Iterator<Item = &AnyElement> {
        self.stated.iter().filter_map(|&at| {
            let of = self.nodes[at].inputs.first();
            self.element(at).or_else(|| self.element(*of?))
        })
    }

    /// Returns the largest index in the list `of` of an element that equals `element` or on which `element` depends.
    pub fn last_read(&self, element: &AnyElement, of: &[AnyElement]) -> Option<usize> {
        let is_read = self.ancestors(&[self.node(element)?]);
        let is_read = |other: &AnyElement| self.node(other).is_some_and(|at| is_read[at]);
        of.iter().rposition(is_read)
    }

    /// Replaces the edges that lead to `element` by edges from `inputs`.
    #[must_use]
    pub fn with_inputs(mut self, element: &AnyElement, inputs: &[AnyElement]) -> Self {
        let inputs: Vec<usize> = inputs.iter().filter_map(|input| self.node(input)).collect();
        if let Some(at) = self.node(element) {
            self.nodes[at].parents = inputs.len();
            self.nodes[at].inputs = inputs;
        }
        self
    }

    /// Builds the dependency graph of a model in which no function creates elements; the elements may have continuous values or infinitely many
    /// values. Returns `None` if the function of some `Chain` in the model creates elements, that is, if the `Chain` is not a member of a family of
    /// distributions.
    pub fn without_branches(model: &Model, roots: &[AnyElement]) -> Option<Self> {
        let statements = StatementIndex::of(model);
        let mut graph = Self::default();
        let evidence = model.evidence().iter().map(|(element, _)| element);
        let mut open: Vec<AnyElement> = roots.iter().chain(evidence).cloned().collect();
        let mut scores = Vec::new();
        for root in &open {
            graph.number(root);
        }
        while let Some(element) = open.pop() {
            let at = graph.number(&element);
            if !graph.nodes[at].inputs.is_empty() || graph.nodes[at].is_function {
                continue;
            }
            let is_set = statements.intervention(&element).is_some();
            let is_function = match element.kind() {
                _ if is_set => true,
                Kind::Chain(_, op) if op.family().is_none() => return None,
                Kind::Atomic(_) | Kind::Chain(..) | Kind::Table(..) => false,
                Kind::Apply(..) => true,
                Kind::Score(..) => {
                    scores.push(at);
                    true
                }
            };
            let parents = if is_set { &[][..] } else { element.parents() };
            let mut inputs = Vec::with_capacity(parents.len());
            for parent in parents {
                if !graph.positions.contains_key(&parent.id()) {
                    open.push(parent.clone());
                }
                inputs.push(graph.number(parent));
            }
            graph.nodes[at] = DependencyNode {
                parents: inputs.len(),
                inputs,
                is_function,
            };
        }
        for score in scores {
            graph.add_evidence(vec![score]);
        }
        graph.state(model);
        Some(graph)
    }

    /// Returns the dependency graph without the edges from `elements` to the elements that depend on them.
    #[must_use]
    pub fn without_edges_from(&self, elements: &[AnyElement]) -> Self {
        let mut graph = self.clone();
        let mut is_cut = vec![false; graph.nodes.len()];
        for at in elements.iter().filter_map(|element| self.node(element)) {
            is_cut[at] = true;
        }
        for node in &mut graph.nodes {
            // A node that has lost an input is not a function of its remaining inputs.
            let before = node.inputs.len();
            let parents = node.inputs[..node.parents].iter();
            node.parents = parents.filter(|&&input| !is_cut[input]).count();
            node.inputs.retain(|&input| !is_cut[input]);
            node.is_function &= node.inputs.len() == before;
        }
        graph
    }

    /// Returns the index of the graph's node for `element`; adds a node if the element is new.
    fn number(&mut self, element: &AnyElement) -> usize {
        match self.positions.get(&element.id()) {
            Some(&at) => at,
            None => self.add(element, DependencyNode::default()),
        }
    }

    fn add(&mut self, element: &AnyElement, node: DependencyNode) -> usize {
        let at = self.nodes.len();
        self.positions.insert(element.id(), at);
        self.elements.push(element.clone());
        self.nodes.push(node);
        at
    }

    /// Adds a node for a statement of evidence, with edges from the nodes `inputs`.
    fn add_evidence(&mut self, inputs: Vec<usize>) {
        self.stated.push(self.nodes.len());
        self.nodes.push(DependencyNode {
            parents: inputs.len(),
            inputs,
            is_function: false,
        });
    }

    /// Adds the evidence that `model` states about elements in the dependency graph.
    #[must_use]
    pub fn with_statements_of(mut self, model: &Model) -> Self {
        self.state(model);
        self
    }

    fn state(&mut self, model: &Model) {
        for (element, evidence) in model.evidence() {
            let Some(&at) = self.positions.get(&element.id()) else {
                continue;
            };
            if evidence.observed().is_some() {
                self.stated.push(at);
            } else {
                self.add_evidence(vec![at]);
            }
        }
    }

    /// Adds nodes for the evidence of `Score` elements, and for the conditions under which `Chain` branches evaluate them.
    fn add_scores(&mut self, expansion: &Expansion) {
        let elements = expansion.elements();
        let is_score = |element: &ExpandedElement| matches!(element.content, Content::Score(_));
        if !elements.iter().any(is_score) {
            return;
        }
        let is_always = always_reached(expansion);
        let mut reached: Vec<Option<usize>> = vec![None; elements.len()];
        for (at, node) in reached.iter_mut().enumerate() {
            if !is_always[at] {
                *node = Some(self.nodes.len());
                self.nodes.push(DependencyNode {
                    is_function: true,
                    ..DependencyNode::default()
                });
            }
        }
        for (at, expanded) in elements.iter().enumerate() {
            for &parent in &expanded.parents {
                if let (Some(of_parent), Some(own)) = (reached[parent], reached[at]) {
                    self.nodes[of_parent].inputs.push(own);
                }
            }
            let Content::Chain { results, .. } = &expanded.content else {
                continue;
            };
            for &result in results {
                if let Some(of_result) = reached[result] {
                    let inputs = &mut self.nodes[of_result].inputs;
                    inputs.extend_from_slice(&expanded.parents);
                    inputs.extend(reached[at]);
                }
            }
        }
        for (at, expanded) in elements.iter().enumerate() {
            if is_score(expanded) {
                self.add_evidence([at].into_iter().chain(reached[at]).collect());
            }
        }
    }

    pub(super) fn node(&self, element: &AnyElement) -> Option<usize> {
        self.positions.get(&element.id()).copied()
    }

    pub(super) fn element(&self, node: usize) -> Option<&AnyElement> {
        self.elements.get(node)
    }
}

fn expanded_node(expanded: &ExpandedElement) -> DependencyNode {
    let is_constant = expanded.support.len() == 1 && !expanded.unknown;
    let mut inputs = expanded.parents.clone();
    let is_function = match &expanded.content {
        Content::Fixed | Content::Apply(_) | Content::Score(_) => true,
        Content::Chain { results, .. } => {
            inputs.extend_from_slice(results);
            true
        }
        Content::Atomic(_) => is_constant && !expanded.restricted,
        Content::Table(_) | Content::NotEnumerable(_) | Content::Unexplored => false,
    };
    DependencyNode {
        parents: expanded.parents.len(),
        inputs,
        is_function,
    }
}

/// For each element, returns `true` if it is a root (a target or an element with evidence), or if roots depend on it through parents only; every
/// world evaluates such an element.
fn always_reached(expansion: &Expansion) -> Vec<bool> {
    let elements = expansion.elements();
    let mut is_always = vec![false; elements.len()];
    for &root in expansion.evidence().iter().chain(expansion.targets()) {
        is_always[root] = true;
    }
    // Each element comes after its parents.
    for at in (0..elements.len()).rev() {
        if is_always[at] {
            for &parent in elements[at].read_parents() {
                is_always[parent] = true;
            }
        }
    }
    is_always
}
