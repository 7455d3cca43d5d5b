//! Draws levels from the probabilistic program of a Markov chain of tiles, one tile after another.

use figrs_core::Model;
use figrs_infer::{Error, MpeVariableElimination, Run, VariableElimination};
use ndarray::Array2;
use rand::{Rng, RngExt};

use crate::mdmc::{GeneratedLevel, Level, LevelElements, SamplingError, Tile};

/// The way in which a tile is chosen, given the distribution of the tile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TileSelection {
    /// The tile is drawn at random from its distribution.
    #[default]
    Sampled,
    /// The most probable tile is chosen; the level therefore depends on no random numbers.
    MostLikely,
}

/// Draws levels by queries to their probabilistic program [`LevelElements`].
///
/// The sampler visits the cells of a level in the order of the look-ahead sampler: row by row from the bottom, from left to right. The sampler
/// computes the distribution of a tile, given the tiles drawn before, by variable elimination; tiles that the look-ahead rejects are removed from
/// this distribution. The look-ahead computes the most probable tiles of the next few cells of the row, and checks whether these tiles contain an
/// unseen configuration (a combination of tiles that never occurred in training). For each query, the sampler sets the tiles drawn before by
/// intervention. Because drawn tiles are set by intervention, a query concerns few cells: given the neighbours on which a tile depends, the tile is
/// independent of all other tiles drawn before.
///
/// # Guarantee
///
/// The sampled levels have the distribution of [`LookAheadSampler`](crate::mdmc::LookAheadSampler), except that a tile is rejected if the *most
/// probable* tiles of the next cells contain an unseen configuration, even if less probable tiles do not.
///
/// # References
///
/// The sampler of levels is that of Snodgrass and Ontañón (2017), Algorithms 1 and 2, written as queries to a probabilistic program.
#[derive(Clone, Debug)]
pub struct ElementSampler {
    elements: LevelElements,
    depth: usize,
    selection: TileSelection,
}

impl ElementSampler {
    /// Maximum number of cells that the sampler looks ahead.
    pub const MAX_DEPTH: usize = 8;

    /// Creates a sampler of levels that looks `depth` cells ahead.
    ///
    /// **Errors.** [`SamplingError::LookAhead`] if `depth` exceeds [`ElementSampler::MAX_DEPTH`].
    pub fn new(
        elements: &LevelElements,
        depth: usize,
        selection: TileSelection,
    ) -> Result<Self, SamplingError> {
        if depth > Self::MAX_DEPTH {
            return Err(SamplingError::LookAhead {
                depth,
                max: Self::MAX_DEPTH,
            });
        }
        Ok(Self {
            elements: elements.clone(),
            depth,
            selection,
        })
    }

    pub(in crate::mdmc) fn size(&self) -> (usize, usize) {
        (self.elements.height(), self.elements.width())
    }

    /// Draws one level, whose width is the width of the [`LevelElements`].
    ///
    /// **Errors.** The errors of the algorithm [`VariableElimination`](figrs_infer::VariableElimination).
    pub fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> Result<GeneratedLevel, Error> {
        let (height, width) = (self.elements.height(), self.elements.width());
        let structures = self.elements.chain().structures().len();
        let mut drawing = PartialLevel {
            sampler: self,
            tiles: Array2::from_elem((height, width), None),
            tiles_by_structure: vec![0; structures],
            shortened: 0,
        };
        for row in (0..height).rev() {
            for column in 0..width {
                drawing.place(row, column, rng)?;
            }
        }
        Ok(drawing.generated())
    }
}

struct PartialLevel<'a> {
    sampler: &'a ElementSampler,
    tiles: Array2<Option<Tile>>,
    tiles_by_structure: Vec<usize>,
    shortened: usize,
}

