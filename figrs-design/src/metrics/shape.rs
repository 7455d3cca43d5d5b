//! Measures of a single game level: linearity, leniency and density.

use super::profile::is_hazard;
use figrs_models::mdmc::{Level, Meaning, Tile};

/// Returns the linearity of a level: the mean distance, in rows, of its platforms from a straight line; 0 if all platforms lie on one line.
///
/// For linearity, a platform is a maximal sequence of adjacent cells in one row in which a player can stand; the line is fitted to the centres of all
/// platforms by least squares, and distances are vertical. The linearity is 0 if the level has fewer than two platforms.
///
/// # References
///
/// The measure of linearity is that of Smith and Whitehead, "Analyzing the Expressive Range of a Level Generator", Workshop on Procedural Content
/// Generation in Games, 2010.
pub fn linearity(level: &Level) -> f64 {
    let centres = platforms(level);
    let n = centres.len() as f64;
    if centres.is_empty() {
        return 0.0;
    }
    let mean = |of: &dyn Fn(&(f64, f64)) -> f64| centres.iter().map(of).sum::<f64>() / n;
    let (x, y) = (mean(&|c| c.0), mean(&|c| c.1));
    let variance = mean(&|c| (c.0 - x).powi(2));
    let covariance = mean(&|c| (c.0 - x) * (c.1 - y));
    // If all platforms have their centres in one column, no line can be fitted; their mean height replaces it.
    let slope = if variance > 0.0 {
        covariance / variance
    } else {
        0.0
    };
    mean(&|c| (c.1 - y - slope * (c.0 - x)).abs())
}

fn platforms(level: &Level) -> Vec<(f64, f64)> {
    let mut centres = Vec::new();
    for row in 0..level.height() {
        let mut from = None;
        for column in 0..=level.width() {
            let footing = column < level.width() && is_footing(level, row, column);
            match (footing, from) {
                (true, None) => from = Some(column),
                (false, Some(first)) => {
                    centres.push(((first + column - 1) as f64 / 2.0, row as f64));
                    from = None;
                }
                _ => {}
            }
        }
    }
    centres
}

/// Returns the leniency of a level per column, a weighted sum: rewards have the weight 1, enemies -1, and hazards, shooters and gaps in the ground
/// -1/2.
///
/// Among the [platformer](figrs_models::mdmc::TileSet::platformer) tiles, full question blocks are rewards and the tops of cannons are shooters.
///
/// # References
///
/// Leniency is a simplified form of the measure of Shaker, Nicolau, Yannakakis, Togelius and O'Neill, "Evolving Levels for Super Mario Bros Using
/// Grammatical Evolution", IEEE Conference on Computational Intelligence and Games, 2012, as far as the tiles distinguish its cases.
pub fn leniency(level: &Level) -> f64 {
    let gaps = ground_gaps(level).len() as f64;
    tile_leniency(level) - gaps / 2.0 / level.width() as f64
}

/// Returns the leniency of a level per column, without the term for gaps in the ground.
pub(super) fn tile_leniency(level: &Level) -> f64 {
    let weight = |&tile: &Tile| {
        if tile.is(Meaning::Enemy) {
            -1.0
        } else if is_hazard(tile) {
            -0.5
        } else if tile.is(Meaning::Reward) {
            1.0
        } else {
            0.0
        }
    };
    level.as_array().iter().map(weight).sum::<f64>() / level.width() as f64
}

/// True if `tile` has a meaning (such as enemy or reward) to which the leniency gives a weight.
pub(super) fn is_lenient_or_harsh(tile: Tile) -> bool {
    is_hazard(tile) || tile.is(Meaning::Enemy) || tile.is(Meaning::Reward)
}

/// Returns the density of a level: the number of cells per column in which a player can stand.
///
/// # References
///
/// The measure of density is taken from the work of Shaker, Nicolau, Yannakakis, Togelius and O'Neill (2012), which is cited for [`leniency`].
pub fn density(level: &Level) -> f64 {
    let cells = (0..level.height()).flat_map(|row| (0..level.width()).map(move |c| (row, c)));
    let footings = cells.filter(|&(row, column)| is_footing(level, row, column));
    footings.count() as f64 / level.width() as f64
}

