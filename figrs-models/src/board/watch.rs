//! Reports and interruption of a running sampler.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use figrs_infer::Frontier;

use super::MethodChoice;

/// Report of a running sampler.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// The sampler turns to a method, before it draws by it; not sent for the first method if that needs only a few seconds.
    Turned(MethodChoice),
    /// The exact method explored states.
    Explored {
        /// Elements whose states are explored.
        steps: u64,
    },
    /// Boards were drawn.
    Drawn {
        /// Number of boards.
        boards: u64,
        /// Number of boards that are wanted.
        wanted: u64,
        /// Number of boards that were tried, if some are rejected.
        tried: Option<u64>,
    },
    /// Markov chains went on.
    Swept {
        /// Number of sweeps of all chains.
        sweeps: u64,
    },
    /// Particles reached the end of the board.
    Filtered {
        /// Number of particles.
        particles: u64,
        /// Number of all particles, if known.
        total: Option<u64>,
    },
    /// A part of a generator's own answer was computed.
    Computed {
        /// Number of steps.
        steps: u64,
        /// Number of all steps.
        total: u64,
    },
    /// Clues were left out in turn to find those that conflict.
    TriedClues {
        /// Number of clues that were tried.
        tried: u64,
        /// Number of clues.
        total: u64,
    },
}

type EventListener = Arc<dyn Fn(&Event) + Send + Sync>;

/// Listener and interrupt of a sampler; both are optional.
#[derive(Clone, Default)]
pub(super) struct BoardWatch {
    pub(super) interrupt: Option<Arc<AtomicBool>>,
    pub(super) listener: Option<EventListener>,
}

impl fmt::Debug for BoardWatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Watch")
    }
}

impl BoardWatch {
    pub(super) fn is_interrupted(&self) -> bool {
        let flag = self.interrupt.as_ref();
        flag.is_some_and(|flag| flag.load(Ordering::Acquire))
    }

    pub(super) fn tell(&self, event: Event) {
        if let Some(listener) = &self.listener {
            listener(&event);
        }
    }

    /// The exact engine with this many bytes of memory, with the listener and the interrupt.
    pub(super) fn frontier(&self, memory: u64) -> Frontier {
        let mut frontier = Frontier::new().memory(memory);
        if let Some(flag) = &self.interrupt {
            frontier = frontier.interrupt(Arc::clone(flag));
        }
        if self.listener.is_some() {
            let watch = self.clone();
            frontier =
                frontier.on_progress(move |run| watch.tell(Event::Explored { steps: run.done }));
        }
        frontier
    }
}
