//! A level as an element program.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use figrs_core::{Constant, Element, Flip, Parents, Select};
use ndarray::Array2;

use crate::mdmc::{MarkovChain, SamplingError, Tile, TileDistribution};

figrs_core::value!(Tile);

/// One cell of a [`LevelElements`].
#[derive(Clone, Debug)]
struct CellElements {
    configuration: Element<Vec<Tile>>,
    unseen: Element<bool>,
    structure: Element<usize>,
    tile: Element<Tile>,
}

/// A whole level as elements: the joint distribution of its tiles under a trained chain.
///
/// For each cell there is an Apply, the *configuration* of its neighbours' tiles; an Apply, *unseen*, that is true if
/// training never showed it; an Apply that gives the *structure* by which the tile is drawn, the first one whose part of the
/// configuration was seen; and a Chain on configuration and structure, the *tile*. Elements are built when the first of them is
/// asked for. Nothing is computed by that, and queries about a few cells, with the tiles around them set by interventions,
/// reach those cells only.
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
    /// The first column that has elements.
    first: usize,
    cells: Arc<OnceLock<Array2<CellElements>>>,
}

impl LevelElements {
    /// The widest level, in columns; less for chains so high that it would exceed 2²⁰ cells.
    pub const MAX_WIDTH: usize = 65_536;

    /// The elements of a level of the chain's height and the given width.
    ///
    /// An error if `width` is 0 or exceeds [`LevelElements::MAX_WIDTH`].
    pub fn new(chain: Arc<MarkovChain>, width: usize) -> Result<Self, SamplingError> {
        Self::check_width(chain.height(), width)?;
        Ok(Self {
            chain,
            width,
            first: 0,
            cells: Arc::default(),
        })
    }

    /// The elements of some columns alone; the tiles of the first `known` of them are elements to be given values.
    pub(in crate::mdmc) fn of_columns(&self, columns: Range<usize>, known: usize) -> Self {
        let cells = ColumnCells {
            chain: &self.chain,
            width: self.width,
            columns: columns.clone(),
        };
        Self {
            chain: Arc::clone(&self.chain),
            width: self.width,
            first: columns.start,
            cells: Arc::new(cells.after(known).into()),
        }
    }

    #[cfg(test)]
    pub(in crate::mdmc) fn is_built(&self) -> bool {
        self.cells.get().is_some()
    }

    /// The columns to the left that the tiles of a column may depend on; nothing if they depend on columns to the right as well.
    pub(in crate::mdmc) fn reach(&self) -> Option<usize> {
        let offsets = self.chain.structures()[0].offsets();
        let left = offsets
            .iter()
            .map(|offset| usize::try_from(-offset.dx).ok());
        left.collect::<Option<Vec<usize>>>()
            .map(|left| left.into_iter().max().unwrap_or(0))
    }

    fn cell(&self, row: usize, column: usize) -> &CellElements {
        let build = || {
            let cells = ColumnCells {
                chain: &self.chain,
                width: self.width,
                columns: 0..self.width,
            };
            cells.after(0)
        };
        &self.cells.get_or_init(build)[(row, column - self.first)]
    }

    /// An error unless a level of this size can be built as elements.
    pub(in crate::mdmc) fn check_width(height: usize, width: usize) -> Result<(), SamplingError> {
        let max = ((1 << 20) / height).min(Self::MAX_WIDTH);
        if width == 0 || width > max {
            return Err(SamplingError::Width { width, max });
        }
        Ok(())
    }

    /// The trained chain.
    pub fn chain(&self) -> &Arc<MarkovChain> {
        &self.chain
    }

    /// Rows, as the chain has them.
    pub fn height(&self) -> usize {
        self.chain.height()
    }

    /// Columns.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The tile of a cell; rows count from the top. Panics outside the level, as indexing does.
    pub fn tile(&self, row: usize, column: usize) -> &Element<Tile> {
        &self.cell(row, column).tile
    }

    /// The tiles of the cell's neighbours, in the order of the first structure.
    pub fn configuration(&self, row: usize, column: usize) -> &Element<Vec<Tile>> {
        &self.cell(row, column).configuration
    }

