//! The law of a filter's step, which is computed once and followed many times.

use std::borrow::Cow;
use std::sync::OnceLock;

use figrs_answer::algorithm::guarded;
use figrs_answer::error::Error;
use figrs_core::{FilterState, Model};

use crate::belief::too_many;
use crate::compiled_step::CompiledStep;
use crate::filter::Filter;
use crate::past_states::PresentState;
use crate::step_compiler::StepCompiler;

/// The law of a step of a [`Filter`] with readings of the type `R`; [`Filter::law`] computes the law, and [`Filter::follow`] applies it.
#[derive(Clone, Debug)]
pub struct FilterLaw<R> {
    readings: R,
    step: CompiledStep,
}

impl<S: FilterState> Filter<S> {
    /// Computes the law of a step, if all steps have the same law. `step` builds the elements of the next state from the elements of the present state.
    /// `readings` builds the elements that [`follow`](Self::follow) may observe. The state and the readings consist of finite elements, and of numbers
    /// that are linear functions of the state's numbers, with normal noise, given the finite elements.
    ///
    /// Both functions are called once, and again for joint values of the finite elements that the next state can have but the present state cannot; the law
    /// then contains all joint values that the state can reach.
    ///
    /// ```
    /// use figrs_core::{Element, Flip, Model, Normal, Variance};
    /// use figrs_reals::Filter;
    ///
    /// // A level that moves or rests, its readings, and a sensor of the motion, which sends no signal in some steps.
    /// type State = (Element<bool>, Element<f64>);
    /// let first = (Flip::new(0.5), Normal::new(0.0, Variance(100.0)));
    /// let mut filter = Filter::moments(&first)?;
    /// let law = filter.law(
    ///     |(moves, level): &State| {
    ///         let moves = moves.flat_map(|&moves| Flip::new(if moves { 0.9 } else { 0.2 }));
    ///         let drift = moves.map(|&moves| if moves { 1.0 } else { 0.0 });
    ///         let level = Normal::new(level + &drift, Variance(0.1));
    ///         (moves, level)
    ///     },
    ///     |(moves, level)| {
    ///         let signal = moves.flat_map(|&moves| Flip::new(if moves { 0.8 } else { 0.1 }));
    ///         (signal, Normal::new(level, Variance(4.0)))
    ///     },
    /// )?;
    /// for (moves, reading) in [(Some(true), 1.2), (None, 2.7), (Some(true), 2.9)] {
    ///     filter.follow(&law, |(signal, level)| {
    ///         let model = Model::new().observe(level, reading);
    ///         moves.into_iter().fold(model, |model, moves| model.observe(signal, moves))
    ///     })?;
    /// }
    /// assert!(filter.probability(|(moves, _)| moves, &true)? > 0.9);
    /// # Ok::<(), figrs_answer::Error>(())
    /// ```
    ///
    /// **Errors.** [`Error::NotClosedForm`] if an element has no closed form, or if the state can have more joint values than
    /// [`components`](Self::components) allows; [`Error::InvalidSetting`] if the filter keeps past states or groups of elements; the errors of the elements.
    pub fn law<R: FilterState>(
        &self,
        step: impl Fn(&S) -> S,
        readings: impl Fn(&S) -> R,
    ) -> Result<FilterLaw<R>, Error> {
        self.check_for_law()?;
        let like = &self.present.state;
        let mut belief = Cow::Borrowed(&self.beliefs[0]);
        let mut compiler = StepCompiler::new(&belief);
        let mut first = None;
        while let Some(open) = compiler.next(&belief) {
            let present = PresentState::new(like, &[open]);
            let within = (&self.limits, self.components);
            let built = guarded(|| {
                let next = step(&present.state);
                let readings = readings(&next);
                let elements = (&next.elements()[..], &readings.elements()[..]);
                compiler.add(&present.made[0], elements, within)?;
                Ok::<R, Error>(readings)
            })?;
            if compiler.step.numbers != belief.numbers {
                // A number that is known in the present state may be normal in the next state.
                let real = belief.with_layout(&compiler.step.numbers);
                let real = real.ok_or_else(|| {
                    let problem = "a law needs a next state with elements of the same kind (finite, or normal with the same length) as those of the present state; use \
                                   `advance`";
                    let next = like.elements().into_iter().next();
                    next.map_or(Error::NothingDone { algorithm: Self::NAME }, |element| {
                        Error::not_closed_form(&element, problem)
                    })
                })?;
                belief = Cow::Owned(real.into_owned());
                compiler = StepCompiler::new(&belief);
                continue;
            }
            first.get_or_insert(built);
            let count = compiler.step.states.len();
            if let Some(element) = like.elements().first()
                && count > self.components
            {
                return Err(too_many(element, count as f64, self.components));
            }
        }
        let step = compiler.step;
        first
            .map(|readings| FilterLaw { readings, step })
            .ok_or(Error::NothingDone {
                algorithm: Self::NAME,
            })
    }

    /// Advances to the next state by `law`. `evidence` builds a model with observations of the law's readings; a reading that it does not observe is
    /// missing in this step. The result is the same as that of [`advance`](Self::advance) for the same elements. `follow` builds no elements of the
    /// state; for a state of two numbers, a step takes less than a microsecond.
    ///
    /// **Errors.** [`Error::InStep`], as for [`advance`](Self::advance); it has the error [`Error::InvalidSetting`] if the evidence is not an observation
    /// of a reading. [`Error::InvalidSetting`] if the filter keeps past states or groups of elements. After an error, the filter is in the state before
    /// the call.
    pub fn follow<R>(
        &mut self,
        law: &FilterLaw<R>,
        evidence: impl FnOnce(&R) -> Model,
    ) -> Result<(), Error> {
        self.check_for_law()?;
        let found = guarded(|| {
            let mut belief = law.step.run(&self.beliefs[0], &evidence(&law.readings))?;
            let count = belief.components.len();
            if count > self.components
                && let Some(element) = self.present.state.elements().first()
            {
                return Err(too_many(element, count as f64, self.components));
            }
            let is_approximate = self.approximation.reduce(&mut belief).is_some();
            Ok((belief, is_approximate))
        });
        let (belief, is_approximate) = found.map_err(|error| Error::InStep {
            step: self.steps + 1,
            error: Box::new(error),
        })?;
        self.retire_elements();
        self.steps += 1;
        self.log_evidence += belief.log_evidence;
        self.is_approximate |= is_approximate;
        self.approximation = self.approximation.after_draw();
        self.beliefs[0] = belief;
        self.followed = Some(OnceLock::new());
        self.answer = OnceLock::new();
        Ok(())
    }

    /// Returns an error if the filter keeps past states or groups of elements, because a law is about the whole present state only.
    fn check_for_law(&self) -> Result<(), Error> {
        let value = match (self.window, self.beliefs.len()) {
            (0, 1) => return Ok(()),
            (0, groups) => format!("{groups} groups of elements"),
            (states, _) => format!("a window of {states} past states"),
        };
        Err(Error::InvalidSetting {
            algorithm: Self::NAME,
            setting: "law",
            value,
            remedy: "use a filter without a window and without groups, or `advance`",
        })
    }
}
