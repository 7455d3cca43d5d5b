//! Decision rules as tables of chosen options.

use crate::graph::{Assignments, FactorGraph, VarId};

/// A decision rule: the chosen option for each possible assignment of some variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecisionRule {
    /// The decision to which the rule applies.
    pub decision: VarId,
    /// The variables on which the choice of a decision rule depends.
    pub scope: Vec<VarId>,
    /// The assignments of `scope` for which the rule has a choice, sorted and stored one after another.
    pub rows: Vec<u32>,
    /// The option chosen for each row (assignment) of the list `rows`.
    pub choices: Vec<u32>,
}

impl DecisionRule {
    /// Creates the rule that always chooses the option `choice`.
    pub fn constant(decision: VarId, choice: u32) -> Self {
        Self {
            decision,
            scope: Vec::new(),
            rows: Vec::new(),
            choices: vec![choice],
        }
    }

    /// Iterates over the assignments of the rule with their choices.
    pub fn iter(&self) -> impl Iterator<Item = (&[u32], u32)> {
        let width = self.scope.len();
        let row =
            move |(i, &choice): (usize, &u32)| (&self.rows[i * width..(i + 1) * width], choice);
        self.choices.iter().enumerate().map(row)
    }

    /// Restricts the rule to the assignments for which `keep` returns `true`.
    #[must_use]
    pub fn filtered(&self, mut keep: impl FnMut(&[u32]) -> bool) -> Self {
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

    /// Removes variables on which the choices of the rule do not depend: all variables together if possible, otherwise one by one in the sequence of
    /// `order`.
    #[must_use]
    pub fn reduced(self, order: &[VarId]) -> Self {
        self.reduced_where(order, |_| true)
    }

    /// Removes variables of `order` from the scope of the rule if no choice changes at the assignments for which `is_followed` is true; the choices
    /// at other assignments may change. The removal of all variables together is tried first, and then the removal of each single variable.
    #[must_use]
    pub fn reduced_where(mut self, order: &[VarId], is_followed: impl Fn(&[u32]) -> bool) -> Self {
        let mut followed: Vec<bool> = self.iter().map(|(row, _)| is_followed(row)).collect();
        let one_by_one = order.chunks(1);
        for variables in std::iter::once(order).chain(one_by_one) {
            if let Some((shorter, still)) = self.without(variables, &followed) {
                (self, followed) = (shorter, still);
            }
        }
        self
    }

    /// Removes `variables` from the scope of the rule. Returns the new decision rule and, for each of its assignments, `true` if the rule is followed
    /// there. Returns `None` if choices depend on `variables`.
    fn without(&self, variables: &[VarId], followed: &[bool]) -> Option<(Self, Vec<bool>)> {
        let kept = |place: &usize| !variables.contains(&self.scope[*place]);
        let kept: Vec<usize> = (0..self.scope.len()).filter(kept).collect();
        let mut listed: Vec<(Vec<u32>, bool, u32)> = Vec::with_capacity(self.choices.len());
        for ((row, choice), &is_followed) in self.iter().zip(followed) {
            let row = kept.iter().map(|&place| row[place]).collect();
            listed.push((row, !is_followed, choice));
        }
        // Of equal assignments, those at which the rule is followed come first.
        listed.sort_unstable();
        let mut shorter = Self {
            decision: self.decision,
            scope: kept.iter().map(|&place| self.scope[place]).collect(),
            rows: Vec::new(),
            choices: Vec::new(),
        };
        let mut still = Vec::new();
        for group in listed.chunk_by(|a, b| a.0 == b.0) {
            let (row, passed_over, choice) = &group[0];
            let mut alike = group.iter().filter(|other| other.1 == *passed_over);
            if alike.any(|other| other.2 != *choice) {
                return None;
            }
            shorter.rows.extend_from_slice(row);
            shorter.choices.push(*choice);
            still.push(!passed_over);
        }
        Some((shorter, still))
    }

    /// Returns the choice of the decision rule for each assignment of its scope, row-major. An assignment for which the rule has no choice gets the
    /// first option.
    pub fn dense(&self, graph: &FactorGraph) -> Vec<u32> {
        let all = Assignments::rows(self.scope.iter().map(|&v| graph.cardinality(v)));
        let mut choices = vec![0; graph.dense_size(&self.scope)];
        for (row, choice) in self.iter() {
            choices[all.number(row)] = choice;
        }
        choices
    }
}
