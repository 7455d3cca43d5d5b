//! Levels as pictures and as files for level editors.

#[cfg(feature = "png")]
mod art;
#[cfg(feature = "png")]
mod background;
mod error;
mod ldtk;
#[cfg(feature = "png")]
mod palette;
#[cfg(feature = "png")]
mod plates;
#[cfg(feature = "png")]
mod png;
#[cfg(feature = "png")]
mod sprites;
#[cfg(feature = "png")]
mod tile_sheet;
mod tiled_json;
mod tileset;
#[cfg(feature = "png")]
mod tileset_picture;
mod tmx;
mod writer;

pub use error::OutputError;
#[cfg(feature = "png")]
pub use tile_sheet::TileSheet;
#[cfg(feature = "png")]
pub use tileset_picture::write_tileset;
pub use writer::LevelWriter;

#[cfg(test)]
#[cfg(feature = "png")]
mod tests;
