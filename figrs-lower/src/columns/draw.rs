//! Atomic elements (random variables without parents) in a block of worlds: their outcomes, likelihoods and random values. Truth values are drawn for
//! 64 worlds at a time.

use std::any::Any;
use std::rc::Rc;

use rand::Rng;

use super::column::{Column, DictionaryId};
use super::groups::RowGroups;
use super::selection::{Selection, for_each_row};
use figrs_core::element::alias::Alias;
use figrs_core::element::node::AnyElement;
use figrs_core::element::operations::{AtomicOp, FiniteOutcomes, NotEnumerable};
use figrs_core::error::ModelError;
use figrs_core::random::Stream;
use figrs_core::value::datum::Datum;

/// Returns the probability of `true` in `outcomes`, whose values are truth values.
pub(super) fn probability_of_true(outcomes: &FiniteOutcomes) -> f64 {
    let truth = outcomes.support.index_of(&true);
    truth.map_or(0.0, |at| outcomes.probabilities[at])
}

/// Returns the outcomes of an atomic element, after checking the parameters of its distribution.
pub(super) fn checked_outcomes(
    element: &AnyElement,
    op: &dyn AtomicOp,
) -> Result<Result<FiniteOutcomes, NotEnumerable>, ModelError> {
    op.check().map_err(|problem| element.invalid(problem))?;
    op.outcomes().map_err(|fault| element.fault(fault))
}

pub(super) fn likelihood(
    element: &AnyElement,
    op: &dyn AtomicOp,
    value: &dyn Any,
) -> Result<(f64, f64), ModelError> {
    let log = op.log_prob(value).map_err(|fault| element.fault(fault))?;
    Ok((log.exp(), log))
}

/// True if the likelihood of `value` for an atomic element is a density.
pub(super) fn is_density(element: &AnyElement, value: &Datum) -> Result<bool, ModelError> {
    Ok(!value.is_countable() && element.is_continuous()?)
}

#[derive(Debug)]
pub(super) enum AtomicSampler {
    /// The sampler draws truth values; the contained number is the probability of `true`.
    Flip(f64),
    /// The sampler draws one of finitely many values, as codes of the contained dictionary.
    Finite(CodeSampler, DictionaryId),
    /// The sampler draws by the function of the element, because the values cannot be listed.
    ByFunction { continuous: bool },
}

#[derive(Debug)]
pub(super) enum CodeSampler {
    Certain(u32),
    Alias(Alias),
}

impl AtomicSampler {
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Finite(drawn, _) => drawn.bytes(),
            Self::Flip(_) | Self::ByFunction { .. } => 0,
        }
    }

    pub(super) fn column(
        &self,
        (element, op): (&AnyElement, &dyn AtomicOp),
        rows: &Selection,
        rng: &mut Stream,
    ) -> Result<Column, ModelError> {
        Ok(match self {
            AtomicSampler::Flip(p) => Column::Bits(Rc::new(draw_groups(
                rng,
                &[(rows.mask(), *p)],
                rows.mask().len(),
            ))),
            AtomicSampler::Finite(drawn, dictionary) => {
                let list = Vec::with_capacity(rows.len());
                drawn.column(rows, *dictionary, list, rng)
            }
            AtomicSampler::ByFunction { .. } => {
                let values = op.sample_many(rows.len(), rng);
                let values = values.map_err(|fault| element.fault(fault))?;
                Column::packed(values, rows)
            }
        })
    }
}

impl PooledSampler {
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Flip(_) => 0,
            Self::Codes(drawn) => drawn.bytes(),
        }
    }
}

impl CodeSampler {
    fn bytes(&self) -> usize {
        match self {
            Self::Certain(_) => 0,
            Self::Alias(alias) => alias.bytes(),
        }
    }

    pub(super) fn new(probabilities: &[f64], codes: &[u32]) -> Self {
        match codes {
            [code] => Self::Certain(*code),
            _ => Self::Alias(Alias::new(probabilities, codes)),
        }
    }

    /// Draws a value of an atomic element for each of the worlds `rows`. If the distribution has several values, the codes of the drawn values are
    /// appended to the empty list `list`.
    fn column(
        &self,
        rows: &Selection,
        dictionary: DictionaryId,
        mut list: Vec<u32>,
        rng: &mut Stream,
    ) -> Column {
        match self {
            Self::Certain(code) => Column::constant(rows, *code, dictionary),
            Self::Alias(alias) => {
                list.extend((0..rows.len()).map(|_| alias.draw(rng)));
                Column::Codes(Rc::new(list), dictionary)
            }
        }
    }
}

