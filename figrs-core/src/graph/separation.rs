//! Conditional independence, found by d-separation in the graph of a model.

use super::dependency::DependencyGraph;
use crate::element::node::AnyElement;

/// The role of a model's evidence in a test of [separation](DependencyGraph::separation) (d-separation) of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvidenceRole {
    /// The evidence of the model counts as given, like the elements `given`.
    Given,
    /// The test of separation ignores the evidence.
    Unknown,
    /// The evidence of the model does not count as given. The test of separation finds the elements that can depend on the evidence or on the
    /// elements `from`.
    Asked,
}

/// The set of elements that can depend on some elements, given the values of other elements.
///
/// **Guarantee.** Separated elements are independent of each other, whatever the probabilities and functions of the model are. The test of separation
/// is D-separation, which is complete for graphs with deterministic functions: elements that are not separated depend on each other for almost all
/// probabilities. Elements that are functions of given elements only are treated as given.
///
/// **Complexity.** The test of separation takes time linear in the size of the graph.
///
/// **References.** Geiger, Verma and Pearl, *Identifying independence in Bayesian networks*, Networks 20, 1990; Koller and Friedman,
/// *Probabilistic graphical models*, 2009, algorithm 3.1.
#[derive(Clone, Debug)]
pub struct Separation<'g> {
    graph: &'g DependencyGraph,
    from: Vec<usize>,
    given: Vec<usize>,
    /// For each node of the dependency graph, `true` if an active trail (in the sense of d-separation) leads to the node.
    is_reached: Vec<bool>,
}

impl DependencyGraph {
    /// Finds the elements of the graph that can depend on the elements `from`, given the values of the elements `given`. With the role
    /// [`Asked`](EvidenceRole::Asked), the elements with evidence are treated as part of `from`. Elements in `from` or `given` that are not in the
    /// graph are ignored.
    pub fn separation(
        &self,
        from: &[AnyElement],
        given: &[AnyElement],
        evidence: EvidenceRole,
    ) -> Separation<'_> {
        let nodes = |elements: &[AnyElement]| -> Vec<usize> {
            elements.iter().filter_map(|e| self.node(e)).collect()
        };
        let (mut from, mut given) = (nodes(from), nodes(given));
        match evidence {
            EvidenceRole::Given => given.extend_from_slice(&self.stated),
            EvidenceRole::Unknown => {}
            EvidenceRole::Asked => from.extend_from_slice(&self.stated),
        }
        Separation {
            is_reached: self.active_trails(&from, &given),
            graph: self,
            from,
            given,
        }
    }

    /// Returns the nodes that can be reached from the nodes `from` by active trails, given the nodes `given`.
    fn active_trails(&self, from: &[usize], given: &[usize]) -> Vec<bool> {
        let n = self.nodes.len();
        let (starts, readers) = self.readers();
        let readers = |node: usize| &readers[starts[node]..starts[node + 1]];
        let is_known = self.known(given, &readers);
        let opens = self.ancestors(given);
        // The directions in which a trail can leave a node depend on the direction in which it reached the node: up (from a child) or down (from an
        // input).
        let mut seen = [vec![false; n], vec![false; n]];
        let mut is_reached = vec![false; n];
        let mut open: Vec<(usize, Direction)> =
            from.iter().map(|&at| (at, Direction::Up)).collect();
        while let Some((at, direction)) = open.pop() {
            if std::mem::replace(&mut seen[direction as usize][at], true) {
                continue;
            }
            is_reached[at] |= !is_known[at];
            let passes = !is_known[at];
            let goes_up = match direction {
                Direction::Up => passes,
                Direction::Down => opens[at],
            };
            if goes_up {
                let inputs = self.nodes[at].inputs.iter();
                open.extend(inputs.map(|&input| (input, Direction::Up)));
            }
            if passes {
                let read = readers(at).iter();
                open.extend(read.map(|&reader| (reader, Direction::Down)));
            }
        }
        is_reached
    }

    /// Returns the children of all nodes in one list, and the range of each node in this list.
    fn readers(&self) -> (Vec<usize>, Vec<usize>) {
        let mut starts = vec![0; self.nodes.len() + 1];
        for input in self.nodes.iter().flat_map(|node| &node.inputs) {
            starts[input + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let mut readers = vec![0; starts.last().copied().unwrap_or(0)];
        for (reader, node) in self.nodes.iter().enumerate() {
            for &input in &node.inputs {
                readers[next[input]] = reader;
                next[input] += 1;
            }
        }
        (starts, readers)
    }

    /// Returns `true` for the nodes that are given, and for the nodes that are functions of given nodes alone.
    fn known<'r>(&self, given: &[usize], readers: &impl Fn(usize) -> &'r [usize]) -> Vec<bool> {
        let mut unknown: Vec<usize> = self.nodes.iter().map(|node| node.inputs.len()).collect();
        let mut is_known = vec![false; self.nodes.len()];
        let is_constant = |&at: &usize| self.nodes[at].is_function && unknown[at] == 0;
        let mut open: Vec<usize> = (0..self.nodes.len()).filter(is_constant).collect();
        open.extend_from_slice(given);
        while let Some(at) = open.pop() {
            if std::mem::replace(&mut is_known[at], true) {
                continue;
            }
            for &reader in readers(at) {
                unknown[reader] -= 1;
                if unknown[reader] == 0 && self.nodes[reader].is_function {
                    open.push(reader);
                }
            }
        }
        is_known
    }

    /// Returns, for each node, `true` if it is in `of` or an ancestor of a node in `of`.
    pub(super) fn ancestors(&self, of: &[usize]) -> Vec<bool> {
        let mut is_ancestor = vec![false; self.nodes.len()];
        let mut open = of.to_vec();
        while let Some(at) = open.pop() {
            if !std::mem::replace(&mut is_ancestor[at], true) {
                open.extend_from_slice(&self.nodes[at].inputs);
            }
        }
        is_ancestor
    }
}

