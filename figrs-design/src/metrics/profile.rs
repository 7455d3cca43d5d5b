//! Difficulty of each section (group of adjacent columns) of a game level.

use super::shape::{ground_gaps, is_footing};
use figrs_models::mdmc::{Level, Meaning, Tile, TileSet, Travel};

/// Difficulty of a level in sections of equal length; the sections are listed from the side where the player starts.
///
/// All numbers in a difficulty profile are per column (per row, if the player climbs). The difficulty of a level has four components: gaps in the
/// ground, enemies, hazards and shooters, and jumps. A gap in the ground is counted in the section of the level where it begins. As a component of
/// difficulty, a jump is an upward step of a shortest path through the level, from a cell that is not a ladder and in which the player stands. In the
/// difficulty, an enemy has the weight 1, and each gap, hazard, shooter or jump the weight ½. A gap and the jump over it together therefore
/// contribute as much to the difficulty as an enemy. The weights of the components of difficulty are those of [`leniency`](super::leniency), in which
/// jumps have no weight.
///
/// Components of difficulty that are not applicable are left out. Enemies, hazards and gaps are not applicable if no tile of the [set](TileSet) has
/// such a meaning; gaps are not applicable if the player climbs; jumps are not applicable if no path through the level is known.
#[derive(Clone, Debug, PartialEq)]
pub struct DifficultyProfile {
    /// For each section of the level, its number of columns, and the count of each component of the difficulty.
    sections: Vec<(usize, [u32; 4])>,
    /// For each component of the difficulty, `true` if it is applicable.
    applies: [bool; 4],
}

const PARTS: [(&str, f64); 4] = [
    ("gaps", 0.5),
    ("enemies", 1.0),
    ("hazards", 0.5),
    ("jumps", 0.5),
];

impl DifficultyProfile {
    /// Maximum number of sections of a difficulty profile.
    pub const MAX_SECTIONS: usize = 1000;

    /// Computes the difficulty profile of an upright level in 1 to [`MAX_SECTIONS`](Self::MAX_SECTIONS) sections, given a path through the level.
    ///
    /// ```
    /// use figrs_models::mdmc::{TileSet, Travel};
    /// use figrs_design::DifficultyProfile;
    ///
    /// let level = "----E---\nXX-XXXXX".parse()?;
    /// let profile = DifficultyProfile::of(&level, TileSet::platformer(), Travel::Right, None, 4);
    /// let difficulty: Option<Vec<f64>> = profile.difficulty().into_iter().collect();
    /// assert_eq!(difficulty, Some(vec![0.0, 0.25, 0.5, 0.0]));
    /// # Ok::<(), figrs_models::mdmc::LevelError>(())
    /// ```
    pub fn of(
        level: &Level,
        tiles: &TileSet,
        travel: Travel,
        path: Option<&[(usize, usize)]>,
        sections: usize,
    ) -> Self {
        let sections = sections.clamp(1, Self::MAX_SECTIONS);
        let (height, width) = (level.height(), level.width());
        let length = if travel == Travel::Up { height } else { width };
        let section = |row: usize, column: usize| {
            let along = if travel == Travel::Up {
                height - 1 - row
            } else {
                column
            };
            along * sections / length
        };
        let mut counts = vec![(0, [0; 4]); sections];
        for along in 0..length {
            counts[along * sections / length].0 += 1;
        }
        let mut count = |row, column, part: usize| counts[section(row, column)].1[part] += 1;
        for (first, _) in ground_gaps(level) {
            count(height - 1, first, 0);
        }
        for ((row, column), &tile) in level.as_array().indexed_iter() {
            if tile.is(Meaning::Enemy) {
                count(row, column, 1);
            } else if is_hazard(tile) {
                count(row, column, 2);
            }
        }
        for (row, column) in jumps(level, path.unwrap_or_default()) {
            count(row, column, 3);
        }
        let any = |is: fn(Tile) -> bool| tiles.tiles().any(is);
        let applies = [
            travel == Travel::Right && any(super::shape::is_support),
            any(|tile| tile.is(Meaning::Enemy)),
            any(|tile| is_hazard(tile) && !tile.is(Meaning::Enemy)),
            path.is_some(),
        ];
        Self {
            sections: counts,
            applies,
        }
    }

    /// Returns the difficulty of each section of the level: the weighted sum of the applicable components. The difficulty of a section is `None` if
    /// no component is applicable, or if the section has no columns, which occurs if a level has fewer columns than sections.
    pub fn difficulty(&self) -> Vec<Option<f64>> {
        let applies = self.applies.contains(&true);
        self.per_column(|counts| {
            let parts = counts.iter().zip(PARTS).zip(self.applies);
            let parts = parts.filter(|&(_, applies)| applies);
            let sum = parts
                .map(|((&count, (_, weight)), _)| f64::from(count) * weight)
                .sum();
            applies.then_some(sum)
        })
    }

