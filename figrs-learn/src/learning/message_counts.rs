//! The expectation step by belief propagation on each row of data.

use figrs_core::{Model, Until};
use figrs_factor::graph::FactorGraph;

use super::case_table::CaseTable;
use super::expected_counts::{ExpectedCounts, PreparedStep};
use super::learning_expansion::LearningExpansion;
use super::row_factors::{FactorGraphStep, LoadedRow, RowCounter, RowFactors};
use figrs_answer::error::Error;
use figrs_exact::belief_propagation::BeliefPropagation;

impl RowCounter for BeliefPropagation {
    type Worker = ();

    fn is_exact(&self) -> bool {
        false
    }

    fn worker(&self, _: &FactorGraph) {}

    fn count(
        &self,
        (): &mut (),
        row: &LoadedRow<'_>,
        count: impl FnMut(u32, f64),
    ) -> Result<Option<f64>, Error> {
        let watching = self.watch().start_within("BeliefPropagation", row.until);
        self.origin_counts(row.graph, &watching, count)
    }
}

impl ExpectedCounts for BeliefPropagation {
    fn prepare(&self, model: &Model, cases: &CaseTable, until: &Until) -> PreparedStep {
        self.check_settings()?;
        self.watch().refuse_within("BeliefPropagation")?;
        let limits = self.limits().until(until);
        let expanded = LearningExpansion::new(model, cases, &limits)?;
        let rows = RowFactors::for_sums(expanded, cases)?;
        let counter = self.clone();
        Ok(Box::new(FactorGraphStep { rows, counter }))
    }

    fn counting_settings(&self) -> String {
        self.settings()
    }
}
