//! Reads demands (requirements on a level) from a design file: patterns and demands, in TOML or JSON.
//!
//! | file | contents |
//! |---|---|
//! | `keys` | the keys of a demand, each with its values |
//! | `legend` | classes of tiles and patterns by name |
//! | `numbers` | ranges of numbers, of rows and columns, and of shares |
//! | `kinds` | the kinds of demands, each with the keys that it takes |
//! | `verbs` | demands by their kinds: the kinds of `counts`, `beside`, `drawings`, `ways`, and others |

mod beside;
mod counts;
mod drawings;
mod keys;
mod kinds;
mod legend;
mod numbers;
mod verbs;
mod ways;

use figrs_reading::FileError;
use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use toml::Spanned;

use super::boards::BoardDemands;
use super::compile::LevelFrame;
use super::demand::Demand;
use crate::text_error::{json_error, toml_error};
use crate::{DemandError, MovementRules};
use figrs_models::grid::Size;
use figrs_models::mdmc::{Corpus, LevelModel, TileSet, Travel};
use keys::Entry;
use legend::Words;
use verbs::Scope;

/// A file of demands as a designer writes them, in TOML or JSON.
///
/// In a design file, rows count from 0 at the top, and columns from 0 at the left, of the upright level, whatever its direction of play. A design
/// file has a `[legend]` of characters that stand for classes of tiles, `[patterns]` drawn with tiles and characters of the legend, and any number of
/// entries `[[demand]]`, each of one kind:
///
/// | kind | further keys | demand |
/// |---|---|---|
/// | `forbid = PATTERN` | | the pattern occurs nowhere in the area |
/// | `require = PATTERN` | `times` | the pattern occurs at least once, or `times` times |
/// | `count = CLASS` | `number` or `share` | the number of tiles, or their share of the cells |
/// | | `in_each` and `number` | the number in each window of `in_each` columns |
/// | | `sections` | a list of numbers, one for each section along the level, or a number of sections with `rising = true` |
/// | `each = PATTERN`, `has = PATTERN` | `right`, `left`, `above`, `below`, `anywhere` | each occurrence of the first pattern has the second one at the given distance in columns or rows, counted from edge to edge |
/// | `between = [PATTERN, PATTERN]` | `distance` | the columns from each occurrence of the first pattern to the next occurrence of the second |
/// | `mirror = "left-right"` or `"top-bottom"` | `by` | the area equals its mirror image |
/// | `repeat = COLUMNS` | `by` | the area repeats after this number of columns |
/// | `pin = DRAWING`, `place = DRAWING` | `at` | the tiles of the drawing, as evidence on the model (`pin`), or set by intervention whatever the model would draw (`place`) |
/// | `start = DRAWING`, `end = DRAWING` | | the level begins or ends with the drawing |
/// | `path = [[row, column], ..]` | `through` | straight lines from cell to cell have only tiles of the class `through`, by default tiles that are not solid |
/// | `pass = [[row, column], { rows = .., columns = .. }, ..]` | | a player's path from the start to the goal passes these cells and areas in this order, by the [rules](DemandScope::rules) of the player's moves |
/// | `like = DRAWING` | `cost`, `at` | soft: each cell that differs from the drawing makes a level less probable by exp(-cost) |
/// | `lines_like = DRAWING` | | each column (each row, if the player climbs) is a column (row) of the drawing |
/// | `max_gap = COLUMNS` | | maximum number of adjacent columns that lack ground in the bottom row (for levels that are played to the right) |
/// | `any = [DEMAND, ..]`, `not = DEMAND`, `if = DEMAND` with `then = DEMAND` | | combinations |
/// | `playable = true`, `seen = true` | | `playable` is [`Demand::Playable`], by the rules of movement of `pass`. `seen` is [`Demand::Seen`]. The demands `playable`, `seen`, `pass`, `place` and `like` cannot be combined by `any`, `not` or `if`, nor made soft by `prefer`. |
///
/// In a design file, the keys `rows` and `columns` limit the area of a demand: `"3..8"` (end excluded) or `"50%.."`. Numbers in a design file are
/// written as `4`, `"2..5"` (both ends included) or `"2.."`. A demand with the key `prefer` (a weight) is soft: levels that break it are only less
/// probable. A class of tiles is written as a tile, `any`, a [`Meaning`](figrs_models::mdmc::Meaning), a word of the tiles' legend, `not` followed by
/// one of these (for all other tiles), or a list of classes. A pattern in a demand is given by its name, by a drawing, or by a class of tiles. The
/// character `_` in a drawing matches any tile. A drawing in a design file is text, or a part of a [training](DemandScope::training) level, as
/// `{ level = "01-first-steps", columns = "30..40" }`. The key `level` is the name of a training level, or a glob pattern such as `"*-1"` that
/// matches exactly one name.
///
/// Demands on windows, sections, periods and distances count the columns of a level from the left or, if the player climbs, the rows from the bottom.
///
/// ```
/// use std::sync::Arc;
/// use figrs_infer::ItemSampler;
/// use figrs_models::board::{ConditionalSampler, Method};
/// use figrs_models::mdmc::{ColumnNGrams, Corpus, LevelModel};
/// use figrs_design::{DemandFile, DemandedLevel};
///
/// let design = DemandFile::from_toml(r#"
/// [legend]
/// "s" = "solid"
/// "a" = "not solid"
///
/// [patterns]
/// pipe = '''
/// <>
/// []'''
///
/// [[demand]]
/// count = "enemy"
/// number = "1..2"
/// in_each = 15
///
/// [[demand]]
/// each = "pipe"
/// has = "enemy"
/// right = "1..6"
/// "#)?;
/// let ngrams = Arc::new(ColumnNGrams::train(&Corpus::shipped(), 2)?);
/// let model = LevelModel::from(&ngrams.program(40)?);
/// let demands = design.demands(&model)?;
/// assert_eq!(demands[0].to_string(), "1 to 2 of E in each 15 columns");
/// let demanded = DemandedLevel::new(model, &demands)?;
/// let exact = ConditionalSampler::new().among([Method::Exact]);
/// assert_eq!(exact.numbered(&demanded)?.items(1, 0..2)?.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct DemandFile {
    legend: IndexMap<String, Value>,
    patterns: IndexMap<String, Value>,
    demands: Vec<Entry>,
}

