//! Game levels as probabilistic programs, in which each tile is an `Element` (random variable).

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use figrs_core::{Constant, Datum, Element, Flip, Parents, Select};
use ndarray::Array2;

use super::level_model::{ColumnProgram, LevelColumns, SeenStatement, any_of};
use crate::mdmc::sample::twist::{TileShares, Twist};
use crate::mdmc::{MarkovChain, SamplingError, Tile, TileDistribution, TileSet, Travel};

figrs_core::value!(Tile);

#[derive(Clone, Debug)]
struct CellElements {
    configuration: Element<Vec<Tile>>,
    unseen: Element<bool>,
    structure: Element<usize>,
    tile: Element<Tile>,
    /// Weight that corrects the proposal of the cell's tile in a particle filter, if there is a proposal.
    weight: Option<Element<f64>>,
}

/// A whole level as elements: the joint distribution of the level's tiles under a trained Markov chain of tiles.
///
/// For each cell, an `Apply` (a function of elements) is the *configuration* of its neighbours' tiles, and a Boolean `Apply`, *unseen*, is true if
/// this configuration never occurred in training. For each cell, a further `Apply` is the *structure* (the set of neighbours) from whose training
/// counts the tile is drawn, and a `Chain` on configuration and structure is the *tile*. The elements of the level are built when they are first
/// used. A query for a few cells of a level uses the elements of these cells only, if interventions set the tiles around these cells.
///
/// ```
/// use std::sync::Arc;
/// use figrs_core::Model;
/// use figrs_infer::{Run, VariableElimination};
/// use figrs_models::mdmc::{Corpus, LevelElements, MarkovChain, RowSplits, Structure, Tile};
///
/// let chain = MarkovChain::train(&Corpus::shipped(), &Structure::NS3, RowSplits::NONE)?;
/// let level = LevelElements::new(Arc::new(chain), 50)?;
/// let (bottom_left, next) = (level.tile(13, 0), level.tile(13, 1));
/// let gap_after_ground = VariableElimination::new()
///     .run(&Model::new().observe(bottom_left, Tile::GROUND), next)?
///     .probability(next, &Tile::EMPTY)?;
/// assert!(gap_after_ground < 0.2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct LevelElements {
    chain: Arc<MarkovChain>,
    width: usize,
    cells: Arc<OnceLock<Array2<CellElements>>>,
}

impl LevelElements {
    /// Maximum number of columns of a level; the maximum is lower for levels that would otherwise have more than 2²⁰ cells.
    pub const MAX_WIDTH: usize = 65_536;

    /// Creates the elements of a level that has the height of the Markov chain's training levels and the given width.
    ///
    /// **Errors.** [`SamplingError::Width`] if `width` is 0 or exceeds [`LevelElements::MAX_WIDTH`].
    pub fn new(chain: Arc<MarkovChain>, width: usize) -> Result<Self, SamplingError> {
        Self::check_width(chain.height(), width)?;
        Ok(Self {
            chain,
            width,
            cells: Arc::default(),
        })
    }

    fn cells(&self) -> &Array2<CellElements> {
        let build = || self.columns_of(0..self.width).after(0, None);
        self.cells.get_or_init(build)
    }

    fn cell(&self, row: usize, column: usize) -> &CellElements {
        &self.cells()[(row, column)]
    }

