//! Decides column by column whether a player can get through a level.

use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHasher;

use super::cell_class::{CellClass, Via};
use super::exploration::{ColumnCells, ColumnExploration, Crossings, Place};
use super::frame::{FrameGoal, FrameStart};
use super::returns::{ReturnWay, Returns};
use super::stages::FREE;
use super::targets::{self, Target};
use super::{MovementRules, Route};
use figrs_models::mdmc::{LevelError, Tile};

/// Playability of a level, updated column by column: the caller adds columns from the left (or rows from the bottom, if the player climbs).
///
/// If two levels have equal `Reach` states, any further columns either make both levels playable or neither of them. A [`Reach`] can be the state of
/// a [`fold`](figrs_core::fold) over columns, or part of the state of a particle.
///
/// # Guarantee
///
/// The decision is exact: after each column, [`playable`](Self::playable) is the result of [`Playability`](super::Playability) for the columns added
/// so far. A player's moves cross the edge of one column at a time. A `Reach` state after a column therefore contains only the positions at which a
/// player can cross the edge to the next column. The state stores two kinds of crossings for each number of areas of a [`Route`] that the player has
/// passed: crossings on paths from the start, and crossings of players who have returned from columns to the right, however far such players go to
/// the left in between. If all tiles of some kind are goals, the state also stores, for each goal tile not yet reached, the set of positions from
/// which a returning player reaches the tile. Once [`alive`](Self::alive) is false, no further columns can make the level playable.
/// # Complexity
///
/// The time for a column is proportional to the column's height times the number of stages of moves: once for the cells reached from the left, and
/// once for each possible return from the right. The work for one column of the level is repeated for each number of route areas that a player may
/// have passed. The memory of a `Reach` does not grow with the number of columns, except for the stored sets of positions for goal tiles; a set that
/// contains another set is dropped.
///
/// # Errors
///
/// The method returns the error [`LevelError::Levels`] if the height of a column differs from the height given when the `Reach` was created.
///
/// # Example
///
/// ```
/// use figrs_models::mdmc::Tile;
/// use figrs_design::Reach;
///
/// let ground = [Tile::EMPTY, Tile::EMPTY, Tile::EMPTY, Tile::GROUND];
/// let mut reach = Reach::new(4);
/// for _ in 0..5 {
///     assert!(reach.push(&ground)?);
/// }
/// let gap = (0..20).map(|_| reach.push(&[Tile::EMPTY; 4])).collect::<Result<Vec<_>, _>>()?;
/// assert!(gap[6] && !gap[15]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # References
///
/// The method of `Reach` is that of Shepherdson, "The Reduction of Two-Way Automata to One-Way Automata", IBM Journal of Research and Development
/// 3(2), 1959.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Reach {
    route: Route,
    height: usize,
    /// Number of columns read so far; it no longer grows after the column of the start cell and the columns of all areas of the route.
    columns: usize,
    edge: Arc<EdgeCrossings>,
}

figrs_core::value!(Reach: reach => reach.edge.heap_bytes());

/// The ways in which a player can cross from the last column read into the next column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct EdgeCrossings {
    /// Hash of the other fields of the struct; it is stored because it is needed often and takes long to compute.
    print: u64,
    outlook: Outlook,
    has_start: bool,
    starts_known: bool,
    playable: bool,
    /// In levels in which the player climbs: the properties by which each cell of the last column supports a player in the next column.
    pub(super) supports: Vec<CellClass>,
    /// The ways in which a player can enter the next column on paths from the start that stay in the columns read so far.
    reached: Crossings,
    /// The additional ways in which a player who returns from later columns can enter the next column again.
    pub(super) returns: Returns,
    targets: Vec<Target>,
    /// Number of columns since the nearest goal tile that the player reached, if only goal tiles near the end of the level count as goals.
    nearest: Option<u8>,
}

/// The state of the decision about playability after the columns read so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Outlook {
    Open,
    /// The level is already known to be playable, whatever columns follow.
    Won,
    /// The level is already known not to be playable, whatever columns follow.
    Lost,
}

impl Hash for EdgeCrossings {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.print.hash(state);
    }
}

impl EdgeCrossings {
    fn heap_bytes(&self) -> usize {
        let each = size_of::<Target>() + size_of_val(&self.reached[..]);
        let targets = each * (self.targets.len() + 1);
        size_of::<Self>() + size_of_val(&self.supports[..]) + targets + self.returns.heap_bytes()
    }

