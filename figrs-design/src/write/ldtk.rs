//! Values for the LDtk editor.

use std::io::Write;

use super::{LevelWriter, OutputError};

impl LevelWriter<'_> {
    /// Writes the values of an IntGrid layer as LDtk's simplified export does: comma-separated, one row a line, from the top.
    ///
    /// A tile's value is its place in the set of tiles counted from 1; the empty tile is 0, which
    /// LDtk keeps for empty cells. The format has no room for notes and paths.
    ///
    /// An error if `out` cannot be written.
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
