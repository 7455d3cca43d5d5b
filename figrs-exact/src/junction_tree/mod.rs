//! Junction trees: the marginals of all targets by two passes of messages, and a compiled form of a model that answers many queries.

pub mod compiled_encoding;
mod compiled_joint;
pub(crate) mod compiled_tree;
pub(crate) mod elimination_tree;
pub(crate) mod saved_tree;

use crate::closed_form::{Collapse, collapse_setter, or_in_closed_form};
use crate::compiled_problem::CompiledProblem;
use crate::question::Question;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use figrs_core::expand::Encoding;
use figrs_core::{AnyElement, Limits, Model, Parents};

use figrs_factor::algebra::SumProduct;
use figrs_factor::eliminate::{BarrenFactors, PlanCost, plan_cost};

use compiled_tree::CompiledTree;
use saved_tree::SavedTree;

use crate::compiled::Compiled;
use figrs_answer::{Algorithm, Answer, Error, expand, guarded, setters};

/// Exact marginals of all targets by messages on a junction tree, from the leaves to the root and back.
///
/// A junction tree represents one elimination of all variables; each step multiplies two tables, or several sparse tables. A pass from the leaves to
/// the root of the junction tree computes the probability of the evidence. A pass from the root to the leaves of the junction tree computes the
/// derivatives of the probability of the evidence with respect to all table entries. The marginals follow from the derivatives of the probability of
/// the evidence with respect to the table entries. The marginals of all targets together take the time of three variable eliminations; without the
/// junction tree, each target would take one elimination. [`compile`](Self::compile) stores the junction tree for further queries: see
/// [`CompiledTree`].
///
/// **Guarantee.** The result is exact up to rounding, without underflow, unless the setting `collapse` of the feature `reals` merged components of
/// mixtures.
///
/// **Complexity.** Time and memory are linear in the number of entries of the tables of all cliques, not counting omitted zeros. In the worst case,
/// the number of table entries is exponential in the width of the elimination order.
///
/// **Errors.** The errors of [`VariableElimination`](crate::VariableElimination).
///
/// **References.** Shenoy and Shafer (1990); Darwiche (2003), "A differential approach to inference in Bayesian networks".
///
/// ```
/// # use figrs_core::{Flip, Model};
/// # use figrs_exact::JunctionTree;
/// # use figrs_answer::Run;
/// let rain = Flip::new(0.2);
/// let wet = rain.flat_map(|&rain| Flip::new(if rain { 0.9 } else { 0.1 }));
/// let model = Model::new().observe(&wet, true);
/// let answer = JunctionTree::new().run(&model, &rain)?;
/// assert!((answer.probability(&rain, &true)? - 0.18 / 0.26).abs() < 1e-12);
/// # Ok::<(), figrs_answer::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct JunctionTree {
    limits: Limits,
    varying: Vec<AnyElement>,
    collapse: Collapse,
}

impl JunctionTree {
    /// Creates a junction tree compiler with the default limits.
    pub fn new() -> Self {
        Self::default()
    }

    setters!(limits: limits);

    setters!(threads: limits.threads);

    collapse_setter!(collapse);

    /// If `flag` becomes `true`, the compilation ends with [`Error::NothingDone`], and passes over the compiled tree end with an error; see
    /// [`CompiledTree::interrupt`].
    pub fn interrupt(mut self, flag: Arc<AtomicBool>) -> Self {
        self.limits = self.limits.interrupted_by(flag);
        self
    }

    /// Returns the limits on the expansion of the model (the listing of all possible values) and on the elimination.
    #[doc(hidden)]
    pub fn own_limits(&self) -> &Limits {
        &self.limits
    }

    /// Declares further elements as varying: their evidence may change after compilation. Evidence on all other elements is fixed
    /// at compilation and makes the tree smaller.
    pub fn varying(mut self, elements: impl Parents) -> Self {
        self.varying.extend(elements.elements());
        self
    }

