//! Learning of parameters by expectation-maximisation.

use std::fmt;
use std::num::NonZero;
use std::sync::{Arc, Mutex};

use figrs_core::{AnyElement, Datum, Element, Model, ParameterValues, Value, stream};

use super::case_rows::{CaseRow, CaseRows};
use super::case_table::CaseTable;
use super::cases::{CaseColumns, Cases};
use super::count_parts::{CaseCounter, CountFunction, CountPart, CountRequest, CountsInParts};
use super::expected_counts::{ExpectationStep, ExpectedCounts};
use super::fit::Fit;
use super::learner::Learner;
use super::learning_run::LearningRun;
use super::parameters::CountedOutcomes;
use super::rounds::{RoundSettings, Rounds, RoundsOfStart, best_of};
use figrs_answer::{Error, RunMonitor, Running, Watch, guarded, setters};
use figrs_factor::{Stopped, cores};

/// Learns parameters by expectation-maximisation: finds the values of a model's [`Learned`](figrs_core::Learned) parameters that maximise the
/// likelihood of some [`Cases`] (rows of data), or the posterior density given this data.
///
/// The expectation step computes, at the present parameter values, the expected counts of all outcomes whose probabilities depend on parameters. The
/// maximisation step sets each parameter to its most likely value for the expected counts. A parameter may be read by several random variables or
/// branches, and has the same value in all of them; only branches that are taken contribute to the counts. Expectation-maximisation compiles the
/// model once, before the first round (one expectation step and one maximisation step).
///
/// The documentation of [`ExpectedCounts`] lists the algorithms for the expectation step and their guarantees.
///
/// If the expected counts are exact ([`JunctionTree`](figrs_infer::JunctionTree), [`VariableElimination`](figrs_infer::VariableElimination)), no
/// round of expectation-maximisation lowers the likelihood or, with [`map_estimate`](Self::map_estimate), the posterior density. The rounds of
/// expectation-maximisation converge to a stationary point of the likelihood or the posterior density: often a maximum, at worst a saddle point. The
/// first round reaches the maximum if all outcomes that depend on the parameters are observed, and no random variable reads several parameters.
///
/// With the feature `reals`, learned parameters may also be means, coefficients of linear means, variances and precisions of normal random variables,
/// which may be hidden or missing in some rows of data. The coefficients of linear means are set together, by weighted least squares. Variables with
/// finitely many values may choose among normal variables that have parameters of their own.
///
/// **Complexity.** A round of expectation-maximisation takes one upward and one downward pass through the junction tree for each distinct row of
/// data. For a model of real numbers, a round takes an elimination of the real and finite variables for each distinct row of data.
///
/// **Errors.** [`Error::InvalidCase`] if a row has a value that its variable cannot have; [`Error::NothingToLearn`] if the data depend on no learned
/// parameter; [`Error::NotLearnable`] if a variable reads a parameter in a form whose maximum likelihood has no closed form; [`Error::NoMaximum`] if
/// the likelihood has no maximum, or if the data do not determine a coefficient; the errors of the algorithm for the expectation step.
///
/// **References.** Dempster, Laird and Rubin, *Maximum likelihood from incomplete data via the EM algorithm*, Journal of the Royal
/// Statistical Society B 39(1), 1977; Lauritzen, *The EM algorithm for graphical association models with missing data*, 1995; Shumway and Stoffer, *An approach
/// to time series smoothing and forecasting using the EM algorithm*, Journal of Time Series Analysis 3(4), 1982 (hidden normal numbers).
///
/// ```
/// # use figrs_core::{Flip, If, Learned, Model};
/// # use figrs_infer::JunctionTree;
/// # use figrs_learn::{Cases, ExpectationMaximization};
/// // Two coins of unknown bias; the side of some throws is known, and rarely the coin.
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
    /// Minimum relative increase of the log-likelihood in a round of expectation-maximisation after which another round follows; with `None`, all
    /// rounds are run.
    tolerance: Option<f64>,
    pub(super) rounds: u64,
    first_values: Vec<(AnyElement, Datum)>,
    pub(super) starts: u64,
    seed: u64,
    /// Number of rows of data for each maximisation step, if a round of expectation-maximisation has several such steps.
    mini_batch: Option<usize>,
    accelerated: bool,
    threads: Option<NonZero<usize>>,
    pub(super) watch: Watch,
}

const DEFAULT_ROUNDS: u64 = 1000;
/// Default of the relative increase of the log-likelihood at or below which expectation-maximisation ends.
const DEFAULT_TOLERANCE: f64 = 1e-8;