    fn printed(mut self) -> Self {
        let mut hasher = FxHasher::default();
        let known = (
            self.outlook,
            self.has_start,
            self.starts_known,
            self.playable,
        );
        known.hash(&mut hasher);
        (&self.supports, &self.reached, &self.returns).hash(&mut hasher);
        (&self.targets, self.nearest).hash(&mut hasher);
        self.print = hasher.finish();
        self
    }

    fn settled(outlook: Outlook, height: usize, route: &Route) -> Self {
        let words = route.rules().compiled().arrival_words() * (route.last() + 1);
        Self {
            print: 0,
            outlook,
            has_start: false,
            starts_known: outlook != Outlook::Open,
            playable: outlook == Outlook::Won,
            supports: Vec::new(),
            reached: vec![0; height * words],
            returns: Returns::default(),
            targets: Vec::new(),
            nearest: None,
        }
    }
}

impl Reach {
    /// Creates the state before the first column of a level of `height` rows, by the published rules for platformers.
    pub fn new(height: usize) -> Self {
        Self::under(height, MovementRules::platformer())
    }

    /// Creates the state before the first column of a level of `height` rows, by a movement (the rules of a player's moves), in model coordinates, in
    /// which a level where the player climbs is [turned](figrs_models::mdmc::Travel::turned).
    pub fn under(height: usize, rules: &MovementRules) -> Self {
        Self::along(height, &rules.into())
    }

    /// Creates the state before the first column for a player whose path must pass the areas of a route; see [`under`](Self::under).
    pub fn along(height: usize, route: &Route) -> Self {
        // A player has no place to stand in a level without rows.
        let outlook = if height == 0 {
            Outlook::Lost
        } else {
            Outlook::Open
        };
        Self {
            route: route.clone(),
            height,
            columns: 0,
            edge: Arc::new(EdgeCrossings::settled(outlook, height, route).printed()),
        }
    }

    /// Returns false if the level cannot become playable, whatever columns are added. If the player's goal is the last column of the level, the
    /// result is true only if a player can reach the last column added so far.
    pub fn alive(&self) -> bool {
        self.edge.outlook != Outlook::Lost
    }

    /// True if the level would be playable if it consisted only of the columns added so far.
    pub fn playable(&self) -> bool {
        self.edge.playable
    }

    /// Adds a column to the level, given by its tiles from the top; returns `true` if the level is still [alive](Self::alive).
    ///
    /// **Errors.** [`LevelError::Levels`] if the height of the added column is not that of the level.
    pub fn push(&mut self, column: &[Tile]) -> Result<bool, LevelError> {
        if column.len() != self.height {
            return Err(LevelError::wrong_column(column.len(), self.height));
        }
        let classes: Vec<CellClass> = {
            let rules = self.route.rules();
            column.iter().map(|&tile| rules.class(tile)).collect()
        };
        self.push_classes(&classes);
        Ok(self.alive())
    }

    pub(crate) fn push_classes(&mut self, classes: &[CellClass]) {
        if self.edge.outlook == Outlook::Open {
            self.edge = Arc::new(self.next(classes).printed());
            let start = match self.route.rules().compiled().start {
                FrameStart::Cell { column, .. } => column,
                _ => 0,
            };
            let settled = start.max(self.route.settled());
            self.columns = settled.min(self.columns) + 1;
        }
    }

    fn next(&self, classes: &[CellClass]) -> EdgeCrossings {
        let rules = self.route.rules().compiled();
        let settled = |outlook| EdgeCrossings::settled(outlook, self.height, &self.route);
        let before = &*self.edge;
        let left = (self.columns > 0).then_some(before);
        let cells = ColumnCells::new(&self.route, classes, self.columns, left);
        let mut inside = ColumnExploration::new(&cells);
        inside.come(&before.reached);
        let (has_start, starts_known) = self.start(&cells, &mut inside);
        if starts_known && inside.is_done() && rules.goal == FrameGoal::LastColumn {
            return settled(Outlook::Lost);
        }
        inside.explore();
        if inside.wins {
            return settled(Outlook::Won);
        }
        let hopes = before.hopes(&cells, self.columns);
        let mut found = targets::after(&before.targets, before.nearest, &cells, &inside);
        let mut next = EdgeCrossings {
            has_start,
            starts_known,
            playable: self.is_playable(&cells, &inside, has_start, &found),
            supports: if rules.is_upward() {
                let supports = classes
                    .iter()
                    .map(|class| class.masked(CellClass::SUPPORTS));
                supports.collect()
            } else {
                Vec::new()
            },
            returns: returns(&cells, &inside, &hopes, &mut found.open),
            targets: targets::smallest(found.open, rules.goal),
            nearest: found.nearest,
            reached: inside.right,
            ..settled(Outlook::Open)
        };
        next.forget_hopeless(&cells, self.columns + 1);
        if !next.playable && next.is_lost(rules.goal) {
            next = settled(Outlook::Lost);
        }
        next
    }

