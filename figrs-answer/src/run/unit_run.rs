//! Runs of samplers whose units of work are added one after another.

use std::any::Any;
use std::sync::Arc;
use std::time::Instant;

use figrs_core::{AnyElement, Model, ParameterValues, Parents};
use serde::{Deserialize, Serialize};

use super::checksum::checksum;
use super::mergeable_sampler::{MergeableSampler, PortablePartOf};
use super::partial::{Absorption, Partial};
use super::portable_part::PortablePart;
use super::portable_targets::PortableTargets;
use super::run_state::{Continuation, RunState, Turn, TurnLength};
use super::running::Running;
use super::watch::Watch;
use crate::answer::Answer;
use crate::error::{Error, guarded};
use figrs_factor::Stopped;

/// A model with the targets of a query.
pub type SharedQuestion = Arc<(Model, Vec<AnyElement>)>;

/// A sampler whose runs can be lengthened, saved and loaded.
///
/// [`Run::start`](crate::Run::start) starts a run that cannot be saved, because the run adds up the contributions of its units of work.
/// [`start_portable`](Self::start_portable) starts a run that stores the contributions of its units of work separately; `serde` can save and load
/// such a run.
///
/// **Guarantee.** If the serde format keeps the bits of numbers (for JSON, by the feature `float_roundtrip` of `serde_json`), a run that was saved
/// and loaded has the same answers to the last bit as a run that was not, even if it is lengthened afterwards. A saved run has a checksum, so that
/// changed numbers are recognised and returned as an error.
///
/// **Complexity.** The memory of a run that can be saved grows with the number of its units of work. A loaded run of independent worlds or
/// populations continues from the state in which it was saved, after its first unit of work was repeated. A loaded run of Markov chains repeats all
/// steps of its chains, because the values of elements need not be serialisable; during these steps, the answer is computed from the saved draws.
///
/// ```
/// # use figrs_core::{Flip, Model};
/// # use figrs_infer::{ImportanceSampling, ResumableSampler, Run};
/// let rain = Flip::new(0.2);
/// let wet = rain.flat_map(|&rain| Flip::new(if rain { 0.9 } else { 0.1 }));
/// let model = Model::new().observe(&wet, true);
/// let sampler = ImportanceSampling::new(20_000);
/// let running = sampler.start_portable(&model, &rain);
/// running.stop();
/// let saved = postcard::to_allocvec(&sampler.save(&running, &rain)?).unwrap();
/// // Later, in a process that has built the same model.
/// let loaded = sampler.load(&model, &rain, postcard::from_bytes(&saved).unwrap())?;
/// loaded.extend(10_000)?;
/// let whole = ImportanceSampling::new(30_000).run(&model, &rain)?;
/// assert_eq!(loaded.wait()?.probability(&rain, &true)?, whole.probability(&rain, &true)?);
/// # Ok::<(), figrs_infer::Error>(())
/// ```
pub trait ResumableSampler: MergeableSampler + Clone + 'static {
    /// Returns the deadline, the interrupt and the listener of the sampler.
    fn watch(&self) -> &Watch;

    /// Returns a mutable reference to the deadline, the interrupt and the listener of the sampler.
    fn watch_mut(&mut self) -> &mut Watch;

    /// Returns the sampler with another deadline, interrupt and listener.
    #[must_use]
    fn watched(&self, watch: Watch) -> Self {
        let mut sampler = self.clone();
        *sampler.watch_mut() = watch;
        sampler
    }

    /// Returns the sampler of a run with `more` more samples, draws of each chain, or populations of particles; `None` if the new number does not fit
    /// into 64 bits.
    fn lengthened(&self, more: u64) -> Option<Self>;

    /// Requested number of samples, steps or sweeps, if the run has such a limit.
    fn asked(&self) -> Option<u64>;

    /// Returns the sampler of a longer run, or an error.
    #[doc(hidden)]
    fn longer(&self, more: u64) -> Result<Self, Error> {
        self.lengthened(more).ok_or_else(|| {
            Error::invalid_setting(
                self.name(),
                "extend",
                more,
                "ask for fewer: the sum exceeds 64 bits",
            )
        })
    }

    /// Creates the state of a run whose units of work are stored separately, not as one sum.
    #[doc(hidden)]
    fn portable_state(&self, question: SharedQuestion) -> Box<dyn RunState> {
        Box::new(UnitRun::new(self, question, Absorption::Later))
    }

    /// Returns the units of work of a run whose contributions are stored separately; an error for other runs.
    #[doc(hidden)]
    fn units_of(&self, state: &dyn RunState) -> Result<UnitsOfRun<Self>, Error> {
        let state = state.as_any().downcast_ref::<UnitRun<Self>>();
        let state = state.filter(|state| state.absorption == Absorption::Later);
        let state = state.ok_or_else(|| self.not_portable())?;
        let none = || state.sampler.no_units(&state.question);
        Ok(UnitsOfRun {
            sampler: state.sampler.clone(),
            question: Arc::clone(&state.question),
            extended: state.extended,
            done: state.done.clone().map_or_else(none, Ok)?,
        })
    }

    /// True if a loaded run repeats all units of work, as runs of Markov chains do.
    #[doc(hidden)]
    fn repeats_units(&self) -> bool {
        false
    }

    /// Creates the state of a loaded run.
    #[doc(hidden)]
    fn loaded_state(&self, units: UnitsOfRun<Self>) -> Result<Box<dyn RunState>, Error> {
        let state = UnitRun::new(&units.sampler, units.question, Absorption::Later);
        Ok(Box::new(UnitRun {
            extended: units.extended,
            ..state.after(units.done)
        }))
    }

    /// Returns partial sums for a run of this sampler, without any units of work.
    #[doc(hidden)]
    fn no_units(&self, question: &SharedQuestion) -> Result<Partial<Self::Sums>, Error> {
        // A sampler without a limit needs a watch that can end the run; otherwise the settings would be refused.
        let unwatched = self.watched(Watch::default().stopped_by(&Arc::default()));
        unwatched.run_units(&question.0, &question.1, 0..0, Absorption::Later)
    }

    /// Returns the error for a run that cannot be saved.
    #[doc(hidden)]
    fn not_portable(&self) -> Error {
        Error::NotInAnswer {
            algorithm: self.name(),
            asked: "units of work that can be saved",
            remedy: "start the run of this sampler by `start_portable`",
        }
    }

    /// Starts a run that can be saved by [`save`](Self::save).
    fn start_portable(&self, model: &Model, targets: impl Parents) -> Running {
        let question = Arc::new((model.clone(), targets.elements()));
        let parameters = ParameterValues::of_model(model, &question.1);
        Running::new(guarded(|| Ok(self.portable_state(question))), parameters)
    }

    /// Returns the units of work of a run so far, in a form that serde can serialise. The run itself continues after its units of work have been
    /// returned.
    ///
    /// **Errors.** [`Error::NotInAnswer`] if the run cannot be saved, or is a run of another sampler; [`Error::OtherModel`] if the targets are not those
    /// of the run; the error with which the run ended.
    fn save<T: PortableTargets + ?Sized>(
        &self,
        running: &Running,
        targets: &T,
    ) -> Result<SavedRun<PortablePartOf<Self, T>>, Error> {
        let units = running.with_state(|state| self.units_of(state))?;
        let algorithm = self.name();
        let same = |(a, b): (&AnyElement, &AnyElement)| a.id() == b.id();
        let (model, known) = &*units.question;
        let given = Parents::elements(targets);
        if given.len() != known.len() || !given.iter().zip(known).all(same) {
            return Err(Error::OtherModel { algorithm });
        }
        guarded(|| {
            let mut saved = SavedRun {
                settings: units.sampler.settings(),
                question: question_text(model, known),
                extended: units.extended,
                part: units.done.into_portable(targets)?,
                checksum: 0,
            };
            saved.checksum = saved.computed_checksum()?;
            Ok(saved)
        })
    }

    /// Continues a run that was saved. The sampler must have the settings with which the saved run was started. The first unit of work is computed
    /// again; if its result differs, the given model is not the model of the saved run. On a platform whose elementary functions round differently,
    /// the result of the first unit may differ although the model is the same.
    ///
    /// **Errors.** [`Error::OtherModel`] if the evidence or the targets differ in names, source lines or observed values, or if the first unit of
    /// work has another result (for Markov chains, this result is not compared); [`Error::UnfitPart`] if the settings differ, or if the saved run is
    /// damaged or was saved in a format that does not keep the bits of numbers; the errors of the sampler.
    fn load<T: PortableTargets + ?Sized>(
        &self,
        model: &Model,
        targets: &T,
        saved: SavedRun<PortablePartOf<Self, T>>,
    ) -> Result<Running, Error> {
        if saved.checksum != saved.computed_checksum()? {
            let problem =
                "its checksum differs, because it is damaged or its format changes numbers";
            return Err(Error::unfit_part(0, problem));
        }
        let question = Arc::new((model.clone(), Parents::elements(targets)));
        if saved.question != question_text(&question.0, &question.1) {
            let algorithm = self.name();
            return Err(Error::OtherModel { algorithm });
        }
        let sampler = match saved.extended {
            0 => self.clone(),
            more => self.longer(more)?,
        };
        let settings = sampler.settings();
        if saved.settings != settings {
            let [saved, own] = first_difference(&saved.settings, &settings);
            let problem = format!("it has the setting `{saved}`, but this sampler has `{own}`");
            return Err(Error::unfit_part(0, problem));
        }
        let parameters = ParameterValues::of_model(model, &question.1);
        let state = guarded(|| {
            let first = saved.part.first_contribution();
            if first.is_some() && !sampler.repeats_units() {
                let watched = sampler.watched(sampler.watch().stopped_by(&Arc::default()));
                let (model, known) = &*question;
                let again = match watched.run_units(model, known, 0..1, Absorption::Later) {
                    Err(error) if is_cut(&error) => None,
                    again => Some(again?.into_portable(targets)?),
                };
                let again = again.as_ref().and_then(PortablePart::first_contribution);
                if again.is_some() && checksum(&first) != checksum(&again) {
                    let algorithm = self.name();
                    return Err(Error::OtherModel { algorithm });
                }
            }
            let mut done = sampler.no_units(&question)?;
            done.merge_portable(saved.part, targets)?;
            self.loaded_state(UnitsOfRun {
                sampler,
                question,
                extended: saved.extended,
                done,
            })
        })?;
        Ok(Running::new(Ok(state), parameters))
    }
}