fn invalid<T>(setting: &'static str, value: String, remedy: &'static str) -> Result<T, Error> {
    Err(Error::invalid_setting(
        "ExpectationMaximization",
        setting,
        value,
        remedy,
    ))
}

impl<E: ExpectedCounts> ExpectationMaximization<E> {
    /// Creates a learner that maximises the likelihood and uses the algorithm `engine` for the expectation step.
    pub fn new(engine: E) -> Self {
        Self {
            engine,
            with_prior: false,
            tolerance: Some(DEFAULT_TOLERANCE),
            rounds: DEFAULT_ROUNDS,
            first_values: Vec::new(),
            starts: 1,
            seed: 0,
            mini_batch: None,
            accelerated: false,
            threads: None,
            watch: Watch::default(),
        }
    }

    setters!(watch: watch);

    /// Maximises the posterior density instead of the likelihood: the likelihood times the prior densities of the parameters.
    pub fn map_estimate(mut self) -> Self {
        self.with_prior = true;
        self
    }

    figrs_factor::field_setters! {
        /// Ends expectation-maximisation when a round raises the log-likelihood (or log-posterior) by at most the fraction `tolerance` of its value
        /// (default 1e-8). With the tolerance 0, expectation-maximisation ends when the log-likelihood no longer rises. If the algorithm computes no
        /// log-likelihood, expectation-maximisation ends when a round changes each number of the parameters by at most the fraction `tolerance` of
        /// the number.
        tolerance: f64 => tolerance;
        /// Ends expectation-maximisation after at most `rounds` rounds (default 1000).
        rounds: u64 => rounds;
    }

    /// Makes exactly `rounds` rounds of expectation-maximisation, even if the parameters hardly change.
    pub fn exact_rounds(mut self, rounds: u64) -> Self {
        (self.rounds, self.tolerance) = (rounds, None);
        self
    }

    /// Sets the starting value of `parameter` to `value` (default: the mean of the prior of `parameter`).
    pub fn start<T: Value>(mut self, parameter: &Element<T>, value: T) -> Self {
        self.first_values
            .push((parameter.erased().clone(), Datum::new(value)));
        self
    }

    figrs_factor::field_setters! {
        /// Sets the number of starts of expectation-maximisation (default 1). The first start begins at the values of [`start`](Self::start) or at
        /// the means of the priors; further starts begin at values drawn from the priors. Of all starts, the result is the one with the largest
        /// likelihood or, with [`map_estimate`](Self::map_estimate), with the largest posterior density.
        starts: u64 => starts;
        /// Sets the seed (default 0) of the random numbers, which determine the starting values and the order of rows in mini-batches.
        seed: u64 => seed;
        /// Makes a maximisation step after each batch of `mini_batches` distinct rows, instead of after all rows: stepwise expectation-maximisation.
        ///
        /// A round with mini-batches visits all rows of data once in a random order, and then evaluates the log-likelihood of all rows, which may
        /// fall from round to round. With mini-batches, the expected counts are running averages in which the `k`th step has the weight `k^-0.7`. The
        /// rounds end when the log-likelihood changes by no more than the tolerance. Mini-batches should have at least dozens of rows, because each
        /// step writes the parameter values into all factors of the model.
        ///
        /// **References.** Cappé and Moulines, *On-line expectation-maximization algorithm for latent data models*, Journal of the Royal
        /// Statistical Society B 71(3), 2009; Liang and Klein, *Online EM for unsupervised models*, NAACL 2009 (the exponent).
        mini_batches: usize => mini_batch;
    }

    /// After every second round of expectation-maximisation, extrapolates the parameters from the last two rounds (SQUAREM). The extrapolated
    /// parameter values are accepted if they do not lower the likelihood (or, with [`map_estimate`](Self::map_estimate), the posterior density).
    /// Extrapolation reduces the number of rounds if expectation-maximisation converges slowly.
    ///
    /// An accepted extrapolation counts as a round of expectation-maximisation; a rejected extrapolation takes the time of a round.
    /// Expectation-maximisation has converged when a round without extrapolation raises the log-likelihood (or log-posterior) by too little.
    ///
    /// **References.** Varadhan and Roland, *Simple and globally convergent methods for accelerating the convergence of any EM algorithm*,
    /// Scandinavian Journal of Statistics 35(2), 2008.
    pub fn accelerated(mut self) -> Self {
        self.accelerated = true;
        self
    }

    /// Sets the number of threads (default: all cores); the result does not depend on the number of threads.
    pub fn threads(mut self, threads: NonZero<usize>) -> Self {
        self.threads = Some(threads);
        self
    }

