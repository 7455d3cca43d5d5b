//! Draws assignments of a factor graph, without building an answer.

use figrs_core::{Until, stream};
use figrs_factor::graph::FactorGraph;

use super::chains::SLICE;
use super::initial_assignment::{ForwardSampler, InitialAssignment};
use super::{Gibbs, GibbsKernel};
use figrs_answer::error::Error;
use figrs_factor::eliminate::EliminationError;

/// Result of a Gibbs sampling run that draws assignments of a factor graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AssignmentDraws {
    /// The run drew assignments; the variant contains their number.
    Drawn(u64),
    /// Every assignment has weight zero.
    Impossible,
    /// No assignment of positive weight was found to start a chain; the variant contains the number of draws that were tried.
    NotFound(u64),
}

impl Gibbs {
    /// Draws assignments of all variables of a graph by Gibbs sampling, and calls `visit` with each assignment that the chains retain. The random
    /// number streams of the chains are those of the part with the number `part` in a run with the seed of this sampler.
    ///
    /// **Errors.** The errors of building a [`GibbsKernel`]; [`EliminationError::Interrupted`] if a deadline or an interrupt ends the computation.
    #[doc(hidden)]
    pub fn assignments(
        &self,
        graph: &FactorGraph,
        part: u64,
        until: &Until,
        mut visit: impl FnMut(&[u32]),
    ) -> Result<AssignmentDraws, Error> {
        let kernel = match GibbsKernel::new(graph, self.block_table) {
            Err(EliminationError::Impossible) => return Ok(AssignmentDraws::Impossible),
            kernel => kernel?,
        };
        let forward = ForwardSampler::new(&kernel.reduced().graph);
        let schedule = self.schedule;
        let chains = schedule.chains as u64;
        let mut drawn = 0;
        for chain in 0..chains {
            let number = part.wrapping_mul(chains).wrapping_add(chain);
            let mut rng = stream(self.seed, number);
            let values = match forward.start(&mut rng)? {
                InitialAssignment::Found(values) => values,
                InitialAssignment::Impossible => return Ok(AssignmentDraws::Impossible),
                InitialAssignment::Unknown { tried } => {
                    return Ok(AssignmentDraws::NotFound(tried));
                }
            };
            let mut state = kernel.state(values);
            let mut since = 0;
            for sweep in 1..=schedule.sweeps() {
                for block in 0..kernel.blocks() {
                    kernel.update(block, &mut state, &mut rng);
                    since += kernel.cost(block);
                    if since >= SLICE {
                        since = 0;
                        if until.is_over() {
                            return Err(EliminationError::Interrupted.into());
                        }
                    }
                }
                let after = sweep.saturating_sub(schedule.burn_in);
                if after > 0 && after.is_multiple_of(schedule.thin) {
                    kernel.set_folded(&mut state.values);
                    visit(&kernel.reduced().restriction.world(&state.values));
                    drawn += 1;
                }
            }
        }
        Ok(AssignmentDraws::Drawn(drawn))
    }
}
