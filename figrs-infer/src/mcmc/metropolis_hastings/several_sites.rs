//! Proposals that change several random choices at once: custom blocks, random walks, and pairs of choices whose single proposals hardly ever
//! succeed.

use super::acceptance::{AcceptanceTerms, StepOutcome, accept_or_reject};
use super::coordinates;
use super::decisions::{StepDecisions, probability};
use super::kernel::Kernel;
use super::moves::Moved;
use super::proposals::Proposals;
use super::random_walk::RandomWalk;
use figrs_answer::error::Error;
use figrs_core::{AnyElement, Datum};
use figrs_lower::internals::{Site, Trace};

/// The proposal for a Boolean choice: a draw from the prior of the choice, or the opposite value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BooleanProposal {
    Drawn,
    Flipped,
}

impl Kernel {
    /// Makes the joint proposal (a proposal that changes several random choices) with the index `pick`, and accepts or rejects it.
    pub(super) fn propose_several_sites<D: StepDecisions>(
        &mut self,
        trace: &mut Trace,
        pick: usize,
        decisions: &mut D,
        log_acceptance: impl FnOnce(&AcceptanceTerms) -> f64,
    ) -> Result<StepOutcome, Error> {
        let blocks = self.proposals.blocks().len();
        if pick < blocks {
            return self.propose_block(trace, pick, decisions, log_acceptance);
        }
        let moves = self.proposals.moves().len();
        if pick < blocks + moves {
            return self.propose_move(trace, pick - blocks, decisions, log_acceptance);
        }
        let blocks = blocks + moves;
        let images = self.image_moves.count();
        if pick < blocks + images {
            return self.propose_image_move(trace, pick - blocks, decisions, log_acceptance);
        }
        let walk = pick - blocks - images;
        let own = self.block_proposals.free_walks.as_mut();
        let Some((sites, mut walk, at)) = own.and_then(|own| {
            let (sites, moving) = own.get_mut(walk).map(std::mem::take)?;
            Some((sites, moving, walk))
        }) else {
            return self.propose_pair(trace, decisions, log_acceptance);
        };
        let step = self.propose_walk(trace, &sites, &mut walk, decisions, log_acceptance);
        if let Some(own) = &mut self.block_proposals.free_walks {
            own[at] = (sites, walk);
        }
        step
    }

    fn propose_move<D: StepDecisions>(
        &mut self,
        trace: &mut Trace,
        number: usize,
        decisions: &mut D,
        log_acceptance: impl FnOnce(&AcceptanceTerms) -> f64,
    ) -> Result<StepOutcome, Error> {
        let one = self.proposals.moves()[number].clone();
        let mut new = Moved::default();
        if !one.draw_values(trace, &mut new, decisions)? {
            return Ok(StepOutcome::REJECTED);
        }
        let (mut old, mut values) = (Moved::default(), Vec::with_capacity(new.0.len()));
        for (element, value) in &new.0 {
            let Some(site) = trace.site(element) else {
                return Ok(StepOutcome::REJECTED);
            };
            let Some(present) = trace.value(site) else {
                return Ok(StepOutcome::REJECTED);
            };
            old.0.push((element.clone(), present));
            values.push((site, value.clone()));
        }
        if values.iter().all(|(site, value)| trace.holds(*site, value)) {
            return Ok(StepOutcome::UNCHANGED);
        }
        let forward = one.log_prob(trace, &new)?;
        if !trace.propose_together(&values, decisions)? {
            trace.undo();
            return Ok(StepOutcome::REJECTED);
        }
        let backward = one.log_prob(trace, &old)?;
        let terms = self.terms(trace, forward, backward);
        let (gain, log) = (terms.log_target(), log_acceptance(&terms));
        Ok(accept_or_reject(trace, decisions, gain, log))
    }

    /// Proposes values for all random choices of the block with the index `block`. If all choices of the block are continuous and the random walk of
    /// the block has learned a covariance, the proposal is a step of this walk with probability one half. Otherwise, each choice of the block gets a
    /// value from its custom proposal or, without a custom proposal, from its prior in the present world.
    fn propose_block<D: StepDecisions>(
        &mut self,
        trace: &mut Trace,
        block: usize,
        decisions: &mut D,
        log_acceptance: impl FnOnce(&AcceptanceTerms) -> f64,
    ) -> Result<StepOutcome, Error> {
        let elements = &self.proposals.blocks()[block];
        let sites: Option<Vec<Site>> = elements.iter().map(|e| trace.site(e)).collect();
        let Some(sites) = sites else {
            return Ok(StepOutcome::REJECTED);
        };
        let has_custom = elements.iter().any(|e| self.proposals.is_custom(e));
        if !has_custom && let Some(walk) = self.block_proposals.blocks.get_mut(block) {
            let mut walk = std::mem::take(walk);
            let walks = walk.is_learned() && decisions.bernoulli(0.5);
            if walks {
                let step = self.propose_walk(trace, &sites, &mut walk, decisions, log_acceptance);
                self.block_proposals.blocks[block] = walk;
                return step;
            }
            self.adapt_to_position(trace, &sites, &mut walk);
            self.block_proposals.blocks[block] = walk;
        }
        self.propose_each(
            trace,
            &sites,
            BooleanProposal::Drawn,
            decisions,
            log_acceptance,
        )
    }

