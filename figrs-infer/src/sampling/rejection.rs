//! Rejection sampling: draws worlds without regard to the evidence, and keeps the worlds that satisfy the evidence.

use figrs_core::{AnyElement, Model, Stream};
use figrs_lower::Observations;
use figrs_lower::internals::Block;
use rand::RngExt;

use super::block_sampling::{BlockSampling, world_sampler};
use super::settings::WorldSettings;
use super::unseen_worlds::WeightBound;
use figrs_answer::{Algorithm, Error, setters};

/// Draws worlds from the prior, and keeps the worlds that satisfy the evidence.
///
/// If the evidence gives weights to worlds, each world is accepted with a probability proportional to its weight. If the evidence gives weights to
/// worlds, the maximum of these weights must be stated with `weigh_at_most`. The accepted draws are independent samples of the exact posterior, and
/// have equal weights.
///
/// The estimates of rejection sampling converge to the exact answer as the number of tries grows. The accepted draws follow the posterior exactly,
/// and the estimate of the probability of the evidence is unbiased. The same seed gives the same answer on any number of threads.
///
/// **Complexity.** The time is linear in the number of tries and in the number of random variables in each world. Each accepted draw takes
/// `1 / P(evidence)` tries on average.
///
/// **Errors.** [`Error::NoSampleMetEvidence`] if no try satisfied the evidence, which always happens if a value of a continuous element is observed;
/// [`Error::UnboundedWeight`] if a weight has no stated maximum; [`Error::InvalidSetting`] if `Score` elements give a world a weight above one;
/// [`Error::NothingDone`] if the run was stopped before the first world.
///
/// **References.** von Neumann (1951), "Various techniques used in connection with random digits"; Henrion (1988) for
/// belief networks (logic sampling).
///
/// ```
/// # use figrs_core::{Model, Uniform};
/// # use figrs_infer::{RejectionSampling, Run};
/// let (a, b) = (Uniform::new(1..=6), Uniform::new(1..=6));
/// let model = Model::new().condition(&a.plus(&b), |sum| *sum >= 10);
/// let answer = RejectionSampling::new(100_000).seed(1).run(&model, &a)?;
/// assert!((answer.probability(&a, &6)? - 0.5).abs() < 0.03);
/// # Ok::<(), figrs_infer::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct RejectionSampling {
    settings: WorldSettings,
}

impl RejectionSampling {
    /// Creates a sampler that draws `tries` worlds from the prior, and accepts or rejects each world; the seed is 0.
    pub fn new(tries: u64) -> Self {
        Self {
            settings: WorldSettings::new(Some(tries)),
        }
    }

    setters!(sampler: settings.drawing);
    setters!(keep_draws: settings.keep_draws);
    setters!(watch: settings.watch);
}

impl RejectionSampling {
    /// Returns the settings with which rejection sampling draws blocks of worlds. The weights are stored as fractions of the largest weight that a
    /// world can have.
    fn blocks(&self, model: &Model) -> Result<BlockSampling<'_>, Error> {
        if self.settings.samples == Some(0) {
            let remedy = "allow at least one try";
            return Err(Error::invalid_setting(self.name(), "tries", "0", remedy));
        }
        let mut log_unit = 0.0;
        for (element, statement) in model.evidence() {
            log_unit += statement
                .log_maximum()
                .ok_or_else(|| Error::UnboundedWeight {
                    element: element.label(),
                    location: statement.location(),
                })?;
        }
        Ok(BlockSampling {
            algorithm: self.name(),
            remedy: "allow more tries, or use ImportanceSampling, which weighs observations: rejection never draws the observed value of a \
            continuous element",
            settings: &self.settings,
            observations: Observations::Compare,
            maximum: Some(WeightBound::ONE),
            log_unit,
            accept: Some(reject),
        })
    }
}

world_sampler!(RejectionSampling);

/// Accepts each world with the probability weight / maximum weight, and sets the weight of accepted worlds to one.
fn reject(block: &mut Block, rows: usize, log_maximum: f64, rng: &mut Stream) -> Result<(), Error> {
    let plain = block.weights().plain();
    let unit = (plain.log_scale - log_maximum).exp();
    let weights = plain.rows(rows);
    let mut kept = Vec::with_capacity(rows);
    let mut most = 0.0f64;
    block.weights().for_each_survivor(|row| {
        let weight = weights[row] * unit;
        most = most.max(weight);
        // No random number is drawn for a world that is certainly accepted.
        if weight >= 1.0 || rng.random::<f64>() < weight {
            kept.push(row as u32);
        }
    });
    if most > 1.0 + 1e-9 {
        let remedy = "the weights of Scores may not exceed one here: use ImportanceSampling";
        return Err(Error::invalid_setting(
            "RejectionSampling",
            "the largest weight of a world over the stated maximum",
            most,
            remedy,
        ));
    }
    block.keep_with_unit_weights(kept);
    Ok(())
}
