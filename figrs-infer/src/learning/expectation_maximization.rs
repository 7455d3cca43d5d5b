//! Expectation-maximisation.

use std::num::NonZero;

use figrs_core::expand::LearnedParameter;
use figrs_core::{AnyElement, Datum, Element, Model, Value};

use super::cases::{CaseColumns, Cases};
use super::expected_counts::{ExpectationStep, Expected, ExpectedCounts};
use super::fit::Fit;
use super::parameters::CountedOutcomes;
use crate::error::Error;
use crate::exact::limits::cores;
use crate::run::guard::guarded;
use crate::run::watch::{RunMonitor, Stopped, Watch, watched};

/// Learning of parameters by expectation-maximisation: values of the [`Learned`](figrs_core::Learned) parameters of a model that maximise the
/// likelihood of some [`Cases`], or their posterior density.
///
/// Each round asks an algorithm how often each outcome that a parameter decides is to be expected in the worlds of the cases, at
/// the present values (expectation), and sets each parameter to the value that these counts make most likely (maximisation). Parameters
/// that several elements or branches read are one, and only branches that are taken count. The model is compiled once, before the first
/// round.
///
/// **Guarantee.** With exact counts ([`JunctionTree`](crate::JunctionTree)) no round lowers the likelihood, or with
/// [`map_estimate`](Self::map_estimate) the posterior density. It ends at a stationary point: often the maximum, at worst a saddle. Where all
/// that the parameters decide is observed, the first round ends at the maximum.
///
/// **Complexity.** A round is a pass up and down the junction tree for each different row.
///
/// **Errors.** [`Error::InvalidCase`], [`Error::NothingToLearn`], [`Error::NotLearnable`], and those of the algorithm.
///
/// **References.** Dempster, Laird and Rubin, *Maximum likelihood from incomplete data via the EM algorithm*, Journal of the Royal
/// Statistical Society B 39(1), 1977; Lauritzen, *The EM algorithm for graphical association models with missing data*, 1995.
///
/// ```
/// # use figrs_core::{Flip, If, Learned, Model};
/// # use figrs_infer::{Cases, ExpectationMaximization, JunctionTree};
/// // Two coins of unknown bias; we are told the side of some throws, and rarely which coin it was.
/// let (first, second) = (Learned::beta("first", 1.0, 1.0), Learned::beta("second", 1.0, 1.0));
/// let is_first = Flip::new(0.5);
/// let heads = If::new(&is_first, Flip::new(&first), Flip::new(&second));
/// let cases = Cases::new((&is_first, &heads))
///     .weighted_rows([(9.0, (Some(true), true)), (1.0, (Some(true), false)), (4.0, (Some(false), false)), (2.0, (None, true))]);
/// let fit = ExpectationMaximization::new(JunctionTree::new()).fit(&Model::new(), &cases)?;
/// assert!((fit.value(&first)? - 11.0 / 12.0).abs() < 1e-3 && fit.value(&second)? < 1e-3);
/// # Ok::<(), figrs_infer::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct ExpectationMaximization<E> {
    engine: E,
    with_prior: bool,
    /// Share of the log-likelihood by which a round must raise it for another to follow; all rounds are made if `None`.
    tolerance: Option<f64>,
    rounds: u64,
    starts: Vec<(AnyElement, Datum)>,
    threads: Option<NonZero<usize>>,
    watch: Watch,
}

/// Rounds made at most by default.
const DEFAULT_ROUNDS: u64 = 1000;
/// Default change of the log-likelihood at which rounds end, as a share of it.
const DEFAULT_TOLERANCE: f64 = 1e-8;

impl<E: ExpectedCounts> ExpectationMaximization<E> {
    /// With an algorithm for the expectation step, for the maximum of the likelihood.
    pub fn new(engine: E) -> Self {
        Self {
            engine,
            with_prior: false,
            tolerance: Some(DEFAULT_TOLERANCE),
            rounds: DEFAULT_ROUNDS,
            starts: Vec::new(),
            threads: None,
            watch: Watch::default(),
        }
    }

    watched!();

    /// Maximises the posterior density: the likelihood times the densities of the parameters' priors.
    pub fn map_estimate(mut self) -> Self {
        self.with_prior = true;
        self
    }

