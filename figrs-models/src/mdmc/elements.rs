//! A level as an element program.

use std::sync::Arc;

use figrs_core::{Constant, Element, Flip, Parents, Select};
use ndarray::Array2;

use super::{MarkovChain, MdmcError, Tile, TileDistribution};

figrs_core::value!(Tile);

/// One cell of a [`LevelElements`].
#[derive(Clone, Debug)]
struct Cell {
    configuration: Element<Vec<Tile>>,
    unseen: Element<bool>,
    structure: Element<usize>,
    tile: Element<Tile>,
}

/// A whole level as elements: the joint distribution of its tiles under a trained chain.
///
/// For each cell there is an Apply, the *configuration* of its neighbours' tiles; an Apply, *unseen*, that is true if
/// training never showed it; an Apply that gives the *structure* by which the tile is drawn, the first one whose part of the
/// configuration was seen; and a Chain on configuration and structure, the *tile*. Nothing is computed by building it, and
/// queries about a few cells, with the tiles around them set by interventions, reach those cells only.
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
    cells: Array2<Cell>,
}

impl LevelElements {
    /// The widest level, in columns; less for chains so high that it would exceed 2²⁰ cells.
    pub const MAX_WIDTH: usize = 65_536;

    /// The elements of a level of the chain's height and the given width.
    ///
    /// An error if `width` is 0 or exceeds [`LevelElements::MAX_WIDTH`].
    pub fn new(chain: Arc<MarkovChain>, width: usize) -> Result<Self, MdmcError> {
        let height = chain.height();
        Self::check_width(height, width)?;
        let border = Constant::new(Tile::BORDER).named("border");
        let bare = Cell {
            configuration: Constant::new(Vec::new()),
            unseen: Flip::new(0.0),
            structure: Constant::new(0),
            tile: border.clone(),
        };
        let mut cells = Array2::from_elem((height, width), bare);
        let bands = 0..chain.row_splits().count();
        // One function for all cells of a band: algorithms compute what it gives once.
        let structures: Vec<_> = bands.clone().map(|band| first_seen(&chain, band)).collect();
        let unseens: Vec<_> = bands.clone().map(|band| unseen(&chain, band)).collect();
        let tiles: Vec<_> = bands.map(|band| drawn(&chain, band)).collect();
        for row in (0..height).rev() {
            let band = chain.band(row);
            for column in 0..width {
                let neighbours = chain.structures()[0].neighbours(row, column, height, width);
                let tile = |at: Option<(usize, usize)>| at.map_or(&border, |at| &cells[at].tile);
                let neighbours: Vec<Element<Tile>> =
                    neighbours.map(|at| tile(at).clone()).collect();
                let name = |what: &str| format!("{what} {row},{column}");
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
                cells[(row, column)] = Cell {
                    configuration,
                    unseen,
                    structure,
                    tile,
                };
            }
        }
        Ok(Self { chain, cells })
    }

    /// An error unless a level of this size can be built as elements.
    pub(super) fn check_width(height: usize, width: usize) -> Result<(), MdmcError> {
        let max = ((1 << 20) / height).min(Self::MAX_WIDTH);
        if width == 0 || width > max {
            return Err(MdmcError::Width { width, max });
        }
        Ok(())
    }

    /// The trained chain.
    pub fn chain(&self) -> &Arc<MarkovChain> {
        &self.chain
    }

    /// Rows, as the chain has them.
    pub fn height(&self) -> usize {
        self.cells.nrows()
    }

    /// Columns.
    pub fn width(&self) -> usize {
        self.cells.ncols()
    }

    /// The tile of a cell; rows count from the top. Panics outside the level, as indexing does.
    pub fn tile(&self, row: usize, column: usize) -> &Element<Tile> {
        &self.cells[(row, column)].tile
    }

    /// The tiles of the cell's neighbours, in the order of the first structure.
    pub fn configuration(&self, row: usize, column: usize) -> &Element<Vec<Tile>> {
        &self.cells[(row, column)].configuration
    }

    /// `true` if training never showed the cell's configuration to the first structure.
    pub fn unseen(&self, row: usize, column: usize) -> &Element<bool> {
        &self.cells[(row, column)].unseen
    }

    /// Index of the chain's structure that draws the tile. Intervene here to force it, or the next simpler one that was
    /// shown its part of the configuration.
    pub fn structure(&self, row: usize, column: usize) -> &Element<usize> {
        &self.cells[(row, column)].structure
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
    pub(super) fn row(
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
