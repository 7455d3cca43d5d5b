//! Options of the command line.

use std::num::NonZero;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Duration;

use clap::Parser;
use figrs_command::level_model::TrainedModel;
use figrs_command::level_question::LevelQuestion;
use figrs_command::{Failure, format_of, ranges, seconds, whole};
use figrs_design::DifficultyProfile;
use figrs_models::mdmc::{Corpus, Level, MarkovChain, Rooms, Travel, vglc};
use serde_json::Value;

use crate::demand_flags::Demands;
use crate::format::Format;
use crate::method::{Method, Tile, name};

/// The rows of the table of measures, as a text for `--help`.
const MEASURES: &str = "\
Tiles of the levels that figrs ships: X ground, S brick, - air, ? and Q question block (full, empty), E enemy, < > [ ] pipe (top, side), o coin,
B and b cannon (top, body).
The legend of a --corpus defines the meanings of its tiles; without a legend they are unknown.

Rows of the table of --stats: each is a mean over the levels, with its standard error.
  columns           width
  unseen            number of cells in a configuration that does not occur in training
  all seen          share of levels without unseen cells
  playable          share of levels that a player can complete, by the movement that the tiles suggest: platformer (the published jump
                    arcs), climb (upwards, with solid tops) or ladders (to every collectable)
  reached           share of columns (of rows in levels upwards) up to the furthest one that a player reaches
  under NAME        share of playable levels for each movement that is applicable to the tiles
  linearity         mean distance of platforms from a straight line, in rows
  leniency          rewards (full question blocks) minus enemies, half the hazards (and cannons) and half the gaps, per column
  density           places to stand, per column
  gaps              number of runs of columns without ground
  widest gap        number of columns of the longest such run
  KL 2x2, KL 3x3    Kullback-Leibler divergence of the patterns of tiles from the training levels, in nats; \"back\" is the reverse divergence
  novelty           share of runs of four columns that occur in no training level
  copied run        longest run of columns that occurs in a training level
  nearest           mean share of cells in which a window of eight columns differs from the nearest window of the training levels;
                    a training level is compared with the other training levels
  nearest most      the same share for the window of a level that differs most
  diversity         mean share of cells in which two levels of the method differ
  difficulty        a bar for each of --sections parts of equal length, from the start: enemies, plus half of the gaps, hazards (and
                    cannons) and jumps of a shortest path, per column; JSON has each of these terms

Training levels have their own width, on which unseen, all seen, playable, gaps, widest gap and copied run depend.
For a fair comparison give --width.
A measure is `-` (null in JSON) if it needs a meaning, such as solid or enemy, that none of the tiles has.

Ctrl-C and the end of --time end a set with the levels so far; the files are complete.
In JSON the last level, or the table of --stats, then has \"stopped\": \"interrupt\" or \"time\".
A second Ctrl-C ends the program at once.

Exit code:
  0: there are levels.
  1: there are no levels, because the demands exclude each other, a budget is too small or the time is over.
  2: a file, its tiles or an option is wrong.";

