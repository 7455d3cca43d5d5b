//! The law of a filter's step (the distribution of the next state and the readings), which is computed once and applied many times.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use figrs_answer::error::Error;
use figrs_answer::guarded;
use figrs_core::internals::EarlierElements;
use figrs_core::{AnyElement, FilterState, Model};

use crate::backward_kernel::BackwardKernel;
use crate::belief::{Belief, too_many};
use crate::compiled_step::CompiledStep;
use crate::filter::Filter;
use crate::filter_step::check_elements;
use crate::past_states::PresentState;
use crate::step_compiler::StepCompiler;

/// The law of a step of a [`Filter`] with readings of the type `R`; [`Filter::law`] computes the law, and [`Filter::follow`] applies it.
#[derive(Clone, Debug)]
pub struct FilterLaw<R> {
    readings: R,
    step: CompiledStep,
    /// The random elements that were created while the law was computed.
    random: Vec<AnyElement>,
}

impl<S: FilterState> Filter<S> {
    /// Computes the law of a step (the distribution of the next state and the readings), if all steps have the same law. The function `step` builds
    /// the elements of the next state from the elements of the present state. The function `readings` builds the elements that
    /// [`follow`](Self::follow) may observe. The state and the readings consist of finite elements, and of real numbers that, given the finite
    /// elements, are linear functions of the state's numbers with normal noise.
    ///
    /// The functions `step` and `readings` are called twice, and twice again if the next state can have joint values of the finite elements that the
    /// present state cannot. The law then contains all reachable joint values.
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
    /// [`components`](Self::components) allows; [`Error::InvalidSetting`] if the filter divides the state into groups of elements, or if a step uses
    /// a random element that `step` and `readings` do not create; the errors of the elements.
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
        let (mut random, mut used) = (Vec::new(), EarlierElements::default());
        let mut add = |compiler: &mut StepCompiler, open: Belief| {
            let present = PresentState::new(&**like, &[open]);
            let within = (&self.limits, self.components);
            guarded(|| {
                let next = step(&present.state);
                let readings = readings(&next);
                let elements = (&next.elements()[..], &readings.elements()[..]);
                let own = compiler.add(&present.made[0], elements, within)?;
                check_elements(&self.earlier, &own)?;
                check_elements(&used, &own)?;
                used.add(&own);
                random.extend(own);
                Ok::<R, Error>(readings)
            })
        };
        while let Some(open) = compiler.next(&belief) {
            // A second call of the functions finds the random elements that both calls use.
            let again = open.clone();
            add(&mut StepCompiler::new(&open), again)?;
            let built = add(&mut compiler, open)?;
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
            .map(|readings| FilterLaw {
                readings,
                step,
                random,
            })
            .ok_or(Error::NothingDone {
                algorithm: Self::NAME,
            })
    }

    /// Advances the filter to the next state by `law`, the precomputed law of a step. The function `evidence` builds a model with observations of the
    /// law's readings; a reading that the model does not observe is missing in this step. The distribution after the step is the same as that after
    /// [`advance`](Self::advance) with the same elements. The method `follow` creates no elements of the state; for a state of two numbers, a step
    /// takes less than a microsecond.
    ///
    /// **Errors.** [`Error::InStep`], as for [`advance`](Self::advance); it contains the error [`Error::InvalidSetting`] if the evidence is not an
    /// observation of a reading. [`Error::InvalidSetting`] if the filter divides its state into groups of elements. After an error, the filter is in
    /// the same state as before the call.
    pub fn follow<R>(
        &mut self,
        law: &FilterLaw<R>,
        evidence: impl FnOnce(&R) -> Model,
    ) -> Result<(), Error> {
        self.check_for_law()?;
        let found = guarded(|| {
            let before = law.step.present(&self.beliefs[0])?;
            let is_pair = self.window > 0;
            let belief = law.step.run(&before, &evidence(&law.readings), is_pair)?;
            let own = self.present.state.elements();
            let found = self.approximation.settled(belief, &own, self.components)?;
            let pair = found.pair.as_ref();
            let kernel = pair.map(|pair| BackwardKernel::new(pair, &before));
            Ok((found, kernel))
        });
        let (found, kernel) = found.map_err(|error| Error::InStep {
            step: self.steps + 1,
            error: Box::new(error),
        })?;
        // The law keeps its elements alive, so that all of them are noted if the first one is.
        if law
            .random
            .first()
            .is_some_and(|first| !self.earlier.contains(first))
        {
            self.earlier.add(&law.random);
        }
        self.retire_elements();
        self.steps += 1;
        self.is_approximate |= found.is_approximate;
        if let Some(kernel) = kernel {
            self.past
                .set_next_layout(&self.beliefs[0].numbers, &law.step.numbers);
            let like = Arc::clone(&self.present.state);
            self.add_past(vec![kernel], like);
        }
        self.followed = Some(OnceLock::new());
        self.settle(vec![found.belief]);
        Ok(())
    }

    /// Returns an error if the filter divides its state into groups of elements, because a law describes the step of the whole state.
    fn check_for_law(&self) -> Result<(), Error> {
        match self.beliefs.len() {
            1 => Ok(()),
            groups => Err(Error::InvalidSetting {
                algorithm: Self::NAME,
                setting: "the number of groups of elements",
                value: groups.to_string(),
                remedy: "use a filter with one group for a law, or `advance`",
            }),
        }
    }
}
