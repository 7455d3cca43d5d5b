//! Limits on the number of ground instances of rules.

use super::syntax::{Rule, SymbolId};

/// Limits of grounding, the step that replaces the variables of rules by values. Grounding that exceeds a limit fails with
/// [`GdlError::TooLarge`](super::GdlError::TooLarge).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct GroundingLimits {
    pub(super) facts: usize,
    pub(super) rules: usize,
    pub(super) matches: usize,
}

impl Default for GroundingLimits {
    fn default() -> Self {
        Self {
            facts: 1_000_000,
            rules: 2_000_000,
            matches: 200_000_000,
        }
    }
}

impl GroundingLimits {
    /// Returns the default limits multiplied by `factor`; the factor 0 counts as 1.
    pub fn times(factor: usize) -> Self {
        let default = Self::default();
        let times = |limit: usize| limit.saturating_mul(factor.max(1));
        Self {
            facts: times(default.facts),
            rules: times(default.rules),
            matches: times(default.matches),
        }
    }

    /// Sets the maximum number of facts of all relations (default: one million).
    pub fn facts(mut self, most: usize) -> Self {
        self.facts = most;
        self
    }

    /// Sets the maximum number of rules without variables (default: two million).
    pub fn rules(mut self, most: usize) -> Self {
        self.rules = most;
        self
    }

    /// Sets the maximum number of facts that are examined during grounding (default: 200 million).
    pub fn matches(mut self, most: usize) -> Self {
        self.matches = most;
        self
    }
}

/// Error that grounding exceeded a limit, with the kind of the instances and the relation of the rule that was instantiated.
#[derive(Clone, Copy, Debug)]
pub(super) struct LimitExceeded {
    pub(super) what: &'static str,
    pub(super) limit: usize,
    pub(super) relation: Option<SymbolId>,
}

impl LimitExceeded {
    pub(super) fn at(self, rule: &Rule) -> Self {
        let relation = self.relation.or(Some(rule.head.relation));
        Self { relation, ..self }
    }
}

impl GroundingLimits {
    pub(super) fn check_facts(&self, count: usize) -> Result<(), LimitExceeded> {
        check("facts", count, self.facts)
    }

    pub(super) fn check_rules(&self, count: usize) -> Result<(), LimitExceeded> {
        check("rules", count, self.rules)
    }

    pub(super) fn check_matches(&self, count: u64) -> Result<(), LimitExceeded> {
        check("matches of conditions", count as usize, self.matches)
    }
}

fn check(what: &'static str, count: usize, limit: usize) -> Result<(), LimitExceeded> {
    if count > limit {
        return Err(LimitExceeded {
            what,
            limit,
            relation: None,
        });
    }
    Ok(())
}
