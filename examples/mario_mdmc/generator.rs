//! Trained models, and one level after another from them.

use std::sync::Arc;

use figrs::models::mdmc::{
    ColumnNGrams, ColumnStream, Corpus, ElementSampler, HierarchicalChain, Level, LevelElements,
    LevelProgram, LookAheadSampler, MarkovChain, TileField, TileFieldElements, TileSelection,
};

use crate::Failure;
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

    /// Level `index` of a method, by its place on the command line, from random numbers of its own.
    pub(crate) fn level(&self, method: usize, index: u64) -> Result<Made, Failure> {
        let mut rng = figrs::stream(self.seed, index);
        let Options {
            width, look_ahead, ..
        } = *self.options;
        let generated = match &self.engines[method].1 {
            Engine::LookAhead => {
                LookAheadSampler::new(&self.chain, look_ahead)?.sample(width, &mut rng)?
            }
            Engine::Elements(elements) => {
                let selection = match self.options.tile {
                    Tile::Sampled => TileSelection::Sampled,
                    Tile::MostLikely => TileSelection::MostLikely,
                };
                ElementSampler::new(elements, look_ahead, selection)?.sample(&mut rng)?
            }
            Engine::Columns => {
                let mut columns = ColumnStream::new(&self.chain, look_ahead, rng)?;
                return Ok(self.made(columns.level(width)?));
            }
            Engine::Program(program) => return Ok(self.made(program.sample(&mut rng)?)),
            Engine::Field(field) => {
                return Ok(self.made(field.sample(self.options.sweeps(), &mut rng)?));
            }
        };
        Ok(Made {
            unseen: generated.unseen(),
            fallbacks: Some(generated.fallbacks()),
            level: generated.into_level(),
        })
    }

    fn made(&self, level: Level) -> Made {
        Made {
            unseen: self.chain.unseen(&level),
            fallbacks: None,
            level,
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
        Ok(match method {
            Method::LookAhead => Self::LookAhead,
            Method::Columns => Self::Columns,
            Method::Elements => Self::Elements(LevelElements::new(Arc::clone(chain), width)?),
            Method::NGrams => {
                let ngrams = ColumnNGrams::train(corpus, options.order())?;
                Self::Program(Arc::new(ngrams).program(width)?)
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
                Self::Program(Arc::new(chain).program(width)?)
            }
            Method::Field => {
                let field = TileField::train(corpus, chain.row_splits())?;
                Self::Field(field.elements(width)?)
            }
        })
    }
}
