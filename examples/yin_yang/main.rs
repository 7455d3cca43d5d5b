//! Yin-Yang: colour every cell so that each colour is connected and no square is of one colour.
//!
//! `cargo run --release --example yin_yang -- --help`

#[path = "../board/mod.rs"]
mod board;
#[path = "../board/clue_file.rs"]
mod clue_file;
mod particles;

use std::path::PathBuf;
use std::process::ExitCode;

use board::{Drawn, Example, Failure, Fallback, Program, Puzzle, Side};
use clap::Parser;
use figrs::models::grid::{GridError, Size};
use figrs::models::picture::{Picture, PictureError};
use figrs::models::yin_yang::{Board, Clues, Colour, YinYang};
use serde_json::{Value as Json, json};

/// Yin-Yang boards and puzzles: both colours occur, each is connected, and no 2 by 2 square is of one colour.
#[derive(Debug, Parser)]
#[command(version)]
struct Options {
    #[command(flatten)]
    board: board::Options,
    /// What cells are known to be: a line for each row, of 1 (black), 2 (white), and . for a cell without a clue. Boards are as large as the
    /// clues.
    #[arg(long, value_name = "FILE", conflicts_with = "size")]
    clues: Option<PathBuf>,
}

fn main() -> ExitCode {
    board::main::<Options>()
}

impl Example for Options {
    type Puzzle = Boards;

    fn shared(&self) -> &board::Options {
        &self.board
    }

    fn puzzle(&self) -> Result<Boards, Failure> {
        let side = self.board.side_or(8);
        let clues = match &self.clues {
            Some(path) => clue_file::read(path)?,
            None => Clues::none(Size::new(side.rows, side.columns)?),
        };
        Ok(Boards { clues })
    }
}

struct Boards {
    clues: Clues,
}

impl Puzzle for Boards {
    const KIND: &'static str = "yin_yang";
    const FALLBACK: Fallback = Fallback {
        name: "particles",
        help: "Task sample, for wide boards: particles that read the board cell by cell, about right only",
        is_preferred: false,
    };
    type Cell = Colour;
    type Board = Board;

    fn side(&self) -> Side {
        self.clues.size().into()
    }

    fn demands(&self) -> String {
        String::new()
    }

    fn program(&self) -> Result<Program<Colour>, Failure> {
        let elements = YinYang::any(self.clues.size()).elements()?;
        Ok(Program {
            model: elements.model().clone(),
            cells: elements.cells().to_vec(),
            clues: self.clues.iter().collect(),
        })
    }

    /// Each clue in a row halves the states of a column or so.
    fn predicted_bytes(&self) -> f64 {
        let (rows, columns) = (self.side().rows as f64, self.side().columns as f64);
        9.0 * rows * 3.4f64.powf(columns - self.clues.len() as f64 / rows)
    }

    fn board(&self, cells: Vec<Colour>) -> Result<Board, GridError> {
        Board::from_colours(self.clues.size(), cells)
    }

    fn name(cell: &Colour) -> &'static str {
        match cell {
            Colour::Black => "black",
            Colour::White => "white",
        }
    }

    fn names(board: &Board) -> Vec<&'static str> {
        board.colours().iter().map(Self::name).collect()
    }

    fn fall_back(&self, options: &board::Options) -> Result<Drawn<Board>, Failure> {
        particles::draw(self, options)
    }

    fn json(&self, board: &Board) -> Json {
        json!({"grid": board.to_string().lines().collect::<Json>()})
    }

    fn text(&self, board: &Board) -> String {
        board.to_string()
    }

    fn picture(&self, board: &Board) -> Result<Picture, PictureError> {
        board.picture(&self.clues)
    }
}
