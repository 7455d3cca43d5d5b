//! Requests for levels; their fields have the names of the flags of `mario_mdmc`.

use std::collections::BTreeMap;

use figrs_command::Flag;
use figrs_models::mdmc::{MarkovChain, Travel};
use serde::Deserialize;
use serde_json::Value as Json;

use crate::problem::Problem;

/// A request for levels, for probabilities of tiles, or for the available tiles.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(clippy::struct_excessive_bools, reason = "switches of a request")]
pub(crate) struct LevelRequest {
    pub(crate) task: LevelTask,
    /// A folder of training levels.
    pub(crate) corpus: Option<String>,
    /// Training levels as text, in place of a folder.
    pub(crate) training: Vec<TrainingText>,
    /// A legend of the tiles of the training levels.
    pub(crate) tiles: Option<Json>,
    /// Patterns of the names of the training levels to use.
    pub(crate) only: Vec<String>,
    /// Weights in training, such as `*-1=3`.
    pub(crate) weight: Vec<String>,
    /// Styles of training levels, such as `castle=*-4`.
    pub(crate) style: Vec<String>,
    pub(crate) rows: Option<usize>,
    pub(crate) structure: Option<String>,
    pub(crate) row_splits: Option<usize>,
    pub(crate) smoothing: f64,
    /// The kind of the trained model.
    pub(crate) trained: Option<String>,
    pub(crate) order: Option<usize>,
    pub(crate) section: Option<usize>,
    pub(crate) kinds: Option<usize>,
    pub(crate) style_change: Option<f64>,
    pub(crate) width: Option<usize>,
    /// Number of rows of levels in which the player climbs.
    pub(crate) height: Option<usize>,
    pub(crate) travel: Option<Direction>,
    pub(crate) seed: u64,
    /// The number of the first level among the levels of the seed.
    pub(crate) index: u64,
    pub(crate) levels: u64,
    pub(crate) method: LevelMethod,
    pub(crate) particles: usize,
    /// Memory of the exact method, in MiB.
    pub(crate) memory: u64,
    pub(crate) show_path: bool,
    /// Tiles to pin: row, column and character of each tile.
    pub(crate) pin: Vec<(usize, usize, char)>,
    pub(crate) place: Vec<(usize, usize, char)>,
    pub(crate) allow_unseen: bool,
    pub(crate) max_gap: Option<usize>,
    pub(crate) count: BTreeMap<char, (usize, usize)>,
    pub(crate) density: BTreeMap<char, (f64, f64)>,
    /// Patterns to forbid, each as a text for each row.
    pub(crate) forbid: Vec<Vec<String>>,
    pub(crate) playable: bool,
    /// A file of demands as text or JSON, or a list of files.
    pub(crate) demands: Option<Json>,
    /// The name of a movement, or a movement itself as text or JSON.
    pub(crate) movement: Option<Json>,
    pub(crate) strict: bool,
    /// A picture of the tiles, as PNG in base64.
    pub(crate) tile_sheet: Option<String>,
    pub(crate) tile_size: Option<usize>,
    /// The rows of an existing level.
    pub(crate) level: Vec<String>,
    pub(crate) format: Option<FileFormat>,
}

/// A training level as text.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TrainingText {
    pub(crate) name: String,
    pub(crate) text: String,
}

/// A question about levels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LevelTask {
    /// Levels that meet the demands.
    #[default]
    Sample,
    /// The probability of each tile in each cell.
    Marginals,
    /// The probability that the trained model meets the demands.
    Probability,
    /// The measures and the path of an existing level.
    Check,
    /// An existing level as a file.
    Export,
    /// The tiles and the training levels.
    Tiles,
}

/// A method of drawing levels given demands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LevelMethod {
    #[default]
    Conditioned,
    Exact,
}

/// A direction in which levels are played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Direction {
    Right,
    Up,
}

/// A format of files of levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum FileFormat {
    Png,
    Tmx,
    TiledJson,
    LdtkCsv,
}

impl Default for LevelRequest {
    fn default() -> Self {
        Self {
            task: LevelTask::Sample,
            corpus: None,
            training: Vec::new(),
            tiles: None,
            only: Vec::new(),
            weight: Vec::new(),
            style: Vec::new(),
            rows: None,
            structure: None,
            row_splits: None,
            smoothing: 0.0,
            trained: None,
            order: None,
            section: None,
            kinds: None,
            style_change: None,
            width: None,
            height: None,
            travel: None,
            seed: 0,
            index: 0,
            levels: 1,
            method: LevelMethod::Conditioned,
            particles: 20,
            memory: 1024,
            show_path: false,
            pin: Vec::new(),
            place: Vec::new(),
            allow_unseen: false,
            max_gap: None,
            count: BTreeMap::new(),
            density: BTreeMap::new(),
            forbid: Vec::new(),
            playable: false,
            demands: None,
            movement: None,
            strict: false,
            tile_sheet: None,
            tile_size: None,
            level: Vec::new(),
            format: None,
        }
    }
}

