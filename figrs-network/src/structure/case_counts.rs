//! Sources of the counts for families of variables: complete rows, or expected counts of rows with missing cells.

use super::family_counts::{CountingMemory, FamilyBase};
use super::family_terms::FamilyTerms;

/// A family: a variable with its parents.
#[derive(Clone, Copy)]
pub(super) struct Family<'f> {
    pub(super) child: u32,
    /// The parents, in ascending order.
    pub(super) parents: &'f [u32],
    /// An additional parent, if there is one.
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

    /// Returns all parents, including the additional parent.
    pub(super) fn all_parents(&self) -> impl Iterator<Item = u32> {
        self.parents.iter().copied().chain(self.more)
    }
}

/// A source of counts: the number of cases for each state of a variable and each configuration of its parents.
pub(super) trait CaseCounts: Sync {
    /// Returns the number of variables.
    fn width(&self) -> usize;

    fn states(&self, variable: u32) -> usize;

    /// Returns the number of all rows, including repetitions.
    fn total(&self) -> u64;

    /// Returns the number of distinct rows, each of which is read to count a family.
    fn distinct(&self) -> usize;

    /// Returns precomputed indices that speed up the counting of `child` with `parents`; `None` if the table of `child` and `parents` would be large
    /// compared with the data.
    fn base(&self, child: u32, parents: &[u32]) -> Option<FamilyBase>;

    /// Returns the sum of a variable's score terms over all joint states of its parents. The parents are the parents in `base`, and possibly one
    /// more.
    fn sum_of_terms(
        &self,
        family: Family<'_>,
        base: Option<&FamilyBase>,
        memory: &mut CountingMemory,
        terms: &FamilyTerms<'_>,
    ) -> f64;

    /// Returns the counts of `child` and `parents` as a table, in which `child` varies fastest, then the last parent.
    fn table(&self, child: u32, parents: &[u32]) -> Vec<f64>;
}
