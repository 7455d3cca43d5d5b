//! Demands on the Markov chains of a generator's own.

use super::watch::{BoardWatch, Event};

/// Demands on the Markov chains of a generator's own: how many boards, by which seed, and for how long.
#[derive(Debug)]
pub struct Chains<'a> {
    pub(super) wanted: usize,
    pub(super) seed: u64,
    pub(super) watch: &'a BoardWatch,
}

impl Chains<'_> {
    /// Number of boards that are wanted.
    pub fn wanted(&self) -> usize {
        self.wanted
    }

    /// The seed of the random numbers.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Reports the number of sweeps of all chains; `false` if they are to end with what there is.
    pub fn swept(&self, sweeps: u64) -> bool {
        self.watch.tell(Event::Swept { sweeps });
        !self.watch.is_interrupted()
    }
}
