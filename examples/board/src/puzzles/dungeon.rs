//! Dungeons: boards with a gem, an altar and walls, and a path to the gem and the altar.

use std::ops::RangeInclusive;

use crate::{
    CHAIN, ClueSource, DemandFiles, Example, Failure, Options as Shared, Other, Puzzle, Role,
    all_demands, marked, message, place, range,
};
use clap::{Parser, ValueEnum};
use figrs_command::{Flag, whole};
use figrs_core::{Element, Model};
use figrs_design::{BoardDemands, DemandedBoards};
use figrs_models::Mistake;
use figrs_models::board::Method;
use figrs_models::dungeon::{Dungeon, DungeonTile, Reachability};
use figrs_models::grid::{Board, Clues, GridError, Position, Size};
use figrs_models::picture::{Image, PictureScale};
use figrs_models::variation::{ScoreSummary, scores_watched};
use serde_json::{Value as Json, json};

/// Dungeons: one can walk from the entrance (top left) to the gem, then to the altar, and then to the exit (bottom right). The letter W is a wall.
#[derive(Debug, Parser)]
#[command(version)]
pub struct Options {
    #[command(flatten)]
    board: Shared,
    /// File of known cells, a line for each row: . (empty), W, G (gem), A (altar), and ? for a cell without a clue. The clues set the size of the
    /// boards.
    #[arg(long, value_name = "FILE", conflicts_with = "size")]
    clues: Option<ClueSource>,
    /// The fewest steps of a shortest walk from the entrance to the gem, the altar and the exit.
    #[arg(long, value_name = "STEPS", value_parser = whole::<u32>(0..))]
    min_walk: Option<u32>,
    /// The most steps of a shortest walk from the entrance to the gem, the altar and the exit.
    #[arg(long, value_name = "STEPS", value_parser = whole::<u32>(0..))]
    max_walk: Option<u32>,
    /// The fewest walls of a board.
    #[arg(long, value_name = "CELLS", value_parser = whole::<u32>(0..))]
    min_walls: Option<u32>,
    /// The most walls of a board.
    #[arg(long, value_name = "CELLS", value_parser = whole::<u32>(0..))]
    max_walls: Option<u32>,
    /// Demand that one can walk from the entrance to the gem, the altar and the exit; without this demand, the gem, the altar and the walls may be
    /// anywhere.
    #[arg(long, value_enum, default_value_t = Reachable::Yes)]
    reachable: Reachable,
    /// Show a shortest walk from the entrance to the gem, the altar and the exit.
    #[arg(long)]
    show_path: bool,
    #[command(flatten)]
    demands: DemandFiles,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Reachable {
    Yes,
    No,
}

/// The legend of the tiles of dungeons (the character for each tile), for files of demands.
const LEGEND: &str = "[tiles]
'.' = ['empty', 'passable']
W = ['wall', 'solid']
G = ['gem', 'collectable']
A = ['altar']
";

impl Example for Options {
    type Puzzle = Dungeons;

    fn shared(&self) -> &Shared {
        &self.board
    }

    fn check(&self) -> Result<(), Failure> {
        if self.reachable == Reachable::No && (self.min_walk.is_some() || self.max_walk.is_some()) {
            let [least, most, reachable] = ["min-walk", "max-walk", "reachable"].map(Flag);
            return Err(format!("{least} and {most} need {reachable} yes").into());
        }
        Ok(())
    }

    fn shows_path(&self) -> bool {
        self.show_path
    }

    fn give_clues(&mut self, text: String) {
        self.clues = Some(ClueSource::Text(text));
    }

