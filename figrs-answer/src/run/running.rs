//! Runs in a thread of their own, whose answers can be read at any time.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use figrs_core::ParameterValues;

use super::run_state::{Latest, RunState, TURN, Turn, unchanged};
use crate::answer::Answer;
use crate::error::{Error, guarded};
use figrs_factor::Stopped;

/// A handle of a run in a thread of its own, as [`Run::start`](crate::Run::start) returns it. At any time, the run can give its answer so far, be
/// stopped, be resumed and be lengthened.
///
/// A clone of a handle is another handle of the same run. The run stops when the last handle is dropped. A deadline or an interrupt of the algorithm
/// stops the run as [`stop`](Self::stop) does; after [`resume`](Self::resume), the whole time until the deadline is available again.
///
/// **Guarantee.** Except for its time, the answer of a finished run is equal to the last bit to the answer of [`Run::run`](crate::Run::run). A run
/// that was stopped, resumed and lengthened has the answer of a single run of the same total length. In a lengthened run, Markov chains keep the
/// burn-in of the original run. A single run of the longer length has the same burn-in as a lengthened run only if the settings state the length of
/// the burn-in.
///
/// **Complexity.** A sampler works in turns (time slices) of about 20 milliseconds, and a call of [`answer`](Self::answer) waits for the end of a
/// turn. A call of `answer` takes time in proportion to the size of the sums or the number of draws so far. For other algorithms, a call of `answer`
/// does not wait: it returns the answer after the last finished depth of expansion, round of iterations or improvement of bounds. A stopped run ends
/// within or after the current step, block of worlds, depth, round or attempt.
///
/// ```
/// # use figrs_core::{Flip, Model};
/// # use figrs_infer::{MetropolisHastings, Run};
/// let rain = Flip::new(0.2);
/// let wet = rain.flat_map(|&rain| Flip::new(if rain { 0.9 } else { 0.1 }));
/// let model = Model::new().observe(&wet, true);
/// let running = MetropolisHastings::new(500).burn_in(500).seed(7).start(&model, &rain);
/// running.extend(1_500)?;
/// let longer = running.wait()?;
/// let whole = MetropolisHastings::new(2_000).burn_in(500).seed(7).run(&model, &rain)?;
/// assert_eq!(longer.probability(&rain, &true)?, whole.probability(&rain, &true)?);
/// # Ok::<(), figrs_infer::Error>(())
/// ```
#[derive(Debug)]
#[must_use]
pub struct Running<A = Answer> {
    run: Arc<SharedRun<A>>,
    handles: Arc<StopAtDrop>,
}

impl<A> Clone for Running<A> {
    fn clone(&self) -> Self {
        Self {
            run: Arc::clone(&self.run),
            handles: Arc::clone(&self.handles),
        }
    }
}

/// The flag that stops a run. The flag is set when the last handle of the run is dropped.
#[derive(Debug)]
struct StopAtDrop(Arc<AtomicBool>);

impl Drop for StopAtDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The run, which its thread and its handles share.
#[derive(Debug)]
struct SharedRun<A> {
    /// A thread locks the mutex `next` before the mutex `work`, and unlocks `next` afterwards. Because a thread locks the mutex `next` before the
    /// mutex `work`, a thread that asks for the answer gets the answer after the current turn (time slice).
    next: Mutex<()>,
    work: Mutex<Work<A>>,
    /// The answer that other threads can read during a turn (time slice), if the turns of this run are long.
    latest: Option<Latest<A>>,
    stop: Arc<AtomicBool>,
    is_working: Mutex<bool>,
    changed: Condvar,
}

