//! Levels as pictures and as files for level editors.

mod art;
mod background;
mod canvas;
mod error;
mod ldtk;
mod palette;
mod png;
mod tiled_json;
mod tileset;
mod tmx;
mod writer;

pub use error::OutputError;
pub use tileset::write_tileset;
pub use writer::LevelWriter;

#[cfg(test)]
mod tests;