    /// Puts the player into those start cells that lie in a column. Returns two truth values. The first is true if the columns so far contain a start
    /// cell; the second is true if no later column can contain a start cell.
    fn start(&self, cells: &ColumnCells<'_>, inside: &mut ColumnExploration<'_>) -> (bool, bool) {
        if self.edge.starts_known {
            return (self.edge.has_start, true);
        }
        let all = 0..self.height;
        let enters = |row: &usize| cells.enters(*row);
        let is_strict = cells.rules.is_strict();
        let mut rows: Vec<usize> = match cells.rules.start {
            FrameStart::Cell { row, column } => {
                let here = (self.columns == column).then_some(row.min(self.height - 1));
                let is_low = row >= self.height;
                let starts = |row: &usize| is_low || enters(row);
                here.into_iter().filter(starts).collect()
            }
            FrameStart::Ground => all.filter(|&row| cells.ground(row)).collect(),
            FrameStart::FirstTile => {
                let is_start = |row: &usize| cells.classes[*row].has(CellClass::START);
                all.into_iter().find(is_start).into_iter().collect()
            }
            FrameStart::FirstColumn => all.filter(enters).collect(),
            FrameStart::FirstRow => [0].into_iter().filter(enters).collect(),
            FrameStart::LastRow => [self.height - 1].into_iter().filter(enters).collect(),
            FrameStart::LastColumn => Vec::new(),
        };
        let is_found = !rows.is_empty();
        rows.retain(|row| !is_strict || enters(row));
        let has_start = self.edge.has_start || !rows.is_empty();
        for row in rows {
            inside.start(row);
        }
        let is_known = match cells.rules.start {
            FrameStart::FirstRow | FrameStart::LastRow | FrameStart::LastColumn => false,
            FrameStart::FirstColumn => true,
            FrameStart::Cell { column, .. } => self.columns >= column,
            FrameStart::Ground | FrameStart::FirstTile => is_found,
        };
        (has_start, is_known)
    }

    fn is_playable(
        &self,
        cells: &ColumnCells<'_>,
        inside: &ColumnExploration<'_>,
        has_start: bool,
        found: &targets::Found,
    ) -> bool {
        // The start cells in this column, if the level ends here and its start is in the last column.
        let rows: Vec<usize> = match cells.rules.start {
            FrameStart::Cell { row, column } if self.columns < column => {
                let row = Some(row.min(self.height - 1));
                let starts = |row: &usize| !cells.rules.is_strict() || cells.enters(*row);
                row.into_iter().filter(starts).collect()
            }
            FrameStart::LastColumn => (0..self.height).filter(|&row| cells.enters(row)).collect(),
            _ => Vec::new(),
        };
        let is_late = !rows.is_empty();
        let late;
        let from = if is_late {
            let mut exploration = inside.clone();
            for row in rows {
                exploration.start(row);
            }
            exploration.explore();
            late = exploration;
            &late
        } else {
            inside
        };
        let is_met = |target: &Target| target.is_met(from);
        match cells.rules.goal {
            FrameGoal::LastColumn => from.is_free_somewhere(),
            FrameGoal::LastColumnOr { .. } => {
                from.is_free_somewhere()
                    || found.nearest.is_some()
                    || is_late && found.open.iter().any(is_met)
            }
            FrameGoal::AllTiles => (has_start || is_late) && found.open.iter().all(is_met),
            _ => from.wins,
        }
    }
}

