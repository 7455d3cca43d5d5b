//! Weighted draws from the approximation of expectation propagation. The draws are guided by comparisons and weighted by the exact likelihoods.

use figrs_answer::answer::{Answer, LogEvidence, RunStatistics, TargetMarginal};
use figrs_answer::error::Error;
use figrs_answer::quality::diagnostics::pareto_k;
use figrs_answer::run::watch::RunMonitor;
use figrs_core::{AnyElement, Limits, Model, SupportBuilder};
use figrs_factor::Stopped;
use figrs_gaussian::{Elimination, GuidedDraws, HybridPosterior};

use crate::closed_form::{MAX_COMPONENTS, RealTarget, explained, impossible};
use crate::hybrid_model::HybridModel;
use crate::hybrid_world::{HybridWorld, finite_targets};

/// Number of draws between two checks of the deadline of a run.
const DRAWS_PER_LOOK: u64 = 256;

/// The settings of the weighted draws that correct the approximation by expectation propagation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Correction {
    /// Number of weighted draws; `None` if the approximation is not corrected.
    pub(crate) samples: Option<u64>,
    pub(crate) seed: u64,
}

struct TargetValues {
    values: SupportBuilder,
    /// For each draw, the index of the target's value in its support.
    indices: Vec<u32>,
}

impl Correction {
    /// Returns the marginals of the targets, estimated from weighted draws.
    ///
    /// The weighted draws satisfy all comparisons, as the draws of [`GuidedDraws`] do, if there are not too many comparisons. The weight of a draw is
    /// the product of two factors: the weight by which the draw was guided to satisfy the comparisons, and the product of all other likelihoods,
    /// divided by the product of their approximations.
    ///
    /// **Errors.** [`Error::NoSampleMetEvidence`] if all weights are zero; the errors of the model's functions and of the variable elimination.
    pub(crate) fn answer(
        self,
        algorithm: &'static str,
        hybrid: &mut HybridModel<'_>,
        (model, targets, reals): (&Model, &[AnyElement], &[Option<RealTarget>]),
        (limits, watching): (&Limits, &RunMonitor<'_>),
    ) -> Result<Answer, Error> {
        let finite = finite_targets(hybrid, targets, reals);
        let explain = |error| explained(hybrid, error);
        let elimination = Elimination::run(&hybrid.graph, MAX_COMPONENTS, &limits.until);
        let elimination = elimination.map_err(explain)?;
        let posterior = HybridPosterior::new(&elimination, limits).map_err(explain)?;
        let guides = hybrid.guides();
        let guiding: Vec<usize> = guides.iter().map(|guide| guide.factor).collect();
        let mut draws = GuidedDraws::new(&elimination, guides, limits).map_err(explain)?;
        let mut found: Vec<TargetValues> = targets
            .iter()
            .map(|target| TargetValues {
                values: target.no_values(),
                indices: Vec::new(),
            })
            .collect();
        let samples = self.samples.unwrap_or_default();
        let mut random = figrs_core::stream(self.seed, 0);
        let mut logs: Vec<f64> = Vec::new();
        while (logs.len() as u64) < samples {
            let done = logs.len() as u64;
            if done > 0 && done.is_multiple_of(DRAWS_PER_LOOK) && limits.until.is_over() {
                break;
            }
            let Some(draw) = draws.draw(&mut random) else {
                return Err(impossible(model));
            };
            let world = HybridWorld::new(hybrid, draw.finite, draw.reals);
            logs.push(draw.log_weight + hybrid.log_correction(&world, &guiding)?);
            let values = world.target_values(targets, reals, &finite);
            for (value, found) in values.into_iter().zip(&mut found) {
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
        let marginals = marginals.map(|(target, TargetValues { values, indices })| {
            let shares = weights.iter().map(|weight| weight / total);
            TargetMarginal::weighted(
                target.clone(),
                values.build(),
                indices.into_iter().zip(shares),
            )
        });
        let mean = total / count;
        let deviations = weights.iter().map(|w| (w / mean - 1.0).powi(2));
        let evidence = LogEvidence {
            value: posterior.log_total() + largest + mean.ln(),
            standard_error: (deviations.sum::<f64>() / (count * (count - 1.0))).sqrt(),
        };
        let mut statistics = RunStatistics::new(
            limits.until.stopped().unwrap_or(Stopped::Finished),
            logs.len() as u64,
            watching.elapsed(),
        );
        statistics.asked = self.samples;
        statistics.largest_share = Some(1.0 / total);
        statistics.pareto_k = Some(pareto_k(&logs)).filter(|k| !k.is_nan());
        Ok(Answer::marginals(algorithm, marginals.collect(), evidence).with_sampling(statistics))
    }
}
