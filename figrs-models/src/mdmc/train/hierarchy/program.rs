//! Hierarchical Markov chains of levels as probabilistic programs.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use figrs_core::{Constant, Datum, Element, Parents, Select};
use ndarray::Array2;

use super::HierarchicalChain;
use crate::mdmc::sample::elements::cell_order;
use crate::mdmc::sample::level_model::{ColumnProgram, LevelColumns, SeenStatement};
use crate::mdmc::sample::twist::{TileShares, Twist};
use crate::mdmc::{
    LevelElements, LevelModel, LevelProgram, SamplingError, Tile, TileDistribution, TileSet, Travel,
};

impl HierarchicalChain {
    /// Returns a level of `width` columns as a probabilistic program: the kind of each section is a `Chain` on the kind of the section before; each
    /// tile is a `Chain` on the tiles of its neighbours and on the kind of its section.
    ///
    /// **Errors.** [`SamplingError::Width`] if `width` is 0 or exceeds [`LevelElements::MAX_WIDTH`].
    pub fn program(self: &Arc<Self>, width: usize) -> Result<LevelProgram, SamplingError> {
        LevelElements::check_width(self.chains[0].height(), width)?;
        let chain = Arc::clone(self);
        let columns = HierarchicalColumns { chain, width };
        Ok(LevelProgram::new(LevelModel::new(Arc::new(columns))))
    }

    fn kind(&self, before: Option<usize>) -> Element<usize> {
        let weights = self.following(before).iter().enumerate();
        let weights = weights.filter(|&(_, &weight)| weight > 0.0);
        Select::new(weights.map(|(kind, &weight)| (weight, kind)))
    }

    fn tile(&self, kind: usize, band: usize, configuration: &[Tile]) -> Element<Tile> {
        let row = self.chains[kind].row(band, configuration, 0);
        let outcomes = row.map_or(&[][..], TileDistribution::probabilities);
        Select::new(outcomes.iter().map(|&(tile, p)| (p, tile)))
    }
}

#[derive(Debug)]
struct HierarchicalColumns {
    chain: Arc<HierarchicalChain>,
    width: usize,
}

impl HierarchicalColumns {
    /// Builds elements for the kinds of the sections `sections` of a level; the kinds of the first `known` sections are inputs.
    fn kinds(&self, sections: Range<usize>, known: usize) -> Vec<Element<usize>> {
        let mut kinds: Vec<Element<usize>> = Vec::with_capacity(sections.len());
        let next = next_kind(&self.chain);
        for section in sections.clone() {
            let kind = match kinds.last() {
                _ if section - sections.start < known => Constant::new(0),
                None => self.chain.kind(None),
                Some(before) => Parents::flat_map_shared(before, &next),
            };
            kinds.push(kind.named(format!("kind {section}")));
        }
        kinds
    }
}

impl ColumnProgram for HierarchicalColumns {
    fn name(&self) -> &'static str {
        "the trained hierarchical chain"
    }

    fn height(&self) -> usize {
        self.chain.chains[0].height()
    }

    fn width(&self) -> usize {
        self.width
    }

    fn tile_set(&self) -> &Arc<TileSet> {
        self.chain.chains[0].tile_set()
    }

    fn travel(&self) -> Travel {
        self.chain.chains[0].travel()
    }

    fn reach(&self) -> Option<usize> {
        // Later columns need the kind of a section only through the section's last column.
        Some(self.chain.chains[0].reach()?.max(1))
    }

    fn columns(&self, columns: Range<usize>, known: usize) -> LevelColumns {
        self.built(columns, known, None)
    }

    fn twisted(&self, columns: Range<usize>, known: usize, twist: &mut Twist) -> LevelColumns {
        let start = (columns.start == 0).then(|| twist.start());
        let mut level = self.built(columns, known, Some(twist));
        level.weights[0].splice(0..0, start);
        level
    }

    fn shares(&self, row: usize) -> Vec<(Tile, f64)> {
        let mut all: BTreeMap<Tile, f64> = BTreeMap::new();
        for (tile, share) in self.chain.chains.iter().flat_map(|chain| chain.shares(row)) {
            *all.entry(tile).or_default() += share / self.chain.chains.len() as f64;
        }
        all.into_iter().collect()
    }
}