/// A sampler for the distribution of an element in one group of worlds (worlds with the same parent values).
#[derive(Debug)]
pub(super) enum PooledSampler {
    Flip(f64),
    Codes(CodeSampler),
}

/// Draws a value for each world from the distribution of the group to which the world belongs. Truth values are drawn for 64 worlds at a time; other
/// values are drawn world by world, as dictionary codes that are appended to the empty list in `codes`.
pub(super) fn draw_ready(
    rows: &Selection,
    groups: &RowGroups,
    ready: &[&PooledSampler],
    codes: Option<(DictionaryId, Vec<u32>)>,
    rng: &mut Stream,
) -> Column {
    let Some((dictionary, mut list)) = codes else {
        let p = |group: usize| match ready[group] {
            PooledSampler::Flip(p) => *p,
            PooledSampler::Codes(_) => 0.0,
        };
        let bits = match groups {
            RowGroups::Sets(sets) => {
                let groups = sets
                    .iter()
                    .enumerate()
                    .map(|(group, set)| (set.mask(), p(group)));
                draw_groups(rng, &groups.collect::<Vec<_>>(), rows.mask().len())
            }
            RowGroups::Rows(numbers) => {
                let mut next = numbers.iter();
                draw_each(rng, rows.mask(), |_| {
                    next.next().map_or(0.0, |&group| p(group as usize))
                })
            }
        };
        return Column::Bits(Rc::new(bits));
    };
    if let [PooledSampler::Codes(only)] = ready {
        return only.column(rows, dictionary, list, rng);
    }
    let numbers = groups.numbers(rows);
    list.extend(numbers.iter().map(|&group| match ready[group as usize] {
        PooledSampler::Codes(CodeSampler::Certain(code)) => *code,
        PooledSampler::Codes(CodeSampler::Alias(alias)) => alias.draw(rng),
        PooledSampler::Flip(_) => 0,
    }));
    Column::Codes(Rc::new(list), dictionary)
}

/// Returns the threshold of a truth value with the probability `p`: a uniformly random 64-bit word lies below the threshold with the probability `p`.
/// Returns `None` as the threshold if `p` is one.
pub(crate) fn threshold(p: f64) -> Option<u64> {
    const TWO_POW_64: f64 = 18_446_744_073_709_551_616.0;
    if p >= 1.0 {
        return None;
    }
    Some((p * TWO_POW_64) as u64)
}

/// Minimum number of 64-bit words of truth values at which several random number generators run in parallel.
const VECTOR_WORDS: usize = 16;
const LANES: usize = 4;

/// Number of random words that each generator computes at once.
const BUFFERED: usize = 16;

/// Several independent random number generators of the type xoshiro256++ (Blackman and Vigna 2021). Each random number generator computes several
/// words at once, because the processor has enough registers for the state of one generator, but not for all states.
struct VectorGenerators {
    states: [[u64; 4]; LANES],
    words: [[u64; LANES]; BUFFERED],
    /// The number of entries of the buffer `words` that have been returned.
    used: usize,
}

impl VectorGenerators {
    fn new<R: Rng + ?Sized>(rng: &mut R) -> Self {
        let mut states = [[0; 4]; LANES];
        for word in 0..4 {
            for state in &mut states {
                state[word] = rng.next_u64();
            }
        }
        Self {
            states,
            words: [[0; LANES]; BUFFERED],
            used: BUFFERED,
        }
    }

    #[inline]
    fn next(&mut self) -> [u64; LANES] {
        if self.used == BUFFERED {
            self.refill();
        }
        let next = self.words[self.used];
        self.used += 1;
        next
    }

    fn refill(&mut self) {
        for (lane, state) in self.states.iter_mut().enumerate() {
            let [mut a, mut b, mut c, mut d] = *state;
            for words in &mut self.words {
                words[lane] = a.wrapping_add(d).rotate_left(23).wrapping_add(a);
                let shifted = b << 17;
                c ^= a;
                d ^= b;
                b ^= c;
                a ^= d;
                c ^= shifted;
                d = d.rotate_left(45);
            }
            *state = [a, b, c, d];
        }
        self.used = 0;
    }
}

