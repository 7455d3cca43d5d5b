//! Exact marginals by variable elimination: variables are summed out one after another.

use std::sync::Arc;

use figrs_core::expand::{Encoding, Expansion};
use figrs_core::{AnyElement, Limits, Model, Parents};

use super::closed_form::{Collapse, collapse_setter, or_in_closed_form};
use super::question::Question;
use figrs_answer::answer::AnsweredModel;
use figrs_answer::{
    Algorithm, Answer, Error, Estimate, LogEvidence, TargetMarginal, conflict, setters,
};
use figrs_factor::algebra::{Semiring, SumProduct};
use figrs_factor::eliminate::{
    EliminationError, EliminationResult, PlanCost, eliminate, plan_cost, sum_product,
};
use figrs_factor::graph::{Factor, VarId};
use figrs_factor::tree::{self, Marginals};

/// Exact marginals and the probability of evidence, by variable elimination.
///
/// Elements on which neither targets nor evidence depend are omitted. The elimination order is chosen by the predicted number of non-zero entries;
/// functions and zeros therefore reduce the cost. Tables of variable elimination are rescaled to avoid underflow. If a positive number nevertheless
/// underflows, the variable elimination is repeated with logarithms. For several targets, one elimination with a backward pass computes all
/// marginals. If separate eliminations take less work, or if the messages exceed the memory, each target has its own elimination.
///
/// In `ExpectationMaximization`, the expected counts of outcomes are exact: they are derivatives of the sum over all worlds, which a contraction tree
/// computes. In `ExpectationMaximization`, variable elimination computes the same numbers as [`JunctionTree`](crate::JunctionTree), but within the
/// limits that are set for variable elimination.
///
/// **Guarantee.** The result is exact up to rounding, unless the setting `collapse` of the feature `reals` merged components of mixtures.
///
/// **Complexity.** Time and memory are linear in the number of non-zero entries of the largest product of factors. In the worst case, the number of
/// non-zero entries is exponential in the induced width of the elimination order. The marginals of several targets take three times the work of one
/// elimination of all factors that they need, or the work of one elimination for each target.
///
/// **Errors.** [`Error::ImpossibleEvidence`] for a query if no world agrees with the evidence; an error if the expansion of the model or the
/// elimination exceeds a limit; [`ModelError::NotFinite`](figrs_core::ModelError::NotFinite) at an unobserved continuous element.
///
/// **References.** Zhang and Poole (1996); Dechter (1999), "Bucket elimination".
///
/// ```
/// # use figrs_core::{Flip, Model};
/// # use figrs_exact::VariableElimination;
/// # use figrs_answer::Run;
/// let rain = Flip::new(0.2);
/// let wet = rain.flat_map(|&rain| Flip::new(if rain { 0.9 } else { 0.1 }));
/// let model = Model::new().observe(&wet, true);
/// let answer = VariableElimination::new().run(&model, &rain)?;
/// assert!((answer.probability(&rain, &true)? - 0.18 / 0.26).abs() < 1e-12);
/// # Ok::<(), figrs_answer::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct VariableElimination {
    pub(crate) limits: Limits,
    pub(crate) collapse: Collapse,
}

impl VariableElimination {
    /// Creates variable elimination with the default limits.
    pub fn new() -> Self {
        Self::default()
    }

    setters!(limits: limits);
    collapse_setter!(collapse);

    /// Returns the limits on the expansion of the model (the listing of all possible values) and on the elimination.
    #[doc(hidden)]
    pub fn own_limits(&self) -> &Limits {
        &self.limits
    }
}

impl VariableElimination {
    /// Returns the sum over all worlds of the product of the factors, in the semiring `S`.
    ///
    /// A world is an assignment of values to the targets, the elements with evidence, and the elements on which these elements depend. With
    /// [`Counting`](figrs_factor::algebra::Counting), the sum is the number of worlds that agree with the evidence.
    ///
    /// ```
    /// # use figrs_core::{Flip, Model, fold};
    /// # use figrs_factor::algebra::Counting;
    /// # use figrs_exact::VariableElimination;
    /// let coins: Vec<_> = (0..100).map(|_| Flip::new(0.5)).collect();
    /// let heads = fold(&coins, 0u32, |heads, &coin| heads + u32::from(coin));
    /// let model = Model::new().observe(&heads, 2);
    /// let count = VariableElimination::new().total::<Counting>(&model, &coins)?;
    /// assert_eq!(count.values[0].to_string(), "4950");
    /// # Ok::<(), figrs_answer::Error>(())
    /// ```
    pub fn total<S: Semiring>(
        &self,
        model: &Model,
        targets: impl Parents,
    ) -> Result<EliminationResult<S>, Error> {
        self.total_of(&Question::new(model, &targets.elements()))
    }

