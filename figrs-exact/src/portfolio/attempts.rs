//! Attempts of a portfolio (`Exact`, `MpeExact`) to answer a question (a model with targets) by one algorithm after another.

use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use figrs_core::expand::{Encoding, Expansion};
use figrs_core::{AnyElement, Limits, Model, ModelError, Until};

use super::ladder::ModelOutline;
use super::settings::PortfolioSettings;
use crate::branch_and_bound::MpeBranchAndBound;
use crate::circuit::Circuit;
use crate::junction_tree::JunctionTree;
use crate::question::Question;
use crate::slices::{SliceCost, Slices};
use crate::variable_elimination::VariableElimination;
use figrs_answer::{AlgorithmAttempt, AlgorithmChoice, Answer, AttemptOutcome, Error, RunMonitor};
use figrs_factor::eliminate::{EliminationError, readable};

/// Number of operations assumed for an elimination that was stopped because it took more operations or memory than predicted.
const UNPREDICTED: f64 = 1e11;
/// Time that an expansion of the model may take after the run was stopped.
const GRACE_PERIOD: Duration = Duration::from_millis(400);

/// A question (a model with targets) that a portfolio of algorithms is to answer, and the algorithms that have been tried.
pub(super) struct Attempts<'a> {
    pub(super) settings: &'a PortfolioSettings,
    pub(super) run: &'a RunMonitor<'a>,
    pub(super) question: Rc<Question<'a>>,
    pub(super) choice: AlgorithmChoice,
    /// The error of the last algorithm that could not answer the question.
    refusal: Option<Error>,
    /// The error of an expansion of the model that exceeded its limits; after this error, no algorithm expands the model again.
    pub(super) unexpanded: Option<Error>,
    /// True if the model has too many (perhaps infinitely many) elements for an expansion and for a frontier sweep.
    is_endless: bool,
    /// The error of the last refused elimination of all variables at once.
    elimination: Option<EliminationError>,
    /// The size of the model and its fraction of factors with zeros; `None` until they have been computed.
    pub(super) outline: Option<ModelOutline>,
    /// Number of decisions of the longest exhaustive search that has run.
    pub(super) searched: f64,
}

impl<'a> Attempts<'a> {
    pub(super) fn new(
        settings: &'a PortfolioSettings,
        run: &'a RunMonitor<'a>,
        model: &'a Model,
        targets: &'a [AnyElement],
    ) -> Self {
        Self {
            settings,
            run,
            question: Rc::new(Question::new(model, targets)),
            choice: AlgorithmChoice::default(),
            refusal: None,
            unexpanded: None,
            is_endless: false,
            elimination: None,
            outline: None,
            searched: 0.0,
        }
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.run.stopped().is_some()
    }

    /// True if no further algorithm may expand the model into lists of values.
    fn is_over(&self) -> bool {
        self.unexpanded.is_some() || self.is_stopped()
    }

    pub(super) fn record(
        &mut self,
        algorithm: &'static str,
        operations: Option<f64>,
        outcome: AttemptOutcome,
    ) {
        let attempt = AlgorithmAttempt::new(algorithm, operations, outcome);
        self.settings.attempt_listener.tell(&attempt);
        self.choice.attempts.push(attempt);
    }

    /// Tries one algorithm of a portfolio, which is predicted to take `operations` operations. Returns `None` if the algorithm refuses, is stopped or
    /// reaches its limit of work, or if an earlier expansion of the model failed.
    ///
    /// **Errors.** The errors of the model and of its evidence; other errors are recorded as refusals of the algorithm.
    pub(super) fn try_once<T>(
        &mut self,
        algorithm: &'static str,
        operations: Option<f64>,
        ask: impl FnOnce() -> Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        if self.is_over() {
            return Ok(None);
        }
        self.judge(algorithm, operations, ask())
    }

