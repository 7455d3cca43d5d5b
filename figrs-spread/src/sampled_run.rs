//! A run of a sampler that is divided into parts.

use std::ops::ControlFlow;

use figrs_core::Model;
use figrs_infer::{
    Answer, ImportanceSampling, MergeableSampler, PortablePartOf, PortableTargets, Stopped,
};

use super::error::SpreadError;
use super::part_files::{AbsentPart, PartFiles};
use super::part_identity::{PartIdentity, graph_text, hash};

/// Number of samples that are drawn to compute a hash by which a model is identified.
const PILOT_WORLDS: u64 = 64;

#[derive(Debug)]
pub(crate) struct SampledRun<'a, S, T> {
    pub(crate) sampler: &'a S,
    pub(crate) model: &'a Model,
    pub(crate) targets: &'a T,
}

impl<S: MergeableSampler, T: PortableTargets> SampledRun<'_, S, T> {
    /// Returns the identity of this sampler's run; `run` has the properties that do not depend on the kind of run.
    pub(crate) fn identity(&self, run: PartIdentity) -> Result<PartIdentity, SpreadError> {
        let units = self.sampler.units(self.model, &self.targets.elements())?;
        if units == u64::MAX {
            return Err(SpreadError::Options {
                problem:
                    "the run has no fixed number of samples, so it cannot be divided into parts"
                        .into(),
                remedy: "give the sampler a number of samples",
            });
        }
        Ok(PartIdentity {
            units,
            settings: self.sampler.settings(),
            pilot: self.pilot(),
            ..run
        })
    }

    /// Returns a hash of the model's elements outside of the branches of `Chain` elements and of a few samples, or of the error if no samples can be
    /// drawn.
    fn pilot(&self) -> u64 {
        let mut bytes = graph_text(self.model, &self.targets.elements()).into_bytes();
        let sampler = ImportanceSampling::new(PILOT_WORLDS);
        let worlds = sampler.portable_part(self.model, self.targets, 0..u64::MAX);
        let worlds = worlds.map(|worlds| postcard::to_stdvec(&worlds.without_time()));
        match worlds {
            Ok(Ok(worlds)) => bytes.extend(worlds),
            Ok(Err(error)) => bytes.extend(error.to_string().into_bytes()),
            Err(error) => bytes.extend(error.to_string().into_bytes()),
        }
        hash(&bytes)
    }

    /// Computes a part of the run, and returns its results as bytes.
    pub(crate) fn part(
        &self,
        identity: &PartIdentity,
        number: u64,
    ) -> Result<Vec<u8>, SpreadError> {
        let units = identity.share(number);
        let part = self
            .sampler
            .portable_part(self.model, self.targets, units.clone());
        let part = part.map_err(SpreadError::in_part(number))?;
        if part.units() != units || part.stopped() != Stopped::Finished {
            return Err(SpreadError::Stopped { part: number });
        }
        postcard::to_stdvec(&part).map_err(SpreadError::not_portable)
    }

    pub(crate) fn merge(
        &self,
        files: &PartFiles<'_>,
        absent: AbsentPart,
    ) -> Result<Answer, SpreadError> {
        let targets = self.targets.elements();
        let mut sums = self.sampler.partial(self.model, &targets, 0..0)?;
        let missing = files.take_all(absent, |number, contributions| {
            if sums.is_enough() {
                return Ok(ControlFlow::Break(()));
            }
            let damaged = |error: String| files.damaged(number, error);
            let part: PortablePartOf<S, T> =
                postcard::from_bytes(contributions).map_err(|error| damaged(error.to_string()))?;
            // Parts before this part may have been left out.
            let between = sums.units().end..files.identity.share(number).start;
            sums.leave_out(between.clone())?;
            let merged = sums.merge_portable(part, self.targets);
            merged.map_err(|error| damaged(error.to_string()))?;
            Ok(ControlFlow::Continue(()))
        })?;
        let answer = sums.into_answer_about(self.model, &targets)?;
        if !missing.is_empty() {
            let parts = files.identity.parts;
            let done = answer.sampling().map_or(0, |sampling| sampling.done);
            let asked = answer.sampling().and_then(|sampling| sampling.asked);
            let asked = asked.map_or(String::new(), |asked| format!(" of {asked}"));
            eprintln!(
                "merged {} of {parts} parts: the answer is based on {done}{asked} samples",
                parts - missing.len() as u64
            );
        }
        Ok(answer)
    }
}
