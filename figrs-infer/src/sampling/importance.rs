//! Importance sampling: worlds are drawn from the prior, and weighted by the likelihood of the observations.

use figrs_core::{AnyElement, Model};
use figrs_lower::Observations;

use super::block_sampling::{BlockSampling, world_sampler};
use super::settings::{AssignedValues, SamplerSettings, WorldSettings};
use super::unseen_worlds::WeightBound;
use figrs_answer::{Algorithm, Error, setters};

/// Likelihood weighting: draws worlds from the prior, and weights each world by the probability of the evidence given the world.
///
/// An observed element (random variable) is not drawn: it gets the observed value, and the weight of the world is multiplied by the probability (or
/// density) of this value. An observation of a `Chain`, a `Score`, a tuple or a Boolean function is passed on to the random choices that determine
/// its value. Evidence that is not the observation of a value multiplies the weight after the world has been drawn.
///
/// In `ExpectationMaximization`, `samples` worlds are drawn for each row of the data, with the same random numbers in every iteration. In learning,
/// the weighted worlds give the expected counts of the parameters (Monte Carlo EM: Wei and Tanner 1990). In learning, hidden elements may be
/// continuous, and models may be infinite, because the possible values are not enumerated. The log-likelihood of learning is an estimate, whose mean
/// is below the true value. An iteration of learning may lower the estimated log-likelihood. Learning ends when iterations no longer raise the
/// estimated log-likelihood. If one random variable reads several learned parameters, each parameter is updated given the previous values of the
/// other parameters. In learning, [`Error::InvalidCase`] names a row of the data whose evidence no drawn world satisfies.
///
/// **Guarantee.** Consistent: the estimates converge to the exact answer as the number of samples grows. The estimate of the probability of the
/// evidence is unbiased. Every answer states an effective sample size and standard errors. The probability of the values that no sample has is
/// bounded ([`unseen_share`](figrs_answer::unseen_share)); if the largest weight of a world is unknown, [`Answer::diagnose`](figrs_answer::Answer::diagnose) reports such values
/// instead. The same seed gives the same answer on any number of threads.
///
/// **Complexity.** The time is linear in the number of samples and in the number of random variables in each world. Random variables that no sampled
/// world reaches cost nothing. Infinite models are therefore allowed, if each world is finite. The error of an estimate is inversely proportional to
/// the square root of the *effective* sample size, which may be small if the evidence is unlikely. Worlds are drawn in blocks whose values fit into
/// the processor cache. Memory does not grow with the number of samples, unless new values of targets keep occurring or draws are retained.
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
    settings: WorldSettings,
}

impl ImportanceSampling {
    /// Creates a sampler that draws `samples` worlds; the seed is 0.
    pub fn new(samples: u64) -> Self {
        Self {
            settings: WorldSettings::new(Some(samples)),
        }
    }

    /// Draws samples until the deadline passes, the interrupt flag is set, or the goal of [`until_effective`](Self::until_effective) is reached. A
    /// deadline, an interrupt or a goal of effective samples must be set; if the evidence is impossible, only the deadline or the interrupt ends the
    /// run.
    pub fn anytime() -> Self {
        Self {
            settings: WorldSettings::new(None),
        }
    }

    /// Ends the run when the effective sample size reaches `samples`. A run with a goal of effective samples ends only after a complete block of
    /// worlds, and after at least sixteen blocks.
    ///
    /// With a goal of effective samples, the number of samples depends on their weights. With a goal of effective samples, the estimate of the
    /// probability of the evidence is consistent, but not unbiased: a run in which a rare world of large weight has not yet occurred ends too early.
    pub fn until_effective(mut self, samples: f64) -> Self {
        self.settings.target_ess = Some(samples);
        self
    }

    setters!(sampler: settings.drawing);
    setters!(keep_draws: settings.keep_draws);
    setters!(watch: settings.watch);

    /// Assigns the value of a random variable in each world of the run, instead of drawing this variable. The list `values` must have a value for
    /// each sample of the run.
    pub(crate) fn assigned(mut self, values: AssignedValues) -> Self {
        self.settings.assigned = Some(values);
        self
    }

    fn invalid(&self, setting: &'static str, value: String, remedy: &'static str) -> Error {
        Error::invalid_setting(self.name(), setting, value, remedy)
    }

    fn check(&self) -> Result<(), Error> {
        if self.settings.samples == Some(0) {
            return Err(self.invalid("samples", "0".into(), "draw at least one"));
        }
        if let Some(enough) = self.settings.target_ess
            && !(enough > 0.0 && enough.is_finite())
        {
            return Err(self.invalid(
                "until_effective",
                enough.to_string(),
                "give a positive number",
            ));
        }
        if self.settings.samples.is_none()
            && self.settings.target_ess.is_none()
            && !self.settings.watch.can_end_run()
        {
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
        self.settings.watch.refuse_within(self.name())?;
        let remedy = "ExpectationMaximization needs a fixed number of samples for each row: set `samples`, and nothing else that ends the run";
        if let Some(enough) = self.settings.target_ess {
            return Err(self.invalid("until_effective", enough.to_string(), remedy));
        }
        self.check()?;
        Ok((
            self.settings.samples.unwrap_or_default(),
            &self.settings.drawing,
        ))
    }

    fn blocks(&self, model: &Model) -> Result<BlockSampling<'_>, Error> {
        self.check()?;
        Ok(BlockSampling {
            algorithm: self.name(),
            remedy: "draw more, observe elements instead of stating conditions on them, add noise to an observed number that a function \
                     computes, or for a finite model use an exact algorithm such as VariableElimination",
            settings: &self.settings,
            observations: Observations::Weigh,
            maximum: WeightBound::of(model),
            log_unit: 0.0,
            accept: None,
        })
    }
}

world_sampler!(ImportanceSampling);
