//! Demands (requirements) on boards, which are grids of cells. The automata for demands on levels also read boards, whose cells are treated as tiles.

use std::fmt;
use std::sync::Arc;

use ndarray::{Array2, ArrayView2, s};

use super::automata::Reader;
use super::demand::Demand;
use super::pattern::Pattern;
use figrs_models::board::{BoardElements, BoardError, Generator, RuledCells};
use figrs_models::grid::{Automaton, Board, BoardRule, Position, Size, Symbol};
use figrs_models::mdmc::twist::DemandState;
use figrs_models::mdmc::{Level, Tile, TileSet};

/// Demands on boards of one size, read from a [file](crate::DemandFile::on_boards).
#[derive(Clone)]
pub struct BoardDemands {
    size: (usize, usize),
    tiles: Arc<TileSet>,
    /// The demands on the board, which is turned onto its left side; each demand is stored with its automaton.
    demands: Arc<[(Reader, Demand)]>,
}

impl fmt::Debug for BoardDemands {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.demands.iter().map(|(_, demand)| demand))
            .finish()
    }
}

impl BoardDemands {
    /// Creates demands on boards from pairs of an automaton and a demand; a demand without an automaton is dropped.
    pub(super) fn new(
        size: (usize, usize),
        tiles: &TileSet,
        compiled: Vec<(Option<Reader>, Demand)>,
    ) -> Self {
        let compiled = compiled.into_iter();
        Self {
            size,
            tiles: Arc::new(tiles.clone()),
            demands: compiled
                .filter_map(|(reader, demand)| Some((reader?, demand)))
                .collect(),
        }
    }

    /// Creates an empty list of demands on boards of the given size.
    pub fn none(size: Size) -> Self {
        let size = (size.rows(), size.columns());
        Self::new(size, &TileSet::unknown([]), Vec::new())
    }

    /// Joins two lists of demands, which must be for boards of the same size and with the same tiles.
    #[must_use]
    pub fn with(&self, others: &Self) -> Self {
        let all = self.demands.iter().chain(&*others.demands);
        Self {
            demands: all.cloned().collect(),
            ..others.clone()
        }
    }

    /// Returns the number of demands on the boards.
    pub fn len(&self) -> usize {
        self.demands.len()
    }

    /// True if there are no demands on the boards.
    pub fn is_empty(&self) -> bool {
        self.demands.is_empty()
    }

    fn tile(&self, cell: impl Symbol) -> Tile {
        self.tiles.tile(cell.symbol()).unwrap_or(Tile::BORDER)
    }

    /// Returns the row and column that a cell of a board has after the board is turned onto its left side; `index` is the index of the cell in scan
    /// order.
    fn lying_cell(&self, index: usize) -> (usize, usize) {
        let (_, columns) = self.size;
        (columns - 1 - index % columns, index / columns)
    }

    /// Returns the board turned onto its left side: the columns of the turned board are the rows of the upright board.
    fn lying(&self, cells: &[impl Symbol]) -> Array2<Tile> {
        let (rows, columns) = self.size;
        let mut lying = Array2::from_elem((columns, rows), Tile::BORDER);
        for (index, &cell) in cells.iter().enumerate() {
            lying[self.lying_cell(index)] = self.tile(cell);
        }
        lying
    }
}

/// The combined automaton reads a board in scan order; its state consists of the states of the automata of all demands.
impl<C: Symbol> Automaton<C> for BoardDemands {
    type State = Vec<DemandState>;

    fn start(&self) -> Vec<DemandState> {
        let readers = self.demands.iter();
        readers.map(|(reader, _)| reader.start()).collect()
    }

    fn step(&self, at: Position, states: &Vec<DemandState>, cell: &C) -> Option<Vec<DemandState>> {
        let (tile, across) = (self.tile(*cell), self.size.1 - 1 - at.column);
        let states = self.demands.iter().zip(states).map(|((reader, _), state)| {
            let state = reader.read((across, at.row), state, tile);
            match across {
                0 => reader.end(at.row, &state),
                _ => state,
            }
        });
        let states: Vec<DemandState> = states.collect();
        (!states.contains(&DemandState::Broken)).then_some(states)
    }

