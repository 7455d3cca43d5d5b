//! Islands: one piece of land in the water.
//!
//! `cargo run --release --example island -- --help`

#[path = "../board/mod.rs"]
mod board;
#[path = "../board/clue_file.rs"]
mod clue_file;
#[path = "../board/range.rs"]
mod range;

use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::process::ExitCode;

use board::{Boards, Drawn, Example, Failure, Fallback, Program, Puzzle, Side};
use clap::Parser;
use figrs::models::grid::{Clues, GridError, Position, Size};
use figrs::models::island::{Island, IslandMap, IslandSampling, Terrain};
use figrs::models::picture::{Picture, PictureError};
use figrs_command::{Progress, stop};
use range::{range, told};
use serde_json::{Value as Json, json};

/// Islands: the border is water, the centre is land, and all land is connected; # is land.
#[derive(Debug, Parser)]
#[command(version)]
struct Options {
    #[command(flatten)]
    board: board::Options,
    /// Known cells: a line for each row, of # (land), . (water), and ? for a cell without a clue. Boards are as large as the
    /// clues.
    #[arg(long, value_name = "FILE", conflicts_with = "size")]
    clues: Option<PathBuf>,
    /// The fewest cells of land.
    #[arg(long, value_name = "CELLS")]
    min_land: Option<u32>,
    /// The most cells of land.
    #[arg(long, value_name = "CELLS")]
    max_land: Option<u32>,
    /// The fewest bays: cells of water with land on exactly three sides.
    #[arg(long, value_name = "BAYS")]
    min_bays: Option<u32>,
    /// The most bays.
    #[arg(long, value_name = "BAYS")]
    max_bays: Option<u32>,
}

fn main() -> ExitCode {
    board::main::<Options>()
}

impl Example for Options {
    type Puzzle = Islands;

    fn shared(&self) -> &board::Options {
        &self.board
    }

    fn puzzle(&self) -> Result<Islands, Failure> {
        let mut side = self.board.side_or(8);
        let clues: Vec<(Position, Terrain)> = match &self.clues {
            Some(path) => {
                let clues: Clues<Terrain> = clue_file::read(path)?;
                side = clues.size().into();
                clues.iter().collect()
            }
            None => Vec::new(),
        };
        Ok(Islands {
            island: Island::new(side.rows, side.columns)?,
            side,
            clues,
            land: range("cells of land", self.min_land, self.max_land)?,
            bays: range("bays", self.min_bays, self.max_bays)?,
        })
    }
}

struct Islands {
    /// The island without bounds.
    island: Island,
    side: Side,
    clues: Vec<(Position, Terrain)>,
    land: Option<RangeInclusive<u32>>,
    bays: Option<RangeInclusive<u32>>,
}

impl Islands {
    fn bounded(&self) -> Result<Island, GridError> {
        let mut island = self.island.clone();
        if let Some(land) = &self.land {
            island = island.land(land.clone())?;
        }
        if let Some(bays) = &self.bays {
            island = island.bays(bays.clone())?;
        }
        Ok(island)
    }
}

impl Puzzle for Islands {
    const KIND: &'static str = "island";
    const FALLBACK: Fallback = Fallback {
        name: "chain",
        help: "Task sample, of any size: two to four Markov chains that change one cell at a time",
        is_preferred: false,
        uses_memory: false,
    };
    type Cell = Terrain;
    type Board = IslandMap;

    fn side(&self) -> Side {
        self.side
    }

    fn check(&self) -> Result<(), GridError> {
        self.bounded().map(drop)
    }

    fn demands(&self) -> String {
        let demands = [
            told("cells of land", self.land.as_ref()),
            told("bays", self.bays.as_ref()),
        ];
        let demands: Vec<String> = demands.into_iter().flatten().collect();
        demands.join(", ")
    }

    fn program(&self) -> Result<Program<Terrain>, Failure> {
        let elements = self.bounded()?.elements()?;
        Ok(Program {
            model: elements.model().clone(),
            cells: elements.cells().to_vec(),
            clues: self.clues.clone(),
        })
    }

    fn predicted_bytes(&self) -> f64 {
        let (rows, columns) = (self.side.rows as f64, self.side.columns as f64);
        let land = self.land.as_ref().map_or(1.0, |_| rows * columns / 6.0);
        let bays = self
            .bays
            .as_ref()
            .map_or(1.0, |_| 0.5 * 1.62f64.powf(columns));
        1.8 * rows * 3.03f64.powf(columns) * land * bays
    }

    fn board(&self, cells: Vec<Terrain>) -> Result<IslandMap, GridError> {
        IslandMap::from_cells(Size::new(self.side.rows, self.side.columns)?, cells)
    }

    fn name(cell: &Terrain) -> &'static str {
        match cell {
            Terrain::Water => "water",
            Terrain::Land => "land",
        }
    }

    fn names(map: &IslandMap) -> Vec<&'static str> {
        map.cells().iter().map(Self::name).collect()
    }

    /// Takes as many islands of each chain as make up the number, and enough for the diagnostics of convergence.
    fn fall_back(
        &self,
        options: &board::Options,
        boards: &Boards<IslandMap>,
    ) -> Result<Drawn, Failure> {
        const ENOUGH: usize = 25;
        if !self.clues.is_empty() {
            return Err(
                "--clues needs --method exact; allow more --memory, or use a smaller board".into(),
            );
        }
        // Two at least, which can disagree.
        let chains = options.count().clamp(2, 4);
        let wanted = options.count().div_ceil(chains);
        let draws = wanted.max(ENOUGH);
        let between = if wanted < ENOUGH { 2 } else { 10 };
        let sampling = IslandSampling::new(draws).chains(chains).between(between);
        let progress = Progress::of("sweeps of the chains", None);
        let drawn = sampling
            .seed(options.seed())
            .run_watched(&self.bounded()?, |sweeps| {
                progress.set(sweeps);
                !stop::is_set()
            })?;
        let draws = drawn.chains().iter().map(Vec::len).min().unwrap_or(0);
        let wanted = wanted.min(draws);
        // As far apart as there is room for, the chains in turn, and the last ones among them.
        let places = (1..=wanted).map(|number| number * draws / wanted - 1);
        let spread = places.flat_map(|place| {
            let chains = drawn.chains().iter();
            chains.filter_map(move |maps| maps.get(place))
        });
        for map in spread {
            boards.push(map.clone());
        }
        Ok(Drawn {
            compile: 0.0,
            diagnostics: vec![
                ("r-hat", drawn.r_hat()),
                ("effective islands", drawn.effective_samples()),
                ("islands", (chains * draws) as f64),
            ],
        })
    }

    fn json(&self, map: &IslandMap) -> Json {
        json!({
            "grid": map.to_string().lines().collect::<Json>(),
            "land": map.land(),
            "bays": map.bays(),
        })
    }

    fn text(&self, map: &IslandMap) -> String {
        map.to_string()
    }

    fn picture(&self, map: &IslandMap) -> Result<Picture, PictureError> {
        map.picture()
    }
}
