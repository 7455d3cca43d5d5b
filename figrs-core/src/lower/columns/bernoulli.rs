//! Truth values, 64 at a time.

use rand::Rng;

use super::selection::for_each_row;

/// A probability as a threshold: the share of the 2^64 words that are below it; `None` for certainty.
pub(crate) fn threshold(p: f64) -> Option<u64> {
    const WHOLE: f64 = 18_446_744_073_709_551_616.0;
    if p >= 1.0 {
        return None;
    }
    Some((p * WHOLE) as u64)
}

/// Draws truth values for the lanes in `lanes`: bit by bit, from the highest, each lane's random number is compared with its
/// threshold, and only as many bits are drawn as it takes until the last lane is decided or no threshold has a bit left.
/// `bits(k)` has in each lane bit `k` of its threshold; `lowest` is the lowest bit that any of them has.
///
/// A comparison is decided with probability one half at each bit, so that 64 lanes take about eight words.
#[inline]
fn compare<R: Rng + ?Sized>(
    rng: &mut R,
    lanes: u64,
    lowest: u32,
    bits: impl Fn(u32) -> u64,
) -> u64 {
    let (mut undecided, mut below) = (lanes, 0);
    let mut k = 64;
    while undecided != 0 && k > lowest {
        k -= 1;
        let (random, bit) = (rng.next_u64(), bits(k));
        below |= undecided & bit & !random;
        undecided &= !(bit ^ random);
    }
    below
}

/// Truth values of one probability for the rows of a mask.
pub(crate) fn draw_alike<R: Rng + ?Sized>(rng: &mut R, mask: &[u64], p: f64) -> Vec<u64> {
    let Some(t) = threshold(p) else {
        return mask.to_vec();
    };
    let bits = |k: u32| 0u64.wrapping_sub(t >> k & 1);
    let lowest = t.trailing_zeros();
    let words = mask.iter();
    words
        .map(|&lanes| compare(rng, lanes, lowest, bits))
        .collect()
}

/// Truth values for disjoint masks, each of its own probability.
pub(crate) fn draw_groups<R: Rng + ?Sized>(
    rng: &mut R,
    groups: &[(&[u64], f64)],
    words: usize,
) -> Vec<u64> {
    let thresholds: Vec<(&[u64], Option<u64>)> = groups
        .iter()
        .map(|(mask, p)| (*mask, threshold(*p)))
        .collect();
    let mut drawn = Vec::with_capacity(words);
    let mut here: Vec<(u64, u64)> = Vec::with_capacity(groups.len());
    for word in 0..words {
        let (mut certain, mut open, mut lowest) = (0, 0, 64);
        here.clear();
        for (mask, threshold) in &thresholds {
            let lanes = mask[word];
            match threshold {
                _ if lanes == 0 => {}
                None => certain |= lanes,
                Some(t) => {
                    open |= lanes;
                    lowest = lowest.min(t.trailing_zeros());
                    here.push((lanes, *t));
                }
            }
        }
        let below = if let [(lanes, t)] = here[..] {
            compare(rng, lanes, lowest, |k| 0u64.wrapping_sub(t >> k & 1))
        } else {
            compare(rng, open, lowest, |k| {
                let lanes = here.iter();
                lanes.fold(0, |all, (lanes, t)| {
                    all | lanes & 0u64.wrapping_sub(t >> k & 1)
                })
            })
        };
        drawn.push(certain | below);
    }
    drawn
}

/// Truth values for the rows of a mask, each row of its own probability; the same as
/// [`draw_groups`] gives for the masks of equal probabilities.
pub(crate) fn draw_each<R: Rng + ?Sized>(
    rng: &mut R,
    mask: &[u64],
    mut probability: impl FnMut(usize) -> f64,
) -> Vec<u64> {
    let mut drawn = Vec::with_capacity(mask.len());
    for (word, &lanes) in mask.iter().enumerate() {
        let (mut certain, mut open, mut lowest) = (0, 0, 64);
        let mut thresholds = [0u64; 64];
        for_each_row(&[lanes], |lane| {
            match threshold(probability(word * 64 + lane)) {
                None => certain |= 1u64 << lane,
                Some(t) => {
                    open |= 1u64 << lane;
                    lowest = lowest.min(t.trailing_zeros());
                    thresholds[lane] = t;
                }
            }
        });
        let bits = |k: u32| {
            let lanes = thresholds.iter().enumerate();
            lanes.fold(0, |all, (lane, t)| all | (t >> k & 1) << lane)
        };
        drawn.push(certain | compare(rng, open, lowest, bits));
    }
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::stream;

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
        let alike = draw_alike(&mut stream(1, 2), &a, 0.25);
        assert_eq!(alike, draw_groups(&mut stream(1, 2), &[(&a, 0.25)], 2));
    }

    /// Every outcome of the words that decide: three bits of a threshold of three eighths.
    #[test]
    fn the_probability_is_exact() {
        struct Bits(u32, u32);
        impl rand::TryRng for Bits {
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
        let truths = (0..8).map(|path| draw_alike(&mut Bits(path, 0), &[1], 0.375)[0]);
        assert_eq!(truths.sum::<u64>(), 3);
    }
}