    /// Records the result of one algorithm, and returns the same result as [`try_once`](Self::try_once).
    fn judge<T>(
        &mut self,
        algorithm: &'static str,
        operations: Option<f64>,
        result: Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        let (outcome, answer) = match result {
            Ok(answer) => (AttemptOutcome::Answered, Some(answer)),
            Err(error) if self.is_stopped() && is_unfinished(&error) => {
                (AttemptOutcome::Stopped, None)
            }
            Err(error) if error.is_budget() => {
                let reason = reason(&error);
                if let (Error::Elimination(error), true) =
                    (&error, ELIMINATIONS.contains(&algorithm))
                {
                    self.elimination = Some(error.clone());
                }
                match error {
                    Error::Model(_) => {
                        // If the table of an element is too large, the model may still have finitely many elements.
                        let is_known = |known: &Error| {
                            !matches!(known, Error::Model(ModelError::TableTooLarge { .. }))
                        };
                        self.is_endless |= self.unexpanded.as_ref().is_some_and(is_known);
                        self.unexpanded.get_or_insert(error);
                    }
                    error => self.refusal = Some(error),
                }
                (AttemptOutcome::Refused(reason), None)
            }
            Err(error) => return Err(error),
        };
        self.record(algorithm, operations, outcome);
        Ok(answer)
    }

    /// Tries an algorithm as [`try_once`](Self::try_once) does, but records errors of the model (except impossible evidence) as refusals.
    pub(super) fn try_instead<T>(
        &mut self,
        algorithm: &'static str,
        ask: impl FnOnce() -> Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        if self.is_stopped() || self.is_endless {
            return Ok(None);
        }
        match ask() {
            Err(error)
                if !is_unfinished(&error)
                    && !error.is_budget()
                    && !matches!(error, Error::ImpossibleEvidence { .. }) =>
            {
                self.record(algorithm, None, AttemptOutcome::Refused(error.to_string()));
                Ok(None)
            }
            result => self.judge(algorithm, None, result),
        }
    }

    /// Tries an exhaustive search with at most `decisions` decisions.
    ///
    /// **Errors.** The errors of [`try_once`](Self::try_once).
    pub(super) fn try_search<T>(
        &mut self,
        decisions: f64,
        ask: impl FnOnce(Circuit) -> Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        if self.is_over() {
            return Ok(None);
        }
        self.searched = self.searched.max(decisions);
        let found = ask(self.circuit(decisions));
        if matches!(
            &found,
            Err(Error::Elimination(
                EliminationError::TooManyOperations { .. }
            ))
        ) {
            let outcome = AttemptOutcome::OutOfWork(decisions as u64);
            self.record(CIRCUIT, None, outcome);
            return Ok(None);
        }
        self.judge(CIRCUIT, None, found)
    }

    fn circuit(&self, decisions: f64) -> Circuit {
        let memory = self.settings.memory.0;
        Circuit::new()
            .limits(self.settings.limits_afterwards().memory(memory))
            .cache_memory(memory / 2)
            .decisions(decisions as u64)
            .part_of(self.run)
    }

    /// Returns the settings of a junction tree with at most `operations` predicted operations.
    pub(super) fn junction_tree(&self, operations: f64) -> JunctionTree {
        JunctionTree::new().limits(self.settings.elimination(operations, self.run))
    }

    /// Returns the settings of an elimination with at most `operations` predicted operations.
    pub(super) fn variable_elimination(&self, operations: f64) -> VariableElimination {
        VariableElimination {
            collapse: self.settings.collapse,
            ..VariableElimination::new().limits(self.settings.elimination(operations, self.run))
        }
    }

    /// Returns the settings of a search for the most probable world with at most `steps` steps.
    pub(super) fn branch_and_bound(&self, memory: u64, steps: u64) -> MpeBranchAndBound {
        MpeBranchAndBound::new()
            .expansion_limits(&self.settings.limits_afterwards())
            .memory(memory)
            .work(steps)
            .part_of(self.run)
    }

    /// Returns the predicted number of operations of a sum over slices (one elimination for each joint value of the fixed variables); infinite if the
    /// sum is refused.
    pub(super) fn operations_of(
        &mut self,
        algorithm: &'static str,
        cost: Result<SliceCost, Error>,
    ) -> Result<f64, Error> {
        match cost {
            Ok(SliceCost { slices, slice, .. }) => Ok(slices as f64 * slice.operations),
            Err(error) => {
                self.try_once(algorithm, None, || Err::<(), _>(error))?;
                Ok(f64::INFINITY)
            }
        }
    }

