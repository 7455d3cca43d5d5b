//! Random walks of custom blocks and of continuous random choices, and the buffers for joint proposals.

use figrs_core::{AnyElement, Datum};
use figrs_lower::internals::{Site, Trace};

use super::coordinates;
use super::proposals::Proposals;
use super::random_walk::RandomWalk;

/// Maximum number of dimensions of a random walk. A random walk in more dimensions learns its covariance more slowly, and makes shorter steps.
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
    /// The random walk of each custom block. The walk is used if all elements of the block are continuous.
    pub(super) blocks: Vec<RandomWalk>,
    /// The random choices that the present proposal changes, each with its old value and the method of the proposal.
    pub(super) sites: Vec<(Site, Datum, BlockProposalKind)>,
    pub(super) values: Vec<(Site, Datum)>,
    pub(super) position: Vec<f64>,
}

impl BlockProposals {
    /// Returns the number of random walks that do not belong to a custom block.
    pub(super) fn free_walks(&self) -> usize {
        self.free_walks.as_ref().map_or(0, Vec::len)
    }

    /// Assigns the continuous choices that exist in every world to random walks, in order; each walk has at most [`MAX_WALK_DIMENSIONS`] dimensions.
    /// Only the first call has an effect.
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