impl EdgeCrossings {
    /// For each number of passed areas of the route, returns whether a player with this number can still pass the remaining areas or reach a goal
    /// tile: in the columns from `column` on, or by returning into earlier columns.
    fn hopes(&self, cells: &ColumnCells<'_>, column: usize) -> Vec<bool> {
        let last = cells.route.last();
        let places = |passed: usize| passed * cells.height()..(passed + 1) * cells.height();
        let words = cells.rules.arrival_words();
        let mut hopes = vec![true; last + 1];
        for passed in (0..last).rev() {
            let at = places(passed);
            let leads_on = |wins: bool, crossings: &[u64]| {
                let further = (passed + 1..=last).filter(|&passed| hopes[passed]);
                let mut further = further.map(places);
                let crosses = |places: Range<usize>| {
                    let crossings = &crossings[places.start * words..places.end * words];
                    crossings.iter().any(|&arrivals| arrivals > 0)
                };
                wins || further.any(crosses)
            };
            let mut returns = self.returns.iter();
            let targets = at.start * words..at.end * words;
            hopes[passed] = cells.is_ahead(passed, column) && hopes[passed + 1]
                || returns.any(|(way, crossings)| {
                    at.contains(&(way.place as usize)) && leads_on(way.wins, crossings)
                })
                || self
                    .targets
                    .iter()
                    .any(|target| target.is_reached_from(targets.clone()));
        }
        hopes
    }

    /// Drops the crossings (positions at which a player can cross into the next column) of players who can no longer pass the remaining areas of
    /// their route. States that differ only in dropped crossings become equal.
    fn forget_hopeless(&mut self, cells: &ColumnCells<'_>, column: usize) {
        if cells.route.last() == 0 {
            return;
        }
        let hopes = self.hopes(cells, column);
        let is_hopeful = |place: usize| hopes[place / cells.height()];
        let words = cells.rules.arrival_words();
        let forget = |crossings: &mut [u64]| {
            for (place, arrivals) in crossings.chunks_mut(words).enumerate() {
                if !is_hopeful(place) {
                    arrivals.fill(0);
                }
            }
        };
        forget(&mut self.reached);
        self.returns.retain(|way| is_hopeful(way.place as usize));
        self.returns.for_each_crossings(forget);
    }

    fn is_lost(&self, goal: FrameGoal) -> bool {
        let is_stuck = self.starts_known && self.reached.iter().all(|&arrivals| arrivals == 0);
        match goal {
            FrameGoal::LastColumnOr { .. } => is_stuck && !self.playable && self.nearest.is_none(),
            FrameGoal::AllTiles => {
                is_stuck && !(self.has_start && self.targets.is_empty())
                    || self.targets.iter().any(Target::is_out_of_reach)
            }
            _ => is_stuck,
        }
    }
}

/// Explores a column for players who return into the column from the right. The result contains the player's returns that lead to additional
/// crossings into the next column or to the goal; each of `targets` records the returns by which a player reaches its goal tile.
fn returns(
    cells: &ColumnCells<'_>,
    inside: &ColumnExploration<'_>,
    hopes: &[bool],
    targets: &mut [Target],
) -> Returns {
    let rules = cells.rules;
    let words = rules.arrival_words();
    let mut returns = Returns::default();
    let mut back = inside.clone();
    let mut free = inside.clone();
    let hopeful = (0..hopes.len()).filter(|&passed| hopes[passed]);
    for passed in hopeful {
        // The variable `free` has the exploration for a player who returns to this row between moves.
        let mut free_row = None;
        for row in (0..cells.height()).rev() {
            let place = Place { row, passed };
            let entering = rules.entering(cells.classes[row]);
            let enters =
                |arrival: u16| entering[usize::from(arrival) / 64] >> (arrival % 64) & 1 == 1;
            let mut possible = rules
                .backward
                .iter()
                .filter(|&&arrival| enters(arrival))
                .peekable();
            if possible.peek().is_none() {
                continue;
            }
            // A player without support falls straight down; the exploration of the row below is then part of this exploration.
            let falls = rules.falls_straight
                && !cells.stands(row)
                && free_row == Some(row + 1)
                && Via::Air.admits(cells.classes[row + 1], true);
            back.reset(if falls { &free } else { inside });
            back.reach(place, FREE, (true, Via::Air));
            back.explore();
            free.reset(&back);
            free_row = Some(row);
            for &number in possible {
                let arrival = rules.arrivals[usize::from(number)];
                let entered = (arrival.lands, arrival.via);
                if inside.has(place, arrival.then, entered) {
                    continue;
                }
                back.reset(if arrival.lands { &free } else { inside });
                back.reach(place, arrival.then, entered);
                back.explore();
                for target in &mut *targets {
                    target.note(&back, cells.index(place) * words, number);
                }
                let new = back.right.iter().zip(&inside.right);
                let new = new.map(|(all, known)| all & !known);
                if back.wins || new.clone().any(|arrivals| arrivals > 0) {
                    let way = ReturnWay {
                        place: cells.index(place) as u32,
                        arrival: number,
                        wins: back.wins,
                    };
                    returns.push(way, new);
                }
            }
        }
    }
    returns.sorted()
}