    /// Returns the predicted number of operations of the variable elimination that gave no answer. The predicted number of operations is
    /// `UNPREDICTED` if the elimination was stopped because it exceeded its prediction, and infinite if the messages do not fit into the memory limit
    /// of the portfolio.
    pub(super) fn refused_operations(&self) -> f64 {
        match &self.elimination {
            Some(EliminationError::TooManyOperations { needed, limit })
                if *needed > limit + 1.0 =>
            {
                *needed
            }
            Some(EliminationError::TooManyOperations { .. }) => UNPREDICTED,
            Some(EliminationError::TooMuchMemory { needed, .. })
                if self.settings.has_room_for(*needed) =>
            {
                UNPREDICTED
            }
            Some(EliminationError::TableTooLarge { needed, .. })
                if self.settings.has_room_for(size_of::<f64>() as f64 * needed) =>
            {
                UNPREDICTED
            }
            _ => f64::INFINITY,
        }
    }

    pub(super) fn outline(&mut self) -> ModelOutline {
        if self.outline.is_none() && !self.is_stopped() {
            self.look();
        }
        *self.outline.get_or_insert(ModelOutline::UNKNOWN)
    }

    /// Returns the expansion of the model (the lists of possible values), its factor graph for sums, and the limits of later computations with them.
    /// Returns `None` if the expansion of the model fails or, after the run was stopped, takes longer than `GRACE_PERIOD`.
    pub(super) fn look(&mut self) -> Option<(Arc<Expansion>, Encoding, Limits)> {
        if self.unexpanded.is_some() {
            return None;
        }
        if !self.is_stopped() {
            let found = self.look_within(self.settings.limits_of_expansion(self.run));
            if found.is_some() || !self.is_stopped() {
                return found;
            }
        }
        let until = Until {
            deadline: Instant::now().checked_add(GRACE_PERIOD),
            ..Until::default()
        };
        self.look_within(self.settings.limits_afterwards().until(&until))
    }

    fn look_within(&mut self, limits: Limits) -> Option<(Arc<Expansion>, Encoding, Limits)> {
        let expansion = self.question.expand(&limits).ok()?;
        let encoding = Encoding::for_sums(&expansion, &[]).ok()?;
        self.outline = Some(ModelOutline::of(encoding.graph()));
        Some((expansion, encoding, limits))
    }

    pub(super) fn slices(&self) -> Slices {
        let slices = Slices::within(self.settings.memory)
            .expansion_limits(&self.settings.limits_afterwards())
            .part_of(self.run);
        match self.settings.limits.threads {
            Some(threads) => slices.threads(threads),
            None => slices,
        }
    }

    pub(super) fn chosen(self, answer: Answer) -> Answer {
        answer.with_choice(self.choice, self.settings.limits_afterwards())
    }

    /// Returns the error that no algorithm could answer the question, and states why each algorithm failed.
    pub(super) fn into_error(self) -> Error {
        match self.unexpanded.or(self.refusal) {
            Some(error @ Error::Model(_)) if self.run.stopped().is_none() => error,
            Some(error) if self.run.stopped().is_none() => Error::NothingFits {
                tried: self.choice,
                last: Box::new(error),
            },
            _ => self.run.nothing_done(),
        }
    }
}

const CIRCUIT: &str = "Circuit";
/// Names of the algorithms that eliminate all variables at once, without fixing some variables at each of their joint values.
const ELIMINATIONS: [&str; 3] = [
    "VariableElimination",
    "JunctionTree",
    "MpeVariableElimination",
];

pub(crate) fn reason(error: &Error) -> String {
    use EliminationError::{TableTooLarge, TooManyOperations, TooMuchMemory};
    match error {
        Error::Elimination(TableTooLarge { needed, .. }) => {
            let bytes = size_of::<f64>() as f64 * needed;
            format!(
                "it needs tables of {}, which exceed the limit",
                readable(bytes)
            )
        }
        Error::Elimination(TooMuchMemory { needed, .. }) => {
            format!(
                "it needs {}, which exceeds the limit of memory",
                readable(*needed)
            )
        }
        Error::Elimination(TooManyOperations { needed, limit }) if *needed > limit + 1.0 => {
            format!("it needs about {needed:.1e} operations, too many for this attempt")
        }
        Error::Elimination(TooManyOperations { .. }) => {
            "it took far more operations than predicted".to_owned()
        }
        Error::FrontierTooLarge { .. } => "it has too many states for this attempt".to_owned(),
        error => error.to_string(),
    }
}