    /// Proposes values for two stuck choices (choices whose single proposals hardly ever led to a possible world); all pairs are equally likely.
    fn propose_pair<D: StepDecisions>(
        &mut self,
        trace: &mut Trace,
        decisions: &mut D,
        log_acceptance: impl FnOnce(&AcceptanceTerms) -> f64,
    ) -> Result<StepOutcome, Error> {
        let stuck = self.stuck.sites();
        let first = decisions.uniform_index(stuck.len());
        let second = (first + 1 + decisions.uniform_index(stuck.len() - 1)) % stuck.len();
        let sites = [stuck[first], stuck[second]];
        if sites.iter().any(|&site| !trace.is_choice(site)) {
            return Ok(StepOutcome::REJECTED);
        }
        self.propose_each(
            trace,
            &sites,
            BooleanProposal::Flipped,
            decisions,
            log_acceptance,
        )
    }

    /// Proposes a value for each of the random choices `sites`, from the custom proposal of the choice or, without a custom proposal, from its prior
    /// in the present world.
    fn propose_each<D: StepDecisions>(
        &mut self,
        trace: &mut Trace,
        sites: &[Site],
        truths: BooleanProposal,
        decisions: &mut D,
        log_acceptance: impl FnOnce(&AcceptanceTerms) -> f64,
    ) -> Result<StepOutcome, Error> {
        self.block_proposals.sites.clear();
        self.block_proposals.values.clear();
        let mut forward = 0.0;
        for &site in sites {
            let Some(old) = trace.value(site) else {
                return Ok(StepOutcome::REJECTED);
            };
            let custom = self.proposals.custom(trace.element(site), &old)?;
            let way = match (custom, truths, trace.truth(site)) {
                (Some(custom), ..) => BlockProposalKind::Custom(custom),
                (None, BooleanProposal::Flipped, Some(truth)) => BlockProposalKind::Flip(truth),
                _ => BlockProposalKind::Prior,
            };
            let value = match &way {
                BlockProposalKind::Custom(custom) => Some(Proposals::draw(custom, decisions)?),
                BlockProposalKind::Flip(truth) => Some(Datum::new(!truth)),
                BlockProposalKind::Prior => trace.draw(site, decisions)?,
            };
            let Some(value) = value else {
                return Ok(StepOutcome::REJECTED);
            };
            forward += match &way {
                BlockProposalKind::Custom(custom) => Proposals::log_prob(custom, &value)?,
                BlockProposalKind::Flip(_) => 0.0,
                BlockProposalKind::Prior => {
                    trace.log_prior(site, &value)?.unwrap_or(f64::NEG_INFINITY)
                }
            };
            self.block_proposals.sites.push((site, old, way));
            self.block_proposals.values.push((site, value));
        }
        if !trace.propose_together(&self.block_proposals.values, decisions)? {
            trace.undo();
            return Ok(StepOutcome::REJECTED);
        }
        let mut backward = 0.0;
        let proposed = self
            .block_proposals
            .sites
            .iter()
            .zip(&self.block_proposals.values);
        for ((site, old, way), (_, new)) in proposed {
            backward += match way {
                BlockProposalKind::Custom(_) => {
                    let back = self.proposals.custom(trace.element(*site), new)?;
                    back.map_or(Ok(f64::NEG_INFINITY), |back| {
                        Proposals::log_prob(&back, old)
                    })?
                }
                BlockProposalKind::Flip(_) => 0.0,
                BlockProposalKind::Prior => {
                    trace.log_prior(*site, old)?.unwrap_or(f64::NEG_INFINITY)
                }
            };
        }
        let terms = self.terms(trace, forward, backward);
        let (gain, log) = (terms.log_target(), log_acceptance(&terms));
        Ok(accept_or_reject(trace, decisions, gain, log))
    }

    /// Reads the coordinates of the random choices `sites` into a buffer. Returns the logarithm of the volume element of the coordinates, or `None`
    /// if some choice is not free or has no coordinates.
    fn read_position(&mut self, trace: &mut Trace, sites: &[Site]) -> Option<f64> {
        self.block_proposals.position.clear();
        let mut volume = 0.0;
        for &site in sites {
            if !trace.is_choice(site) {
                return None;
            }
            volume +=
                coordinates::coordinates_of(trace, site, &mut self.block_proposals.position)?.2;
        }
        Some(volume)
    }

    /// During adaptation, adds the present values of the choices `sites` to the learned covariance of their random walk.
    fn adapt_to_position(&mut self, trace: &mut Trace, sites: &[Site], walk: &mut RandomWalk) {
        if self.adapting && self.read_position(trace, sites).is_some() {
            walk.add_position(&self.block_proposals.position);
        }
    }

