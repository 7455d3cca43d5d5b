//! Breadth-first search of a whole level.

use super::super::Level;
use super::super::level::solids::Solids;
use super::stages::{FREE, Stage};
use super::{
    Obstacle, START,
    moves::{free_moves, jump_moves},
};

/// Playability of a level from left to right, with the way there or the obstacle that stops the player.
///
/// # Rules
///
/// Those of the path finder that the Video Game Level Corpus was published with:
///
/// - A player takes one cell. Solid tiles ([`Tile::solid`](super::super::Tile::solid)) stop the player; enemies are ignored. In the
///   bottom row the player is lost and moves no more.
/// - The player starts in column 2, row 2, counted from 0 at the top left, falling; what that cell holds is not tested. A
///   smaller level is entered in its last column or row instead. The goal is the last column, at any height.
/// - Over a solid tile the player stands: walks one column to the left or right, or starts one of the five
///   [`JUMP_ARCS`](super::JUMP_ARCS) or their mirror images. Each cell of an arc must be inside the level and free, and an arc
///   can be left in each of them.
/// - Over a free tile the player falls: straight down, diagonally down, or two rows down and one column aside, where only the
///   last cell is tested.
/// - Above the top row an arc goes on in the top row. (The published program tests the bottom row there, by a negative index.)
///
/// # Guarantee
///
/// Exact under these rules: breadth-first over cells and stages of jumps. The path has the fewest moves.
///
/// # Complexity
///
/// Time and memory proportional to the cells times the stages of jumps that are reached in them, at most 32.
///
/// # Example
///
/// ```
/// use figrs_models::mdmc::{Level, Obstacle, Playability};
///
/// let easy: Level = "------\n------\n------\nXXX-XX".parse()?;
/// assert!(Playability::of(&easy).playable());
///
/// let wide: Level = "--------------\n--------------\n--------------\nXXX----------X".parse()?;
/// let verdict = Playability::of(&wide);
/// assert_eq!(verdict.obstacle(), Some(Obstacle::Gap { column: 3, width: 10, rise: 0 }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # References
///
/// Summerville, Snodgrass, Mateas and Ontañón, "The VGLC: The Video Game Level Corpus", Proceedings of the 7th Workshop on
/// Procedural Content Generation, 2016; its file `pathfinding_SMB.json` holds the arcs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Playability {
    path: Vec<(usize, usize)>,
    furthest: usize,
    obstacle: Option<Obstacle>,
}

/// State of the breadth-first search.
struct JumpSearch<'a> {
    solids: &'a Solids,
    /// For each cell a bit for each stage.
    reached: Vec<u64>,
    /// In the order in which they were reached.
    visits: Vec<Visit>,
}

/// A cell and stage that was reached, and the index of the one before.
#[derive(Clone, Copy)]
struct Visit {
    row: u32,
    column: u32,
    stage: Stage,
    from: u32,
}

impl Playability {
    /// Searches a level.
    pub fn of(level: &Level) -> Self {
        let solids = Solids::of(level);
        let (height, width) = (solids.height(), solids.width());
        let (row, column) = (START.0.min(height - 1), START.1.min(width - 1));
        let mut search = JumpSearch {
            solids: &solids,
            reached: vec![0; height * width],
            visits: Vec::new(),
        };
        search.reach(row, column, FREE, 0);
        let (mut next, mut furthest) = (0, 0);
        while let Some(&visit) = search.visits.get(next) {
            let at = visit.column as usize;
            if at > search.visits[furthest].column as usize {
                furthest = next;
            }
            if at + 1 == width {
                return Self {
                    path: search.path(next),
                    furthest: at,
                    obstacle: None,
                };
            }
            search.follow(visit, next);
            next += 1;
        }
        let standing =
            |row, column| search.reached[row * width + column] > 0 && solids.supported(row, column);
        let mut columns = (0..width).rev();
        let last = columns.find_map(|column| {
            let row = (0..height).find(|&row| standing(row, column))?;
            Some((row, column))
        });
        Self {
            path: search.path(furthest),
            furthest: search.visits[furthest].column as usize,
            obstacle: Some(Obstacle::after(&solids, last, column)),
        }
    }

    /// True if the last column can be reached.
    pub fn playable(&self) -> bool {
        self.obstacle.is_none()
    }

    /// The furthest column that can be reached, in the air or on ground.
    pub fn furthest_column(&self) -> usize {
        self.furthest
    }

    /// The obstacle that stops the player, or `None` if the level is playable.
    pub fn obstacle(&self) -> Option<Obstacle> {
        self.obstacle
    }

    /// A shortest way to the furthest column, as rows and columns of cells from the start.
    pub fn path(&self) -> &[(usize, usize)] {
        &self.path
    }
}

impl JumpSearch<'_> {
    /// Marks a stage of a cell as reached, and the free stage with it, whose moves are open to a player in any stage.
    fn reach(&mut self, row: usize, column: usize, stage: Stage, from: usize) {
        for stage in [FREE, stage] {
            let cell = &mut self.reached[row * self.solids.width() + column];
            if *cell >> stage & 1 == 0 {
                *cell |= 1 << stage;
                self.visits.push(Visit {
                    row: row as u32,
                    column: column as u32,
                    stage,
                    from: from as u32,
                });
            }
        }
    }

    fn follow(&mut self, visit: Visit, index: usize) {
        let (row, column) = (visit.row as usize, visit.column as usize);
        let (height, solids) = (self.solids.height(), self.solids);
        let to = |dx: i8, row, stage| {
            if let Some(column) = column.checked_add_signed(dx.into())
                && !solids.solid(row, column)
            {
                self.reach(row, column, stage, index);
            }
        };
        match visit.stage {
            FREE => free_moves(height, row, solids.supported(row, column), to),
            stage => jump_moves(height, row, stage, to),
        }
    }

    /// The cells on the way to a visit, from the start.
    fn path(&self, mut index: usize) -> Vec<(usize, usize)> {
        let cell = |visit: &Visit| (visit.row as usize, visit.column as usize);
        let mut path = vec![cell(&self.visits[index])];
        while index > 0 {
            index = self.visits[index].from as usize;
            path.push(cell(&self.visits[index]));
        }
        path.reverse();
        path
    }
}