/// True if a player can stand upon the tile `tile`.
pub(crate) fn is_support(tile: Tile) -> bool {
    tile.solid() || tile.is(Meaning::SolidTop)
}

/// True if a player can stand in the cell in `row` and `column`: the tile there is not solid, and a player can stand on the tile below.
pub(super) fn is_footing(level: &Level, row: usize, column: usize) -> bool {
    let is_free = level.get(row, column).is_some_and(|tile| !tile.solid());
    is_free && level.get(row + 1, column).is_some_and(is_support)
}

/// Returns the gaps in the ground of a level, from the left. A gap in the ground is a maximal sequence of adjacent columns in which a player cannot
/// stand on the bottom tile; it is returned as the index of its first column and its number of columns.
pub fn ground_gaps(level: &Level) -> Vec<(usize, usize)> {
    let mut gaps: Vec<(usize, usize)> = Vec::new();
    for column in 0..level.width() {
        if level
            .get(level.height() - 1, column)
            .is_some_and(is_support)
        {
            continue;
        }
        match gaps.last_mut() {
            Some((first, width)) if *first + *width == column => *width += 1,
            _ => gaps.push((column, 1)),
        }
    }
    gaps
}

#[cfg(test)]
mod tests {
    use super::*;
    use figrs_models::mdmc::TileSet;

    fn level(text: &str) -> Level {
        text.parse().unwrap()
    }

    #[test]
    fn a_slope_is_linear_and_a_bump_is_not() {
        assert_eq!(linearity(&level("----\nXXXX")), 0.0);
        assert!(linearity(&level("---X\n--XX\n-XXX\nXXXX")) < 1e-12);
        assert_eq!(linearity(&level("XX\nXX")), 0.0);
        // The centres are (0, 2), (1, 1) and (2, 2), so the fitted line is constant at 5/3 and the distances are 1/3, 2/3 and 1/3.
        let bump = linearity(&level("---\n---\n-X-\nX-X"));
        assert!((bump - 4.0 / 9.0).abs() < 1e-12, "{bump}");
        // Two platforms above each other, at rows 0 and 2.
        assert_eq!(linearity(&level("-\nS\n-\nX")), 1.0);
    }

    #[test]
    fn leniency_is_counted_by_hand() {
        // The level has one question block, two enemies, one cannon, and gaps of one and of two columns.
        let text = "?-----B---\n-E-E--b---\nXX-XXXX--X";
        assert!((leniency(&level(text)) - (1.0 - 2.0 - 0.5 - 1.0) / 10.0).abs() < 1e-12);
    }

    #[test]
    fn density_counts_where_a_player_can_stand() {
        assert_eq!(density(&level("----\n-SS-\n----\nXX-X")), 5.0 / 4.0);
        assert_eq!(density(&level("-")), 0.0);
    }

    #[test]
    fn meanings_count_whatever_the_characters() {
        let set = TileSet::from_json(
            r##"{"tiles": {"#": ["solid"], ".": ["passable"], "T": ["solidtop"], "m": ["enemy", "hazard"], "^": ["hazard"], "$": ["reward"]}}"##,
        );
        let text = ".....\n.T.#$\n.m.^.\n#T.##";
        let level = Level::from_text("test", text, &set.unwrap()).unwrap();
        // A player can stand on both platforms, the block at row 1, the reward, and the ground at both ends, but not under the block.
        assert_eq!(ground_gaps(&level), [(2, 1)]);
        assert_eq!(density(&level), 6.0 / 5.0);
        assert!((leniency(&level) - (1.0 - 1.0 - 0.5 - 0.5) / 5.0).abs() < 1e-12);
    }

    #[test]
    fn gaps_are_runs_of_columns_without_ground() {
        assert_eq!(
            ground_gaps(&level("XXXXXX\n--XoX-")),
            [(0, 2), (3, 1), (5, 1)]
        );
        assert_eq!(ground_gaps(&level("--\nX[")), []);
    }
}
