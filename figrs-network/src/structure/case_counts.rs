//! Sources of the counts of families: complete rows, or expected numbers of rows with missing cells.

use super::family_counts::{CountingMemory, FamilyBase};
use super::family_terms::FamilyTerms;

/// A variable with its parents.
#[derive(Clone, Copy)]
pub(super) struct Family<'f> {
    pub(super) child: u32,
    /// In ascending order.
    pub(super) parents: &'f [u32],
    /// One more parent.
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

    /// All parents.
    pub(super) fn all_parents(&self) -> impl Iterator<Item = u32> {
        self.parents.iter().copied().chain(self.more)
    }
}

/// A source of counts: for each configuration of a variable's parents, the number of cases of each state of the variable.
pub(super) trait CaseCounts: Sync {
    /// Number of variables.
    fn width(&self) -> usize;

    /// Number of states of a variable.
    fn states(&self, variable: u32) -> usize;

    /// Number of all rows.
    fn total(&self) -> u64;

    /// Number of different rows: counting a family reads each of them.
    fn distinct(&self) -> usize;

    /// The base of a family; `None` if its table would be large compared with the data.
    fn base(&self, child: u32, parents: &[u32]) -> Option<FamilyBase>;

    /// The sum of the terms of all configurations of a family: the parents of `base`, and one more if there is one.
    fn sum_of_terms(
        &self,
        family: Family<'_>,
        base: Option<&FamilyBase>,
        memory: &mut CountingMemory,
        terms: &FamilyTerms<'_>,
    ) -> f64;

    /// The counts of a variable and its parents: row-major, the last parent and then the variable varying fastest.
    fn table(&self, child: u32, parents: &[u32]) -> Vec<f64>;
}