/// The beginning of the error message for a text that is not a file of demands.
const SUBJECT: &str = "not a file of demands";

/// The contents of a file of demands; the type parameter `D` is the type of an entry for a demand.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a file of demands")]
struct FileText<D> {
    #[serde(default = "IndexMap::new")]
    legend: IndexMap<String, Value>,
    #[serde(default = "IndexMap::new")]
    patterns: IndexMap<String, Value>,
    #[serde(default = "Vec::new")]
    demand: Vec<D>,
}

impl<D> FileText<D> {
    fn read(self, entry: impl Fn((usize, D)) -> Entry) -> DemandFile {
        DemandFile {
            legend: self.legend,
            patterns: self.patterns,
            demands: self.demand.into_iter().enumerate().map(entry).collect(),
        }
    }
}

impl DemandFile {
    /// Reads a file in TOML.
    ///
    /// **Errors.** [`FileError`] if the text is not TOML, or not a design file; the contents of each demand are checked only by
    /// [`demands`](Self::demands).
    pub fn from_toml(text: &str) -> Result<Self, FileError> {
        let file: FileText<Spanned<Map<String, Value>>> =
            toml::from_str(text).map_err(|error| {
                let remedy = "write [legend], [patterns] and [[demand]]";
                toml_error("demands", (text, &error), SUBJECT, remedy)
            })?;
        let line = |place: usize| text[..place].lines().count().max(1);
        Ok(file.read(|(number, demand)| {
            let start = demand.span().start;
            // The parser's span of a table begins with the heading of the table, so the count of lines includes the line of the heading.
            let line = line(text.len().min(start + 1));
            Entry::new(
                format!("line {line} (demand {})", number + 1),
                demand.into_inner(),
            )
        }))
    }

