//! Rule for whole boards on the number of cells of some kind.

use std::ops::RangeInclusive;

use super::BoardRule;

/// Requires that the number of cells of some kind on the board is in a range. The violation of the rule is the distance of the number of cells of
/// this kind from the range.
#[derive(Clone, Debug)]
pub struct CountRule<F> {
    range: RangeInclusive<u32>,
    reads: F,
    is_in: Vec<bool>,
    count: u32,
}

impl<F> CountRule<F> {
    /// Creates the rule on the number of cells for which the function `reads` is true; `reads` receives the index and the value of a cell.
    pub fn new(range: RangeInclusive<u32>, reads: F) -> Self {
        Self {
            range,
            reads,
            is_in: Vec::new(),
            count: 0,
        }
    }

    fn violation(&self) -> u32 {
        let (least, most) = (*self.range.start(), *self.range.end());
        least.saturating_sub(self.count) + self.count.saturating_sub(most)
    }

    fn follow<C>(&mut self, cells: &[C], changed: &[usize])
    where
        F: Fn(usize, &C) -> bool,
    {
        for &at in changed {
            let is_in = (self.reads)(at, &cells[at]);
            self.count = self.count + u32::from(is_in) - u32::from(self.is_in[at]);
            self.is_in[at] = is_in;
        }
    }
}

impl<C, F: Fn(usize, &C) -> bool + Send> BoardRule<C> for CountRule<F> {
    fn read(&mut self, cells: &[C]) -> Option<u32> {
        let is_in = cells.iter().enumerate();
        self.is_in = is_in.map(|(at, cell)| (self.reads)(at, cell)).collect();
        self.count = self.is_in.iter().filter(|&&is_in| is_in).count() as u32;
        Some(self.violation())
    }

    fn change(&mut self, cells: &[C], changed: &[usize]) -> Option<u32> {
        self.follow(cells, changed);
        Some(self.violation())
    }

    fn undo(&mut self, cells: &[C], changed: &[usize]) {
        self.follow(cells, changed);
    }

    fn may_be_kept<'v>(&self, values: &dyn Fn(usize) -> &'v [C]) -> bool
    where
        C: 'v,
    {
        let (mut least, mut most) = (0, 0);
        for at in 0..self.is_in.len() {
            let values = values(at);
            let is_in = |value: &C| (self.reads)(at, value);
            least += u32::from(values.iter().all(is_in));
            most += u32::from(values.iter().any(is_in));
        }
        least <= *self.range.end() && *self.range.start() <= most
    }
}
