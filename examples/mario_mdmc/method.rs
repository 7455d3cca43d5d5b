//! Methods of drawing levels.

use clap::ValueEnum;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Method {
    /// The published look-ahead sampler: tile by tile from the trained tables.
    LookAhead,
    /// An element program of the level; exact inference answers a query for each tile.
    Elements,
    /// Levels that meet demands, by particles that grow column by column.
    Conditioned,
    /// Levels from their exact distribution given demands, if the states of exact inference fit into --memory.
    Exact,
    /// Columns are drawn one after another, as for a level without end.
    Columns,
    /// N-grams of --order columns: each column depends on the columns before it.
    NGrams,
    /// Hierarchical model: first the kinds of sections (--section and --kinds), then the tiles given the kind.
    Hierarchical,
    /// Markov random field of neighbouring tiles, sampled by --sweeps of Gibbs sampling.
    Field,
}

impl Method {
    pub(crate) fn name(self) -> String {
        name(self)
    }

    /// True if the method draws from a model of its own instead of the Markov chain of tiles.
    pub(crate) fn has_own_model(self) -> bool {
        matches!(self, Self::NGrams | Self::Hierarchical | Self::Field)
    }

    /// True if the method looks ahead: it accepts a tile only if the next tiles can be filled.
    pub(crate) fn looks_ahead(self) -> bool {
        matches!(self, Self::LookAhead | Self::Elements | Self::Columns)
    }

    /// True if the method conditions its model on demands.
    pub(crate) fn heeds_demands(self) -> bool {
        matches!(self, Self::Conditioned | Self::Exact)
    }

    /// True if the method draws levels repeatedly until demands are met.
    pub(crate) fn draws_again(self) -> bool {
        matches!(self, Self::LookAhead | Self::Elements)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Tile {
    /// A tile drawn from the posterior distribution.
    Sampled,
    /// The most likely tile, as in the published method: every seed gives the same flat level.
    MostLikely,
}

/// Returns the name of a value on the command line.
pub(crate) fn name(value: impl ValueEnum) -> String {
    let value = value.to_possible_value();
    value.map_or_else(String::new, |value| value.get_name().to_owned())
}
