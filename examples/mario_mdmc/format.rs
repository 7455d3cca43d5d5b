//! Formats of levels.

use clap::ValueEnum;

use crate::method::name;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Text in the format of the training levels; an empty line separates levels.
    Text,
    /// A JSON list of levels with their settings.
    Json,
    /// A picture with 16 by 16 pixels for each tile.
    Png,
    /// A map of the Tiled editor, with a picture of the tiles beside it.
    Tmx,
    /// A map of the Tiled editor in JSON.
    TiledJson,
    /// Values of an IntGrid layer of the LDtk editor.
    LdtkCsv,
}

impl Format {
    pub(crate) fn name(self) -> String {
        name(self)
    }

    pub(crate) fn needs_file(self) -> bool {
        !matches!(self, Self::Text | Self::Json)
    }

    /// True if the format shows pictures of tiles.
    pub(crate) fn has_pictures(self) -> bool {
        matches!(self, Self::Png | Self::Tmx | Self::TiledJson)
    }

    pub(crate) fn shows_path(self) -> bool {
        self != Self::LdtkCsv
    }
}