    fn accepts(&self, states: &Vec<DemandState>) -> bool {
        states.iter().all(|state| *state == DemandState::Met)
    }
}

/// A [`Generator`] of those boards of another generator that meet given demands. Exact algorithms use the automata of the demands; Markov chain
/// samplers can sample boards of any size.
///
/// ```
/// use figrs_design::{DemandedBoards, DemandFile};
/// use figrs_models::board::ConditionalSampler;
/// use figrs_models::grid::Size;
/// use figrs_models::island::Island;
/// use figrs_models::mdmc::TileSet;
///
/// let size = Size::new(6, 7)?;
/// let tiles = TileSet::from_toml("[tiles]\n'#' = ['land']\n'.' = ['water']")?;
/// // No square of land, and a lake in the middle of the upper half.
/// let file = DemandFile::from_toml("[[demand]]\nforbid = '''\n##\n##'''\n[[demand]]\npin = '#.#'\nat = [1, 2]\n")?;
/// let islands = DemandedBoards::new(Island::new(size)?, file.on_boards(size, &tiles)?);
/// let drawn = ConditionalSampler::new().seed(1).sample(&islands, 2)?;
/// assert!(drawn.boards.iter().all(|board| board.to_string().lines().nth(1).is_some_and(|row| &row[2..5] == "#.#")));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct DemandedBoards<G> {
    generator: G,
    demands: BoardDemands,
}

impl<G> DemandedBoards<G> {
    /// Creates a generator of those boards of `generator` that meet `demands`.
    pub fn new(generator: G, demands: BoardDemands) -> Self {
        Self { generator, demands }
    }
}

/// Passes calls on to the generator `generator`, except those that ask for its own sampler or its own exact answers, which ignore the demands.
impl<C: Symbol + figrs_core::Value, G: Generator<Cell = C, Board = Board<C>>> Generator
    for DemandedBoards<G>
{
    type Cell = C;
    type Board = Board<C>;

    fn size(&self) -> Size {
        self.generator.size()
    }

    fn elements(&self) -> Result<BoardElements<C>, BoardError> {
        let elements = self.generator.elements()?;
        if self.demands.is_empty() {
            return Ok(elements);
        }
        Ok(elements.with_rule(self.demands.clone())?)
    }

    fn board(&self, cells: Vec<C>) -> Result<Board<C>, BoardError> {
        self.generator.board(cells)
    }

    /// Returns the memory that the underlying generator predicts for itself; the demands, which multiply the number of states, are not taken into
    /// account.
    fn predicted_bytes(&self) -> Option<f64> {
        self.generator.predicted_bytes()
    }

    fn relaxed(&self) -> Option<Self> {
        let generator = self.generator.relaxed()?;
        Some(Self::new(generator, self.demands.clone()))
    }

    fn meets(&self, board: &Board<C>) -> bool {
        let lying = || Level::from_tiles(self.demands.lying(board.cells()));
        let mut readers = self.demands.demands.iter();
        self.generator.meets(board) && readers.all(|(reader, _)| reader.accepts(&lying()))
    }

    fn is_often_met(&self) -> bool {
        self.demands.is_empty() && self.generator.is_often_met()
    }

    fn ruled_cells(&self) -> Option<RuledCells<C>> {
        let ruled = self.generator.ruled_cells()?;
        if self.demands.is_empty() {
            return Some(ruled);
        }
        Some(ruled.further_rule(DemandsRule::new(self.demands.clone())))
    }
}