    /// Reads a design file in JSON, which has the same structure as in TOML: `{"legend": {..}, "patterns": {..}, "demand": [{..}, ..]}`.
    ///
    /// **Errors.** [`FileError`] if the text is not JSON, or not the text of a design file.
    pub fn from_json(text: &str) -> Result<Self, FileError> {
        let file: FileText<Map<String, Value>> = serde_json::from_str(text).map_err(|error| {
            let remedy = "write {\"demand\": [{\"forbid\": ..}, ..]}";
            json_error("demands", (text, &error), SUBJECT, remedy)
        })?;
        Ok(file.read(|(number, demand)| Entry::new(format!("demand {}", number + 1), demand)))
    }

    /// Returns the design file as JSON that [`from_json`](Self::from_json) reads.
    pub fn to_json(&self) -> Value {
        let demands: Vec<&Map<String, Value>> = self.demands.iter().map(Entry::keys).collect();
        json!({
            "legend": self.legend,
            "patterns": self.patterns,
            "demand": demands,
        })
    }

    /// Returns the number of demands in the design file.
    pub fn len(&self) -> usize {
        self.demands.len()
    }

    /// True if the design file has no demands.
    pub fn is_empty(&self) -> bool {
        self.demands.is_empty()
    }

    /// True if some demand of the file requires playable levels, for which a movement (the rules of a player's moves) is needed.
    pub fn needs_movement(&self) -> bool {
        let needs =
            |entry: &Entry| entry.has("pass") || entry.get("playable") == Some(&true.into());
        self.demands.iter().any(needs)
    }

    /// Returns the demands of the file for levels of a model, in model coordinates (a level in which the player climbs lies on its side).
    ///
    /// **Errors.** [`FileError`] if the design file has a mistake; the error states the line of the demand.
    pub fn demands(&self, model: &LevelModel) -> Result<Vec<Demand>, FileError> {
        self.on(model).demands()
    }

    /// Returns the demands of the file for boards of the size `size`, whose cells are the tiles of `tiles`.
    ///
    /// Only these kinds of demands are allowed on boards, because they need neither a trained model nor a player: `forbid`, `require`, `count`,
    /// `each`, `between`, `mirror`, `repeat`, `pin`, `path`, `any`, `not` and `if`. On boards, demands on windows, sections, periods and distances
    /// count rows from the top.
    ///
    /// **Errors.** [`FileError`] if the design file has a mistake, or a demand that is not allowed on boards; the error states the line of the
    /// demand.
    pub fn on_boards(&self, size: Size, tiles: &TileSet) -> Result<BoardDemands, FileError> {
        let words = Words::new(tiles, None, &self.legend, &self.patterns)?;
        let size = (size.rows(), size.columns());
        let designer = verbs::Designer {
            words: &words,
            travel: Travel::Right,
            rules: None,
            size,
            scope: Scope::Boards,
        };
        let frame = LevelFrame {
            height: size.1,
            width: size.0,
            tiles,
        };
        let compiled = |entry: &Entry| {
            let demand = designer.demanded(entry)?;
            let turned = demand.in_scan_order(size);
            let compiled = turned.and_then(|demand| Ok((frame.automaton(&demand)?, demand)));
            compiled.map_err(|error| entry.unfit(error))
        };
        let compiled = self.demands.iter().map(compiled);
        let compiled = compiled.collect::<Result<Vec<_>, _>>()?;
        Ok(BoardDemands::new(size, tiles, compiled))
    }

