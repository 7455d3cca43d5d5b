//! Land and water.

/// What a cell is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Terrain {
    /// Water, written `.`.
    Water,
    /// Land, written `#`.
    Land,
}
figrs_core::value!(Terrain);
