//! Variation scores measure how much the boards of a generator differ, by the formulas of a published comparison of generators.
//!
//! The printed formulas for the variation of mazes, dungeons and chromatic mazes are damaged in places and do not always agree with the text of the
//! publication. Each variation score therefore has three readings (interpretations of the printed formula), listed in [`Variation::READINGS`]; the
//! first reading is the recommended one. The implementations of the trait [`Variation`] define the readings (interpretations of the printed formula)
//! of each score.
//!
//! A variation score shows that boards differ, not that they have the right distribution: use it together with a test of the distribution, such as
//! [`goodness_of_fit`]. With a correct sampler, the mean score of many drawn boards equals, up to chance, the mean score of pairs of boards drawn
//! independently from the exact distribution.
//!
//! ```
//! use figrs_core::stream;
//! use figrs_models::grid::Size;
//! use figrs_models::maze::PerfectMaze;
//! use figrs_models::variation::scores;
//!
//! let mazes = PerfectMaze::new(Size::new(5, 5)?);
//! let drawn: Vec<_> = (0..50).map(|part| mazes.sample(&mut stream(3, part))).collect();
//! for score in scores(&drawn)? {
//!     println!("{}: mean {:.3} over {} pairs", score.reading, score.mean, score.pairs);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # References
//!
//! The source of the variation scores is the comparison of generators in ProbLog and in answer set programming by Haveneers, section 4.3 and appendix
//! A (A.1 chromatic mazes, A.2 mazes, A.3 dungeons).

mod chromatic_maze;
mod dungeon;
mod goodness;
mod matching;
mod maze;
mod summary;

use figrs_reading::{Mistake, MistakeKind};
pub use goodness::{GoodnessOfFit, goodness_of_fit};
pub use summary::{ScoreSummary, scores, scores_watched};

/// Boards that have a variation score, which measures how much two boards differ.
pub trait Variation {
    /// The names of the readings (interpretations) of the score's formula, the recommended one first.
    const READINGS: [&'static str; 3];

    /// Returns the scores of the difference between the boards `self` and `other`, one for each reading (interpretation) of the score's formula.
    ///
    /// **Errors.** An error if the boards are not square boards of one size, 2 by 2 or larger, or if a board lacks a tile that the score needs.
    fn variation(&self, other: &Self) -> Result<[f64; 3], Mistake>;
}

fn side(one: (usize, usize), other: (usize, usize)) -> Result<usize, Mistake> {
    if one == other && one.0 == one.1 && one.0 >= 2 {
        return Ok(one.0);
    }
    Err(not_comparable([one, other]))
}

fn not_comparable([one, other]: [(usize, usize); 2]) -> Mistake {
    let problem = format!(
        "boards of {} by {} and of {} by {} cells have no variation score",
        one.0, one.1, other.0, other.1
    );
    let remedy = "compare square boards of equal size, 2 by 2 or larger";
    Mistake::new(MistakeKind::Count, problem, remedy)
}

/// Returns the error for a board without a tile that the score needs, such as the gem of a dungeon.
fn no_such_tile(missing: &str) -> Mistake {
    let problem = format!("a board has no {missing}, and therefore no variation score");
    let remedy = "compare boards that follow their rules";
    Mistake::new(MistakeKind::Missing, problem, remedy)
}

#[cfg(test)]
mod tests;
