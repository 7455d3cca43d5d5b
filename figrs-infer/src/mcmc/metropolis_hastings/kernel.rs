//! The Metropolis-Hastings kernel: the proposals, their adapted scales, and one step of a Markov chain over worlds.

use super::acceptance::{AcceptanceTerms, StepOutcome};
use super::decisions::StepDecisions;
use super::image_moves::{ImageMoves, Images};
use super::proposals::{Proposals, RandomWalkScales};
use super::several_sites::BlockProposals;
use figrs_answer::error::Error;
use figrs_lower::internals::{Site, Trace};

/// The single-site Metropolis-Hastings kernel. A Metropolis-Hastings step selects a free random choice or a block of choices at random, proposes
/// other values for the selected choices, and accepts or rejects the proposal.
///
/// The state of the Markov chain is the [`Trace`], which holds the present world. The kernel contains the proposals and their scales, which change
/// only while the kernel [adapts](Self::adapt).
#[derive(Debug)]
pub struct Kernel {
    pub(super) proposals: Proposals,
    pub(super) scales: RandomWalkScales,
    pub(super) adapting: bool,
    /// The power to which the likelihood is raised in the sampled distribution; `None` for a search (simulated annealing), in which the sampled
    /// distribution changes from step to step.
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

    /// Makes the kernel sample the prior times the likelihood raised to `power`. A step of a tempered kernel must use
    /// [`AcceptanceTerms::log_tempered`] for its acceptance probability.
    #[must_use]
    pub fn tempered(mut self, power: f64) -> Self {
        self.set_power(power);
        self
    }

    pub(super) fn set_power(&mut self, power: f64) {
        self.power = Some(power);
    }

    /// Makes the kernel a search (simulated annealing), whose acceptance rule changes from step to step. A search draws no values from the
    /// conditional distributions of choices, because such draws follow the posterior whatever the temperature of the search is.
    #[must_use]
    pub fn searching(mut self) -> Self {
        self.power = None;
        self
    }

    /// Returns the power to which the kernel raises the likelihood; one for a search.
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

    /// Returns the number of joint proposals (proposals that change several choices) among which a step can select.
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

/// Minimum number of proposals for a random choice after which the choice can be called stuck.
const MIN_PROPOSALS: u32 = 10;
/// A random choice is stuck if at most one in `STUCK_DIVISOR` of the proposals for it leads to a possible world.
const STUCK_DIVISOR: u32 = 20;

/// For each random choice that exists in every world, the success of the proposals that changed only this choice while the kernel adapted.
#[derive(Debug, Default)]
pub(super) struct ProposalSuccess {
    /// For each random choice, by its index: the number of proposals, and the number of proposals that led to a possible world.
    counts: Vec<(u32, u32)>,
    sites: Vec<Site>,
}

impl ProposalSuccess {
    /// Adds a proposal for the random choice `site` to the counts of proposals; the proposed value must have positive prior probability.
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

    /// Returns the number of proposals for pairs of stuck choices among which a step can select, besides the proposals for single choices. There is
    /// one proposal of a pair for each stuck choice, and none if only one choice is stuck.
    pub(super) fn picks(&self) -> usize {
        if self.sites.len() < 2 {
            0
        } else {
            self.sites.len()
        }
    }
}

impl Kernel {
    /// Makes a Metropolis-Hastings step of the Markov chain. The proposal of the step is accepted with probability `exp(log_acceptance(terms))`, or
    /// always if this number exceeds one. The posterior is sampled if [`AcceptanceTerms::log_acceptance`] is passed as `log_acceptance`.
    ///
    /// Before the step, `trace` must hold a world of positive weight (a world that satisfies the evidence).
    ///
    /// **Errors.** The errors of the elements that the step evaluates; an error if the element of a custom proposal has parents.
    pub fn step<D: StepDecisions>(
        &mut self,
        trace: &mut Trace,
        decisions: &mut D,
        log_acceptance: impl FnOnce(&AcceptanceTerms) -> f64,
    ) -> Result<StepOutcome, Error> {
        if self.adapting {
            self.block_proposals.choose(trace, &self.proposals);
            if self.power.is_some() {
                self.image_moves.choose(trace, &self.proposals);
            }
        }
        let before = trace.choices();
        let picks = before + self.picks();
        if picks == 0 {
            return Ok(StepOutcome::UNCHANGED);
        }
        let pick = decisions.uniform_index(picks);
        if pick < before {
            let site = trace.choice(pick);
            return self.propose_single_site(trace, site, decisions, log_acceptance);
        }
        self.propose_several_sites(trace, pick - before, decisions, log_acceptance)
    }

    /// Makes a Metropolis-Hastings step that changes the random choice with the index `position` in the world. The step does nothing if the values of
    /// the random choice are continuous.
    pub(super) fn step_if_discrete<D: StepDecisions>(
        &mut self,
        trace: &mut Trace,
        decisions: &mut D,
        position: usize,
    ) -> Result<(), Error> {
        let site = trace.choice(position);
        if !trace.is_continuous(site) {
            self.propose_single_site(trace, site, decisions, AcceptanceTerms::log_acceptance)?;
        }
        Ok(())
    }
}
