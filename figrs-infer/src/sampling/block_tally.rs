//! Sums of the weights of the worlds in one block or in consecutive blocks, separately for each value of each target.

use serde::{Deserialize, Serialize};

use figrs_answer::quality::diagnostics::{MAX_TAIL_SIZE, keep_largest};
use figrs_answer::run::portable_part::PortableUnit;
use figrs_core::{AnyColumn, AnyElement, SupportBuilder};
use figrs_lower::internals::{Block, TargetColumn, WeightForm};

/// Sums of weights and of squared weights over one or several blocks of worlds. The weights are stored in units of `exp(log_scale)`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BlockTally {
    pub(crate) log_scale: f64,
    pub(crate) total: f64,
    pub(crate) squares: f64,
    pub(crate) largest: f64,
    /// The largest weights of worlds in the block. All weights of the block that may belong to the tail of the weights of the whole run are included.
    #[serde(with = "repeated_numbers")]
    pub(crate) heaviest: Vec<f64>,
    /// Number of worlds in the sums, including worlds of weight zero.
    pub(crate) rows: u64,
    /// Number of worlds that do not contradict the evidence. Sums over several blocks include only the blocks whose likelihoods have the fewest
    /// density factors.
    pub(crate) met: u64,
    /// Number of density factors in the likelihood of each counted world.
    pub(crate) densities: usize,
    /// For each target (queried variable), its distinct values in the order of first occurrence.
    #[serde(skip)]
    pub(crate) values: Vec<Box<dyn AnyColumn>>,
    pub(crate) targets: Vec<BlockTargetTally>,
    /// The natural logarithms of the weights of the worlds that satisfy the evidence, if draws are retained.
    pub(crate) log_weights: Option<Vec<f64>>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct BlockTargetTally {
    /// For each distinct value of the target, the sum of the weights and the sum of the squared weights of the worlds with this value.
    pub(crate) sums: Vec<(f64, f64)>,
    /// For each world that satisfies the evidence, the index of the target's value, if draws are retained.
    pub(crate) draws: Option<Vec<u32>>,
}

impl PortableUnit for BlockTally {
    fn values(&mut self) -> &mut Vec<Box<dyn AnyColumn>> {
        &mut self.values
    }
}

impl BlockTally {
    /// Computes the sums of weights of a block of worlds in which all targets and evidence have been evaluated.
    ///
    /// The computed sums include the `heaviest` largest weights and, if `keep` is set, the draws.
    pub(crate) fn new(
        block: &mut Block,
        targets: &[AnyElement],
        width: usize,
        (heaviest, keep): (usize, bool),
    ) -> Self {
        let densities = block.keep_fewest_densities() as usize;
        let plain = block.weights().plain();
        let met = block.weights().survivors() as u64;
        let mut tally = Self {
            log_scale: plain.log_scale,
            total: 0.0,
            squares: 0.0,
            largest: 0.0,
            heaviest: largest(&plain.form, heaviest),
            rows: width as u64,
            met,
            densities,
            values: Vec::with_capacity(targets.len()),
            targets: Vec::with_capacity(targets.len()),
            log_weights: None,
        };
        match &plain.form {
            WeightForm::Classes(classes) => {
                for (mask, weight) in classes {
                    tally.count(*weight, ones(mask.iter().copied()));
                }
            }
            WeightForm::Rows(rows) => {
                for &weight in rows {
                    tally.total += weight;
                    tally.squares += weight * weight;
                    tally.largest = tally.largest.max(weight);
                }
            }
        }
        for (i, element) in targets.iter().enumerate() {
            if met == 0 {
                break;
            }
            let column = block.target(i);
            let (values, target) = sums(&column, element, &plain.form, keep);
            tally.values.push(values);
            tally.targets.push(target);
        }
        if keep {
            let mut logs = Vec::with_capacity(met as usize);
            let weights = plain.rows(width);
            block.weights().for_each_survivor(|row| {
                logs.push(weights[row].ln() + plain.log_scale);
            });
            tally.log_weights = Some(logs);
        }
        tally
    }

    fn count(&mut self, weight: f64, rows: f64) {
        self.total += weight * rows;
        self.squares += weight * weight * rows;
        if rows > 0.0 {
            self.largest = self.largest.max(weight);
        }
    }
}

fn ones(words: impl Iterator<Item = u64>) -> f64 {
    f64::from(words.map(u64::count_ones).sum::<u32>())
}

/// Returns the distinct values of a target, the sums of the weights for each value and, if draws are retained, the index of the value in each world.
fn sums(
    column: &TargetColumn<'_>,
    element: &AnyElement,
    form: &WeightForm,
    keep: bool,
) -> (Box<dyn AnyColumn>, BlockTargetTally) {
    let Some(bits) = column.bits() else {
        let (values, sums) = match form {
            WeightForm::Classes(classes) => sums_of_classes(column, classes),
            WeightForm::Rows(weights) => sums_of_rows(column, weights),
        };
        let draws = keep.then(|| column.coded().1);
        return (values, BlockTargetTally { sums, draws });
    };
    let mut values = element.no_column();
    let mut sums = Vec::new();
    let first = column.first_row().unwrap_or(0);
    let first = bits[first / 64] >> (first % 64) & 1 == 1;
    for truth in [first, !first] {
        let invert = if truth { 0 } else { u64::MAX };
        let same = |(mask, bits): (&u64, &u64)| mask & (bits ^ invert);
        let mut sum = (0.0, 0.0);
        let mut found = 0.0;
        match form {
            WeightForm::Classes(classes) => {
                for (mask, weight) in classes {
                    let rows = ones(mask.iter().zip(bits).map(same));
                    sum.0 += weight * rows;
                    sum.1 += weight * weight * rows;
                    found += rows;
                }
            }
            WeightForm::Rows(weights) => {
                let words = column.mask().iter().zip(bits).map(same);
                for (word, start) in words.zip((0..).step_by(64)) {
                    let mut word = word;
                    while word != 0 {
                        let weight = weights[start + word.trailing_zeros() as usize];
                        sum.0 += weight;
                        sum.1 += weight * weight;
                        found += 1.0;
                        word &= word - 1;
                    }
                }
            }
        }
        if found > 0.0 {
            values.push(&truth);
            sums.push(sum);
        }
    }
    let draws = keep.then(|| column.coded().1);
    (values, BlockTargetTally { sums, draws })
}

