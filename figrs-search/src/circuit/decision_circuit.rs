//! Decision circuits, which represent an exhaustive search by sums and products over values of variables and their weights.

use super::scaled_number::ScaledNumber;
use super::search_trace::SearchTrace;

const NONE: u32 = u32::MAX;

/// A node of a decision circuit; the children of a node have smaller indices than the node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CircuitNode {
    /// A leaf for a value of a variable, given by the index of the value in the numbering of all values.
    Value(u32),
    /// A leaf for a weight, given by the index of the symbol that represents the weight.
    Symbol(u32),
    /// The product of circuit nodes over disjoint sets of variables. The two numbers of a product node are the start and the length of the range of
    /// its children in the list of all children.
    Product(u32, u32),
    /// The sum of two circuit nodes over the same variables; in each world (assignment), at most one of the two nodes has a positive weight.
    Sum(u32, u32),
}

/// A numbering of all values of all variables of a circuit.
#[derive(Clone, Debug, Default)]
pub struct ValueNumbering {
    firsts: Vec<u32>,
    owners: Vec<u32>,
}

impl ValueNumbering {
    pub fn new(cardinalities: &[u32]) -> Self {
        let mut this = Self::default();
        for (v, &n) in (0..).zip(cardinalities) {
            this.firsts.push(this.owners.len() as u32);
            this.owners.extend((0..n).map(|_| v));
        }
        this
    }

    pub fn number(&self, variable: u32, value: u32) -> u32 {
        self.firsts[variable as usize] + value
    }

    pub fn len(&self) -> usize {
        self.owners.len()
    }

    /// Returns the variable and the value with the index `number` in the numbering of all values.
    pub fn value(&self, number: u32) -> (usize, u32) {
        let variable = self.owners[number as usize] as usize;
        (variable, number - self.firsts[variable])
    }
}

/// A deterministic, decomposable and smooth circuit, which represents the sum of the weights of all worlds
/// (assignments).
///
/// Each world (assignment) with a positive weight is a traversal of the circuit from the root that takes one child of every sum and all children of
/// every product. Each traversal of the circuit visits exactly one value of each variable.
///
/// **References.** Darwiche and Marquis, *A knowledge compilation map*, Journal of Artificial Intelligence Research 17, 2002;
/// Darwiche, *A differential approach to inference in Bayesian networks*, Journal of the ACM 50(3), 2003.
#[derive(Clone, Debug, Default)]
pub struct DecisionCircuit {
    /// The nodes of the circuit in topological order: children come before parents.
    pub nodes: Vec<CircuitNode>,
    children: Vec<u32>,
    /// The index of the root node.
    pub root: u32,
}

impl DecisionCircuit {
    /// Returns the range, in the list of all children, that starts at `start` and has the length `len`.
    pub fn children(&self, start: u32, len: u32) -> &[u32] {
        &self.children[start as usize..][..len as usize]
    }

    /// Returns the size of the circuit in bytes.
    pub fn bytes(&self) -> usize {
        self.nodes.len() * size_of::<CircuitNode>() + self.children.len() * size_of::<u32>()
    }

    /// Returns the number of bytes of working memory for a query of the circuit, in which each node has a value and a derivative.
    pub fn question_bytes(&self) -> usize {
        self.nodes.len() * 2 * size_of::<ScaledNumber>()
    }

    /// Returns the value of each circuit node in the semiring with the given operations; `leaf` returns the value of a leaf.
    pub fn evaluate<V: Clone>(
        &self,
        one: &V,
        leaf: impl Fn(CircuitNode) -> V,
        times: impl Fn(V, &V) -> V,
        plus: impl Fn(&V, &V) -> V,
    ) -> Vec<V> {
        let mut values: Vec<V> = Vec::with_capacity(self.nodes.len());
        for &node in &self.nodes {
            let value = match node {
                CircuitNode::Value(_) | CircuitNode::Symbol(_) => leaf(node),
                CircuitNode::Product(start, len) => {
                    let children = self.children(start, len).iter();
                    children.fold(one.clone(), |product, &c| {
                        times(product, &values[c as usize])
                    })
                }
                CircuitNode::Sum(a, b) => plus(&values[a as usize], &values[b as usize]),
            };
            values.push(value);
        }
        values
    }

    /// Returns the derivative of the root's value with respect to the value of each circuit node.
    pub fn derivatives(&self, values: &[ScaledNumber]) -> Vec<ScaledNumber> {
        let mut derivatives = vec![ScaledNumber::ZERO; self.nodes.len()];
        derivatives[self.root as usize] = ScaledNumber::ONE;
        let mut before = Vec::new();
        for (place, &node) in self.nodes.iter().enumerate().rev() {
            let own = derivatives[place];
            if own.is_zero() {
                continue;
            }
            match node {
                CircuitNode::Value(_) | CircuitNode::Symbol(_) => {}
                CircuitNode::Sum(a, b) => {
                    for child in [a as usize, b as usize] {
                        derivatives[child] = derivatives[child] + own;
                    }
                }
                CircuitNode::Product(start, len) => {
                    let children = self.children(start, len);
                    // The products of the children before and after each child are computed without division, because the child may be zero.
                    before.clear();
                    let mut product = own;
                    for &child in children {
                        before.push(product);
                        product = product * values[child as usize];
                    }
                    let mut after = ScaledNumber::ONE;
                    for (&child, &before) in children.iter().zip(&before).rev() {
                        let child = child as usize;
                        derivatives[child] = derivatives[child] + before * after;
                        after = after * values[child];
                    }
                }
            }
        }
        derivatives
    }

