//! Breadth-first search for a path through a whole level, whose cells are known or may have one of several classes.

use super::cell_class::{CellClass, Via};
use super::field::Field;
use super::frame::FrameGoal;
use super::rules::CompiledRules;
use super::stages::{FREE, Stage};
use super::{MovementRules, Obstacle, Route};
use figrs_models::mdmc::Level;

/// The result of a test of a level's playability: a player's path to the goal, or the obstacle that stops the player.
///
/// # Rules
///
/// A level is playable by a given [`Movement`](super::Movement), which is the rules of a player's moves. The movement `platformer` has the rules of
/// the path finder that was published with the Video Game Level Corpus:
///
/// - By the platformer rules, a player occupies one cell. By the platformer rules, solid tiles ([`Tile::solid`](figrs_models::mdmc::Tile::solid))
///   stop the player; enemies are ignored. By the platformer rules, a player in the bottom row is lost, and cannot move any more.
/// - By the platformer rules, the player starts falling in row 2, column 2, counted from 0 at the top left, if the player can enter that cell. (The
///   published program starts the player in this cell even if it is solid.) If a level has no such row or column, the player starts in its last row
///   or column, whatever tile is there. By the platformer rules, the player's goal is the last column, at any height.
/// - By the platformer rules, a player above a solid tile stands. A standing player walks one column to the left or right, or starts one of the five
///   [`JUMP_ARCS`](super::JUMP_ARCS) or their mirror images. Each cell of a jump arc must be inside the level and free, and the player can leave an
///   arc in each of its cells.
/// - By the platformer rules, a player above a free tile falls: straight down, diagonally down, or two rows down and one column aside; only the last
///   cell of a fall must be free.
/// - A jump arc that rises above the top row continues in the top row. For a jump arc that rises above the top row, the published program has a
///   negative row index, by which it tests the bottom row instead of the top row.
///
/// # Guarantee
///
/// The search for a path is exact for the rules of the movement, because it is breadth-first over combinations of a cell, a stage of a move and a
/// number of passed areas of a [`Route`]. A breadth-first search finds a path with the fewest steps of moves.
///
/// # Complexity
///
/// Time and memory of the search are proportional to the number of cells, times the number of stages of moves that the player reaches in a cell (at
/// most 31 by the published rules), times the number of areas of the route.
///
/// # Example
///
/// ```
/// use figrs_models::mdmc::Level;
/// use figrs_design::{Obstacle, Playability};
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
/// The platformer rules are published in Summerville, Snodgrass, Mateas and Ontañón, "The VGLC: The Video Game Level Corpus", Proceedings of the 7th
/// Workshop on Procedural Content Generation, 2016; the corpus file `pathfinding_SMB.json` holds the arcs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Playability {
    path: Vec<(usize, usize)>,
    furthest: usize,
    obstacle: Option<Obstacle>,
}

struct MoveSearch<'a> {
    rules: &'a CompiledRules,
    route: &'a Route,
    field: &'a Field<'a>,
    /// Bits of the stages of moves (such as jumps) that the search has reached, for each number of areas already passed and each cell.
    reached: Vec<u64>,
    visits: Vec<Visit>,
}

/// A visit of the search for a path: a cell with a stage of a move and a number of passed areas, and the index of the preceding visit on the path.
#[derive(Clone, Copy)]
struct Visit {
    row: u32,
    column: u32,
    stage: Stage,
    passed: u16,
    /// True if the move only passes through the cell, so that the cell is not part of the player's path.
    is_passed: bool,
    from: u32,
}

/// This number stands for the index of the preceding visit if there is no preceding visit.
const NONE: u32 = u32::MAX;

impl Playability {
    /// Searches the level `level` for a player's path by the published rules for platformers.
    pub fn of(level: &Level) -> Self {
        Self::under(level, MovementRules::platformer())
    }