pub(super) fn is_unfinished(error: &Error) -> bool {
    error.is_stopped()
        || matches!(
            error,
            Error::NothingDone { .. } | Error::MissingSlices { .. }
        )
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use std::sync::Mutex;

    use figrs_core::{Bytes, Element, Flip, Parents, Uniform};

    use super::*;
    use crate::portfolio::{Exact, MpeExact};
    use figrs_answer::Run;
    use figrs_answer::algorithm::Algorithm;
    use figrs_answer::run::watch::Watch;

    #[test]
    fn a_search_sees_an_interrupt_before_its_first_decision() {
        let coins: Vec<Element<bool>> = (0..3).map(|_| Flip::new(0.5)).collect();
        let model = Model::new().observe(&coins[0].equals(&coins[1]), true);
        let mut watch = Watch::default();
        let settings = PortfolioSettings::default();
        for is_interrupted in [false, true] {
            watch.set_interrupt(Arc::new(AtomicBool::new(is_interrupted)));
            let run = watch.start("Exact", None);
            let attempts = Attempts::new(&settings, &run, &model, &[]);
            let answer = attempts.circuit(1e6).answer(&model, &[]);
            let is_ended = matches!(answer, Err(Error::NothingDone { .. }));
            assert_eq!(is_ended, is_interrupted, "{answer:?}");
        }
    }

    #[test]
    fn a_search_ends_after_its_decisions() {
        // Each clause of the model contains three coins.
        let coins: Vec<Element<bool>> = (0..400).map(|_| Flip::new(0.5)).collect();
        let mut model = Model::new();
        for i in 0..400 {
            let three = (
                &coins[i],
                &coins[(i * 7 + 1) % 400],
                &coins[(i * 31 + 5) % 400],
            );
            let holds = three.map(|(&a, &b, &c)| a || b || c);
            model = model.observe(&holds, true);
        }
        let watch = Watch::default();
        let run = watch.start("Exact", None);
        let settings = PortfolioSettings::default();
        let mut attempts = Attempts::new(&settings, &run, &model, &[]);
        let found = attempts.try_search(10.0, |circuit| circuit.answer(&model, &[]));
        assert!(found.unwrap().is_none());
        let outcome = &attempts.choice.attempts[0].outcome;
        assert_eq!(*outcome, AttemptOutcome::OutOfWork(10));
    }

    /// Returns an endless recursion in which each call creates two distributions with many values and two `Chain` elements that depend on them.
    fn wide() -> Element<u64> {
        Uniform::new(0..1000_u64).flat_map(|&a| {
            let (x, y) = (wide(), wide());
            (&x, &y).map(move |(x, y)| x ^ y ^ a)
        })
    }

    #[test]
    fn an_expansion_beyond_the_memory_is_tried_once() {
        let (memory, endless, model) = (Bytes(4 << 20), wide(), Model::new());
        let tried: Arc<Mutex<Vec<&str>>> = Arc::default();
        let tell = {
            let tried = Arc::clone(&tried);
            move |attempt: &AlgorithmAttempt| tried.lock().unwrap().push(attempt.algorithm)
        };
        let exact = Exact::within(memory).on_attempt(tell.clone());
        let best = MpeExact::within(memory).on_attempt(tell);
        let asked = [
            exact.run(&model, &endless).err(),
            exact.compile(&model, &endless).err(),
            exact.count(&model, &endless).err(),
            best.run(&model, &endless).err(),
        ];
        for error in asked {
            let Some(Error::Model(ModelError::TooMuchMemory { limit, .. })) = error else {
                panic!("{error:?}");
            };
            assert_eq!(limit, memory.0);
        }
        let tried = std::mem::take(&mut *tried.lock().unwrap());
        // A frontier needs no expansion, but its number of elements is limited.
        let once = [
            "VariableElimination",
            "Frontier",
            "JunctionTree",
            "VariableElimination",
            "MpeVariableElimination",
        ];
        assert_eq!(tried, once);
    }
}
