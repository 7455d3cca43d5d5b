//! Addition of the sums of consecutive blocks of worlds. The result is the same as if the blocks were one block.

use figrs_core::{AnyElement, SupportBuilder};

use super::block_tally::{BlockTally, keep_largest};

/// The sum over consecutive blocks of worlds, if draws are not retained.
#[derive(Debug)]
pub(super) struct JoinedBlocks<'a> {
    targets: &'a [AnyElement],
    /// Number of the largest weights that are retained.
    heaviest: usize,
    sums: Option<BlockTally>,
    /// The distinct values of each target; empty before the second block is added.
    supports: Vec<SupportBuilder>,
}

impl<'a> JoinedBlocks<'a> {
    pub(super) fn new(targets: &'a [AnyElement], heaviest: usize) -> Self {
        Self {
            targets,
            heaviest,
            sums: None,
            supports: Vec::new(),
        }
    }

    pub(super) fn push(&mut self, next: BlockTally) {
        let Some(sums) = &mut self.sums else {
            self.sums = Some(next);
            return;
        };
        let rows = sums.rows + next.rows;
        // A world whose likelihood has more density factors is infinitely less likely than a world with fewer density factors.
        if next.met > 0 && (sums.met == 0 || next.densities < sums.densities) {
            *sums = next;
            self.supports.clear();
        } else if next.met > 0 && next.densities == sums.densities {
            if self.supports.is_empty() {
                let values = self.targets.iter().zip(&sums.values);
                let supports = values.map(|(target, values)| {
                    let mut support = target.no_values();
                    support.encode(&**values);
                    support
                });
                self.supports = supports.collect();
            }
            add(sums, next, &mut self.supports);
            keep_largest(&mut sums.heaviest, self.heaviest);
        }
        sums.rows = rows;
    }

    pub(super) fn into_tally(self) -> Option<BlockTally> {
        self.sums
    }
}

/// Adds to `sums` the sums of a block with the same number of density factors. New values of a target are appended to the list of its earlier values.
fn add(sums: &mut BlockTally, mut next: BlockTally, supports: &mut [SupportBuilder]) {
    let scale = sums.log_scale.max(next.log_scale);
    rescale(sums, scale);
    rescale(&mut next, scale);
    sums.total += next.total;
    sums.squares += next.squares;
    sums.largest = sums.largest.max(next.largest);
    sums.heaviest.append(&mut next.heaviest);
    sums.met += next.met;
    let own = sums.values.iter_mut().zip(&mut sums.targets).zip(supports);
    let added = next.values.iter().zip(&next.targets);
    for (((values, target), support), (added, more)) in own.zip(added) {
        let positions = support.encode(&**added).unwrap_or_default();
        for (at, (position, more)) in positions.into_iter().zip(&more.sums).enumerate() {
            if position as usize == target.sums.len() {
                values.push(added.any(at));
                target.sums.push((0.0, 0.0));
            }
            let sum = &mut target.sums[position as usize];
            sum.0 += more.0;
            sum.1 += more.1;
        }
    }
}

fn rescale(sums: &mut BlockTally, scale: f64) {
    if sums.log_scale == scale {
        return;
    }
    let unit = (sums.log_scale - scale).exp();
    sums.log_scale = scale;
    sums.total *= unit;
    sums.squares *= unit * unit;
    sums.largest *= unit;
    for weight in &mut sums.heaviest {
        *weight *= unit;
    }
    // A weight that underflows to zero is removed, because zero has no logarithm.
    sums.heaviest.retain(|weight| *weight > 0.0);
    for sum in sums.targets.iter_mut().flat_map(|target| &mut target.sums) {
        sum.0 *= unit;
        sum.1 *= unit * unit;
    }
}

#[cfg(test)]
mod tests {
    use figrs_core::{AnyColumn, Flip, Parents};

    use super::super::block_tally::BlockTargetTally;
    use super::*;