    fn columns_of(&self, columns: Range<usize>) -> ElementColumns<'_> {
        ElementColumns {
            chain: &self.chain,
            width: self.width,
            columns,
            rows: 0..self.height(),
            is_relaxed: false,
        }
    }

    pub(in crate::mdmc) fn check_width(height: usize, width: usize) -> Result<(), SamplingError> {
        let max = ((1 << 20) / height).min(Self::MAX_WIDTH);
        if width == 0 || width > max {
            return Err(SamplingError::Width { width, max });
        }
        Ok(())
    }

    /// Returns the trained Markov chain of tiles.
    pub fn chain(&self) -> &Arc<MarkovChain> {
        &self.chain
    }

    /// Returns the number of rows of the level, which is the height of the Markov chain's training levels.
    pub fn height(&self) -> usize {
        self.chain.height()
    }

    /// Returns the number of columns of the level.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Returns the element for the tile of a cell; the top row is row 0. A row or column outside the level causes a panic.
    pub fn tile(&self, row: usize, column: usize) -> &Element<Tile> {
        &self.cell(row, column).tile
    }

    /// Returns the element for the tiles of the cell's neighbours, in the order of the first network structure.
    pub fn configuration(&self, row: usize, column: usize) -> &Element<Vec<Tile>> {
        &self.cell(row, column).configuration
    }

    /// Returns an element that is `true` if the tiles of the cell's neighbours in the first network structure never occurred together in training.
    pub fn unseen(&self, row: usize, column: usize) -> &Element<bool> {
        &self.cell(row, column).unseen
    }

    /// Returns an element for the index of the network structure (the set of neighbours) from whose training counts the tile is drawn. An
    /// intervention on the element of a cell's structure chooses the network structure. If the tiles of the neighbours in the chosen network
    /// structure never occurred together in training, the tile is drawn from the counts of a structure with fewer neighbours.
    pub fn structure(&self, row: usize, column: usize) -> &Element<usize> {
        &self.cell(row, column).structure
    }
}

struct ElementColumns<'a> {
    chain: &'a Arc<MarkovChain>,
    width: usize,
    columns: Range<usize>,
    rows: Range<usize>,
    /// True if the tiles of the cells around a rectangle may be any possible tiles; false if these tiles are inputs.
    is_relaxed: bool,
}

impl ElementColumns<'_> {
    /// Builds the elements of the cells of a level; the tiles of the first `known` columns are inputs that depend on no other element.
    fn after(&self, known: usize, mut twist: Option<&mut Twist>) -> Array2<CellElements> {
        let (chain, height, first) = (self.chain, self.chain.height(), self.columns.start);
        let border = Constant::new(Tile::BORDER).named("border");
        let bare = CellElements {
            configuration: Constant::new(Vec::new()),
            unseen: Flip::new(0.0),
            structure: Constant::new(0),
            tile: border.clone(),
            weight: None,
        };
        let mut cells = Array2::from_elem((height, self.columns.len()), bare);
        let bands = 0..chain.row_splits().count();
        // All cells of a band of rows share one function, so that algorithms compute each result of the function once.
        let structures: Vec<_> = bands.clone().map(|band| first_seen(chain, band)).collect();
        let unseens: Vec<_> = bands.clone().map(|band| unseen(chain, band)).collect();
        let tiles: Vec<_> = bands.clone().map(|band| drawn(chain, band)).collect();
        let shares = [false, true].map(|seen| -> Vec<_> {
            let bands = bands.clone();
            bands.map(|band| shares(chain, band, seen)).collect()
        });
        for (row, column) in cell_order(height, &self.columns, twist.is_some()) {
            let band = chain.band(row);
            let name = |what: &str| format!("{what} {row},{column}");
            let place = (row, column - first);
            if place.1 < known || !self.rows.contains(&row) {
                let input = || Constant::new(Tile::EMPTY);
                let any = || any_of(&chain.possible(row));
                let tile = if self.is_relaxed { any() } else { input() };
                cells[place].tile = tile.named(name("tile"));
                continue;
            }
            let neighbours = chain.structures()[0].neighbours(row, column, height, self.width);
            let tile = |at: Option<(usize, usize)>| {
                at.map_or(&border, |(row, column)| &cells[(row, column - first)].tile)
            };
            let neighbours: Vec<Element<Tile>> = neighbours.map(|at| tile(at).clone()).collect();
            let configuration = neighbours
                .map(|tiles| tiles.into_iter().copied().collect::<Vec<Tile>>())
                .named(name("configuration"));
            let structure =
                Parents::map_shared(&configuration, &structures[band]).named(name("structure"));
            let unseen = Parents::map_shared(&configuration, &unseens[band]).named(name("unseen"));
            let both = (&configuration, &structure);
            let (tile, weight) = match twist.as_deref_mut() {
                None => (both.flat_map_shared(&tiles[band]), None),
                Some(twist) => {
                    let plain = || both.flat_map_shared(&tiles[band]);
                    let seen = usize::from(twist.seen());
                    twist.tile((row, column), plain, || {
                        both.map_shared(&shares[seen][band])
                    })
                }
            };
            cells[place] = CellElements {
                configuration,
                unseen,
                structure,
                tile: tile.named(name("tile")),
                weight,
            };
        }
        cells
    }
}

