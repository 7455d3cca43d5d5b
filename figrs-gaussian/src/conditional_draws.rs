//! Random draws of all variables of a hybrid factor graph, given the value of one finite variable.

use std::cell::RefCell;

use figrs_factor::Limits;
use figrs_factor::eliminate::Plan;
use figrs_factor::graph::{Factor, FactorGraph, FactorTable, VarId, Weights};
use figrs_factor::tree::{
    ContractionTree, SampleQuery, SumProductPrecision, Thresholds, TreeBeliefs,
};
use nalgebra::DVector;
use rand::{Rng, RngExt};
use statrs::distribution::Normal;

use crate::elimination::Elimination;
use crate::error::GaussianError;

/// Draws of all variables of a hybrid factor graph from their conditional distribution given a finite variable, whose value is chosen for each draw.
///
/// **Guarantee.** The draws are exact up to rounding.
///
/// **Complexity.** All draws together need one plan for the elimination of the finite variables. A draw repeats a part of the elimination if the
/// given value of the finite variable differs from that of the previous draw.
#[derive(Debug)]
pub struct ConditionalDraws<'e> {
    elimination: &'e Elimination<'e>,
    finite: FiniteDraws,
}

#[derive(Debug)]
enum FiniteDraws {
    /// The finite variable whose value is given is the only finite variable of the graph. The list has `true` for each value of the given finite
    /// variable that has a positive probability.
    Alone(Vec<bool>),
    WithOthers(Box<OtherDraws>),
}

/// The messages from which all finite variables except the given variable are drawn.
#[derive(Debug)]
struct OtherDraws {
    /// The finite factor graph, whose last factor fixes the value of the given variable.
    graph: FactorGraph,
    tree: ContractionTree,
    sums: TreeBeliefs<SumProductPrecision>,
    /// The value to which the given variable is fixed; `None` before the first draw.
    value: Option<u32>,
}

impl<'e> ConditionalDraws<'e> {
    /// Prepares draws given values of the finite variable `variable`.
    ///
    /// **Errors.** [`GaussianError::Elimination`] if the elimination of the finite variables fails.
    pub fn new(
        elimination: &'e Elimination<'e>,
        variable: VarId,
        limits: &Limits,
    ) -> Result<Self, GaussianError> {
        let finite = if elimination.finite().cardinalities.len() == 1 {
            let totals = elimination.log_totals(variable, limits)?;
            FiniteDraws::Alone(totals.iter().map(|log| *log > f64::NEG_INFINITY).collect())
        } else {
            let others = OtherDraws::new(elimination.finite().clone(), variable, limits)?;
            FiniteDraws::WithOthers(Box::new(others))
        };
        Ok(Self {
            elimination,
            finite,
        })
    }

    /// Draws a value of each finite variable and of each vector, given the value `value` of the given finite variable; `None` if this value is
    /// impossible.
    pub fn draw(
        &mut self,
        value: u32,
        rng: &mut impl Rng,
    ) -> Option<(Vec<u32>, Vec<DVector<f64>>)> {
        let finite = match &mut self.finite {
            FiniteDraws::Alone(possible) => possible[value as usize].then(|| vec![value])?,
            FiniteDraws::WithOthers(others) => others.draw(value, rng)?,
        };
        let normal = Normal::standard();
        let reals = self.elimination.reals(&finite, || rng.sample(normal));
        Some((finite, reals))
    }
}

impl OtherDraws {
    fn new(
        mut graph: FactorGraph,
        variable: VarId,
        limits: &Limits,
    ) -> Result<Self, GaussianError> {
        let all = vec![1.0; graph.cardinality(variable)];
        graph.factors.push(Factor {
            variables: vec![variable],
            table: FactorTable::Dense(Weights::from_linear(all)),
            normalised: false,
        });
        // The plan keeps all values, also those that zeros of the factors exclude.
        let plan = Plan::new(&graph, &[], limits, false)?;
        let tree = ContractionTree::of_plan(&graph, plan, limits, Thresholds::default())?;
        Ok(Self {
            sums: TreeBeliefs::new(&tree, &graph),
            graph,
            tree,
            value: None,
        })
    }

    fn draw(&mut self, value: u32, rng: &mut impl Rng) -> Option<Vec<u32>> {
        if self.value.replace(value) != Some(value) {
            let last = self.graph.factors.len() - 1;
            if let FactorTable::Dense(weights) = &mut self.graph.factors[last].table {
                let mut shares = vec![0.0; weights.len()];
                shares[value as usize] = 1.0;
                *weights = Weights::from_linear(shares);
            }
            self.sums.reload(&self.tree, &self.graph, &[last]);
        }
        let tree = &self.tree;
        let rng = RefCell::new(rng);
        let values = self
            .sums
            .ask(tree, &self.graph, SampleQuery { tree, rng })?;
        Some(tree.world(&values))
    }
}