/// Draws `64 * N` truth values, each of which is a bit of `N` words. For each truth value, a random number is compared with the threshold of the
/// truth value, bit by bit from the highest bit, until all comparisons are decided. The mask `rows` marks the truth values to draw; `bits(k)` has bit
/// `k` of the threshold of each truth value; `lowest` is the position of the lowest bit that is set in any threshold.
///
/// Each random bit decides a comparison of a random number with its threshold with probability one half. Because each random bit decides half of the
/// comparisons on average, about eight random words suffice to draw 64 truth values.
#[inline]
fn compare<const N: usize>(
    mut random: impl FnMut() -> [u64; N],
    rows: [u64; N],
    lowest: u32,
    bits: impl Fn(u32) -> [u64; N],
) -> [u64; N] {
    let (mut undecided, mut below) = (rows, [0; N]);
    let mut k = 64;
    while undecided.iter().any(|&word| word != 0) && k > lowest {
        k -= 1;
        let (random, bit) = (random(), bits(k));
        for i in 0..N {
            below[i] |= undecided[i] & bit[i] & !random[i];
            undecided[i] &= !(bit[i] ^ random[i]);
        }
    }
    below
}

/// A mask of the worlds for which a truth value must be drawn with the same probability; the probability is given as a threshold for random words.
type UndecidedRows<const N: usize> = ([u64; N], u64);

/// Draws the truth values in `N` words, for groups of worlds. All truth values of a group of worlds have the same threshold.
#[inline]
fn compare_groups<const N: usize>(
    random: impl FnMut() -> [u64; N],
    groups: &[UndecidedRows<N>],
) -> [u64; N] {
    let mut rows = [0; N];
    let mut lowest = 64;
    for (part, t) in groups {
        lowest = lowest.min(t.trailing_zeros());
        rows.iter_mut()
            .zip(part)
            .for_each(|(all, part)| *all |= part);
    }
    if let [(rows, t)] = groups {
        return compare(random, *rows, lowest, |k| {
            [0u64.wrapping_sub(t >> k & 1); N]
        });
    }
    compare(random, rows, lowest, |k| {
        let mut bits = [0; N];
        for (part, t) in groups {
            let bit = 0u64.wrapping_sub(t >> k & 1);
            bits.iter_mut()
                .zip(part)
                .for_each(|(all, part)| *all |= part & bit);
        }
        bits
    })
}

/// Draws a truth value for each world; the truth values are the bits of `words` words. The function `certain(word)` marks the worlds of a word in
/// which the value is true with probability one. The functions `one` and `several` list the other worlds, in groups with the same threshold: `one`
/// for one word, `several` for `LANES` successive words.
fn draw<R: Rng + ?Sized>(
    rng: &mut R,
    words: usize,
    certain: impl Fn(usize) -> u64,
    one: impl Fn(usize, &mut Vec<UndecidedRows<1>>),
    several: impl Fn(usize, &mut Vec<UndecidedRows<LANES>>),
) -> Vec<u64> {
    let mut drawn: Vec<u64> = (0..words).map(&certain).collect();
    let mut next = 0;
    if words >= VECTOR_WORDS {
        let mut lanes = VectorGenerators::new(rng);
        let mut groups = Vec::new();
        while next + LANES <= words {
            groups.clear();
            several(next, &mut groups);
            let below = compare_groups(|| lanes.next(), &groups);
            drawn[next..]
                .iter_mut()
                .zip(below)
                .for_each(|(word, below)| *word |= below);
            next += LANES;
        }
    }
    let mut groups = Vec::new();
    for (word, drawn) in drawn.iter_mut().enumerate().skip(next) {
        groups.clear();
        one(word, &mut groups);
        *drawn |= compare_groups(|| [rng.next_u64()], &groups)[0];
    }
    drawn
}

/// Adds to the list `into` those groups of worlds that have bits in the `N` words after the first `from` words.
fn open<const N: usize>(
    groups: &[(&[u64], Option<u64>)],
    from: usize,
    into: &mut Vec<UndecidedRows<N>>,
) {
    for (mask, threshold) in groups {
        let Some(threshold) = threshold else { continue };
        let mut rows = [0; N];
        rows.copy_from_slice(&mask[from..from + N]);
        if rows.iter().any(|&word| word != 0) {
            into.push((rows, *threshold));
        }
    }
}

/// Draws random truth values for groups of worlds; all worlds of a group have the same probability of `true`. Each group is a bit mask of worlds with
/// the probability of `true` in these worlds; the masks are disjoint.
pub(crate) fn draw_groups<R: Rng + ?Sized>(
    rng: &mut R,
    groups: &[(&[u64], f64)],
    words: usize,
) -> Vec<u64> {
    let groups = groups.iter().map(|(mask, p)| (*mask, threshold(*p)));
    let groups: Vec<(&[u64], Option<u64>)> = groups.collect();
    let certain = |word: usize| {
        let certain = groups.iter().filter(|(_, threshold)| threshold.is_none());
        certain.fold(0, |all, (mask, _)| all | mask[word])
    };
    draw(
        rng,
        words,
        certain,
        |word, into| open(&groups, word, into),
        |word, into| open(&groups, word, into),
    )
}