/// Generates levels from models trained on example levels: of Super Mario, or of any game whose levels are text.
///
/// The levels go to the standard output (or to --out), with one row of tiles on each line; the seed, the counts of unseen states and fallbacks, and
/// the time go to the standard error. The same seed gives the same levels on any number of threads.
#[derive(Debug, Parser)]
#[command(version, allow_negative_numbers = true, after_long_help = MEASURES)]
pub(crate) struct Options {
    /// Train on the levels of this directory or file, instead of the levels that figrs ships. Levels are *.txt (one row of tiles on each line, as in
    /// the Video Game Level Corpus), maps of Tiled (*.tmx), or projects and exported values of LDtk (*.ldtk, *.csv). If a directory contains no
    /// levels itself, the levels of its subdirectories are read. A legend (JSON or TOML) in the same directory or above defines the meanings of
    /// tiles; maps refer to tiles by numbers, which the legend gives by its pictures or its order. The option may be given several times.
    #[arg(long, value_name = "DIR|FILE")]
    pub(crate) corpus: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) question: LevelQuestion,
    /// Layer to read from maps with several layers of tiles; if not given, the first layer (of LDtk maps, the first layer with values).
    #[arg(long, value_name = "NAME", requires = "corpus")]
    pub(crate) layer: Option<String>,
    /// Cut the training levels into rooms, and train on the rooms: either rooms of a given size from the top left, such as 16x11, or rooms between
    /// the rows and columns whose tiles are all `outside`. The legend marks such tiles with the word `outside` (else `void` or `null`). Rooms that
    /// consist of outside tiles only are left out, and outside tiles are never drawn.
    #[arg(long, value_name = "ROWSxCOLUMNS|outside", value_parser = ranges::rooms, requires = "corpus")]
    pub(crate) rooms: Option<Rooms>,
    /// File with the meanings of tiles, which override the meanings in a legend of --corpus: a legend in JSON, or in TOML with lines such as
    /// `'#' = ['solid']` and `'o' = { meaning = ['collectable'], picture = 3 }` (the place of a picture on a tile sheet) below a line `[tiles]`. The
    /// words with a meaning in figrs are solid, solidtop, passable, hazard, enemy, climb, rope, start, exit, door, collectable, diggable and outside.
    #[arg(long, value_name = "FILE", requires = "corpus")]
    pub(crate) tiles: Option<PathBuf>,
    /// Load the Markov chain from this file, which --save-model wrote, instead of training one.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["structure", "smoothing", "row_splits", "rows", "weight"])]
    pub(crate) model: Option<PathBuf>,
    /// Write the trained or loaded Markov chain to this file, as JSON.
    #[arg(long, value_name = "FILE")]
    pub(crate) save_model: Option<PathBuf>,
    /// Accept a tile only if this many cells after it can be filled without an unseen state: 0 to 32 (0 to 8 for the method elements); 3 if not
    /// given. The option applies to the methods look-ahead, elements and columns.
    #[arg(long, value_name = "CELLS")]
    pub(crate) look_ahead: Option<usize>,
    /// Method that draws the levels; --stats takes several methods, separated by commas. If not given, the method is look-ahead if --look-ahead is
    /// given, conditioned if there are demands or --trained is given (exact if a demand is soft and little memory is enough), hierarchical if there
    /// are styles, and otherwise look-ahead.
    #[arg(long = "method", value_enum, value_delimiter = ',')]
    pub(crate) methods: Vec<Method>,
    /// The choice of a tile from its distribution by the method elements.
    #[arg(long, value_enum, default_value_t = Tile::Sampled)]
    pub(crate) tile: Tile,
    /// Number of Gibbs sweeps of the field method over each level; 100 if not given.
    #[arg(long)]
    pub(crate) sweeps: Option<u64>,
    /// Stop after this many seconds, or a second later, with the levels so far.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) time: Option<Duration>,
    /// Instead of writing levels, print the probability that the trained model meets the demands; the option applies to the methods conditioned and
    /// exact.
    #[arg(long, conflicts_with_all = ["levels", "stats", "strict"])]
    pub(crate) probability: bool,
    /// Instead of writing levels, measure this many levels of each method, and the training levels at their own widths; the result is a table of
    /// means and standard errors.
    #[arg(
        long,
        value_name = "LEVELS",
        value_parser = whole::<u64>(1..),
        conflicts_with_all = ["levels", "show_path"]
    )]
    pub(crate) stats: Option<u64>,
    /// With --stats, also measure the levels (*.txt) of this directory, such as levels of another tool. The option may be given several times.
    #[arg(long, value_name = "DIR", requires = "stats")]
    pub(crate) also: Vec<PathBuf>,
    /// Number of sections of a level for which --stats or --report states the difficulty, from 1 to 1000; 10 if not given.
    #[arg(long, value_parser = sections)]
    pub(crate) sections: Option<usize>,
    /// Seed of the random numbers; each run has a different seed if not given.
    #[arg(long)]
    pub(crate) seed: Option<u64>,
    /// Number of threads that draw levels; all cores if not given.
    #[arg(long, value_parser = whole::<u16>(1..=256))]
    pub(crate) threads: Option<u16>,
    /// Format of the levels. The formats png, tmx, tiled-json and ldtk-csv need --out, and write one numbered file for each level if --levels is more
    /// than 1. If not given, the extension of --out decides (.txt, .json, .png, .tmx, .csv); without such an extension the format is text.
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Rules by which a player moves, for --playable, --show-path, --strict, --stats, --report and files of --demands: platformer, climb, ladders,
    /// maze, rooms, or a file in TOML or JSON. If not given, the tiles decide: platformer for the tiles of a platformer; ladders for tiles with
    /// ladders, a start and something to collect; climb for levels in which the player climbs, with tiles that are solid from above.
    #[arg(long, value_name = "NAME|FILE")]
    pub(crate) movement: Option<String>,
    /// Write the levels to this file; an existing file is replaced when all levels are complete.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Show the tiles by the pictures of this sheet, a PNG of square tiles side by side; the numbers or the order of tiles in the legend assign the
    /// pictures. The option applies to --format png, tmx and tiled-json, and to --report.
    #[arg(long, value_name = "FILE")]
    pub(crate) tile_sheet: Option<PathBuf>,
    /// The side of the tiles of --tile-sheet in pixels, from 1 to 256; 16 if not given.
    #[arg(long, value_name = "PIXELS", value_parser = whole::<u16>(0..), requires = "tile_sheet")]
    pub(crate) tile_size: Option<u16>,
    /// Write a set of numbered files that the same command can continue after an interruption; needs --seed. A larger number of --levels with the
    /// same number of digits extends the set. Files that are unchanged are kept, and only the other levels are drawn. The settings of the set are
    /// stored in a file with the name of --out and the suffix `-set.json`, and checksums of the levels in `.…-set.journal`.
    #[arg(long, requires = "seed", conflicts_with = "report")]
    pub(crate) resume: bool,
    /// Also write the levels to this file, as an HTML page with pictures of up to 12 levels and a table of measures. The page needs no other files.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["stats", "probability"])]
    pub(crate) report: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) demands: Demands,
    /// Default length of levels, if all training levels have the same length.
    #[arg(skip)]
    usual_length: OnceLock<usize>,
    /// Length of the level in the file of --around.
    #[arg(skip)]
    around_length: OnceLock<usize>,
    /// True if the command chose the method, because the user gave none.
    #[arg(skip)]
    pub(crate) is_method_chosen: bool,
}