/// The sums of the weights and of the squared weights of some worlds.
type WeightSums = (f64, f64);

/// Returns the distinct values of a target and the sums of the weights for each value. Each weight is given for a set of worlds, and the sets are
/// disjoint.
fn sums_of_classes(
    column: &TargetColumn<'_>,
    classes: &[(Vec<u64>, f64)],
) -> (Box<dyn AnyColumn>, Vec<WeightSums>) {
    let sets: Vec<&[u64]> = classes.iter().map(|(mask, _)| &mask[..]).collect();
    let (values, counts) = column.counts(&sets);
    let sum = |counts: &[u32]| {
        let weighted = counts.iter().zip(classes);
        weighted.fold((0.0, 0.0), |sum, (&count, (_, weight))| {
            let rows = f64::from(count);
            (sum.0 + weight * rows, sum.1 + weight * weight * rows)
        })
    };
    let sums = counts.chunks(sets.len().max(1)).map(sum);
    (values, sums.collect())
}

/// Returns the distinct values of a target and the sums of the weights for each value. The list `weights` has the weight of each world.
fn sums_of_rows(
    column: &TargetColumn<'_>,
    weights: &[f64],
) -> (Box<dyn AnyColumn>, Vec<WeightSums>) {
    let (values, positions) = column.coded();
    let mut sums = vec![(0.0, 0.0); values.len()];
    for (&position, &row) in positions.iter().zip(column.rows()) {
        let weight = weights[row as usize];
        let sum: &mut WeightSums = &mut sums[position as usize];
        sum.0 += weight;
        sum.1 += weight * weight;
    }
    (values, sums)
}

/// Serialises a list of numbers in descending order, each distinct number with its count, because weights of discrete worlds have few distinct
/// values.
mod repeated_numbers {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::MAX_TAIL_SIZE;

    pub(super) fn serialize<S: Serializer>(numbers: &[f64], to: S) -> Result<S::Ok, S::Error> {
        let mut sorted = numbers.to_vec();
        sorted.sort_by(|a, b| b.total_cmp(a));
        let equal = sorted.chunk_by(|a, b| a.to_bits() == b.to_bits());
        let repeated: Vec<(f64, u32)> = equal.map(|run| (run[0], run.len() as u32)).collect();
        repeated.serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<f64>, D::Error> {
        let repeated = Vec::<(f64, u32)>::deserialize(from)?;
        let count: usize = repeated.iter().map(|&(_, times)| times as usize).sum();
        if count > MAX_TAIL_SIZE {
            return Err(serde::de::Error::custom(
                "it has more of the largest weights than the tail of a run",
            ));
        }
        let repeat = |(number, times): (f64, u32)| std::iter::repeat_n(number, times as usize);
        Ok(repeated.into_iter().flat_map(repeat).collect())
    }
}

/// Returns the largest positive weights of the worlds in `form`, at most `most` of them.
pub(crate) fn largest(form: &WeightForm, most: usize) -> Vec<f64> {
    let mut weights: Vec<f64> = match form {
        WeightForm::Rows(rows) => rows.iter().copied().filter(|w| *w > 0.0).collect(),
        WeightForm::Classes(classes) => {
            let mut heaviest: Vec<_> = classes.iter().filter(|class| class.1 > 0.0).collect();
            heaviest.sort_by(|a, b| b.1.total_cmp(&a.1));
            let mut weights = Vec::with_capacity(most);
            for (mask, weight) in heaviest {
                let rows: usize = mask.iter().map(|word| word.count_ones() as usize).sum();
                let more = rows.min(most - weights.len());
                weights.extend(std::iter::repeat_n(*weight, more));
            }
            weights
        }
    };
    keep_largest(&mut weights, most);
    weights
}

/// The sums of weights over consecutive blocks of worlds, if draws are not retained.
#[derive(Debug)]
pub(super) struct JoinedBlocks<'a> {
    targets: &'a [AnyElement],
    /// Number of weights of worlds that are retained; the largest weights are retained.
    heaviest: usize,
    sums: Option<BlockTally>,
    /// The distinct values of each target (queried variable); empty before the second block of worlds is added.
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

/// Adds to `sums` the sums of a block of worlds whose likelihoods have the same number of density factors. New values of a target are appended to the
/// list of the target's earlier values.
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

    use super::*;

    /// Returns the sums of a block of worlds with the pairs of a value and a weight `rows`; the unit of the weights is `exp(log_scale)`.
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
