//! Flags for demands on levels.

use std::ops::Range;
use std::path::PathBuf;

use clap::Args;
use figrs_command::level_demands::LevelDemands;
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
    #[command(flatten)]
    pub(crate) own: LevelDemands,
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
    /// Forbid the pattern of this file, in the format of --pin, everywhere in the level. The option may be given several times.
    #[arg(long, value_name = "FILE")]
    pub(crate) forbid: Vec<PathBuf>,
}

impl Demands {
    /// True if there is any demand on levels, or if --allow-unseen withdraws the default demand that every neighbourhood occurred in training.
    pub(crate) fn any(&self) -> bool {
        self.beyond_seen() || self.own.allow_unseen
    }

    /// True if there is any demand on levels besides the default demand that every neighbourhood occurred in training.
    pub(crate) fn beyond_seen(&self) -> bool {
        let pieces = self.around.is_some() || self.start.is_some() || self.end.is_some();
        let files = pieces || !self.demands.is_empty();
        let lists = !(self.pin.is_empty() && self.place.is_empty() && self.forbid.is_empty());
        let tiles = !(self.own.count.is_empty() && self.own.density.is_empty());
        files || lists || tiles || self.own.max_gap.is_some() || self.own.playable
    }
}
