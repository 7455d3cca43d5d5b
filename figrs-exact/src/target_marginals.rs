//! Exact marginals of several targets, from one contraction tree for all targets or from one elimination for each target.

use figrs_core::expand::{Encoding, Expansion};
use figrs_factor::Limits;
use figrs_factor::graph::{Factor, VarId};

use figrs_answer::error::Error;
use figrs_factor::algebra::SumProduct;
use figrs_factor::eliminate::{EliminationError, plan_cost};
use figrs_factor::tree::{Marginals, marginals};

/// If the plan for all targets has fewer operations for each entry of the factors, it is not compared with separate plans, because its run takes less
/// time than the search for separate plans.
const CHEAP_PLAN_OPERATIONS: f64 = 64.0;
/// Cost of all marginals from one tree, as a multiple of the cost of one elimination by the plan of the tree.
const TREE_COST_FACTOR: f64 = 3.0;

/// Computes the total weight of the worlds and the marginals of the targets of an expansion. The marginals are meaningless if the
/// evidence is impossible.
///
/// One contraction tree computes the marginals of all targets, unless separate eliminations take less work in total, or the tree, which stores all
/// messages, exceeds the memory.
pub(crate) fn target_marginals(expansion: &Expansion, limits: &Limits) -> Result<Marginals, Error> {
    if expansion.targets().len() > 1
        && let Some(found) = from_one_tree(expansion, limits)?
    {
        return Ok(found);
    }
    from_eliminations(expansion, limits)
}

/// Computes the marginals by one contraction tree; returns `None` if the tree takes more work than separate eliminations or exceeds
/// the memory.
fn from_one_tree(expansion: &Expansion, limits: &Limits) -> Result<Option<Marginals>, Error> {
    let mut encoding = Encoding::for_sums(expansion, expansion.targets())?;
    let variables = expansion.targets().iter();
    let variables: Option<Vec<VarId>> = variables.map(|&t| encoding.variable(t)).collect();
    let Some(variables) = variables else {
        return Ok(None);
    };
    let mut graph = encoding.take_graph();
    let entries: usize = graph.factors.iter().map(Factor::entries).sum();
    let mut within = |operations: f64| {
        let limits = limits.with_work_at_most(operations);
        marginals(&mut graph, &variables, &limits)
    };
    let found = match within(CHEAP_PLAN_OPERATIONS * entries as f64) {
        Err(EliminationError::TooManyOperations { needed, .. })
            if !is_cheaper_apart(expansion, limits, TREE_COST_FACTOR * needed)? =>
        {
            within(TREE_COST_FACTOR * needed)
        }
        found => found,
    };
    match found {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.is_budget() => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Computes the marginals by one elimination for each target, or the total weight by one elimination if there are no targets.
fn from_eliminations(expansion: &Expansion, limits: &Limits) -> Result<Marginals, Error> {
    let of = |targets: &[usize]| -> Result<Marginals, Error> {
        let mut encoding = Encoding::for_sums(expansion, targets)?;
        let keep = targets.iter().filter_map(|&t| encoding.variable(t));
        let keep: Vec<VarId> = keep.collect();
        let mut found = marginals(&mut encoding.take_graph(), &keep, limits)?;
        // A target without a variable has one value.
        found.shares.resize(targets.len(), vec![1.0]);
        Ok(found)
    };
    let mut targets = expansion.targets().chunks(1);
    let mut found = of(targets.next().unwrap_or_default())?;
    for target in targets {
        if found.log_total == f64::NEG_INFINITY {
            break;
        }
        found.shares.extend(of(target)?.shares);
    }
    Ok(found)
}

/// True if separate eliminations for the targets take fewer than `limit` operations in total.
fn is_cheaper_apart(expansion: &Expansion, limits: &Limits, limit: f64) -> Result<bool, Error> {
    let mut operations = 0.0;
    for &position in expansion.targets() {
        let encoding = Encoding::for_sums(expansion, &[position])?;
        let keep: Vec<_> = encoding.variable(position).into_iter().collect();
        operations += plan_cost::<SumProduct>(encoding.graph(), &keep, limits)?.operations;
        if operations >= limit {
            return Ok(false);
        }
    }
    Ok(true)
}