/// The state of a run, and the reason why the work on it ended.
#[derive(Debug)]
struct Work<A> {
    state: Result<Box<dyn RunState<A>>, Error>,
    stopped: Stopped,
    /// The parameters of the model at the beginning of the run.
    parameters: ParameterValues,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<A: Clone + Send + 'static> Running<A> {
    /// Starts a run in a thread; if the state is an error, the answer of the run is this error. `parameters` are the parameters of the model.
    #[doc(hidden)]
    pub fn new(state: Result<Box<dyn RunState<A>>, Error>, parameters: ParameterValues) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let latest = state.as_ref().ok().and_then(|state| state.latest());
        let running = Self {
            run: Arc::new(SharedRun {
                next: Mutex::new(()),
                work: Mutex::new(Work {
                    state,
                    stopped: Stopped::Interrupted,
                    parameters,
                }),
                latest,
                stop: Arc::clone(&stop),
                is_working: Mutex::new(false),
                changed: Condvar::new(),
            }),
            handles: Arc::new(StopAtDrop(stop)),
        };
        running.run.start();
        running
    }

    /// Returns the answer computed from the work so far; any thread may call `answer` at any time. If the run is not finished, its answer states
    /// [`Stopped::Interrupted`] as the reason for its end, or [`Stopped::Deadline`] after a deadline.
    ///
    /// **Errors.** [`Error::NothingDone`] if the work so far does not suffice for an answer; the errors of the algorithm.
    pub fn answer(&self) -> Result<A, Error> {
        if let Some(latest) = &self.run.latest {
            return match self.run.work.try_lock() {
                Ok(work) => work.answer(),
                Err(_) => latest.get(),
            };
        }
        self.run.lock().answer()
    }

    /// Increases the requested number of samples, draws or steps of each chain, populations of particles, rounds or operations by `more`. Continues
    /// the run unless it was stopped. The documentation of each algorithm states whether `more` counts samples, steps, rounds or something else.
    ///
    /// **Errors.** The error with which the run ended; [`Error::InvalidSetting`] if the sum of the old number and `more` is too large. The run ends
    /// with the error [`Error::ParameterChanged`] if a [`Param`](figrs_core::Param) of the model was set since the run began.
    pub fn extend(&self, more: u64) -> Result<(), Error> {
        let mut work = self.run.lock();
        let state = work.state.as_mut().map_err(|error| error.clone())?;
        guarded(|| state.extend(more))?;
        if work.stopped == Stopped::Finished {
            work.stopped = Stopped::Interrupted;
        }
        drop(work);
        if !self.run.stop.load(Ordering::Relaxed) {
            self.run.start();
        }
        Ok(())
    }

    /// Stops the run, and waits until its thread has ended. The state of the run is kept, so that [`resume`](Self::resume) can continue it.
    pub fn stop(&self) {
        self.run.stop.store(true, Ordering::Relaxed);
        self.run.wait();
    }

    /// Continues a run that was stopped or whose deadline has passed.
    pub fn resume(&self) {
        // A thread that is ending must first see the flag that stops it; otherwise this call would start no new thread.
        if self.run.stop.load(Ordering::Relaxed) {
            self.run.wait();
            self.run.stop.store(false, Ordering::Relaxed);
        }
        self.run.start();
    }

    /// Waits until the run is finished or stopped, and returns its answer.
    ///
    /// **Errors.** The errors of [`answer`](Self::answer).
    pub fn wait(&self) -> Result<A, Error> {
        self.run.wait();
        self.answer()
    }

    /// True if the run has done all the work that was requested, or ended with an error.
    pub fn is_finished(&self) -> bool {
        !*locked(&self.run.is_working) && {
            let work = self.run.lock();
            work.state.is_err() || work.stopped == Stopped::Finished
        }
    }

    /// Calls `read` with the state of the run between two turns (time slices) of the run.
    pub(crate) fn with_state<R>(
        &self,
        read: impl FnOnce(&dyn RunState<A>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let work = self.run.lock();
        work.state
            .as_deref()
            .map_or_else(|error| Err(error.clone()), read)
    }
}

impl<A> Work<A> {
    fn answer(&self) -> Result<A, Error> {
        let state = self.state.as_ref().map_err(Clone::clone)?;
        guarded(|| state.answer(self.stopped))
    }

    /// Runs one turn (time slice) of the run; returns `true` if the run has ended.
    fn advance(&mut self, turn: &Turn<'_>) -> bool {
        let Ok(state) = &mut self.state else {
            return true;
        };
        let parameters = &self.parameters;
        match guarded(|| unchanged(parameters).and_then(|()| state.advance(turn))) {
            Ok(true) => self.stopped = Stopped::Finished,
            Ok(false) => self.stopped = turn.run().stopped().unwrap_or(Stopped::Interrupted),
            Err(error) => self.state = Err(error),
        }
        self.has_ended()
    }

    fn has_ended(&self) -> bool {
        self.state.is_err() || self.stopped == Stopped::Finished
    }
}

impl<A: Clone + Send + 'static> SharedRun<A> {
    fn lock(&self) -> MutexGuard<'_, Work<A>> {
        let _next = locked(&self.next);
        locked(&self.work)
    }

    fn wait(&self) {
        let mut is_working = locked(&self.is_working);
        while *is_working {
            is_working = self
                .changed
                .wait(is_working)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Starts a thread that works on the run, unless a thread works on it already. If the system cannot start a thread, the calling thread does the
    /// work.
    fn start(self: &Arc<Self>) {
        if std::mem::replace(&mut *locked(&self.is_working), true) {
            return;
        }
        let run = Arc::clone(self);
        let spawned = thread::Builder::new().spawn(move || run.work());
        if spawned.is_err() {
            self.work();
        }
    }

    /// Runs one turn (time slice) of the run after another, until the run has ended or is stopped.
    fn work(&self) {
        loop {
            let is_stopped = self.turns();
            let mut is_working = locked(&self.is_working);
            // Another thread may have lengthened the run after its last turn.
            if is_stopped || self.lock().has_ended() {
                *is_working = false;
                self.changed.notify_all();
                return;
            }
        }
    }

    /// Runs one turn (time slice) of the run after another; returns `true` if the run was stopped before its end.
    fn turns(&self) -> bool {
        let (watch, algorithm, asked) = {
            let work = self.lock();
            let Ok(state) = &work.state else { return false };
            let watch = state.watch().stopped_by(&self.stop);
            (watch, state.algorithm(), state.asked())
        };
        let run = watch.start(algorithm, asked);
        loop {
            let mut work = self.lock();
            let has_ended = work.advance(&Turn::new(&run, Some(TURN)));
            if has_ended || run.stopped().is_some() {
                return !has_ended;
            }
        }
    }
}
