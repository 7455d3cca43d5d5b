//! Perfect mazes: every room is reached from every other by exactly one way.
//!
//! `cargo run --release --example maze -- --help`

#[path = "../board/mod.rs"]
mod board;
#[path = "../board/range.rs"]
mod range;

use std::ops::RangeInclusive;
use std::process::ExitCode;

use board::options::Task;
use board::{Boards, Drawn, Example, Failure, Fallback, Program, Puzzle, Side};
use clap::{Parser, ValueEnum};
use figrs::models::grid::{GridError, Size};
use figrs::models::maze::{Border, Maze, PerfectMaze, Pointer, Weights};
use figrs::models::picture::{Picture, PictureError};
use figrs::models::variation::{Score, scores_watched};
use figrs::stream;
use range::{range, told};
use serde_json::{Value as Json, json};

/// Perfect mazes: every room points to one beside it, and by following the pointers all lead to the first.
#[derive(Debug, Parser)]
#[command(version)]
struct Options {
    #[command(flatten)]
    board: board::Options,
    /// Weights of directions: all alike, or right and left 45 %, up and down 5 %. Not for --task count.
    #[arg(long, value_enum, default_value_t = Direction::Uniform)]
    weights: Direction,
    /// Directions out of the grid: excluded, or possible and failing; outside is for --task probability only, since given
    /// the rules mazes are as likely either way.
    #[arg(long, value_enum, default_value_t = Outside::Within)]
    border: Outside,
    /// The fewest steps from the entrance to the exit.
    #[arg(long, value_name = "STEPS")]
    min_walk: Option<u32>,
    /// The most steps from the entrance to the exit.
    #[arg(long, value_name = "STEPS")]
    max_walk: Option<u32>,
    /// Show the way from the entrance to the exit.
    #[arg(long)]
    show_path: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Direction {
    Uniform,
    Snake,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Outside {
    Within,
    Outside,
}

fn main() -> ExitCode {
    board::main::<Options>()
}

impl Example for Options {
    type Puzzle = Mazes;

    fn shared(&self) -> &board::Options {
        &self.board
    }

    fn check(&self) -> Result<(), Failure> {
        let task = self.board.task;
        if self.border == Outside::Outside && task != Task::Probability {
            return Err("--border outside needs --task probability".into());
        }
        if self.weights == Direction::Snake && task == Task::Count {
            return Err("--weights has no effect on --task count; leave it out".into());
        }
        Ok(())
    }

    fn shows_path(&self) -> bool {
        self.show_path
    }

    fn puzzle(&self) -> Result<Mazes, Failure> {
        let side = self.board.side_or(8);
        let mazes = PerfectMaze::new(side.rows, side.columns)?;
        let walk = range("steps", self.min_walk, self.max_walk)?;
        let border = match self.border {
            Outside::Within => Border::Within,
            Outside::Outside => Border::Outside,
        };
        Ok(Mazes {
            perfect: match self.weights {
                Direction::Uniform => mazes,
                Direction::Snake => mazes.weights(Weights::SNAKE)?,
            }
            .border(border),
            side,
            is_uniform: self.weights == Direction::Uniform,
            walk,
            show_path: self.show_path,
        })
    }
}

struct Mazes {
    perfect: PerfectMaze,
    side: Side,
    is_uniform: bool,
    walk: Option<RangeInclusive<u32>>,
    show_path: bool,
}

impl Mazes {
    /// The rooms of the way, if it is to be shown.
    fn way(&self, maze: &Maze) -> Vec<(usize, usize)> {
        if self.show_path {
            maze.solution()
        } else {
            Vec::new()
        }
    }
}

impl Puzzle for Mazes {
    const KIND: &'static str = "maze";
    const FALLBACK: Fallback = Fallback {
        name: "wilson",
        help: "Task sample, of any size, by Wilson's algorithm: exact as well",
        is_preferred: true,
        uses_memory: false,
    };
    type Cell = Pointer;
    type Board = Maze;

    fn side(&self) -> Side {
        self.side
    }

    fn check(&self) -> Result<(), GridError> {
        let walk = self.walk.clone();
        walk.map_or(Ok(()), |walk| self.perfect.check_steps(walk))
    }

    fn demands(&self) -> String {
        told("steps of the way", self.walk.as_ref()).unwrap_or_default()
    }

    fn program(&self) -> Result<Program<Pointer>, Failure> {
        if self.walk.is_some() {
            return Err(
                "--min-walk and --max-walk need --method wilson and --task sample, and no --stats"
                    .into(),
            );
        }
        let elements = self.perfect.elements()?;
        Ok(Program {
            model: elements.model().clone(),
            cells: elements.pointers().to_vec(),
            clues: Vec::new(),
        })
    }

    fn predicted_bytes(&self) -> f64 {
        3.9 * self.side.rows as f64 * 5.4f64.powf(self.side.columns as f64)
    }

    fn board(&self, cells: Vec<Pointer>) -> Result<Maze, GridError> {
        Maze::from_pointers(Size::new(self.side.rows, self.side.columns)?, cells)
    }

    fn name(cell: &Pointer) -> &'static str {
        match cell {
            Pointer::Root => "root",
            Pointer::Up => "up",
            Pointer::Down => "down",
            Pointer::Left => "left",
            Pointer::Right => "right",
        }
    }

    fn names(maze: &Maze) -> Vec<&'static str> {
        maze.pointers().iter().map(Self::name).collect()
    }

