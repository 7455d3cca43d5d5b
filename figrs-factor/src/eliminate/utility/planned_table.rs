//! Scopes of the tables of an influence diagram.

use crate::graph::VarId;

/// The properties of a table that a plan uses.
#[derive(Clone, Debug)]
pub(super) struct PlannedTable {
    /// The variables, sorted.
    pub(super) scope: Vec<VarId>,
    pub(super) kind: PlannedKind,
    /// The predicted base-2 logarithm of the share of non-zeros.
    pub(super) density: f64,
    /// `true` until the table has been used.
    pub(super) live: bool,
}

/// Meaning of a table.
#[derive(Clone, Debug)]
pub(super) enum PlannedKind {
    /// Weights: a distribution of these variables (sorted) given the other variables of the table; `None` if it is not known to be a distribution.
    Weights(Option<Vec<VarId>>),
    /// Utilities.
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

    /// The variables of which the table is the distribution; empty if it is not a distribution.
    pub(super) fn children(&self) -> &[VarId] {
        match &self.kind {
            PlannedKind::Weights(Some(children)) => children,
            PlannedKind::Weights(None) | PlannedKind::Utilities => &[],
        }
    }
}

/// The variables of some tables, sorted.
pub(super) fn union<'t>(tables: impl IntoIterator<Item = &'t PlannedTable>) -> Vec<VarId> {
    let mut all: Vec<VarId> = tables.into_iter().flat_map(|t| t.scope.clone()).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The variables of which the product of some tables is the distribution, if it is one.
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

/// Removes distributions of variables that are summed out and that no other table mentions: they sum to one.
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
