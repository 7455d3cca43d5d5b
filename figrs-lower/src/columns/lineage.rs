//! Ancestors of the worlds of a resampled block.

use std::rc::Rc;

#[derive(Default)]
pub(super) struct Lineage {
    /// For each resampling, the index of the earlier world that each later world continues.
    ancestors: Vec<Rc<[u32]>>,
    /// For each generation (number of resamplings so far), the ancestor of each present world in this generation, if it has been computed.
    known: Vec<Option<Rc<[u32]>>>,
    /// The oldest generation whose ancestors have been computed since the last resampling.
    traced: usize,
}

impl Lineage {
    /// Returns the number of resamplings so far.
    pub(super) fn generation(&self) -> usize {
        self.ancestors.len()
    }

    /// Adds a resampling, in which world `r` continues world `ancestors[r]`.
    pub(super) fn push(&mut self, ancestors: Vec<u32>) {
        self.ancestors.push(ancestors.into());
        self.known[self.traced..].fill(None);
        self.traced = self.known.len();
        self.known.push(None);
    }

    /// Returns the ancestor of each present world among the worlds that existed after `generation` resamplings. There must have been a later
    /// resampling.
    pub(super) fn at(&mut self, generation: usize) -> Rc<[u32]> {
        let last = self.ancestors.len() - 1;
        let known = (generation..last).find(|&g| self.known[g].is_some());
        let mut from = known.unwrap_or(last);
        let mut now = match &self.known[from] {
            Some(known) => known.clone(),
            None => self.ancestors[last].clone(),
        };
        self.traced = self.traced.min(generation);
        while from > generation {
            from -= 1;
            let step = &self.ancestors[from];
            now = now.iter().map(|&row| step[row as usize]).collect();
            self.known[from] = Some(now.clone());
        }
        now
    }

    pub(super) fn clear(&mut self) {
        self.ancestors.clear();
        self.known.clear();
        self.traced = 0;
    }

    pub(super) fn bytes(&self) -> usize {
        let all = self.ancestors.iter().chain(self.known.iter().flatten());
        all.map(|rows| size_of_val(&**rows)).sum()
    }
}