/// Draws a truth value for each world of the bit mask `mask`; each world has its own probability of `true`. If the probabilities are the same,
/// `draw_each` draws the same truth values as [`draw_groups`].
pub(crate) fn draw_each<R: Rng + ?Sized>(
    rng: &mut R,
    mask: &[u64],
    mut probability: impl FnMut(usize) -> f64,
) -> Vec<u64> {
    let mut sure = vec![0; mask.len()];
    let mut thresholds = Vec::new();
    for_each_row(mask, |row| match threshold(probability(row)) {
        None => sure[row / 64] |= 1u64 << (row % 64),
        Some(t) => thresholds.push((row, t)),
    });
    let rows_of = |word: usize, words: usize| {
        let from = thresholds.partition_point(|(row, _)| *row < word * 64);
        let to = thresholds.partition_point(|(row, _)| *row < (word + words) * 64);
        &thresholds[from..to]
    };
    draw(
        rng,
        mask.len(),
        |word| sure[word],
        |word, into| each(rows_of(word, 1), word, into),
        |word, into| each(rows_of(word, LANES), word, into),
    )
}

/// Adds each world of the list `rows` to the list `into` as a group of one world. An item of `rows` is the index of a world and a threshold (a
/// probability): the random truth value of the world is `true` with this probability.
fn each<const N: usize>(rows: &[(usize, u64)], from: usize, into: &mut Vec<UndecidedRows<N>>) {
    for &(row, threshold) in rows {
        let mut part = [0; N];
        part[row / 64 - from] = 1 << (row % 64);
        into.push((part, threshold));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use figrs_core::random::stream;

    #[test]
    fn groups_and_rows_draw_the_same() {
        let (a, b) = ([0x0f0f_0f0f_u64, 0xffff], [0xf0f0_f0f0_u64, 0]);
        let both: Vec<u64> = a.iter().zip(&b).map(|(a, b)| a | b).collect();
        let p = |row: usize| {
            if a[row / 64] >> (row % 64) & 1 == 1 {
                0.25
            } else {
                1.0
            }
        };
        let groups = draw_groups(&mut stream(1, 2), &[(&a, 0.25), (&b, 1.0)], 2);
        assert_eq!(groups, draw_each(&mut stream(1, 2), &both, p));
        assert_eq!(groups[0] & b[0], b[0]);
    }

    #[test]
    fn many_words_draw_with_the_right_frequency() {
        let (a, b) = (
            vec![0x5555_5555_5555_5555u64; 5000],
            vec![!0x5555_5555_5555_5555u64; 5000],
        );
        let drawn = draw_groups(&mut stream(5, 0), &[(&a, 0.3), (&b, 0.9)], 5000);
        for (mask, p) in [(&a, 0.3), (&b, 0.9)] {
            let ones: u32 = drawn
                .iter()
                .zip(mask)
                .map(|(word, mask)| (word & mask).count_ones())
                .sum();
            // A correct sampler deviates by more than six standard errors about once in 5e8 tests.
            let error = 6.0 * f64::sqrt(160_000.0 * p * (1.0 - p));
            assert!((f64::from(ones) - 160_000.0 * p).abs() < error, "{ones}");
        }
        let p = |row: usize| if row.is_multiple_of(2) { 0.3 } else { 0.9 };
        assert_eq!(
            drawn,
            draw_each(&mut stream(5, 0), &vec![u64::MAX; 5000], p)
        );
    }

    /// Checks all outcomes of the three random bits that are compared with the threshold three eighths to draw a truth value.
    #[test]
    fn the_probability_is_exact() {
        struct ScriptedBits(u32, u32);
        impl rand::TryRng for ScriptedBits {
            type Error = std::convert::Infallible;
            fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
                Ok(0)
            }
            fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
                self.1 += 1;
                Ok(u64::from(self.0 >> (3 - self.1) & 1))
            }
            fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), Self::Error> {
                Ok(())
            }
        }
        let truths =
            (0..8).map(|path| draw_groups(&mut ScriptedBits(path, 0), &[(&[1], 0.375)], 1)[0]);
        assert_eq!(truths.sum::<u64>(), 3);
    }
}
