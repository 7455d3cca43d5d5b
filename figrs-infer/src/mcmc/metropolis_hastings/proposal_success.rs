//! Stuck sites, which never move alone because evidence ties other sites to them: they are moved in pairs.

use figrs_lower::internals::Site;

/// Number of proposals of a site before it can be called stuck.
const MIN_PROPOSALS: u32 = 10;
/// A site is stuck if at most one of this many proposals leads to a possible world.
const STUCK_DIVISOR: u32 = 20;

/// Success rates of single proposals for each permanent site while the kernel adapted.
#[derive(Debug, Default)]
pub(super) struct ProposalSuccess {
    /// Number of proposals, and number of possible ones.
    counts: Vec<(u32, u32)>,
    sites: Vec<Site>,
}

impl ProposalSuccess {
    /// Counts a proposal of a value that the site may have.
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

    /// The sites that are stuck.
    pub(super) fn sites(&self) -> &[Site] {
        &self.sites
    }

    /// Number of pair proposals that a step can pick, in addition to one pick for each choice: as many as there are stuck sites, if there
    /// is a pair.
    pub(super) fn picks(&self) -> usize {
        if self.sites.len() < 2 {
            0
        } else {
            self.sites.len()
        }
    }
}
