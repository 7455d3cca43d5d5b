//! All measures of a level at once.

use super::super::{Corpus, Level, Playability};
use super::{ColumnRuns, TilePatterns, density, ground_gaps, leniency, linearity};

/// The levels of a corpus, ready to measure other levels against them.
#[derive(Clone, Debug)]
pub struct ReferenceCorpus {
    columns: ColumnRuns,
    two: TilePatterns,
    three: TilePatterns,
}

/// The measures of one level.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct LevelMetrics {
    /// `true` if [`Playability`] finds a way through.
    pub playable: bool,
    /// The share of columns up to the furthest one that can be reached.
    pub reached: f64,
    /// See [`linearity`].
    pub linearity: f64,
    /// See [`leniency`].
    pub leniency: f64,
    /// See [`density`].
    pub density: f64,
    /// Number of [`ground_gaps`].
    pub gaps: usize,
    /// The columns of the widest of them, or 0.
    pub widest_gap: usize,
    /// The divergence of the level's patterns of 2 by 2 tiles from the corpus, in nats; see [`TilePatterns::divergence`].
    pub divergence_2: f64,
    /// The divergence of the corpus from the level, with patterns of 2 by 2 tiles.
    pub divergence_2_back: f64,
    /// As `divergence_2` with patterns of 3 by 3 tiles.
    pub divergence_3: f64,
    /// The divergence of the corpus from the level, with patterns of 3 by 3 tiles.
    pub divergence_3_back: f64,
    /// See [`ColumnRuns::novelty`].
    pub novelty: f64,
    /// See [`ColumnRuns::longest_copied_run`].
    pub longest_copied_run: usize,
}

impl ReferenceCorpus {
    /// Takes in the levels of a corpus.
    pub fn new(corpus: &Corpus) -> Self {
        Self {
            columns: ColumnRuns::of(corpus.levels()),
            two: TilePatterns::of(corpus.levels(), 2),
            three: TilePatterns::of(corpus.levels(), 3),
        }
    }

    /// Measures a level.
    pub fn measure(&self, level: &Level) -> LevelMetrics {
        let playability = Playability::of(level);
        let gaps = ground_gaps(level);
        let two = TilePatterns::of([level], 2);
        let three = TilePatterns::of([level], 3);
        LevelMetrics {
            playable: playability.playable(),
            reached: (playability.furthest_column() + 1) as f64 / level.width() as f64,
            linearity: linearity(level),
            leniency: leniency(level),
            density: density(level),
            gaps: gaps.len(),
            widest_gap: gaps.iter().map(|&(_, width)| width).fold(0, usize::max),
            divergence_2: two.divergence(&self.two),
            divergence_2_back: self.two.divergence(&two),
            divergence_3: three.divergence(&self.three),
            divergence_3_back: self.three.divergence(&three),
            novelty: self.columns.novelty(level),
            longest_copied_run: self.columns.longest_copied_run(level),
        }
    }
}

impl LevelMetrics {
    /// Each measure by name, for tables; `playable` is 0 or 1.
    pub fn named(&self) -> [(&'static str, f64); 13] {
        [
            ("playable", f64::from(self.playable)),
            ("reached", self.reached),
            ("linearity", self.linearity),
            ("leniency", self.leniency),
            ("density", self.density),
            ("gaps", self.gaps as f64),
            ("widest gap", self.widest_gap as f64),
            ("KL 2x2", self.divergence_2),
            ("KL 2x2 back", self.divergence_2_back),
            ("KL 3x3", self.divergence_3),
            ("KL 3x3 back", self.divergence_3_back),
            ("novelty", self.novelty),
            ("copied run", self.longest_copied_run as f64),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_training_level_is_playable_old_and_close_to_its_corpus() {
        let corpus = Corpus::shipped();
        let yardstick = ReferenceCorpus::new(&corpus);
        let noise = "X-".repeat(60);
        let noise: Level = [noise.as_str(); 14].join("\n").parse().unwrap();
        let strange = yardstick.measure(&noise);
        for level in corpus.levels() {
            let metrics = yardstick.measure(level);
            assert!(metrics.playable && metrics.reached == 1.0);
            assert_eq!(
                (metrics.novelty, metrics.longest_copied_run),
                (0.0, level.width())
            );
            assert!(metrics.divergence_2 < strange.divergence_2 / 5.0);
            assert!(metrics.divergence_3 < strange.divergence_3 / 5.0);
        }
        assert_eq!((strange.gaps, strange.widest_gap), (60, 1));
        // A column of air stands in the corpus too.
        assert_eq!((strange.novelty, strange.longest_copied_run), (1.0, 1));
        assert!(!strange.playable && strange.reached < 0.1);
    }
}
