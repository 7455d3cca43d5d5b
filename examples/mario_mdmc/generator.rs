//! Trained models, and levels drawn from them.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use figrs::ItemSampler;
use figrs_command::level_demands::route_settings;
use figrs_command::level_model::field;
use figrs_command::level_sampler::{self, NumberedLevels};
use figrs_command::{Failure, level_counts};
use figrs_design::{Demand, DemandedLevelError, ProposedLevels, Route, TileSheet};
use figrs_models::board::{BoardError, ConditionalSampler};
use figrs_models::mdmc::{
    ColumnStream, Corpus, DrawnLevels, ElementSampler, GeneratedLevel, Level, LevelElements,
    LevelModel, LevelProgram, LookAheadSampler, MarkovChain, TileSelection, TileSet, Travel,
};
use figrs_reading::{MOST_BYTES, read_limited};
use serde_json::Value;

use crate::demanded::{self, attributed};
use crate::method::{Method, Tile};
use crate::moving;
use crate::options::Options;

/// A trained Markov chain, and the methods that draw levels from it.
pub(crate) struct Trained {
    options: Arc<Options>,
    pub(crate) corpus: Corpus,
    pub(crate) chain: Arc<MarkovChain>,
    pub(crate) seed: u64,
    /// The pictures of tiles in the file of --tile-sheet.
    pub(crate) sheet: Option<TileSheet>,
    /// The paths of the player that are demanded; if no path is demanded but an option needs a movement, any path by the rules of this movement.
    pub(crate) routes: Vec<Route>,
    engines: Vec<(Method, Engine)>,
}

/// A method of drawing levels, with its sampler and its demands.
struct Engine {
    levels: Box<dyn ItemSampler<Item = GeneratedLevel, Error = BoardError> + Send + Sync>,
    /// The name of the method that draws the levels.
    name: String,
    /// The distribution of the levels, in words.
    guarantee: String,
    demands: Vec<Demand>,
    /// The origin (such as a file or an option) of each demand on the levels.
    origins: Vec<String>,
    /// The sampler of the method, if its model is conditioned on the demands.
    conditioned: Option<NumberedLevels>,
}

/// A level, with the number of its neighbourhoods that never occurred in training and the number of its tiles drawn by fallbacks.
pub(crate) struct Made {
    pub(crate) level: Level,
    pub(crate) unseen: usize,
    /// Number of tiles drawn by simpler dependency structures (fallbacks); `None` for methods without such structures.
    pub(crate) fallbacks: Option<usize>,
    /// Number of levels drawn before this level that the stricter rules of movement rejected.
    pub(crate) rejected: Option<u64>,
}

impl Trained {
    pub(crate) fn new(
        options: Arc<Options>,
        corpus: Corpus,
        chain: MarkovChain,
        seed: u64,
    ) -> Result<Self, Failure> {
        let sheet = options.tile_sheet.as_deref();
        let side = options.tile_size.map_or(TileSheet::SIDE, usize::from);
        let sheet = sheet.map(|path| sheet_of(path, side, chain.tile_set()));
        let sheet = sheet.transpose()?;
        let chain = Arc::new(chain);
        let engine = |&method| -> Result<_, Failure> {
            Ok((method, Engine::new(method, &options, &corpus, &chain)?))
        };
        let engines = options
            .methods
            .iter()
            .map(engine)
            .collect::<Result<Vec<_>, _>>()?;
        let mut routes: Vec<Route> = Vec::new();
        for (_, engine) in &engines {
            let ways = engine.demands.iter().filter_map(Demand::route);
            let new: Vec<&Route> = ways.filter(|route| !routes.contains(route)).collect();
            routes.extend(new.into_iter().cloned());
        }
        if routes.is_empty() && options.needs_movement() {
            let rules = moving::rules(&options, chain.tile_set(), chain.travel())?;
            routes.push(Route::under(&rules));
        }
        Ok(Self {
            options,
            corpus,
            chain,
            seed,
            sheet,
            routes,
            engines,
        })
    }

    /// Returns the settings of the first method that reproduce its levels, together with the training levels.
    pub(crate) fn settings(&self) -> Vec<(&'static str, Value)> {
        let mut settings = self.options.settings(&self.chain);
        if let Some(method) = settings.iter_mut().find(|(name, _)| *name == "method") {
            method.1 = self.method().into();
        }
        if let Some((method, engine)) = self.engines.first()
            && (method.heeds_demands() || method.draws_again() && self.options.demands.any())
        {
            let demands = engine.demands.iter().map(ToString::to_string);
            settings.push(("demands", demands.collect::<Vec<_>>().into()));
        }
        settings.extend(route_settings(&self.routes, self.options.question.strict));
        settings.push(("guarantee", self.guarantee().into()));
        settings
    }