    /// Searches an upright level for a player's path by the rules of a movement.
    ///
    /// ```
    /// use figrs_models::mdmc::{Level, TileSet, Travel};
    /// use figrs_design::{Movement, Playability};
    ///
    /// let tiles = TileSet::from_toml("[tiles]\n'#' = ['solid']\n'.' = ['passable']\n'=' = ['climbable', 'ladder']\nM = ['spawn']\nG = ['collectable']")?;
    /// let rules = Movement::named("ladders")?.rules(&tiles, Travel::Right)?;
    /// let level = Level::from_text("level", "G.=.G\n##=##\nM.=..\n#####", &tiles)?;
    /// assert!(Playability::under(&level, &rules).playable());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn under(level: &Level, rules: &MovementRules) -> Self {
        Self::along(level, &rules.into())
    }

    /// Searches an upright level for a player's path that passes the areas of `route`.
    pub fn along(level: &Level, route: &Route) -> Self {
        let field = Field::of(level, route.rules());
        let rules = route.rules().compiled();
        let mut search = MoveSearch::new(&field, route);
        let starts = field.starts();
        let reached = search.run(&starts, &|_| true);
        let path = search.path(reached.goal.unwrap_or(reached.furthest));
        let upright = |cell| rules.travel().upright_cell(field.width(), cell);
        let obstacle = (!reached.is_met).then(|| {
            let passed = search.visits.iter().map(|visit| visit.passed);
            let passed = passed.max().map_or(0, usize::from);
            if passed < route.last() && !starts.is_empty() {
                Obstacle::WayPoint { passed }
            } else {
                search.obstacle(&starts)
            }
        });
        let furthest = search.visits.get(reached.furthest);
        Self {
            path: path.into_iter().map(upright).collect(),
            furthest: furthest.map_or(0, |visit| visit.column as usize),
            obstacle,
        }
    }

    /// True if a player can reach the goal of the level.
    pub fn playable(&self) -> bool {
        self.obstacle.is_none()
    }

    /// Returns the furthest column that a player reaches, in the air or on the ground; in levels in which the player climbs, the furthest row,
    /// counted from the bottom.
    pub fn furthest_column(&self) -> usize {
        self.furthest
    }

    /// Returns the obstacle that stops the player, or `None` if the level is playable.
    pub fn obstacle(&self) -> Option<Obstacle> {
        self.obstacle
    }

    /// Returns the cells of a shortest path from the start through the areas of the route to the goal or, if there is no such path, to the furthest
    /// column. If the player must reach all tiles of some kind, the returned path leads to the tile whose shortest path is longest. The returned path
    /// is empty if the level has no start cell.
    pub fn path(&self) -> &[(usize, usize)] {
        &self.path
    }
}

struct SearchResult {
    furthest: usize,
    is_met: bool,
    goal: Option<usize>,
    /// True if the search visited all cells of the level that a player can reach.
    is_exhausted: bool,
}

/// Returns the furthest column that a player can reach in any level with the given possible classes of cells, if none of these levels has a path to
/// the goal. Returns `None` if some level may have a path to the goal, or if the work runs out. The list `columns` contains the possible classes of
/// the cells, column by column from the top. The function `spend(n)` uses up `n` steps of work, and returns false if fewer than `n` steps are left.
///
/// If cells have several possible classes, each step of the search for a path may choose any of them for the cells that it tests, independently of
/// other steps. If at least one of the levels with the possible classes has a path to the goal, the search therefore finds a path.
pub(crate) fn dead_end(
    route: &Route,
    height: usize,
    columns: &[Vec<CellClass>],
    spend: &dyn Fn(u64) -> bool,
) -> Option<usize> {
    let field = Field::unknown(route.rules().compiled(), height, columns);
    let mut search = MoveSearch::new(&field, route);
    let starts = field.starts();
    if search.goals() == 0 && !starts.is_empty() {
        return None;
    }
    let reached = search.run(&starts, spend);
    let is_dead = reached.is_exhausted && !reached.is_met;
    is_dead.then(|| {
        let furthest = search.visits.get(reached.furthest);
        furthest.map_or(0, |visit| visit.column as usize)
    })
}

impl<'a> MoveSearch<'a> {
    const SPENT_AT_ONCE: usize = 1_000;

    fn new(field: &'a Field<'a>, route: &'a Route) -> Self {
        let rules = route.rules().compiled();
        let places = field.height() * field.width() * (route.last() + 1);
        Self {
            rules,
            route,
            field,
            reached: vec![0; places * rules.stage_words()],
            visits: Vec::new(),
        }
    }

    fn is_goal(&self, cell: (usize, usize)) -> bool {
        match self.rules.goal {
            FrameGoal::AllTiles => self.field.is_goal_tile(cell),
            _ => self.field.is_goal(cell),
        }
    }

    fn goals(&self) -> usize {
        match self.rules.goal {
            FrameGoal::AllTiles => self
                .field
                .cells()
                .filter(|&cell| self.is_goal(cell))
                .count(),
            _ => 1,
        }
    }

    /// Searches from the start cells until the player reaches the goal, all reachable cells are visited, or `spend` refuses further work.
    fn run(&mut self, starts: &[(usize, usize)], spend: &dyn Fn(u64) -> bool) -> SearchResult {
        for &cell in starts {
            self.reach((cell, 0), FREE, (true, Via::Air), NONE);
        }
        let mut goals = self.goals();
        let (mut next, mut furthest, mut goal) = (0, 0, None);
        let mut is_exhausted = true;
        while let Some(&visit) = self.visits.get(next) {
            if visit.column > self.visits[furthest].column {
                furthest = next;
            }
            let cell = (visit.row as usize, visit.column as usize);
            let is_through = usize::from(visit.passed) == self.route.last();
            if visit.stage == FREE && is_through && self.is_goal(cell) {
                goal = Some(next);
                goals -= 1;
                if goals == 0 {
                    break;
                }
            }
            self.follow(visit, next);
            next += 1;
            if next.is_multiple_of(Self::SPENT_AT_ONCE) && !spend(Self::SPENT_AT_ONCE as u64) {
                is_exhausted = false;
                break;
            }
        }
        let is_met = goals == 0 && !starts.is_empty();
        SearchResult {
            furthest,
            is_met,
            goal: goal.filter(|_| is_met),
            is_exhausted,
        }
    }

