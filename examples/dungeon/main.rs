//! Dungeons: a gem and an altar among walls, and a way to both.
//!
//! `cargo run --release --example dungeon -- --help`

#[path = "../board/mod.rs"]
mod board;
#[path = "../board/clue_file.rs"]
mod clue_file;
#[path = "../board/range.rs"]
mod range;

use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::process::ExitCode;

use board::{Example, Failure, Fallback, Program, Puzzle, Side};
use clap::Parser;
use figrs::models::dungeon::{Dungeon, DungeonMap, Tile};
use figrs::models::grid::{Clues, GridError, Position, Size};
use figrs::models::picture::{Picture, PictureError};
use figrs::models::variation::{Score, scores_watched};
use figrs::prelude::*;
use range::{range, told};
use serde_json::{Value as Json, json};

/// Dungeons: from the entrance (top left) one can walk to the gem, from there to the altar, and from there to the exit (bottom
/// right). W is a wall.
#[derive(Debug, Parser)]
#[command(version)]
struct Options {
    #[command(flatten)]
    board: board::Options,
    /// Known cells: a line for each row, of . (empty), W, G (gem), A (altar), and ? for a cell without a clue. Boards are as
    /// large as the clues.
    #[arg(long, value_name = "FILE", conflicts_with = "size")]
    clues: Option<PathBuf>,
    /// The fewest steps from the entrance to the gem, the altar and the exit.
    #[arg(long, value_name = "STEPS")]
    min_walk: Option<u32>,
    /// The most steps from the entrance to the gem, the altar and the exit.
    #[arg(long, value_name = "STEPS")]
    max_walk: Option<u32>,
    /// The fewest walls.
    #[arg(long, value_name = "CELLS")]
    min_walls: Option<u32>,
    /// The most walls.
    #[arg(long, value_name = "CELLS")]
    max_walls: Option<u32>,
    /// Show a shortest walk from the entrance to the gem, the altar and the exit.
    #[arg(long)]
    show_path: bool,
}

fn main() -> ExitCode {
    board::main::<Options>()
}

impl Example for Options {
    type Puzzle = Dungeons;

    fn shared(&self) -> &board::Options {
        &self.board
    }

    fn shows_path(&self) -> bool {
        self.show_path
    }

    fn puzzle(&self) -> Result<Dungeons, Failure> {
        let side = self.board.side_or(8);
        let clues = match &self.clues {
            Some(path) => clue_file::read(path)?,
            None => Clues::none(Size::new(side.rows, side.columns)?),
        };
        Ok(Dungeons {
            clues,
            walls: range("walls", self.min_walls, self.max_walls)?,
            walk: range("steps", self.min_walk, self.max_walk)?,
            show_path: self.show_path,
        })
    }
}

#[derive(Clone)]
struct Dungeons {
    clues: Clues<Tile>,
    walls: Option<RangeInclusive<u32>>,
    walk: Option<RangeInclusive<u32>>,
    show_path: bool,
}

impl Dungeons {
    fn dungeon(&self) -> Result<Dungeon, GridError> {
        let mut dungeon = Dungeon::new(self.clues.size());
        if let Some(walls) = &self.walls {
            dungeon = dungeon.walls(walls.clone())?;
        }
        if let Some(walk) = &self.walk {
            dungeon = dungeon.walk(walk.clone())?;
        }
        Ok(dungeon)
    }

    /// The cells of the walk, if it is to be shown.
    fn way(&self, map: &DungeonMap) -> Vec<Position> {
        let walk = self.show_path.then(|| map.walk());
        walk.flatten().unwrap_or_default()
    }
}

impl Puzzle for Dungeons {
    const KIND: &'static str = "dungeon";
    const FALLBACK: Fallback = Fallback {
        name: "rejection",
        help: "Task sample: those exact boards without bounds on the walk that meet them; exact as well",
        is_preferred: false,
        uses_memory: true,
    };
    const REJECTS: bool = true;
    type Cell = Tile;
    type Board = DungeonMap;

