//! Tables of an influence diagram in a plan of its elimination: scopes and predicted densities.

use crate::graph::VarId;

#[derive(Clone, Debug)]
pub(super) struct PlannedTable {
    pub(super) scope: Vec<VarId>,
    pub(super) kind: PlannedKind,
    /// The base-2 logarithm of the predicted fraction of entries that are not zero.
    pub(super) density: f64,
    /// `true` as long as no step of the elimination plan has used the table.
    pub(super) live: bool,
}

/// The content of a table: weights or utilities.
#[derive(Clone, Debug)]
pub(super) enum PlannedKind {
    /// The table contains weights. If the table is known to be the conditional distribution of some of its variables given the others, the field
    /// contains the variables of the distribution, sorted; otherwise `None`.
    Weights(Option<Vec<VarId>>),
    Utilities,
}

impl PlannedTable {
    pub(super) fn is_utility(&self) -> bool {
        matches!(self.kind, PlannedKind::Utilities)
    }

    pub(super) fn mentions(&self, variables: &[VarId]) -> bool {
        let is_in_scope = |v: &VarId| self.scope.binary_search(v).is_ok();
        variables.iter().any(is_in_scope)
    }

    /// Returns the variables whose conditional distribution the table is, given its other variables; the list is empty if the table is not a
    /// distribution.
    pub(super) fn children(&self) -> &[VarId] {
        match &self.kind {
            PlannedKind::Weights(Some(children)) => children,
            PlannedKind::Weights(None) | PlannedKind::Utilities => &[],
        }
    }
}

pub(super) fn union<'t>(tables: impl IntoIterator<Item = &'t PlannedTable>) -> Vec<VarId> {
    let mut all: Vec<VarId> = tables.into_iter().flat_map(|t| t.scope.clone()).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Returns the variables whose conditional distribution the product of `tables` is; `None` if the product is not known to be a distribution.
pub(super) fn children_of<'t>(
    tables: impl IntoIterator<Item = &'t PlannedTable>,
) -> Option<Vec<VarId>> {
    let mut all = Vec::new();
    for table in tables {
        let children = table.children();
        if children.is_empty() {
            return None;
        }
        all.extend_from_slice(children);
    }
    all.sort_unstable();
    let count = all.len();
    all.dedup();
    (count == all.len()).then_some(all)
}

/// Removes the conditional distributions of variables to be summed out that occur in no other table, because such distributions sum to one.
pub(super) fn without_barren(
    all: &[PlannedTable],
    mut needed: Vec<u32>,
    summed: &[VarId],
    fixed: &[u32],
) -> Vec<u32> {
    loop {
        let is_barren = |&id: &u32| {
            let children = all[id as usize].children();
            let mut others = needed.iter().chain(fixed).filter(|other| **other != id);
            !children.is_empty()
                && children.iter().all(|v| summed.contains(v))
                && !others.any(|&other| all[other as usize].mentions(children))
        };
        let Some(place) = needed.iter().position(is_barren) else {
            return needed;
        };
        needed.remove(place);
    }
}
