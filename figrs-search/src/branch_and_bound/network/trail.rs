//! A trail: a list of numbers whose changes can be undone, one search level after another.

/// A list of numbers that records its changes, so that the changes can be undone.
#[derive(Debug, Default)]
pub(in super::super) struct Trailed<T> {
    pub(in super::super) values: Vec<T>,
    changes: Vec<(u32, T)>,
    /// For each search level, the number of recorded changes and the length of the list at the beginning of the level.
    levels: Vec<(usize, usize)>,
}

impl<T: Copy> Trailed<T> {
    #[inline]
    pub(in super::super) fn get(&self, i: usize) -> T {
        self.values[i]
    }

    #[inline]
    pub(in super::super) fn set(&mut self, i: usize, value: T) {
        if !self.levels.is_empty() {
            self.changes.push((i as u32, self.values[i]));
        }
        self.values[i] = value;
    }

    pub(in super::super) fn push_level(&mut self) {
        self.levels.push((self.changes.len(), self.values.len()));
    }

    pub(in super::super) fn pop_level(&mut self) {
        let Some((changes, values)) = self.levels.pop() else {
            return;
        };
        while self.changes.len() > changes {
            if let Some((i, value)) = self.changes.pop() {
                self.values[i as usize] = value;
            }
        }
        self.values.truncate(values);
    }
}