    /// Returns the index of the first machine word of bits for a cell and a player who has passed `passed` areas of the route.
    fn place(&self, (row, column): (usize, usize), passed: usize) -> usize {
        let line = passed * self.field.height() + row;
        (line * self.field.width() + column) * self.rules.stage_words()
    }

    fn is_reached(&self, cell: (usize, usize)) -> bool {
        let place = self.place(cell, self.route.last());
        let words = &self.reached[place..place + self.rules.stage_words()];
        words.iter().any(|&stages| stages > 0)
    }

    /// True if a player who has passed all areas of the route comes to `cell` and can stop or fall there.
    fn is_free(&self, cell: (usize, usize)) -> bool {
        self.reached[self.place(cell, self.route.last())] >> FREE & 1 == 1
    }

    /// Marks the stage `stage` of a move as reached in `cell`, and also the state between two moves if the player can end the move there. If the cell
    /// that the step tests lies in the next area of the route, the player passes this area.
    fn reach(
        &mut self,
        (cell, passed): ((usize, usize), usize),
        stage: Stage,
        (lands, via): (bool, Via),
        from: u32,
    ) {
        let passes = |passed: &usize| !via.skips() && self.route.passes(*passed, cell);
        let further = (passed..self.route.last()).take_while(passes).count();
        for passed in passed..=passed + further {
            let place = self.place(cell, passed);
            for stage in [Some(FREE).filter(|_| lands), Some(stage)] {
                let Some(stage) = stage else { continue };
                let word = &mut self.reached[place + usize::from(stage) / 64];
                let bit = 1 << (stage % 64);
                if *word & bit == 0 {
                    *word |= bit;
                    self.visits.push(Visit {
                        row: cell.0 as u32,
                        column: cell.1 as u32,
                        stage,
                        passed: passed as u16,
                        is_passed: via.skips(),
                        from,
                    });
                }
            }
        }
    }

    fn follow(&mut self, visit: Visit, index: usize) {
        let (row, column) = (visit.row as usize, visit.column as usize);
        let (field, rules) = (self.field, self.rules);
        let is_lost = field.loses((row, column));
        for situation in field.situations((row, column)) {
            for staged in rules.steps(situation, visit.stage) {
                let step = staged.step;
                let (Some(row), Some(column)) = (
                    staged.row(row, field.height(), rules.wraps()),
                    column
                        .checked_add_signed(step.columns.into())
                        .filter(|&column| column < field.width()),
                ) else {
                    continue;
                };
                if field.admits((row, column), step) && (!is_lost || step.is_within) {
                    let to = ((row, column), usize::from(visit.passed));
                    self.reach(to, staged.then, (step.lands, step.via), index as u32);
                }
            }
        }
    }

    /// Returns the cells on the player's path from the start to the visit `index`, without cells that moves only pass through.
    fn path(&self, index: usize) -> Vec<(usize, usize)> {
        let mut path = Vec::new();
        let mut next = index as u32;
        while let Some(visit) = self.visits.get(next as usize) {
            if !visit.is_passed {
                path.push((visit.row as usize, visit.column as usize));
            }
            next = visit.from;
        }
        path.reverse();
        path
    }

    /// Returns the obstacle that stops the player in a level in which the search found no path to the goal.
    fn obstacle(&self, starts: &[(usize, usize)]) -> Obstacle {
        let field = self.field;
        let upright = |cell| self.rules.travel().upright_cell(field.width(), cell);
        let Some(&(_, start)) = starts.first() else {
            return Obstacle::NoStart;
        };
        let stands = |cell| self.is_reached(cell) && field.rests(cell);
        let standing = |column| (0..field.height()).find(|&row| stands((row, column)));
        let mut columns = (0..field.width()).rev();
        let last = columns.find_map(|column| Some((standing(column)?, column)));
        match self.rules.goal {
            FrameGoal::LastColumn if self.rules.is_jumped_along() => {
                Obstacle::after(field, last, start, self.rules.jump_height)
            }
            FrameGoal::LastColumn | FrameGoal::LastColumnOr { .. } => {
                let reached = (0..field.width())
                    .rev()
                    .find(|&column| (0..field.height()).any(|row| self.is_reached((row, column))));
                match upright((0, reached.unwrap_or(start))) {
                    (row, _) if self.rules.is_upward() => Obstacle::Ceiling { row },
                    (_, column) => Obstacle::Blocked { column: column + 1 },
                }
            }
            _ => match field.goals().find(|&cell| !self.is_free(cell)) {
                None => Obstacle::NoGoal,
                Some(cell) => {
                    let (row, column) = upright(cell);
                    Obstacle::Unreached { row, column }
                }
            },
        }
    }
}
