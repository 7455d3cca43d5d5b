//! Exact marginals of several targets: from one contraction tree for all of them, or by one elimination for each.

use figrs_core::expand::{Encoding, Expansion};
use figrs_factor::graph::{Factor, VarId};

use figrs_answer::error::Error;
use figrs_answer::limits::Limits;
use figrs_factor::algebra::SumProduct;
use figrs_factor::eliminate::{EliminationError, Options, plan_cost, sum_product};
use figrs_factor::tree::{ContractionTree, SumProductPrecision, TreeBeliefs};

/// Operations per entry of the factors up to which a plan for all targets is taken without planning for each of them: such a plan takes less time to execute
/// than to make.
const CHEAP_PLAN_OPERATIONS: f64 = 64.0;
/// Cost of all marginals from one tree, as a number of eliminations by its plan.
const TREE_COST_FACTOR: f64 = 3.0;

/// The probability of the evidence, and the distributions of some elements given it.
pub(crate) struct Marginals {
    pub(crate) log_evidence: f64,
    /// Probabilities of the values of each target; not meaningful where the evidence is impossible.
    pub(crate) targets: Vec<Vec<f64>>,
}

impl Marginals {
    /// The marginals of the targets of an expansion.
    ///
    /// All marginals are read from one tree, unless separate eliminations of the parts that the targets need take less work
    /// than one of all parts together, or the tree, which keeps all messages, takes more memory than allowed: then each has
    /// a separate elimination.
    pub(crate) fn new(expansion: &Expansion, limits: &Limits) -> Result<Self, Error> {
        if expansion.targets().len() > 1
            && let Some(found) = Self::from_one_tree(expansion, &limits.options)?
        {
            return Ok(found);
        }
        Self::from_eliminations(expansion, &limits.options)
    }

    /// The marginals from one tree; `None` if that costs more than separate eliminations or does not fit.
    fn from_one_tree(expansion: &Expansion, options: &Options) -> Result<Option<Self>, Error> {
        let mut encoding = Encoding::for_sums(expansion, expansion.targets())?;
        let variables = expansion.targets().iter();
        let variables: Option<Vec<VarId>> = variables.map(|&t| encoding.variable(t)).collect();
        let Some(variables) = variables else {
            return Ok(None);
        };
        let mut graph = encoding.take_graph();
        let entries: usize = graph.factors.iter().map(Factor::entries).sum();
        let compiled = match ContractionTree::compile(
            &mut graph,
            &options.with_operations_at_most(CHEAP_PLAN_OPERATIONS * entries as f64),
        ) {
            Err(EliminationError::TooManyOperations { needed, .. })
                if !is_cheaper_apart(expansion, options, TREE_COST_FACTOR * needed)? =>
            {
                ContractionTree::compile(
                    &mut graph,
                    &options.with_operations_at_most(TREE_COST_FACTOR * needed),
                )
            }
            compiled => compiled,
        };
        let (tree, restriction) = match compiled {
            Ok(compiled) => compiled,
            Err(error) if error.is_budget() => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let mut sums: TreeBeliefs<SumProductPrecision> = TreeBeliefs::new(&tree, &graph);
        sums.prepare((&tree, &graph), &variables, options.end())?;
        let log_evidence = sums.log_total(&tree, &graph);
        let mut targets = sums.marginals(&tree, &graph, &variables);
        for ((marginal, v), &position) in
            targets.iter_mut().zip(&variables).zip(expansion.targets())
        {
            if let Some(restriction) = &restriction {
                let n = expansion.elements()[position].support.len();
                *marginal = restriction.shares_of_all(*v, n, std::mem::take(marginal));
            }
        }
        Ok(Some(Self {
            log_evidence,
            targets,
        }))
    }

    /// The marginals by one elimination for each target, or one for the evidence if there are no targets.
    fn from_eliminations(expansion: &Expansion, options: &Options) -> Result<Self, Error> {
        let mut found = Self {
            log_evidence: f64::NEG_INFINITY,
            targets: Vec::with_capacity(expansion.targets().len()),
        };
        if expansion.targets().is_empty() {
            let encoding = Encoding::for_sums(expansion, &[])?;
            found.log_evidence = sum_product(encoding.graph(), &[], options)?.log_total;
        }
        for (i, &position) in expansion.targets().iter().enumerate() {
            let encoding = Encoding::for_sums(expansion, &[position])?;
            let keep: Vec<_> = encoding.variable(position).into_iter().collect();
            let marginal = sum_product(encoding.graph(), &keep, options)?;
            if i == 0 {
                found.log_evidence = marginal.log_total;
            }
            if found.log_evidence == f64::NEG_INFINITY {
                break;
            }
            found.targets.push(marginal.probabilities);
        }
        Ok(found)
    }
}

/// True if one elimination for each target takes fewer than `limit` operations in total.
fn is_cheaper_apart(expansion: &Expansion, options: &Options, limit: f64) -> Result<bool, Error> {
    let mut operations = 0.0;
    for &position in expansion.targets() {
        let encoding = Encoding::for_sums(expansion, &[position])?;
        let keep: Vec<_> = encoding.variable(position).into_iter().collect();
        operations += plan_cost::<SumProduct>(encoding.graph(), &keep, options)?.operations;
        if operations >= limit {
            return Ok(false);
        }
    }
    Ok(true)
}
