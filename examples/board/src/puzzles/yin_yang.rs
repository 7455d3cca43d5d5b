//! Yin-Yang: each of two colours is connected, and no 2 by 2 square has one colour only.

use std::ops::RangeInclusive;

use crate::flags::{METHOD, STATS, TASK};
use crate::{
    CHAIN, ClueSource, Example, Failure, Options as Shared, Other, Puzzle, Role, Task, Watch,
    message, range,
};
use clap::Parser;
use figrs_command::{Flag, whole};
use figrs_core::stream;
use figrs_models::Mistake;
use figrs_models::board::Method;
use figrs_models::grid::{Board, GridError, Size};
use figrs_models::picture::{Image, PictureScale};
use figrs_models::yin_yang::{Colour, ColourClues, YinYang};
use serde_json::{Value as Json, json};

/// Yin-Yang boards and puzzles: both colours occur, the cells of each colour are connected, and no 2 by 2 square has one colour only.
#[derive(Debug, Parser)]
#[command(version)]
pub struct Options {
    #[command(flatten)]
    board: Shared,
    /// File of known cells, a line for each row: 1 (black), 2 (white), and . for a cell without a clue. The clues set the size of the boards.
    #[arg(long, value_name = "FILE", conflicts_with = "size")]
    clues: Option<ClueSource>,
    /// The fewest black cells.
    #[arg(long, value_name = "CELLS", value_parser = whole::<u32>(0..))]
    min_black: Option<u32>,
    /// The most black cells; if --min-black and --max-black are half of all cells, both colours have the same number of cells.
    #[arg(long, value_name = "CELLS", value_parser = whole::<u32>(0..))]
    max_black: Option<u32>,
    /// Make puzzles instead of boards: few clues, including those of --clues, that have exactly one solution. The text of a single puzzle is a valid
    /// file for --clues.
    #[arg(long)]
    make_puzzle: bool,
}

impl Example for Options {
    type Puzzle = Boards;

    fn shared(&self) -> &Shared {
        &self.board
    }

    fn check(&self) -> Result<(), Failure> {
        let make_puzzle = Flag("make-puzzle");
        if self.make_puzzle && (self.board.task != Task::Sample || self.board.stats) {
            return Err(format!("{make_puzzle} needs {TASK} sample, without {STATS}").into());
        }
        if self.make_puzzle && !["auto", "exact"].contains(&self.board.method.as_str()) {
            return Err(format!("{make_puzzle} needs {METHOD} exact").into());
        }
        Ok(())
    }

    fn give_clues(&mut self, text: String) {
        self.clues = Some(ClueSource::Text(text));
    }

    fn puzzle(&self) -> Result<Boards, Failure> {
        let clues = self.board.clues_or_none(self.clues.as_ref(), 8)?;
        Ok(Boards {
            clues,
            black: range("black cells", self.min_black, self.max_black)?,
            are_puzzles: self.make_puzzle,
        })
    }
}

/// Yin-Yang boards and puzzles with the settings of the command-line flags.
#[derive(Debug)]
pub struct Boards {
    clues: ColourClues,
    black: Option<RangeInclusive<u32>>,
    are_puzzles: bool,
}

/// A board, and the clues of a puzzle whose only solution is the board.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Shown {
    board: Board<Colour>,
    puzzle: Option<ColourClues>,
}

impl From<Board<Colour>> for Shown {
    fn from(board: Board<Colour>) -> Self {
        let puzzle = None;
        Self { board, puzzle }
    }
}

impl Puzzle for Boards {
    const KIND: &'static str = "yin_yang";
    const OTHERS: &'static [Other] = &[
        Other {
            method: Method::Particles,
            help: "Approximate, for --task sample and up to 15 columns: particles that fill the board cell by cell",
            role: Role::Fallback,
            uses_memory: true,
        },
        CHAIN,
    ];
    const SCALE: PictureScale = Board::<Colour>::SCALE;
    type Generator = YinYang;
    type Board = Shown;

    fn size(&self) -> Size {
        self.clues.size()
    }

    fn generator(&self) -> Result<YinYang, GridError> {
        let boards = YinYang::with_clues(self.clues.clone());
        match &self.black {
            Some(black) => boards.black(black.clone()),
            None => Ok(boards),
        }
    }

    fn demands(&self) -> String {
        message(["black cell", "black cells"], self.black.as_ref()).unwrap_or_default()
    }

    fn name(cell: &Colour) -> &'static str {
        match cell {
            Colour::Black => "black",
            Colour::White => "white",
        }
    }

    fn names(shown: &Shown) -> Vec<&'static str> {
        shown.board.cells().iter().map(Self::name).collect()
    }

    fn makes(&self) -> bool {
        self.are_puzzles
    }

    fn make(
        &self,
        options: &Shared,
        watch: &Watch,
        made: &dyn Fn(Shown),
    ) -> Result<Vec<(&'static str, f64)>, Failure> {
        let frontier = watch.frontier("compiling, element", options.memory().0);
        let boards = self.generator()?.frontier(frontier);
        let progress = watch.progress("puzzles", Some(options.count() as u64));
        let cells = self.clues.size().cells();
        let puzzles = boards.puzzles()?;
        let (mut clues, mut part) = (0, 0);
        while part < options.count() as u64 && !watch.is_ended() {
            let mut rng = stream(options.seed(), part);
            let drawn = puzzles.draw(&mut rng, |tried| {
                if let Some(progress) = &progress {
                    progress.tell(|| format!(", {tried} of {cells} cells tried for the next"));
                }
                !watch.is_ended()
            })?;
            let Some((puzzle, board)) = drawn else {
                break;
            };
            clues += puzzle.len();
            let puzzle = Some(puzzle);
            made(Shown { board, puzzle });
            part += 1;
            if let Some(progress) = &progress {
                progress.set(part);
            }
        }
        Ok(vec![("clues", clues as f64 / part.max(1) as f64)])
    }

    /// Returns the rows of the board and of the puzzle as JSON.
    fn json(&self, shown: &Shown) -> Json {
        let rows = |text: String| text.lines().collect::<Json>();
        let black = shown.board.places_of(Colour::Black).count();
        let mut object = json!({"grid": rows(shown.board.to_string()), "black": black});
        if let Some(puzzle) = &shown.puzzle {
            object["clues"] = rows(puzzle.to_string());
        }
        object
    }

    fn text(&self, shown: &Shown) -> String {
        let puzzle = shown.puzzle.as_ref();
        puzzle.map_or_else(|| shown.board.to_string(), ToString::to_string)
    }

    fn picture(&self, shown: &Shown) -> Result<Image, Mistake> {
        match &shown.puzzle {
            Some(puzzle) => puzzle.picture(),
            None => shown.board.picture(&self.clues),
        }
    }
}
