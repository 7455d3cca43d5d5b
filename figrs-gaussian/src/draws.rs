//! Random draws of all variables of a hybrid factor graph.

use std::cell::RefCell;

use figrs_factor::Limits;
use figrs_factor::graph::{FactorGraph, Restriction};
use figrs_factor::tree::{ContractionTree, SampleQuery, SumProductPrecision, TreeBeliefs};
use nalgebra::DVector;
use rand::{Rng, RngExt};
use statrs::distribution::Normal;

use crate::elimination::Elimination;
use crate::error::GaussianError;

/// Independent draws of all variables of a hybrid factor graph from their joint distribution.
///
/// **Guarantee.** The draws are exact up to rounding.
///
/// **Complexity.** All draws together need one elimination of the finite variables. The time of a draw is linear in the number of entries of the
/// conditional distributions.
#[derive(Debug)]
pub struct HybridDraws<'e> {
    elimination: &'e Elimination<'e>,
    /// The messages of the elimination from which finite variables are drawn; `None` if the graph has no finite variables.
    finite: Option<FiniteDraws>,
}

#[derive(Debug)]
struct FiniteDraws {
    graph: FactorGraph,
    tree: ContractionTree,
    restriction: Option<Restriction>,
    sums: TreeBeliefs<SumProductPrecision>,
}

impl<'e> HybridDraws<'e> {
    /// Prepares draws by an elimination of the finite variables.
    ///
    /// **Errors.** [`GaussianError::Elimination`] if the elimination of the finite variables fails.
    pub fn new(elimination: &'e Elimination<'e>, limits: &Limits) -> Result<Self, GaussianError> {
        let mut graph = elimination.finite().clone();
        if graph.cardinalities.is_empty() {
            let finite = None;
            return Ok(Self {
                elimination,
                finite,
            });
        }
        let (tree, restriction) = ContractionTree::compile(&mut graph, limits)?;
        let mut sums = TreeBeliefs::new(&tree, &graph);
        sums.prepare((&tree, &graph), &[], &limits.until)?;
        Ok(Self {
            elimination,
            finite: Some(FiniteDraws {
                graph,
                tree,
                restriction,
                sums,
            }),
        })
    }

    /// Draws a value of each finite variable and of each vector; `None` if the product of the factors is zero everywhere.
    pub fn draw(&mut self, rng: &mut impl Rng) -> Option<(Vec<u32>, Vec<DVector<f64>>)> {
        let finite = self.draw_finite(rng)?;
        let normal = Normal::standard();
        let reals = self.elimination.reals(&finite, || rng.sample(normal));
        Some((finite, reals))
    }

    /// Draws a value of each finite variable; `None` if the product of the factors is zero everywhere.
    pub(crate) fn draw_finite(&mut self, rng: &mut impl Rng) -> Option<Vec<u32>> {
        match &mut self.finite {
            Some(finite) => finite.draw(rng),
            None => Some(Vec::new()),
        }
    }
}

impl FiniteDraws {
    fn draw(&mut self, rng: &mut impl Rng) -> Option<Vec<u32>> {
        let tree = &self.tree;
        let rng = RefCell::new(rng);
        let values = self
            .sums
            .ask(tree, &self.graph, SampleQuery { tree, rng })?;
        let values = tree.world(&values);
        Some(match &self.restriction {
            Some(restriction) => restriction.world(&values),
            None => values,
        })
    }
}
