//! Methods of drawing levels.

use clap::ValueEnum;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Method {
    /// The published look-ahead sampler, tile by tile on the trained tables.
    LookAhead,
    /// The level as an element program: each tile by queries to exact inference.
    Elements,
    /// Levels given demands, by particles that grow column by column.
    Conditioned,
    /// Levels from their exact law given demands, if its states fit into --memory.
    Exact,
    /// Column after column, as for a level without end.
    Columns,
    /// Whole columns given the columns before, of --order.
    NGrams,
    /// Kinds of sections, then tiles given the kind, of --section and --kinds.
    Hierarchical,
    /// A Markov random field of neighbouring tiles, after --sweeps of Gibbs sampling.
    Field,
}

impl Method {
    pub(crate) fn name(self) -> String {
        name(self)
    }

    /// True if the method draws from its own model instead of the Markov chain.
    pub(crate) fn has_own_model(self) -> bool {
        matches!(self, Self::NGrams | Self::Hierarchical | Self::Field)
    }

    /// True if the method looks ahead.
    pub(crate) fn looks_ahead(self) -> bool {
        matches!(self, Self::LookAhead | Self::Elements | Self::Columns)
    }

    /// True if the method conditions its model on demands.
    pub(crate) fn heeds_demands(self) -> bool {
        matches!(self, Self::Conditioned | Self::Exact)
    }

    /// True if the method draws levels again until demands are met.
    pub(crate) fn draws_again(self) -> bool {
        matches!(self, Self::LookAhead | Self::Elements)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Tile {
    /// Drawn from the posterior of its Chain.
    Sampled,
    /// The most likely value, as the method was published: one flat level whatever the seed.
    MostLikely,
}

/// A value as it is written on the command line.
pub(crate) fn name(value: impl ValueEnum) -> String {
    let value = value.to_possible_value();
    value.map_or_else(String::new, |value| value.get_name().to_owned())
}
