//! Errors of network structures (the neighbours on which a tile depends).

use figrs_derive::ErrorDebug;

/// Reason why a structure, or a list of a structure and its fallbacks, cannot be used.
#[derive(Clone, thiserror::Error, ErrorDebug)]
#[non_exhaustive]
pub enum StructureError {
    /// No known structure has this name.
    #[error("unknown structure {name:?}; use ns0, ns1, ns2 or ns3, or offsets as (-1,0)(0,1)")]
    UnknownStructure {
        /// The unknown name.
        name: String,
    },
    /// An offset refers to a cell that is not decided yet when the tile is drawn.
    #[error(
        "offset ({dx}, {dy}) is not decided before its cell; use cells below, or to the left in the same row"
    )]
    UndecidedOffset {
        /// Number of columns to the right.
        dx: i32,
        /// Number of rows down.
        dy: i32,
    },
    /// An offset reaches too far.
    #[error("offset ({dx}, {dy}) reaches too far; stay within {max} cells")]
    FarOffset {
        /// Number of columns to the right.
        dx: i32,
        /// Number of rows down.
        dy: i32,
        /// Maximum distance in either direction.
        max: i32,
    },
    /// An offset occurs twice in a structure.
    #[error("offset ({dx}, {dy}) is repeated; name each neighbour once")]
    RepeatedOffset {
        /// Number of columns to the right.
        dx: i32,
        /// Number of rows down.
        dy: i32,
    },
    /// A structure has too many offsets.
    #[error("the structure has {count} offsets; use at most {max}")]
    TooManyOffsets {
        /// Number of offsets.
        count: usize,
        /// Maximum number of offsets.
        max: usize,
    },
    /// A fallback structure has an offset that the first structure does not have.
    #[error(
        "structure {structure} sees a neighbour that {first} does not; fall back on structures that see some of its neighbours"
    )]
    Fallback {
        /// The fallback structure.
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
    /// The last structure of a list has neighbours, so it may have no tile for a cell.
    #[error(
        "the last structure to fall back on, {structure}, has no tile where its neighbours are new; end the list with ns0"
    )]
    LastFallback {
        /// The last structure.
        structure: String,
    },
}
