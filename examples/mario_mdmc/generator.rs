//! Trained models, and one level after another from them.

use std::ops::Range;
use std::sync::Arc;

use figrs::models::mdmc::{
    ColumnNGrams, ColumnStream, Corpus, ElementSampler, Generated, HierarchicalChain, Level,
    LevelElements, LevelProgram, LevelSampler, LookAheadSampler, MarkovChain, TileField,
    TileFieldElements, TileSelection,
};

use serde_json::Value;

use crate::Failure;
use crate::demanded;
use crate::options::{Method, Options, Tile};

/// What levels are drawn from.
pub(crate) struct Trained<'a> {
    options: &'a Options,
    pub(crate) corpus: &'a Corpus,
    pub(crate) chain: Arc<MarkovChain>,
    pub(crate) seed: u64,
    engines: Vec<(Method, Engine)>,
}

enum Engine {
    Single(Single),
    Demanded(Box<dyn LevelSampler>),
}

/// What draws one level after another.
enum Single {
    LookAhead,
    Columns,
    Elements(LevelElements),
    Program(LevelProgram),
    Field(TileFieldElements),
}

/// A level and how it came about.
pub(crate) struct Made {
    pub(crate) level: Level,
    pub(crate) unseen: usize,
    /// Of methods that have simpler structures to fall back on.
    pub(crate) fallbacks: Option<usize>,
}

impl<'a> Trained<'a> {
    pub(crate) fn new(
        options: &'a Options,
        corpus: &'a Corpus,
        chain: MarkovChain,
        seed: u64,
    ) -> Result<Self, Failure> {
        let chain = Arc::new(chain);
        let engine = |&method| -> Result<_, Failure> {
            Ok((method, Engine::new(method, options, corpus, &chain)?))
        };
        Ok(Self {
            options,
            corpus,
            seed,
            engines: options
                .methods
                .iter()
                .map(engine)
                .collect::<Result<_, _>>()?,
            chain,
        })
    }

    /// The settings of the first method that, with the training levels, give its levels again.
    pub(crate) fn settings(&self) -> Vec<(&'static str, Value)> {
        let mut settings = self.options.settings(&self.chain);
        if let Some((_, Engine::Demanded(sampler))) = self.engines.first() {
            let demands: Vec<String> = sampler.demands().iter().map(ToString::to_string).collect();
            settings.push(("demands", demands.into()));
        }
        settings
    }

    /// How many of `count` levels of a method are best drawn at once on one thread.
    pub(crate) fn step(&self, method: usize, count: u64) -> u64 {
        const MOST: u64 = 16;
        match &self.engines[method].1 {
            // What is prepared serves several batches, but all threads should have some.
            Engine::Demanded(sampler) => {
                let batch = sampler.batch();
                batch * (count / (batch * 4)).clamp(1, MOST)
            }
            Engine::Single(_) => 1,
        }
    }

    /// Some levels of a method, by its place on the command line, each from random numbers of its own.
    pub(crate) fn levels(&self, method: usize, numbers: Range<u64>) -> Result<Vec<Made>, Failure> {
        match &self.engines[method].1 {
            Engine::Single(engine) => numbers.map(|index| self.level(engine, index)).collect(),
            Engine::Demanded(sampler) => {
                let levels = sampler.levels(self.seed, numbers)?.into_iter();
                Ok(levels.map(Made::from).collect())
            }
        }
    }

    fn level(&self, engine: &Single, index: u64) -> Result<Made, Failure> {
        let mut rng = figrs::stream(self.seed, index);
        let Options {
            width, look_ahead, ..
        } = *self.options;
        let generated = match engine {
            Single::LookAhead => {
                LookAheadSampler::new(&self.chain, look_ahead)?.sample(width, &mut rng)?
            }
            Single::Elements(elements) => {
                let selection = match self.options.tile {
                    Tile::Sampled => TileSelection::Sampled,
                    Tile::MostLikely => TileSelection::MostLikely,
                };
                ElementSampler::new(elements, look_ahead, selection)?.sample(&mut rng)?
            }
            Single::Columns => {
                let mut columns = ColumnStream::new(&self.chain, look_ahead, rng)?;
                return Ok(self.made(columns.level(width)?));
            }
            Single::Program(program) => return Ok(self.made(program.sample(&mut rng)?)),
            Single::Field(field) => {
                return Ok(self.made(field.sample(self.options.sweeps(), &mut rng)?));
            }
        };
        Ok(generated.into())
    }

    fn made(&self, level: Level) -> Made {
        Made {
            unseen: self.chain.unseen(&level),
            fallbacks: None,
            level,
        }
    }
}

impl From<Generated> for Made {
    fn from(generated: Generated) -> Self {
        Self {
            unseen: generated.unseen(),
            fallbacks: Some(generated.fallbacks()),
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
        let width = options.width;
        Ok(Self::Single(match method {
            Method::LookAhead => Single::LookAhead,
            Method::Columns => Single::Columns,
            Method::Elements => Single::Elements(LevelElements::new(Arc::clone(chain), width)?),
            Method::Conditioned | Method::Exact => {
                return Ok(Self::Demanded(demanded::sampler(method, options, chain)?));
            }
            Method::NGrams => {
                let ngrams = ColumnNGrams::train(corpus, options.order())?;
                Single::Program(Arc::new(ngrams).program(width)?)
            }
            Method::Hierarchical => {
                let chain = HierarchicalChain::train(
                    corpus,
                    &options.structure,
                    chain.row_splits(),
                    options.section(),
                    options.kinds(),
                    0,
                )?;
                Single::Program(Arc::new(chain).program(width)?)
            }
            Method::Field => {
                let field = TileField::train(corpus, chain.row_splits())?;
                Single::Field(field.elements(width)?)
            }
        }))
    }
}
