//! The expectation step by a contraction tree, which is compiled once for all rows of data.

use std::sync::Arc;

use figrs_core::expand::Encoding;
use figrs_core::{Limits, Model, Until};
use figrs_factor::graph::FactorGraph;

use super::case_table::CaseTable;
use super::expected_counts::{ExpectedCounts, PreparedStep};
use super::learning_expansion::LearningExpansion;
use super::row_factors::{FactorGraphStep, LoadedRow, RowCounter, RowFactors};
use super::statement_factors::StatementFactors;
use figrs_answer::error::Error;
use figrs_answer::run::mergeable_sampler::settings_text;
use figrs_exact::junction_tree::compiled_encoding::{CompiledEncoding, PreviousTree};
use figrs_exact::{JunctionTree, VariableElimination};
use figrs_factor::tree::{ContractionTree, CountingTree, SumProductPrecision, TreeBeliefs};

/// Compiles the factor graph of a model, expanded into lists of possible values, for learning. Each column of data gets a factor for its evidence,
/// which changes from row to row.
pub(super) fn compiled_rows(
    expanded: LearningExpansion,
    encoding: Encoding,
    cases: &CaseTable,
    limits: &Limits,
) -> Result<(RowFactors, Arc<ContractionTree>), Error> {
    let compiled = CompiledEncoding::new(
        PreviousTree::None,
        &expanded.expansion,
        encoding,
        expanded.expansion.targets(),
        limits,
    )?;
    let tree = compiled.tree().clone();
    let statements = StatementFactors::Compiled(Box::new(compiled));
    Ok((RowFactors::new(expanded, statements, cases)?, tree))
}

/// Creates an expectation step whose expected counts are derivatives of a contraction tree. The contraction tree is compiled once for all rows of
/// data.
fn step(model: &Model, cases: &CaseTable, limits: &Limits) -> PreparedStep {
    let expanded = LearningExpansion::new(model, cases, limits)?;
    let encoding = Encoding::for_sums(&expanded.expansion, expanded.expansion.targets())?;
    let (rows, tree) = compiled_rows(expanded, encoding, cases, limits)?;
    let counter = CountingTree::new(&tree, rows.graph());
    Ok(Box::new(FactorGraphStep { rows, counter }))
}

/// Returns the expectation step in closed form for a model of real numbers, if the feature `reals` is on; otherwise returns the expectation step for
/// models with finitely many values.
#[cfg_attr(
    not(feature = "reals"),
    allow(unused_variables, clippy::needless_pass_by_value)
)]
fn with_reals(
    finite: PreparedStep,
    (model, cases): (&Model, &CaseTable),
    limits: Limits,
) -> PreparedStep {
    #[cfg(feature = "reals")]
    let finite = super::closed_form_counts::step_with_reals(finite, (model, cases), || limits);
    finite
}

impl RowCounter for CountingTree {
    type Worker = TreeBeliefs<SumProductPrecision>;

    fn is_exact(&self) -> bool {
        true
    }

    fn worker(&self, graph: &FactorGraph) -> Self::Worker {
        TreeBeliefs::new(self.tree(), graph)
    }

    fn count(
        &self,
        sums: &mut Self::Worker,
        row: &LoadedRow<'_>,
        count: impl FnMut(u32, f64),
    ) -> Result<Option<f64>, Error> {
        sums.reload(self.tree(), row.graph, row.changed);
        Ok(Some(Self::count(self, sums, row.graph, count)))
    }
}

/// Implements [`ExpectedCounts`] by a contraction tree for an exact algorithm.
macro_rules! tree_counts {
    ($algorithm:ident) => {
        impl ExpectedCounts for $algorithm {
            fn prepare(&self, model: &Model, cases: &CaseTable, until: &Until) -> PreparedStep {
                let limits = self.own_limits().until(until);
                with_reals(step(model, cases, &limits), (model, cases), limits)
            }

            fn counting_settings(&self) -> String {
                let limits = settings_text!(self.own_limits(), threads);
                format!("{}: {limits}", stringify!($algorithm))
            }
        }
    };
}
tree_counts!(JunctionTree);
tree_counts!(VariableElimination);