#[derive(Clone, Copy)]
enum Direction {
    Up,
    Down,
}

impl Separation<'_> {
    /// True if `element` may depend on the elements from which the test of separation started.
    pub fn reaches(&self, element: &AnyElement) -> bool {
        let at = self.graph.node(element);
        at.is_some_and(|at| self.is_reached[at])
    }

    /// Returns elements that would separate `element` from the start of the test if they were given too: the nearest ancestors of `element` on active
    /// trails that have a name or are random. If active trails also reach `element` through its children, the only separating element is `element`
    /// itself.
    pub fn cut(&self, element: &AnyElement) -> Vec<AnyElement> {
        let Some(start) = self.graph.node(element).filter(|&at| self.is_reached[at]) else {
            return Vec::new();
        };
        let nodes = &self.graph.nodes;
        let reached = |inputs: &[usize]| -> Vec<usize> {
            inputs
                .iter()
                .copied()
                .filter(|&input| self.is_reached[input])
                .collect()
        };
        let mut is_seen = vec![false; nodes.len()];
        let (mut open, mut found) = (vec![start], Vec::new());
        while let Some(at) = open.pop() {
            let (parents, results) = nodes[at].inputs.split_at(nodes[at].parents);
            // An element that a branch creates cannot be given; the result contains its `Chain` instead.
            if !reached(results).is_empty() {
                found.extend(self.graph.element(at).cloned());
                continue;
            }
            for input in reached(parents) {
                if std::mem::replace(&mut is_seen[input], true) {
                    continue;
                }
                let held = self.graph.element(input);
                let passes = nodes[input].is_function
                    && held.is_none_or(|element| element.label().name.is_none());
                if passes {
                    open.push(input);
                } else {
                    found.extend(held.cloned());
                }
            }
        }
        let held: Vec<usize> = found.iter().filter_map(|e| self.graph.node(e)).collect();
        let given = [&self.given[..], &held].concat();
        if found.is_empty() || self.graph.active_trails(&self.from, &given)[start] {
            return vec![element.clone()];
        }
        found
    }
}
