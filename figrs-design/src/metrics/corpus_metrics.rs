//! Computes all measures of a game level (playability, linearity, novelty and others) at once.

use std::sync::Arc;

use super::shape::{is_lenient_or_harsh, is_support, tile_leniency};
use super::{
    ColumnRuns, DifficultyProfile, NearestDistances, NearestWindows, TilePatterns, density,
    ground_gaps, linearity,
};
use crate::{Movement, MovementRules, Playability};
use figrs_models::mdmc::{Corpus, Level, TileSet, Travel};

/// The levels of a corpus, prepared for measuring other levels against them.
#[derive(Clone, Debug)]
pub struct ReferenceCorpus {
    tiles: Arc<TileSet>,
    travel: Travel,
    sections: usize,
    /// For each built-in movement (a set of rules of a player's moves), the rules compiled for the tiles of the corpus; `None` if the movement is not
    /// applicable to these tiles.
    movements: [Option<MovementRules>; Movement::NAMES.len()],
    suggested: Option<usize>,
    /// The movement (the rules of a player's moves) that the caller set in place of the one that the tiles suggest.
    own: Option<MovementRules>,
    columns: ColumnRuns,
    windows: NearestWindows,
    two: TilePatterns,
    three: TilePatterns,
}

/// Measures of one level; a measure is `None` if the tiles lack the meanings (such as "enemy") that it needs.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LevelMetrics {
    /// `true` if [`Playability`] finds a path through the level, by the [movement](ReferenceCorpus::movement) (the rules of a player's moves) that
    /// the caller set or else by the movement that the tiles [suggest](Movement::suggested). Playability is `None` if the caller set no movement and
    /// the tiles suggest none.
    pub playable: Option<bool>,
    /// Share of columns (of rows, if the player climbs) up to the furthest column that the player can reach, by the same movement as in `playable`.
    /// The share of columns is `None` if there is no movement (rules of a player's moves) by which to judge the level.
    pub reached: Option<f64>,
    /// The value of `playable` under each movement of [`Movement::NAMES`] that is [applicable](Movement::rules) to the tiles.
    pub playable_under: [Option<bool>; Movement::NAMES.len()],
    /// The linearity of the level: see [`linearity`]. Linearity needs tiles on which a player can stand, and levels that are played to the right.
    pub linearity: Option<f64>,
    /// The leniency of the level: see [`leniency`](super::leniency). Leniency needs tiles that are enemies, hazards, shooters or rewards; gaps are
    /// included only if `gaps` is known. In levels in which the player climbs, leniency is computed per row.
    pub leniency: Option<f64>,
    /// The density of the level: see [`density`]. Density needs tiles on which a player can stand. In levels in which the player climbs, density is
    /// computed per row.
    pub density: Option<f64>,
    /// Number of gaps in the ground of the level: see [`ground_gaps`]. Gaps are known only for tiles on which a player can stand, and for levels that
    /// are played to the right.
    pub gaps: Option<usize>,
    /// Number of columns of the widest gap in the ground; 0 if the ground has no gap.
    pub widest_gap: Option<usize>,
    /// Divergence, in nats, of the level's patterns of 2 by 2 tiles from the patterns of the corpus: see [`TilePatterns::divergence`].
    pub divergence_2: f64,
    /// Divergence, in nats, of the corpus's patterns of 2 by 2 tiles from the patterns of the level.
    pub divergence_2_back: f64,
    /// Divergence, in nats, of the level's patterns of 3 by 3 tiles from the patterns of the corpus.
    pub divergence_3: f64,
    /// Divergence, in nats, of the corpus's patterns of 3 by 3 tiles from the patterns of the level.
    pub divergence_3_back: f64,
    /// Share of the level's sequences of a few adjacent columns that do not occur in the corpus: see [`ColumnRuns::novelty`].
    pub novelty: f64,
    /// Length of the longest sequence of adjacent columns that the level shares with a level of the corpus: see [`ColumnRuns::longest_copied_run`].
    pub longest_copied_run: usize,
    /// Distances of the level's windows of [`NearestWindows::COLUMNS`] columns from the nearest windows of the corpus; `None` for a level narrower
    /// than a window.
    pub nearest: Option<NearestDistances>,
    /// Difficulty of each section (group of adjacent columns) of the level.
    pub profile: DifficultyProfile,
}

