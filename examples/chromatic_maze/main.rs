//! Chromatic mazes: walk from the start to the finish by colours that are alike.
//!
//! `cargo run --release --example chromatic_maze -- --help`

use std::ops::RangeInclusive;
use std::process::ExitCode;

use clap::Parser;
use figrs::models::board::Method;
use figrs::models::chromatic_maze::{ChromaticMaze, ChromaticTile, Hue, RelativeTile};
use figrs::models::grid::{Board, GridError, Position, Size};
use figrs::models::picture::{Image, ImageError, PictureScale};
use figrs::models::variation::{ScoreSummary, VariationError, scores_watched};
use figrs::prelude::*;
use figrs_board_command::{Example, Failure, Other, Puzzle, Role, range, told};
use serde_json::{Value as Json, json};

/// Chromatic mazes: one can step between tiles of equal or neighbouring colours (red, yellow, green, cyan, blue, magenta, and red
/// again), and so from the start < to the finish >.
#[derive(Debug, Parser)]
#[command(version)]
struct Options {
    #[command(flatten)]
    board: figrs_board_command::Options,
    /// The fewest steps from the start to the finish.
    #[arg(long, value_name = "STEPS")]
    min_steps: Option<u32>,
    /// The most steps from the start to the finish.
    #[arg(long, value_name = "STEPS")]
    t_max: Option<u32>,
    /// Show a shortest way from the start to the finish.
    #[arg(long)]
    show_path: bool,
}

fn main() -> ExitCode {
    figrs_board_command::main::<Options>()
}

impl Example for Options {
    type Puzzle = Mazes;

    fn shared(&self) -> &figrs_board_command::Options {
        &self.board
    }

    fn shows_path(&self) -> bool {
        self.show_path
    }

    fn puzzle(&self) -> Result<Mazes, Failure> {
        let steps = range("steps", self.min_steps, self.t_max)?;
        let size = self.board.size_or(4)?;
        Ok(Mazes {
            size,
            // A way has at least one step, and at most one to each other tile.
            steps: steps
                .filter(|steps| *steps.start() > 1 || (*steps.end() as usize) + 1 < size.cells()),
            show_path: self.show_path,
        })
    }
}

struct Mazes {
    size: Size,
    steps: Option<RangeInclusive<u32>>,
    show_path: bool,
}

impl Mazes {
    /// The tiles of the way, if it is to be shown.
    fn way(&self, board: &Board<ChromaticTile>) -> Vec<Position> {
        let way = self.show_path.then(|| board.solution());
        way.flatten().unwrap_or_default()
    }
}

/// A position in JSON: column and row, from 1.
fn place(at: Position) -> Json {
    json!([at.column + 1, at.row + 1])
}

impl Puzzle for Mazes {
    const KIND: &'static str = "chromatic";
    const OTHERS: &'static [Other] = &[Other {
        method: Method::Rejection,
        help: "Task sample: of exact boards without bounds on the way those that meet them, or of boards with any colours, start and finish \
                   those with a way as demanded; exact as well, and for all boards up to 15 columns",
        role: Role::Fallback,
        uses_memory: true,
    }];
    const SCALE: PictureScale = Board::<ChromaticTile>::SCALE;
    type Generator = ChromaticMaze;
    type Board = Board<ChromaticTile>;

    fn size(&self) -> Size {
        self.size
    }

    fn generator(&self) -> Result<ChromaticMaze, GridError> {
        let maze = ChromaticMaze::new(self.size)?;
        match &self.steps {
            Some(steps) => maze.steps(steps.clone()),
            None => Ok(maze),
        }
    }

    fn demands(&self) -> String {
        told("steps of the way", self.steps.as_ref()).unwrap_or_default()
    }

    fn name(cell: &RelativeTile) -> &'static str {
        if cell.is_end() {
            "start or finish"
        } else {
            "between"
        }
    }

    fn names(board: &Board<ChromaticTile>) -> Vec<&'static str> {
        let name = |tile: &ChromaticTile| match tile.end {
            Some(_) => "start or finish",
            None => "between",
        };
        board.cells().iter().map(name).collect()
    }

    /// By the symmetry of the wheel all colours are equally likely for each tile, whatever the demands.
    fn colours(&self) -> &'static [(&'static str, f64)] {
        const EACH: f64 = 1.0 / Hue::WHEEL.len() as f64;
        const {
            &[
                ("red", EACH),
                ("yellow", EACH),
                ("green", EACH),
                ("cyan", EACH),
                ("blue", EACH),
                ("magenta", EACH),
            ]
        }
    }

    fn colours_of(&self, board: &Board<ChromaticTile>) -> Vec<&'static str> {
        let tiles = board.cells().iter();
        tiles
            .map(|tile| self.colours()[tile.colour as usize].0)
            .collect()
    }

    fn json(&self, board: &Board<ChromaticTile>) -> Json {
        let tiles = board.cells().chunks(self.size.columns());
        let row = |row: &[ChromaticTile]| {
            let row = row.iter().map(|tile| tile.colour.symbol().to_string());
            row.collect::<Json>()
        };
        let mut object = json!({
            "start": board.start().map(place),
            "finish": board.finish().map(place),
            "tiles": tiles.map(row).collect::<Json>(),
            "steps": self.length_of(board),
        });
        if self.show_path {
            object["path"] = self.way(board).into_iter().map(place).collect();
        }
        object
    }

    fn text(&self, board: &Board<ChromaticTile>) -> String {
        let text = board.to_string();
        let mut rows: Vec<Vec<char>> = text.lines().map(|line| line.chars().collect()).collect();
        for at in self.way(board) {
            let mark = &mut rows[at.row][2 * at.column + 1];
            if *mark == ' ' {
                *mark = '*';
            }
        }
        let rows = rows.into_iter();
        rows.flat_map(|row| row.into_iter().chain(['\n'])).collect()
    }

    fn picture(&self, board: &Board<ChromaticTile>) -> Result<Image, ImageError> {
        board.picture(&self.way(board))
    }

    fn scores(
        &self,
        boards: &[Board<ChromaticTile>],
        watch: impl FnMut(u64),
    ) -> Result<Vec<ScoreSummary>, VariationError> {
        scores_watched(boards, watch)
    }

    /// Known only without bounds, for small boards.
    fn length(&self) -> Result<Option<(Element<Option<u32>>, Model)>, GridError> {
        if self.steps.is_some() || self.size.columns() > 3 || self.size.rows() > 3 {
            return Ok(None);
        }
        Ok(Some(self.generator()?.elements()?.steps()?))
    }

    fn length_of(&self, board: &Board<ChromaticTile>) -> Option<u32> {
        Some(board.solution()?.len() as u32 - 1)
    }
}