    /// Returns the sum over all worlds of a question (a model with targets), and may reuse the expansion (the lists of possible values) that another
    /// algorithm made of the model.
    pub(crate) fn total_of<S: Semiring>(
        &self,
        question: &Question<'_>,
    ) -> Result<EliminationResult<S>, Error> {
        let expansion = question.expand_for_worlds(&self.limits)?;
        if expansion.impossible().is_some() {
            return Ok(EliminationResult {
                values: vec![S::zero()],
                log_scale: 0.0,
                lost: false,
                cost: PlanCost::default(),
            });
        }
        conflict::check_failures(&expansion, &self.limits)?;
        let encoding = Encoding::for_worlds(&expansion)?;
        Ok(eliminate::<S>(encoding.graph(), &[], &self.limits)?)
    }
}

impl Algorithm for VariableElimination {
    fn name(&self) -> &'static str {
        "VariableElimination"
    }

    fn answer(&self, model: &Model, targets: &[AnyElement]) -> Result<Answer, Error> {
        self.answer_to(&Question::new(model, targets))
    }
}

impl VariableElimination {
    /// Answers a question (a model with targets), and may reuse the expansion (the lists of possible values) that another algorithm made of the
    /// model.
    pub(crate) fn answer_to(&self, question: &Question<'_>) -> Result<Answer, Error> {
        let (model, targets) = (question.model, question.targets);
        let found = question
            .expand(&self.limits)
            .and_then(|expansion| marginals(self.name(), model, targets, &expansion, &self.limits));
        let within = (&self.limits, self.collapse);
        or_in_closed_form(self.name(), (model, targets), within, found)
    }
}

pub(crate) fn marginals(
    algorithm: &'static str,
    model: &Model,
    targets: &[AnyElement],
    expansion: &Expansion,
    limits: &Limits,
) -> Result<Answer, Error> {
    let mut found = Marginals {
        log_total: f64::NEG_INFINITY,
        shares: Vec::new(),
    };
    if expansion.impossible().is_none() {
        conflict::check_failures(expansion, limits)?;
        found = target_marginals(expansion, limits)?;
    }
    if found.log_total == f64::NEG_INFINITY && !targets.is_empty() {
        return Err(conflict::impossible(model, targets, limits));
    }
    let marginals = targets
        .iter()
        .zip(expansion.targets())
        .zip(found.shares)
        .map(|((target, &position), probabilities)| TargetMarginal {
            element: target.clone(),
            support: expansion.elements()[position].support.clone(),
            probabilities,
            estimate: Estimate::Exact,
        });
    let evidence = LogEvidence::exact(found.log_total);
    let answer = Answer::marginals(algorithm, marginals.collect(), evidence);
    Ok(
        if expansion.is_complete() && expansion.impossible().is_none() {
            let model = (model, targets);
            let log_evidence = found.log_total;
            answer.with_answered(AnsweredModel::new(
                Arc::new((model.0.clone(), model.1.to_vec())),
                limits,
                expansion,
                log_evidence,
            ))
        } else {
            answer
        },
    )
}

/// If the elimination plan for all targets has fewer than this number of operations per factor entry, the plan is not compared with separate plans
/// for the targets, because its run takes less time than the search for them.
const CHEAP_PLAN_OPERATIONS: f64 = 64.0;
/// Cost of all marginals from one contraction tree, as a multiple of the cost of one elimination by the plan of the tree.
const TREE_COST_FACTOR: f64 = 3.0;

/// Computes the total weight of the worlds and the marginals of the targets of an expanded model. If the evidence is impossible, the computed
/// marginals are meaningless.
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
        tree::marginals(&mut graph, &variables, &limits)
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
        let encoding = Encoding::for_sums(expansion, targets)?;
        let keep = targets.iter().filter_map(|&t| encoding.variable(t));
        let keep: Vec<VarId> = keep.collect();
        let table = sum_product(encoding.graph(), &keep, limits)?;
        // A target without a variable has one value.
        let shares = if keep.is_empty() {
            vec![1.0]
        } else {
            table.probabilities
        };
        Ok(Marginals {
            log_total: table.log_total,
            shares: vec![shares; targets.len()],
        })
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
