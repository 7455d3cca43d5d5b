//! Sources of the counts of families: complete rows, or expected counts of rows with missing cells.

use super::family_counts::{CountingMemory, FamilyBase};
use super::family_terms::FamilyTerms;

/// A variable with its parents.
#[derive(Clone, Copy)]
pub(super) struct Family<'f> {
    pub(super) child: u32,
    /// The parents, in ascending order.
    pub(super) parents: &'f [u32],
    /// An additional parent.
    pub(super) more: Option<u32>,
}

impl<'f> Family<'f> {
    pub(super) fn new(child: u32, parents: &'f [u32]) -> Self {
        Self {
            child,
            parents,
            more: None,
        }
    }

    /// Returns all parents, including the additional one.
    pub(super) fn all_parents(&self) -> impl Iterator<Item = u32> {
        self.parents.iter().copied().chain(self.more)
    }
}

/// A source of counts: for each configuration of a variable's parents, the number of cases of each state of the variable.
pub(super) trait CaseCounts: Sync {
    /// Returns the number of variables.
    fn width(&self) -> usize;

    /// Returns the number of states of a variable.
    fn states(&self, variable: u32) -> usize;

    /// Returns the number of all rows.
    fn total(&self) -> u64;

    /// Returns the number of distinct rows: counting a family reads each of them.
    fn distinct(&self) -> usize;

    /// Returns the base of a family, from which it is counted quickly; `None` if its table would be large compared with the data.
    fn base(&self, child: u32, parents: &[u32]) -> Option<FamilyBase>;

    /// Returns the sum of the score terms of all parent configurations of a family: the parents of `base`, and possibly one more.
    fn sum_of_terms(
        &self,
        family: Family<'_>,
        base: Option<&FamilyBase>,
        memory: &mut CountingMemory,
        terms: &FamilyTerms<'_>,
    ) -> f64;

    /// Returns the counts of a variable and its parents as a table: the child varies fastest, then the last parent.
    fn table(&self, child: u32, parents: &[u32]) -> Vec<f64>;
}
