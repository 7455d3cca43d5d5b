//! Errors of structures: the neighbours that a tile depends on.

use figrs_derive::ErrorDebug;

/// Reason why a structure, or a list of structures to fall back on, cannot be used.
#[derive(Clone, thiserror::Error, ErrorDebug)]
#[non_exhaustive]
pub enum StructureError {
    /// No known structure has this name.
    #[error("unknown structure {name:?}; use ns0, ns1, ns2 or ns3, or offsets as (-1,0)(0,1)")]
    UnknownStructure {
        /// The name.
        name: String,
    },
    /// An offset names a cell that is not decided when its cell is sampled.
    #[error(
        "offset ({dx}, {dy}) is not decided before its cell; use cells below, or to the left in the same row"
    )]
    UndecidedOffset {
        /// Columns to the right.
        dx: i32,
        /// Rows down.
        dy: i32,
    },
    /// An offset reaches too far.
    #[error("offset ({dx}, {dy}) reaches too far; stay within {max} cells")]
    FarOffset {
        /// Columns to the right.
        dx: i32,
        /// Rows down.
        dy: i32,
        /// The largest distance in either direction.
        max: i32,
    },
    /// An offset occurs twice in a structure.
    #[error("offset ({dx}, {dy}) is repeated; name each neighbour once")]
    RepeatedOffset {
        /// Columns to the right.
        dx: i32,
        /// Rows down.
        dy: i32,
    },
    /// A structure has too many offsets.
    #[error("the structure has {count} offsets; use at most {max}")]
    TooManyOffsets {
        /// Offsets given.
        count: usize,
        /// Offsets allowed.
        max: usize,
    },
    /// A structure to fall back on sees more than the first one.
    #[error(
        "structure {structure} sees a neighbour that {first} does not; fall back on structures that see some of its neighbours"
    )]
    Fallback {
        /// The structure to fall back on.
        structure: String,
        /// The first structure.
        first: String,
    },
    /// A structure occurs twice in a list.
    #[error("structure {structure} stands twice in the list; name each once")]
    RepeatedStructure {
        /// The structure.
        structure: String,
    },
    /// The last structure of a list may have no tile for a cell.
    #[error(
        "the last structure to fall back on, {structure}, has no tile where its neighbours are new; end the list with ns0"
    )]
    LastFallback {
        /// The last structure.
        structure: String,
    },
}
