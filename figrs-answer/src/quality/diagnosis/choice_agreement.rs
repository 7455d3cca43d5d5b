//! Findings about all random choices in the worlds of Markov chains, including choices that are not targets.

use figrs_core::Label;

use super::finding::Finding;

/// Maximum probability of at least one false alarm in all tests of the random choices of an answer together.
pub const FALSE_ALARMS: f64 = 0.01;
/// Minimum fraction of the draws whose worlds contain a random choice; a choice in fewer draws is not tested.
pub const MIN_MET_SHARE: f64 = 0.05;

/// The results of the tests whether Markov chains agree about the random choices of their worlds.
#[derive(Clone, Debug)]
pub struct ChoiceAgreement {
    /// Number of random choices that were tested.
    pub judged: usize,
    pub finding: Option<Finding>,
    /// The finding that short test chains stayed in a mode that the main chains did not visit; `None` if there is no such mode.
    pub mode: Option<Finding>,
    /// The findings about values that are much more frequent in independent draws than in the Markov chains.
    pub missed: Vec<Finding>,
    /// Number of short test chains that looked for other modes.
    pub probes: usize,
    /// The random choices that occur in the worlds of only a few draws.
    pub rare: Vec<Label>,
}

impl ChoiceAgreement {
    pub(crate) fn findings(&self) -> impl Iterator<Item = &Finding> {
        self.finding.iter().chain(&self.mode).chain(&self.missed)
    }

    pub(crate) fn rare(&self) -> &[Label] {
        &self.rare
    }

    /// Returns a description of the tests; `None` if there were no tests.
    pub(crate) fn checked(&self) -> Option<String> {
        let rare = match self.rare.len() {
            0 => String::new(),
            count => format!(
                ", except {count} that occurred in fewer than {:.0} % of the draws",
                100.0 * MIN_MET_SHARE
            ),
        };
        (self.judged + self.rare.len() > 0).then(|| {
            format!(
                "chains agree about all {} choices of their worlds{rare} (probability of a false alarm: {FALSE_ALARMS}); {}",
                self.judged + self.rare.len(),
                match self.probes {
                    0 => "no short chains from other draws of the prior were run, so all chains may be in one of several modes"
                        .into(),
                    probes => format!(
                        "{probes} short chains from other draws of the prior found no other mode, but a mode that they also missed cannot be excluded"
                    ),
                }
            )
        })
    }
}
