//! The algorithm `ExpectationPropagation`: approximate marginals of normal elements with likelihoods that are not Gaussian.

use figrs_answer::algorithm::Algorithm;
use figrs_answer::answer::estimate::Estimate;
use figrs_answer::answer::{Answer, RunStatistics};
use figrs_answer::error::Error;
use figrs_answer::run::watch::{RunMonitor, Watch};
use figrs_answer::setters;
use figrs_core::{AnyElement, Limits, Model};
use figrs_gaussian::Sweeps;

use crate::closed_form::{MAX_COMPONENTS, marginals, real_targets};
use crate::collapse::Collapse;
use crate::correction::Correction;
use crate::hybrid_model::HybridModel;
use crate::scan::{Accepted, Scan};

/// Number of weighted draws with which the approximation of expectation propagation is checked.
const CHECKING_DRAWS: u64 = 10_000;

/// An algorithm for real elements that are normal given the finite elements, with likelihoods that are not Gaussian: approximate marginals by
/// expectation propagation.
///
/// In `ExpectationPropagation`, the likelihoods may be comparisons of real elements (`greater_than` and the like), and conditions and weights of one
/// real number. A likelihood may also come from a finite element whose distribution depends on one real number (probit and logistic observations,
/// thresholds, counts), or from an observed element whose distribution given one real number is not normal (Student-t noise). Expectation propagation
/// approximates each likelihood that is not Gaussian by a Gaussian function of its real number. Given the approximations of all other likelihoods,
/// the product with the Gaussian function has the same integral, mean and variance as the product with the exact likelihood. `ExpectationPropagation`
/// solves the approximated model exactly, as `Exact` does.
///
/// **Guarantee.** A model whose likelihoods are all Gaussian is answered exactly. If the model has a single likelihood that is not Gaussian and no
/// other finite elements, the means, the covariances and the log-evidence are exact up to the error of a quadrature. The quadrature of a likelihood
/// looks at numbers that are about a hundredth of a standard deviation apart, and a search for narrow peaks looks once at up to 65 536 numbers within
/// eight standard deviations. If the likelihood is the same at all numbers of the search for narrow peaks, the search goes on to numbers that are
/// some millionths of a standard deviation apart. Parts of a likelihood that are narrower than the spacing of the quadrature are missed, unless the
/// likelihood is a comparison. State an interval as two comparisons. All comparisons of linear functions of one real number form a single likelihood,
/// an interval, whose moments have closed forms or are computed to 1e-13. The distributions in an answer by expectation propagation are normal
/// approximations. If there are several likelihoods that are not Gaussian, or other finite elements, the results are approximations without bounds
/// ([`Quality::Approximate`](figrs_answer::Quality::Approximate)), and the standard error of the log-evidence is NaN. A likelihood that widens a
/// distribution, such as that of a Student-t reading far from the mean, is approximated by a Gaussian function with a negative precision.
/// [`RunStatistics::stopped`] is `Finished` if and only if the approximations of the likelihoods converged. [`RunStatistics::residual`] is the
/// largest change in the last sweep over all likelihoods: the change of a mean in standard deviations, or the relative change of a variance.
///
/// **Complexity.** Each sweep over all likelihoods solves the approximated model exactly once. For each likelihood, a sweep evaluates a closed form
/// (if the likelihood is a comparison), or a quadrature with some thousand evaluations.
///
/// **Errors.** [`Error::NotClosedForm`] if an element depends on two real numbers other than by a linear function of them, if a continuous element is
/// neither normal nor observed, or if a likelihood that is not a comparison is zero at all numbers at which the quadrature evaluates it;
/// [`Error::ImproperPosterior`] if a likelihood grows so fast, such as a weight `exp(x²)` of a normal number `x`, that its expected value is
/// infinite; [`Error::ImpossibleEvidence`] if the finite elements, comparisons and observed normal elements exclude every world; the errors of the
/// model. The first panic of a function of the model ends the run, even if the function panics for an improbable number.
///
/// **References.** Minka, *Expectation propagation for approximate Bayesian inference*, 2001; Rasmussen and Williams, *Gaussian Processes for Machine
/// Learning*, 2006, section 3.6; Herbrich, Minka and Graepel, *A Bayesian skill rating system*, 2006; Jylänki, Vanhatalo and Vehtari, *Robust Gaussian
/// process regression with a Student-t likelihood*, 2011 (damping).
///
/// ```
/// # use figrs_core::{Model, Normal, Variance};
/// # use figrs_reals::ExpectationPropagation;
/// # use figrs_answer::Run;
/// // Two newcomers play; the one who plays better in this game wins.
/// let skill = || Normal::new(25.0, Variance(70.0));
/// let performance = |skill| Normal::new(skill, Variance(17.0));
/// let (anna, ben) = (skill(), skill());
/// let anna_wins = performance(&anna).greater_than(&performance(&ben));
/// let model = Model::new().observe(&anna_wins, true);
/// let answer = ExpectationPropagation::new().run(&model, (&anna, &ben))?;
/// println!("{}", answer.summary(&anna)?); // Normal(29.2341, sd 7.2161), approximate
/// assert!((answer.mean(&anna)? - 29.2341).abs() < 1e-4);
/// # Ok::<(), figrs_answer::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct ExpectationPropagation {
    sweeps: Sweeps,
    correction: Correction,
    limits: Limits,
    watch: Watch,
}