impl ReferenceCorpus {
    /// Default number of sections (groups of adjacent columns) of a difficulty profile.
    pub const SECTIONS: usize = 10;

    /// Prepares the levels of a corpus, so that other levels can be compared with them.
    pub fn new(corpus: &Corpus) -> Self {
        let (tiles, travel) = (corpus.tiles(), corpus.travel());
        let suggested = Movement::suggested(tiles, travel).ok();
        let place = |movement: Movement| {
            let mut names = Movement::NAMES.iter();
            names.position(|&name| name == movement.name())
        };
        let rules = |name| Movement::named(name).ok()?.rules(tiles, travel).ok();
        Self {
            tiles: Arc::clone(tiles),
            travel,
            sections: Self::SECTIONS,
            movements: Movement::NAMES.map(rules),
            suggested: suggested.and_then(place),
            own: None,
            columns: ColumnRuns::of(corpus.levels()),
            windows: NearestWindows::of(corpus.levels(), NearestWindows::COLUMNS),
            two: TilePatterns::of(corpus.levels(), 2),
            three: TilePatterns::of(corpus.levels(), 3),
        }
    }

    /// Sets the number of sections (groups of adjacent columns) of difficulty profiles, from 1 to [`DifficultyProfile::MAX_SECTIONS`].
    #[must_use]
    pub fn sections(self, sections: usize) -> Self {
        Self { sections, ..self }
    }

    /// Sets the movement rules `rules` as those by which playability is measured, in place of the movement that the tiles suggest.
    #[must_use]
    pub fn movement(self, rules: MovementRules) -> Self {
        Self {
            own: Some(rules),
            ..self
        }
    }

    /// Returns the measures of a level, which must have the same orientation (upright, or turned on its side) as the levels of the corpus.
    pub fn measure(&self, level: &Level) -> LevelMetrics {
        self.with_nearest(level, self.windows.distances(level))
    }

    /// Returns the measures of each level of the corpus; the windows of its columns are compared with the windows of the other levels of the corpus.
    pub fn measure_corpus(&self, corpus: &Corpus) -> impl Iterator<Item = LevelMetrics> {
        corpus.levels().iter().enumerate().map(|(place, level)| {
            let nearest = self.windows.distances_to_others(level, place);
            self.with_nearest(level, nearest)
        })
    }

    fn with_nearest(&self, level: &Level, nearest: Option<NearestDistances>) -> LevelMetrics {
        let upright = self.travel.upright(level);
        let stands = self.tiles.tiles().any(is_support);
        let goes_right = self.travel == Travel::Right;
        let found = self.movements.each_ref().map(|rules| {
            let rules = rules.as_ref()?;
            Some(Playability::under(&upright, rules))
        });
        let own = self.own.as_ref();
        let own = own.map(|rules| Playability::under(&upright, rules));
        let suggested = self.suggested.and_then(|place| found[place].as_ref());
        let suggested = own.as_ref().or(suggested);
        let reached = |found: &Playability| (found.furthest_column() + 1) as f64;
        let gaps = (goes_right && stands).then(|| ground_gaps(level));
        let widest = |gaps: &Vec<_>| gaps.iter().map(|&(_, width)| width).fold(0, usize::max);
        let weighed = self.tiles.tiles().any(is_lenient_or_harsh);
        // Factor that converts measures per column of the upright level to measures per column in model coordinates.
        let per_step = upright.width() as f64 / level.width() as f64;
        let half_gaps = gaps.as_ref().map_or(0.0, |gaps| gaps.len() as f64 / 2.0);
        let two = TilePatterns::of([level], 2);
        let three = TilePatterns::of([level], 3);
        LevelMetrics {
            playable: suggested.map(Playability::playable),
            reached: suggested.map(|found| reached(found) / level.width() as f64),
            playable_under: found
                .each_ref()
                .map(|found| Some(found.as_ref()?.playable())),
            linearity: gaps.is_some().then(|| linearity(&upright)),
            leniency: weighed
                .then(|| tile_leniency(&upright) * per_step - half_gaps / level.width() as f64),
            density: stands.then(|| density(&upright) * per_step),
            widest_gap: gaps.as_ref().map(widest),
            gaps: gaps.map(|gaps| gaps.len()),
            divergence_2: two.divergence(&self.two),
            divergence_2_back: self.two.divergence(&two),
            divergence_3: three.divergence(&self.three),
            divergence_3_back: self.three.divergence(&three),
            novelty: self.columns.novelty(level),
            longest_copied_run: self.columns.longest_copied_run(level),
            nearest,
            profile: DifficultyProfile::of(
                &upright,
                &self.tiles,
                self.travel,
                suggested.map(Playability::path),
                self.sections,
            ),
        }
    }
}

