//! Rule for whole boards whose violation is multiplied by a weight.

use super::BoardRule;

/// A rule for boards whose violation is multiplied by a weight, so that Markov chains are more likely to break other rules.
#[derive(Clone, Debug)]
pub struct WeighedRule<R> {
    rule: R,
    times: u32,
}

impl<R> WeighedRule<R> {
    /// Creates a rule whose violation is `times` times that of the rule `rule`.
    pub fn new(rule: R, times: u32) -> Self {
        Self { rule, times }
    }
}

impl<C, R: BoardRule<C>> BoardRule<C> for WeighedRule<R> {
    fn read(&mut self, cells: &[C]) -> Option<u32> {
        let violation = self.rule.read(cells)?;
        Some(violation.saturating_mul(self.times))
    }

    fn change(&mut self, cells: &[C], changed: &[usize]) -> Option<u32> {
        let violation = self.rule.change(cells, changed)?;
        Some(violation.saturating_mul(self.times))
    }

    fn undo(&mut self, cells: &[C], changed: &[usize]) {
        self.rule.undo(cells, changed);
    }

    fn measure(&self) -> Option<f64> {
        self.rule.measure()
    }

    fn looked_at(&mut self) -> u64 {
        self.rule.looked_at()
    }

    fn may_be_kept<'v>(&self, values: &dyn Fn(usize) -> &'v [C]) -> bool
    where
        C: 'v,
    {
        self.rule.may_be_kept(values)
    }
}
