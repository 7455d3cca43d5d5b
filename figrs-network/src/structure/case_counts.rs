//! Sources of the counts of families (a variable with its parents): complete rows, or expected counts of rows with missing cells.

use super::family_counts::{CountingMemory, FamilyBase};
use super::family_terms::FamilyTerms;

/// A family: a variable and its parents in a network structure.
#[derive(Clone, Copy)]
pub(super) struct Family<'f> {
    pub(super) child: u32,
    /// The parents of the family's variable, in ascending order.
    pub(super) parents: &'f [u32],
    /// An additional parent of the family's variable, if there is one.
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

    /// Returns all parents of the family's variable, including the additional parent.
    pub(super) fn all_parents(&self) -> impl Iterator<Item = u32> {
        self.parents.iter().copied().chain(self.more)
    }
}

/// A source of counts for learning: the number of cases for each state of a variable and each configuration of its parents.
pub(super) trait CaseCounts: Sync {
    /// Returns the number of variables.
    fn width(&self) -> usize;

    fn states(&self, variable: u32) -> usize;

    /// Returns the number of all data rows, including repetitions.
    fn total(&self) -> u64;

    /// Returns the number of distinct data rows, each of which is read once to count the states of a variable and its parents.
    fn distinct(&self) -> usize;

    /// Returns precomputed indices that speed up the counting of `child` with `parents`; `None` if the table of `child` and `parents` would be large
    /// compared with the data.
    fn base(&self, child: u32, parents: &[u32]) -> Option<FamilyBase>;

    /// Returns the sum of a variable's score terms over all joint states of its parents. The parents in the sum are the parents in `base`, and
    /// possibly one more.
    fn sum_of_terms(
        &self,
        family: Family<'_>,
        base: Option<&FamilyBase>,
        memory: &mut CountingMemory,
        terms: &FamilyTerms<'_>,
    ) -> f64;

    /// Returns the counts of the joint states of `child` and `parents` as a table; the state of `child` varies fastest, then that of the last parent.
    fn table(&self, child: u32, parents: &[u32]) -> Vec<f64>;
}