impl HierarchicalColumns {
    /// Builds the elements for the columns `columns` of a level; if `twist` is given, the tiles are drawn from proposals that demands on the level
    /// twist.
    fn built(
        &self,
        columns: Range<usize>,
        known: usize,
        mut twist: Option<&mut Twist>,
    ) -> LevelColumns {
        let (first, chain) = (columns.start, &self.chain.chains[0]);
        let (height, section) = (chain.height(), self.chain.section);
        let sections = first / section..columns.end.div_ceil(section);
        let inputs = (first + known).div_ceil(section) - sections.start;
        let kinds = self.kinds(sections.clone(), if known == 0 { 0 } else { inputs });
        let kind = |column: usize| &kinds[column / section - sections.start];
        let border = Constant::new(Tile::BORDER).named("border");
        let mut tiles = Array2::from_elem((height, columns.len()), border.clone());
        let mut seen: Vec<Vec<SeenStatement>> = vec![Vec::new(); columns.len()];
        let bands = 0..chain.row_splits().count();
        // All cells of a band of rows share one function, so that algorithms compute each result of the function once.
        let drawn: Vec<_> = bands.clone().map(|band| drawn(&self.chain, band)).collect();
        let shown: Vec<_> = bands.clone().map(|band| shown(&self.chain, band)).collect();
        let shares = [false, true].map(|seen| -> Vec<_> {
            let bands = bands.clone();
            bands.map(|band| shares(&self.chain, band, seen)).collect()
        });
        let mut weights: Vec<Vec<Element<f64>>> = vec![Vec::new(); columns.len()];
        for (row, column) in cell_order(height, &columns, twist.is_some()) {
            let band = chain.band(row);
            let place = column - first;
            let name = format!("tile {row},{column}");
            if place < known {
                tiles[(row, place)] = Constant::new(Tile::EMPTY).named(name);
                continue;
            }
            let at: Vec<Option<(usize, usize)>> = chain.structures()[0]
                .neighbours(row, column, height, self.width)
                .collect();
            let tile = |at: &Option<(usize, usize)>| {
                at.map_or(&border, |(row, column)| &tiles[(row, column - first)])
                    .clone()
            };
            let neighbours: Vec<Element<Tile>> = at.iter().map(tile).collect();
            let configuration = neighbours
                .map(|tiles| tiles.into_iter().copied().collect::<Vec<Tile>>())
                .named(format!("configuration {row},{column}"));
            let both = (&configuration, kind(column));
            seen[place].push(SeenStatement {
                element: both.map_shared(&shown[band]).erased().clone(),
                value: Datum::new(true),
                cells: at.into_iter().flatten().chain([(row, column)]).collect(),
            });
            let plain = || both.flat_map_shared(&drawn[band]);
            let tile = match twist.as_deref_mut() {
                None => plain(),
                Some(twist) => {
                    let seen = usize::from(twist.seen());
                    let of_tiles = || both.map_shared(&shares[seen][band]);
                    let (tile, weight) = twist.tile((row, column), plain, of_tiles);
                    weights[place].extend(weight);
                    tile
                }
            };
            tiles[(row, place)] = tile.named(name);
        }
        let mut level = LevelColumns::of_tiles(first, tiles);
        for (column, state) in columns.zip(&mut level.state) {
            state.push(kind(column).erased().clone());
        }
        level.seen = seen;
        level.weights = weights;
        level
    }
}

fn next_kind(
    chain: &Arc<HierarchicalChain>,
) -> Arc<impl Fn(&usize) -> Element<usize> + Send + Sync + use<>> {
    let chain = Arc::clone(chain);
    Arc::new(move |&before: &usize| chain.kind(Some(before)))
}

fn drawn(
    chain: &Arc<HierarchicalChain>,
    band: usize,
) -> Arc<impl Fn((&Vec<Tile>, &usize)) -> Element<Tile> + Send + Sync + use<>> {
    let chain = Arc::clone(chain);
    Arc::new(move |(tiles, &kind): (&Vec<Tile>, &usize)| chain.tile(kind, band, tiles))
}

/// Returns the function from the tiles of a cell's neighbours and the kind of the cell's section to the probabilities of the cell's tile. If `seen`
/// is true, the function returns no tiles for a configuration of neighbouring tiles that never occurred in training.
fn shares(
    chain: &Arc<HierarchicalChain>,
    band: usize,
    seen: bool,
) -> Arc<impl Fn((&Vec<Tile>, &usize)) -> TileShares + Send + Sync + use<>> {
    let chain = Arc::clone(chain);
    Arc::new(move |(tiles, &kind): (&Vec<Tile>, &usize)| {
        let chain = &chain.chains[kind];
        let row = chain.row(band, tiles, 0);
        let row = row.filter(|_| !seen || chain.seen(0, band, tiles));
        row.map_or(&[][..], TileDistribution::probabilities)
            .to_vec()
    })
}

fn shown(
    chain: &Arc<HierarchicalChain>,
    band: usize,
) -> Arc<impl Fn((&Vec<Tile>, &usize)) -> bool + Send + Sync + use<>> {
    let chain = Arc::clone(chain);
    Arc::new(move |(tiles, &kind): (&Vec<Tile>, &usize)| chain.chains[kind].seen(0, band, tiles))
}
