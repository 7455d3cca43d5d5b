//! The kernel of a Gibbs sampler: the blocks, and the conditional distribution of each block given all other variables.

use std::fmt;

use figrs_factor::graph::{FactorGraph, ReducedGraph, VarId};
use rand::{Rng, RngExt};

use super::block::{Arena, EnumeratedBlock, SingleVariableBlock};
use super::elimination_block::{BlockMessages, EliminationBlock};
use super::groups::DependencyGraph;
use super::prepare::{DeterministicVariable, PreparedGraph};
use figrs_factor::consistency::reduce;
use figrs_factor::eliminate::{EliminationError, validate};

/// A group of variables with at most `ENUMERATION_LIMIT` assignments is enumerated, without a search for a cheaper method.
const ENUMERATION_LIMIT: usize = 64;

#[derive(Debug)]
enum GibbsBlock {
    Site(SingleVariableBlock),
    Listed(EnumeratedBlock),
    Wide(Box<EliminationBlock>),
}

/// A Gibbs sampler over a factor graph, which draws one block of variables after another. A sweep of Gibbs sampling draws all blocks once.
///
/// Before sampling, the values of variables that factors with zeros exclude are removed. Variables that are functions of other variables are not
/// sampled: either the factors contain the arguments of the function instead, or the variable is recomputed when its arguments change. Variables that
/// are not functions of other variables are called free. Free variables that occur together in a factor with entries of weight zero form a group. A
/// group of variables becomes one Gibbs block if it has few assignments, or if the elimination of its variables needs only small tables. If a group
/// is too large for one block, several overlapping Gibbs blocks cover it.
///
/// **Guarantee.** Drawing a block given all other variables leaves the distribution of the factor graph invariant. If
/// [`cut_groups`](Self::cut_groups) is zero, every assignment of positive weight can be reached from every other in a finite number of sweeps. The
/// reason is that no factor with zeros connects two groups of variables, and that each group is one Gibbs block or was found to be connected by its
/// blocks.
///
/// **Complexity.** A draw of a Gibbs block by enumeration takes time proportional to the number of the block's assignments times the number of tables
/// that contain its variables. A draw of a Gibbs block by elimination takes the time of a junction tree of the block's variables.
///
/// **References.** Geman and Geman (1984), "Stochastic relaxation, Gibbs distributions, and the Bayesian restoration
/// of images"; Jensen, Kong and Kjaerulff (1995), "Blocking Gibbs sampling in very large probabilistic expert systems".
///
/// ```
/// # use figrs_factor::graph::{Factor, FactorGraph, FactorTable};
/// # use figrs_infer::GibbsKernel;
/// // Two variables that are not both zero.
/// let mut graph = FactorGraph::default();
/// let variables = vec![graph.add_variable(2), graph.add_variable(2)];
/// let table = FactorTable::Dense(vec![0.0, 1.0, 1.0, 1.0].into());
/// graph.factors.push(Factor { variables, table, normalised: false });
/// let kernel = GibbsKernel::new(&graph, 1024)?;
/// assert_eq!((kernel.blocks(), kernel.cut_groups()), (1, 0));
/// let next = kernel.conditional(0, &[0, 1]);
/// assert!(next.iter().all(|(_, p)| (p - 1.0 / 3.0).abs() < 1e-12));
/// # Ok::<(), figrs_infer::eliminate::EliminationError>(())
/// ```
pub struct GibbsKernel {
    reduced: ReducedGraph,
    arena: Arena,
    blocks: Vec<(GibbsBlock, u64)>,
    cut_groups: u64,
    left_out: Vec<VarId>,
    summed_out: u64,
    /// The folded variables (functions of other variables that no Gibbs block updates), in topological order.
    folded: Vec<DeterministicVariable>,
}

impl fmt::Debug for GibbsKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let blocks = self.blocks.iter();
        let eliminated = blocks.filter(|(block, _)| matches!(block, GibbsBlock::Wide(_)));
        f.debug_struct("GibbsKernel")
            .field("blocks", &self.blocks.len())
            .field("eliminated", &eliminated.count())
            .field("cut_groups", &self.cut_groups)
            .finish_non_exhaustive()
    }
}

