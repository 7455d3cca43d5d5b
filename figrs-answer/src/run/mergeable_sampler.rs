//! Samplers whose work is divided into numbered units of work, such as blocks of worlds or Markov chains.

use std::ops::Range;

use super::partial::{Absorption, Partial, Sums};
use super::portable_part::{PortablePart, PortableSums};
use super::portable_targets::PortableTargets;
use crate::algorithm::Algorithm;
use crate::answer::Answer;
use crate::error::{Error, guarded};
use figrs_core::{AnyElement, Model};

/// The [`PortablePart`] of a run of the sampler `S` with the targets `T`.
pub type PortablePartOf<S, T> =
    PortablePart<<<S as MergeableSampler>::Sums as Sums>::Unit, <T as PortableTargets>::Columns>;

/// A sampler whose work is divided into numbered units of work. Some units of work may be run in other processes or on other machines,
/// and their results are then merged.
///
/// The settings, the model and the targets determine the results of the units of work, whichever machine runs them. If a deadline or an interrupt
/// ends a run early, [`Partial::units`] returns the indices of the finished units of work, so that the remaining units can be run later.
///
/// **Guarantee.** If the partial sums of a run are merged in the order of their units of work, the answer is that of a single run to the
/// last bit, except for its time.
///
/// ```
/// # use figrs_core::{Flip, Model, Parents};
/// # use figrs_infer::{ImportanceSampling, MergeableSampler, Run};
/// let rain = Flip::new(0.2);
/// let wet = rain.flat_map(|&rain| Flip::new(if rain { 0.9 } else { 0.1 }));
/// let (model, targets) = (Model::new().observe(&wet, true), rain.elements());
/// let sampler = ImportanceSampling::new(20_000).seed(7);
/// let units = sampler.units(&model, &targets)?;
/// let mut sums = sampler.partial(&model, &targets, 0..units / 2)?;
/// sums.merge(sampler.partial(&model, &targets, units / 2..units)?)?;
/// let whole = sampler.run(&model, &rain)?;
/// assert_eq!(sums.into_answer()?.probability(&rain, &true)?, whole.probability(&rain, &true)?);
/// # Ok::<(), figrs_infer::Error>(())
/// ```
pub trait MergeableSampler: Algorithm {
    /// The type of the sums that the sampler accumulates.
    type Sums: PortableSums<Answer = Answer>;

    /// Returns, as text, the settings on which the units of work depend. Partial sums of two runs are merged only if the texts of their settings are
    /// equal. The text of the settings leaves out numbers of threads, time limits and listeners. Functions that propose values appear in the text
    /// only by their source lines.
    fn settings(&self) -> String;

    /// Returns the number of units of work of the whole run; [`u64::MAX`] if the settings do not limit the number.
    fn units(&self, model: &Model, targets: &[AnyElement]) -> Result<u64, Error>;

    #[doc(hidden)]
    fn run_units(
        &self,
        model: &Model,
        targets: &[AnyElement],
        units: Range<u64>,
        absorption: Absorption,
    ) -> Result<Partial<Self::Sums>, Error>;

    /// Runs the units of work with the indices `units` on several threads; indices beyond the last unit are ignored. The listener receives the
    /// progress of the whole run.
    ///
    /// **Errors.** The errors of the sampler, except those of computing the answer from the sums.
    fn partial(
        &self,
        model: &Model,
        targets: &[AnyElement],
        units: Range<u64>,
    ) -> Result<Partial<Self::Sums>, Error> {
        self.run_units(model, targets, units, Absorption::AtOnce)
    }

    /// Runs the units of work `units` for another process. The process that asks for the units must have built the same model and targets, and merges
    /// the returned parts of the run by [`Partial::merge_portable`].
    ///
    /// **Guarantee.** The answer of the merged parts is that of a single run to the last bit, except for its time.
    ///
    /// **Complexity.** The time is that of computing the units of work. Data that all units of work share, such as the candidates for the first
    /// worlds of Markov chains or the tables of a factor graph, are computed again for each part. Memory grows with the number of units of work,
    /// because each unit is stored separately.
    ///
    /// **Errors.** The errors of [`partial`](Self::partial); [`Error::Panicked`] if the code of a value's type panics.
    ///
    /// ```
    /// # use figrs_core::{Flip, Model, Parents};
    /// # use figrs_infer::{ImportanceSampling, MergeableSampler, Run};
    /// let rain = Flip::new(0.2);
    /// let wet = rain.flat_map(|&rain| Flip::new(if rain { 0.9 } else { 0.1 }));
    /// let model = Model::new().observe(&wet, true);
    /// let sampler = ImportanceSampling::new(20_000).seed(7);
    /// let units = sampler.units(&model, &rain.elements())?;
    /// // Two workers, each in a process of its own.
    /// let mut sent = Vec::new();
    /// for part in [0..units / 2, units / 2..units] {
    ///     let part = sampler.portable_part(&model, &rain, part)?;
    ///     sent.push(postcard::to_allocvec(&part).unwrap());
    /// }
    /// // The process that merges what they send.
    /// let mut sums = sampler.partial(&model, &rain.elements(), 0..0)?;
    /// for bytes in &sent {
    ///     sums.merge_portable(postcard::from_bytes(bytes).unwrap(), &rain)?;
    /// }
    /// let (merged, whole) = (sums.into_answer_about(&model, &rain)?, sampler.run(&model, &rain)?);
    /// assert_eq!(merged.distribution(&rain)?, whole.distribution(&rain)?);
    /// # Ok::<(), figrs_infer::Error>(())
    /// ```
    fn portable_part<T: PortableTargets + ?Sized>(
        &self,
        model: &Model,
        targets: &T,
        units: Range<u64>,
    ) -> Result<PortablePartOf<Self, T>, Error>
    where
        Self: Sized,
    {
        guarded(|| {
            let elements = targets.elements();
            let part = self.run_units(model, &elements, units, Absorption::Later)?;
            part.into_portable(targets)
        })
    }
}

/// Formats the settings of a sampler as text, with default values in the fields that are named. Fields that do not affect results, such as threads
/// and deadlines, are set to their defaults in the text.
#[doc(hidden)]
#[macro_export]
macro_rules! settings_text {
    ($settings:expr, $($($field:ident).+),+) => {{
        let mut settings = $settings.clone();
        $(settings.$($field).+ = Default::default();)+
        format!("{settings:?}")
    }};
}
pub use settings_text;