    /// Returns the first method that the command line names.
    fn first(&self) -> Option<&Engine> {
        self.engines.first().map(|(_, engine)| engine)
    }

    /// Returns all demands on the levels of the first method as text, including the demand on every tile.
    pub(crate) fn demands(&self) -> String {
        let demands = self.first().map(|engine| format!("{:?}", engine.demands));
        demands.unwrap_or_default()
    }

    /// Returns the name of the first method, or of the default method.
    pub(crate) fn method(&self) -> String {
        let name = self.first().map(|engine| engine.name.clone());
        name.unwrap_or_default()
    }

    /// Returns the measured distance between the exact distribution and the distribution of the first method's levels.
    pub(crate) fn quality(&self) -> Option<String> {
        let conditioned = self.first()?.conditioned.as_ref()?;
        level_sampler::quality(conditioned)
    }

    /// Returns the distribution of the first method's levels, in words.
    pub(crate) fn guarantee(&self) -> String {
        let guarantee = self.first().map(|engine| engine.guarantee.clone());
        guarantee.unwrap_or_default()
    }

    /// Returns the number of levels that a method draws together, even if fewer levels are requested.
    pub(crate) fn batch(&self, method: usize) -> u64 {
        self.engines[method].1.levels.batch().max(1)
    }

    /// Returns the number of rows and columns of a level.
    pub(crate) fn size(&self) -> (usize, usize) {
        let length = self.options.length(self.chain.travel());
        match self.chain.travel() {
            Travel::Right => (self.chain.height(), length),
            Travel::Up => (length, self.chain.height()),
        }
    }

    /// Returns a level in its upright form, as players see it, instead of the coordinates of the model.
    pub(crate) fn upright(&self, level: &Level) -> Level {
        self.chain.travel().upright(level)
    }

    /// Draws levels by the method with the index `method` on the command line, each level from its own random numbers.
    pub(crate) fn levels(&self, method: usize, numbers: Range<u64>) -> Result<Vec<Made>, Failure> {
        if !self.options.question.strict {
            return self.drawn(method, self.seed, numbers);
        }
        moving::strictly(&self.routes, self.seed, |seed| {
            self.drawn(method, seed, numbers.clone())
        })
    }

    fn drawn(&self, method: usize, seed: u64, numbers: Range<u64>) -> Result<Vec<Made>, Failure> {
        let engine = &self.engines[method].1;
        let levels = engine.levels.items(seed, numbers);
        let levels = levels.map_err(|error| attributed(error.into(), &engine.origins))?;
        let levels = levels.into_iter();
        Ok(levels.map(|level| Made::of(level, &self.chain)).collect())
    }
}

/// Reads the sheet of pictures in a file, with errors in the words of the command line.
fn sheet_of(path: &Path, side: usize, tiles: &Arc<TileSet>) -> Result<TileSheet, Failure> {
    let png = read_limited(path, MOST_BYTES)
        .map_err(|error| format!("--tile-sheet: cannot read {}: {error}", path.display()))?;
    TileSheet::from_png(&png, side, tiles).map_err(|error| {
        let flag = match error.mistake.setting {
            Some("side") => " (--tile-size)",
            _ => "",
        };
        format!("--tile-sheet {}: {}{flag}", path.display(), error.mistake).into()
    })
}

impl Made {
    /// Adds to a drawn level the number of its neighbourhoods that never occurred in training and the number of its tiles drawn by fallbacks.
    fn of(generated: GeneratedLevel, chain: &MarkovChain) -> Self {
        let (unseen, fallbacks) = level_counts(&generated, chain);
        Self {
            unseen,
            fallbacks,
            rejected: None,
            level: generated.into_level(),
        }
    }
}