    /// Returns the sums of a block whose worlds have the values and weights `rows`; the unit of the weights is `exp(log_scale)`.
    fn block(densities: usize, log_scale: f64, rows: &[(bool, f64)]) -> BlockTally {
        let weights: Vec<f64> = rows.iter().map(|row| row.1).filter(|w| *w > 0.0).collect();
        let squares = |weights: &[f64]| weights.iter().map(|w| w * w).sum();
        let (mut values, mut sums) = (Vec::<bool>::new(), Vec::new());
        for (value, _) in rows.iter().filter(|row| row.1 > 0.0) {
            if !values.contains(value) {
                values.push(*value);
                let own = rows.iter().filter(|row| row.0 == *value).map(|row| row.1);
                let own: Vec<f64> = own.collect();
                sums.push((own.iter().sum(), squares(&own)));
            }
        }
        let values: Box<dyn AnyColumn> = Box::new(values);
        let target = BlockTargetTally { sums, draws: None };
        BlockTally {
            log_scale,
            total: weights.iter().sum(),
            squares: squares(&weights),
            largest: weights.iter().copied().fold(0.0, f64::max),
            rows: rows.len() as u64,
            met: weights.len() as u64,
            densities,
            values: Vec::from_iter((!weights.is_empty()).then_some(values)),
            targets: Vec::from_iter((!weights.is_empty()).then_some(target)),
            heaviest: weights,
            log_weights: None,
        }
    }

    fn joined(blocks: impl IntoIterator<Item = BlockTally>, heaviest: usize) -> BlockTally {
        let coin = Flip::new(0.5);
        let targets = coin.elements();
        let mut joined = JoinedBlocks::new(&targets, heaviest);
        for block in blocks {
            joined.push(block);
        }
        let mut sums = joined.into_tally().unwrap();
        sums.heaviest.sort_by(f64::total_cmp);
        sums
    }

    #[test]
    fn the_sums_of_blocks_are_those_of_all_their_rows() {
        let none = [(true, 0.0), (false, 0.0)];
        let (first, second) = ([(true, 1.0), (true, 3.0)], [(false, 0.5), (true, 2.0)]);
        let both = block(0, 0.0, &[none, first, second, none].concat());
        let apart = [&none, &first, &second, &none].map(|rows| block(0, 0.0, rows));
        assert_eq!(
            format!("{:?}", joined(apart, 9)),
            format!("{:?}", joined([both], 9))
        );
        let most = joined([block(0, 0.0, &first), block(0, 0.0, &second)], 2);
        assert_eq!(most.heaviest, [2.0, 3.0]);
    }

    #[test]
    fn weights_in_other_units_are_added_in_the_larger_one() {
        let first = || block(0, 0.0, &[(true, 1.0), (false, 2.0)]);
        let second = || block(0, 2f64.ln(), &[(false, 3.0)]);
        for (blocks, of_false) in [([first(), second()], 1), ([second(), first()], 0)] {
            let sums = joined(blocks, 9);
            assert!((sums.log_scale - 2f64.ln()).abs() < 1e-15);
            assert!((sums.total - 4.5).abs() < 1e-12);
            assert!((sums.squares - (0.25 + 1.0 + 9.0)).abs() < 1e-12);
            let (sum, squares) = sums.targets[0].sums[of_false];
            assert!((sum - 4.0).abs() < 1e-12 && (squares - 10.0).abs() < 1e-12);
            assert_eq!((sums.rows, sums.met, sums.heaviest.len()), (3, 3, 3));
        }
        // A weight that is larger than the other weights by the factor exp(1000) leaves no trace of the other weights in the sums.
        let sums = joined([first(), block(0, 1000.0, &[(false, 1.0)])], 9);
        assert_eq!((sums.total, sums.heaviest), (1.0, vec![1.0]));
    }

    #[test]
    fn worlds_with_fewer_densities_replace_those_with_more() {
        let (more, fewer) = ([(true, 5.0)], [(false, 1.0), (false, 0.0)]);
        for blocks in [
            [block(2, 0.0, &more), block(1, 0.0, &fewer)],
            [block(1, 0.0, &fewer), block(2, 0.0, &more)],
        ] {
            let sums = joined(blocks, 9);
            assert_eq!((sums.densities, sums.met, sums.rows), (1, 1, 3));
            assert_eq!((sums.total, sums.largest), (1.0, 1.0));
            assert_eq!(format!("{:?}", sums.values), "[[false]]");
        }
    }
}
