//! Training of Markov chains on levels from the program, from a folder or from a request.

use std::collections::BTreeSet;
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use figrs_command::level_question::LevelQuestion;
use figrs_command::{Flag, read_text};
use figrs_models::mdmc::{Corpus, CorpusNote, CorpusReader, Level, MarkovChain, TileSet};

use super::request::LevelRequest;
use crate::folder::Folder;
use crate::problem::{Problem, text_of, wrong};

/// Training levels, and the Markov chain that was trained on them.
#[derive(Debug)]
pub(crate) struct Trained {
    /// The unique number of this training, which identifies the trained chain.
    pub(crate) number: u64,
    pub(crate) corpus: Corpus,
    pub(crate) chain: Arc<MarkovChain>,
    /// Descriptions, in words, of the choices that were made in reading the training levels.
    pub(crate) notes: Vec<String>,
}

impl Trained {
    /// Converts a level from the orientation of the Markov chain to the upright form that players see.
    pub(crate) fn upright(&self, level: &Level) -> Level {
        self.chain.travel().upright(level)
    }
}

/// Names and texts of training levels, and legends that may apply to them.
#[derive(Debug, Default)]
pub(super) struct Texts {
    levels: Vec<(String, String)>,
    legends: Vec<TileSet>,
    /// Messages about files that were skipped, because they are not levels.
    skipped: Vec<String>,
}

/// Number of trainings of Markov chains so far in this process.
static TRAININGS: AtomicU64 = AtomicU64::new(0);
/// Maximum number of files in a folder of training levels.
const MOST_FILES: usize = 1000;

impl Texts {
    /// Returns the texts of the training levels in a request; if the levels that figrs ships are used, there are no texts.
    ///
    /// **Errors.** A file cannot be read, or the request has both a folder and texts of training levels.
    pub(super) fn of(request: &LevelRequest, folder: Option<&Folder>) -> Result<Self, Problem> {
        let given = request.texts.tiles.as_ref();
        let given = given.map(|tiles| legend(&text_of(tiles))).transpose()?;
        let Some(name) = &request.corpus else {
            let texts = request.texts.training.iter();
            let texts = texts.map(|training| (training.name.clone(), training.text.clone()));
            let levels: Vec<_> = texts.collect();
            let texts = Self {
                levels,
                legends: given.into_iter().collect(),
                skipped: Vec::new(),
            };
            return texts.only(&request.question);
        };
        let folder = folder.ok_or_else(|| {
            Problem::missing(format!("corpus {name:?}: start the program with --folder"))
        })?;
        let mut texts = Self::read(folder, name)?;
        if let Some(given) = given {
            texts.legends = vec![given];
        }
        texts.only(&request.question)
    }

    /// Keeps the levels whose names match a pattern; all levels if there is no pattern.
    fn only(mut self, question: &LevelQuestion) -> Result<Self, Problem> {
        if self.levels.is_empty() {
            return Ok(self);
        }
        let is_chosen = question.chosen()?;
        self.levels.retain(|(name, _)| is_chosen(name));
        if self.levels.is_empty() {
            return Err(Problem::wrong(format!(
                "{}: no training level has a name that matches",
                Flag("only")
            )));
        }
        Ok(self)
    }

    /// Reads the texts of a subfolder of the studio's folder; links that lead out of this subfolder are left out.
    fn read(folder: &Folder, name: &str) -> Result<Self, Problem> {
        let mut texts = Self::default();
        let reader = CorpusReader::new([""; 0]);
        for level in files(folder, name, &["txt"])? {
            match reader.read_texts([level.clone()]) {
                Ok(_) => texts.levels.push(level),
                // Another kind of text, such as a description of the levels.
                Err(error) => texts.skipped.push(CorpusNote::Skipped(error).to_string()),
            }
        }
        if texts.levels.is_empty() {
            let first = texts.skipped.first();
            let why = first.map_or_else(String::new, |first| format!("; {first}"));
            return Err(Problem::wrong(format!(
                "corpus {name:?}: the folder has no training levels (*.txt){why}"
            )));
        }
        // A legend is beside the levels or in the folder above.
        let above = name.rsplit_once('/').map_or(".", |(above, _)| above);
        for place in [name, above] {
            for (name, text) in files(folder, place, &["json", "toml"])? {
                match legend(&text) {
                    Ok(legend) => texts.legends.push(legend),
                    // Other files may be beside levels: only files that contain tiles are meant as legends.
                    Err(problem) if text.contains("tiles") => {
                        let message = format!(
                            "{name} was skipped, because it is not a legend: {}",
                            problem.message
                        );
                        texts.skipped.push(message);
                    }
                    Err(_) => {}
                }
            }
        }
        Ok(texts)
    }

