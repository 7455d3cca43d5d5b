//! Limits on the ground instances of rules.

/// Limits of grounding, filling in the variables of rules, before [`GdlError::TooLarge`](super::GdlError::TooLarge).
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
    /// Facts of all relations, one million if not set.
    pub fn facts(mut self, most: usize) -> Self {
        self.facts = most;
        self
    }

    /// Rules without variables, two million if not set.
    pub fn rules(mut self, most: usize) -> Self {
        self.rules = most;
        self
    }

    /// Facts that are looked at while variables are filled in, 200 million if not set.
    pub fn matches(mut self, most: usize) -> Self {
        self.matches = most;
        self
    }
}

/// A limit that was exceeded, with the kind of the instances.
#[derive(Clone, Copy, Debug)]
pub(super) struct LimitExceeded {
    pub(super) what: &'static str,
    pub(super) limit: usize,
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
        return Err(LimitExceeded { what, limit });
    }
    Ok(())
}
