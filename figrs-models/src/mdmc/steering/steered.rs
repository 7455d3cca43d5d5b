//! A level's elements with demands as evidence.

use std::sync::{Arc, Mutex, PoisonError};

use figrs_core::{Apply, Constant, Element, Model, Parents};

use super::super::{Generated, Level, LevelElements, MarkovChain, MdmcError, Reach, Tile};
use super::demand::Demand;
use ndarray::Array2;
use rustc_hash::FxHashMap;

/// The element program of a level together with what the level must have, stated column by column as evidence.
///
/// Any algorithm can be asked about it; [`cells`](Self::cells) are its tiles in the order of the evidence: columns from the left, each
/// from the bottom up. A demand over the whole level is a state folded over columns or cells, with a condition after
/// each column, so that a sampler learns early what cannot succeed.
///
/// ```
/// use std::sync::Arc;
/// use figrs_infer::Frontier;
/// use figrs_models::mdmc::{Corpus, Demand, LevelElements, MarkovChain, RowSplits, SteeredLevel, Structure};
///
/// let chain = MarkovChain::train(&Corpus::shipped(), &Structure::NS0, RowSplits::new(14, 14)?)?;
/// let elements = LevelElements::new(Arc::new(chain), 6)?;
/// let steered = SteeredLevel::new(&elements, &[Demand::MaximumGap(2)])?;
/// let compiled = Frontier::new().compile(steered.model(), steered.cells())?;
/// assert!(compiled.log_evidence().exp() < 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct SteeredLevel {
    chain: Arc<MarkovChain>,
    width: usize,
    demands: Vec<Demand>,
    cells: Vec<Element<Tile>>,
    model: Model,
    /// For each piece of evidence its demand and its column.
    stated: Vec<(usize, usize)>,
}

/// A demand whose evidence is stated column by column.
struct Following<'a> {
    demand: usize,
    state: Box<dyn FnMut(&LevelElements, usize, Model) -> Model + 'a>,
}

impl SteeredLevel {
    /// States the demands about a level.
    ///
    /// An error if a mask has not the level's size, a pattern does not fit into it, or a count is from more to less.
    pub fn new(elements: &LevelElements, demands: &[Demand]) -> Result<Self, MdmcError> {
        let (height, width) = (elements.height(), elements.width());
        for demand in demands {
            check(demand, height, width)?;
        }
        let mut following: Vec<Following<'_>> = demands
            .iter()
            .enumerate()
            .map(|(position, demand)| Following {
                demand: position,
                state: state(demand, demands, height, width),
            })
            .collect();
        let mut model = Model::new();
        for demand in demands {
            let Demand::Placed(mask) = demand else {
                continue;
            };
            for (row, column, tile) in mask.tiles() {
                model = model.intervene(elements.tile(row, column), tile);
            }
        }
        let mut stated = Vec::new();
        let mut cells = Vec::with_capacity(height * width);
        for column in 0..width {
            cells.extend(
                (0..height)
                    .rev()
                    .map(|row| elements.tile(row, column).clone()),
            );
            for follower in &mut following {
                model = (follower.state)(elements, column, model);
                stated.resize(model.evidence().len(), (follower.demand, column));
            }
        }
        drop(following);
        Ok(Self {
            chain: Arc::clone(elements.chain()),
            width,
            demands: demands.to_vec(),
            cells,
            model,
            stated,
        })
    }

    /// The trained chain.
    pub fn chain(&self) -> &Arc<MarkovChain> {
        &self.chain
    }

    /// Columns of the level.
    pub fn width(&self) -> usize {
        self.width
    }

    /// What the level must have.
    pub fn demands(&self) -> &[Demand] {
        &self.demands
    }

    /// The tiles: columns from the left, each from the bottom up.
    pub fn cells(&self) -> &[Element<Tile>] {
        &self.cells
    }

    /// The evidence.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The evidence of some of the demands, up to a column.
    pub(super) fn part(&self, demands: &[usize], last: usize) -> Model {
        self.model.filtered(|piece| {
            let (demand, column) = self.stated[piece];
            column <= last && demands.contains(&demand)
        })
    }

    /// A level with these tiles, in the order of [`cells`](Self::cells).
    pub(super) fn level(&self, tiles: &[Tile]) -> Generated {
        let height = self.chain.height();
        let tile = |(row, column): (usize, usize)| tiles[column * height + height - 1 - row];
        let level = Level::from_tiles(Array2::from_shape_fn((height, self.width), tile));
        Generated::of(&self.chain, level)
    }
}

/// What can be reached after a column, remembered: the same ground comes again and again.
#[derive(Debug, Default)]
struct Crossed {
    known: Mutex<FxHashMap<(Reach, Vec<bool>), Option<Reach>>>,
}

impl Crossed {
    /// How many results are remembered.
    const MOST: usize = 1 << 14;

    fn after(&self, reach: &Reach, solid: &[bool]) -> Option<Reach> {
        let key = (reach.clone(), solid.to_vec());
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(next) = known().get(&key) {
            return next.clone();
        }
        let tile = |&solid: &bool| if solid { Tile::GROUND } else { Tile::EMPTY };
        let column: Vec<Tile> = solid.iter().map(tile).collect();
        let mut next = reach.clone();
        let next = matches!(next.push(&column), Ok(true)).then_some(next);
        let mut known = known();
        if known.len() >= Self::MOST {
            known.clear();
        }
        known.insert(key, next.clone());
        next
    }
}

