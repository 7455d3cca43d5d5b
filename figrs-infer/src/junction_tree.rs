//! All marginals at once, and a compiled form of a model to ask again and again.

use figrs_core::expand::Budget;
use figrs_core::{AnyElement, Model, Parents};

use crate::algorithm::Algorithm;
use crate::answer::Answer;
use crate::compiled_tree::CompiledTree;
use crate::eliminate::Options;
use crate::error::Error;
use crate::limits::Limits;

/// Exact marginals of all targets by messages up and down a junction tree.
///
/// The tree is one elimination of all variables, divided into steps of two tables each. A pass up gives the
/// probability of the evidence, a pass down the derivative by each table, and with it every marginal: all of
/// them for the price of three eliminations, where [`VariableElimination`](crate::VariableElimination) does one for
/// each target. [`compile`](Self::compile) keeps the tree: see [`CompiledTree`].
///
/// **Guarantee.** Exact up to rounding, without underflow.
///
/// **Complexity.** Time and memory linear in the entries of all cliques, less what zeros save; exponential in the
/// width of the order at worst.
///
/// **Errors.** As [`VariableElimination`](crate::VariableElimination).
///
/// **References.** Shenoy and Shafer (1990); Darwiche (2003), "A differential approach to inference in Bayesian networks".
///
/// ```
/// # use figrs_core::{Flip, Model};
/// # use figrs_infer::{JunctionTree, Run};
/// let rain = Flip::new(0.2);
/// let wet = rain.flat_map(|&rain| Flip::new(if rain { 0.9 } else { 0.1 }));
/// let model = Model::new().observe(&wet, true);
/// let answer = JunctionTree::new().run(&model, &rain)?;
/// assert!((answer.probability(&rain, &true)? - 0.18 / 0.26).abs() < 1e-12);
/// # Ok::<(), figrs_infer::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct JunctionTree {
    limits: Limits,
    varying: Vec<AnyElement>,
}

impl JunctionTree {
    /// With the default budgets.
    pub fn new() -> Self {
        Self::default()
    }

    /// Limits the expansion of the model.
    pub fn budget(mut self, budget: Budget) -> Self {
        self.limits.budget = budget;
        self
    }

    /// Sets the order and the limits of the elimination.
    pub fn options(mut self, options: Options) -> Self {
        self.limits.options = options;
        self
    }

    /// Limits how many threads share the work of large cliques, by default all cores. The answers are the same, bit by
    /// bit, on any number.
    pub fn threads(mut self, threads: std::num::NonZero<usize>) -> Self {
        self.limits.threads = Some(threads);
        self
    }

    /// Declares elements whose evidence may change after compilation. Evidence on others is compiled in, which prunes.
    pub fn varying(mut self, elements: impl Parents) -> Self {
        self.varying.extend(elements.elements());
        self
    }

    /// Compiles a model for the distributions of `targets`, of the varying elements, and of whole worlds.
    pub fn compile(&self, model: &Model, targets: impl Parents) -> Result<CompiledTree, Error> {
        CompiledTree::new(
            model,
            targets.elements(),
            self.varying.clone(),
            self.limits.clone(),
        )
    }
}

impl Algorithm for JunctionTree {
    fn name(&self) -> &'static str {
        "JunctionTree"
    }

    fn answer(&self, model: &Model, targets: &[AnyElement]) -> Result<Answer, Error> {
        let varying = self.varying.clone();
        CompiledTree::new(model, targets.to_vec(), varying, self.limits.clone())?.answer()
    }
}