/// The current assignment of a chain, with buffers for drawing the next assignment.
#[derive(Debug)]
pub(super) struct GibbsState {
    pub(super) values: Vec<u32>,
    weights: Vec<f64>,
    /// For each Gibbs block that is drawn by elimination, the buffers for drawing it.
    messages: Vec<Option<BlockMessages>>,
}

impl GibbsKernel {
    /// Divides the variables of a graph into Gibbs blocks. The tables of Gibbs blocks have at most `table` entries.
    ///
    /// **Errors.** [`EliminationError::Impossible`] if zeros exclude all values of some variable; an error of the factors if their tables are
    /// malformed.
    pub fn new(graph: &FactorGraph, table: usize) -> Result<Self, EliminationError> {
        let all: Vec<VarId> = (0..graph.cardinalities.len() as u32).map(VarId).collect();
        Self::collapsed(graph, table, &all, 0)
    }

    /// Creates a kernel as [`new`](Self::new) does, but first sums out variables that are not in `kept`, as long as each sum has at most `entries`
    /// entries. The Gibbs blocks draw the remaining variables from their marginal distribution; [`conditional`](Self::conditional) does not change
    /// variables that were summed out.
    ///
    /// **References.** Liu (1994), "The collapsed Gibbs sampler in Bayesian computations with applications to a gene regulation problem".
    ///
    /// **Errors.** The same errors as those of [`new`](Self::new).
    pub fn collapsed(
        graph: &FactorGraph,
        table: usize,
        kept: &[VarId],
        entries: usize,
    ) -> Result<Self, EliminationError> {
        validate(graph, &[])?;
        let reduced = reduce(graph).ok_or(EliminationError::Impossible)?;
        let mut prepared = PreparedGraph::new(&reduced.graph);
        let mut summed_out = 0;
        if entries > 0 {
            let open = &reduced.restriction.open;
            let kept = kept.iter().filter_map(|v| open.binary_search(v).ok());
            summed_out = prepared.collapse(&kept.collect::<Vec<_>>(), entries);
        }
        let ties = DependencyGraph::new(&prepared);
        let mut maker = BlockBuilder::new(&ties, table);
        for group in ties.groups() {
            let all = prepared.count(&group.free);
            let is_small = group.constraints.is_empty() || all <= table.min(ENUMERATION_LIMIT);
            if !is_small && maker.wide(&group.free, all) {
                continue;
            }
            if is_small || all <= table {
                maker.listed(group.free);
                continue;
            }
            let windows = ties.windows(&group, table);
            if ties.is_connected(&group, &windows) != Some(true) {
                maker.cut_groups += 1;
            }
            for window in windows {
                maker.listed(window);
            }
        }
        let BlockBuilder {
            arena,
            blocks,
            cut_groups: cut,
            ..
        } = maker;
        let folded = prepared.order.iter().filter(|&&v| prepared.folded[v]);
        let folded = folded
            .filter_map(|&v| prepared.definitions[v].clone())
            .collect();
        let open = reduced.restriction.open.iter().zip(&prepared.left_out);
        let left_out = open.filter(|(_, is_left_out)| **is_left_out);
        let left_out = left_out.map(|(v, _)| *v).collect();
        Ok(Self {
            reduced,
            arena,
            blocks,
            cut_groups: cut,
            left_out,
            summed_out,
            folded,
        })
    }

    /// Returns the number of Gibbs blocks.
    pub fn blocks(&self) -> usize {
        self.blocks.len()
    }

    /// Returns the number of groups of variables that no single Gibbs block covers, and whose blocks were not found to connect all possible
    /// assignments. In groups whose blocks were not found to connect all possible assignments, Gibbs updates may not reach all of these assignments.
    pub fn cut_groups(&self) -> u64 {
        self.cut_groups
    }

    /// Returns the variables that have no value in the chains: variables that were summed out, and functions that no other variable needs.
    pub fn left_out(&self) -> &[VarId] {
        &self.left_out
    }