/// Maximum number of columns of a level in the direction of play.
const MOST_COLUMNS: usize = 1000;
/// Maximum number of levels in an answer.
const MOST_LEVELS: u64 = 1000;
/// Maximum number of cells of all levels in an answer.
const MOST_CELLS: u64 = 4_000_000;
/// Maximum number of particles of a level.
const MOST_PARTICLES: usize = 10_000;
/// Maximum memory of the exact method, in MiB.
const MOST_MEMORY: u64 = 8192;
/// Memory that is reserved for particles, in MiB.
const CONDITIONED_MEMORY: u64 = 128;

impl LevelRequest {
    /// Returns the request with only the fields that affect the drawn levels.
    pub(crate) fn of_demands(&self) -> Self {
        Self {
            task: LevelTask::Sample,
            // The number of the training represents the training levels.
            training: Vec::new(),
            tiles: None,
            seed: 0,
            index: 0,
            levels: 1,
            show_path: false,
            strict: false,
            tile_sheet: None,
            tile_size: None,
            level: Vec::new(),
            format: None,
            ..self.clone()
        }
    }

    /// Returns the memory that the work may take, in MiB: of the exact method or of the particles.
    pub(crate) fn expected_memory(&self) -> u64 {
        match self.method {
            LevelMethod::Exact => self.memory,
            LevelMethod::Conditioned => CONDITIONED_MEMORY,
        }
    }

    /// Returns the number of columns of levels in the direction of play: 60 if the request states none.
    pub(crate) fn length(&self, travel: Travel) -> usize {
        let length = match travel {
            Travel::Right => self.width,
            Travel::Up => self.height,
        };
        length.unwrap_or(60)
    }

    /// Returns an error for numbers that would use up the memory of the machine.
    ///
    /// **Errors.** A number is too large; the error names the field, its number and the maximum.
    pub(crate) fn check(&self, chain: &MarkovChain) -> Result<(), Problem> {
        let (across, travel) = (chain.height(), chain.travel());
        let (along, other, given) = match travel {
            Travel::Right => ("width", "height", self.height),
            Travel::Up => ("height", "width", self.width),
        };
        if given.is_some_and(|given| given != across) {
            return Err(Problem::wrong(format!(
                "{}: the training levels are played {travel} and have {across}; give {across} or leave it out, and give {} for the length",
                Flag(other),
                Flag(along)
            )));
        }
        let length = self.length(travel);
        let from_to = |name: &str, number: u64, most: u64| {
            if (1..=most).contains(&number) {
                Ok(())
            } else {
                Err(Problem::wrong(format!(
                    "{} {number}: write 1 to {most}",
                    Flag(name)
                )))
            }
        };
        from_to(along, length as u64, MOST_COLUMNS as u64)?;
        let given = self.level.iter().map(|row| row.chars().count());
        let longest = given.chain([self.level.len()]).max().unwrap_or_default();
        if longest > MOST_COLUMNS {
            return Err(Problem::wrong(format!(
                "level: it has {longest} rows or columns; the maximum is {MOST_COLUMNS}"
            )));
        }
        let cells = (length * across).max(1) as u64;
        from_to(
            "levels",
            self.levels,
            MOST_LEVELS.min(MOST_CELLS / cells).max(1),
        )?;
        from_to("particles", self.particles as u64, MOST_PARTICLES as u64)?;
        from_to("memory", self.memory, MOST_MEMORY)?;
        let is_exact = self.task == LevelTask::Marginals && self.method == LevelMethod::Exact;
        if self.strict && (is_exact || self.task == LevelTask::Probability) {
            return Err(Problem::wrong(format!(
                "{}: these probabilities ignore the rejection of levels; leave it out, or request the marginals of the conditioned method",
                Flag("strict")
            )));
        }
        if self
            .index
            .checked_add(self.levels)
            .is_none_or(|end| end > 1 << 40)
        {
            return Err(Problem::wrong(format!(
                "index {}: write 0 to {}",
                self.index,
                1_u64 << 40
            )));
        }
        Ok(())
    }
}
