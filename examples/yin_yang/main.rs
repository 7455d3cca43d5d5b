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

use board::engine::frontier;
use board::options::Task;
use board::{Boards as Drawing, Drawn, Example, Failure, Fallback, Program, Puzzle, Side};
use clap::Parser;
use figrs::models::grid::{GridError, Size};
use figrs::models::picture::{Picture, PictureError};
use figrs::models::yin_yang::{Board, Clues, Colour, YinYang};
use figrs::stream;
use figrs_command::Progress;
use serde_json::{Value as Json, json};

/// Yin-Yang boards and puzzles: both colours occur, each is connected, and no 2 by 2 square is of one colour.
#[derive(Debug, Parser)]
#[command(version)]
struct Options {
    #[command(flatten)]
    board: board::Options,
    /// Known cells: a line for each row, of 1 (black), 2 (white), and . for a cell without a clue. Boards are as large as
    /// the clues.
    #[arg(long, value_name = "FILE", conflicts_with = "size")]
    clues: Option<PathBuf>,
    /// Make puzzles instead of boards: few clues, those of --clues among them, that only one board meets. One puzzle in text
    /// is a file for --clues.
    #[arg(long)]
    make_puzzle: bool,
}

fn main() -> ExitCode {
    board::main::<Options>()
}

impl Example for Options {
    type Puzzle = Boards;

    fn shared(&self) -> &board::Options {
        &self.board
    }

    fn check(&self) -> Result<(), Failure> {
        if self.make_puzzle && (self.board.task != Task::Sample || self.board.stats) {
            return Err("--make-puzzle needs --task sample, without --stats".into());
        }
        if self.make_puzzle && self.board.method == Boards::FALLBACK.name {
            return Err("--make-puzzle needs --method exact".into());
        }
        Ok(())
    }

    fn puzzle(&self) -> Result<Boards, Failure> {
        let side = self.board.side_or(8);
        let clues = match &self.clues {
            Some(path) => clue_file::read(path)?,
            None => Clues::none(Size::new(side.rows, side.columns)?),
        };
        Ok(Boards {
            clues,
            are_puzzles: self.make_puzzle,
        })
    }
}

struct Boards {
    clues: Clues,
    are_puzzles: bool,
}

/// A board, and the clues of a puzzle whose only solution it is.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Shown {
    board: Board,
    puzzle: Option<Clues>,
}

impl Puzzle for Boards {
    const KIND: &'static str = "yin_yang";
    const FALLBACK: Fallback = Fallback {
        name: "particles",
        help: "Task sample, for wide boards: particles that read the board cell by cell, about right only",
        is_preferred: false,
        uses_memory: true,
    };
    type Cell = Colour;
    type Board = Shown;

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

    fn board(&self, cells: Vec<Colour>) -> Result<Shown, GridError> {
        let board = Board::from_colours(self.clues.size(), cells)?;
        let puzzle = None;
        Ok(Shown { board, puzzle })
    }

    fn name(cell: &Colour) -> &'static str {
        match cell {
            Colour::Black => "black",
            Colour::White => "white",
        }
    }

    fn names(shown: &Shown) -> Vec<&'static str> {
        shown.board.colours().iter().map(Self::name).collect()
    }

    fn makes(&self) -> bool {
        self.are_puzzles
    }

    fn make(&self, options: &board::Options, drawing: &Drawing<Shown>) -> Result<Drawn, Failure> {
        let frontier = frontier("compiling, step", options.memory().0);
        let boards = YinYang::new(self.clues.clone()).frontier(frontier);
        let progress = Progress::of("puzzles", Some(options.count() as u64));
        let cells = self.clues.size().cells();
        let (mut clues, mut part) = (0, 0);
        while drawing.want_more() {
            let mut rng = stream(options.seed(), part);
            let (puzzle, board) = boards.puzzle_watched(&mut rng, |tried| {
                progress.tell(|| format!(", {tried} of {cells} cells tried for the next"));
            })?;
            clues += puzzle.len();
            let puzzle = Some(puzzle);
            drawing.push(Shown { board, puzzle });
            part += 1;
            progress.set(part);
        }
        let clues = clues as f64 / part.max(1) as f64;
        Ok(Drawn {
            compile: 0.0,
            diagnostics: vec![("clues", clues)],
        })
    }

    fn fall_back(
        &self,
        options: &board::Options,
        drawing: &Drawing<Shown>,
    ) -> Result<Drawn, Failure> {
        particles::draw(self, options, drawing)
    }

    /// The rows of the board, and of the puzzle.
    fn json(&self, shown: &Shown) -> Json {
        let rows = |text: String| text.lines().collect::<Json>();
        let mut object = json!({"grid": rows(shown.board.to_string())});
        if let Some(puzzle) = &shown.puzzle {
            object["clues"] = rows(puzzle.to_string());
        }
        object
    }

    fn text(&self, shown: &Shown) -> String {
        let puzzle = shown.puzzle.as_ref();
        puzzle.map_or_else(|| shown.board.to_string(), ToString::to_string)
    }

    fn picture(&self, shown: &Shown) -> Result<Picture, PictureError> {
        match &shown.puzzle {
            Some(puzzle) => puzzle.picture(),
            None => shown.board.picture(&self.clues),
        }
    }
}