impl Options {
    /// Returns the number of columns of a level in the direction of play.
    pub(crate) fn length(&self, travel: Travel) -> usize {
        let length = self.question.length(travel);
        let around = self.around_length.get().copied();
        let usual = self.usual_length.get().copied();
        length.or(around).or(usual).unwrap_or(120)
    }

    /// Sets the default length to the length of the training levels, if all have the same length.
    pub(crate) fn set_usual_length(&self, corpus: &Corpus) {
        let mut widths = corpus.levels().iter().map(Level::width);
        let first = widths.next().unwrap_or(120);
        if widths.all(|width| width == first) {
            self.usual_length.get_or_init(|| first);
        }
    }

    /// Sets the default length to the length of the level of --around, if the file can be read.
    pub(crate) fn set_length_of_around(&self, chain: &MarkovChain) {
        let path = self.demands.around.as_ref();
        let level = path.and_then(|path| vglc::read_level(path, chain.tile_set()).ok());
        if let Some(level) = level {
            let width = chain.travel().turned(&level).width();
            self.around_length.get_or_init(|| width);
        }
    }

    pub(crate) fn look_ahead(&self) -> usize {
        self.look_ahead.unwrap_or(3)
    }

    pub(crate) fn sweeps(&self) -> u64 {
        self.sweeps.unwrap_or(100)
    }

    /// True if the command draws a single level by particles; the number of particles then shows the progress.
    pub(crate) fn shows_particles(&self) -> bool {
        self.question.levels == 1 && self.stats.is_none() && self.methods == [Method::Conditioned]
    }

