//! Large neighbourhood search: some variables are optimised exactly, while all other variables keep their values.

use figrs_factor::Limits;
use figrs_factor::graph::{DecidedVariables, FactorGraph, Restriction, VarId};

use figrs_factor::algebra::MaxProduct;
use figrs_factor::eliminate::{EliminationError, log_weight, most_probable, plan_cost};

/// Initial number of variables in a neighbourhood, which large neighbourhood search optimises together.
const FIRST_SIZE: usize = 256;

/// A factor graph with the list of each variable's factors, from which neighbourhoods of variables are built.
#[derive(Debug)]
pub(super) struct Neighbourhoods<'g> {
    graph: &'g FactorGraph,
    mentions: Vec<Vec<usize>>,
}

impl<'g> Neighbourhoods<'g> {
    pub(super) fn new(graph: &'g FactorGraph) -> Self {
        let mut mentions = vec![Vec::new(); graph.cardinalities.len()];
        for (i, factor) in graph.factors.iter().enumerate() {
            for v in &factor.variables {
                mentions[v.index()].push(i);
            }
        }
        Self { graph, mentions }
    }

    /// Optimises the assignment `values` in neighbourhoods of the variables `centres`, one neighbourhood after another, and returns the number of
    /// operations.
    ///
    /// The neighbourhood search ends if no neighbourhood improves the assignment, or after `budget` operations of variable elimination.
    ///
    /// Each step of the neighbourhood search optimises as many variables as the limits of an exact elimination allow, while all other variables keep
    /// their values.
    ///
    /// **References.** Shaw, *Using constraint programming and local search methods to solve vehicle routing problems*,
    /// CP 1998 (large neighbourhood search).
    pub(super) fn improve(
        &self,
        centres: &[VarId],
        values: &mut [u32],
        limits: &Limits,
        budget: u64,
    ) -> Result<u64, EliminationError> {
        let mut size = FIRST_SIZE.min(centres.len());
        let (mut work, mut idle, mut next) = (0, 0, 0);
        while idle < centres.len() && size > 1 && work < budget {
            let chosen = self.neighbourhood_of(centres[next % centres.len()], size);
            work += chosen.len() as u64;
            let (part, open) = self.conditioned_graph(&chosen, values);
            let cost = plan_cost::<MaxProduct>(&part, &[], limits)?;
            let best = match most_probable(&part, limits) {
                Ok((best, _)) => best,
                Err(EliminationError::Impossible) => Vec::new(),
                Err(error) if error.is_budget() => {
                    size = size * 3 / 4;
                    continue;
                }
                Err(error) => return Err(error),
            };
            work += cost.operations as u64;
            // The next centre lies outside most of the current neighbourhood.
            next += (size / 2).max(1);
            idle += (size / 2).max(1);
            let before: Vec<u32> = open.iter().map(|v| values[v.index()]).collect();
            let gained = |log: f64| log > log_weight(&part, &before) + 1e-12 * (1.0 + log.abs());
            if best.len() == open.len() && gained(log_weight(&part, &best)) {
                for (v, value) in open.iter().zip(best) {
                    values[v.index()] = value;
                }
                idle = 0;
            }
        }
        Ok(work)
    }

    /// Returns up to `size` variables that are connected with the variable `centre` through factors, nearest first.
    fn neighbourhood_of(&self, centre: VarId, size: usize) -> Vec<VarId> {
        let mut chosen = vec![centre];
        let mut seen = vec![false; self.mentions.len()];
        seen[centre.index()] = true;
        let mut next = 0;
        while next < chosen.len() && chosen.len() < size {
            for &factor in &self.mentions[chosen[next].index()] {
                for &u in &self.graph.factors[factor].variables {
                    if !std::mem::replace(&mut seen[u.index()], true) && chosen.len() < size {
                        chosen.push(u);
                    }
                }
            }
            next += 1;
        }
        chosen
    }

    /// Returns the factor graph of the factors that contain chosen variables, conditioned on the values of all other variables. The second result has
    /// the chosen variables in the order of the conditioned graph's variables.
    fn conditioned_graph(&self, chosen: &[VarId], values: &[u32]) -> (FactorGraph, Vec<VarId>) {
        let mut left: Vec<Vec<u32>> = values.iter().map(|&value| vec![value]).collect();
        for &v in chosen {
            left[v.index()] = (0..self.graph.cardinalities[v.index()]).collect();
        }
        let mentions = chosen.iter().flat_map(|v| &self.mentions[v.index()]);
        let mut factors: Vec<usize> = mentions.copied().collect();
        factors.sort_unstable();
        factors.dedup();
        let restriction = Restriction::new(left, DecidedVariables::LeftOut);
        let factors = factors.iter().map(|&i| &self.graph.factors[i]);
        (restriction.reduce(self.graph, factors), restriction.open)
    }
}
