//! Blocks of missing cells in a row that depend on each other given the observed cells, with the joint posterior of each block.

use figrs_factor::Limits;
use std::sync::{Arc, Mutex, PoisonError};

use figrs_factor::eliminate::{EliminationError, sum_product};
use figrs_factor::graph::{Factor, FactorGraph, FactorTable, VarId, Weights};
use rustc_hash::FxHashMap;

use super::StructureLearningError;

/// Maximum number of entries of a stored joint posterior; for a larger block of missing cells, each query runs a variable elimination.
const MOST_JOINT: usize = 1 << 12;
/// Maximum number of entries of one table in a variable elimination, and maximum number of operations of an elimination.
const MOST_ENTRIES: usize = 1 << 18;
const MOST_OPERATIONS: f64 = 1e7;
/// Maximum total number of entries in the marginals that a block of missing cells stores.
const MOST_KEPT: usize = 1 << 22;

/// Missing cells of a row that depend on each other given the observed cells, but do not depend on other missing cells. A block of missing cells is
/// shared by the rows that agree in the observed cells on which these missing cells depend.
pub(super) struct MissingBlock {
    /// The line of the first row that contains the block of missing cells.
    line: usize,
    graph: FactorGraph,
    /// The natural logarithm of the probability of the observed cells on which the missing cells of the block depend.
    pub(super) log_total: f64,
    /// The joint posterior of the missing cells, in row-major order (the last variable varies fastest), if the posterior is small.
    joint: Option<Vec<f64>>,
    marginals: Mutex<KeptMarginals>,
}

/// The stored marginals of the joint posterior of a block of missing cells. The key of a stored marginal has the indices of its variables in the
/// block of missing cells.
#[derive(Default)]
struct KeptMarginals {
    known: FxHashMap<Box<[usize]>, Arc<[f64]>>,
    entries: usize,
}

/// Error that the joint posterior of the missing cells in a row is too large to be computed. The error states the line of the row, and the number of
/// its missing cells that depend on each other.
#[derive(Clone)]
pub(super) struct LargePosterior {
    line: usize,
    cells: usize,
    source: EliminationError,
}

impl From<LargePosterior> for StructureLearningError {
    fn from(large: LargePosterior) -> Self {
        Self::TooLarge {
            line: Some(large.line),
            problem: format!(
                "{} missing cells depend on each other, and their joint posterior is too large to be computed",
                large.cells
            ),
            remedy: "fill some of them, leave the line out, or allow fewer parents",
            settings: &["max_parents"],
            source: Some(large.source),
        }
    }
}

/// A factor over missing cells of a block: the indices of its variables in the block, and its table of numbers in row-major order.
pub(super) struct BlockFactor {
    pub(super) places: Vec<usize>,
    pub(super) numbers: Vec<f64>,
}

impl MissingBlock {
    /// Creates a block of missing cells whose variables have `states` states, for the row on the line `line` of the data.
    ///
    /// **Errors.** An error if the variable elimination would be too large.
    pub(super) fn new(
        line: usize,
        states: &[usize],
        factors: Vec<BlockFactor>,
    ) -> Result<Self, LargePosterior> {
        let mut graph = FactorGraph::default();
        for &states in states {
            graph.add_variable(states);
        }
        let factors = factors.into_iter().map(|factor| Factor {
            variables: factor.places.iter().map(|&p| VarId(p as u32)).collect(),
            table: FactorTable::Dense(Weights::from_linear(factor.numbers)),
            normalised: false,
        });
        graph.factors = factors.collect();
        let all: Vec<VarId> = (0..states.len() as u32).map(VarId).collect();
        let is_small = graph.dense_size(&all) <= MOST_JOINT;
        let keep = if is_small { &all[..] } else { &[] };
        let found = sum_product(&graph, keep, &limits());
        let found = found.map_err(|source| LargePosterior {
            line,
            cells: states.len(),
            source,
        })?;
        Ok(Self {
            line,
            graph,
            log_total: found.log_total,
            joint: is_small.then_some(found.probabilities),
            marginals: Mutex::default(),
        })
    }

    pub(super) fn states(&self, place: usize) -> usize {
        self.graph.cardinalities[place] as usize
    }

    /// Returns the joint posterior of the variables with the indices `places`, in ascending order, in the block of missing cells; the last variable
    /// varies fastest in the result.
    ///
    /// **Errors.** An error if the variable elimination would be too large.
    pub(super) fn marginal(&self, places: &[usize]) -> Result<Arc<[f64]>, LargePosterior> {
        let Some(joint) = &self.joint else {
            return self.eliminated(places);
        };
        let entries = places.iter().map(|&place| self.states(place)).product();
        let mut marginal = vec![0.0; entries];
        // For each variable, from the last to the first, its strides in the joint table and in the marginal.
        let (mut inner, mut step) = (1, 1);
        let variables = (0..self.graph.cardinalities.len()).rev().map(|place| {
            let states = self.states(place);
            let own = if places.binary_search(&place).is_ok() {
                step *= states;
                step / states
            } else {
                0
            };
            inner *= states;
            (inner / states, states, own)
        });
        let variables: Vec<(usize, usize, usize)> = variables.collect();
        for (entry, &p) in joint.iter().enumerate() {
            let place: usize = variables
                .iter()
                .map(|(inner, states, own)| entry / inner % states * own)
                .sum();
            marginal[place] += p;
        }
        Ok(marginal.into())
    }

    fn eliminated(&self, places: &[usize]) -> Result<Arc<[f64]>, LargePosterior> {
        let kept = || {
            self.marginals
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
        };
        if let Some(known) = kept().known.get(places) {
            return Ok(Arc::clone(known));
        }
        let variables: Vec<VarId> = places.iter().map(|&p| VarId(p as u32)).collect();
        let found = sum_product(&self.graph, &variables, &limits());
        let found = found.map_err(|source| LargePosterior {
            line: self.line,
            cells: self.graph.cardinalities.len(),
            source,
        })?;
        let found: Arc<[f64]> = found.probabilities.into();
        let mut kept = kept();
        if kept.entries + found.len() > MOST_KEPT {
            *kept = KeptMarginals::default();
        }
        kept.entries += found.len();
        kept.known.insert(places.into(), Arc::clone(&found));
        Ok(found)
    }
}

fn limits() -> Limits {
    Limits::default()
        .table_entries(MOST_ENTRIES)
        .work(MOST_OPERATIONS)
}
