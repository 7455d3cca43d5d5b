//! Patterns of tiles: rectangles whose cells accept classes of tiles.

use std::fmt;
use std::sync::Arc;

use ndarray::Array2;

use super::mask::Mask;
use crate::DemandError;
use figrs_core::wording::Counted;
use figrs_models::mdmc::{Tile, TileClass};

/// A rectangle whose cells accept classes of tiles, in one form or in several alternative forms of the same size.
///
/// ```
/// use figrs_models::mdmc::{Meaning, Tile, TileClass, TileSet};
/// use figrs_design::Pattern;
///
/// let tiles = TileSet::platformer();
/// let solid = TileClass::meaning(tiles, Meaning::Solid);
/// // A step up to the right.
/// let step = Pattern::drawn("_.#\n_##", |symbol| match symbol {
///     '#' => Some(solid.clone()),
///     '.' => Some(solid.complement()),
///     '_' => Some(TileClass::any()),
///     _ => None,
/// })?;
/// assert_eq!((step.height(), step.width()), (2, 3));
/// # Ok::<(), figrs_design::DemandError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Pattern {
    forms: Arc<[Array2<TileClass>]>,
    name: Option<Arc<str>>,
}

/// Two tile patterns are equal if they differ only in their names.
impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.forms == other.forms
    }
}

impl Eq for Pattern {}

/// Writes the name of the pattern or, if the pattern has no name, its numbers of rows and columns.
impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => write!(f, "the pattern {name:?}"),
            None => write!(f, "a pattern of {} by {}", self.height(), self.width()),
        }
    }
}

impl Pattern {
    /// Creates a pattern with a single form; each entry of `cells` is the class of tiles that a cell accepts.
    ///
    /// **Errors.** [`DemandError`] if the pattern has no cell, or if each of its cells accepts any tile.
    pub fn new(cells: Array2<TileClass>) -> Result<Self, DemandError> {
        if cells.iter().all(TileClass::is_any) {
            return Err(DemandError::empty_pattern());
        }
        Ok(Self {
            forms: Arc::new([cells]),
            name: None,
        })
    }

    /// Gives the pattern a name, which is used in messages.
    ///
    /// ```
    /// use figrs_models::mdmc::Tile;
    /// use figrs_design::{Area, Demand, Pattern};
    ///
    /// let enemy = Pattern::cell(Tile::platformer('E').unwrap())?.named("enemy");
    /// assert_eq!(Demand::forbidden(enemy, Area::all()).to_string(), "0 times the pattern \"enemy\"");
    /// # Ok::<(), figrs_design::DemandError>(())
    /// ```
    #[must_use]
    pub fn named(self, name: &str) -> Self {
        Self {
            name: Some(name.into()),
            ..self
        }
    }

    /// Creates a pattern that occurs wherever one of `patterns` occurs.
    ///
    /// **Errors.** [`DemandError`] if the patterns have different sizes, or if the list of patterns is empty.
    pub fn any_of(patterns: &[Self]) -> Result<Self, DemandError> {
        let Some(first) = patterns.first() else {
            return Err(DemandError::empty_pattern());
        };
        let size = |pattern: &Self| (pattern.height(), pattern.width());
        if let Some(other) = patterns.iter().find(|&other| size(other) != size(first)) {
            return Err(DemandError::invalid(
                format!(
                    "the forms of a pattern have different sizes: {} by {} and {} by {} cells",
                    first.height(),
                    first.width(),
                    other.height(),
                    other.width()
                ),
                "make all of them equally large by free cells at their edges",
            ));
        }
        let forms = patterns.iter().flat_map(|pattern| pattern.forms.iter());
        Ok(Self {
            forms: forms.cloned().collect(),
            name: None,
        })
    }

    /// Creates a pattern from lines of text; the function `class` returns the class of tiles for which a character stands.
    ///
    /// **Errors.** [`DemandError`] if a character stands for no class, if rows have different lengths, or if every cell accepts any tile.
    pub fn drawn(
        text: &str,
        class: impl Fn(char) -> Option<TileClass>,
    ) -> Result<Self, DemandError> {
        let rows: Vec<&str> = text.trim_end_matches(['\n', '\r']).lines().collect();
        let width = rows.first().map_or(0, |row| row.chars().count());
        let mut cells = Vec::new();
        for (row, line) in rows.iter().enumerate() {
            for (column, symbol) in line.chars().enumerate() {
                let known = class(symbol);
                cells.push(known.ok_or_else(|| {
                    let (row, column) = (Counted(row), Counted(column));
                    DemandError::invalid(
                        format!(
                            "{symbol:?} in row {row}, column {column} of a pattern is neither a tile nor a class"
                        ),
                        "add it to the legend, or write _ for any tile",
                    )
                })?);
            }
            if cells.len() != (row + 1) * width {
                let length = line.chars().count();
                return Err(DemandError::invalid(
                    format!(
                        "row {} of a pattern has {length} cells, but the first row has {width}",
                        Counted(row)
                    ),
                    "write one character for each cell",
                ));
            }
        }
        let cells = Array2::from_shape_vec((rows.len(), width), cells);
        cells.map_or(Err(DemandError::empty_pattern()), Self::new)
    }

    /// Creates a pattern of a single cell, which accepts only the tiles of `class`.
    ///
    /// **Errors.** [`DemandError`] if the class contains all tiles, so that the pattern accepts any tile.
    pub fn cell(class: impl Into<TileClass>) -> Result<Self, DemandError> {
        Self::new(Array2::from_elem((1, 1), class.into()))
    }

    /// Returns the number of rows of the pattern.
    pub fn height(&self) -> usize {
        self.forms[0].nrows()
    }

    /// Returns the number of columns of the pattern.
    pub fn width(&self) -> usize {
        self.forms[0].ncols()
    }

    /// Returns the alternative forms of the pattern, all of one size.
    pub fn forms(&self) -> &[Array2<TileClass>] {
        &self.forms
    }

    pub(super) fn with_forms(
        &self,
        change: impl Fn(&Array2<TileClass>) -> Array2<TileClass>,
    ) -> Self {
        Self {
            forms: self.forms.iter().map(change).collect(),
            name: self.name.clone(),
        }
    }
}

/// Creates a pattern from a mask: a cell accepts only the tile that the mask sets there, and a free cell accepts any tile.
impl TryFrom<&Mask> for Pattern {
    type Error = DemandError;

    fn try_from(mask: &Mask) -> Result<Self, DemandError> {
        let class = |at: (usize, usize)| {
            let tile: Option<Tile> = mask.get(at.0, at.1);
            tile.map_or_else(TileClass::any, TileClass::from)
        };
        Self::new(Array2::from_shape_fn((mask.height(), mask.width()), class))
    }
}
