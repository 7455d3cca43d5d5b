//! Computation of the marginals of the targets from the sums of sampled worlds.

use figrs_factor::graph::WorldWeight;

use super::block_tally::BlockTally;
use super::prior_support::PriorSupport;
use figrs_answer::answer::TargetMarginal;
use figrs_answer::answer::estimate::Estimate;
use figrs_exact::tally::{Tally, TallyTarget};

pub(super) fn absorb(tally: &mut Tally, block: &BlockTally) {
    tally.worlds += block.rows;
    if block.met == 0 || block.densities > tally.densities {
        return;
    }
    if block.densities < tally.densities {
        tally.reset(block.densities);
    }
    let unit = tally.in_units(WorldWeight {
        linear: block.log_scale.exp(),
        log: block.log_scale,
    });
    tally.total += unit * block.total;
    tally.squares += unit * unit * block.squares;
    let found = block.values.iter().zip(&block.targets);
    for (target, (values, found)) in tally.targets.iter_mut().zip(found) {
        let positions = target.values.encode(&**values).unwrap_or_default();
        target.sums.resize(target.values.len(), (0.0, 0.0));
        for (position, sums) in positions.into_iter().zip(&found.sums) {
            let sum = &mut target.sums[position as usize];
            sum.0 += unit * sums.0;
            sum.1 += unit * unit * sums.1;
        }
    }
}

/// Returns the marginals of the targets, computed from the sums of sampled worlds. The marginals include possible values that no sample has; `unseen`
/// is an upper bound of the probability of such values (see [`unseen_share`](figrs_answer::unseen_share)).
pub(super) fn sampled_marginals(
    tally: Tally,
    possible: &[Option<PriorSupport>],
    unseen: f64,
) -> Vec<TargetMarginal> {
    let (total, worlds) = (tally.total, tally.worlds);
    let marginal = |(mut target, possible): (TallyTarget, &Option<PriorSupport>)| {
        let drawn = target.values.len();
        if let Some(possible) = possible {
            possible.add_undrawn(&mut target.values, worlds, unseen.is_finite());
            target.sums.resize(target.values.len(), (0.0, 0.0));
        }
        let squares = target.sums.iter().map(|s| s.1 / (total * total));
        let mut probabilities: Vec<f64> = target.sums.iter().map(|s| s.0 / total).collect();
        keep_positive(&mut probabilities[..drawn]);
        TargetMarginal {
            element: target.element,
            support: target.values.build(),
            probabilities,
            estimate: Estimate::Weighted {
                squares: squares.collect(),
                unseen,
            },
        }
    };
    tally
        .targets
        .into_iter()
        .zip(possible)
        .map(marginal)
        .collect()
}

/// Replaces estimated probabilities of zero by small positive numbers for drawn values, because a probability of zero marks a value without draws.
pub(crate) fn keep_positive(drawn: &mut [f64]) {
    for share in drawn {
        *share = share.max(f64::MIN_POSITIVE);
    }
}