/// The units of work of a run that have been done, with the sampler whose settings include all extensions of the run.
#[derive(Debug)]
pub struct UnitsOfRun<S: MergeableSampler> {
    pub sampler: S,
    pub question: SharedQuestion,
    /// Number of samples, draws or populations that were added to the run after its start.
    pub extended: u64,
    pub done: Partial<S::Sums>,
}

/// A saved run, which serde can serialise.
///
/// A saved run is preserved to the last bit if the format preserves the bits of floating-point numbers, as [`PortablePart`](crate::PortablePart)
/// explains.
#[derive(Debug, Serialize, Deserialize)]
#[must_use]
pub struct SavedRun<P> {
    settings: String,
    /// The evidence and the targets as text: their names, source lines and values.
    question: String,
    extended: u64,
    part: P,
    /// Checksum of all other fields.
    checksum: u64,
}

impl<P: Serialize> SavedRun<P> {
    fn computed_checksum(&self) -> Result<u64, Error> {
        let computed = checksum(&(&self.settings, &self.question, self.extended, &self.part));
        computed.map_err(|problem| Error::unfit_part(0, problem))
    }
}

/// True if a deadline or an interrupt ended a run before any unit of work was finished.
fn is_cut(error: &Error) -> bool {
    error.is_stopped() || matches!(error, Error::NothingDone { .. })
}