fn check(demand: &Demand, height: usize, width: usize) -> Result<(), MdmcError> {
    match demand {
        Demand::Pinned(mask) | Demand::Placed(mask)
            if (mask.height(), mask.width()) != (height, width) =>
        {
            Err(MdmcError::MaskShape {
                size: (mask.height(), mask.width()),
                expected: (height, width),
            })
        }
        Demand::Forbidden(pattern)
            if pattern.height() > height
                || pattern.width() > width
                || pattern.tiles().next().is_none() =>
        {
            Err(MdmcError::Pattern {
                size: (pattern.height(), pattern.width()),
                level: (height, width),
            })
        }
        &Demand::Count { least, most, .. } if least > most => {
            Err(MdmcError::CountRange { least, most })
        }
        _ => Ok(()),
    }
}

/// Adds the evidence of a demand on one column to a model.
fn state<'a>(
    demand: &'a Demand,
    all: &'a [Demand],
    height: usize,
    width: usize,
) -> Box<dyn FnMut(&LevelElements, usize, Model) -> Model + 'a> {
    match demand {
        Demand::Seen => Box::new(move |elements, column, model| {
            let first = &elements.chain().structures()[0];
            let placed = |(row, column): (usize, usize)| {
                all.iter().any(|demand| match demand {
                    Demand::Placed(mask) => mask.get(row, column).is_some(),
                    _ => false,
                })
            };
            let rows = (0..height).rev().filter(|&row| {
                let mut sees = first.neighbours(row, column, height, width).flatten();
                !placed((row, column)) && !sees.any(placed)
            });
            rows.fold(model, |model, row| {
                model.observe(elements.unseen(row, column), false)
            })
        }),
        Demand::Pinned(mask) => Box::new(move |elements, column, model| {
            (0..height)
                .rev()
                .fold(model, |model, row| match mask.get(row, column) {
                    Some(tile) => model.observe(elements.tile(row, column), tile),
                    None => model,
                })
        }),
        // They are set before anything is stated.
        Demand::Placed(_) => Box::new(|_, _, model| model),
        &Demand::MaximumGap(most) => {
            let step = Arc::new(move |(gap, tile): (&usize, &Tile)| {
                if tile.solid() {
                    0
                } else {
                    (gap + 1).min(most + 1)
                }
            });
            let mut gap = Constant::new(0usize);
            let short = move |gap: &usize| *gap <= most;
            let short = Arc::new(short);
            Box::new(move |elements, column, model| {
                gap = (&gap, elements.tile(height - 1, column)).map_shared(&step);
                model.condition_shared(&gap, &short)
            })
        }
        &Demand::Count { tile, least, most } => {
            // As many as the cells to come could still bring.
            let step = Arc::new(move |(count, found): (&usize, &Tile)| {
                (count + usize::from(*found == tile)).min(most.saturating_add(1))
            });
            let mut count = Constant::new(0usize);
            let few = Arc::new(move |count: &usize| *count <= most);
            Box::new(move |elements, column, mut model| {
                for row in (0..height).rev() {
                    count = (&count, elements.tile(row, column)).map_shared(&step);
                }
                let left = (width - 1 - column) * height;
                model = model.condition_shared(&count, &few);
                if least > left {
                    model = model.condition(&count, move |count| count + left >= least);
                }
                model
            })
        }
        Demand::Forbidden(pattern) => {
            let tiles: Vec<_> = pattern.tiles().collect();
            let wanted: Vec<Tile> = tiles.iter().map(|&(_, _, tile)| tile).collect();
            let free = Arc::new(move |found: Vec<&Tile>| {
                found
                    .into_iter()
                    .zip(&wanted)
                    .any(|(found, wanted)| found != wanted)
            });
            let (rows, columns) = (pattern.height(), pattern.width());
            Box::new(move |elements, column, mut model| {
                let Some(first) = (column + 1).checked_sub(columns) else {
                    return model;
                };
                for top in 0..=height - rows {
                    let parents: Vec<Element<Tile>> = tiles
                        .iter()
                        .map(|&(row, at, _)| elements.tile(top + row, first + at).clone())
                        .collect();
                    let differs = Parents::map_shared(&parents, &free);
                    model = model.observe(&differs, true);
                }
                model
            })
        }
        Demand::Playable => {
            let crossed = Crossed::default();
            let step = Arc::new(move |(reach, solid): (&Option<Reach>, &Vec<bool>)| {
                crossed.after(reach.as_ref()?, solid)
            });
            let mut reach = Constant::new(Some(Reach::new(height)));
            Box::new(move |elements, column, model| {
                let tiles: Vec<Element<Tile>> = (0..height)
                    .map(|row| elements.tile(row, column).clone())
                    .collect();
                let solid = Apply::new(&tiles, |tiles| {
                    tiles.into_iter().map(|tile| tile.solid()).collect()
                });
                reach = (&reach, &solid).map_shared(&step);
                model.condition(&reach, Option::is_some)
            })
        }
    }
}
