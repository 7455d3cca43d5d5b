//! Flags for demands on levels.

use std::ops::Range;
use std::path::PathBuf;

use clap::Args;
use figrs_command::level_demands::NumberDemands;
use figrs_command::ranges;

/// Demands on every level.
#[expect(clippy::struct_field_names, reason = "named by its flag")]
#[derive(Args, Debug)]
#[command(
    next_help_heading = "Demands (for the methods conditioned, which is then the default, and exact; look-ahead and elements draw again until the demands are met)"
)]
pub(crate) struct Demands {
    /// File of demands, in TOML (or JSON, if its name ends in .json): forbidden and required patterns, numbers in windows, distances, symmetry,
    /// paths, soft demands and more. The option may be given several times.
    #[arg(long, value_name = "FILE")]
    pub(crate) demands: Vec<PathBuf>,
    /// Allow cells whose neighbours form a pattern that never occurred in the training levels.
    #[arg(long)]
    pub(crate) allow_unseen: bool,
    /// Demand the tiles of this file, which has the size of a level; the trained model must be able to draw them. The character `_` leaves a cell
    /// free (if `_` is a tile, the first of `~`, `*` and `:` that is not a tile). The option may be given several times.
    #[arg(long, value_name = "FILE")]
    pub(crate) pin: Vec<PathBuf>,
    /// Place the tiles of this file, in the format of --pin, even if the trained model would never draw them there. The option may be given several
    /// times.
    #[arg(long, value_name = "FILE")]
    pub(crate) place: Vec<PathBuf>,
    /// Draw the columns --free of the level in this file again, and keep the other columns.
    #[arg(long, value_name = "FILE", requires = "free")]
    pub(crate) around: Option<PathBuf>,
    /// Range of columns to draw again, such as 20..30; columns are counted from 0, and the last number is excluded. For levels in which the player
    /// climbs, this is a range of rows, counted from the bottom.
    #[arg(long, value_name = "FROM..TO", value_parser = ranges::columns, requires = "around")]
    pub(crate) free: Option<Range<usize>>,
    /// Begin the level with the columns of this file, in the format of --pin.
    #[arg(long, value_name = "FILE")]
    pub(crate) start: Option<PathBuf>,
    /// End the level with the columns of this file, in the format of --pin.
    #[arg(long, value_name = "FILE")]
    pub(crate) end: Option<PathBuf>,
    /// Maximum number of adjacent columns without ground in the bottom row.
    #[arg(long, value_name = "COLUMNS")]
    pub(crate) max_gap: Option<usize>,
    /// Number of tiles of one kind in a level: a range such as E=5..10, or an exact number such as E=5. The option may be given several times.
    #[arg(long, value_name = "TILE=FROM..TO", value_parser = ranges::count)]
    pub(crate) count: Vec<(char, Range<usize>)>,
    /// Share of the tiles of one kind among all cells of a level: a range such as o=0.01..0.05. The option may be given several times.
    #[arg(long, value_name = "TILE=FROM..TO", value_parser = ranges::density)]
    pub(crate) density: Vec<(char, Range<f64>)>,
    /// Forbid the pattern of this file, in the format of --pin, everywhere in the level. The option may be given several times.
    #[arg(long, value_name = "FILE")]
    pub(crate) forbid: Vec<PathBuf>,
    /// Demand levels that are playable by the rules of --movement: in a platformer, a player can get from the left to the right.
    #[arg(long)]
    pub(crate) playable: bool,
}

impl Demands {
    /// Returns the demands that are numbers.
    pub(crate) fn in_numbers(&self) -> NumberDemands {
        let count = self.count.iter();
        let density = self.density.iter();
        NumberDemands {
            max_gap: self.max_gap,
            count: count
                .map(|(tile, range)| (*tile, range.start, range.end))
                .collect(),
            density: density
                .map(|(tile, shares)| (*tile, shares.start, shares.end))
                .collect(),
        }
    }

    /// True if there is any demand, or if --allow-unseen withdraws the default demand.
    pub(crate) fn any(&self) -> bool {
        self.beyond_seen() || self.allow_unseen
    }

    /// True if there is any demand besides the default demand that every neighbourhood occurred in training.
    pub(crate) fn beyond_seen(&self) -> bool {
        let pieces = self.around.is_some() || self.start.is_some() || self.end.is_some();
        let files = pieces || !self.demands.is_empty();
        let lists = !(self.pin.is_empty() && self.place.is_empty() && self.forbid.is_empty());
        let tiles = !(self.count.is_empty() && self.density.is_empty());
        files || lists || tiles || self.max_gap.is_some() || self.playable
    }
}