/// Returns the first setting in which two texts of settings differ, as it stands in each of the two texts.
fn first_difference<'t>(a: &'t str, b: &'t str) -> [&'t str; 2] {
    let mut letters = a.char_indices().zip(b.chars());
    let different = letters.find(|((_, a), b)| a != b);
    let at = different.map_or(a.len().min(b.len()), |((at, _), _)| at);
    let start = a[..at].rfind([',', '{']).map_or(0, |at| at + 1);
    [a, b].map(|text| {
        let length = text[at..].find([',', '}']);
        text[start..length.map_or(text.len(), |length| at + length)].trim()
    })
}

/// Describes the evidence, the interventions and the targets of a query by a text that is the same in all processes.
fn question_text(model: &Model, targets: &[AnyElement]) -> String {
    let evidence = (0..model.evidence().len()).map(|at| model.describe(at).to_string());
    let set = model.interventions().iter();
    let set = set.map(|(element, value)| format!("{} := {value:?}", element.label()));
    let targets = targets.iter().map(|target| target.label().to_string());
    let statements: Vec<String> = evidence.chain(set).chain(targets).collect();
    statements.join("; ")
}

/// The state of a sampler's run that consists of units of work; a longer run has more units.
///
/// Each turn (time slice) of the run does the next units of work, and merges their contributions with the contributions of earlier units.
#[derive(Debug)]
pub struct UnitRun<S: ResumableSampler> {
    sampler: S,
    question: SharedQuestion,
    absorption: Absorption,
    /// The merged contributions of the units of work; `None` before the first turn (time slice) of the run.
    done: Option<Partial<S::Sums>>,
    /// Number of units of work of the whole run; `None` if the number must be computed.
    units: Option<u64>,
    /// Number of units of work that the run does together in its next part.
    of_part: TurnLength,
    /// Number of samples or populations that were added to the run after its start.
    extended: u64,
}

