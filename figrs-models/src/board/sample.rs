//! Random boards that were drawn given rules, demands and clues.

use std::time::Instant;

use figrs_infer::Error;

use super::conditional_sampler::UNPREDICTED_BYTES;
use super::drawing::BoardDrawing;
use super::{BoardError, ConditionalSampler, DrawnBoards, Generator, Report};

/// The drawn boards, with a report on the method that drew them.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Sample<B> {
    /// The drawn boards; fewer than requested if the sampler was interrupted.
    pub boards: Vec<B>,
    /// The report on the method that drew the boards.
    pub report: Report,
}

impl ConditionalSampler {
    /// Draws `count` boards.
    ///
    /// **Errors.** [`BoardError`] if no board is possible, no allowed method can draw boards within the memory limit, or inference fails; for
    /// example, [`Error::NothingDone`] if the sampler is interrupted before it has drawn a board.
    pub fn sample<G: Generator>(
        &self,
        generator: &G,
        count: usize,
    ) -> Result<Sample<G::Board>, BoardError> {
        let boards = DrawnBoards::of(count);
        let report = self.sample_into(generator, &boards)?;
        let (_, boards) = boards.take();
        if boards.is_empty() && count > 0 && self.watch.is_interrupted() {
            let algorithm = "ConditionalSampler";
            return Err(Error::NothingDone { algorithm }.into());
        }
        Ok(Sample { boards, report })
    }

    /// Draws boards into a shared collection, from which another thread may take the boards drawn so far.
    ///
    /// **Errors.** The errors of [`sample`](Self::sample); but some methods that are interrupted before they have drawn a board return an empty
    /// collection instead of an error. The boards that were drawn before an error stay in the collection.
    pub fn sample_into<G: Generator>(
        &self,
        generator: &G,
        boards: &DrawnBoards<G::Board>,
    ) -> Result<Report, BoardError> {
        let drawing = BoardDrawing {
            settings: self,
            generator,
            boards,
            started: Instant::now(),
        };
        match drawing.draw() {
            // If no sample met the demands, the exact method decides whether any board is possible, provided that it can do so quickly.
            Err(error @ BoardError::Inference(Error::NoSampleMetEvidence { .. })) => {
                let quick = self.clone().memory(UNPREDICTED_BYTES.min(self.memory));
                match quick.within(generator, quick.memory) {
                    Ok(Some(exact)) if !exact.is_possible() => Err(quick.conflict(generator)?),
                    _ => Err(error),
                }
            }
            drawn => drawn.map(|mut report| {
                report.is_cut |= !boards.are_complete();
                report
            }),
        }
    }
}