impl Engine {
    fn new(
        method: Method,
        options: &Options,
        corpus: &Corpus,
        chain: &Arc<MarkovChain>,
    ) -> Result<Self, Failure> {
        let (width, look_ahead) = (options.length(chain.travel()), options.look_ahead());
        let size = (chain.height(), width);
        let settings = options.question.model_settings();
        match method {
            Method::LookAhead => {
                let sampler = LookAheadSampler::new(Arc::clone(chain), look_ahead, width)?;
                let guarantee = "tiles are drawn one by one, and again if they lead to an unseen configuration within the look-ahead; approximately the \
                                 trained chain given that nothing is unseen";
                Self::drawn_again(method, options, corpus, chain, sampler.into(), guarantee)
            }
            Method::Elements => {
                let elements = LevelElements::new(Arc::clone(chain), width)?;
                let selection = match options.tile {
                    Tile::Sampled => TileSelection::Sampled,
                    Tile::MostLikely => TileSelection::MostLikely,
                };
                let sampler = ElementSampler::new(&elements, look_ahead, selection)?;
                let guarantee = "as look-ahead, but by exact inference; a tile is drawn again if its most probable continuation is unseen";
                Self::drawn_again(method, options, corpus, chain, sampler.into(), guarantee)
            }
            Method::Conditioned | Method::Exact => {
                let model = level_model(options, corpus, chain)?;
                let (sampler, origins) = demanded::sampler(method, options, corpus, &model)?;
                Ok(Self {
                    name: level_sampler::method(&sampler).to_owned(),
                    guarantee: level_sampler::guarantee(&sampler),
                    demands: sampler.generator().demands().cloned().collect(),
                    origins,
                    conditioned: Some(sampler.clone()),
                    levels: Box::new(sampler),
                })
            }
            Method::Columns => {
                let chain = Arc::clone(chain);
                let levels = DrawnLevels::new("columns", size, move |random| {
                    let columns = ColumnStream::new(&chain, look_ahead, random);
                    let level = columns.and_then(|mut columns| columns.level(width));
                    let level = level.map_err(BoardError::of_generator)?;
                    Ok(GeneratedLevel::of_other(level))
                });
                Self::undemanding(method, levels, "as look-ahead, column after column")
            }
            Method::NGrams => Self::of_program(method, size, settings.ngrams(corpus, width)?),
            Method::Hierarchical => {
                let program = settings.hierarchical(corpus, chain, width)?;
                Self::of_program(method, size, program)
            }
            Method::Field => {
                let (field, sweeps) = (field(corpus, chain, width)?, options.sweeps());
                let levels = DrawnLevels::new("field", size, move |random| {
                    Ok(GeneratedLevel::of_other(field.sample(sweeps, random)?))
                });
                let guarantee = "approximately the distribution of the trained field, if the sweeps are enough to forget their start";
                Self::undemanding(method, levels, guarantee)
            }
        }
    }

    /// Creates the method that draws levels from a probabilistic program of elements, one element for each tile.
    fn of_program(
        method: Method,
        size: (usize, usize),
        program: LevelProgram,
    ) -> Result<Self, Failure> {
        let levels = DrawnLevels::new("program", size, move |random| {
            Ok(GeneratedLevel::of_other(program.sample(random)?))
        });
        Self::undemanding(
            method,
            levels,
            "independent exact draws of the trained model",
        )
    }

    /// Creates a method that draws levels without demands.
    fn undemanding(method: Method, levels: DrawnLevels, guarantee: &str) -> Result<Self, Failure> {
        let levels = ConditionalSampler::new().numbered(Arc::new(levels));
        Ok(Self {
            levels: Box::new(levels.map_err(DemandedLevelError::from)?),
            name: method.name(),
            guarantee: guarantee.to_owned(),
            demands: Vec::new(),
            origins: Vec::new(),
            conditioned: None,
        })
    }

    /// Creates a method that draws levels from the Markov chain again and again until the demands are met, if there are demands.
    fn drawn_again(
        method: Method,
        options: &Options,
        corpus: &Corpus,
        chain: &Arc<MarkovChain>,
        proposals: DrawnLevels,
        guarantee: &str,
    ) -> Result<Self, Failure> {
        if !options.demands.any() {
            return Self::undemanding(method, proposals, guarantee);
        }
        let elements = LevelElements::new(Arc::clone(chain), options.length(chain.travel()))?;
        let demanded = demanded::demanded_level(options, corpus, &(&elements).into())?;
        let demands = demanded.demands().cloned().collect();
        let levels = Arc::new(ProposedLevels::new(proposals, demanded)?);
        let levels = ConditionalSampler::new().numbered(levels);
        Ok(Self {
            levels: Box::new(levels.map_err(DemandedLevelError::from)?),
            name: method.name(),
            guarantee: format!("{guarantee}; levels are drawn again until all demands are met"),
            demands,
            origins: Vec::new(),
            conditioned: None,
        })
    }
}

/// Returns the model that --trained names, which is then conditioned on the demands.
pub(crate) fn level_model(
    options: &Options,
    corpus: &Corpus,
    chain: &Arc<MarkovChain>,
) -> Result<LevelModel, Failure> {
    let width = options.length(chain.travel());
    options.question.model(corpus, chain, width)
}
