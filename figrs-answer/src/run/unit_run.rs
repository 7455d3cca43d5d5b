//! Runs of samplers whose units of work are added one after another.

use std::any::Any;
use std::sync::Arc;

use figrs_core::{AnyElement, Model};

use super::mergeable_sampler::MergeableSampler;
use super::partial::{Absorption, Partial};
use super::run_state::{Continuation, RunState, Turn};
use super::watch::Watch;
use crate::answer::Answer;
use crate::error::Error;
use figrs_factor::Stopped;

/// A model with the targets of a query.
pub type SharedQuestion = Arc<(Model, Vec<AnyElement>)>;

/// A sampler whose run can be lengthened.
pub trait Lengthen: MergeableSampler + Clone + 'static {
    /// Returns the deadline, the interrupt and the listener of the sampler.
    fn watch(&self) -> &Watch;

    /// Returns the sampler with another deadline, interrupt and listener.
    fn watched(&self, watch: Watch) -> Self;

    /// Returns the sampler of a run with `more` more samples, draws of each chain, or populations of particles; `None` if their
    /// number does not fit into 64 bits.
    fn lengthened(&self, more: u64) -> Option<Self>;

    /// Requested number of samples, steps or sweeps, if the run has such a limit.
    fn asked(&self) -> Option<u64>;

    /// Returns the sampler of a longer run, or an error.
    #[doc(hidden)]
    fn longer(&self, more: u64) -> Result<Self, Error> {
        self.lengthened(more).ok_or_else(|| Error::InvalidSetting {
            algorithm: self.name(),
            setting: "extend",
            value: more.to_string(),
            remedy: "ask for fewer: the sum exceeds 64 bits",
        })
    }
}

/// The state of the run of a sampler whose longer runs have more units of work.
///
/// Each turn runs some of the next units as a part of the run, and merges the part.
#[derive(Debug)]
pub struct UnitRun<S: Lengthen> {
    sampler: S,
    question: SharedQuestion,
    absorption: Absorption,
    /// The merged units of work; `None` before the first turn.
    done: Option<Partial<S::Sums>>,
    /// Number of units of work of the run; `None` if it must be computed.
    units: Option<u64>,
    /// Number of units of work in the next turn.
    of_turn: u64,
}

impl<S: Lengthen> UnitRun<S> {
    pub fn new(sampler: &S, question: SharedQuestion, absorption: Absorption) -> Self {
        Self {
            sampler: sampler.clone(),
            question,
            absorption,
            done: None,
            units: None,
            of_turn: 1,
        }
    }

    /// Creates the state of a run, as [`Algorithm::begin`](crate::Algorithm::begin) does.
    pub fn begin(
        sampler: &S,
        model: &Model,
        targets: &[AnyElement],
    ) -> Result<Box<dyn RunState>, Error> {
        let question = Arc::new((model.clone(), targets.to_vec()));
        Ok(Box::new(Self::new(sampler, question, Absorption::AtOnce)))
    }

    /// Creates the state of a run that has done some units of work.
    pub fn after(self, done: Partial<S::Sums>) -> Self {
        Self {
            done: Some(done),
            ..self
        }
    }

    /// The merged units of work.
    pub fn done(&self) -> Option<&Partial<S::Sums>> {
        self.done.as_ref()
    }
}

impl<S: Lengthen> RunState for UnitRun<S> {
    fn algorithm(&self) -> &'static str {
        self.sampler.name()
    }

    fn asked(&self) -> Option<u64> {
        self.sampler.asked()
    }

    fn watch(&self) -> &Watch {
        self.sampler.watch()
    }

    fn advance(&mut self, turn: &Turn<'_>) -> Result<bool, Error> {
        let (model, targets) = &*self.question;
        let sampler = self.sampler.watched(turn.run().quiet_rest());
        let units = match self.units {
            Some(units) => units,
            None => *self.units.insert(sampler.units(model, targets)?),
        };
        loop {
            let begin = self.done.as_ref().map_or(0, |done| done.units().end);
            let is_enough = self.done.as_ref().is_some_and(Partial::is_enough);
            if is_enough || begin >= units {
                return Ok(true);
            }
            let end = if turn.is_short() {
                begin.saturating_add(self.of_turn).min(units)
            } else {
                units
            };
            let part = match sampler.run_units(model, targets, begin..end, self.absorption) {
                Err(error) if error.is_stopped() || matches!(error, Error::NothingDone { .. }) => {
                    return Ok(false);
                }
                part => part?,
            };
            match &mut self.done {
                Some(done) => done.merge(part)?,
                None => self.done = Some(part),
            }
            turn.run()
                .report(self.done.as_ref().map_or(0, Partial::done));
            if turn.is_over() {
                return Ok(false);
            }
            // Parts grow until one of them fills a turn.
            self.of_turn = self.of_turn.saturating_mul(2);
        }
    }

    fn answer(&self, stopped: Stopped) -> Result<Answer, Error> {
        let done = self.done.clone().ok_or(Error::NothingDone {
            algorithm: self.sampler.name(),
        })?;
        let answer = done.because(stopped).into_answer()?;
        Ok(answer.with_question(Arc::clone(&self.question)))
    }

    fn extend(&mut self, more: u64) -> Result<(), Error> {
        let longer = self.sampler.longer(more)?;
        if let Some(done) = &mut self.done {
            let (model, targets) = &*self.question;
            // A sampler without a limit needs a watch that can end its run, or its settings would be refused.
            let unwatched = longer.watched(Watch::default().stopped_by(&Arc::default()));
            let none = unwatched.run_units(model, targets, 0..0, self.absorption)?;
            if !done.lengthen(none) {
                self.done = None;
                self.of_turn = 1;
            }
        }
        (self.sampler, self.units) = (longer, None);
        Ok(())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// Runs all units of work of a sampler; the run of the answer can be lengthened.
pub fn extendable_answer<S: Lengthen>(
    sampler: &S,
    model: &Model,
    targets: &[AnyElement],
) -> Result<Answer, Error> {
    let done = sampler.partial(model, targets, 0..u64::MAX)?;
    let (sampler, question) = (sampler.clone(), Arc::new((model.clone(), targets.to_vec())));
    let begin = move || UnitRun::new(&sampler, Arc::clone(&question), Absorption::AtOnce);
    let state = done
        .is_small()
        .then(|| Box::new(begin().after(done.clone())) as Box<dyn RunState>);
    let begin = move || Ok(Box::new(begin()) as Box<dyn RunState>);
    let continuation = Continuation::new(state, Box::new(begin));
    Ok(done.into_answer()?.with_continuation(continuation))
}