    /// `true` if training never showed the cell's configuration to the first structure.
    pub fn unseen(&self, row: usize, column: usize) -> &Element<bool> {
        &self.cell(row, column).unseen
    }

    /// Index of the chain's structure that draws the tile. Intervene here to force it, or the next simpler one that was
    /// shown its part of the configuration.
    pub fn structure(&self, row: usize, column: usize) -> &Element<usize> {
        &self.cell(row, column).structure
    }
}

/// Some columns of a level that are being built.
struct ColumnCells<'a> {
    chain: &'a Arc<MarkovChain>,
    width: usize,
    columns: Range<usize>,
}

impl ColumnCells<'_> {
    /// The cells, those of the first `known` columns with tiles that depend on nothing.
    fn after(&self, known: usize) -> Array2<CellElements> {
        let (chain, height, first) = (self.chain, self.chain.height(), self.columns.start);
        let border = Constant::new(Tile::BORDER).named("border");
        let bare = CellElements {
            configuration: Constant::new(Vec::new()),
            unseen: Flip::new(0.0),
            structure: Constant::new(0),
            tile: border.clone(),
        };
        let mut cells = Array2::from_elem((height, self.columns.len()), bare);
        let bands = 0..chain.row_splits().count();
        // One function for all cells of a band: algorithms compute what it gives once.
        let structures: Vec<_> = bands.clone().map(|band| first_seen(chain, band)).collect();
        let unseens: Vec<_> = bands.clone().map(|band| unseen(chain, band)).collect();
        let tiles: Vec<_> = bands.map(|band| drawn(chain, band)).collect();
        for row in (0..height).rev() {
            let band = chain.band(row);
            for column in self.columns.clone() {
                let name = |what: &str| format!("{what} {row},{column}");
                let place = (row, column - first);
                if place.1 < known {
                    cells[place].tile = Constant::new(Tile::EMPTY).named(name("tile"));
                    continue;
                }
                let neighbours = chain.structures()[0].neighbours(row, column, height, self.width);
                let tile = |at: Option<(usize, usize)>| {
                    at.map_or(&border, |(row, column)| &cells[(row, column - first)].tile)
                };
                let neighbours: Vec<Element<Tile>> =
                    neighbours.map(|at| tile(at).clone()).collect();
                let configuration = neighbours
                    .map(|tiles| tiles.into_iter().copied().collect::<Vec<Tile>>())
                    .named(name("configuration"));
                let structure =
                    Parents::map_shared(&configuration, &structures[band]).named(name("structure"));
                let unseen =
                    Parents::map_shared(&configuration, &unseens[band]).named(name("unseen"));
                let tile = (&configuration, &structure)
                    .flat_map_shared(&tiles[band])
                    .named(name("tile"));
                cells[place] = CellElements {
                    configuration,
                    unseen,
                    structure,
                    tile,
                };
            }
        }
        cells
    }
}

/// The structure that draws a tile, by the configuration.
fn first_seen(
    chain: &Arc<MarkovChain>,
    band: usize,
) -> Arc<impl Fn(&Vec<Tile>) -> usize + Send + Sync + use<>> {
    let chain = Arc::clone(chain);
    Arc::new(move |tiles: &Vec<Tile>| chain.first_seen(band, tiles))
}

/// True if a configuration is unseen.
fn unseen(
    chain: &Arc<MarkovChain>,
    band: usize,
) -> Arc<impl Fn(&Vec<Tile>) -> bool + Send + Sync + use<>> {
    let chain = Arc::clone(chain);
    Arc::new(move |tiles: &Vec<Tile>| !chain.seen(0, band, tiles))
}

/// The distribution of a tile, by the configuration and the structure.
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

impl MarkovChain {
    /// The first structure that was shown its part of a configuration; the simplest one if none was.
    pub fn first_seen(&self, band: usize, configuration: &[Tile]) -> usize {
        let last = self.structures().len() - 1;
        let shown = |&structure: &usize| self.part(band, configuration, structure).is_some();
        (0..last).find(shown).unwrap_or(last)
    }

    /// The distribution in a configuration of `structure`, or of the next simpler one that was shown its part.
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