    fn side(&self) -> Side {
        self.clues.size().into()
    }

    fn check(&self) -> Result<(), GridError> {
        self.dungeon().map(drop)
    }

    fn demands(&self) -> String {
        let demands = [
            told("steps of the walk", self.walk.as_ref()),
            told("walls", self.walls.as_ref()),
        ];
        let demands: Vec<String> = demands.into_iter().flatten().collect();
        demands.join(", ")
    }

    fn program(&self) -> Result<Program<Tile>, Failure> {
        let elements = self.dungeon()?.elements()?;
        Ok(Program {
            model: elements.model().clone(),
            cells: elements.tiles().to_vec(),
            clues: self.clues.iter().collect(),
        })
    }

    fn predicted_bytes(&self) -> f64 {
        let (rows, columns) = (self.side().rows as f64, self.side().columns as f64);
        let bytes = match &self.walk {
            None => 78.0 * rows * 3.5f64.powf(columns),
            Some(_) => 0.053 * rows.powf(5.5) * 9.3f64.powf(columns),
        };
        let counts = self.walls.as_ref().map_or(1.0, |walls| {
            (f64::from(*walls.end()).min(rows * columns / 2.0) / 2.0).max(1.0)
        });
        bytes * counts
    }

    fn board(&self, cells: Vec<Tile>) -> Result<DungeonMap, GridError> {
        DungeonMap::from_tiles(self.clues.size(), cells)
    }

    fn name(cell: &Tile) -> &'static str {
        match cell {
            Tile::Empty => "empty",
            Tile::Wall => "wall",
            Tile::Gem => "gem",
            Tile::Altar => "altar",
        }
    }

    fn names(map: &DungeonMap) -> Vec<&'static str> {
        map.tiles().iter().map(Self::name).collect()
    }

    fn relaxed(&self) -> Option<Self> {
        self.walk.as_ref()?;
        Some(Self {
            walk: None,
            ..self.clone()
        })
    }

    fn meets(&self, map: &DungeonMap) -> bool {
        let Some(walk) = &self.walk else { return true };
        self.length_of(map)
            .is_some_and(|steps| walk.contains(&steps))
    }

    fn json(&self, map: &DungeonMap) -> Json {
        let mut object = json!({
            "grid": map.to_string().lines().collect::<Json>(),
            "walk": self.length_of(map),
        });
        if self.show_path {
            let way = self.way(map).into_iter();
            object["path"] = way.map(|at| json!([at.column + 1, at.row + 1])).collect();
        }
        object
    }

    fn text(&self, map: &DungeonMap) -> String {
        let text = map.to_string();
        let mut rows: Vec<Vec<char>> = text.lines().map(|line| line.chars().collect()).collect();
        for at in self.way(map) {
            let cell = &mut rows[at.row][at.column];
            if *cell == '.' {
                *cell = '*';
            }
        }
        let rows = rows.into_iter();
        rows.flat_map(|row| row.into_iter().chain(['\n'])).collect()
    }

    fn picture(&self, map: &DungeonMap) -> Result<Picture, PictureError> {
        map.picture(&self.way(map))
    }

    fn scores(&self, maps: &[DungeonMap], watch: impl FnMut(u64)) -> Result<Vec<Score>, GridError> {
        scores_watched(maps, watch)
    }

    /// Known only without clues and bounds, for small boards.
    fn length(&self) -> Result<Option<(Element<Option<u32>>, Model)>, GridError> {
        let size = self.clues.size();
        let is_free = self.clues.is_empty() && self.demands().is_empty();
        if !is_free || size.columns() > 4 || size.rows() > 4 {
            return Ok(None);
        }
        Ok(Some(Dungeon::new(size).elements()?.walk()?))
    }

    fn length_of(&self, map: &DungeonMap) -> Option<u32> {
        Some(map.walk()?.len() as u32 - 1)
    }
}
