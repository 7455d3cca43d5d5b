//! Findings about all free choices of the worlds of chains, including those that are not targets.

use figrs_core::Label;

use super::finding::Finding;

/// The rate of false alarms for all choices of an answer together.
pub const FALSE_ALARMS: f64 = 0.01;
/// Least share of the draws that must meet a choice for it to be judged; other choices are reported.
pub const MIN_MET_SHARE: f64 = 0.05;

/// Agreement of chains about the choices of their worlds.
#[derive(Clone, Debug)]
pub struct ChoiceAgreement {
    /// Number of choices judged.
    pub judged: usize,
    pub finding: Option<Finding>,
    /// The finding that probes stayed in another mode.
    pub mode: Option<Finding>,
    /// The findings that independent draws show values which the chains have too seldom.
    pub missed: Vec<Finding>,
    /// Number of short chains that looked for other modes.
    pub probes: usize,
    /// The choices that few draws meet.
    pub rare: Vec<Label>,
}

impl ChoiceAgreement {
    pub(crate) fn findings(&self) -> impl Iterator<Item = &Finding> {
        self.finding.iter().chain(&self.mode).chain(&self.missed)
    }

    pub(crate) fn rare(&self) -> &[Label] {
        &self.rare
    }

    /// Description of the checks; `None` if there was nothing to check.
    pub(crate) fn checked(&self) -> Option<String> {
        let rare = match self.rare.len() {
            0 => String::new(),
            count => format!(
                ", but {count} that under {:.0} % of the draws meet",
                100.0 * MIN_MET_SHARE
            ),
        };
        (self.judged + self.rare.len() > 0).then(|| {
            format!(
                "chains agree about all {} choices of their worlds{rare} (false alarms: {FALSE_ALARMS} in all); {}",
                self.judged + self.rare.len(),
                match self.probes {
                    0 => "no short chains from other draws of the prior were run: chains that agree cannot be told from chains in one \
                          mode"
                        .into(),
                    probes => format!(
                        "{probes} short chains from other draws of the prior came to no other place as probable: only a mode that \
                         they missed as well could be left out"
                    ),
                }
            )
        })
    }
}
