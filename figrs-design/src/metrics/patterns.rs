//! Divergence between the tile patterns of two sets of levels.

use rustc_hash::{FxHashMap, FxHashSet};

use figrs_models::mdmc::{Level, Tile};

/// Histogram of the square tile patterns of some levels.
///
/// ```
/// use figrs_models::mdmc::Corpus;
/// use figrs_design::TilePatterns;
///
/// let corpus = Corpus::shipped();
/// let patterns = TilePatterns::of(corpus.levels(), 2);
/// let first = TilePatterns::of(&corpus.levels()[..1], 2);
/// assert_eq!(patterns.divergence(&patterns), 0.0);
/// assert!(first.divergence(&patterns) < patterns.divergence(&first));
/// ```
#[derive(Clone, Debug)]
pub struct TilePatterns {
    size: usize,
    counts: FxHashMap<Box<[Tile]>, u64>,
    total: u64,
}

impl TilePatterns {
    /// Number added to each count of a tile pattern (additive smoothing). With additive smoothing, the divergence stays finite if a pattern occurs in
    /// only one of the two sets of levels.
    pub const EPSILON: f64 = 1e-5;

    /// Counts the patterns of `size` by `size` tiles at every position in the given levels.
    pub fn of<'a>(levels: impl IntoIterator<Item = &'a Level>, size: usize) -> Self {
        let mut counts: FxHashMap<Box<[Tile]>, u64> = FxHashMap::default();
        let mut total = 0;
        let levels = levels.into_iter().filter(|_| size > 0);
        for level in levels {
            for window in level.as_array().windows((size, size)) {
                let pattern: Vec<Tile> = window.iter().copied().collect();
                *counts.entry(pattern.into_boxed_slice()).or_default() += 1;
                total += 1;
            }
        }
        Self {
            size,
            counts,
            total,
        }
    }

    /// Returns the side length of the square patterns, in tiles.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Returns the Kullback-Leibler divergence of the levels of this histogram from those of `other`, in nats: the sum over patterns x of P(x) ln
    /// (P(x) / Q(x)), where P is the distribution of patterns in this histogram, and Q the distribution in `other`.
    ///
    /// The probability of a pattern is P(x) = (count(x) + ε) / (total + ε n), with ε = [`TilePatterns::EPSILON`] and n the number of distinct
    /// patterns in both sets of levels. The divergence is large if the levels of this histogram have patterns that those of `other` lack; the reverse
    /// divergence is large if `other` has patterns that this histogram lacks.
    ///
    /// # References
    ///
    /// The divergence of tile patterns is that of Lucas and Volz, "Tile Pattern KL-Divergence for Analysing and Evolving Game Levels", Genetic and
    /// Evolutionary Computation Conference, 2019; their smoothing differs by a factor that does not depend on the pattern.
    pub fn divergence(&self, other: &Self) -> f64 {
        let patterns: FxHashSet<&[Tile]> = self
            .counts
            .keys()
            .chain(other.counts.keys())
            .map(|pattern| &**pattern)
            .collect();
        let smoothed = |side: &Self, pattern: &[Tile]| {
            let count = side.counts.get(pattern).map_or(0, |&count| count) as f64;
            let total = side.total as f64 + Self::EPSILON * patterns.len() as f64;
            (count + Self::EPSILON) / total
        };
        let terms = patterns.iter().map(|pattern| {
            let (p, q) = (smoothed(self, pattern), smoothed(other, pattern));
            p * (p / q).ln()
        });
        terms.sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patterns(text: &str, size: usize) -> TilePatterns {
        TilePatterns::of([&text.parse().unwrap()], size)
    }

    #[test]
    fn the_divergence_of_single_tiles_is_that_by_hand() {
        let (p, q) = (patterns("-XXX", 1), patterns("-X", 1));
        let expected = 0.25 * 0.5_f64.ln() + 0.75 * 1.5_f64.ln();
        assert!((p.divergence(&q) - expected).abs() < 1e-4);
        let expected = 0.5 * 2.0_f64.ln() + 0.5 * (2.0 / 3.0_f64).ln();
        assert!((q.divergence(&p) - expected).abs() < 1e-4);
    }

    #[test]
    fn a_pattern_that_the_other_lacks_costs_its_smoothed_share() {
        let (p, q) = (patterns("--\nSS", 2), patterns("--\nXX", 2));
        let e = TilePatterns::EPSILON;
        let (often, never) = ((1.0 + e) / (1.0 + 2.0 * e), e / (1.0 + 2.0 * e));
        let expected = often * (often / never).ln() + never * (never / often).ln();
        assert!((p.divergence(&q) - expected).abs() < 1e-9);
    }

    #[test]
    fn levels_too_small_for_a_pattern_have_none() {
        let none = patterns("--\nXX", 3);
        assert_eq!((none.size(), none.total), (3, 0));
        assert_eq!(none.divergence(&none), 0.0);
    }
}
