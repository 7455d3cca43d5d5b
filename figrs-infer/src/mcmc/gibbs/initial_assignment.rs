//! Finds an initial assignment of positive weight for each Gibbs chain.

use figrs_factor::Limits;
use figrs_factor::graph::{Factor, FactorGraph, FactorTable, VarId, Weights, log_entry};
use rand::{Rng, RngExt};

use figrs_factor::eliminate::{EliminationError, most_probable};

/// Number of failed forward draws after which elimination searches for the initial assignment of a chain.
const FORWARD_DRAWS: u64 = 100;
/// Total number of forward draws that are tried for an initial assignment if elimination is too costly.
const TRIES: u64 = 1000;
/// Maximum number of table entries in the elimination that finds an initial assignment. The maximum is a constant, because all machines must find the
/// same initial assignment.
const TABLE: usize = 1 << 20;
const OPERATIONS: f64 = 1e9;
const MEMORY: u64 = 1 << 28;

/// Result of the search for an initial assignment of a Gibbs chain.
pub(super) enum InitialAssignment {
    Found(Vec<u32>),
    Impossible,
    /// No assignment was found: no forward draw has positive weight, and elimination is too costly.
    Unknown {
        tried: u64,
    },
}

/// A sampler that draws the variables one after another. Each variable is drawn given the variables before it, by the factors in which it is the last
/// variable.
pub(super) struct ForwardSampler<'g> {
    graph: &'g FactorGraph,
    /// The variables in the order in which they are drawn, each with the factors in which it is drawn last.
    order: Vec<(usize, Vec<&'g Factor>)>,
}

impl<'g> ForwardSampler<'g> {
    pub(super) fn new(graph: &'g FactorGraph) -> Self {
        let n = graph.cardinalities.len();
        let mut place: Vec<Option<usize>> = vec![None; n];
        let mut order: Vec<(usize, Vec<&Factor>)> = Vec::with_capacity(n);
        // The factor of a parent comes before the factors of its children, and a child is the last variable of its own
        // factor.
        let mentioned = graph.factors.iter().flat_map(|factor| &factor.variables);
        for v in mentioned.map(|v| v.index()).chain(0..n) {
            place[v].get_or_insert_with(|| {
                order.push((v, Vec::new()));
                order.len() - 1
            });
        }
        for factor in &graph.factors {
            let last = factor
                .variables
                .iter()
                .filter_map(|v| place[v.index()])
                .max();
            if let Some(last) = last {
                order[last].1.push(factor);
            }
        }
        Self { graph, order }
    }

    /// Draws an assignment; returns `None` if all values of some variable have weight zero given the values drawn
    /// before.
    fn draw(&self, rng: &mut impl Rng) -> Option<Vec<u32>> {
        let mut values = vec![0; self.graph.cardinalities.len()];
        let mut logs = Vec::new();
        for (v, factors) in &self.order {
            logs.clear();
            for x in 0..self.graph.cardinalities[*v] {
                values[*v] = x;
                let entries = factors.iter().map(|f| log_entry(self.graph, f, &values));
                logs.push(entries.sum::<f64>());
            }
            let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            if most == f64::NEG_INFINITY {
                return None;
            }
            let total: f64 = logs.iter().map(|log| (log - most).exp()).sum();
            let mut left = total * rng.random::<f64>();
            for (x, log) in (0..).zip(&logs) {
                if *log > f64::NEG_INFINITY {
                    values[*v] = x;
                    left -= (log - most).exp();
                    if left < 0.0 {
                        break;
                    }
                }
            }
        }
        Some(values)
    }

    /// Finds an initial assignment by forward draws, or by elimination if many forward draws have failed and elimination is not too costly.
    pub(super) fn start(&self, rng: &mut impl Rng) -> Result<InitialAssignment, EliminationError> {
        for tried in 0..TRIES {
            if tried == FORWARD_DRAWS
                && let Some(start) = self.eliminated(rng)?
            {
                return Ok(start);
            }
            if let Some(values) = self.draw(rng) {
                return Ok(InitialAssignment::Found(values));
            }
        }
        Ok(InitialAssignment::Unknown { tried: TRIES })
    }

    /// Adds random weights to the graph and returns the most probable assignment under these weights; `None` if the computation is too costly.
    fn eliminated(
        &self,
        rng: &mut impl Rng,
    ) -> Result<Option<InitialAssignment>, EliminationError> {
        let options = Limits::default()
            .table_entries(TABLE)
            .work(OPERATIONS)
            .memory(MEMORY);
        match most_probable(&self.perturbed(rng), &options) {
            Ok((values, _)) => Ok(Some(InitialAssignment::Found(values))),
            Err(EliminationError::Impossible) => Ok(Some(InitialAssignment::Impossible)),
            Err(
                EliminationError::TableTooLarge { .. }
                | EliminationError::TooManyOperations { .. }
                | EliminationError::TooMuchMemory { .. },
            ) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Returns the graph with additional random weights, which prevent all chains from starting at the most probable assignment (Papandreou and
    /// Yuille 2011, "Perturb-and-MAP random fields").
    fn perturbed(&self, rng: &mut impl Rng) -> FactorGraph {
        let mut graph = self.graph.clone();
        for (v, &n) in (0..).map(VarId).zip(&self.graph.cardinalities) {
            let gumbel = |_| -(-rng.random::<f64>().max(f64::MIN_POSITIVE).ln()).ln();
            let logs = (0..n).map(gumbel).collect();
            graph.factors.push(Factor {
                variables: vec![v],
                table: FactorTable::Dense(Weights::from_logs(logs)),
                normalised: false,
            });
        }
        graph
    }
}