    /// Returns a text that identifies the training levels, legends and settings.
    pub(super) fn key(&self, request: &LevelRequest) -> String {
        let question = &request.question;
        format!(
            "{:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?}",
            self,
            question.only,
            question.weight,
            question.style,
            question.rows,
            question.travel,
            question.structure,
            question.row_splits,
            question.smoothing
        )
    }

    /// Trains a Markov chain with the settings of a request.
    ///
    /// **Errors.** A text or a setting is wrong.
    pub(super) fn train(&self, request: &LevelRequest) -> Result<Trained, Problem> {
        let (corpus, notes) = self.corpus(request)?;
        let corpus = request.question.weighted(corpus)?;
        let chain = request.question.chain(&corpus)?;
        Ok(Trained {
            number: TRAININGS.fetch_add(1, Ordering::Relaxed),
            corpus,
            chain: Arc::new(chain),
            notes,
        })
    }

    fn corpus(&self, request: &LevelRequest) -> Result<(Corpus, Vec<String>), Problem> {
        if self.levels.is_empty() {
            return Ok((request.question.shipped()?, Vec::new()));
        }
        let mut reader = request.question.reader(CorpusReader::new([""; 0]));
        if let Some(tiles) = self.legend() {
            reader = reader.tiles(tiles.clone());
        }
        let (corpus, notes) = reader.read_texts(self.levels.clone()).map_err(wrong)?;
        let notes = notes.iter().map(ToString::to_string);
        Ok((corpus, self.skipped.iter().cloned().chain(notes).collect()))
    }

    /// Returns the legend that describes the most characters of the levels, if it describes at least half of them.
    fn legend(&self) -> Option<&TileSet> {
        let symbols = self.levels.iter().flat_map(|(_, text)| text.chars());
        let symbols: BTreeSet<char> = symbols.filter(|symbol| !symbol.is_control()).collect();
        let known = |set: &&TileSet| {
            let known = symbols.iter().filter(|&&symbol| set.tile(symbol).is_some());
            known.count()
        };
        let best = self.legends.iter().rev().max_by_key(known);
        best.filter(|set| 2 * known(set) >= symbols.len())
    }
}

/// Returns the names (without extension) and the texts of a folder's files with some extensions. Files behind links that lead out of the folder are
/// left out.
fn files(
    folder: &Folder,
    name: &str,
    extensions: &[&str],
) -> Result<Vec<(String, String)>, Problem> {
    let entries = fs::read_dir(folder.path(name)?)
        .map_err(|error| Problem::missing(format!("corpus {name:?}: {error}")))?;
    let is_asked = |file: &String| {
        let extension = file.rsplit_once('.').map_or("", |(_, extension)| extension);
        extensions.contains(&extension)
    };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut names: Vec<String> = names.filter(is_asked).collect();
    if names.len() > MOST_FILES {
        return Err(Problem::wrong(format!(
            "corpus {name:?}: the folder has {} such files; the maximum is {MOST_FILES}",
            names.len()
        )));
    }
    names.sort();
    let mut files = Vec::new();
    for file in names {
        let (stem, _) = file.rsplit_once('.').unwrap_or((&file, ""));
        let whole = match name {
            "." => file.clone(),
            name => format!("{name}/{file}"),
        };
        if let Ok(path) = folder.file(&whole) {
            files.push((stem.to_owned(), read_text(&path)?));
        }
    }
    Ok(files)
}

/// Parses a legend of tiles in JSON or TOML.
fn legend(text: &str) -> Result<TileSet, Problem> {
    let as_json = TileSet::from_json(text);
    let tiles = as_json.or_else(|error| TileSet::from_toml(text).map_err(|_| error));
    tiles.map_err(|error| Problem::wrong(format!("tiles: {error}")))
}
