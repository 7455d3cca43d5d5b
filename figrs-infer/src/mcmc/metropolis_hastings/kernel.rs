//! State of the Metropolis-Hastings kernel: the proposals, and their adapted scales.

use figrs_lower::internals::Trace;

use super::acceptance::AcceptanceTerms;
use super::block_proposals::BlockProposals;
use super::image_moves::{ImageMoves, Images};
use super::proposal_success::ProposalSuccess;
use super::proposals::{Proposals, RandomWalkScales};

/// The single-site Metropolis-Hastings kernel. A step selects a free random choice or a block of choices at random, proposes other values for it, and
/// accepts or rejects the proposal.
///
/// The state of the Markov chain is the [`Trace`]. The kernel contains the proposals and their scales, which change only while the kernel
/// [adapts](Self::adapt).
#[derive(Debug)]
pub struct Kernel {
    pub(super) proposals: Proposals,
    pub(super) scales: RandomWalkScales,
    pub(super) adapting: bool,
    /// The power to which the likelihood is raised in the sampled distribution; `None` for a search, in which this distribution changes from step to
    /// step.
    pub(super) power: Option<f64>,
    pub(super) stuck: ProposalSuccess,
    pub(super) block_proposals: BlockProposals,
    pub(super) image_moves: ImageMoves,
}

impl Kernel {
    /// Creates a kernel with given proposals and without adaptation.
    pub fn new(proposals: Proposals) -> Self {
        Self {
            proposals,
            scales: RandomWalkScales::default(),
            adapting: false,
            power: Some(1.0),
            stuck: ProposalSuccess::default(),
            block_proposals: BlockProposals::default(),
            image_moves: ImageMoves::default(),
        }
    }

    pub(super) fn with_images(mut self, images: Images) -> Self {
        self.image_moves = ImageMoves::new(images);
        self
    }

    /// Makes the kernel sample the prior times the likelihood raised to `power`. Steps of such a kernel must be accepted by
    /// [`AcceptanceTerms::log_tempered`].
    #[must_use]
    pub fn tempered(mut self, power: f64) -> Self {
        self.set_power(power);
        self
    }

    pub(super) fn set_power(&mut self, power: f64) {
        self.power = Some(power);
    }

    /// Makes the kernel a search, whose acceptance rule changes from step to step. A search draws no values from the conditional distributions of
    /// choices, because such draws are distributed as in the posterior at any temperature.
    #[must_use]
    pub fn searching(mut self) -> Self {
        self.power = None;
        self
    }

    /// Returns the power to which the likelihood is raised; one for a search.
    pub(super) fn power(&self) -> f64 {
        self.power.unwrap_or(1.0)
    }

    /// Starts or ends the adaptation of the proposals. A kernel without adaptation leaves the posterior invariant.
    pub fn adapt(&mut self, adapting: bool) {
        if self.adapting && !adapting {
            self.block_proposals.drop_unprofitable();
            self.image_moves.drop_impossible();
        }
        self.adapting = adapting;
    }

    /// Returns the number of joint proposals among which a step can select.
    pub(super) fn picks(&self) -> usize {
        self.proposals.blocks().len()
            + self.proposals.moves().len()
            + self.image_moves.count()
            + self.block_proposals.free_walks()
            + self.stuck.picks()
    }

    #[inline]
    pub(super) fn terms(&self, trace: &Trace, forward: f64, backward: f64) -> AcceptanceTerms {
        let change = *trace.change();
        let several = self.picks();
        let (before, after) = change.choices;
        AcceptanceTerms {
            change,
            forward,
            backward,
            picks: (before + several, after + several),
        }
    }
}
