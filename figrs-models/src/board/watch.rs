//! Progress reports and interruption of a running sampler of boards.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use figrs_infer::internals::Listener;
use figrs_infer::{Error, Frontier, SequentialMonteCarlo};

use super::{BoardError, MethodChoice};

/// An event in the drawing of boards that a running sampler reports.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// The sampler of boards changes to another method, or begins a method that needs more than a few seconds.
    Turned(MethodChoice),
    /// The exact method has explored further states of the boards.
    Explored {
        /// Number of elements of the board's program whose states have been explored.
        steps: u64,
        /// Number of all elements of the board's program, if known.
        total: Option<u64>,
    },
    /// The sampler has drawn further boards.
    Drawn {
        /// Number of boards drawn so far.
        boards: u64,
        /// Number of boards that are to be drawn.
        wanted: u64,
        /// Number of boards that were drawn and checked, if some of them are rejected.
        tried: Option<u64>,
    },
    /// Markov chains have made further sweeps over the cells of their boards.
    Swept {
        /// Number of sweeps that all Markov chains have made so far.
        sweeps: u64,
    },
    /// Some particles have reached the end of the board.
    Filtered {
        /// Number of particles that have reached the end of the board.
        particles: u64,
        /// Number of all particles of the populations, if known.
        total: Option<u64>,
    },
    /// The evaluation of the board generator's own formula has made progress.
    Computed {
        /// Number of steps made so far in the evaluation of the board generator's own formula.
        steps: u64,
        /// Number of all steps in the evaluation of the board generator's own formula.
        total: u64,
    },
    /// The search for contradictory clues has tried to leave out further clues, one after another.
    TriedClues {
        /// Number of clues that the search for contradictory clues has tried so far.
        tried: u64,
        /// Number of all clues.
        total: u64,
    },
}

/// The optional listener and the optional interrupt flag of a sampler of boards.
#[derive(Clone, Debug, Default)]
pub(super) struct BoardWatch {
    pub(super) interrupt: Option<Arc<AtomicBool>>,
    pub(super) listener: Listener<Event>,
}

impl BoardWatch {
    pub(super) fn is_interrupted(&self) -> bool {
        let flag = self.interrupt.as_ref();
        flag.is_some_and(|flag| flag.load(Ordering::Acquire))
    }

    pub(super) fn tell(&self, event: Event) {
        self.listener.tell(&event);
    }

    pub(super) fn frontier(&self, memory: u64) -> Frontier {
        let mut frontier = Frontier::new().memory(memory);
        if let Some(flag) = &self.interrupt {
            frontier = frontier.interrupt(Arc::clone(flag));
        }
        if self.listener.is_set() {
            let watch = self.clone();
            frontier = frontier.on_progress(move |run| {
                watch.tell(Event::Explored {
                    steps: run.done,
                    total: run.total,
                });
            });
        }
        frontier
    }

    pub(super) fn check(&self) -> Result<(), BoardError> {
        if self.is_interrupted() {
            let algorithm = "SequentialMonteCarlo";
            return Err(Error::NothingDone { algorithm }.into());
        }
        Ok(())
    }

    /// Returns a particle filter that can be interrupted but reports no progress.
    pub(super) fn silent_filter(&self, particles: usize) -> SequentialMonteCarlo {
        let filter = SequentialMonteCarlo::new(particles);
        match &self.interrupt {
            Some(flag) => filter.interrupt(Arc::clone(flag)),
            None => filter,
        }
    }

    pub(super) fn filter(&self, particles: usize) -> SequentialMonteCarlo {
        let filter = self.silent_filter(particles);
        if !self.listener.is_set() {
            return filter;
        }
        let watch = self.clone();
        filter.on_progress(move |run| {
            watch.tell(Event::Filtered {
                particles: run.done,
                total: run.total,
            });
        })
    }
}
