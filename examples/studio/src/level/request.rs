//! Requests for levels; their fields have the names of the flags of `mario_mdmc`.

use clap::{Arg, CommandFactory, Parser, ValueEnum};
use figrs_command::level_demands::LevelDemands;
use figrs_command::level_model::TrainedModel;
use figrs_command::level_question::LevelQuestion;
use figrs_command::{Bytes, Flag, parsed_from, whole};
use figrs_models::mdmc::{MarkovChain, Travel};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::fields::arguments;
use crate::problem::{Problem, fields_of};

/// A request for levels, for probabilities of tiles, or for the tiles that are available.
#[derive(Clone, Debug, PartialEq, Parser)]
pub(crate) struct LevelRequest {
    #[arg(long, value_enum, default_value_t)]
    pub(crate) task: LevelTask,
    /// A folder of training levels.
    #[arg(long)]
    pub(crate) corpus: Option<String>,
    #[command(flatten)]
    pub(crate) question: LevelQuestion,
    #[command(flatten)]
    pub(crate) demands: LevelDemands,
    #[arg(long, value_enum, default_value_t)]
    pub(crate) method: LevelMethod,
    #[arg(long, default_value_t)]
    pub(crate) seed: u64,
    /// The number of the first level among the levels of the seed.
    #[arg(long, default_value_t)]
    pub(crate) index: u64,
    #[arg(long, value_enum)]
    pub(crate) format: Option<FileFormat>,
    #[arg(skip)]
    pub(crate) texts: LevelTexts,
}

/// The fields of a request that are not flags of a command: the contents of files, and cells.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct LevelTexts {
    /// Training levels as text, in place of a folder.
    pub(crate) training: Vec<TrainingText>,
    /// A legend of the tiles of the training levels.
    pub(crate) tiles: Option<Json>,
    /// Tiles to pin: row, column and character of each tile.
    pub(crate) pin: Vec<(usize, usize, char)>,
    pub(crate) place: Vec<(usize, usize, char)>,
    /// Patterns to forbid, each as a text for each row.
    pub(crate) forbid: Vec<Vec<String>>,
    /// A file of demands on levels as text or JSON, or a list of such files.
    pub(crate) demands: Option<Json>,
    /// The name of a player's movement, or a movement itself as text or JSON.
    pub(crate) movement: Option<Json>,
    /// A picture of the tiles, as PNG in base64.
    pub(crate) tile_sheet: Option<String>,
    pub(crate) tile_size: Option<usize>,
    /// The rows of an existing level.
    pub(crate) level: Vec<String>,
}

/// A training level as text.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TrainingText {
    pub(crate) name: String,
    pub(crate) text: String,
}

/// A question about levels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum LevelTask {
    /// The task to draw levels that meet the demands.
    #[default]
    Sample,
    /// The task to compute the probability of each tile in each cell.
    Marginals,
    /// The task to compute the probability that the trained model meets the demands.
    Probability,
    /// The task to measure an existing level and to find a path of a player through it.
    Check,
    /// The task to convert an existing level to a file.
    Export,
    /// The task to list the tiles and the training levels.
    Tiles,
}

/// A method of drawing levels given demands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum LevelMethod {
    #[default]
    Conditioned,
    Exact,
}

/// A format of files of levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FileFormat {
    Png,
    Tmx,
    TiledJson,
    LdtkCsv,
}

/// Maximum number of columns of a level in the direction of play.
const MOST_COLUMNS: usize = 1000;
/// Maximum number of levels in an answer.
const MOST_LEVELS: u64 = 1000;
/// Maximum number of cells of all levels in an answer.
const MOST_CELLS: u64 = 4_000_000;
/// Maximum number of particles with which one level is drawn.
const MOST_PARTICLES: u32 = 10_000;
/// Minimum and maximum memory for the states of the exact method.
const MEMORY: (Bytes, Bytes) = (Bytes(1 << 20), Bytes(8 << 30));
/// Memory in MiB that is reserved for the particles of a request.
const CONDITIONED_MEMORY: u64 = 128;