    fn propose_walk<D: StepDecisions>(
        &mut self,
        trace: &mut Trace,
        sites: &[Site],
        walk: &mut RandomWalk,
        decisions: &mut D,
        log_acceptance: impl FnOnce(&AcceptanceTerms) -> f64,
    ) -> Result<StepOutcome, Error> {
        self.adapt_to_position(trace, sites, walk);
        if !walk.is_learned() {
            return Ok(StepOutcome::UNCHANGED);
        }
        let Some(volume) = self.read_position(trace, sites) else {
            return Ok(StepOutcome::REJECTED);
        };
        let position = &mut self.block_proposals.position;
        if !walk.can_move(position.len()) {
            return Ok(StepOutcome::REJECTED);
        }
        walk.step(position, decisions);
        self.block_proposals.values.clear();
        let (mut start, mut there) = (0, 0.0);
        for &site in sites {
            let space = trace.space(site);
            let moved = trace.value(site).and_then(|present| {
                let count = coordinates::count(space, &present)?;
                let end = start + count;
                let range = std::mem::replace(&mut start, end)..end;
                coordinates::value(space, &present, self.block_proposals.position.get(range)?)
            });
            let Some((value, volume)) = moved else {
                return Ok(StepOutcome::REJECTED);
            };
            there += volume;
            self.block_proposals.values.push((site, value));
        }
        if !trace.propose_together(&self.block_proposals.values, decisions)? {
            trace.undo();
            if self.adapting {
                walk.adapt(0.0);
            }
            return Ok(StepOutcome::REJECTED);
        }
        let terms = self.terms(trace, -there, -volume);
        let (gain, log) = (terms.log_target(), log_acceptance(&terms));
        if self.adapting {
            walk.adapt(probability(log));
        }
        Ok(accept_or_reject(trace, decisions, gain, log))
    }
}

/// Maximum number of dimensions of a joint random walk. A random walk in more dimensions learns its covariance more slowly, and makes shorter steps.
const MAX_WALK_DIMENSIONS: usize = 24;

/// The proposal for one random choice within a joint proposal.
#[derive(Debug)]
pub(super) enum BlockProposalKind {
    Custom(AnyElement),
    Flip(bool),
    Prior,
}

#[derive(Debug, Default)]
pub(super) struct BlockProposals {
    /// The random walks of the continuous choices that exist in every world; `None` before these choices have been assigned to random walks.
    pub(super) free_walks: Option<Vec<(Vec<Site>, RandomWalk)>>,
    /// The random walk of each block of random choices that the user defined. The random walk of a block is used if all elements of the block are
    /// continuous.
    pub(super) blocks: Vec<RandomWalk>,
    /// The random choices that the present proposal changes, each with its old value and the kind of its proposal.
    pub(super) sites: Vec<(Site, Datum, BlockProposalKind)>,
    pub(super) values: Vec<(Site, Datum)>,
    pub(super) position: Vec<f64>,
}

impl BlockProposals {
    /// Returns the number of random walks that do not belong to a custom block.
    pub(super) fn free_walks(&self) -> usize {
        self.free_walks.as_ref().map_or(0, Vec::len)
    }

    /// Assigns the continuous choices that exist in every world to joint random walks, in order; each walk has at most [`MAX_WALK_DIMENSIONS`]
    /// dimensions. The assignment of continuous choices to joint random walks is made in the first call; later calls have no effect.
    pub(super) fn choose(&mut self, trace: &mut Trace, proposals: &Proposals) {
        if self.free_walks.is_some() {
            return;
        }
        self.blocks
            .resize_with(proposals.blocks().len(), RandomWalk::default);
        let mut sites: Vec<Site> = (0..trace.choices()).map(|i| trace.choice(i)).collect();
        sites.retain(|&site| {
            trace.is_in_every_world(site) && !proposals.is_custom(trace.element(site))
        });
        sites.sort();
        let mut walks: Vec<(Vec<Site>, RandomWalk)> = Vec::new();
        let mut free = 0;
        for site in sites {
            self.position.clear();
            let found = coordinates::coordinates_of(trace, site, &mut self.position);
            let Some((_, dimensions, _)) =
                found.filter(|(_, count, _)| *count <= MAX_WALK_DIMENSIONS)
            else {
                continue;
            };
            if dimensions > free {
                walks.push((Vec::new(), RandomWalk::default()));
                free = MAX_WALK_DIMENSIONS;
            }
            free -= dimensions;
            if let Some((sites, _)) = walks.last_mut() {
                sites.push(site);
            }
        }
        self.free_walks = Some(walks);
    }

    /// Drops a random walk if the correlations that it learned are too weak to justify its cost.
    pub(super) fn drop_unprofitable(&mut self) {
        if let Some(own) = &mut self.free_walks {
            own.retain(|(sites, walk)| walk.is_profitable(sites.len()));
        }
    }
}