    fn is_uniform(&self) -> bool {
        self.is_uniform
    }

    fn meets(&self, maze: &Maze) -> bool {
        let steps = || maze.solution().len() as u32 - 1;
        let walk = self.walk.as_ref();
        walk.is_none_or(|walk| walk.contains(&steps()))
    }

    fn fall_back(&self, options: &board::Options, boards: &Boards<Maze>) -> Result<Drawn, Failure> {
        let seed = options.seed();
        let mazes = (0..).map(|part| Ok(self.perfect.sample(&mut stream(seed, part))));
        let mut drawn = self.kept(mazes, boards)?.drawn(0.0);
        if self.walk.is_none() {
            drawn.diagnostics.clear();
        }
        Ok(drawn)
    }

    /// Rooms by column and row, counted from 1, and the offsets to the rooms they point to.
    fn json(&self, maze: &Maze) -> Json {
        let size = (self.side.rows, self.side.columns);
        let rooms = maze.pointers().iter().enumerate();
        let parents = rooms.filter_map(|(index, pointer)| {
            let (row, column) = (index / size.1, index % size.1);
            let (above, left) = pointer.target(size, (row, column))?;
            let step = |from: usize, to: usize| to.cast_signed() - from.cast_signed();
            Some(json!([
                column + 1,
                row + 1,
                step(column, left),
                step(row, above)
            ]))
        });
        let mut object = json!({"parents": parents.collect::<Json>()});
        if self.show_path {
            let way = self.way(maze).into_iter();
            object["path"] = way
                .map(|(row, column)| json!([column + 1, row + 1]))
                .collect();
        }
        object
    }

    fn text(&self, maze: &Maze) -> String {
        let text = maze.to_string();
        let mut lines: Vec<Vec<char>> = text.lines().map(|line| line.chars().collect()).collect();
        for (row, column) in self.way(maze) {
            lines[2 * row + 1][3 * column + 1] = '*';
        }
        let lines = lines.into_iter();
        lines
            .flat_map(|line| line.into_iter().chain(['\n']))
            .collect()
    }

    fn picture(&self, maze: &Maze) -> Result<Picture, PictureError> {
        maze.picture(&self.way(maze))
    }

    fn scores(&self, mazes: &[Maze], watch: impl FnMut(u64)) -> Result<Vec<Score>, GridError> {
        scores_watched(mazes, watch)
    }
}