    /// Returns the number of variables that were summed out before sampling.
    pub(super) fn summed_out(&self) -> u64 {
        self.summed_out
    }

    /// Returns the distribution of the next assignment when the block with index `block` is drawn.
    ///
    /// The argument `assignment` must give a value to each variable of the graph, and must have positive weight. If no block has the index `block`,
    /// the distribution has `assignment` as its only outcome.
    pub fn conditional(&self, block: usize, assignment: &[u32]) -> Vec<(Vec<u32>, f64)> {
        let mut values = self.free_values(assignment);
        let mut weights = Vec::new();
        let graph = &self.reduced.graph;
        let next: Vec<(Vec<u32>, f64)> = match self.blocks.get(block).map(|block| &block.0) {
            None => return vec![(assignment.to_vec(), 1.0)],
            Some(GibbsBlock::Site(site)) => {
                let total = site.weigh(&self.arena, &values, &mut weights);
                let next = |(x, w): (u32, &f64)| {
                    values[site.variable as usize] = x;
                    (values.clone(), w / total)
                };
                (0..).zip(&weights).map(next).collect()
            }
            Some(GibbsBlock::Listed(listed)) => {
                let total = listed.weigh(graph, &self.arena, &mut values, &mut weights);
                let next = |(i, w): (usize, &f64)| {
                    listed.choose(i, &mut values);
                    (values.clone(), w / total)
                };
                weights.iter().enumerate().map(next).collect()
            }
            Some(GibbsBlock::Wide(wide)) => wide.outcomes(&values),
        };
        let positive = next.into_iter().filter(|(_, p)| *p > 0.0);
        positive
            .map(|(values, p)| (self.close(values), p))
            .collect()
    }

    /// Converts an assignment of all variables to an assignment of the variables that have more than one possible value.
    pub(super) fn free_values(&self, assignment: &[u32]) -> Vec<u32> {
        let open = self.reduced.restriction.open.iter().map(|v| v.index());
        open.map(|v| {
            let value = assignment.get(v).copied().unwrap_or_default();
            let place = self.reduced.restriction.left[v].binary_search(&value);
            place.unwrap_or_default() as u32
        })
        .collect()
    }

    /// Converts an assignment of the variables that have more than one possible value to an assignment of all variables.
    fn close(&self, mut values: Vec<u32>) -> Vec<u32> {
        self.set_folded(&mut values);
        self.reduced.restriction.world(&values)
    }

    /// Computes the values of the folded variables, which are functions of other variables that no Gibbs block updates.
    pub(super) fn set_folded(&self, values: &mut [u32]) {
        for definition in &self.folded {
            values[definition.child] = definition.value(values);
        }
    }

    pub(super) fn reduced(&self) -> &ReducedGraph {
        &self.reduced
    }

    pub(super) fn folded(&self) -> &[DeterministicVariable] {
        &self.folded
    }

    /// Returns the cost of drawing the Gibbs block `block`, as a number of table entries.
    pub(super) fn cost(&self, block: usize) -> u64 {
        self.blocks[block].1
    }

    /// Returns the state of a Gibbs chain that starts at an assignment of the variables that have more than one possible value.
    pub(super) fn state(&self, values: Vec<u32>) -> GibbsState {
        let messages = self.blocks.iter().map(|(block, _)| match block {
            GibbsBlock::Wide(wide) => Some(wide.messages(values.len())),
            _ => None,
        });
        GibbsState {
            messages: messages.collect(),
            values,
            weights: Vec::new(),
        }
    }

    /// Draws new values of the variables of a Gibbs block, given all other variables.
    pub(super) fn update(&self, block: usize, state: &mut GibbsState, rng: &mut impl Rng) {
        let GibbsState {
            values,
            weights,
            messages,
        } = state;
        let graph = &self.reduced.graph;
        match &self.blocks[block].0 {
            GibbsBlock::Site(site) => {
                let total = site.weigh(&self.arena, values, weights);
                values[site.variable as usize] =
                    sample_index(weights, total * rng.random::<f64>()) as u32;
            }
            GibbsBlock::Listed(listed) => {
                let total = listed.weigh(graph, &self.arena, values, weights);
                let chosen = sample_index(weights, total * rng.random::<f64>());
                listed.choose(chosen, values);
            }
            GibbsBlock::Wide(wide) => {
                if let Some(messages) = &mut messages[block] {
                    wide.update(messages, values, rng);
                }
            }
        }
    }
}

