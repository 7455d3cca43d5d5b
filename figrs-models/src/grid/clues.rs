//! Clues (the known cells of a board) and the format of their text.

use std::fmt;
use std::str::FromStr;

use super::{GridError, Position, Size};
use figrs_reading::{FileError, Mistake, MistakeKind};

/// A value of a cell that can be written as one character in the text of clues.
pub trait Symbol: Copy {
    /// The character that stands for a cell without a clue.
    const FREE: char;
    /// Description of the characters that are allowed in the text of clues, for error messages.
    const WRITE: &'static str;

    /// Returns the character that stands for the cell's value.
    fn symbol(self) -> char;

    /// Returns the cell value for which the character `symbol` stands; `None` if `symbol` stands for no value.
    fn from_symbol(symbol: char) -> Option<Self>;
}

/// The clues of a board: the cells whose values are known.
///
/// The text format of clues has a line for each row: a [`Symbol`] for a clue and [`Symbol::FREE`] for a cell without a clue. In the text of clues,
/// empty lines are ignored, and so are lines that start with `#` (or with `#` and a space, if `#` is a clue).
///
/// ```
/// use figrs_models::yin_yang::ColourClues;
///
/// let clues: ColourClues = "# two clues\n1..\n...\n..2\n".parse()?;
/// assert_eq!(clues.len(), 2);
/// assert_eq!(clues.to_string(), "1..\n...\n..2\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Clues<C> {
    size: Size,
    cells: Vec<Option<C>>,
}

impl<C: Copy> Clues<C> {
    /// Creates an empty set of clues for a board on a grid of size `size`.
    pub fn none(size: Size) -> Self {
        let cells = vec![None; size.cells()];
        Self { size, cells }
    }

    /// Returns the size of the grid to which the clues belong.
    pub fn size(&self) -> Size {
        self.size
    }

    /// Returns the clue of the cell `at`; `None` if the cell has no clue or is outside the grid.
    pub fn get(&self, at: Position) -> Option<C> {
        self.size
            .contains(at)
            .then(|| self.cells[self.size.index(at)])?
    }

    /// Sets or removes the clue of the cell `at`.
    ///
    /// **Errors.** [`GridError::Invalid`] if the cell is outside the grid.
    pub fn set(&mut self, at: Position, clue: Option<C>) -> Result<(), GridError> {
        GridError::inside(at, self.size)?;
        self.cells[self.size.index(at)] = clue;
        Ok(())
    }

    /// Returns all clues with the positions of their cells, in scan order (row by row).
    pub fn iter(&self) -> impl Iterator<Item = (Position, C)> + '_ {
        let cells = self.size.positions().zip(&self.cells);
        cells.filter_map(|(at, clue)| Some((at, (*clue)?)))
    }

    /// Returns the number of clues.
    pub fn len(&self) -> usize {
        self.iter().count()
    }

    /// True if a line in the text of clues is a comment: it starts with `#` or, if `#` is a clue, with `#` and a space.
    fn is_comment(row: &str) -> bool
    where
        C: Symbol,
    {
        row.starts_with("# ") || row.starts_with('#') && C::from_symbol('#').is_none()
    }

    /// True if there are no clues.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

const PLACE: &str = "clues";

/// **Errors.** [`GridError::Invalid`] if the text is not a grid of clues; the error names the place `clues`, and the line and column of the mistake.
impl<C: Symbol> FromStr for Clues<C> {
    type Err = FileError;

    fn from_str(text: &str) -> Result<Self, FileError> {
        let mut cells = Vec::new();
        let (mut rows, mut columns) = (0, 0);
        let write = format!("write {}", C::WRITE);
        for (number, line) in text.lines().enumerate() {
            let row = line.trim_end();
            if row.is_empty() || Self::is_comment(row) {
                continue;
            }
            for (column, symbol) in row.chars().enumerate() {
                let clue = C::from_symbol(symbol);
                if clue.is_none() && symbol != C::FREE {
                    let problem = format!("unknown clue {symbol:?}");
                    let mistake = Mistake::new(MistakeKind::Unknown, problem, &*write);
                    return Err(mistake.at(PLACE, (number + 1, column + 1)));
                }
                cells.push(clue);
            }
            let found = row.chars().count();
            if rows == 0 {
                columns = found;
            } else if found != columns {
                let problem = format!("the row has {found} cells, but the first row has {columns}");
                let remedy = "make all rows equally long";
                let mistake = Mistake::new(MistakeKind::Count, problem, remedy);
                return Err(mistake.at(PLACE, (number + 1, found.min(columns) + 1)));
            }
            rows += 1;
        }
        if rows == 0 {
            let remedy = format!("write a line for each row, of {}", C::WRITE);
            return Err(Mistake::new(MistakeKind::Missing, "no rows of clues", remedy).of(PLACE));
        }
        let size = Size::checked(rows, columns).map_err(|mistake| mistake.of(PLACE))?;
        Ok(Self { size, cells })
    }
}

impl<C: Symbol> fmt::Display for Clues<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in self.cells.chunks(self.size.columns()) {
            for clue in row {
                write!(f, "{}", clue.map_or(C::FREE, C::symbol))?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}
