//! Trained chains: training levels from the program, from a folder or from the request, and the chain they give.

use std::fs;
use std::sync::Arc;

use figrs_command::read_text;
use figrs_models::mdmc::{Corpus, Level, MarkovChain, RowSplits, Structure, Structures, TileSet};

use super::request::LevelRequest;
use crate::folder::Folder;
use crate::problem::{Problem, wrong};

/// Training levels and the chain that was trained on them.
#[derive(Debug)]
pub(crate) struct Trained {
    pub(crate) corpus: Corpus,
    pub(crate) chain: Arc<MarkovChain>,
}

/// Names and texts of training levels, and a legend of their tiles if there is one.
#[derive(Debug, Default)]
pub(super) struct Texts {
    levels: Vec<(String, String)>,
    legend: Option<String>,
}

/// Most files of a folder of training levels.
const MOST_FILES: usize = 1000;

impl Texts {
    /// The texts that a request asks to train on; none for the levels that figrs ships.
    ///
    /// **Errors.** Those of the files; a folder and texts together.
    pub(super) fn of(request: &LevelRequest, folder: Option<&Folder>) -> Result<Self, Problem> {
        let legend = request.tiles.as_ref().map(ToString::to_string);
        let Some(name) = &request.corpus else {
            let texts = request.training.iter();
            return Ok(Self {
                levels: texts
                    .map(|training| (training.name.clone(), training.text.clone()))
                    .collect(),
                legend,
            });
        };
        if !request.training.is_empty() {
            return Err(Problem::wrong(
                "corpus and training: give one of them".to_owned(),
            ));
        }
        let folder = folder.ok_or_else(|| {
            Problem::missing(format!("corpus {name:?}: start the program with --folder"))
        })?;
        let mut texts = Self::read(folder, name)?;
        texts.legend = legend.or(texts.legend);
        Ok(texts)
    }

    /// The texts of a folder within the one that is offered; links that lead out of that are left out.
    fn read(folder: &Folder, name: &str) -> Result<Self, Problem> {
        let path = folder.path(name)?;
        let entries = fs::read_dir(path)
            .map_err(|error| Problem::missing(format!("corpus {name:?}: {error}")))?;
        let mut names: Vec<String> = entries
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .take(MOST_FILES)
            .collect();
        names.sort();
        let mut texts = Self::default();
        for file in names {
            let (stem, extension) = file.rsplit_once('.').unwrap_or((&file, ""));
            let is_legend = extension == "json" || extension == "toml";
            if extension != "txt" && !is_legend {
                continue;
            }
            let whole = match name {
                "." => file.clone(),
                name => format!("{name}/{file}"),
            };
            let Ok(path) = folder.path(&whole) else {
                continue;
            };
            let text = read_text(&path)?;
            if !is_legend {
                texts.levels.push((stem.to_owned(), text));
            } else if legend(&text).is_ok() {
                texts.legend = Some(text);
            }
        }
        if texts.levels.is_empty() {
            return Err(Problem::wrong(format!(
                "corpus {name:?}: there are no training levels (*.txt) in it"
            )));
        }
        Ok(texts)
    }

    /// A text that differs for other training levels, legends and settings.
    pub(super) fn key(&self, request: &LevelRequest) -> String {
        format!(
            "{:?} {:?} {:?} {:?} {:?}",
            self, request.rows, request.structure, request.row_splits, request.smoothing
        )
    }

    /// Trains a chain as a request says.
    ///
    /// **Errors.** Those of the texts and of the settings.
    pub(super) fn train(&self, request: &LevelRequest) -> Result<Trained, Problem> {
        let corpus = self.corpus()?;
        let corpus = match request.rows {
            Some(rows) => corpus.bottom_rows(rows).map_err(wrong)?,
            None => corpus,
        };
        let structures: Structures = match &request.structure {
            Some(text) => text
                .parse()
                .map_err(|error| Problem::wrong(format!("structure: {error}")))?,
            None => (&Structure::NS3).into(),
        };
        let bands = request.row_splits.unwrap_or(corpus.height());
        let splits = RowSplits::new(bands, corpus.height()).map_err(wrong)?;
        let chain = MarkovChain::train(&corpus, structures, splits).map_err(wrong)?;
        let chain = chain.smoothed(request.smoothing).map_err(wrong)?;
        Ok(Trained {
            corpus,
            chain: Arc::new(chain),
        })
    }

    fn corpus(&self) -> Result<Corpus, Problem> {
        if self.levels.is_empty() {
            return Ok(Corpus::shipped());
        }
        let tiles = match &self.legend {
            Some(text) => legend(text)?,
            None => TileSet::clone(TileSet::platformer()),
        };
        let symbols = self.levels.iter().flat_map(|(_, text)| text.chars());
        let tiles = Arc::new(tiles.and_unknown(symbols));
        let levels = self.levels.iter().map(|(name, text)| {
            let level = Level::from_text(name, text, &tiles).map_err(wrong)?;
            Ok((name.clone(), level))
        });
        let levels = levels.collect::<Result<Vec<_>, Problem>>()?;
        Corpus::of_tiles(Arc::clone(&tiles), levels).map_err(wrong)
    }
}

/// The tiles of a legend in JSON or TOML.
fn legend(text: &str) -> Result<TileSet, Problem> {
    let as_json = TileSet::from_json(text);
    let tiles = as_json.or_else(|error| TileSet::from_toml(text).map_err(|_| error));
    tiles.map_err(|error| Problem::wrong(format!("tiles: {error}")))
}