    /// Predicts the cost of compiling a model for the given targets, even if the cost exceeds the limits. The predicted cost consists of the width of
    /// the elimination order, the number of operations and the memory.
    ///
    /// **Errors.** The errors of the expansion of the model (the listing of all possible values).
    pub fn cost(&self, model: &Model, targets: impl Parents) -> Result<PlanCost, Error> {
        let targets = targets.elements();
        let roots: Vec<AnyElement> = targets.iter().chain(&self.varying).cloned().collect();
        let expansion = guarded(|| expand(&self.limits, model, &roots))?;
        if expansion.impossible().is_some() {
            return Ok(PlanCost::default());
        }
        let encoding = Encoding::for_sums(&expansion, expansion.targets())?;
        let limits = self.limits.clone().barren(BarrenFactors::Compute);
        Ok(plan_cost::<SumProduct>(encoding.graph(), &[], &limits)?)
    }

    /// Restores a tree that [`CompiledTree::save`] saved, for the same model, the same targets and the same varying elements (elements whose evidence
    /// may change). The model is expanded into lists of values again, but no elimination order is searched for.
    ///
    /// **Errors.** [`Error::Saved`] if the saved tree belongs to another model or is damaged.
    pub fn restore(
        &self,
        model: &Model,
        targets: impl Parents,
        saved: &SavedTree,
    ) -> Result<CompiledTree, Error> {
        self.tree(model, targets.elements(), Some(saved))
    }

    fn tree(
        &self,
        model: &Model,
        targets: Vec<AnyElement>,
        saved: Option<&SavedTree>,
    ) -> Result<CompiledTree, Error> {
        let problem = self.problem(model, targets);
        let roots = problem.roots();
        self.tree_for(problem, &Question::new(model, &roots), saved)
    }

    fn problem(&self, model: &Model, targets: Vec<AnyElement>) -> CompiledProblem {
        let (varying, limits) = (self.varying.clone(), self.limits.clone());
        CompiledProblem::new(self.name(), model, targets, varying, limits)
    }

    /// Compiles the junction tree for queries about the targets of a model and about the elements whose evidence may change.
    fn tree_for(
        &self,
        problem: CompiledProblem,
        question: &Question<'_>,
        saved: Option<&SavedTree>,
    ) -> Result<CompiledTree, Error> {
        let tree = guarded(|| CompiledTree::new(problem, question, saved));
        tree.map_err(|error| match error {
            stopped if stopped.is_stopped() => Error::NothingDone {
                algorithm: self.name(),
            },
            other => other,
        })
    }

    /// Compiles a model, for queries about the distributions of `targets` and of the varying elements (elements whose evidence may change), and about
    /// whole worlds.
    ///
    /// If a target or a varying element depends on a [`Score`](figrs_core::Score), the `Score` multiplies the weights of worlds.
    ///
    /// **Errors.** The errors of [`JunctionTree`], except that impossible evidence is not an error at compilation.
    pub fn compile(&self, model: &Model, targets: impl Parents) -> Result<CompiledTree, Error> {
        self.tree(model, targets.elements(), None)
    }
}

impl Algorithm for JunctionTree {
    fn name(&self) -> &'static str {
        "JunctionTree"
    }

    fn answer(&self, model: &Model, targets: &[AnyElement]) -> Result<Answer, Error> {
        let found = self.tree(model, targets.to_vec(), None);
        let found = found.and_then(|tree| tree.answer());
        let within = (&self.limits, self.collapse);
        or_in_closed_form(self.name(), (model, targets), within, found)
    }
}

impl JunctionTree {
    /// Compiles a question (a model with targets) whose evidence does not change, and may reuse the expansion (the lists of possible values) that
    /// another algorithm made of the model.
    pub(crate) fn compile_question(&self, question: &Question<'_>) -> Result<CompiledTree, Error> {
        let problem = self.problem(question.model, question.targets.to_vec());
        self.tree_for(problem, question, None)
    }
}
