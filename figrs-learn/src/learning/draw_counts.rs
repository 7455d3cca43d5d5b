//! The expectation step by Gibbs sampling: expected counts are frequencies of outcomes among draws.

use figrs_core::{Model, Until};
use figrs_factor::graph::FactorGraph;

use super::case_error::unmet_case;
use super::case_table::CaseTable;
use super::expected_counts::{ExpectedCounts, PreparedStep};
use super::learning_expansion::LearningExpansion;
use super::row_factors::{FactorGraphStep, LoadedRow, OriginFactors, RowCounter, RowFactors};
use figrs_answer::{Error, MergeableSampler};
use figrs_infer::mcmc::gibbs::{AssignmentDraws, Gibbs};

#[derive(Debug)]
struct DrawCounts {
    sampler: Gibbs,
    counted: OriginFactors,
    outcomes: usize,
}

impl RowCounter for DrawCounts {
    /// For each counted outcome, the number of draws of the Gibbs chains in which the outcome occurs.
    type Worker = Vec<u64>;

    fn is_exact(&self) -> bool {
        false
    }

    fn worker(&self, _: &FactorGraph) -> Self::Worker {
        vec![0; self.outcomes]
    }

    fn count(
        &self,
        numbers: &mut Self::Worker,
        row: &LoadedRow<'_>,
        mut count: impl FnMut(u32, f64),
    ) -> Result<Option<f64>, Error> {
        numbers.fill(0);
        let visit = |values: &[u32]| {
            self.counted
                .each(row.graph, values, |origin| numbers[origin as usize] += 1);
        };
        let draws = self
            .sampler
            .assignments(row.graph, row.number as u64, row.until, visit)?;
        match draws {
            AssignmentDraws::Drawn(draws) => {
                for (origin, &n) in (0..).zip(&*numbers) {
                    if n > 0 {
                        count(origin, n as f64 / draws as f64);
                    }
                }
                Ok(None)
            }
            AssignmentDraws::Impossible => Ok(Some(f64::NEG_INFINITY)),
            AssignmentDraws::NotFound(tried) => {
                let remedy = "learn with JunctionTree, or replace conditions by weights (`weigh`)";
                Err(unmet_case(row.number, "Gibbs", tried, remedy))
            }
        }
    }
}

impl ExpectedCounts for Gibbs {
    fn prepare(&self, model: &Model, cases: &CaseTable, until: &Until) -> PreparedStep {
        self.check()?;
        self.watch().refuse_within("Gibbs")?;
        let expanded = LearningExpansion::new(model, cases, &self.limits().until(until))?;
        let outcomes = expanded.expansion.parametric_outcomes();
        let outcomes = outcomes
            .last()
            .map_or(0, |last| last.first as usize + last.origins());
        let rows = RowFactors::for_sums(expanded, cases)?;
        let counter = DrawCounts {
            sampler: self.clone(),
            counted: OriginFactors::new(rows.graph()),
            outcomes,
        };
        Ok(Box::new(FactorGraphStep { rows, counter }))
    }

    fn counting_settings(&self) -> String {
        MergeableSampler::settings(self)
    }
}