    /// Returns the circuit without the nodes that the root `root` does not need. The nodes that the root needs move to the front of the array, where
    /// they overwrite only nodes that have been processed.
    fn reachable(mut self, root: u32) -> Self {
        // The new index of each node that the root uses.
        let mut names = vec![NONE; self.nodes.len()];
        names[root as usize] = 0;
        for (place, &node) in self.nodes.iter().enumerate().rev() {
            if names[place] == NONE {
                continue;
            }
            match node {
                CircuitNode::Value(_) | CircuitNode::Symbol(_) => {}
                CircuitNode::Sum(a, b) => {
                    names[a as usize] = 0;
                    names[b as usize] = 0;
                }
                CircuitNode::Product(start, len) => {
                    for i in start..start + len {
                        names[self.children[i as usize] as usize] = 0;
                    }
                }
            }
        }
        let (mut kept, mut kept_children) = (0u32, 0u32);
        for place in 0..self.nodes.len() {
            if names[place] == NONE {
                continue;
            }
            let node = match self.nodes[place] {
                node @ (CircuitNode::Value(_) | CircuitNode::Symbol(_)) => node,
                CircuitNode::Sum(a, b) => CircuitNode::Sum(names[a as usize], names[b as usize]),
                CircuitNode::Product(start, len) => {
                    let first = kept_children;
                    for i in start..start + len {
                        let child = self.children[i as usize];
                        self.children[kept_children as usize] = names[child as usize];
                        kept_children += 1;
                    }
                    CircuitNode::Product(first, len)
                }
            };
            self.nodes[kept as usize] = node;
            names[place] = kept;
            kept += 1;
        }
        self.nodes.truncate(kept as usize);
        self.children.truncate(kept_children as usize);
        self.nodes.shrink_to_fit();
        self.children.shrink_to_fit();
        self.root = names[root as usize];
        self
    }
}

/// Recorder that turns a search into a decision circuit.
#[derive(Debug)]
pub(super) struct CircuitTrace {
    circuit: DecisionCircuit,
    numbering: ValueNumbering,
    /// The circuit nodes of those values and weight symbols that have a node.
    values: Vec<u32>,
    symbols: Vec<u32>,
    /// A symbol of a weight that is always 1; products omit this symbol.
    one: Option<u32>,
    /// The children of all product nodes under construction, one node after another; `starts` has the start of each product in this list.
    open: Vec<u32>,
    starts: Vec<usize>,
}

impl CircuitTrace {
    pub(super) fn new(numbering: ValueNumbering, symbols: usize, one: Option<u32>) -> Self {
        Self {
            circuit: DecisionCircuit::default(),
            values: vec![NONE; numbering.len()],
            symbols: vec![NONE; symbols],
            numbering,
            one,
            open: Vec::new(),
            starts: Vec::new(),
        }
    }

    pub(super) fn into_circuit(self, root: u32) -> DecisionCircuit {
        self.circuit.reachable(root)
    }

    fn push(&mut self, node: CircuitNode) -> u32 {
        self.circuit.nodes.push(node);
        self.circuit.nodes.len() as u32 - 1
    }

    fn leaf(&mut self, variable: u32, value: u32) -> u32 {
        let number = self.numbering.number(variable, value);
        if self.values[number as usize] == NONE {
            self.values[number as usize] = self.push(CircuitNode::Value(number));
        }
        self.values[number as usize]
    }
}

impl SearchTrace for CircuitTrace {
    type Value = u32;

    fn open_product(&mut self) {
        self.starts.push(self.open.len());
    }

    fn value(&mut self, variable: u32, value: u32) {
        let leaf = self.leaf(variable, value);
        self.open.push(leaf);
    }

    fn symbol(&mut self, symbol: u32) {
        if self.one == Some(symbol) {
            return;
        }
        if self.symbols[symbol as usize] == NONE {
            self.symbols[symbol as usize] = self.push(CircuitNode::Symbol(symbol));
        }
        self.open.push(self.symbols[symbol as usize]);
    }

    fn free(&mut self, variable: u32) {
        let [no, yes] = [0, 1].map(|value| self.leaf(variable, value));
        let sum = self.push(CircuitNode::Sum(no, yes));
        self.open.push(sum);
    }

    fn multiply(&mut self, value: u32) {
        self.open.push(value);
    }

    fn close_product(&mut self) -> u32 {
        let start = self.starts.pop().unwrap_or(0);
        if let [single] = self.open[start..] {
            self.open.truncate(start);
            return single;
        }
        let place = self.circuit.children.len() as u32;
        self.circuit.children.extend(self.open.drain(start..));
        let len = self.circuit.children.len() as u32 - place;
        self.push(CircuitNode::Product(place, len))
    }

    fn drop_product(&mut self) {
        let start = self.starts.pop().unwrap_or(0);
        self.open.truncate(start);
    }

    fn sum(&mut self, first: u32, second: u32) -> u32 {
        self.push(CircuitNode::Sum(first, second))
    }

    fn bytes(&self) -> usize {
        // The removal of unused nodes stores a new index for each node.
        let names = self.circuit.nodes.len() * size_of::<u32>();
        let leaves = (self.values.len() + self.symbols.len()) * size_of::<u32>();
        self.circuit.bytes() + names + leaves
    }

    fn positions(&self) -> usize {
        self.circuit.nodes.len().max(self.circuit.children.len())
    }
}
