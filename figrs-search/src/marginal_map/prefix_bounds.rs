//! Upper bounds of the total weight of all completions of a partial assignment of the maximised variables.

use figrs_factor::Until;
use figrs_factor::eliminate::{EliminationError, as_if_dense};
use figrs_factor::graph::{Factor, FactorGraph, VarId, log_entry, log_stored};
use figrs_factor::mini_buckets::{BucketOrder, MiniBuckets};

/// Maximum number of memory words that the search for an elimination order reads. A longer search for an elimination order is not worthwhile, because
/// the buckets of wide graphs are divided into mini-buckets anyway.
pub(super) const ORDER_WORK: u64 = 2_000_000;

/// Upper bounds of the total weight of all completions of a prefix, that is, of an assignment of the first maximised variables in the order of
/// [`Self::order`].
///
/// One mini-bucket elimination first sums out the variables that are not maximised. The mini-bucket elimination then maximises over the maximised
/// variables, in the reverse of their order. The bound of a prefix (an assignment of the first maximised variables) is the product of the factors and
/// messages whose variables it assigns. A message of the mini-bucket elimination is a factor of the bound until the variable of its bucket is
/// assigned. After the variable of a bucket is assigned, the tables of the bucket replace its message as factors of the bound.
///
/// **References.** Kask and Dechter, *A general scheme for automatic generation of search heuristics from specification dependencies*,
/// Artificial Intelligence 129, 2001; Marinescu, Dechter and Ihler, *AND/OR search for marginal MAP*, UAI 2014.
#[derive(Debug)]
pub(super) struct PrefixBounds<'a> {
    graph: &'a FactorGraph,
    messages: MiniBuckets,
    /// The maximised variables that occur in factors, in the order in which the search assigns them.
    pub(super) order: Vec<VarId>,
    levels: Vec<Level>,
    /// Upper bound of the total weight of every assignment, if rounding errors are left out.
    pub(super) root: f64,
    /// An upper limit of the rounding error of each upper bound.
    pub(super) slack: f64,
}

/// Tables that become factors of the bound when the next variable of the prefix is assigned, and messages that are no longer factors of the bound
/// afterwards.
#[derive(Clone, Debug, Default)]
struct Level {
    factors: Vec<usize>,
    messages: Vec<usize>,
    /// Messages from the bucket of the assigned variable, which are no factors of the bound after the assignment.
    replaced: Vec<usize>,
}

impl<'a> PrefixBounds<'a> {
    /// Runs the mini-bucket elimination with at most `sizes.0` entries in a table and at most `sizes.1` entries in all messages together.
    ///
    /// **Errors.** [`EliminationError::Interrupted`] if the elimination is stopped.
    pub(super) fn new(
        graph: &'a FactorGraph,
        maximised: &[VarId],
        sizes: (usize, f64),
        until: &Until,
    ) -> Result<Self, EliminationError> {
        let buckets = as_if_dense(graph, maximised, (ORDER_WORK, until))?;
        let elimination = BucketOrder::new(graph.cardinalities.len(), &buckets);
        let messages = MiniBuckets::marginal_map(graph, &elimination, sizes, maximised, until)?;
        let is_maximised = flags(graph, maximised);
        let order = elimination.order.iter().rev().copied();
        let order: Vec<VarId> = order.filter(|v| is_maximised[v.index()]).collect();
        let mut level_of = vec![None; graph.cardinalities.len()];
        for (level, v) in order.iter().enumerate() {
            level_of[v.index()] = Some(level);
        }
        let mut levels = vec![Level::default(); order.len()];
        // The last assigned variable of a table is the variable that is eliminated first.
        let last = |scope: &[VarId]| elimination.first(scope).and_then(|v| level_of[v.index()]);
        for (number, factor) in graph.factors.iter().enumerate() {
            if let Some(level) = last(&factor.variables) {
                levels[level].factors.push(number);
            }
        }
        let sent = messages.sources().iter().zip(messages.messages());
        for (number, (source, message)) in sent.enumerate() {
            if let Some(level) = last(&message.scope) {
                levels[level].messages.push(number);
            }
            if let Some(level) = level_of[source.index()] {
                levels[level].replaced.push(number);
            }
        }
        let root = messages.bound(graph);
        Ok(Self {
            slack: slack(graph),
            graph,
            messages,
            order,
            levels,
            root,
        })
    }

    /// Returns an upper bound for each value of the variable that is assigned at `level`. The argument `bound` is the upper bound of the prefix
    /// before the variable of `level`; `world` has the values of the prefix, indexed by variable.
    pub(super) fn children(&self, level: usize, bound: f64, world: &mut [u32]) -> Vec<f64> {
        let tables = &self.levels[level];
        let at = |number: &usize, world: &[u32]| self.messages.messages()[*number].at(world);
        let replaced: f64 = tables.replaced.iter().map(|number| at(number, world)).sum();
        let v = self.order[level];
        let child = |value: u32| {
            world[v.index()] = value;
            let entry = |&number: &usize| log_entry(self.graph, &self.graph.factors[number], world);
            let factors: f64 = tables.factors.iter().map(entry).sum();
            let messages: f64 = tables.messages.iter().map(|number| at(number, world)).sum();
            (bound - replaced + factors + messages).min(bound)
        };
        (0..self.graph.cardinality(v) as u32).map(child).collect()
    }

    /// Returns the number of tables that [`children`](Self::children) reads for each value of the variable that is assigned at `level`.
    pub(super) fn tables(&self, level: usize) -> usize {
        let Level {
            factors,
            messages,
            replaced,
        } = &self.levels[level];
        factors.len() + messages.len() + replaced.len()
    }
}

/// Returns, for each variable of a graph, true if the list `variables` contains it.
fn flags(graph: &FactorGraph, variables: &[VarId]) -> Vec<bool> {
    let mut flags = vec![false; graph.cardinalities.len()];
    for v in variables {
        flags[v.index()] = true;
    }
    flags
}

/// Returns an upper limit of all rounding errors of a mini-bucket elimination and of the bound of a prefix.
pub(super) fn slack(graph: &FactorGraph) -> f64 {
    let largest = |factor: &Factor| {
        let logs = (0..factor.entries()).map(|entry| log_stored(factor, entry));
        let logs = logs.filter(|log: &f64| log.is_finite());
        logs.fold(0.0_f64, |largest, log| largest.max(log.abs()))
    };
    let factors: f64 = graph.factors.iter().map(largest).sum();
    let values = graph.cardinalities.iter().map(|&n| f64::from(n).ln());
    let additions = 8 * (graph.factors.len() + graph.cardinalities.len());
    additions as f64 * f64::EPSILON * (1.0 + factors + values.sum::<f64>())
}
