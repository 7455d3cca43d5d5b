//! Clues of a puzzle, and their text.

use std::fmt;
use std::str::FromStr;

use super::Colour;
use crate::grid::{GridError, Position, Size};

/// The colours of some cells.
///
/// As text, a line for each row: `1` or `2` for a clue and `.` for a cell without one. Lines that start with `#` and empty
/// lines are left out.
///
/// ```
/// use figrs_models::yin_yang::{Clues, YinYang};
///
/// let clues: Clues = "# two clues\n1..\n...\n..2\n".parse()?;
/// assert_eq!(clues.len(), 2);
/// assert_eq!(clues.to_string(), "1..\n...\n..2\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Clues {
    size: Size,
    colours: Vec<Option<Colour>>,
}

impl Clues {
    /// None yet.
    pub fn none(size: Size) -> Self {
        let colours = vec![None; size.cells()];
        Self { size, colours }
    }

    /// The size of the grid.
    pub fn size(&self) -> Size {
        self.size
    }

    /// The clue of a cell; `None` without one and outside the grid.
    pub fn get(&self, at: Position) -> Option<Colour> {
        self.size
            .contains(at)
            .then(|| self.colours[self.size.index(at)])?
    }

    /// Sets or takes away the clue of a cell.
    ///
    /// **Errors.** [`GridError::Outside`] if the grid has no such cell.
    pub fn set(&mut self, at: Position, clue: Option<Colour>) -> Result<(), GridError> {
        if !self.size.contains(at) {
            return Err(GridError::Outside {
                at,
                size: self.size,
            });
        }
        self.colours[self.size.index(at)] = clue;
        Ok(())
    }

    /// All clues with their cells, in scan order.
    pub fn iter(&self) -> impl Iterator<Item = (Position, Colour)> + '_ {
        let cells = self.size.positions().zip(&self.colours);
        cells.filter_map(|(at, clue)| Some((at, (*clue)?)))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.iter().count()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// **Errors.** [`GridError::ClueSymbol`], [`GridError::RaggedClues`] and [`GridError::NoClues`] with their places;
/// [`GridError::Size`].
impl FromStr for Clues {
    type Err = GridError;

    fn from_str(text: &str) -> Result<Self, GridError> {
        let mut colours = Vec::new();
        let (mut rows, mut columns) = (0, 0);
        for (number, line) in text.lines().enumerate() {
            let row = line.trim_end();
            if row.is_empty() || row.starts_with('#') {
                continue;
            }
            for (column, symbol) in row.chars().enumerate() {
                let clue = Colour::from_symbol(symbol);
                if clue.is_none() && symbol != '.' {
                    return Err(GridError::ClueSymbol {
                        line: number + 1,
                        column: column + 1,
                        symbol,
                    });
                }
                colours.push(clue);
            }
            let found = row.chars().count();
            if rows == 0 {
                columns = found;
            } else if found != columns {
                return Err(GridError::RaggedClues {
                    line: number + 1,
                    column: found.min(columns) + 1,
                    expected: columns,
                    found,
                });
            }
            rows += 1;
        }
        if rows == 0 {
            return Err(GridError::NoClues);
        }
        let size = Size::new(rows, columns)?;
        Ok(Self { size, colours })
    }
}

impl fmt::Display for Clues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in self.colours.chunks(self.size.columns()) {
            for clue in row {
                write!(f, "{}", clue.map_or('.', Colour::symbol))?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}