    fn puzzle(&self) -> Result<Dungeons, Failure> {
        let clues = self.board.clues_or_none(self.clues.as_ref(), 8)?;
        Ok(Dungeons {
            of_files: self.demands.on(clues.size(), LEGEND)?,
            clues,
            walls: range("walls", self.min_walls, self.max_walls)?,
            walk: range("steps", self.min_walk, self.max_walk)?,
            reachability: match self.reachable {
                Reachable::Yes => Reachability::Required,
                Reachable::No => Reachability::Free,
            },
            show_path: self.show_path,
        })
    }
}

/// Dungeons with the settings of the command-line flags.
#[derive(Debug)]
pub struct Dungeons {
    of_files: BoardDemands,
    clues: Clues<DungeonTile>,
    walls: Option<RangeInclusive<u32>>,
    walk: Option<RangeInclusive<u32>>,
    reachability: Reachability,
    show_path: bool,
}

impl Dungeons {
    /// Returns the cells of a shortest walk through a dungeon; empty unless the flags of the command ask to show the walk.
    fn way(&self, dungeon: &Board<DungeonTile>) -> Vec<Position> {
        let walk = self.show_path.then(|| dungeon.walk());
        walk.flatten().unwrap_or_default()
    }
}

impl Puzzle for Dungeons {
    const KIND: &'static str = "dungeon";
    const OTHERS: &'static [Other] = &[
        Other {
            method: Method::Rejection,
            help: "Exact, for --task sample: exact boards without bounds on the walk are drawn until one meets the bounds",
            role: Role::Fallback,
            uses_memory: true,
        },
        CHAIN,
    ];
    const SCALE: PictureScale = Board::<DungeonTile>::SCALE;
    type Generator = DemandedBoards<Dungeon>;
    type Board = Board<DungeonTile>;

    fn size(&self) -> Size {
        self.clues.size()
    }

    fn generator(&self) -> Result<DemandedBoards<Dungeon>, GridError> {
        let dungeon = Dungeon::with_clues(self.clues.clone());
        let mut dungeon = dungeon.reachability(self.reachability);
        if let Some(walls) = &self.walls {
            dungeon = dungeon.walls(walls.clone())?;
        }
        if let Some(walk) = &self.walk {
            dungeon = dungeon.walk(walk.clone())?;
        }
        Ok(DemandedBoards::new(dungeon, self.of_files.clone()))
    }

    fn demands(&self) -> String {
        let demands = [
            message(
                ["step of the walk", "steps of the walk"],
                self.walk.as_ref(),
            ),
            message(["wall", "walls"], self.walls.as_ref()),
        ];
        all_demands(demands, &self.of_files)
    }

    fn name(cell: &DungeonTile) -> &'static str {
        match cell {
            DungeonTile::Empty => "empty",
            DungeonTile::Wall => "wall",
            DungeonTile::Gem => "gem",
            DungeonTile::Altar => "altar",
        }
    }

    fn names(dungeon: &Board<DungeonTile>) -> Vec<&'static str> {
        dungeon.cells().iter().map(Self::name).collect()
    }

    fn json(&self, dungeon: &Board<DungeonTile>) -> Json {
        let mut object = json!({
            "grid": dungeon.to_string().lines().collect::<Json>(),
            "walk": self.length_of(dungeon),
        });
        if self.show_path {
            object["path"] = self.way(dungeon).into_iter().map(place).collect();
        }
        object
    }

    fn text(&self, dungeon: &Board<DungeonTile>) -> String {
        let way = self.way(dungeon).into_iter();
        let marks = way.map(|at| (at.row, at.column));
        marked(&dungeon.to_string(), marks, Some('.'))
    }

    fn picture(&self, dungeon: &Board<DungeonTile>) -> Result<Image, Mistake> {
        dungeon.picture(&self.way(dungeon))
    }

    fn scores(
        &self,
        dungeons: &[Board<DungeonTile>],
        watch: impl FnMut(u64),
    ) -> Result<Vec<ScoreSummary>, Mistake> {
        scores_watched(dungeons, watch)
    }

    /// The length of paths is computed only for small boards without clues and without bounds.
    fn length(&self) -> Result<Option<(Element<Option<u32>>, Model)>, GridError> {
        let size = self.clues.size();
        let is_free = self.clues.is_empty()
            && self.demands().is_empty()
            && self.reachability == Reachability::Required;
        if !is_free || size.columns() > 4 || size.rows() > 4 {
            return Ok(None);
        }
        Ok(Some(Dungeon::new(size).elements()?.walk()?))
    }

    fn length_of(&self, dungeon: &Board<DungeonTile>) -> Option<u32> {
        Some(dungeon.walk()?.len() as u32 - 1)
    }
}