impl ColumnProgram for LevelElements {
    fn name(&self) -> &'static str {
        "the trained chain"
    }

    fn height(&self) -> usize {
        self.chain.height()
    }

    fn width(&self) -> usize {
        self.width
    }

    fn tile_set(&self) -> &Arc<TileSet> {
        self.chain.tile_set()
    }

    fn travel(&self) -> Travel {
        self.chain.travel()
    }

    fn chain(&self) -> Option<&Arc<MarkovChain>> {
        Some(&self.chain)
    }

    fn reach(&self) -> Option<usize> {
        self.chain.reach()
    }

    fn columns(&self, columns: Range<usize>, known: usize) -> LevelColumns {
        if columns == (0..self.width) && known == 0 {
            return self.level_columns(0, self.cells(), 0..self.height());
        }
        let cells = self.columns_of(columns.clone()).after(known, None);
        self.level_columns(columns.start, &cells, 0..self.height())
    }

    fn twisted(&self, columns: Range<usize>, known: usize, twist: &mut Twist) -> LevelColumns {
        let start = (columns.start == 0).then(|| twist.start());
        let cells = self.columns_of(columns.clone()).after(known, Some(twist));
        let mut level = self.level_columns(columns.start, &cells, 0..self.height());
        level.weights[0].extend(start);
        for (column, weights) in level.weights.iter_mut().enumerate() {
            let cells = cells.column(column);
            weights.extend(cells.iter().rev().filter_map(|cell| cell.weight.clone()));
        }
        level
    }

    fn shares(&self, row: usize) -> Vec<(Tile, f64)> {
        self.chain.shares(row)
    }

    fn window(&self, rows: Range<usize>, columns: Range<usize>) -> Option<LevelColumns> {
        let reach = self.reach()?;
        let from = columns.start.saturating_sub(reach);
        let known = columns.start - from;
        let relaxed = ElementColumns {
            rows: rows.clone(),
            is_relaxed: true,
            ..self.columns_of(from..columns.end)
        };
        let cells = relaxed.after(known, None);
        let mut columns = self.level_columns(from, &cells, rows);
        columns.seen[..known].fill(Vec::new());
        Some(columns)
    }
}

impl LevelElements {
    /// Returns the elements of the level column by column, with the events that the tiles in the rows `rows` occurred in training together with their
    /// neighbours' tiles.
    fn level_columns(
        &self,
        first: usize,
        cells: &Array2<CellElements>,
        rows: Range<usize>,
    ) -> LevelColumns {
        let tiles = cells.map(|cell| cell.tile.clone());
        let mut columns = LevelColumns::of_tiles(first, tiles);
        let (height, width) = (self.height(), self.width);
        let structure = &self.chain.structures()[0];
        for (column, seen) in columns.seen.iter_mut().enumerate() {
            seen.extend(rows.clone().rev().map(|row| {
                let neighbours = structure.neighbours(row, first + column, height, width);
                SeenStatement {
                    // The tile is drawn from the counts of the first structure exactly if its configuration occurred in training.
                    element: cells[(row, column)].structure.erased().clone(),
                    value: Datum::new(0usize),
                    cells: neighbours
                        .flatten()
                        .chain([(row, first + column)])
                        .collect(),
                }
            }));
        }
        columns
    }
}

fn first_seen(
    chain: &Arc<MarkovChain>,
    band: usize,
) -> Arc<impl Fn(&Vec<Tile>) -> usize + Send + Sync + use<>> {
    let chain = Arc::clone(chain);
    Arc::new(move |tiles: &Vec<Tile>| chain.first_seen(band, tiles))
}

fn unseen(
    chain: &Arc<MarkovChain>,
    band: usize,
) -> Arc<impl Fn(&Vec<Tile>) -> bool + Send + Sync + use<>> {
    let chain = Arc::clone(chain);
    Arc::new(move |tiles: &Vec<Tile>| !chain.seen(0, band, tiles))
}

