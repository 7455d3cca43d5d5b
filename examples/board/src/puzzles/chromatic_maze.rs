//! Chromatic mazes: the player walks from the start to the finish over tiles of similar colours.

use std::ops::RangeInclusive;

use crate::{
    CHAIN, ClueSource, Example, Failure, Options as Shared, Other, Puzzle, Role, marked, message,
    place, range,
};
use clap::Parser;
use figrs_command::whole;
use figrs_core::{Element, Model};
use figrs_infer::{Compiled, Frontier};
use figrs_models::Mistake;
use figrs_models::board::Method;
use figrs_models::chromatic_maze::{
    ChromaticClue, ChromaticClues, ChromaticMaze, ChromaticTile, RelativeTile,
};
use figrs_models::grid::{Board, GridError, Position, Size};
use figrs_models::picture::{Image, PictureScale};
use figrs_models::variation::{ScoreSummary, scores_watched};
use serde_json::{Value as Json, json};

/// Chromatic mazes: one can step between tiles of equal or neighbouring colours (in the circle red, yellow, green, cyan, blue, magenta), and so walk
/// from the start < to the finish >.
#[derive(Debug, Parser)]
#[command(version)]
pub struct Options {
    #[command(flatten)]
    board: Shared,
    /// File of known tiles, a line for each row: R, Y, G, C, B or M for a colour, < for the start, > for the finish, and . for a tile without a clue.
    /// The clues set the size of the mazes.
    #[arg(long, value_name = "FILE", conflicts_with = "size")]
    clues: Option<ClueSource>,
    /// The fewest steps from the start to the finish.
    #[arg(long, value_name = "STEPS", value_parser = whole::<u32>(0..))]
    min_steps: Option<u32>,
    /// The most steps from the start to the finish.
    #[arg(long, value_name = "STEPS", value_parser = whole::<u32>(0..))]
    t_max: Option<u32>,
    /// Show a shortest path from the start to the finish.
    #[arg(long)]
    show_path: bool,
}

impl Example for Options {
    type Puzzle = Mazes;

    fn shared(&self) -> &Shared {
        &self.board
    }

    fn shows_path(&self) -> bool {
        self.show_path
    }

    fn give_clues(&mut self, text: String) {
        self.clues = Some(ClueSource::Text(text));
    }

    fn puzzle(&self) -> Result<Mazes, Failure> {
        let steps = range("steps", self.min_steps, self.t_max)?;
        let clues = self.board.clues_or_none(self.clues.as_ref(), 4)?;
        let size = clues.size();
        Ok(Mazes {
            clues,
            // A path has at least one step, and at most one to each other tile.
            steps: steps
                .filter(|steps| *steps.start() > 1 || (*steps.end() as usize) + 1 < size.cells()),
            show_path: self.show_path,
        })
    }
}

/// Chromatic mazes with the settings of the command-line flags.
#[derive(Debug)]
pub struct Mazes {
    clues: ChromaticClues,
    steps: Option<RangeInclusive<u32>>,
    show_path: bool,
}

impl Mazes {
    /// True if the colour of some tile is known.
    fn has_colours(&self) -> bool {
        let mut clues = self.clues.iter();
        clues.any(|(_, clue)| matches!(clue, ChromaticClue::Colour(_)))
    }

    /// Returns the tiles of a shortest path on a board; empty unless the flags of the command ask to show the path.
    fn way(&self, board: &Board<ChromaticTile>) -> Vec<Position> {
        let way = self.show_path.then(|| board.solution());
        way.flatten().unwrap_or_default()
    }
}

/// Names of the colours in the order of the colour wheel.
const NAMES: [&str; 6] = ["red", "yellow", "green", "cyan", "blue", "magenta"];
/// The colours of the tiles, all with the same probability.
const COLOURS: [(&str, f64); NAMES.len()] = {
    let mut all = [("", 1.0 / NAMES.len() as f64); NAMES.len()];
    let mut place = 0;
    while place < all.len() {
        all[place].0 = NAMES[place];
        place += 1;
    }
    all
};

impl Puzzle for Mazes {
    const KIND: &'static str = "chromatic";
    const OTHERS: &'static [Other] = &[
        Other {
            method: Method::Rejection,
            help: "Exact, for --task sample and up to 15 columns: boards are drawn without bounds on the path, or without demanding a path, \
                   until one meets the demands",
            role: Role::Fallback,
            uses_memory: true,
        },
        CHAIN,
    ];
    const SCALE: PictureScale = Board::<ChromaticTile>::SCALE;
    type Generator = ChromaticMaze;
    type Board = Board<ChromaticTile>;

    fn size(&self) -> Size {
        self.clues.size()
    }

    fn generator(&self) -> Result<ChromaticMaze, GridError> {
        let maze = ChromaticMaze::with_clues(self.clues.clone())?;
        match &self.steps {
            Some(steps) => maze.steps(steps.clone()),
            None => Ok(maze),
        }
    }

    fn demands(&self) -> String {
        message(
            ["step of the path", "steps of the path"],
            self.steps.as_ref(),
        )
        .unwrap_or_default()
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

    /// All colours are equally likely for each tile by the symmetry of the colour wheel, unless some colours are known.
    fn colours(&self) -> &'static [(&'static str, f64)] {
        if self.has_colours() {
            return &[];
        }
        &COLOURS
    }

    fn colour_marginals(
        &self,
        frontier: &Frontier,
    ) -> Result<Vec<Vec<(&'static str, f64)>>, Failure> {
        if !self.has_colours() {
            return Ok(vec![self.colours().to_vec(); self.clues.size().cells()]);
        }
        let elements = self.generator()?.elements()?;
        let compiled = frontier.compile(elements.model(), elements.colours())?;
        let mut all = Vec::new();
        for colour in elements.colours() {
            let marginal = compiled.distribution(colour)?;
            let named = marginal.iter().map(|(&hue, p)| (NAMES[hue as usize], p));
            all.push(named.collect());
        }
        Ok(all)
    }

    fn colours_of(&self, board: &Board<ChromaticTile>) -> Vec<&'static str> {
        let tiles = board.cells().iter();
        tiles.map(|tile| NAMES[tile.colour as usize]).collect()
    }

    fn json(&self, board: &Board<ChromaticTile>) -> Json {
        let tiles = board.cells().chunks(self.clues.size().columns());
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
        let way = self.way(board).into_iter();
        let marks = way.map(|at| (at.row, 2 * at.column + 1));
        marked(&board.to_string(), marks, Some(' '))
    }

    fn picture(&self, board: &Board<ChromaticTile>) -> Result<Image, Mistake> {
        board.picture(&self.way(board))
    }

    fn scores(
        &self,
        boards: &[Board<ChromaticTile>],
        watch: impl FnMut(u64),
    ) -> Result<Vec<ScoreSummary>, Mistake> {
        scores_watched(boards, watch)
    }

    /// The length of paths is computed only for small boards without clues and without bounds on the steps.
    fn length(&self) -> Result<Option<(Element<Option<u32>>, Model)>, GridError> {
        let size = self.clues.size();
        if self.steps.is_some() || !self.clues.is_empty() || size.columns() > 3 || size.rows() > 3 {
            return Ok(None);
        }
        Ok(Some(self.generator()?.elements()?.steps()?))
    }

    fn length_of(&self, board: &Board<ChromaticTile>) -> Option<u32> {
        Some(board.solution()?.len() as u32 - 1)
    }
}
