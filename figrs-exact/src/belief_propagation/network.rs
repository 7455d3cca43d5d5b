//! A factor graph for message passing: lists of non-zero entries, and edges between factors and variables.

use figrs_factor::graph::{DisjointSets, FactorGraph, for_each_entry, log_stored};

/// The non-zero entries of a factor.
#[derive(Debug)]
pub(super) struct FactorEntries {
    /// In the list of edges between factors and variables, the index of the factor's first edge and the index after its last edge.
    pub(super) edges: (usize, usize),
    /// For each entry and each variable of the factor, the index of the variable's value in the concatenated lists of values of the factor's
    /// variables.
    pub(super) rows: Vec<u32>,
    /// The natural logarithms of the entries after division by the largest entry.
    pub(super) logs: Vec<f64>,
    pub(super) linear: Vec<f64>,
    /// The natural logarithm of the factor's largest entry.
    pub(super) scale: f64,
    pub(super) least: f64,
}

impl FactorEntries {
    pub(super) fn arity(&self) -> usize {
        self.edges.1 - self.edges.0
    }

    /// Returns the number of entries that are read to compute the messages of this factor: for each variable of the factor, each entry is read once.
    pub(super) fn work(&self) -> u64 {
        (self.logs.len() * self.arity()) as u64
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub(super) variable: usize,
    pub(super) factor: usize,
    /// Offset of the message of an edge (from a factor to a variable) in the list of all messages, and its offset among the messages of the same
    /// factor.
    pub(super) start: usize,
    pub(super) local: usize,
    pub(super) values: usize,
}

/// A factor graph for message passing: the non-zero entries of each factor, and the edges along which messages are sent.
#[derive(Debug)]
pub(super) struct MessageGraph {
    pub(super) tables: Vec<FactorEntries>,
    pub(super) edges: Vec<Edge>,
    /// For each variable, the offset of its values in the list of all values; the last number is the length of this list.
    pub(super) starts: Vec<usize>,
    pub(super) edges_of: Vec<Vec<usize>>,
    /// Total number of entries of the messages of all edges.
    pub(super) entries: usize,
    /// `true` if at most one path of factors connects any two variables.
    pub(super) is_forest: bool,
}

impl MessageGraph {
    pub(super) fn new(graph: &FactorGraph) -> Self {
        let mut starts = vec![0];
        for &n in &graph.cardinalities {
            starts.push(starts[starts.len() - 1] + n as usize);
        }
        let mut this = Self {
            tables: Vec::with_capacity(graph.factors.len()),
            edges: Vec::new(),
            edges_of: vec![Vec::new(); graph.cardinalities.len()],
            starts,
            entries: 0,
            is_forest: true,
        };
        let mut parts = DisjointSets::new(graph.cardinalities.len() + graph.factors.len());
        for (i, factor) in graph.factors.iter().enumerate() {
            let first = this.edges.len();
            let mut local = 0;
            let mut locals = Vec::with_capacity(factor.variables.len());
            for v in &factor.variables {
                let values = graph.cardinality(*v);
                this.edges_of[v.index()].push(this.edges.len());
                this.edges.push(Edge {
                    variable: v.index(),
                    factor: i,
                    start: this.entries,
                    local,
                    values,
                });
                locals.push(local as u32);
                local += values;
                this.entries += values;
                this.is_forest &= parts.join(v.index(), graph.cardinalities.len() + i);
            }
            let (mut rows, mut logs) = (Vec::new(), Vec::new());
            for_each_entry(graph, factor, |entry, row| {
                rows.extend(row.iter().zip(&locals).map(|(x, local)| x + local));
                logs.push(log_stored(factor, entry));
            });
            let scale = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            for log in &mut logs {
                *log -= scale;
            }
            this.tables.push(FactorEntries {
                edges: (first, this.edges.len()),
                linear: logs.iter().map(|log| log.exp()).collect(),
                least: logs.iter().copied().fold(0.0, f64::min),
                rows,
                logs,
                scale,
            });
        }
        this
    }

    pub(super) fn edges(&self, table: &FactorEntries) -> &[Edge] {
        &self.edges[table.edges.0..table.edges.1]
    }

    pub(super) fn variables(&self) -> usize {
        self.edges_of.len()
    }
}
