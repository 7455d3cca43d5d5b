//! The expectation step of hard expectation-maximisation: the most probable completion of each row of data.

use std::sync::Arc;

use figrs_core::expand::Encoding;
use figrs_core::{Model, Until};
use figrs_factor::graph::FactorGraph;

use super::case_table::CaseTable;
use super::expected_counts::{ExpectedCounts, PreparedStep};
use super::learning_expansion::LearningExpansion;
use super::row_factors::{FactorGraphStep, LoadedRow, OriginFactors, RowCounter};
use super::tree_counts::compiled_rows;
use figrs_answer::error::Error;
use figrs_answer::run::mergeable_sampler::settings_text;
use figrs_exact::mpe::MpeVariableElimination;
use figrs_factor::eliminate::log_weight;
use figrs_factor::tree::{ContractionTree, KBestQuery, MaxProductPrecision, TreeBeliefs};

/// The contraction tree that finds the most probable completion of a row of data. The contraction tree is compiled once for all rows of data.
#[derive(Debug)]
struct Completions {
    tree: Arc<ContractionTree>,
    counted: OriginFactors,
}

impl RowCounter for Completions {
    type Worker = TreeBeliefs<MaxProductPrecision>;

    fn is_exact(&self) -> bool {
        false
    }

    fn worker(&self, graph: &FactorGraph) -> Self::Worker {
        TreeBeliefs::new(&self.tree, graph)
    }

    fn count(
        &self,
        maxima: &mut Self::Worker,
        row: &LoadedRow<'_>,
        mut count: impl FnMut(u32, f64),
    ) -> Result<Option<f64>, Error> {
        let tree = &*self.tree;
        maxima.reload(tree, row.graph, row.changed);
        let best = maxima.ask(tree, row.graph, KBestQuery { tree, count: 1 });
        let Some(best) = best.first() else {
            return Ok(Some(f64::NEG_INFINITY));
        };
        let world = tree.world(best);
        self.counted
            .each(row.graph, &world, |origin| count(origin, 1.0));
        Ok(Some(log_weight(row.graph, &world)))
    }
}

impl ExpectedCounts for MpeVariableElimination {
    fn prepare(&self, model: &Model, cases: &CaseTable, until: &Until) -> PreparedStep {
        let limits = self.own_limits().until(until);
        let expanded = LearningExpansion::new(model, cases, &limits)?;
        let encoding = Encoding::for_worlds(&expanded.expansion)?;
        let (rows, tree) = compiled_rows(expanded, encoding, cases, &limits)?;
        let counter = Completions {
            counted: OriginFactors::new(rows.graph()),
            tree,
        };
        Ok(Box::new(FactorGraphStep { rows, counter }))
    }

    fn counting_settings(&self) -> String {
        format!(
            "MpeVariableElimination: {}",
            settings_text!(self.own_limits(), threads)
        )
    }
}
