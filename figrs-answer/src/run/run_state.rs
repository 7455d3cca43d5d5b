//! States of runs that can be paused, continued and lengthened.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use figrs_core::ParameterValues;

use super::watch::{RunMonitor, Watch};
use crate::answer::Answer;
use crate::error::{Error, guarded};
use figrs_factor::Stopped;

/// The state of a run that can be paused, continued and lengthened, as [`Algorithm::begin`](crate::Algorithm::begin) creates it.
///
/// The type `A` is the type of the answer.
pub trait RunState<A = Answer>: fmt::Debug + Send {
    /// The name of the algorithm, for messages.
    fn algorithm(&self) -> &'static str;

    /// Requested number of samples, steps, rounds or operations, if the run has such a limit.
    fn asked(&self) -> Option<u64>;

    /// The deadline, the interrupt and the listener of the algorithm.
    fn watch(&self) -> &Watch;

    /// Continues the run until the turn (time slice) is over or the run is finished; returns `true` if the run is finished.
    ///
    /// The division of a run into turns (time slices) does not change its results. If a turn (time slice) ends within an indivisible piece of work,
    /// the next turn repeats this piece.
    ///
    /// **Errors.** The errors of the algorithm. A turn (time slice) that ends before the run has results is no error.
    fn advance(&mut self, turn: &Turn<'_>) -> Result<bool, Error>;

    /// Computes the answer from the work that has been done; `stopped` is the reason why the work ended.
    ///
    /// **Errors.** [`Error::NothingDone`] if the work done so far does not suffice for an answer; the errors of the algorithm.
    fn answer(&self, stopped: Stopped) -> Result<A, Error>;

    /// Adds `more` samples, draws, steps, rounds or operations to the requested number.
    ///
    /// **Errors.** [`Error::InvalidSetting`] if the sum of the old number and `more` is too large.
    fn extend(&mut self, more: u64) -> Result<(), Error>;

    /// If turns of this run may take seconds, returns the answer that a [`Running`](crate::Running) gives during a turn (time slice). The state of a
    /// run whose turns (time slices) may take seconds updates the answer during each turn. For runs whose turns (time slices) are short, a `Running`
    /// waits for the end of the turn before it gives an answer.
    fn latest(&self) -> Option<Latest<A>> {
        None
    }

    /// Returns the state as `dyn Any`, for the algorithm that saves it.
    fn as_any(&self) -> &dyn Any;
}

/// The latest answer of a run, which other threads read during a turn (time slice) of the run.
#[derive(Debug)]
pub struct Latest<A = Answer>(Arc<Mutex<Result<A, Error>>>);

impl<A> Clone for Latest<A> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<A: Clone> Latest<A> {
    /// Creates the answer of a run that has no results yet: an error.
    pub fn nothing(algorithm: &'static str) -> Self {
        let nothing = Error::NothingDone { algorithm };
        Self(Arc::new(Mutex::new(Err(nothing))))
    }

    /// Replaces the answer.
    pub fn set(&self, answer: Result<A, Error>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = answer;
    }

    /// Returns a copy of the answer.
    pub fn get(&self) -> Result<A, Error> {
        let answer = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        answer.clone()
    }
}

/// One turn (time slice) of a run. Between two turns (time slices) of a run, another thread may ask for the answer.
#[derive(Debug)]
pub struct Turn<'a> {
    run: &'a RunMonitor<'a>,
    ends: Option<Instant>,
}

impl<'a> Turn<'a> {
    /// Creates a turn (time slice) of a run that ends after `time`; if `time` is `None`, the turn ends when the run is finished or stopped.
    pub(crate) fn new(run: &'a RunMonitor<'a>, time: Option<Duration>) -> Self {
        let ends = time.and_then(|time| Instant::now().checked_add(time));
        Self { run, ends }
    }

    /// Returns the monitor of the run, with the deadline, interrupts and listener of the run.
    pub fn run(&self) -> &'a RunMonitor<'a> {
        self.run
    }

    /// True if the turn (time slice) may end before the run is finished or stopped.
    pub fn is_short(&self) -> bool {
        self.ends.is_some()
    }

    /// True if the turn (time slice) of the run must end now. A call of `is_over` reads the clock.
    pub fn is_over(&self) -> bool {
        self.run.stopped().is_some() || self.ends.is_some_and(|end| Instant::now() >= end)
    }
}

pub(crate) const TURN: Duration = Duration::from_millis(20);

/// The number of steps in a turn (time slice) of a run, which is adapted to the time that turns take.
#[derive(Clone, Copy, Debug)]
pub struct TurnLength(u64);

impl Default for TurnLength {
    fn default() -> Self {
        Self(16)
    }
}

impl TurnLength {
    pub(crate) fn of(steps: u64) -> Self {
        Self(steps)
    }

