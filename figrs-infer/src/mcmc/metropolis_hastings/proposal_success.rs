//! Detection of stuck random choices: choices that cannot change alone, because evidence connects them with other choices. Steps change stuck choices
//! in pairs.

use figrs_lower::internals::Site;

/// Minimum number of proposals for a random choice after which the choice can be called stuck.
const MIN_PROPOSALS: u32 = 10;
/// A random choice is stuck if at most one in `STUCK_DIVISOR` of the proposals for it leads to a possible world.
const STUCK_DIVISOR: u32 = 20;

/// The success of proposals that changed a single random choice while the kernel adapted, for each random choice that exists in every world.
#[derive(Debug, Default)]
pub(super) struct ProposalSuccess {
    /// For each random choice, by its index: the number of proposals, and the number of proposals that led to a possible world.
    counts: Vec<(u32, u32)>,
    sites: Vec<Site>,
}

impl ProposalSuccess {
    /// Counts a proposal for the random choice `site`; the proposed value must have positive prior probability.
    pub(super) fn record(&mut self, site: Site, was_possible: bool) {
        if self.counts.len() <= site.number() {
            self.counts.resize(site.number() + 1, (0, 0));
        }
        let (tried, possible) = &mut self.counts[site.number()];
        let is_stuck =
            |tried: u32, possible: u32| tried >= MIN_PROPOSALS && possible * STUCK_DIVISOR <= tried;
        let before = is_stuck(*tried, *possible);
        *tried = tried.saturating_add(1);
        *possible = possible.saturating_add(u32::from(was_possible));
        match (before, is_stuck(*tried, *possible)) {
            (false, true) => self.sites.push(site),
            (true, false) => self.sites.retain(|&other| other != site),
            _ => {}
        }
    }

    pub(super) fn sites(&self) -> &[Site] {
        &self.sites
    }

    /// Returns the number of proposals for pairs of stuck choices among which a step can select, besides the proposals for single choices. The number
    /// is the number of stuck choices; it is zero if only one choice is stuck.
    pub(super) fn picks(&self) -> usize {
        if self.sites.len() < 2 {
            0
        } else {
            self.sites.len()
        }
    }
}
