//! Trained models, and levels drawn from them.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use figrs_command::level_demands::route_settings;
use figrs_command::level_model::field;
use figrs_command::{Failure, level_counts};
use figrs_design::{Demand, LevelSampler, Route, TileSheet};
use figrs_models::mdmc::{
    ColumnStream, Corpus, ElementSampler, GeneratedLevel, Level, LevelElements, LevelModel,
    LevelProgram, LookAheadSampler, MarkovChain, TileFieldElements, TileSelection, TileSet, Travel,
};
use figrs_reading::{MOST_BYTES, read_limited};
use serde_json::Value;

use crate::demanded;
use crate::method::{Method, Tile};
use crate::moving;
use crate::options::Options;

/// A trained Markov chain, and the methods that draw levels from it.
pub(crate) struct Trained {
    options: Arc<Options>,
    pub(crate) corpus: Corpus,
    pub(crate) chain: Arc<MarkovChain>,
    pub(crate) seed: u64,
    /// The pictures of --tile-sheet.
    pub(crate) sheet: Option<TileSheet>,
    /// The demanded paths of the player; without demanded paths, any path by the rules of a movement if an option needs one.
    pub(crate) routes: Vec<Route>,
    engines: Vec<(Method, Engine)>,
}

enum Engine {
    Sampler(Box<dyn LevelSampler>),
    Other(Other),
}

/// A sampler of a method with a model of its own, or of one that draws columns without end.
enum Other {
    Columns,
    Program(LevelProgram),
    Field(TileFieldElements),
}

/// A level with the number of its unseen neighbourhoods and of its fallbacks.
pub(crate) struct Made {
    pub(crate) level: Level,
    pub(crate) unseen: usize,
    /// Number of tiles drawn by simpler dependency structures (fallbacks); `None` for methods without such structures.
    pub(crate) fallbacks: Option<usize>,
    /// Number of levels before this one that the stricter rules rejected.
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
        let samplers = engines.iter().filter_map(|(_, engine)| match engine {
            Engine::Sampler(sampler) => Some(sampler.demands()),
            Engine::Other(_) => None,
        });
        let mut routes: Vec<Route> = Vec::new();
        for demands in samplers {
            let ways = demands.iter().filter_map(Demand::route);
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
        if let Some((method, Engine::Sampler(sampler))) = self.engines.first()
            && (method.heeds_demands() || method.draws_again() && self.options.demands.any())
        {
            let demands = sampler.demands();
            let demands = demands.iter().map(ToString::to_string);
            settings.push(("demands", demands.collect::<Vec<_>>().into()));
        }
        settings.extend(route_settings(&self.routes, self.options.strict));
        settings.push(("guarantee", self.guarantee().into()));
        settings
    }

    /// Returns all demands on the levels of the first method as text, with every tile.
    pub(crate) fn demands(&self) -> String {
        match self.engines.first() {
            Some((_, Engine::Sampler(sampler))) => format!("{:?}", sampler.demands()),
            _ => String::new(),
        }
    }

    /// Returns the name of the first method, or of the default method.
    pub(crate) fn method(&self) -> String {
        match self.engines.first() {
            Some((Method::Conditioned, Engine::Sampler(sampler))) => sampler.name().to_owned(),
            Some((method, _)) => method.name(),
            None => String::new(),
        }
    }

    /// Returns the measured distance between the exact distribution and the distribution of the first method's levels.
    pub(crate) fn quality(&self) -> Option<String> {
        match self.engines.first() {
            Some((_, Engine::Sampler(sampler))) => sampler.quality(),
            _ => None,
        }
    }

    /// Returns the distribution of the first method's levels, in words.
    pub(crate) fn guarantee(&self) -> String {
        let Some((_, engine)) = self.engines.first() else {
            return String::new();
        };
        match engine {
            Engine::Sampler(sampler) => return sampler.guarantee(),
            Engine::Other(Other::Columns) => "as look-ahead, column after column",
            Engine::Other(Other::Program(_)) => "independent exact draws of the trained model",
            Engine::Other(Other::Field(_)) => {
                "near the law of the trained field, as far as the sweeps forget where they began"
            }
        }
        .to_owned()
    }

    /// Returns the number of levels that a method draws together, whatever number is requested.
    pub(crate) fn batch(&self, method: usize) -> u64 {
        match &self.engines[method].1 {
            Engine::Sampler(sampler) => sampler.batch().max(1),
            Engine::Other(_) => 1,
        }
    }