/// Returns the first index at which the cumulative sum of the weights exceeds `left`.
fn sample_index(weights: &[f64], mut left: f64) -> usize {
    let mut last = 0;
    for (i, &weight) in weights.iter().enumerate() {
        if weight > 0.0 {
            if left < weight {
                return i;
            }
            // Rounding may leave a remainder of `left`; in that case the last index with positive weight is returned.
            last = i;
            left -= weight;
        }
    }
    last
}

/// Builds the Gibbs blocks of a kernel.
struct BlockBuilder<'t, 'p, 'g> {
    dependencies: &'t DependencyGraph<'p, 'g>,
    table: usize,
    /// For each variable, the indices of the weight factors that contain the variable.
    mentions: Vec<Vec<usize>>,
    arena: Arena,
    blocks: Vec<(GibbsBlock, u64)>,
    cut_groups: u64,
}

impl<'t, 'p, 'g> BlockBuilder<'t, 'p, 'g> {
    fn new(ties: &'t DependencyGraph<'p, 'g>, table: usize) -> Self {
        let prepared = ties.prepared;
        let mut mentions = vec![Vec::new(); prepared.graph.cardinalities.len()];
        for (i, piece) in prepared.weight_factors.iter().enumerate() {
            prepared
                .scope(piece)
                .iter()
                .for_each(|&v| mentions[v].push(i));
        }
        Self {
            dependencies: ties,
            table,
            mentions,
            arena: Arena::default(),
            blocks: Vec::new(),
            cut_groups: 0,
        }
    }

    /// Returns the variables that are functions of the variables `free`, and the weight factors that contain a variable of `free` or one of these
    /// functions.
    fn surroundings(&self, free: &[usize]) -> (Vec<usize>, Vec<usize>) {
        let defined = self.dependencies.descendants(free);
        let all = free.iter().chain(&defined);
        let mut pieces: Vec<usize> = all.flat_map(|&v| &self.mentions[v]).copied().collect();
        pieces.sort_unstable();
        pieces.dedup();
        (defined, pieces)
    }

    /// Adds a Gibbs block of the variables `free` that is drawn by enumeration of its assignments.
    fn listed(&mut self, free: Vec<usize>) {
        let prepared = self.dependencies.prepared;
        let (defined, pieces) = self.surroundings(&free);
        if let ([v], []) = (&free[..], &defined[..])
            && let Some(site) = SingleVariableBlock::new(prepared, *v, &pieces, &mut self.arena)
        {
            let cost = site.cost();
            self.blocks.push((GibbsBlock::Site(site), cost));
            return;
        }
        let assignments = prepared.count(&free) as u64;
        let listed = EnumeratedBlock::new(prepared, &free, &defined, &pieces, &mut self.arena);
        let cost = listed.cost().saturating_mul(assignments);
        self.blocks.push((GibbsBlock::Listed(listed), cost));
    }

    /// Adds a Gibbs block of the variables `free` that is drawn by elimination, if elimination is cheaper than enumeration and no table is too large.
    /// Returns true if the Gibbs block was added.
    fn wide(&mut self, free: &[usize], assignments: usize) -> bool {
        let (defined, pieces) = self.surroundings(free);
        let variables = [free, &defined].concat();
        let listing = assignments as f64 * pieces.len() as f64;
        let wide = EliminationBlock::new(
            self.dependencies.prepared,
            variables,
            &pieces,
            self.table,
            listing,
        );
        let found = wide.is_some();
        self.blocks.extend(wide.map(|wide| {
            let cost = wide.cost;
            (GibbsBlock::Wide(Box::new(wide)), cost)
        }));
        found
    }
}