fn drawn(
    chain: &Arc<MarkovChain>,
    band: usize,
) -> Arc<impl Fn((&Vec<Tile>, &usize)) -> Element<Tile> + Send + Sync + use<>> {
    let chain = Arc::clone(chain);
    Arc::new(move |(tiles, &structure): (&Vec<Tile>, &usize)| {
        let row = chain.row(band, tiles, structure);
        let outcomes = row.map_or(&[][..], TileDistribution::probabilities);
        Select::new(outcomes.iter().map(|&(tile, p)| (p, tile)))
    })
}

/// Returns the function that gives the probabilities of a cell's tile, given the tiles of the cell's neighbours and a network structure. If `seen` is
/// true, the function returns no tiles unless the network structure is the first one.
fn shares(
    chain: &Arc<MarkovChain>,
    band: usize,
    seen: bool,
) -> Arc<impl Fn((&Vec<Tile>, &usize)) -> TileShares + Send + Sync + use<>> {
    let chain = Arc::clone(chain);
    Arc::new(move |(tiles, &structure): (&Vec<Tile>, &usize)| {
        let row = chain.row(band, tiles, structure);
        let row = row.filter(|_| structure == 0 || !seen);
        row.map_or(&[][..], TileDistribution::probabilities)
            .to_vec()
    })
}

impl MarkovChain {
    /// Returns the number of columns to the left on which a column's tiles may depend; `None` if a column's tiles also depend on columns to the
    /// right.
    pub(in crate::mdmc) fn reach(&self) -> Option<usize> {
        let offsets = self.structures()[0].offsets();
        let left = offsets
            .iter()
            .map(|offset| usize::try_from(-offset.dx).ok());
        left.collect::<Option<Vec<usize>>>()
            .map(|left| left.into_iter().max().unwrap_or(0))
    }

    pub(in crate::mdmc) fn possible(&self, row: usize) -> Vec<Tile> {
        self.shares(row).into_iter().map(|(tile, _)| tile).collect()
    }

    pub(in crate::mdmc) fn shares(&self, row: usize) -> Vec<(Tile, f64)> {
        let last = self.structures().len() - 1;
        let anywhere = self.distribution(last, self.band(row), &[]);
        let outcomes = anywhere.map_or(&[][..], TileDistribution::probabilities);
        let possible = outcomes.iter().filter(|&&(_, p)| p > 0.0);
        possible.copied().collect()
    }

    /// Returns the index of the first network structure whose neighbours have tiles that occurred together in training; if there is no such
    /// structure, the index of the one without neighbours.
    pub fn first_seen(&self, band: usize, configuration: &[Tile]) -> usize {
        let last = self.structures().len() - 1;
        let shown = |&structure: &usize| self.part(band, configuration, structure).is_some();
        (0..last).find(shown).unwrap_or(last)
    }

    /// Returns the distribution of a tile given its neighbours in `structure` or, if these neighbours' tiles never occurred together in training, in
    /// the next structure with fewer neighbours in which they did.
    pub(in crate::mdmc) fn row(
        &self,
        band: usize,
        configuration: &[Tile],
        structure: usize,
    ) -> Option<&TileDistribution> {
        (structure..self.structures().len()).find_map(|s| self.part(band, configuration, s))
    }

    fn part(
        &self,
        band: usize,
        configuration: &[Tile],
        structure: usize,
    ) -> Option<&TileDistribution> {
        let part = self.part_of(structure, configuration)?;
        self.distribution(structure, band, &part)
    }
}

/// Returns the cells of the columns `columns` in the order in which their tiles are drawn: row by row from the bottom. With twisted proposals
/// (proposals that take later demands into account), tiles are drawn column by column, because demands read cells in this order.
pub(in crate::mdmc) fn cell_order(
    height: usize,
    columns: &Range<usize>,
    is_twisted: bool,
) -> Vec<(usize, usize)> {
    let rows = (0..height).rev();
    if is_twisted {
        let of_column = |column| rows.clone().map(move |row| (row, column));
        columns.clone().flat_map(of_column).collect()
    } else {
        let of_row = |row| columns.clone().map(move |column| (row, column));
        rows.flat_map(of_row).collect()
    }
}
