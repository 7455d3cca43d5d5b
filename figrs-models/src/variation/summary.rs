//! Summarises the variation scores of all pairs of many boards.

use figrs_reading::Mistake;
use rustc_hash::FxHashMap;

use super::Variation;

/// Summary of the variation scores of all pairs of boards, by one reading (interpretation) of the score's formula.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScoreSummary {
    /// Name of the reading.
    pub reading: &'static str,
    /// Number of pairs of boards that were compared.
    pub pairs: usize,
    /// The smallest score.
    pub min: f64,
    /// The median score of the pairs: the middle score, or the mean of the two middle scores.
    pub median: f64,
    /// The mean score.
    pub mean: f64,
    /// The largest score.
    pub max: f64,
}

/// Summarises the variation scores of all pairs of `boards`, with the earlier board first in each pair; returns an empty list for fewer than two
/// boards.
///
/// **Complexity.** Time is quadratic in the number of boards, and memory linear in the number of distinct scores.
///
/// **Errors.** The errors of the method [`Variation::variation`].
pub fn scores<B: Variation>(boards: &[B]) -> Result<Vec<ScoreSummary>, Mistake> {
    scores_watched(boards, |_| ())
}

/// Summarises the variation scores of all pairs of boards as [`scores`] does. After each board has been compared with all later boards, calls `watch`
/// with the number of pairs of boards compared so far.
///
/// **Errors.** The errors of the method [`Variation::variation`].
pub fn scores_watched<B: Variation>(
    boards: &[B],
    mut watch: impl FnMut(u64),
) -> Result<Vec<ScoreSummary>, Mistake> {
    // For each reading, the number of pairs with each score, given by the bits of the score.
    let mut of_readings: [FxHashMap<u64, usize>; 3] = Default::default();
    let mut compared = 0;
    for (place, board) in boards.iter().enumerate() {
        for other in &boards[place + 1..] {
            let scores = board.variation(other)?;
            for (all, score) in of_readings.iter_mut().zip(scores) {
                *all.entry(score.to_bits()).or_default() += 1;
            }
            compared += 1;
        }
        watch(compared);
    }
    let readings = B::READINGS.into_iter().zip(of_readings);
    Ok(readings
        .filter_map(|(reading, scores)| summary(reading, &scores))
        .collect())
}

fn summary(reading: &'static str, counts: &FxHashMap<u64, usize>) -> Option<ScoreSummary> {
    let scores = counts.iter();
    let mut scores: Vec<(f64, usize)> = scores
        .map(|(&bits, &count)| (f64::from_bits(bits), count))
        .collect();
    scores.sort_unstable_by(|one, other| one.0.total_cmp(&other.0));
    let pairs = scores.iter().map(|(_, count)| count).sum();
    let ((min, _), (max, _)) = (*scores.first()?, *scores.last()?);
    let at = |place: usize| {
        let mut before = 0;
        let found = scores.iter().find(|(_, count)| {
            before += count;
            place < before
        });
        found.map_or(max, |(score, _)| *score)
    };
    let sum: f64 = scores
        .iter()
        .map(|(score, count)| score * *count as f64)
        .sum();
    Some(ScoreSummary {
        reading,
        pairs,
        min,
        median: f64::midpoint(at((pairs - 1) / 2), at(pairs / 2)),
        mean: sum / pairs as f64,
        max,
    })
}
