//! Writes levels as values for the LDtk editor.

use std::io::Write;

use super::{LevelWriter, OutputError};

impl LevelWriter<'_> {
    /// Writes the level in the form of an IntGrid layer of LDtk's simplified export: comma-separated values, with one row of cells per line, from the
    /// top.
    ///
    /// In the LDtk file, the value of a tile is its index in the set of tiles, counted from 1; the empty tile has 0, which LDtk reserves for empty
    /// cells. The LDtk format has no place for notes and players' paths, so they are not written.
    ///
    /// **Errors.** [`OutputError::Io`] if `out` cannot be written.
    pub fn ldtk_csv(&self, mut out: impl Write) -> Result<(), OutputError> {
        let tiles = self.map_tiles();
        for row in self.level.as_array().rows() {
            let values: Vec<String> = row
                .iter()
                .map(|&tile| tiles.number(tile).to_string())
                .collect();
            writeln!(out, "{}", values.join(","))?;
        }
        Ok(())
    }
}
