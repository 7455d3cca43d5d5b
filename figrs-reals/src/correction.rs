//! Draws from the approximation that expectation propagation computes, weighted by the exact likelihoods.

use std::time::Duration;

use figrs_answer::answer::estimate::Estimate;
use figrs_answer::answer::run_statistics::RunStatistics;
use figrs_answer::answer::{Answer, LogEvidence, TargetMarginal};
use figrs_answer::error::Error;
use figrs_answer::quality::diagnostics::pareto_k;
use figrs_core::{AnyElement, Limits, Model, SupportBuilder};
use figrs_factor::Stopped;
use figrs_gaussian::{Draws, Elimination, Posterior};

use crate::closed_form::{MAX_COMPONENTS, RealTarget, explained, impossible};
use crate::hybrid_model::HybridModel;
use crate::hybrid_world::HybridWorld;

/// Number of draws between two checks of the deadline.
const DRAWS_PER_LOOK: u64 = 256;

/// Weighted draws that correct the approximation of expectation propagation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Correction {
    pub(crate) samples: u64,
    pub(crate) seed: u64,
}

/// The values of one target in weighted draws.
struct TargetValues {
    values: SupportBuilder,
    /// For each draw, the index of the target's value.
    indices: Vec<u32>,
}

impl Correction {
    /// Returns the marginals of the targets, estimated from weighted draws.
    ///
    /// The weight of a draw is the product of all likelihoods that are not Gaussian, divided by the product of their approximations.
    ///
    /// **Errors.** [`Error::NoSampleMetEvidence`]; the errors of the functions and of the elimination.
    pub(crate) fn answer(
        self,
        algorithm: &'static str,
        hybrid: &mut HybridModel<'_>,
        (model, targets, reals): (&Model, &[AnyElement], &[Option<RealTarget>]),
        limits: &Limits,
    ) -> Result<Answer, Error> {
        let finite = targets.iter().zip(reals).map(|(target, real)| {
            let is_finite = real.is_none();
            is_finite.then(|| hybrid.finite_target(target))
        });
        let finite: Vec<_> = finite.collect();
        let explain = |error| explained(hybrid, error);
        let elimination = Elimination::run(&hybrid.graph, MAX_COMPONENTS, &limits.until);
        let elimination = elimination.map_err(explain)?;
        let posterior = Posterior::new(&elimination, limits).map_err(explain)?;
        let mut draws = Draws::new(&elimination, limits).map_err(explain)?;
        let mut found: Vec<TargetValues> = targets
            .iter()
            .map(|target| TargetValues {
                values: target.no_values(),
                indices: Vec::new(),
            })
            .collect();
        let mut random = figrs_core::stream(self.seed, 0);
        let mut logs: Vec<f64> = Vec::new();
        while (logs.len() as u64) < self.samples {
            let done = logs.len() as u64;
            if done > 0 && done.is_multiple_of(DRAWS_PER_LOOK) && limits.until.is_over() {
                break;
            }
            let Some((values, vectors)) = draws.draw(&mut random) else {
                return Err(impossible(model));
            };
            let world = HybridWorld::new(hybrid, values, vectors);
            logs.push(hybrid.log_correction(&world)?);
            let all = targets.iter().zip(reals).zip(&finite);
            for (((target, real), finite), found) in all.zip(&mut found) {
                let value = world.target_value(target, real.as_ref(), finite.as_ref());
                let index = found.values.insert(value.as_any()).unwrap_or_default();
                found.indices.push(index as u32);
            }
        }
        let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if largest == f64::NEG_INFINITY {
            return Err(Error::NoSampleMetEvidence {
                algorithm,
                tried: logs.len() as u64,
                remedy: "raise the number of draws of `corrected`",
            });
        }
        let weights: Vec<f64> = logs.iter().map(|log| (log - largest).exp()).collect();
        let total: f64 = weights.iter().sum();
        let count = logs.len() as f64;
        let marginals = targets.iter().zip(found);
        let marginals = marginals.map(|(target, found)| found.marginal(target, &weights, total));
        let mean = total / count;
        let deviations = weights.iter().map(|w| (w / mean - 1.0).powi(2));
        let evidence = LogEvidence {
            value: posterior.log_total() + largest + mean.ln(),
            standard_error: (deviations.sum::<f64>() / (count * (count - 1.0))).sqrt(),
        };
        let mut statistics = RunStatistics::new(
            limits.until.stopped().unwrap_or(Stopped::Finished),
            logs.len() as u64,
            Duration::ZERO,
        );
        statistics.asked = Some(self.samples);
        statistics.largest_share = Some(1.0 / total);
        statistics.pareto_k = Some(pareto_k(&logs)).filter(|k| !k.is_nan());
        Ok(Answer::marginals(algorithm, marginals.collect(), evidence).with_sampling(statistics))
    }
}

impl TargetValues {
    fn marginal(self, target: &AnyElement, weights: &[f64], total: f64) -> TargetMarginal {
        let mut probabilities = vec![0.0; self.values.len()];
        let mut squares = vec![0.0; self.values.len()];
        for (&weight, &index) in weights.iter().zip(&self.indices) {
            let share = weight / total;
            probabilities[index as usize] += share;
            squares[index as usize] += share * share;
        }
        TargetMarginal {
            element: target.clone(),
            support: self.values.build(),
            probabilities,
            estimate: Estimate::Weighted {
                squares,
                unseen: f64::INFINITY,
            },
        }
    }
}