    /// Learns the parameters on which the random variables in the data depend; the evidence and the interventions of `model` hold in each row of
    /// data.
    ///
    /// **Errors.** The same errors as those of the [algorithm](Self).
    pub fn fit<C: CaseColumns>(&self, model: &Model, cases: &Cases<C>) -> Result<Fit, Error> {
        self.fit_with(model, cases, None)
    }

    /// Starts learning in a thread of its own. At any time, the run can give the learned values after the last finished round. The run can be
    /// stopped, resumed, and lengthened by a number of rounds of expectation-maximisation for each start.
    ///
    /// While the run works, it changes the values of the [`Learned`](figrs_core::Learned) parameters; other queries of the same parameters must use
    /// the [model](Fit::model) of a finished result. Only the result of a finished run contains standard errors.
    ///
    /// **Guarantee.** The result of a run that was stopped, resumed and lengthened is equal to the last bit to that of a single run with the same
    /// number of rounds.
    ///
    /// **Errors.** The errors of [`fit`](Self::fit) become errors of the run's answer.
    ///
    /// ```
    /// # use figrs_core::{Flip, If, Learned, Model};
    /// # use figrs_infer::JunctionTree;
    /// # use figrs_learn::{Cases, ExpectationMaximization};
    /// let (first, second) = (Learned::beta("first", 2.0, 1.0), Learned::beta("second", 1.0, 2.0));
    /// let heads = If::new(&Flip::new(0.4), Flip::new(&first), Flip::new(&second));
    /// let cases = Cases::new(&heads).weighted_rows([(6.0, true), (3.0, false)]);
    /// let learner = ExpectationMaximization::new(JunctionTree::new()).map_estimate();
    /// let running = learner.clone().exact_rounds(5).start_fit(&Model::new(), &cases);
    /// let few = running.wait()?;
    /// running.extend(20)?;
    /// let many = running.wait()?;
    /// assert_eq!((few.rounds(), many.rounds()), (5, 25));
    /// let whole = learner.exact_rounds(25).fit(&Model::new(), &cases)?;
    /// assert_eq!(many.value(&first)?, whole.value(&first)?);
    /// # Ok::<(), figrs_infer::Error>(())
    /// ```
    pub fn start_fit<C: CaseColumns>(&self, model: &Model, cases: &Cases<C>) -> Running<Fit>
    where
        E: Clone + fmt::Debug + Send + 'static,
    {
        let mistake = cases.mistake.clone().map_or(Ok(()), Err);
        let checked = mistake.and_then(|()| self.check());
        let state = checked.map(|()| LearningRun::begin(self, model, &cases.table));
        Running::new(state, ParameterValues::of_model(model, &[]))
    }

    /// Learns as [`fit`](Self::fit) does, but obtains the expected counts from the function `count`. For each request, `count` returns parts of the
    /// counts that together cover all groups of rows (units) of the data, in order; a [`case_counter`](Self::case_counter) can compute such parts in
    /// any process.
    ///
    /// **Guarantee.** For any division of the rows of data into parts, the result is equal to that of [`fit`](Self::fit) to the last bit.
    ///
    /// **Complexity.** Learning makes one request for each round of expectation-maximisation, and two requests for each number with a standard error;
    /// a part contains one number for each outcome and group of rows. Deadlines and interrupts are checked between requests for expected counts.
    ///
    /// **Errors.** [`Error::UnfitPart`] or [`Error::NotConsecutive`] if the parts do not answer the request; [`Error::InvalidSetting`] if
    /// mini-batches are set, because their steps are too small for parts; the errors of `fit` and of `count`.
    ///
    /// ```
    /// # use figrs_core::{Flip, If, Learned, Model};
    /// # use figrs_infer::JunctionTree;
    /// # use figrs_learn::{Cases, ExpectationMaximization};
    /// # use std::sync::Mutex;
    /// let (first, second) = (Learned::beta("first", 2.0, 1.0), Learned::beta("second", 1.0, 2.0));
    /// let heads = If::new(&Flip::new(0.5), Flip::new(&first), Flip::new(&second));
    /// let cases = Cases::new(&heads).weighted_rows([(6.0, true), (3.0, false)]);
    /// let learner = ExpectationMaximization::new(JunctionTree::new()).map_estimate();
    /// // The worker, in any process, prepares the model once.
    /// let worker = Mutex::new(learner.case_counter(&Model::new(), &cases)?);
    /// let fit = learner.fit_by(&Model::new(), &cases, |request| {
    ///     let mut worker = worker.lock().unwrap();
    ///     let units = worker.units();
    ///     Ok(vec![worker.part(request, 0..units)?])
    /// })?;
    /// assert_eq!(fit.value(&first)?, learner.fit(&Model::new(), &cases)?.value(&first)?);
    /// # Ok::<(), figrs_infer::Error>(())
    /// ```
    pub fn fit_by<C: CaseColumns>(
        &self,
        model: &Model,
        cases: &Cases<C>,
        count: impl Fn(&CountRequest) -> Result<Vec<CountPart>, Error> + Send + Sync,
    ) -> Result<Fit, Error> {
        self.check_parts()?;
        self.fit_with(model, cases, Some(&count))
    }