/// A rule for whole boards, which combines all demands. The violation of the rule is a sum over all demands. A demand contributes its number of
/// wrong, missing or surplus cells or occurrences; a broken demand without such a number contributes 1.
struct DemandsRule {
    demands: BoardDemands,
    lying: Array2<Tile>,
    looked_at: u64,
}

impl DemandsRule {
    fn new(demands: BoardDemands) -> Self {
        Self {
            demands,
            lying: Array2::from_elem((0, 0), Tile::BORDER),
            looked_at: 0,
        }
    }

    fn follow(&mut self, cells: &[impl Symbol], changed: &[usize]) {
        for &index in changed {
            let tile = self.demands.tile(cells[index]);
            self.lying[self.demands.lying_cell(index)] = tile;
        }
    }

    fn violation(&mut self) -> u32 {
        self.looked_at += (self.lying.len() * self.demands.len()) as u64;
        let each = self.demands.demands.iter().map(|(reader, demand)| {
            let accepted = || reader.accepts(&Level::from_tiles(self.lying.clone()));
            violation(demand, &self.lying).unwrap_or_else(|| u32::from(!accepted()))
        });
        each.fold(0, u32::saturating_add)
    }
}

impl<C: Symbol> BoardRule<C> for DemandsRule {
    fn read(&mut self, cells: &[C]) -> Option<u32> {
        self.lying = self.demands.lying(cells);
        Some(self.violation())
    }

    fn change(&mut self, cells: &[C], changed: &[usize]) -> Option<u32> {
        self.follow(cells, changed);
        Some(self.violation())
    }

    fn undo(&mut self, cells: &[C], changed: &[usize]) {
        self.follow(cells, changed);
    }

    fn looked_at(&mut self) -> u64 {
        std::mem::take(&mut self.looked_at)
    }
}

/// Returns the number of cells or occurrences that are wrong, missing or surplus for `demand`; the number is zero only if the board meets the demand.
/// The argument is the board turned onto its left side. Returns `None` for demands that do not concern a number of cells or occurrences.
fn violation(demand: &Demand, lying: &Array2<Tile>) -> Option<u32> {
    let beyond = |found: usize, least: usize, most: usize| {
        (least.saturating_sub(found) + found.saturating_sub(most)) as u32
    };
    match demand {
        Demand::Number {
            class,
            area,
            least,
            most,
        } => {
            let (rows, columns) = area.within(lying.dim()).ok()?;
            let cells = lying.slice(s![rows, columns]);
            let found = cells.iter().filter(|&&tile| class.contains(tile));
            Some(beyond(found.count(), *least, *most))
        }
        Demand::Occurs {
            pattern,
            area,
            least,
            most,
        } => {
            let (rows, columns) = area.within(lying.dim()).ok()?;
            let cells = lying.slice(s![rows, columns]);
            let places = cells.windows((pattern.height(), pattern.width()));
            let found = places
                .into_iter()
                .filter(|&place| misfits(pattern, place) == 0);
            Some(beyond(found.count(), *least, most.unwrap_or(usize::MAX)))
        }
        Demand::Shaped {
            pattern,
            row,
            column,
        } => {
            let (rows, columns) = (
                *row..row + pattern.height(),
                *column..column + pattern.width(),
            );
            Some(misfits(pattern, lying.slice(s![rows, columns])))
        }
        Demand::Any(demands) => {
            let each = demands.iter().map(|demand| violation(demand, lying));
            each.collect::<Option<Vec<u32>>>()?.into_iter().min()
        }
        _ => None,
    }
}

/// Returns the number of cells of `tiles` that do not match `pattern`; of the pattern's alternative forms, the one that matches best is used.
fn misfits(pattern: &Pattern, tiles: ArrayView2<'_, Tile>) -> u32 {
    let forms = pattern.forms().iter().map(|form| {
        let cells = form.iter().zip(&tiles);
        cells
            .filter(|(class, tile)| !class.contains(**tile))
            .count() as u32
    });
    forms.min().unwrap_or(0)
}

#[cfg(test)]
mod tests;
