//! Training levels for models of levels: a [`Corpus`](levels::Corpus), the levels that figrs ships, and the reader of folders of level files and map
//! files.

pub(super) mod folders;
pub(super) mod legends;
mod level_files;
pub(super) mod levels;
pub(super) mod maps;
pub(super) mod note;
pub(super) mod reader;
pub(super) mod rooms;
pub(super) mod shipped;
mod tile_sets;
mod ways;