    /// Prepares the model and the data in a worker process that computes expected counts for [`fit_by`](Self::fit_by). The process that calls
    /// `fit_by` must have built the same model and the same rows of data.
    ///
    /// **Errors.** The errors of [`fit`](Self::fit), except errors that occur during its rounds.
    pub fn case_counter<C: CaseColumns>(
        &self,
        model: &Model,
        cases: &Cases<C>,
    ) -> Result<CaseCounter, Error> {
        if let Some(mistake) = &cases.mistake {
            return Err(mistake.clone());
        }
        self.check()?;
        let monitor = self.watch.start("ExpectationMaximization", None);
        let step = guarded(|| self.engine.prepare(model, &cases.table, monitor.until()));
        Ok(CaseCounter {
            step: step.map_err(|error| monitor.error_of(error))?,
            rows: cases.table.rows.clone(),
            threads: self.threads.map_or_else(cores, NonZero::get),
            watch: self.watch.clone(),
        })
    }

    /// Returns the first request that [`fit_by`](Self::fit_by) makes, for workers that start before `fit_by` is called. The counter must not have
    /// computed expected counts before.
    ///
    /// **Errors.** The errors of [`fit_by`](Self::fit_by) about settings and starting values.
    ///
    /// ```
    /// # use figrs_core::{Flip, Learned, Model};
    /// # use figrs_infer::JunctionTree;
    /// # use figrs_learn::{Cases, ExpectationMaximization};
    /// let bias = Learned::beta("bias", 1.0, 1.0);
    /// let heads = Flip::new(&bias);
    /// let cases = Cases::new(&heads).weighted_rows([(6.0, true), (3.0, false)]);
    /// let learner = ExpectationMaximization::new(JunctionTree::new()).start(&bias, 0.2);
    /// let counter = learner.case_counter(&Model::new(), &cases)?;
    /// let first = learner.first_request(&counter)?;
    /// assert_eq!((first.number(), first.units()), (0, counter.units()));
    /// # Ok::<(), figrs_infer::Error>(())
    /// ```
    pub fn first_request(&self, counter: &CaseCounter) -> Result<CountRequest, Error> {
        self.check_parts()?;
        self.begin(0, counter.step.outcomes())?;
        Ok(counter.first_request())
    }

    /// Returns, as text, the settings on which the expected counts for a request depend. Expected counts that were computed with different settings
    /// must not be added up.
    pub fn counting_settings(&self) -> String {
        self.engine.counting_settings()
    }

    fn fit_with<C: CaseColumns>(
        &self,
        model: &Model,
        cases: &Cases<C>,
        count: Option<&CountFunction<'_>>,
    ) -> Result<Fit, Error> {
        if let Some(mistake) = &cases.mistake {
            return Err(mistake.clone());
        }
        self.check()?;
        let monitor = self.watch.start(
            "ExpectationMaximization",
            self.rounds.checked_mul(self.starts),
        );
        guarded(|| {
            let learner = self.prepare(model, &cases.table, &monitor)?;
            let rows = &cases.table.rows;
            let in_parts = count.map(|count| CountsInParts::new(&*learner.step, count));
            let step: &dyn ExpectationStep = match &in_parts {
                Some(in_parts) => in_parts,
                None => &*learner.step,
            };
            let mut starts = Vec::new();
            let stopped = loop {
                match self.advance(step, rows, &monitor, &mut starts) {
                    Ok(true) => break None,
                    Ok(false) => {}
                    Err(error) if error.is_stopped() => {
                        break monitor.stopped().or(Some(Stopped::Interrupted));
                    }
                    Err(error) => return Err(error),
                }
            };
            let (mut best, objectives) = best_of(&starts).ok_or_else(|| monitor.nothing_done())?;
            best.ended = stopped.or(best.ended);
            let errors = learner.errors_after((step, rows), &best, &monitor)?;
            Ok(Fit::new(
                model,
                Arc::new(Mutex::new(learner)),
                (best, objectives),
                Arc::new(rows.clone()),
                errors,
            ))
        })
    }

