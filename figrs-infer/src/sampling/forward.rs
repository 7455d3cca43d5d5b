//! Forward sampling: draws worlds from the prior.

use std::ops::Range;

use figrs_core::{AnyElement, Model};
use figrs_lower::Observations;

use super::block_sampling::BlockSampling;
use super::settings::SamplerSettings;
use super::unseen_worlds::WeightBound;
use super::world_sums::WorldSums;
use figrs_answer::algorithm::Algorithm;
use figrs_answer::error::Error;
use figrs_answer::run::mergeable_sampler::MergeableSampler;
use figrs_answer::run::partial::{Absorption, Partial};
use figrs_answer::run::settings_text::settings_text;
use figrs_answer::run::unit_run::ResumableSampler;
use figrs_answer::run::watch::Watch;
use figrs_answer::setters;

/// Draws worlds from the prior of a model without evidence; interventions are allowed.
///
/// **Guarantee.** The draws are independent and follow the prior exactly. The draws have weights if worlds reach a `Score`, because a Score
/// multiplies the weight of its world. The same seed gives the same draws on any number of threads.
///
/// **Complexity.** The time is linear in the number of samples and in the number of elements of each world.
///
/// **Errors.** [`Error::EvidenceNotAllowed`] if the model has evidence; [`Error::NothingDone`] if the run was stopped before the first world.
///
/// ```
/// # use figrs_core::{Flip, Model};
/// # use figrs_infer::{ForwardSampling, Run};
/// let coin = Flip::new(0.3);
/// let answer = ForwardSampling::new(10_000).keep_draws().run(&Model::new(), &coin)?;
/// let heads = answer.draws()?.values(&coin)?.into_iter().filter(|&heads| heads).count();
/// assert!(heads.abs_diff(3000) < 300);
/// # Ok::<(), figrs_infer::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct ForwardSampling {
    samples: u64,
    drawing: SamplerSettings,
    keep_draws: bool,
    watch: Watch,
}

impl ForwardSampling {
    /// Creates a sampler that draws `samples` worlds; the seed is 0.
    pub fn new(samples: u64) -> Self {
        Self {
            samples,
            drawing: SamplerSettings::default(),
            keep_draws: false,
            watch: Watch::default(),
        }
    }

    setters!(sampler: drawing);
    setters!(keep_draws: keep_draws);
    setters!(watch: watch);
}

impl ForwardSampling {
    fn blocks(&self) -> BlockSampling<'_> {
        BlockSampling {
            algorithm: self.name(),
            remedy: "all reach a Score of zero: mend the model",
            samples: Some(self.samples),
            target_ess: None,
            drawing: &self.drawing,
            observations: Observations::Compare,
            maximum: Some(WeightBound::ONE),
            log_unit: 0.0,
            keep_draws: self.keep_draws,
            watch: &self.watch,
        }
    }

    fn check(&self, model: &Model) -> Result<(), Error> {
        if self.samples == 0 {
            return Err(Error::invalid_setting(
                self.name(),
                "samples",
                "0",
                "draw at least one",
            ));
        }
        if let Some((element, statement)) = model.evidence().first() {
            return Err(Error::EvidenceNotAllowed {
                algorithm: self.name(),
                element: element.label(),
                location: statement.location(),
            });
        }
        Ok(())
    }
}

impl MergeableSampler for ForwardSampling {
    type Sums = WorldSums;

    fn settings(&self) -> String {
        settings_text!(self, drawing.limits.threads, watch)
    }

    fn units(&self, model: &Model, targets: &[AnyElement]) -> Result<u64, Error> {
        self.check(model)?;
        self.blocks().units(model, targets)
    }

    fn run_units(
        &self,
        model: &Model,
        targets: &[AnyElement],
        units: Range<u64>,
        absorption: Absorption,
    ) -> Result<Partial<WorldSums>, Error> {
        self.check(model)?;
        let accept = |_: &mut _, _, _: &mut _| Ok(());
        self.blocks()
            .partial((model, targets), units, absorption, accept)
    }
}

impl ResumableSampler for ForwardSampling {
    fn watch(&self) -> &Watch {
        &self.watch
    }

    fn watch_mut(&mut self) -> &mut Watch {
        &mut self.watch
    }

    fn lengthened(&self, more: u64) -> Option<Self> {
        let samples = self.samples.checked_add(more)?;
        Some(Self {
            samples,
            ..self.clone()
        })
    }

    fn asked(&self) -> Option<u64> {
        Some(self.samples)
    }
}

figrs_answer::run::unit_run::unit_sampler!(ForwardSampling, drawing.seed);
