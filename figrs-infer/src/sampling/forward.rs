//! Forward sampling: draws worlds from the prior.

use figrs_core::{AnyElement, Model};
use figrs_lower::Observations;

use super::block_sampling::{BlockSampling, world_sampler};
use super::settings::WorldSettings;
use super::unseen_worlds::WeightBound;
use figrs_answer::{Algorithm, Error, setters};

/// Draws worlds from the prior of a model without evidence; interventions are allowed.
///
/// **Guarantee.** The draws are independent and follow the prior exactly. The draws have weights if worlds reach a `Score`, because a `Score`
/// multiplies the weight of its world. The same seed gives the same draws on any number of threads.
///
/// **Complexity.** The time is linear in the number of samples and in the number of random variables in each world.
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
    settings: WorldSettings,
}

impl ForwardSampling {
    /// Creates a sampler that draws `samples` worlds; the seed is 0.
    pub fn new(samples: u64) -> Self {
        Self {
            settings: WorldSettings::new(Some(samples)),
        }
    }

    setters!(sampler: settings.drawing);
    setters!(keep_draws: settings.keep_draws);
    setters!(watch: settings.watch);
}

impl ForwardSampling {
    fn blocks(&self, model: &Model) -> Result<BlockSampling<'_>, Error> {
        if self.settings.samples == Some(0) {
            let remedy = "draw at least one";
            return Err(Error::invalid_setting(self.name(), "samples", "0", remedy));
        }
        if let Some((element, statement)) = model.evidence().first() {
            return Err(Error::EvidenceNotAllowed {
                algorithm: self.name(),
                element: element.label(),
                location: statement.location(),
            });
        }
        Ok(BlockSampling {
            algorithm: self.name(),
            remedy: "all worlds reach a Score of zero: correct the model",
            settings: &self.settings,
            observations: Observations::Compare,
            maximum: Some(WeightBound::ONE),
            log_unit: 0.0,
            accept: None,
        })
    }
}

world_sampler!(ForwardSampling);
