//! Dungeons: a gem and an altar among walls, and a way to both.
//!
//! `cargo run --release --example dungeon -- --help`

#[path = "../board/mod.rs"]
mod board;
#[path = "../board/clue_file.rs"]
mod clue_file;
#[path = "../board/range.rs"]
mod range;
#[path = "../board/rejection.rs"]
mod rejection;
#[path = "../board/relaxed.rs"]
mod relaxed;

use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::process::ExitCode;

use board::{Drawn, Example, Failure, Fallback, Program, Puzzle, Side};
use clap::Parser;
use figrs::models::dungeon::{Dungeon, DungeonMap, Tile};
use figrs::models::grid::{Clues, GridError, Position, Size};
use figrs::models::picture::{Picture, PictureError};
use figrs::models::variation::{Score, scores};
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
    /// What cells are known to be: a line for each row, of . (empty), W, G (gem), A (altar), and ? for a cell without a clue.
    /// Boards are as large as the clues.
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

    fn puzzle(&self) -> Result<Dungeons, Failure> {
        let side = self.board.side_or(8);
        let clues = match &self.clues {
            Some(path) => clue_file::read(path)?,
            None => Clues::none(Size::new(side.rows, side.columns)?),
        };
        let mut dungeon = Dungeon::new(clues.size());
        let walls = range("walls", self.min_walls, self.max_walls)?;
        if let Some(walls) = &walls {
            dungeon = dungeon.walls(walls.clone())?;
        }
        let walk = range("steps", self.min_walk, self.max_walk)?;
        Ok(Dungeons {
            dungeon,
            clues,
            walls,
            walk,
            show_path: self.show_path,
        })
    }
}

#[derive(Clone)]
struct Dungeons {
    /// Without bounds on the walk.
    dungeon: Dungeon,
    clues: Clues<Tile>,
    walls: Option<RangeInclusive<u32>>,
    walk: Option<RangeInclusive<u32>>,
    show_path: bool,
}

impl Dungeons {
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
    };
    type Cell = Tile;
    type Board = DungeonMap;

    fn side(&self) -> Side {
        self.clues.size().into()
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
        let mut dungeon = self.dungeon.clone();
        if let Some(walk) = &self.walk {
            dungeon = dungeon.walk(walk.clone())?;
        }
        let elements = dungeon.elements()?;
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
            Some(_) => 2.0 * rows * 24f64.powf(columns),
        };
        let counts = self.walls.as_ref().map_or(1.0, |walls| {
            f64::from(*walls.end()).min(rows * columns / 2.0).max(1.0)
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

    fn fall_back(&self, options: &board::Options) -> Result<Drawn<DungeonMap>, Failure> {
        let relaxed = Self {
            walk: None,
            ..self.clone()
        };
        let meets = |map: &DungeonMap| {
            let Some(walk) = &self.walk else { return true };
            self.length_of(map)
                .is_some_and(|steps| walk.contains(&steps))
        };
        relaxed::by_rejection(&relaxed, options, meets)
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

    fn scores(&self, maps: &[DungeonMap]) -> Result<Vec<Score>, GridError> {
        scores(maps)
    }

    /// Where there are no clues and bounds, and the board is small.
    fn length(&self) -> Result<Option<(Element<Option<u32>>, Model)>, GridError> {
        let size = self.clues.size();
        let is_free = self.clues.is_empty() && self.demands().is_empty();
        if !is_free || size.columns() > 4 || size.rows() > 4 {
            return Ok(None);
        }
        Ok(Some(self.dungeon.elements()?.walk()?))
    }

    fn length_of(&self, map: &DungeonMap) -> Option<u32> {
        Some(map.walk()?.len() as u32 - 1)
    }
}