    /// Returns the number of steps at the end of a turn (time slice) that begins after `made` steps; `u64::MAX` if the turn lasts until the end of
    /// the run.
    pub fn goal(self, turn: &Turn<'_>, made: u64) -> u64 {
        if turn.is_short() {
            made.saturating_add(self.0)
        } else {
            u64::MAX
        }
    }

    /// Doubles or halves the number of steps in the next turn (time slice) if the last turn took much less or much more time than `TURN`.
    pub fn adapt(&mut self, took: Duration) {
        if took < TURN / 2 {
            self.0 = self.0.saturating_mul(2);
        } else if took > TURN * 2 {
            self.0 = (self.0 / 2).max(1);
        }
    }
}

/// Stores a run in its answer `answer`, so that the run can be lengthened. `state` is the state at the end of the run, and `begin` starts the run
/// again from its beginning.
pub fn continued<S: RunState + 'static>(
    answer: Answer,
    state: S,
    begin: impl Fn() -> S + Send + Sync + 'static,
) -> Answer {
    let begin = move || Ok(Box::new(begin()) as Box<dyn RunState>);
    answer.with_continuation(Continuation::new(Some(Box::new(state)), Arc::new(begin)))
}

/// Continues a run until it is finished or stopped, and computes its answer.
pub(crate) fn finish<A>(state: &mut dyn RunState<A>) -> Result<A, Error> {
    let watch = state.watch().clone();
    let run = watch.start(state.algorithm(), state.asked());
    let turn = Turn::new(&run, None);
    let stopped = loop {
        if state.advance(&turn)? {
            break Stopped::Finished;
        }
        if let Some(why) = run.stopped() {
            break why;
        }
    };
    state.answer(stopped)
}

/// Returns an error if the value of a `Param` has changed since `parameters` were read.
pub(crate) fn unchanged(parameters: &ParameterValues) -> Result<(), Error> {
    parameters.changed().map_or(Ok(()), |param| {
        Err(Error::ParameterChanged {
            parameter: param.name().into(),
        })
    })
}

/// A function that starts the run of an answer again from its beginning.
type Begin = dyn Fn() -> Result<Box<dyn RunState>, Error> + Send + Sync;

/// The run of an answer, which can be lengthened.
pub(crate) struct Continuation {
    /// The state at the end of the run; `None` if the state was too large, or if a longer run has already been continued from this state.
    state: Mutex<Option<Box<dyn RunState>>>,
    begin: Arc<Begin>,
    /// The number of steps that were added to the run after `begin` started it.
    extended: u64,
    /// The parameters of the model at the end of the run.
    parameters: ParameterValues,
}

/// The run of an answer, if the run can be lengthened. `Debug` prints the same text for all runs.
#[derive(Clone)]
pub(crate) struct RunOfAnswer(pub(crate) Option<Arc<Continuation>>);

impl fmt::Debug for RunOfAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("..")
    }
}

impl Continuation {
    pub(crate) fn new(state: Option<Box<dyn RunState>>, begin: Arc<Begin>) -> Self {
        Self {
            state: Mutex::new(state),
            begin,
            extended: 0,
            parameters: ParameterValues::default(),
        }
    }

    /// Adds `more` steps to the run; returns the answer and the state of the longer run.
    pub(crate) fn extended(&self, more: u64) -> Result<(Answer, Box<dyn RunState>), Error> {
        unchanged(&self.parameters)?;
        let state = self.taken();
        guarded(|| {
            let mut state = if let Some(state) = state {
                state
            } else {
                let mut state = (self.begin)()?;
                if self.extended > 0 {
                    state.extend(self.extended)?;
                }
                state
            };
            state.extend(more)?;
            let answer = finish(&mut *state)?;
            Ok((answer, state))
        })
    }

    fn taken(&self) -> Option<Box<dyn RunState>> {
        let state = self.state.lock();
        state.unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Returns this run of an answer with the given parameters of its model.
    pub(crate) fn with_parameters(&self, parameters: ParameterValues) -> Self {
        Self {
            extended: self.extended,
            parameters,
            ..Self::new(self.taken(), Arc::clone(&self.begin))
        }
    }

    /// Returns the run with another type of states: `convert` wraps each state of the run.
    pub(crate) fn mapped(
        &self,
        convert: impl Fn(Box<dyn RunState>) -> Box<dyn RunState> + Send + Sync + 'static,
    ) -> Self {
        let (state, first) = (self.taken().map(&convert), Arc::clone(&self.begin));
        Self {
            extended: self.extended,
            parameters: self.parameters.clone(),
            ..Self::new(state, Arc::new(move || first().map(&convert)))
        }
    }

    /// Returns the run as it is after `more` further steps; `state` is the state at the end of the longer run.
    pub(crate) fn with_state(&self, more: u64, state: Box<dyn RunState>) -> Self {
        Self {
            extended: self.extended.saturating_add(more),
            parameters: self.parameters.clone(),
            ..Self::new(Some(state), Arc::clone(&self.begin))
        }
    }
}
