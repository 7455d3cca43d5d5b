//! A queue of variables, which contains each variable at most once; the variable with the smallest or the largest index leaves first.

/// A set of variable indices as a bit set with two levels; the second level marks the non-zero words of the first level.
#[derive(Debug, Default)]
pub(in super::super) struct VariableQueue {
    words: Vec<u64>,
    summary: Vec<u64>,
}

impl VariableQueue {
    pub(in super::super) fn new(n: usize) -> Self {
        let words = n.div_ceil(64);
        Self {
            words: vec![0; words],
            summary: vec![0; words.div_ceil(64)],
        }
    }

    #[inline]
    pub(in super::super) fn insert(&mut self, v: usize) {
        self.words[v / 64] |= 1 << (v % 64);
        self.summary[v / 4096] |= 1 << (v / 64 % 64);
    }

    #[inline]
    fn remove(&mut self, word: usize, bit: usize) -> usize {
        self.words[word] &= !(1 << bit);
        if self.words[word] == 0 {
            self.summary[word / 64] &= !(1 << (word % 64));
        }
        word * 64 + bit
    }

    #[inline]
    pub(in super::super) fn pop_first(&mut self) -> Option<usize> {
        let i = self.summary.iter().position(|&bits| bits != 0)?;
        let word = i * 64 + self.summary[i].trailing_zeros() as usize;
        let bit = self.words[word].trailing_zeros() as usize;
        Some(self.remove(word, bit))
    }

    #[inline]
    pub(in super::super) fn pop_last(&mut self) -> Option<usize> {
        let i = self.summary.iter().rposition(|&bits| bits != 0)?;
        let word = i * 64 + 63 - self.summary[i].leading_zeros() as usize;
        let bit = 63 - self.words[word].leading_zeros() as usize;
        Some(self.remove(word, bit))
    }

    pub(in super::super) fn clear(&mut self) {
        while self.pop_first().is_some() {}
    }
}