impl LevelMetrics {
    /// Returns the name and the value of each measure of the level except the difficulty profile, in a form for tables; measures of playability have
    /// the value 0 or 1.
    pub fn named(&self) -> Vec<(&'static str, Option<f64>)> {
        let count = |count: Option<usize>| count.map(|count| count as f64);
        let movements = Self::UNDER.into_iter().zip(self.playable_under);
        let movements = movements.map(|(name, playable)| (name, playable.map(f64::from)));
        let others = [
            ("linearity", self.linearity),
            ("leniency", self.leniency),
            ("density", self.density),
            ("gaps", count(self.gaps)),
            ("widest gap", count(self.widest_gap)),
            ("KL 2x2", Some(self.divergence_2)),
            ("KL 2x2 back", Some(self.divergence_2_back)),
            ("KL 3x3", Some(self.divergence_3)),
            ("KL 3x3 back", Some(self.divergence_3_back)),
            ("novelty", Some(self.novelty)),
            ("copied run", Some(self.longest_copied_run as f64)),
            ("nearest", self.nearest.map(|nearest| nearest.mean)),
            ("nearest most", self.nearest.map(|nearest| nearest.most)),
        ];
        let playable = ("playable", self.playable.map(f64::from));
        let first = [playable, ("reached", self.reached)];
        first.into_iter().chain(movements).chain(others).collect()
    }