    /// Ends once a round raises the log-likelihood (or log-posterior) by no more than this share of it (default 1e-8); with 0 once it raises
    /// it no more.
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.tolerance = Some(tolerance);
        self
    }

    /// Ends after so many rounds at most (default 1000).
    pub fn rounds(mut self, rounds: u64) -> Self {
        self.rounds = rounds;
        self
    }

    /// Makes exactly so many rounds, whatever they change.
    pub fn exact_rounds(mut self, rounds: u64) -> Self {
        (self.rounds, self.tolerance) = (rounds, None);
        self
    }

    /// Starts a parameter at this value instead of at the mean of its prior.
    pub fn start<T: Value>(mut self, parameter: &Element<T>, value: T) -> Self {
        self.starts
            .push((parameter.erased().clone(), Datum::new(value)));
        self
    }

    /// Works on this many threads (default: all cores); the result is the same.
    pub fn threads(mut self, threads: NonZero<usize>) -> Self {
        self.threads = Some(threads);
        self
    }

    /// Learns the parameters that the elements of the cases depend on; the evidence and the interventions of `model` hold for each
    /// case.
    ///
    /// **Errors.** Those of the [algorithm](Self).
    pub fn fit<C: CaseColumns>(&self, model: &Model, cases: &Cases<C>) -> Result<Fit, Error> {
        if let Some(mistake) = &cases.mistake {
            return Err(mistake.clone());
        }
        if let Some(tolerance) = self.tolerance.filter(|x| x.is_nan() || *x < 0.0) {
            return Err(Error::InvalidSetting {
                algorithm: "ExpectationMaximization",
                setting: "tolerance",
                value: tolerance.to_string(),
                remedy: "give a number that is not negative",
            });
        }
        let monitor = self
            .watch
            .start("ExpectationMaximization", Some(self.rounds));
        guarded(|| {
            let step = self.engine.prepare(model, &cases.table, monitor.until());
            let step = step.map_err(|error| monitor.error_of(error))?;
            self.set_starts(step.outcomes())?;
            self.run(&*step, &monitor, model, cases)
        })
    }

    fn set_starts(&self, outcomes: &CountedOutcomes) -> Result<(), Error> {
        for (element, value) in &self.starts {
            let Some((_, learned)) = outcomes.learned().get(element) else {
                return Err(Error::NotLearned {
                    element: element.label(),
                });
            };
            if !learned.set(value) {
                return Err(Error::InvalidSetting {
                    algorithm: "ExpectationMaximization",
                    setting: "start",
                    value: format!("{value:?} for {element:?}"),
                    remedy: "give as many numbers as the prior has",
                });
            }
        }
        Ok(())
    }

    fn run<C: CaseColumns>(
        &self,
        step: &dyn ExpectationStep,
        monitor: &RunMonitor<'_>,
        model: &Model,
        cases: &Cases<C>,
    ) -> Result<Fit, Error> {
        let outcomes = step.outcomes();
        let threads = self.threads.map_or_else(cores, NonZero::get);
        let mut log_likelihoods: Vec<f64> = Vec::new();
        let mut before: Option<(f64, Vec<Datum>)> = None;
        let values = || {
            outcomes
                .learned()
                .iter()
                .map(LearnedParameter::value)
                .collect::<Vec<Datum>>()
        };
        let (ended, values) = loop {
            let log_weights = outcomes.log_weights()?;
            let (log_likelihood, counts) =
                match step.expect(&cases.table, &log_weights, (threads, monitor.until())) {
                    Ok(Expected {
                        log_likelihood,
                        counts,
                    }) => (log_likelihood, counts),
                    Err(error) if error.is_stopped() => {
                        let (_, last) = before.ok_or_else(|| monitor.nothing_done())?;
                        let stopped = monitor.stopped().unwrap_or(Stopped::Interrupted);
                        break (stopped, last);
                    }
                    Err(error) => return Err(error),
                };
            let mut objective = log_likelihood;
            if self.with_prior {
                objective += outcomes.log_prior()?;
            }
            log_likelihoods.push(log_likelihood);
            let rounds = log_likelihoods.len() as u64 - 1;
            monitor.report(rounds);
            let now = values();
            if let (Some((last, _)), Some(tolerance)) = (&before, self.tolerance)
                && objective - last <= tolerance * objective.abs()
            {
                break (Stopped::Finished, now);
            }
            if rounds == self.rounds {
                break (Stopped::Budget, now);
            }
            before = Some((objective, now));
            outcomes.maximise(&counts, self.with_prior)?;
        };
        let parameters = outcomes.learned().iter().zip(values);
        let parameters = parameters.map(|(learned, value)| (learned.element.clone(), value));
        Ok(Fit::new(
            model,
            parameters.collect(),
            log_likelihoods,
            ended,
        ))
    }
}
