//! Reads the demands of a design file that are drawings of tiles: at a position of the level, at its start or end, or as a list of allowed columns or
//! rows.

use figrs_reading::FileError;
use serde_json::Value;

use super::keys::Entry;
use super::verbs::Designer;
use super::ways::cell;
use crate::DemandError;
use crate::demands::area::Area;
use crate::demands::demand::Demand;
use crate::demands::mask::Mask;
use crate::demands::pattern::Pattern;
use figrs_models::mdmc::{Tile, TileClass, Travel};

impl Designer<'_> {
    /// Reads the demand `lines_like`: each column of the level (or row, if the player climbs) must be a column (or row) of a drawing.
    pub(super) fn lines(&self, entry: &Entry, value: &Value) -> Result<Demand, FileError> {
        const TILES: &str = "a drawing of tiles as high as the level (as wide, if it is played upwards), or { level = \"NAME\", columns = \"30..60\" }";
        let drawn = match value.as_str() {
            Some(text) => self.words.drawn(text).map_err(|error| entry.unfit(error))?,
            None if value.is_object() => self.words.cut(entry, "lines_like", value)?,
            None => return Err(entry.wrong("lines_like", value, TILES)),
        };
        let cells = self.travel.turned_cells(&drawn.forms()[0]);
        let tile = |class: &TileClass| self.single(class);
        let column = |column: ndarray::ArrayView1<'_, TileClass>| {
            column.iter().map(tile).collect::<Option<Vec<Tile>>>()
        };
        let columns = cells.columns().into_iter().map(column);
        let columns = columns.collect::<Option<Vec<Vec<Tile>>>>();
        let across = match self.travel {
            Travel::Right => "rows",
            Travel::Up => "columns",
        };
        if entry.has(across) {
            return Err(entry.idle(across, "lines_like"));
        }
        // In model coordinates the area consists of whole columns.
        let (rows, along) = self
            .area(entry)?
            .within(self.size)
            .map_err(|error| entry.unfit(error))?;
        let along = match self.travel {
            Travel::Right => along,
            Travel::Up => self.size.0 - rows.end..self.size.0 - rows.start,
        };
        Ok(Demand::ColumnsAmong {
            area: Area::all().columns(along),
            columns: columns.ok_or_else(|| entry.wrong("lines_like", value, TILES))?,
        })
    }

    fn single(&self, class: &TileClass) -> Option<Tile> {
        let mut tiles = self.words.tiles().tiles();
        tiles.find(|&tile| *class == TileClass::from(tile))
    }

    pub(super) fn at(entry: &Entry) -> Result<(usize, usize), FileError> {
        let at = entry.read(
            "at",
            "the row and column of its first cell, as [9, 0]",
            cell,
        )?;
        Ok(at.unwrap_or((0, 0)))
    }

    /// Returns the position of the drawing `pattern` at the start or, if `is_end` is true, at the end of the level.
    pub(super) fn edge(
        &self,
        entry: &Entry,
        pattern: &Pattern,
        is_end: bool,
    ) -> Result<(usize, usize), FileError> {
        let (rows, columns) = (
            self.size.0.checked_sub(pattern.height()),
            self.size.1.checked_sub(pattern.width()),
        );
        // The drawing touches the bottom row if the level is played to the right, and begins in the first column if the player climbs.
        let (bottom, right) = rows.zip(columns).ok_or_else(|| {
            let size = (pattern.height(), pattern.width());
            entry.unfit(DemandError::pattern_size(size, self.size))
        })?;
        Ok(match (self.travel, is_end) {
            (Travel::Right | Travel::Up, false) => (bottom, 0),
            (Travel::Right, true) => (bottom, right),
            (Travel::Up, true) => (0, 0),
        })
    }

    pub(super) fn drawing(
        &self,
        entry: &Entry,
        key: &str,
        value: &Value,
    ) -> Result<Mask, FileError> {
        const TILES: &str = "a drawing of tiles, without letters of the [legend]";
        let pattern = self.words.pattern(entry, key, value)?;
        let (top, left) = Self::at(entry)?;
        let (height, width) = self.size;
        let mut mask = Mask::free(height, width);
        let [form] = pattern.forms() else {
            return Err(entry.wrong(key, value, TILES));
        };
        if top.saturating_add(form.nrows()) > height || left.saturating_add(form.ncols()) > width {
            let space = (height.saturating_sub(top), width.saturating_sub(left));
            return Err(entry.unfit(DemandError::pattern_size(form.dim(), space)));
        }
        for ((row, column), class) in form.indexed_iter() {
            if !class.is_any() {
                let tile = self.single(class);
                let tile = tile.ok_or_else(|| entry.wrong(key, value, TILES))?;
                mask.set(top + row, left + column, tile);
            }
        }
        Ok(mask)
    }
}
