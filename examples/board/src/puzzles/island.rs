//! Islands: boards on which water surrounds one connected piece of land.

use std::ops::RangeInclusive;

use crate::{
    CHAIN, ClueSource, DemandFiles, Example, Failure, Options as Shared, Other, Puzzle,
    all_demands, message, range,
};
use clap::Parser;
use figrs_command::whole;
use figrs_design::{BoardDemands, DemandedBoards};
use figrs_models::Mistake;
use figrs_models::grid::{Board, GridError, Size};
use figrs_models::island::{Island, Terrain};
use figrs_models::picture::{Image, PictureScale};
use serde_json::{Value as Json, json};

/// Islands: the border is water, the centre is land, and all land is connected; the character # is land.
#[derive(Debug, Parser)]
#[command(version)]
pub struct Options {
    #[command(flatten)]
    board: Shared,
    /// File of known cells, a line for each row: # (land), . (water), and ? for a cell without a clue. The clues set the size of the boards.
    #[arg(long, value_name = "FILE", conflicts_with = "size")]
    clues: Option<ClueSource>,
    /// The fewest cells of land.
    #[arg(long, value_name = "CELLS", value_parser = whole::<u32>(0..))]
    min_land: Option<u32>,
    /// The most cells of land.
    #[arg(long, value_name = "CELLS", value_parser = whole::<u32>(0..))]
    max_land: Option<u32>,
    /// The fewest bays: cells of water with land on exactly three sides.
    #[arg(long, value_name = "BAYS", value_parser = whole::<u32>(0..))]
    min_bays: Option<u32>,
    /// The most bays: cells of water with land on exactly three sides.
    #[arg(long, value_name = "BAYS", value_parser = whole::<u32>(0..))]
    max_bays: Option<u32>,
    #[command(flatten)]
    demands: DemandFiles,
}

/// The legend of the tiles of islands (the character for each tile), for files of demands.
const LEGEND: &str = "[tiles]
'.' = ['water']
'#' = ['land', 'solid']
";

impl Example for Options {
    type Puzzle = Islands;

    fn shared(&self) -> &Shared {
        &self.board
    }

    fn give_clues(&mut self, text: String) {
        self.clues = Some(ClueSource::Text(text));
    }

    fn puzzle(&self) -> Result<Islands, Failure> {
        let clues = self.board.clues_or_none(self.clues.as_ref(), 8)?;
        Ok(Islands {
            of_files: self.demands.on(clues.size(), LEGEND)?,
            island: Island::with_clues(clues)?,
            land: range("cells of land", self.min_land, self.max_land)?,
            bays: range("bays", self.min_bays, self.max_bays)?,
        })
    }
}

/// Islands with the settings of the command-line flags.
#[derive(Debug)]
pub struct Islands {
    of_files: BoardDemands,
    /// The generator's island, without bounds on the land and the bays.
    island: Island,
    land: Option<RangeInclusive<u32>>,
    bays: Option<RangeInclusive<u32>>,
}

impl Puzzle for Islands {
    const KIND: &'static str = "island";
    const OTHERS: &'static [Other] = &[CHAIN];
    const SCALE: PictureScale = Board::<Terrain>::SCALE;
    type Generator = DemandedBoards<Island>;
    type Board = Board<Terrain>;

    fn size(&self) -> Size {
        self.island.size()
    }

    fn generator(&self) -> Result<DemandedBoards<Island>, GridError> {
        let mut island = self.island.clone();
        if let Some(land) = &self.land {
            island = island.land(land.clone())?;
        }
        if let Some(bays) = &self.bays {
            island = island.bays(bays.clone())?;
        }
        Ok(DemandedBoards::new(island, self.of_files.clone()))
    }

    fn demands(&self) -> String {
        let demands = [
            message(["cell of land", "cells of land"], self.land.as_ref()),
            message(["bay", "bays"], self.bays.as_ref()),
        ];
        all_demands(demands, &self.of_files)
    }

    fn name(cell: &Terrain) -> &'static str {
        match cell {
            Terrain::Water => "water",
            Terrain::Land => "land",
        }
    }

    fn names(island: &Board<Terrain>) -> Vec<&'static str> {
        island.cells().iter().map(Self::name).collect()
    }

    fn json(&self, island: &Board<Terrain>) -> Json {
        json!({
            "grid": island.to_string().lines().collect::<Json>(),
            "land": island.land(),
            "bays": island.bays(),
        })
    }

    fn text(&self, island: &Board<Terrain>) -> String {
        island.to_string()
    }

    fn picture(&self, island: &Board<Terrain>) -> Result<Image, Mistake> {
        island.picture()
    }
}