    /// Names of the measures [`playable_under`](Self::playable_under) in tables, in the order of [`Movement::NAMES`].
    pub const UNDER: [&'static str; Movement::NAMES.len()] = [
        "under platformer",
        "under climb",
        "under ladders",
        "under maze",
        "under rooms",
    ];
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
            assert_eq!((metrics.playable, metrics.reached), (Some(true), Some(1.0)));
            let nearest = metrics.nearest.unwrap();
            assert_eq!((nearest.mean, nearest.most), (0.0, 0.0));
            assert_eq!(
                (metrics.novelty, metrics.longest_copied_run),
                (0.0, level.width())
            );
            assert!(metrics.divergence_2 < strange.divergence_2 / 5.0);
            assert!(metrics.divergence_3 < strange.divergence_3 / 5.0);
        }
        assert_eq!((strange.gaps, strange.widest_gap), (Some(60), Some(1)));
        // The column of air also occurs in the corpus, so the longest copied sequence has one column.
        assert_eq!((strange.novelty, strange.longest_copied_run), (1.0, 1));
        assert!(strange.playable == Some(false) && strange.reached.unwrap() < 0.1);
        assert!(strange.nearest.unwrap().mean > 0.3);
        // Each level has a window that occurs in no other level.
        for metrics in yardstick.measure_corpus(&corpus) {
            let nearest = metrics.nearest.unwrap();
            assert!(0.0 < nearest.mean && nearest.mean < nearest.most && nearest.most < 0.3);
        }
    }

    #[test]
    fn measures_without_meanings_are_not_applicable() {
        let set = Arc::new(TileSet::unknown("-X".chars()));
        let level = Level::from_text("room", "X--X----\nXXXX-X-X", &set).unwrap();
        let corpus = Corpus::of_tiles(set, [("room".to_owned(), level.clone())]).unwrap();
        let metrics = ReferenceCorpus::new(&corpus).measure(&level);
        let named = metrics.named();
        let without = named.iter().filter(|(_, value)| value.is_none());
        let without: Vec<&str> = without.map(|&(name, _)| name).collect();
        let needing = ["linearity", "leniency", "density", "gaps", "widest gap"];
        let first = ["playable", "reached"]
            .into_iter()
            .chain(LevelMetrics::UNDER);
        let needing: Vec<&str> = first.chain(needing).collect();
        assert_eq!(without, needing);
        assert_eq!(metrics.profile.difficulty(), [None; 10]);
    }

    #[test]
    fn levels_that_are_played_upwards_are_measured_upright() {
        let set =
            TileSet::from_json(r##"{"tiles": {"#": ["solid"], "-": ["empty"], "!": ["hazard"]}}"##);
        let set = Arc::new(set.unwrap());
        let level = Level::from_text("shaft", "---\n-!-\n#--\n---\n--#\n##-", &set).unwrap();
        let turned = Travel::Up.turned(&level);
        let corpus = Corpus::of_tiles(set, [("shaft".to_owned(), turned.clone())]).unwrap();
        let yardstick = ReferenceCorpus::new(&corpus.travelled(Travel::Up)).sections(2);
        let metrics = yardstick.measure(&turned);
        assert_eq!((metrics.linearity, metrics.gaps), (None, None));
        // The level has six rows of three columns and one hazard, which counts one half.
        let close = |found: Option<f64>, expected: f64| (found.unwrap() - expected).abs() < 1e-12;
        assert!(close(metrics.density, density(&level) * 3.0 / 6.0));
        assert!(close(metrics.leniency, -0.5 / 6.0));
        assert_eq!(metrics.profile.difficulty(), [Some(0.0), Some(0.5 / 3.0)]);
    }

    #[test]
    fn levels_are_playable_under_each_movement_that_their_tiles_know() {
        let set = TileSet::from_json(
            r##"{"tiles": {"#": ["solid"], "-": ["empty", "passable"], "H": ["ladder"], "G": ["collectable"], "M": ["start"], "x": ["exit"]}}"##,
        );
        let set = Arc::new(set.unwrap());
        // A ladder leads to the gold; only a player who does not fall can reach the exit.
        let level = Level::from_text(
            "level",
            "-x-----\n-------\n-------\n-----HG\n--M--H#\n#######",
            &set,
        );
        let level = level.unwrap();
        let corpus = Corpus::of_tiles(set, [("level".to_owned(), level.clone())]).unwrap();
        let metrics = ReferenceCorpus::new(&corpus).measure(&level);
        // The level has no doors, so the movement `rooms` is not applicable.
        assert_eq!(metrics.playable_under[2..], [Some(true), Some(true), None]);
        assert_eq!(metrics.playable, metrics.playable_under[2]);
        // Without climbing, nobody reaches the exit, but the collectable can be reached.
        for (goal, playable) in [("exit", false), ("collectable", true)] {
            let text =
                format!("name = \"own\"\nlike = \"ladders\"\ngoal = {{ any = [\"{goal}\"] }}\n");
            let movement = Movement::from_toml(&text).unwrap();
            let rules = movement.rules(corpus.tiles(), Travel::Right).unwrap();
            let own = ReferenceCorpus::new(&corpus)
                .movement(rules)
                .measure(&level);
            assert_eq!(own.playable, Some(playable), "{goal}");
            assert_eq!(own.playable_under, metrics.playable_under);
        }
        for (name, (rules, playable)) in Movement::NAMES.iter().zip(
            ReferenceCorpus::new(&corpus)
                .movements
                .iter()
                .zip(metrics.playable_under),
        ) {
            let found = rules
                .as_ref()
                .map(|rules| Playability::under(&level, rules).playable());
            assert_eq!(found, playable, "{name}");
        }
        assert!(
            LevelMetrics::UNDER
                .iter()
                .zip(Movement::NAMES)
                .all(|(row, name)| *row == format!("under {name}"))
        );
    }
}