impl PartialLevel<'_> {
    /// Returns a model that sets the neighbours of the cells in `row` and `columns` to the tiles drawn so far, by intervention.
    fn decided(&self, row: usize, columns: std::ops::Range<usize>) -> Model {
        let elements = &self.sampler.elements;
        let first = &elements.chain().structures()[0];
        let (height, width) = (elements.height(), elements.width());
        let cells = columns.flat_map(|column| first.neighbours(row, column, height, width));
        let mut model = Model::new();
        for (row, column) in cells.flatten() {
            if let Some(tile) = self.tiles[(row, column)] {
                model = model.intervene(elements.tile(row, column), tile);
            }
        }
        model
    }

    fn place<R: Rng + ?Sized>(
        &mut self,
        row: usize,
        column: usize,
        rng: &mut R,
    ) -> Result<(), Error> {
        let decided = self.decided(row, column..column + 1);
        for depth in (0..=self.sampler.depth).rev() {
            for structure in 0..self.tiles_by_structure.len() {
                if let Some(tile) = self.draw(&decided, (row, column), structure, depth, rng)? {
                    self.tiles[(row, column)] = Some(tile);
                    self.tiles_by_structure[structure] += 1;
                    self.shortened += usize::from(depth < self.sampler.depth);
                    return Ok(());
                }
            }
        }
        // In a trained chain, the network structure without neighbours has counts of a tile for every band of rows; the loop therefore always
        // returns.
        unreachable!("every band of a trained chain has tiles")
    }

    /// Draws a tile that the look-ahead accepts, with the probabilities that training counted for the network structure `structure`; `None` if the
    /// look-ahead rejects all possible tiles.
    fn draw<R: Rng + ?Sized>(
        &mut self,
        decided: &Model,
        (row, column): (usize, usize),
        structure: usize,
        depth: usize,
        rng: &mut R,
    ) -> Result<Option<Tile>, Error> {
        let elements = &self.sampler.elements;
        let tile = elements.tile(row, column);
        let forced = elements.structure(row, column);
        let model = decided.clone().intervene(forced, structure);
        if !self.known(row, column, structure) {
            return Ok(None);
        }
        let marginal = VariableElimination::new()
            .run(&model, tile)?
            .distribution(tile)?;
        let mut left: Vec<(Tile, f64)> = marginal.iter().map(|(&tile, p)| (tile, p)).collect();
        while let Some(candidate) = self.take(&left, rng) {
            self.tiles[(row, column)] = Some(candidate);
            let passes = self.passes(row, column, depth)?;
            self.tiles[(row, column)] = None;
            if passes {
                return Ok(Some(candidate));
            }
            left.retain(|&(tile, _)| tile != candidate);
        }
        Ok(None)
    }

    /// True if the tiles of the cell's neighbours in the network structure `structure` occurred together in the training levels. The neighbours of
    /// the cell must already have tiles.
    fn known(&self, row: usize, column: usize, structure: usize) -> bool {
        let elements = &self.sampler.elements;
        let chain = elements.chain();
        let (height, width) = (elements.height(), elements.width());
        let neighbours = chain.structures()[structure].neighbours(row, column, height, width);
        let tiles: Vec<Tile> = neighbours
            .map(|at| at.and_then(|at| self.tiles[at]).unwrap_or(Tile::BORDER))
            .collect();
        chain.seen(structure, chain.band(row), &tiles)
    }

    /// Chooses one of the tiles that have not been rejected, as the [`TileSelection`] states: draws a tile by the weights, or takes the first of the
    /// most probable tiles.
    fn take<R: Rng + ?Sized>(&self, left: &[(Tile, f64)], rng: &mut R) -> Option<Tile> {
        let likely = left.iter().filter(|&&(_, p)| p > 0.0);
        if self.sampler.selection == TileSelection::MostLikely {
            let best = likely.reduce(|best, next| if next.1 > best.1 { next } else { best });
            return best.map(|&(tile, _)| tile);
        }
        let total: f64 = left.iter().map(|&(_, p)| p).sum();
        let mut rest = rng.random::<f64>() * total;
        let mut taken = None;
        for &(tile, p) in likely {
            taken = Some(tile);
            if rest < p {
                break;
            }
            rest -= p;
        }
        taken
    }

    /// True if the most probable tiles of the next `depth` cells of the row contain no unseen configuration (one that never occurred in training).
    fn passes(&self, row: usize, column: usize, depth: usize) -> Result<bool, Error> {
        let elements = &self.sampler.elements;
        let window = column + 1..elements.width().min(column + 1 + depth);
        let Some(unseen) = window
            .clone()
            .map(|column| elements.unseen(row, column).clone())
            .reduce(|any, next| any.or(&next))
        else {
            return Ok(true);
        };
        let world = MpeVariableElimination::new().run(&self.decided(row, window), &unseen)?;
        Ok(!world.most_likely_value(&unseen)?)
    }

    fn generated(self) -> GeneratedLevel {
        let tiles = self.tiles.mapv(|tile| tile.unwrap_or(Tile::EMPTY));
        let level = Level::from_tiles(tiles);
        GeneratedLevel {
            unseen: self.sampler.elements.chain().unseen(&level),
            level,
            tiles_by_structure: self.tiles_by_structure,
            shortened: self.shortened,
        }
    }
}
