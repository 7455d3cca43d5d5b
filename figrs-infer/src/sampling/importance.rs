//! Importance sampling: worlds are drawn from the prior, and weighted by the likelihood of the observations.

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

/// Likelihood weighting: draws worlds from the prior, and weights each world by the probability of the evidence in it.
///
/// An observed element is not drawn: it gets the observed value, and the weight of the world is multiplied by the probability (or density) of this
/// value. An observation of a Chain, a Score, a tuple or a Boolean function is passed on to the random choices that determine its value. Evidence
/// that is not an observation multiplies the weight after the world has been drawn.
///
/// In `ExpectationMaximization`, `samples` worlds are drawn for each row of the data, with the same random numbers in every iteration. The weighted
/// worlds give the expected counts of the parameters (Monte Carlo EM: Wei and Tanner 1990). Hidden elements may be continuous, and models may be
/// infinite, because the model is not expanded. The log-likelihood of learning is also an estimate, whose mean is below the true value. An iteration
/// may lower this estimate; learning ends when iterations no longer raise it. If one element reads several learned parameters, each parameter is
/// updated given the previous values of the other parameters. [`Error::InvalidCase`] names a row whose evidence no drawn world satisfies.
///
/// **Guarantee.** Consistent: the estimates converge to the exact answer as the number of samples grows. The estimate of the probability of the
/// evidence is unbiased. Every answer states an effective sample size and standard errors. The probability of the values that no sample has is
/// bounded ([`unseen_share`](figrs_answer::unseen_share)); if the largest weight of a world is unknown, [`Answer::diagnose`](figrs_answer::Answer::diagnose) reports such values
/// instead. The same seed gives the same answer on any number of threads.
///
/// **Complexity.** The time is linear in the number of samples and in the number of elements of each world. Elements that no sampled world reaches
/// cost nothing. Infinite models are therefore allowed. The error is inversely proportional to the square root of the *effective* sample size, which
/// may be small if the evidence is unlikely. Worlds are drawn in blocks whose values fit into the processor cache. Memory does not grow with the
/// number of samples, unless new values of targets keep occurring or draws are retained.
///
/// **Errors.** [`Error::NoSampleMetEvidence`] if all samples have weight zero; [`Error::NothingDone`] if the run was stopped before the first sample.
///
/// **References.** Fung and Chang (1990), "Weighing and integrating evidence for stochastic simulation in
/// Bayesian networks"; Shachter and Peot (1990); for the standard errors Geweke (1989); for learning Wei and Tanner (1990), "A Monte Carlo
/// implementation of the EM algorithm and the poor man's data augmentation algorithms".
///
/// ```
/// # use figrs_core::{Flip, Model};
/// # use figrs_infer::{ImportanceSampling, Run};
/// let rain = Flip::new(0.2);
/// let wet = rain.flat_map(|&rain| Flip::new(if rain { 0.9 } else { 0.1 }));
/// let model = Model::new().observe(&wet, true);
/// let answer = ImportanceSampling::new(20_000).seed(7).run(&model, &rain)?;
/// let error = (answer.probability(&rain, &true)? - 0.18 / 0.26).abs();
/// assert!(error < 5.0 * answer.standard_error(&rain, &true)?);
/// # Ok::<(), figrs_infer::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct ImportanceSampling {
    samples: Option<u64>,
    target_ess: Option<f64>,
    drawing: SamplerSettings,
    keep_draws: bool,
    watch: Watch,
}

impl ImportanceSampling {
    /// Creates a sampler that draws `samples` worlds; the seed is 0.
    pub fn new(samples: u64) -> Self {
        Self {
            samples: Some(samples),
            target_ess: None,
            drawing: SamplerSettings::default(),
            keep_draws: false,
            watch: Watch::default(),
        }
    }

    /// Draws samples until the deadline passes, the interrupt is set, or [`until_effective`](Self::until_effective) is reached. One of these three
    /// must be set; if the evidence is impossible, only the deadline or the interrupt ends the run.
    pub fn anytime() -> Self {
        Self {
            samples: None,
            ..Self::new(0)
        }
    }