    /// Combines the design file with the model of the levels to which the demands apply.
    pub fn on<'a>(&'a self, model: &'a LevelModel) -> DemandScope<'a> {
        DemandScope {
            file: self,
            model,
            rules: None,
            corpus: None,
        }
    }
}

/// A [`DemandFile`] with the model of the levels, the rules by which players move, and the training levels that its drawings may name.
///
/// ```
/// use std::sync::Arc;
/// use figrs_models::mdmc::{Corpus, ColumnNGrams, LevelModel};
/// use figrs_design::{DemandFile, MovementRules};
///
/// let design = DemandFile::from_toml("
/// [[demand]]
/// pass = [[4, 20], { rows = '..6', columns = '30..34' }]
///
/// [[demand]]
/// lines_like = { level = '01-*', columns = '..60' }
/// ")?;
/// let corpus = Corpus::shipped();
/// let ngrams = Arc::new(ColumnNGrams::train(&corpus, 2)?);
/// let model = LevelModel::from(&ngrams.program(40)?);
/// let scope = design.on(&model).rules(MovementRules::platformer()).training(&corpus);
/// let demands = scope.demands()?;
/// assert_eq!(
///     demands[0].to_string(),
///     "playable from left to right, through row 4, column 20, then rows 0 to 5, columns 30 to 33"
/// );
/// assert_eq!(demands[1].to_string(), "columns from a list of 60 in columns 0 to 39");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct DemandScope<'a> {
    file: &'a DemandFile,
    model: &'a LevelModel,
    rules: Option<&'a MovementRules>,
    corpus: Option<&'a Corpus>,
}

impl<'a> DemandScope<'a> {
    /// Sets the movement (the rules of a player's moves) by which levels must be playable; without this call, the
    /// [movement](crate::Movement::suggested) that the tiles suggest is used.
    pub fn rules(self, rules: &'a MovementRules) -> Self {
        Self {
            rules: Some(rules),
            ..self
        }
    }

    /// Sets the training levels that the drawings of the design file may name.
    pub fn training(self, corpus: &'a Corpus) -> Self {
        Self {
            corpus: Some(corpus),
            ..self
        }
    }

    /// Returns the demands of the design file for the levels of the model. Rows and columns in the returned demands are those of the model, in which
    /// the player always moves to the right.
    ///
    /// **Errors.** [`FileError`] if the design file has a mistake; the error states the line of the demand.
    pub fn demands(&self) -> Result<Vec<Demand>, FileError> {
        let demands = self.demands_with_places()?.into_iter();
        Ok(demands.map(|(_, demand)| demand).collect())
    }

    /// Returns the demands, each with its place in the design file: the line and the index of its entry.
    ///
    /// **Errors.** The method returns the same errors as [`demands`](Self::demands).
    pub fn demands_with_places(&self) -> Result<Vec<(String, Demand)>, FileError> {
        let (height, width) = (self.model.height(), self.model.width());
        let (tiles, travel) = (self.model.tile_set(), self.model.travel());
        let words = Words::new(tiles, self.corpus, &self.file.legend, &self.file.patterns)?;
        let upright = match travel {
            Travel::Right => (height, width),
            Travel::Up => (width, height),
        };
        let frame = LevelFrame {
            height,
            width,
            tiles,
        };
        let mut demands = Vec::new();
        for entry in &self.file.demands {
            let designer = verbs::Designer {
                words: &words,
                travel,
                rules: self.rules,
                size: upright,
                scope: Scope::Levels,
            };
            let demand = designer.demanded(entry)?;
            if travel == Travel::Up && demand.has_gap() {
                return Err(entry.unfit(DemandError::upwards(&demand)));
            }
            let turned = demand.turned(travel, upright);
            let checked = turned.and_then(|demand| frame.automaton(&demand).map(|_| demand));
            let checked = checked.map_err(|error| entry.unfit(error))?;
            demands.push((entry.place().to_owned(), checked));
        }
        Ok(demands)
    }
}