    /// Returns, for each component of the difficulty, its name and its number per column in each section of the level; the number is `None` for a
    /// component that is not applicable, or for a section without columns.
    pub fn parts(&self) -> impl Iterator<Item = (&'static str, Vec<Option<f64>>)> + '_ {
        PARTS.iter().enumerate().map(|(part, &(name, _))| {
            let applies = self.applies[part];
            let of = |counts: &[u32; 4]| applies.then(|| f64::from(counts[part]));
            (name, self.per_column(of))
        })
    }

    fn per_column(&self, of: impl Fn(&[u32; 4]) -> Option<f64>) -> Vec<Option<f64>> {
        let sections = self.sections.iter();
        sections
            .map(|(columns, counts)| {
                let value = of(counts).filter(|_| *columns > 0)?;
                Some(value / *columns as f64)
            })
            .collect()
    }
}

pub(super) fn is_hazard(tile: Tile) -> bool {
    tile.is(Meaning::Hazard) || tile.is(Meaning::Shooter)
}

/// Returns the cells of `path` (a player's path through the level) from which the player jumps.
fn jumps(level: &Level, path: &[(usize, usize)]) -> impl Iterator<Item = (usize, usize)> {
    let is_ladder = |(row, column): (usize, usize)| {
        level
            .get(row, column)
            .is_some_and(|tile| tile.is(Meaning::Climb))
    };
    let steps = path.windows(2).map(|step| (step[0], step[1]));
    let is_jump = move |&(from, to): &((usize, usize), (usize, usize))| {
        let rises = to.0 < from.0 && is_footing(level, from.0, from.1);
        rises && !is_ladder(from) && !is_ladder(to)
    };
    steps.filter(is_jump).map(|(from, _)| from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Playability;

    fn parts(profile: &DifficultyProfile) -> Vec<Vec<Option<f64>>> {
        profile.parts().map(|(_, values)| values).collect()
    }

    fn some(values: &[f64]) -> Vec<Option<f64>> {
        values.iter().copied().map(Some).collect()
    }

    #[test]
    fn a_profile_is_counted_by_hand() {
        let text = "--------\n--------\n-----X--\n--E-BX--\nXX-XXX-X";
        let level = text.parse().unwrap();
        let playability = Playability::of(&level);
        assert!(playability.playable());
        let path = playability.path();
        let profile =
            DifficultyProfile::of(&level, TileSet::platformer(), Travel::Right, Some(path), 2);
        let found = parts(&profile);
        assert_eq!(
            found[..3],
            [some(&[0.25, 0.25]), some(&[0.25, 0.0]), some(&[0.0, 0.25])]
        );
        let jumps = found[3].iter().flatten().sum::<f64>();
        // A player starts in row 2, and reaches the block of height two without a jump or by one jump.
        assert!(jumps <= 0.5, "{path:?}");
        for (section, total) in profile.difficulty().into_iter().enumerate() {
            let half = |part: usize| found[part][section].unwrap() / 2.0;
            let sum = half(0) + 2.0 * half(1) + half(2) + half(3);
            assert_eq!(total, Some(sum));
        }
    }

    #[test]
    fn a_wall_takes_a_jump_and_a_ladder_does_not() {
        let set = TileSet::from_json(
            r##"{"tiles": {"#": ["solid"], "-": ["empty", "passable"], "H": ["ladder", "passable"]}}"##,
        )
        .unwrap();
        let level = Level::from_text("test", "---H-\n-#-H-\n#####", &set).unwrap();
        let jump = [(1, 0), (0, 0), (0, 1), (0, 2), (1, 2)];
        let climb = [(1, 2), (1, 3), (0, 3), (0, 4)];
        for (path, jumps) in [(&jump[..], 0.2), (&climb[..], 0.0)] {
            let profile = DifficultyProfile::of(&level, &set, Travel::Right, Some(path), 1);
            let found = parts(&profile);
            assert_eq!(found[3], [Some(jumps)]);
            // No tile is an enemy or a hazard, so these components are not applicable.
            assert_eq!((&found[1][0], &found[2][0]), (&None, &None));
            assert_eq!(profile.difficulty(), [Some(jumps / 2.0)]);
        }
    }

    #[test]
    fn upwards_the_first_section_is_the_lowest() {
        let set = TileSet::from_json(r##"{"tiles": {"#": ["solid"], "-": [], "!": ["hazard"]}}"##);
        let set = set.unwrap();
        let level = Level::from_text("test", "--\n-!\n--\n!!", &set).unwrap();
        let profile = DifficultyProfile::of(&level, &set, Travel::Up, None, 2);
        assert_eq!(profile.difficulty(), some(&[0.5, 0.25]));
        assert_eq!(parts(&profile)[0], [None, None]);
    }

    #[test]
    fn without_meanings_nothing_is_difficult_and_nothing_easy() {
        let set = TileSet::unknown("-X".chars());
        let level = Level::from_text("test", "-X-", &set).unwrap();
        let profile = DifficultyProfile::of(&level, &set, Travel::Right, None, 2);
        assert_eq!(profile.difficulty(), [None, None]);
        let level = "X-X".parse().unwrap();
        let profile = DifficultyProfile::of(&level, TileSet::platformer(), Travel::Right, None, 5);
        let difficulty = profile.difficulty();
        assert_eq!(difficulty.iter().flatten().count(), 3);
        assert_eq!(difficulty.len(), 5);
    }
}
