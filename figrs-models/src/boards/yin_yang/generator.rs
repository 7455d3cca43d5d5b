//! A generator of Yin-Yang boards: as a probabilistic program, and as independent cells and rules for Markov chains.

use figrs_core::{Element, Uniform};

use super::curve_moves::CurveMoves;
use super::{Colour, YinYang};
use crate::board::{BoardElements, BoardError, Generator, RuledCells};
use crate::grid::{
    Automaton, Board, ConnectedRule, Constraint, Count, CountRule, GridError, NoSquare, Size,
    SquareRule, TwoColours, WeighedRule,
};

/// The relaxed generator draws Yin-Yang boards without bounds on the number of black cells, and rejection tests the bounds.
impl Generator for YinYang {
    type Cell = Colour;
    type Board = Board<Colour>;

    fn size(&self) -> Size {
        self.clues.size()
    }

    fn elements(&self) -> Result<BoardElements<Colour>, BoardError> {
        Ok(YinYang::elements(self)?)
    }

    fn board(&self, cells: Vec<Colour>) -> Result<Board<Colour>, BoardError> {
        Ok(Board::new(self.size(), cells)?)
    }

    /// Returns the predicted memory in bytes of the states of exact inference, extrapolated from smaller boards. If there is one clue for each row,
    /// the prediction is that for a board with one column fewer.
    fn predicted_bytes(&self) -> Option<f64> {
        let (rows, columns) = (self.size().rows() as f64, self.size().columns() as f64);
        let counts = self.black.as_ref().map_or(1.0, |_| rows * columns / 6.0);
        Some(9.0 * rows * 3.4f64.powf(columns - self.clues.len() as f64 / rows) * counts)
    }

    /// Returns the generator without bounds on the number of black cells, if the board has at most about eleven columns; Markov chains are quicker
    /// for wider boards.
    fn relaxed(&self) -> Option<Self> {
        const MOST_BYTES: f64 = 1e8;
        self.black.as_ref()?;
        let black = None;
        let relaxed = Self {
            black,
            ..self.clone()
        };
        let bytes = relaxed.predicted_bytes();
        Some(relaxed).filter(|_| bytes.is_some_and(|bytes| bytes <= MOST_BYTES))
    }

    fn meets(&self, board: &Board<Colour>) -> bool {
        let black = || board.places_of(Colour::Black).count() as u32;
        self.black
            .as_ref()
            .is_none_or(|range| range.contains(&black()))
    }

    fn ruled_cells(&self) -> Option<RuledCells<Colour>> {
        Some(self.ruled())
    }
}

impl YinYang {
    /// Creates the probabilistic program of the Yin-Yang boards.
    ///
    /// **Errors.** [`GridError::TooLarge`] if the grid is too large for automata.
    #[track_caller]
    pub fn elements(&self) -> Result<BoardElements<Colour>, GridError> {
        let size = self.clues.size().for_automata()?;
        let cells: Vec<Element<Colour>> = size
            .positions()
            .map(|_| Uniform::new([Colour::Black, Colour::White]))
            .collect();
        let black = self.black.as_ref();
        let rules = TwoColours::new(size)
            .and(NoSquare::new(size))
            .and(black.map(|range| Count::within(range, size.cells())))
            .reading(|_, cell: &Colour| *cell == Colour::Black);
        let rules = Constraint::new(size, &cells, rules)?.model().clone();
        BoardElements::new(size, cells, rules)?.with_clues(self.clues.iter())
    }
}

impl YinYang {
    /// Returns the cells as independent choices, and the rules of Yin-Yang, as input of Markov chains. On Yin-Yang boards that follow the rules, the
    /// cells of each colour form a thin tree, and few single cells can change without breaking a rule. A step of the Markov chain changes the line
    /// between the colours, or redraws a small window, because few single cells can change.
    ///
    /// Without clues, Markov chains start from boards with comb patterns, which follow the rules but may violate the bounds on the number of black
    /// cells.
    pub(super) fn ruled(&self) -> RuledCells<Colour> {
        /// Weight of the violation of each rule, relative to the violation of the bounds on the number of black cells. The weight is so large that
        /// few boards break a rule other than the bounds on the number of black cells.
        const TIMES: u32 = 4;
        let size = self.clues.size();
        let choices = |at: usize| match self.clues.get(size.position(at)) {
            Some(colour) => vec![(colour, 1.0)],
            None => vec![(Colour::Black, 1.0), (Colour::White, 1.0)],
        };
        let is = |wanted: Colour| move |_: usize, colour: &Colour| *colour == wanted;
        let black = self.black.clone();
        let times = if self.clues.is_empty() { TIMES } else { 1 };
        let squares = SquareRule::new(size, |colour: &Colour| *colour == Colour::Black);
        let connected = |colour| WeighedRule::new(ConnectedRule::new(size, is(colour)), times);
        let mut ruled = RuledCells::new(size, choices)
            .clues(self.clues.iter().map(|(at, _)| at))
            .rule_if(black.map(|range| CountRule::new(range, is(Colour::Black))))
            .rule(WeighedRule::new(squares, times))
            .rule(connected(Colour::Black))
            .rule(connected(Colour::White))
            .moves(CurveMoves::new(size));
        if self.clues.is_empty() {
            for turn in 0..4 {
                ruled = ruled.start(comb(size, turn));
            }
            ruled = ruled.nearly_joined();
        }
        // Changes of the line seldom lead to boards that meet several clues, whereas particles can meet one clue after another. Particles cannot
        // foresee the number of black cells in later rows, however.
        match self.black.is_none() && !self.clues.is_empty() {
            true => ruled.slow(),
            false => ruled,
        }
    }
}

/// Returns a board of two combs, one of each colour. The teeth of the combs lie in rows if `turn` is even and in columns if it is odd; if `turn` is
/// at least 2, the colours are exchanged.
pub(super) fn comb(size: Size, turn: usize) -> Vec<Colour> {
    let (by_columns, is_swapped) = (turn % 2 == 1, turn >= 2);
    let last = match by_columns {
        false => size.columns() - 1,
        true => size.rows() - 1,
    };
    let cells = size.positions().map(|at| {
        let (tooth, place) = match by_columns {
            false => (at.row, at.column),
            true => (at.column, at.row),
        };
        let is_black = match tooth % 2 {
            0 => place < last,
            _ => place == 0,
        };
        match is_black != is_swapped {
            true => Colour::Black,
            false => Colour::White,
        }
    });
    cells.collect()
}