impl Default for ExpectationPropagation {
    fn default() -> Self {
        Self::new()
    }
}

impl ExpectationPropagation {
    /// Creates expectation propagation with at most 1 000 sweeps over the likelihoods, a tolerance of 1e-10, and without damping.
    pub fn new() -> Self {
        Self {
            sweeps: Sweeps {
                most: 1000,
                tolerance: 1e-10,
                weight: 1.0,
            },
            correction: Correction {
                samples: None,
                seed: 0,
            },
            limits: Limits::default(),
            watch: Watch::default(),
        }
    }

    /// Sets the maximum number of sweeps over all likelihoods (default 1 000). Each sweep of expectation propagation updates the approximations of
    /// all likelihoods.
    pub fn sweeps(mut self, most: u64) -> Self {
        self.sweeps.most = most;
        self
    }

    /// Sets the tolerance for convergence (default 1e-10). The approximations have converged if, in one sweep, no mean changes by more than
    /// `tolerance` standard deviations, and no variance changes by more than `tolerance` times the variance.
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.sweeps.tolerance = tolerance;
        self
    }

    /// Sets the damping: the initial weight of the old approximation in the average of the old and the new approximation (default zero). If the
    /// changes of the approximations grow from one sweep to the next, the weight of the new approximation is halved. While the changes of the
    /// approximations shrink, the weight of the new approximation is doubled again, up to its initial value.
    pub fn damping(mut self, damping: f64) -> Self {
        self.sweeps.weight = 1.0 - damping;
        self
    }

    /// Corrects the approximation of expectation propagation by `samples` draws from it, which are weighted by the exact likelihoods (importance
    /// sampling). The corrected answer has estimates with standard errors instead of approximations without bounds. [`RunStatistics::done`] of the
    /// corrected answer is the number of draws.
    ///
    /// The draws satisfy the comparisons: the compared numbers are drawn one after another. Each number is drawn from the truncated normal
    /// distribution given the numbers before it and the approximations of the comparisons that follow. The weight of a draw therefore depends little
    /// on the comparisons, which the draws satisfy. The weight of a draw is zero if the numbers drawn before leave no interval for the next compared
    /// number. The time of a draw is proportional to the number of comparisons times the number of normal numbers. If this product exceeds 8.4
    /// million, the draws satisfy only the first comparisons, and are weighted by all others. The first draw with a new joint value of the finite
    /// elements takes much longer, because it computes the joint distribution of all compared numbers given this joint value.
    ///
    /// **Guarantee.** The corrected estimates are consistent, with standard errors, as for `ImportanceSampling`. The corrected estimate of the
    /// probability of the evidence is unbiased. If a likelihood has heavier tails than its approximation, a few draws may have most of the weight;
    /// the diagnosis of the answer then reports the uneven weights.
    ///
    /// **References.** Geweke, *Efficient simulation from the multivariate normal and Student-t distributions subject to linear constraints*, 1991;
    /// Hajivassiliou and others, *Simulation of multivariate normal rectangle probabilities*, 1996.
    ///
    /// ```
    /// # use figrs_core::{Model, Normal, Variance};
    /// # use figrs_reals::ExpectationPropagation;
    /// # use figrs_answer::Run;
    /// let skill = || Normal::new(25.0, Variance(70.0));
    /// let (anna, ben, cleo) = (skill(), skill(), skill());
    /// let better = |a, b| Normal::new(a, Variance(17.0)).greater_than(&Normal::new(b, Variance(17.0)));
    /// let model = Model::new().observe(&better(&anna, &ben), true).observe(&better(&ben, &cleo), true);
    /// let answer = ExpectationPropagation::new().corrected(10_000).run(&model, &anna)?;
    /// println!("{}", answer.summary(&anna)?);
    /// assert!((answer.mean(&anna)? - 30.94).abs() < 0.4);
    /// # Ok::<(), figrs_answer::Error>(())
    /// ```
    pub fn corrected(mut self, samples: u64) -> Self {
        self.correction.samples = Some(samples);
        self
    }

    /// Sets the seed of the random draws of [`corrected`](Self::corrected) (default 0).
    pub fn seed(mut self, seed: u64) -> Self {
        self.correction.seed = seed;
        self
    }

    setters!(limits: limits);
    setters!(watch: watch);

    fn check(&self) -> Result<(), Error> {
        let invalid = |setting, value: String, remedy| {
            Err(Error::InvalidSetting {
                algorithm: self.name(),
                setting,
                value,
                remedy,
            })
        };
        let Sweeps {
            most,
            tolerance,
            weight,
        } = self.sweeps;
        if most == 0 {
            return invalid("sweeps", "0".into(), "allow at least one");
        }
        if tolerance.is_nan() || tolerance < 0.0 {
            return invalid(
                "tolerance",
                tolerance.to_string(),
                "it must not be negative",
            );
        }
        if self.correction.samples == Some(0) {
            return invalid("corrected", "0".into(), "draw at least one");
        }
        if !(weight > 0.0 && weight <= 1.0) {
            let damping = (1.0 - weight).to_string();
            return invalid("damping", damping, "it must be at least zero and below one");
        }
        Ok(())
    }

    fn propagate(
        &self,
        (model, targets): (&Model, &[AnyElement]),
        watching: &RunMonitor<'_>,
    ) -> Result<Answer, Error> {
        let limits = &self.limits.until(watching.until());
        let mut scan = Scan::new(model, targets, limits).accepting(Accepted::All);
        scan.run()?;
        let mut hybrid = HybridModel::new(scan, model, targets, limits)?;
        let reals = real_targets(&mut hybrid, targets)?;
        let within = (MAX_COMPONENTS, limits);
        let progress = |sweeps| watching.report(sweeps);
        let convergence = hybrid.propagate(self.sweeps, within, &progress)?;
        let estimate = if hybrid.sites.is_empty() {
            Estimate::Exact
        } else {
            Estimate::Approximate
        };
        // The last approximations give the answer even if the deadline has passed.
        let question = (model, targets, &reals[..]);
        let is_corrected = self.correction.samples.is_some() && !hybrid.sites.is_empty();
        if is_corrected {
            let answer =
                self.correction
                    .answer(self.name(), &mut hybrid, question, (limits, watching))?;
            return Ok(answer);
        }
        let within = (&self.limits, Collapse::Never);
        let answer = marginals(self.name(), &mut hybrid, question, within, estimate);
        let answer = answer.map_err(|error| hybrid.unsatisfied(error))?;
        let mut statistics =
            RunStatistics::new(convergence.stopped, convergence.sweeps, watching.elapsed());
        statistics.asked = Some(self.sweeps.most);
        if convergence.sweeps > 0 {
            statistics.residual = Some(convergence.residual);
            statistics.tolerance = Some(self.sweeps.tolerance);
        }
        Ok(answer.with_sampling(statistics))
    }
}

impl Algorithm for ExpectationPropagation {
    fn name(&self) -> &'static str {
        "ExpectationPropagation"
    }

    fn answer(&self, model: &Model, targets: &[AnyElement]) -> Result<Answer, Error> {
        self.check()?;
        let watching = self.watch.start(self.name(), Some(self.sweeps.most));
        let answer = self.propagate((model, targets), &watching);
        answer.map_err(|error| watching.error_of(error))
    }

    fn correction(&self) -> Option<Box<dyn Algorithm>> {
        let is_corrected = self.correction.samples.is_some();
        (!is_corrected).then(|| Box::new(self.clone().corrected(CHECKING_DRAWS)) as Box<_>)
    }
}