impl<S: ResumableSampler> UnitRun<S> {
    pub fn new(sampler: &S, question: SharedQuestion, absorption: Absorption) -> Self {
        Self {
            sampler: sampler.clone(),
            question,
            absorption,
            done: None,
            units: None,
            of_part: TurnLength::of(1),
            extended: 0,
        }
    }

    /// Creates the state of a run, as [`Algorithm::begin`](crate::Algorithm::begin) does.
    pub fn begin(sampler: &S, model: &Model, targets: &[AnyElement]) -> Box<dyn RunState> {
        let question = Arc::new((model.clone(), targets.to_vec()));
        Box::new(Self::new(sampler, question, Absorption::AtOnce))
    }

    /// Returns the state of the run as it is after the units of work in `done` have been done.
    #[must_use]
    pub fn after(self, done: Partial<S::Sums>) -> Self {
        Self {
            done: Some(done),
            ..self
        }
    }
}

impl<S: ResumableSampler> RunState for UnitRun<S> {
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
            let is_enough = self.done.as_ref().is_some_and(Partial::will_be_enough);
            if is_enough || begin >= units {
                return Ok(true);
            }
            let end = self.of_part.goal(turn, begin).min(units);
            let began = Instant::now();
            let part = match sampler.run_units(model, targets, begin..end, self.absorption) {
                Err(error) if is_cut(&error) => return Ok(false),
                part => part?,
            };
            match &mut self.done {
                Some(done) => done.merge(part)?,
                None => self.done = Some(part),
            }
            turn.run()
                .report(self.done.as_ref().map_or(0, Partial::done));
            self.of_part.adapt(began.elapsed());
            if turn.is_over() {
                return Ok(false);
            }
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
            let none = longer.no_units(&self.question)?;
            if !done.lengthen(none) {
                self.done = None;
            }
        }
        (self.sampler, self.units) = (longer, None);
        self.extended += more;
        Ok(())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// Runs all units of work of a sampler, and stores the run in the answer, so that the run can be lengthened.
pub fn extendable_answer<S: ResumableSampler>(
    sampler: &S,
    model: &Model,
    targets: &[AnyElement],
) -> Result<Answer, Error> {
    let done = sampler.run_units(model, targets, 0..u64::MAX, Absorption::AtOnce)?;
    let (sampler, question) = (sampler.clone(), Arc::new((model.clone(), targets.to_vec())));
    let begin = move || UnitRun::new(&sampler, Arc::clone(&question), Absorption::AtOnce);
    let state = done
        .is_small()
        .then(|| Box::new(begin().after(done.clone())) as Box<dyn RunState>);
    let begin = move || Ok(Box::new(begin()) as Box<dyn RunState>);
    let continuation = Continuation::new(state, Arc::new(begin));
    Ok(done.into_answer()?.with_continuation(continuation))
}

/// Implements [`Algorithm`](crate::Algorithm) and [`Replicate`](crate::run::replicate::Replicate) for a [`ResumableSampler`](crate::ResumableSampler) that has its seed in the field `$place`.
#[doc(hidden)]
#[macro_export]
macro_rules! unit_sampler {
    ($sampler:ident, $($place:ident).+) => {
        $crate::run::replicate::replicated!($sampler, $($place).+);

        impl $crate::Algorithm for $sampler {
            fn name(&self) -> &'static str {
                stringify!($sampler)
            }

            fn answer(
                &self,
                model: &figrs_core::Model,
                targets: &[figrs_core::AnyElement],
            ) -> Result<$crate::Answer, $crate::Error> {
                $crate::run::unit_run::extendable_answer(self, model, targets)
            }

            fn begin(
                &self,
                model: &figrs_core::Model,
                targets: &[figrs_core::AnyElement],
            ) -> Result<Box<dyn $crate::RunState>, $crate::Error> {
                Ok($crate::run::unit_run::UnitRun::begin(self, model, targets))
            }

            fn own_watch(&self) -> Option<&$crate::run::watch::Watch> {
                Some($crate::ResumableSampler::watch(self))
            }
        }
    };
}
pub use unit_sampler;
