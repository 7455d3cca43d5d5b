//! Demands on boards from files.

use std::path::PathBuf;

use clap::Args;
use figrs_command::level_demands::read_design;
use figrs_design::BoardDemands;
use figrs_models::grid::Size;
use figrs_models::mdmc::TileSet;

use crate::Failure;

/// The flag for files of demands.
#[derive(Args, Clone, Debug)]
#[group(skip)]
pub struct DemandFiles {
    /// The demands of this file, in TOML, or JSON if its name ends so, as for levels: patterns forbidden and required, numbers in areas, tiles at
    /// places and more. May be given several times.
    #[arg(long, value_name = "FILE")]
    demands: Vec<PathBuf>,
}

impl DemandFiles {
    /// The demands of the files on boards of a size; `legend` is the legend of their tiles, in TOML.
    ///
    /// **Errors.** Those of the files, with their paths.
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
