//! Perfect mazes: exactly one path joins each pair of rooms.

use std::ops::RangeInclusive;

use crate::flags::TASK;
use crate::{
    CHAIN, ClueSource, Example, Failure, Options as Shared, Other, Puzzle, Role, Task, marked,
    message, place, range,
};
use clap::{Parser, ValueEnum};
use figrs_command::{Flag, whole};
use figrs_models::Mistake;
use figrs_models::board::Method;
use figrs_models::grid::{Board, GridError, Position, Size};
use figrs_models::maze::{Border, DirectionWeights, PerfectMaze, Pointer, PointerClues};
use figrs_models::picture::{Image, PictureScale};
use figrs_models::variation::{ScoreSummary, scores_watched};
use serde_json::{Value as Json, json};

/// Perfect mazes: every room points to a neighbouring room, and the pointers lead from every room to the first room.
#[derive(Debug, Parser)]
#[command(version)]
pub struct Options {
    #[command(flatten)]
    board: Shared,
    /// File of known pointers, a line for each row: ^, v, < or > for the direction of a room's pointer towards the first room, and . for a room
    /// without a clue. The clues set the size of the mazes.
    #[arg(long, value_name = "FILE", conflicts_with = "size")]
    clues: Option<ClueSource>,
    /// Weights of directions: all equal, or right and left 45 %, up and down 5 %. The option does not apply to --task count.
    #[arg(long, value_enum, default_value_t = Direction::Uniform)]
    weights: Direction,
    /// Pointers out of the grid: impossible (within), or possible but against the rules (outside). The value outside applies to --task probability
    /// only, because the mazes that follow the rules are equally likely in both cases.
    #[arg(long, value_enum, default_value_t = Outside::Within)]
    border: Outside,
    /// The fewest steps from the entrance to the exit. Tasks other than sample can bound the steps only on grids of at most 6 columns and 80 rooms.
    #[arg(long, value_name = "STEPS", value_parser = whole::<u32>(0..))]
    min_walk: Option<u32>,
    /// The most steps from the entrance to the exit, with the same limits as --min-walk.
    #[arg(long, value_name = "STEPS", value_parser = whole::<u32>(0..))]
    max_walk: Option<u32>,
    /// Show the path from the entrance to the exit.
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

impl Example for Options {
    type Puzzle = Mazes;

    fn shared(&self) -> &Shared {
        &self.board
    }

    fn check(&self) -> Result<(), Failure> {
        let task = self.board.task;
        if self.border == Outside::Outside && task != Task::Probability {
            return Err(format!("{} outside needs {TASK} probability", Flag("border")).into());
        }
        if self.weights == Direction::Snake && task == Task::Count {
            let weights = Flag("weights");
            return Err(format!("{weights} has no effect on {TASK} count; leave it out").into());
        }
        Ok(())
    }

    fn shows_path(&self) -> bool {
        self.show_path
    }

    fn give_clues(&mut self, text: String) {
        self.clues = Some(ClueSource::Text(text));
    }

    fn puzzle(&self) -> Result<Mazes, Failure> {
        let clues = self.board.clues_or_none(self.clues.as_ref(), 8)?;
        let walk = range("steps", self.min_walk, self.max_walk)?;
        let border = match self.border {
            Outside::Within => Border::Within,
            Outside::Outside => Border::Outside,
        };
        Ok(Mazes {
            clues,
            weights: match self.weights {
                Direction::Uniform => DirectionWeights::UNIFORM,
                Direction::Snake => DirectionWeights::SNAKE,
            },
            border,
            is_uniform: self.weights == Direction::Uniform,
            walk,
            show_path: self.show_path,
        })
    }
}

/// Mazes with the settings of the command-line flags.
#[derive(Debug)]
pub struct Mazes {
    clues: PointerClues,
    weights: DirectionWeights,
    border: Border,
    is_uniform: bool,
    walk: Option<RangeInclusive<u32>>,
    show_path: bool,
}

impl Mazes {
    /// Returns the rooms on the path through a maze; empty unless the flags of the command ask to show the path.
    fn way(&self, maze: &Board<Pointer>) -> Vec<Position> {
        let way = self.show_path.then(|| maze.solution());
        way.flatten().unwrap_or_default()
    }
}

impl Puzzle for Mazes {
    const KIND: &'static str = "maze";
    const OTHERS: &'static [Other] = &[
        Other {
            method: Method::Own("wilson"),
            help: "Exact, for --task sample and any size: Wilson's algorithm",
            role: Role::Quicker,
            uses_memory: false,
        },
        CHAIN,
        Other {
            method: Method::Own("matrix-tree"),
            help: "Exact, for all tasks except sample and any size: the matrix-tree theorem",
            role: Role::Answers,
            uses_memory: true,
        },
    ];
    const SCALE: PictureScale = Board::<Pointer>::SCALE;
    type Generator = PerfectMaze;
    type Board = Board<Pointer>;

    fn size(&self) -> Size {
        self.clues.size()
    }

    fn generator(&self) -> Result<PerfectMaze, GridError> {
        let mazes = PerfectMaze::with_clues(self.clues.clone())?;
        let mazes = mazes.weights(self.weights)?.border(self.border);
        match &self.walk {
            Some(walk) => mazes.steps(walk.clone()),
            None => Ok(mazes),
        }
    }

    fn demands(&self) -> String {
        message(
            ["step of the path", "steps of the path"],
            self.walk.as_ref(),
        )
        .unwrap_or_default()
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

    fn names(maze: &Board<Pointer>) -> Vec<&'static str> {
        maze.cells().iter().map(Self::name).collect()
    }

    fn is_uniform(&self) -> bool {
        self.is_uniform
    }

    /// Returns the rooms as JSON by column and row, counted from 1, each with the offset to the room that it points to.
    fn json(&self, maze: &Board<Pointer>) -> Json {
        let parents = maze.iter().filter_map(|(at, pointer)| {
            let target = pointer.target(self.clues.size(), at)?;
            let step = |from: usize, to: usize| to.cast_signed() - from.cast_signed();
            Some(json!([
                at.column + 1,
                at.row + 1,
                step(at.column, target.column),
                step(at.row, target.row)
            ]))
        });
        let mut object = json!({"parents": parents.collect::<Json>()});
        if self.show_path {
            object["path"] = self.way(maze).into_iter().map(place).collect();
        }
        object
    }

    fn text(&self, maze: &Board<Pointer>) -> String {
        let way = self.way(maze).into_iter();
        let marks = way.map(|at| (2 * at.row + 1, 3 * at.column + 1));
        marked(&maze.to_string(), marks, None)
    }

    fn picture(&self, maze: &Board<Pointer>) -> Result<Image, Mistake> {
        maze.picture(&self.way(maze))
    }

    fn scores(
        &self,
        mazes: &[Board<Pointer>],
        watch: impl FnMut(u64),
    ) -> Result<Vec<ScoreSummary>, Mistake> {
        scores_watched(mazes, watch)
    }
}
