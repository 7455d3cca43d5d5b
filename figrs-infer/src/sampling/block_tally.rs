//! Sums of the weights of the worlds in a block, separately for each value of each target, and the largest weights of a run.

use figrs_core::{AnyColumn, AnyElement};
use figrs_lower::internals::{Block, ColumnValues, TargetColumn, WeightForm};
use serde::{Deserialize, Serialize};

use figrs_answer::quality::diagnostics::{pareto_k_of_largest, tail_length};
use figrs_answer::run::portable_part::PortableUnit;

/// Sums of weights and of squared weights over one or several blocks of worlds. The weights are stored in units of `exp(log_scale)`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BlockTally {
    pub(crate) log_scale: f64,
    pub(crate) total: f64,
    pub(crate) squares: f64,
    pub(crate) largest: f64,
    /// The largest weights of the block. All weights of the block that may belong to the tail of the run's weights are included.
    #[serde(with = "repeated_numbers")]
    pub(crate) heaviest: Vec<f64>,
    /// Number of worlds, including worlds of weight zero.
    pub(crate) rows: u64,
    /// Number of worlds that do not contradict the evidence. In sums over several blocks, only blocks whose likelihoods have the fewest density
    /// factors count.
    pub(crate) met: u64,
    /// Number of density factors in the likelihood of a world.
    pub(crate) densities: usize,
    /// For each target, its distinct values in the order of first occurrence.
    #[serde(skip)]
    pub(crate) values: Vec<Box<dyn AnyColumn>>,
    pub(crate) targets: Vec<BlockTargetTally>,
    /// The natural logarithms of the weights of the worlds that satisfy the evidence, if draws are retained.
    pub(crate) log_weights: Option<Vec<f64>>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct BlockTargetTally {
    /// For each distinct value, the sum of the weights and the sum of the squared weights.
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
    /// Computes the sums of a block of worlds in which all targets and evidence have been evaluated.
    ///
    /// The result includes the `heaviest` largest weights and, if `keep` is set, the draws.
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

/// Returns the distinct values of a column, the sums of the weights for each value and, if draws are retained, the index of the value in each world.
fn sums(
    column: &TargetColumn<'_>,
    element: &AnyElement,
    form: &WeightForm,
    keep: bool,
) -> (Box<dyn AnyColumn>, BlockTargetTally) {
    let mut values = element.no_column();
    let mut sums = Vec::new();
    let draws;
    match column.values() {
        ColumnValues::Bits(bits) => {
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
            let other =
                |&row: &u32| u32::from((bits[row as usize / 64] >> (row % 64) & 1 == 1) != first);
            draws = keep.then(|| column.rows().iter().map(other).collect());
        }
        ColumnValues::Codes(codes) => {
            const UNKNOWN: u32 = u32::MAX;
            let weights = by_row(column, form);
            let mut positions = vec![UNKNOWN; column.codes()];
            for (&code, weight) in codes.iter().zip(weights) {
                let position = &mut positions[code as usize];
                if *position == UNKNOWN {
                    *position = sums.len() as u32;
                    sums.push((0.0, 0.0));
                    if let Some(value) = column.value(code) {
                        values.push(value);
                    }
                }
                let sum: &mut (f64, f64) = &mut sums[*position as usize];
                sum.0 += weight;
                sum.1 += weight * weight;
            }
            let position = |&code: &u32| positions[code as usize];
            draws = keep.then(|| codes.iter().map(position).collect());
        }
        ColumnValues::Typed(typed) => {
            // The values are numbered by first occurrence, as for the values that are stored as codes, because the sums must not depend on the
            // storage format.
            let mut met = element.no_values();
            let positions = met.encode(typed).unwrap_or_default();
            for (at, (position, weight)) in positions.iter().zip(by_row(column, form)).enumerate() {
                if *position as usize == sums.len() {
                    values.push(typed.any(at));
                    sums.push((0.0, 0.0));
                }
                let sum: &mut (f64, f64) = &mut sums[*position as usize];
                sum.0 += weight;
                sum.1 += weight * weight;
            }
            draws = keep.then_some(positions);
        }
    }
    (values, BlockTargetTally { sums, draws })
}

fn by_row(column: &TargetColumn<'_>, form: &WeightForm) -> Vec<f64> {
    let rows = column.rows();
    match form {
        WeightForm::Rows(weights) => rows.iter().map(|&row| weights[row as usize]).collect(),
        WeightForm::Classes(classes) => {
            let weight = |&row: &u32| {
                let (word, bit) = (row as usize / 64, row % 64);
                let class = classes.iter().find(|(mask, _)| mask[word] >> bit & 1 == 1);
                class.map_or(0.0, |(_, weight)| *weight)
            };
            rows.iter().map(weight).collect()
        }
    }
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

/// Maximum number of weights that are retained: the size of the tail of a hundred million samples.
pub(super) const MAX_TAIL_SIZE: usize = 30_001;

/// The logarithms of the largest weights of a run. The list has one weight more than the tail of the distribution of the weights.
#[derive(Clone, Debug, Default)]
pub(crate) struct WeightTail {
    logs: Vec<f64>,
    /// Number of positive weights of the run.
    count: u64,
}

impl WeightTail {
    /// Returns the number of its largest weights that the unit of work `unit` must report, if each unit has `rows` worlds. The number does not depend
    /// on the number of samples, so that a run can be lengthened.
    ///
    /// The number of a unit's weights that belong to the tail of the run is Poisson distributed. The mean of this number is largest if the unit is
    /// the last unit of the run; this number then exceeds the result with a probability of 1e-9.
    pub(crate) fn most_of_unit(rows: u64, unit: u64) -> usize {
        const DEVIATIONS: f64 = 6.0;
        const LEAST: f64 = 16.0;
        let units = unit.saturating_add(1);
        let samples = rows.saturating_mul(units).max(1);
        let tail = MAX_TAIL_SIZE.min(tail_length(samples as usize) + 1);
        let mean = tail as f64 / units as f64;
        let most = (mean + DEVIATIONS * mean.sqrt() + LEAST).ceil();
        MAX_TAIL_SIZE.min(most as usize)
    }

    pub(crate) fn clear(&mut self) {
        self.logs.clear();
        self.count = 0;
    }

    /// Adds the largest weights of a block, in units of `exp(log_scale)`. `count` is the number of positive weights of the block.
    pub(crate) fn add(&mut self, largest: &[f64], log_scale: f64, count: u64) {
        self.count += count;
        // Weights of discrete worlds are often equal to the preceding weight, whose logarithm is then reused.
        let mut last = (1.0, 0.0);
        let logs = largest.iter().map(|&weight| {
            if weight != last.0 {
                last = (weight, weight.ln());
            }
            last.1 + log_scale
        });
        self.logs.extend(logs);
        if self.logs.len() > 4 * MAX_TAIL_SIZE {
            keep_largest(&mut self.logs, MAX_TAIL_SIZE);
        }
    }

    pub(crate) fn pareto_k(mut self) -> f64 {
        let most = MAX_TAIL_SIZE.min(tail_length(self.count as usize) + 1);
        keep_largest(&mut self.logs, most);
        pareto_k_of_largest(&self.logs)
    }
}

/// Returns the `most` largest positive weights of the worlds in `form`.
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

pub(super) fn keep_largest(numbers: &mut Vec<f64>, most: usize) {
    if numbers.len() > most {
        numbers.select_nth_unstable_by(most, |a, b| b.total_cmp(a));
        numbers.truncate(most);
    }
}

#[cfg(test)]
mod tests {
    use figrs_core::stream;
    use rand::RngExt;

    use super::*;
    use figrs_answer::quality::diagnostics::pareto_k;

    #[test]
    fn the_largest_weights_tell_the_tail_of_all() {
        for (power, seed) in [(0.3, 1), (0.8, 2), (1.2, 3)] {
            let mut random = stream(seed, 0);
            let weights: Vec<f64> = (0..20_000)
                .map(|_| random.random::<f64>().powf(-power))
                .collect();
            let logs: Vec<f64> = weights.iter().map(|w| w.ln()).collect();
            let mut heaviest = WeightTail::default();
            for (unit, block) in weights.chunks(1000).enumerate() {
                let form = WeightForm::Rows(block.iter().map(|w| w * 8.0).collect());
                let most = WeightTail::most_of_unit(1000, unit as u64);
                let largest = largest(&form, most);
                heaviest.add(&largest, -(8.0_f64.ln()), 1000);
            }
            let (k, all) = (heaviest.pareto_k(), pareto_k(&logs));
            assert!((k - all).abs() < 1e-9, "{k} {all}");
            assert!((k - power).abs() < 0.15, "{k}");
        }
        let most = [0, 1, 15, 1 << 14].map(|unit| WeightTail::most_of_unit(1 << 14, unit));
        assert_eq!(most, [519, 388, 171, 26]);
        assert_eq!(WeightTail::most_of_unit(60, 0), 51);
        // Equal weights have no tail, and k-hat is minus infinity.
        let mut equal = WeightTail::default();
        equal.add(&[0.25; 100], 0.0, 100);
        assert_eq!(equal.pareto_k(), f64::NEG_INFINITY);
    }
}