    pub(crate) fn threads(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, NonZero::get);
        self.threads.map_or_else(cores, usize::from)
    }

    /// True if some option needs rules for the movement of a player.
    pub(crate) fn needs_movement(&self) -> bool {
        self.demands.own.playable || self.question.show_path || self.question.strict
    }

    /// True if the rules for the movement of a player have an effect on the output.
    pub(crate) fn heeds_movement(&self) -> bool {
        self.needs_movement() || self.stats.is_some() || self.report.is_some()
    }

    /// Returns the format given by --format, or else by the extension of --out.
    pub(crate) fn format(&self) -> Format {
        self.checked_format().unwrap_or(Format::Text)
    }

    /// Returns the format of the levels; an error if the extension of the file of --out is that of no format.
    pub(crate) fn checked_format(&self) -> Result<Format, Failure> {
        let formats = [
            ("txt", Format::Text),
            ("json", Format::Json),
            ("png", Format::Png),
            ("tmx", Format::Tmx),
            ("csv", Format::LdtkCsv),
        ];
        format_of(self.format, self.out.as_deref(), &formats)
    }

    /// Chooses the default method of drawing levels if the user names none.
    pub(crate) fn choose_method(&mut self) {
        if self.methods.is_empty() {
            self.is_method_chosen = true;
            let conditions =
                self.demands.beyond_seen() || self.question.trained.is_some() || self.probability;
            let looks_ahead = self.look_ahead.is_some() || self.tile != Tile::Sampled;
            self.methods = vec![match (conditions, self.question.style.is_empty()) {
                _ if looks_ahead => Method::LookAhead,
                (true, _) => Method::Conditioned,
                (false, true) => Method::LookAhead,
                (false, false) => Method::Hierarchical,
            }];
        }
    }

    /// Returns the first option that needs a method of drawing levels which the user does not name, together with this method.
    pub(crate) fn without_method(&self) -> Option<(&'static str, Method)> {
        let given = [
            (
                self.tile == Tile::MostLikely,
                "--tile most-likely",
                Method::Elements,
            ),
            (self.question.order.is_some(), "--order", Method::NGrams),
            (
                self.question.section.is_some(),
                "--section",
                Method::Hierarchical,
            ),
            (
                self.question.kinds.is_some(),
                "--kinds",
                Method::Hierarchical,
            ),
            (
                !self.question.style.is_empty(),
                "--style",
                Method::Hierarchical,
            ),
            (self.sweeps.is_some(), "--sweeps", Method::Field),
            (
                self.question.particles.is_some(),
                "--particles",
                Method::Conditioned,
            ),
            (self.question.memory.is_some(), "--memory", Method::Exact),
        ];
        let given = given.into_iter().filter(|(given, _, _)| *given);
        let mut given = given.map(|(_, option, method)| (option, method));
        // Settings of a model may be given for any method that draws from it.
        let is_used = |method: Method| {
            let models = self.methods.iter().map(|&other| self.model_of(other));
            let models: Vec<TrainedModel> = models.collect();
            let own = self.model_of(method);
            self.methods.contains(&method)
                || method.has_own_model() && method != Method::Field && models.contains(&own)
        };
        given.find(|&(_, method)| !is_used(method))
    }

    /// Returns the trained model from which a method draws levels.
    pub(crate) fn model_of(&self, method: Method) -> TrainedModel {
        match method {
            Method::LookAhead | Method::Elements | Method::Columns => TrainedModel::Chain,
            Method::Conditioned | Method::Exact => self.question.trained(),
            Method::NGrams => TrainedModel::NGrams,
            Method::Hierarchical => TrainedModel::Hierarchical,
            Method::Field => TrainedModel::Field,
        }
    }

    /// True if any method draws from a model for which the test `is` is true.
    pub(crate) fn any_model(&self, is: impl Fn(TrainedModel) -> bool) -> bool {
        self.methods.iter().any(|&method| is(self.model_of(method)))
    }

    /// True if the user names a model, but no method draws from it.
    pub(crate) fn names_model_in_vain(&self) -> bool {
        let heeding = |method: &Method| method.heeds_demands();
        self.question.trained.is_some() && !self.methods.iter().any(heeding)
    }

    /// Returns the settings of the first method that reproduce its levels, together with the training levels.
    pub(crate) fn settings(&self, chain: &MarkovChain) -> Vec<(&'static str, Value)> {
        let method = self.methods[0];
        let mut settings = vec![("method", method.name().into())];
        if method == Method::Elements {
            settings.push(("tile", name(self.tile).into()));
        }
        let model = self.model_of(method);
        if method.heeds_demands() && model != TrainedModel::Chain {
            settings.push(("trained", model.name().into()));
        }
        settings.extend(self.question.model_settings().json(model, chain));
        match method {
            Method::LookAhead | Method::Elements | Method::Columns => {
                settings.push(("look_ahead", self.look_ahead().into()));
            }
            Method::Conditioned => settings.push(("particles", self.question.particles().into())),
            Method::Field => settings.push(("sweeps", self.sweeps().into())),
            Method::Exact | Method::NGrams | Method::Hierarchical => {}
        }
        settings
    }
}

/// Parses the number of sections of a difficulty profile.
fn sections(text: &str) -> Result<usize, String> {
    let max = DifficultyProfile::MAX_SECTIONS;
    let sections = text
        .parse()
        .ok()
        .filter(|sections| (1..=max).contains(sections));
    sections.ok_or_else(|| format!("write a number of sections from 1 to {max}"))
}
