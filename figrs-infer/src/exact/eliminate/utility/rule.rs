//! Decision rules as tables.

use figrs_core::factor::{FactorGraph, VarId};
use figrs_core::internals::Assignments;

/// The option that is chosen for each assignment of some variables that may happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DecisionRule {
    pub(crate) decision: VarId,
    /// The variables that matter.
    pub(crate) scope: Vec<VarId>,
    /// The assignments, one after another, sorted.
    pub(crate) rows: Vec<u32>,
    /// The option of each assignment.
    pub(crate) choices: Vec<u32>,
}

impl DecisionRule {
    /// The rule that always chooses the same.
    pub(crate) fn constant(decision: VarId, choice: u32) -> Self {
        Self {
            decision,
            scope: Vec::new(),
            rows: Vec::new(),
            choices: vec![choice],
        }
    }

    /// The assignments with their choices.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&[u32], u32)> {
        let width = self.scope.len();
        let row =
            move |(i, &choice): (usize, &u32)| (&self.rows[i * width..(i + 1) * width], choice);
        self.choices.iter().enumerate().map(row)
    }

    /// The rule for some of the assignments.
    pub(crate) fn filtered(&self, mut keep: impl FnMut(&[u32]) -> bool) -> Self {
        let mut rule = Self {
            decision: self.decision,
            scope: self.scope.clone(),
            rows: Vec::new(),
            choices: Vec::new(),
        };
        for (row, choice) in self.iter().filter(|(row, _)| keep(row)) {
            rule.rows.extend_from_slice(row);
            rule.choices.push(choice);
        }
        rule
    }

    /// The rule without variables that do not change its choices; those that come first in `order` go first.
    pub(crate) fn reduced(mut self, order: &[VarId]) -> Self {
        for v in order {
            if let Some(place) = self.scope.iter().position(|u| u == v)
                && let Some(shorter) = self.without(place)
            {
                self = shorter;
            }
        }
        self
    }

    /// The rule without the variable at a place; `None` if choices depend on it.
    fn without(&self, place: usize) -> Option<Self> {
        let mut listed: Vec<(Vec<u32>, u32)> = Vec::with_capacity(self.choices.len());
        for (row, choice) in self.iter() {
            let mut row = row.to_vec();
            row.remove(place);
            listed.push((row, choice));
        }
        listed.sort_unstable();
        listed.dedup();
        if listed.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return None;
        }
        let mut scope = self.scope.clone();
        scope.remove(place);
        Some(Self {
            decision: self.decision,
            scope,
            rows: listed.iter().flat_map(|(row, _)| row.clone()).collect(),
            choices: listed.iter().map(|&(_, choice)| choice).collect(),
        })
    }

    /// The choice for each assignment of the scope, row-major; the first option where the rule has none.
    pub(crate) fn dense(&self, graph: &FactorGraph) -> Vec<u32> {
        let all = Assignments::rows(self.scope.iter().map(|&v| graph.cardinality(v)));
        let mut choices = vec![0; graph.dense_size(&self.scope)];
        for (row, choice) in self.iter() {
            choices[all.number(row)] = choice;
        }
        choices
    }
}