    /// Returns the number of rows and columns of a level.
    pub(crate) fn size(&self) -> (usize, usize) {
        let length = self.options.length(self.chain.travel());
        match self.chain.travel() {
            Travel::Right => (self.chain.height(), length),
            Travel::Up => (length, self.chain.height()),
        }
    }

    /// Returns a level in its upright form.
    pub(crate) fn upright(&self, level: &Level) -> Level {
        self.chain.travel().upright(level)
    }

    /// Draws levels of the method at a place on the command line, each level from its own random numbers.
    pub(crate) fn levels(&self, method: usize, numbers: Range<u64>) -> Result<Vec<Made>, Failure> {
        if !self.options.strict {
            return self.drawn(method, self.seed, numbers);
        }
        moving::strictly(&self.routes, self.seed, |seed| {
            self.drawn(method, seed, numbers.clone())
        })
    }

    fn drawn(&self, method: usize, seed: u64, numbers: Range<u64>) -> Result<Vec<Made>, Failure> {
        match &self.engines[method].1 {
            Engine::Other(engine) => numbers
                .map(|index| self.level(engine, seed, index))
                .collect(),
            Engine::Sampler(sampler) => {
                let levels = sampler.levels(seed, numbers)?.into_iter();
                Ok(levels.map(|level| Made::of(level, &self.chain)).collect())
            }
        }
    }

    fn level(&self, engine: &Other, seed: u64, index: u64) -> Result<Made, Failure> {
        let mut rng = figrs::stream(seed, index);
        let level = match engine {
            Other::Columns => ColumnStream::new(&self.chain, self.options.look_ahead(), rng)?
                .level(self.options.length(self.chain.travel()))?,
            Other::Program(program) => program.sample(&mut rng)?,
            Other::Field(field) => field.sample(self.options.sweeps(), &mut rng)?,
        };
        Ok(Made {
            unseen: self.chain.unseen(&level),
            fallbacks: None,
            rejected: None,
            level,
        })
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
    /// Adds to a drawn level the number of its unseen neighbourhoods and of its fallbacks.
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
        let other = match method {
            Method::LookAhead => {
                let sampler = LookAheadSampler::new(Arc::clone(chain), look_ahead, width)?;
                return Self::drawn_again(options, corpus, chain, Box::new(sampler));
            }
            Method::Elements => {
                let elements = LevelElements::new(Arc::clone(chain), width)?;
                let selection = match options.tile {
                    Tile::Sampled => TileSelection::Sampled,
                    Tile::MostLikely => TileSelection::MostLikely,
                };
                let sampler = ElementSampler::new(&elements, look_ahead, selection)?;
                return Self::drawn_again(options, corpus, chain, Box::new(sampler));
            }
            Method::Conditioned | Method::Exact => {
                let model = level_model(options, corpus, chain)?;
                return Ok(Self::Sampler(demanded::sampler(
                    method, options, corpus, &model,
                )?));
            }
            Method::Columns => Other::Columns,
            Method::NGrams => Other::Program(options.model_settings().ngrams(corpus, width)?),
            Method::Hierarchical => {
                let settings = options.model_settings();
                Other::Program(settings.hierarchical(corpus, chain, width)?)
            }
            Method::Field => Other::Field(field(corpus, chain, width)?),
        };
        Ok(Self::Other(other))
    }

    /// Returns a sampler that draws from the chain repeatedly until demands are met.
    fn drawn_again(
        options: &Options,
        corpus: &Corpus,
        chain: &Arc<MarkovChain>,
        sampler: Box<dyn LevelSampler>,
    ) -> Result<Self, Failure> {
        if !options.demands.any() {
            return Ok(Self::Sampler(sampler));
        }
        let elements = LevelElements::new(Arc::clone(chain), options.length(chain.travel()))?;
        let sampler = demanded::drawn_again(options, corpus, &(&elements).into(), sampler)?;
        Ok(Self::Sampler(sampler))
    }
}

/// Returns the model of --trained, which demands condition.
pub(crate) fn level_model(
    options: &Options,
    corpus: &Corpus,
    chain: &Arc<MarkovChain>,
) -> Result<LevelModel, Failure> {
    let width = options.length(chain.travel());
    let settings = options.model_settings();
    settings.model(options.trained(), corpus, chain, width)
}
