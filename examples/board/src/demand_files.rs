//! Demands on boards, read from files.

use std::path::PathBuf;

use clap::Args;
use figrs_command::level_demands::read_design;
use figrs_design::BoardDemands;
use figrs_models::grid::Size;
use figrs_models::mdmc::TileSet;

use crate::Failure;

/// The flag `--demands` for files of demands.
#[derive(Args, Clone, Debug)]
#[group(skip)]
pub struct DemandFiles {
    /// File of demands on the boards, in TOML, or in JSON if its name ends in .json: forbidden and required patterns, numbers of tiles in areas,
    /// tiles in given cells and more. The option may be given several times.
    #[arg(long, value_name = "FILE")]
    demands: Vec<PathBuf>,
}

impl DemandFiles {
    /// Returns the demands in the files for boards of a size; `legend` is the legend of the tiles, in TOML.
    ///
    /// **Errors.** A file cannot be read or has a mistake; the error contains its path.
    pub fn on(&self, size: Size, legend: &str) -> Result<BoardDemands, Failure> {
        let tiles = TileSet::from_toml(legend)?;
        let mut all = BoardDemands::none(size);
        for path in &self.demands {
            let demands = read_design(path)?.on_boards(size, &tiles);
            let demands = demands.map_err(|error| format!("{}: {error}", path.display()))?;
            all = all.with(&demands);
        }
        Ok(all)
    }
}
