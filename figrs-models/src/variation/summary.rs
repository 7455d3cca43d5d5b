//! Scores of many boards.

use super::Variation;
use crate::grid::GridError;

/// The scores of all pairs of some boards by one reading.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Score {
    /// The name of the reading.
    pub reading: &'static str,
    /// How many pairs there are.
    pub pairs: usize,
    /// The smallest score.
    pub min: f64,
    /// The score in the middle; of two, their mean.
    pub median: f64,
    /// The mean.
    pub mean: f64,
    /// The largest score.
    pub max: f64,
}

/// The scores of all pairs of some boards, the earlier one first in each; none for fewer than two boards.
///
/// **Complexity.** Time and memory quadratic in the number of boards.
///
/// **Errors.** Those of [`Variation::variation`].
pub fn scores<B: Variation>(boards: &[B]) -> Result<Vec<Score>, GridError> {
    let mut of_readings: [Vec<f64>; 3] = Default::default();
    for (place, board) in boards.iter().enumerate() {
        for other in &boards[place + 1..] {
            let scores = board.variation(other)?;
            for (all, score) in of_readings.iter_mut().zip(scores) {
                all.push(score);
            }
        }
    }
    let readings = B::READINGS.into_iter().zip(of_readings);
    Ok(readings
        .filter_map(|(reading, scores)| summary(reading, scores))
        .collect())
}

fn summary(reading: &'static str, mut scores: Vec<f64>) -> Option<Score> {
    scores.sort_unstable_by(f64::total_cmp);
    let pairs = scores.len();
    let (min, max) = (*scores.first()?, *scores.last()?);
    Some(Score {
        reading,
        pairs,
        min,
        median: f64::midpoint(scores[(pairs - 1) / 2], scores[pairs / 2]),
        mean: scores.iter().sum::<f64>() / pairs as f64,
        max,
    })
}