    /// Ends the run when the effective sample size reaches `samples`. The run ends only after a complete block of worlds, and after at least sixteen
    /// blocks.
    ///
    /// The number of samples then depends on their weights. Therefore the estimate of the probability of the evidence is consistent, but no longer
    /// unbiased: a run in which a rare world of large weight has not yet occurred ends too early.
    pub fn until_effective(mut self, samples: f64) -> Self {
        self.target_ess = Some(samples);
        self
    }

    setters!(sampler: drawing);
    setters!(keep_draws: keep_draws);
    setters!(watch: watch);

    fn invalid(&self, setting: &'static str, value: String, remedy: &'static str) -> Error {
        Error::invalid_setting(self.name(), setting, value, remedy)
    }

    fn check(&self) -> Result<(), Error> {
        if self.samples == Some(0) {
            return Err(self.invalid("samples", "0".into(), "draw at least one"));
        }
        if let Some(enough) = self.target_ess
            && !(enough > 0.0 && enough.is_finite())
        {
            return Err(self.invalid(
                "until_effective",
                enough.to_string(),
                "give a positive number",
            ));
        }
        if self.samples.is_none() && self.target_ess.is_none() && !self.watch.can_end_run() {
            let remedy = "give a deadline, an interrupt or `until_effective`";
            return Err(self.invalid("samples", "unlimited".into(), remedy));
        }
        Ok(())
    }

    /// Returns the number of samples and the settings of the sampler, for callers that need a fixed number of samples.
    ///
    /// **Errors.** [`Error::InvalidSetting`] if the number of samples is not fixed or a setting is invalid.
    #[doc(hidden)]
    pub fn fixed_samples(&self) -> Result<(u64, &SamplerSettings), Error> {
        self.watch.refuse_within(self.name())?;
        let remedy = "in ExpectationMaximization each row has a fixed number: give it, and nothing else that ends them";
        if let Some(enough) = self.target_ess {
            return Err(self.invalid("until_effective", enough.to_string(), remedy));
        }
        self.check()?;
        Ok((self.samples.unwrap_or_default(), &self.drawing))
    }

    fn blocks(&self, model: &Model) -> BlockSampling<'_> {
        BlockSampling {
            algorithm: self.name(),
            remedy: "draw more, observe elements instead of conditions on them, or for a finite model use an exact algorithm such as \
                     VariableElimination",
            samples: self.samples,
            target_ess: self.target_ess,
            drawing: &self.drawing,
            observations: Observations::Weigh,
            maximum: WeightBound::of(model),
            log_unit: 0.0,
            keep_draws: self.keep_draws,
            watch: &self.watch,
        }
    }
}

impl MergeableSampler for ImportanceSampling {
    type Sums = WorldSums;

    fn settings(&self) -> String {
        settings_text!(self, drawing.limits.threads, watch)
    }

    fn units(&self, model: &Model, targets: &[AnyElement]) -> Result<u64, Error> {
        self.check()?;
        self.blocks(model).units(model, targets)
    }

    fn run_units(
        &self,
        model: &Model,
        targets: &[AnyElement],
        units: Range<u64>,
        absorption: Absorption,
    ) -> Result<Partial<WorldSums>, Error> {
        self.check()?;
        let accept = |_: &mut _, _, _: &mut _| Ok(());
        self.blocks(model)
            .partial((model, targets), units, absorption, accept)
    }
}

impl ResumableSampler for ImportanceSampling {
    fn watch(&self) -> &Watch {
        &self.watch
    }

    fn watch_mut(&mut self) -> &mut Watch {
        &mut self.watch
    }

    fn lengthened(&self, more: u64) -> Option<Self> {
        let mut longer = self.clone();
        if let Some(samples) = &mut longer.samples {
            *samples = samples.checked_add(more)?;
        }
        if let Some(enough) = &mut longer.target_ess {
            *enough += more as f64;
        }
        Some(longer)
    }

    fn asked(&self) -> Option<u64> {
        self.samples
    }
}

figrs_answer::run::unit_run::unit_sampler!(ImportanceSampling, drawing.seed);