impl LevelRequest {
    /// Parses a request.
    ///
    /// **Errors.** The body is not a JSON object, a field is unknown or wrong, or the request has both a folder and texts of training levels.
    pub(crate) fn read(body: &[u8]) -> Result<Self, Problem> {
        let mut fields: Map<String, Json> = serde_json::from_slice(body)?;
        let unset = serde_json::to_value(LevelTexts::default())?;
        let names: Vec<&String> = unset.as_object().into_iter().flat_map(Map::keys).collect();
        let texts = names.iter().filter_map(|&name| fields.remove_entry(name));
        let texts: LevelTexts = fields_of(texts.collect())?;
        let particles = |flag: Arg| flag.value_parser(whole::<u32>(1..=MOST_PARTICLES));
        let command = Self::command().mut_arg("particles", particles);
        let arguments = arguments(&command, &fields, &names)?;
        let request = parsed_from(command, &arguments);
        let request: Self = request.map_err(Problem::wrong)?;
        let request = Self { texts, ..request };
        let (corpus, training) = (&request.corpus, &request.texts.training);
        if corpus.is_some() && !training.is_empty() {
            return Err(Problem::wrong(
                "`corpus` and `training`: give one of them".to_owned(),
            ));
        }
        let own = [
            ("travel", request.question.travel.is_some()),
            ("tiles", request.texts.tiles.is_some()),
        ];
        let own = own.iter().find(|(_, is_given)| *is_given);
        if let Some((field, _)) = own.filter(|_| corpus.is_none() && training.is_empty()) {
            return Err(Problem::wrong(format!(
                "{} needs `corpus` or `training`",
                Flag(field)
            )));
        }
        Ok(request)
    }

    /// Returns the request with only the fields that affect the drawn levels.
    pub(crate) fn of_demands(&self) -> Self {
        Self {
            task: LevelTask::Sample,
            seed: 0,
            index: 0,
            format: None,
            question: LevelQuestion {
                levels: 1,
                show_path: false,
                strict: false,
                ..self.question.clone()
            },
            texts: LevelTexts {
                // The number of the training represents the training levels.
                training: Vec::new(),
                tiles: None,
                tile_sheet: None,
                tile_size: None,
                level: Vec::new(),
                ..self.texts.clone()
            },
            ..self.clone()
        }
    }

    /// Returns the memory in MiB that the work on the request may take: that of the exact method, or that of the particles.
    pub(crate) fn expected_memory(&self) -> u64 {
        match self.method {
            LevelMethod::Exact => self.question.memory().0 >> 20,
            LevelMethod::Conditioned => CONDITIONED_MEMORY,
        }
    }

    /// Returns the number of columns of levels in the direction of play: 60 if the request states none.
    pub(crate) fn length(&self, travel: Travel) -> usize {
        self.question.length(travel).unwrap_or(60)
    }

    /// Returns an error for numbers in a request that would use up the memory of the machine.
    ///
    /// **Errors.** A number is too large; the error names the field, the number in it and the maximum.
    pub(crate) fn check(&self, chain: &MarkovChain) -> Result<(), Problem> {
        self.question.check_size(chain)?;
        self.question.check_styles()?;
        self.check_model()?;
        let (across, travel) = (chain.height(), chain.travel());
        let along = match travel {
            Travel::Right => "width",
            Travel::Up => "height",
        };
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
        let given = self.texts.level.iter().map(|row| row.chars().count());
        let longest = given
            .chain([self.texts.level.len()])
            .max()
            .unwrap_or_default();
        if longest > MOST_COLUMNS {
            return Err(Problem::wrong(format!(
                "level: it has {longest} rows or columns; the maximum is {MOST_COLUMNS}"
            )));
        }
        let cells = (length * across).max(1) as u64;
        from_to(
            "levels",
            self.question.levels,
            MOST_LEVELS.min(MOST_CELLS / cells).max(1),
        )?;
        let ((least, most), memory) = (MEMORY, self.question.memory());
        if memory < least || memory > most {
            let flag = Flag("memory");
            return Err(Problem::wrong(format!(
                "{flag} {memory}: write {least} to {most}"
            )));
        }
        let is_exact = self.task == LevelTask::Marginals && self.method == LevelMethod::Exact;
        if self.question.strict && (is_exact || self.task == LevelTask::Probability) {
            return Err(Problem::wrong(format!(
                "{}: these probabilities ignore the rejection of levels; leave it out, or request the marginals of the conditioned method",
                Flag("strict")
            )));
        }
        if self
            .index
            .checked_add(self.question.levels)
            .is_none_or(|end| end > 1 << 40)
        {
            return Err(Problem::wrong(format!(
                "{} {}: write 0 to {}",
                Flag("index"),
                self.index,
                1_u64 << 40
            )));
        }
        Ok(())
    }

    /// Returns an error if the request has a setting of a model other than the model to be trained.
    fn check_model(&self) -> Result<(), Problem> {
        let (question, hierarchical) = (&self.question, TrainedModel::Hierarchical);
        let settings = [
            ("order", question.order.is_some(), TrainedModel::NGrams),
            ("section", question.section.is_some(), hierarchical),
            ("kinds", question.kinds.is_some(), hierarchical),
            ("style", !question.style.is_empty(), hierarchical),
        ];
        let is_wrong =
            |&&(_, is_given, model): &&(_, _, _)| is_given && question.trained() != model;
        let Some((setting, _, model)) = settings.iter().find(is_wrong) else {
            return Ok(());
        };
        let (setting, trained) = (Flag(setting), Flag("trained"));
        Err(Problem::wrong(format!(
            "{setting} needs {trained} {:?}",
            model.name()
        )))
    }
}