    pub(super) fn prepare(
        &self,
        model: &Model,
        table: &CaseTable,
        monitor: &RunMonitor<'_>,
    ) -> Result<Learner, Error> {
        let step = self.engine.prepare(model, table, monitor.until());
        Ok(Learner {
            step: step.map_err(|error| monitor.error_of(error))?,
            columns: table.columns_only(),
            prepared_rows: table.rows.iter().count(),
            stages: vec![table.lengths()],
            with_prior: self.with_prior,
            threads: self.threads.map_or_else(cores, NonZero::get),
            watch: self.watch.clone(),
        })
    }

    fn check(&self) -> Result<(), Error> {
        if let Some(tolerance) = self.tolerance.filter(|x| x.is_nan() || *x < 0.0) {
            let remedy = "give a number that is not negative";
            return invalid("tolerance", tolerance.to_string(), remedy);
        }
        if self.starts == 0 {
            return invalid("starts", "0".into(), "give at least 1");
        }
        if self.mini_batch == Some(0) {
            return invalid("mini_batches", "0".into(), "give at least 1");
        }
        if let (Some(rows), true) = (self.mini_batch, self.accelerated) {
            let remedy = "give mini_batches or accelerated, not both";
            return invalid("mini_batches", rows.to_string(), remedy);
        }
        Ok(())
    }

    fn check_parts(&self) -> Result<(), Error> {
        self.mini_batch.map_or(Ok(()), |rows| {
            let remedy = "learn from mini-batches in one process";
            invalid("mini_batches", rows.to_string(), remedy)
        })
    }

    /// Sets the parameters to their values at the beginning of the start with the index `start`. The first start begins at the values that the user
    /// has set, or at the means of the priors; other starts begin at values drawn from the priors.
    fn begin(&self, start: u64, outcomes: &CountedOutcomes) -> Result<(), Error> {
        if start > 0 {
            return outcomes.draw_from_priors(&mut stream(self.seed, start));
        }
        for (element, value) in &self.first_values {
            let Some((_, learned)) = outcomes.learned().get(element) else {
                return Err(Error::not_learned(element.label()));
            };
            if !learned.set(value) {
                let remedy = "give one number for each number of the prior";
                return Err(Error::invalid_setting(
                    "ExpectationMaximization",
                    "start",
                    format!("{value:?} for {element:?}"),
                    remedy,
                ));
            }
        }
        Ok(())
    }

    /// Runs the next round of expectation-maximisation for the first start that has not ended; returns `true` if all starts have ended. Before the
    /// call, the parameters must have the values after the last round of the start that is continued.
    ///
    /// **Errors.** The errors of a round of expectation-maximisation; an error if a deadline or an interrupt ends the round, in which case nothing
    /// has changed.
    pub(super) fn advance(
        &self,
        step: &dyn ExpectationStep,
        rows: &CaseRows,
        monitor: &RunMonitor<'_>,
        starts: &mut Vec<Rounds>,
    ) -> Result<bool, Error> {
        let ended = starts.iter().take_while(|start| start.ended.is_some());
        let number = ended.count();
        if number as u64 == self.starts {
            return Ok(true);
        }
        let rows: Vec<CaseRow<'_>> = rows.iter().collect();
        let of_start = RoundsOfStart {
            step,
            rows: &rows,
            settings: self.round_settings(number as u64),
            monitor,
        };
        if starts.len() == number {
            self.begin(number as u64, step.outcomes())?;
            let begun = of_start.begin()?;
            if begun.last.objective.is_nan() && self.starts > 1 {
                let remedy = "use one start: the algorithm computes no log-likelihood by which starts can be compared";
                return invalid("starts", self.starts.to_string(), remedy);
            }
            if begun.last.objective.is_nan() && self.accelerated {
                let remedy = "leave it out: the algorithm computes no log-likelihood that could judge the accelerated steps";
                return invalid("accelerated", "true".into(), remedy);
            }
            starts.push(begun);
        }
        of_start.advance(&mut starts[number])?;
        Ok(false)
    }

    fn round_settings(&self, start: u64) -> RoundSettings {
        RoundSettings {
            with_prior: self.with_prior,
            tolerance: self.tolerance,
            rounds: self.rounds,
            done: start.saturating_mul(self.rounds),
            mini_batch: self.mini_batch,
            accelerated: self.accelerated,
            seed: (self.seed, start),
            threads: self.threads.map_or_else(cores, NonZero::get),
        }
    }
}
