//! Marginal MAP: the most probable joint values of some elements, after all other elements are summed out.

use figrs_core::expand::{Encoding, Expansion};
use figrs_core::{AnyElement, Limits, Model, Parents};
use figrs_factor::graph::VarId;

use figrs_answer::algorithm::Algorithm;
use figrs_answer::answer::Answer;
use figrs_answer::conflict;
use figrs_answer::error::Error;
use figrs_answer::limits::expand;
use figrs_answer::run::guard::guarded;
use figrs_answer::setters;
use figrs_factor::eliminate::{EliminationError, MarginalMapCost, marginal_map, marginal_map_cost};

/// Marginal MAP: the most probable joint values of the targets, summed over all other elements.
///
/// The result may differ from the most probable value of each single target, and from the targets' values in the most probable
/// world ([`MpeVariableElimination`](crate::MpeVariableElimination)). The answer has the values of the targets, and the
/// log-probability of the targets' values together with the evidence.
///
/// **Guarantee.** The result is exact up to rounding. Of equally probable values of a target, the one that comes first in its
/// support is chosen; the targets are maximised in an order that is fixed for each model.
///
/// **Complexity.** All elements that are not targets are summed out before the targets are maximised, which may take far more work
/// than a sum or a maximum alone. The work is exponential in the width of the best elimination order among those that sum before
/// they maximise. No table joins all targets. [`cost`](Self::cost) predicts the work of the sum and of the maximisation before
/// they run.
///
/// **Errors.** The errors of [`VariableElimination`](crate::VariableElimination); a stage (the sum or the maximisation) that
/// exceeds a limit is refused before it starts.
///
/// **References.** Park and Darwiche (2004), "Complexity results and approximation strategies for MAP explanations".
///
/// ```
/// # use figrs_core::{Constant, Flip, If, Model, Uniform};
/// # use figrs_exact::MarginalMap;
/// # use figrs_answer::Run;
/// let a = Flip::new(0.6);
/// let c = If::new(&a, Uniform::new(1..=10), Constant::new(0));
/// // The most probable world has no `a`: it is split among ten values of `c`, which do not matter here.
/// let answer = MarginalMap::new().run(&Model::new(), &a)?;
/// assert!(answer.most_likely_value(&a)?);
/// assert!((answer.log_probability()?.exp() - 0.6).abs() < 1e-12);
/// # Ok::<(), figrs_answer::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct MarginalMap {
    limits: Limits,
}

/// The factor graph of the targets and the evidence, with the variables of the targets.
struct MarginalMapEncoding {
    expansion: Expansion,
    encoding: Encoding,
    keep: Vec<VarId>,
}

impl MarginalMap {
    /// Name of the algorithm; an assignment in an answer with this name stands for the sum of many worlds.
    pub const NAME: &'static str = "MarginalMap";

    /// Creates a marginal MAP search with the default limits.
    pub fn new() -> Self {
        Self::default()
    }

    setters!(limits: limits);

    /// Predicts the cost of the two stages (the sum and the maximisation), even if they exceed the limits.
    ///
    /// ```
    /// # use figrs_core::{Flip, Model};
    /// # use figrs_exact::MarginalMap;
    /// let coins: Vec<_> = (0..50).map(|_| Flip::new(0.5)).collect();
    /// let cost = MarginalMap::new().cost(&Model::new(), &coins)?;
    /// assert_eq!(cost.maximum.width, 1);
    /// # Ok::<(), figrs_answer::Error>(())
    /// ```
    pub fn cost(&self, model: &Model, targets: impl Parents) -> Result<MarginalMapCost, Error> {
        let targets = targets.elements();
        let Some(question) = guarded(|| self.question(model, &targets))? else {
            return Ok(MarginalMapCost::default());
        };
        let graph = question.encoding.graph();
        Ok(marginal_map_cost(graph, &question.keep, &self.limits)?)
    }

    /// Returns the factor graph for the targets; `None` if the evidence is impossible.
    fn question(
        &self,
        model: &Model,
        targets: &[AnyElement],
    ) -> Result<Option<MarginalMapEncoding>, Error> {
        let expansion = expand(&self.limits, model, targets)?;
        if expansion.impossible().is_some() {
            return Ok(None);
        }
        let encoding = Encoding::for_sums(&expansion, expansion.targets())?;
        let variable = |&position: &usize| encoding.variable(position);
        let mut keep: Vec<VarId> = expansion.targets().iter().filter_map(variable).collect();
        keep.sort_unstable();
        keep.dedup();
        Ok(Some(MarginalMapEncoding {
            expansion,
            encoding,
            keep,
        }))
    }
}

impl Algorithm for MarginalMap {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn answer(&self, model: &Model, targets: &[AnyElement]) -> Result<Answer, Error> {
        let impossible = || conflict::impossible(model, targets, &self.limits);
        let Some(question) = self.question(model, targets)? else {
            return Err(impossible());
        };
        let MarginalMapEncoding {
            expansion,
            encoding,
            keep,
        } = question;
        conflict::check_failures(&expansion, &self.limits)?;
        let graph = encoding.graph();
        let (best, log_probability) = match marginal_map(graph, &keep, &self.limits) {
            Ok(found) => found,
            Err(EliminationError::Impossible) => return Err(impossible()),
            Err(error) => return Err(error.into()),
        };
        let mut world = vec![0; graph.cardinalities.len()];
        for (v, value) in keep.iter().zip(best) {
            world[v.index()] = value;
        }
        let values = targets.iter().filter_map(|target| {
            let value = encoding.value(&expansion, target, &world)?;
            Some((target.clone(), value))
        });
        Ok(Answer::world(self.name(), values, log_probability))
    }
}
